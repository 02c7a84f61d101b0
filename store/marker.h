/*
 * The files that make a directory a store: the marker file WIDEFS, the lock
 * file LOCK, and the engine's directory beside them. The formats are in
 * marker.c.
 */
#ifndef STORE_MARKER_H
#define STORE_MARKER_H
#include <sys/types.h>

#include "store/base/file.h"

struct marker_file {
	int dir;		/* the store's directory; -1 */
	int engine;		/* the engine's; -1 */
	int lock;		/* the lock file; -1 */
	bool owned;		/* marker_take_over was called */
	bool ready;		/* the engine's files were made, and must be there */
	uint32_t version;
	pid_t holder;		/* after -EBUSY: its process; 0 unknown */
	uint8_t id[16];
};
#define MARKER_FILE_INIT \
	((struct marker_file){ .dir = -1, .engine = -1, .lock = -1 })

/*
 * Open the directory, lock it, read the marker; with create make a store where
 * there is none. An existing store is not changed. Errors as store_open.
 * marker_close closes whatever was opened, also after an error.
 */
int marker_open(struct marker_file *m, const struct file_ops *files,
		const char *path, bool read_only, bool create,
		bool *created);
/*
 * Open a store that may be damaged, for a repair: only to read it, while no
 * other process has it open. 0, or 1: the marker is damaged (reported);
 * m->engine is -1 where the engine's directory cannot be opened. Errors as
 * above.
 */
int marker_open_damaged(struct marker_file *m, const struct file_ops *files,
			const char *path);
/* Check that nothing or an empty directory is at the path, or a link to one.
 * 0, -ENOTEMPTY, -errno. */
int marker_check_new(const struct file_ops *files, const char *path);
/* Return the version of the store's format that this program writes; it reads those
 * before, too. */
uint32_t marker_format_version(void);
/* Take over a store that was found sound and will be written: store our pid,
 * and make it one of this version. */
int marker_take_over(struct marker_file *m, const struct file_ops *files);
/* Note that the engine has made its files: from now on they must be there. */
int marker_ready(struct marker_file *m, const struct file_ops *files);
void marker_close(struct marker_file *m, const struct file_ops *files);
#endif
