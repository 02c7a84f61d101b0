/*
 * The compaction option. Every strategy knows the common sub-options; those
 * that fall back on SizeTiered within a level or window know its own, too.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/cql/schema/ddl.h"

#define PACKAGE "org.apache.cassandra.db.compaction."

enum strategy { SIZE_TIERED, LEVELED, TIME_WINDOW, UNIFIED, STRATEGY_COUNT };
static const char *const strategies[STRATEGY_COUNT] = {
	"SizeTieredCompactionStrategy", "LeveledCompactionStrategy",
	"TimeWindowCompactionStrategy", "UnifiedCompactionStrategy",
};

static const char *sub_option(const struct table_options *o, const char *name)
{
	return options_find(o->compaction, o->compaction_count, name);
}

static enum strategy strategy_of(const struct table_options *o)
{
	const char *class = sub_option(o, "class");
	unsigned i;

	for (i = 0; i + 1 < STRATEGY_COUNT; i++)
		if (class && !strcmp(class + sizeof(PACKAGE) - 1,
				     strategies[i]))
			break;
	return i;
}

/* ------------------------------------------------------------------ reading */
static int read_class(struct ddl *d, const char **class, const char *name)
{
	const char *full = strchr(name, '.') ? name :
			   arena_format(d->x->arena, PACKAGE "%s", name);

	if (!full)
		return -ENOMEM;
	for (unsigned i = 0; i < STRATEGY_COUNT; i++)
		if (!strncmp(full, PACKAGE, sizeof(PACKAGE) - 1) &&
		    !strcmp(full + sizeof(PACKAGE) - 1, strategies[i])) {
			*class = full;
			return 0;
		}
	return misconfigured(d, "Unable to find compaction strategy class '%s'",
			     full);
}

static const char *text_in_upper_case(struct ddl *d, const char *value)
{
	char *text = arena_strdup(d->x->arena, value);

	for (char *c = text; c && *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return text ? text : "";
}

static int check_overlaps(struct ddl *d, const char *value)
{
	if (!value || !strcasecmp(value, "NONE") || !strcasecmp(value, "ROW") ||
	    !strcasecmp(value, "CELL"))
		return 0;
	return misconfigured(d, "Invalid value %s for "
				"'provide_overlapping_tombstones' compaction "
				"sub-option - must be one of the following "
				"[NONE, ROW, CELL].",
			     text_in_upper_case(d, value));
}

static int set(struct table_options *o, const char *name, const char *value)
{
	return options_set(&o->compaction, &o->compaction_count, name, value);
}

int read_compaction(struct ddl *d, struct table_options *o,
		    const struct written_property *p)
{
	const char *name, *class = NULL;
	int err = property_map(d, p);

	if (err)
		return err;
	name = property_entry(d, p, "class");
	if (!name)
		return misconfigured(d, "Missing sub-option 'class' for the "
					"'compaction' option");
	err = read_class(d, &class, name);
	if (!err)
		err = check_overlaps(d, property_entry(d, p,
					"provide_overlapping_tombstones"));
	if (err)
		return err;
	options_release(o->compaction, o->compaction_count);
	o->compaction = NULL;
	o->compaction_count = 0;
	for (uint32_t i = 0; i < p->entry_count && !err; i++)
		err = set(o, text_of(d->x, p->entries[i].key),
			  text_of(d->x, p->entries[i].value));
	if (!err)
		err = set(o, "class", class);
	if (err || strategy_of(o) == UNIFIED)
		return err;
	if (!sub_option(o, "min_threshold"))
		err = set(o, "min_threshold", "4");
	if (!err && !sub_option(o, "max_threshold"))
		err = set(o, "max_threshold", "32");
	return err;
}

/* ----------------------------------------------------------------- checking */
static bool is_boolean(const char *text)
{
	return !strcasecmp(text, "true") || !strcasecmp(text, "false");
}

static int not_a_number(struct ddl *d, const char *value, const char *name)
{
	return misconfigured(d, "%s is not a parsable int (base10) for %s",
			     value, name);
}

static int not_a_float(struct ddl *d, const char *value, const char *name)
{
	return misconfigured(d, "%s is not a parsable float for %s", value,
			     name);
}

/* As %f prints in a locale that has a point. */
static const char *text_of_fixed(struct ddl *d, double x)
{
	double whole = x < 0 ? -x : x;
	unsigned long long micros;

	if (!(whole < 1e12))
		return text_of_double(d, x);
	micros = (unsigned long long)(whole * 1000000 + 0.5);
	return arena_format(d->x->arena, "%s%llu.%06llu", x < 0 ? "-" : "",
			    micros / 1000000, micros % 1000000);
}

static int check_common(struct ddl *d, const struct table_options *o)
{
	const char *value = sub_option(o, "tombstone_threshold");
	double threshold;
	int64_t interval;

	if (value && !read_java_double(&threshold, value))
		return not_a_number(d, value, "tombstone_threshold");
	if (value && threshold < 0)
		return misconfigured(d, "tombstone_threshold must be greater "
					"than 0, but was %s",
				     text_of_fixed(d, threshold));
	value = sub_option(o, "tombstone_compaction_interval");
	if (value && !read_java_long(&interval, value))
		return not_a_number(d, value, "tombstone_compaction_interval");
	if (value && interval < 0)
		return misconfigured(d, "tombstone_compaction_interval must be "
					"greater than 0, but was %lld",
				     (long long)interval);
	value = sub_option(o, "unchecked_tombstone_compaction");
	if (value && !is_boolean(value))
		return misconfigured(d, "'unchecked_tombstone_compaction' "
					"should be either 'true' or 'false', "
					"not '%s'", value);
	value = sub_option(o, "log_all");
	if (value && !is_boolean(value))
		return misconfigured(d, "'log_all' should either be 'true' or "
					"'false', not %s", value);
	value = sub_option(o, "enabled");
	if (value && !is_boolean(value))
		return misconfigured(d, "enabled should either be 'true' or "
					"'false', not %s", value);
	return 0;
}

static int check_size_tiered(struct ddl *d, const struct table_options *o)
{
	const char *value = sub_option(o, "min_sstable_size");
	double low = 0.5, high = 1.5;
	int64_t size;

	if (value && !read_java_long(&size, value))
		return not_a_number(d, value, "min_sstable_size");
	if (value && size < 0)
		return misconfigured(d, "min_sstable_size must be non "
					"negative: %lld", (long long)size);
	value = sub_option(o, "bucket_low");
	if (value && !read_java_double(&low, value))
		return not_a_float(d, value, "bucket_low");
	value = sub_option(o, "bucket_high");
	if (value && !read_java_double(&high, value))
		return not_a_float(d, value, "bucket_high");
	if (high <= low)
		return misconfigured(d, "bucket_high value (%s) is less than "
					"or equal to the bucket_low value (%s)",
				     text_of_double(d, high),
				     text_of_double(d, low));
	return 0;
}

static int check_leveled(struct ddl *d, const struct table_options *o)
{
	static const char *const sizes[] = { "sstable_size_in_mb",
					     "fanout_size" };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		const char *value = sub_option(o, sizes[i]);
		int32_t size;

		if (value && !read_java_int(&size, value))
			return not_a_number(d, value, sizes[i]);
		if (value && size < 1)
			return misconfigured(d, "%s must be larger than 0, but "
						"was %d", sizes[i], size);
	}
	return check_size_tiered(d, o);
}

