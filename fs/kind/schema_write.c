#include "fs/kind/schema_write.h"

#include <errno.h>
#include <fcntl.h>

#include "fs/file/handle.h"
#include "fs/file/last_close.h"
#include "fs/file/reader_text.h"
#include "fs/kind/adopt.h"
#include "fs/kind/schema.h"
#include "fs/kind/waiting.h"
#include "fs/node/account.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/op/owner.h"
#include "fs/op/place.h"
#include "store/cql/syntax/statement_end.h"
#include "store/cql/syntax/statement_text.h"

#define DDL_TEXT_MAX (64 << 20)	/* of one statement */
#define WAITS 1		/* a statement is kept until the end of the text */

/* A text of definitions that is applied as it comes. */
struct ddl_text {
	struct bytes rest;	/* that is not applied */
	size_t used;		/* bytes of the buffer before it */
	size_t added;		/* bytes of its end that are new */
	bool last;		/* no more comes: a ; may lack */
	const struct schema *base;	/* when it was begun; NULL: now */
	/* The name of the keyspace in the text, if that is all of schema.cql, as
	 * its own CREATE KEYSPACE is in it, or empty; NULL, where it cannot be. */
	char *whole;
	/* Where the buffer begins: with statements that wait for the end. */
	uint8_t *kept;
	size_t kept_len;
};

static bool is_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool begins_with(struct bytes statement, const char *word)
{
	size_t i = 0;

	for (; *word; word++, i++)
		if (i >= statement.len || (statement.ptr[i] & ~0x20) != *word)
			return false;
	return i < statement.len && is_space(statement.ptr[i]);
}

static bool is_ddl(struct bytes statement)
{
	return begins_with(statement, "CREATE") ||
	       begins_with(statement, "ALTER") ||
	       begins_with(statement, "DROP") || begins_with(statement, "USE");
}

static int refuse_other(struct op *op)
{
	return op_refuse(op, -EINVAL,
			 "schema.cql takes statements that define, no others");
}

/* Run a statement of k's schema.cql. */
static int define(struct op *op, const struct keyspace *k,
		  struct cql_session *session, struct bytes statement,
		  enum cql_difference difference)
{
	int err;

	cql_session_define(session, k->name, difference);
	err = schema_run_session(op, session, statement);
	cql_session_define(session, NULL, CQL_REFUSES);
	return err;
}

/*
 * Make a statement one of this keyspace: the first CREATE KEYSPACE of a whole
 * text is that of its own, whatever it is called there (a copy of another's), and
 * so are the names in what follows.
 */
static int rename_keyspace(struct op *op, const struct keyspace *k, char *whole,
			   struct bytes *statement)
{
	struct bytes mine = bytes_str(k->name), called;
	struct buf text = BUF_INIT;
	struct bytes name = cql_statement_created_keyspace(&op->arena,
							   *statement);

	if (whole && !*whole && name.len && name.len <= HANDLE_KEYSPACE_MAX) {
		memcpy(whole, name.ptr, name.len);
		whole[name.len] = 0;
	}
	called = whole && *whole ? bytes_str(whole) : mine;
	if (!bytes_equal(called, mine)) {
		cql_statement_rename_keyspace(&text, *statement, called, mine);
		*statement = arena_copy(&op->arena, buf_bytes(&text));
	}
	if (text.failed)
		op->arena.failed = true;
	buf_release(&text);
	return op->arena.failed ? -ENOMEM : 0;
}

/* True if the statement makes, alters or drops the table. */
static bool is_of_table(struct op *op, struct bytes statement, struct bytes table)
{
	return bytes_equal(cql_statement_table(&op->arena, statement,
					       CQL_CREATES_TABLE), table) ||
	       bytes_equal(cql_statement_table(&op->arena, statement,
					       CQL_ALTERS_TABLE), table);
}

static bool is_altered_in(struct op *op, struct bytes rest, struct bytes table)
{
	struct cql_split split;
	struct bytes one;
	size_t step;

	for (cql_split_init(&split);
	     cql_split_next(&split, rest, true, &one, &step) > 0;
	     cql_split_init(&split)) {
		if (is_of_table(op, one, table))
			return true;
		rest.ptr += step;
		rest.len -= step;
	}
	return false;
}

/*
 * Look at a statement after a CREATE TABLE that waits: what alters its table is
 * refused, which tells why, and an index on it WAITS with it. 0: it is of none.
 */
