#include "fs/op/op.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "fs/node/account.h"
#include "fs/node/call.h"
#include "fs/node/errors.h"
#include "fs/node/node.h"
#include "fs/op/kernel.h"
#include "fs/op/known.h"
#include "fs/op/owner.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/base/line.h"
#include "store/base/log.h"
#include "store/snapshot.h"
#include "store/table/present.h"

/*
 * The store tells its observer of a change on the thread that made it, without
 * naming the caller: the op that runs on a thread is found here.
 */
static _Thread_local struct op *current;

static struct op *take_spare(struct fs *fs)
{
	struct op *op = NULL;
	size_t i;

	for (i = 0; i < FS_POOL && !op; i++)
		if (atomic_load(&fs->pool[i]))
			op = atomic_exchange(&fs->pool[i], NULL);
	return op;
}

static void free_op(struct op *op)
{
	schema_put(op->schema);
	mem_free(op->placed);
	known_row_free(op->spare_row);
	arena_release(&op->arena);
	buf_release(&op->text);
	buf_release(&op->who.groups);
	mem_free(op);
}

/* A spare op keeps its version of the schema, and the table and the place that it
 * found there last: mostly the next one needs the same. */
static void give_spare(struct fs *fs, struct op *op)
{
	struct op *none;
	size_t i;

	arena_clear(&op->arena);
	buf_clear(&op->text);
	if (op->arena.total > (1 << 20) || op->text.cap > (1 << 20)) {
		free_op(op);
		return;
	}
	for (i = 0; i < FS_POOL; i++) {
		none = atomic_load(&fs->pool[i]);
		if (!none &&
		    atomic_compare_exchange_strong(&fs->pool[i], &none, op))
			return;
	}
	free_op(op);
}

void op_pool_release(struct fs *fs)
{
	struct op *op;

	while ((op = take_spare(fs)))
		free_op(op);
}

struct op *op_begin(struct fs *fs, struct fs_call *call)
{
	struct op *op = take_spare(fs);
	struct schema *had;

	if (!op) {
		op = mem_zalloc(1, sizeof(*op));
		if (!op)
			return NULL;
		op->arena = ARENA_INIT;
	}
	had = op->schema;
	op->schema = store_schema_again(fs->store, had);
	if (op->schema != had || op->found_in != had)
		op->found_in = NULL;
	if (op->schema != had)
		place_forget(op);
	if (!op->schema) {
		free_op(op);
		return NULL;
	}
	op->fs = fs;
	op->store = fs->store;
	op->snapshot = 0;
	op->call = call;
	credentials_init(&op->who, call);
	op->opener = NULL;
	op->now_s = clock_now_s();
	op->watched = NULL;
	op->broadcast = false;
	op->bound = NULL;
	op->touched = op->timed = op->hinted = op->changing = NULL;
	op->reached = NULL;
	memset(op->altered, 0, sizeof(op->altered));
	memset(op->by_path, 0, sizeof(op->by_path));
	op->by_former = false;
	op->own_changes = 0;
	op->kept_count = 0;
	op->wait_for = 0;
	op->names = NULL;
	op->name_count = 0;
	op->runs_statements = false;
	op->in_statement = op->in_document = false;
	op->brings_times = false;
	op->changes_file = false;
	op->reason[0] = 0;
	op->tells_missing = false;
	op->outer = current;
	current = op;
	if (call) {
		call->wait_for = 0;
		call->locked = false;
		call->names = NULL;
		call->name_count = 0;
	}
	return op;
}

void op_leave(struct op *op)
{
	if (op->store == op->fs->store)
		return;
	snapshot_release(op->fs->store, op->store);
	op->store = op->fs->store;
	op->snapshot = 0;
	op->now_s = clock_now_s();
	op_renew_schema(op);
}

int op_enter(struct op *op, const struct node *n)
{
	struct store *view;
	int err;

	if (n->snapshot == op->snapshot)
		return 0;
	op_leave(op);
	if (!n->snapshot)
		return 0;
	err = snapshot_acquire(&view, op->fs->store, n->snapshot);
	if (err)
		return err == -ENOENT ? -ESTALE : err;
	op->store = view;
	op->snapshot = n->snapshot;
	op->now_s = store_now_s(view);
	op_renew_schema(op);
	return 0;
}

void op_renew_schema(struct op *op)
{
	schema_put(op->schema);
	op->schema = store_schema(op->store);
	op->found_in = NULL;
	place_forget(op);
}

struct op *op_current(void)
{
	return current;
}

/* Bounded by the depth of the tree. */
void op_print_path(struct buf *out, struct node *n, const char *name)
{
	struct node *up[64];
	size_t depth = 0;

	for (; n && n->parent && depth < ARRAY_SIZE(up); n = n->parent)
		up[depth++] = n;
	while (depth) {
		buf_add_byte(out, '/');
		buf_add_bytes(out, node_name(up[--depth]));
	}
	if (name) {
		buf_add_byte(out, '/');
		buf_add_str(out, name);
	}
	if (!out->len)
		buf_add_byte(out, '/');
}

static void record_error(struct op *op, int err, struct node *n,
			 const char *name, const char *sentence)
{
	struct fs_call *call = op->call;
	struct buf path = BUF_INIT;
	uint64_t ino = n ? n->ino : 0;

	if (n && name)
		ino = node_ino(n->ino, bytes_str(name));
	op_print_path(&path, n, name);
	errors_add(&op->fs->errors, ino, call ? call->pid : 0,
		   call ? call->uid : 0, -err, buf_bytes(&path), sentence);
	buf_release(&path);
}

void op_remark(struct op *op, struct node *n, const char *format, ...)
{
	char sentence[sizeof(op->reason)];
	va_list args;

	va_start(args, format);
	line_format(sentence, sizeof(sentence), NULL, format, args);
	va_end(args);
	record_error(op, 0, n, NULL, sentence);
}

