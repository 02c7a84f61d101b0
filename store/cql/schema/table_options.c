/*
 * WITH of a table, except compaction and compression. Values are first read in
 * a fixed order, then checked against their bounds.
 */
#include "store/cql/schema/table_options.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/alloc.h"
#include "store/cql/schema/compaction_options.h"
#include "store/cql/schema/compression_options.h"
#include "store/cql/schema/ddl.h"
#include "store/cql/schema/property.h"
#include "store/cql/statement/text.h"
#include "store/schema/options.h"
#include "store/type/text/text.h"

static int set_text(char **field, const char *text)
{
	char *copy = text ? mem_copy(text, strlen(text)) : NULL;

	if (text && !copy)
		return -ENOMEM;
	mem_free(*field);
	*field = copy;
	return 0;
}

static int read_comment(struct ddl *d, struct table_options *o,
			const struct written_property *p)
{
	const char *text;
	int err = property_text(d, &text, p);

	return err ? err : set_text(&o->comment, text);
}

static bool is_number(const char *text)
{
	for (const char *c = text; *c; c++)
		if (!isdigit((unsigned char)*c))
			return false;
	return *text;
}

/* Read {'keys': ALL or NONE, 'rows_per_partition': ALL, NONE or a number} */
static int read_caching(struct ddl *d, struct table_options *o,
			const struct written_property *p)
{
	const char *keys, *rows;
	int32_t n = 0;
	int err = property_map(d, p);

	if (err)
		return err;
	keys = property_entry(d, p, "keys");
	rows = property_entry(d, p, "rows_per_partition");
	if (keys && strcasecmp(keys, "ALL") && strcasecmp(keys, "NONE"))
		return misconfigured(d, "Invalid value '%s' for caching "
					"sub-option 'keys': only 'ALL' and "
					"'NONE' are allowed", keys);
	if (rows && strcasecmp(rows, "ALL") && strcasecmp(rows, "NONE") &&
	    !(is_number(rows) && property_read_int(&n, rows)))
		return misconfigured(d, "Invalid value '%s' for caching "
					"sub-option 'rows_per_partition': only "
					"'ALL', 'NONE', and integer values are "
					"allowed", rows);
	for (uint32_t i = 0; i < p->entry_count; i++)
		if (!bytes_equal(p->entries[i].key, bytes_str("keys")) &&
		    !bytes_equal(p->entries[i].key,
				 bytes_str("rows_per_partition")))
			return misconfigured(d, "Invalid caching sub-options "
						"[%s]: only 'keys' and "
						"'rows_per_partition' are "
						"allowed",
					     text_of(d->x, p->entries[i].key));
	if (!rows || (!n && strcasecmp(rows, "ALL")))
		rows = "NONE";
	else if (!n || n == INT32_MAX)
		rows = "ALL";
	else
		rows = arena_format(d->x->arena, "%d", n);
	keys = keys && !strcasecmp(keys, "ALL") ? "ALL" : "NONE";
	if (!rows)
		return -ENOMEM;
	err = options_set(&o->caching, &o->caching_count, "keys", keys);
	return err ? err : options_set(&o->caching, &o->caching_count,
				       "rows_per_partition", rows);
}

static int read_memtable(struct ddl *d, struct table_options *o,
			 const struct written_property *p)
{
	const char *text;
	int err = property_text(d, &text, p);

	if (err)
		return err;
	if (strcmp(text, "default") && strcmp(text, "skiplist") &&
	    strcmp(text, "trie"))
		return misconfigured(d, "Memtable configuration \"%s\" not "
					"found.", text);
	return set_text(&o->memtable, strcmp(text, "default") ? text : NULL);
}

static int read_repair(struct ddl *d, struct table_options *o,
		       const struct written_property *p)
{
	const char *text;
	int err = property_text(d, &text, p);

	if (err)
		return err;
	if (strcasecmp(text, "BLOCKING") && strcasecmp(text, "NONE"))
		return misconfigured(d, "Invalid value %s for option "
					"'read_repair': it is BLOCKING or NONE",
				     text);
	return set_text(&o->read_repair,
			strcasecmp(text, "NONE") ? "BLOCKING" : "NONE");
}

/* Read the number before a unit ("99.5p", "50ms"): [0-9.]+ */
static bool read_amount(double *out, const char *text, const char *const *units)
{
	size_t length = strspn(text, "0123456789.");
	char digits[64];

	if (!length || length >= sizeof(digits))
		return false;
	memcpy(digits, text, length);
	digits[length] = 0;
	for (; *units; units++)
		if (!strcasecmp(*units, text + length))
			break;
	if (!*units)
		return false;
	if (digits[0] == '.') {	/* a literal has a digit before it */
		memmove(digits + 1, digits, length < 62 ? length + 1 : 62);
		digits[0] = '0';
	}
	return property_read_double(out, digits);
}

static const char *const percent_units[] = { "p", "percentile", NULL };
static const char *const time_units[] = { "ms", NULL };

