/*
 * Salvage an sstable. Every block is checked as a whole (its checksum, its
 * entries and their order against the blocks before) before any entry of it is
 * passed on.
 *
 * Without an index a block's length is in its header (raw), or follows from its
 * compressed bytes, whose sequences are walked until they have made as much as
 * the header says; the checksum, seeded with the file's id and the place, then
 * tells a block from bytes that look like one.
 */
#include "store/sstable/salvage.h"

#include <errno.h>
#include <fcntl.h>
#include <xxhash.h>

#include "store/base/alloc.h"
#include "store/base/log.h"
#include "store/row/key.h"
#include "store/row/row_codec.h"
#include "store/sstable/compressor.h"
#include "store/sstable/reader.h"

#define WINDOW ((size_t)1 << 20)
/* The number of bytes that may be hashed in vain, beside the file's size. */
#define SEARCH_EFFORT ((uint64_t)256 << 20)
/* The number of bytes that are left out where the disk cannot read. */
#define UNREADABLE 4096

struct walk {
	const struct sstable_salvage *calls;
	struct block_cursor cursor;
	struct arena arena;
	struct deletion in_force;
	struct buf from;	/* where it begins */
	struct buf last;	/* the last key; empty: none yet */
	bool last_is_bound;
	uint64_t rows;		/* given out */
	bool gap;		/* bytes before the next block are lost */
	uint64_t gap_begin;
	const char *why;
};

static void walk_release(struct walk *w)
{
	block_cursor_release(&w->cursor);
	arena_release(&w->arena);
	buf_release(&w->from);
	buf_release(&w->last);
}

static bool set_key(struct buf *to, struct bytes key)
{
	buf_clear(to);
	buf_add_bytes(to, key);
	return !to->failed;
}

/* Make key, of a row, the bound just before it or after it. */
static bool set_bound(struct buf *to, struct bytes key, bool after)
{
	struct key_parts parts;

	if (key_split(&parts, key) || !set_key(to, key))
		return false;
	if (parts.clustering.len)
		to->ptr[to->len - 1] = after ? KEY_AFTER_PREFIX :
					       KEY_BEFORE_PREFIX;
	else if (after)
		buf_add_byte(to, KEY_AFTER_PREFIX);
	else
		to->ptr[to->len - 1] = KEY_BEGIN;
	return !to->failed;
}

/* Pass on the deletion in force, up to a key. */
static int end_range(struct walk *w, struct bytes to)
{
	struct bytes from = buf_bytes(&w->from);

	if (deletion_is_none(w->in_force) || bytes_compare(from, to) >= 0)
		return 0;
	return w->calls->range(w->calls->context, from, to, w->in_force);
}

/* Note that the bytes from offset on are lost, up to the next block that is
 * fed. */
static int begin_gap(struct walk *w, uint64_t offset, const char *why)
{
	struct buf to = BUF_INIT;
	int err = 0;

	if (w->gap)
		return 0;
	w->gap = true;
	w->gap_begin = offset;
	w->why = why;
	if (!deletion_is_none(w->in_force) && !w->last_is_bound) {
		err = set_bound(&to, buf_bytes(&w->last), true) ?
			      end_range(w, buf_bytes(&to)) : -ENOMEM;
		buf_release(&to);
	}
	w->in_force = DELETION_NONE;
	return err;
}

static int end_gap(struct walk *w, uint64_t offset, struct bytes behind)
{
	if (!w->gap)
		return 0;
	w->gap = false;
	return w->calls->lost(w->calls->context, w->gap_begin, offset,
			      buf_bytes(&w->last), behind, w->why);
}

/* Check all of a block: 0, -EUCLEAN, -ENOMEM. *open: in force at its begin, as
 * its first bound says. */
static int check_block(struct walk *w, const struct block *b,
		       struct deletion *open)
{
	struct buf last = BUF_INIT;
	bool bound_seen = false;
	struct key_parts parts;
	struct entry e;
	struct row row;
	int more, err = 0;

	*open = DELETION_NONE;
	buf_add_bytes(&last, buf_bytes(&w->last));
	block_cursor_start(&w->cursor, b, 0);
	while (!err && (more = block_cursor_next(&w->cursor, &e)) != 0) {
		err = more < 0 ? more : key_split(&parts, e.key);
		if (!err && bytes_compare(buf_bytes(&last), e.key) >= 0)
			err = -EUCLEAN;
		if (!err && e.kind == ENTRY_ROW)
			err = row_decode(&row, &w->arena, e.row);
		if (!err && e.kind == ENTRY_BOUND && !bound_seen) {
			*open = e.before;
			bound_seen = true;
		}
		if (!err && !set_key(&last, e.key))
			err = -ENOMEM;
		arena_clear(&w->arena);
	}
	buf_release(&last);
	return err;
}

static int give_entry(struct walk *w, const struct entry *e)
{
	struct row row;
	int err;

	if (e->kind == ENTRY_BOUND) {
		err = end_range(w, e->key);
		w->in_force = e->after;
		if (!err && !set_key(&w->from, e->key))
			err = -ENOMEM;
	} else {
		err = row_decode(&row, &w->arena, e->row);
		if (!err)
			err = w->calls->row(w->calls->context, e->key, &row);
		w->rows++;
		arena_clear(&w->arena);
	}
	w->last_is_bound = e->kind == ENTRY_BOUND;
	if (!err && !set_key(&w->last, e->key))
		err = -ENOMEM;
	return err;
}