static int look_at_second(struct op *op, const struct keyspace *k,
			  struct cql_session *session, struct bytes statement,
			  const struct ddl_text *t)
{
	struct bytes kept = bytes_of(t->kept, t->kept_len), one, table;
	struct bytes indexed = cql_statement_table(&op->arena, statement,
						   CQL_INDEXES_TABLE);
	struct cql_split split;
	size_t step;
	int err = 0;

	for (cql_split_init(&split);
	     !err && cql_split_next(&split, kept, true, &one, &step) > 0;
	     cql_split_init(&split)) {
		kept.ptr += step;
		kept.len -= step;
		table = cql_statement_table(&op->arena, one, CQL_CREATES_TABLE);
		if (!table.len)
			continue;
		if (bytes_equal(indexed, table))
			return WAITS;
		if (!is_of_table(op, statement, table))
			continue;
		err = rename_keyspace(op, k, t->whole, &one);
		if (!err)
			err = define(op, k, session, one,
				     CQL_CHANGES_ALL_BUT_DROPS);
	}
	return err;
}

/*
 * Run a statement of a whole schema.cql: a CREATE TABLE that was edited changes its
 * table, in one step. It drops no column if the same text alters the table later:
 * what that adds would come again without its values. So what drops columns waits
 * for the end of the text, and indexes that follow it on the table: WAITS.
 */
static int define_whole(struct op *op, const struct keyspace *k,
			struct cql_session *session, struct bytes statement,
			const struct ddl_text *t)
{
	struct bytes table = cql_statement_table(&op->arena, statement,
						 CQL_CREATES_TABLE);
	int err = t->last ? 0 : look_at_second(op, k, session, statement, t);

	if (err)
		return err;
	if (!table.len)
		return define(op, k, session, statement, CQL_REFUSES);
	err = define(op, k, session, statement, CQL_CHANGES_ALL_BUT_DROPS);
	if (!err || !cql_session_drops(session) ||
	    is_altered_in(op, t->rest, table))
		return err;
	op->reason[0] = 0;
	return t->last ? define(op, k, session, statement, CQL_CHANGES) : WAITS;
}

/* Run the statement before t->rest. */
static int apply_one(struct op *op, struct node *n,
		     struct cql_session *session, struct bytes statement,
		     const struct ddl_text *t)
{
	struct keyspace *k;
	int err;

	/* Let the parser refuse a comment that is not closed. */
	if (statement.len > 1 && !memcmp(statement.ptr, "/*", 2) &&
	    !memmem(statement.ptr, statement.len, "*/", 2))
		return schema_run_session(op, session, statement);
	if (!is_ddl(statement))
		return refuse_other(op);
	op_renew_schema(op);
	k = op_keyspace(op, n);
	if (!k)
		return -ESTALE;
	err = rename_keyspace(op, k, t->whole, &statement);
	if (err)
		return err;
	return t->whole && *t->whole ?
		       define_whole(op, k, session, statement, t) :
		       define(op, k, session, statement, CQL_REFUSES);
}

/* The context of adopt, which the session calls. */
struct writing {
	struct op *op;
	struct node *n;
	struct waiting_list waiting;
};

static int adopt(void *context, struct table *from, struct table *to)
{
	struct writing *writing = context;

	return adopt_rows(writing->op, writing->n->parent, from, to,
			  &writing->waiting);
}

/* Look at a statement that is not complete: whether it can become one that
 * defines. Its first word can be told when a blank follows. */
static int look_at_begin(struct op *op, struct cql_session *session,
			 struct bytes begin, size_t added)
{
	int err = cql_may_begin(session, begin, added);
	size_t i = 0;

	if (err)
		return op_refuse(op, err, "%s",
				 cql_session_error(session)->message);
	while (i < begin.len && !is_space(begin.ptr[i]))
		i++;
	return i == begin.len || is_ddl(begin) ? 0 : refuse_other(op);
}

/* Apply the statements, up to the first bad one, in a session. Those that wait are
 * moved to the begin of the buffer. */
static int apply_each(struct op *op, struct node *n, struct cql_session *session,
		      struct ddl_text *t)
{
	struct cql_split split;
	struct bytes one;
	size_t step;
	int err = 0;

	cql_split_init(&split);
	while (cql_split_next(&split, t->rest, t->last, &one, &step) > 0) {
		const uint8_t *begin = t->rest.ptr;

		t->rest.ptr += step;
		t->rest.len -= step;
		if (one.len)
			err = apply_one(op, n, session, one, t);
		if (err == WAITS) {
			memmove(t->kept + t->kept_len, begin, step);
			t->kept_len += step;
		} else if (err) {
			return err;
		}
		t->used += step;
		cql_split_init(&split);
		err = 0;
	}
	return t->last || !split.begun ? 0 :
	       look_at_begin(op, session,
			     bytes_of(t->rest.ptr + split.begin,
				      t->rest.len - split.begin), t->added);
}

