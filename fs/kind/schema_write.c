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

/* True if a statement of `rest` alters the table. */
static bool is_altered_in(struct op *op, struct bytes rest, struct bytes table)
{
	struct cql_split split;
	struct bytes one;
	size_t step;

	for (cql_split_init(&split);
	     cql_split_next(&split, rest, true, &one, &step) > 0;
	     cql_split_init(&split)) {
		if (bytes_equal(cql_statement_table(&op->arena, one, true),
				table))
			return true;
		rest.ptr += step;
		rest.len -= step;
	}
	return false;
}

/*
 * Run a statement of a whole schema.cql: a CREATE TABLE that was edited changes its
 * table, in one step. It drops no column if the same text alters the table later:
 * what that adds would come again without its values.
 */
static int define_whole(struct op *op, const struct keyspace *k,
			struct cql_session *session, struct bytes statement,
			struct bytes rest)
{
	struct bytes table = cql_statement_table(&op->arena, statement, false);
	int err;

	if (!table.len)
		return define(op, k, session, statement, CQL_REFUSES);
	err = define(op, k, session, statement, CQL_CHANGES_ALL_BUT_DROPS);
	if (err != -EEXIST || is_altered_in(op, rest, table))
		return err;
	op->reason[0] = 0;
	return define(op, k, session, statement, CQL_CHANGES);
}

/* rest: the text that follows it, as far as it is there.
 * whole: the name of the keyspace in the text, if that is all of schema.cql, as
 * its own CREATE KEYSPACE is in it, or empty; NULL, where it cannot be. */
static int apply_one(struct op *op, struct node *n,
		     struct cql_session *session, struct bytes statement,
		     struct bytes rest, char *whole)
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
	err = rename_keyspace(op, k, whole, &statement);
	if (err)
		return err;
	return whole && *whole ?
		       define_whole(op, k, session, statement, rest) :
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

/* Apply the statements. *used: the bytes up to the first bad one; last: the end
 * may lack a ;, else the last `added` bytes are new. whole: as apply_one. */
static int apply_all(struct op *op, struct node *n, struct bytes text,
		     bool last, size_t added, char *whole, size_t *used)
{
	struct keyspace *k = op_keyspace(op, n);
	struct writing writing = { .op = op, .n = n };
	struct cql_session *session = NULL;
	struct cql_split split;
	struct bytes one;
	size_t step;
	mode_t mode;
	int err;

	*used = 0;
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
	op->broadcast = true;
	cql_split_init(&split);
	while (!err && cql_split_next(&split, text, last, &one, &step) > 0) {
		if (one.len)
			err = apply_one(op, n, session, one,
					bytes_of(text.ptr + step,
						 text.len - step), whole);
		if (err)
			break;
		*used += step;
		text.ptr += step;
		text.len -= step;
		cql_split_init(&split);
	}
	if (!err && !last && split.begun)
		err = look_at_begin(op, session,
				    bytes_of(text.ptr + split.begin,
					     text.len - split.begin), added);
	cql_session_free(session);
	waiting_end(op, &writing.waiting);
	return err;
}

int schema_write_apply(struct op *op, struct node *n, struct bytes text)
{
	char whole[HANDLE_KEYSPACE_MAX + 1] = "";
	size_t used;

	return apply_all(op, n, text, true, 0, whole, &used);
}

static bool is_begun(const struct buf *text)
{
	size_t i = 0;

	while (i < text->len && is_space(text->ptr[i]))
		i++;
	return i < text->len;
}

/* An appended text is never the whole file. */
static char *whole_of(struct handle *h)
{
	return h->flags & O_APPEND ? NULL : h->whole;
}

int64_t schema_write_text(struct op *op, struct handle *h, uint64_t offset,
			  struct bytes data)
{
	int64_t count = (int64_t)data.len;
	struct buf *text = &h->text;
	size_t before, used = 0;
	int err;

	(void)offset;
	mutex_lock(&h->lock);
	before = text->len;
	err = handle_begin_statement(op, h, is_begun(text));
	if (err) {
		/* another user's earlier text is dropped */
	} else if (before + data.len > DDL_TEXT_MAX) {
		err = op_refuse(op, -EFBIG, "a statement is too long");
	} else if (!(err = op_charge(op, &h->charge, RESOURCE_STATEMENTS,
				     before + data.len))) {
		buf_add_bytes(text, data);
		err = text->failed ? -ENOMEM :
				     apply_all(op, h->node, buf_bytes(text),
					       false, data.len, whole_of(h),
					       &used);
		if (err && !text->failed && used > before) {
			/* The writer writes the rest again, from the bad
			 * statement on. */
			count = (int64_t)(used - before);
			op->reason[0] = 0;
			used = text->len;
			err = 0;
		}
	}
	if (err) {
		buf_clear(text);
		text->failed = false;
		count = err;
	} else if (used) {
		memmove(text->ptr, text->ptr + used, text->len - used);
		text->len -= used;
	}
	handle_note_begun(h, buf_bytes(text));
	text_fit(op->fs, text);
	op_charge(op, &h->charge, RESOURCE_STATEMENTS, text->len);
	mutex_unlock(&h->lock);
	return count;
}

/* Apply a statement without its semicolon, once. */
static int apply_rest(struct op *op, struct handle *h)
{
	size_t used;
	int err;

	mutex_lock(&h->lock);
	err = handle_begin_statement(op, h, is_begun(&h->text));
	if (!err && h->text.len)
		err = apply_all(op, h->node, buf_bytes(&h->text), true, 0,
				whole_of(h), &used);
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

void schema_write_close(struct op *op, struct handle *h)
{
	if (h->buffer && !h->cut)	/* a reader's text was not written */
		apply_rest(op, h);
}
