/*
 * Options of tables, as the engine has them. The schema's texts were checked when
 * they were set (cql/schema). README.md says of each option what it does, and of
 * the others why one node has no use for them.
 */
#include "store/engine_options.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "store/schema/options.h"

#define LARGEST_BLOCK_KB 1024
#define LZ4_HIGH_LEVEL 9		/* where none is named */
#define LZ4_LARGEST_LEVEL 12
#define LEAST_LARGE_SIZE 1048576
#define LONGEST_S ((int64_t)100 * 365 * 86400)

/* ------------------------------------------------------------------ values */
/* Read a whole number from 0 to `most`; -1: the text is none. */
static int64_t whole(const char *text, int64_t most)
{
	char *end;
	long long n = strtoll(text, &end, 10);

	if (end == text || n < 0)
		return -1;
	return n < most ? n : most;
}

static void read_count(void *field, const char *text)
{
	int64_t n = whole(text, UINT32_MAX);

	if (n > 0)
		*(uint32_t *)field = (uint32_t)n;
}

/* Set the limit; 0 or less: no limit. */
static void read_limit(void *field, const char *text)
{
	int64_t n = whole(text, UINT32_MAX);

	*(uint32_t *)field = n > 0 ? (uint32_t)n : UINT32_MAX;
}

static void read_seconds(void *field, const char *text)
{
	int64_t n = whole(text, LONGEST_S);

	if (n >= 0)
		*(int64_t *)field = n;
}

static void read_byte_count(void *field, const char *text)
{
	int64_t n = whole(text, INT64_MAX);

	if (n >= 0)
		*(uint64_t *)field = (uint64_t)n;
}

static void read_mib(void *field, const char *text)
{
	int64_t n = whole(text, INT32_MAX);

	if (n > 0)
		*(uint64_t *)field = (uint64_t)n << 20;
}

/* Read a size as 100MiB. Store a size of 0 as 1 byte, since 0 means the
 * default. */
static void read_size(void *field, const char *text)
{
	double size = options_read_size(text);

	if (size >= 0 && size < 1e18)
		*(uint64_t *)field = size < 1 ? 1 : (uint64_t)size;
}

/* Read a size of at least 1 MiB. */
static void read_large_size(void *field, const char *text)
{
	if (options_read_size(text) >= LEAST_LARGE_SIZE)
		read_size(field, text);
}

static void read_real(void *field, const char *text)
{
	char *end;
	double x = strtod(text, &end);

	if (end != text && !isnan(x))
		*(double *)field = x;
}

/* Read a share as 0.333 or as 33.3 %. */
static void read_share(void *field, const char *text)
{
	double x = NAN;

	read_real(&x, text);
	if (strchr(text, '%'))
		x /= 100;
	if (x >= 0 && x <= 1)
		*(double *)field = x;
}

static void read_flag(void *field, const char *text)
{
	if (!strcasecmp(text, "true") || !strcasecmp(text, "false"))
		*(bool *)field = !strcasecmp(text, "true");
}

static void read_negated(void *field, const char *text)
{
	*(bool *)field = strcasecmp(text, "true");
}

static void read_not_none(void *field, const char *text)
{
	*(bool *)field = strcasecmp(text, "NONE");
}

static void read_overlap(void *field, const char *text)
{
	*(enum lsm_overlap *)field =
		!strcasecmp(text, "NONE") ? LSM_OVERLAP_NONE :
		!strcasecmp(text, "SINGLE") ? LSM_OVERLAP_SINGLE :
					      LSM_OVERLAP_TRANSITIVE;
}

static void read_resolution(void *field, const char *text)
{
	*(int64_t *)field = !strcmp(text, "SECONDS") ? 1 :
			    !strcmp(text, "MILLISECONDS") ? 1000 :
			    !strcmp(text, "NANOSECONDS") ? 1000000000 : 1000000;
}

/* ------------------------------------------------------------------ scaling */
/* Read a scaling parameter: N, T4, L10, or the number itself. */
static bool read_scaling_item(int32_t *out, const char *text)
{
	char letter = *text == 'T' || *text == 'L' ? *text++ : 0, *end;
	long long n;

	if (*text == 'N') {
		*out = 0;
		return true;
	}
	n = strtoll(text, &end, 10);
	if (end == text || n < INT32_MIN || n > INT32_MAX ||
	    (letter && n < 2))
		return false;
	*out = (int32_t)(letter == 'T' ? n - 2 : letter == 'L' ? 2 - n : n);
	return true;
}

