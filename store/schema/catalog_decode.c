/* Read the schema's bytes back: catalog.c has the format. */
#include <errno.h>

#include "store/base/alloc.h"
#include "store/base/log.h"
#include "store/schema/catalog.h"
#include "store/schema/mask.h"
#include "store/schema/schema.h"
#include "store/schema/table_edit.h"
#include "store/type/value.h"

#define VERSION_MASKS 3
/* More than any legal schema has, and little enough to allocate. */
#define LIST_MAX (1 << 20)
#define FLAGS_STORED (TABLE_COUNTER | TABLE_COMPACT | TABLE_DENSE |           \
		      TABLE_PROVISIONAL | TABLE_WAS_FLAT)
/* They are shown as nanoseconds. */
#define LARGEST_TIME_US (INT64_MAX / 1000)

/* Errors show in the reader, which fails as at the end of the bytes. */
struct decoder {
	struct reader r;
	bool no_memory;
	uint8_t too_new;	/* the version, if it is none of ours */
};

static bool is_ok(const struct decoder *d)
{
	return !d->r.failed && !d->no_memory;
}

static void *no_memory(struct decoder *d)
{
	d->no_memory = true;
	return NULL;
}

static uint64_t get_number(struct decoder *d, uint64_t max)
{
	uint64_t n = read_varint(&d->r);

	if (n <= max)
		return n;
	d->r.failed = true;
	return 0;
}

static uint8_t get_version(struct decoder *d)
{
	uint8_t version = read_byte(&d->r);

	if (version > CATALOG_VERSION)
		d->too_new = version;
	if (!version || version > CATALOG_VERSION)
		d->r.failed = true;
	return version;
}

static int64_t get_signed(struct decoder *d, int64_t min, int64_t max)
{
	int64_t n = read_zigzag(&d->r);

	if (n >= min && n <= max)
		return n;
	d->r.failed = true;
	return 0;
}

static uint8_t get_byte(struct decoder *d, uint8_t max)
{
	uint8_t byte = read_byte(&d->r);

	if (byte <= max)
		return byte;
	d->r.failed = true;
	return 0;
}

static int64_t get_time(struct decoder *d)
{
	return get_signed(d, -LARGEST_TIME_US, LARGEST_TIME_US);
}

static double get_double(struct decoder *d)
{
	uint64_t bits = read_le64(&d->r);
	double x;

	memcpy(&x, &bits, 8);
	return x;
}

static char *get_string(struct decoder *d)
{
	struct bytes b = read_sized(&d->r);
	char *s;

	if (d->r.failed || (b.len && memchr(b.ptr, 0, b.len))) {
		d->r.failed = true;
		return NULL;
	}
	s = mem_copy(b.ptr, b.len);
	return s ? s : no_memory(d);
}

static char *get_optional(struct decoder *d)
{
	return get_byte(d, 1) ? get_string(d) : NULL;
}

static struct type *get_type(struct decoder *d)
{
	struct type *t = type_decode(&d->r);

	return t || d->r.failed ? t : no_memory(d);
}

/* Begin a list of count elements, each of a byte or more, of this size in
 * memory. */
static void *get_list(struct decoder *d, uint32_t *count, size_t size)
{
	uint64_t n = get_number(d, LIST_MAX);
	void *list;

	*count = 0;
	if (n > reader_left(&d->r))
		d->r.failed = true;
	if (d->r.failed)
		return NULL;
	list = mem_zalloc(n, size);
	if (!list)
		return no_memory(d);
	*count = (uint32_t)n;
	return list;
}

static struct property *get_options(struct decoder *d, uint32_t *count)
{
	struct property *options = get_list(d, count, sizeof(*options));
	uint32_t i;

	for (i = 0; i < *count && is_ok(d); i++) {
		options[i].name = get_string(d);
		options[i].value = get_string(d);
	}
	return options;
}

static void get_types(struct decoder *d, struct keyspace *k)
{
	uint32_t i;

	k->types = get_list(d, &k->type_count, sizeof(*k->types));
	for (i = 0; i < k->type_count && is_ok(d); i++) {
		struct user_type *u = &k->types[i];

		u->type = get_type(d);
		if (!u->type)
			return;
		if (u->type->kind != TYPE_UDT || u->type->frozen ||
		    strcmp(u->type->keyspace, k->name) ||
		    (i && strcmp(u->type->name, u[-1].name) <= 0)) {
			d->r.failed = true;
			return;
		}
		u->name = mem_copy(u->type->name, strlen(u->type->name));
		if (!u->name)
			d->no_memory = true;
	}
}