static bool is_one_of(const char *value, const char *const *words)
{
	while (*words && strcmp(*words, value))
		words++;
	return *words;
}

/* Of time windows and unified alike. */
static int check_expiration(struct ddl *d, const struct table_options *o)
{
	const char *value = sub_option(o,
			"expired_sstable_check_frequency_seconds");
	int64_t seconds;

	if (value && !read_java_long(&seconds, value))
		return not_a_number(d, value,
				    "expired_sstable_check_frequency_seconds");
	if (value && seconds < 0)
		return misconfigured(d, "expired_sstable_check_frequency_"
					"seconds must not be negative, but was "
					"%lld", (long long)seconds);
	value = sub_option(o, "unsafe_aggressive_sstable_expiration");
	if (value && !is_boolean(value))
		return misconfigured(d, "unsafe_aggressive_sstable_expiration "
					"is not 'true' or 'false' (%s)", value);
	if (value && !strcasecmp(value, "true"))
		return misconfigured(d, "unsafe_aggressive_sstable_expiration "
					"is requested but not allowed, restart "
					"cassandra with -Dcassandra.allow_"
					"unsafe_aggressive_sstable_expiration="
					"true to allow it");
	return 0;
}

static int check_time_window(struct ddl *d, const struct table_options *o)
{
	static const char *const resolutions[] = {
		"SECONDS", "MILLISECONDS", "MICROSECONDS", "NANOSECONDS", NULL
	}, *const units[] = { "MINUTES", "HOURS", "DAYS", NULL };
	const char *value = sub_option(o, "timestamp_resolution");
	int32_t size;
	int err;

	if (value && !is_one_of(value, resolutions))
		return misconfigured(d, "%s is not valid for "
					"timestamp_resolution", value);
	value = sub_option(o, "compaction_window_unit");
	if (value && !is_one_of(value, units))
		return misconfigured(d, "%s is not valid for "
					"compaction_window_unit", value);
	value = sub_option(o, "compaction_window_size");
	if (value && !read_java_int(&size, value))
		return not_a_number(d, value, "compaction_window_size");
	if (value && size < 1)
		return misconfigured(d, "%d must be greater than 1 for "
					"compaction_window_size", size);
	err = check_expiration(d, o);
	return err ? err : check_size_tiered(d, o);
}

