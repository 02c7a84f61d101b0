/*
 * A separator is the shortest key that tells two neighbouring blocks apart. It
 * may be shorter than any real key; nothing but comparing is done with it. The
 * state of deletions between the last key of one block and the first of the
 * next is the same everywhere in that gap, so it does not matter where in it
 * the separator lies.
 *
 * A search interpolates over the heads first: tokens are uniform, so two or
 * three guesses come close. Inside one large partition heads are all equal, and
 * the pool's bytes decide.
 */
#include "store/sstable/index.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/base/array.h"
#include "store/sstable/format.h"

void index_builder_release(struct index_builder *b)
{
	buf_release(&b->bytes);
	buf_release(&b->last);
}

static size_t shared_len(struct bytes a, struct bytes b)
{
	size_t len = a.len < b.len ? a.len : b.len, i = 0;

	while (i < len && a.ptr[i] == b.ptr[i])
		i++;
	return i;
}

void index_builder_add(struct index_builder *b, struct bytes last_key,
		       struct bytes first_key, uint64_t stored,
		       struct deletion open)
{
	struct bytes separator = first_key;
	size_t shared;

	if (b->count) {
		size_t len = shared_len(last_key, first_key) + 1;

		/* last_key < first_key: they differ before first_key ends. */
		if (len < separator.len)
			separator.len = len;
	}
	shared = shared_len(buf_bytes(&b->last), separator);
	buf_add_varint(&b->bytes, shared);
	buf_add_varint(&b->bytes, separator.len - shared);
	buf_add_varint(&b->bytes, stored);
	buf_add_varint(&b->bytes, !deletion_is_none(open));
	buf_add(&b->bytes, separator.ptr + shared, separator.len - shared);
	if (!deletion_is_none(open)) {
		buf_add_zigzag(&b->bytes, open.timestamp);
		buf_add_zigzag(&b->bytes, open.local_time);
	}
	b->last.len = 0;
	buf_add_bytes(&b->last, separator);
	b->count++;
}

/* --------------------------------------------------------------- reading */
static uint64_t head_of(struct bytes key, size_t from)
{
	uint8_t head[8] = { 0 };

	if (from < key.len)
		memcpy(head, key.ptr + from,
		       key.len - from < 8 ? key.len - from : 8);
	return get_be64(head);
}

void block_index_release(struct block_index *x)
{
	mem_free(x->heads);
	mem_free(x->offsets);
	mem_free(x->keys);
	mem_free(x->opens);
	buf_release(&x->pool);
	memset(x, 0, sizeof(*x));
}

static int add_open(struct block_index *x, uint32_t block, struct deletion d)
{
	if ((x->open_count & (x->open_count - 1)) == 0) {
		size_t cap = x->open_count ? 2 * (size_t)x->open_count : 1;
		struct index_open *opens = mem_resize(x->opens, cap,
						      sizeof(*opens));

		if (!opens)
			return -ENOMEM;
		x->opens = opens;
	}
	x->opens[x->open_count].block = block;
	x->opens[x->open_count++].deletion = d;
	return 0;
}

static int read_entry(struct block_index *x, struct reader *r, uint32_t i,
		      uint64_t end)
{
	uint64_t shared = read_varint(r), rest = read_varint(r);
	uint64_t stored = read_varint(r), flags = read_varint(r);
	struct bytes before = i ? block_index_key(x, i - 1) : BYTES_EMPTY;
	struct bytes tail = read_bytes(r, rest);

	if (r->failed || shared > before.len || shared + rest > LARGEST_KEY ||
	    flags > 1 || stored <= BLOCK_HEADER_SIZE ||
	    stored > end - x->offsets[i])
		return -EUCLEAN;
	x->keys[i] = x->pool.len;
	/* Reserve a byte, so that there is a pool if the only separator is
	 * empty. */
	if (!buf_reserve(&x->pool, shared + rest + 1))
		return -ENOMEM;
	/* The pool may have moved: take the separator before from there. */
	if (shared)
		buf_add(&x->pool, x->pool.ptr + x->keys[i - 1], shared);
	buf_add_bytes(&x->pool, tail);
	x->keys[i + 1] = x->pool.len;
	x->offsets[i + 1] = x->offsets[i] + stored;
	if (i && bytes_compare(block_index_key(x, i - 1),
			       block_index_key(x, i)) >= 0)
		return -EUCLEAN;
	if (flags & 1) {
		struct deletion open;

		open.timestamp = read_zigzag(r);
		open.local_time = read_zigzag(r);
		if (r->failed || deletion_is_none(open))
			return -EUCLEAN;
		return add_open(x, i, open);
	}
	return 0;
}

