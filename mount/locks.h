/*
 * Requests for locks of files. A caller that waits for one holds no thread: its
 * request is answered when it has the lock, or when its call is interrupted.
 */
#ifndef MOUNT_LOCKS_H
#define MOUNT_LOCKS_H
#include <fuse_lowlevel.h>

/* As getlk, setlk and flock of struct fuse_lowlevel_ops; each request is
 * replied to once, by any thread. */
void locks_op_get(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *fi,
		  struct flock *lock);
void locks_op_set(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *fi,
		  struct flock *lock, int sleep);
/* flock(2): how is LOCK_SH, LOCK_EX or LOCK_UN, and LOCK_NB. */
void locks_op_flock(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *fi,
		    int how);
/* Answer the request, which waited (lock_done of struct fs_options). */
void locks_answer(void *req, int err);
#endif
