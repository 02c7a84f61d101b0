/* The count of requests. */
#include "fs/fs.h"
#include "fs/op/op.h"
#include "store/base/clock.h"

void fs_served(struct fs *fs, enum request_kind kind, uid_t uid, pid_t pid,
	       uint64_t begun_ns)
{
	requests_add(&fs->requests, kind, uid, pid, begun_ns,
		     clock_monotonic_ns());
}
