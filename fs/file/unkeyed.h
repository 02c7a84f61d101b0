/*
 * Files below a directory that waits for its @key: see unkeyed.c. Any thread;
 * no lock of the caller's is needed.
 */
#ifndef FS_FILE_UNKEYED_H
#define FS_FILE_UNKEYED_H
#include "fs/op/op.h"

struct held;
struct unkeyed_record;
/* Hold the text until the key is known. 0, -EINVAL with the reason, or another
 * -errno. */
int unkeyed_store(struct op *op, struct node *n, struct bytes text,
		  const struct store_how *how);
/* Hold a text, which is not checked, where none is held of n. 0, -EEXIST: one is,
 * and stays; or another -errno. */
int unkeyed_hold_first(struct op *op, struct node *n, struct bytes text);
/* Return the bytes of RESOURCE_SCRATCH that holding a text of that length takes,
 * also where an older one is held: it goes afterwards. */
uint64_t unkeyed_room(uint64_t len);
/* unkeyed_store without a check in two steps: all that can fail, and the rest,
 * which takes *held over. Between them unkeyed_free gives it up. */
int unkeyed_prepare(struct held **held, struct op *op, struct bytes text,
		    const struct store_how *how);
void unkeyed_put(struct op *op, struct node *n, struct held *held);
/* Append the text that is held of n. False: none is. */
bool unkeyed_load(struct op *op, struct node *n, struct buf *out);
/* The same, with its times and user.expires as they were set. */
bool unkeyed_read(struct op *op, struct node *n, struct buf *text,
		  struct store_how *how, struct buf *expires);
/* Each returns whether anything is held of n; stat and set_mtime get and set
 * attributes of that. set_mtime: 1, 0, or -errno with the time as it was. */
bool unkeyed_holds(struct fs *fs, struct node *n);
bool unkeyed_stat(struct op *op, struct node *n, struct child *out);
int unkeyed_set_mtime(struct op *op, struct node *n, int64_t mtime_ns);
/* user.expires while it waits. -ENODATA: there is nothing that could have
 * it. */
int unkeyed_set_expires(struct op *op, struct node *n, struct bytes value);
int unkeyed_get_expires(struct op *op, struct node *n, struct buf *out);
/* Store that dir and the directories below it that wait for a key were made: as
 * fsync of dir. 0 or -errno. */
int unkeyed_save_directories(struct op *op, struct node *dir);
/* Drop what is held of n. 1; 0: nothing was; -errno: it is held on. */
int unkeyed_drop(struct op *op, struct node *n);
/* Move what is held of n to another node of the same file or directory. */
void unkeyed_move(struct op *op, struct node *n, struct node *to);
/* Hold of n what its record says, whose key is this: at mount. 0 or -errno. */
int unkeyed_hold_again(struct op *op, struct node *n,
		       const struct unkeyed_record *r, struct bytes key);
void unkeyed_free(struct fs *fs, struct held *held);
/*
 * Store everything that waited for the key of dir, which is known now. Returns
 * 0 or the first error. What failed for want of room or memory, or by the disk,
 * is held and shown on; the second function tries that again, if there is any.
 */
int unkeyed_settle(struct op *op, struct node *dir);
int unkeyed_settle_again(struct op *op, struct node *dir);
/*
 * Store what is held of n although its key is known: of a file, before another
 * text is stored, as it is older; after n was held or made, as the key may have
 * come meanwhile without finding it. 0, also if there is nothing; or -errno.
 */
int unkeyed_catch_up(struct op *op, struct node *n);
#endif
