#include "fs/query/entry.h"

#include <errno.h>

#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/key_name.h"
#include "store/base/counted.h"
#include "store/schema/schema.h"
#include "store/type/text/text.h"

uint32_t entry_first_column(const struct place *p)
{
	return bytes_is_null(p->partition_key) ? 0 :
	       p->table->partition_key_count + p->clustering_count;
}

static uint32_t part_count(const struct place *p)
{
	const struct table *t = p->table;

	return t->partition_key_count + t->clustering_count -
	       entry_first_column(p);
}

/* List the values of the key below the place, in the op's arena. */
static int list_values(struct op *op, const struct place *p,
		       const struct row_key *key, struct bytes **out)
{
	const struct table *t = p->table;
	uint32_t i, keys = t->partition_key_count, n = 0;
	uint32_t first = entry_first_column(p);
	struct bytes *values = arena_alloc(&op->arena,
				(keys + t->clustering_count) *
				sizeof(*values));
	int err;

	*out = values;
	if (!values)
		return -ENOMEM;
	if (!first) {
		err = table_partition_values(values, t, key->partition_key);
		if (err)
			return err;
		n = first = keys;
	}
	for (i = first - keys; i < t->clustering_count; i++)
		values[n++] = key->clustering[i];
	return 0;
}

static void add_name(struct buf *out, const struct place *p,
		     const struct bytes *values)
{
	uint32_t i, count = part_count(p), first = entry_first_column(p);
	struct buf text = BUF_INIT;
	size_t start = out->len;

	for (i = 0; i < count; i++) {
		buf_clear(&text);
		type_print_text(&text,
				table_key_column(p->table, first + i)->type,
				values[i]);
		if (count == 1 && !text.len)
			buf_add_byte(out, '%');
		else
			name_escape_part(out, i, buf_bytes(&text));
		out->failed |= text.failed;
	}
	name_escape_end(out, start);
	buf_release(&text);
}

int entry_print_name(struct op *op, struct buf *out, const struct place *p,
		     const struct row_key *key)
{
	struct bytes *values;
	int err = list_values(op, p, key, &values);

	if (err)
		return err;
	add_name(out, p, values);
	name_shorten(out);
	return out->failed ? -ENOMEM : 0;
}

/* ------------------------------------------------------------------- parse */
/* Begin the key with what the place has of it. The clustering values from
 * *from on are the caller's, and the partition key too where the place has
 * none. 0 or -ENOMEM. */
static int begin_key(struct op *op, const struct place *p, struct row_key *key,
		     uint32_t *from)
{
	uint32_t i;

	*from = entry_first_column(p) ? p->clustering_count : 0;
	key->partition_key = p->partition_key;
	key->clustering = arena_zalloc(&op->arena,
				       p->table->clustering_count + 1,
				       sizeof(*key->clustering));
	if (!key->clustering)
		return -ENOMEM;
	for (i = 0; i < *from; i++)
		key->clustering[i] = p->clustering[i];
	return 0;
}

/* Split the values into the key below the place. */
static int make_key(struct op *op, const struct place *p, struct bytes *values,
		    struct row_key *key)
{
	const struct table *t = p->table;
	struct buf whole = BUF_INIT;
	uint32_t i, n = 0;
	int err = begin_key(op, p, key, &i);

	if (err)
		return err;
	if (!entry_first_column(p)) {
		table_partition_key(&whole, t, values);
		key->partition_key = arena_copy(&op->arena, buf_bytes(&whole));
		n = t->partition_key_count;
	}
	for (; i < t->clustering_count; i++)
		key->clustering[i] = values[n++];
	if (whole.failed)
		op->arena.failed = true;
	buf_release(&whole);
	return op->arena.failed ? -ENOMEM : 0;
}

/* Check that the name is the one that the values have. */
static int check_spelling(struct op *op, const struct place *p,
			  struct bytes name, const struct bytes *values)
{
	struct buf again = BUF_INIT;
	int err = 0;

	add_name(&again, p, values);
	if (again.failed)
		err = -ENOMEM;
	else if (!bytes_equal(buf_bytes(&again), name))
		err = op_refuse(op, -ENOENT, "the name of this row is '%s'",
				buf_cstr(&again));
	buf_release(&again);
	return err;
}

static int parse_parts(struct op *op, const struct place *p, struct bytes name,
		       struct bytes *values)
{
	uint32_t i, n = part_count(p), first = entry_first_column(p);
	struct bytes *names = arena_alloc(&op->arena, n * sizeof(*names));
	struct buf got = BUF_INIT;
	int err = 0;

	if (!names)
		return -ENOMEM;
	if (name_split(names, n, name))
		return op_refuse(op, -ENOENT,
				 "a row is named here by %s of its key, joined by ','",
				 counted(n, "value").text);
	for (i = 0; i < n && !err; i++) {
		buf_clear(&got);
		err = names[i].len ?
			key_name_read(op, &got,
				      table_key_column(p->table,
						       first + i)->type,
				      names[i]) : 0;
		values[i] = arena_copy(&op->arena, buf_bytes(&got));
	}
	buf_release(&got);
	return err ? err : op->arena.failed ? -ENOMEM : 0;
}

int entry_parse(struct op *op, const struct place *p, struct bytes name,
		struct row_key *key)
{
	struct bytes *values = arena_alloc(&op->arena, part_count(p) *
						       sizeof(*values));
	int err = values ? parse_parts(op, p, name, values) : -ENOMEM;

	if (!err)
		err = check_spelling(op, p, name, values);
	return err ? err : make_key(op, p, values, key);
}

/* ------------------------------------------------------------------- value */
/* Each value below the place, after its length in 4 bytes. */
void entry_print_value(struct buf *out, const struct place *p,
		       const struct row_key *key)
{
	uint32_t i = p->clustering_count;

	if (!entry_first_column(p)) {
		buf_add_be32(out, (uint32_t)key->partition_key.len);
		buf_add_bytes(out, key->partition_key);
		i = 0;
	}
	for (; i < p->table->clustering_count; i++) {
		buf_add_be32(out, (uint32_t)key->clustering[i].len);
		buf_add_bytes(out, key->clustering[i]);
	}
}

int entry_read_value(struct op *op, const struct place *p, struct bytes value,
		     struct row_key *key)
{
	struct reader r = reader_of(value);
	uint32_t i;
	int err = begin_key(op, p, key, &i);

	if (err)
		return err;
	if (!entry_first_column(p))
		key->partition_key = read_bytes(&r, read_be32(&r));
	for (; i < p->table->clustering_count; i++)
		key->clustering[i] = read_bytes(&r, read_be32(&r));
	/* An entry that cannot be read is of a key that the table had before. */
	return r.failed || reader_left(&r) ? -ESTALE : 0;
}
