#include "tests/lib/model.h"

#include <check.h>

#include "store/base/alloc.h"
#include "store/row/key.h"
#include "store/row/reconcile.h"
#include "store/row/row_codec.h"
#include "tests/lib/rows.h"

static void make_key(struct model *m, uint32_t i)
{
	uint32_t partition = i / MODEL_PARTITION, j = i % MODEL_PARTITION;
	uint8_t name[2] = { (uint8_t)(partition >> 8), (uint8_t)partition };
	struct buf key = BUF_INIT;

	key_add_partition(&key, (int64_t)partition * 1000 - 5000,
			  bytes_of(name, 2));
	if (!j) {
		buf_add_byte(&key, KEY_BEGIN);
	} else if (j == MODEL_PARTITION - 1) {
		buf_add_byte(&key, KEY_END);
	} else {
		/* The places are: before row 1, row 1, before row 2, row 2
		 * ... */
		uint8_t tail[] = { KEY_ROW, 0x40, (uint8_t)((j + 1) / 2),
				   j & 1 ? KEY_BEFORE_PREFIX : KEY_ROW_END };

		buf_add(&key, tail, 4);
		m->places[i].is_row = !(j & 1);
	}
	m->places[i].key = arena_copy(&m->arena, buf_bytes(&key));
	buf_release(&key);
}

void model_init(struct model *m, uint32_t partitions)
{
	uint32_t i;

	m->arena = ARENA_INIT;
	m->count = partitions * MODEL_PARTITION;
	m->places = mem_zalloc(m->count, sizeof(*m->places));
	ck_assert(m->places);
	for (i = 0; i < m->count; i++)
		make_key(m, i);
	model_clear(m);
}

void model_release(struct model *m)
{
	arena_release(&m->arena);
	mem_free(m->places);
}

void model_copy(struct model *to, const struct model *from)
{
	to->arena = ARENA_INIT;
	to->count = from->count;
	to->places = (void *)mem_copy(from->places,
				      from->count * sizeof(*from->places));
	ck_assert(to->places);
}

void model_clear(struct model *m)
{
	uint32_t i;

	for (i = 0; i < m->count; i++) {
		m->places[i].row = ROW_NONE;
		m->places[i].force = DELETION_NONE;
	}
}

static bool is_nothing(const struct row *row)
{
	return !row->cell_count && deletion_is_none(row->deletion) &&
	       row->marker.timestamp == NO_TIMESTAMP;
}

static void add_row(struct model *m, uint32_t place, const struct row *row)
{
	struct row merged;
	const struct row *both[] = { &m->places[place].row, row };

	ck_assert_int_eq(row_merge(&merged, &m->arena, both, 2, DELETION_NONE),
			 0);
	m->places[place].row = merged;
}

static void random_range(struct model *m, struct random *rng,
			 struct batch *batch, uint32_t table)
{
	uint32_t base = random_below(rng, m->count / MODEL_PARTITION) *
			MODEL_PARTITION;
	uint32_t from = random_below(rng, 8), to = random_below(rng, 8), i;
	struct deletion d = { 999999 + random_below(rng, 4),
			      random_below(rng, 2) };

	/* Place 0 is the beginning of the partition; other bounds are odd. */
	from = base + (from ? 2 * from - 1 : 0);
	to = base + 2 * to + 1;
	if (from > to) {
		i = from;
		from = to;
		to = i;
	}
	batch_add_range(batch, table, m->places[from].key, m->places[to].key,
			d);
	for (i = from; i < to; i++)
		m->places[i].force = reconcile_deletion_max(m->places[i].force,
							    d);
}

void model_random_change(struct model *m, struct random *rng,
			 struct batch *batch, uint32_t table)
{
	uint32_t place;
	struct row row;

	if (!random_below(rng, 5)) {
		random_range(m, rng, batch, table);
		return;
	}
	do {
		place = random_below(rng, m->count);
	} while (!m->places[place].is_row);
	random_row(rng, &m->arena, &row, 5);
	batch_add_row(batch, table, m->places[place].key, &row);
	add_row(m, place, &row);
}

void model_merge(struct model *a, const struct model *b)
{
	uint32_t i;

	for (i = 0; i < a->count; i++) {
		add_row(a, i, &b->places[i].row);
		a->places[i].force = reconcile_deletion_max(a->places[i].force,
							    b->places[i].force);
	}
}

static bool same_deletion(struct deletion a, struct deletion b)
{
	return a.timestamp == b.timestamp && a.local_time == b.local_time;
}

static struct deletion force_before(const struct model *m, uint32_t place)
{
	return place ? m->places[place - 1].force : DELETION_NONE;
}

