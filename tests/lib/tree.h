/*
 * A tree over a store of its own, driven as a kernel without caches would: each
 * call looks its path up, name by name, and forgets it again. Results are 0 or
 * -errno; texts are buf_cstr of what is in `text` until the next call.
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
/* Over a copy of the store in this directory. */
void tree_open_copy(struct tree *t, const char *from);
void tree_close(struct tree *t);
/* The store and the tree are closed and opened: what is in memory goes. */
void tree_reopen(struct tree *t);

/* Makes the keyspace shop, with a table of each kind. */
void tree_shop(struct tree *t);

/* *node is counted: fs_forget. */
int tree_walk(struct tree *t, const char *path, struct fs_entry *entry);
int tree_stat(struct tree *t, const char *path, struct stat *st);
int tree_mkdir(struct tree *t, const char *path);
int tree_rmdir(struct tree *t, const char *path);
int tree_unlink(struct tree *t, const char *path);
int tree_rename(struct tree *t, const char *from, const char *to,
		unsigned flags);
int tree_truncate(struct tree *t, const char *path, uint64_t size);
int tree_utimens(struct tree *t, const char *path, int64_t seconds);
/* The text of a file; NULL when that fails (*err says how). */
const char *tree_cat(struct tree *t, const char *path, int *err);
/* The file holds that, and its attributes say so. */
void tree_cat_is(struct tree *t, const char *path, const char *text);
void tree_is_gone(struct tree *t, const char *path);
/* As a shell's redirection: open, FLUSH, write, FLUSH, RELEASE. The first
 * error of write or, if there is none, of the last FLUSH. */
int tree_echo(struct tree *t, const char *path, int flags, const char *text);
/* Names in their order, each followed by '/' for directories and a blank. */
const char *tree_ls(struct tree *t, const char *path);
/* Value of an attribute; NULL when that fails. */
const char *tree_getxattr(struct tree *t, const char *path, const char *name,
			  int *err);
int tree_setxattr(struct tree *t, const char *path, const char *name,
		  const char *value);
/* Statements through .cql; what it answers. */
const char *tree_cql(struct tree *t, const char *file, const char *text,
		     int *err);

/* Statements through .cql, all good; t->call.wait_for is then what the reply to
 * the write waits for. */
void tree_run(struct tree *t, const char *text);
/* All notices so far as text: kind, node and name, each ended by a blank. */
const char *tree_notices(struct tree *t);
/* Has that text this one? name: of an entry, else NULL. */
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
