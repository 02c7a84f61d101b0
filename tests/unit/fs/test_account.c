/* Resources that users hold: bounds for each and for all, given back exactly once. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "fs/op/op.h"
#include "store/base/alloc.h"
#include "tests/lib/random.h"
#include "tests/lib/shop.h"
#include "tests/unit/suite.h"

#define MOUNTER 500
#define R RESOURCE_FILES

static void accounts_of(struct accounts *a, uint64_t bound)
{
	accounts_init(a, MOUNTER, 1 << 20, 1 << 20, 1 << 20);
	a->bounds[R] = bound;
}

static void accounts_are_empty(struct accounts *a)
{
	int r;

	for (r = 0; r < RESOURCE_COUNT; r++)
		ck_assert_msg(!a->used[r], "%s: %llu left",
			      resource_name((enum resource)r),
			      (unsigned long long)a->used[r]);
	ck_assert_uint_eq(a->count, 0);
}

START_TEST(one_user_has_half_and_all_three_quarters)
{
	struct charge one = { .of = NULL }, two = one, root = one, owner = one;
	struct accounts a;
	struct buf why = BUF_INIT;

	accounts_of(&a, 100);
	fails(EMFILE, charge_set(&a, &one, R, 1000, 51));
	ck_assert_uint_eq(a.count, 0);
	ok(charge_set(&a, &one, R, 1000, 50));
	fails(EMFILE, charge_set(&a, &one, R, 1000, 51));
	ok(charge_set(&a, &two, R, 2000, 25));
	fails(EMFILE, charge_set(&a, &two, R, 2000, 26));
	ck_assert(resource_print_error(&a, R, -EMFILE, &why));
	ck_assert_str_eq(buf_cstr(&why), "too many open files: one user "
			 "may have 50, all 75, with root and who mounted 100");
	ok(charge_set(&a, &root, R, 0, 20));
	ok(charge_set(&a, &owner, R, MOUNTER, 5));
	fails(EMFILE, charge_set(&a, &owner, R, MOUNTER, 6));
	/* Lowering never fails, whoever asks. */
	ok(charge_set(&a, &one, R, 3000, 10));
	ok(charge_set(&a, &owner, R, MOUNTER, 45));
	ck_assert_uint_eq(accounts_used(&a, R), 100);
	fails(EMFILE, charge_set(&a, &two, R, 2000, UINT64_MAX));
	charge_end(&a, &one);
	charge_end(&a, &one);
	charge_end(&a, &two);
	charge_end(&a, &root);
	charge_end(&a, &owner);
	accounts_are_empty(&a);
	accounts_release(&a);
	buf_release(&why);
}
END_TEST

START_TEST(the_user_who_raises_a_charge_pays_for_it)
{
	struct charge c = { .of = NULL }, d = c;
	struct accounts a;

	accounts_of(&a, 100);
	ok(charge_set(&a, &c, R, 1000, 30));
	ok(charge_set(&a, &d, R, 2000, 25));
	fails(EMFILE, charge_set(&a, &c, R, 2000, 31));
	ok(charge_set(&a, &c, R, 1000, 30));
	ok(charge_set(&a, &d, R, 2000, 5));
	ok(charge_set(&a, &c, R, 2000, 31));
	ck_assert_uint_eq(a.used[R], 36);
	ok(charge_set(&a, &d, R, 1000, 44));
	charge_end(&a, &c);
	charge_end(&a, &d);
	accounts_are_empty(&a);
	accounts_release(&a);
}
END_TEST