/* Pass on a sound block. After a gap `open` is in force where it begins. */
static int give_block(struct walk *w, const struct block *b, uint64_t offset,
		      struct deletion open)
{
	bool behind_gap = w->gap, first = true;
	struct entry e;
	int more, err = 0;

	block_cursor_start(&w->cursor, b, 0);
	while (!err && (more = block_cursor_next(&w->cursor, &e)) != 0) {
		if (more < 0)
			return more;
		if (first) {
			err = end_gap(w, offset, e.key);
			first = false;
		}
		if (!err && behind_gap && !deletion_is_none(open)) {
			w->in_force = open;
			if (!(e.kind == ENTRY_BOUND ? set_key(&w->from, e.key) :
			      set_bound(&w->from, e.key, false)))
				err = -ENOMEM;
		}
		behind_gap = false;
		if (!err)
			err = give_entry(w, &e);
	}
	return err;
}

/* ---------------------------------------------------------- with an index */
static int walk_indexed(struct walk *w, struct sstable *t)
{
	uint32_t i;
	int err = 0;

	for (i = 0; !err && i < t->index.count; i++) {
		uint64_t offset = t->index.offsets[i];
		struct deletion open;
		struct block *b;

		err = sstable_read_block(&b, t, i);
		if (!err) {
			err = check_block(w, b, &open);
			if (!err)
				err = give_block(w, b, offset,
						 block_index_open(&t->index,
								  i));
			block_put(b);
		}
		if (err == -EUCLEAN || err == -EIO)
			err = begin_gap(w, offset, err == -EIO ?
					"the disk cannot read it" :
					"block fails its checks");
	}
	return err ? err : end_gap(w, t->blocks_end, BYTES_EMPTY);
}

/* -------------------------------------------------------------- without one */
struct search {
	const struct file_ops *files;
	int fd;
	uint64_t number, size, end;	/* where the blocks end, at the latest */
	uint64_t seed, effort;
	uint32_t table;
	bool end_known;
	const struct sstable_info *known;
	uint64_t window_at;
	struct buf window;
};

/* Return len bytes at offset, or NULL: *err is set if that is an error. */
static const uint8_t *look(struct search *s, uint64_t offset, uint64_t len,
			   int *err)
{
	size_t want = len > WINDOW ? (size_t)len : WINDOW;

	if (len > s->end - offset)
		return NULL;
	if (offset < s->window_at ||
	    offset + len > s->window_at + s->window.len) {
		if (want > s->end - offset)
			want = (size_t)(s->end - offset);
		buf_clear(&s->window);
		s->window_at = offset;
		*err = buf_reserve(&s->window, want ? want : 1) ?
			file_read(s->files, s->fd, s->window.ptr, want, offset) :
			-ENOMEM;
		if (*err)
			return NULL;
		s->window.len = want;
	}
	return s->window.ptr + (offset - s->window_at);
}

/* Return the stored length of what may be a block at offset; 0: it is none. */
static uint64_t block_length(struct search *s, uint64_t offset, int *err)
{
	const uint8_t *p = look(s, offset, BLOCK_HEADER_SIZE, err);
	uint64_t n, left, most;
	enum block_how how;
	size_t len;

	if (!p || p[8] > BLOCK_DEFLATE)
		return 0;
	n = get_le64(p + 8) >> 8;
	left = s->end - offset - BLOCK_HEADER_SIZE;
	if (!n)
		return 0;
	how = p[8];
	if (how == BLOCK_RAW)
		return n <= left ? BLOCK_HEADER_SIZE + n : 0;
	if (n > LARGEST_COMPRESSED + LARGEST_BLOCK_SIZE)
		return 0;
	most = n + n / 255 + 16;
	if (most > left)
		most = left;
	p = look(s, offset, BLOCK_HEADER_SIZE + most, err);
	len = p ? compressor_stored_length(how, bytes_of(p + BLOCK_HEADER_SIZE,
						  (size_t)most), n) : 0;
	return len ? BLOCK_HEADER_SIZE + len : 0;
}

/* Read the block at offset, if there is one: 1 with *out, 0, -errno. */
static int block_at(struct search *s, uint64_t offset, struct block **out,
		    uint64_t *len)
{
	struct block *stored;
	const uint8_t *p;
	const char *why;
	int err = 0;

	*len = block_length(s, offset, &err);
	p = *len ? look(s, offset, *len, &err) : NULL;
	if (!p)
		return err;
	s->effort += *len;
	if (XXH3_64bits_withSeed(p + 8, (size_t)*len - 8,
				 block_seed(s->seed, offset)) != get_le64(p))
		return 0;
	stored = block_new((size_t)*len);
	if (!stored)
		return -ENOMEM;
	memcpy(stored->data, p, (size_t)*len);
	err = block_decode(out, stored, (size_t)*len, &why);
	return err == -EUCLEAN ? 0 : err ? err : 1;
}

