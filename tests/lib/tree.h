/*
 * A tree with its own store, called as by a kernel without caches: each call
 * looks its path up, name by name, and forgets it again. Results are 0 or
 * -errno; texts are in t->text, and valid until the next call.
 */
#ifndef TESTS_LIB_TREE_H
#define TESTS_LIB_TREE_H
#include <fcntl.h>

#include "fs/fs.h"
#include "tests/lib/store.h"

struct tree {
	struct test_store store;
	struct fs *fs;
	struct fs_options options;
	struct fs_call call;
	struct buf text;
	int64_t shift_s;
};
void tree_open(struct tree *t);
/* Open a tree on a copy of the store in this directory. */
void tree_open_copy(struct tree *t, const char *from);
void tree_close(struct tree *t);
/* Close the store and the tree, and open them again: their memory is new. */
void tree_reopen(struct tree *t);

/* Make the keyspace shop, with a table of each kind. */
void tree_shop(struct tree *t);
/* Make the table k.t (p text, c text, v text, PRIMARY KEY (p, c)) with the row
 * ('p', 'c', 'old'). */
void tree_one_row(struct tree *t);

/* Look a path up: entry->node is counted, for fs_forget. */
int tree_walk(struct tree *t, const char *path, struct fs_entry *entry);
int tree_stat(struct tree *t, const char *path, struct stat *st);
int tree_mkdir(struct tree *t, const char *path);
int tree_rmdir(struct tree *t, const char *path);
int tree_unlink(struct tree *t, const char *path);
int tree_rename(struct tree *t, const char *from, const char *to,
		unsigned flags);
int tree_truncate(struct tree *t, const char *path, uint64_t size);
int tree_utimens(struct tree *t, const char *path, int64_t seconds);
/* Return the text of a file; NULL with *err if that fails. */
const char *tree_cat(struct tree *t, const char *path, int *err);
/* Assert that the file has this text, and its attributes the size of it. */
void tree_cat_is(struct tree *t, const char *path, const char *text);
void tree_is_gone(struct tree *t, const char *path);
/* Write a text as a shell's redirection does: open, FLUSH, write, FLUSH,
 * RELEASE. Returns the error of the open, the write or, without these, of the
 * last FLUSH. */
int tree_echo(struct tree *t, const char *path, int flags, const char *text);
/* Return the names in their order, each followed by '/' for directories and a
 * blank. */
const char *tree_ls(struct tree *t, const char *path);
/* Return the value of an attribute; NULL with *err if that fails. */
const char *tree_getxattr(struct tree *t, const char *path, const char *name,
			  int *err);
int tree_setxattr(struct tree *t, const char *path, const char *name,
		  const char *value);
/* Run statements through .cql, and return the answer. */
const char *tree_cql(struct tree *t, const char *file, const char *text,
		     int *err);

/* Run statements through .cql, and assert that all succeed. t->call.wait_for is
 * then that of the write. */
void tree_run(struct tree *t, const char *text);
/* Return all notices so far as text: kind, node and name, each ended by a
 * blank. */
const char *tree_notices(struct tree *t);
/* True if that text has this notice. name: of an entry, else NULL. */
bool tree_told(const char *all, const char *kind, uint64_t node,
	       const char *name);

struct open_file {
	uint64_t node, handle;
	struct fs_open_reply reply;
};
int tree_open_file(struct tree *t, const char *path, int flags,
		   struct open_file *f);
int tree_release(struct tree *t, struct open_file *f);
#endif