/* Print 10000ths, with no zeros at the end: "99.5p". */
static const char *text_of_scaled(struct ddl *d, long scaled)
{
	long rest = scaled % 10000;
	int digits = 4;

	if (!rest)
		return arena_format(d->x->arena, "%ldp", scaled / 10000);
	while (rest % 10 == 0) {
		rest /= 10;
		digits--;
	}
	return arena_format(d->x->arena, "%ld.%0*ldp", scaled / 10000, digits,
			    rest);
}

/* Print a percentile or a time as Cassandra shows it; NULL when it is
 * neither. */
static const char *shown_policy(struct ddl *d, const char *text, bool *invalid)
{
	double amount;
	long scaled;

	*invalid = false;
	if (read_amount(&amount, text, percent_units)) {
		*invalid = !(amount > 0 && amount < 100);
		scaled = *invalid ? 0 : (long)(amount * 10000 + 0.5);
		return text_of_scaled(d, scaled);
	}
	if (read_amount(&amount, text, time_units))
		return arena_format(d->x->arena, "%dms",
				    amount < INT32_MAX ? (int)amount :
							 INT32_MAX);
	return NULL;
}

/* Print MIN(99p,50ms), MAX(…): one of each; *alike when they are not. */
static const char *shown_hybrid(struct ddl *d, const char *text,
				const char **alike)
{
	char *parts = arena_strdup(d->x->arena, text + 4), *second, *end;
	const char *a, *b;
	bool invalid[2], percentile;

	if (!parts || (strncasecmp(text, "MIN(", 4) &&
		       strncasecmp(text, "MAX(", 4)))
		return NULL;
	second = strchr(parts, ',');
	end = second ? strchr(second, ')') : NULL;
	if (!end || end[1])
		return NULL;
	*second++ = *end = 0;
	while (*second == ' ')
		second++;
	a = shown_policy(d, parts, &invalid[0]);
	b = shown_policy(d, second, &invalid[1]);
	if (!a || !b || invalid[0] || invalid[1])
		return NULL;
	percentile = b[strlen(b) - 1] == 'p';
	if ((a[strlen(a) - 1] == 'p') == percentile) {
		*alike = percentile ? "PERCENTILE" : "FIXED";
		return NULL;
	}
	if (percentile) {
		const char *first = b;

		b = a;
		a = first;
	}
	return arena_format(d->x->arena, "%s(%s,%s)",
			    strncasecmp(text, "MIN", 3) ? "MAX" : "MIN", a, b);
}

static int read_policy(struct ddl *d, char **field,
		       const struct written_property *p)
{
	const char *text, *shown = NULL, *alike = NULL;
	bool invalid = false;
	int err = property_text(d, &text, p);

	if (err)
		return err;
	if (!strcasecmp(text, "NEVER") || !strcasecmp(text, "NONE"))
		shown = "NEVER";
	else if (!strcasecmp(text, "ALWAYS"))
		shown = "ALWAYS";
	else if (strlen(text) > 4 && strchr(text, '('))
		shown = shown_hybrid(d, text, &alike);
	else
		shown = shown_policy(d, text, &invalid);
	if (invalid)
		return misconfigured(d, "Invalid value %s for PERCENTILE option "
					"'speculative_retry': must be between "
					"(0.0 and 100.0)", text);
	if (alike)
		return misconfigured(d, "Invalid value %s for option "
					"'speculative_retry': MIN()/MAX() "
					"arguments should be of different "
					"types, but both are of type %s", text,
				     alike);
	if (!shown)
		return misconfigured(d, "Invalid value %s for option "
					"'speculative_retry'", text);
	return set_text(field, shown);
}

/* Read a flag as the schema stores it: -1 where it has its default. */
static int read_flag(struct ddl *d, int8_t *flag, bool by_default,
		     const struct written_property *p)
{
	bool value;
	int err = property_bool(d, &value, p);

	if (!err)
		*flag = value == by_default ? -1 : value;
	return err;
}

/* --------------------------------------------------------------- all of them */
enum form { OWN, INT, DOUBLE, FLAG_ON, FLAG_OFF, POLICY };

#define FIELD(member) offsetof(struct table_options, member)

/* In the order in which they are read. */
static const struct table_option {
	const char *name;
	enum form form;
	size_t field;
	/* For those with a form of their own; NULL: accepted and not stored, as
	 * there. */
	int (*read)(struct ddl *d, struct table_options *o,
		    const struct written_property *p);
} options[] = {
	{ "allow_auto_snapshot", FLAG_ON, FIELD(allow_auto_snapshot), NULL },
	{ "bloom_filter_fp_chance", DOUBLE, FIELD(bloom_filter_fp_chance),
	  NULL },
	{ "caching", OWN, 0, read_caching },
	{ "comment", OWN, 0, read_comment },
	{ "compaction", OWN, 0, compaction_options_read },
	{ "compression", OWN, 0, compression_options_read },
	{ "memtable", OWN, 0, read_memtable },
	{ "default_time_to_live", INT, FIELD(default_time_to_live), NULL },
	{ "gc_grace_seconds", INT, FIELD(gc_grace_seconds), NULL },
	{ "incremental_backups", FLAG_ON, FIELD(incremental_backups), NULL },
	{ "max_index_interval", INT, FIELD(max_index_interval), NULL },
	{ "memtable_flush_period_in_ms", INT,
	  FIELD(memtable_flush_period_in_ms), NULL },
	{ "min_index_interval", INT, FIELD(min_index_interval), NULL },
	{ "speculative_retry", POLICY, FIELD(speculative_retry), NULL },
	{ "additional_write_policy", POLICY, FIELD(additional_write_policy),
	  NULL },
	{ "crc_check_chance", DOUBLE, FIELD(crc_check_chance), NULL },
	{ "cdc", FLAG_OFF, FIELD(cdc), NULL },
	{ "read_repair", OWN, 0, read_repair },
	{ "extensions", OWN, 0, NULL },
	{ "id", OWN, 0, NULL },
};

