/* Calls on the locks of open files. */
#include <errno.h>

#include "fs/file/handle.h"
#include "fs/fs.h"
#include "fs/node/account.h"
#include "fs/node/call.h"
#include "fs/node/locks.h"
#include "fs/op/op.h"

_Static_assert(FS_LOCK_WAITS == LOCKS_WAITS, "one answer");

int fs_get_lock(struct fs *fs, uint64_t handle, struct fs_lock *lock)
{
	locks_test(&fs->locks, handle_of(handle)->locks, lock);
	return 0;
}

int fs_set_lock(struct fs *fs, struct fs_call *call, uint64_t handle,
		const struct fs_lock *lock, void *waiter)
{
	struct handle *h = handle_of(handle);
	struct op *op;
	int err;

	if (lock->type != FS_LOCK_NONE)
		atomic_store(&h->locked, true);
	err = locks_set(&fs->locks, h->locks, lock, h, call->uid, waiter,
			call->interrupted);
	op = err == -ENOLCK ? op_begin(fs, call) : NULL;
	if (op)
		op_end(op, op_refuse_resource(op, RESOURCE_LOCKS, err), h->node,
		       NULL);
	return err;
}

void fs_interrupt_lock(struct fs *fs, void *waiter)
{
	locks_interrupt(&fs->locks, waiter);
}

void fs_drop_locks(struct fs *fs, uint64_t handle, uint64_t owner)
{
	locks_drop(&fs->locks, handle_of(handle)->locks, owner);
}

bool fs_handle_has_locks(uint64_t handle)
{
	return atomic_load(&handle_of(handle)->locked);
}

void fs_locks_stop(struct fs *fs)
{
	locks_stop(&fs->locks);
}
