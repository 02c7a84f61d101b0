#include "fs/node/requests.h"

#include <stdlib.h>

#include "fs/node/errors.h"

#define TRIES 8			/* places for a process */
#define IDLE_S 10		/* from then on another may take its place */

static const char *const names[] = {
	[REQUEST_LOOKUP] = "lookup", [REQUEST_GETATTR] = "getattr",
	[REQUEST_SETATTR] = "setattr", [REQUEST_READDIR] = "readdir",
	[REQUEST_OPEN] = "open", [REQUEST_READ] = "read",
	[REQUEST_WRITE] = "write", [REQUEST_FLUSH] = "flush",
	[REQUEST_FSYNC] = "fsync", [REQUEST_RELEASE] = "release",
	[REQUEST_CREATE] = "create", [REQUEST_MKDIR] = "mkdir",
	[REQUEST_REMOVE] = "remove", [REQUEST_RENAME] = "rename",
	[REQUEST_XATTR] = "xattr", [REQUEST_OTHER] = "other",
};

const char *request_name(enum request_kind kind)
{
	return names[kind];
}

/* Each thread has a number; it is spread over the stripes. */
static unsigned stripe_of_thread(void)
{
	static atomic_uint next;
	static _Thread_local unsigned mine;

	if (!mine)
		mine = 1 + atomic_fetch_add_explicit(&next, 1,
						     memory_order_relaxed) %
				   REQUEST_STRIPES;
	return mine - 1;
}

/* Count a request of that process. Threads that take one place for two
 * processes at the same time may lose a few counts. */
static void count_client(struct requests *r, uint64_t who, uint64_t now_s)
{
	unsigned first = (unsigned)(who * 0x9e3779b97f4a7c15ull >> 56), i;

	for (i = 0; i < TRIES; i++) {
		struct client *c = &r->clients[(first + i) % REQUEST_CLIENTS];
		uint64_t other = atomic_load_explicit(&c->who,
						      memory_order_relaxed);

		if (other != who) {
			if (other && atomic_load_explicit(&c->last_s,
					memory_order_relaxed) + IDLE_S > now_s)
				continue;
			if (!atomic_compare_exchange_strong(&c->who, &other,
							    who))
				continue;
			atomic_store_explicit(&c->count, 0,
					      memory_order_relaxed);
		}
		atomic_fetch_add_explicit(&c->count, 1, memory_order_relaxed);
		atomic_store_explicit(&c->last_s, now_s, memory_order_relaxed);
		return;
	}
}

void requests_add(struct requests *r, enum request_kind kind, uid_t uid,
		  pid_t pid, uint64_t begun_ns, uint64_t now_ns)
{
	latency_add(&r->stripes[stripe_of_thread()].kinds[kind],
		    now_ns - begun_ns);
	if (pid)
		count_client(r, (uint64_t)uid << 32 | (uint32_t)pid,
			     now_ns / 1000000000);
}

void requests_sum(const struct requests *r, enum request_kind kind,
		  struct latency_sum *sum)
{
	unsigned i;

	*sum = (struct latency_sum){ .count = 0 };
	for (i = 0; i < REQUEST_STRIPES; i++)
		latency_sum(sum, &r->stripes[i].kinds[kind]);
}

struct line {
	uint64_t who, count;
};

static int most_first(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count);
}

void requests_print_clients(const struct requests *r, struct buf *out,
			    uid_t uid, bool all)
{
	struct line lines[REQUEST_CLIENTS];
	size_t n = 0, i;

	for (i = 0; i < REQUEST_CLIENTS; i++) {
		uint64_t who = atomic_load(&r->clients[i].who);

		if (who && (all || who >> 32 == uid))
			lines[n++] = (struct line){
				who, atomic_load(&r->clients[i].count) };
	}
	qsort(lines, n, sizeof(*lines), most_first);
	for (i = 0; i < n; i++) {
		buf_add_format(out, "%llu %u %u ",
			       (unsigned long long)lines[i].count,
			       (uint32_t)lines[i].who,
			       (uint32_t)(lines[i].who >> 32));
		errors_print_command(out, (pid_t)(uint32_t)lines[i].who);
		buf_add_byte(out, '\n');
	}
}
