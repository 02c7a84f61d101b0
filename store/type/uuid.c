/*
 * uuid and timeuuid, and new ones. A version 1 UUID holds a 60-bit count of
 * 100 ns since 1582-10-15 in its first 8 bytes (low, middle, high with the
 * version), a clock sequence and a node in its last 8.
 */
#include "store/type/uuid.h"

#include <ctype.h>
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

static bool may_begin(struct bytes text)
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

/* False: not of this form. */
static bool read_uuid_text(uint8_t uuid[16], struct bytes text)
{
	size_t i, half = 0;

	if (text.len != TEXT_LENGTH || !may_begin(text))
		return false;
	for (i = 0; i < text.len; i++) {
		if (is_dash_place(i))
			continue;
		if (half % 2)
			uuid[half / 2] |= hex_digit(text.ptr[i]);
		else
			uuid[half / 2] = (uint8_t)(hex_digit(text.ptr[i]) << 4);
		half++;
	}
	return true;
}

static void print_uuid(struct buf *out, struct bytes uuid)
{
	static const char hex[] = "0123456789abcdef";
	char text[TEXT_LENGTH];
	size_t at, byte = 0;

	for (at = 0; at < sizeof(text); at++) {
		if (is_dash_place(at)) {
			text[at] = '-';
			continue;
		}
		text[at++] = hex[uuid.ptr[byte] >> 4];
		text[at] = hex[uuid.ptr[byte++] & 15];
	}
	buf_add(out, text, sizeof(text));
}

bool uuid_is_time(const uint8_t uuid[16])
{
	return uuid[6] >> 4 == 1;
}

/* A time that does not fit 60 bits changes the version, as in Cassandra. */
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
 * State of the process: a random clock sequence and node (marked as no network
 * card's), by which its UUIDs differ from those of others, and the last tick
 * that was handed out. Nothing else can keep two threads from the same tick.
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

/* Move the version nibble to the front. */
static uint64_t version_first(uint64_t high)
{
	return (high & 0xf000) << 48 | (high >> 16) << 12 | (high & 0xfff);
}

static uint64_t version_first_back(uint64_t ordered)
{
	return (ordered << 4 & ~(uint64_t)0xffff) | ordered >> 60 << 12 |
	       (ordered & 0xfff);
}

/* Rearrange the first 8 bytes, so that memcmp orders by version, then, of version
 * 1, by time. */
static void order_uuid(uint8_t *bytes)
{
	uint64_t high = get_be64(bytes);

	put_be64(bytes, (high & 0xf000) == 0x1000 ? time_first(high) :
						    version_first(high));
}

static void order_uuid_back(uint8_t *bytes)
{
	uint64_t high = get_be64(bytes);

	put_be64(bytes, high >> 60 == 1 ? time_first_back(high) :
					  version_first_back(high));
}

/* Its time, then the rest with each byte's sign flipped. */
#define SIGNS 0x8080808080808080

static void order_timeuuid(uint8_t *bytes)
{
	put_be64(bytes, time_first(get_be64(bytes)));
	put_be64(bytes + 8, get_be64(bytes + 8) ^ SIGNS);
}

static void order_timeuuid_back(uint8_t *bytes)
{
	put_be64(bytes, time_first_back(get_be64(bytes)));
	put_be64(bytes + 8, get_be64(bytes + 8) ^ SIGNS);
}

static inline int compare(struct bytes a, struct bytes b,
			  void (*order)(uint8_t *bytes))
{
	uint8_t x[16], y[16];

	if (a.len != 16 || b.len != 16)
		return bytes_compare(a, b);
	memcpy(x, a.ptr, 16);
	memcpy(y, b.ptr, 16);
	order(x);
	order(y);
	return memcmp(x, y, 16);
}

static int compare_uuid(struct bytes a, struct bytes b)
{
	return compare(a, b, order_uuid);
}

static int compare_timeuuid(struct bytes a, struct bytes b)
{
	return compare(a, b, order_timeuuid);
}

/* ------------------------------------------------------------------- types */
static size_t text_length(struct bytes value)
{
	(void)value;
	return TEXT_LENGTH;
}

static int read_uuid(struct buf *out, struct bytes text,
		     struct type_error *error)
{
	uint8_t uuid[16];

	if (!read_uuid_text(uuid, text))
		return type_fail(error, "Unable to make UUID from '%.*s'",
				 type_fail_length(text), text.ptr);
	buf_add(out, uuid, sizeof(uuid));
	return 0;
}

const struct native_type native_uuid = {
	.type = { .kind = TYPE_UUID, .depth = 1 },
	.name = "uuid",
	.class = "UUIDType",
	.length = 16,
	.wrong_length = "UUID should be 16 or 0 bytes",
	.is_flat = true,
	.read = read_uuid,
	.may_begin = may_begin,
	.print = print_uuid,
	.text_length = text_length,
	.constants = 1 << LITERAL_UUID,
	.casts_to_text = true,
	.json_expected = "a string representation of a uuid",
	.compare = compare_uuid,
	.order = order_uuid,
	.order_back = order_uuid_back,
};

static int validate_timeuuid(struct bytes value, struct type_error *error)
{
	/* It is the first byte that Cassandra shows here. */
	if (value.len && !uuid_is_time(value.ptr))
		return type_fail(error, "Invalid version for TimeUUID type: "
				 "0x%x", value.ptr[0] >> 4);
	return 0;
}

static int read_timeuuid(struct buf *out, struct bytes text,
			 struct type_error *error)
{
	uint8_t uuid[16];

	if (!read_uuid_text(uuid, text))
		return type_fail(error,
				 "Unknown timeuuid representation: %.*s",
				 type_fail_length(text), text.ptr);
	if (!uuid_is_time(uuid))
		return type_fail(error,
				 "TimeUUID supports only version 1 UUIDs");
	buf_add(out, uuid, sizeof(uuid));
	return 0;
}

const struct native_type native_timeuuid = {
	.type = { .kind = TYPE_TIMEUUID, .depth = 1 },
	.name = "timeuuid",
	.class = "TimeUUIDType",
	.length = 16,
	.wrong_length = "UUID should be 16 or 0 bytes",
	.is_flat = true,
	.validate = validate_timeuuid,
	.read = read_timeuuid,
	.may_begin = may_begin,
	.print = print_uuid,
	.text_length = text_length,
	.constants = 1 << LITERAL_UUID,
	.casts_to_text = true,
	.json_expected = "a string representation of a timeuuid",
	.compare = compare_timeuuid,
	.order = order_timeuuid,
	.order_back = order_timeuuid_back,
	/* The least of 1970-01-01. */
	.masked = { (const uint8_t *)"\x13\x81\x40\0\x1d\xd2\x11\xb2"
		    "\x80\x80\x80\x80\x80\x80\x80\x80", 16 },
};
