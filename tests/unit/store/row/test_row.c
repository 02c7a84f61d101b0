/*
 * Rows: what is encoded comes back, damage is refused, and merging is
 * commutative, associative and idempotent whatever the versions are.
 */
#include <errno.h>

#include "store/base/alloc.h"
#include "store/row/reconcile.h"
#include "store/row/row.h"
#include "store/row/row_codec.h"
#include "tests/lib/rows.h"
#include "tests/unit/suite.h"

static struct cell cell_of(int64_t timestamp, const char *value)
{
	return (struct cell){ .timestamp = timestamp, .local_time = NO_TIME,
			      .path = BYTES_NULL,
			      .value = bytes_of(value, strlen(value)) };
}

START_TEST(the_bytes_of_a_row)
{
	static const uint8_t want[] = { 0x09, 0x40, 0x42, 0x0f, 0, 0, 0, 0, 0,
					0x02, 0x40, 1, 'x', 0xd1, 0x04, 0x02,
					0x00 };
	struct cell cells[2] = { cell_of(1000000, "x"), cell_of(1000001, "") };
	struct row row = { { 1000000, 0, NO_TIME }, DELETION_NONE, 2, cells };
	struct buf out = BUF_INIT;

	cells[1].column = 7;
	cells[1].flags = CELL_TOMBSTONE;
	cells[1].local_time = 1;
	cells[1].value = BYTES_NULL;
	row_encode(&out, &row);
	ck_assert_uint_eq(out.len, sizeof(want));
	ck_assert_mem_eq(out.ptr, want, sizeof(want));
	buf_release(&out);
}
END_TEST

/* Check the attributes that a glance reads of a row. */
static void check_glance(const struct row *row, struct bytes encoded)
{
	const struct cell *first = row->cells;
	uint32_t want = 0;

	if (row->marker.timestamp == NO_TIMESTAMP &&
	    deletion_is_none(row->deletion) && row->cell_count &&
	    !first->ttl && first->column < 130 &&
	    !(first->flags & (CELL_TOMBSTONE | CELL_COLUMN_DELETION)))
		want = first->column;
	ck_assert_uint_eq(row_lasting_column(encoded), want);
}

START_TEST(a_row_survives)	/* _i is the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct arena arena = ARENA_INIT;
	struct buf out = BUF_INIT;
	struct row row, back;
	uint32_t i;

	random_row(&rng, &arena, &row, 6);
	for (i = 0; i < row.cell_count; i++)
		row.cells[i].timestamp ^= (int64_t)(_i & 1 ? random_next(&rng) : 0);
	row_encode(&out, &row);
	check_glance(&row, buf_bytes(&out));
	ck_assert_int_eq(row_decode(&back, &arena, buf_bytes(&out)), 0);
	ck_assert(rows_equal(&row, &back));
	ck_assert_int_eq(row_decode_columns(&back, &arena, buf_bytes(&out), 2),
			 0);
	for (i = 0; i < back.cell_count; i++)
		ck_assert_uint_eq(back.cells[i].column, ROWS_COLUMN + 1);
	buf_release(&out);
	arena_release(&arena);
}
END_TEST

START_TEST(damage_is_refused_or_harmless)	/* _i is the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct arena arena = ARENA_INIT;
	struct buf out = BUF_INIT;
	struct row row, back;
	size_t len;

	random_row(&rng, &arena, &row, 6);
	row_encode(&out, &row);
	for (len = 0; len < out.len; len++) {
		uint8_t *cut = (uint8_t *)mem_copy(out.ptr, len);

		ck_assert_int_eq(row_decode(&back, &arena, bytes_of(cut, len)),
				 -EUCLEAN);
		row_lasting_column(bytes_of(cut, len));
		mem_free(cut);
	}
	for (len = 0; len < out.len; len++) {
		uint8_t kept = out.ptr[len];

		out.ptr[len] ^= (uint8_t)(1 + random_below(&rng, 255));
		row_decode(&back, &arena, buf_bytes(&out));
		out.ptr[len] = kept;
	}
	buf_release(&out);
	arena_release(&arena);
}
END_TEST

START_TEST(cells_out_of_order_are_refused)
{
	struct arena arena = ARENA_INIT;
	struct cell cells[2] = { cell_of(1, "x"), cell_of(1, "y") };
	struct row row = { MARKER_NONE, DELETION_NONE, 2, cells }, back;
	struct buf out = BUF_INIT;

	row_encode(&out, &row);	/* the same simple column twice */
	ck_assert_int_eq(row_decode(&back, &arena, buf_bytes(&out)), -EUCLEAN);
	cells[0].path = bytes_str("b");
	cells[1].path = bytes_str("a");
	buf_clear(&out);
	row_encode(&out, &row);
	ck_assert_int_eq(row_decode(&back, &arena, buf_bytes(&out)), -EUCLEAN);
	buf_release(&out);
	arena_release(&arena);
}
END_TEST

