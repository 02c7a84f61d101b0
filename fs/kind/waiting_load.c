#include "fs/kind/waiting_load.h"

#include <errno.h>
#include <string.h>

#include "fs/file/content.h"
#include "fs/file/keep.h"
#include "fs/file/stat.h"
#include "fs/file/unkeyed.h"
#include "fs/file/unkeyed_record.h"
#include "fs/kind/counter.h"
#include "fs/kind/scratch.h"
#include "fs/kind/table.h"
#include "fs/kind/waiting.h"
#include "fs/kind/waiting_move.h"
#include "fs/kind/waiting_store.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/op/waiting_record.h"
#include "store/base/alloc.h"
#include "store/base/array.h"
#include "store/base/log.h"

struct loading {
	struct op *op;
	/* References: of tables that were replaced, when not all that waited in
	 * them had been made anew. */
	struct node **replaced;
	size_t count, refused;
	int why;		/* the last one was refused */
	struct buf keys;	/* of @key: length, key, length, text */
	struct buf unkeyed;	/* keys of records: with a text, length, key */
	bool has_text;		/* records with a text are read now */
	size_t waits_for_key;	/* so many of these are shown */
	struct buf gone;	/* records, by waiting_remove_later */
};

/* Find the table's directory by the names of both; the reference to `at`, the
 * root of its tree, is dropped. */
static struct node *find_table_below(struct op *op, struct node *at,
				     struct bytes keyspace, struct bytes table)
{
	struct bytes names[] = { keyspace, table };
	struct node *next;
	struct buf name = BUF_INIT;
	struct child c;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names) && at; i++) {
		next = NULL;
		name_of_text(&name, names[i]);
		if (name.failed ||
		    stat_lookup(op, at, buf_bytes(&name), &c, &next)) {
			node_put(&op->fs->nodes, next);
			next = NULL;
		}
		node_put(&op->fs->nodes, at);
		at = next;
	}
	op->reason[0] = 0;
	buf_release(&name);
	return at;
}

static struct node *find_table(struct op *op, struct bytes keyspace,
			       struct bytes table)
{
	return find_table_below(op, node_get(op->fs->nodes.root), keyspace,
				table);
}

/* Make the node of a table of that number which had this name before. */
static struct node *make_replaced(struct op *op, const struct node *now,
				  uint32_t number)
{
	struct node *n;
	struct child c;

	child_init(&c, now->ops);
	c.is_table = true;
	c.number = number;
	c.value = node_value(now);
	n = op_node_of_child(op, now->parent, node_name(now), &c);
	if (n)	/* what waits in it is kept, as in a table that is there */
		atomic_fetch_or(&n->flags, NODE_ADOPTED);
	return n;
}

static int add_replaced(struct loading *l, struct node *n)
{
	struct node **grown = n ? array_insert(l->replaced, l->count,
					       sizeof(*grown), l->count) : NULL;

	if (!grown) {
		node_put(&l->op->fs->nodes, n);
		return -ENOMEM;
	}
	l->replaced = grown;
	l->replaced[l->count++] = n;
	return 0;
}

static int take_successor(void *context, struct bytes key, struct bytes value)
{
	struct loading *l = context;
	uint32_t number = waiting_record_table(key);
	const uint8_t *slash = memchr(value.ptr, '/', value.len);
	struct node *now;
	size_t len;
	int err;

	if (!number || !slash)
		return 0;
	len = (size_t)(slash - value.ptr);
	now = schema_table_by_number(l->op->schema, number) ?
		      NULL :
		      find_table(l->op, bytes_of(value.ptr, len),
				 bytes_of(slash + 1, value.len - len - 1));
	if (!now) {
		waiting_remove_later(&l->gone, WAITING_SUCCESSOR, key);
		return 0;
	}
	err = add_replaced(l, make_replaced(l->op, now, number));
	node_put(&l->op->fs->nodes, now);
	return err;
}

