#include "fs/kind/waiting.h"

#include <errno.h>
#include <string.h>

#include "fs/file/keep.h"
#include "fs/file/unkeyed.h"
#include "fs/file/xattr.h"
#include "fs/kind/keyspace.h"
#include "fs/kind/memory_directory.h"
#include "fs/kind/scratch.h"
#include "fs/kind/waiting_move.h"
#include "fs/kind/waiting_store.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/name_scratch.h"
#include "fs/node/node.h"
#include "fs/op/key_name.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "store/base/alloc.h"
#include "store/base/array.h"

#define DEPTH_MAX 64	/* of directories below a table */

/* ------------------------------------------------------------------ making */
/* True if the table is filled by a copier: the caller made its directory, or it is
 * known. One that runs after one that was broken off may go on. */
static bool is_copied(struct op *op, struct node *table)
{
	pid_t pid = op->call ? op->call->pid : 0;

	if (pid && atomic_load(&table->maker_pid) == pid)
		atomic_fetch_or(&table->flags, NODE_COPIED);
	return atomic_load(&table->flags) & NODE_COPIED;
}

void waiting_note_copier(struct node *dir, struct bytes name)
{
	if (dir->table && name_is_of_rsync(name))
		atomic_fetch_or(&dir->table->flags, NODE_COPIED);
}

int waiting_is_allowed(struct op *op, struct node *dir)
{
	struct table *t = op_table(op, dir);
	struct query q;
	int got;

	if (!t)
		return -ESTALE;
	if (!(t->flags & TABLE_PROVISIONAL) || dir->json)
		return 0;
	if (is_copied(op, dir->table))
		return 1;
	query_init(&q, t);
	q.limit = 1;
	q.now_s = op->now_s;
	got = table_query_finds(op->store, &q);
	return got < 0 ? got : !got;
}

