/* What compound_codec.c shares with ordered.c. */
#ifndef STORE_TYPE_COMPOUND_CODEC_H
#define STORE_TYPE_COMPOUND_CODEC_H
#include <stddef.h>
#include <stdint.h>

/* Cassandra's unsigned vint; the number of bytes. */
size_t vint_encode(uint8_t out[9], uint64_t v);
#endif
