/* UTF-8 as RFC 3629 has it. Any thread. */
#ifndef STORE_BASE_UTF8_H
#define STORE_BASE_UTF8_H
#include "store/base/bytes.h"

/* True for valid UTF-8, or ASCII. may_be_cut: the last character may be
 * unfinished. */
bool utf8_is_valid(struct bytes text, bool may_be_cut);
bool utf8_is_ascii(struct bytes text);
#endif
