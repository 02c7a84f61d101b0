#include "fs/op/key_name.h"

#include <errno.h>

#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "store/base/alloc.h"
#include "store/type/text/text.h"
#include "store/type/value.h"

uint32_t key_name_level(const struct node *dir)
{
	uint32_t level = 0;

	for (; dir && dir != dir->table; dir = dir->parent)
		level += dir->ops->part == PART_KEY;
	return level;
}

void key_name_of_value(struct buf *out, const struct type *type,
		       struct bytes value)
{
	size_t before = out->len;

	if (type->kind == TYPE_TEXT || type->kind == TYPE_ASCII) {
		name_escape(out, value);
	} else {
		type_print_text(out, type, value);
		name_escape_from(out, before);
	}
	if (!before)
		name_shorten(out);
}

void key_name_of_clustering(struct buf *out, const struct table *t, uint32_t i,
			    struct bytes value)
{
	key_name_of_value(out, table_clustering_column(t, i)->type, value);
}

static void add_parts(struct buf *out, const struct table *t,
		      const struct bytes *values)
{
	struct buf text = BUF_INIT;
	size_t start = out->len;
	uint32_t i;

	for (i = 0; i < t->partition_key_count; i++) {
		buf_clear(&text);
		type_print_text(&text, table_partition_column(t, i)->type,
				values[i]);
		name_escape_part(out, i, buf_bytes(&text));
		out->failed |= text.failed;
	}
	name_escape_end(out, start);
	buf_release(&text);
}

void key_name_of_partition(struct buf *out, const struct table *t,
			   const struct bytes *values)
{
	if (t->partition_key_count == 1) {
		key_name_of_value(out, table_partition_column(t, 0)->type,
				  values[0]);
		return;
	}
	add_parts(out, t, values);
	name_shorten(out);
}

int key_name_stored(struct buf *out, const struct table *t, struct bytes key)
{
	struct bytes few[8], *values = few;
	int err;

	if (t->partition_key_count > ARRAY_SIZE(few))
		values = mem_alloc(t->partition_key_count * sizeof(*values));
	err = values ? table_partition_values(values, t, key) : -ENOMEM;
	if (!err)
		key_name_of_partition(out, t, values);
	if (values != few)
		mem_free(values);
	return err ? err : out->failed ? -ENOMEM : 0;
}

static int full_partition_name(struct op *op, const struct table *t,
			       struct bytes key, struct buf *out)
{
	struct bytes *values = arena_alloc(&op->arena, t->partition_key_count *
						       sizeof(*values));
	int err = values ? table_partition_values(values, t, key) : -ENOMEM;

	if (err)
		return err;
	if (t->partition_key_count == 1)
		type_print_text(out, table_partition_column(t, 0)->type,
				values[0]);
	else
		add_parts(out, t, values);
	return 0;
}

int key_name_full(struct op *op, struct node *n, struct buf *out)
{
	struct place p;
	int err = place_of(op, n, &p);

	if (err)
		return err;
	if (!bytes_is_null(p.path))
		type_print_text(out, p.column->type->parts[0], p.path);
	else if (!p.clustering_count)
		err = full_partition_name(op, p.table, p.partition_key, out);
	else
		type_print_text(out,
				table_clustering_column(p.table,
						p.clustering_count - 1)->type,
				p.clustering[p.clustering_count - 1]);
	return err ? err : out->failed ? -ENOMEM : 0;
}

#define KEY_MAX 65535	/* bytes of a key, in CQL too */

int key_name_check_length(struct op *op, size_t len)
{
	return len <= KEY_MAX ? 0 :
	       op_refuse(op, -ENOENT,
			 "Key length of %zu is longer than maximum of %d", len,
			 KEY_MAX);
}

int key_name_read(struct op *op, struct buf *out, const struct type *type,
		  struct bytes name)
{
	struct type_error error = { .text = "" };
	int err;

	op->text.len = 0;
	if (name_unescape(&op->text, name))
		return op_refuse(op, -ENOENT,
				 "two upper-case hex digits must follow a %% in a name");
	if (op->text.failed)
		return -ENOMEM;
	/* The empty name: also for types whose literals are never empty. */
	if (!op->text.len && !type_validate(type, BYTES_EMPTY, &error))
		return 0;
	err = type_read_text(out, type, buf_bytes(&op->text), &error);
	if (err == -EINVAL) {
		op_refuse_type(op, &error);
		return -ENOENT;
	}
	return err ? err : out->failed ? -ENOMEM : 0;
}

