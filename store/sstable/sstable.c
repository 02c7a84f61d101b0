/*
 * Open an sstable: footer first, then the sections that it names, each under
 * its checksum. No part of the file is trusted before its checksum is right,
 * and no length is used before it was compared with the bytes that exist.
 */
#include "store/sstable/sstable.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <xxhash.h>

#include "store/base/alloc.h"
#include "store/base/log.h"
#include "store/sstable/reader.h"

#define LARGEST_SECTION ((uint64_t)4 << 30)
#define NAME_DIGITS 12

void sstable_name(char name[32], uint64_t number)
{
	snprintf(name, 32, "%0*" PRIu64 ".sst", NAME_DIGITS, number);
}

int sstable_name_parse(uint64_t *number, const char *name)
{
	uint64_t value = 0;
	char again[32];
	size_t i;

	for (i = 0; name[i] >= '0' && name[i] <= '9'; i++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, name[i] - '0', &value))
			return -EINVAL;
	}
	if (i < NAME_DIGITS)
		return -EINVAL;
	sstable_name(again, value);
	if (strcmp(again, name))
		return -EINVAL;
	*number = value;
	return 0;
}

uint64_t sstable_key_hash(struct bytes key)
{
	return XXH3_64bits(key.ptr, key.len);
}

/* --------------------------------------------------------------- opening */
struct section {
	uint64_t offset, len, checksum;
};
struct footer {
	uint32_t version;
	uint64_t file_id, block_count;
	struct section partitions, rows, index, stats;
};

static int read_section(const struct sstable *t, const struct section *s,
			struct buf *out)
{
	uint64_t seed = block_seed(t->seed, s->offset);
	uint8_t *to;
	int err;

	if (!buf_reserve(out, s->len ? s->len : 1))
		return -ENOMEM;
	to = out->ptr + out->len;
	err = file_read(t->file.files, t->file.fd, to, s->len, s->offset);
	if (err == -EUCLEAN)
		return log_corrupt(t->file.name, s->offset,
				   "the file ends too early");
	if (err)
		return err;
	out->len += s->len;
	if (XXH3_64bits_withSeed(to, s->len, seed) != s->checksum)
		return log_corrupt(t->file.name, s->offset,
				   "a section fails its checksum");
	return 0;
}

static bool take_section(struct section *s, const uint8_t *at,
			 uint64_t *offset, uint64_t end)
{
	s->offset = *offset;
	s->len = get_le64(at);
	s->checksum = get_le64(at + 8);
	if (s->len > LARGEST_SECTION || s->len > end - *offset)
		return false;
	*offset += s->len;
	return true;
}

static int parse_footer(struct sstable *t, struct footer *f, const uint8_t *p,
			uint64_t size)
{
	uint64_t at = size - FOOTER_SIZE, offset;

	if (memcmp(p + 112, SSTABLE_MAGIC, 8))
		return log_corrupt(t->file.name, size - 8,
				   "no sstable, or its end is missing");
	if (XXH3_64bits(p, 104) != get_le64(p + 104))
		return log_corrupt(t->file.name, at,
				   "the footer fails its checksum");
	f->version = get_le32(p + 100);
	if (f->version > SSTABLE_VERSION) {
		log_message(LOG_ERROR_LEVEL,
			    "%s: version %" PRIu32 " is newer than this program",
			    t->file.name, f->version);
		return -EPROTONOSUPPORT;
	}
	if (get_le64(p) != t->stats.info.number)
		return log_corrupt(t->file.name, at, "this is file %" PRIu64,
				   get_le64(p));
	f->file_id = get_le64(p + 8);
	t->table = get_le32(p + 96);
	t->seed = sstable_seed(f->file_id, t->table);
	t->blocks_end = get_le64(p + 16);
	t->stats.info.checksum = get_le64(p + 104);
	offset = t->blocks_end;
	if (offset > at || offset < HEADER_SIZE ||
	    !take_section(&f->partitions, p + 24, &offset, at) ||
	    !take_section(&f->rows, p + 40, &offset, at) ||
	    !take_section(&f->index, p + 56, &offset, at) ||
	    !take_section(&f->stats, p + 72, &offset, at) || offset != at ||
	    !f->version || (f->version == 1 && t->table))
		return log_corrupt(t->file.name, at, "a footer that cannot be");
	f->block_count = get_le64(p + 88);
	return 0;
}