int block_index_read(struct block_index *x, struct bytes stored, uint64_t count,
		     uint64_t begin, uint64_t end, const char **why)
{
	struct reader r = reader_of(stored);
	uint32_t i;
	int err = 0;

	memset(x, 0, sizeof(*x));
	*why = "a wrong number of blocks";
	if (!count || count > stored.len / 4 || count > UINT32_MAX - 1)
		return -EUCLEAN;
	x->count = (uint32_t)count;
	x->heads = mem_zalloc(count, sizeof(*x->heads));
	x->offsets = mem_zalloc(count + 1, sizeof(*x->offsets));
	x->keys = mem_zalloc(count + 1, sizeof(*x->keys));
	if (!x->heads || !x->offsets || !x->keys) {
		err = -ENOMEM;
		goto out;
	}
	x->offsets[0] = begin;
	*why = "a wrong index entry";
	for (i = 0; i < x->count && !err; i++)
		err = read_entry(x, &r, i, end);
	if (!err && (reader_left(&r) || x->offsets[count] != end)) {
		*why = "an index that is not of these blocks";
		err = -EUCLEAN;
	}
	if (err)
		goto out;
	x->prefix_len = shared_len(block_index_key(x, 0),
				   block_index_key(x, x->count - 1));
	for (i = 0; i < x->count; i++)
		x->heads[i] = head_of(block_index_key(x, i), x->prefix_len);
	x->memory = count * 24 + x->pool.cap +
		    x->open_count * sizeof(*x->opens);
out:
	if (err)
		block_index_release(x);
	return err;
}

/*
 * Count the heads < head (or <= head), which is known to lie between low and
 * high.
 */
static uint32_t count_heads(const struct block_index *x, uint64_t head,
			    bool equal)
{
	uint32_t low = 0, high = x->count, guesses = 4;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint64_t first = x->heads[low], last = x->heads[high - 1];

		if (guesses && high - low > 16 && head > first && head < last) {
			double share = (double)(head - first) /
				       (double)(last - first);

			middle = low + (uint32_t)(share * (high - low - 1));
			guesses--;
		}
		if (x->heads[middle] < head ||
		    (equal && x->heads[middle] == head))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t block_index_find(const struct block_index *x, struct bytes key)
{
	struct bytes first = block_index_key(x, 0);
	size_t prefix = x->prefix_len;
	uint32_t low, high;
	uint64_t head;
	int order;

	order = prefix ? memcmp(key.ptr, first.ptr,
				key.len < prefix ? key.len : prefix) : 0;
	if (order < 0 || (!order && key.len < prefix))
		return 0;
	if (order > 0)
		return x->count - 1;
	head = head_of(key, prefix);
	low = count_heads(x, head, false);
	high = low;
	if (low < x->count && x->heads[low] == head)
		high = count_heads(x, head, true);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (bytes_compare(block_index_key(x, middle), key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : 0;
}

static bool opens_before(const void *element, const void *key)
{
	return ((const struct index_open *)element)->block <
	       *(const uint32_t *)key;
}

struct deletion block_index_open(const struct block_index *x, uint32_t block)
{
	size_t at = array_find(x->opens, x->open_count, sizeof(*x->opens),
			       &block, opens_before);

	return at < x->open_count && x->opens[at].block == block ?
		       x->opens[at].deletion : DELETION_NONE;
}
