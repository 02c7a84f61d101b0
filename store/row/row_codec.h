/*
 * The bytes of a row, in the commit log, in memtables and in sstables.
 *
 *   1  what is there: 1 marker, 2 the marker expires, 4 row deletion, 8 cells.
 *      0: an empty row, and nothing follows.
 *   8  base, little-endian: the marker's timestamp, else the deletion's, else
 *      the first cell's
 *   if the marker expires: varint ttl, local time expires less ttl
 *   if row deletion: zigzag timestamp less base, local time
 *   if cells: varint count, then each cell:
 *     1  bits 0-2 cell_flags, 3 expires, 4 a timestamp follows, 5 has a path,
 *        6-7 column less that of the cell before (less -1 for the first); 3: a
 *        varint with the rest follows
 *     if 3 in bits 6-7: varint column less the one before, less 3
 *     if bit 4: zigzag timestamp less base
 *     if bit 3: varint ttl, local time expiry less ttl; else if deleted: local
 *        time of the deletion
 *     if bit 5: varint length, path
 *     if not deleted: varint length, value
 *
 * A local time is a zigzag varint relative to the seconds of base: a clock that
 * gave both makes it one byte. Sums wrap, so that every value has a form; but an
 * expiry is a local time and a ttl whose sum does not.
 */
#ifndef STORE_ROW_ROW_CODEC_H
#define STORE_ROW_ROW_CODEC_H
#include "store/row/row.h"

/*
 * Append the encoded form (log and sstables hold it), and decode it. decode takes
 * the cell array from the arena, slices point into bytes. 0, -EUCLEAN when damaged,
 * -ENOMEM.
 */
void row_encode(struct buf *out, const struct row *row);
int row_decode(struct row *row, struct arena *arena, struct bytes bytes);
/* Decode cells of the wanted columns only: bit (column & 63) set in mask. */
int row_decode_columns(struct row *row, struct arena *arena,
		       struct bytes bytes, uint64_t mask);
/* Return the column of the first cell if the first bytes of the encoded row
 * show one that neither expires nor is deleted; else 0. */
uint32_t row_lasting_column(struct bytes encoded);
#endif
