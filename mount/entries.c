#include "mount/entries.h"

#include <errno.h>
#include <linux/fuse.h>
#include <string.h>

#include "fs/fs.h"
#include "mount/invalidate.h"
#include "mount/ops.h"
#include "store/base/alloc.h"
#include "store/base/bytes.h"

/* A batch of entries, built as they come. ptr: size bytes. */
struct directory_reply {
	char *ptr;
	size_t len, size;
	bool plus;
	/* Nodes whose count was raised, in case the reply is not accepted. */
	struct buf counted;
};

static void put_seconds(uint64_t *seconds, uint32_t *nanoseconds, double t)
{
	*seconds = (uint64_t)t;
	*nanoseconds = (uint32_t)((t - (double)*seconds) * 1e9);
}

static void put_attr(struct fuse_attr *to, const struct stat *from)
{
	*to = (struct fuse_attr){
		.ino = from->st_ino,
		.size = (uint64_t)from->st_size,
		.blocks = (uint64_t)from->st_blocks,
		.atime = (uint64_t)from->st_atim.tv_sec,
		.mtime = (uint64_t)from->st_mtim.tv_sec,
		.ctime = (uint64_t)from->st_ctim.tv_sec,
		.atimensec = (uint32_t)from->st_atim.tv_nsec,
		.mtimensec = (uint32_t)from->st_mtim.tv_nsec,
		.ctimensec = (uint32_t)from->st_ctim.tv_nsec,
		.mode = from->st_mode,
		.nlink = (uint32_t)from->st_nlink,
		.uid = from->st_uid,
		.gid = from->st_gid,
		.rdev = (uint32_t)from->st_rdev,
		.blksize = (uint32_t)from->st_blksize,
	};
}

/* Of an entry without a node the kernel takes neither attributes nor times. */
static void put_entry(struct fuse_entry_out *to, const struct fs_entry *entry)
{
	memset(to, 0, sizeof(*to));
	if (!entry->node)
		return;
	to->nodeid = entry->node;
	to->generation = entry->generation;
	put_seconds(&to->entry_valid, &to->entry_valid_nsec,
		    entry->entry_timeout_s);
	put_seconds(&to->attr_valid, &to->attr_valid_nsec,
		    entry->attr_timeout_s);
	put_attr(&to->attr, &entry->attr);
}

/* Add an entry to context, a struct directory_reply, for fs_readdir: 0, or 1 if
 * there is no room or memory for it. */
static int fill(void *context, const char *name, size_t len,
		const struct fs_entry *entry, uint64_t cookie)
{
	struct directory_reply *l = context;
	size_t head = l->plus ? FUSE_NAME_OFFSET_DIRENTPLUS : FUSE_NAME_OFFSET;
	size_t size = FUSE_DIRENT_ALIGN(head + len);
	struct fuse_dirent *dirent = (void *)(l->ptr + l->len);

	if (size > l->size - l->len)
		return 1;
	if (l->plus) {
		struct fuse_direntplus *plus = (void *)dirent;

		if (entry->node) {
			buf_add(&l->counted, &entry->node, sizeof(entry->node));
			if (l->counted.failed)
				return 1;
		}
		put_entry(&plus->entry_out, entry);
		dirent = &plus->dirent;
	}
	dirent->ino = entry->attr.st_ino;
	dirent->off = cookie;
	dirent->namelen = (uint32_t)len;
	dirent->type = (entry->attr.st_mode & S_IFMT) >> 12;
	put_le64(l->ptr + l->len + size - 8, 0);	/* padding */
	memcpy(dirent->name, name, len);
	l->len += size;
	return 0;
}

void entries_reply(fuse_req_t req, struct mount *m, struct fs_call *call,
		   uint64_t node, uint64_t handle, uint64_t offset, size_t size,
		   bool plus)
{
	struct directory_reply l = { .size = size, .plus = plus,
				     .counted = BUF_INIT };
	struct answer none = { .kind = ANSWER_DATA, .req = req };
	size_t i;
	int err;

	l.ptr = mem_alloc(size);
	err = l.ptr ? fs_readdir(m->fs, call, node, handle, offset, plus, fill,
				 &l) : -ENOMEM;
	if (!err && !l.len && l.counted.failed)
		err = -ENOMEM;
	/* Send entries read before an error; the error comes next. */
	none.result = err;
	if (!l.len)
		invalidate_answer(m, call, &none);
	else if (fuse_reply_buf(req, l.ptr, l.len) < 0)
		for (i = 0; i < l.counted.len; i += sizeof(uint64_t))
			fs_forget(m->fs, get_le64(l.counted.ptr + i), 1);
	mem_free(l.ptr);
	buf_release(&l.counted);
}
