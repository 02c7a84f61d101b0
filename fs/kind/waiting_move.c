#include "fs/kind/waiting_move.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fs/file/content.h"
#include "fs/file/keep.h"
#include "fs/file/stat.h"
#include "fs/file/unkeyed.h"
#include "fs/file/write_buffer.h"
#include "fs/file/xattr.h"
#include "fs/kind/scratch.h"
#include "fs/kind/waiting.h"
#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/kernel.h"
#include "fs/op/op.h"
#include "store/base/counted.h"
#include "store/base/log.h"

#define LOST_NAMED 1000	/* files that are lost and named in the log */

/* Put the op's reason why a name has no place into the errors, and clear it. */
static void remark(struct op *op, struct node *dir, struct bytes name, int err,
		   const char *what)
{
	char why[sizeof(op->reason)];

	snprintf(why, sizeof(why), "%s",
		 op->reason[0] ? op->reason : strerror(-err));
	op->reason[0] = 0;
	op_remark(op, dir, "%.*s was made before schema.cql and has no place in the table%s: %s",
		  (int)name.len, name.ptr, what, why);
}

/* Let `from` forward to `to`: the kernel, and processes that have it open,
 * continue with its number. The maker of `from` counts as that of `to`. */
static void lead_on(struct op *op, struct node *from, struct node *to)
{
	struct node *none = NULL;
	pid_t nobody = 0;

	atomic_compare_exchange_strong(&to->maker_pid, &nobody,
				       atomic_load(&from->maker_pid));
	if (!atomic_compare_exchange_strong(&from->forward, &none,
					    node_get(to)))
		node_put(&op->fs->nodes, to);
}

/* Make the name of what has no place in dir. */
static void name_aside(struct buf *out, const struct node *dir,
		       struct bytes name)
{
	size_t suffix = dir->ops->waits ? 0 : strlen(WAITING_ASIDE);

	if (name.len > NAME_MAX_LEN - suffix) {
		name.len = NAME_MAX_LEN - suffix;
		while (name.len && (name.ptr[name.len] & 0xC0) == 0x80)
			name.len--;
	}
	buf_add_bytes(out, name);
	if (suffix)
		buf_add_str(out, WAITING_ASIDE);
}

/* Keep a directory, for the files below it, in memory. */
static int keep_aside(struct op *op, struct node *dir, struct bytes name,
		      struct node **out)
{
	struct buf aside = BUF_INIT;
	struct child c;

	child_init(&c, &kind_waiting);
	name_aside(&aside, dir, name);
	if (!aside.failed)
		*out = op_node_of_child(op, dir, buf_bytes(&aside), &c);
	buf_release(&aside);
	return *out ? keep_up(op, *out) : -ENOMEM;
}

/* ------------------------------------------------------------------- files */
/* A file that waited: its text and what goes with it. */
struct waited {
	struct node *node;
	struct buf text;
	struct store_how how;
};

static int read_waited(struct op *op, struct waited *w)
{
	struct buf expires = BUF_INIT;
	int err = 0;

	if (w->node->scratch)
		scratch_contents(w->node->scratch, &w->text, &w->how);
	else if (!unkeyed_read(op, w->node, &w->text, &w->how, &expires))
		err = -ENOENT;
	w->how.copied = true;
	if (!err && expires.len) {
		err = xattr_read_expires(op, buf_bytes(&expires),
					 &w->how.expires_s);
		w->how.has_expires = !err;
	}
	if (expires.failed || w->text.failed)
		err = -ENOMEM;
	buf_release(&expires);
	return err;
}

/* Keep it in memory, as a file of the caller's. */
static int keep_file(struct op *op, const struct waited *w, struct node *dir,
		     struct bytes name, struct child *c)
{
	struct node *n;
	int err = 0;

	if (w->node->scratch) {
		scratch_free(op->fs, c->scratch);
		atomic_fetch_add(&w->node->scratch->users, 1);
		c->scratch = w->node->scratch;
	} else {
		if (!c->scratch)
			err = scratch_create(op, name, c);
		if (!err)
			err = scratch_of(op, buf_bytes(&w->text),
					 w->how.mtime_ns, c);
	}
	n = err ? NULL : op_node_of_child(op, dir, name, c);
	if (!n) {
		scratch_free(op->fs, c->scratch);
		return err ? err : -ENOMEM;
	}
	keep_for(op, n, NULL);
	lead_on(op, w->node, n);
	node_put(&op->fs->nodes, n);
	return 0;
}

