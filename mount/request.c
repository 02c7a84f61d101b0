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

struct request *request_new(struct fuse_buf *buf)
{
	struct request *r = mem_zalloc(1, sizeof(*r));
	void *smaller;

	if (!r)
		return NULL;
	smaller = mem_resize(buf->mem, buf->size, 1);
	if (smaller)
		buf->mem = smaller;
	r->buf = *buf;
	buf->mem = NULL;
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
/* NULL: it is shorter than a header. */
static const struct fuse_in_header *header_of(const struct fuse_buf *buf)
{
	return buf->size < sizeof(struct fuse_in_header) ? NULL : buf->mem;
}

/* Read the first number of its body. False: it is of another kind, or too
 * short. */
static bool read_body(const struct fuse_buf *buf, uint32_t opcode, uint64_t *out)
{
	const struct fuse_in_header *in = header_of(buf);

	if (!in || in->opcode != opcode || buf->size < sizeof(*in) + sizeof(*out))
		return false;
	memcpy(out, in + 1, sizeof(*out));
	return true;
}

static enum request_weight weight_of_transfer(const struct fuse_buf *buf,
					      uint32_t opcode)
{
	uint64_t handle;

	return read_body(buf, opcode, &handle) && fs_handle_is_heavy(handle) ?
		       REQUEST_HEAVY : REQUEST_LIGHT;
}

enum request_weight request_weight(const struct fuse_buf *buf)
{
	const struct fuse_in_header *in = header_of(buf);
	uint64_t number;

	if (!in)
		return REQUEST_OF_NOBODY;
	switch (in->opcode) {
	case FUSE_INIT:
	case FUSE_DESTROY:
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
		return REQUEST_OF_NOBODY;
	case FUSE_INTERRUPT:
		return read_body(buf, FUSE_INTERRUPT, &number) ?
			       REQUEST_INTERRUPT : REQUEST_OF_NOBODY;
	case FUSE_READDIR:
	case FUSE_READDIRPLUS:
		return read_body(buf, in->opcode, &number) &&
				       fs_directory_is_heavy(number) ?
			       REQUEST_HEAVY : REQUEST_LIGHT;
	case FUSE_READ:
	case FUSE_WRITE:
	case FUSE_FLUSH:
		return weight_of_transfer(buf, in->opcode);
	default:
		return REQUEST_LIGHT;
	}
}

bool request_closes_locks(const struct fuse_buf *buf)
{
	uint64_t handle;

	return read_body(buf, FUSE_RELEASE, &handle) &&
	       fs_handle_has_locks(handle);
}

static bool is_heavy_transfer(const struct fuse_buf *buf)
{
	const struct fuse_in_header *in = header_of(buf);

	return in && in->opcode != FUSE_FLUSH &&
	       request_weight(buf) == REQUEST_HEAVY;
}

uint64_t request_number(const struct fuse_buf *buf)
{
	const struct fuse_in_header *in = buf->mem;
	uint64_t number;

	return read_body(buf, FUSE_INTERRUPT, &number) ? number : in->unique;
}

static enum request_kind kind_of(uint32_t opcode)
{
	static const struct {
		uint32_t opcode;
		enum request_kind kind;
	} kinds[] = {
		{ FUSE_LOOKUP, REQUEST_LOOKUP }, { FUSE_GETATTR, REQUEST_GETATTR },
		{ FUSE_READ, REQUEST_READ }, { FUSE_WRITE, REQUEST_WRITE },
		{ FUSE_OPEN, REQUEST_OPEN }, { FUSE_FLUSH, REQUEST_FLUSH },
		{ FUSE_RELEASE, REQUEST_RELEASE },
		{ FUSE_READDIRPLUS, REQUEST_READDIR },
		{ FUSE_READDIR, REQUEST_READDIR },
		{ FUSE_OPENDIR, REQUEST_OPEN },
		{ FUSE_RELEASEDIR, REQUEST_RELEASE },
		{ FUSE_SETATTR, REQUEST_SETATTR },
		{ FUSE_CREATE, REQUEST_CREATE }, { FUSE_MKNOD, REQUEST_CREATE },
		{ FUSE_MKDIR, REQUEST_MKDIR }, { FUSE_UNLINK, REQUEST_REMOVE },
		{ FUSE_RMDIR, REQUEST_REMOVE },
		{ FUSE_RENAME, REQUEST_RENAME },
		{ FUSE_RENAME2, REQUEST_RENAME },
		{ FUSE_FSYNC, REQUEST_FSYNC }, { FUSE_FSYNCDIR, REQUEST_FSYNC },
		{ FUSE_GETXATTR, REQUEST_XATTR },
		{ FUSE_SETXATTR, REQUEST_XATTR },
		{ FUSE_LISTXATTR, REQUEST_XATTR },
		{ FUSE_REMOVEXATTR, REQUEST_XATTR },
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].opcode == opcode)
			return kinds[i].kind;
	return REQUEST_OTHER;
}

