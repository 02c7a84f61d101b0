#include "mount/request.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fs/fs.h"
#include "store/base/alloc.h"
#include "store/base/clock.h"

struct request *request_new(struct request *read)
{
	struct request *r = mem_alloc(sizeof(*r));
	void *smaller;

	if (!r)
		return NULL;
	*r = *read;
	read->buf.mem = NULL;
	read->charge = NULL;
	smaller = mem_resize(r->buf.mem, r->buf.size, 1);
	if (smaller)
		r->buf.mem = smaller;
	return r;
}

void request_free(struct request *r)
{
	/* libfuse allocates it with malloc, and leaves it to us. */
	if (r)
		mem_free(r->buf.mem);
	mem_free(r);
}

/* ------------------------------------------------------------ what it is */
/* By opcode; one that is not listed is light, of another kind. is_heavy: the body
 * begins with a handle, which says so. */
struct class {
	enum request_kind kind;
	enum request_weight weight;
	bool (*is_heavy)(uint64_t handle);
};

static const struct class classes[] = {
	[FUSE_LOOKUP] = { REQUEST_LOOKUP, REQUEST_LIGHT, NULL },
	[FUSE_GETATTR] = { REQUEST_GETATTR, REQUEST_LIGHT, NULL },
	[FUSE_SETATTR] = { REQUEST_SETATTR, REQUEST_LIGHT, NULL },
	[FUSE_READDIR] = { REQUEST_READDIR, REQUEST_LIGHT,
			       fs_directory_is_heavy },
	[FUSE_READDIRPLUS] = { REQUEST_READDIR, REQUEST_LIGHT,
			       fs_directory_is_heavy },
	[FUSE_OPEN] = { REQUEST_OPEN, REQUEST_LIGHT, NULL },
	[FUSE_OPENDIR] = { REQUEST_OPEN, REQUEST_LIGHT, NULL },
	[FUSE_READ] = { REQUEST_READ, REQUEST_LIGHT, fs_handle_is_heavy },
	[FUSE_WRITE] = { REQUEST_WRITE, REQUEST_LIGHT, fs_handle_is_heavy },
	[FUSE_FLUSH] = { REQUEST_FLUSH, REQUEST_LIGHT, fs_handle_is_heavy },
	[FUSE_FSYNC] = { REQUEST_FSYNC, REQUEST_LIGHT, NULL },
	[FUSE_FSYNCDIR] = { REQUEST_FSYNC, REQUEST_LIGHT, NULL },
	[FUSE_CREATE] = { REQUEST_CREATE, REQUEST_LIGHT, NULL },
	[FUSE_MKNOD] = { REQUEST_CREATE, REQUEST_LIGHT, NULL },
	[FUSE_MKDIR] = { REQUEST_MKDIR, REQUEST_LIGHT, NULL },
	[FUSE_UNLINK] = { REQUEST_REMOVE, REQUEST_LIGHT, NULL },
	[FUSE_RMDIR] = { REQUEST_REMOVE, REQUEST_LIGHT, NULL },
	[FUSE_RENAME] = { REQUEST_RENAME, REQUEST_LIGHT, NULL },
	[FUSE_RENAME2] = { REQUEST_RENAME, REQUEST_LIGHT, NULL },
	[FUSE_GETXATTR] = { REQUEST_XATTR, REQUEST_LIGHT, NULL },
	[FUSE_SETXATTR] = { REQUEST_XATTR, REQUEST_LIGHT, NULL },
	[FUSE_LISTXATTR] = { REQUEST_XATTR, REQUEST_LIGHT, NULL },
	[FUSE_REMOVEXATTR] = { REQUEST_XATTR, REQUEST_LIGHT, NULL },
	[FUSE_RELEASE] = { REQUEST_RELEASE, REQUEST_OF_NOBODY, NULL },
	[FUSE_RELEASEDIR] = { REQUEST_RELEASE, REQUEST_OF_NOBODY, NULL },
	[FUSE_INTERRUPT] = { REQUEST_OTHER, REQUEST_INTERRUPT, NULL },
	[FUSE_INIT] = { REQUEST_OTHER, REQUEST_OF_NOBODY, NULL },
	[FUSE_DESTROY] = { REQUEST_OTHER, REQUEST_OF_NOBODY, NULL },
	[FUSE_FORGET] = { REQUEST_OTHER, REQUEST_OF_NOBODY, NULL },
	[FUSE_BATCH_FORGET] = { REQUEST_OTHER, REQUEST_OF_NOBODY, NULL },
};

