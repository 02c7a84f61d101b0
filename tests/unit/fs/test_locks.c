/* Locks of files: ranges and waits are compared with a model of single bytes;
 * and files are opened by several nodes, renamed, replaced and removed. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "fs/file/handle.h"
#include "fs/node/locks.h"
#include "store/base/alloc.h"
#include "tests/lib/random.h"
#include "tests/lib/shop.h"
#include "tests/unit/suite.h"

#define FILES 2
#define OWNERS 4
#define BYTES 20		/* the last one stands for all after it */
#define WAITS 12
#define NO_ANSWER 1000

static const struct node_ops kind_test = { .kind = "test" };

/* --------------------------------------------------------------- the model */
struct model_wait {
	bool active;
	int number, file;		/* in the order they came */
	struct fs_lock wants;
	int answer;			/* of the table: done */
};

struct model {
	struct node_table nodes;
	struct accounts accounts;
	struct locks locks;
	struct lock_file *files[FILES];
	enum fs_lock_type ranges[FILES][OWNERS][BYTES];
	enum fs_lock_type flocks[FILES][OWNERS];
	struct model_wait waits[WAITS];
	int number;
};

static void note_answer(void *waiter, int err)
{
	struct model_wait *w = waiter;

	ck_assert_int_eq(w->answer, NO_ANSWER);
	w->answer = err;
}

static void model_open(struct model *m, int file)
{
	struct node_key key = { .parent = m->nodes.root,
				.name = bytes_str(file ? "b" : "a"),
				.ops = &kind_test };
	struct node *n = node_make(&m->nodes, &key);
	bool known;
	struct lock_file *f = locks_open(&m->locks, n, &known);

	ck_assert_ptr_nonnull(f);
	if (m->files[file])
		ck_assert_ptr_eq(f, m->files[file]);
	m->files[file] = f;
	node_put(&m->nodes, n);
}

static void model_init(struct model *m)
{
	int i;

	memset(m, 0, sizeof(*m));
	ck_assert_int_eq(node_table_init(&m->nodes, NULL, 77), 0);
	accounts_init(&m->accounts, 0, 1 << 20, 1 << 20, 1 << 20);
	locks_init(&m->locks, &m->nodes, &m->accounts, note_answer);
	for (i = 0; i < FILES; i++)
		model_open(m, i);
}

/* Drop all locks and waits. */
static void model_release(struct model *m)
{
	int i, owner;

	locks_stop(&m->locks);
	for (i = 0; i < FILES; i++) {
		for (owner = 1; owner < OWNERS; owner++)
			model_open(m, i);
		for (owner = 0; owner < OWNERS; owner++)
			locks_close(&m->locks, m->files[i],
				    &m->flocks[0][owner]);
	}
	ck_assert_uint_eq(accounts_used(&m->accounts, RESOURCE_LOCKS), 0);
	ck_assert_uint_eq(m->accounts.count, 0);
	ck_assert_uint_eq(atomic_load(&m->nodes.count), 0);
	locks_release(&m->locks);
	accounts_release(&m->accounts);
	node_table_release(&m->nodes);
}

static int last_byte(const struct fs_lock *lock)
{
	return lock->end == INT64_MAX ? BYTES - 1 : (int)lock->end;
}

static enum fs_lock_type *model_held(struct model *m, int file,
				     const struct fs_lock *lock, uint64_t owner)
{
	return lock->flock ? &m->flocks[file][owner] : m->ranges[file][owner];
}

static void model_bytes(const struct fs_lock *lock, int *first, int *last)
{
	*first = lock->flock ? 0 : (int)lock->start;
	*last = lock->flock ? 0 : last_byte(lock);
}

static bool model_excludes(struct model *m, int file,
			   const struct fs_lock *lock, uint64_t owner)
{
	const enum fs_lock_type *held = model_held(m, file, lock, owner);
	int i, last;

	if (owner == lock->owner || lock->type == FS_LOCK_NONE)
		return false;
	for (model_bytes(lock, &i, &last); i <= last; i++)
		if (held[i] == FS_LOCK_WRITE ||
		    (held[i] == FS_LOCK_READ && lock->type == FS_LOCK_WRITE))
			return true;
	return false;
}

