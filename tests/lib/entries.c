#include "tests/lib/entries.h"

#include <check.h>
#include <stdlib.h>

#include "store/base/array.h"
#include "store/row/key.h"
#include "store/row/row_codec.h"

static void append(struct entries *e, const struct entry *entry)
{
	if ((e->count & (e->count - 1)) == 0)
		e->entries = realloc(e->entries, (e->count ? 2 * e->count : 1) *
						 sizeof(*e->entries));
	ck_assert_ptr_nonnull(e->entries);
	e->entries[e->count++] = *entry;
}

static void add_row(struct entries *e, struct random *rng, struct buf *key,
		    uint32_t most)
{
	struct buf value = BUF_INIT, row = BUF_INIT;
	struct cell cells[2] = {
		{ .column = 2, .timestamp = 1000 + random_below(rng, 50),
		  .local_time = NO_TIME },
		{ .column = 3, .timestamp = 1000, .flags = CELL_TOMBSTONE,
		  .local_time = random_below(rng, 1000) },
	};
	struct row r = { { 1000, 0, NO_TIME }, DELETION_NONE, 1, cells };
	struct entry entry = { .kind = ENTRY_ROW, .before = DELETION_NONE,
			       .after = DELETION_NONE };

	random_bytes(rng, &value, most + 1);
	cells[0].value = buf_bytes(&value);
	if (!random_below(rng, 10)) {
		/*
		 * Cells with the same timestamp expire at the same time. Of two
		 * expiring cells with one timestamp the one that ends later
		 * wins, but a tombstone wins over both: a merge would show such
		 * a tie when the first one expires.
		 */
		cells[0].ttl = 100;
		cells[0].local_time = (cells[0].timestamp - 1000) * 20;
	}
	r.cell_count += !random_below(rng, 10);
	row_encode(&row, &r);
	entry.key = arena_copy(&e->arena, buf_bytes(key));
	entry.row = arena_copy(&e->arena, buf_bytes(&row));
	append(e, &entry);
	buf_release(&value);
	buf_release(&row);
}

/* Add a bound at key, if it changes anything. */
static void add_bound(struct entries *e, struct buf *key,
		      struct deletion *in_force, struct deletion after)
{
	struct entry entry = { .kind = ENTRY_BOUND, .row = BYTES_NULL,
			       .before = *in_force, .after = after };

	if (in_force->timestamp == after.timestamp &&
	    in_force->local_time == after.local_time)
		return;
	entry.key = arena_copy(&e->arena, buf_bytes(key));
	append(e, &entry);
	*in_force = after;
}

static struct deletion random_deletion(struct random *rng)
{
	if (random_below(rng, 3) == 0)
		return DELETION_NONE;
	return (struct deletion){ 900 + random_below(rng, 200),
				  random_below(rng, 1000) };
}

static void add_partition(struct entries *e, struct random *rng,
			  const struct entries_shape *shape, struct buf *key)
{
	struct deletion in_force = DELETION_NONE;
	size_t prefix = key->len;
	uint32_t rows = random_below(rng, shape->rows + 1), i, at = 0;

	if (shape->bounds && !random_below(rng, 4)) {
		buf_add_byte(key, KEY_BEGIN);
		add_bound(e, key, &in_force, random_deletion(rng));
		key->len = prefix;
	}
	if (!rows || !random_below(rng, 4)) {
		buf_add_byte(key, KEY_STATIC);
		add_row(e, rng, key, shape->value);
		key->len = prefix;
	}
	for (i = 0; i < rows; i++) {
		bool bound = shape->bounds && !random_below(rng, 5);

		at += 1 + random_below(rng, 3);
		buf_add_byte(key, KEY_ROW);
		buf_add_byte(key, 0x40);
		buf_add_be32(key, at);
		if (bound) {
			buf_add_byte(key, random_below(rng, 2) ?
						  KEY_BEFORE_PREFIX :
						  KEY_AFTER_PREFIX);
			add_bound(e, key, &in_force, random_deletion(rng));
		} else {
			buf_add_byte(key, KEY_ROW_END);
			add_row(e, rng, key, shape->value);
		}
		key->len = prefix;
	}
	buf_add_byte(key, KEY_END);
	add_bound(e, key, &in_force, DELETION_NONE);
}

void entries_make(struct entries *e, struct random *rng,
		  const struct entries_shape *shape)
{
	int64_t token = INT64_MIN + (int64_t)random_below(rng, 1000);
	struct buf key = BUF_INIT;
	uint32_t i;

	*e = (struct entries){ NULL, 0, ARENA_INIT };
	for (i = 0; i < shape->partitions; i++) {
		struct buf name = BUF_INIT;

		/* Ascending by a random step; the token need not be true. */
		token += (int64_t)(random_next(rng) >> 1) / shape->partitions +
			 1;
		if (shape->same_partitions) {
			token = INT64_MIN + (int64_t)(UINT64_MAX /
					shape->partitions * i >> 1) * 2;
			buf_add_be32(&name, i);
		} else {
			random_bytes(rng, &name, 12);
		}
		buf_clear(&key);
		key_add_partition(&key, token, buf_bytes(&name));
		add_partition(e, rng, shape, &key);
		buf_release(&name);
	}
	buf_release(&key);
	ck_assert(!e->arena.failed);
}

void entries_free(struct entries *e)
{
	free(e->entries);
	arena_release(&e->arena);
}

static bool entry_before(const void *element, const void *key)
{
	return bytes_compare(((const struct entry *)element)->key,
			     *(const struct bytes *)key) < 0;
}

size_t entries_find(const struct entries *e, struct bytes key)
{
	return array_find(e->entries, e->count, sizeof(*e->entries), &key,
			  entry_before);
}

struct deletion entries_in_force(const struct entries *e, size_t i)
{
	while (i--)
		if (e->entries[i].kind == ENTRY_BOUND)
			return e->entries[i].after;
	return DELETION_NONE;
}

void entries_assert_equal(const struct entry *a, const struct entry *b)
{
	ck_assert_int_eq(a->kind, b->kind);
	ck_assert(bytes_equal(a->key, b->key));
	if (a->kind == ENTRY_ROW) {
		ck_assert(bytes_equal(a->row, b->row));
		return;
	}
	ck_assert_int_eq(a->before.timestamp, b->before.timestamp);
	ck_assert_int_eq(a->before.local_time, b->before.local_time);
	ck_assert_int_eq(a->after.timestamp, b->after.timestamp);
	ck_assert_int_eq(a->after.local_time, b->after.local_time);
}
