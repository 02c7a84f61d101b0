#include "fs/kind/waiting.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fs/file/keep.h"
#include "fs/file/stat.h"
#include "fs/file/unkeyed.h"
#include "fs/file/xattr.h"
#include "fs/kind/long_name.h"
#include "fs/kind/schemaless.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/key_name.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "store/base/alloc.h"

#define DEPTH_MAX 64	/* of directories below a table */

static const struct node_ops kind_waiting;

/* ------------------------------------------------------------------ making */
/* Look up whether directories may wait in the table: 1, 0, -errno. */
static int is_allowed(struct op *op, struct table *t)
{
	struct cursor *cursor = NULL;
	struct row_view row;
	struct query q;
	int got;

	if (!(t->flags & TABLE_PROVISIONAL))
		return 0;
	query_init(&q, t);
	q.limit = 1;
	q.now_s = op->now_s;
	got = table_query(&cursor, op->store, &q);
	if (!got)
		got = cursor_next(cursor, &row);
	cursor_close(cursor);
	return got < 0 ? got : !got;
}

static int refuse(struct op *op, const struct table *t)
{
	return op_refuse(op, -EPERM, "rows of %s are files, and no directories (schema.cql is to be written before the rows of its tables)",
			 t->name);
}

int waiting_mkdir(struct op *op, struct node *dir, struct bytes name,
		  mode_t mode, struct child *out, bool *keep)
{
	struct table *t = op_table(op, dir);
	const struct node *up;
	unsigned depth = 0;
	int got;

	(void)name;
	(void)mode;
	if (!t)
		return -ESTALE;
	for (up = dir; up != up->table; up = up->parent)
		depth++;
	got = dir->json ? 0 : is_allowed(op, t);
	if (got <= 0 || depth >= DEPTH_MAX)
		return got < 0 ? got : refuse(op, t);
	child_init(out, &kind_waiting);
	times_child_owner(out, t);
	*keep = true;
	return 0;
}

int waiting_mkdir_composite(struct op *op, struct node *dir, struct bytes name,
			    struct child *out, bool *keep)
{
	struct table *t = op_table(op, dir);
	struct buf plain = BUF_INIT;
	struct bytes value;
	size_t i;
	int err;

	if (!t)
		return -ESTALE;
	for (i = 0; i < name.len; i++) {
		if (name.len - i >= 3 && !memcmp(name.ptr + i, "%2C", 3)) {
			buf_add_byte(&plain, ',');
			i += 2;
		} else {
			buf_add_byte(&plain, name.ptr[i]);
		}
	}
	err = plain.failed ? -ENOMEM :
	      plain.len == name.len ? -ENOENT :
	      key_name_parse_partition(op, t, buf_bytes(&plain), &value);
	buf_release(&plain);
	if (err)
		return err;
	err = dir->json ? 0 : is_allowed(op, t);
	if (err <= 0)
		return err ? err : -ENOENT;
	op->reason[0] = 0;
	child_init(out, &kind_waiting);
	times_child_owner(out, t);
	*keep = true;
	return 0;
}

int waiting_made(struct fs *fs, struct node *dir, struct node *made)
{
	struct node *up;

	if (!(atomic_load(&dir->flags) & NODE_TAKEN) ||
	    !node_unkeep(&fs->nodes, made))
		return 0;
	for (up = dir; up != up->table; up = up->parent)
		node_unkeep(&fs->nodes, up);
	return -ESTALE;
}

/* -------------------------------------------------------------- attributes */
int waiting_get_attribute(struct op *op, struct node *n, const char *name,
			  struct buf *out)
{
	struct table *t = op_table(op, n);
	int err;

	if (!t)
		return -ESTALE;
	err = strcmp(name, "expires") ? 0 : is_allowed(op, t);
	if (err <= 0)
		return err ? err : xattr_get(op, n, name, out);
	return unkeyed_get_expires(op, n, out);
}

int waiting_set_attribute(struct op *op, struct node *n, const char *name,
			  struct bytes value)
{
	struct table *t = op_table(op, n);
	struct buf now = BUF_INIT;
	int64_t expires_s;
	int err;

	if (!t)
		return -ESTALE;
	err = strcmp(name, "expires") ? 0 : is_allowed(op, t);
	if (err <= 0)
		return err ? err : xattr_set(op, n, name, value);
	if (bytes_is_null(value))
		err = unkeyed_get_expires(op, n, &now);
	else
		err = xattr_read_expires(op, value, &expires_s);
	buf_release(&now);
	return err ? err : unkeyed_set_expires(op, n, value);
}

