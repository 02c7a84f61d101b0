#include "store/sstable/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <xxhash.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/base/counted.h"
#include "store/base/log.h"
#include "store/row/key.h"
#include "store/row/row_codec.h"
#include "store/sstable/block.h"
#include "store/sstable/bloom.h"
#include "store/sstable/index.h"
#include "store/sstable/sstable.h"
#include "store/sstable/stats.h"

/* Statistics of one partition. */
#define ADVISED_ROWS 100000
#define ADVISED_BYTES (100ull << 20)
#define WRITE_SIZE ((size_t)256 << 10)

struct sstable_writer {
	const struct file_ops *files;
	int dir, fd;
	char name[32];
	struct sstable_options options;
	uint64_t file_id, seed;

	struct block_builder block;
	struct index_builder index;
	struct bloom_builder partitions, rows;
	struct stats stats;
	struct arena arena;		/* of the row that is looked at */
	struct buf packed;		/* the block compressed */
	struct compressor *compressor;	/* NULL: none */
	struct buf out;			/* not yet handed to the kernel */
	uint64_t written;		/* handed over */

	struct buf last_key;		/* of the entry before */
	struct buf last_block_key;	/* of the block before */
	size_t partition_len;		/* of last_key's token and partition */
	uint32_t partition_rows;
	uint64_t partition_bytes;	/* before compression */
	struct deletion in_force;	/* after the entry before */
	struct deletion block_open;	/* where the block began */
	int err;			/* the first error, which is final */
	bool finished;
};

static uint64_t random_id(void)
{
	uint64_t id;

	/* Before the kernel's pool is ready use the time: the id need only
	 * differ. */
	if (getrandom(&id, sizeof(id), GRND_NONBLOCK) != sizeof(id))
		id = clock_monotonic_ns() * 0x9e3779b97f4a7c15u ^
		     (uint64_t)clock_now_us();
	return id;
}

static uint32_t version_of(const struct sstable_writer *w)
{
	return w->options.compression.how > BLOCK_LZ4 ? SSTABLE_VERSION :
							SSTABLE_VERSION_LZ4;
}

static void add_header(struct sstable_writer *w)
{
	buf_add(&w->out, SSTABLE_MAGIC, 8);
	buf_add_le32(&w->out, version_of(w));
	buf_add_le32(&w->out, w->options.table);
	buf_add_le64(&w->out, w->stats.info.number);
	buf_add_le64(&w->out, w->file_id);
}

int sstable_writer_create(struct sstable_writer **out,
			  const struct file_ops *files, int dir,
			  uint64_t number, const struct sstable_options *options)
{
	struct sstable_writer *w = mem_zalloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	w->files = files;
	w->dir = dir;
	w->options = *options;
	if (!w->options.block_size)
		w->options.block_size = DEFAULT_BLOCK_SIZE;
	if (w->options.block_size > LARGEST_BLOCK_SIZE)
		w->options.block_size = LARGEST_BLOCK_SIZE;
	w->file_id = random_id();
	w->seed = sstable_seed(w->file_id, options->table);
	w->compressor = compressor_new(options->compression);
	w->in_force = w->block_open = DELETION_NONE;
	stats_init(&w->stats);
	w->stats.info.number = number;
	bloom_builder_init(&w->partitions, options->filter_bits,
			   options->expected_partitions);
	bloom_builder_init(&w->rows, options->filter_bits,
			   options->expected_rows);
	sstable_name(w->name, number);
	add_header(w);
	w->fd = options->measure_only ? -1 :
		file_open(files, dir, w->name, O_RDWR | O_CREAT | O_EXCL);
	err = w->fd < 0 && !options->measure_only ? w->fd :
	      w->out.failed || (options->compression.how && !w->compressor) ?
		      -ENOMEM : 0;
	if (err)
		sstable_writer_close(w);
	else
		*out = w;
	return err;
}

void sstable_writer_close(struct sstable_writer *w)
{
	if (!w)
		return;
	if (w->fd >= 0) {
		file_close(w->files, w->fd);
		if (!w->finished)
			w->files->unlink(w->files->context, w->dir, w->name);
	}
	block_builder_release(&w->block);
	index_builder_release(&w->index);
	bloom_builder_release(&w->partitions);
	bloom_builder_release(&w->rows);
	stats_release(&w->stats);
	arena_release(&w->arena);
	compressor_free(w->compressor);
	buf_release(&w->packed);
	buf_release(&w->out);
	buf_release(&w->last_key);
	buf_release(&w->last_block_key);
	mem_free(w);
}

uint64_t sstable_writer_size(const struct sstable_writer *w)
{
	return w->written + w->out.len + w->block.contents.len;
}

/* ---------------------------------------------------------------- blocks */
static int hand_over(struct sstable_writer *w, struct bytes bytes)
{
	int err = w->options.measure_only ? 0 :
		  file_write(w->files, w->fd, bytes.ptr, bytes.len,
			     w->written);

	if (!err)
		w->written += bytes.len;
	return err;
}

