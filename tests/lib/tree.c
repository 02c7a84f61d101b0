#include "tests/lib/tree.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>

#include "store/base/alloc.h"

static void start(struct tree *t)
{
	t->options.store_path = "/";
	t->options.version = "test";
	ck_assert_int_eq(fs_open(&t->fs, t->store.store, &t->options), 0);
}

static void init(struct tree *t)
{
	memset(t, 0, sizeof(*t));
	fs_options_init(&t->options);
	t->call.umask = 022;
}

void tree_open(struct tree *t)
{
	init(t);
	test_store_open(&t->store);
	start(t);
}

void tree_open_copy(struct tree *t, const char *from)
{
	init(t);
	test_store_open_copy(&t->store, from);
	start(t);
}

void tree_close(struct tree *t)
{
	fs_close(t->fs);
	test_store_close(&t->store);
	buf_release(&t->text);
}

void tree_reopen(struct tree *t)
{
	fs_close(t->fs);
	test_store_reopen(&t->store);
	start(t);
}

static void forget(struct tree *t, uint64_t node)
{
	if (node != FS_ROOT)
		fs_forget(t->fs, node, 1);
}

int tree_walk(struct tree *t, const char *path, struct fs_entry *entry)
{
	uint64_t node = FS_ROOT;
	char name[600];
	int err = 0;

	memset(entry, 0, sizeof(*entry));
	entry->node = FS_ROOT;
	while (!err && *path) {
		size_t len = strcspn(path, "/");

		ck_assert_uint_lt(len, sizeof(name));
		memcpy(name, path, len);
		name[len] = 0;
		path += len + (path[len] == '/');
		err = fs_lookup(t->fs, &t->call, node, name, entry);
		forget(t, node);
		node = err ? FS_ROOT : entry->node;
	}
	return err;
}

/* Find the directory of a path (counted), and the name in it. */
static int walk_parent(struct tree *t, const char *path, uint64_t *parent,
		       const char **name)
{
	const char *slash = strrchr(path, '/');
	struct fs_entry entry;
	char dir[1024];
	int err;

	*name = slash ? slash + 1 : path;
	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path) : 0,
		 path);
	err = tree_walk(t, dir, &entry);
	*parent = entry.node;
	return err;
}

int tree_stat(struct tree *t, const char *path, struct stat *st)
{
	struct fs_entry entry;
	double timeout;
	int err = tree_walk(t, path, &entry);

	if (err)
		return err;
	err = fs_getattr(t->fs, &t->call, entry.node, 0, st, &timeout);
	if (!err && entry.node != FS_ROOT) {
		ck_assert_int_eq(st->st_size, entry.attr.st_size);
		ck_assert_uint_eq(st->st_ino, entry.attr.st_ino);
		ck_assert_int_eq(st->st_mtim.tv_sec,
				 entry.attr.st_mtim.tv_sec);
	}
	forget(t, entry.node);
	return err;
}

int tree_mkdir(struct tree *t, const char *path)
{
	struct fs_entry entry;
	const char *name;
	uint64_t parent;
	int err = walk_parent(t, path, &parent, &name);

	if (err)
		return err;
	err = fs_mkdir(t->fs, &t->call, parent, name, 0755, &entry);
	if (!err)
		forget(t, entry.node);
	forget(t, parent);
	return err;
}

static int removal(struct tree *t, const char *path,
		   int (*call)(struct fs *fs, struct fs_call *call,
			       uint64_t parent, const char *name))
{
	const char *name;
	uint64_t parent;
	int err = walk_parent(t, path, &parent, &name);

	if (err)
		return err;
	err = call(t->fs, &t->call, parent, name);
	forget(t, parent);
	return err;
}

int tree_rmdir(struct tree *t, const char *path)
{
	return removal(t, path, fs_rmdir);
}

int tree_unlink(struct tree *t, const char *path)
{
	return removal(t, path, fs_unlink);
}

int tree_rename(struct tree *t, const char *from, const char *to,
		unsigned flags)
{
	const char *name, *new_name;
	uint64_t parent, new_parent;
	struct fs_entry entry;
	int err;

	/* As the kernel does, the names are looked up before. */
	err = tree_walk(t, from, &entry);
	if (err)
		return err;
	forget(t, entry.node);
	if (!tree_walk(t, to, &entry))
		forget(t, entry.node);
	err = walk_parent(t, from, &parent, &name);
	if (err)
		return err;
	err = walk_parent(t, to, &new_parent, &new_name);
	if (!err)
		err = fs_rename(t->fs, &t->call, parent, name, new_parent,
				new_name, flags);
	forget(t, parent);
	forget(t, new_parent);
	return err;
}

static int truncate_once(struct tree *t, const char *path, uint64_t size)
{
	struct fs_entry entry;
	struct stat st = { .st_size = (off_t)size };
	double timeout;
	int err = tree_walk(t, path, &entry);

	if (err)
		return err;
	err = fs_setattr(t->fs, &t->call, entry.node, 0, FS_SET_SIZE, &st,
			 &timeout);
	forget(t, entry.node);
	return err;
}

