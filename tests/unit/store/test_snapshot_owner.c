/* Automatic snapshots have owners, and the bound is fair to each of them. */
#include <errno.h>
#include <stdio.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/snapshot.h"
#include "tests/lib/random.h"
#include "tests/lib/snapshots.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

static struct test_store t;

static void setup(void)
{
	clock_set_us((int64_t)1700000000 * 1000000);
}

static void teardown(void)
{
	snapshots_close(&t);
}

static void open_store(void)
{
	test_store_open(&t);
	snapshots_run(t.store, TEST_KEYSPACE);
	snapshots_run(t.store, "CREATE TABLE k.t (p int PRIMARY KEY)");
}

static void empty(uid_t uid, int times)
{
	for (; times; times--) {
		snapshots_run(t.store, "INSERT INTO k.t (p) VALUES (1)");
		snapshots_run_as(t.store, uid, "TRUNCATE k.t");
	}
}

/* Return how many snapshots the owner has, or all automatic ones have. */
static size_t count_of(uid_t owner)
{
	struct manifest_snapshot *list;
	size_t count, i, n = 0;

	ck_assert_int_eq(snapshot_list(t.store, &list, &count), 0);
	for (i = 0; i < count; i++)
		n += list[i].automatic && list[i].owner == owner;
	mem_free(list);
	return n;
}

/* Compare the owner of the newest one whose name begins so, after opening the
 * store again, too. */
static void check_owner(const char *name, uid_t owner)
{
	struct manifest_snapshot *list, found = { .owner = 77 };
	size_t count, i;
	int round;

	for (round = 0; round < 2; round++) {
		ck_assert_int_eq(snapshot_list(t.store, &list, &count), 0);
		for (i = 0; i < count; i++)
			if (!strncmp(list[i].name, name, strlen(name)))
				found = list[i];
		mem_free(list);
		ck_assert_uint_eq(found.owner, owner);
		test_store_reopen(&t);
	}
}

/* The owner is who asked for the change. */
START_TEST(each_has_its_owner)
{
	char change[64];

	open_store();
	ck_assert_int_eq(snapshot_create(t.store, "mine", 4294967294u), 0);
	check_owner("mine", 4294967294u);
	ck_assert_int_eq(snapshot_create(t.store, "roots", 0), 0);
	check_owner("roots", 0);
	empty(1001, 1);
	check_owner("truncated-", 1001);
	snapshots_run(t.store, "INSERT INTO k.t (p) VALUES (1)");
	snapshots_run(t.store, "ALTER TABLE k.t ADD v int");
	snapshots_run_as(t.store, 1002, "ALTER TABLE k.t DROP v");
	check_owner("altered-", 1002);
	ck_assert_int_eq(snapshot_keep_keyspace(t.store, bytes_str("k"),
						"removed", 1003, change,
						sizeof(change)), 0);
	check_owner(change, 1003);
	snapshots_run_as(t.store, 1004, "DROP TABLE k.t");
	check_owner("dropped-", 1004);
	snapshots_restore_as(t.store, 1005, change);
	check_owner("restored-", 1005);
	snapshots_run_as(t.store, 1006, "DROP KEYSPACE k");
	check_owner("dropped-", 1006);
}
END_TEST

/* Who loops pushes out his own: all that others have made is there, as long as
 * it is less. */
START_TEST(a_loop_pushes_out_its_own)
{
	open_store();
	empty(1, 3);
	empty(2, 1);
	empty(3, 2 * SNAPSHOT_AUTOMATIC);
	ck_assert_uint_eq(count_of(1), 3);
	ck_assert_uint_eq(count_of(2), 1);
	ck_assert_uint_eq(count_of(3), SNAPSHOT_AUTOMATIC - 4);
	test_store_reopen(&t);
	empty(0, SNAPSHOT_AUTOMATIC);
	/* Two have as many: 30 each. */
	ck_assert_uint_eq(count_of(1), 3);
	ck_assert_uint_eq(count_of(2), 1);
	ck_assert_uint_eq(count_of(3), (SNAPSHOT_AUTOMATIC - 4) / 2);
	ck_assert_uint_eq(count_of(0), (SNAPSHOT_AUTOMATIC - 4) / 2);
}
END_TEST