static int refuse(struct op *op, const struct node *dir, const struct table *t)
{
	if (dir->ops->waits && !(t->flags & TABLE_PROVISIONAL))
		return op_refuse(op, -EPERM, "this directory waited for schema.cql, and has no place in %s",
				 t->name);
	return op_refuse(op, -EPERM, "rows of %s are files, and no directories%s",
			 t->name, t->flags & TABLE_PROVISIONAL ?
			 " (schema.cql is to be written before the rows of its tables)" :
			 "");
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
	got = waiting_is_allowed(op, dir);
	if (got <= 0 || depth >= DEPTH_MAX)
		return got < 0 ? got : refuse(op, dir, t);
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
	err = waiting_is_allowed(op, dir);
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
/* True if that attribute is held with the directory: 1, 0, -errno. */
static int keeps_attribute(struct op *op, struct node *n, const char *name)
{
	if (strcmp(name, "expires"))
		return 0;
	return n->ops->waits ? 1 : waiting_is_allowed(op, n);
}

int waiting_get_attribute(struct op *op, struct node *n, const char *name,
			  struct buf *out)
{
	int err = keeps_attribute(op, n, name);

	if (err <= 0)
		return err ? err : xattr_get(op, n, name, out);
	return unkeyed_get_expires(op, n, out);
}

int waiting_set_attribute(struct op *op, struct node *n, const char *name,
			  struct bytes value)
{
	struct buf now = BUF_INIT;
	int64_t expires_s;
	int err = keeps_attribute(op, n, name);

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
/* Add the remark that files wait, once for each table. More of them may come: the
 * files of one copy need not come from the process that made the table's directory. */
static void tell(struct op *op, struct node *table)
{
	if (atomic_fetch_or(&table->flags, NODE_TOLD | NODE_COPIED) & NODE_TOLD)
		return;
	op_remark(op, table, "files below wait for schema.cql, which makes the "
			     "table and stores them as its cells; until then "
			     "no statement finds them");
}

void waiting_mark_told(struct node *table)
{
	atomic_fetch_or(&table->flags, NODE_TOLD | NODE_COPIED);
}

int waiting_child(struct op *op, struct node *dir, struct bytes name,
		  struct child *out)
{
	int err = scratch_create(op, name, out);

	if (!err) {
		out->ops = &kind_scratch_waiting;
		keep_up(op, dir);
	}
	return err;
}

int waiting_create(struct op *op, struct node *dir, struct bytes name,
		   struct child *out)
{
	struct table *t = op_table(op, dir);
	int err;

	if (!t)
		return -ESTALE;
	if (!(t->flags & TABLE_PROVISIONAL))
		return refuse(op, dir, t);
	err = waiting_child(op, dir, name, out);
	if (!err)
		tell(op, dir->table);
	return err;
}

const struct node_ops kind_waiting = {
	.kind = "directory that waits for its schema.cql",
	.directory = true,
	.waits = true,
	.takes_waiting = true,
	.lookup = memory_directory_lookup,
	.stat = memory_directory_stat,
	.next = memory_directory_next,
	.create = waiting_create,
	.mkdir = waiting_mkdir,
	.rmdir = memory_directory_rmdir,
	.get_attribute = waiting_get_attribute,
	.set_attribute = waiting_set_attribute,
};

/* ------------------------------------------------------ writing a schema */
/* True if the store may have some of what waits in the table. */
static bool has_records(struct node *table)
{
	return atomic_load(&table->flags) & (NODE_TOLD | NODE_RECORDED);
}

int waiting_begin(struct op *op, struct waiting_list *w, struct node *table,
		  const struct table *to)
{
	struct fs *fs = op->fs;
	uint32_t *numbers;
	struct node **grown;
	int err = has_records(table) ?
			  waiting_save_successor(op, table->number, to) : 0;

	if (!err)
		err = keyspace_note_made(fs, to->number);
	if (err)
		return err;
	numbers = array_grow(w->successors, w->count, sizeof(*numbers),
			     &w->successor_room);
	if (!numbers)
		return -ENOMEM;
	w->successors = numbers;
	grown = array_grow(w->tables, w->count, sizeof(*grown), &w->room);
	if (!grown)
		return -ENOMEM;
	w->tables = grown;
	w->successors[w->count] = to->number;
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
	struct arena kept = op->arena;	/* op->arena is cleared with each */
	char reason[sizeof(op->reason)];
	bool stored = false;
	size_t i;

	if (!w->keyspace) {
		mem_free(w->successors);
		return;
	}
	memcpy(reason, op->reason, sizeof(reason));
	op->reason[0] = 0;
	op->arena = ARENA_INIT;
	op_renew_schema(op);
	for (i = 0; i < w->count; i++) {
		waiting_move_table(op, w->tables[i],
				   schema_table_by_number(op->schema,
							  w->successors[i]));
		stored |= has_records(w->tables[i]);
	}
	if (stored)	/* a crash here: the next mount makes them anew */
		waiting_unsave_tables(op, w->tables, w->count);
	arena_release(&op->arena);
	op->arena = kept;
	memcpy(op->reason, reason, sizeof(reason));
	unlink_waiting(op->fs, w);
	for (i = 0; i < w->count; i++)
		node_put(&op->fs->nodes, w->tables[i]);
	mem_free(w->tables);
	mem_free(w->successors);
}

/* Wait for the writings of n's keyspace; true if there was one. */
static bool wait_for_writing(struct fs *fs, const struct node *n)
{
	const struct waiting_list *w;
	bool waited = false;

	if (!n->table)
		return false;
	mutex_lock(&fs->leaving_lock);
	for (w = fs->waiting; w;) {
		if (w->keyspace != n->table->parent) {
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

struct node *waiting_node(struct fs *fs, uint64_t id)
{
	struct node *n = op_node(fs, id);

	if (!n || !atomic_load(&fs->waiting_count) || !wait_for_writing(fs, n))
		return n;
	node_put(&fs->nodes, n);
	return op_node(fs, id);
}

bool waiting_restarts(struct op *op, const struct node *n)
{
	/* A node that forwards now did not when the call began. */
	bool restarts = wait_for_writing(op->fs, n) ||
			(n->table && atomic_load(&n->forward) &&
			 (atomic_load(&n->table->flags) & NODE_ADOPTED));

	if (op->name_count)	/* its reply brings these names */
		return false;
	if (restarts)
		op->reason[0] = 0;
	return restarts;
}