/* Leave out levels above the last possible one. */
static void read_scaling(struct lsm_table_options *to, const char *text)
{
	uint32_t count = 0;

	while (text && count < LSM_MOST_LEVELS) {
		while (isspace((unsigned char)*text))
			text++;
		if (!read_scaling_item(&to->scaling[count], text))
			break;
		count++;
		text = strchr(text, ',');
		text += text != NULL;
	}
	if (!count)
		to->scaling[count++] = 2;	/* T4, of all levels */
	to->scaling_count = count;
}

/* ----------------------------------------------------------------- compaction */
#define OF(strategy) (1u << (strategy))
#define ALL 15u
#define TIERS (OF(LSM_SIZE_TIERED) | OF(LSM_TIME_WINDOW))
#define FIELD(member) offsetof(struct lsm_table_options, member)

static const struct compaction_rule {
	const char *name;
	unsigned of;
	void (*read)(void *field, const char *text);
	size_t field;
} compaction_rules[] = {
	{ "enabled", ALL, read_flag, FIELD(compaction_enabled) },
	{ "log_all", ALL, read_flag, FIELD(log_compactions) },
	{ "tombstone_threshold", ALL, read_real, FIELD(tombstone_threshold) },
	{ "tombstone_compaction_interval", ALL, read_seconds,
	  FIELD(tombstone_interval_s) },
	{ "unchecked_tombstone_compaction", ALL, read_flag,
	  FIELD(unchecked_tombstones) },
	{ "provide_overlapping_tombstones", ALL, read_not_none,
	  FIELD(overlapping_tombstones) },
	{ "expired_sstable_check_frequency_seconds",
	  OF(LSM_TIME_WINDOW) | OF(LSM_UNIFIED), read_seconds,
	  FIELD(expiry_check_s) },

	{ "min_threshold", TIERS, read_count, FIELD(min_threshold) },
	{ "max_threshold", TIERS, read_count, FIELD(max_threshold) },
	{ "min_sstable_size", TIERS, read_byte_count, FIELD(small_sstable) },
	{ "bucket_low", TIERS, read_real, FIELD(bucket_low) },
	{ "bucket_high", TIERS, read_real, FIELD(bucket_high) },

	{ "sstable_size_in_mb", OF(LSM_LEVELED), read_mib,
	  FIELD(sstable_size) },
	{ "fanout_size", OF(LSM_LEVELED), read_count, FIELD(fanout) },
	{ "single_sstable_uplevel", OF(LSM_LEVELED), read_negated,
	  FIELD(writes_to_rise) },

	{ "timestamp_resolution", OF(LSM_TIME_WINDOW), read_resolution,
	  FIELD(timestamps_per_s) },

	{ "target_sstable_size", OF(LSM_UNIFIED), read_large_size,
	  FIELD(sstable_size) },
	{ "flush_size_override", OF(LSM_UNIFIED), read_large_size,
	  FIELD(flush_size) },
	{ "min_sstable_size", OF(LSM_UNIFIED), read_size, FIELD(least_size) },
	{ "base_shard_count", OF(LSM_UNIFIED), read_count,
	  FIELD(base_shards) },
	{ "sstable_growth", OF(LSM_UNIFIED), read_share, FIELD(growth) },
	{ "max_sstables_to_compact", OF(LSM_UNIFIED), read_limit,
	  FIELD(most_files) },
	{ "overlap_inclusion_method", OF(LSM_UNIFIED), read_overlap,
	  FIELD(overlap) },
};

static const char *compaction_option(const struct table *t, const char *name)
{
	return options_find(t->options.compaction, t->options.compaction_count,
			    name);
}

static bool class_is(const struct table *t, const char *name)
{
	const char *class = compaction_option(t, "class");

	return class && strstr(class, name);
}

/*
 * The default (SizeTiered with its thresholds), and Unified without a word more,
 * are no choice of how to compact: such a table gets the strategy that we think
 * best.
 */
static bool chooses(const struct table *t)
{
	const char *least = compaction_option(t, "min_threshold");
	const char *most = compaction_option(t, "max_threshold");
	uint32_t named = t->options.compaction_count;

	if (class_is(t, "UnifiedCompactionStrategy"))
		return named > 1;
	return (least && strcmp(least, "4")) || (most && strcmp(most, "32")) ||
	       named > 1u + (least != NULL) + (most != NULL);
}

static int64_t window_seconds(const struct table *t)
{
	const char *unit = compaction_option(t, "compaction_window_unit");
	const char *size = compaction_option(t, "compaction_window_size");
	int64_t n = size ? whole(size, INT32_MAX) : 1;

	if (n < 1)
		n = 1;
	if (unit && !strcmp(unit, "MINUTES"))
		return n * 60;
	if (unit && !strcmp(unit, "HOURS"))
		return n * 3600;
	return n * 86400;
}