START_TEST(shares_count_once_towards_the_total)
{
	struct shares s = { .what = R, .amount = 50 }, large = s, none = s;
	struct accounts a;

	accounts_of(&a, 100);
	large.amount = 51;
	none.amount = 0;
	fails(EMFILE, share_add(&a, &large, 1000));
	ok(share_add(&a, &none, 1000));
	share_end(&a, &none, 1000);
	ok(share_add(&a, &s, 1000));
	ok(share_add(&a, &s, 1000));
	ok(share_add(&a, &s, 2000));
	ok(share_add(&a, &s, 3000));
	ck_assert_uint_eq(a.used[R], 50);
	ck_assert_uint_eq(a.count, 3);
	share_end(&a, &s, 1000);
	share_end(&a, &s, 2000);
	ck_assert_uint_eq(a.count, 2);
	share_end(&a, &s, 1000);
	ck_assert_uint_eq(a.used[R], 50);
	share_end(&a, &s, 3000);
	accounts_are_empty(&a);
	accounts_release(&a);
}
END_TEST

START_TEST(shares_may_grow)
{
	struct shares s = { .what = R, .amount = 1 };
	struct charge c = { .of = NULL };
	struct accounts a;

	accounts_of(&a, 100);
	ok(share_add(&a, &s, 1000));
	ok(share_add(&a, &s, 2000));
	ok(charge_set(&a, &c, R, 1000, 5));
	ok(shares_raise(&a, &s, 40));
	fails(EMFILE, shares_raise(&a, &s, 46));	/* one has too much */
	ck_assert_uint_eq(a.used[R], s.amount + 5);
	share_end(&a, &s, 1000);
	share_end(&a, &s, 2000);
	charge_end(&a, &c);
	accounts_are_empty(&a);
	accounts_release(&a);
}
END_TEST

START_TEST(without_memory_nothing_is_charged)
{
	struct shares s = { .what = R, .amount = 10 };
	struct charge c = { .of = NULL };
	struct accounts a;
	long nth;

	accounts_of(&a, 100);
	for (nth = 1; nth < 10; nth++) {
		int err;

		mem_fail_at(nth, 0);
		err = charge_set(&a, &c, R, 1000, 5);
		if (!err)
			err = share_add(&a, &s, 2000);
		mem_fail_at(0, 0);
		if (!err)
			break;
		ck_assert_int_eq(err, -ENOMEM);
		charge_end(&a, &c);
		accounts_are_empty(&a);
	}
	ck_assert_int_gt(nth, 3);
	ck_assert_int_lt(nth, 10);
	charge_end(&a, &c);
	share_end(&a, &s, 2000);
	accounts_are_empty(&a);
	accounts_release(&a);
}
END_TEST

/* Charges of random users, one after the other, against sums made again. */
#define USERS 7
#define CHARGES 40
static uid_t user_of(uint32_t i)
{
	return i == 0 ? 0 : i == 1 ? MOUNTER : 1000 + 64 * i;	/* one hash */
}

START_TEST(random_charges_add_up)
{
	struct random rng = random_seeded((uint64_t)_i + test_seed());
	struct charge c[CHARGES] = { { .of = NULL } };
	uint32_t owner[CHARGES] = { 0 };
	int step, refused = 0, taken = 0;
	struct accounts a;

	accounts_of(&a, 1000);
	for (step = 0; step < 2000; step++) {
		uint32_t i = random_below(&rng, CHARGES), j;
		uint32_t who = random_below(&rng, USERS);
		uint64_t amount = random_below(&rng, 80), his = 0, all = 0;
		bool fits = true;

		for (j = 0; j < CHARGES; j++) {
			all += j == i ? amount : c[j].amount;
			if (j == i || (c[j].amount && owner[j] == who))
				his += j == i ? amount : c[j].amount;
		}
		if (amount > c[i].amount)
			fits = who < 2 ? all <= 1000 : his <= 500 && all <= 750;
		ck_assert_int_eq(charge_set(&a, &c[i], R, user_of(who), amount),
				 fits ? 0 : -EMFILE);
		refused += !fits;
		if (!fits)
			continue;
		if (amount > c[i].amount || all == 0)
			owner[i] = who;
		taken++;
		ck_assert_uint_eq(a.used[R], all);
		/* The new owner is known by the account that is charged. */
		owner[i] = c[i].of ? owner[i] : 0;
	}
	ck_assert_int_gt(taken, 500);
	ck_assert_int_gt(refused, 20);
	for (step = 0; step < CHARGES; step++)
		charge_end(&a, &c[step]);
	accounts_are_empty(&a);
	accounts_release(&a);
}
END_TEST

