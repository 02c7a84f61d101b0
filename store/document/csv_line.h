/* Records of CSV, for line.c. */
#ifndef STORE_DOCUMENT_CSV_LINE_H
#define STORE_DOCUMENT_CSV_LINE_H
#include "store/document/line.h"

/* Read the header, if that was not read yet: 0; or the fields of a record into
 * r->given, r->has: 1; 0: a blank line. -EINVAL with r->error, -ENOMEM. */
int csv_line_read(struct line_reader *r, struct bytes line);
#endif
