/*
 * Indexes, for the files of this folder alone: maintain.c (writing), query.c
 * (reading), refuse.c, terms.c.
 *
 * The hidden table of an index has all its entries in one partition (token 0,
 * empty key), ordered by the indexed value:
 *
 *   term | key of the base | 38
 *
 * A term is the byte-comparable form of a value (of an entries index: of the
 * map's key and then its value). The key of the base is that of a row, or of a
 * static row if the entry is for a whole partition (indexes on static columns
 * and on parts of the partition key). Equality, ranges and prefixes are slices,
 * and the entries of one term are in the order of the base table.
 *
 * An entry has a cell (CELL_INDEX) for each cell of the base that it is for,
 * with its path, timestamp and TTL: so it ends with that cell, and is deleted
 * with that cell's timestamp, which harms no later entry. Too many entries are
 * harmless, as the base is read again; none may be missing.
 */
#ifndef STORE_INDEX_INDEX_H
#define STORE_INDEX_INDEX_H
#include "store/index/analyzer.h"
#include "store/table/inner.h"

/* Return the type of the indexed values (of an entries index the value's);
 * NULL: the column cannot be indexed. */
const struct type *index_term_type(const struct table *t,
				   const struct index *index);
/*
 * Append the terms of one value to the list: key is the map's key of an entries
 * index, in its binary form. Memory from the arena. 0, -ENOMEM.
 */
struct term_list {
	struct bytes *terms;
	size_t count;
};
int index_terms(struct term_list *list, struct arena *arena,
		const struct table *t, const struct index *index,
		struct bytes key, struct bytes value);
/* Decode a cell of the engine: the element or key in its binary form (null:
 * none, or a list's), and the value. 0, -ENOMEM, -EUCLEAN. */
int index_cell_parts(struct bytes *path, struct bytes *value,
		     struct arena *arena, const struct column *c,
		     const struct cell *cell);
/* Append the terms of such a cell. */
int index_cell_terms(struct term_list *list, struct arena *arena,
		     const struct table *t, const struct index *index,
		     const struct cell *cell);
/* Step over the term in an entry's key. 0, -EUCLEAN. */
int index_skip_term(struct reader *r, const struct table *t,
		    const struct index *index);
/* Append the prefix of all keys of a hidden table. */
void index_add_prefix(struct buf *out);
#define INDEX_PREFIX_LENGTH 11
#endif