static int check_header(const struct sstable *t, const struct footer *f)
{
	uint8_t header[HEADER_SIZE];
	int err = file_read(t->file.files, t->file.fd, header, sizeof(header),
			    0);

	if (err)
		return err;
	if (memcmp(header, SSTABLE_MAGIC, 8) ||
	    get_le32(header + 8) != f->version ||
	    get_le32(header + 12) != t->table ||
	    get_le64(header + 16) != t->stats.info.number ||
	    get_le64(header + 24) != f->file_id)
		return log_corrupt(t->file.name, 0, "header and footer differ");
	return 0;
}

static int read_footer(struct sstable *t, struct footer *f)
{
	uint8_t bytes[FOOTER_SIZE];
	int err;

	if (t->file.size < HEADER_SIZE + FOOTER_SIZE)
		return log_corrupt(t->file.name, t->file.size,
				   "too short for an sstable");
	t->stats.info.size = t->file.size;
	err = file_read(t->file.files, t->file.fd, bytes, FOOTER_SIZE,
			t->file.size - FOOTER_SIZE);
	if (!err)
		err = parse_footer(t, f, bytes, t->stats.info.size);
	if (!err)
		err = check_header(t, f);
	return err;
}

static int load_filters(struct sstable *t, const struct footer *f)
{
	struct bytes all;
	int err = read_section(t, &f->partitions, &t->filters);

	if (!err)
		err = read_section(t, &f->rows, &t->filters);
	if (err)
		return err;
	all = buf_bytes(&t->filters);
	if (bloom_parse(&t->partitions, bytes_of(all.ptr, f->partitions.len)) ||
	    bloom_parse(&t->rows,
			bytes_of(all.ptr + f->partitions.len, f->rows.len)))
		return log_corrupt(t->file.name, f->partitions.offset,
				   "a filter that cannot be");
	return 0;
}

static int load_stats(struct sstable *t, const struct section *section)
{
	struct sstable_info known = t->stats.info;
	struct buf bytes = BUF_INIT;
	int err = read_section(t, section, &bytes);

	if (!err) {
		err = stats_read(&t->stats, buf_bytes(&bytes));
		if (err == -EUCLEAN ||
		    (!err && t->stats.info.number != known.number))
			err = log_corrupt(t->file.name, section->offset,
					  "statistics that cannot be");
	}
	t->stats.info.number = known.number;
	t->stats.info.size = known.size;
	t->stats.info.checksum = known.checksum;
	buf_release(&bytes);
	return err;
}

static int load_index(struct sstable *t, const struct footer *f)
{
	struct buf bytes = BUF_INIT;
	const char *why = "";
	int err = read_section(t, &f->index, &bytes);

	if (!err) {
		err = block_index_read(&t->index, buf_bytes(&bytes),
				       f->block_count, HEADER_SIZE,
				       t->blocks_end, &why);
		if (err == -EUCLEAN)
			log_corrupt(t->file.name, f->index.offset, "%s", why);
	}
	buf_release(&bytes);
	return err;
}

/* Load all but the blocks. */
static int load_all(struct sstable *t)
{
	struct footer footer = { 0 };
	int err = read_footer(t, &footer);

	if (!err)
		err = load_filters(t, &footer);
	if (!err)
		err = load_stats(t, &footer.stats);
	if (!err)
		err = load_index(t, &footer);
	return err;
}

static void link_open(struct sstable *t)
{
	struct open_sstables *open = block_cache_sstables(t->cache);

	if (!open)
		return;
	pthread_mutex_lock(&open->lock);
	t->open_link = &open->buckets[t->stats.info.number % OPEN_BUCKETS];
	t->next_open = *t->open_link;
	if (t->next_open)
		t->next_open->open_link = &t->next_open;
	*t->open_link = t;
	pthread_mutex_unlock(&open->lock);
}