/* A path that is answered ESTALE is looked up again, once, as the kernel
 * does. */
int tree_truncate(struct tree *t, const char *path, uint64_t size)
{
	int err = truncate_once(t, path, size);

	return err == -ESTALE ? truncate_once(t, path, size) : err;
}

int tree_utimens(struct tree *t, const char *path, int64_t seconds)
{
	struct fs_entry entry;
	struct stat st = { .st_size = 0 };
	double timeout;
	int err = tree_walk(t, path, &entry);

	if (err)
		return err;
	st.st_mtim.tv_sec = seconds;
	err = fs_setattr(t->fs, &t->call, entry.node, 0, FS_SET_MTIME, &st,
			 &timeout);
	forget(t, entry.node);
	return err;
}

static int open_once(struct tree *t, const char *path, int flags,
		     struct open_file *f)
{
	struct fs_entry entry;
	const char *name;
	uint64_t parent;
	int err = tree_walk(t, path, &entry);

	memset(f, 0, sizeof(*f));
	if (!err) {
		f->node = entry.node;
		err = fs_open_file(t->fs, &t->call, entry.node, flags,
				   &f->reply);
		if (err)
			forget(t, entry.node);
	} else if (err == -ENOENT && (flags & O_CREAT)) {
		err = walk_parent(t, path, &parent, &name);
		if (err)
			return err;
		err = fs_create(t->fs, &t->call, parent, name, 0644, flags,
				&entry, &f->reply);
		f->node = entry.node;
		forget(t, parent);
	}
	f->handle = f->reply.handle;
	return err;
}

int tree_open_file(struct tree *t, const char *path, int flags,
		   struct open_file *f)
{
	int err = open_once(t, path, flags, f);

	return err == -ESTALE ? open_once(t, path, flags, f) : err;
}

int tree_release(struct tree *t, struct open_file *f)
{
	int err = fs_release(t->fs, &t->call, f->node, f->handle);

	forget(t, f->node);
	return err;
}

const char *tree_cat(struct tree *t, const char *path, int *err)
{
	struct open_file f;
	uint64_t offset = 0;
	size_t before;

	buf_clear(&t->text);
	*err = tree_open_file(t, path, O_RDONLY, &f);
	if (*err)
		return NULL;
	do {
		before = t->text.len;
		*err = fs_read(t->fs, &t->call, f.node, f.handle, offset, 4096,
			       &t->text);
		offset = t->text.len;
	} while (!*err && t->text.len > before);
	tree_release(t, &f);
	return *err ? NULL : buf_cstr(&t->text);
}

int tree_echo(struct tree *t, const char *path, int flags, const char *text)
{
	struct open_file f;
	int64_t wrote = 0;
	int err, flushed;

	err = tree_open_file(t, path, flags, &f);
	if (err)
		return err;
	fs_flush(t->fs, &t->call, f.node, f.handle);
	if (*text)
		wrote = fs_write(t->fs, &t->call, f.node, f.handle, 0,
				 bytes_str(text));
	flushed = fs_flush(t->fs, &t->call, f.node, f.handle);
	tree_release(t, &f);
	return wrote < 0 ? (int)wrote : flushed;
}

static int add_name(void *context, const char *name, size_t len,
		    const struct fs_entry *entry, uint64_t cookie)
{
	struct tree *t = context;

	(void)cookie;
	if (name[0] == '.' && (len == 1 || (len == 2 && name[1] == '.')))
		return 0;
	ck_assert_uint_ne(entry->attr.st_ino, 0);
	buf_add(&t->text, name, len);
	if (S_ISDIR(entry->attr.st_mode))
		buf_add_byte(&t->text, '/');
	buf_add_byte(&t->text, ' ');
	if (entry->node)
		fs_forget(t->fs, entry->node, 1);
	return 0;
}

const char *tree_ls(struct tree *t, const char *path)
{
	struct fs_open_reply reply;
	struct fs_entry entry;
	int err = tree_walk(t, path, &entry);

	buf_clear(&t->text);
	if (err)
		return NULL;
	err = fs_opendir(t->fs, &t->call, entry.node, &reply);
	if (!err) {
		err = fs_readdir(t->fs, &t->call, entry.node, reply.handle, 0,
				 true, add_name, t);
		fs_releasedir(t->fs, &t->call, entry.node, reply.handle);
	}
	forget(t, entry.node);
	return err ? NULL : buf_cstr(&t->text);
}

const char *tree_getxattr(struct tree *t, const char *path, const char *name,
			  int *err)
{
	struct fs_entry entry;
	char value[512];
	int64_t got;

	*err = tree_walk(t, path, &entry);
	if (*err)
		return NULL;
	got = fs_getxattr(t->fs, &t->call, entry.node, name, value,
			  sizeof(value));
	forget(t, entry.node);
	buf_clear(&t->text);
	*err = got < 0 ? (int)got : 0;
	if (got >= 0)
		buf_add(&t->text, value, (size_t)got);
	return got < 0 ? NULL : buf_cstr(&t->text);
}

