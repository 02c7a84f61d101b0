/*
 * The statistics section:
 *
 *	info		as sstable_info_write has it
 *	last key	varint length and the bytes
 *	drop times	varint number of buckets; of each zigzag the time minus
 *			the one before, varint its count
 *
 * Info, in the manifest too: varints but where said: number | rows | cells |
 * tombstones | partitions | zigzag smallest and largest timestamp | zigzag
 * smallest and largest local time | flags (1 something is permanent, 2 there are
 * bounds) | 8 first token | 8 last token | size before compression | rows of
 * the largest partition | zigzag time of creation.
 */
#include "store/sstable/stats.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/array.h"
#include "store/row/reconcile.h"
#include "store/sstable/format.h"

void sstable_info_write(struct buf *out, const struct sstable_info *info)
{
	buf_add_varint(out, info->number);
	buf_add_varint(out, info->row_count);
	buf_add_varint(out, info->cell_count);
	buf_add_varint(out, info->tombstone_count);
	buf_add_varint(out, info->partition_count);
	buf_add_zigzag(out, info->min_timestamp);
	buf_add_zigzag(out, info->max_timestamp);
	buf_add_zigzag(out, info->min_local_time);
	buf_add_zigzag(out, info->max_local_time);
	buf_add_varint(out, (info->has_permanent ? 1 : 0) |
				    (info->has_bounds ? 2 : 0));
	buf_add_le64(out, (uint64_t)info->first_token);
	buf_add_le64(out, (uint64_t)info->last_token);
	buf_add_varint(out, info->raw_size);
	buf_add_varint(out, info->largest_partition_rows);
	buf_add_zigzag(out, info->created);
}

bool sstable_info_read(struct reader *r, struct sstable_info *info)
{
	uint64_t flags, largest;

	memset(info, 0, sizeof(*info));
	info->number = read_varint(r);
	info->row_count = read_varint(r);
	info->cell_count = read_varint(r);
	info->tombstone_count = read_varint(r);
	info->partition_count = read_varint(r);
	info->min_timestamp = read_zigzag(r);
	info->max_timestamp = read_zigzag(r);
	info->min_local_time = read_zigzag(r);
	info->max_local_time = read_zigzag(r);
	flags = read_varint(r);
	info->has_permanent = flags & 1;
	info->has_bounds = flags & 2;
	info->first_token = (int64_t)read_le64(r);
	info->last_token = (int64_t)read_le64(r);
	info->raw_size = read_varint(r);
	largest = read_varint(r);
	info->largest_partition_rows = (uint32_t)largest;
	info->created = read_zigzag(r);
	return !r->failed && flags < 4 && largest <= UINT32_MAX;
}

/* ------------------------------------------------------------- histogram */
/* Join the two neighbours that are closest in time. */
static void histogram_join(struct histogram *h)
{
	uint64_t best = UINT64_MAX;
	uint32_t i, at = 0;
	struct histogram_bucket *a, *b;

	for (i = 0; i + 1 < h->used; i++) {
		uint64_t gap = (uint64_t)h->buckets[i + 1].time -
			       (uint64_t)h->buckets[i].time;

		if (gap < best) {
			best = gap;
			at = i;
		}
	}
	a = &h->buckets[at];
	b = &h->buckets[at + 1];
	a->count += b->count;
	a->time += (int64_t)((double)best *
			     ((double)b->count / (double)a->count));
	if (a->time > b->time)		/* rounded up at the far end */
		a->time = b->time;
	memmove(b, b + 1, (h->used - at - 2) * sizeof(*b));
	h->used--;
}

static bool bucket_before(const void *element, const void *key)
{
	return ((const struct histogram_bucket *)element)->time <
	       *(const int64_t *)key;
}

void histogram_add(struct histogram *h, int64_t time, uint64_t count)
{
	size_t low = array_find(h->buckets, h->used, sizeof(h->buckets[0]),
				&time, bucket_before);

	if (low < h->used && h->buckets[low].time == time) {
		h->buckets[low].count += count;
		return;
	}
	memmove(&h->buckets[low + 1], &h->buckets[low],
		(h->used - low) * sizeof(h->buckets[0]));
	h->buckets[low].time = time;
	h->buckets[low].count = count;
	h->used++;
	if (h->used > HISTOGRAM_BUCKETS)
		histogram_join(h);
}

