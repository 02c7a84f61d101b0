/*
 * The state of an open document of rows (rows.c), for those who read it and
 * write to it. All under the handle's lock, except the list.
 */
#ifndef FS_KIND_ROWS_STATE_H
#define FS_KIND_ROWS_STATE_H
#include "fs/file/handle.h"
#include "fs/kind/rows.h"

struct rows {
	struct handle *handle;
	LIST_ENTRY(rows) entry;		/* of fs->rows, under its lock */
	struct table *table;		/* a reference */
	struct place place;		/* of its document; keys in memory */
	struct arena memory;		/* of the place */
	enum row_form form;
	/* Reading: out has the bytes of the document from `begin` on. */
	struct cursor *cursor;		/* NULL: not begun, or all was read */
	struct query_rows *query;	/* the same, of a query's document */
	bool is_query;
	bool *wanted;			/* its columns, by place; or NULL */
	struct row_text text;
	bool begun, ended;
	int failed;			/* to tell after out */
	uint64_t begin;
	struct buf out;
	struct charge stream, out_charge;
	int64_t used_s;			/* the last read */
	/* Writing. */
	bool reads_lines;		/* reader is set up */
	struct line_reader reader;
	struct arena lines;		/* of the rows of one batch */
	struct buf rest;		/* the beginning of a line */
	bool quoted;			/* it ends within quotes */
	uint64_t line;			/* lines that are done */
	uint64_t taken;			/* bytes of them, and of rest */
	struct charge rest_charge;
};

/* file_kind.open and close. */
int rows_open(struct op *op, struct handle *h);
int rows_close(struct op *op, struct handle *h);
/* Find a timestamp that is later than all below the place. */
int rows_later_timestamp(struct op *op, const struct place *p, int64_t *at);
/* Return the table of an open document as it is now, whatever its name. NULL: it was
 * dropped. */
struct table *rows_table(struct op *op, struct handle *h);
/* Set the place that the document of n has, in the op's memory. */
int rows_place(struct op *op, struct node *n, struct place *p);
#endif
