/* The part of compound_codec.c that ordered.c uses. */
#ifndef STORE_TYPE_COMPOUND_CODEC_H
#define STORE_TYPE_COMPOUND_CODEC_H
#include <stddef.h>
#include <stdint.h>

/* Cassandra's unsigned vint; the number of bytes. */
size_t vint_encode(uint8_t out[9], uint64_t v);
#endif
