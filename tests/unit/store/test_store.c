/* A store as a directory: made, locked, refused, opened again. */
#include "store/base/murmur3.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/base/log.h"
#include "store/schema/catalog.h"
#include "store/schema/schema.h"
#include "store/schema/table_edit.h"
#include "store/table/inner.h"
#include "store/table/observer.h"
#include "store/table/present.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

static void ignore(void *context, enum log_level level, const char *line)
{
	(void)context, (void)level, (void)line;
}

static struct table *new_table(const char *name)
{
	struct table *t = table_new("ks", name);

	table_add_column(t, "k", type_native(TYPE_INT), COLUMN_PARTITION_KEY,
			 false);
	table_add_column(t, "v", type_native(TYPE_TEXT), COLUMN_REGULAR, false);
	ck_assert_int_eq(table_finish(t), 0);
	return t;
}

static int try_open(const char *path, bool read_only, bool create,
		    pid_t *owner)
{
	struct store_options options;
	struct store *s = NULL;
	bool created = false;
	int err;

	store_options_init(&options);
	options.no_threads = true;
	options.read_only = read_only;
	options.create = create;
	*owner = 0;
	err = store_open(&s, path, &options, owner, &created);
	if (!err)
		store_close(s);
	return err;
}

static void put_file(const char *directory, const char *name,
		     const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

START_TEST(a_store_is_made_and_opened_again)
{
	struct test_store t;
	struct stat st;
	uint8_t id[16];
	struct table *table;

	test_store_open(&t);
	ck_assert_int_eq(stat(t.path, &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0700);
	memcpy(id, store_id(t.store), 16);
	test_add_keyspace(t.store, "ks");
	table = test_add_table(t.store, new_table("t"));
	ck_assert_uint_eq(table->number, 16);
	table_put(table);
	test_store_reopen(&t);
	ck_assert_mem_eq(store_id(t.store), id, 16);
	table = test_table(t.store, "ks", "t");
	ck_assert_uint_eq(table->number, 16);
	ck_assert_uint_eq(table->column_count, 2);
	table_put(table);
	test_store_close(&t);
}
END_TEST

START_TEST(a_path_without_a_store)
{
	char path[128];
	pid_t owner;

	test_path(path);
	ck_assert_int_eq(try_open(path, false, false, &owner), -ENOENT);
	ck_assert_int_eq(try_open(path, true, true, &owner), -ENOENT);
	ck_assert_int_eq(access(path, F_OK), -1);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(try_open(path, false, false, &owner), -ENOENT);
	ck_assert_int_eq(try_open(path, false, true, &owner), 0);
	remove_tree(path);
}
END_TEST

START_TEST(a_directory_that_is_something_else)
{
	char path[128];
	pid_t owner;

	test_path(path);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	put_file(path, "thesis.txt", "precious");
	ck_assert_int_eq(try_open(path, false, true, &owner), -ENOTEMPTY);
	ck_assert_int_eq(try_open(path, true, false, &owner), -ENOTEMPTY);
	remove_tree(path);
	put_file("/tmp", path + strlen("/tmp/"), "a file");
	ck_assert_int_eq(try_open(path, false, true, &owner), -ENOTDIR);
	unlink(path);
}
END_TEST

START_TEST(damaged_and_future_markers)
{
	struct test_store t;
	uint8_t marker[40], newer[40];
	char name[160];
	pid_t owner;
	int fd;

	log_set_sink(ignore, NULL);
	test_store_open(&t);
	store_close(t.store);
	t.store = NULL;
	snprintf(name, sizeof(name), "%s/WIDEFS", t.path);
	fd = open(name, O_RDWR);
	/* It is a newer version only if its checksum is right. */
	ck_assert_int_eq(pread(fd, marker, sizeof(marker), 0), 40);
	memcpy(newer, marker, sizeof(newer));
	newer[8] = 200;
	ck_assert_int_eq(pwrite(fd, newer, sizeof(newer), 0), 40);
	ck_assert_int_eq(try_open(t.path, false, true, &owner), -EUCLEAN);
	put_le64(newer + 32, XXH3_64bits(newer, 32));
	ck_assert_int_eq(pwrite(fd, newer, sizeof(newer), 0), 40);
	ck_assert_int_eq(try_open(t.path, false, true, &owner),
			 -EPROTONOSUPPORT);
	ck_assert_int_eq(pwrite(fd, marker, sizeof(marker), 0), 40);
	ck_assert_int_eq(try_open(t.path, false, true, &owner), 0);
	ck_assert_int_eq(pwrite(fd, "\0", 1, 8), 1);
	ck_assert_int_eq(try_open(t.path, false, true, &owner), -EUCLEAN);
	ck_assert_int_eq(pwrite(fd, marker, sizeof(marker), 0), 40);
	ck_assert_int_eq(try_open(t.path, false, true, &owner), 0);
	ck_assert_int_eq(pwrite(fd, "x", 1, 20), 1);
	ck_assert_int_eq(try_open(t.path, false, true, &owner), -EUCLEAN);
	ck_assert_str_ne(log_corrupt_last(), "");
	ck_assert_int_eq(ftruncate(fd, 5), 0);
	ck_assert_int_eq(try_open(t.path, false, true, &owner), -EUCLEAN);
	close(fd);
	test_store_close(&t);
}
END_TEST

/* Complete records with impossible contents. */
enum wrong_record {
	NUMBER_OF_OURS, NUMBER_TWICE, NUMBER_OF_NOBODY, OTHERS_KEY,
	OTHERS_KEYSPACE, OTHERS_TABLE, LONG_COUNTERS, LARGE_COUNTERS,
	WRONG_RECORD_END
};

static void add_catalog_key(struct buf *out, const char *keyspace,
			    const char *table)
{
	struct bytes name = bytes_str(keyspace);

	key_add_partition(out, murmur3_token(name), name);
	buf_add_byte(out, table ? KEY_ROW : KEY_STATIC);
	if (table) {
		buf_add_byte(out, 0x40);
		buf_add_bytes(out, bytes_of(table, strlen(table) + 1));
		buf_add_byte(out, KEY_ROW_END);
	}
}

static void make_wrong_record(struct buf *key, struct buf *record,
			      enum wrong_record kind)
{
	struct keyspace *k = keyspace_new("other");
	struct table *t = new_table("second");
	const char *keyspace = "ks", *table = "second";

	t->number = kind == NUMBER_OF_OURS ? CATALOG_NUMBER :
		    kind == NUMBER_TWICE ? TABLE_NUMBER_FIRST :
		    kind == NUMBER_OF_NOBODY ? 9000 : TABLE_NUMBER_FIRST + 1;
	switch (kind) {
	case OTHERS_KEYSPACE:
		table = NULL;
		catalog_encode_keyspace(record, k);
		break;
	case LONG_COUNTERS:
	case LARGE_COUNTERS:
		keyspace = "";
		table = NULL;
		buf_add_le64(record, 100);
		buf_add_le64(record, kind == LARGE_COUNTERS ? 1ull << 32 : 99);
		if (kind == LONG_COUNTERS)
			buf_add_byte(record, 0);
		break;
	default:
		if (kind == OTHERS_KEY)
			table = NULL;
		if (kind == OTHERS_TABLE)
			table = "third";
		catalog_encode_table(record, t);
	}
	add_catalog_key(key, keyspace, table);
	keyspace_put(k);
	table_put(t);
}

static void put_wrong_record(struct store *s, enum wrong_record kind)
{
	struct batch batch = BATCH_INIT;
	struct buf record = BUF_INIT, key = BUF_INIT;
	struct cell cell = { .column = CELL_CATALOG, .timestamp = 100,
			     .local_time = NO_TIME, .path = BYTES_NULL };
	struct row row = { MARKER_NONE, DELETION_NONE, 1, &cell };

	make_wrong_record(&key, &record, kind);
	cell.value = buf_bytes(&record);
	batch_add_row(&batch, CATALOG_NUMBER, buf_bytes(&key), &row);
	ck_assert_int_eq(lsm_apply(s->lsm, &batch, NULL), 0);
	batch_release(&batch);
	buf_release(&record);
	buf_release(&key);
}

START_TEST(a_catalogue_that_cannot_be)	/* _i: enum wrong_record */
{
	struct test_store t;
	pid_t owner;

	log_set_sink(ignore, NULL);
	test_store_open(&t);
	test_add_keyspace(t.store, "ks");
	table_put(test_add_table(t.store, new_table("first")));
	test_store_reopen(&t);
	put_wrong_record(t.store, _i);
	ck_assert_int_eq(store_close(t.store), 0);
	t.store = NULL;
	ck_assert_int_eq(try_open(t.path, true, false, &owner), -EUCLEAN);
	ck_assert_int_eq(try_open(t.path, false, false, &owner), -EUCLEAN);
	test_store_close(&t);
}
END_TEST

START_TEST(an_engine_that_is_gone_is_damage)
{
	struct test_store t;
	char name[160];
	pid_t owner;

	log_set_sink(ignore, NULL);
	test_store_open(&t);
	store_close(t.store);
	t.store = NULL;
	snprintf(name, sizeof(name), "%s/engine", t.path);
	remove_tree(name);
	ck_assert_int_eq(try_open(t.path, false, true, &owner), -EUCLEAN);
	test_store_close(&t);
}
END_TEST

/* The store was closed: a log that is shorter than then is damaged, though all
 * its records are whole. */
START_TEST(a_log_that_lost_its_end_is_damage)	/* _i: all of it */
{
	struct test_store t;
	char name[160];
	uint64_t end;
	pid_t owner;

	log_set_sink(ignore, NULL);
	test_store_open(&t);
	test_add_keyspace(t.store, "ks");
	end = store_position(t.store);
	test_add_keyspace(t.store, "other");
	ck_assert_int_eq(store_close(t.store), 0);
	t.store = NULL;
	ck_assert_int_eq(try_open(t.path, true, false, &owner), 0);
	snprintf(name, sizeof(name), "%s/engine/log-%016x", t.path,
		 (unsigned)(end >> 32));
	ck_assert(!(_i ? unlink(name) : truncate(name, end & UINT32_MAX)));
	ck_assert_int_eq(try_open(t.path, true, false, &owner), -EUCLEAN);
	ck_assert_int_eq(try_open(t.path, false, false, &owner), -EUCLEAN);
	test_store_close(&t);
}
END_TEST

START_TEST(a_link_in_the_store_is_not_followed)
{
	struct test_store t;
	char name[160], other[160];
	pid_t owner;

	test_store_open(&t);
	store_close(t.store);
	t.store = NULL;
	snprintf(name, sizeof(name), "%s/WIDEFS", t.path);
	snprintf(other, sizeof(other), "%s/elsewhere", t.path);
	ck_assert_int_eq(rename(name, other), 0);
	ck_assert_int_eq(symlink(other, name), 0);
	ck_assert_int_ne(try_open(t.path, false, true, &owner), 0);
	test_store_close(&t);
}
END_TEST

START_TEST(a_second_writer_is_told_who_has_it)
{
	struct test_store t;
	pid_t owner;

	test_store_open(&t);
	ck_assert_int_eq(try_open(t.path, false, false, &owner), -EBUSY);
	ck_assert_int_eq(owner, getpid());
	ck_assert_int_eq(try_open(t.path, true, false, &owner), -EBUSY);
	ck_assert_int_eq(owner, getpid());
	store_close(t.store);
	t.store = NULL;
	ck_assert_int_eq(try_open(t.path, false, false, &owner), 0);
	test_store_close(&t);
}
END_TEST

/* The lock is on the store's directory, which cannot be removed. */
START_TEST(a_store_without_its_lock_file_is_locked)	/* _i: how it went */
{
	static const char *const ways[] = {
		"rm %s/LOCK", "mv %s/LOCK %s/../moved.$$; rm %s/../moved.$$",
		"rm %s/LOCK; echo 1 > %s/LOCK; chmod 600 %s/LOCK",
		"rm %s/LOCK; : > %s/LOCK; chmod 600 %s/LOCK",
		"mv %s/LOCK %s/LOCK.old; cp -p %s/LOCK.old %s/LOCK;"
		" rm %s/LOCK.old",
	};
	char command[1000], copy[160];
	struct test_store t, moved;
	pid_t owner;

	test_store_open(&t);
	snprintf(command, sizeof(command), ways[_i], t.path, t.path, t.path,
		 t.path, t.path);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(try_open(t.path, false, false, &owner), -EBUSY);
	ck_assert_int_eq(owner, getpid());
	ck_assert_int_eq(try_open(t.path, true, false, &owner), -EBUSY);
	ck_assert_int_eq(owner, getpid());
	/* A copy is another store. */
	snprintf(copy, sizeof(copy), "%s.copy", t.path);
	snprintf(command, sizeof(command), "cp -a %s %s", t.path, copy);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(try_open(copy, false, false, &owner), 0);
	remove_tree(copy);
	/* The engine's files are locked wherever they are. */
	test_store_open(&moved);
	store_close(moved.store);
	moved.store = NULL;
	snprintf(command, sizeof(command), "rm -r %s/engine; mv %s/engine %s",
		 moved.path, t.path, moved.path);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(try_open(moved.path, false, false, &owner), -EBUSY);
	ck_assert_int_eq(owner, getpid());
	store_close(t.store);
	t.store = NULL;
	ck_assert_int_eq(try_open(moved.path, false, false, &owner), 0);
	test_store_close(&moved);
	test_store_close(&t);
}
END_TEST

static uint64_t sum_of_files(const char *path)
{
	char command[256], line[64] = "";
	FILE *f;

	snprintf(command, sizeof(command),
		 "find %s -type f -printf '%%p %%s %%T@ ' -exec cksum {} + |"
		 " sort | cksum", path);
	f = popen(command, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), f));
	pclose(f);
	return strtoull(line, NULL, 10);
}