/* ------------------------------------------------------------ by the tree */
#define HELD_MAX 64
static struct open_file held[HELD_MAX];
static int held_flags[HELD_MAX], held_count;

static struct accounts *accounts(void)
{
	return &shop.fs->accounts;
}

static void as(uid_t uid)
{
	shop.call.uid = uid;
	shop.call.gid = uid;
}

static void bound(enum resource r, uint64_t most)
{
	accounts()->bounds[r] = most;
}

static int hold(const char *path, int flags)
{
	int err;

	ck_assert_int_lt(held_count, HELD_MAX);
	err = tree_open_file(&shop, path, flags, &held[held_count]);
	held_flags[held_count] = flags;
	held_count += !err;
	return err;
}

/* A RELEASE is the opener's: the call is as it was again. */
static void release_held(int i)
{
	struct fs_call call = shop.call;

	tree_release(&shop, &held[i]);
	shop.call = call;
	held[i] = held[--held_count];
	held_flags[i] = held_flags[held_count];
}

static void let_all_go(void)
{
	while (held_count)
		release_held(held_count - 1);
	as(0);
	accounts_are_empty(accounts());
}

static int64_t write_held(int i, const char *text, uint64_t offset)
{
	if ((held_flags[i] & O_ACCMODE) == O_RDONLY)
		return -EBADF;	/* as the kernel says */
	return fs_write(shop.fs, &shop.call, held[i].node, held[i].handle,
			offset, bytes_str(text));
}

static int read_held(int i, uint64_t offset, size_t size)
{
	struct buf got = BUF_INIT;
	int err = fs_read(shop.fs, &shop.call, held[i].node, held[i].handle,
			  offset, size, &got);

	buf_release(&got);
	return err;
}

static void make_value(const char *path, size_t len)
{
	struct buf text = BUF_INIT;

	ck_assert(buf_reserve(&text, len + 1));
	memset(text.ptr, 'v', len);
	text.len = len;
	ok(tree_echo(&shop, path, CREATE, buf_cstr(&text)));
	buf_release(&text);
}

START_TEST(open_files)
{
	int i;

	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_echo(&shop, "shop/users/a/country", CREATE, "nz\n"));
	bound(RESOURCE_FILES, 20);
	as(1000);
	for (i = 0; i < 10; i++)
		ok(hold(i % 3 ? "shop/users/a/country" :
			i % 2 ? "shop/users/a.json" : ".cql", O_RDONLY));
	fails(EMFILE, hold("shop/users/a/country", O_RDONLY));
	/* The file was not made. */
	fails(EMFILE, hold("shop/users/a/.country.AbCdEf", CREATE));
	is_gone("shop/users/a/.country.AbCdEf");
	as(2000);
	for (i = 0; i < 5; i++)
		ok(hold("shop/users/a/country", O_RDONLY));
	fails(EMFILE, hold("shop/users/a/country", O_RDONLY));
	as(0);
	ok(tree_echo(&shop, "shop/users/a/country", CREATE, "fr\n"));
	cat_is("shop/users/a/country", "fr\n");
	let_all_go();
}
END_TEST

START_TEST(open_directories)
{
	struct fs_open_reply reply, more;
	struct fs_entry entry;
	int i;

	ok(tree_walk(&shop, "shop", &entry));
	bound(RESOURCE_STREAMS, 2);
	as(1000);
	ok(fs_opendir(shop.fs, &shop.call, entry.node, &reply));
	for (i = 0; i < 3; i++)
		fails(EMFILE, fs_opendir(shop.fs, &shop.call, entry.node,
					 &more));
	as(0);
	ls_is("shop", "schema.cql by_city/ history/ likes/ users/ ");
	ok(fs_releasedir(shop.fs, &shop.call, entry.node, reply.handle));
	fs_forget(shop.fs, entry.node, 1);
	let_all_go();
}
END_TEST

