#include "fs/op/keyspace_times.h"

#include <errno.h>

#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "fs/op/waiting_record.h"

const struct table keyspace_times_above = {
	.number = STORE_ATTRIBUTES_NUMBER,
	.keyspace = (char *)"system",
	.name = (char *)"attributes",
};

static struct object_ref object_of(struct bytes keyspace)
{
	return (struct object_ref){ .table = &keyspace_times_above,
				    .partition_key = keyspace };
}

int keyspace_times_get(struct op *op, struct bytes keyspace, uint8_t name,
		       uint64_t tag, int64_t *mtime_ns)
{
	struct object_ref object = object_of(keyspace);
	struct bytes value;
	int got = table_attribute(op->store, &object, name, &op->arena,
				  &value);

	if (got > 0 && value.len == 16 && get_le64(value.ptr + 8) == tag)
		*mtime_ns = (int64_t)get_le64(value.ptr);
	return got < 0 ? got : 0;
}

int keyspace_times_set(struct op *op, struct bytes keyspace, uint8_t name,
		       uint64_t tag, int64_t mtime_ns)
{
	struct object_ref object = object_of(keyspace);
	uint8_t value[16];
	struct write w;
	int err;

	put_le64(value, (uint64_t)mtime_ns);
	put_le64(value + 8, tag);
	write_init(&w, op->store);
	attribute_write(&w, &object, name, bytes_of(value, 16),
			store_timestamp(op->store));
	err = op_write(op, &w);
	write_release(&w);
	return err;
}

int keyspace_times_set_mtime(struct op *op, struct node *dir, int64_t mtime_ns)
{
	struct keyspace *k;

	if (node_is_store(dir))
		return keyspace_times_set(op, BYTES_EMPTY, ABOVE_DIRECTORY, 0,
					  mtime_ns);
	k = op_keyspace(op, dir);
	if (!k || !node_is_store(dir->parent))
		return 0;
	if (k->system)
		return -EROFS;
	return keyspace_times_set(op, bytes_str(k->name), ABOVE_DIRECTORY,
				  (uint64_t)k->created_us, mtime_ns);
}

/* True if each table of a is one of b, by its name. */
static bool has_tables_of(const struct keyspace *b, const struct keyspace *a)
{
	uint32_t i;

	for (i = 0; i < a->table_count; i++)
		if (!keyspace_table(b, bytes_str(a->tables[i]->name)))
			return false;
	return true;
}

/* True if each keyspace of a is one of b, by its name. */
static bool has_keyspaces_of(const struct schema *b, const struct schema *a)
{
	uint32_t i;

	for (i = 0; i < a->keyspace_count; i++)
		if (!schema_keyspace(b, bytes_str(a->keyspaces[i]->name)))
			return false;
	return true;
}

/* An error leaves a time as it was: the change of the schema is done. */
void keyspace_times_follow(struct op *op, const struct schema *from,
			   const struct schema *to)
{
	int64_t now_ns = store_timestamp(op->store) * MICROSECOND;
	uint32_t i;

	if (!has_keyspaces_of(to, from) || !has_keyspaces_of(from, to))
		keyspace_times_set(op, BYTES_EMPTY, ABOVE_DIRECTORY, 0, now_ns);
	for (i = 0; i < to->keyspace_count; i++) {
		const struct keyspace *is = to->keyspaces[i];
		const struct keyspace *was =
			schema_keyspace(from, bytes_str(is->name));

		if (!was || was == is ||
		    (has_tables_of(is, was) && has_tables_of(was, is)))
			continue;
		keyspace_times_set(op, bytes_str(is->name), ABOVE_DIRECTORY,
				   (uint64_t)is->created_us, now_ns);
	}
}

#define ABOVE_TRUNCATING 't'

/* Write the attribute of the table: null removes it. */
static void put_truncating(struct write *w, const struct table *t,
			   struct bytes value)
{
	struct buf key = BUF_INIT;

	waiting_record_head(&key, t->number);
	if (key.failed)
		w->failed = true;
	else
		waiting_record_put(w, buf_bytes(&key), ABOVE_TRUNCATING, value);
	buf_release(&key);
}

void keyspace_times_truncating(struct store *s, const struct table *t)
{
	uint8_t value[16];
	struct write w;

	put_le64(value, (uint64_t)(store_timestamp(s) * MICROSECOND));
	put_le64(value + 8, t->number);
	write_init(&w, s);
	put_truncating(&w, t, bytes_of(value, 16));
	commit_fill(&w);
	write_release(&w);
}

void keyspace_times_forget_truncating(struct write *w, const struct table *t)
{
	put_truncating(w, t, BYTES_NULL);
}

int keyspace_times_of_truncating(struct op *op, const struct table *t,
				 int64_t *mtime_ns)
{
	struct buf key = BUF_INIT;
	int err;

	waiting_record_head(&key, t->number);
	err = key.failed ? -ENOMEM :
			   keyspace_times_get(op, buf_bytes(&key),
					      ABOVE_TRUNCATING, t->number,
					      mtime_ns);
	buf_release(&key);
	return err;
}
