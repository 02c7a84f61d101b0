/*
 * Rows as text: an object of JSON or a record of CSV each. Names are made ready
 * once, so that a row costs little more than its values.
 *
 * JSON: key columns first, then what is not null, as SELECT * orders columns. A
 * partition that has nothing but statics has no clustering columns. Floats that
 * JSON has no numbers for are strings, so that all of it reads back.
 *
 * CSV (RFC 4180): all columns of SELECT *, lines end with LF. Null is an empty
 * field, the empty value is "".
 */
#ifndef STORE_DOCUMENT_ROW_TEXT_H
#define STORE_DOCUMENT_ROW_TEXT_H
#include "store/table/table.h"

enum row_form { ROW_JSON, ROW_CSV };

/* One thread at a time. */
struct row_text {
	const struct table *table;	/* the caller's */
	enum row_form form;
	struct buf names;		/* of all columns, ready to be added */
	uint32_t *ends;			/* where each ends, by its place */
	/* Whether a column is shown, by its place; NULL: all. The caller's, set
	 * after row_text_init. */
	const bool *wanted;
	struct buf room;
};
/* 0, -ENOMEM: nothing is to be released then. */
int row_text_init(struct row_text *r, const struct table *t, enum row_form form);
void row_text_release(struct row_text *r);
/* Append the line of names that CSV begins with; nothing of JSON. */
void row_text_head(const struct row_text *r, struct buf *out);
/*
 * Append a row of the table, without a newline. statics: those of its
 * partition, which SELECT gives with the row. 0, -ENOMEM; out may have a part
 * of it then.
 */
int row_text_add(struct row_text *r, struct buf *out,
		 const struct row_view *row, const struct cell_view *statics,
		 uint32_t static_count);
/* The same of values in their whole form, by the places of their columns; null:
 * none, or not wanted. */
int row_text_add_values(struct row_text *r, struct buf *out,
			const struct bytes *values);
/* Append one field of CSV by RFC 4180. Null: nothing; empty: "". */
void row_text_csv_field(struct buf *out, struct bytes text);
#endif
