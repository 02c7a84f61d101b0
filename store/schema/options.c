#include "store/schema/options.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/base/array.h"

static char *copy_string(const char *s)
{
	return mem_copy(s, strlen(s));
}

/* Find the place of name, or where it belongs. A replication's class comes
 * first and not where it sorts, so all names are compared. */
static uint32_t place(const struct property *options, uint32_t count,
		      const char *name, bool *found)
{
	uint32_t i;

	*found = true;
	for (i = 0; i < count; i++)
		if (!strcmp(options[i].name, name))
			return i;
	*found = false;
	for (i = 0; i < count; i++)
		if (strcmp(options[i].name, name) > 0)
			break;
	return i;
}

int options_set(struct property **options, uint32_t *count, const char *name,
		const char *value)
{
	char *new_value = copy_string(value), *new_name;
	struct property *bigger;
	bool found;
	uint32_t i = place(*options, *count, name, &found);

	if (!new_value)
		return -ENOMEM;
	if (found) {
		mem_free((*options)[i].value);
		(*options)[i].value = new_value;
		return 0;
	}
	new_name = copy_string(name);
	bigger = new_name ? array_insert(*options, *count, sizeof(*bigger), i)
			  : NULL;
	if (!bigger) {
		mem_free(new_name);
		mem_free(new_value);
		return -ENOMEM;
	}
	bigger[i] = (struct property){ new_name, new_value };
	*options = bigger;
	(*count)++;
	return 0;
}

const char *options_find(const struct property *options, uint32_t count,
			 const char *name)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(options[i].name, name))
			return options[i].value;
	return NULL;
}

void options_release(struct property *options, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		mem_free(options[i].name);
		mem_free(options[i].value);
	}
	mem_free(options);
}

int options_copy(struct property **to, uint32_t *to_count,
		 const struct property *options, uint32_t count)
{
	uint32_t i;

	*to_count = 0;
	*to = mem_zalloc(count, sizeof(**to));
	if (!*to)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		struct property *o = &(*to)[i];

		o->name = copy_string(options[i].name);
		o->value = copy_string(options[i].value);
		*to_count = i + 1;
		if (!o->name || !o->value)
			return -ENOMEM;
	}
	return 0;
}

#define STRING(field, value) { offsetof(struct table_options, field), value }
static const struct {
	size_t offset;
	const char *value;
} strings[] = {
	STRING(comment, ""),
	STRING(additional_write_policy, "99p"),
	STRING(speculative_retry, "99p"),
	STRING(memtable, NULL),		/* not set: shown as 'default' */
	STRING(read_repair, "BLOCKING"),
};

#define LIST(field) { offsetof(struct table_options, field), \
		      offsetof(struct table_options, field##_count) }
static const struct {
	size_t offset, count_offset;
} lists[] = {
	LIST(caching), LIST(compaction), LIST(compression),
	{ offsetof(struct table_options, extensions),
	  offsetof(struct table_options, extension_count) },
};

static char **string_at(const struct table_options *o, size_t i)
{
	return (char **)((char *)o + strings[i].offset);
}

static struct property **list_at(const struct table_options *o, size_t i)
{
	return (struct property **)((char *)o + lists[i].offset);
}

static uint32_t *count_at(const struct table_options *o, size_t i)
{
	return (uint32_t *)((char *)o + lists[i].count_offset);
}

static int set_lists(struct table_options *o)
{
	static const char *const compaction = "org.apache.cassandra.db."
		"compaction.SizeTieredCompactionStrategy";
	static const char *const compression =
		"org.apache.cassandra.io.compress.LZ4Compressor";

	if (options_set(&o->caching, &o->caching_count, "keys", "ALL") ||
	    options_set(&o->caching, &o->caching_count, "rows_per_partition",
			"NONE") ||
	    options_set(&o->compaction, &o->compaction_count, "class",
			compaction) ||
	    options_set(&o->compaction, &o->compaction_count, "max_threshold",
			"32") ||
	    options_set(&o->compaction, &o->compaction_count, "min_threshold",
			"4") ||
	    options_set(&o->compression, &o->compression_count,
			"chunk_length_in_kb", "16") ||
	    options_set(&o->compression, &o->compression_count, "class",
			compression))
		return -ENOMEM;
	return 0;
}

int table_options_init(struct table_options *o)
{
	size_t i;

	*o = (struct table_options){
		.bloom_filter_fp_chance = 0.01, .crc_check_chance = 1,
		.gc_grace_seconds = 864000, .max_index_interval = 2048,
		.min_index_interval = 128, .cdc = -1,
		.allow_auto_snapshot = -1, .incremental_backups = -1,
	};
	for (i = 0; i < ARRAY_SIZE(strings); i++) {
		if (!strings[i].value)
			continue;
		*string_at(o, i) = copy_string(strings[i].value);
		if (!*string_at(o, i))
			goto fail;
	}
	if (!set_lists(o))
		return 0;
fail:
	table_options_release(o);
	return -ENOMEM;
}

void table_options_release(struct table_options *o)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(strings); i++)
		mem_free(*string_at(o, i));
	for (i = 0; i < ARRAY_SIZE(lists); i++)
		options_release(*list_at(o, i), *count_at(o, i));
	memset(o, 0, sizeof(*o));
}

int table_options_copy(struct table_options *to, const struct table_options *o)
{
	size_t i;

	*to = *o;
	for (i = 0; i < ARRAY_SIZE(strings); i++)
		*string_at(to, i) = NULL;
	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		*list_at(to, i) = NULL;
		*count_at(to, i) = 0;
	}
	for (i = 0; i < ARRAY_SIZE(strings); i++) {
		if (!*string_at(o, i))
			continue;
		*string_at(to, i) = copy_string(*string_at(o, i));
		if (!*string_at(to, i))
			goto fail;
	}
	for (i = 0; i < ARRAY_SIZE(lists); i++)
		if (options_copy(list_at(to, i), count_at(to, i),
				 *list_at(o, i), *count_at(o, i)))
			goto fail;
	return 0;
fail:
	table_options_release(to);
	return -ENOMEM;
}

double options_read_size(const char *text)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t length = strspn(text, "0123456789."), i;
	char digits[32], *end;
	double amount;

	if (!length || length >= sizeof(digits))
		return -1;
	memcpy(digits, text, length);
	digits[length] = 0;
	amount = strtod(digits, &end);
	if (*end || end == digits)
		return -1;
	for (text += length; *text == ' ';)
		text++;
	if (!*text)
		return amount;
	for (i = 0; i < ARRAY_SIZE(units); i++, amount *= 1024)
		if (!strcmp(units[i], text))
			return amount;
	return -1;
}
