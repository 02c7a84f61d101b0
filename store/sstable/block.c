/*
 * Blocks. Keys share what they can with the one before; a search first compares
 * the heads of the restarts, which are numbers side by side, then walks over at
 * most RESTART_INTERVAL entries.
 *
 * A block that passed its checksum has the writer's bytes. But a file may be
 * forged: so every length is checked where it is read, and no read leaves the
 * block.
 */
#include "store/sstable/block.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/sstable/compressor.h"

/* Return the length of the common prefix. */
static size_t shared_len(struct bytes a, struct bytes b)
{
	size_t len = a.len < b.len ? a.len : b.len, i = 0;

	while (i + 8 <= len) {
		uint64_t diff = get_le64(a.ptr + i) ^ get_le64(b.ptr + i);

		if (diff)
			return i + (size_t)__builtin_ctzll(diff) / 8;
		i += 8;
	}
	while (i < len && a.ptr[i] == b.ptr[i])
		i++;
	return i;
}

/* Read eight bytes from `from` on as a big-endian number, with zeros after the
 * end. */
static uint64_t head_of(struct bytes key, size_t from)
{
	uint8_t head[8] = { 0 };

	if (from + 8 <= key.len)
		return get_be64(key.ptr + from);
	if (from < key.len)
		memcpy(head, key.ptr + from, key.len - from);
	return get_be64(head);
}

/* -------------------------------------------------------------- building */
void block_builder_release(struct block_builder *b)
{
	buf_release(&b->contents);
	buf_release(&b->restarts);
	buf_release(&b->first_key);
	buf_release(&b->last_key);
}

void block_builder_clear(struct block_builder *b)
{
	/* Free the memory of a large row: the rest of the file needs less. */
	if (b->contents.cap > 4 * LARGEST_BLOCK_SIZE)
		buf_release(&b->contents);
	buf_clear(&b->contents);
	buf_clear(&b->restarts);
	buf_clear(&b->first_key);
	buf_clear(&b->last_key);
	b->count = 0;
	b->has_bounds = false;
}

static void add_deletion(struct buf *out, struct deletion d)
{
	if (deletion_is_none(d))
		return;
	buf_add_zigzag(out, d.timestamp);
	buf_add_zigzag(out, d.local_time);
}

void block_builder_add(struct block_builder *b, const struct entry *entry)
{
	static const uint8_t room[BLOCK_HEADER_SIZE];
	struct buf *out = &b->contents;
	size_t shared = 0;
	uint64_t what;

	if (!b->count)
		buf_add(out, room, BLOCK_HEADER_SIZE);
	if (b->count % RESTART_INTERVAL == 0) {
		buf_add_le32(&b->restarts,
			     (uint32_t)(out->len - BLOCK_HEADER_SIZE));
		if (b->count)
			shared = shared_len(buf_bytes(&b->first_key),
					    entry->key);
		else
			buf_add_bytes(&b->first_key, entry->key);
	} else {
		shared = shared_len(buf_bytes(&b->last_key), entry->key);
	}
	if (entry->kind == ENTRY_ROW)
		what = (uint64_t)entry->row.len << 1;
	else
		what = (uint64_t)!deletion_is_none(entry->before) << 1 |
		       (uint64_t)!deletion_is_none(entry->after) << 2 | 1;
	buf_reserve(out, 30 + entry->key.len +
			 (entry->kind == ENTRY_ROW ? entry->row.len : 40));
	buf_add_varint(out, shared);
	buf_add_varint(out, entry->key.len - shared);
	buf_add_varint(out, what);
	buf_add(out, entry->key.ptr + shared, entry->key.len - shared);
	if (entry->kind == ENTRY_ROW) {
		buf_add_bytes(out, entry->row);
	} else {
		add_deletion(out, entry->before);
		add_deletion(out, entry->after);
		b->has_bounds = true;
	}
	b->last_key.len = 0;
	buf_add_bytes(&b->last_key, entry->key);
	b->count++;
}

/* Return the head of the key of the restart entry at offset. */
static uint64_t built_head(struct block_builder *b, uint32_t offset,
			   size_t prefix)
{
	struct reader r = reader_of(buf_bytes(&b->contents));
	size_t shared, rest, i;
	uint64_t head = 0;

	read_bytes(&r, BLOCK_HEADER_SIZE + (size_t)offset);
	shared = read_varint(&r);
	rest = read_varint(&r);
	read_varint(&r);
	for (i = prefix; i < prefix + 8; i++) {
		uint8_t byte = 0;

		if (i < shared)
			byte = b->first_key.ptr[i];
		else if (i - shared < rest)
			byte = r.ptr[i - shared];
		head = head << 8 | byte;
	}
	return head;
}