static bool model_is_excluded(struct model *m, int file,
			      const struct fs_lock *lock)
{
	uint64_t owner;

	for (owner = 0; owner < OWNERS; owner++)
		if (model_excludes(m, file, lock, owner))
			return true;
	return false;
}

static void model_apply(struct model *m, int file, const struct fs_lock *lock)
{
	enum fs_lock_type *held = model_held(m, file, lock, lock->owner);
	int i, last;

	for (model_bytes(lock, &i, &last); i <= last; i++)
		held[i] = lock->type;
}

/* True if a wait for this lock would close a cycle. */
static bool model_is_cycle(struct model *m, int file,
			   const struct fs_lock *lock)
{
	bool reached[OWNERS] = { false }, more = true;
	uint64_t owner;
	int i;

	for (owner = 0; owner < OWNERS; owner++)
		reached[owner] = model_excludes(m, file, lock, owner);
	while (more) {
		more = false;
		for (i = 0; i < WAITS; i++) {
			struct model_wait *w = &m->waits[i];

			if (!w->active || w->wants.flock ||
			    !reached[w->wants.owner])
				continue;
			for (owner = 0; owner < OWNERS; owner++)
				if (!reached[owner] &&
				    model_excludes(m, w->file, &w->wants,
						   owner))
					reached[owner] = more = true;
		}
	}
	return reached[lock->owner];
}

static struct model_wait *model_next(struct model *m, int after)
{
	struct model_wait *next = NULL;
	int i;

	for (i = 0; i < WAITS; i++)
		if (m->waits[i].active && m->waits[i].number > after &&
		    (!next || m->waits[i].number < next->number))
			next = &m->waits[i];
	return next;
}

static void model_wake(struct model *m, int file)
{
	struct model_wait *w;
	bool again = true;

	while (again) {
		again = false;
		for (w = model_next(m, -1); w; w = model_next(m, w->number)) {
			if (w->file != file ||
			    model_is_excluded(m, file, &w->wants))
				continue;
			model_apply(m, file, &w->wants);
			w->active = false;
			again = true;
			ck_assert_int_eq(w->answer, 0);
		}
	}
}

/* -------------------------------------------------------- table and model */
/* Compare the locks of a byte: a strange owner is told of one that is there,
 * with its range. */
static void check_byte(struct model *m, int file, int byte)
{
	struct fs_lock lock = { .owner = OWNERS, .type = FS_LOCK_WRITE,
				.start = (uint64_t)byte,
				.end = byte == BYTES - 1 ? INT64_MAX :
							   (uint64_t)byte };
	const enum fs_lock_type *held;
	uint64_t owner;
	int first = byte, last = byte;

	locks_test(&m->locks, m->files[file], &lock);
	if (lock.type == FS_LOCK_NONE) {
		for (owner = 0; owner < OWNERS; owner++)
			ck_assert_int_eq(m->ranges[file][owner][byte],
					 FS_LOCK_NONE);
		return;
	}
	held = m->ranges[file][lock.owner];
	ck_assert_int_eq(held[byte], lock.type);
	while (first && held[first - 1] == lock.type)
		first--;
	while (last < BYTES - 1 && held[last + 1] == lock.type)
		last++;
	ck_assert_uint_eq(lock.start, (uint64_t)first);
	ck_assert_int_eq(last_byte(&lock), last);
	ck_assert(last < BYTES - 1 || lock.end == INT64_MAX);
}

static void check_all(struct model *m)
{
	int file, byte, i;

	for (file = 0; file < FILES; file++)
		for (byte = 0; byte < BYTES; byte++)
			check_byte(m, file, byte);
	for (i = 0; i < WAITS; i++)
		if (m->waits[i].active)
			ck_assert_int_eq(m->waits[i].answer, NO_ANSWER);
}

static struct fs_lock random_lock(struct random *rng)
{
	uint32_t first = random_below(rng, BYTES);
	uint32_t last = first + random_below(rng, BYTES - first);
	struct fs_lock lock = {
		.owner = random_below(rng, OWNERS),
		.flock = random_below(rng, 8) == 0,
		.type = (enum fs_lock_type)random_below(rng, 3),
		.start = first,
		.end = last == BYTES - 1 ? INT64_MAX : last,
	};

