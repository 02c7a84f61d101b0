/*
 * Damaged and hostile stores (P10, P17): one flipped bit at every
 * offset of every file of a store that was closed or killed, every file cut
 * short at every length, every block zeroed, swapped with the next, copied to
 * the next or as it was earlier, every file deleted; and files that are
 * something else. Each is refused, reported, or harmless: the answers are the
 * same. Short runs leave offsets out, other ones by each seed; two rounds flip
 * a bit of every byte of the store that was killed, three do all at every
 * offset, and flip every bit of each byte.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>
#include <xxhash.h>

#include "store/base/clock.h"
#include "store/base/log.h"
#include "tests/lib/answers.h"
#include "tests/lib/scratch.h"
#include "tests/lib/simfile.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

static const char *const statements[] = {
	TEST_KEYSPACE,
	"CREATE TABLE k.t (p int, c int, v int, w text, PRIMARY KEY (p, c))",
	"CREATE TABLE k.u (p int PRIMARY KEY, l list<int>)",
	"CREATE TABLE k.z (p int PRIMARY KEY)",
	"CREATE INDEX i ON k.t (v)",
	"INSERT INTO k.t (p, c, v, w) VALUES (1, 1, 1, 'one')",
	"INSERT INTO k.t (p, c, v, w) VALUES (1, 2, 2, 'two')",
	"INSERT INTO k.t (p, c, v, w) VALUES (2, 1, 1, 'three')",
	"INSERT INTO k.u (p, l) VALUES (1, [1, 2, 3])",
	"many",
	"flush",
	"DELETE FROM k.t WHERE p = 1 AND c = 1",
	"INSERT INTO k.t (p, c, v, w) VALUES (3, 1, 1, 'four')",
	"flush",
	"many",
	"INSERT INTO k.t (p, c, v, w) VALUES (4, 1, 2, 'five')",
	"earlier",
	"UPDATE k.u SET l = l + [4] WHERE p = 1",
	"INSERT INTO k.z (p) VALUES (1)",
};
static const char *const queries[] = {
	"SELECT * FROM k.t", "SELECT p, c FROM k.t WHERE v = 1",
	"SELECT * FROM k.u", NULL
};

/* Values that no compression makes smaller: sstables of several blocks. */
static void insert_many(struct cql_session *session)
{
	struct random rng = random_seeded(3);
	char text[400];
	int i, at;

	for (i = 0; i < 60; i++) {
		at = snprintf(text, sizeof(text), "INSERT INTO k.t (p, c, v, "
			      "w) VALUES (%d, %d, 3, '", 10 + i / 20, i);
		while (at < 330)
			at += snprintf(text + at, sizeof(text) - (size_t)at,
				       "%08x", random_below(&rng, UINT32_MAX));
		snprintf(text + at, sizeof(text) - (size_t)at, "')");
		ck_assert_int_eq(answer_to(session, text, NULL), 0);
	}
}

/* Run the statements; *earlier, if not NULL, becomes the disk as it is at the
 * word for that. */
static void run_all(struct store *s, struct sim *disk, struct sim **earlier)
{
	struct random rng = random_seeded(1);
	struct cql_session *session;
	size_t i;

	ck_assert_int_eq(cql_session_new(&session, s), 0);
	for (i = 0; i < ARRAY_SIZE(statements); i++) {
		if (!strcmp(statements[i], "flush"))
			ck_assert_int_eq(store_flush(s, NULL), 0);
		else if (!strcmp(statements[i], "sync"))
			ck_assert_int_eq(store_sync(s), 0);
		else if (!strcmp(statements[i], "many"))
			insert_many(session);
		else if (!strcmp(statements[i], "earlier") && earlier)
			*earlier = sim_crash(disk, SIM_KILLED, &rng);
		else if (strcmp(statements[i], "earlier"))
			ck_assert_int_eq(answer_to(session, statements[i],
						   NULL), 0);
	}
	cql_session_free(session);
}

/* Open the store and ask it: 0 with the digest of all answers, or the error
 * that reports the damage. A store that is refused stays as it is. */
