/*
 * A store is a directory, only its owner's (0700), with
 *
 *   WIDEFS   the marker, replaced as a whole:
 *              0  8  "WIDEFS\n" and a 0 byte
 *              8  4  format version, 1 to 3             (little-endian, as all)
 *             12  4  1 once the engine's files were made, else 0
 *             16 16  a random id
 *             32  8  XXH3 of bytes 0..31
 *   LOCK     the pid of the process that writes, as text; empty when nobody
 *            does. The kernel's lock on it decides, the text only tells who.
 *   engine/  the engine's files
 *
 * The format version is that of all that is in the store, whatever versions its
 * files have of their own: a program that is older than it refuses the store.
 *
 *   1  the first
 *   2  tables that were flat (schema/catalog.c, row/key.h)
 *   3  masks of columns (schema/catalog.c)
 *
 * A store of an earlier version is opened, and if it may be written it is made
 * one of this version first, before anything of this version is in it.
 *
 * Made in the order LOCK, WIDEFS (0), engine/, WIDEFS (1). A crash in between
 * leaves a directory with nothing but these, which the next open that may
 * create goes on with; that is also how a directory that belongs to something
 * else is told apart: it has other names and no marker. Once the marker says 1
 * an engine directory that is gone or empty is damage, not a new store.
 */
#include "store/marker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <xxhash.h>

#include "store/base/log.h"

#define MARKER_NAME "WIDEFS"
#define LOCK_NAME "LOCK"
#define ENGINE_NAME "engine"
#define MAGIC "WIDEFS\n"
#define VERSION 3
#define MARKER_LENGTH 40

static int open_directory(const struct file_ops *files, const char *path,
			  bool *made)
{
	struct buf inside = BUF_INIT;
	int fd, err;

	/* The path may be a link to the store; what is below may not. */
	buf_add_format(&inside, "%s/.", path);
	if (inside.failed)
		return -ENOMEM;
	fd = file_open(files, AT_FDCWD, buf_cstr(&inside),
		       O_RDONLY | O_DIRECTORY);
	if (fd == -ENOENT && made) {
		err = files->mkdir(files->context, AT_FDCWD, path, 0700);
		if (!err)
			fd = file_open(files, AT_FDCWD, buf_cstr(&inside),
				       O_RDONLY | O_DIRECTORY);
		else
			fd = err;
		*made = fd >= 0;
	}
	buf_release(&inside);
	return fd;
}

/* The new directory's name must last as long as what is in it. */
static void sync_parent(const struct file_ops *files, const char *path)
{
	struct buf parent = BUF_INIT;
	int fd;

	buf_add_format(&parent, "%s/..", path);
	if (!parent.failed) {
		fd = file_open(files, AT_FDCWD, buf_cstr(&parent),
			       O_RDONLY | O_DIRECTORY);
		if (fd >= 0) {
			files->sync(files->context, fd);
			file_close(files, fd);
		}
	}
	buf_release(&parent);
}

struct contents {
	bool marker, engine, foreign;
};

static int see_name(void *data, const char *name)
{
	static const char *const own[] = {
		LOCK_NAME, MARKER_NAME ".new", ENGINE_NAME,
		"lost+found",		/* a filesystem of its own */
	};
	struct contents *c = data;
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

/* Of who reads nothing is written in the lock file; the kernel knows. Or 0. */
static pid_t find_holder(const struct file_ops *files, int fd)
{
	FILE *locks = files == &file_system ? fopen("/proc/locks", "re") : NULL;
	unsigned major_number, minor_number;
	unsigned long long inode;
	char line[256];
	long pid, found = 0;
	struct stat st;

	if (!locks)
		return 0;
	if (files->stat(files->context, fd, &st))
		st.st_ino = 0;
	while (!found && fgets(line, sizeof(line), locks))
		if (sscanf(line, "%*d: FLOCK %*s %*s %ld %x:%x:%llu", &pid,
			   &major_number, &minor_number, &inode) == 4 &&
		    inode == st.st_ino && major_number == major(st.st_dev) &&
		    minor_number == minor(st.st_dev))
			found = pid;
	fclose(locks);
	return found > 0 && found <= INT32_MAX ? (pid_t)found : 0;
}

/* The pid in the lock file, of a process that is alive; else 0. */
static pid_t read_owner(const struct file_ops *files, int fd)
{
	char text[24] = "";
	int64_t n = files->pread(files->context, fd, text, sizeof(text) - 1, 0);
	long pid = n > 0 ? strtol(text, NULL, 10) : 0;

	if (pid <= 0 || pid > INT32_MAX ||
	    (kill((pid_t)pid, 0) && errno == ESRCH))
		return find_holder(files, fd);
	return (pid_t)pid;
}

static int write_owner(const struct file_ops *files, int fd)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	int err = files->truncate(files->context, fd, 0);

	return err ? err : file_write(files, fd, text, (size_t)len, 0);
}

static int take_lock(struct marker_file *m, const struct file_ops *files,
		     bool read_only, bool create, pid_t *owner_pid)
{
	int err, flags = read_only ? O_RDONLY : O_RDWR;

	m->lock = file_open(files, m->dir, LOCK_NAME, flags);
	if (m->lock == -ENOENT && !read_only)
		m->lock = file_open(files, m->dir, LOCK_NAME,
				    flags | O_CREAT);
	if (m->lock == -ENOENT && read_only && !create)
		return 0;		/* a copy, say, that nobody locks */
	if (m->lock < 0)
		return m->lock;
	err = files->lock ? files->lock(files->context, m->lock, !read_only)
			  : 0;
	if (err == -EAGAIN) {
		if (owner_pid)
			*owner_pid = read_owner(files, m->lock);
		err = -EBUSY;
	}
	if (err) {
		/* Not ours: closing the marker must not touch the text. */
		file_close(files, m->lock);
		m->lock = -1;
		return err;
	}
	return read_only ? 0 : write_owner(files, m->lock);
}

