/*
 * .cql and the like: statements are written and results read, on one
 * descriptor. A statement runs when its semicolon arrives; one without, when
 * the result is read or the file closed: in the FLUSH of the last close where
 * that can be told, for a shell flushes after each redirection and more may
 * follow; else when the file is released.
 *
 * The results of statements that ran stay in `out` until they are read; only
 * the last one streams.
 */
#include "fs/kind/cql.h"

#include <errno.h>

#include "fs/file/handle.h"
#include "fs/file/last_close.h"
#include "fs/file/reader_text.h"
#include "fs/kind/adopt.h"
#include "fs/kind/console.h"
#include "fs/kind/schema.h"
#include "fs/node/account.h"
#include "fs/node/call.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/op/owner.h"
#include "store/base/alloc.h"
#include "store/cql/cql.h"
#include "store/cql/output/format.h"
#include "store/cql/syntax/statement_end.h"

static const struct node_ops kind_cql;

static const struct {
	const char *name;
	enum cql_format_kind format;
} names[] = {
	{ ".cql", CQL_FORMAT_TABLE },
	{ ".cql.json", CQL_FORMAT_JSON },
	{ ".cql.ndjson", CQL_FORMAT_NDJSON },
	{ ".cql.csv", CQL_FORMAT_CSV },
	{ ".cql.raw", CQL_FORMAT_RAW },
};

/* True if the last statement may lack its semicolon. .cql.raw is for programs:
 * there a statement without its end was not written completely. */
static bool takes_rest(const struct console *c)
{
	return c->kind != CQL_FORMAT_RAW;
}

/* The text that is read where no statement was written. */
static const char usage[] =
"-- Write statements into a .cql and read their results on the same descriptor:\n"
"--   exec 3<>.cql; echo 'SELECT * FROM keyspace.table;' >&3; cat <&3\n"
"-- or: widefsctl cql MOUNTPOINT -e 'SELECT ...' (why others failed: .widefs/errors)\n";

#define CONSOLE_TEXT_MAX (64 << 20)	/* of one statement */
#define OUT_STEP 4096		/* the step in which results are charged */
#define PLAN_STEP 65536

int cql_child(struct op *op, struct node *dir, struct bytes name,
	      struct child *out)
{
	uint32_t i;

	if (dir->snapshot || dir->json)
		return -ENOENT;	/* statements run on the present */
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!bytes_equal(name, bytes_str(names[i].name)))
			continue;
		child_init(out, &kind_cql);
		out->number = i;
		out->uid = op->fs->uid;
		out->gid = op->fs->gid;
		out->mode = 0666;
		out->mtime_ns = op->fs->opened_ns;
		return 0;
	}
	return -ENOENT;
}

static int stat_cql(struct op *op, struct node *n, struct child *out)
{
	return cql_child(op, n->parent, node_name(n), out);
}

static bool may(void *context, const struct keyspace *k, const struct table *t,
		enum cql_right right)
{
	struct console *c = context;

	return schema_may_caller(c->op, k, t, right);
}

/* True if the caller has been interrupted. */
static bool is_given_up(void *context)
{
	const struct console *c = context;
	const struct fs_call *call = c->op->call;

	return call && call->interrupted && call->interrupted(call->context);
}

/* Files that wait in a table that mkdir made go to the one that takes its
 * place. */
static int adopt(void *context, struct table *from, struct table *to)
{
	struct console *c = context;

	return adopt_empty_table(c->op, from, to, &c->waiting);
}

static int execute(struct console *c, struct bytes statement)
{
	int err = cql_execute(c->session, statement, &c->result);

	waiting_end(c->op, &c->waiting);
	memset(&c->waiting, 0, sizeof(c->waiting));
	return err;
}

static int open_cql(struct op *op, struct handle *h)
{
	struct console *c = mem_zalloc(1, sizeof(*c));
	struct node *k = node_now(h->node->parent);
	int err;

	if (!c)
		return -ENOMEM;
	h->state = c;
	c->fs = op->fs;
	c->kind = names[h->node->number].format;
	c->op = op;
	cql_split_init(&c->split);
	err = cql_session_new(&c->session, op->store);
	if (!err && k->parent)
		err = cql_session_use(c->session, node_value(k));
	if (err) {
		cql_session_free(c->session);
		mem_free(c);
		h->state = NULL;
		return err;
	}
	cql_session_rights(c->session, may, c);
	cql_session_stop(c->session, is_given_up, c);
	cql_session_adopt(c->session, adopt, c);
	c->handle = h;
	console_link(c);
	return 0;
}