	if (lock.flock) {
		lock.start = 0;
		lock.end = INT64_MAX;
	}
	return lock;
}

static int model_set(struct model *m, int file, const struct fs_lock *lock,
		     bool waits)
{
	struct fs_lock none = *lock;

	none.type = FS_LOCK_NONE;
	if (!model_is_excluded(m, file, lock)) {
		model_apply(m, file, lock);
		return 0;
	}
	if (lock->flock)
		model_apply(m, file, &none);
	return !waits ? -EAGAIN :
	       !lock->flock && model_is_cycle(m, file, lock) ? -EDEADLK :
							       LOCKS_WAITS;
}

static void step_set(struct model *m, struct random *rng, int file)
{
	struct fs_lock lock = random_lock(rng);
	struct model_wait *w = NULL;
	int i, expected;

	for (i = 0; i < WAITS && random_below(rng, 3); i++)
		if (!m->waits[i].active)
			w = &m->waits[i];
	if (w)
		*w = (struct model_wait){ .number = m->number++, .file = file,
					  .wants = lock, .answer = NO_ANSWER };
	expected = model_set(m, file, &lock, w);
	ck_assert_int_eq(locks_set(&m->locks, m->files[file], &lock,
				   &m->flocks[0][lock.owner], 0, w, NULL),
			 expected);
	if (w)
		w->active = expected == LOCKS_WAITS;
}

static bool model_waits(const struct model *m, int file, uint64_t owner)
{
	int i;

	for (i = 0; i < WAITS; i++)
		if (m->waits[i].active && m->waits[i].file == file &&
		    m->waits[i].wants.owner == owner)
			return true;
	return false;
}

static void step_drop(struct model *m, struct random *rng, int file)
{
	uint64_t owner = random_below(rng, OWNERS);
	bool closes = random_below(rng, 2) && !model_waits(m, file, owner);

	memset(m->ranges[file][owner], 0, sizeof(m->ranges[file][owner]));
	if (!closes) {
		locks_drop(&m->locks, m->files[file], owner);
		return;
	}
	m->flocks[file][owner] = FS_LOCK_NONE;
	model_open(m, file);
	locks_close(&m->locks, m->files[file], &m->flocks[0][owner]);
}

static void step_interrupt(struct model *m, struct random *rng)
{
	struct model_wait *w = &m->waits[random_below(rng, WAITS)];
	int answer = w->answer;

	locks_interrupt(&m->locks, w);
	ck_assert_int_eq(w->answer, w->active ? -EINTR : answer);
	w->active = false;
}

START_TEST(ranges_and_waits_are_those_of_single_bytes)
{
	struct random rng = random_seeded((uint64_t)_i + 31 * test_seed());
	struct model m;
	int step, file;

	model_init(&m);
	for (step = 0; step < 5000; step++) {
		file = (int)random_below(&rng, FILES);
		switch (random_below(&rng, 12)) {
		case 0:
			step_drop(&m, &rng, file);
			break;
		case 1:
			step_interrupt(&m, &rng);
			break;
		default:
			step_set(&m, &rng, file);
		}
		model_wake(&m, file);
		check_all(&m);
	}
	model_release(&m);
}
END_TEST