START_TEST(directories_in_memory)
{
	char path[40];
	int i;

	ok(tree_mkdir(&shop, "shop/plain"));
	bound(RESOURCE_NAMES, 20);
	as(1000);
	for (i = 0; i < 10; i++) {
		snprintf(path, sizeof(path), "shop/plain/d%d", i);
		ok(tree_mkdir(&shop, path));
	}
	fails(ENOSPC, tree_mkdir(&shop, "shop/plain/more"));
	is_gone("shop/plain/more");
	ok(tree_rmdir(&shop, "shop/plain/d9"));
	ok(tree_mkdir(&shop, "shop/plain/more"));
	/* A user without room loses no row, and can make rows. */
	as(2000);
	for (i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "shop/plain/e%d", i);
		ok(tree_mkdir(&shop, path));
	}
	fails(ENOSPC, tree_mkdir(&shop, "shop/plain/more2"));
	ok(tree_echo(&shop, "shop/plain/e0/f", CREATE, "x\n"));
	cat_is("shop/plain/e0/f", "x\n");
	ok(tree_unlink(&shop, "shop/plain/e0/f"));
	as(0);
	ok(tree_mkdir(&shop, "shop/plain/roots"));
	/* After a rename the user who kept it still pays. */
	for (i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "shop/plain/e%d", i);
		ok(tree_rmdir(&shop, path));
	}
	for (i = 0; i < 9; i++) {
		snprintf(path, sizeof(path), "shop/plain/d%d", i);
		ok(tree_rmdir(&shop, path));
	}
	ck_assert_uint_eq(accounts()->used[RESOURCE_NAMES], 2);
	ok(tree_rmdir(&shop, "shop/plain/more"));
	ok(tree_rmdir(&shop, "shop/plain/roots"));
	let_all_go();
}
END_TEST

/* If the user may keep no directory, it is gone with its last row. */
START_TEST(directories_left_by_their_rows)
{
	as(0);
	ok(tree_mkdir(&shop, "shop/plain"));
	bound(RESOURCE_NAMES, 2);
	as(1000);
	ok(tree_mkdir(&shop, "shop/plain/a"));
	ok(tree_echo(&shop, "shop/plain/a/f", CREATE, "x\n"));
	as(0);
	tree_cql(&shop, ".cql", "INSERT INTO shop.plain (key, column1, value) "
		 "VALUES ('b', 'f', 0x78);", &(int){ 0 });
	as(1000);
	cat_is("shop/plain/b/f", "x");
	ok(tree_unlink(&shop, "shop/plain/b/f"));
	is_gone("shop/plain/b");
	ok(tree_unlink(&shop, "shop/plain/a/f"));
	ls_is("shop/plain/a", "");
	ok(tree_rmdir(&shop, "shop/plain/a"));
	let_all_go();
}
END_TEST

START_TEST(pending_values)
{
	ok(tree_mkdir(&shop, "shop/plain"));
	ok(tree_mkdir(&shop, "shop/plain/a"));
	bound(RESOURCE_PENDING, 200);
	as(1000);
	ok(hold("shop/plain/a/f", CREATE));
	ok(hold("shop/plain/a/g", CREATE));
	ck_assert_int_eq(write_held(0, "0123456789", 50), 10);
	fails(ENOSPC, (int)write_held(1, "0123456789", 40));
	as(2000);
	ok(hold("shop/plain/a/h", CREATE));
	ck_assert_int_eq(write_held(2, "0123456789", 80), 10);
	/* Another user, without room for all of it, makes it grow. */
	ok(hold("shop/plain/a/f", O_WRONLY));
	fails(ENOSPC, (int)write_held(3, "0123456789", 60));
	as(0);
	ok(tree_echo(&shop, "shop/plain/a/mine", CREATE, "still room\n"));
	ok(fs_fsync(shop.fs, &shop.call, held[0].node, held[0].handle));
	ck_assert_uint_eq(accounts()->used[RESOURCE_PENDING], 90);
	as(0);
	while (held_count)
		release_held(held_count - 1);
	ok(tree_unlink(&shop, "shop/plain/a/f"));
	ok(tree_unlink(&shop, "shop/plain/a/h"));
	ok(tree_unlink(&shop, "shop/plain/a/mine"));
	ok(tree_rmdir(&shop, "shop/plain/a"));
	let_all_go();
}
END_TEST

