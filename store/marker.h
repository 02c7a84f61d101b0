/*
 * What makes a directory a store: the marker file WIDEFS, the lock file LOCK,
 * and the engine's directory beside them. The formats are in marker.c.
 */
#ifndef STORE_MARKER_H
#define STORE_MARKER_H
#include <sys/types.h>

#include "store/base/file.h"

struct marker_file {
	int dir;		/* the store's directory; -1 */
	int engine;		/* the engine's; -1 */
	int lock;		/* held as long as it is open; -1 */
	uint8_t id[16];
};
#define MARKER_FILE_INIT ((struct marker_file){ -1, -1, -1, { 0 } })

/*
 * Open the directory, lock it, read the marker; with create make what is not
 * there. Errors as store_open. Whatever was opened is closed by
 * marker_close, also after an error.
 */
int marker_open(struct marker_file *m, const struct file_ops *files,
		const char *path, bool read_only, bool create,
		pid_t *owner_pid, bool *created);
/* The engine has made its files: from now on they must be there. */
int marker_ready(struct marker_file *m, const struct file_ops *files);
void marker_close(struct marker_file *m, const struct file_ops *files,
		  bool read_only);
#endif