/* Return a reference to the directory of the table in which it waits; NULL:
 * that is gone. */
static struct node *directory_of(struct loading *l, uint32_t number)
{
	const struct table *t = schema_table_by_number(l->op->schema, number);
	size_t i;

	if (t)
		return find_table(l->op, bytes_str(t->keyspace),
				  bytes_str(t->name));
	for (i = 0; i < l->count; i++)
		if (l->replaced[i]->number == number)
			return node_get(l->replaced[i]);
	return NULL;
}

/* The same of one that waits for schema.cql. */
static struct node *directory_of_waiting(struct loading *l, uint32_t number)
{
	const struct table *t = schema_table_by_number(l->op->schema, number);

	return t && !(t->flags & TABLE_PROVISIONAL) ? NULL :
						      directory_of(l, number);
}

/* Step from *dir into the directory of that name, which is made if it is not
 * there. After an error *dir, whose reference is dropped, is NULL. */
static int enter(struct op *op, struct node **dir, struct bytes name)
{
	struct node *next = NULL;
	struct child c;
	int err = 0;

	if (op_table(op, *dir) && !op->fs->read_only) {
		err = waiting_make(op, *dir, name, &next);
	} else if (!op_table(op, *dir) ||
		   stat_lookup(op, *dir, name, &c, &next)) {
		node_put(&op->fs->nodes, next);
		child_init(&c, &kind_waiting);
		next = op_node_of_child(op, *dir, name, &c);
		if (next && (err = keep_up(op, next)))
			node_put(&op->fs->nodes, next);
	}
	node_put(&op->fs->nodes, *dir);
	*dir = err ? NULL : next;
	return err ? err : next ? 0 : -ENOMEM;
}

static int make_file(struct op *op, struct node *dir, struct bytes name,
		     struct bytes value)
{
	struct reader r = reader_of(value);
	struct scratch *s;
	struct node *n;
	struct child c;
	int64_t mtime_ns = (int64_t)read_le64(&r);
	int64_t expires_s = (int64_t)read_le64(&r);
	uid_t uid = read_le32(&r);
	gid_t gid = read_le32(&r);
	mode_t mode = read_le32(&r);
	bool has_mtime = value.len >= WAITING_FILE_LEN &&
			 read_bytes(&r, 1).ptr[0];
	int err;

	if (value.len < WAITING_FILE_LEN)
		return -EUCLEAN;
	op->who.uid = uid;	/* who pays */
	err = waiting_child(op, dir, name, &c);
	if (err)
		return err;
	s = c.scratch;
	s->about.uid = uid;
	s->about.gid = gid;
	s->about.mode = mode & 0777;
	s->about.expires_s = expires_s;
	err = scratch_of(op, read_bytes(&r, reader_left(&r)), mtime_ns, &c);
	s->about.has_mtime = has_mtime;
	n = err ? NULL : op_node_of_child(op, dir, name, &c);
	if (!n) {
		scratch_free(op->fs, s);
		return err ? err : -ENOMEM;
	}
	keep_for(op, n, NULL);
	node_put(&op->fs->nodes, n);
	return 0;
}

/* Step from *dir into the directory that has the last of these names, which is
 * then in *name; as enter does. */
static int enter_all(struct op *op, struct node **dir, struct bytes names,
		     struct bytes *name)
{
	const uint8_t *at = names.ptr, *end = at + names.len, *slash;
	int err = 0;

	for (; !err && (slash = memchr(at, '/', (size_t)(end - at))); at = slash + 1)
		err = enter(op, dir, bytes_of(at, (size_t)(slash - at)));
	*name = bytes_of(at, (size_t)(end - at));
	return err;
}

static struct bytes names_of(struct bytes key)
{
	struct reader r = reader_of(key);

	read_bytes(&r, WAITING_HEAD_LEN);
	return read_bytes(&r, reader_left(&r));
}