static int write_marker_file(struct marker_file *m,
			     const struct file_ops *files, uint32_t ready)
{
	uint8_t bytes[MARKER_LENGTH] = MAGIC;

	put_le32(bytes + 8, VERSION);
	put_le32(bytes + 12, ready);
	memcpy(bytes + 16, m->id, 16);
	put_le64(bytes + 32, XXH3_64bits(bytes, 32));
	return file_replace(files, m->dir, MARKER_NAME,
			    bytes_of(bytes, sizeof(bytes)));
}

static int read_marker_file(struct marker_file *m,
			    const struct file_ops *files, uint32_t *version,
			    bool *ready)
{
	struct buf b = BUF_INIT;
	int err = file_read_all(files, m->dir, MARKER_NAME, &b, 4096);

	if (err == -EFBIG)
		err = corrupt(MARKER_NAME, 0, "it is too long");
	if (err)
		goto out;
	if (b.len < 16 || memcmp(b.ptr, MAGIC, 8)) {
		err = corrupt(MARKER_NAME, 0, "this is no marker of a store");
		goto out;
	}
	*version = get_le32(b.ptr + 8);
	if (*version > VERSION) {
		err = -EPROTONOSUPPORT;
		goto out;
	}
	if (b.len != MARKER_LENGTH || !*version ||
	    get_le32(b.ptr + 12) > 1 ||
	    get_le64(b.ptr + 32) != XXH3_64bits(b.ptr, 32)) {
		err = corrupt(MARKER_NAME, 8, "its contents are damaged");
		goto out;
	}
	*ready = get_le32(b.ptr + 12);
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
		       bool ready, bool read_only)
{
	bool any = false;
	int err;

	m->engine = file_open(files, m->dir, ENGINE_NAME,
			      O_RDONLY | O_DIRECTORY);
	if (m->engine == -ENOENT && !ready && !read_only) {
		err = files->mkdir(files->context, m->dir, ENGINE_NAME, 0700);
		if (!err)
			err = files->sync(files->context, m->dir);
		if (err)
			return err;
		m->engine = file_open(files, m->dir, ENGINE_NAME,
				      O_RDONLY | O_DIRECTORY);
	}
	if (m->engine == -ENOENT && ready)
		return corrupt(ENGINE_NAME, 0, "the directory is gone");
	if (m->engine < 0)
		return m->engine;
	err = files->list(files->context, m->engine, see_any, &any);
	if (!err && ready && !any)
		err = corrupt(ENGINE_NAME, 0, "the directory is empty");
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
	return write_marker_file(m, files, 0);
}

/* Is there a store, or room for one? */
static int look(struct marker_file *m, const struct file_ops *files,
		struct contents *seen, bool create)
{
	int err = check_directory(files, m->dir);

	if (!err)
		err = files->list(files->context, m->dir, see_name, seen);
	if (!err && !seen->marker && seen->foreign)
		err = -ENOTEMPTY;
	if (!err && !seen->marker && seen->engine)
		err = corrupt(MARKER_NAME, 0, "it is missing, and there is "
			      ENGINE_NAME);
	if (!err && !seen->marker && !create)
		err = -ENOENT;
	return err;
}

int marker_open(struct marker_file *m, const struct file_ops *files,
		const char *path, bool read_only, bool create,
		pid_t *owner_pid, bool *created)
{
	struct contents seen = { .marker = false };
	bool made = false, ready = false;
	uint32_t version = VERSION;
	int err;

	*m = MARKER_FILE_INIT;
	create = create && !read_only;
	*created = false;
	m->dir = open_directory(files, path, create ? &made : NULL);
	if (m->dir < 0)
		return m->dir;
	if (made)
		sync_parent(files, path);
	err = look(m, files, &seen, create);
	if (!err)
		err = take_lock(m, files, read_only, create, owner_pid);
	if (err)
		return err;
	/* Somebody may have made it while we waited for nothing but luck. */
	err = look(m, files, &seen, create);
	if (!err && !seen.marker) {
		err = create_marker(m, files);
		*created = !err;
	} else if (!err) {
		err = read_marker_file(m, files, &version, &ready);
	}
	if (!err && version < VERSION && !read_only)
		err = write_marker_file(m, files, ready);
	return err ? err : open_engine(m, files, ready, read_only);
}

int marker_ready(struct marker_file *m, const struct file_ops *files)
{
	uint32_t version;
	bool ready;
	int err = read_marker_file(m, files, &version, &ready);

	return err || ready ? err : write_marker_file(m, files, 1);
}

static void close_one(const struct file_ops *files, int *fd)
{
	if (*fd >= 0)
		file_close(files, *fd);
	*fd = -1;
}

void marker_close(struct marker_file *m, const struct file_ops *files,
		  bool read_only)
{
	/* Nobody's any more; the lock goes with the descriptor. */
	if (m->lock >= 0 && !read_only)
		files->truncate(files->context, m->lock, 0);
	close_one(files, &m->lock);
	close_one(files, &m->engine);
	close_one(files, &m->dir);
}
