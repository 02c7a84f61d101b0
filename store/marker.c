/*
 * A store is a directory, only its owner's (0700), with
 *
 *   WIDEFS   the marker, replaced as a whole:
 *              0  8  "WIDEFS\n" and a 0 byte
 *              8  4  format version, 1 to 7             (little-endian, as all)
 *             12  4  1 once the engine's files were made, else 0
 *             16 16  a random id
 *             32  8  XXH3 of bytes 0..31
 *   LOCK     the pid of the process that writes, as text; empty when there is
 *            none. It only names the process, where the kernel cannot.
 *   engine/  the engine's files
 *
 * The kernel's locks decide which process has the store: one on the store's
 * directory and one on the engine's, which are the store wherever they are
 * mounted or moved to (a file in them could be removed or replaced while it is
 * locked). LOCK is locked too: programs before version 4 check nothing else,
 * and not all filesystems lock directories.
 *
 * The format version covers the whole store, whatever versions its files have
 * of their own: a program that is older than it refuses the store.
 *
 *   1  the first
 *   2  tables that were flat (schema/catalog.c, row/key.h)
 *   3  masks of columns (schema/catalog.c)
 *   4  the manifest knows the log's segments (lsm/manifest.c,
 *      lsm/commitlog_format.h)
 *   5  the manifest knows snapshots (lsm/manifest_step.h)
 *   6  sstables name their table (sstable/format.h)
 *   7  the manifest knows the owners of snapshots (lsm/manifest_step.h)
 *
 * A store of an earlier version is opened, and if it may be written it is made
 * one of this version first, before anything of this version is in it.
 *
 * Made in the order LOCK, WIDEFS (0), engine/, WIDEFS (1). A crash in between
 * leaves a directory with nothing but these, which the next open that may
 * create continues with; this also tells apart a directory that belongs to
 * something else: it has other names and no marker. Once the marker says 1 an
 * engine directory that is gone or empty is damage, not a new store.
 *
 * Each step is synced before the next. A process that was killed may have been
 * interrupted before that: so an open for writing syncs all names in the store,
 * its own name too, before anything is written to the engine.
 */
#include "store/marker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "store/base/log.h"
#include "store/base/process.h"

#define MARKER_NAME "WIDEFS"
#define LOCK_NAME "LOCK"
#define ENGINE_NAME "engine"
#define MAGIC "WIDEFS\n"
#define VERSION 7
#define MARKER_LENGTH 40

static int open_directory(const struct file_ops *files, const char *path,
			  bool create)
{
	struct buf inside = BUF_INIT;
	int fd, err;

	/* The path may be a link to the store; the names below may not be
	 * links. */
	buf_add_format(&inside, "%s/.", path);
	if (inside.failed)
		return -ENOMEM;
	fd = file_open(files, AT_FDCWD, buf_cstr(&inside),
		       O_RDONLY | O_DIRECTORY);
	if (fd == -ENOENT && create) {
		err = files->mkdir(files->context, AT_FDCWD, path, 0700);
		if (!err)
			fd = file_open(files, AT_FDCWD, buf_cstr(&inside),
				       O_RDONLY | O_DIRECTORY);
		else
			fd = err;
	}
	buf_release(&inside);
	return fd;
}

/* True for errors of a directory, or filesystem, that is never synced. */
static bool cannot_sync(int err)
{
	return err == -EINVAL || err == -EOPNOTSUPP || err == -EROFS;
}

/*
 * Sync the store's name, which must last as long as its contents. A parent
 * directory that cannot be read, or that its filesystem does not sync, is left
 * to its owner.
 */
static int sync_parent(const struct file_ops *files, const char *path)
{
	struct buf parent = BUF_INIT;
	int fd, err;

	buf_add_format(&parent, "%s/..", path);
	if (parent.failed)
		return -ENOMEM;
	fd = file_open(files, AT_FDCWD, buf_cstr(&parent),
		       O_RDONLY | O_DIRECTORY);
	err = fd < 0 ? fd : files->sync(files->context, fd);
	file_close(files, fd);
	if (fd == -EACCES || (fd >= 0 && cannot_sync(err)))
		err = 0;
	if (err)
		log_message(LOG_ERROR_LEVEL, "%s: the directory that it is in "
			    "cannot be synced: %s", path, strerror(-err));
	buf_release(&parent);
	return err;
}