/* Each wins against the one after it (store/README.md, "Reconciliation"). */
START_TEST(cells_win_by_rank)
{
	static const struct cell by_rank[] = {
		{ .timestamp = 9, .local_time = NO_TIME, .value = { (const void *)"a", 1 } },
		{ .timestamp = 5, .flags = CELL_TOMBSTONE, .local_time = 3 },
		{ .timestamp = 5, .flags = CELL_TOMBSTONE, .local_time = 2 },
		{ .timestamp = 5, .ttl = 9, .local_time = 99, .value = { (const void *)"a", 1 } },
		{ .timestamp = 5, .ttl = 1, .local_time = 50, .value = { (const void *)"a", 1 } },
		{ .timestamp = 5, .ttl = 2, .local_time = 50, .value = { (const void *)"b", 1 } },
		{ .timestamp = 5, .ttl = 2, .local_time = 50, .value = { (const void *)"a", 1 } },
		{ .timestamp = 5, .local_time = NO_TIME, .value = { (const void *)"\xff\xff", 2 } },
		{ .timestamp = 5, .local_time = NO_TIME, .value = { (const void *)"\xff", 1 } },
		{ .timestamp = 5, .local_time = NO_TIME, .value = { (const void *)"\x01", 1 } },
		{ .timestamp = 5, .local_time = NO_TIME, .value = { (const void *)"", 0 } },
		{ .timestamp = 4, .flags = CELL_TOMBSTONE, .local_time = 9 },
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(by_rank); i++) {
		ck_assert_int_eq(reconcile_cell(&by_rank[i], &by_rank[i]), 0);
		for (j = i + 1; j < ARRAY_SIZE(by_rank); j++) {
			ck_assert_int_gt(reconcile_cell(&by_rank[i],
							&by_rank[j]), 0);
			ck_assert_int_lt(reconcile_cell(&by_rank[j],
							&by_rank[i]), 0);
		}
	}
}
END_TEST

START_TEST(counters_are_totals)
{
	struct cell one = cell_of(5, ""), minus = cell_of(5, "");

	one.flags = minus.flags = CELL_COUNTER;
	one.value = bytes_of("\0\0\0\0\0\0\0\1", 8);
	minus.value = bytes_of("\xff\xff\xff\xff\xff\xff\xff\xff", 8);
	ck_assert_int_gt(reconcile_cell(&one, &minus), 0);
	minus.timestamp = 6;
	ck_assert_int_lt(reconcile_cell(&one, &minus), 0);
}
END_TEST

START_TEST(markers_win_by_rank)
{
	static const struct marker by_rank[] = {
		{ 6, 0, NO_TIME }, { 5, 3, 20 }, { 5, 2, 10 }, { 5, 3, 10 },
		{ 5, 0, NO_TIME }, { NO_TIMESTAMP, 0, NO_TIME },
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(by_rank); i++)
		for (j = 0; j < ARRAY_SIZE(by_rank); j++) {
			int got = reconcile_marker(&by_rank[i], &by_rank[j]);

			ck_assert_int_eq((got > 0) - (got < 0),
					 (i < j) - (i > j));
		}
}
END_TEST

static void merge2(struct row *out, struct arena *arena, const struct row *a,
		   const struct row *b, struct deletion covering)
{
	const struct row *both[] = { a, b };

	ck_assert_int_eq(row_merge(out, arena, both, 2, covering), 0);
}

