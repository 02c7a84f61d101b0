/* Batches: what is put in comes out; every cut and odd byte is refused. */
#include <errno.h>

#include "store/base/alloc.h"
#include "store/row/mutation.h"
#include "store/row/row_codec.h"
#include "tests/unit/suite.h"

static void fill(struct batch *b)
{
	struct row row = ROW_NONE;

	row.marker.timestamp = 77;
	batch_add_row(b, 300, bytes_str("key"), &row);
	batch_add_range(b, 5, bytes_str("from"), bytes_str("to"),
			(struct deletion){ -9, 12 });
}

START_TEST(a_batch_survives)
{
	struct batch b = BATCH_INIT;
	struct arena arena = ARENA_INIT;
	struct batch_op op;
	struct reader r;
	struct row row;

	fill(&b);
	ck_assert_uint_eq(b.op_count, 2);
	r = reader_of(buf_bytes(&b.bytes));
	ck_assert_int_eq(batch_next(&r, &op), 1);
	ck_assert_uint_eq(op.table, 300);
	ck_assert(bytes_equal(op.key, bytes_str("key")));
	ck_assert_int_eq(row_decode(&row, &arena, op.row), 0);
	ck_assert_int_eq(row.marker.timestamp, 77);
	ck_assert_int_eq(batch_next(&r, &op), 1);
	ck_assert_uint_eq(op.table, 5);
	ck_assert(bytes_is_null(op.row));
	ck_assert(bytes_equal(op.key, bytes_str("from")));
	ck_assert(bytes_equal(op.to, bytes_str("to")));
	ck_assert_int_eq(op.deletion.timestamp, -9);
	ck_assert_int_eq(op.deletion.local_time, 12);
	ck_assert_int_eq(batch_next(&r, &op), 0);
	batch_release(&b);
	arena_release(&arena);
}
END_TEST

START_TEST(a_cut_batch_is_refused)
{
	struct batch b = BATCH_INIT;
	size_t len, whole = 0;

	fill(&b);
	for (len = 1; len < b.bytes.len; len++) {
		struct reader r = reader_of(bytes_of(b.bytes.ptr, len));
		struct batch_op op;
		int got;

		while ((got = batch_next(&r, &op)) > 0)
			;
		whole += !got;
		ck_assert(got == 0 || got == -EUCLEAN);
	}
	ck_assert_uint_eq(whole, 1);	/* cut between the two */
	b.bytes.ptr[0] = 3;
	{
		struct reader r = reader_of(buf_bytes(&b.bytes));
		struct batch_op op;

		ck_assert_int_eq(batch_next(&r, &op), -EUCLEAN);
	}
	batch_release(&b);
}
END_TEST

START_TEST(lack_of_memory_is_remembered)
{
	struct batch b = BATCH_INIT;

	mem_fail_at(1, 0);
	fill(&b);
	ck_assert(b.bytes.failed);
	batch_clear(&b);
	ck_assert(!b.bytes.failed && !b.op_count);
	batch_release(&b);
}
END_TEST

SUITE(mutation)
{
	TCase *tc = tcase_create("batch");

	tcase_add_test(tc, a_batch_survives);
	tcase_add_test(tc, a_cut_batch_is_refused);
	tcase_add_test(tc, lack_of_memory_is_remembered);
	suite_add_tcase(suite, tc);
}