struct marker_contents {
	bool marker, engine, foreign;
};

static int see_name(void *data, const char *name)
{
	static const char *const own[] = {
		LOCK_NAME, MARKER_NAME ".new", ENGINE_NAME,
		"lost+found",		/* a filesystem of its own */
	};
	struct marker_contents *c = data;
	size_t i;

	if (!strcmp(name, MARKER_NAME)) {
		c->marker = true;
		return 0;
	}
	c->engine |= !strcmp(name, ENGINE_NAME);
	for (i = 0; i < ARRAY_SIZE(own); i++)
		if (!strcmp(name, own[i]))
			return 0;
	c->foreign = true;
	return 0;
}

static int check_directory(const struct file_ops *files, int dir)
{
	struct stat st;
	int err = files->stat(files->context, dir, &st);

	if (err)
		return err;
	return st.st_mode & (S_IWGRP | S_IWOTH) ? -EPERM : 0;
}

/* Return the process that has locked the open file or directory, if the kernel
 * says; or 0. */
static pid_t find_holder(const struct file_ops *files, int fd)
{
	struct stat st;

	if (files != &file_system || files->stat(files->context, fd, &st))
		return 0;
	return process_find_lock(&st);
}

/* Return the pid in the lock file, of a process that is alive; else 0. */
static pid_t read_owner(struct marker_file *m, const struct file_ops *files)
{
	char text[24] = "";
	int fd = file_open(files, m->dir, LOCK_NAME, O_RDONLY);
	int64_t n = fd < 0 ? fd : files->pread(files->context, fd, text,
					       sizeof(text) - 1, 0);
	long pid = n > 0 ? strtol(text, NULL, 10) : 0;

	file_close(files, fd);
	return pid <= 0 || pid > INT32_MAX ||
		       (kill((pid_t)pid, 0) && errno == ESRCH) ?
		       0 : (pid_t)pid;
}

/* Lock what is open, or set the process that holds it. */
static int take_lock(struct marker_file *m, const struct file_ops *files,
		     int fd, bool read_only)
{
	int err = files->lock ? files->lock(files->context, fd, !read_only)
			      : 0;

	if (err != -EAGAIN)
		return err;
	m->holder = find_holder(files, fd);
	if (!m->holder)
		m->holder = read_owner(m, files);
	return -EBUSY;
}

/* Lock a directory, where the filesystem has such locks. */
static int lock_directory(struct marker_file *m, const struct file_ops *files,
			  int fd, bool read_only)
{
	int err = take_lock(m, files, fd, read_only);

	return err == -EBADF || err == -EOPNOTSUPP || err == -ENOLCK ||
	       err == -EINVAL || err == -ENOSYS ? 0 : err;
}

/* Lock the lock file. With O_CREAT it is made if missing; without, a missing
 * one is accepted. */
static int lock_file(struct marker_file *m, const struct file_ops *files,
		     bool read_only, int flags)
{
	int err;

	if (m->lock >= 0)
		return 0;
	m->lock = file_open(files, m->dir, LOCK_NAME,
			    flags | (read_only ? O_RDONLY : O_RDWR));
	if (m->lock < 0)
		return m->lock == -ENOENT && !(flags & O_CREAT) ? 0 : m->lock;
	err = take_lock(m, files, m->lock, read_only);
	if (err) {
		file_close(files, m->lock);
		m->lock = -1;
	}
	return err;
}

static int write_owner(const struct file_ops *files, int fd)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	int err = files->truncate(files->context, fd, 0);

	return err ? err : file_write(files, fd, text, (size_t)len, 0);
}