START_TEST(a_read_only_store_is_not_written)
{
	struct test_store t;
	struct store_options options;
	struct store *a, *b;
	struct table *table;
	struct write w;
	pid_t owner;
	uint64_t before;

	test_store_open(&t);
	test_add_keyspace(t.store, "ks");
	table = test_add_table(t.store, new_table("t"));
	store_close(t.store);
	t.store = NULL;
	before = sum_of_files(t.path);
	options = t.options;
	options.read_only = true;
	options.create = false;
	ck_assert_int_eq(store_open(&a, t.path, &options, &owner, NULL), 0);
	ck_assert_int_eq(store_open(&b, t.path, &options, &owner, NULL), 0);
	ck_assert_int_eq(try_open(t.path, false, false, &owner), -EBUSY);
	ck_assert_int_gt(store_timestamp(a), 0);
	write_init(&w, a);
	write_row(&w, table, bytes_of("\0\0\0\1", 4), NULL);
	write_marker(&w, 1, 0);
	ck_assert_int_eq(test_write(&w), -EROFS);
	write_release(&w);
	ck_assert_int_eq(store_truncate(a, table, 0), -EROFS);
	ck_assert_int_eq(store_sync(a), 0);
	store_close(a);
	store_close(b);
	ck_assert_uint_eq(sum_of_files(t.path), before);
	table_put(table);
	test_store_close(&t);
}
END_TEST