/* A removed file's text is held for those who have it open, and paid for. */
START_TEST(values_that_were_removed)
{
	ok(tree_mkdir(&shop, "shop/users/a"));
	make_value("shop/users/a/country", 150);
	bound(RESOURCE_PENDING, 400);
	as(1000);
	ok(hold("shop/users/a/country", O_RDWR));
	ok(tree_unlink(&shop, "shop/users/a/country"));
	ok(read_held(0, 0, 1000));
	ck_assert_uint_ge(accounts()->used[RESOURCE_PENDING], 150);
	as(0);
	release_held(held_count - 1);
	ck_assert_uint_eq(accounts()->used[RESOURCE_PENDING], 0);
	bound(RESOURCE_PENDING, 1000);
	make_value("shop/users/a/country", 250);
	bound(RESOURCE_PENDING, 400);
	as(1000);
	ok(hold("shop/users/a/country", O_RDWR));
	ok(tree_unlink(&shop, "shop/users/a/country"));
	ck_assert_uint_eq(accounts()->used[RESOURCE_PENDING], 0);
	fails(ESTALE, read_held(0, 0, 1000));
	release_held(held_count - 1);
	as(0);
	ok(tree_rmdir(&shop, "shop/users/a"));
	let_all_go();
}
END_TEST

START_TEST(values_held_for_readers)
{
	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_mkdir(&shop, "shop/users/b"));
	make_value("shop/users/a/country", 600);
	make_value("shop/users/b/country", 600);
	bound(RESOURCE_READ, 2000);
	as(1000);
	ok(hold("shop/users/a/country", O_RDONLY));
	ok(hold("shop/users/a/country", O_RDONLY));
	ck_assert_uint_eq(accounts()->used[RESOURCE_READ], 601);
	fails(EMFILE, hold("shop/users/b/country", O_RDONLY));
	as(2000);
	ok(hold("shop/users/a/country", O_RDONLY));
	ck_assert_uint_eq(accounts()->used[RESOURCE_READ], 601);
	/* The shared text is freed with its last reader. */
	release_held(held_count - 1);
	as(1000);
	release_held(held_count - 1);
	ck_assert_uint_eq(accounts()->used[RESOURCE_READ], 601);
	release_held(held_count - 1);
	ok(hold("shop/users/b/country", O_RDONLY));
	/* Documents are held from the first read on. */
	ok(hold("shop/users/a.json", O_RDONLY));
	fails(EMFILE, read_held(1, 0, 10));
	as(0);
	ok(hold("shop/users/a.json", O_RDONLY));
	ok(read_held(2, 0, 10));
	let_all_go();
	/* So are texts that are printed. */
	bound(RESOURCE_READ, 200);
	as(1000);
	ok(hold(".widefs/help", O_RDONLY));
	fails(EMFILE, read_held(0, 0, 10));
	let_all_go();
}
END_TEST