/* Count the bytes of results that were not read. */
static uint64_t unread(const struct console *c)
{
	return c->out.len + (c->format ? cql_format_held(c->format) : 0);
}

static int charge_out(struct console *c)
{
	uint64_t len = (unread(c) + OUT_STEP - 1) / OUT_STEP * OUT_STEP;

	return len <= c->out_charge.amount ? 0 :
		       op_charge(c->op, &c->out_charge, RESOURCE_RESULTS, len);
}

/* Charge what the result under way holds beside its rows: of a list of very many
 * keys that is much. */
static int charge_plan(struct console *c)
{
	struct memory_use m = { 0 };
	uint64_t bytes;

	if (!c->result)
		return 0;
	cql_result_memory(c->result, &m);
	bytes = (m.bytes + PLAN_STEP - 1) / PLAN_STEP * PLAN_STEP;
	return bytes == c->plan.amount ? 0 :
		       op_charge(c->op, &c->plan, RESOURCE_PLANS, bytes);
}

/* At the end of a call, charge what is held. */
static void settle(struct console *c)
{
	struct fs *fs = c->op->fs;

	if (charge_plan(c)) {
		console_end_result(c);
		c->failed = -ENOSPC;
	}
	text_fit(fs, &c->text);
	text_fit(fs, &c->out);
	op_charge(c->op, &c->text_charge, RESOURCE_STATEMENTS, c->text.len);
	if (unread(c) < c->out_charge.amount)
		op_charge(c->op, &c->out_charge, RESOURCE_RESULTS, unread(c));
}

/* Put the next row into out; the last ends the result. 1, 0 at the end, -errno. */
static int pull_row(struct console *c)
{
	size_t before = c->out.len;
	const struct bytes *values;
	int got = cql_result_next(c->result, &values);
	int err;

	if (got > 0)
		cql_format_row(c->format, &c->out, values);
	else if (!got)
		cql_format_end(c->format, &c->out);
	else
		cql_format_flush(c->format, &c->out);
	err = c->out.failed ? -ENOMEM : charge_out(c);
	c->refused = err;
	if (err) {
		c->out.len = before;
		c->out.failed = false;
	}
	if (err || got <= 0)
		console_end_result(c);
	return err ? err : got;
}

/*
 * Put more of the result into out. A row that fails after the first was
 * returned ends the stream: out is read, then reading fails.
 */
static int pull(struct console *c, size_t enough)
{
	int got = 1;

	while (c->result && got > 0 && c->out.len - c->read < enough)
		got = pull_row(c);
	if (got >= 0)
		return 0;
	c->failed = got == -ENOMEM || got == -ENOSPC ? got : -EIO;
	return got == -EINTR ? got : c->failed;
}

static void set_owner(struct console *c, struct bytes statement)
{
	struct fs_call *call = c->op->call;
	size_t i = 0;

	if (!call)
		return;
	while (i < statement.len && statement.ptr[i] <= ' ')
		i++;
	/* Only CREATE needs a mode: the umask is read from a file. */
	cql_session_owner(c->session, call->uid, call->gid,
			  i < statement.len &&
			  (statement.ptr[i] | 0x20) == 'c' ?
				  0777 & ~caller_umask(call) : 0755);
}

/* Say why the result that was under way was ended. */
static int say_over(struct console *c)
{
	c->over = false;
	c->failed = 0;
	c->refused = true;
	return op_refuse_resource(c->op, RESOURCE_PAST, -EIO);
}

/*
 * Run a statement up to its first row: a SELECT that cannot return one fails as
 * a whole, and nothing of it is read. Results of the statements before come
 * first and whole, or nothing more is run.
 */