static struct {
	ino_t parent;
	int sync_err, open_err, failed;
} above;

static bool is_parent(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_ino == above.parent;
}

static int sync_above(void *context, int fd)
{
	if (!is_parent(fd))
		return file_system.sync(context, fd);
	above.failed++;
	return above.sync_err;
}

static int open_above(void *context, int dir, const char *name, int flags,
		      unsigned mode)
{
	int fd = file_system.open(context, dir, name, flags, mode);

	if (!above.open_err || fd < 0 || !is_parent(fd))
		return fd;
	file_close(&file_system, fd);
	above.failed++;
	return above.open_err;
}

static const struct {
	int sync_err, open_err, said;
} above_cases[] = {
	{ 0, 0, 0 }, { -EIO, 0, -EIO }, { -ENOSPC, 0, -ENOSPC },
	{ -EDQUOT, 0, -EDQUOT }, { -ENOMEM, 0, -ENOMEM },
	{ 0, -EIO, -EIO }, { 0, -ENFILE, -ENFILE }, { 0, -ENOMEM, -ENOMEM },
	/* Only its owner may, or the filesystem cannot do it. */
	{ 0, -EACCES, 0 }, { -EINVAL, 0, 0 }, { -EROFS, 0, 0 },
	{ -EOPNOTSUPP, 0, 0 },
};

