/* COPY: what its files share. cql_copy.c reads the command, cql_copy_to.c and
 * cql_copy_from.c do it, cql_csv.c knows the form of the file. */
#ifndef TOOLS_CQL_COPY_H
#define TOOLS_CQL_COPY_H
#include "tools/cql_shell.h"

/* ------------------------------------------------------------------- CSV */
struct csv_style {
	uint8_t delimiter, quote;
	uint8_t escape;			/* may be the quote: it is doubled */
	struct bytes null;
};
/* Append a field, in quotes if it has to be; null: as style->null. */
void csv_add(struct buf *out, const struct csv_style *style,
	     struct bytes field);

struct csv_field {
	size_t begin, end;		/* in csv_record.text */
	bool quoted;			/* then it is not null */
};
struct csv_record {
	struct buf text;
	struct buf fields;		/* struct csv_field */
	bool quoted, open;		/* of the field under way */
	size_t begin;
};
#define CSV_RECORD_INIT ((struct csv_record){ BUF_INIT, BUF_INIT, 0, 0, 0 })
void csv_release(struct csv_record *r);
void csv_clear(struct csv_record *r);
/* A line with its newline. True: the record is whole; false: it goes on in the
 * next line. Want of memory is in r->text.failed and r->fields.failed. */
bool csv_feed(struct csv_record *r, const struct csv_style *style,
	      struct bytes line);
/* The end of input came inside of a record: what is there is one. */
void csv_finish(struct csv_record *r);
size_t csv_count(const struct csv_record *r);
/* The field's text; null where it is style->null without quotes. */
struct bytes csv_field(const struct csv_record *r,
		       const struct csv_style *style, size_t i);

/* ---------------------------------------------------------------- values */
/*
 * Append the binary form of a field: a literal, or a compound value as cqlsh
 * writes it. null: what stands for one inside. As type_read_text.
 */
int copy_read_value(struct buf *out, const struct type *t, struct bytes text,
		    struct bytes null, struct type_error *error);

/* ------------------------------------------------------------------ COPY */
struct copy_column {
	struct bytes name;		/* as CQL writes it */
	struct bytes bare;		/* as it is */
	struct type *type;		/* our reference */
	bool of_row;			/* COPY FROM: of clustering or regular */
};
struct copy {
	struct shell *shell;
	struct arena arena;
	bool from;
	struct bytes keyspace, table;	/* bare; keyspace "" : in force */
	struct bytes target;		/* k.t, as CQL writes it */
	struct bytes names;		/* "a, b" as written, or "*" */
	bool all;			/* no columns were named */
	const char *path;		/* NULL: STDOUT or STDIN */
	struct csv_style style;
	bool header;
	struct bytes yes, no;		/* BOOLSTYLE */
	struct bytes skip_columns, error_file;
	long max_rows, skip_rows, max_parse_errors, max_insert_errors, ttl;
	struct bytes begin_token, end_token;
	struct copy_column *columns;
	size_t column_count;
	uint64_t started_ns, shown_ns;
	uint64_t rows;
};
void copy_to(struct copy *c);
void copy_from(struct copy *c);
/* Fill columns with what the table says: 0, or -errno after the message. */
int copy_read_columns(struct copy *c);
/* Ask for name, kind and position of the table's columns; text: the statement,
 * for errors. 0 or -errno. */
int copy_ask_columns(struct copy *c, struct buf *text);
/* "Processed: 12 rows; Rate: 6 rows/s" on a terminal, now and then. */
void copy_progress(struct copy *c, bool end);
double copy_seconds(const struct copy *c);
#endif
