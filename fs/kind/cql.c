/*
 * .cql and its kin: statements in, results out, on one descriptor. A statement
 * runs when its semicolon arrives; one without, when the result is read or the
 * file closed: in the FLUSH of the last close where that can be told, for a
 * shell flushes after each redirection and the rest may still come; else when
 * the file is released.
 *
 * The results of what ran stand in `out` until they are read; only the last
 * one streams.
 */
#include <errno.h>

#include "fs/inner.h"
#include "store/base/alloc.h"
#include "store/cql/cql.h"
#include "store/cql/format.h"
#include "store/cql/split.h"

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

struct console {
	struct op *op;			/* of the call under way */
	struct cql_session *session;
	enum cql_format_kind kind;
	struct cql_split split;
	struct buf text;		/* not run yet */
	struct buf out;			/* not read yet, from `read` on */
	size_t read;
	uint64_t charged;		/* bytes of both in fs->statement_bytes */
	struct cql_result *result;	/* streams into out */
	struct cql_format *format;
	int failed;	/* the stream broke off: the error after out, untold */
};

/* May a statement be without its semicolon? .cql.raw is for programs: what one
 * could not write to its end is none. */
static bool takes_rest(const struct console *c)
{
	return c->kind != CQL_FORMAT_RAW;
}

#define CONSOLE_TEXT_MAX (64 << 20)	/* of one statement */
#define STATEMENTS_MAX (256 << 20)	/* of all consoles */
#define CONSOLE_SPARE (64 << 10)	/* kept for the next statement */

int cql_child(struct op *op, struct node *dir, struct bytes name,
	      struct child *out)
{
	uint32_t i;

	(void)dir;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!bytes_equal(name, bytes_str(names[i].name)))
			continue;
		child_init(out, &kind_cql);
		out->number = i;
		out->uid = op->fs->uid;
		out->gid = op->fs->gid;
		out->mode = 0666;
		out->mtime_ns = op->fs->opened_ns;
		out->volatile_attributes = true;
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

	return cql_may_caller(c->op, k, t, right);
}

/* Whoever called has been interrupted. */
static bool is_given_up(void *context)
{
	const struct console *c = context;
	const struct fs_call *call = c->op->call;

	return call && call->interrupted && call->interrupted(call->context);
}

static void end_result(struct console *c)
{
	cql_format_free(c->format);
	c->format = NULL;
	cql_result_free(c->result);
	c->result = NULL;
}

static int open_cql(struct op *op, struct handle *h)
{
	struct console *c = mem_zalloc(1, sizeof(*c));
	struct node *k = h->node->parent;
	int err;

	if (!c)
		return -ENOMEM;
	h->state = c;
	c->kind = names[h->node->number].format;
	c->op = op;
	cql_split_init(&c->split);
	err = cql_session_new(&c->session, op->fs->store);
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
	return 0;
}

/*
 * What consoles hold of statements that have not run, and of results that were
 * not read, has a bound; users who did not mount get half of it.
 */
static int charge(struct console *c, uint64_t len)
{
	struct fs *fs = c->op->fs;
	struct op *op = c->op;
	uint64_t limit = STATEMENTS_MAX, now;

	if (len <= c->charged) {
		atomic_fetch_sub(&fs->statement_bytes, c->charged - len);
		c->charged = len;
		return 0;
	}
	if (op->call && op->who.uid && op->who.uid != fs->uid)
		limit /= 2;
	now = atomic_fetch_add(&fs->statement_bytes, len - c->charged);
	if (now + len - c->charged > limit) {
		atomic_fetch_sub(&fs->statement_bytes, len - c->charged);
		return op_refuse(op, -ENOSPC, "statements and results that wait may hold %d MiB in all",
				 STATEMENTS_MAX >> 20);
	}
	c->charged = len;
	return 0;
}

/* At the end of a call: what is kept beside the text is not large. */
static void settle(struct console *c)
{
	struct fs *fs = c->op->fs;

	if (!c->text.len && c->text.cap > CONSOLE_SPARE)
		text_free(fs, &c->text);
	if (!c->out.len && c->out.cap > CONSOLE_SPARE)
		text_free(fs, &c->out);
	if (c->charged > c->text.cap + c->out.cap)
		charge(c, c->text.cap + c->out.cap);
}

/* Put the next row into out; the last ends the result. 1, 0 at the end, -errno. */
static int pull_row(struct console *c)
{
	const struct bytes *values;
	int got = cql_result_next(c->result, &values);

	if (got > 0)
		cql_format_row(c->format, &c->out, values);
	else if (!got)
		cql_format_end(c->format, &c->out);
	else
		cql_format_flush(c->format, &c->out);
	if (got <= 0)
		end_result(c);
	return c->out.failed ? -ENOMEM : got;
}

/*
 * Put more of the result into out. A row that fails after the first was given
 * ends the stream: what stands in out is read, then reading fails.
 */
static int pull(struct console *c, size_t enough)
{
	int got = 1;

	while (c->result && got > 0 && c->out.len - c->read < enough) {
		got = pull_row(c);
		if (got > 0 && c->out.len > c->charged + CONSOLE_SPARE &&
		    charge(c, c->text.len + c->out.len)) {
			end_result(c);
			got = -ENOSPC;
		}
	}
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
	/* Only what creates asks for a mode: the umask is in a file. */
	cql_session_owner(c->session, call->uid, call->gid,
			  i < statement.len &&
			  (statement.ptr[i] | 0x20) == 'c' ?
				  0777 & ~caller_umask(call) : 0755);
}