/* The store's name would not be durable: that is reported before anything is
 * written. */
START_TEST(the_directory_above_must_be_synced)	/* _i: case */
{
	struct file_ops files = file_system;
	struct test_store t;
	struct store_options options;
	char path[256];
	struct stat st;
	uint64_t before;
	pid_t owner;
	int err;

	files.sync = sync_above;
	files.open = open_above;
	test_store_open(&t);
	store_close(t.store);
	t.store = NULL;
	snprintf(path, sizeof(path), "%s/..", t.path);
	ck_assert_int_eq(stat(path, &st), 0);
	above.parent = st.st_ino;
	above.sync_err = above_cases[_i].sync_err;
	above.open_err = above_cases[_i].open_err;
	above.failed = 0;
	before = sum_of_files(t.path);
	options = t.options;
	options.files = &files;
	options.create = false;
	log_set_sink(ignore, NULL);
	err = store_open(&t.store, t.path, &options, &owner, NULL);
	ck_assert_int_eq(err, above_cases[_i].said);
	ck_assert_int_gt(above.failed, 0);
	if (err) {
		t.store = NULL;
		ck_assert_uint_eq(sum_of_files(t.path), before);
	}
	test_store_close(&t);
}
END_TEST

START_TEST(timestamps_go_on_after_a_restart)
{
	struct test_store t;
	int64_t last, next;

	clock_set_us(1000 * 1000000LL);
	test_store_open(&t);
	last = store_timestamp(t.store);
	next = store_timestamp(t.store);
	ck_assert_int_eq(last, 1000 * 1000000LL);
	ck_assert_int_eq(next, last + 1);
	test_add_keyspace(t.store, "ks");
	table_put(test_add_table(t.store, new_table("t")));
	clock_set_us(500);		/* somebody set it back */
	test_store_reopen(&t);
	next = store_timestamp(t.store);
	ck_assert_int_eq(store_timestamp(t.store), next + 1);
	clock_set_us(INT64_MIN);
	test_store_close(&t);
}
END_TEST