static void choose_strategy(struct lsm_table_options *to, const struct table *t)
{
	if (class_is(t, "LeveledCompactionStrategy")) {
		to->strategy = LSM_LEVELED;
	} else if (class_is(t, "TimeWindowCompactionStrategy")) {
		to->strategy = LSM_TIME_WINDOW;
		to->window_s = window_seconds(t);
	} else if (class_is(t, "SizeTieredCompactionStrategy") && chooses(t)) {
		to->strategy = LSM_SIZE_TIERED;
	} else if (t->options.default_time_to_live && !chooses(t)) {
		/* Everything expires: whole files can be dropped. */
		to->strategy = LSM_TIME_WINDOW;
		to->window_s = t->options.default_time_to_live / 20 + 1;
	} else {
		to->strategy = LSM_UNIFIED;
	}
}

static void read_compaction(struct lsm_table_options *to, const struct table *t)
{
	const char *scaling = compaction_option(t, "scaling_parameters");

	choose_strategy(to, t);
	for (size_t i = 0; i < ARRAY_SIZE(compaction_rules); i++) {
		const struct compaction_rule *rule = &compaction_rules[i];
		const char *text = compaction_option(t, rule->name);

		if (text && rule->of & OF(to->strategy))
			rule->read((char *)to + rule->field, text);
	}
	if (scaling && to->strategy == LSM_UNIFIED)
		read_scaling(to, scaling);
}

/* ---------------------------------------------------------------- compression */
/* 16 is the default there, and no choice: blocks have the size that we think
 * best. */
static uint32_t block_size(const char *chunk_kb)
{
	int64_t kb = chunk_kb ? whole(chunk_kb, LARGEST_BLOCK_KB) : 16;

	return kb <= 0 || kb == 16 ? 0 : (uint32_t)kb << 10;
}

static const char *compression_option(const struct table *t, const char *name)
{
	return options_find(t->options.compression,
			    t->options.compression_count, name);
}

static int lz4_level(const struct table *t)
{
	const char *type = compression_option(t, "lz4_compressor_type");
	const char *level = compression_option(t, "lz4_high_compressor_level");
	int64_t n = level ? whole(level, LZ4_LARGEST_LEVEL) : LZ4_HIGH_LEVEL;

	if (!type || strcmp(type, "high"))
		return 0;
	return n > 0 ? (int)n : LZ4_HIGH_LEVEL;
}

/* The schema has checked the option. */
static int zstd_level(const struct table *t)
{
	const char *level = compression_option(t, "compression_level");

	return level ? atoi(level) : ZSTD_DEFAULT_LEVEL;
}

static struct compression compression_of(const struct table *t)
{
	const char *class = compression_option(t, "class");
	const char *enabled = compression_option(t, "enabled");

	if (!class || strstr(class, "Noop") ||
	    (enabled && !strcmp(enabled, "false")))
		return (struct compression){ BLOCK_RAW, 0 };
	if (strstr(class, "Zstd"))
		return (struct compression){ BLOCK_ZSTD, zstd_level(t) };
	if (strstr(class, "Deflate"))
		return (struct compression){ BLOCK_DEFLATE,
					     DEFLATE_DEFAULT_LEVEL };
	return (struct compression){ BLOCK_LZ4, lz4_level(t) };
}

static void read_compression(struct lsm_table_options *to,
			     const struct table *t)
{
	const char *ratio = compression_option(t, "min_compress_ratio");

	to->compression = compression_of(t);
	to->block_size = block_size(compression_option(t,
						       "chunk_length_in_kb"));
	if (ratio)
		read_real(&to->least_ratio, ratio);
}

/* A filter with so many bits for each key says yes by mistake so often. */
static uint32_t filter_bits(double fp_chance)
{
	if (!(fp_chance > 0))
		return 0;
	return fp_chance < 1 ? (uint32_t)ceil(-log2(fp_chance) / log(2)) : 1;
}

void engine_options_of(struct lsm_table_options *to, const struct table *t)
{
	lsm_table_defaults(to);
	to->gc_grace_s = t->options.gc_grace_seconds;
	to->memtable_flush_period_ms = t->options.memtable_flush_period_in_ms;
	to->filter_bits = filter_bits(t->options.bloom_filter_fp_chance);
	read_compression(to, t);
	read_compaction(to, t);
}