static int drain(struct sstable_writer *w)
{
	int err = w->out.failed ? -ENOMEM : hand_over(w, buf_bytes(&w->out));

	if (!err)
		buf_clear(&w->out);
	return err;
}

/* Return how long compressed contents may be. */
static size_t largest_packed(const struct sstable_writer *w, size_t len)
{
	double ratio = w->options.least_ratio;

	return ratio >= 1 ? (size_t)((double)len / ratio) : len - len / 8;
}

/* Compress the contents into w->packed if it saves enough. */
static bool pack(struct sstable_writer *w, struct bytes contents)
{
	size_t bound, len;

	if (!w->compressor || contents.len > LARGEST_COMPRESSED)
		return false;
	bound = largest_packed(w, contents.len);
	buf_clear(&w->packed);
	if (!buf_reserve(&w->packed, BLOCK_HEADER_SIZE + bound))
		return false;		/* larger without it, no more */
	len = compressor_run(w->compressor, w->packed.ptr + BLOCK_HEADER_SIZE,
			     bound, contents);
	if (!len)
		return false;
	w->packed.len = BLOCK_HEADER_SIZE + len;
	return true;
}

static int finish_block(struct sstable_writer *w)
{
	struct block_builder *b = &w->block;
	uint64_t offset, how = BLOCK_RAW, n;
	struct bytes stored;
	int err;

	if (!b->count)
		return 0;
	err = block_builder_finish(b);
	if (err)
		return err;
	stored = buf_bytes(&b->contents);
	n = stored.len - BLOCK_HEADER_SIZE;
	w->stats.info.raw_size += n;
	if (pack(w, bytes_of(stored.ptr + BLOCK_HEADER_SIZE, n))) {
		stored = buf_bytes(&w->packed);
		how = compressor_how(w->compressor);
	}
	offset = w->written + w->out.len;
	put_le64((void *)(uintptr_t)(stored.ptr + 8), n << 8 | how);
	put_le64((void *)(uintptr_t)stored.ptr,
		 XXH3_64bits_withSeed(stored.ptr + 8, stored.len - 8,
				      block_seed(w->seed, offset)));
	index_builder_add(&w->index, buf_bytes(&w->last_block_key),
			  buf_bytes(&b->first_key), stored.len, w->block_open);
	w->last_block_key.len = 0;
	buf_add_bytes(&w->last_block_key, buf_bytes(&b->last_key));
	w->block_open = w->in_force;
	if (stored.len > WRITE_SIZE) {
		err = drain(w);
		if (!err)
			err = hand_over(w, stored);
	} else {
		buf_add_bytes(&w->out, stored);
		if (w->out.len >= WRITE_SIZE || w->out.failed)
			err = drain(w);
	}
	block_builder_clear(b);
	return err;
}

/* --------------------------------------------------------------- entries */
/* Log a partition that is larger than advised. It is never refused. */
static void end_partition(const struct sstable_writer *w)
{
	if ((w->partition_rows <= ADVISED_ROWS &&
	     w->partition_bytes <= ADVISED_BYTES) || w->options.measure_only)
		return;
	log_message(LOG_WARNING_LEVEL, "Writing large partition with token "
		    "%lld (%s, %s) to sstable %s",
		    (long long)w->stats.info.last_token,
		    counted(w->partition_rows, "row").text,
		    counted(w->partition_bytes, "byte").text, w->name);
}

/* Begin a partition: no deletion reaches over from the one before. */
static int begin_partition(struct sstable_writer *w, struct bytes key)
{
	struct sstable_info *info = &w->stats.info;
	size_t len = key_partition_len(key);

	if (!len || !deletion_is_none(w->in_force))
		return -EINVAL;
	end_partition(w);
	if (!info->partition_count)
		info->first_token = (int64_t)(get_be64(key.ptr) ^
					      (uint64_t)1 << 63);
	info->last_token = (int64_t)(get_be64(key.ptr) ^ (uint64_t)1 << 63);
	info->partition_count++;
	bloom_builder_add(&w->partitions,
			  sstable_key_hash(bytes_of(key.ptr, len)));
	w->partition_len = len;
	w->partition_rows = 0;
	w->partition_bytes = 0;
	return 0;
}

static int count_row(struct sstable_writer *w, const struct entry *entry)
{
	struct row row;
	int err;

	arena_clear(&w->arena);
	err = row_decode(&row, &w->arena, entry->row);
	if (err)
		return err;
	stats_add_row(&w->stats, &row);
	bloom_builder_add(&w->rows, sstable_key_hash(entry->key));
	if (w->partition_rows < UINT32_MAX)
		w->partition_rows++;
	if (w->partition_rows > w->stats.info.largest_partition_rows)
		w->stats.info.largest_partition_rows = w->partition_rows;
	return 0;
}

static int count_bound(struct sstable_writer *w, const struct entry *entry)
{
	if (entry->before.timestamp != w->in_force.timestamp ||
	    entry->before.local_time != w->in_force.local_time)
		return -EINVAL;
	w->in_force = entry->after;
	if (!deletion_is_none(entry->after))
		stats_add_deletion(&w->stats, entry->after);
	return 0;
}