static int take_file(void *context, struct bytes key, struct bytes value)
{
	struct loading *l = context;
	struct op *op = l->op;
	uint32_t number = waiting_record_table(key);
	struct bytes name;
	struct node *dir;
	int err;

	if (!number)
		return 0;
	dir = directory_of_waiting(l, number);
	if (!dir) {
		waiting_remove_later(&l->gone, WAITING_FILE, key);
		return 0;
	}
	waiting_mark_told(dir);
	err = enter_all(op, &dir, names_of(key), &name);
	if (!err)
		err = make_file(op, dir, name, value);
	if (err) {
		l->refused++;
		l->why = err;
	}
	node_put(&op->fs->nodes, dir);
	arena_clear(&op->arena);
	op->reason[0] = 0;
	return 0;
}

static int take_key(void *context, struct bytes key, struct bytes value)
{
	struct loading *l = context;

	if (!waiting_record_table(key))
		return 0;
	buf_add_le32(&l->keys, (uint32_t)key.len);
	buf_add_bytes(&l->keys, key);
	buf_add_le32(&l->keys, (uint32_t)value.len);
	buf_add_bytes(&l->keys, value);
	return l->keys.failed ? -ENOMEM : 0;
}

/* Return a reference to the directory in which the first of these names is, and
 * take off the names above it. NULL: its table is gone. */
static struct node *directory_of_names(struct loading *l, uint32_t number,
				       struct bytes *names)
{
	struct bytes json = bytes_str(WAITING_JSON "/");
	const struct table *t = schema_table_by_number(l->op->schema, number);
	struct node *from, *dir = NULL;
	struct child c;

	if (names->len < json.len || memcmp(names->ptr, json.ptr, json.len))
		return directory_of(l, number);
	*names = bytes_of(names->ptr + json.len, names->len - json.len);
	if (!t || stat_lookup(l->op, l->op->fs->nodes.root,
			      bytes_str(WAITING_JSON), &c, &from))
		return NULL;
	dir = find_table_below(l->op, from, bytes_str(t->keyspace),
			       bytes_str(t->name));
	return dir;
}

/* Find the directory of these names below the table if it is in memory, as all are
 * in which something waits: a reference, or NULL. */
static struct node *find_waiting(struct loading *l, uint32_t number,
				 struct bytes names)
{
	struct node *dir = directory_of_names(l, number, &names), *next;
	const uint8_t *at = names.ptr, *end = at + names.len, *slash;

	for (; dir && at < end; at = slash + 1) {
		slash = memchr(at, '/', (size_t)(end - at));
		slash = slash ? slash : end;
		next = node_find(&l->op->fs->nodes, dir,
				 bytes_of(at, (size_t)(slash - at)));
		node_put(&l->op->fs->nodes, dir);
		dir = next;
	}
	return dir;
}

/* Give the directory its @key, if it has none. False: nothing waits in it. */
static bool give_key(struct loading *l, struct bytes key, struct bytes text)
{
	struct store_how how = { .copied = true };
	struct node *dir = find_waiting(l, waiting_record_table(key),
					names_of(key));
	struct op *op = l->op;
	struct node *n = NULL;
	struct child c;
	bool has_key = dir && !node_is_unkeyed(dir);

	if (dir && !has_key &&
	    !dir->ops->create(op, dir, bytes_str("@key"), &c))
		n = op_node_of_child(op, dir, bytes_str("@key"), &c);
	has_key |= n && !content_store(op, n, text, &how);
	node_put(&op->fs->nodes, n);
	node_put(&op->fs->nodes, dir);
	op->reason[0] = 0;
	return has_key;
}

static void give_keys(struct loading *l)
{
	struct reader r = reader_of(buf_bytes(&l->keys));

	while (reader_left(&r)) {
		struct bytes key = read_bytes(&r, read_le32(&r));
		struct bytes text = read_bytes(&r, read_le32(&r));

		if (!give_key(l, key, text))
			waiting_remove_later(&l->gone, UNKEYED_KEY, key);
		arena_clear(&l->op->arena);
	}
}

