/*
 * The compaction option. Every strategy has the common sub-options; those that
 * fall back on SizeTiered within a level or window have its own, too.
 */
#include "store/cql/schema/compaction_options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/cql/schema/option.h"
#include "store/cql/schema/property.h"
#include "store/cql/statement/text.h"
#include "store/schema/options.h"

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

static int set(struct table_options *o, const char *name, const char *value)
{
	return options_set(&o->compaction, &o->compaction_count, name, value);
}

/* Checked before all others, as soon as it is read. */
static const struct option overlapping = {
	"provide_overlapping_tombstones", 0, OPTION_WORD_IN_ANY_CASE,
	.words = "NONE ROW CELL",
	.wrong = "Invalid value %s for 'provide_overlapping_tombstones' "
		 "compaction sub-option - must be one of the following "
		 "[NONE, ROW, CELL].",
	.shouts = true,
};

int compaction_options_read(struct ddl *d, struct table_options *o,
			    const struct written_property *p)
{
	const char *name, *value, *class = NULL;
	int err = property_map(d, p);

	if (err)
		return err;
	name = property_entry(d, p, "class");
	if (!name)
		return misconfigured(d, "Missing sub-option 'class' for the "
					"'compaction' option");
	err = read_class(d, &class, name);
	value = property_entry(d, p, overlapping.name);
	if (!err && value)
		err = option_check(d, &overlapping, value);
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
/* Check N, T4, L10, or the number itself. */
static int check_scaling(struct ddl *d, const struct option *option,
			 const char *list)
{
	char *text = arena_strdup(d->x->arena, list), *next, *end;
	int32_t n;

	(void)option;
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
		    property_read_int(&n, text + 1)) {
			if (n < 2)
				return misconfigured(d, "Fan factor cannot be "
							"lower than 2 in %s",
						     text);
			continue;
		}
		if (!property_read_int(&n, text))
			return misconfigured(d, "Scaling parameter %s must "
						"match N|L[0-9]+|T[0-9]+|"
						"[+-]?[0-9]+", text);
	}
	return 0;
}

static int check_size(struct ddl *d, const struct option *option,
		      const char *value)
{
	if (options_read_size(value) >= 0)
		return 0;
	return misconfigured(d, "%s %s is not a valid size in bytes",
			     option->name, value);
}

/* Check a size of at least 1 MiB. */
static int check_large_size(struct ddl *d, const struct option *option,
			    const char *value)
{
	size_t length = strlen(value);

	if (!length || value[length - 1] != 'B')
		return misconfigured(d, "%s %s is not a valid size in bytes: "
					"%s does not end in unit B",
				     option->name, value, value);
	if (!(options_read_size(value) >= 1048576))
		return misconfigured(d, "%s %s is not acceptable, size must be "
					"at least 1.000MiB", option->name,
				     value);
	return 0;
}

/* Check a number or, with a % after it, a hundredth part. */
static int check_growth(struct ddl *d, const struct option *option,
			const char *value)
{
	size_t length = strlen(value), digits = length;
	bool percent = length && value[length - 1] == '%';
	const char *text;
	double x;

	(void)option;
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
	if (!property_read_double(&x, text))
		return misconfigured(d, "sstable_growth is not a valid number "
					"between 0 and 1: For input string: "
					"\"%s\"", text);
	if (!(x >= 0 && x <= (percent ? 100 : 1)))
		return misconfigured(d, "sstable_growth %s must be between 0 "
					"and 1", value);
	return 0;
}

static int check_expiration(struct ddl *d, const struct option *option,
			    const char *value)
{
	if (strcasecmp(value, "true") && strcasecmp(value, "false"))
		return misconfigured(d, "%s is not 'true' or 'false' (%s)",
				     option->name, value);
	if (!strcasecmp(value, "true"))
		return misconfigured(d, "%s is requested but not allowed, "
					"restart cassandra with -Dcassandra."
					"allow_%s=true to allow it",
				     option->name, option->name);
	return 0;
}

/* The strategies of a sub-option: bits of enum strategy. */
#define OF(strategy) (1 << (strategy))
#define TIERS (OF(SIZE_TIERED) | OF(LEVELED) | OF(TIME_WINDOW))
#define ALL (TIERS | OF(UNIFIED))