static int write_marker_file(struct marker_file *m,
			     const struct file_ops *files, bool ready)
{
	uint8_t bytes[MARKER_LENGTH] = MAGIC;

	put_le32(bytes + 8, VERSION);
	put_le32(bytes + 12, ready);
	memcpy(bytes + 16, m->id, 16);
	put_le64(bytes + 32, XXH3_64bits(bytes, 32));
	return file_replace(files, m->dir, MARKER_NAME,
			    bytes_of(bytes, sizeof(bytes)));
}

/* Read the marker. A later format may be longer, with other contents. */
static int read_marker_file(struct marker_file *m, const struct file_ops *files)
{
	struct buf b = BUF_INIT;
	int err = file_read_all(files, m->dir, MARKER_NAME, &b, 4096);

	if (err == -EFBIG)
		err = log_corrupt(MARKER_NAME, 0, "it is too long");
	if (err)
		goto out;
	if (b.len < MARKER_LENGTH || memcmp(b.ptr, MAGIC, 8)) {
		err = log_corrupt(MARKER_NAME, 0,
				  "this is no marker of a store");
		goto out;
	}
	if (get_le64(b.ptr + 32) != XXH3_64bits(b.ptr, 32)) {
		err = log_corrupt(MARKER_NAME, 8, "it fails its checksum");
		goto out;
	}
	m->version = get_le32(b.ptr + 8);
	if (m->version > VERSION) {
		err = -EPROTONOSUPPORT;
		goto out;
	}
	if (b.len != MARKER_LENGTH || !m->version || get_le32(b.ptr + 12) > 1) {
		err = log_corrupt(MARKER_NAME, 8, "its contents are damaged");
		goto out;
	}
	m->ready = get_le32(b.ptr + 12);
	memcpy(m->id, b.ptr + 16, sizeof(m->id));
out:
	buf_release(&b);
	return err;
}

static int see_any(void *data, const char *name)
{
	(void)name;
	*(bool *)data = true;
	return 0;
}

static int open_engine(struct marker_file *m, const struct file_ops *files,
		       bool read_only)
{
	bool any = false;
	int err;

	m->engine = file_open(files, m->dir, ENGINE_NAME,
			      O_RDONLY | O_DIRECTORY);
	if (m->engine == -ENOENT && !m->ready && !read_only) {
		err = files->mkdir(files->context, m->dir, ENGINE_NAME, 0700);
		if (err)
			return err;
		m->engine = file_open(files, m->dir, ENGINE_NAME,
				      O_RDONLY | O_DIRECTORY);
	}
	if (m->engine == -ENOENT && m->ready)
		return log_corrupt(ENGINE_NAME, 0, "the directory is gone");
	if (m->engine < 0)
		return m->engine;
	err = lock_directory(m, files, m->engine, read_only);
	if (!err && !read_only)
		err = files->sync(files->context, m->dir);
	if (!err)
		err = files->list(files->context, m->engine, see_any, &any);
	if (!err && m->ready && !any)
		err = log_corrupt(ENGINE_NAME, 0, "the directory is empty");
	return err;
}

static int create_marker(struct marker_file *m, const struct file_ops *files)
{
	size_t done = 0;

	while (done < sizeof(m->id)) {
		ssize_t n = getrandom(m->id + done, sizeof(m->id) - done, 0);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			done += (size_t)n;
	}
	m->version = VERSION;
	return write_marker_file(m, files, false);
}

/* Find out whether there is a store, or room for one. */
static int look(struct marker_file *m, const struct file_ops *files,
		struct marker_contents *seen, bool create)
{
	int err = files->list(files->context, m->dir, see_name, seen);

	if (!err && !seen->marker && seen->foreign)
		err = -ENOTEMPTY;
	if (!err && (seen->marker || seen->engine || create))
		err = check_directory(files, m->dir);
	if (!err && !seen->marker && seen->engine)
		err = log_corrupt(MARKER_NAME, 0, "it is missing, and there is "
				  ENGINE_NAME);
	if (!err && !seen->marker && !create)
		err = -ENOENT;
	return err;
}

