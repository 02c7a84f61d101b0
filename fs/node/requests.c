#include "fs/node/requests.h"

#include <stdlib.h>
#include <string.h>

#include "fs/node/errors.h"
#include "store/base/clock.h"
#include "store/base/process.h"

#define TRIES 8			/* places for a thread */
#define IDLE_S 10		/* from then on another may take its place */
#define SECOND_NS 1000000000

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

/* Note the process of a new client and its command: when somebody asks, it may have
 * ended. */
static void note_process(struct client *c, pid_t thread)
{
	uint64_t words[CLIENT_COMMAND_WORDS] = { 0 };
	pid_t process = process_of_thread(thread);
	struct buf name = BUF_INIT;
	size_t i;

	atomic_store_explicit(&c->process, process, memory_order_relaxed);
	if (errors_print_command(&name, process) && !name.failed)
		memcpy(words, name.ptr, name.len < sizeof(words) ? name.len :
								 sizeof(words));
	buf_release(&name);
	for (i = 0; i < CLIENT_COMMAND_WORDS; i++)
		atomic_store_explicit(&c->command[i], words[i],
				      memory_order_relaxed);
}

/* Count a request of that thread. Threads of ours that take one place for two at the
 * same time may lose a few counts. */
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
			note_process(c, (pid_t)(uint32_t)who);
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
			     now_ns / SECOND_NS);
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
	bool idle;
	char command[CLIENT_COMMAND_WORDS * sizeof(uint64_t) + 1];
};

/* Read what was counted of a thread, as that of its process. */
static void read_line(struct line *line, const struct client *c, uint64_t now_s)
{
	uint64_t words[CLIENT_COMMAND_WORDS];
	pid_t process = atomic_load(&c->process);
	size_t i;

	if (process > 0)
		line->who = line->who >> 32 << 32 | (uint32_t)process;

	for (i = 0; i < CLIENT_COMMAND_WORDS; i++)
		words[i] = atomic_load(&c->command[i]);
	memcpy(line->command, words, sizeof(words));
	line->command[sizeof(words)] = 0;
	line->count = atomic_load(&c->count);
	line->idle = atomic_load(&c->last_s) + IDLE_S <= now_s;
}

static int by_process(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return (x->who > y->who) - (x->who < y->who);
}

/* Make one line of those of each process; returns how many are left of n. */
static size_t join_threads(struct line *lines, size_t n)
{
	size_t kept = 0, i;

	qsort(lines, n, sizeof(*lines), by_process);
	for (i = 0; i < n; i++) {
		struct line *last = kept ? &lines[kept - 1] : NULL;

		if (!last || last->who != lines[i].who) {
			lines[kept++] = lines[i];
			continue;
		}
		last->count += lines[i].count;
		last->idle &= lines[i].idle;
	}
	return kept;
}

static int most_first(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count);
}

static void print_line(struct buf *out, const struct line *line)
{
	pid_t pid = (pid_t)(uint32_t)line->who;
	struct buf command = BUF_INIT;
	bool lives = errors_print_command(&command, pid);

	if (!lives && line->command[0]) {
		buf_clear(&command);
		buf_add_str(&command, line->command);
	}
	if (lives || !line->idle)
		buf_add_format(out, "%llu %u %u %s\n",
			       (unsigned long long)line->count, (unsigned)pid,
			       (unsigned)(line->who >> 32), buf_cstr(&command));
	out->failed |= command.failed;
	buf_release(&command);
}

void requests_print_clients(const struct requests *r, struct buf *out,
			    uid_t uid, bool all)
{
	uint64_t now_s = clock_monotonic_ns() / SECOND_NS;
	struct line lines[REQUEST_CLIENTS];
	size_t n = 0, i;

	for (i = 0; i < REQUEST_CLIENTS; i++) {
		uint64_t who = atomic_load(&r->clients[i].who);

		if (!who || (!all && who >> 32 != uid))
			continue;
		lines[n].who = who;
		read_line(&lines[n++], &r->clients[i], now_s);
	}
	n = join_threads(lines, n);
	qsort(lines, n, sizeof(*lines), most_first);
	for (i = 0; i < n; i++)
		print_line(out, &lines[i]);
}
