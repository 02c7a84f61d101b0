#include "mount/open.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mount/message.h"
#include "store/base/log.h"
#include "store/base/process.h"
#include "store/store.h"

/* A process that is killed while it writes much, or writes a core. */
#define DYING_MAX_S 30

static int open_unless_dying(struct store **out, const char *path,
			     const struct store_options *options, pid_t *owner,
			     bool *created)
{
	const struct timespec pause = { 0, 20 * 1000 * 1000 };
	int tries, err = -EBUSY;

	for (tries = 0; tries < DYING_MAX_S * 50; tries++) {
		err = store_open(out, path, options, owner, created);
		if (err != -EBUSY || !process_is_dying(*owner))
			break;
		nanosleep(&pause, NULL);
	}
	return err;
}

/* Refuse a place inside another store, which would not know the new one. */
static int check_place(const char *path)
{
	char above[PATH_MAX], marker[PATH_MAX + 8], *slash;

	snprintf(marker, sizeof(marker), "%s/WIDEFS", path);
	if (!access(marker, F_OK))
		return 0;	/* it need not be made */
	snprintf(above, sizeof(above), "%s", path);
	while ((slash = strrchr(above, '/'))) {
		*slash = 0;
		snprintf(marker, sizeof(marker), "%s/WIDEFS", above);
		if (access(marker, F_OK))
			continue;
		message_complain(path,
				 "it would be inside of the store %s (name "
				 "another place)", above);
		return -EINVAL;
	}
	return 0;
}

/* Say why the store was not opened. owner: the process that has it, or 0. */
static void say_why(const struct mount_options *o, int err, pid_t owner)
{
	switch (err) {
	case -EBUSY:
		if (owner)
			message_complain(o->store,
					 "store is open in process %d "
					 "(unmount it)", (int)owner);
		else
			message_complain(o->store,
					 "store is open in another process "
					 "(end that one)");
		break;
	case -EUCLEAN:
		message_complain(o->store,
				 "the store is damaged: %s (run: widefsctl "
				 "check %s)", log_corrupt_last(), o->store);
		break;
	case -EPROTONOSUPPORT:
		message_complain(o->store,
				 "the store's format is newer than this "
				 "widefs (use a newer one)");
		break;
	case -ENOTEMPTY:
		message_complain(o->store,
				 "not a widefs store, and not empty (name a "
				 "store, or a directory that does not exist)");
		break;
	case -ENOENT:
		message_complain(o->store, o->read_only ?
				 "no such store (without ro " "it is made)" :
				 "the directory above it is not there "
				 "(make it first)");
		break;
	case -ENOTDIR:
		message_complain(o->store, "%s (a store is a directory)",
				 strerror(-err));
		break;
	case -EROFS:
		message_complain(o->store, "%s (-o ro can read it)",
				 strerror(-err));
		break;
	case -EPERM:
		message_complain(o->store, "others can write there, or own it: "
				 "it is not opened (chmod go-w, or run as its "
				 "owner)");
		break;
	default:
		message_complain(o->store, "%s", message_error_text(err));
	}
}

int open_store(struct store **out, const struct mount_options *o)
{
	struct store_options so;
	pid_t owner = 0;
	bool created = false;
	int err;

	store_options_init(&so);
	so.read_only = o->read_only;
	so.create = !o->read_only;
	so.cache_bytes = o->cache_bytes;
	so.memtable_bytes = o->memtable_bytes;
	so.commit_s = o->commit_s;
	so.uid = getuid();
	so.gid = getgid();
	err = check_place(o->store);
	if (err)
		return err;
	err = open_unless_dying(out, o->store, &so, &owner, &created);
	if (created)
		message_inform(o->store, "store created");
	if (err)
		say_why(o, err, owner);
	return err;
}