double histogram_below(const struct histogram *h, int64_t time)
{
	double sum = 0;
	uint32_t i;

	for (i = 0; i < h->used && h->buckets[i].time < time; i++)
		sum += (double)h->buckets[i].count;
	return sum;
}

/* ----------------------------------------------------------------- stats */
void stats_init(struct stats *s)
{
	memset(s, 0, sizeof(*s));
	s->info.min_timestamp = s->info.min_local_time = INT64_MAX;
	s->info.max_timestamp = s->info.max_local_time = INT64_MIN;
}

void stats_release(struct stats *s)
{
	buf_release(&s->last_key);
}

static void add_drop_time(struct stats *s, int64_t local_time)
{
	if (local_time == NO_TIME)
		return;
	histogram_add(&s->drop_times, local_time, 1);
}

/* Widen the spans of timestamps and local times. */
static void widen(struct sstable_info *info, int64_t min_timestamp,
		  int64_t max_timestamp, int64_t min_local_time,
		  int64_t max_local_time)
{
	if (min_timestamp < info->min_timestamp)
		info->min_timestamp = min_timestamp;
	if (max_timestamp > info->max_timestamp)
		info->max_timestamp = max_timestamp;
	if (min_local_time < info->min_local_time)
		info->min_local_time = min_local_time;
	if (max_local_time > info->max_local_time)
		info->max_local_time = max_local_time;
}

void stats_add_row(struct stats *s, const struct row *row)
{
	struct sstable_info *info = &s->info;
	struct row_stats one = { INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN,
				 0, 0, false };
	uint32_t i;

	row_add_stats(&one, row);
	info->row_count++;
	info->cell_count += one.cells;
	info->tombstone_count += one.tombstones;
	widen(info, one.min_timestamp, one.max_timestamp, one.min_local_time,
	      one.max_local_time);
	if (one.has_permanent)
		info->has_permanent = true;
	if (one.min_local_time > one.max_local_time)
		return;			/* nothing is ever to be dropped */
	if (!deletion_is_none(row->deletion))
		add_drop_time(s, row->deletion.local_time);
	if (row->marker.timestamp != NO_TIMESTAMP && row->marker.ttl)
		add_drop_time(s, row->marker.expires);
	for (i = 0; i < row->cell_count; i++)
		add_drop_time(s, row->cells[i].local_time);
}

void stats_add_deletion(struct stats *s, struct deletion d)
{
	struct sstable_info *info = &s->info;

	info->tombstone_count++;
	info->has_bounds = true;
	widen(info, d.timestamp, d.timestamp, d.local_time, d.local_time);
	add_drop_time(s, d.local_time);
}

void stats_write(struct buf *out, const struct stats *s)
{
	int64_t before = 0;
	uint32_t i;

	sstable_info_write(out, &s->info);
	buf_add_sized(out, buf_bytes(&s->last_key));
	buf_add_varint(out, s->drop_times.used);
	for (i = 0; i < s->drop_times.used; i++) {
		const struct histogram_bucket *b = &s->drop_times.buckets[i];

		buf_add_zigzag(out, (int64_t)((uint64_t)b->time -
					      (uint64_t)before));
		buf_add_varint(out, b->count);
		before = b->time;
	}
}

int stats_read(struct stats *s, struct bytes section)
{
	struct reader r = reader_of(section);
	struct bytes last;
	uint64_t used, i;
	int64_t time = 0;

	if (!sstable_info_read(&r, &s->info))
		return -EUCLEAN;
	last = read_sized(&r);
	used = read_varint(&r);
	if (r.failed || last.len > LARGEST_KEY || used > HISTOGRAM_BUCKETS)
		return -EUCLEAN;
	for (i = 0; i < used; i++) {
		struct histogram_bucket *b = &s->drop_times.buckets[i];

		time = (int64_t)((uint64_t)time + (uint64_t)read_zigzag(&r));
		b->time = time;
		b->count = read_varint(&r);
	}
	s->drop_times.used = (uint32_t)used;
	buf_clear(&s->last_key);
	buf_add_bytes(&s->last_key, last);
	if (s->last_key.failed)
		return -ENOMEM;
	return r.failed || reader_left(&r) ? -EUCLEAN : 0;
}
