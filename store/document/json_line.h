/* Lines of JSON, for line.c. */
#ifndef STORE_DOCUMENT_JSON_LINE_H
#define STORE_DOCUMENT_JSON_LINE_H
#include "store/document/line.h"

/* Read the members of the object into r->given, r->has. 1; 0: a blank line;
 * -EINVAL with r->error, -ENOMEM. */
int json_line_read(struct line_reader *r, struct bytes line);
/* Return the place of the column that a member names, as INSERT JSON does;
 * -1: none. */
int json_line_column(const struct table *t, struct bytes name);
#endif
