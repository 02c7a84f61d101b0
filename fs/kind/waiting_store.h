/*
 * Files that wait for schema.cql (waiting.h), in the store: they are there again
 * after an unmount or a crash. The names of their records (op/waiting_record.h)
 * and the values, with numbers little-endian:
 *
 *     'w'  the file: 8 mtime in nanoseconds | 8 the second in which it ends, or
 *          NO_TIME | 4 uid | 4 gid | 4 mode | 1: 1 if the mtime was set, else
 *          0 | the text
 *     'n'  of a table (its key has no names below it) that is about to be
 *          replaced by the one of this name, in which what waits is made anew:
 *          keyspace '/' table
 *
 * Order: 'n' is written before the schema that replaces the table, both are
 * removed after all files were made anew. So after a crash in between they are
 * made anew once more, the same. Files of a table that is gone without an 'n'
 * are removed by the next mount.
 *
 * Calls return 0 or -errno where nothing else is said. Any thread.
 */
#ifndef FS_KIND_WAITING_STORE_H
#define FS_KIND_WAITING_STORE_H
#include "fs/op/op.h"

struct scratch_about;

/*
 * Store a file that waits, with this text and what goes with it; nothing, once
 * waiting_unsave has removed it. The next three need n->scratch->changing, and
 * leave the file in memory as it is.
 */
int waiting_save(struct op *op, struct node *n,
		 const struct scratch_about *about, struct bytes text);
/* Store a file that was just made as it is, while no other thread writes. */
int waiting_save_row(struct op *op, struct node *n);
/* Forget the file n, which is removed. */
int waiting_unsave(struct op *op, struct node *n);
/* The scratch file n, waiting or not, gets this name of dir, where it waits or
 * not. */
int waiting_save_renamed(struct op *op, struct node *n, struct node *dir,
			 struct bytes name, bool waits);
/* Write the 'n' of the table with this number, while no other thread writes. */
int waiting_save_successor(struct op *op, uint32_t from,
			   const struct table *to);
/* All that waited in these nodes of tables was made anew, where another table
 * took their place. */
int waiting_unsave_tables(struct op *op, struct node *const *tables,
			  size_t count);

/* For waiting_load.c: records as they are. */
enum { WAITING_FILE = 'w', WAITING_SUCCESSOR = 'n' };
#define WAITING_FILE_LEN 29	/* of a file, without its text */
/* Call each for all records with this attribute; it may not write. */
int waiting_each_record(struct op *op, uint8_t name, table_attribute_each *each,
			void *context);
/* Add a record to those that waiting_remove_records removes. No memory:
 * records->failed. */
void waiting_remove_later(struct buf *records, uint8_t name, struct bytes key);
int waiting_remove_records(struct op *op, const struct buf *records);
#endif