int block_builder_finish(struct block_builder *b)
{
	struct buf heads = BUF_INIT;
	size_t prefix, i, count = b->restarts.len / 4;
	int err = 0;

	if (b->contents.failed || b->restarts.failed || b->first_key.failed ||
	    b->last_key.failed)
		return -ENOMEM;
	prefix = shared_len(buf_bytes(&b->first_key), buf_bytes(&b->last_key));
	for (i = 0; i < count; i++)
		buf_add_le64(&heads,
			     built_head(b, get_le32(b->restarts.ptr + 4 * i),
					prefix));
	buf_add_bytes(&b->contents, buf_bytes(&b->restarts));
	buf_add_bytes(&b->contents, buf_bytes(&heads));
	buf_add_le32(&b->contents, (uint32_t)prefix);
	buf_add_le32(&b->contents, (uint32_t)count);
	buf_add_le32(&b->contents, b->has_bounds ? BLOCK_HAS_BOUNDS : 0);
	if (b->contents.failed || heads.failed)
		err = -ENOMEM;
	buf_release(&heads);
	return err;
}

/* --------------------------------------------------------------- parsing */
struct block *block_new(size_t size)
{
	struct block *b = size < SIZE_MAX / 4 ? mem_alloc(sizeof(*b) + size) :
						NULL;

	if (!b)
		return NULL;
	memset(b, 0, sizeof(*b));
	atomic_init(&b->refs, 1);
	b->memory = sizeof(*b) + size;
	return b;
}

/* An entry's head, as it is stored. */
struct raw_entry {
	uint64_t shared, rest, what;
	const uint8_t *key;
	const uint8_t *value;	/* the row, or the bound's deletions */
};