/* N, T4, L10, or the number itself. */
static int check_scaling(struct ddl *d, const char *list)
{
	char *text = arena_strdup(d->x->arena, list), *next, *end;
	int32_t n;

	for (; text; text = next) {
		next = strchr(text, ',');
		if (next)
			*next++ = 0;
		while (isspace((unsigned char)*text))
			text++;
		for (end = text + strlen(text);
		     end > text && isspace((unsigned char)end[-1]);)
			*--end = 0;
		if (!strcmp(text, "N"))
			continue;
		if ((*text == 'L' || *text == 'T') &&
		    isdigit((unsigned char)text[1]) &&
		    read_java_int(&n, text + 1)) {
			if (n < 2)
				return misconfigured(d, "Fan factor cannot be "
							"lower than 2 in %s",
						     text);
			continue;
		}
		if (!read_java_int(&n, text))
			return misconfigured(d, "Scaling parameter %s must "
						"match N|L[0-9]+|T[0-9]+|"
						"[+-]?[0-9]+", text);
	}
	return 0;
}

/* 1GiB, 100 MiB, 512B: bytes, or -1. */
static double read_size(const char *text)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t length = strspn(text, "0123456789.");
	char digits[32];
	double amount;

	if (!length || length >= sizeof(digits))
		return -1;
	memcpy(digits, text, length);
	digits[length] = 0;
	if (!read_java_double(&amount, digits))
		return -1;
	for (text += length; *text == ' ';)
		text++;
	if (!*text)
		return amount;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++, amount *= 1024)
		if (!strcmp(units[i], text))
			return amount;
	return -1;
}

/* Of at least 1 MiB. */
static int check_large_size(struct ddl *d, const struct table_options *o,
			    const char *name)
{
	const char *value = sub_option(o, name);
	size_t length = value ? strlen(value) : 0;

	if (value && (!length || value[length - 1] != 'B'))
		return misconfigured(d, "%s %s is not a valid size in bytes: "
					"%s does not end in unit B", name,
				     value, value);
	if (value && !(read_size(value) >= 1048576))
		return misconfigured(d, "%s %s is not acceptable, size must be "
					"at least 1.000MiB", name, value);
	return 0;
}

/* A number or, with a % behind it, a hundredth part. */
static int check_growth(struct ddl *d, const char *value)
{
	size_t length = strlen(value), digits = length;
	bool percent = length && value[length - 1] == '%';
	const char *text;
	double x;

	if (percent)
		digits--;
	while (digits && value[digits - 1] == ' ')
		digits--;
	text = arena_format(d->x->arena, "%.*s", (int)digits, value);
	if (!text)
		return -ENOMEM;
	if (!*text)
		return misconfigured(d, "sstable_growth is not a valid number "
					"between 0 and 1: empty String");
	if (!read_java_double(&x, text))
		return misconfigured(d, "sstable_growth is not a valid number "
					"between 0 and 1: For input string: "
					"\"%s\"", text);
	if (!(x >= 0 && x <= (percent ? 100 : 1)))
		return misconfigured(d, "sstable_growth %s must be between 0 "
					"and 1", value);
	return 0;
}

static int check_unified(struct ddl *d, const struct table_options *o)
{
	const char *value = sub_option(o, "scaling_parameters");
	int32_t n;
	int err = value ? check_scaling(d, value) : 0;

	value = sub_option(o, "base_shard_count");
	if (!err && value && !read_java_int(&n, value))
		err = not_a_number(d, value, "base_shard_count");
	else if (!err && value && n <= 0)
		err = misconfigured(d, "Invalid configuration, base_shard_count "
				       "should be positive: %d", n);
	if (!err)
		err = check_large_size(d, o, "target_sstable_size");
	if (!err)
		err = check_large_size(d, o, "flush_size_override");
	value = sub_option(o, "sstable_growth");
	if (!err && value)
		err = check_growth(d, value);
	value = sub_option(o, "min_sstable_size");
	if (!err && value && !(read_size(value) >= 0))
		err = misconfigured(d, "min_sstable_size %s is not a valid "
				       "size in bytes", value);
	value = sub_option(o, "max_sstables_to_compact");
	if (!err && value && !read_java_int(&n, value))
		err = not_a_number(d, value, "max_sstables_to_compact");
	value = sub_option(o, "overlap_inclusion_method");
	if (!err && value && strcasecmp(value, "NONE") &&
	    strcasecmp(value, "SINGLE") && strcasecmp(value, "TRANSITIVE"))
		err = misconfigured(d, "Invalid overlap inclusion method %s. "
				       "The valid options are [NONE, SINGLE, "
				       "TRANSITIVE].", value);
	return err ? err : check_expiration(d, o);
}

