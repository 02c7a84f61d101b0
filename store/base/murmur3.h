/* Cassandra's Murmur3 (x64, 128 bits, seed 0, with its signed tail bytes). */
#ifndef STORE_BASE_MURMUR3_H
#define STORE_BASE_MURMUR3_H
#include "store/base/bytes.h"

/* Return the token of a serialised partition key, normalised: never
 * INT64_MIN. */
int64_t murmur3_token(struct bytes key);
#endif