START_TEST(large_documents_are_shared)
{
	int i;

	ok(tree_mkdir(&shop, "shop/users/a"));
	make_value("shop/users/a/country", 100000);
	bound(RESOURCE_READ, 250000);
	as(1000);
	for (i = 0; i < 5; i++) {
		ok(hold("shop/users/a.json", O_RDONLY));
		ok(read_held(i, 0, 10));
	}
	ck_assert_uint_lt(accounts()->used[RESOURCE_READ], 101000);
	as(2000);
	ok(hold("shop/users/a.json", O_RDONLY));
	ok(read_held(5, 0, 10));
	ck_assert_uint_lt(accounts()->used[RESOURCE_READ], 101000);
	let_all_go();
}
END_TEST

START_TEST(temporary_files)
{
	uint64_t record;

	ok(tree_mkdir(&shop, "shop/plain"));
	ok(tree_mkdir(&shop, "shop/users/a"));
	as(1000);
	ok(tree_echo(&shop, "shop/users/a/.country.AbCdEf", CREATE, ""));
	record = accounts()->used[RESOURCE_SCRATCH];
	ck_assert_uint_gt(record, 100);
	bound(RESOURCE_SCRATCH, 2 * record + 20);
	fails(ENOSPC, tree_echo(&shop, "shop/users/a/.country.AbCdEg", CREATE,
				""));
	is_gone("shop/users/a/.country.AbCdEg");
	fails(ENOSPC, tree_echo(&shop, "shop/users/a/.country.AbCdEf",
				O_WRONLY | O_TRUNC, "too much for him\n"));
	ok(tree_echo(&shop, "shop/users/a/.country.AbCdEf", O_WRONLY | O_TRUNC,
		     "little\n"));
	as(0);
	ok(tree_echo(&shop, "shop/users/a/.country.roots1", CREATE, ""));
	ok(tree_unlink(&shop, "shop/users/a/.country.roots1"));
	as(1000);
	ok(tree_rename(&shop, "shop/users/a/.country.AbCdEf",
		       "shop/users/a/country", 0));
	cat_is("shop/users/a/country", "little\n");
	as(0);
	ok(tree_rmdir(&shop, "shop/plain"));
	let_all_go();
}
END_TEST

START_TEST(statements_that_do_not_end)
{
	char text[101];

	memset(text, 'x', 100);
	memcpy(text, "SELECT '", 8);
	text[100] = 0;
	bound(RESOURCE_STATEMENTS, 500);
	as(1000);
	ok(hold(".cql", O_RDWR));
	ok(hold(".cql", O_RDWR));
	ok(hold("shop/schema.cql", O_WRONLY));
	ck_assert_int_eq(write_held(0, text, 0), 100);
	ck_assert_int_eq(write_held(1, text, 0), 100);
	fails(ENOSPC, (int)write_held(0, text, 100));
	memcpy(text, "CREATE '", 8);
	fails(ENOSPC, (int)write_held(2, text, 0));
	ck_assert_int_eq(write_held(2, "CREATE TABLE shop.x '", 0), 21);
	ck_assert_uint_eq(accounts()->used[RESOURCE_STATEMENTS], 221);
	as(0);
	ck_assert_ptr_nonnull(strstr(tree_cql(&shop, ".cql.ndjson",
		"SELECT count(*) FROM shop.users;", &(int){ 0 }), "count"));
	let_all_go();
}
END_TEST