/* Store it under its name, as a rename of a copier's temporary file does. */
static int store_file(struct op *op, const struct waited *w, struct node *dir)
{
	struct bytes name = node_name(w->node), text = buf_bytes(&w->text);
	struct node *n = NULL;
	struct child c;
	int err = stat_lookup(op, dir, name, &c, &n);

	if (err == -ENOENT) {
		op->reason[0] = 0;
		err = dir->ops->create ? dir->ops->create(op, dir, name, &c) :
					 -EINVAL;
		if (!err && c.scratch)
			return keep_file(op, w, dir, name, &c);
		n = err ? NULL : op_node_of_child(op, dir, name, &c);
		if (!err && !n)
			err = -ENOMEM;
	}
	if (!err && (n->ops->directory ||
		     (!n->ops->file->store && !n->ops->file->replace)))
		err = op_refuse(op, -EPERM, "no file of this name can be written here");
	if (!err && n->ops->file->may_begin &&
	    !n->ops->file->may_begin(op, n, text, 0))
		err = -EINVAL;
	if (!err)
		err = content_store(op, n, text, &w->how);
	if (!err)
		lead_on(op, w->node, n);
	node_put(&op->fs->nodes, n);
	return err;
}

/* Put it aside, readable until the unmount. */
static void reject_file(struct op *op, const struct waited *w, struct node *dir,
			int err)
{
	struct buf aside = BUF_INIT;
	struct child c;
	char what[96];

	snprintf(what, sizeof(what), " (%s in memory until unmount, as NAME"
		 WAITING_ASIDE ")", counted(w->text.len, "byte").text);
	child_init(&c, &kind_scratch);
	name_aside(&aside, dir, node_name(w->node));
	if (!dir->ops->waits)	/* else its directory was remarked on */
		remark(op, dir, node_name(w->node), err,
		       what);
	if (!aside.failed)
		err = keep_file(op, w, dir, buf_bytes(&aside), &c);
	if (aside.failed || err)
		remark(op, dir, node_name(w->node), -ENOSPC, "");
	buf_release(&aside);
}

static void move_file(struct op *op, struct node *n, struct node *to)
{
	struct fs *fs = op->fs;
	struct waited w = { .node = n, .text = BUF_INIT };
	struct write_buffer *buffer = buffer_hold(fs, n);
	int err = buffer ? read_waited(op, &w) : -ENOMEM;

	/* If a descriptor is still writing it, its commit stores it by its
	 * path: content_store. */
	if (!err && (w.text.len || !buffer_is_open(buffer))) {
		err = to->ops->waits ? -EPERM :
						 store_file(op, &w, to);
		if (err)
			reject_file(op, &w, to, err);
	} else if (err && err != -ENOENT) {
		remark(op, to, node_name(n), err, "");
	}
	op_notify(op, n, ARMED_NAME | ARMED_ATTRIBUTES | ARMED_PAGES);
	buffer_release(fs, n, buffer);
	buf_release(&w.text);
}

/* ------------------------------------------------------------- directories */
static bool is_file(struct op *op, struct node *n)
{
	return !n->ops->directory && (n->scratch || unkeyed_holds(op->fs, n));
}

/* Look up whether a file waits below: 1, 0, -errno. */
static int has_files(struct op *op, struct node *dir)
{
	struct node **children;
	size_t i, count;
	int got = node_children(&op->fs->nodes, dir, CHILDREN_KEPT, &children, &count);

	if (got)
		return got;
	for (i = 0; i < count && !got; i++)
		got = children[i]->ops->directory ?
			      has_files(op, children[i]) :
			      is_file(op, children[i]);
	node_children_put(&op->fs->nodes, children, count);
	return got;
}

static int make_child(struct op *op, struct node *dir, struct bytes name,
		      struct child *c, bool *keep)
{
	int err = scratch_mkdir(op, dir, name, c);

	*keep = !err;
	if (err != -ENOENT)
		return err;
	return dir->ops->mkdir ?
		       dir->ops->mkdir(op, dir, name, 0777, c, keep) : -EINVAL;
}

/* Below a directory without a place nothing has a place. */
int waiting_make(struct op *op, struct node *dir, struct bytes name,
		struct node **out)
{
	struct child c;
	bool keep = false;
	int err;

	if (dir->ops->waits)
		return keep_aside(op, dir, name, out);
	/* Below a directory that waits for its @key nothing is stored. */
	err = dir->ops->lookup && !node_waits_for_key(dir) ?
		      stat_lookup(op, dir, name, &c, out) : -ENOENT;
	if (err == -ENOENT) {
		op->reason[0] = 0;
		err = make_child(op, dir, name, &c, &keep);
	} else if (!err && (!c.ops->directory || c.ops->made_up)) {
		err = -EINVAL;
	} else if (!err) {
		return 0;
	}
	if (err) {
		node_put(&op->fs->nodes, *out);
		*out = NULL;
		return err;
	}
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

static void move(struct op *op, struct node *from, struct node *to);

static void move_directory(struct op *op, struct node *n, struct node *to)
{
	struct node *made = NULL;
	int err = to ? waiting_make(op, to, node_name(n), &made) : 0;
	bool aside = false;

	arena_clear(&op->arena);
	if (err && has_files(op, n) > 0) {
		remark(op, to, node_name(n), err,
		       " (its files are in memory until unmount, as NAME" WAITING_ASIDE ")");
		err = keep_aside(op, to, node_name(n), &made);
		aside = true;
	}
	if (!err && made)
		lead_on(op, n, made);
	move(op, n, err ? NULL : made);
	if (!err && made && !aside)
		err = carry(op, n, made);
	if (err)
		remark(op, to, node_name(n), err, "");
	node_put(&op->fs->nodes, made);
}

/* The key first: what comes below a directory that waits for it is held. */
static void move_key(struct op *op, struct node *from, struct node *to,
		     struct node **children, size_t count)
{
	struct bytes name = bytes_str("@key");
	struct store_how how = { .copied = true };
	struct node *n;
	struct child c;
	size_t i;