void request_refused(struct fs *fs, const struct fuse_buf *buf)
{
	const struct fuse_in_header *in = header_of(buf);
	struct fuse_flush_in flush;

	if (!in || in->opcode != FUSE_FLUSH ||
	    buf->size < sizeof(*in) + sizeof(flush))
		return;
	memcpy(&flush, in + 1, sizeof(flush));
	fs_drop_locks(fs, flush.fh, flush.lock_owner);
}

void request_serve(struct fuse_session *session, struct fs *fs,
		   const struct fuse_buf *buf)
{
	const struct fuse_in_header *in = header_of(buf);
	uint64_t begun = clock_monotonic_ns();
	/* The buffer may be used again before the call returns. */
	uid_t uid = in ? in->uid : 0;
	pid_t pid = in ? (pid_t)in->pid : 0;
	enum request_kind kind = kind_of(in ? in->opcode : 0);

	fuse_session_process_buf(session, buf);
	fs_served(fs, kind, uid, pid, begun);
}

/* ------------------------------------------------------------ its caller */
static FILE *open_proc(const struct fuse_in_header *in, const char *name)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", in->pid, name);
	return fopen(path, "re");
}

/* True if a SIGKILL is pending for the thread. The kernel makes one of any signal
 * that ends a process, and of the end itself. */
static bool caller_is_killed(const struct fuse_in_header *in)
{
	FILE *file = open_proc(in, "status");
	uint64_t signals = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "SigPnd: %" SCNx64, &signals) == 1)
			break;
	if (file)
		fclose(file);
	return signals & UINT64_C(1) << (SIGKILL - 1);
}

/* True if the caller has taken the signal and is closing its files: its exit
 * status, the last number of the file, has the signal. */
static bool caller_was_killed(const struct fuse_in_header *in)
{
	FILE *file = open_proc(in, "stat");
	char line[2048], *last;
	bool killed = false;

	if (file && fgets(line, sizeof(line), file) &&
	    (last = strrchr(line, ' ')))
		killed = strtol(last, NULL, 10) & 0x7f;
	if (file)
		fclose(file);
	return killed;
}

int request_charge(struct fs *fs, struct charge **charge,
		   const struct fuse_buf *buf)
{
	const struct fuse_in_header *in = header_of(buf);

	*charge = NULL;
	if (request_weight(buf) < REQUEST_LIGHT)
		return 0;
	if (in->opcode == FUSE_FLUSH && caller_was_killed(in))
		return -EINTR;
	return fs_waits(fs, in->uid, sizeof(struct request) + buf->size,
			charge);
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
				  const struct fuse_buf *interrupt)
{
	uint64_t number = request_number(interrupt);
	struct request **at = &q->first, *r;

	while ((r = *at) && request_number(&r->buf) != number)
		at = &r->next;
	if (!r || !(is_heavy_transfer(&r->buf) ||
		    caller_is_killed(header_of(&r->buf))))
		return NULL;
	request_refused(fs, &r->buf);
	return take_at(q, at, fs);
}