int marker_open(struct marker_file *m, const struct file_ops *files,
		const char *path, bool read_only, bool create,
		bool *created)
{
	struct marker_contents seen = { .marker = false };
	int err;

	*m = MARKER_FILE_INIT;
	create = create && !read_only;
	*created = false;
	m->dir = open_directory(files, path, create);
	if (m->dir < 0)
		return m->dir;
	err = look(m, files, &seen, create);
	if (!err)
		err = lock_directory(m, files, m->dir, read_only);
	if (!err)
		err = lock_file(m, files, read_only, seen.marker ? 0 : O_CREAT);
	if (err)
		return err;
	/* Another process may have made it before we had the lock. */
	err = look(m, files, &seen, create);
	if (!err && !read_only)
		err = sync_parent(files, path);
	if (!err && !seen.marker) {
		err = create_marker(m, files);
		*created = !err;
	} else if (!err) {
		err = read_marker_file(m, files);
	}
	return err ? err : open_engine(m, files, read_only);
}

int marker_open_damaged(struct marker_file *m, const struct file_ops *files,
			const char *path)
{
	struct marker_contents seen = { .marker = false };
	int err, bad;

	*m = MARKER_FILE_INIT;
	m->dir = open_directory(files, path, false);
	if (m->dir < 0)
		return m->dir;
	err = files->list(files->context, m->dir, see_name, &seen);
	if (!err && !seen.marker && !seen.engine)
		err = seen.foreign ? -ENOTEMPTY : -ENOENT;
	if (!err)
		err = check_directory(files, m->dir);
	if (!err)
		err = lock_directory(m, files, m->dir, false);
	/* Open the store to read, and lock it for this process alone. */
	m->lock = err ? -1 : file_open(files, m->dir, LOCK_NAME, O_RDONLY);
	if (!err && m->lock == -EACCES)
		err = -EACCES;	/* it may be in use */
	if (!err && m->lock >= 0)
		err = lock_directory(m, files, m->lock, false);
	if (err)
		return err;
	bad = read_marker_file(m, files);
	if (bad == -ENOENT)
		bad = log_corrupt(MARKER_NAME, 0, "it is missing");
	if (bad && bad != -EUCLEAN && bad != -EIO)
		return bad;
	m->engine = file_open(files, m->dir, ENGINE_NAME,
			      O_RDONLY | O_DIRECTORY);
	if (m->engine >= 0)
		err = lock_directory(m, files, m->engine, false);
	if (m->engine == -EACCES)
		err = -EACCES;
	return err ? err : bad ? 1 : 0;
}

int marker_check_new(const struct file_ops *files, const char *path)
{
	int dir = open_directory(files, path, false);
	bool any = false;
	int err = dir < 0 ? dir : files->list(files->context, dir, see_any,
					      &any);

	file_close(files, dir);
	return any ? -ENOTEMPTY : err == -ENOENT ? 0 : err;
}

uint32_t marker_format_version(void)
{
	return VERSION;
}

int marker_take_over(struct marker_file *m, const struct file_ops *files)
{
	int err = lock_file(m, files, false, O_CREAT);

	if (!err && m->version < VERSION)
		err = write_marker_file(m, files, m->ready);
	if (!err)
		err = write_owner(files, m->lock);
	m->owned = !err;
	return err;
}

int marker_ready(struct marker_file *m, const struct file_ops *files)
{
	int err = m->ready ? 0 : write_marker_file(m, files, true);

	m->ready |= !err;
	return err;
}

static void close_one(const struct file_ops *files, int *fd)
{
	if (*fd >= 0)
		file_close(files, *fd);
	*fd = -1;
}

void marker_close(struct marker_file *m, const struct file_ops *files)
{
	/* Take our pid out; closing the descriptors releases the locks. */
	if (m->owned)
		files->truncate(files->context, m->lock, 0);
	close_one(files, &m->lock);
	close_one(files, &m->engine);
	close_one(files, &m->dir);
}