static int apply_all(struct op *op, struct node *n, struct ddl_text *t)
{
	struct keyspace *k = op_keyspace(op, n);
	struct writing writing = { .op = op, .n = n };
	struct cql_session *session = NULL;
	mode_t mode;
	int err;

	if (!k)
		return -ESTALE;
	if (k->system)
		return -EROFS;
	/* tar restores without a umask: allow no more than the keyspace
	 * does. */
	mode = k->mode & ~(op->call ? caller_umask(op->call) : 022u);
	err = schema_open_session(op, &session, k->name, mode & 0777, true);
	if (!err)
		cql_session_adopt(session, adopt, &writing);
	if (!err)
		cql_session_base(session, t->base);
	op->broadcast = true;
	if (!err)
		err = apply_each(op, n, session, t);
	cql_session_free(session);
	waiting_end(op, &writing.waiting);
	return err;
}

int schema_write_apply(struct op *op, struct node *n, struct bytes text)
{
	char whole[HANDLE_KEYSPACE_MAX + 1] = "";
	struct ddl_text t = { .rest = text, .last = true, .whole = whole };

	return apply_all(op, n, &t);
}

static bool is_begun(const struct buf *text)
{
	size_t i = 0;

	while (i < text->len && is_space(text->ptr[i]))
		i++;
	return i < text->len;
}

/* Apply what h's text has after the statements that wait. */
static int apply_added(struct op *op, struct handle *h, struct ddl_text *t)
{
	t->base = h->base;
	t->kept = h->text.ptr;
	t->kept_len = t->used = h->kept;
	t->rest = bytes_of(h->text.ptr + h->kept, h->text.len - h->kept);
	return h->text.failed ? -ENOMEM : apply_all(op, h->node, t);
}

/* An appended text is never the whole file. */
static char *whole_of(struct handle *h)
{
	return h->flags & O_APPEND ? NULL : h->whole;
}

void schema_write_begin(struct op *op, struct handle *h)
{
	mutex_lock(&h->lock);
	schema_put(h->base);
	h->base = schema_get(op->schema);
	h->whole[0] = 0;
	h->kept = 0;
	h->cut = false;
	reader_text_drop(op->fs, h);
	handle_note_begun(h, BYTES_NULL);
	mutex_unlock(&h->lock);
}

int64_t schema_write_text(struct op *op, struct handle *h, uint64_t offset,
			  struct bytes data)
{
	struct ddl_text t = { .added = data.len, .whole = whole_of(h) };
	int64_t count = (int64_t)data.len;
	struct buf *text = &h->text;
	size_t before;
	int err;

	(void)offset;
	mutex_lock(&h->lock);
	before = text->len;
	err = handle_begin_statement(op, h, is_begun(text));
	if (err) {
		/* another user's earlier text is dropped */
	} else if (before + data.len > DDL_TEXT_MAX) {
		err = op_refuse(op, -EFBIG, "a statement may have %d bytes",
				DDL_TEXT_MAX);
	} else if (!(err = op_charge(op, &h->charge, RESOURCE_STATEMENTS,
				     before + data.len))) {
		buf_add_bytes(text, data);
		err = apply_added(op, h, &t);
		if (err && !text->failed && t.used > before) {
			/* The writer writes the rest again, from the bad
			 * statement on. */
			count = (int64_t)(t.used - before);
			op->reason[0] = 0;
			t.used = text->len;
			err = 0;
		}
	}
	if (err) {
		buf_clear(text);
		text->failed = false;
		t.kept_len = 0;
		count = err;
	} else if (t.used > t.kept_len) {
		memmove(text->ptr + t.kept_len, text->ptr + t.used,
			text->len - t.used);
		text->len -= t.used - t.kept_len;
	}
	h->kept = t.kept_len;
	handle_note_begun(h, bytes_of(text->ptr + h->kept,
				      text->len - h->kept));
	text_fit(op->fs, text);
	op_charge(op, &h->charge, RESOURCE_STATEMENTS, text->len);
	mutex_unlock(&h->lock);
	return count;
}

/* Apply the statements that waited, and one without its semicolon, once. */
static int apply_rest(struct op *op, struct handle *h)
{
	struct ddl_text t = { .last = true, .whole = whole_of(h) };
	int err;

	mutex_lock(&h->lock);
	err = handle_begin_statement(op, h, is_begun(&h->text));
	h->kept = 0;
	if (!err && h->text.len)
		err = apply_added(op, h, &t);
	reader_text_drop(op->fs, h);
	mutex_unlock(&h->lock);
	return err;
}

int schema_write_flush(struct op *op, struct handle *h)
{
	struct cql_split split;
	struct bytes one;
	size_t used;
	bool left;

	cql_split_init(&split);
	mutex_lock(&h->lock);
	left = cql_split_next(&split, buf_bytes(&h->text), true, &one,
			      &used) > 0;
	mutex_unlock(&h->lock);
	return left && last_close_is_now(op, h) ? apply_rest(op, h) : 0;
}

int schema_write_close(struct op *op, struct handle *h)
{
	/* A reader's text was not written. */
	return h->buffer && !h->cut ? apply_rest(op, h) : 0;
}
