#include "fs/op/waiting_record.h"

#include "fs/node/node.h"
#include "fs/op/keyspace_times.h"
#include "fs/op/op.h"
#include "fs/op/place.h"

void waiting_record_head(struct buf *out, uint32_t table)
{
	buf_add_byte(out, 0);
	buf_add_le32(out, table);
}

/* Append the names below the table, each with a '/' after it. */
static void add_names(struct buf *out, const struct node *n)
{
	if (n != n->table) {
		add_names(out, n->parent);
		buf_add_bytes(out, node_name(n));
		buf_add_byte(out, '/');
	} else if (n->json) {
		buf_add_str(out, WAITING_JSON "/");
	}
}

bool waiting_record_key(struct buf *out, struct op *op, struct node *dir,
			struct bytes name)
{
	const struct table *t = op_table(op, dir);

	if (!t)
		return false;
	waiting_record_head(out, t->number);
	add_names(out, dir);
	buf_add_bytes(out, name);
	return true;
}

uint32_t waiting_record_table(struct bytes key)
{
	return key.len >= WAITING_HEAD_LEN && !key.ptr[0] ?
		       get_le32(key.ptr + 1) : 0;
}

static struct object_ref object_of(struct bytes key)
{
	return (struct object_ref){ .table = &keyspace_times_above,
				    .partition_key = key };
}

void waiting_record_put(struct write *w, struct bytes key, uint8_t name,
			struct bytes value)
{
	struct object_ref object = object_of(key);

	attribute_write(w, &object, name, value, store_timestamp(w->store));
}

int waiting_record_get(struct op *op, struct bytes key, uint8_t name,
		       struct bytes *value)
{
	struct object_ref object = object_of(key);

	return table_attribute(op->store, &object, name, &op->arena, value);
}
