/* The keys of a table's rows, as the engine orders them. */
#ifndef STORE_TABLE_KEY_H
#define STORE_TABLE_KEY_H
#include "store/row/key.h"
#include "store/table/table.h"

/* Return the kind of the keys of the table's rows and bounds, and of its static
 * rows. */
static inline enum key_kind table_row_kind(const struct table *t)
{
	return t->flags & TABLE_WAS_FLAT ? KEY_LATER_ROW : KEY_ROW;
}
static inline enum key_kind table_static_kind(const struct table *t)
{
	return t->flags & TABLE_WAS_FLAT ? KEY_ROW : KEY_STATIC;
}
/* Append the part of a row's key after the partition (clustering NULL:
 * static). */
void key_add_place(struct buf *out, const struct table *t,
		   const struct bytes *clustering);
/* Append the components of clustering values; null values too. */
void key_add_clustering(struct buf *out, const struct table *t,
			const struct bytes *values, uint32_t count);
/* Append the whole key of a row (clustering NULL: the static row). */
void key_add_row(struct buf *out, const struct table *t,
		 struct bytes partition_key, const struct bytes *clustering);
/* Append the part of the key of a slice's end after the partition. */
void key_add_start(struct buf *out, const struct table *t,
		   const struct bound *start);
void key_add_end(struct buf *out, const struct table *t,
		 const struct bound *end);
/*
 * Decode the components that a row's key holds after its kind: values point
 * into memory or into clustering; ends[i]: the length of the first i + 1
 * components. 0, -EUCLEAN.
 */
int key_read_clustering(struct bytes *values, uint32_t *ends,
			struct buf *memory, const struct table *t,
			struct bytes clustering);
/* True if clustering values must be stored as written, since the key does not
 * hold all of their bytes. */
bool key_keeps_clustering(const struct table *t);
#endif
