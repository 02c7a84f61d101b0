#include "fs/kind/waiting_store.h"

#include <errno.h>
#include <string.h>

#include "fs/file/content.h"
#include "fs/file/keep.h"
#include "fs/file/stat.h"
#include "fs/kind/scratch.h"
#include "fs/kind/table.h"
#include "fs/kind/waiting.h"
#include "fs/kind/waiting_move.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/keyspace_times.h"
#include "fs/op/op.h"
#include "store/base/alloc.h"
#include "store/base/array.h"
#include "store/base/log.h"

enum { WAITING_FILE = 'w', WAITING_KEY = 'k', WAITING_SUCCESSOR = 'n' };
#define HEAD_LEN 5	/* of a key */
#define RECORD_LEN 29	/* of a file, without its text */

/* -------------------------------------------------------------------- keys */
static void add_names(struct buf *out, const struct node *n)
{
	if (n == n->table)
		return;
	add_names(out, n->parent);
	if (n->parent != n->table)
		buf_add_byte(out, '/');
	buf_add_bytes(out, node_name(n));
}

static void add_head(struct buf *out, uint32_t table)
{
	buf_add_byte(out, 0);
	buf_add_le32(out, table);
}

/* Return the number of the table; 0: it is another's key. */
static uint32_t table_of(struct bytes key)
{
	return key.len >= HEAD_LEN && !key.ptr[0] ? get_le32(key.ptr + 1) : 0;
}

/* Append the key of that name in dir; false: its table is no longer there. */
static bool add_key(struct buf *out, struct op *op, struct node *dir,
		    struct bytes name)
{
	const struct table *t = op_table(op, dir);

	if (!t)
		return false;
	add_head(out, t->number);
	add_names(out, dir);
	if (dir != dir->table)
		buf_add_byte(out, '/');
	buf_add_bytes(out, name);
	return true;
}

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

static void put(struct write *w, struct bytes key, uint8_t name,
		struct bytes value)
{
	struct object_ref object = { .table = &keyspace_times_above,
				     .partition_key = key };

	attribute_write(w, &object, name, value, store_timestamp(w->store));
}

/* Append the key of the record of n. False: its table is no longer there. */
static bool add_key_of(struct buf *out, struct op *op, struct node *n)
{
	const struct buf *moved = &n->scratch->stored_at;

	if (!moved->len)
		return add_key(out, op, n->parent, node_name(n));
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
		put(w, key, WAITING_FILE, buf_bytes(&value));
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
		put(&w, buf_bytes(&from), WAITING_FILE, BYTES_NULL);
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
		add_key(&key, op, dir, name);
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

int waiting_save_key(struct op *op, struct node *n, struct bytes text)
{
	struct node *dir = n->parent;
	struct buf key = BUF_INIT;
	struct write w;
	int err;

	write_init(&w, op->store);
	if (add_key(&key, op, dir->parent, node_name(dir)))
		put(&w, buf_bytes(&key), WAITING_KEY, text);
	w.failed |= key.failed;
	err = op_write(op, &w);
	write_release(&w);
	buf_release(&key);
	return err;
}

int waiting_save_successor(struct op *op, uint32_t from,
			   const struct table *to)
{
	struct buf key = BUF_INIT, name = BUF_INIT;
	struct write w;
	int err;

	write_init(&w, op->store);
	add_head(&key, from);
	buf_add_str(&name, to->keyspace);
	buf_add_byte(&name, '/');
	buf_add_str(&name, to->name);
	w.failed = key.failed || name.failed;
	put(&w, buf_bytes(&key), WAITING_SUCCESSOR, buf_bytes(&name));
	err = commit_fill(&w);
	write_release(&w);
	buf_release(&key);
	buf_release(&name);
	return err;
}

/* ---------------------------------------------------------------- removing */
/* Add a record to those that remove_all removes: attribute, length of the key,
 * key. */
static void remove_later(struct buf *records, uint8_t name, struct bytes key)
{
	buf_add_byte(records, name);
	buf_add_le32(records, (uint32_t)key.len);
	buf_add_bytes(records, key);
}

static int remove_all(struct op *op, const struct buf *records)
{
	struct reader left = reader_of(buf_bytes(records));
	struct write w;
	int err;

	write_init(&w, op->store);
	while (reader_left(&left)) {
		uint8_t name = read_bytes(&left, 1).ptr[0];
		struct bytes key = read_bytes(&left, read_le32(&left));

		put(&w, key, name, BYTES_NULL);
	}
	w.failed |= records->failed;
	err = op_write(op, &w);
	write_release(&w);
	return err;
}

static int find_all(struct op *op, uint8_t name, table_attribute_each *each,
		    void *context)
{
	return table_each_attribute(op->store, &keyspace_times_above, name, each,
				    context);
}

/* The records of these tables. */
struct removal {
	const struct schema *schema;
	struct node *const *tables;
	size_t count;
	uint8_t name;			/* the attribute that is looked at */
	struct buf records;		/* by remove_later */
};

static int find_removed(void *context, struct bytes key, struct bytes value)
{
	struct removal *r = context;
	uint32_t table = table_of(key);
	size_t i;

	(void)value;
	/* A table that was not replaced keeps its files. */
	if (r->name != WAITING_SUCCESSOR &&
	    schema_table_by_number(r->schema, table))
		table = 0;
	for (i = 0; table && i < r->count; i++)
		if (r->tables[i]->number == table) {
			remove_later(&r->records, r->name, key);
			break;
		}
	return r->records.failed ? -ENOMEM : 0;
}

int waiting_unsave_tables(struct op *op, struct node *const *tables,
			  size_t count)
{
	static const uint8_t names[] = { WAITING_FILE, WAITING_KEY,
					 WAITING_SUCCESSOR };
	struct removal r = { .schema = op->schema, .tables = tables,
			     .count = count, .records = BUF_INIT };
	size_t i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(names) && !err; i++) {
		r.name = names[i];
		err = find_all(op, r.name, find_removed, &r);
	}
	if (!err)
		err = remove_all(op, &r.records);
	buf_release(&r.records);
	return err;
}