static inline const uint8_t *get_varint(const uint8_t *p, const uint8_t *end,
					uint64_t *v)
{
	struct reader r;

	if (p < end && *p < 0x80) {
		*v = *p;
		return p + 1;
	}
	if (p + 1 < end && p[1] < 0x80) {
		*v = (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
		return p + 2;
	}
	r = (struct reader){ p, end, false };
	*v = read_varint(&r);
	return r.failed ? NULL : r.ptr;
}

static ASIDE const uint8_t *raw_lengths(struct raw_entry *e, const uint8_t *p,
					const uint8_t *end)
{
	p = get_varint(p, end, &e->shared);
	if (p)
		p = get_varint(p, end, &e->rest);
	return p ? get_varint(p, end, &e->what) : NULL;
}

/*
 * Read the entry at p: find where its value begins and, of a row, check that it
 * ends inside the block. False when anything reaches beyond the end.
 */
static inline bool raw_entry_read(struct raw_entry *e, const uint8_t *p,
				  const uint8_t *end)
{
	if (end - p >= 3 && (p[0] | p[1] | p[2]) < 0x80) {
		e->shared = p[0];
		e->rest = p[1];
		e->what = p[2];
		p += 3;
	} else {
		p = raw_lengths(e, p, end);
	}
	if (!p || e->rest > (uint64_t)(end - p) || e->rest > LARGEST_KEY ||
	    e->shared > LARGEST_KEY)
		return false;
	e->key = p;
	e->value = p + e->rest;
	return (e->what & 1) || e->what >> 1 <= (uint64_t)(end - e->value);
}

/* Read the deletions of a bound. Returns where the next entry begins, NULL when
 * damaged. */
static const uint8_t *raw_bound(const struct raw_entry *e, const uint8_t *end,
				struct deletion *before,
				struct deletion *after)
{
	struct reader r = { e->value, end, false };

	*before = *after = DELETION_NONE;
	if (e->what & 2) {
		before->timestamp = read_zigzag(&r);
		before->local_time = read_zigzag(&r);
	}
	if (e->what & 4) {
		after->timestamp = read_zigzag(&r);
		after->local_time = read_zigzag(&r);
	}
	return r.failed || e->what >> 3 ? NULL : r.ptr;
}

static int parse_failed(const char **why, const char *text)
{
	*why = text;
	return -EUCLEAN;
}

int block_parse(struct block *b, struct bytes contents, const char **why)
{
	struct raw_entry first;
	const uint8_t *end;
	uint64_t count;
	uint32_t i;

	if (contents.len < BLOCK_TRAILER_SIZE)
		return parse_failed(why, "a block too short");
	end = contents.ptr + contents.len - BLOCK_TRAILER_SIZE;
	b->prefix_len = get_le32(end);
	b->restart_count = get_le32(end + 4);
	b->has_bounds = get_le32(end + 8) & BLOCK_HAS_BOUNDS;
	count = b->restart_count;
	if (!count || count > (uint64_t)(end - contents.ptr) / 12)
		return parse_failed(why, "a wrong number of restarts");
	b->heads = end - 8 * count;
	b->restarts = b->heads - 4 * count;
	b->entries = contents.ptr;
	b->entries_end = b->restarts;
	if (block_restart(b, 0))
		return parse_failed(why, "a wrong first restart");
	for (i = 1; i < b->restart_count; i++)
		if (block_restart(b, i) <= block_restart(b, i - 1))
			return parse_failed(why, "restarts out of order");
	if (block_restart(b, b->restart_count - 1) >=
	    (uint64_t)(b->entries_end - b->entries))
		return parse_failed(why, "a restart after the entries");
	if (!raw_entry_read(&first, b->entries, b->entries_end) ||
	    first.shared)
		return parse_failed(why, "a wrong first entry");
	b->first_key = bytes_of(first.key, first.rest);
	if (b->prefix_len > b->first_key.len)
		return parse_failed(why, "a wrong prefix");
	return 0;
}

/* Decompress what a block stores into a block of its own. */
static int decompress_block(struct block **out, enum block_how how,
			    struct bytes packed, uint64_t size)
{
	struct block *b;
	int err;

	if (!compressor_can_decompress(how, size, packed))
		return -EUCLEAN;
	b = block_new(size);
	if (!b)
		return -ENOMEM;
	err = compressor_decompress(how, b->data, size, packed);
	if (err)
		mem_free(b);
	else
		*out = b;
	return err;
}

int block_decode(struct block **out, struct block *stored, size_t len,
		 const char **why)
{
	uint64_t how = stored->data[8], n = get_le64(stored->data + 8) >> 8;
	struct block *b = NULL;
	int err = -EUCLEAN;

	*why = "a block of an unknown kind";
	if (how == BLOCK_RAW && n == len - BLOCK_HEADER_SIZE) {
		b = stored;
		err = block_parse(b, bytes_of(b->data + BLOCK_HEADER_SIZE, n),
				  why);
	} else if (how != BLOCK_RAW && how <= BLOCK_DEFLATE) {
		*why = "a block that cannot be decompressed";
		err = decompress_block(&b, how,
				       bytes_of(stored->data + BLOCK_HEADER_SIZE,
						len - BLOCK_HEADER_SIZE), n);
		if (!err)
			err = block_parse(b, bytes_of(b->data, n), why);
	}
	if (b != stored)
		mem_free(stored);
	if (err)
		mem_free(b);
	else
		*out = b;
	return err;
}

/* ---------------------------------------------------------------- search */
/* Compare key with that of a restart; a damaged one counts as greater. */
static int compare_restart(const struct block *b, uint32_t i, struct bytes key)
{
	struct raw_entry e;
	size_t same;
	int order;

	if (!raw_entry_read(&e, b->entries + block_restart(b, i),
			    b->entries_end) || e.shared > b->first_key.len)
		return -1;
	same = key.len < e.shared ? key.len : e.shared;
	order = memcmp(key.ptr, b->first_key.ptr, same);
	if (order || key.len < e.shared)
		return order ? order : -1;
	return bytes_compare(bytes_of(key.ptr + same, key.len - same),
			     bytes_of(e.key, e.rest));
}

/* Count the restarts with a head < head (or <= head). */
static uint32_t count_heads(const struct block *b, uint64_t head, bool equal)
{
	uint32_t low = 0, high = b->restart_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint64_t at = get_le64(b->heads + 8 * (size_t)middle);

		if (at < head || (equal && at == head))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t block_find_restart(const struct block *b, struct bytes key)
{
	size_t prefix = b->prefix_len;
	uint32_t low, high;
	uint64_t head;
	int order;

	order = memcmp(key.ptr, b->first_key.ptr,
		       key.len < prefix ? key.len : prefix);
	if (order < 0 || (!order && key.len < prefix))
		return 0;
	if (order > 0)
		return b->restart_count - 1;
	head = head_of(key, prefix);
	low = count_heads(b, head, false);
	high = low;
	if (low < b->restart_count && get_le64(b->heads + 8 * (size_t)low) == head)
		high = count_heads(b, head, true);
	/* Of equal heads those <= key come before the others. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (compare_restart(b, middle, key) >= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : 0;
}

/*
 * Walk from a restart without putting keys together. `same` is how much the
 * target shares with the entry before, which is smaller than the target. An
 * entry that shares more with it is smaller as well, one that shares less is
 * greater, and only at equal lengths are bytes compared.
 */
int block_lookup(const struct block *b, struct bytes key, struct bytes *row,
		 struct deletion *in_force)
{
	uint32_t restart = b->has_bounds ? 0 : block_find_restart(b, key);
	const uint8_t *p = b->entries + block_restart(b, restart);
	size_t first_same = shared_len(key, b->first_key), same = first_same;
	struct deletion before, after;

	while (p < b->entries_end) {
		struct raw_entry e;
		const uint8_t *next;
		int order = 1;		/* of key against the entry's */

		if (!raw_entry_read(&e, p, b->entries_end))
			return -EUCLEAN;
		if (restart < b->restart_count &&
		    p == b->entries + block_restart(b, restart)) {
			same = first_same;
			restart++;
		}
		if (p == b->entries || e.shared == same) {
			struct bytes rest = { e.key, e.rest };
			struct bytes left = { key.ptr + e.shared,
					      key.len - e.shared };
			size_t more = shared_len(left, rest);

			order = more < left.len && more < rest.len ?
					left.ptr[more] - rest.ptr[more] :
					(left.len > rest.len) -
						(left.len < rest.len);
			same = e.shared + more;
		} else if (e.shared < same) {
			order = -1;
		}
		if (order < 0)
			return 0;
		if (e.what & 1) {
			next = raw_bound(&e, b->entries_end, &before, &after);
			if (!next)
				return -EUCLEAN;
			*in_force = after;
		} else {
			next = e.value + (e.what >> 1);
		}
		if (!order) {
			*row = bytes_of(e.value, e.what >> 1);
			return !(e.what & 1);
		}
		p = next;
	}
	return 0;
}

/* ---------------------------------------------------------------- cursor */
void block_cursor_release(struct block_cursor *c)
{
	buf_release(&c->key);
}

static void find_next_restart(struct block_cursor *c)
{
	c->restart_at = c->next_restart < c->block->restart_count ?
		c->block->entries + block_restart(c->block, c->next_restart) :
		c->block->entries_end;
}

void block_cursor_start(struct block_cursor *c, const struct block *b,
			uint32_t restart)
{
	c->block = b;
	c->next = b->entries + block_restart(b, restart);
	c->next_restart = restart;
	c->restart_at = c->next;
	c->kept = false;
}

int block_cursor_next(struct block_cursor *c, struct entry *entry)
{
	const uint8_t *end = c->block->entries_end;
	struct raw_entry e;

	if (c->kept) {
		c->kept = false;
		*entry = c->sought;
		return 1;
	}
	if (c->next >= end)
		return 0;
	if (!raw_entry_read(&e, c->next, end))
		return -EUCLEAN;
	if (c->next == c->restart_at) {
		buf_clear(&c->key);
		if (e.shared > c->block->first_key.len)
			return -EUCLEAN;
		buf_add(&c->key, c->block->first_key.ptr, e.shared);
		c->next_restart++;
		find_next_restart(c);
	}
	if (e.shared > c->key.len || e.shared + e.rest > LARGEST_KEY)
		return -EUCLEAN;
	if (c->key.cap < e.shared + e.rest &&
	    !buf_reserve(&c->key, e.shared + e.rest - c->key.len))
		return -ENOMEM;
	if (e.rest)
		memcpy(c->key.ptr + e.shared, e.key, e.rest);
	c->key.len = e.shared + e.rest;
	entry->key = bytes_of(c->key.ptr, c->key.len);
	if (e.what & 1) {
		entry->kind = ENTRY_BOUND;
		entry->row = BYTES_NULL;
		c->next = raw_bound(&e, end, &entry->before, &entry->after);
		if (!c->next) {
			c->next = end;
			return -EUCLEAN;
		}
	} else {
		entry->kind = ENTRY_ROW;
		entry->row = bytes_of(e.value, e.what >> 1);
		c->next = e.value + (e.what >> 1);
	}
	return 1;
}

int block_cursor_seek(struct block_cursor *c, const struct block *b,
		      struct bytes key, struct deletion *in_force)
{
	int more;

	/* All bounds before the key count: start at the first one. */
	block_cursor_start(c, b, b->has_bounds ? 0 :
						 block_find_restart(b, key));
	while ((more = block_cursor_next(c, &c->sought)) > 0) {
		if (bytes_compare(c->sought.key, key) >= 0) {
			c->kept = true;
			return 0;
		}
		if (c->sought.kind == ENTRY_BOUND)
			*in_force = c->sought.after;
	}
	return more;
}
