#include "fs/file/unkeyed_record.h"

#include <errno.h>

#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/key_name.h"
#include "fs/op/op.h"
#include "fs/op/waiting_record.h"

#define TEXT_HEAD_LEN 13
#define DATE_LEN 8
#define ATTRIBUTES_HEAD_LEN 8

enum { IS_COPIED = 1, HAS_EXPIRES = 2, IS_DATED = 4 };

static void put_text(struct write *w, struct bytes key,
		     const struct unkeyed_record *r)
{
	const struct store_how *how = &r->how;
	struct buf value = BUF_INIT;

	buf_add_le32(&value, r->uid);
	buf_add_byte(&value, (how->copied ? IS_COPIED : 0) |
			     (how->has_expires ? HAS_EXPIRES : 0) | IS_DATED);
	buf_add_le64(&value, (uint64_t)how->expires_s);
	buf_add_le64(&value, (uint64_t)how->written_us);
	buf_add_bytes(&value, r->text);
	if (value.failed)
		w->failed = true;
	else
		waiting_record_put(w, key, UNKEYED_TEXT, buf_bytes(&value));
	buf_release(&value);
}

static void put_attributes(struct write *w, struct bytes key,
			   const struct unkeyed_record *r)
{
	bool has_mtime = r->how.has_mtime;
	struct buf value = BUF_INIT;

	if (has_mtime || r->expires.len || !r->has_text) {
		buf_add_le64(&value, (uint64_t)(has_mtime ? r->how.mtime_ns :
							    NO_TIME));
		buf_add_bytes(&value, r->expires);
	}
	if (value.failed)
		w->failed = true;
	else
		waiting_record_put(w, key, UNKEYED_ATTRIBUTES,
				   value.len ? buf_bytes(&value) : BYTES_NULL);
	buf_release(&value);
}

static void put_none(struct write *w, const struct buf *at)
{
	waiting_record_put(w, buf_bytes(at), UNKEYED_TEXT, BYTES_NULL);
	waiting_record_put(w, buf_bytes(at), UNKEYED_ATTRIBUTES, BYTES_NULL);
}

static void put_key(struct write *w, struct op *op, struct node *dir,
		    struct bytes text)
{
	struct buf key = BUF_INIT;

	if (waiting_record_key(&key, op, dir->parent, node_name(dir)))
		waiting_record_put(w, buf_bytes(&key), UNKEYED_KEY, text);
	w->failed |= key.failed;
	buf_release(&key);
}

/* Add the @key of each directory above n that has come: the store need not have it
 * yet. */
static int put_keys_above(struct write *w, struct op *op, struct node *n)
{
	struct buf text = BUF_INIT;
	struct node *dir;
	int err = 0;

	for (dir = node_now(n->parent); !err && dir != dir->table;
	     dir = node_now(dir->parent)) {
		if (!name_is_shortened(node_name(dir)) ||
		    node_waits_for_key(dir))
			continue;
		buf_clear(&text);
		err = key_name_full(op, dir, &text);
		buf_add_byte(&text, '\n');
		w->failed |= text.failed;
		if (!err)
			put_key(w, op, dir, buf_bytes(&text));
	}
	buf_release(&text);
	return err;
}

/* Store r of n at *at and, if it is not NULL, nothing at *before. */
static int save(struct op *op, struct node *n, const struct unkeyed_record *r,
		bool with_text, struct buf *at, const struct buf *before)
{
	struct write w;
	int err;

	if (!at->len &&
	    !waiting_record_key(at, op, n->parent, node_name(n)))
		return 0;
	if (at->failed)
		return -ENOMEM;
	atomic_fetch_or(&n->table->flags, NODE_RECORDED);
	write_init(&w, op->store);
	if (before)
		put_none(&w, before);
	if (with_text)
		put_text(&w, buf_bytes(at), r);
	put_attributes(&w, buf_bytes(at), r);
	err = put_keys_above(&w, op, n);
	if (!err)
		err = op_write(op, &w);
	write_release(&w);
	return err;
}

int unkeyed_record_save_key(struct op *op, struct node *dir, struct bytes text)
{
	struct write w;
	int err;

	write_init(&w, op->store);
	put_key(&w, op, dir, text);
	err = op_write(op, &w);
	write_release(&w);
	return err;
}

int unkeyed_record_save(struct op *op, struct node *n,
			const struct unkeyed_record *r, struct buf *at)
{
	return save(op, n, r, r->has_text, at, NULL);
}

int unkeyed_record_save_attributes(struct op *op, struct node *n,
				   const struct unkeyed_record *r,
				   struct buf *at)
{
	return save(op, n, r, false, at, NULL);
}

int unkeyed_record_move(struct op *op, struct node *n,
			const struct unkeyed_record *r, struct buf *at)
{
	struct buf now = BUF_INIT;
	int err = save(op, n, r, r->has_text, &now, at);

	if (!err) {
		struct buf before = *at;

		*at = now;
		now = before;
	}
	buf_release(&now);
	return err;
}

int unkeyed_record_remove(struct op *op, const struct buf *at)
{
	struct write w;
	int err;

	if (!at->len)
		return 0;
	write_init(&w, op->store);
	put_none(&w, at);
	err = op_write(op, &w);
	write_release(&w);
	return err;
}

static int read_text(struct bytes value, struct unkeyed_record *r)
{
	struct reader left = reader_of(value);
	uint8_t flags;

	if (value.len < TEXT_HEAD_LEN)
		return -EUCLEAN;
	r->has_text = true;
	r->uid = read_le32(&left);
	flags = read_bytes(&left, 1).ptr[0];
	r->how.copied = flags & IS_COPIED;
	r->how.has_expires = flags & HAS_EXPIRES;
	r->how.expires_s = (int64_t)read_le64(&left);
	if (flags & IS_DATED) {
		if (reader_left(&left) < DATE_LEN)
			return -EUCLEAN;
		r->how.written_us = (int64_t)read_le64(&left);
	}
	r->text = read_bytes(&left, reader_left(&left));
	return 0;
}

static int read_attributes(struct bytes value, struct unkeyed_record *r)
{
	struct reader left = reader_of(value);

	if (value.len < ATTRIBUTES_HEAD_LEN)
		return -EUCLEAN;
	r->how.mtime_ns = (int64_t)read_le64(&left);
	r->how.has_mtime = r->how.mtime_ns != NO_TIME;
	r->expires = read_bytes(&left, reader_left(&left));
	return 0;
}

int unkeyed_record_read(struct op *op, struct bytes key,
			struct unkeyed_record *r)
{
	struct bytes value;
	int found = 0, got;

	*r = (struct unkeyed_record){ .text = BYTES_EMPTY,
				      .expires = BYTES_EMPTY,
				      .uid = op->who.uid };
	got = waiting_record_get(op, key, UNKEYED_TEXT, &value);
	if (got > 0) {
		found = 1;
		got = read_text(value, r);
	}
	if (!got)
		got = waiting_record_get(op, key, UNKEYED_ATTRIBUTES, &value);
	if (got > 0) {
		found = 1;
		got = read_attributes(value, r);
	}
	return got < 0 ? got : found;
}
