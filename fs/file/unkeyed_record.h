/*
 * What waits for a @key (unkeyed.h), in the store: it is there again, and waits
 * on, after an unmount or a crash. The names of its records
 * (op/waiting_record.h) and the values, with numbers little-endian:
 *
 *   'u'  of a file: 4 uid | 1: 1 for a copier's text, plus 2 if it ends, plus 4
 *        if it is dated, as all are that are written now | 8 the second in which
 *        it ends | dated: 8 the timestamp of its write | the text
 *   'a'  of a file or directory: 8 mtime in nanoseconds, or NO_TIME | the text
 *        of user.expires, or nothing. Of a directory without either it says that
 *        the directory was made
 *   'k'  of a directory with a shortened name: the text of its @key
 *
 * 'u' and 'a' are removed after that is stored under its key. So after a crash in
 * between it is stored once more, with the same timestamp, by the next mount:
 * what was written there meanwhile is newer, and stays. A 'k' is removed by the
 * next mount, if nothing waits in the directory then.
 *
 * Calls return 0 or -errno where nothing else is said. Any thread.
 */
#ifndef FS_FILE_UNKEYED_RECORD_H
#define FS_FILE_UNKEYED_RECORD_H
#include "fs/op/op.h"

enum { UNKEYED_TEXT = 'u', UNKEYED_ATTRIBUTES = 'a', UNKEYED_KEY = 'k' };

/* One record or both, without the key. */
struct unkeyed_record {
	bool has_text;			/* false: of a directory */
	struct bytes text, expires;	/* the attribute as set, or nothing */
	struct store_how how;
	uid_t uid;			/* who pays for the text */
};
/*
 * Store r as the record of n, and the @keys that came above it. at: its key, which
 * is made if it is empty; it stays empty if the table is gone, and nothing is
 * stored.
 */
int unkeyed_record_save(struct op *op, struct node *n,
			const struct unkeyed_record *r, struct buf *at);
/* The same without the text, which is stored there or does not exist. */
int unkeyed_record_save_attributes(struct op *op, struct node *n,
				   const struct unkeyed_record *r,
				   struct buf *at);
/* Store the text of the @key of a directory that goes on waiting. */
int unkeyed_record_save_key(struct op *op, struct node *dir, struct bytes text);
/* Store r as the record of n, and nothing at the key *at any more, which becomes
 * the new one. */
int unkeyed_record_move(struct op *op, struct node *n,
			const struct unkeyed_record *r, struct buf *at);
/* Remove the records with the key *at, if it is not empty. */
int unkeyed_record_remove(struct op *op, const struct buf *at);
/* Read the records with that key into the op's arena. 1; 0: there are none;
 * -errno. */
int unkeyed_record_read(struct op *op, struct bytes key,
			struct unkeyed_record *r);
#endif
