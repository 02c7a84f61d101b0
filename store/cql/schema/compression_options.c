/* The compression option: stored and checked as in Cassandra. */
#include "store/cql/schema/compression_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/java.h"
#include "store/cql/schema/option.h"
#include "store/cql/schema/property.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"
#include "store/schema/options.h"

#define LZ4_LEVEL "Invalid value [%s] for parameter " \
		  "'lz4_high_compressor_level'. Value must be between 1 and " \
		  "17."
#define PACKAGE "org.apache.cassandra.io.compress."

static const char *const compressors[] = {
	PACKAGE "LZ4Compressor", PACKAGE "ZstdCompressor",
	PACKAGE "DeflateCompressor", PACKAGE "NoopCompressor",
};
#define LZ4 1		/* bits of their places */
#define ZSTD 2
#define ALL 15
#define LARGEST_CHUNK_KB 1024

/* The sub-options, in the order in which they are checked. */
static const struct option sub_options[] = {
	{ "compression_level", ZSTD, OPTION_INT, .low = -131072, .high = 22,
	  .wrong = "ZstdCompressor.create() threw an error: java.lang."
		   "NumberFormatException For input string: \"%s\"",
	  .outside = "ZstdCompressor.create() threw an error: java.lang."
		     "IllegalArgumentException compression_level=%s is "
		     "invalid",
	  .as_written = true },
	{ "lz4_compressor_type", LZ4, OPTION_WORD, .words = "fast high",
	  .wrong = "Invalid compressor type '%s' specified for LZ4 parameter "
		   "'lz4_compressor_type'. Valid options are [high, fast]." },
	{ "lz4_high_compressor_level", LZ4, OPTION_INT, .low = 1, .high = 17,
	  .wrong = LZ4_LEVEL, .outside = LZ4_LEVEL, .as_written = true },
	/* Of every compressor; checked elsewhere. */
	{ .name = "class", .of = ALL }, { .name = "enabled", .of = ALL },
	{ .name = "chunk_length_in_kb", .of = ALL },
	{ .name = "min_compress_ratio", .of = ALL },
};

/* Return the row of that name that one of these compressors has, or NULL. */
static const struct option *find_option(struct bytes name, unsigned of)
{
	for (size_t i = 0; i < ARRAY_SIZE(sub_options); i++)
		if (sub_options[i].of & of &&
		    bytes_equal(name, bytes_str(sub_options[i].name)))
			return &sub_options[i];
	return NULL;
}

struct written {
	const char *class, *chunk_length, *min_ratio;
	unsigned compressor;		/* the bit of its place */
	int32_t chunk_kb;
	double ratio;
};

static bool is_true(const char *text)
{
	return !strcasecmp(text, "true");
}

/* Read `enabled`. *off: no compression. */
static int read_enabled(struct ddl *d, bool *off,
			const struct written_property *p)
{
	const char *enabled = property_entry(d, p, "enabled");
	const char *class = property_entry(d, p, "class");
	bool on = !enabled || is_true(enabled);

	*off = !on || !p->entry_count;
	if (p->entry_count && on && !class)
		return misconfigured(d, "Missing sub-option 'class' for the "
					"'compression' option.");
	if (!on && p->entry_count > 1)
		return misconfigured(d, "If the 'enabled' option is set to "
					"false no other options must be "
					"specified");
	if (on && class && !*class)
		return misconfigured(d, "The 'class' option must not be empty. "
					"To disable compression use 'enabled' "
					": false");
	return 0;
}

static int read_numbers(struct ddl *d, struct written *w)
{
	if (w->chunk_length &&
	    !property_read_int(&w->chunk_kb, w->chunk_length))
		return misconfigured(d, "Invalid value for chunk_length_in_kb");
	if (w->chunk_kb > INT32_MAX / 1024)
		return misconfigured(d, "Value of chunk_length_in_kb is too "
					"large (%d)", w->chunk_kb);
	if (w->min_ratio && !property_read_double(&w->ratio, w->min_ratio))
		return misconfigured(d, "Invalid value for min_compress_ratio");
	return 0;
}

static int read_class(struct ddl *d, struct written *w)
{
	const char *full = strchr(w->class, '.') ? w->class :
			   arena_format(d->x->arena, PACKAGE "%s", w->class);
	size_t i;

	if (!full)
		return -ENOMEM;
	w->class = full;
	for (i = 0; i < ARRAY_SIZE(compressors); i++)
		if (!strcmp(full, compressors[i]))
			break;
	w->compressor = 1u << i;
	if (i < ARRAY_SIZE(compressors))
		return 0;
	if (!strcmp(full, PACKAGE "SnappyCompressor"))
		return misconfigured(d, "SnappyCompressor is not supported: "
					"use LZ4Compressor, ZstdCompressor or "
					"DeflateCompressor");
	return misconfigured(d, "Could not create Compression for type %s",
			     full);
}