/* The sub-options, in the order in which they are checked. */
static const struct option sub_options[] = {
	{ "tombstone_threshold", ALL, OPTION_DOUBLE, .low = 0,
	  .wrong = "%s is not a parsable int (base10) for tombstone_threshold",
	  .outside = "tombstone_threshold must be greater than 0, but was %s" },
	{ "tombstone_compaction_interval", ALL, OPTION_LONG, .low = 0,
	  .outside = "tombstone_compaction_interval must be greater than 0, "
		     "but was %s" },
	{ "unchecked_tombstone_compaction", ALL, OPTION_FLAG,
	  .wrong = "'unchecked_tombstone_compaction' should be either 'true' "
		   "or 'false', not '%s'" },
	{ "log_all", ALL, OPTION_FLAG,
	  .wrong = "'log_all' should either be 'true' or 'false', not %s" },
	{ "enabled", ALL, OPTION_FLAG,
	  .wrong = "enabled should either be 'true' or 'false', not %s" },

	{ "sstable_size_in_mb", OF(LEVELED), OPTION_INT, .low = 1,
	  .outside = "sstable_size_in_mb must be larger than 0, but was %s" },
	{ "fanout_size", OF(LEVELED), OPTION_INT, .low = 1,
	  .outside = "fanout_size must be larger than 0, but was %s" },

	{ "timestamp_resolution", OF(TIME_WINDOW), OPTION_WORD,
	  .words = "SECONDS MILLISECONDS MICROSECONDS NANOSECONDS",
	  .wrong = "%s is not valid for timestamp_resolution" },
	{ "compaction_window_unit", OF(TIME_WINDOW), OPTION_WORD,
	  .words = "MINUTES HOURS DAYS",
	  .wrong = "%s is not valid for compaction_window_unit" },
	{ "compaction_window_size", OF(TIME_WINDOW), OPTION_INT, .low = 1,
	  .outside = "%s must be greater than 1 for compaction_window_size" },

	{ "scaling_parameters", OF(UNIFIED), .check = check_scaling },
	{ "base_shard_count", OF(UNIFIED), OPTION_INT, .low = 1,
	  .outside = "Invalid configuration, base_shard_count should be "
		     "positive: %s" },
	{ "target_sstable_size", OF(UNIFIED), .check = check_large_size },
	{ "flush_size_override", OF(UNIFIED), .check = check_large_size },
	{ "sstable_growth", OF(UNIFIED), .check = check_growth },
	{ "min_sstable_size", OF(UNIFIED), .check = check_size },
	{ .name = "max_sstables_to_compact", .of = OF(UNIFIED),
	  .form = OPTION_INT },
	{ "overlap_inclusion_method", OF(UNIFIED), OPTION_WORD_IN_ANY_CASE,
	  .words = "NONE SINGLE TRANSITIVE",
	  .wrong = "Invalid overlap inclusion method %s. The valid options "
		   "are [NONE, SINGLE, TRANSITIVE]." },

	{ "expired_sstable_check_frequency_seconds",
	  OF(TIME_WINDOW) | OF(UNIFIED), OPTION_LONG, .low = 0,
	  .outside = "expired_sstable_check_frequency_seconds must not be "
		     "negative, but was %s" },
	{ "unsafe_aggressive_sstable_expiration",
	  OF(TIME_WINDOW) | OF(UNIFIED), .check = check_expiration },

	{ "min_sstable_size", TIERS, OPTION_LONG, .low = 0,
	  .outside = "min_sstable_size must be non negative: %s" },
	{ .name = "bucket_low", .of = TIERS, .form = OPTION_DOUBLE },
	{ .name = "bucket_high", .of = TIERS, .form = OPTION_DOUBLE },

	/* Checked when they are read, or never. */
	{ .name = "class", .of = ALL },
	{ .name = "only_purge_repaired_tombstones", .of = ALL },
	{ .name = "provide_overlapping_tombstones", .of = ALL },
	{ .name = "min_threshold", .of = TIERS },
	{ .name = "max_threshold", .of = TIERS },
	{ .name = "single_sstable_uplevel", .of = OF(LEVELED) },
};

static int check_each(struct ddl *d, const struct table_options *o,
		      enum strategy strategy)
{
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sub_options) && !err; i++) {
		const char *value = sub_option(o, sub_options[i].name);

		if (value && sub_options[i].of & OF(strategy))
			err = option_check(d, &sub_options[i], value);
	}
	return err;
}

static int check_buckets(struct ddl *d, const struct table_options *o)
{
	const char *of_low = sub_option(o, "bucket_low");
	const char *of_high = sub_option(o, "bucket_high");
	double low = 0.5, high = 1.5;

	if (of_low)
		property_read_double(&low, of_low);
	if (of_high)
		property_read_double(&high, of_high);
	if (high > low || isnan(low) || isnan(high))
		return 0;
	return misconfigured(d,
			     "bucket_high value (%s) is less than or equal "
			     "to the bucket_low value (%s)",
			     property_text_of_double(d, high),
			     property_text_of_double(d, low));
}

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

	if (isdigit((unsigned char)*value) && property_read_int(n, value))
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

int compaction_options_check(struct ddl *d, const struct table_options *o)
{
	enum strategy strategy = strategy_of(o);
	int err = check_each(d, o, strategy);

	if (!err && strategy != UNIFIED)
		err = check_buckets(d, o);
	if (!err)
		err = check_unknown(d, o, strategy);
	if (!err && strategy != UNIFIED)
		err = check_thresholds(d, o);
	return err;
}
