/*
 * UUIDs: their text, and new ones. A version 1 UUID holds a 60-bit count of
 * 100 ns since 1582-10-15 in its first 8 bytes (low, middle, high with the
 * version), a clock sequence and a node in its last 8.
 */
#include "store/type/uuid.h"

#include <ctype.h>
#include <errno.h>
#include <stdatomic.h>
#include <sys/random.h>

#include "store/base/clock.h"

#define TEXT_LENGTH 36
/* Unix time 0 as milliseconds after 1582-10-15. */
#define EPOCH_MS 12219292800000
#define TICKS_PER_MS 10000
#define MIN_LOW_BYTES 0x8080808080808080u
#define MAX_LOW_BYTES 0x7f7f7f7f7f7f7f7fu

static bool is_dash_place(size_t at)
{
	return at == 8 || at == 13 || at == 18 || at == 23;
}

bool uuid_may_begin(struct bytes text)
{
	size_t i;

	if (text.len > TEXT_LENGTH)
		return false;
	for (i = 0; i < text.len; i++)
		if (is_dash_place(i) ? text.ptr[i] != '-' :
				       !isxdigit(text.ptr[i]))
			return false;
	return true;
}

static uint8_t hex_digit(uint8_t c)
{
	return (uint8_t)(isdigit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
}

int uuid_read(struct buf *out, enum type_kind kind, struct bytes text,
	      struct type_error *error)
{
	uint8_t uuid[16];
	size_t i, half = 0;

	if (text.len != TEXT_LENGTH || !uuid_may_begin(text))
		return type_fail(error, kind == TYPE_TIMEUUID ?
				 "Unknown timeuuid representation: %.*s" :
				 "Unable to make UUID from '%.*s'",
				 type_fail_length(text), text.ptr);
	for (i = 0; i < text.len; i++) {
		if (is_dash_place(i))
			continue;
		if (half % 2)
			uuid[half / 2] |= hex_digit(text.ptr[i]);
		else
			uuid[half / 2] = (uint8_t)(hex_digit(text.ptr[i]) << 4);
		half++;
	}
	if (kind == TYPE_TIMEUUID && !uuid_is_time(uuid))
		return type_fail(error,
				 "TimeUUID supports only version 1 UUIDs");
	buf_add(out, uuid, sizeof(uuid));
	return 0;
}

void uuid_print(struct buf *out, const uint8_t uuid[16])
{
	static const char hex[] = "0123456789abcdef";
	char text[TEXT_LENGTH];
	size_t at, byte = 0;

	for (at = 0; at < sizeof(text); at++) {
		if (is_dash_place(at)) {
			text[at] = '-';
			continue;
		}
		text[at++] = hex[uuid[byte] >> 4];
		text[at] = hex[uuid[byte++] & 15];
	}
	buf_add(out, text, sizeof(text));
}

bool uuid_is_time(const uint8_t uuid[16])
{
	return uuid[6] >> 4 == 1;
}

/* Of times that 60 bits do not hold the version suffers, as in Cassandra. */
static void put_time(uint8_t uuid[16], uint64_t ticks, uint64_t low_bytes)
{
	put_be64(uuid, ticks << 32 | (ticks >> 16 & 0xffff0000) | 0x1000 |
			       ticks >> 48);
	put_be64(uuid + 8, low_bytes);
}

static uint64_t ticks_of(const uint8_t uuid[16])
{
	uint64_t high = get_be64(uuid);

	return high >> 32 | (high & 0xffff0000) << 16 | (high & 0x0fff) << 48;
}

/* Wraps where 60 bits do not reach, as Cassandra does. */
static uint64_t ticks_at(int64_t ms)
{
	return ((uint64_t)ms + EPOCH_MS) * TICKS_PER_MS;
}

int64_t uuid_time_ms(const uint8_t uuid[16])
{
	return (int64_t)(ticks_of(uuid) / TICKS_PER_MS) - EPOCH_MS;
}

void uuid_min_at(uint8_t uuid[16], int64_t ms)
{
	put_time(uuid, ticks_at(ms), MIN_LOW_BYTES);
}

void uuid_max_at(uint8_t uuid[16], int64_t ms)
{
	put_time(uuid, ticks_at((int64_t)((uint64_t)ms + 1)) - 1,
		 MAX_LOW_BYTES);
}

static void fill_random(uint8_t *bytes, size_t len)
{
	/* Up to 256 bytes come whole; only a signal while the machine is
	 * starting can come between. */
	while (getrandom(bytes, len, 0) != (ssize_t)len)
		;
}

void uuid_new_random(uint8_t uuid[16])
{
	fill_random(uuid, 16);
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x40);
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}

/*
 * Of the process: what makes its UUIDs differ from those of others (a random
 * clock sequence and node, marked as no network card's), and the last tick that
 * was given out. Nothing else can keep two threads from the same tick.
 */
static _Atomic uint64_t own_low_bytes, last_ticks;

static uint64_t low_bytes_of_process(void)
{
	uint64_t low = atomic_load(&own_low_bytes), none = 0;
	uint8_t bytes[8];

	if (low)
		return low;
	fill_random(bytes, sizeof(bytes));
	bytes[0] = (uint8_t)((bytes[0] & 0x3f) | 0x80);
	bytes[2] |= 1;
	low = get_be64(bytes);
	return atomic_compare_exchange_strong(&own_low_bytes, &none, low) ?
		low : none;
}

void uuid_new_time(uint8_t uuid[16])
{
	uint64_t ticks, last = atomic_load(&last_ticks);
	uint64_t now = (uint64_t)clock_now_us();

	do {
		ticks = now * (TICKS_PER_MS / 1000) + EPOCH_MS * TICKS_PER_MS;
		if (ticks <= last)
			ticks = last + 1;
	} while (!atomic_compare_exchange_weak(&last_ticks, &last, ticks));
	put_time(uuid, ticks, low_bytes_of_process());
}

/* -------------------------------------------------------------------- order */
static uint64_t time_first(uint64_t high)
{
	return high << 48 | (high << 16 & 0xffff00000000) | high >> 32;
}

static uint64_t time_first_back(uint64_t ordered)
{
	return ordered << 32 | (ordered >> 16 & 0xffff0000) | ordered >> 48;
}

/* The version nibble to the front. */
static uint64_t version_first(uint64_t high)
{
	return (high & 0xf000) << 48 | (high >> 16) << 12 | (high & 0xfff);
}

static uint64_t version_first_back(uint64_t ordered)
{
	return (ordered << 4 & ~(uint64_t)0xffff) | ordered >> 60 << 12 |
	       (ordered & 0xfff);
}

#define SIGNS 0x8080808080808080

void uuid_order(uint8_t out[16], enum type_kind kind, const uint8_t *uuid)
{
	uint64_t high = get_be64(uuid), low = get_be64(uuid + 8);
	bool by_time = kind == TYPE_TIMEUUID || (high & 0xf000) == 0x1000;

	put_be64(out, by_time ? time_first(high) : version_first(high));
	put_be64(out + 8, kind == TYPE_TIMEUUID ? low ^ SIGNS : low);
}

void uuid_order_back(uint8_t out[16], enum type_kind kind,
		       const uint8_t *ordered)
{
	uint64_t high = get_be64(ordered), low = get_be64(ordered + 8);
	bool by_time = kind == TYPE_TIMEUUID || high >> 60 == 1;

	put_be64(out, by_time ? time_first_back(high) :
				version_first_back(high));
	put_be64(out + 8, kind == TYPE_TIMEUUID ? low ^ SIGNS : low);
}
