/* Addresses of IPv4 and IPv6. Any thread. */
#ifndef STORE_TYPE_INET_H
#define STORE_TYPE_INET_H
#include "store/type/native.h"

extern const struct native_type native_inet;

/* Exported for tests: true for the 16 bytes of a mapped IPv4 address, which text
 * cannot write. */
bool inet_is_mapped(struct bytes value);
#endif