/* Check that the name is the one that the value has. */
static int check_spelling(struct op *op, struct bytes name, struct buf *again)
{
	int err = 0;

	if (again->failed)
		err = -ENOMEM;
	else if (!bytes_equal(buf_bytes(again), name))
		err = op_refuse(op, -ENOENT, "the name of this value is '%s'",
				buf_cstr(again));
	buf_release(again);
	return err;
}

int key_name_check(struct op *op, const struct place *p,
		     const struct row_view *row)
{
	struct buf stored = BUF_INIT, name = BUF_INIT;
	uint32_t last = p->clustering_count - 1;
	int err;

	if (!p->clustering_count ||
	    bytes_equal(row->clustering[last], p->clustering[last]))
		return 0;
	key_name_of_clustering(&stored, p->table, last, row->clustering[last]);
	key_name_of_clustering(&name, p->table, last, p->clustering[last]);
	err = name.failed ? -ENOMEM :
	      check_spelling(op, buf_bytes(&name), &stored);
	buf_release(&name);
	return err;
}

/* True if that is the name of the value, which is not shortened. */
static bool is_spelled(struct op *op, const struct type *type, struct bytes name,
		       struct bytes value)
{
	if (name.len > NAME_MAX_LEN)
		return false;
	if (type->kind == TYPE_TEXT || type->kind == TYPE_ASCII)
		return name_is_of(name, value);
	op->text.len = 0;
	type_print_text(&op->text, type, value);
	return !op->text.failed && name_is_of(name, buf_bytes(&op->text));
}

int key_name_parse_value(struct op *op, const struct type *type,
			 struct bytes name, struct bytes *value)
{
	struct buf got = BUF_INIT, again = BUF_INIT;
	int err = key_name_read(op, &got, type, name);

	if (!err && !is_spelled(op, type, name, buf_bytes(&got))) {
		key_name_of_value(&again, type, buf_bytes(&got));
		err = check_spelling(op, name, &again);
	}
	if (!err) {
		*value = arena_copy(&op->arena, buf_bytes(&got));
		if (op->arena.failed)
			err = -ENOMEM;
	}
	buf_release(&got);
	return err;
}

int key_name_parse_clustering(struct op *op, const struct table *t, uint32_t i,
			      struct bytes name, struct bytes *value)
{
	return key_name_parse_value(op, table_clustering_column(t, i)->type,
				    name, value);
}

static int parse_parts(struct op *op, const struct table *t, struct bytes name,
		       struct bytes *values)
{
	uint32_t i, n = t->partition_key_count;
	struct buf got = BUF_INIT;
	struct bytes *names = arena_alloc(&op->arena, n * sizeof(*names));
	int err = 0;

	if (!names)
		return -ENOMEM;
	if (name_split(names, n, name))
		return op_refuse(op, -ENOENT,
				 "a partition of %s is named by %u values joined by ','",
				 t->name, n);
	for (i = 0; i < n && !err; i++) {
		buf_clear(&got);
		err = names[i].len ? key_name_read(op, &got,
					table_partition_column(t, i)->type,
					names[i]) : 0;
		values[i] = arena_copy(&op->arena, buf_bytes(&got));
	}
	buf_release(&got);
	return err ? err : op->arena.failed ? -ENOMEM : 0;
}

static int parse_composite(struct op *op, const struct table *t,
			   struct bytes name, bool shortened,
			   struct bytes *value)
{
	struct buf key = BUF_INIT, again = BUF_INIT;
	struct bytes *values;
	int err;

	values = arena_alloc(&op->arena,
			     t->partition_key_count * sizeof(*values));
	err = values ? parse_parts(op, t, name, values) : -ENOMEM;
	if (err)
		return err;
	if (shortened)
		key_name_of_partition(&again, t, values);
	else
		add_parts(&again, t, values);
	err = check_spelling(op, name, &again);
	if (err)
		return err;
	table_partition_key(&key, t, values);
	*value = arena_copy(&op->arena, buf_bytes(&key));
	err = key.failed || op->arena.failed ? -ENOMEM : 0;
	if (!err)
		err = key_name_check_length(op, key.len);
	buf_release(&key);
	return err;
}

int key_name_parse_partition(struct op *op, const struct table *t,
			     struct bytes name, struct bytes *value)
{
	int err;

	if (t->partition_key_count > 1)
		return parse_composite(op, t, name, true, value);
	err = key_name_parse_value(op, table_partition_column(t, 0)->type, name,
				   value);
	if (!err && !value->len)
		err = op_refuse(op, -ENOENT, "Key may not be empty");
	return err;
}

int key_name_parse_whole(struct op *op, const struct table *t,
			 struct bytes name, struct bytes *value)
{
	return parse_composite(op, t, name, false, value);
}