/* ------------------------------------------------------------------ bounds */
START_TEST(a_user_has_so_many_locks)
{
	struct model m;
	struct fs_lock lock = { .owner = 1, .type = FS_LOCK_READ, .end = 10 };
	struct fs_lock other = { .owner = 2, .type = FS_LOCK_WRITE, .end = 0 };
	struct model_wait w = { .answer = NO_ANSWER };

	model_init(&m);
	m.accounts.bounds[RESOURCE_LOCKS] = 4;
	ck_assert_int_eq(locks_set(&m.locks, m.files[0], &lock, &m, 1000, NULL,
				   NULL), 0);
	/* A hole makes two locks of one, and there is room for that. */
	lock = (struct fs_lock){ .owner = 1, .start = 5, .end = 5 };
	ck_assert_int_eq(locks_set(&m.locks, m.files[0], &lock, &m, 1000, NULL,
				   NULL), 0);
	lock.start = lock.end = 7;
	ck_assert_int_eq(locks_set(&m.locks, m.files[0], &lock, &m, 1000, NULL,
				   NULL), -ENOLCK);
	/* Waiting is charged, too. */
	ck_assert_int_eq(locks_set(&m.locks, m.files[0], &other, &m, 1000, &w,
				   NULL), -ENOLCK);
	ck_assert_int_eq(locks_set(&m.locks, m.files[0], &other, &m, 0, &w,
				   NULL), LOCKS_WAITS);
	lock = (struct fs_lock){ .owner = 1, .end = INT64_MAX };
	ck_assert_int_eq(locks_set(&m.locks, m.files[0], &lock, &m, 1000, NULL,
				   NULL), 0);
	ck_assert_int_eq(w.answer, 0);
	locks_drop(&m.locks, m.files[0], 2);
	ck_assert_uint_eq(accounts_used(&m.accounts, RESOURCE_LOCKS), 0);
	model_release(&m);
}
END_TEST

static bool says_yes(void *waiter)
{
	(void)waiter;
	return true;
}

START_TEST(waits_end)
{
	struct model m;
	struct fs_lock lock = { .owner = 1, .type = FS_LOCK_WRITE, .end = 10 };
	struct fs_lock other = { .owner = 2, .type = FS_LOCK_READ, .end = 0 };
	struct model_wait w = { .answer = NO_ANSWER };

	model_init(&m);
	ck_assert_int_eq(locks_set(&m.locks, m.files[0], &lock, &m, 0, NULL,
				   NULL), 0);
	/* The waiter was interrupted before it waits. */
	ck_assert_int_eq(locks_set(&m.locks, m.files[0], &other, &m, 0, &w,
				   says_yes), -EINTR);
	ck_assert_int_eq(locks_set(&m.locks, m.files[0], &other, &m, 0, &w,
				   NULL), LOCKS_WAITS);
	locks_stop(&m.locks);
	ck_assert_int_eq(w.answer, -ENOLCK);
	ck_assert_int_eq(locks_set(&m.locks, m.files[0], &other, &m, 0, &w,
				   NULL), -ENOLCK);
	locks_drop(&m.locks, m.files[0], 1);
	model_release(&m);
}
END_TEST

/* ----------------------------------------------------------------- threads */
#define THREADS 4
struct shared {
	struct model m;
	long count;		/* written by whoever has the lock */
	atomic_long interrupted;
};
struct party {
	struct shared *all;
	int number;
	pthread_mutex_t lock;
	pthread_cond_t answered;
	int answer;
};

static void tell_party(void *waiter, int err)
{
	struct party *p = waiter;

	pthread_mutex_lock(&p->lock);
	p->answer = err;
	pthread_cond_signal(&p->answered);
	pthread_mutex_unlock(&p->lock);
}

static void *take_turns(void *argument)
{
	struct party *p = argument;
	struct shared *all = p->all;
	struct random rng = random_seeded((uint64_t)p->number);
	struct fs_lock lock = { .owner = (uint64_t)p->number, .end = 9 };
	int i, err;

	for (i = 0; i < 300; i++) {
		lock.flock = false;
		lock.type = FS_LOCK_WRITE;
		p->answer = NO_ANSWER;
		err = locks_set(&all->m.locks, all->m.files[0], &lock, p, 0, p,
				NULL);
		if (err == LOCKS_WAITS) {
			if (random_below(&rng, 4) == 0)
				locks_interrupt(&all->m.locks, p);
			pthread_mutex_lock(&p->lock);
			while ((err = p->answer) == NO_ANSWER)
				pthread_cond_wait(&p->answered, &p->lock);
			pthread_mutex_unlock(&p->lock);
		}
		if (err) {
			ck_assert_int_eq(err, -EINTR);
			atomic_fetch_add(&all->interrupted, 1);
			continue;
		}
		all->count++;
		lock.type = FS_LOCK_NONE;
		if (random_below(&rng, 2))
			locks_drop(&all->m.locks, all->m.files[0], lock.owner);
		else
			locks_set(&all->m.locks, all->m.files[0], &lock, p, 0,
				  NULL, NULL);
	}
	return NULL;
}