START_TEST(merging_has_one_answer)	/* _i is the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct arena arena = ARENA_INIT;
	struct row r[3], ab, ba, left, right, all, again;
	const struct row *three[] = { &r[2], &r[0], &r[1] };
	struct deletion covering = DELETION_NONE;
	int i;

	for (i = 0; i < 3; i++)
		random_row(&rng, &arena, &r[i], 6);
	if (_i & 1)
		covering = (struct deletion){ 999999 + _i % 4, 5 };
	merge2(&ab, &arena, &r[0], &r[1], covering);
	merge2(&ba, &arena, &r[1], &r[0], covering);
	ck_assert(rows_equal(&ab, &ba));
	merge2(&left, &arena, &ab, &r[2], covering);
	merge2(&ba, &arena, &r[1], &r[2], DELETION_NONE);
	merge2(&right, &arena, &r[0], &ba, covering);
	ck_assert(rows_equal(&left, &right));
	ck_assert_int_eq(row_merge(&all, &arena, three, 3, covering), 0);
	ck_assert(rows_equal(&left, &all));
	merge2(&again, &arena, &all, &all, DELETION_NONE);
	ck_assert(rows_equal(&all, &again));
	merge2(&again, &arena, &all, &r[1], covering);
	ck_assert(rows_equal(&all, &again));
	arena_release(&arena);
}
END_TEST

START_TEST(deletions_shadow_up_to_their_own_time)
{
	struct arena arena = ARENA_INIT;
	struct cell old[3] = { cell_of(5, "a"), cell_of(6, "b"),
			       cell_of(7, "c") };
	struct cell gone = { .flags = CELL_COLUMN_DELETION, .timestamp = 6,
			     .local_time = 1 };
	struct row rows[2] = { { { 5, 0, NO_TIME }, DELETION_NONE, 3, old },
			       { MARKER_NONE, { 5, 1 }, 1, &gone } };
	struct row out;
	int i;

	for (i = 0; i < 3; i++) {
		old[i].column = 1;
		old[i].path = bytes_of(&"xyz"[i], 1);
	}
	gone.column = 1;
	merge2(&out, &arena, &rows[0], &rows[1], DELETION_NONE);
	ck_assert_int_eq(out.marker.timestamp, NO_TIMESTAMP);
	ck_assert_int_eq(out.deletion.timestamp, 5);
	ck_assert_uint_eq(out.cell_count, 2);
	ck_assert_uint_eq(out.cells[0].flags, CELL_COLUMN_DELETION);
	ck_assert_int_eq(out.cells[1].timestamp, 7);
	merge2(&out, &arena, &rows[0], &rows[1], (struct deletion){ 7, 1 });
	ck_assert_uint_eq(out.cell_count, 0);
	ck_assert(deletion_is_none(out.deletion));
	arena_release(&arena);
}
END_TEST

START_TEST(entries_that_a_purge_keeps)
{
	struct cell cells[4] = { cell_of(5, "live"), cell_of(5, "over"),
				 cell_of(5, ""), cell_of(50, "") };
	struct row row = { { 5, 10, 90 }, { 4, 80 }, 4, cells };
	bool keep;
	int i;

	for (i = 0; i < 4; i++)
		cells[i].column = (uint32_t)i;
	cells[1].ttl = 10;
	cells[1].local_time = 99;
	cells[2].flags = cells[3].flags = CELL_TOMBSTONE;
	cells[2].local_time = cells[3].local_time = 80;
	row_purge(&row, 100, 85, 50, &keep);	/* cell 3 may hide elsewhere */
	ck_assert(keep);
	ck_assert_int_eq(row.marker.timestamp, 5);	/* expired at 90 */
	ck_assert(deletion_is_none(row.deletion));
	ck_assert_uint_eq(row.cell_count, 3);
	ck_assert_uint_eq(row.cells[1].flags, CELL_TOMBSTONE);
	ck_assert_int_eq(row.cells[1].local_time, 89);
	ck_assert(bytes_is_null(row.cells[1].value));
	ck_assert_uint_eq(row.cells[2].column, 3);
	row.cells[0] = row.cells[1];
	row.cells[1] = cell_of(5, "as written");
	row.cells[1].column = CELL_CLUSTERING;
	row_purge(&row, 100, 100, INT64_MAX, &keep);
	ck_assert(!keep);	/* it does not stay for the sake of its name */
	row.cells[0] = cell_of(5, "as written");
	row.cells[0].column = CELL_CLUSTERING;
	row.cell_count = 1;
	row_purge(&row, 100, 100, 6, &keep);
	ck_assert(!keep);
	row.cell_count = 1;
	row_purge(&row, 100, 100, 5, &keep);
	ck_assert(keep);	/* but where an older one was written otherwise */
}
END_TEST

START_TEST(the_statistics)
{
	struct cell cells[2] = { cell_of(7, "a"), cell_of(9, "") };
	struct row row = { { 5, 10, 90 }, { 4, 80 }, 2, cells };
	struct row_stats s = ROW_STATS_NONE;

	cells[1].flags = CELL_TOMBSTONE;
	cells[1].local_time = 70;
	row_add_stats(&s, &row);
	ck_assert_int_eq(s.min_timestamp, 4);
	ck_assert_int_eq(s.max_timestamp, 9);
	ck_assert_int_eq(s.min_local_time, 70);
	ck_assert_int_eq(s.max_local_time, 90);
	ck_assert_uint_eq(s.tombstones, 2);
	ck_assert_uint_eq(s.cells, 2);
	ck_assert(s.has_permanent);
}
END_TEST

SUITE(row)
{
	TCase *tc = tcase_create("codec");

	tcase_add_test(tc, the_bytes_of_a_row);
	tcase_add_loop_test(tc, a_row_survives, 0, 300);
	tcase_add_loop_test(tc, damage_is_refused_or_harmless, 0, 100);
	tcase_add_test(tc, cells_out_of_order_are_refused);
	suite_add_tcase(suite, tc);
	tc = tcase_create("reconcile");
	tcase_add_test(tc, cells_win_by_rank);
	tcase_add_test(tc, counters_are_totals);
	tcase_add_test(tc, markers_win_by_rank);
	tcase_add_loop_test(tc, merging_has_one_answer, 0, 1000);
	tcase_add_test(tc, deletions_shadow_up_to_their_own_time);
	tcase_add_test(tc, entries_that_a_purge_keeps);
	tcase_add_test(tc, the_statistics);
	suite_add_tcase(suite, tc);
}
