/* Calls of the mount's notifiers: notices, and expired data. */
#include "fs/file/view_look.h"
#include "fs/fs.h"
#include "fs/kind/console.h"
#include "fs/kind/rows.h"
#include "fs/node/idle.h"
#include "fs/node/kernel_notice.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/node/notice.h"
#include "fs/node/timer.h"
#include "fs/op/kernel.h"
#include "fs/op/op.h"
#include "fs/tree/listing.h"
#include "store/snapshot.h"

void fs_notices_add(struct fs *fs, const struct fs_notice *notice)
{
	notices_add(&fs->notices, notice);
}

size_t fs_notices_take(struct fs *fs, enum fs_notice_lock lock,
		       struct fs_notice *out, size_t max, int timeout_ms)
{
	return notices_take(&fs->notices, lock, out, max, timeout_ms);
}

void fs_notices_sent(struct fs *fs, enum fs_notice_lock lock)
{
	notices_sent(&fs->notices, lock);
}

void fs_notices_pending(struct fs *fs, uint64_t first[FS_NOTICE_LOCKS])
{
	notices_pending(&fs->notices, first);
}

size_t fs_idle_nodes(struct fs *fs, bool files, uint64_t *nodes, size_t max)
{
	size_t count = idle_choose(&fs->nodes, files, nodes, max);

	atomic_fetch_add(&fs->nodes_asked, count);
	return count;
}

/* Names that wait for their directories wait for all: no more are added, which
 * might be the same. */
#define NAMES_MOST (4 * FS_IDLE_NODES)

void fs_drop_idle_names(struct fs *fs, const uint64_t *nodes, size_t count)
{
	size_t i;

	if (notices_waiting(&fs->notices, FS_NOTICES_NAMES) > NAMES_MOST)
		return;
	for (i = 0; i < count; i++) {
		struct node *n = node_by_id(&fs->nodes, nodes[i]);

		if (n && !n->ops->directory)
			notice_name(&fs->notices, n->parent->id, node_name(n),
				    false);
		node_put(&fs->nodes, n);
	}
}

void fs_notices_stop(struct fs *fs)
{
	notices_stop(&fs->notices);
}

int64_t fs_timer(struct fs *fs, int64_t now_s)
{
	struct node *n;
	int64_t next_s;

	view_expire(fs, now_s, false);
	listings_rest(fs);
	consoles_rest(fs, now_s);
	rows_rest(fs, now_s);
	snapshot_rest(fs->store);
	if (idle_are_many(&fs->nodes))
		notice_prune(&fs->notices);
	while ((n = timer_due(&fs->timers, &fs->nodes, now_s, &next_s))) {
		kernel_notify_alone(fs, n, ARMED_NAME | ARMED_ATTRIBUTES |
						   ARMED_PAGES);
		node_put(&fs->nodes, n);
	}
	return next_s;
}