START_TEST(threads_exclude_each_other)
{
	static struct shared all;
	struct party parties[THREADS];
	pthread_t threads[THREADS];
	int i;

	model_init(&all.m);
	all.m.locks.done = tell_party;
	for (i = 0; i < THREADS; i++) {
		parties[i] = (struct party){ .all = &all, .number = i };
		pthread_mutex_init(&parties[i].lock, NULL);
		pthread_cond_init(&parties[i].answered, NULL);
		pthread_create(&threads[i], NULL, take_turns, &parties[i]);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ck_assert_int_eq(all.count + atomic_load(&all.interrupted),
			 THREADS * 300);
	model_release(&all.m);
}
END_TEST

/* ---------------------------------------------------------------- the tree */
static int lock_by(struct open_file *f, uint64_t owner, bool flock,
		   enum fs_lock_type type)
{
	struct fs_lock lock = { .owner = owner, .flock = flock, .type = type,
				.end = INT64_MAX };

	return fs_set_lock(shop.fs, &shop.call, f->handle, &lock, NULL);
}

#define CELL "shop/users/a/country"

static void make_cell(void)
{
	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_echo(&shop, CELL, O_CREAT | O_TRUNC | O_WRONLY, "nz\n"));
}

/* A reader between them gives the name another node. */
START_TEST(all_nodes_of_a_name_have_its_locks)
{
	struct open_file a, r, b;

	make_cell();
	ok(tree_open_file(&shop, CELL, O_RDONLY, &r));
	ok(tree_open_file(&shop, CELL, O_RDWR, &a));
	ok(tree_open_file(&shop, CELL, O_RDONLY, &b));
	ck_assert_ptr_ne(handle_of(a.handle)->node, handle_of(r.handle)->node);
	ok(lock_by(&a, 1, true, FS_LOCK_WRITE));
	fails(EAGAIN, lock_by(&r, 2, true, FS_LOCK_READ));
	fails(EAGAIN, lock_by(&b, 3, true, FS_LOCK_WRITE));
	ok(lock_by(&b, 3, false, FS_LOCK_WRITE));
	fails(EAGAIN, lock_by(&a, 1, false, FS_LOCK_READ));
	ok(tree_release(&shop, &a));
	ok(lock_by(&r, 2, true, FS_LOCK_READ));
	fs_drop_locks(shop.fs, r.handle, 3);
	ok(lock_by(&r, 2, false, FS_LOCK_WRITE));
	ok(tree_release(&shop, &r));
	ok(tree_release(&shop, &b));
}
END_TEST

START_TEST(locks_go_with_their_file)
{
	struct open_file a, b, c;

	make_cell();
	ok(tree_open_file(&shop, CELL, O_RDWR, &a));
	ok(lock_by(&a, 1, true, FS_LOCK_WRITE));
	/* Renamed: by itself, to another name and back, and with its row. */
	ok(tree_rename(&shop, CELL, "shop/users/a/.country.AbCdEf", 0));
	ok(tree_open_file(&shop, "shop/users/a/.country.AbCdEf", O_RDWR, &b));
	fails(EAGAIN, lock_by(&b, 2, true, FS_LOCK_WRITE));
	ok(tree_release(&shop, &b));
	ok(tree_rename(&shop, "shop/users/a/.country.AbCdEf", CELL, 0));
	ok(tree_rename(&shop, "shop/users/a", "shop/users/b", 0));
	ok(tree_rename(&shop, "shop/users", "shop/people", 0));
	ok(tree_open_file(&shop, "shop/people/b/country", O_RDWR, &b));
	fails(EAGAIN, lock_by(&b, 2, true, FS_LOCK_WRITE));
	ok(tree_release(&shop, &b));
	/* Replaced: the name has another file. */
	ok(tree_echo(&shop, "shop/people/b/.country.AbCdEf",
		     O_CREAT | O_WRONLY, "au\n"));
	ok(tree_open_file(&shop, "shop/people/b/.country.AbCdEf", O_RDWR, &c));
	ok(lock_by(&c, 3, true, FS_LOCK_WRITE));
	ok(tree_rename(&shop, "shop/people/b/.country.AbCdEf",
		       "shop/people/b/country", 0));
	ok(tree_open_file(&shop, "shop/people/b/country", O_RDWR, &b));
	fails(EAGAIN, lock_by(&b, 2, true, FS_LOCK_WRITE));
	ok(tree_release(&shop, &c));
	ok(lock_by(&b, 2, true, FS_LOCK_WRITE));
	/* Removed: the same. */
	ok(tree_unlink(&shop, "shop/people/b/country"));
	ok(tree_echo(&shop, "shop/people/b/country",
		     O_CREAT | O_TRUNC | O_WRONLY, "fr\n"));
	ok(tree_open_file(&shop, "shop/people/b/country", O_RDWR, &c));
	ok(lock_by(&c, 3, true, FS_LOCK_WRITE));
	ok(tree_release(&shop, &a));
	ok(tree_release(&shop, &b));
	ok(tree_release(&shop, &c));
	ck_assert_uint_eq(accounts_used(&shop.fs->accounts, RESOURCE_LOCKS), 0);
}
END_TEST