static int run(struct console *c, struct bytes statement)
{
	size_t before;
	int err;

	if (c->over)
		return say_over(c);
	err = pull(c, SIZE_MAX);
	if (err || c->failed)
		return err ? err : c->failed;
	set_owner(c, statement);
	/* Charge before the statement runs: if there is no room for its result,
	 * it is refused. */
	err = op_charge(c->op, &c->stream, RESOURCE_STREAMS, 1);
	c->refused = err;
	c->uid = c->op->who.uid;
	c->begun = atomic_fetch_add(&c->fs->results_begun, 1);
	if (!err)
		err = execute(c, statement);
	if (err) {
		console_end_result(c);
		return err;
	}
	err = cql_format_new(&c->format, c->kind,
			     cql_result_columns(c->result),
			     cql_result_column_count(c->result),
			     cql_result_is_json(c->result));
	if (err) {
		console_end_result(c);
		return err;
	}
	cql_format_about(c->format, c->result, c->session);
	before = c->out.len;
	cql_format_begin(c->format, &c->out);
	err = pull_row(c);
	if (err >= 0) {
		err = charge_plan(c);
		c->refused = err;
		if (err)
			console_end_result(c);
	}
	if (err < 0)
		c->out.len = before;
	return err < 0 ? err : 0;
}

/* Put the message out to be read: of the session, or of an error outside of it,
 * whose reason the op has. */
static void tell(struct console *c, int err, enum cql_code code)
{
	struct cql_error error = *cql_session_error(c->session);

	if (c->refused) {
		error = CQL_ERROR_INIT;
		error.code = code;
		error.message = c->op->reason;
	}
	c->failed = 0;
	c->refused = false;
	if (cql_error_is_set(&error)) {
		cql_format_error(&c->out, c->kind, &error);
		op_refuse(c->op, err, "%s", error.message);
	}
	buf_clear(&c->text);
	cql_split_init(&c->split);
}

/* Begin a call in which statements may run; if it may not, the reason can be
 * read. */
static int begin(struct console *c, struct op *op, struct handle *h)
{
	int err;

	c->op = op;
	c->used_s = op->now_s;
	op->broadcast = true;
	err = handle_begin_statement(op, h, c->split.begun);
	c->refused = err;
	if (err)
		tell(c, err, CQL_UNAUTHORIZED);
	return err;
}

/*
 * Run the complete statements in text. *used: the bytes of it that are done
 * with. Stops at the first error, which is told only if it is the first
 * statement's: else the writer comes again with the rest.
 */
static int run_all(struct console *c, bool last, size_t *used)
{
	struct bytes text = buf_bytes(&c->text), one;
	size_t step;
	int err = 0;

	*used = 0;
	while (!err && cql_split_next(&c->split, text, last, &one, &step) > 0) {
		if (one.len)
			err = run(c, one);
		if (err)
			break;
		cql_split_init(&c->split);
		*used += step;
		text.ptr += step;
		text.len -= step;
	}
	return err;
}

static void drop_used(struct console *c, size_t used)
{
	memmove(c->text.ptr, c->text.ptr + used, c->text.len - used);
	c->text.len -= used;
}

/* Return the statement that has begun after the first `used` bytes. */
static struct bytes rest_from(const struct console *c, size_t used)
{
	size_t at = used + c->split.begin;

	return bytes_of(c->text.ptr + at, c->text.len - at);
}

static int64_t write_cql(struct op *op, struct handle *h, uint64_t offset,
			 struct bytes data)
{
	struct console *c = h->state;
	size_t before, used;
	int64_t count = (int64_t)data.len;
	int err;