static int add(struct sstable_writer *w, const struct entry *entry)
{
	struct bytes key = entry->key, last = buf_bytes(&w->last_key);
	size_t size = key.len + (entry->kind == ENTRY_ROW ? entry->row.len :
							    40);
	int err = 0;

	/* Keys out of order are a bug of the caller, which must not reach the
	 * disk. */
	if (key.len > LARGEST_KEY || (last.len && bytes_compare(last, key) >= 0))
		return -EINVAL;
	if (!last.len ||
	    !bytes_begin_with(key, bytes_of(last.ptr, w->partition_len)))
		err = begin_partition(w, key);
	/* A row larger than a block gets its own block. */
	if (!err && w->block.count &&
	    block_builder_size(&w->block) + size > w->options.block_size)
		err = finish_block(w);
	if (!err)
		err = entry->kind == ENTRY_ROW ? count_row(w, entry) :
						 count_bound(w, entry);
	if (err)
		return err;
	w->partition_bytes += size;
	block_builder_add(&w->block, entry);
	w->last_key.len = 0;
	buf_add_bytes(&w->last_key, key);
	return w->last_key.failed || w->block.contents.failed ? -ENOMEM : 0;
}

int sstable_writer_add(struct sstable_writer *w, const struct entry *entry)
{
	if (!w->err)
		w->err = add(w, entry);
	return w->err;
}

/* ------------------------------------------------------------- finishing */
/* Write one section and note it in the footer. */
static int add_section(struct sstable_writer *w, struct buf *footer,
		       const struct buf *section)
{
	uint64_t seed = block_seed(w->seed, w->written);
	struct bytes bytes = buf_bytes(section);

	if (section->failed)
		return -ENOMEM;
	buf_add_le64(footer, bytes.len);
	buf_add_le64(footer, XXH3_64bits_withSeed(bytes.ptr, bytes.len, seed));
	return hand_over(w, bytes);
}

static int add_filter(struct sstable_writer *w, struct buf *footer,
		      struct bloom_builder *filter, bool wanted)
{
	struct buf section = BUF_INIT;
	int err = wanted ? bloom_builder_finish(filter, &section) : 0;

	if (!err)
		err = add_section(w, footer, &section);
	buf_release(&section);
	bloom_builder_release(filter);
	return err;
}

static int add_stats(struct sstable_writer *w, struct buf *footer)
{
	struct buf section = BUF_INIT;
	int err;

	w->stats.info.created = clock_now_s();
	buf_add_bytes(&w->stats.last_key, buf_bytes(&w->last_key));
	if (w->stats.last_key.failed)
		return -ENOMEM;
	stats_write(&section, &w->stats);
	err = add_section(w, footer, &section);
	buf_release(&section);
	return err;
}

static int add_sections(struct sstable_writer *w, struct buf *footer)
{
	int err;

	buf_add_le64(footer, w->stats.info.number);
	buf_add_le64(footer, w->file_id);
	buf_add_le64(footer, w->written);
	err = add_filter(w, footer, &w->partitions, true);
	if (!err)
		err = add_filter(w, footer, &w->rows,
				 w->stats.info.largest_partition_rows > 1);
	if (!err)
		err = w->index.last.failed ? -ENOMEM :
			add_section(w, footer, &w->index.bytes);
	if (!err)
		err = add_stats(w, footer);
	return err;
}

static int add_footer(struct sstable_writer *w, struct buf *footer)
{
	uint64_t checksum;

	buf_add_le64(footer, w->index.count);
	buf_add_le32(footer, w->options.table);
	buf_add_le32(footer, version_of(w));
	if (footer->failed)
		return -ENOMEM;
	checksum = XXH3_64bits(footer->ptr, footer->len);
	w->stats.info.checksum = checksum;
	buf_add_le64(footer, checksum);
	buf_add(footer, SSTABLE_MAGIC, 8);
	return footer->failed ? -ENOMEM : hand_over(w, buf_bytes(footer));
}

int sstable_writer_finish(struct sstable_writer *w, struct sstable_info *info)
{
	struct buf footer = BUF_INIT;
	int err = w->err;

	/* Refuse a file without entries, or with a deletion that has no end. */
	if (!err && (!w->last_key.len || !deletion_is_none(w->in_force)))
		err = -EINVAL;
	if (!err)
		err = finish_block(w);
	if (!err && w->last_block_key.failed)
		err = -ENOMEM;
	if (!err)
		err = drain(w);
	if (!err)
		err = add_sections(w, &footer);
	if (!err)
		err = add_footer(w, &footer);
	if (!err && !w->options.measure_only)
		err = w->files->datasync(w->files->context, w->fd);
	buf_release(&footer);
	w->err = err ? err : -EINVAL;	/* refuse whatever follows */
	if (err)
		return err;
	end_partition(w);
	w->stats.info.size = w->written;
	w->finished = true;
	*info = w->stats.info;
	return 0;
}
