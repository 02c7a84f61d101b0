#include "store/sstable/compressor.h"

#include <errno.h>
#include <lz4.h>
#include <lz4hc.h>
#include <pthread.h>
#include <zlib.h>
#include <zstd.h>

#include "store/base/alloc.h"

#define LZ4_HIGHEST 12
#define ZSTD_LOWEST (-131072)
#define ZSTD_HIGHEST 22
/* Of a block that is larger: its level alone would take up to 650 MB. */
#define ZSTD_WINDOW_LOG 20
/* A byte of each makes at most so many. */
#define LZ4_LARGEST_RATIO 255
#define DEFLATE_LARGEST_RATIO 1032
#define DEFLATE_WINDOW (-MAX_WBITS)	/* no header, no checksum */
#define DEFLATE_MEMORY 8		/* zlib's default */

struct compressor {
	enum block_how how;
	int level;
	void *high;		/* of LZ4's high compressor */
	ZSTD_CCtx *zstd;
	z_stream deflate;
};

static int within(int level, int least, int most)
{
	return level < least ? least : level > most ? most : level;
}

static void *zlib_alloc(void *unused, unsigned count, unsigned size)
{
	(void)unused;
	return mem_zalloc(count, size);
}

static void zlib_free(void *unused, void *memory)
{
	(void)unused;
	mem_free(memory);
}

static bool start_zstd(struct compressor *c)
{
	int level = within(c->level, ZSTD_LOWEST, ZSTD_HIGHEST);

	c->zstd = ZSTD_createCCtx();
	return c->zstd &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(c->zstd,
				ZSTD_c_compressionLevel, level)) &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_windowLog,
						    ZSTD_WINDOW_LOG));
}

static bool start(struct compressor *c)
{
	switch (c->how) {
	case BLOCK_LZ4:
		c->level = within(c->level, 0, LZ4_HIGHEST);
		if (c->level)
			c->high = mem_alloc((size_t)LZ4_sizeofStateHC());
		return c->high || !c->level;
	case BLOCK_ZSTD:
		return start_zstd(c);
	case BLOCK_DEFLATE:
		c->level = within(c->level, 1, 9);
		c->deflate.zalloc = zlib_alloc;
		c->deflate.zfree = zlib_free;
		return deflateInit2(&c->deflate, c->level, Z_DEFLATED,
				    DEFLATE_WINDOW, DEFLATE_MEMORY,
				    Z_DEFAULT_STRATEGY) == Z_OK;
	case BLOCK_RAW:
		break;
	}
	return false;
}

struct compressor *compressor_new(struct compression how)
{
	struct compressor *c = how.how == BLOCK_RAW ?
			       NULL : mem_zalloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->how = how.how;
	c->level = how.level;
	if (!start(c)) {
		c->how = BLOCK_LZ4;
		c->level = 0;
	}
	return c;
}

enum block_how compressor_how(const struct compressor *c)
{
	return c->how;
}

void compressor_free(struct compressor *c)
{
	if (!c)
		return;
	mem_free(c->high);
	ZSTD_freeCCtx(c->zstd);
	if (c->deflate.state)
		deflateEnd(&c->deflate);
	mem_free(c);
}

static size_t run_lz4(struct compressor *c, uint8_t *to, size_t room,
		      struct bytes from)
{
	const char *bytes = (const char *)from.ptr;
	int len = c->level ?
		  LZ4_compress_HC_extStateHC(c->high, bytes, (char *)to,
					     (int)from.len, (int)room,
					     c->level) :
		  LZ4_compress_default(bytes, (char *)to, (int)from.len,
				       (int)room);

	return len > 0 ? (size_t)len : 0;
}

static size_t run_deflate(struct compressor *c, uint8_t *to, size_t room,
			  struct bytes from)
{
	z_stream *z = &c->deflate;

	if (deflateReset(z) != Z_OK)
		return 0;
	z->next_in = (Bytef *)(uintptr_t)from.ptr;
	z->avail_in = (uInt)from.len;
	z->next_out = to;
	z->avail_out = (uInt)room;
	return deflate(z, Z_FINISH) == Z_STREAM_END ? room - z->avail_out : 0;
}

size_t compressor_run(struct compressor *c, uint8_t *to, size_t room,
		      struct bytes from)
{
	size_t len;

	if (from.len > LARGEST_COMPRESSED)
		return 0;
	if (c->how == BLOCK_LZ4)
		return run_lz4(c, to, room, from);
	if (c->how == BLOCK_DEFLATE)
		return run_deflate(c, to, room, from);
	len = ZSTD_compress2(c->zstd, to, room, from.ptr, from.len);
	return ZSTD_isError(len) ? 0 : len;
}

/* ----------------------------------------------------------- decompression */

static pthread_key_t zstd_key;
static bool zstd_has_key;

static void free_context(void *context)
{
	ZSTD_freeDCtx(context);
}