/* ----------------------------------------------------------------- loading */
struct loading {
	struct op *op;
	/* References: of tables that were replaced, when not all that waited in
	 * them had been made anew. */
	struct node **replaced;
	size_t count, refused;
	int why;		/* the last one was refused */
	struct buf keys;	/* of @key: length, key, length, text */
	struct buf gone;	/* records, by remove_later */
};

/* Find the table's directory by the names of both. */
static struct node *find_table(struct op *op, struct bytes keyspace,
			       struct bytes table)
{
	struct bytes names[] = { keyspace, table };
	struct node *at = node_get(op->fs->nodes.root), *next;
	struct buf name = BUF_INIT;
	struct child c;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names) && at; i++) {
		next = NULL;
		buf_clear(&name);
		name_escape(&name, names[i]);
		name_shorten(&name);
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
	uint32_t number = table_of(key);
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
		remove_later(&l->gone, WAITING_SUCCESSOR, key);
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

	if (t && (t->flags & TABLE_PROVISIONAL))
		return find_table(l->op, bytes_str(t->keyspace),
				  bytes_str(t->name));
	for (i = 0; i < l->count; i++)
		if (l->replaced[i]->number == number)
			return node_get(l->replaced[i]);
	return NULL;
}

/* Find or make the directory of that name; dir's reference is dropped. */
static struct node *enter(struct op *op, struct node *dir, struct bytes name)
{
	struct node *next = NULL;
	struct child c;

	if (op_table(op, dir) && !op->fs->read_only) {
		if (waiting_make(op, dir, name, &next))
			next = NULL;
	} else if (!op_table(op, dir) || stat_lookup(op, dir, name, &c, &next)) {
		node_put(&op->fs->nodes, next);
		child_init(&c, &kind_waiting);
		next = op_node_of_child(op, dir, name, &c);
		if (next && keep_up(op, next)) {
			node_put(&op->fs->nodes, next);
			next = NULL;
		}
	}
	node_put(&op->fs->nodes, dir);
	return next;
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
	bool has_mtime = value.len >= RECORD_LEN && read_bytes(&r, 1).ptr[0];
	int err;