int sstable_open(struct sstable **out, const struct file_ops *files, int dir,
		 uint64_t number, struct block_cache *cache)
{
	struct sstable *t = mem_zalloc(1, sizeof(*t));
	int err;

	if (!t)
		return -ENOMEM;
	atomic_init(&t->refs, 1);
	t->file = (struct pooled_file){
		.pool = block_cache_files(cache), .files = files, .dir = dir,
		.fd = -1,
	};
	t->cache = cache;
	t->owner = block_cache_owner(cache);
	stats_init(&t->stats);
	t->stats.info.number = number;
	sstable_name(t->file.name, number);
	err = pooled_file_open(&t->file);
	if (!err) {
		err = load_all(t);
		pooled_file_put(&t->file);
	}
	if (err) {
		sstable_put(t);
		return err;
	}
	t->held = t->filters.len + t->index.memory;
	block_cache_hold(cache, t->held);
	link_open(t);
	*out = t;
	return 0;
}

struct sstable *sstable_find(struct block_cache *cache, uint64_t number)
{
	struct open_sstables *open = block_cache_sstables(cache);
	struct sstable *t;

	if (!open)
		return NULL;
	pthread_mutex_lock(&open->lock);
	t = open->buckets[number % OPEN_BUCKETS];
	while (t && t->stats.info.number != number)
		t = t->next_open;
	if (t)		/* the last reference goes under the lock */
		sstable_get(t);
	pthread_mutex_unlock(&open->lock);
	return t;
}

int sstable_share(struct sstable **out, const struct file_ops *files, int dir,
		  uint64_t number, struct block_cache *cache)
{
	*out = sstable_find(cache, number);
	return *out ? 0 : sstable_open(out, files, dir, number, cache);
}

struct sstable *sstable_get(struct sstable *t)
{
	atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
	return t;
}

/* Give up a reference: true if it was the last. */
static bool leave(struct sstable *t)
{
	struct open_sstables *open = block_cache_sstables(t->cache);
	unsigned refs = atomic_load_explicit(&t->refs, memory_order_relaxed);
	bool last;

	while (refs > 1)
		if (atomic_compare_exchange_weak_explicit(&t->refs, &refs,
				refs - 1, memory_order_acq_rel,
				memory_order_relaxed))
			return false;
	if (open)
		pthread_mutex_lock(&open->lock);
	last = atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) ==
	       1;
	if (last && t->open_link) {
		*t->open_link = t->next_open;
		if (t->next_open)
			t->next_open->open_link = t->open_link;
	}
	if (open)
		pthread_mutex_unlock(&open->lock);
	return last;
}

void sstable_put(struct sstable *t)
{
	if (!t || !leave(t))
		return;
	block_cache_forget(t->cache, t->owner);
	pooled_file_close(&t->file);
	/* If this fails, the next open finds a file that no manifest names. */
	if (atomic_load(&t->dropped))
		t->file.files->unlink(t->file.files->context, t->file.dir,
				      t->file.name);
	block_cache_let_go(t->cache, t->held);
	block_index_release(&t->index);
	buf_release(&t->filters);
	stats_release(&t->stats);
	mem_free(t);
}

void sstable_drop(struct sstable *t)
{
	atomic_store(&t->dropped, true);
}

/* ------------------------------------------------------------- questions */
const struct sstable_info *sstable_info(const struct sstable *t)
{
	return &t->stats.info;
}

uint32_t sstable_table(const struct sstable *t)
{
	return t->table;
}

struct bytes sstable_first_key(const struct sstable *t)
{
	return block_index_key(&t->index, 0);
}

struct bytes sstable_last_key(const struct sstable *t)
{
	return buf_bytes(&t->stats.last_key);
}

uint64_t sstable_entries(const struct sstable_info *info)
{
	uint64_t most = info->cell_count > info->row_count ?
			info->cell_count : info->row_count;

	return info->tombstone_count > most ? info->tombstone_count : most;
}

double sstable_droppable(const struct sstable *t, int64_t gc_before)
{
	uint64_t all = sstable_entries(&t->stats.info);
	double below = histogram_below(&t->stats.drop_times, gc_before);

	if (!all || below <= 0)
		return 0;
	return below >= (double)all ? 1 : below / (double)all;
}

void sstable_set_damaged(struct sstable *t, uint64_t offset)
{
	uint64_t none = 0;

	atomic_compare_exchange_strong(&t->damage, &none, offset + 1);
}

bool sstable_is_damaged(const struct sstable *t, uint64_t *offset)
{
	uint64_t damage = atomic_load(&t->damage);

	if (damage && offset)
		*offset = damage - 1;
	return damage;
}