static void make_key(void)
{
	zstd_has_key = !pthread_key_create(&zstd_key, free_context);
}

/* Making a context costs more than a block: a thread keeps its own. */
static ZSTD_DCtx *zstd_context(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	ZSTD_DCtx *context;

	if (pthread_once(&once, make_key) || !zstd_has_key)
		return NULL;
	context = pthread_getspecific(zstd_key);
	if (context || !(context = ZSTD_createDCtx()))
		return context;
	if (!pthread_setspecific(zstd_key, context))
		return context;
	ZSTD_freeDCtx(context);
	return NULL;
}

static int decompress_zstd(uint8_t *to, size_t n, struct bytes from)
{
	ZSTD_DCtx *context = zstd_context();
	size_t made;

	if (!context)
		return -ENOMEM;
	made = ZSTD_decompressDCtx(context, to, n, from.ptr, from.len);
	return !ZSTD_isError(made) && made == n ? 0 : -EUCLEAN;
}

/* *used: how many bytes of from it took. */
static int inflate_all(uint8_t *to, size_t n, struct bytes from, size_t *used)
{
	z_stream z = { .zalloc = zlib_alloc, .zfree = zlib_free };
	int got;

	if (from.len > UINT32_MAX || n > UINT32_MAX)
		return -EUCLEAN;
	z.next_in = (Bytef *)(uintptr_t)from.ptr;
	z.avail_in = (uInt)from.len;
	z.next_out = to;
	z.avail_out = (uInt)n;
	if (inflateInit2(&z, DEFLATE_WINDOW) != Z_OK)
		return -ENOMEM;
	got = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	*used = from.len - z.avail_in;
	if (got == Z_MEM_ERROR)
		return -ENOMEM;
	return got == Z_STREAM_END && !z.avail_out ? 0 : -EUCLEAN;
}

bool compressor_can_decompress(enum block_how how, uint64_t n,
			       struct bytes from)
{
	if (!n || n > LARGEST_COMPRESSED + LARGEST_BLOCK_SIZE)
		return false;
	switch (how) {
	case BLOCK_LZ4:
		return n <= (uint64_t)from.len * LZ4_LARGEST_RATIO + 64;
	case BLOCK_ZSTD:
		return ZSTD_getFrameContentSize(from.ptr, from.len) == n;
	case BLOCK_DEFLATE:
		return n <= (uint64_t)from.len * DEFLATE_LARGEST_RATIO;
	case BLOCK_RAW:
		break;
	}
	return false;
}

int compressor_decompress(enum block_how how, uint8_t *to, size_t n,
			  struct bytes from)
{
	size_t used;
	int err;

	if (!compressor_can_decompress(how, n, from) || from.len > INT32_MAX)
		return -EUCLEAN;
	if (how == BLOCK_LZ4)
		return LZ4_decompress_safe((const char *)from.ptr, (char *)to,
					   (int)from.len, (int)n) == (int)n ?
			       0 : -EUCLEAN;
	if (how == BLOCK_ZSTD)
		return decompress_zstd(to, n, from);
	err = inflate_all(to, n, from, &used);
	return !err && used != from.len ? -EUCLEAN : err;
}

/* ------------------------------------------------------------------ lengths */

/* Read the rest of a length of lz4. */
static bool lz4_length(struct reader *r, uint64_t *len)
{
	uint8_t byte;

	if (*len < 15)
		return true;
	do {
		byte = read_byte(r);
		*len += byte;
	} while (byte == 255 && !r->failed);
	return !r->failed;
}

/* Walk the sequences until they have made as much as they should. */
static size_t lz4_stored(struct bytes from, uint64_t n)
{
	struct reader r = reader_of(from);
	uint64_t made = 0;

	while (!r.failed && made < n) {
		uint8_t token = read_byte(&r);
		uint64_t literals = token >> 4, match = token & 15;

		if (!lz4_length(&r, &literals))
			return 0;
		read_bytes(&r, literals);
		made += literals;
		if (made >= n)
			break;
		read_bytes(&r, 2);
		if (!lz4_length(&r, &match))
			return 0;
		made += match + 4;
	}
	return r.failed || made != n ? 0 : (size_t)(r.ptr - from.ptr);
}

static size_t deflate_stored(struct bytes from, uint64_t n)
{
	uint8_t *made = mem_alloc((size_t)n);
	size_t used = 0;

	if (!made || inflate_all(made, (size_t)n, from, &used))
		used = 0;
	mem_free(made);
	return used;
}

size_t compressor_stored_length(enum block_how how, struct bytes from,
				uint64_t n)
{
	size_t len;

	if (!compressor_can_decompress(how, n, from))
		return 0;
	if (how == BLOCK_LZ4)
		return lz4_stored(from, n);
	if (how == BLOCK_DEFLATE)
		return deflate_stored(from, n);
	len = ZSTD_findFrameCompressedSize(from.ptr, from.len);
	return ZSTD_isError(len) ? 0 : len;
}