/* The kernel sends a FLUSH for a reader's descriptor only if the file had locks
 * of ranges when it was opened. */
START_TEST(closes_are_told_of_files_that_had_locks)
{
	struct open_file before, w, after;

	make_cell();
	ok(tree_open_file(&shop, CELL, O_RDONLY, &before));
	ck_assert(before.reply.noflush);
	ok(lock_by(&before, 1, true, FS_LOCK_READ));
	ok(tree_open_file(&shop, CELL, O_RDONLY, &after));
	ck_assert(after.reply.noflush);
	ok(tree_release(&shop, &after));
	ok(tree_open_file(&shop, CELL, O_RDWR, &w));
	ok(lock_by(&w, 1, false, FS_LOCK_WRITE));
	ok(tree_open_file(&shop, CELL, O_RDONLY, &after));
	ck_assert(!after.reply.noflush);
	ok(tree_release(&shop, &after));
	/* For one without a FLUSH, RELEASE drops the locks of its users. */
	ok(lock_by(&before, 1, false, FS_LOCK_READ));
	fails(EAGAIN, lock_by(&w, 2, false, FS_LOCK_WRITE));
	ok(tree_release(&shop, &before));
	ok(lock_by(&w, 2, false, FS_LOCK_WRITE));
	ok(tree_release(&shop, &w));
}
END_TEST

START_TEST(too_many_locks_are_refused_with_a_reason)
{
	struct open_file f;

	make_cell();
	shop.fs->accounts.bounds[RESOURCE_LOCKS] = 1;
	ok(tree_open_file(&shop, CELL, O_RDWR, &f));
	ok(lock_by(&f, 1, false, FS_LOCK_READ));
	fails(ENOLCK, lock_by(&f, 2, false, FS_LOCK_READ));
	tree_cat(&shop, ".widefs/errors", &(int){ 0 });
	ck_assert_ptr_nonnull(strstr(buf_cstr(&shop.text), "too many locks of "
							   "files"));
	ok(tree_release(&shop, &f));
}
END_TEST

SUITE_THREADS(locks)
{
	TCase *tc = tcase_create("table");

	tcase_set_timeout(tc, test_timeout());
	tcase_add_loop_test(tc, ranges_and_waits_are_those_of_single_bytes, 0,
			    test_scale(20) * test_rounds());
	tcase_add_test(tc, a_user_has_so_many_locks);
	tcase_add_test(tc, waits_end);
	tcase_add_test(tc, threads_exclude_each_other);
	suite_add_tcase(suite, tc);
	tc = tcase_create("tree");
	shop_fixture(tc);
	tcase_add_test(tc, all_nodes_of_a_name_have_its_locks);
	tcase_add_test(tc, locks_go_with_their_file);
	tcase_add_test(tc, closes_are_told_of_files_that_had_locks);
	tcase_add_test(tc, too_many_locks_are_refused_with_a_reason);
	suite_add_tcase(suite, tc);
}