int tree_setxattr(struct tree *t, const char *path, const char *name,
		  const char *value)
{
	struct fs_entry entry;
	int err = tree_walk(t, path, &entry);

	if (err)
		return err;
	err = value ? fs_setxattr(t->fs, &t->call, entry.node, name,
				  bytes_str(value), 0) :
		      fs_removexattr(t->fs, &t->call, entry.node, name);
	forget(t, entry.node);
	return err;
}

const char *tree_cql(struct tree *t, const char *file, const char *text,
		     int *err)
{
	struct open_file f;
	int64_t wrote;
	size_t before;
	int failed;

	buf_clear(&t->text);
	*err = tree_open_file(t, file, O_RDWR, &f);
	if (*err)
		return NULL;
	for (; *text && !*err; text += wrote) {
		wrote = fs_write(t->fs, &t->call, f.node, f.handle, 0,
				 bytes_str(text));
		if (wrote < 0) {
			*err = (int)wrote;
			wrote = 0;
		}
	}
	do {
		before = t->text.len;
		failed = fs_read(t->fs, &t->call, f.node, f.handle, 0, 4096,
				 &t->text);
	} while (!failed && t->text.len > before);
	tree_release(t, &f);
	return buf_cstr(&t->text);
}

void tree_one_row(struct tree *t)
{
	tree_run(t, TEST_KEYSPACE ";"
		    "CREATE TABLE k.t (p text, c text, v text, "
		    "PRIMARY KEY (p, c));"
		    "INSERT INTO k.t (p, c, v) VALUES ('p', 'c', 'old');");
}

void tree_shop(struct tree *t)
{
	int err;

	tree_cql(t, ".cql",
		 "CREATE KEYSPACE shop WITH replication = {'class': "
		 "'SimpleStrategy', 'replication_factor': 1};"
		 "CREATE TYPE shop.place (street text, city text);"
		 "CREATE TABLE shop.users (user_name text, "
		 "country text, age int, photo blob, id uuid, tags set<text>, "
		 "phones map<text, text>, list list<int>, home place, "
		 "pair tuple<int, text>, PRIMARY KEY (user_name));"
		 "CREATE TABLE shop.by_city (city text, last text, first text,"
		 " mayor text static, address text, "
		 "PRIMARY KEY ((city), last, first));"
		 "CREATE TABLE shop.history (bucket text, name text, "
		 "at timestamp, what text, PRIMARY KEY ((bucket, name), at)) "
		 "WITH CLUSTERING ORDER BY (at DESC);"
		 "CREATE TABLE shop.likes (page text, n counter, PRIMARY KEY (page));",
		 &err);
	ck_assert_msg(!err, "%d: %s", err, (char *)t->text.ptr);
}

void tree_cat_is(struct tree *t, const char *path, const char *text)
{
	int err;
	const char *got = tree_cat(t, path, &err);
	struct stat st;

	ck_assert_msg(got != NULL, "%s: %d", path, err);
	ck_assert_msg(!strcmp(got, text), "%s holds %.500s", path, got);
	ck_assert_int_eq(tree_stat(t, path, &st), 0);
	ck_assert_int_eq(st.st_size, (off_t)strlen(text));
	ck_assert_int_eq(st.st_nlink, 1);
}

void tree_is_gone(struct tree *t, const char *path)
{
	struct stat st;

	ck_assert_int_eq(tree_stat(t, path, &st), -ENOENT);
}

void tree_run(struct tree *t, const char *text)
{
	struct open_file f;
	uint64_t wait_for;

	ck_assert_int_eq(tree_open_file(t, ".cql", O_RDWR, &f), 0);
	ck_assert_int_eq(fs_write(t->fs, &t->call, f.node, f.handle, 0,
				  bytes_str(text)), (int64_t)strlen(text));
	wait_for = t->call.wait_for;
	tree_release(t, &f);
	t->call.wait_for = wait_for;
}

const char *tree_notices(struct tree *t)
{
	static const char *const kinds[] = { "attr", "pages", "entry",
					     "epoch" };
	struct fs_notice list[32];
	int lock = 0;
	size_t i, n;

	buf_clear(&t->text);
	while (lock < FS_NOTICE_LOCKS) {
		n = fs_notices_take(t->fs, (enum fs_notice_lock)lock, list, 32,
				    0);
		lock += !n;
		for (i = 0; i < n; i++) {
			buf_add_format(&t->text, "%s:%llu%s%s ",
				       kinds[list[i].kind],
				       (unsigned long long)list[i].node,
				       list[i].name ? "/" : "",
				       list[i].name ? list[i].name : "");
			mem_free(list[i].name);
		}
	}
	return buf_cstr(&t->text);
}

bool tree_told(const char *all, const char *kind, uint64_t node,
	       const char *name)
{
	char one[128];

	snprintf(one, sizeof(one), "%s:%llu%s%s ", kind,
		 (unsigned long long)node, name ? "/" : "", name ? name : "");
	return strstr(all, one) != NULL;
}