/* Whose a sub-option is: bits of enum strategy. */
#define OF(strategy) (1 << (strategy))
#define TIERS (OF(SIZE_TIERED) | OF(LEVELED) | OF(TIME_WINDOW))
#define ALL (TIERS | OF(UNIFIED))
static const struct { const char *name; unsigned of; } sub_options[] = {
	{ "class", ALL }, { "enabled", ALL }, { "tombstone_threshold", ALL },
	{ "tombstone_compaction_interval", ALL }, { "log_all", ALL },
	{ "unchecked_tombstone_compaction", ALL },
	{ "only_purge_repaired_tombstones", ALL },
	{ "provide_overlapping_tombstones", ALL },
	{ "min_threshold", TIERS }, { "max_threshold", TIERS },
	{ "min_sstable_size", ALL }, { "bucket_low", TIERS },
	{ "bucket_high", TIERS }, { "sstable_size_in_mb", OF(LEVELED) },
	{ "fanout_size", OF(LEVELED) },
	{ "single_sstable_uplevel", OF(LEVELED) },
	{ "timestamp_resolution", OF(TIME_WINDOW) },
	{ "compaction_window_unit", OF(TIME_WINDOW) },
	{ "compaction_window_size", OF(TIME_WINDOW) },
	{ "expired_sstable_check_frequency_seconds",
	  OF(TIME_WINDOW) | OF(UNIFIED) },
	{ "unsafe_aggressive_sstable_expiration",
	  OF(TIME_WINDOW) | OF(UNIFIED) },
	{ "scaling_parameters", OF(UNIFIED) },
	{ "target_sstable_size", OF(UNIFIED) },
	{ "flush_size_override", OF(UNIFIED) },
	{ "base_shard_count", OF(UNIFIED) }, { "sstable_growth", OF(UNIFIED) },
	{ "max_sstables_to_compact", OF(UNIFIED) },
	{ "overlap_inclusion_method", OF(UNIFIED) },
};

/* The options are sorted by name, and so is the list. */
static int check_unknown(struct ddl *d, const struct table_options *o,
			 enum strategy strategy)
{
	struct buf list = BUF_INIT;

	for (uint32_t i = 0; i < o->compaction_count; i++) {
		size_t n = 0;

		while (n < ARRAY_SIZE(sub_options) &&
		       (strcmp(sub_options[n].name, o->compaction[i].name) ||
			!(sub_options[n].of & OF(strategy))))
			n++;
		if (n < ARRAY_SIZE(sub_options))
			continue;
		buf_add_str(&list, list.len ? ", " : "");
		buf_add_str(&list, o->compaction[i].name);
	}
	if (!list.len && !list.failed)
		return 0;
	return misconfigured(d, "Properties specified [%s] are not understood "
				"by %s", text_of_buf(d->x, &list),
			     strategies[strategy]);
}

static int read_threshold(struct ddl *d, int32_t *n,
			  const struct table_options *o, const char *name)
{
	const char *value = sub_option(o, name);

	if (isdigit((unsigned char)*value) && read_java_int(n, value))
		return 0;
	return misconfigured(d, "Invalid value %s for '%s' compaction "
				"sub-option - must be an integer", value, name);
}

static int check_thresholds(struct ddl *d, const struct table_options *o)
{
	int32_t min, max;
	int err = read_threshold(d, &min, o, "min_threshold");

	if (!err)
		err = read_threshold(d, &max, o, "max_threshold");
	if (err)
		return err;
	if (!min || !max)
		return misconfigured(d, "Disabling compaction by setting "
					"compaction thresholds to 0 has been "
					"removed, set the compaction option "
					"'enabled' to false instead.");
	if (min < 2)
		return misconfigured(d, "Min compaction threshold cannot be "
					"less than 2 (got %d)", min);
	if (min > max)
		return misconfigured(d, "Min compaction threshold (got %d) "
					"cannot be greater than max compaction "
					"threshold (got %d)", min, max);
	return 0;
}

int check_compaction(struct ddl *d, const struct table_options *o)
{
	static int (*const checks[STRATEGY_COUNT])(struct ddl *d,
					const struct table_options *o) = {
		check_size_tiered, check_leveled, check_time_window,
		check_unified,
	};
	enum strategy strategy = strategy_of(o);
	int err = check_common(d, o);

	if (!err)
		err = checks[strategy](d, o);
	if (!err)
		err = check_unknown(d, o, strategy);
	if (!err && strategy != UNIFIED)
		err = check_thresholds(d, o);
	return err;
}