/* ------------------------------------------------- what waits for its @key */
static int take_unkeyed(void *context, struct bytes key, struct bytes value)
{
	struct loading *l = context;

	(void)value;
	if (!waiting_record_table(key))
		return 0;
	buf_add_byte(&l->unkeyed, l->has_text);
	buf_add_le32(&l->unkeyed, (uint32_t)key.len);
	buf_add_bytes(&l->unkeyed, key);
	return l->unkeyed.failed ? -ENOMEM : 0;
}

/* Make the node of a file in dir. *is_stored: the store has it. */
static int make_node(struct op *op, struct node *dir, struct bytes name,
		     struct node **out, bool *is_stored)
{
	struct child c;
	int err = -ENOENT;

	if (!node_waits_for_key(dir))
		err = stat_lookup(op, dir, name, &c, out);
	*is_stored = !err;
	if (err != -ENOENT)
		return err;
	op->reason[0] = 0;
	node_put(&op->fs->nodes, *out);
	*out = NULL;
	err = dir->ops->create ? dir->ops->create(op, dir, name, &c) : -EINVAL;
	if (!err)
		*out = op_node_of_child(op, dir, name, &c);
	return err ? err : *out ? 0 : -ENOMEM;
}

/*
 * Hold again what these records say of that name in dir. If the key came just
 * before a crash, it is stored now; but a counter that is there has counted.
 */
static int hold_again(struct loading *l, struct node *dir, struct bytes name,
		      const struct unkeyed_record *r, struct bytes key)
{
	struct op *op = l->op;
	struct node *n = NULL;
	bool is_stored = false;
	int err = 0;

	op->who.uid = r->uid;
	if (r->has_text) {
		err = make_node(op, dir, name, &n, &is_stored);
	} else {
		n = node_get(dir);
		err = enter(op, &n, name);
	}
	if (!err && (n->ops->directory == r->has_text || n->scratch))
		err = -EINVAL;
	if (!err && is_stored && n->ops == &kind_counter) {
		waiting_remove_later(&l->gone, UNKEYED_TEXT, key);
		waiting_remove_later(&l->gone, UNKEYED_ATTRIBUTES, key);
	} else if (!err) {
		err = unkeyed_hold_again(op, n, r, key);
		if (!err)
			err = unkeyed_catch_up(op, n);
		l->waits_for_key += !err && node_waits_for_key(n);
	}
	node_put(&op->fs->nodes, n);
	return err;
}

/* Its column was dropped, or is of another kind now: so is what waited. */
static void tell_placeless(uint32_t number, struct bytes names,
			   const struct op *op)
{
	const struct table *t = schema_table_by_number(op->schema, number);

	log_message(LOG_WARNING_LEVEL, "%s: %.*s waited for a @key, and is gone: %s",
		    t ? t->name : "a table that was replaced", (int)names.len,
		    (const char *)names.ptr, op->reason[0] ? op->reason :
		    "it has no place in its table");
}

static void give_unkeyed(struct loading *l, struct bytes key, bool has_text)
{
	struct bytes names = names_of(key), name;
	struct op *op = l->op;
	struct unkeyed_record r;
	struct node *dir = directory_of_names(l, waiting_record_table(key),
					      &names);
	int got;

	if (!dir) {
		waiting_remove_later(&l->gone, UNKEYED_TEXT, key);
		waiting_remove_later(&l->gone, UNKEYED_ATTRIBUTES, key);
		return;
	}
	got = enter_all(op, &dir, names, &name);
	if (!got)
		got = unkeyed_record_read(op, key, &r);
	if (got > 0 && r.has_text == has_text)
		got = hold_again(l, dir, name, &r, key);
	if (got == -EINVAL) {
		tell_placeless(waiting_record_table(key), names, op);
		waiting_remove_later(&l->gone, UNKEYED_TEXT, key);
		waiting_remove_later(&l->gone, UNKEYED_ATTRIBUTES, key);
	} else if (got < 0) {
		l->refused++;
		l->why = got;
	}
	node_put(&op->fs->nodes, dir);
	op->reason[0] = 0;
}

