/*
 * A text of one's own for null in CSV, where ours has an empty field: the fields
 * of a stream are changed as they pass, the header not. One thread.
 */
#ifndef TOOLS_CSV_NULL_H
#define TOOLS_CSV_NULL_H
#include "store/base/bytes.h"

struct csv_null {
	struct bytes text;	/* for null */
	bool reads;		/* it becomes ours; else ours becomes it */
	struct buf field;	/* as it is written in this field */
	bool quoted;		/* within quotes */
	bool behind_header;
	size_t fields;		/* of the record, before it */
};
void csv_null_init(struct csv_null *c, const char *text, bool reads);
void csv_null_release(struct csv_null *c);
/* Append the bytes as they shall be; what is left of a field comes with the
 * next. out->failed: no memory. */
void csv_null_change(struct csv_null *c, struct buf *out, struct bytes in);
/* Append what is left of a field, unchanged: the end came within quotes. */
void csv_null_end(struct csv_null *c, struct buf *out);
#endif
