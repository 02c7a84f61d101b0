#include "tests/lib/store.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/lsm/lsm.h"
#include "store/table/present.h"
#include "store/table/write.h"

static int remove_one(const char *path, const struct stat *st, int kind,
		      struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

void remove_tree(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void test_path(char path[128])
{
	const char *top = getenv("TMPDIR");

	snprintf(path, 128, "%s/widefs-test-XXXXXX", top ? top : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(path));
	ck_assert_int_eq(rmdir(path), 0);
}

static void open_store(struct test_store *t)
{
	pid_t owner = 0;
	bool created;

	ck_assert_int_eq(store_open(&t->store, t->path, &t->options, &owner,
				    &created), 0);
}

void test_store_open_with(struct test_store *t,
			  const struct store_options *options)
{
	test_path(t->path);
	t->options = *options;
	t->options.create = true;
	open_store(t);
}

static void init_options(struct store_options *options)
{
	store_options_init(options);
	options->no_threads = true;
	options->commit_s = 1000;	/* tests do not wait for disks */
}

void test_store_open(struct test_store *t)
{
	struct store_options options;

	init_options(&options);
	test_store_open_with(t, &options);
}

static void copy_file(const char *from, const char *to)
{
	FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
	char piece[4096];
	size_t len;

	ck_assert(in && out);
	while ((len = fread(piece, 1, sizeof(piece), in)))
		ck_assert_uint_eq(fwrite(piece, 1, len, out), len);
	fclose(in);
	ck_assert(!fclose(out) && !chmod(to, 0600));
}

static void copy_directory(const char *from, const char *to)
{
	DIR *directory = opendir(from);
	struct dirent *entry;

	ck_assert_ptr_nonnull(directory);
	ck_assert(!mkdir(to, 0700));
	while ((entry = readdir(directory))) {
		char source[400], target[400];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(source, sizeof(source), "%s/%s", from, entry->d_name);
		snprintf(target, sizeof(target), "%s/%s", to, entry->d_name);
		if (entry->d_type == DT_DIR)
			copy_directory(source, target);
		else
			copy_file(source, target);
	}
	closedir(directory);
}

int test_store_open_on(struct store **out, const struct file_ops *files,
		       bool create)
{
	struct store_options options;
	bool created;

	store_options_init(&options);
	options.no_threads = true;
	options.commit_s = 1000;
	options.cache_bytes = 1 << 16;
	options.memtable_bytes = 64 << 20; /* the default asks the system */
	options.create = create;
	options.files = files;
	return store_open(out, "/store", &options, NULL, &created);
}

void test_store_copy(struct test_store *t, const char *from)
{
	t->store = NULL;
	test_path(t->path);
	copy_directory(from, t->path);
	init_options(&t->options);
}

void test_store_open_copy(struct test_store *t, const char *from)
{
	test_store_copy(t, from);
	open_store(t);
}

void test_store_reopen(struct test_store *t)
{
	ck_assert_int_eq(store_close(t->store), 0);
	open_store(t);
}

void test_store_close(struct test_store *t)
{
	if (t->store)
		ck_assert_int_eq(store_close(t->store), 0);
	t->store = NULL;
	remove_tree(t->path);
}

/* ------------------------------------------------------------------ schema */
struct edit {
	struct keyspace *keyspace;
	struct table *table;
	const char *drop_keyspace, *drop_table;
};

static int edit(void *context, const struct schema *now, struct schema **next)
{
	struct edit *e = context;

	*next = schema_copy(now);
	ck_assert_ptr_nonnull(*next);
	if (e->keyspace)
		return schema_set_keyspace(*next, e->keyspace);
	if (e->table)
		return schema_set_table(*next, e->table);
	return schema_remove_table(*next, bytes_str(e->drop_keyspace),
				   bytes_str(e->drop_table));
}

void test_add_keyspace(struct store *s, const char *name)
{
	struct edit e = { .keyspace = keyspace_new(name) };

	ck_assert_int_eq(keyspace_set_replication(e.keyspace, "class",
						  "SimpleStrategy"), 0);
	ck_assert_int_eq(keyspace_set_replication(e.keyspace,
						  "replication_factor", "1"),
			 0);
	ck_assert_int_eq(store_edit_schema(s, edit, &e, 0), 0);
}

struct table *test_table(struct store *s, const char *keyspace,
			 const char *name)
{
	struct schema *schema = store_schema(s);
	struct table *t = schema_table(schema, bytes_str(keyspace),
				       bytes_str(name));

	ck_assert_ptr_nonnull(t);
	table_get(t);
	schema_put(schema);
	return t;
}

struct table *test_add_table(struct store *s, struct table *table)
{
	struct edit e = { .table = table_get(table) };
	struct table *t;

	ck_assert_int_eq(store_edit_schema(s, edit, &e, 0), 0);
	t = test_table(s, table->keyspace, table->name);
	table_put(table);
	return t;
}

void test_drop_table(struct store *s, const char *keyspace, const char *name)
{
	struct edit e = { .drop_keyspace = keyspace, .drop_table = name };

	ck_assert_int_eq(store_edit_schema(s, edit, &e, 0), 0);
}

int test_write(struct write *w)
{
	write_lock_stripes(w, w->written);
	return commit_write(w);
}