/* Put the nodes that a change has found. */
static void put_changed(struct op *op)
{
	struct node_table *nodes = &op->fs->nodes;

	while (op->kept_count)
		node_put(nodes, op->kept[--op->kept_count].n);
	node_put(nodes, op->timed);
	node_put(nodes, op->hinted);
	node_put(nodes, op->changing);
	node_put(nodes, op->reached);
	node_put(nodes, op->touched);
}

/* Record why the call failed, in the errors. */
static void explain(struct op *op, int err, struct node *n, const char *name)
{
	if (err == -EUCLEAN && !op->reason[0])
		op_refuse(op, err, "%s", log_corrupt_last());
	if (err == -EROFS)
		op_refuse(op, err, "%s", store_has_failed(op->fs->store) ?
			  "the store is read-only since an error of the disk" :
			  "nothing can be changed here");
	if (file_is_full(err))
		op_refuse(op, err, FILE_FULL);
	/* A call on a missing object is no refusal; a query is never missing. */
	if (op->reason[0] && err != -ENODATA &&
	    (err != -ENOENT || op->tells_missing))
		record_error(op, err, n, name, op->reason);
}

int op_end(struct op *op, int err, struct node *n, const char *name)
{
	struct fs *fs = op->fs;

	if (err < 0)
		explain(op, err, n, name);
	current = op->outer;
	/* Count a time that was set without a change of rows: the observer was
	 * not called. */
	if (op->timed && op->own_changes == op->timed_after)
		atomic_fetch_add(&op->timed->changes, 1);
	if (op->altered[0] || op->by_path[0])
		op_tell_altered(op, err);
	if (op->row_count)
		known_end(op);
	if (op->store != fs->store) {
		schema_put(op->schema);
		op->schema = NULL;
		snapshot_release(fs->store, op->store);
	}
	if (op->kept_count || op->timed || op->hinted || op->changing ||
	    op->reached || op->touched)
		put_changed(op);
	if (op->call) {
		op->call->wait_for = op->wait_for;
		op->call->names = op->names;
		op->call->name_count = op->name_count;
		op->call->names_below = !op->runs_statements;
	}
	give_spare(fs, op);
	return err;
}

int op_refuse(struct op *op, int err, const char *format, ...)
{
	va_list args;

	if (op->reason[0])
		return err;
	va_start(args, format);
	line_format(op->reason, sizeof(op->reason), NULL, format, args);
	va_end(args);
	return err;
}

int op_charge(struct op *op, struct charge *c, enum resource r, uint64_t amount)
{
	int err = charge_set(&op->fs->accounts, c, r, op->who.uid, amount);

	return err ? op_refuse_resource(op, r, err) : 0;
}

int op_refuse_resource(struct op *op, enum resource r, int err)
{
	struct buf why = BUF_INIT;

	if (resource_print_error(&op->fs->accounts, r, err, &why) &&
	    !why.failed)
		op_refuse(op, err, "%s", buf_cstr(&why));
	buf_release(&why);
	return err;
}

/* Cassandra ends some reasons with the Java exception behind them, which names
 * nothing in a file. */
int op_refuse_type(struct op *op, const struct type_error *error)
{
	const char *exception = strstr(error->text, ": java.");
	size_t len = exception ? (size_t)(exception - error->text) :
				 strlen(error->text);

	return op_refuse(op, -EINVAL, "%.*s", (int)len,
			 len ? error->text : "not a valid value");
}

int op_write(struct op *op, struct write *w)
{
	int err = commit_write(w);

	times_written(op, !err, w->state);
	return op_refuse_write(op, w, err);
}

int op_refuse_write(struct op *op, struct write *w, int err)
{
	if ((err == -EINVAL || err == -EPERM || err == -EFBIG) &&
	    w->refusal.len)
		op_refuse(op, err, "%s", buf_cstr(&w->refusal));
	return err;
}

uid_t op_uid(const struct op *op)
{
	return op->call ? op->call->uid : op->fs->uid;
}

int op_edit_schema(struct op *op,
		   int (*edit)(void *context, const struct schema *now,
			       struct schema **next),
		   void *context)
{
	int err = store_edit_schema(op->store, edit, context, op_uid(op));

	if (err)
		return err;
	op_renew_schema(op);
	return 0;
}

void op_watch(struct op *op, struct node *n)
{
	/* Above tables all changes are counted in the root. */
	op->watched = n->table ? n->table : op->fs->nodes.root;
	op->touched_after = op->own_changes;	/* unknown from now on */
	op->watched_changes = atomic_load(&op->watched->changes);
}

bool op_is_fresh(const struct op *op)
{
	return !op->watched || atomic_load(&op->watched->changes) ==
				       op->watched_changes;
}

/* ------------------------------------------------------------------ nodes */
struct node *op_node(struct fs *fs, uint64_t id)
{
	struct node *n = node_by_id(&fs->nodes, id);

	if (!n)
		return NULL;
	node_saw(n);
	return node_follow(&fs->nodes, n);
}

struct node *op_node_in_rooms(struct op *op, struct node *dir,
			      struct bytes name, const struct child *c,
			      struct node_rooms *rooms)
{
	struct node_key key = {
		.parent = dir,
		.name = name,
		.ops = c->ops,
		.is_table = c->is_table,
		.number = c->number,
		.value = c->value,
		.scratch = c->scratch,
		.rooms = rooms,
	};

	return node_make(&op->fs->nodes, &key);
}

struct node *op_node_of_child(struct op *op, struct node *dir,
			      struct bytes name, const struct child *c)
{
	return op_node_in_rooms(op, dir, name, c, NULL);
}