	for (i = 0; i < count; i++)
		if (bytes_equal(node_name(children[i]), name) &&
		    is_file(op, children[i]) &&
		    node_unkeep(&op->fs->nodes, children[i]))
			move_file(op, children[i], to);
	if (from->ops->waits || node_is_unkeyed(from) ||
	    to->ops->waits || !node_is_unkeyed(to))
		return;
	n = to->ops->create(op, to, name, &c) ?
		    NULL : op_node_of_child(op, to, name, &c);
	if (!n || content_store(op, n, node_value(from), &how))
		remark(op, to, name, -EINVAL, "");
	node_put(&op->fs->nodes, n);
}

/*
 * Make what is below a directory that waited in the one that has its place now
 * (NULL: none has). Each is taken once: by this, or by a call that comes too
 * late for it (waiting_made).
 */
static void move(struct op *op, struct node *from, struct node *to)
{
	struct node_table *nodes = &op->fs->nodes;
	struct node **children;
	size_t i, count;
	int err;

	atomic_fetch_or(&from->flags, NODE_TAKEN);
	err = node_children(nodes, from, CHILDREN_KEPT, &children, &count);
	if (err) {
		remark(op, from, node_name(from), err, "");
		return;
	}
	if (to)
		move_key(op, from, to, children, count);
	for (i = 0; i < count; i++) {
		struct node *n = children[i];

		if (!node_unkeep(nodes, n))
			continue;
		if (n->ops->takes_waiting)
			move_directory(op, n, to);
		else if (to && is_file(op, n))
			move_file(op, n, to);
		arena_clear(&op->arena);
	}
	node_children_put(nodes, children, count);
}

/* Find the keyspace's directory, or the table's in that: a reference, or NULL. */
static struct node *find_by_text(struct op *op, struct node *dir,
				 const char *text)
{
	struct buf name = BUF_INIT;
	struct node *n = NULL;
	struct child c;

	name_of_text(&name, bytes_str(text));
	if (!name.failed && !dir->ops->lookup(op, dir, buf_bytes(&name), &c))
		n = op_node_of_child(op, dir, buf_bytes(&name), &c);
	op->reason[0] = 0;
	buf_release(&name);
	return n;
}

void waiting_move_table(struct op *op, struct node *from,
			const struct table *now)
{
	struct node_table *nodes = &op->fs->nodes;
	struct node *keyspace, *to;

	/* It was not replaced, or what did is gone. */
	if (schema_table_by_number(op->schema, from->number) || !now)
		return;
	keyspace = find_by_text(op, nodes->root, now->keyspace);
	to = keyspace ? find_by_text(op, keyspace, now->name) : NULL;
	if (to) {
		lead_on(op, from, to);
		move(op, from, to);
		if (carry(op, from, to))
			remark(op, keyspace, node_name(to), -EIO, "");
		atomic_store(&from->mtime_ns, 0);
	}
	node_put(nodes, to);
	node_put(nodes, keyspace);
}

/* --------------------------------------------------------------- the unmount */
static bool has_aside_name(const struct node *n)
{
	struct bytes name = node_name(n);
	size_t len = strlen(WAITING_ASIDE);

	return name.len > len &&
	       !memcmp(name.ptr + name.len - len, WAITING_ASIDE, len);
}

/* True for a file that is aside by its name, or below a directory that is. */
static bool is_aside(const struct node *n)
{
	if (n->ops != &kind_scratch || !node_is_current(n) ||
	    atomic_load(&n->flags) & NODE_PAST || atomic_load(&n->forward))
		return false;
	return has_aside_name(n) || n->parent->ops->waits;
}

static void tell_lost(struct node *n)
{
	struct buf path = BUF_INIT;

	op_print_path(&path, n, NULL);
	log_message(LOG_WARNING_LEVEL, "gone with the unmount: %s of %s",
		    counted(n->scratch->text.len, "byte").text, buf_cstr(&path));
	buf_release(&path);
}

void waiting_tell_lost(struct fs *fs)
{
	struct node_table *t = &fs->nodes;
	size_t lost = 0;

	for (size_t i = 0; i < NODE_SHARDS; i++) {
		const struct node_shard *s = &t->by_id[i];

		for (size_t b = 0; b < s->bucket_count; b++) {
			struct node *n = s->buckets[b];

			for (; n; n = n->next[NODE_BY_ID])
				if (is_aside(n) && lost++ < LOST_NAMED)
					tell_lost(n);
		}
	}
	if (lost)
		log_message(LOG_WARNING_LEVEL, "%s NAME" WAITING_ASIDE
			    " gone: in memory alone, without a place in a "
			    "table%s", counted(lost, "file").text,
			    lost > LOST_NAMED ? " (the first are named)" : "");
}