/*
 * Run a statement up to its first row: a SELECT that cannot give one fails as a
 * whole, and nothing of it is read. Results of the statements before come first
 * and whole, or nothing more is run.
 */
static int run(struct console *c, struct bytes statement)
{
	size_t before;
	int err;

	err = pull(c, SIZE_MAX);
	if (err || c->failed)
		return err ? err : c->failed;
	set_owner(c, statement);
	err = cql_execute(c->session, statement, &c->result);
	if (err)
		return err;
	err = cql_format_new(&c->format, c->kind,
			     cql_result_columns(c->result),
			     cql_result_column_count(c->result),
			     cql_result_is_json(c->result));
	if (err) {
		end_result(c);
		return err;
	}
	cql_format_about(c->format, c->result, c->session);
	before = c->out.len;
	cql_format_begin(c->format, &c->out);
	err = pull_row(c);
	if (err < 0 && !c->out.failed)
		c->out.len = before;
	return err < 0 ? err : 0;
}

static void tell(struct console *c, int err)
{
	const struct cql_error *error = cql_session_error(c->session);

	c->failed = 0;
	if (cql_error_is_set(error)) {
		cql_format_error(&c->out, c->kind, error);
		op_refuse(c->op, err, "%s", error->message);
	}
	buf_clear(&c->text);
	cql_split_init(&c->split);
}

/* A call in which statements may run; where it may not, why can be read. */
static int begin(struct console *c, struct op *op, struct handle *h)
{
	struct cql_error error = CQL_ERROR_INIT;
	int err;

	c->op = op;
	op->broadcast = true;
	err = statement_begin(op, h, c->split.begun);
	if (!err)
		return 0;
	error.code = CQL_UNAUTHORIZED;
	error.message = op->reason;
	cql_format_error(&c->out, c->kind, &error);
	buf_clear(&c->text);
	cql_split_init(&c->split);
	return err;
}

/*
 * Run what is complete in text. *used: the bytes of it that are done with.
 * Stops at the first error, which is told only if it is the first statement's:
 * else the writer comes again with the rest.
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
	if (!err && before + data.len > CONSOLE_TEXT_MAX)
		err = op_refuse(op, -EFBIG, "a statement is too long");
	if (!err)
		err = charge(c, c->text.len + data.len + c->out.len);
	if (err) {
		mutex_unlock(&h->lock);
		return err;
	}
	buf_add_bytes(&c->text, data);
	if (c->text.failed) {
		buf_clear(&c->text);
		cql_split_init(&c->split);
		mutex_unlock(&h->lock);
		return -ENOMEM;
	}
	err = run_all(c, false, &used);
	if (!err) {
		if (used)
			drop_used(c, used);
	} else if (used > before) {
		/* The rest, from the bad one on, is written again. */
		count = (int64_t)(used - before);
		buf_clear(&c->text);
		cql_split_init(&c->split);
	} else {
		tell(c, err);
		count = err;
	}
	settle(c);
	mutex_unlock(&h->lock);
	return count;
}

/* Return the error that broke off the stream, once. */
static int end_of_stream(struct console *c)
{
	const struct cql_error *error = cql_session_error(c->session);
	int err = c->failed;

	c->failed = 0;
	return err && cql_error_is_set(error) ?
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
		tell(c, err);	/* what can be read is the message */
	buf_clear(&c->text);
	cql_split_init(&c->split);
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
 * What lacks its semicolon runs in the last close, which then says what came of
 * it, and after which all is seen.
 */
static int flush_cql(struct op *op, struct handle *h)
{
	struct console *c = h->state;
	size_t used;
	int err = 0;

	mutex_lock(&h->lock);
	c->op = op;
	if (c->text.len && takes_rest(c) && handle_closes(op, h)) {
		err = begin(c, op, h);
		if (!err)
			err = run_all(c, true, &used);
		if (err && c->text.len)
			tell(c, err);
		buf_clear(&c->text);
		cql_split_init(&c->split);
	}
	settle(c);
	mutex_unlock(&h->lock);
	return err;
}

static void close_cql(struct op *op, struct handle *h)
{
	struct console *c = h->state;
	size_t used;
	int err;

	if (!c)
		return;
	c->op = op;
	op->broadcast = true;
	if (c->text.len && takes_rest(c) && !begin(c, op, h)) {
		err = run_all(c, true, &used);
		if (err)
			op_refuse(op, err, "%s",
				  cql_session_error(c->session)->message);
	}
	end_result(c);
	cql_session_free(c->session);
	charge(c, 0);
	text_free(op->fs, &c->text);
	text_free(op->fs, &c->out);
	mem_free(c);
	h->state = NULL;
}

static const struct file_kind cql_file = {
	.streamed = true,
	.statements = true,
	.open = open_cql,
	.read = read_cql,
	.write = write_cql,
	.flush = flush_cql,
	.close = close_cql,
};

const struct node_ops kind_cql = {
	.kind = "console",
	.file = &cql_file,
	.stat = stat_cql,
};