/* ---------------------------------------------------------------- the kind */
static int lookup(struct op *op, struct node *dir, struct bytes name,
		  struct child *out)
{
	(void)op;
	(void)dir;
	(void)name;
	(void)out;
	return -ENOENT;	/* what there is, is in memory */
}

static int stat_waiting(struct op *op, struct node *n, struct child *out)
{
	(void)op;
	(void)n;
	(void)out;
	return -ENOENT;
}

static int next(struct op *op, struct listing *l, struct buf *name,
		struct child *out)
{
	(void)op;
	(void)l;
	(void)name;
	(void)out;
	return 0;
}

static int create(struct op *op, struct node *dir, struct bytes name,
		  struct child *out)
{
	struct table *t = op_table(op, dir);

	(void)name;
	(void)out;
	return t ? refuse(op, t) : -ESTALE;
}

static int rmdir_waiting(struct op *op, struct node *n)
{
	(void)op;
	(void)n;
	return 0;
}

static const struct node_ops kind_waiting = {
	.kind = "directory that waits for its schema.cql",
	.directory = true,
	.lookup = lookup,
	.stat = stat_waiting,
	.next = next,
	.create = create,
	.mkdir = waiting_mkdir,
	.rmdir = rmdir_waiting,
	.get_attribute = waiting_get_attribute,
	.set_attribute = waiting_set_attribute,
};

/* ------------------------------------------------------------ making anew */
static bool waits(const struct node *n)
{
	return n->ops == &kind_waiting || n->ops == &kind_schemaless ||
	       n->ops == &kind_plain_long;
}

/* Find the directory of that name, or make it. */
static int make(struct op *op, struct node *dir, struct bytes name,
		struct node **out)
{
	struct child c;
	bool keep = false;
	/* Below a directory that waits for its @key nothing is stored. */
	int err = dir->ops->lookup && !node_waits_for_key(dir) ?
			  dir->ops->lookup(op, dir, name, &c) : -ENOENT;

	if (err == -ENOENT) {
		op->reason[0] = 0;
		err = dir->ops->mkdir ?
			      dir->ops->mkdir(op, dir, name, 0777, &c, &keep) :
			      -EINVAL;
	} else if (!err && (!c.ops->directory || c.ops->made_up)) {
		err = -EINVAL;
	}
	if (err)
		return err;
	*out = op_node_of_child(op, dir, name, &c);
	if (!*out)
		return -ENOMEM;
	if (c.unkeyed)
		atomic_fetch_or(&(*out)->flags, NODE_UNKEYED);
	return keep ? keep_up(op, *out) : 0;
}

/* Give it the attributes of the directory that waited. */
static int carry(struct op *op, struct node *from, struct node *to)
{
	int64_t mtime_ns = atomic_load(&from->mtime_ns);
	struct buf expires = BUF_INIT;
	int err = unkeyed_get_expires(op, from, &expires);

	if (!err)
		err = expires.failed ? -ENOMEM :
			xattr_set(op, to, "expires", buf_bytes(&expires));
	else if (err == -ENODATA)
		err = 0;
	buf_release(&expires);
	if (err || !mtime_ns)
		return err;
	if (to->ops->set_mtime && !node_waits_for_key(to))
		return to->ops->set_mtime(op, to, mtime_ns);
	atomic_store(&to->mtime_ns, mtime_ns);
	return 0;
}

/* Name in the errors a directory that has no place. */
static void remark(struct op *op, struct node *dir, struct bytes name, int err)
{
	char why[sizeof(op->reason)];

	snprintf(why, sizeof(why), "%s",
		 op->reason[0] ? op->reason : strerror(-err));
	op->reason[0] = 0;
	op_refuse(op, err, "%.*s was made before schema.cql and has no place in the table: %s",
		  (int)name.len, name.ptr, why);
	memcpy(why, op->reason, sizeof(why));
	op->reason[0] = 0;
	op_remark(op, dir, why);
}

/* The kernel, and who has it open, go on with the old one's number. */
static void lead_on(struct op *op, struct node *from, struct node *to)
{
	struct node *none = NULL;

	if (!atomic_compare_exchange_strong(&from->forward, &none,
					    node_get(to)))
		node_put(&op->fs->nodes, to);
}