/* Writes after a restart have later timestamps than those before, whatever
 * timestamps clients used. _i: the largest timestamp or less; 2: in a file. */
START_TEST(later_writes_have_later_timestamps)
{
	struct test_store t;
	struct table *table;
	struct write w;
	int64_t last;

	clock_set_us(1000 * 1000000LL);
	test_store_open(&t);
	test_add_keyspace(t.store, "ks");
	table = test_add_table(t.store, new_table("t"));
	last = store_timestamp(t.store) + 5;
	while (store_timestamp(t.store) < last)
		;
	write_init(&w, t.store);
	write_row(&w, table, bytes_of("\0\0\0\1", 4), NULL);
	write_marker(&w, last, 0);
	ck_assert_int_eq(test_write(&w), 0);
	/* and one of a client whose clock is ahead */
	write_row(&w, table, bytes_of("\0\0\0\2", 4), NULL);
	write_marker(&w, INT64_MAX - (_i & 1), 0);
	ck_assert_int_eq(test_write(&w), 0);
	write_release(&w);
	table_put(table);
	if (_i & 2)
		ck_assert_int_eq(store_flush(t.store, NULL), 0);
	clock_set_us(500);
	test_store_reopen(&t);
	ck_assert_int_gt(store_timestamp(t.store), last);
	ck_assert_int_lt(store_timestamp(t.store), last + 60 * 1000000LL);
	clock_set_us(INT64_MIN);
	test_store_close(&t);
}
END_TEST

START_TEST(numbers_are_not_used_again)
{
	struct test_store t;
	struct table *table;

	test_store_open(&t);
	test_add_keyspace(t.store, "ks");
	table = test_add_table(t.store, new_table("a"));
	ck_assert_uint_eq(table->number, 16);
	table_put(table);
	test_drop_table(t.store, "ks", "a");
	test_store_reopen(&t);
	table = test_add_table(t.store, new_table("a"));
	ck_assert_uint_eq(table->number, 17);
	table_put(table);
	test_store_close(&t);
}
END_TEST