static int finish(struct decoder *d, const char *what)
{
	if (d->too_new) {
		log_message(LOG_ERROR_LEVEL, "the record of a %s: version %u is "
			    "newer than this program", what, d->too_new);
		return -EPROTONOSUPPORT;
	}
	if (d->no_memory)
		return -ENOMEM;
	if (d->r.failed || reader_left(&d->r))
		return log_corrupt("catalogue", 0,
				   "the record of a %s is damaged", what);
	return 0;
}

int catalog_decode_keyspace(struct keyspace **out, struct bytes bytes)
{
	struct decoder d = { .r = reader_of(bytes) };
	struct keyspace *k = mem_zalloc(1, sizeof(*k));
	int err;

	if (!k)
		return -ENOMEM;
	k->references = 1;
	get_version(&d);
	k->name = get_string(&d);
	k->durable_writes = get_byte(&d, 1);
	get_byte(&d, 0);
	k->uid = (uid_t)get_number(&d, UINT32_MAX);
	k->gid = (gid_t)get_number(&d, UINT32_MAX);
	k->mode = (mode_t)get_number(&d, 07777);
	k->created_us = get_time(&d);
	k->replication = get_options(&d, &k->replication_count);
	if (is_ok(&d))
		get_types(&d, k);
	err = finish(&d, "keyspace");
	if (err) {
		keyspace_put(k);
		return err;
	}
	*out = k;
	return 0;
}

static uint32_t get_column_number(struct decoder *d, const struct table *t)
{
	uint32_t n = (uint32_t)get_number(d, UINT32_MAX);

	if (n < COLUMN_NUMBER_FIRST || n >= t->next_number)
		d->r.failed = true;
	return n;
}

static void get_columns(struct decoder *d, struct table *t)
{
	uint32_t i;

	t->next_number = (uint32_t)get_number(d, UINT32_MAX);
	t->columns = get_list(d, &t->column_count, sizeof(*t->columns));
	for (i = 0; i < t->column_count && is_ok(d); i++) {
		struct column *c = &t->columns[i];

		c->name = get_string(d);
		c->kind = get_byte(d, COLUMN_REGULAR);
		c->number = get_column_number(d, t);
		c->reversed = get_byte(d, 1);
		c->hidden = get_byte(d, 1);
		c->type = get_type(d);
	}
	if (!is_ok(d))
		return;
	t->dropped = get_list(d, &t->dropped_count, sizeof(*t->dropped));
	for (i = 0; i < t->dropped_count && is_ok(d); i++) {
		struct dropped_column *x = &t->dropped[i];

		x->name = get_string(d);
		x->kind = get_byte(d, COLUMN_REGULAR);
		x->number = get_column_number(d, t);
		x->dropped_us = read_zigzag(&d->r);
		x->type = get_type(d);
	}
}

static void get_indexes(struct decoder *d, struct table *t)
{
	uint32_t i;

	t->indexes = get_list(d, &t->index_count, sizeof(*t->indexes));
	for (i = 0; i < t->index_count && is_ok(d); i++) {
		struct index *x = &t->indexes[i];

		x->name = get_string(d);
		x->kind = get_byte(d, INDEX_SAI);
		x->target = get_byte(d, INDEX_SIMPLE);
		x->column = (uint32_t)get_number(d, UINT32_MAX);
		x->number = (uint32_t)get_number(d, UINT32_MAX);
		x->class_name = get_optional(d);
		x->options = get_options(d, &x->option_count);
		x->building = get_byte(d, 1);
		if (x->column >= t->column_count)
			d->r.failed = true;
	}
}