/* Check what the compressor itself refuses. */
static int check_compressor(struct ddl *d, const struct written *w,
			    const struct written_property *p)
{
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sub_options) && !err; i++) {
		const struct option *o = &sub_options[i];
		const char *value = property_entry(d, p, o->name);

		if (value && o->of & w->compressor)
			err = option_check(d, o, value);
	}
	return err;
}

/* Refuse the first unknown one, in Cassandra's order. */
static int check_unknown(struct ddl *d, const struct written *w,
			 const struct written_property *p)
{
	uint32_t mask = java_buckets(0, p->entry_count) - 1, least = 0;
	struct bytes first = BYTES_NULL;

	for (uint32_t i = 0; i < p->entry_count; i++) {
		struct bytes name = p->entries[i].key;
		uint32_t bucket = java_hash_text(name) & mask;

		if (find_option(name, w->compressor) ||
		    (!bytes_is_null(first) && bucket >= least))
			continue;
		first = name;
		least = bucket;
	}
	if (bytes_is_null(first))
		return 0;
	return misconfigured(d, "Unknown compression options %s",
			     text_of(d->x, first));
}

static int check_bounds(struct ddl *d, const struct written *w)
{
	if (w->chunk_kb <= 0)
		return misconfigured(d, "Invalid negative or null "
					"chunk_length_in_kb");
	if (w->chunk_kb & (w->chunk_kb - 1))
		return misconfigured(d, "chunk_length_in_kb must be a power "
					"of 2");
	if (w->ratio < 0)
		return misconfigured(d, "Invalid negative min_compress_ratio");
	if (w->ratio != 0 && !(w->ratio >= 1))
		return misconfigured(d, "min_compress_ratio can either be 0 or "
					"greater than or equal to 1");
	return 0;
}

static int set(struct table_options *o, const char *name, const char *value)
{
	return value ? options_set(&o->compression, &o->compression_count,
				   name, value) : -ENOMEM;
}

static bool is_general(struct bytes name)
{
	const struct option *o = find_option(name, ALL);

	return o && o->of == ALL;
}

/* Store the options in place of the present ones. */
static int keep(struct ddl *d, struct table_options *o,
		const struct written *w, const struct written_property *p)
{
	int err = 0;

	for (uint32_t i = 0; i < p->entry_count && !err; i++)
		if (!is_general(p->entries[i].key))
			err = set(o, text_of(d->x, p->entries[i].key),
				  text_of(d->x, p->entries[i].value));
	if (!err)
		err = set(o, "class", w->class);
	if (!err)
		err = set(o, "chunk_length_in_kb",
			  arena_format(d->x->arena, "%d", w->chunk_kb));
	if (!err && w->ratio != 0)
		err = set(o, "min_compress_ratio",
			  property_text_of_double(d, w->ratio));
	return err;
}

int compression_options_read(struct ddl *d, struct table_options *o,
			     const struct written_property *p)
{
	struct written w = { .chunk_kb = 16 };
	bool off = false;
	int err = property_map(d, p);

	if (!err)
		err = read_enabled(d, &off, p);
	if (err)
		return err;
	w.class = property_entry(d, p, "class");
	w.chunk_length = property_entry(d, p, "chunk_length_in_kb");
	w.min_ratio = property_entry(d, p, "min_compress_ratio");
	if (!off)
		err = read_numbers(d, &w);
	if (!err && !off)
		err = read_class(d, &w);
	if (!err && !off)
		err = check_compressor(d, &w, p);
	if (!err && !off)
		err = check_unknown(d, &w, p);
	if (!err && !off)
		err = check_bounds(d, &w);
	if (err)
		return err;
	options_release(o->compression, o->compression_count);
	o->compression = NULL;
	o->compression_count = 0;
	return off ? set(o, "enabled", "false") : keep(d, o, &w, p);
}

void compression_options_warn(struct ddl *d, const struct table_options *o)
{
	const char *chunk = options_find(o->compression, o->compression_count,
					 "chunk_length_in_kb");

	if (chunk && atoi(chunk) > LARGEST_CHUNK_KB)
		statement_warn(d->x, "Chunks of %s KiB are not made here: they "
				     "have %d KiB at most", chunk,
			       LARGEST_CHUNK_KB);
}