static int look(struct sim *disk, uint64_t *sum)
{
	uint64_t before = sim_digest(disk);
	struct buf out = BUF_INIT;
	struct store *s;
	int err = test_store_open_on(&s, sim_files(disk), false);

	if (err && sim_digest(disk) != before)
		ck_abort_msg("%s: refused, but changed", log_corrupt_last());
	if (err)
		return err;
	err = answers_to_all(s, queries, &out);
	*sum = XXH3_64bits(out.ptr, out.len);
	if (!err)
		store_verify(s, NULL, NULL);
	buf_release(&out);
	store_close(s);
	return err;
}

/* ------------------------------------------------------------------ damage */
enum harm { FLIP, CUT, ZERO, SWAP, COPY, STALE, DELETE, HARMS };
#define BLOCK 4096
#define SEEN_ALL 0x1f	/* marker, CURRENT, manifest, sstable, log */

struct damage {
	struct sim *whole, *earlier;
	uint64_t sum;
	const char *directory;
	long stride;
	uint64_t first;			/* offset, and more: each file another */
	long tried, refused;
	enum harm harm;
	unsigned bit, seen;
};

static int open_file(struct sim *disk, const char *directory, const char *name)
{
	const struct file_ops *files = sim_files(disk);
	char path[100];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return files->open(files->context, AT_FDCWD, path, O_RDWR, 0);
}

static uint64_t size_of(struct sim *disk, int fd)
{
	const struct file_ops *files = sim_files(disk);
	struct stat st;

	ck_assert_int_eq(files->stat(files->context, fd, &st), 0);
	return S_ISDIR(st.st_mode) ? 0 : (uint64_t)st.st_size;
}

/* Read one block of a file, with zeros after its end. */
static void read_block(struct sim *disk, int fd, uint64_t at, uint8_t *block)
{
	const struct file_ops *files = sim_files(disk);

	memset(block, 0, BLOCK);
	if (fd >= 0)
		files->pread(files->context, fd, block, BLOCK, at);
}

static void write_block(struct sim *disk, int fd, uint64_t at,
			const uint8_t *block)
{
	const struct file_ops *files = sim_files(disk);
	uint64_t size = size_of(disk, fd);

	if (at < size)
		files->pwrite(files->context, fd, block,
			      size - at < BLOCK ? size - at : BLOCK, at);
}

static void harm_block(struct damage *d, struct sim *disk, int fd,
		       const char *name, uint64_t at)
{
	const struct file_ops *files = sim_files(d->earlier);
	uint8_t one[BLOCK], two[BLOCK];
	int then;

	read_block(disk, fd, at, one);
	read_block(disk, fd, at + BLOCK, two);
	if (d->harm == STALE) {
		then = open_file(d->earlier, d->directory, name);
		read_block(d->earlier, then, at, two);
		if (then >= 0)
			files->close(files->context, then);
	}
	if (d->harm == ZERO)
		memset(two, 0, BLOCK);
	if (d->harm != COPY)
		write_block(disk, fd, at, two);
	if (d->harm == SWAP || d->harm == COPY)
		write_block(disk, fd, at + BLOCK, one);
}

static void harm_file(struct damage *d, struct sim *disk, const char *name,
		      uint64_t offset)
{
	const struct file_ops *files = sim_files(disk);
	int fd = open_file(disk, d->directory, name), dir;
	uint8_t byte;

	if (d->harm == CUT) {
		files->truncate(files->context, fd, offset);
	} else if (d->harm == FLIP) {
		files->pread(files->context, fd, &byte, 1, offset);
		byte ^= (uint8_t)(1 << (offset + d->bit) % 8);
		files->pwrite(files->context, fd, &byte, 1, offset);
	} else if (d->harm == DELETE) {
		dir = open_file(disk, d->directory, ".");
		files->unlink(files->context, dir, name);
		files->close(files->context, dir);
	} else {
		harm_block(d, disk, fd, name, offset);
	}
	files->close(files->context, fd);
}

