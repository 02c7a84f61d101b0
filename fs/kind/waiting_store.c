#include "fs/kind/waiting_store.h"

#include <errno.h>

#include "fs/file/unkeyed_record.h"
#include "fs/kind/scratch.h"
#include "fs/kind/table.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/keyspace_times.h"
#include "fs/op/op.h"
#include "fs/op/waiting_record.h"

/* ----------------------------------------------------------------- writing */
static void add_file(struct buf *out, const struct scratch_about *about,
		     struct bytes text)
{
	buf_add_le64(out, (uint64_t)about->mtime_ns);
	buf_add_le64(out, (uint64_t)about->expires_s);
	buf_add_le32(out, about->uid);
	buf_add_le32(out, about->gid);
	buf_add_le32(out, about->mode);
	buf_add_byte(out, about->has_mtime);
	buf_add_bytes(out, text);
}

/* Append the key of the record of n. False: its table is no longer there. */
static bool add_key_of(struct buf *out, struct op *op, struct node *n)
{
	const struct buf *moved = &n->scratch->stored_at;

	if (!moved->len)
		return waiting_record_key(out, op, n->parent, node_name(n));
	buf_add_bytes(out, buf_bytes(moved));
	return op_table(op, n);
}

/* Add the record of a file at that key. */
static void put_file(struct write *w, struct bytes key,
		     const struct scratch_about *about, struct bytes text)
{
	struct buf value = BUF_INIT;

	add_file(&value, about, text);
	if (value.failed)
		w->failed = true;
	else
		waiting_record_put(w, key, WAITING_FILE, buf_bytes(&value));
	buf_release(&value);
}

int waiting_save(struct op *op, struct node *n,
		 const struct scratch_about *about, struct bytes text)
{
	struct buf key = BUF_INIT;
	struct write w;
	int err;

	if (n->scratch->is_removed)
		return 0;
	write_init(&w, op->store);
	if (add_key_of(&key, op, n))
		put_file(&w, buf_bytes(&key), about, text);
	w.failed |= key.failed;
	err = op_write(op, &w);
	write_release(&w);
	buf_release(&key);
	return err;
}

int waiting_save_row(struct op *op, struct node *n)
{
	struct scratch *s = n->scratch;
	struct buf key = BUF_INIT;
	struct write w;
	int err;

	write_init(&w, op->store);
	if (add_key_of(&key, op, n))
		put_file(&w, buf_bytes(&key), &s->about, buf_bytes(&s->text));
	w.failed |= key.failed;
	err = commit_fill(&w);
	write_release(&w);
	buf_release(&key);
	return err;
}

/* Write what the rename of n stores: to is the key of its new record, or has
 * none. */
static int write_renamed(struct op *op, struct node *n, struct bytes to)
{
	struct scratch *s = n->scratch;
	struct buf from = BUF_INIT;
	struct write w;
	int err;

	write_init(&w, op->store);
	if (n->ops->waits && !s->is_removed && add_key_of(&from, op, n))
		waiting_record_put(&w, buf_bytes(&from), WAITING_FILE,
				   BYTES_NULL);
	if (to.len)
		put_file(&w, to, &s->about, buf_bytes(&s->text));
	w.failed |= from.failed;
	err = op_write(op, &w);
	write_release(&w);
	buf_release(&from);
	return err;
}

int waiting_save_renamed(struct op *op, struct node *n, struct node *dir,
			 struct bytes name, bool waits)
{
	struct scratch *s = n->scratch;
	struct buf key = BUF_INIT;
	int err;

	if (waits)
		waiting_record_key(&key, op, dir, name);
	err = key.failed ? -ENOMEM : write_renamed(op, n, buf_bytes(&key));
	if (!err) {
		struct buf before = s->stored_at;

		s->stored_at = key;
		s->is_removed = !key.len;
		key = before;
	}
	buf_release(&key);
	return err;
}

int waiting_unsave(struct op *op, struct node *n)
{
	return waiting_save_renamed(op, n, NULL, BYTES_NULL, false);
}

int waiting_save_successor(struct op *op, uint32_t from,
			   const struct table *to)
{
	struct buf key = BUF_INIT, name = BUF_INIT;
	struct write w;
	int err;

	write_init(&w, op->store);
	waiting_record_head(&key, from);
	buf_add_str(&name, to->keyspace);
	buf_add_byte(&name, '/');
	buf_add_str(&name, to->name);
	w.failed = key.failed || name.failed;
	waiting_record_put(&w, buf_bytes(&key), WAITING_SUCCESSOR,
			   buf_bytes(&name));
	err = commit_fill(&w);
	write_release(&w);
	buf_release(&key);
	buf_release(&name);
	return err;
}

/* ---------------------------------------------------------------- removing */
/* Each is: attribute, length of the key, key. */
void waiting_remove_later(struct buf *records, uint8_t name, struct bytes key)
{
	buf_add_byte(records, name);
	buf_add_le32(records, (uint32_t)key.len);
	buf_add_bytes(records, key);
}

int waiting_remove_records(struct op *op, const struct buf *records)
{
	struct reader left = reader_of(buf_bytes(records));
	struct write w;
	int err;

	write_init(&w, op->store);
	while (reader_left(&left)) {
		uint8_t name = read_bytes(&left, 1).ptr[0];
		struct bytes key = read_bytes(&left, read_le32(&left));

		waiting_record_put(&w, key, name, BYTES_NULL);
	}
	w.failed |= records->failed;
	err = op_write(op, &w);
	write_release(&w);
	return err;
}

int waiting_each_record(struct op *op, uint8_t name, table_attribute_each *each,
			void *context)
{
	return table_each_attribute(op->store, &keyspace_times_above, name,
				    each, context);
}

/* The records of these tables. */
struct removal {
	const struct schema *schema;
	struct node *const *tables;
	size_t count;
	uint8_t name;			/* the attribute that is looked at */
	struct buf records;		/* by waiting_remove_later */
};

static int find_removed(void *context, struct bytes key, struct bytes value)
{
	struct removal *r = context;
	uint32_t table = waiting_record_table(key);
	size_t i;

	(void)value;
	/* A table that was not replaced keeps its files. */
	if (r->name != WAITING_SUCCESSOR &&
	    schema_table_by_number(r->schema, table))
		table = 0;
	for (i = 0; table && i < r->count; i++)
		if (r->tables[i]->number == table) {
			waiting_remove_later(&r->records, r->name, key);
			break;
		}
	return r->records.failed ? -ENOMEM : 0;
}

int waiting_unsave_tables(struct op *op, struct node *const *tables,
			  size_t count)
{
	static const uint8_t names[] = { WAITING_FILE, UNKEYED_KEY,
					 WAITING_SUCCESSOR, UNKEYED_TEXT,
					 UNKEYED_ATTRIBUTES };
	struct removal r = { .schema = op->schema, .tables = tables,
			     .count = count, .records = BUF_INIT };
	size_t i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(names) && !err; i++) {
		r.name = names[i];
		err = waiting_each_record(op, r.name, find_removed, &r);
	}
	if (!err)
		err = waiting_remove_records(op, &r.records);
	buf_release(&r.records);
	return err;
}