	(void)offset;
	mutex_lock(&h->lock);
	err = begin(c, op, h);
	before = c->text.len;
	c->used = true;
	if (!err && before + data.len > CONSOLE_TEXT_MAX)
		err = op_refuse(op, -EFBIG, "a statement may have %d bytes",
				CONSOLE_TEXT_MAX);
	if (!err)
		err = op_charge(op, &c->text_charge, RESOURCE_STATEMENTS,
				before + data.len);
	if (!err && !buf_reserve(&c->text, data.len)) {
		buf_clear(&c->text);
		cql_split_init(&c->split);
		err = -ENOMEM;
	}
	if (err) {
		settle(c);
		mutex_unlock(&h->lock);
		return err;
	}
	buf_add_bytes(&c->text, data);
	err = run_all(c, false, &used);
	if (!err && takes_rest(c) && c->split.begun)
		err = cql_may_begin(c->session, rest_from(c, used), data.len);
	if (!err) {
		if (used)
			drop_used(c, used);
	} else if (used > before) {
		/* The writer writes the rest again, from the bad statement
		 * on. */
		count = (int64_t)(used - before);
		buf_clear(&c->text);
		cql_split_init(&c->split);
	} else {
		tell(c, err, CQL_SERVER_ERROR);
		count = err;
	}
	handle_note_begun(h, buf_bytes(&c->text));
	settle(c);
	mutex_unlock(&h->lock);
	return count;
}

/* Return the error that broke off the stream, once. */
static int end_of_stream(struct console *c)
{
	const struct cql_error *error = cql_session_error(c->session);
	int err = c->over ? say_over(c) : c->failed;
	bool said = c->refused && err == -EIO;

	c->failed = 0;
	c->refused = false;
	return err && !said && cql_error_is_set(error) ?
		       op_refuse(c->op, err, "%s: %s",
				 cql_code_name(error->code), error->message) :
		       err;
}

static int read_cql(struct op *op, struct handle *h, uint64_t offset,
		    size_t size, struct buf *out)
{
	struct console *c = h->state;
	size_t used, n;
	int err;

	(void)offset;
	mutex_lock(&h->lock);
	err = begin(c, op, h);
	if (!err)
		err = run_all(c, takes_rest(c), &used);
	if (err && c->text.len)
		tell(c, err, CQL_SERVER_ERROR);
	buf_clear(&c->text);
	cql_split_init(&c->split);
	if (!err && !c->used && takes_rest(c))
		buf_add_str(&c->out, usage);
	c->used = true;
	err = c->out.len > c->read ? 0 : pull(c, size);
	n = c->out.len - c->read;
	if (n > size)
		n = size;
	if (err != -EINTR && n) {
		err = 0;
		buf_add(out, c->out.ptr + c->read, n);
		c->read += n;
	} else if (err != -EINTR) {
		err = end_of_stream(c);
	}
	if (c->read == c->out.len) {
		buf_clear(&c->out);
		c->read = 0;
	}
	settle(c);
	mutex_unlock(&h->lock);
	return err;
}

/*
 * Run a statement without its semicolon in the last close, which then returns
 * its result, and after which all is seen.
 */
static int flush_cql(struct op *op, struct handle *h)
{
	struct console *c = h->state;
	size_t used;
	int err = 0;

	mutex_lock(&h->lock);
	c->op = op;
	if (c->text.len && takes_rest(c) && last_close_is_now(op, h)) {
		err = begin(c, op, h);
		if (!err)
			err = run_all(c, true, &used);
		if (err && c->text.len)
			tell(c, err, CQL_SERVER_ERROR);
		buf_clear(&c->text);
		cql_split_init(&c->split);
	}
	settle(c);
	mutex_unlock(&h->lock);
	return err;
}

static int close_cql(struct op *op, struct handle *h)
{
	struct console *c = h->state;
	size_t used;
	int err = 0;

	if (!c)
		return 0;
	console_unlink(c);
	c->op = op;
	op->broadcast = true;
	if (c->text.len && takes_rest(c) && !h->cut && !begin(c, op, h)) {
		err = run_all(c, true, &used);
		if (err)
			tell(c, err, CQL_SERVER_ERROR);
	}
	console_end_result(c);
	cql_session_free(c->session);
	text_free(op->fs, &c->text);
	text_free(op->fs, &c->out);
	charge_end(&op->fs->accounts, &c->text_charge);
	charge_end(&op->fs->accounts, &c->out_charge);
	mem_free(c);
	h->state = NULL;
	return err;
}

static const struct file_kind cql_file = {
	.streamed = true,
	.statements = true,
	.alone = true,
	.open = open_cql,
	.read = read_cql,
	.write = write_cql,
	.flush = flush_cql,
	.close = close_cql,
};

static const struct node_ops kind_cql = {
	.kind = "console",
	.file = &cql_file,
	.stat = stat_cql,
};