static int read_option(struct ddl *d, struct table_options *o,
		       const struct table_option *option,
		       const struct written_property *p)
{
	void *field = (char *)o + option->field;

	switch (option->form) {
	case INT:
		return property_int(d, field, p);
	case DOUBLE:
		return property_double(d, field, p);
	case FLAG_ON:
	case FLAG_OFF:
		return read_flag(d, field, option->form == FLAG_ON, p);
	case POLICY:
		return read_policy(d, field, p);
	default:
		return option->read ? option->read(d, o, p) : 0;
	}
}

/* Choose the filter's bits. False positives cost most where there are many
 * levels: -1 asks for Cassandra's own default. */
static void choose_filter(struct table_options *o)
{
	const char *class = options_find(o->compaction, o->compaction_count,
					 "class");
	bool leveled = class && strstr(class, "LeveledCompactionStrategy");

	if (o->bloom_filter_fp_chance == -1)
		o->bloom_filter_fp_chance = leveled ? 0.1 : 0.01;
}

int table_options_read(struct ddl *d, struct table_options *o,
		       const struct properties *p)
{
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(options) && !err; i++) {
		const struct written_property *one =
			property_find(p, options[i].name);

		if (one)
			err = read_option(d, o, &options[i], one);
	}
	choose_filter(o);
	return err;
}

static int check_least(struct ddl *d, const char *name, int32_t value,
		       int32_t least)
{
	if (value >= least)
		return 0;
	return misconfigured(d, "%s must be greater than or equal to %d (got "
				"%d)", name, least, value);
}

int table_options_check(struct ddl *d, const struct table_options *o,
			const struct properties *p)
{
	double fp = o->bloom_filter_fp_chance, crc = o->crc_check_chance;
	const char *names[ARRAY_SIZE(options)];
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		names[i] = options[i].name;
	err = property_check_names(d, p, names, ARRAY_SIZE(names));

	if (!err)
		err = compaction_options_check(d, o);
	if (!err && !(fp > 6.71e-5 && fp <= 1))
		err = misconfigured(d, "bloom_filter_fp_chance must be larger "
				       "than 6.71E-5 and less than or equal "
				       "to 1.0 (got %s)",
				    property_text_of_double(d, fp));
	if (!err && !(crc >= 0 && crc <= 1))
		err = misconfigured(d, "crc_check_chance must be larger than "
				       "or equal to 0 and smaller than or "
				       "equal to 1.0 (got %s)",
				    property_text_of_double(d, crc));
	if (!err)
		err = check_least(d, "default_time_to_live",
				  o->default_time_to_live, 0);
	if (!err && o->default_time_to_live > 630720000)
		err = misconfigured(d, "default_time_to_live must be less than "
				       "or equal to 630720000 (got %d)",
				    o->default_time_to_live);
	if (!err)
		err = check_least(d, "gc_grace_seconds",
				  o->gc_grace_seconds, 0);
	if (!err)
		err = check_least(d, "min_index_interval",
				  o->min_index_interval, 1);
	if (!err && o->max_index_interval < o->min_index_interval)
		err = misconfigured(d, "max_index_interval must be greater "
				       "than or equal to min_index_interval "
				       "(%d) (got %d)", o->min_index_interval,
				    o->max_index_interval);
	if (!err)
		err = check_least(d, "memtable_flush_period_in_ms",
				  o->memtable_flush_period_in_ms, 0);
	return err;
}

int table_options_read_id(struct ddl *d, uint8_t id[16], bool *given,
			  const struct properties *p)
{
	const struct written_property *one = property_find(p, "id");
	struct buf value = BUF_INIT;
	struct type_error error;
	const char *text;
	int err;

	*given = one;
	if (!one)
		return 0;
	err = property_text(d, &text, one);
	if (err)
		return err;
	err = type_read_text(&value, type_native(TYPE_UUID), bytes_str(text),
			     &error);
	if (value.failed)
		err = -ENOMEM;
	else if (err || value.len != 16)
		err = misconfigured(d, "Invalid table id");
	else
		memcpy(id, value.ptr, 16);
	buf_release(&value);
	return err;
}