bool sstable_mark(struct sstable *t, enum sstable_mark mark)
{
	return !(atomic_fetch_or(&t->marks, mark) & mark);
}

bool sstable_is_marked(const struct sstable *t, enum sstable_mark mark)
{
	return atomic_load(&t->marks) & mark;
}

bool sstable_may_contain_partition(const struct sstable *t, uint64_t hash)
{
	return bloom_may_contain(&t->partitions, hash);
}

bool sstable_may_contain_row(const struct sstable *t, uint64_t hash)
{
	return bloom_may_contain(&t->rows, hash);
}

bool sstable_has_row_filter(const struct sstable *t)
{
	return t->rows.line_count != 0;
}

/* ---------------------------------------------------------------- blocks */
int sstable_block_corrupt(struct sstable *t, uint32_t i, const char *why)
{
	sstable_set_damaged(t, t->index.offsets[i]);
	return log_corrupt(t->file.name, t->index.offsets[i], "%s", why);
}

/* Make a block of stored bytes that passed their checksum. Takes stored
 * over. */
static int decode(struct block **out, struct sstable *t, uint32_t i,
		  struct block *stored, size_t len)
{
	const char *why = "";
	int err = block_decode(out, stored, len, &why);

	return err == -EUCLEAN ? sstable_block_corrupt(t, i, why) : err;
}

static int read_stored(struct sstable *t, void *to, size_t len, uint64_t offset)
{
	int fd = pooled_file_get(&t->file), err;

	if (fd < 0)
		return fd;
	err = file_read(t->file.files, fd, to, len, offset);
	pooled_file_put(&t->file);
	return err;
}

int sstable_read_block(struct block **out, struct sstable *t, uint32_t i)
{
	uint64_t offset = t->index.offsets[i];
	size_t len = (size_t)(t->index.offsets[i + 1] - offset);
	struct block *stored = block_new(len);
	int err;

	if (!stored)
		return -ENOMEM;
	err = read_stored(t, stored->data, len, offset);
	if (err == -EUCLEAN)
		sstable_block_corrupt(t, i, "the file ends within the block");
	if (!err && XXH3_64bits_withSeed(stored->data + 8, len - 8,
					 block_seed(t->seed, offset)) !=
			    get_le64(stored->data))
		err = sstable_block_corrupt(t, i, "block fails its checksum");
	if (err) {
		block_put(stored);
		return err;
	}
	return decode(out, t, i, stored, len);
}

int sstable_count_blocks(struct sstable *t, uint64_t counts[BLOCK_HOWS])
{
	uint32_t i;
	int err = 0;

	memset(counts, 0, BLOCK_HOWS * sizeof(*counts));
	for (i = 0; i < t->index.count && !err; i++) {
		uint8_t how = 0;

		err = read_stored(t, &how, 1, t->index.offsets[i] + 8);
		if (!err && how >= BLOCK_HOWS)
			err = sstable_block_corrupt(t, i, "a block of an unknown kind");
		if (!err)
			counts[how]++;
	}
	return err;
}

static int load(struct block **out, const struct block_load *what)
{
	return sstable_read_block(out, what->sstable, what->block);
}

int sstable_block(struct block **out, struct sstable *t, uint32_t i, bool keep)
{
	struct block_load what = { load, t, i };

	return block_cache_get(out, t->cache, t->owner, &what, keep);
}

int sstable_lookup(struct sstable *t, struct bytes key, struct arena *arena,
		   struct bytes *row, struct deletion *in_force)
{
	struct block *b;
	uint32_t i;
	int found;

	*in_force = DELETION_NONE;
	*row = BYTES_NULL;
	if (!key.len)
		return 0;
	i = block_index_find(&t->index, key);
	*in_force = block_index_open(&t->index, i);
	found = sstable_block(&b, t, i, true);
	if (found)
		return found;
	/* Load all bytes that the search needs at once. */
	__builtin_prefetch(b->heads);
	__builtin_prefetch(b->restarts);
	__builtin_prefetch(b->first_key.ptr);
	found = block_lookup(b, key, row, in_force);
	if (found > 0) {
		*row = arena_copy(arena, *row);
		if (bytes_is_null(*row))
			found = -ENOMEM;
	}
	block_put(b);
	if (found == -EUCLEAN)
		sstable_block_corrupt(t, i, "a wrong entry");
	return found;
}
