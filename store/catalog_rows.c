/*
 * The catalogue: the schema's records as rows of the engine's table 1.
 *
 * The static row of the partition of a keyspace's name has its record, the rows
 * below it are its tables' (after the kind their key is 40, the name, 00, 38).
 * The static row of the partition of the empty name has the version of the
 * schema and the next number of a table (both 8 bytes, little-endian). A record
 * is the value of a cell CELL_CATALOG (schema/catalog.c), with the schema's
 * version as timestamp, so that the later change wins; a dropped object has a
 * row deletion instead.
 */
#include "store/catalog_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/base/murmur3.h"
#include "store/row/row_codec.h"
#include "store/schema/catalog.h"
#include "store/schema/schema.h"
#include "store/schema/schema_edit.h"
#include "store/table/inner.h"

static void catalog_key(struct buf *out, const char *keyspace,
			const char *table)
{
	struct bytes name = bytes_str(keyspace);

	key_add_partition(out, murmur3_token(name), name);
	if (!table) {
		buf_add_byte(out, KEY_STATIC);
		return;
	}
	buf_add_byte(out, KEY_ROW);
	buf_add_byte(out, 0x40);
	buf_add_str(out, table);
	buf_add_byte(out, 0);
	buf_add_byte(out, KEY_ROW_END);
}

/* Add a record; an empty one deletes the row. */
static void put_record(struct batch *batch, const char *keyspace,
		       const char *table, const struct buf *record,
		       uint64_t version)
{
	struct cell cell = { .column = CELL_CATALOG,
			     .timestamp = (int64_t)version,
			     .local_time = NO_TIME, .path = BYTES_NULL,
			     .value = buf_bytes(record) };
	struct row row = ROW_NONE;
	struct buf key = BUF_INIT;

	if (record->len) {
		row.cells = &cell;
		row.cell_count = 1;
	} else {
		row.deletion = (struct deletion){ (int64_t)version,
						  clock_now_s() };
	}
	catalog_key(&key, keyspace, table);
	if (key.failed || record->failed)
		batch->bytes.failed = true;
	else
		batch_add_row(batch, CATALOG_NUMBER, buf_bytes(&key), &row);
	buf_release(&key);
}

void catalog_put_table(struct batch *batch, const struct table *t,
		       uint64_t version)
{
	struct buf record = BUF_INIT;

	catalog_encode_table(&record, t);
	put_record(batch, t->keyspace, t->name, &record, version);
	buf_release(&record);
}

void catalog_put_keyspace(struct batch *batch, const struct keyspace *k,
			  uint64_t version)
{
	struct buf record = BUF_INIT;

	catalog_encode_keyspace(&record, k);
	put_record(batch, k->name, NULL, &record, version);
	buf_release(&record);
}

void catalog_put_gone(struct batch *batch, const char *keyspace,
		      const char *table, uint64_t version)
{
	const struct buf none = BUF_INIT;

	put_record(batch, keyspace, table, &none, version);
}

void catalog_put_counters(struct batch *batch, uint64_t version,
			  uint32_t next_number)
{
	struct buf record = BUF_INIT;

	buf_add_le64(&record, version);
	buf_add_le64(&record, next_number);
	put_record(batch, "", NULL, &record, version);
	buf_release(&record);
}

/* ----------------------------------------------------------------- reading */
static int load_counters(struct schema *schema, uint32_t *next_number,
			 struct bytes record)
{
	struct reader r = reader_of(record);
	uint64_t next;

	schema->version = read_le64(&r);
	next = read_le64(&r);
	*next_number = (uint32_t)next;
	return r.failed || reader_left(&r) || next > UINT32_MAX ?
		log_corrupt("catalogue", 0, "its counters are damaged") : 0;
}

/* Check that a record is stored under the key of its own name. */
static int check_key(struct bytes key, const char *keyspace, const char *table)
{
	struct buf wanted = BUF_INIT;
	int err = 0;

	catalog_key(&wanted, keyspace, table);
	if (wanted.failed)
		err = -ENOMEM;
	else if (!bytes_equal(buf_bytes(&wanted), key))
		err = log_corrupt("catalogue", 0,
				  "a record under another's key");
	buf_release(&wanted);
	return err;
}

static int load_keyspace(struct schema *schema, struct bytes key,
			 struct bytes record)
{
	struct keyspace *k;
	int err = catalog_decode_keyspace(&k, record);

	if (err)
		return err;
	err = check_key(key, k->name, NULL);
	if (!err)
		return schema_set_keyspace(schema, k);
	keyspace_put(k);
	return err;
}

static int load_table(struct schema *schema, struct bytes key,
		      struct bytes record)
{
	struct table *t;
	int err = catalog_decode_table(&t, record);

	if (err)
		return err;
	err = check_key(key, t->keyspace, t->name);
	if (err) {
		table_put(t);
		return err;
	}
	err = schema_set_table(schema, t);
	return err == -ENOENT ? log_corrupt("catalogue", 0,
					    "a table without a keyspace") : err;
}

static int load_entry(struct schema *schema, uint32_t *next_number,
		      const struct entry *e, struct arena *arena)
{
	struct key_parts parts;
	struct row row;
	uint32_t i;
	int err = key_split(&parts, e->key);

	if (!err)
		err = row_decode(&row, arena, e->row);
	for (i = 0; !err && i < row.cell_count; i++) {
		struct bytes record = row.cells[i].value;

		if (row.cells[i].column != CELL_CATALOG || row.cells[i].flags)
			continue;
		if (parts.partition_len == KEY_EMPTY_LEN)
			err = load_counters(schema, next_number, record);
		else if (parts.kind == KEY_STATIC)
			err = load_keyspace(schema, e->key, record);
		else
			err = load_table(schema, e->key, record);
	}
	return err;
}

int catalog_load(struct lsm *lsm, struct schema *schema, uint32_t *next_number)
{
	struct arena arena = ARENA_INIT;
	struct deletion in_force;
	struct iterator *it;
	struct entry entry;
	int more, err;

	err = lsm_iterate(&it, lsm, CATALOG_NUMBER, BYTES_EMPTY,
			  BYTES_EMPTY, false);
	if (err)
		return err;
	err = iterator_seek(it, BYTES_EMPTY, &in_force);
	while (!err && (more = iterator_next(it, &entry)) != 0) {
		if (more < 0)
			err = more;
		else if (entry.kind == ENTRY_ROW)
			err = load_entry(schema, next_number, &entry, &arena);
		arena_clear(&arena);
	}
	iterator_close(it);
	arena_release(&arena);
	return err;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int catalog_check_numbers(struct table *const *list, size_t count,
			  uint32_t next_number)
{
	size_t n = 0, i;
	uint32_t *numbers, j;
	int err = 0;

	for (i = 0; i < count; i++)
		n += 1 + (size_t)list[i]->index_count;
	numbers = mem_zalloc(n, sizeof(*numbers));
	if (!numbers)
		return -ENOMEM;
	for (i = n = 0; i < count; i++) {
		numbers[n++] = list[i]->number;
		for (j = 0; j < list[i]->index_count; j++)
			numbers[n++] = list[i]->indexes[j].number;
	}
	qsort(numbers, n, sizeof(*numbers), compare_numbers);
	for (i = 0; i < n && !err; i++)
		if (numbers[i] < TABLE_NUMBER_FIRST || numbers[i] >= next_number ||
		    (i && numbers[i] == numbers[i - 1]))
			err = log_corrupt("catalogue", 0,
					  "table number %" PRIu32 " cannot be",
					  numbers[i]);
	mem_free(numbers);
	return err;
}