bool model_row(const struct model *m, uint32_t place, struct arena *arena,
	       struct row *row)
{
	const struct row *one = &m->places[place].row;

	ck_assert_int_eq(row_merge(row, arena, &one, 1, m->places[place].force),
			 0);
	return !is_nothing(row);
}

static void check_row(const struct model *m, struct iterator *it,
		      uint32_t place, bool covered)
{
	struct arena arena = ARENA_INIT;
	struct row want = m->places[place].row, got;
	struct entry entry;

	if (covered)
		model_row(m, place, &arena, &want);
	if (!is_nothing(&want)) {
		ck_assert_int_eq(iterator_next(it, &entry), 1);
		ck_assert_int_eq(entry.kind, ENTRY_ROW);
		ck_assert(bytes_equal(entry.key, m->places[place].key));
		ck_assert_int_eq(row_decode(&got, &arena, entry.row), 0);
		ck_assert(rows_equal(&got, &want));
	}
	arena_release(&arena);
}

static void check_bound(const struct model *m, struct iterator *it,
			uint32_t place)
{
	struct deletion before = force_before(m, place);
	struct deletion after = m->places[place].force;
	struct entry entry;

	if (same_deletion(before, after))
		return;
	ck_assert_int_eq(iterator_next(it, &entry), 1);
	ck_assert_int_eq(entry.kind, ENTRY_BOUND);
	ck_assert(bytes_equal(entry.key, m->places[place].key));
	ck_assert(same_deletion(entry.before, before));
	ck_assert(same_deletion(entry.after, after));
}

void model_check(const struct model *m, struct iterator *it, bool reverse,
		 uint32_t from, bool covered)
{
	struct deletion in_force;
	struct entry entry;
	struct bytes key = BYTES_EMPTY;
	uint32_t i;

	if (from < m->count && (from || reverse))
		key = m->places[from].key;
	else if (!reverse && from)
		key = bytes_str("\xff\xff");
	ck_assert_int_eq(iterator_seek(it, key, &in_force), 0);
	ck_assert(same_deletion(in_force, force_before(m, from)));
	for (i = from; !reverse && i < m->count; i++) {
		check_bound(m, it, i);
		check_row(m, it, i, covered);
	}
	for (i = from; reverse && i > 0; i--) {
		check_row(m, it, i - 1, covered);
		check_bound(m, it, i - 1);
	}
	ck_assert_int_eq(iterator_next(it, &entry), 0);
	ck_assert_int_eq(iterator_next(it, &entry), 0);
}

/* ------------------------------------------------------ the model as source */

struct model_iterator {
	struct iterator base;
	const struct model *m;
	bool reverse;
	uint32_t at;	/* of a place: 2 * place its bound, and + 1 its row */
	struct buf row;
};

static int seek(struct iterator *base, struct bytes key,
		struct deletion *in_force)
{
	struct model_iterator *it = (struct model_iterator *)base;
	const struct model *m = it->m;
	uint32_t place = 0;

	while (place < m->count && (key.len || it->reverse) &&
	       (!key.len || bytes_compare(m->places[place].key, key) < 0))
		place++;
	it->at = 2 * place;
	*in_force = force_before(m, place);
	return 0;
}

static int next(struct iterator *base, struct entry *entry)
{
	struct model_iterator *it = (struct model_iterator *)base;
	const struct model *m = it->m;

	while (it->reverse ? it->at > 0 : it->at < 2 * m->count) {
		uint32_t at = it->reverse ? --it->at : it->at++;
		const struct model_place *p = &m->places[at / 2];

		entry->key = p->key;
		if (at & 1 && !is_nothing(&p->row)) {
			buf_clear(&it->row);
			row_encode(&it->row, &p->row);
			entry->kind = ENTRY_ROW;
			entry->row = buf_bytes(&it->row);
			return 1;
		}
		entry->kind = ENTRY_BOUND;
		entry->before = force_before(m, at / 2);
		entry->after = p->force;
		if (!(at & 1) && !same_deletion(entry->before, entry->after))
			return 1;
	}
	return 0;
}

static void close_model(struct iterator *base)
{
	struct model_iterator *it = (struct model_iterator *)base;

	buf_release(&it->row);
	mem_free(it);
}

struct iterator *model_iterate(const struct model *m, bool reverse)
{
	static const struct iterator_ops ops = { seek, next, close_model,
						 NULL };
	struct model_iterator *it = mem_zalloc(1, sizeof(*it));

	ck_assert(it);
	it->base.ops = &ops;
	it->m = m;
	it->reverse = reverse;
	return &it->base;
}