/* Read the keys of all records: a file has two of them or one. */
static int take_all_unkeyed(struct loading *l)
{
	int err;

	l->has_text = true;
	err = waiting_each_record(l->op, UNKEYED_TEXT, take_unkeyed, l);
	l->has_text = false;
	return err ? err : waiting_each_record(l->op, UNKEYED_ATTRIBUTES,
					       take_unkeyed, l);
}

static void give_all_unkeyed(struct loading *l)
{
	struct reader r = reader_of(buf_bytes(&l->unkeyed));

	if (l->op->fs->read_only && reader_left(&r)) {
		log_message(LOG_WARNING_LEVEL, "what waits for a @key is in the store, and shown by a mount that is not read-only");
		return;
	}
	while (reader_left(&r)) {
		bool has_text = read_bytes(&r, 1).ptr[0];

		give_unkeyed(l, read_bytes(&r, read_le32(&r)), has_text);
		arena_clear(&l->op->arena);
	}
	if (l->waits_for_key)
		log_message(LOG_INFO_LEVEL, "files and attributes that wait for the @key of a directory above them: %zu",
			    l->waits_for_key);
}

/* Make again what a crash left, in the tables that took their place. */
static void go_on(struct loading *l)
{
	struct op *op = l->op;
	size_t i;
	int err;

	for (i = 0; i < l->count; i++) {
		struct node *n = l->replaced[i];

		waiting_move_table(op, n, schema_table(op->schema,
						       node_value(n->parent),
						       node_value(n)));
	}
	err = l->count ? waiting_unsave_tables(op, l->replaced, l->count) : 0;
	if (!err && l->gone.len)
		err = waiting_remove_records(op, &l->gone);
	if (err)
		log_message(LOG_WARNING_LEVEL, "what waited for schema.cql or a @key is not removed: %s", strerror(-err));
}

void waiting_load(struct fs *fs)
{
	struct loading l = { .op = op_begin(fs, NULL), .keys = BUF_INIT,
			     .unkeyed = BUF_INIT, .gone = BUF_INIT };
	uid_t uid = l.op ? l.op->who.uid : 0;
	int err = l.op ? 0 : -ENOMEM;
	size_t i;

	if (!err)
		err = waiting_each_record(l.op, WAITING_SUCCESSOR, take_successor,
					  &l);
	if (!err)
		err = waiting_each_record(l.op, WAITING_FILE, take_file, &l);
	if (!err)
		err = waiting_each_record(l.op, UNKEYED_KEY, take_key, &l);
	if (!err)
		err = take_all_unkeyed(&l);
	if (!err)
		give_all_unkeyed(&l);
	if (l.op)
		l.op->who.uid = uid;
	if (!err)
		give_keys(&l);
	if (err)
		log_message(LOG_WARNING_LEVEL, "files that wait for schema.cql or a @key are not shown: %s", strerror(-err));
	else if (!fs->read_only && !l.refused)
		go_on(&l);
	if (l.refused)	/* often ENOSPC, where scratch_max is smaller now */
		log_message(LOG_WARNING_LEVEL, "files that wait for schema.cql or a @key are in the store and not shown (%zu of them): %s",
			    l.refused, strerror(-l.why));
	for (i = 0; i < l.count; i++)
		node_put(&fs->nodes, l.replaced[i]);
	mem_free(l.replaced);
	buf_release(&l.gone);
	buf_release(&l.keys);
	buf_release(&l.unkeyed);
	if (l.op)
		op_end(l.op, 0, NULL, NULL);
}
