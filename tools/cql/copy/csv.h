/* Records of CSV. */
#ifndef TOOLS_CQL_COPY_CSV_H
#define TOOLS_CQL_COPY_CSV_H
#include "store/base/bytes.h"

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
	bool null;			/* written as style->null, without quotes */
};
struct csv_record {
	struct buf text;
	struct buf fields;		/* struct csv_field */
	bool quoted, open;		/* of the field under way */
	size_t begin;
};
#define CSV_RECORD_INIT ((struct csv_record){ BUF_INIT, BUF_INIT, 0, 0, 0 })
/* Free it; or forget the record, and keep its memory for the next. */
void csv_release(struct csv_record *r);
void csv_clear(struct csv_record *r);
/* Add a line with its newline. True: the record is whole; false: it
 * continues in the next line. Want of memory is in r->text.failed and
 * r->fields.failed. */
bool csv_feed(struct csv_record *r, const struct csv_style *style,
	      struct bytes line);
/* End a record inside of which the input ended: it is one as it is. */
void csv_finish(struct csv_record *r);
size_t csv_count(const struct csv_record *r);
/* Return the field's text, or null. */
struct bytes csv_field(const struct csv_record *r, size_t i);
#endif
