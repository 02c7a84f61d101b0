/*
 * Clustering values that are equal but written differently (1.0 and 1.00) name
 * one row. While the row exists it keeps the spelling that it was made with,
 * which is also its name in the mounted tree. So a write to a table where such
 * values are usual looks whether the row exists, and uses its spelling; each
 * version of the row stores the spelling, since any of them may be the one that
 * stays. The partition is locked from the look until the write is applied: of
 * two writers that make one row at the same time, the first names it.
 */
#include <errno.h>
#include <xxhash.h>

#include "store/table/write.h"
#include "store/type/ordered.h"

struct spelling {
	const struct table *table;
	struct bytes key, partition_key;
	struct bytes *clustering;	/* shared by the changes */
	struct spelling *next;
};

/* True if the key decodes to other bytes than these. */
static bool differs(const struct column *c, struct bytes value)
{
	struct buf key = BUF_INIT, back = BUF_INIT;
	struct reader r;
	bool is_null, differs;

	type_ordered_append(&key, c->type, value, false);
	r = reader_of(buf_bytes(&key));
	differs = type_ordered_decode(&back, &is_null, c->type, &r, false) ||
		  back.failed || !bytes_equal(buf_bytes(&back), value);
	buf_release(&key);
	buf_release(&back);
	return differs;
}

/*
 * True if this value is to be stored beside the key. Decimals always are, to
 * know which spelling came first; of other types only the few spellings that
 * nobody writes (a NaN of other bits, a longer varint, a shorter tuple).
 */
static bool is_kept(const struct column *c, struct bytes value)
{
	if (!value.len || type_ordered_exact(c->type))
		return false;
	return type_contains_kind(c->type, TYPE_DECIMAL) || differs(c, value);
}

static bool keeps_any(const struct row_builder *b)
{
	uint32_t i;

	for (i = 0; i < b->table->clustering_count; i++)
		if (is_kept(table_clustering_column(b->table, i),
			    b->clustering[i]))
			return true;
	return false;
}

/* ------------------------------------------------------- of the same write */
static struct spelling **bucket_of(const struct spellings *all,
				   struct bytes key)
{
	return &all->buckets[XXH3_64bits(key.ptr, key.len) & (all->bucket_count - 1)];
}

static void grow(struct write *w)
{
	struct spellings *all = &w->row->spellings, old = *all;
	struct spelling *s, *next;
	size_t i;

	all->bucket_count = old.bucket_count ? old.bucket_count * 4 : 16;
	all->buckets = arena_zalloc(&w->arena, all->bucket_count,
				    sizeof(*all->buckets));
	if (!all->buckets) {
		*all = old;
		return;
	}
	for (i = 0; i < old.bucket_count; i++) {
		for (s = old.buckets[i]; s; s = next) {
			struct spelling **bucket = bucket_of(all, s->key);

			next = s->next;
			s->next = *bucket;
			*bucket = s;
		}
	}
}

static void note(struct write *w)
{
	struct row_builder *b = w->row;
	struct spelling *s = arena_alloc(&w->arena, sizeof(*s)), **bucket;

	if (b->spellings.count == b->spellings.bucket_count)
		grow(w);
	if (!s || !b->spellings.buckets)
		return;		/* the arena remembers its failure */
	*s = (struct spelling){
		.table = b->table,
		.key = arena_copy(&w->arena, buf_bytes(&b->key)),
		.partition_key = b->partition_key,
		.clustering = arena_alloc(&w->arena,
					  b->table->clustering_count *
						  sizeof(*s->clustering)),
	};
	if (!s->clustering)
		return;
	memcpy(s->clustering, b->clustering,
	       b->table->clustering_count * sizeof(*s->clustering));
	b->clustering = s->clustering;
	bucket = bucket_of(&b->spellings, s->key);
	s->next = *bucket;
	*bucket = s;
	b->spellings.count++;
}

static struct spelling *noted(const struct row_builder *b, uint32_t table,
			      struct bytes key)
{
	struct spelling *s;

	if (!b->spellings.count)
		return NULL;
	for (s = *bucket_of(&b->spellings, key); s; s = s->next)
		if (s->table->number == table && bytes_equal(s->key, key))
			return s;
	return NULL;
}

/* ------------------------------------------------------------------ a row */
/* Return the newest live timestamp in the row; NO_TIMESTAMP: it only
 * deletes. */
static int64_t live_timestamp(const struct row *row)
{
	int64_t timestamp = row->marker.timestamp;
	uint32_t i;

	for (i = 0; i < row->cell_count; i++)
		if (!(row->cells[i].flags &
		      (CELL_TOMBSTONE | CELL_COLUMN_DELETION)) &&
		    row->cells[i].timestamp > timestamp)
			timestamp = row->cells[i].timestamp;
	return timestamp;
}

static void add_cells(struct write *w, int64_t timestamp)
{
	const struct row_builder *b = w->row;
	uint32_t i;

	for (i = 0; i < b->table->clustering_count; i++) {
		uint8_t place[2] = { (uint8_t)(i >> 8), (uint8_t)i };
		struct cell cell = {
			.column = CELL_CLUSTERING, .timestamp = timestamp,
			.local_time = NO_TIME, .value = b->clustering[i],
		};

		if (!is_kept(table_clustering_column(b->table, i), cell.value))
			continue;
		cell.path = arena_copy(&w->arena, bytes_of(place, 2));
		write_add_cell(w, &cell);
	}
}

void write_spelling(struct write *w)
{
	struct row_builder *b = w->row;
	int64_t timestamp = live_timestamp(&b->row);
	struct spelling *first;
	struct row_view there;
	int found = 1;

	if (!keeps_any(b))
		return;
	first = noted(b, b->table->number, buf_bytes(&b->key));
	if (first) {
		b->clustering = first->clustering;
	} else {
		found = table_read(w->store, b->table, b->partition_key,
				   b->clustering, 0, write_now_s(w), &w->arena,
				   &there);
		if (found < 0) {
			w->failed = true;
			b->err = found;
			return;
		}
		if (found)
			b->clustering = there.clustering;
	}
	if (timestamp == NO_TIMESTAMP)
		return;		/* a deleted row needs no name */
	add_cells(w, timestamp);
	if (!first)
		note(w);
}