/*
 * Make the directories below one that waited in the one that has its place now
 * (NULL: none has). Each is taken once: by this, or by a mkdir that comes too
 * late for it (waiting_made).
 */
static void move(struct op *op, struct node *from, struct node *to)
{
	struct node_table *nodes = &op->fs->nodes;
	struct node **children, *made;
	size_t i, count;
	int err;

	atomic_fetch_or(&from->flags, NODE_TAKEN);
	err = node_children(nodes, from, CHILDREN_KEPT, &children, &count);
	if (err) {
		remark(op, from, node_name(from), err);
		return;
	}
	for (i = 0; i < count; i++) {
		struct node *n = children[i];

		if (!node_unkeep(nodes, n) || !waits(n))
			continue;	/* a temporary file has no other place */
		made = NULL;
		err = to ? make(op, to, node_name(n), &made) : 0;
		arena_clear(&op->arena);
		if (!err && made)
			lead_on(op, n, made);
		move(op, n, err ? NULL : made);
		if (!err && made)
			err = carry(op, n, made);
		if (err)
			remark(op, to, node_name(n), err);
		arena_clear(&op->arena);
		node_put(nodes, made);
	}
	node_children_put(nodes, children, count);
}

static void move_table(struct op *op, struct node *from)
{
	struct node *keyspace = from->parent, *to = NULL;
	struct bytes name = node_name(from);
	struct child c;

	if (schema_table_by_number(op->schema, from->number))
		return;		/* it was not replaced */
	if (!keyspace->ops->lookup(op, keyspace, name, &c) && c.is_table)
		to = op_node_of_child(op, keyspace, name, &c);
	op->reason[0] = 0;
	if (to) {
		lead_on(op, from, to);
		move(op, from, to);
	}
	node_put(&op->fs->nodes, to);
}

int waiting_begin(struct op *op, struct waiting_list *w, struct node *table)
{
	struct fs *fs = op->fs;

	if (w->count == w->room) {
		size_t room = w->room ? w->room * 2 : 8;
		struct node **grown = mem_resize(w->tables, room,
						 sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		w->tables = grown;
		w->room = room;
	}
	w->tables[w->count++] = node_get(table);
	if (w->keyspace)
		return 0;
	w->keyspace = table->parent;	/* which the reference holds */
	mutex_lock(&fs->leaving_lock);
	w->next = fs->waiting;
	fs->waiting = w;
	mutex_unlock(&fs->leaving_lock);
	atomic_fetch_add(&fs->waiting_count, 1);
	return 0;
}

static void unlink_waiting(struct fs *fs, struct waiting_list *w)
{
	struct waiting_list **link;

	mutex_lock(&fs->leaving_lock);
	for (link = &fs->waiting; *link != w; link = &(*link)->next)
		;
	*link = w->next;
	pthread_cond_broadcast(&fs->left);
	mutex_unlock(&fs->leaving_lock);
	atomic_fetch_sub(&fs->waiting_count, 1);
}

void waiting_end(struct op *op, struct waiting_list *w)
{
	struct arena kept = op->arena;	/* ours is cleared with each name */
	char reason[sizeof(op->reason)];
	size_t i;

	if (!w->keyspace)
		return;
	memcpy(reason, op->reason, sizeof(reason));
	op->reason[0] = 0;
	op->arena = ARENA_INIT;
	op_renew_schema(op);
	for (i = 0; i < w->count; i++)
		move_table(op, w->tables[i]);
	arena_release(&op->arena);
	op->arena = kept;
	memcpy(op->reason, reason, sizeof(reason));
	unlink_waiting(op->fs, w);
	for (i = 0; i < w->count; i++)
		node_put(&op->fs->nodes, w->tables[i]);
	mem_free(w->tables);
}

bool waiting_wait(struct fs *fs, const struct node *dir)
{
	const struct waiting_list *w;
	bool waited = false;

	if (!atomic_load(&fs->waiting_count) || !dir->table)
		return false;
	mutex_lock(&fs->leaving_lock);
	for (w = fs->waiting; w;) {
		if (w->keyspace != dir->table->parent) {
			w = w->next;
			continue;
		}
		mutex_wait(&fs->leaving_lock, &fs->left);
		waited = true;
		w = fs->waiting;
	}
	mutex_unlock(&fs->leaving_lock);
	return waited;
}