START_TEST(results_that_are_not_read)
{
	static const char insert[] =
		"INSERT INTO shop.users (user_name, country) VALUES ('u%d', 'x%0999d');";
	char text[1200];
	int i, err, refused = 0;

	for (i = 0; i < 20; i++) {
		snprintf(text, sizeof(text), insert, i, i);
		tree_cql(&shop, ".cql", text, &err);
		ck_assert_msg(!err, "%s", buf_cstr(&shop.text));
	}
	bound(RESOURCE_RESULTS, 40960);
	as(1000);
	ok(hold(".cql.ndjson", O_RDWR));
	ok(hold(".cql.ndjson", O_RDWR));
	for (i = 0; i < 10 && !refused; i++) {
		err = (int)write_held(0, "SELECT * FROM shop.users;", 0);
		refused = err == -ENOSPC;
		if (!refused)
			ck_assert_int_eq(err, 25);
	}
	ck_assert_int_eq(refused, 1);
	ck_assert_uint_le(accounts()->used[RESOURCE_RESULTS], 20480);
	/* After the rows that can be read comes the reason. */
	do {
		buf_clear(&shop.text);
		ok(fs_read(shop.fs, &shop.call, held[0].node, held[0].handle, 0,
			   4096, &shop.text));
	} while (shop.text.len == 4096);
	ck_assert_ptr_nonnull(strstr(buf_cstr(&shop.text), "too many bytes of "
				     "results that were not read"));
	ck_assert_int_eq(write_held(0, "SELECT * FROM shop.users;", 0), 25);
	/* A result that is under way is one of the streams. */
	bound(RESOURCE_STREAMS, 2);
	fails(EMFILE, (int)write_held(1, "INSERT INTO shop.users (user_name) "
				      "VALUES ('no');", 0));
	let_all_go();
	ls_is("shop/likes", "");
	is_gone("shop/users/no");
}
END_TEST

/* Each open of a file of statements has its own node: no write waits for
 * another. */
START_TEST(consoles_have_nodes_of_their_own)
{
	int i, j;

	for (i = 0; i < 6; i++) {
		ok(hold(i % 2 ? ".widefs/ctl" : "shop/.cql.json", O_RDWR));
		for (j = 0; j < i; j++)
			ck_assert_uint_ne(held[i].node, held[j].node);
	}
	let_all_go();
}
END_TEST

/* --------------------------------------------------- everything, at random */
static void random_step(struct random *rng)
{
	static const char *const paths[] = {
		"shop/users/a/country", "shop/users/b/country",
		"shop/users/a.json", ".cql", "shop/.cql.json",
		"shop/schema.cql", "shop/plain/a/f", "shop/plain/b/g",
		"shop/users/a/.country.AbCdEf", ".widefs/stats", ".widefs/ctl",
		"shop/plain/a/.f.AbCdEf",
	};
	static const int flags[] = { O_RDONLY, O_RDWR, O_WRONLY, CREATE,
				     O_WRONLY | O_APPEND };
	static const char *const dirs[] = { "shop/plain/a", "shop/plain/b",
					    "shop/plain/c", "shop/users/a" };
	const char *path = paths[random_below(rng, ARRAY_SIZE(paths))];
	const char *dir = dirs[random_below(rng, ARRAY_SIZE(dirs))];
	int i = held_count ? (int)random_below(rng, (uint32_t)held_count) : -1;
	char text[3000];

	memset(text, 'x', sizeof(text) - 1);
	text[random_below(rng, sizeof(text))] = 0;
	text[sizeof(text) - 1] = 0;
	as(random_below(rng, 3) * 1000);
	switch (random_below(rng, 12)) {
	case 0:
		tree_mkdir(&shop, dir);
		break;
	case 1:
		tree_rmdir(&shop, dir);
		break;
	case 2:
		tree_unlink(&shop, path);
		break;
	case 3:
		tree_rename(&shop, path,
			    paths[random_below(rng, ARRAY_SIZE(paths))], 0);
		break;
	case 4:
		tree_rename(&shop, dir,
			    dirs[random_below(rng, ARRAY_SIZE(dirs))], 0);
		break;
	case 5:
		if (held_count < HELD_MAX)
			hold(path, flags[random_below(rng, ARRAY_SIZE(flags))]);
		break;
	case 6:
		if (held_count < HELD_MAX)
			hold(path, O_RDONLY);
		break;
	case 7:
		if (i >= 0)
			write_held(i, text, random_below(rng, 3000));
		break;
	case 8:
		if (i >= 0)
			write_held(i, "SELECT * FROM shop.users; SELECT", 0);
		break;
	case 9:
		if (i >= 0)
			read_held(i, random_below(rng, 2) * 10, 1000);
		break;
	case 10:
		tree_ls(&shop, dir);
		break;
	case 11:
		if (i < 0)
			break;
		release_held(i);
		break;
	}
}