/* Snapshots of one time are those of one change, whatever was removed between
 * them; here the clock stands still. */
START_TEST(changes_have_times_of_their_own)
{
	struct manifest_snapshot *list;
	size_t count, i, j;

	open_store();
	empty(1, 1);
	empty(2, 1);
	empty(1, 2);
	ck_assert_int_eq(snapshot_list(t.store, &list, &count), 0);
	ck_assert_uint_eq(count, 4);
	for (i = 0; i < count; i++)
		for (j = 0; j < i; j++)
			ck_assert_int_ne(list[i].created_us, list[j].created_us);
	mem_free(list);
}
END_TEST

/* Those of an older store have no owner: they count as one owner's. */
START_TEST(an_older_store_has_none)
{
	test_store_open_copy(&t, "tests/golden/store/6");
	ck_assert_uint_eq(count_of(MANIFEST_NO_OWNER), 3);
	snapshots_run(t.store, "CREATE TABLE k.t (p int PRIMARY KEY)");
	empty(1, 2 * SNAPSHOT_AUTOMATIC);
	ck_assert_uint_eq(count_of(MANIFEST_NO_OWNER), 3);
	ck_assert_uint_eq(count_of(1), SNAPSHOT_AUTOMATIC - 3);
	test_store_reopen(&t);
	ck_assert_uint_eq(count_of(MANIFEST_NO_OWNER), 3);
	snapshots_restore_as(t.store, 1, "dropped-1700000000000-dropped");
	snapshots_answer(t.store, "SELECT p FROM k.dropped", "[1]\n");
}
END_TEST

/* ---------------------------------------------------------- against a model */
#define OWNERS 6
struct model {
	size_t count;
	struct one {
		uid_t owner;
		char name[64];
	} ones[SNAPSHOT_AUTOMATIC + 1];		/* the oldest first */
};

/* Forget the one that has to go. */
static void forget(struct model *m)
{
	size_t of[OWNERS] = { 0 }, most = 0, i;

	for (i = 0; i < m->count; i++)
		of[m->ones[i].owner]++;
	for (i = 0; i < OWNERS; i++)
		most = of[i] > most ? of[i] : most;
	for (i = 0; of[m->ones[i].owner] < most; i++)
		;
	memmove(&m->ones[i], &m->ones[i + 1],
		(m->count - i - 1) * sizeof(*m->ones));
	m->count--;
}

static void compare(const struct model *m)
{
	struct manifest_snapshot *list;
	size_t count, i;

	ck_assert_int_eq(snapshot_list(t.store, &list, &count), 0);
	ck_assert_uint_eq(count, m->count);
	for (i = 0; i < count; i++) {
		ck_assert_str_eq(list[i].name, m->ones[i].name);
		ck_assert_uint_eq(list[i].owner, m->ones[i].owner);
	}
	mem_free(list);
}

START_TEST(the_oldest_of_who_has_the_most_goes)	/* _i: the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct model m = { 0 };
	int64_t now_us = (int64_t)1700000000 * 1000000;
	int step;

	open_store();
	for (step = 0; step < 400; step++) {
		uint32_t below = 1 + random_below(&rng, OWNERS);
		struct one *one = &m.ones[m.count++];

		now_us += 1000;
		clock_set_us(now_us);
		one->owner = random_below(&rng, below);
		snprintf(one->name, sizeof(one->name), "truncated-%lld-t",
			 (long long)now_us / 1000);
		empty(one->owner, 1);
		if (m.count > SNAPSHOT_AUTOMATIC)
			forget(&m);
		compare(&m);
		if (!random_below(&rng, 50))
			test_store_reopen(&t);
	}
}
END_TEST

SUITE(snapshot_owner)
{
	TCase *tc = tcase_create("owner");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_test(tc, each_has_its_owner);
	tcase_add_test(tc, a_loop_pushes_out_its_own);
	tcase_add_test(tc, changes_have_times_of_their_own);
	tcase_add_test(tc, an_older_store_has_none);
	tcase_add_loop_test(tc, the_oldest_of_who_has_the_most_goes, 0, 4);
	suite_add_tcase(suite, tc);
}
