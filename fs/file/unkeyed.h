/*
 * Files below a directory that waits for its @key: see unkeyed.c. Any thread;
 * no lock of the caller's is needed.
 */
#ifndef FS_FILE_UNKEYED_H
#define FS_FILE_UNKEYED_H
#include "fs/op/op.h"

struct held;
/* Store and load: by the kind, or in memory while the file waits. */
int file_store(struct op *op, struct node *n, struct bytes text,
	       const struct store_how *how);
int file_load(struct op *op, struct node *n, struct buf *out);
/* Each returns whether anything is held of n. */
bool held_stat(struct op *op, struct node *n, struct child *out);
bool held_set_mtime(struct op *op, struct node *n, int64_t mtime_ns);
/* user.expires while it waits. -ENODATA: there is nothing that could have
 * it. */
int held_set_expires(struct op *op, struct node *n, struct bytes value);
int held_get_expires(struct op *op, struct node *n, struct buf *out);
bool held_drop(struct fs *fs, struct node *n);
void held_free(struct fs *fs, struct held *held);
/* Store everything that waited for the key of dir, which has come. */
int held_settle(struct op *op, struct node *dir);
#endif