static int walk_searching(struct walk *w, struct search *s)
{
	uint64_t offset = HEADER_SIZE, len;
	struct deletion open;
	struct block *b;
	int found, err = 0;

	while (!err && offset < s->end &&
	       s->effort <= SEARCH_EFFORT + 2 * s->size) {
		found = block_at(s, offset, &b, &len);
		if (found == -EIO) {
			err = begin_gap(w, offset, "the disk cannot read it");
			offset += UNREADABLE;
			continue;
		}
		if (found < 0)
			return found;
		if (found) {
			err = check_block(w, b, &open);
			if (!err)
				err = give_block(w, b, offset, open);
			block_put(b);
			if (err == -EUCLEAN)
				found = 0;
			else
				offset += len;
		}
		if (!found)
			err = begin_gap(w, offset++,
					s->end_known ? "no sound block" :
					"no sound block, and the end of the "
					"blocks is not known");
	}
	if (!err && offset < s->end)
		err = begin_gap(w, offset, "no sound block");
	/* Stop after the last block, where filters and the like begin. */
	if (!s->end_known && s->known && !s->known->has_bounds &&
	    w->rows == s->known->row_count)
		return err;
	return err ? err : end_gap(w, s->end, BYTES_EMPTY);
}

static void set_id(struct search *s, uint64_t file_id, uint32_t table)
{
	s->table = table;
	s->seed = sstable_seed(file_id, table);
}

/* Find the file's id, its table and the end of its blocks. 0, -EUCLEAN,
 * -errno. */
static int find_id(struct search *s)
{
	uint8_t header[HEADER_SIZE], footer[FOOTER_SIZE];
	bool known = false;
	int err = 0;

	if (s->size < HEADER_SIZE)
		return -EUCLEAN;
	err = file_read(s->files, s->fd, header, sizeof(header), 0);
	if (!err && s->size >= HEADER_SIZE + FOOTER_SIZE)
		err = file_read(s->files, s->fd, footer, sizeof(footer),
				s->size - FOOTER_SIZE);
	if (err)
		return err;
	s->end = s->size;
	if (!memcmp(header, SSTABLE_MAGIC, 8) &&
	    get_le64(header + 16) == s->number) {
		set_id(s, get_le64(header + 24), get_le32(header + 12));
		known = true;
	}
	if (s->size >= HEADER_SIZE + FOOTER_SIZE &&
	    !memcmp(footer + 112, SSTABLE_MAGIC, 8) &&
	    XXH3_64bits(footer, 104) == get_le64(footer + 104) &&
	    get_le64(footer) == s->number &&
	    get_le64(footer + 16) <= s->size - FOOTER_SIZE &&
	    get_le64(footer + 16) >= HEADER_SIZE) {
		set_id(s, get_le64(footer + 8), get_le32(footer + 96));
		s->end = get_le64(footer + 16);
		s->end_known = known = true;
	}
	return known ? 0 : -EUCLEAN;
}

/* Open the file, to be closed by file_close whatever is returned. */
static int open_search(struct search *s, const struct file_ops *files, int dir,
		       uint64_t number)
{
	char name[32];

	*s = (struct search){ .files = files, .number = number,
			      .window = BUF_INIT };
	sstable_name(name, number);
	s->fd = file_open_sized(files, dir, name, &s->size);
	return s->fd < 0 ? s->fd : find_id(s);
}

int sstable_salvage_table(const struct file_ops *files, int dir,
			  uint64_t number, uint32_t *table)
{
	struct search s;
	int err = open_search(&s, files, dir, number);

	*table = err ? 0 : s.table;
	file_close(files, s.fd);
	return err;
}

static int search_file(struct walk *w, const struct file_ops *files, int dir,
		       uint64_t number, const struct sstable_info *known)
{
	struct search s;
	char name[32];
	int err = open_search(&s, files, dir, number);

	sstable_name(name, number);
	s.known = known;
	if (err == -EUCLEAN)
		err = log_corrupt(name, 0, "header and footer are damaged");
	else if (!err)
		err = walk_searching(w, &s);
	buf_release(&s.window);
	file_close(files, s.fd);
	return err;
}

int sstable_salvage(const struct file_ops *files, int dir, uint64_t number,
		    const struct sstable_info *known,
		    const struct sstable_salvage *calls)
{
	struct walk w = {
		.calls = calls, .cursor = CURSOR_INIT, .arena = ARENA_INIT,
		.in_force = DELETION_NONE, .from = BUF_INIT, .last = BUF_INIT,
	};
	struct sstable *t;
	char name[32];
	int err = sstable_open(&t, files, dir, number, NULL);

	sstable_name(name, number);
	if (!err && known && sstable_info(t)->checksum != known->checksum) {
		sstable_put(t);
		return log_corrupt(name, 0, "it is not the file that the "
				   "manifest names");
	}
	if (!err) {
		err = walk_indexed(&w, t);
		sstable_put(t);
	} else if (err == -EUCLEAN || err == -EIO) {
		err = search_file(&w, files, dir, number, known);
	}
	walk_release(&w);
	return err;
}
