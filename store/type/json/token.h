/* JSON's tokens (RFC 8259): strings, numbers and words. UTF-8 is checked. */
#ifndef STORE_TYPE_JSON_TOKEN_H
#define STORE_TYPE_JSON_TOKEN_H
#include "store/type/json/scan.h"

/* True if it may be part of an unquoted name. */
bool scan_is_name_part(uint8_t c);
/* Scan the token that begins at ptr; out gets the contents of a string, or is
 * NULL. */
int scan_string(struct scan *s, struct buf *out);
int scan_number(struct scan *s);
int scan_word(struct scan *s);
#endif