/* True for a file without information, which is made again. */
static bool says_nothing(const char *name)
{
	return !strncmp(name, "reserve", 7) || !strcmp(name, "LOCK");
}

static void damage_one(struct damage *d, const char *name, uint64_t offset)
{
	struct random rng = random_seeded(1);
	struct sim *disk = sim_crash(d->whole, SIM_KILLED, &rng);
	uint64_t sum = d->sum;
	int err;

	harm_file(d, disk, name, offset);
	err = look(disk, &sum);
	d->tried += !says_nothing(name);
	d->refused += err != 0;
	if (!err && sum != d->sum)
		ck_abort_msg("%s, offset %llu, harm %d: other answers", name,
			     (unsigned long long)offset, d->harm);
	if (err && (err != -EUCLEAN || says_nothing(name)))
		ck_abort_msg("%s, offset %llu, harm %d: %d", name,
			     (unsigned long long)offset, d->harm, err);
	if (!err && d->harm == DELETE && !says_nothing(name))
		ck_abort_msg("%s: deleted, and not missed", name);
	if (sim_open_count(disk))
		ck_abort_msg("%s, offset %llu: a descriptor is left open", name,
			     (unsigned long long)offset);
	sim_free(disk);
}

static int damage_file(void *data, const char *name)
{
	static const char *const kinds[] = { "WIDEFS", "CURRENT", "MANIFEST-",
					     "0", "log-" };
	struct damage *d = data;
	const struct file_ops *files = sim_files(d->whole);
	int fd = open_file(d->whole, d->directory, name);
	uint64_t size = size_of(d->whole, fd), offset;
	unsigned i;

	files->close(files->context, fd);
	if (!strcmp(name, "engine"))
		return 0;
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strncmp(name, kinds[i], strlen(kinds[i])))
			d->seen |= 1u << i;
	if (d->harm == DELETE) {
		damage_one(d, name, 0);
	} else if (d->harm >= ZERO) {
		for (offset = 0; offset < size; offset += BLOCK *
		     (offset > 65536 ? 61 : 1))
			damage_one(d, name, offset);
	} else {	/* only a few of the log's zeros */
		offset = (d->first + (uint64_t)d->tried) % (uint64_t)d->stride;
		for (; offset < size;
		     offset += (uint64_t)d->stride *
			       (offset > 32768 ? 9973 : 1))
			damage_one(d, name, offset);
	}
	return 0;
}

static void damage_all(struct damage *d)
{
	static const char *const below[] = { "/store", "/store/engine" };
	const struct file_ops *files = sim_files(d->whole);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(below); i++) {
		int dir;

		d->directory = below[i];
		dir = open_file(d->whole, below[i], ".");
		ck_assert_int_eq(files->list(files->context, dir, damage_file,
					     d), 0);
		files->close(files->context, dir);
	}
	ck_assert_uint_eq(d->seen, SEEN_ALL);
}

/* Make a store with all kinds of files, closed or killed. */
static void make_whole(struct damage *d, bool killed)
{
	struct random rng = random_seeded(1);
	struct sim *disk = sim_new();
	struct store *s;

	ck_assert_int_eq(test_store_open_on(&s, sim_files(disk), true), 0);
	run_all(s, disk, &d->earlier);
	if (killed)
		d->whole = sim_crash(disk, SIM_KILLED, &rng);
	ck_assert_int_eq(store_close(s), 0);
	if (killed) {
		sim_free(disk);
		disk = sim_crash(d->whole, SIM_KILLED, &rng);
		ck_assert_int_eq(look(disk, &d->sum), 0);
		sim_free(disk);
	} else {
		d->whole = disk;
		ck_assert_int_eq(look(d->whole, &d->sum), 0);
	}
}