/* Random steps with bounds that are often reached; afterwards nothing is
 * held. */
START_TEST(everything_is_given_back)
{
	static const char *const rest[] = { "a", "b", "c" };
	struct random rng = random_seeded((uint64_t)_i * 31 + test_seed());
	static int steps_refused;
	char path[40];
	int step, r;
	size_t i;

	ok(tree_mkdir(&shop, "shop/plain"));
	bound(RESOURCE_FILES, 30);
	bound(RESOURCE_STREAMS, 8);
	bound(RESOURCE_NAMES, 4);
	bound(RESOURCE_SCRATCH, 4000);
	bound(RESOURCE_PENDING, 8000);
	bound(RESOURCE_READ, 6000);
	bound(RESOURCE_STATEMENTS, 4000);
	bound(RESOURCE_RESULTS, 12288);
	for (step = 0; step < 300; step++) {
		random_step(&rng);
		for (r = 0; r < RESOURCE_COUNT; r++) {
			ck_assert_uint_le(accounts()->used[r],
					  accounts()->bounds[r]);
			steps_refused += accounts()->used[r] * 2 >=
					 accounts()->bounds[r];
		}
	}
	ck_assert_int_gt(steps_refused, 0);
	as(0);
	while (held_count)
		release_held(held_count - 1);
	fs_timer(shop.fs, INT64_MAX / 4);
	tree_unlink(&shop, "shop/users/a/.country.AbCdEf");
	/* A schema.cql that was removed is held until the next DDL. */
	tree_cql(&shop, ".cql", "DROP TABLE shop.likes;", &r);
	ck_assert_msg(!r, "%d: %s", r, buf_cstr(&shop.text));
	for (i = 0; i < ARRAY_SIZE(rest); i++) {
		snprintf(path, sizeof(path), "shop/plain/%s/f", rest[i]);
		tree_unlink(&shop, path);
		snprintf(path, sizeof(path), "shop/plain/%s/g", rest[i]);
		tree_unlink(&shop, path);
		snprintf(path, sizeof(path), "shop/plain/%s/.f.AbCdEf", rest[i]);
		tree_unlink(&shop, path);
		snprintf(path, sizeof(path), "shop/plain/%s", rest[i]);
		tree_rmdir(&shop, path);
	}
	let_all_go();
}
END_TEST

SUITE(account)
{
	TCase *tc = tcase_create("mechanism");

	tcase_add_test(tc, one_user_has_half_and_all_three_quarters);
	tcase_add_test(tc, the_user_who_raises_a_charge_pays_for_it);
	tcase_add_test(tc, shares_count_once_towards_the_total);
	tcase_add_test(tc, shares_may_grow);
	tcase_add_test(tc, without_memory_nothing_is_charged);
	tcase_add_loop_test(tc, random_charges_add_up, 0, test_scale(20));
	suite_add_tcase(suite, tc);
	tc = tcase_create("tree");
	shop_fixture(tc);
	tcase_add_test(tc, open_files);
	tcase_add_test(tc, open_directories);
	tcase_add_test(tc, directories_in_memory);
	tcase_add_test(tc, directories_left_by_their_rows);
	tcase_add_test(tc, pending_values);
	tcase_add_test(tc, values_that_were_removed);
	tcase_add_test(tc, values_held_for_readers);
	tcase_add_test(tc, large_documents_are_shared);
	tcase_add_test(tc, temporary_files);
	tcase_add_test(tc, statements_that_do_not_end);
	tcase_add_test(tc, results_that_are_not_read);
	tcase_add_test(tc, consoles_have_nodes_of_their_own);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_loop_test(tc, everything_is_given_back, 0,
			    test_scale(40) * test_rounds());
	suite_add_tcase(suite, tc);
}
