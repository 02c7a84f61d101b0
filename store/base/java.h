/*
 * The order in which Java's HashMap lists its keys: by bucket, within a bucket
 * by insertion. Cassandra keeps columns and options in such maps, lists them in
 * this order, and reports the first that is wrong.
 */
#ifndef STORE_BASE_JAVA_H
#define STORE_BASE_JAVA_H
#include "store/base/bytes.h"

/* Spread a hashCode as HashMap does. */
static inline uint32_t java_spread(uint32_t hash)
{
	return hash ^ hash >> 16;
}
/* ByteBuffer.hashCode */
static inline uint32_t java_hash_buffer(struct bytes b)
{
	uint32_t hash = 1;

	for (size_t i = b.len; i-- > 0;)
		hash = 31 * hash + (uint32_t)(int32_t)(int8_t)b.ptr[i];
	return hash;
}
/* java_hash_buffer, and String.hashCode (of ASCII), spread as HashMap does. */
static inline uint32_t java_hash_bytes(struct bytes b)
{
	return java_spread(java_hash_buffer(b));
}
static inline uint32_t java_hash_text(struct bytes text)
{
	uint32_t hash = 0;

	for (size_t i = 0; i < text.len; i++)
		hash = 31 * hash + text.ptr[i];
	return java_spread(hash);
}
/* Buckets of a map after `more` were put into one that is a copy of `count`. */
static inline uint32_t java_buckets(uint32_t count, uint32_t more)
{
	uint32_t buckets = count ? 2 : 16;

	while (count && buckets < (uint32_t)((float)count / 0.75f + 1.0f))
		buckets *= 2;
	while (count + more > (uint64_t)buckets * 3 / 4 && more)
		buckets *= 2;
	return buckets;
}
#endif