/* A crash after a table was removed from the catalogue leaves its data. */
START_TEST(orphans_are_dropped_at_open)
{
	struct test_store t;
	struct lsm_table_options options;
	struct cell cell = { .column = 20, .timestamp = 1,
			     .local_time = NO_TIME, .value = BYTES_EMPTY };
	struct row row = ROW_NONE;
	struct batch batch = BATCH_INIT;
	struct buf key = BUF_INIT;
	uint32_t *tables;
	size_t i, count;

	test_store_open(&t);
	lsm_table_defaults(&options);
	ck_assert_int_eq(lsm_table_set(t.store->lsm, 99, &options), 0);
	row.cells = &cell;
	row.cell_count = 1;
	key_add_partition(&key, 5, bytes_str("k"));
	buf_add_byte(&key, KEY_STATIC);
	batch_add_row(&batch, 99, buf_bytes(&key), &row);
	ck_assert_int_eq(lsm_apply(t.store->lsm, &batch, NULL), 0);
	batch_release(&batch);
	buf_release(&key);
	test_store_reopen(&t);
	ck_assert_int_eq(lsm_table_list(t.store->lsm, &tables, &count), 0);
	for (i = 0; i < count; i++)
		ck_assert_uint_ne(tables[i], 99);
	mem_free(tables);
	test_store_close(&t);
}
END_TEST

struct seen {
	int schemas, changes;
	uint64_t from, to;
};

static void see_schema(void *context, const struct schema *from,
		       const struct schema *to)
{
	struct seen *seen = context;

	seen->schemas++;
	seen->from = from->version;
	seen->to = to->version;
}

static int refuse(void *context, const struct schema *now,
		  struct schema **next)
{
	(void)now, (void)next;
	return *(int *)context;
}

START_TEST(an_observer_sees_the_schema_change)
{
	struct test_store t;
	struct seen seen = { 0 };
	struct store_observer observer = { .schema_changed = see_schema,
					   .context = &seen };
	int result = -EEXIST;

	test_store_open(&t);
	store_observe(t.store, &observer);
	test_add_keyspace(t.store, "ks");
	ck_assert_int_eq(seen.schemas, 1);
	ck_assert_uint_eq(seen.to, seen.from + 1);
	ck_assert_int_eq(store_edit_schema(t.store, refuse, &result, 0), -EEXIST);
	result = 0;
	ck_assert_int_eq(store_edit_schema(t.store, refuse, &result, 0), 0);
	ck_assert_int_eq(seen.schemas, 1);
	store_observe(t.store, NULL);
	test_store_close(&t);
}
END_TEST

SUITE(store)
{
	TCase *tc = tcase_create("store");

	tcase_add_test(tc, a_store_is_made_and_opened_again);
	tcase_add_test(tc, a_path_without_a_store);
	tcase_add_test(tc, a_directory_that_is_something_else);
	tcase_add_test(tc, damaged_and_future_markers);
	tcase_add_loop_test(tc, a_catalogue_that_cannot_be, 0,
			    WRONG_RECORD_END);
	tcase_add_test(tc, an_engine_that_is_gone_is_damage);
	tcase_add_loop_test(tc, a_log_that_lost_its_end_is_damage, 0, 2);
	tcase_add_test(tc, a_link_in_the_store_is_not_followed);
	tcase_add_test(tc, a_second_writer_is_told_who_has_it);
	tcase_add_loop_test(tc, a_store_without_its_lock_file_is_locked, 0, 5);
	tcase_add_test(tc, a_read_only_store_is_not_written);
	tcase_add_loop_test(tc, the_directory_above_must_be_synced, 0,
			    ARRAY_SIZE(above_cases));
	tcase_add_test(tc, timestamps_go_on_after_a_restart);
	tcase_add_loop_test(tc, later_writes_have_later_timestamps, 0,
			    4);
	tcase_add_test(tc, numbers_are_not_used_again);
	tcase_add_test(tc, orphans_are_dropped_at_open);
	tcase_add_test(tc, an_observer_sees_the_schema_change);
	suite_add_tcase(suite, tc);
}