void request_look(struct request *r)
{
	const struct fuse_in_header *in = r->buf.mem;
	struct class class = { REQUEST_OTHER, REQUEST_LIGHT, NULL };
	uint64_t body = 0;	/* the first number of it */
	bool has_body = r->buf.size >= sizeof(*in) + sizeof(body);

	r->opcode = 0;
	r->kind = REQUEST_OTHER;
	r->weight = REQUEST_OF_NOBODY;
	r->closes_locks = false;
	r->number = r->uid = 0;
	r->pid = 0;
	if (r->buf.size < sizeof(*in))
		return;
	if (in->opcode < ARRAY_SIZE(classes) && classes[in->opcode].weight)
		class = classes[in->opcode];
	r->opcode = in->opcode;
	r->kind = class.kind;
	r->number = in->unique;
	r->uid = in->uid;
	r->pid = (pid_t)in->pid;
	if (has_body)
		memcpy(&body, in + 1, sizeof(body));
	if (class.weight != REQUEST_INTERRUPT || has_body)
		r->weight = class.weight;
	if (r->weight == REQUEST_INTERRUPT)
		r->number = body;
	if (has_body && class.is_heavy && class.is_heavy(body))
		r->weight = REQUEST_HEAVY;
	if (has_body && in->opcode == FUSE_RELEASE)
		r->closes_locks = fs_handle_has_locks(body);
}

static bool is_heavy_transfer(const struct request *r)
{
	return r->opcode != FUSE_FLUSH && r->weight == REQUEST_HEAVY;
}

void request_refused(struct fs *fs, const struct request *r)
{
	const struct fuse_in_header *in = r->buf.mem;
	struct fuse_flush_in flush;

	if (r->opcode != FUSE_FLUSH ||
	    r->buf.size < sizeof(*in) + sizeof(flush))
		return;
	memcpy(&flush, in + 1, sizeof(flush));
	fs_drop_locks(fs, flush.fh, flush.lock_owner);
}

void request_serve(struct fuse_session *session, struct fs *fs,
		   const struct request *r)
{
	fuse_session_process_buf(session, &r->buf);
	fs_served(fs, r->kind, r->uid, r->pid, r->begun_ns);
}

/* ------------------------------------------------------------ its caller */
static FILE *open_proc(const struct request *r, const char *name)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)r->pid, name);
	return fopen(path, "re");
}

/* True if a SIGKILL is pending for the thread. The kernel makes one of any signal
 * that ends a process, and of the end itself. */
static bool caller_is_killed(const struct request *r)
{
	FILE *file = open_proc(r, "status");
	uint64_t signals = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "SigPnd: %" SCNx64, &signals) == 1)
			break;
	if (file)
		fclose(file);
	return signals & UINT64_C(1) << (SIGKILL - 1);
}

/* True if the caller has given up its memory, as it does before it closes its files
 * at its end. */
static bool caller_has_no_memory(const struct request *r)
{
	FILE *file = open_proc(r, "status");
	bool has_none = file;
	char line[256];

	while (has_none && fgets(line, sizeof(line), file))
		has_none = strncmp(line, "VmSize:", 7);
	if (file)
		fclose(file);
	return has_none;
}

/*
 * True if the caller has taken the signal and is closing its files: its exit
 * status, the last number of the file, has the signal. To read it waits for a caller
 * in execve(2), which closes files too and waits for us; that one has memory.
 */
static bool caller_was_killed(const struct request *r)
{
	FILE *file = caller_has_no_memory(r) ? open_proc(r, "stat") : NULL;
	char line[2048], *last;
	bool killed = false;

	if (file && fgets(line, sizeof(line), file) &&
	    (last = strrchr(line, ' ')))
		killed = strtol(last, NULL, 10) & 0x7f;
	if (file)
		fclose(file);
	return killed;
}

int request_charge(struct fs *fs, struct request *r)
{
	r->charge = NULL;
	if (r->weight < REQUEST_LIGHT)
		return 0;
	if (r->opcode == FUSE_FLUSH && caller_was_killed(r))
		return -EINTR;
	return fs_waits(fs, r->uid, sizeof(*r) + r->buf.size, &r->charge);
}

/* ---------------------------------------------------------------- queues */
void request_queue_init(struct request_queue *q)
{
	q->first = NULL;
	q->last = &q->first;
}

void request_queue_add(struct request_queue *q, struct request *r)
{
	r->next = NULL;
	*q->last = r;
	q->last = &r->next;
}

static struct request *take_at(struct request_queue *q, struct request **at,
			       struct fs *fs)
{
	struct request *r = *at;

	*at = r->next;
	if (!r->next)
		q->last = at;
	fs_waits_no_more(fs, r->charge);
	r->charge = NULL;
	return r;
}

struct request *request_queue_take(struct request_queue *q, struct fs *fs)
{
	return q->first ? take_at(q, &q->first, fs) : NULL;
}

struct request *request_queue_end(struct request_queue *q, struct fs *fs,
				  const struct request *interrupt)
{
	struct request **at = &q->first, *r;

	while ((r = *at) && r->number != interrupt->number)
		at = &r->next;
	if (!r || !(is_heavy_transfer(r) || caller_is_killed(r)))
		return NULL;
	request_refused(fs, r);
	return take_at(q, at, fs);
}