START_TEST(damage_is_reported_or_harmless)	/* _i: the harm, and killed or closed */
{
	struct damage d = { .harm = _i / 2 };

	make_whole(&d, _i % 2);
	d.stride = test_scale(100) < 100 ? 997 : 131;
	d.first = test_seed() - 1;
	if (test_rounds() < 3)
		d.bit = (unsigned)(d.first / (uint64_t)d.stride % 8);
	if (test_rounds() > 1)
		d.stride = d.harm == FLIP && _i % 2 ? 1 : 7;
	if (test_rounds() > 2)
		d.stride = 1;
	do
		damage_all(&d);
	while (test_rounds() > 2 && d.harm == FLIP && ++d.bit < 8);
	if (d.harm == FLIP || d.harm == CUT) {
		ck_assert_int_gt(d.tried, 30000 / d.stride);
		ck_assert_int_gt(d.refused, d.tried / 5);
	} else {
		ck_assert_int_ge(d.tried, 8);
		ck_assert_int_ge(d.refused, d.harm == STALE ? 1 : 5);
	}
	sim_free(d.whole);
	sim_free(d.earlier);
}
END_TEST

/* ----------------------------------------------------------------- hostile */
enum hostile {
	SYMLINK, DANGLING, FIFO, SOCKET, DEVICE, DIRECTORY, HARD_LINK,
	FOREIGN_OWNER, GROUP_MAY_WRITE, OTHERS_MAY_WRITE, EMPTY, ONE_BYTE,
	ZEROS, HUGE, HOSTILE_END
};

static void bind_socket(int dir, const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "/proc/self/fd/%d/%s", dir,
		 name);
	ck_assert_int_ge(fd, 0);
	ck_assert(!bind(fd, (struct sockaddr *)&at, sizeof(at)));
	close(fd);
}

static void spoil(int dir, const char *name, enum hostile kind)
{
	char zeros[4096] = { 0 };
	int fd;

	switch (kind) {
	case DANGLING:
		ck_assert(!unlinkat(dir, name, 0));
		ck_assert(!symlinkat("/nonexistent/elsewhere", dir, name));
		break;
	case SOCKET:
		ck_assert(!unlinkat(dir, name, 0));
		bind_socket(dir, name);
		break;
	case DEVICE:	/* or a FIFO, if we may not make a device */
		ck_assert(!unlinkat(dir, name, 0));
		if (mknodat(dir, name, S_IFCHR | 0600, makedev(1, 5)))
			ck_assert(!mkfifoat(dir, name, 0600));
		break;
	case HARD_LINK:
		ck_assert(!linkat(dir, name, dir, "elsewhere", 0));
		break;
	case FOREIGN_OWNER:	/* only root can give it away */
		if (!fchownat(dir, name, 65533, 65533, 0))
			break;
		ck_assert(!fchmodat(dir, name, 0666, 0));
		break;
	case GROUP_MAY_WRITE:
		ck_assert(!fchmodat(dir, name, 0660, 0));
		break;
	case ONE_BYTE:
	case ZEROS:
		fd = openat(dir, name, O_WRONLY | O_TRUNC);
		ck_assert_int_ge(fd, 0);
		ck_assert(write(fd, zeros, kind == ZEROS ? 4096 : 1) > 0);
		close(fd);
		break;
	case HUGE:	/* a hole after the contents */
		fd = openat(dir, name, O_WRONLY);
		ck_assert_int_ge(fd, 0);
		ck_assert(!ftruncate(fd, (off_t)1 << 32));
		close(fd);
		break;
	case SYMLINK:
		ck_assert(!renameat(dir, name, dir, "elsewhere"));
		ck_assert(!symlinkat("elsewhere", dir, name));
		break;
	case FIFO:
		ck_assert(!unlinkat(dir, name, 0));
		ck_assert(!mkfifoat(dir, name, 0600));
		break;
	case DIRECTORY:
		ck_assert(!unlinkat(dir, name, 0));
		ck_assert(!mkdirat(dir, name, 0700));
		break;
	case OTHERS_MAY_WRITE:
		ck_assert(!fchmodat(dir, name, 0666, 0));
		break;
	default:
		fd = openat(dir, name, O_WRONLY | O_TRUNC);
		ck_assert_int_ge(fd, 0);
		close(fd);
	}
}

struct found {
	char names[20][40];
	size_t count;
};

