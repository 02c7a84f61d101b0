/*
 * Read lines of rows: those that row_text.h writes, and all other forms that
 * CQL accepts for a value in JSON or as text.
 *
 * A JSON line is one object. Its members are columns, named as INSERT JSON
 * names them; what is not given is left as it is, null deletes. Of a name that
 * comes twice the last value counts.
 *
 * CSV (RFC 4180) has its header first, with the names of columns as in the
 * schema; then each record gives all of them. An empty field deletes, "" is the
 * empty value. Records end with LF or CRLF, fields in quotes have any bytes.
 *
 * Key columns that the place of the document has may be left out, and must
 * agree. A line without clustering columns is of the partition's statics.
 */
#ifndef STORE_DOCUMENT_LINE_H
#define STORE_DOCUMENT_LINE_H
#include "store/document/row_text.h"

/* One column of a line. */
struct line_value {
	const struct column *column;
	struct bytes value;	/* the whole form; null: delete it */
};
/* Memory: the reader's arena, and the text of the line. */
struct line_row {
	struct bytes partition_key;		/* serialised */
	const struct bytes *clustering;		/* NULL: statics alone */
	const struct line_value *values;
	uint32_t count;
};

struct line_place {		/* of the document; zero: the table's */
	struct bytes partition_key;	/* null: each line has it */
	const struct bytes *clustering;
	uint32_t clustering_count;
};

/* One thread at a time. */
struct line_reader {
	const struct table *table;	/* the caller's, as is the place */
	enum row_form form;
	struct line_place place;
	struct arena *arena;		/* of the rows, cleared by the caller */
	struct type_error error;	/* why a line was refused */
	bool general;		/* tests: JSON by the general reader alone */
	/* of the inside */
	struct bytes *path_key;		/* values of the place's key; or NULL */
	struct bytes *given;		/* of the line, by a column's place */
	uint8_t *has;			/* whether it gives the column */
	uint32_t *order;		/* of JSON's members, as the last line
					 * had them: places of columns */
	struct row_text names;		/* as JSON writes them */
	uint32_t *header;		/* of CSV: places of columns */
	uint32_t header_count;		/* 0: not read yet, */
	struct type_error header_error;	/* why it was refused, and so is all
					 * after it; empty: it was not */
	struct buf value, key;
};

/* 0, -ENOMEM: nothing is to be released then. */
int line_reader_init(struct line_reader *r, const struct table *t,
		     enum row_form form, const struct line_place *place,
		     struct arena *arena);
void line_reader_release(struct line_reader *r);

/*
 * Find the end of the first line in text: its length, with its newline; 0: it
 * is not there. *quoted keeps whether the text so far ends within quotes, for
 * the next call, which goes on after it: false at the beginning of a line.
 */
size_t line_length(enum row_form form, struct bytes text, bool *quoted);
/*
 * Read a line (with or without its newline): 1 with *row; 0: it is blank or
 * the header; -EINVAL: r->error says why; -ENOMEM. The text must stay as long
 * as the row is used.
 */
int line_read(struct line_reader *r, struct bytes line, struct line_row *row);

/*
 * Collect rows in w as one batch: lock their partitions, take timestamps later
 * than all that they replace, write markers and values. Of two lines of one row
 * the later wins. Then commit_write(w) applies all or none. *taken: so many of
 * them, at least one; the rest is for another batch. 0, -ENOMEM, -EPERM:
 * nothing can be later than what is there; -errno of reading.
 */
int line_rows_collect(struct write *w, const struct table *t,
		      const struct line_row *rows, size_t count, size_t *taken);
#endif