static void get_table_options(struct decoder *d, struct table_options *o)
{
	o->comment = get_string(d);
	o->additional_write_policy = get_string(d);
	o->speculative_retry = get_string(d);
	o->memtable = get_optional(d);
	o->read_repair = get_string(d);
	o->bloom_filter_fp_chance = get_double(d);
	o->crc_check_chance = get_double(d);
	o->default_time_to_live = (int32_t)get_signed(d, 0, INT32_MAX);
	o->gc_grace_seconds = (int32_t)get_signed(d, 0, INT32_MAX);
	o->max_index_interval = (int32_t)get_signed(d, INT32_MIN, INT32_MAX);
	o->min_index_interval = (int32_t)get_signed(d, INT32_MIN, INT32_MAX);
	o->memtable_flush_period_in_ms = (int32_t)get_signed(d, 0, INT32_MAX);
	o->cdc = (int8_t)get_signed(d, -1, 1);
	o->allow_auto_snapshot = (int8_t)get_signed(d, -1, 1);
	o->incremental_backups = (int8_t)get_signed(d, -1, 1);
	o->caching = get_options(d, &o->caching_count);
	o->compaction = get_options(d, &o->compaction_count);
	o->compression = get_options(d, &o->compression_count);
	o->extensions = get_options(d, &o->extension_count);
}

static void get_argument(struct decoder *d, const struct column *c,
			 struct mask_argument *a)
{
	uint64_t kind = get_number(d, TYPE_KIND_COUNT);
	struct type_error error;
	struct bytes value;

	a->of_column = !kind;
	a->kind = kind ? (enum type_kind)(kind - 1) : TYPE_EMPTY;
	if (!kind_is_native(a->kind)) {
		a->kind = TYPE_EMPTY;
		d->r.failed = true;
	}
	if (!get_byte(d, 1))
		return;
	value = read_sized(&d->r);
	if (!is_ok(d) ||
	    type_validate(mask_argument_type(c, a), value, &error))
		d->r.failed = true;
	else if (mask_set_value(a, value))
		d->no_memory = true;
}

static void get_mask(struct decoder *d, struct table *t)
{
	uint64_t place = get_number(d, UINT32_MAX);
	struct column_mask *m;
	uint32_t i;

	if (d->r.failed || place >= t->column_count ||
	    t->columns[place].mask) {
		d->r.failed = true;
		return;
	}
	m = mem_zalloc(1, sizeof(*m));
	if (!m) {
		d->no_memory = true;
		return;
	}
	m->references = 1;
	t->columns[place].mask = m;
	m->function = get_string(d);
	m->arguments = get_list(d, &m->argument_count, sizeof(*m->arguments));
	for (i = 0; i < m->argument_count && is_ok(d); i++)
		get_argument(d, &t->columns[place], &m->arguments[i]);
}

static void get_masks(struct decoder *d, struct table *t)
{
	uint64_t count = get_number(d, t->column_count);

	while (count-- && is_ok(d))
		get_mask(d, t);
}

/* Check that the columns are in the order of table_finish: readers go by their
 * places. */
static bool in_order(const struct table *t)
{
	uint32_t i;

	for (i = 1; i < t->column_count; i++) {
		const struct column *a = &t->columns[i - 1], *b = a + 1;

		if (a->hidden > b->hidden ||
		    (a->hidden == b->hidden && a->kind > b->kind))
			return false;
	}
	return t->column_count && !t->columns[0].hidden;
}

int catalog_decode_table(struct table **out, struct bytes bytes)
{
	struct decoder d = { .r = reader_of(bytes) };
	struct table *t = mem_zalloc(1, sizeof(*t));
	struct bytes id;
	uint8_t version;
	int err;

	if (!t)
		return -ENOMEM;
	t->references = 1;
	version = get_version(&d);
	t->keyspace = get_string(&d);
	t->name = get_string(&d);
	id = read_bytes(&d.r, sizeof(t->id));
	if (!d.r.failed)
		memcpy(t->id, id.ptr, sizeof(t->id));
	t->number = (uint32_t)get_number(&d, UINT32_MAX);
	t->flags = (uint32_t)get_number(&d, UINT32_MAX);
	if (t->flags & ~(uint32_t)FLAGS_STORED)
		d.r.failed = true;
	t->uid = (uid_t)get_number(&d, UINT32_MAX);
	t->gid = (gid_t)get_number(&d, UINT32_MAX);
	t->mode = (mode_t)get_number(&d, 07777);
	t->created_us = get_time(&d);
	get_columns(&d, t);
	if (is_ok(&d))
		get_indexes(&d, t);
	if (is_ok(&d))
		get_table_options(&d, &t->options);
	if (is_ok(&d) && version >= VERSION_MASKS)
		get_masks(&d, t);
	err = finish(&d, "table");
	if (!err && (!in_order(t) || table_finish(t)))
		err = log_corrupt("catalogue", 0,
				  "a table's columns are wrong");
	if (err) {
		table_put(t);
		return err;
	}
	*out = t;
	return 0;
}
