/* The list of open consoles, and what their results keep of past moments. */
#include "fs/kind/console.h"

#include "fs/file/handle.h"
#include "fs/node/past.h"
#include "fs/op/op.h"

#define REST_AFTER_S 5		/* without a call */

void console_end_result(struct console *c)
{
	cql_format_free(c->format);
	c->format = NULL;
	cql_result_free(c->result);
	c->result = NULL;
	charge_end(&c->fs->accounts, &c->stream);
	charge_end(&c->fs->accounts, &c->past);
	charge_end(&c->fs->accounts, &c->plan);
}

void console_link(struct console *c)
{
	struct fs *fs = c->fs;

	mutex_lock(&fs->consoles_lock);
	LIST_INSERT_HEAD(&fs->consoles, c, entry);
	mutex_unlock(&fs->consoles_lock);
}

void console_unlink(struct console *c)
{
	struct fs *fs = c->fs;

	mutex_lock(&fs->consoles_lock);
	LIST_REMOVE(c, entry);
	mutex_unlock(&fs->consoles_lock);
}

struct past_of {
	struct past *past;
	struct past_result result;
};

static void add_past(void *context, const void *source, uint64_t bytes)
{
	struct past_of *p = context;

	past_add(p->past, &p->result, source, bytes);
}

/* Count what the console's result keeps of past moments. */
static void count_past(struct past *past, struct console *c)
{
	size_t before = past->source_count;
	struct past_of of = { past, { .of = c, .uid = c->uid,
				      .begun = c->begun, .charge = &c->past } };
	struct memory_use m = { .past = add_past, .context = &of };

	if (c->result)
		cql_result_memory(c->result, &m);
	if (past->source_count == before)
		charge_end(&c->fs->accounts, &c->past);
}

/*
 * There is no room for the past data that the result keeps: let it continue in
 * a later moment, or end it. Its reader gets the rows that were pulled before,
 * then the error.
 */
static void end_past(struct console *c)
{
	struct past past = PAST_INIT;

	cql_result_rest(c->result);
	count_past(&past, c);
	if (past.source_count) {
		console_end_result(c);
		c->over = true;
	}
	past_release(&past);
}

/* Bound the past data of all consoles. Under the lock of the list no console is
 * freed. Consoles in a call are left until the next time. */
static void bound_past(struct fs *fs) REQUIRES(&fs->consoles_lock)
{
	struct past past = PAST_INIT;
	struct past_result *r;
	struct console *c;
	size_t i;

	LIST_FOREACH(c, &fs->consoles, entry) {
		if (!mutex_try(&c->handle->lock))
			continue;
		count_past(&past, c);
		mutex_unlock(&c->handle->lock);
	}
	past_charge(&past, &fs->accounts);
	for (i = 0; i < past.result_count; i++) {
		r = &past.results[i];
		c = r->of;
		if (!r->over || !mutex_try(&c->handle->lock))
			continue;
		if (c->result && c->begun == r->begun)
			end_past(c);
		mutex_unlock(&c->handle->lock);
	}
	past_release(&past);
}

void consoles_rest(struct fs *fs, int64_t now_s)
{
	struct console *c;

	mutex_lock(&fs->consoles_lock);
	LIST_FOREACH(c, &fs->consoles, entry) {
		if (!mutex_try(&c->handle->lock))
			continue;
		if (c->result && now_s - c->used_s >= REST_AFTER_S)
			cql_result_rest(c->result);
		mutex_unlock(&c->handle->lock);
	}
	bound_past(fs);
	mutex_unlock(&fs->consoles_lock);
}