static int note(void *data, const char *name)
{
	struct found *f = data;

	ck_assert_uint_lt(f->count, ARRAY_SIZE(f->names));
	snprintf(f->names[f->count++], sizeof(f->names[0]), "%s", name);
	return 0;
}

/*
 * True if that does no harm: a lock file and a reserve have no contents, a log
 * and a manifest may end anywhere after their records, and a file that is never
 * written may have two names.
 */
static bool is_harmless(const char *name, enum hostile kind)
{
	bool is_lock = !strcmp(name, "LOCK");
	bool is_log = !strncmp(name, "log-", 4);
	bool is_reserve = !strncmp(name, "reserve", 7);

	if (is_reserve)		/* it is made again */
		return true;
	if (kind == HARD_LINK)
		return !is_lock && !is_log;
	if (kind == HUGE && (is_log || !strncmp(name, "MANIFEST-", 9)))
		return true;
	return kind >= EMPTY && is_lock;
}

/* Make a store, and replace its nth file. False: there are not so many. */
static bool try_hostile(const char *below, size_t nth, enum hostile kind)
{
	struct found found = { .count = 0 };
	struct test_store t;
	char path[200];
	bool created, there;
	int dir, err;

	test_store_open(&t);
	run_all(t.store, NULL, NULL);
	ck_assert_int_eq(store_close(t.store), 0);
	t.store = NULL;
	snprintf(path, sizeof(path), "%s/%s", t.path, below);
	dir = open(path, O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(dir, 0);
	ck_assert_int_eq(file_system.list(NULL, dir, note, &found), 0);
	there = nth < found.count;
	if (there && strcmp(found.names[nth], "engine")) {
		spoil(dir, found.names[nth], kind);
		t.options.create = false;
		err = store_open(&t.store, t.path, &t.options, NULL, &created);
		if (!err && !is_harmless(found.names[nth], kind))
			ck_abort_msg("%s, kind %d: it was opened",
				     found.names[nth], kind);
	}
	close(dir);
	test_store_close(&t);
	return there;
}

START_TEST(hostile_files_are_refused)	/* _i: the kind */
{
	size_t nth;

	for (nth = 0; try_hostile(".", nth, _i); nth++)
		;
	ck_assert_uint_ge(nth, 3);
	for (nth = 0; try_hostile("engine", nth, _i); nth++)
		;
	ck_assert_uint_ge(nth, 4);
}
END_TEST

START_TEST(a_manifest_is_named_plainly)	/* no path leads elsewhere */
{
	static const char *const lines[] = {
		"../MANIFEST-000000000001\n", "/etc/passwd\n", "MANIFEST-1\n",
		"MANIFEST-000000000001", "MANIFEST-00000000000g\n", "\n", "",
		"MANIFEST-000000000001\nMANIFEST-000000000001\n", ".\n",
		"MANIFEST-999999999999\n",
	};
	struct test_store t;
	char path[200];
	bool created;
	size_t i;

	test_store_open(&t);
	ck_assert_int_eq(store_close(t.store), 0);
	t.store = NULL;
	t.options.create = false;
	snprintf(path, sizeof(path), "%s/engine/CURRENT", t.path);
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		FILE *f = fopen(path, "w");

		ck_assert_ptr_nonnull(f);
		fputs(lines[i], f);
		fclose(f);
		ck_assert_int_eq(store_open(&t.store, t.path, &t.options, NULL,
					    &created), -EUCLEAN);
		ck_assert_ptr_null(t.store);
	}
	test_store_close(&t);
}
END_TEST

static void set_up(void)
{
	quiet(true);
	clock_set_us((int64_t)1000000 * 1000000);
}

static void tear_down(void)
{
	quiet(false);
	clock_set_us(INT64_MIN);
}

SUITE(damage)
{
	TCase *tc = tcase_create("damage");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_loop_test(tc, damage_is_reported_or_harmless, 0,
			    2 * HARMS);
	tcase_add_loop_test(tc, hostile_files_are_refused, 0, HOSTILE_END);
	tcase_add_test(tc, a_manifest_is_named_plainly);
	suite_add_tcase(suite, tc);
}