	if (value.len < RECORD_LEN)
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

static int take_file(void *context, struct bytes key, struct bytes value)
{
	struct loading *l = context;
	struct op *op = l->op;
	uint32_t number = table_of(key);
	const uint8_t *at = key.ptr + HEAD_LEN, *slash;
	const uint8_t *end = key.ptr + key.len;
	struct node *dir;
	int err = -ENOMEM;

	if (!number)
		return 0;
	dir = directory_of(l, number);
	if (!dir) {
		remove_later(&l->gone, WAITING_FILE, key);
		return 0;
	}
	waiting_mark_told(dir);
	for (; dir && (slash = memchr(at, '/', (size_t)(end - at))); at = slash + 1)
		dir = enter(op, dir, bytes_of(at, (size_t)(slash - at)));
	if (dir)
		err = make_file(op, dir, bytes_of(at, (size_t)(end - at)), value);
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

	if (!table_of(key))
		return 0;
	buf_add_le32(&l->keys, (uint32_t)key.len);
	buf_add_bytes(&l->keys, key);
	buf_add_le32(&l->keys, (uint32_t)value.len);
	buf_add_bytes(&l->keys, value);
	return l->keys.failed ? -ENOMEM : 0;
}

/* Give the directory its @key, if files wait in it and it has none. */
static bool give_key(struct loading *l, struct bytes key, struct bytes text)
{
	struct store_how how = { .copied = true };
	struct node *dir = directory_of(l, table_of(key)), *next;
	struct reader left = reader_of(key);
	struct op *op = l->op;
	struct node *n = NULL;
	struct child c;
	bool given;

	read_bytes(&left, HEAD_LEN);
	while (dir && reader_left(&left)) {
		struct bytes name = read_bytes(&left, reader_left(&left));
		const uint8_t *slash = memchr(name.ptr, '/', name.len);

		if (slash) {
			name.len = (size_t)(slash - name.ptr);
			left = reader_of(bytes_of(slash + 1, key.len - (size_t)(slash + 1 - key.ptr)));
		}
		next = node_find(&op->fs->nodes, dir, name);
		node_put(&op->fs->nodes, dir);
		dir = next;
	}
	if (dir && node_is_unkeyed(dir) &&
	    !dir->ops->create(op, dir, bytes_str("@key"), &c))
		n = op_node_of_child(op, dir, bytes_str("@key"), &c);
	given = n && !content_store(op, n, text, &how);
	node_put(&op->fs->nodes, n);
	node_put(&op->fs->nodes, dir);
	op->reason[0] = 0;
	return given;
}

static void give_keys(struct loading *l)
{
	struct reader r = reader_of(buf_bytes(&l->keys));

	while (reader_left(&r)) {
		struct bytes key = read_bytes(&r, read_le32(&r));
		struct bytes text = read_bytes(&r, read_le32(&r));

		if (!give_key(l, key, text))
			remove_later(&l->gone, WAITING_KEY, key);
		arena_clear(&l->op->arena);
	}
}

/* Make again what a crash left, in the tables that took their place. */
static void go_on(struct loading *l)
{
	struct op *op = l->op;
	size_t i;
	int err;

	for (i = 0; i < l->count; i++)
		waiting_move_table(op, l->replaced[i]);
	err = l->count ? waiting_unsave_tables(op, l->replaced, l->count) : 0;
	if (!err && l->gone.len)
		err = remove_all(op, &l->gone);
	if (err)
		log_message(LOG_WARNING_LEVEL, "what waited for schema.cql is not removed: %s", strerror(-err));
}

void waiting_load(struct fs *fs)
{
	struct loading l = { .op = op_begin(fs, NULL), .keys = BUF_INIT,
			     .gone = BUF_INIT };
	uid_t uid = l.op ? l.op->who.uid : 0;
	int err = l.op ? 0 : -ENOMEM;
	size_t i;

	if (!err)
		err = find_all(l.op, WAITING_SUCCESSOR, take_successor, &l);
	if (!err)
		err = find_all(l.op, WAITING_FILE, take_file, &l);
	if (!err)
		err = find_all(l.op, WAITING_KEY, take_key, &l);
	if (l.op)
		l.op->who.uid = uid;
	if (!err)
		give_keys(&l);
	if (err)
		log_message(LOG_WARNING_LEVEL, "files that wait for schema.cql are not shown: %s", strerror(-err));
	else if (!fs->read_only && !l.refused)
		go_on(&l);
	if (l.refused)	/* often ENOSPC, where scratch_max is smaller now */
		log_message(LOG_WARNING_LEVEL, "%zu files that wait for schema.cql are in the store and not shown: %s",
			    l.refused, strerror(-l.why));
	for (i = 0; i < l.count; i++)
		node_put(&fs->nodes, l.replaced[i]);
	mem_free(l.replaced);
	buf_release(&l.gone);
	buf_release(&l.keys);
	if (l.op)
		op_end(l.op, 0, NULL, NULL);
}
