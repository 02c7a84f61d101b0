/*
 * Addresses of IPv4 and IPv6.
 * Functions that read append the value's bytes: 0, or -EINVAL with the message
 * and nothing appended; no memory: out->failed. Any thread.
 */
#ifndef STORE_TYPE_INET_H
#define STORE_TYPE_INET_H
#include "store/type/type.h"

int inet_read(struct buf *out, struct bytes text, struct type_error *error);
void inet_print(struct buf *out, struct bytes value);
bool inet_may_begin(struct bytes text);
/* The 16 bytes of a mapped IPv4 address, which text cannot write. */
bool inet_is_mapped(struct bytes value);
#endif
