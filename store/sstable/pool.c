/*
 * One lock for all: it is held for a list's links, never over a system call, so
 * a reader whose file is open waits for nobody.
 *
 * Files without a reader are in a list, the one that was used last first. The
 * first thread that needs a closed file opens it; others wait for that. A
 * thread that leaves more files open than the limit closes the oldest.
 */
#include "store/sstable/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>

#include "store/base/alloc.h"
#include "store/base/log.h"

/* Descriptors left to other uses: the log's segments, the manifest, the mount,
 * the files that a flush and a compaction write. With few descriptors each use
 * has its share. */
#define ELSEWHERE 64
#define FEWEST 4

struct file_pool {
	pthread_mutex_t lock;
	pthread_cond_t opened;
	size_t limit;
	size_t open;		/* with a descriptor, readers or not */
	struct pooled_file *newest, *oldest;	/* open, without readers */
};

static size_t limit_of_process(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return FEWEST;
	if (files.rlim_cur >= 2 * ELSEWHERE)
		return files.rlim_cur - ELSEWHERE;
	return files.rlim_cur / 8 > FEWEST ? files.rlim_cur / 8 : FEWEST;
}

int file_pool_new(struct file_pool **out, size_t limit)
{
	struct file_pool *p = mem_zalloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->limit = limit ? limit : limit_of_process();
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->opened, NULL);
	*out = p;
	return 0;
}

void file_pool_free(struct file_pool *p)
{
	if (!p)
		return;
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->opened);
	mem_free(p);
}

size_t file_pool_open_count(struct file_pool *p)
{
	size_t open;

	pthread_mutex_lock(&p->lock);
	open = p->open;
	pthread_mutex_unlock(&p->lock);
	return open;
}

/* -------------------------------------------------------------- the list */
static void link_newest(struct file_pool *p, struct pooled_file *f)
{
	f->newer = NULL;
	f->older = p->newest;
	if (p->newest)
		p->newest->newer = f;
	else
		p->oldest = f;
	p->newest = f;
}

static void unlink_from_list(struct file_pool *p, struct pooled_file *f)
{
	*(f->newer ? &f->newer->older : &p->newest) = f->older;
	*(f->older ? &f->older->newer : &p->oldest) = f->newer;
	f->newer = f->older = NULL;
}

/* Take the descriptor of the file that was not used for the longest time: the
 * caller closes it. -1: all are in use, or there are no more than `most`. */
static int take_oldest(struct file_pool *p, size_t most)
{
	struct pooled_file *f = p->oldest;
	int fd;

	if (!f || p->open <= most)
		return -1;
	unlink_from_list(p, f);
	fd = f->fd;
	f->fd = -1;
	p->open--;
	return fd;
}

/* Close one file without readers. False: there is none. */
static bool close_oldest(struct file_pool *p, const struct file_ops *files,
			 size_t most)
{
	int fd;

	pthread_mutex_lock(&p->lock);
	fd = take_oldest(p, most);
	pthread_mutex_unlock(&p->lock);
	file_close(files, fd);
	return fd >= 0;
}

/* ------------------------------------------------------------- one file */
/* Open the file by its name. If the process has no descriptor left, close files
 * without readers. */
static int open_by_name(struct pooled_file *f, struct stat *st)
{
	int fd, err;

	do {
		fd = file_open(f->files, f->dir, f->name, O_RDONLY);
	} while ((fd == -EMFILE || fd == -ENFILE) && f->pool &&
		 close_oldest(f->pool, f->files, 0));
	if (fd < 0)
		return fd;
	err = f->files->stat(f->files->context, fd, st);
	if (!err)
		return fd;
	file_close(f->files, fd);
	return err;
}

int pooled_file_open(struct pooled_file *f)
{
	struct stat st;
	int fd = open_by_name(f, &st);

	if (fd < 0)
		return fd;
	f->inode = st.st_ino;
	f->device = st.st_dev;
	f->size = (uint64_t)st.st_size;
	f->fd = fd;
	f->readers = 1;
	if (f->pool) {
		pthread_mutex_lock(&f->pool->lock);
		f->pool->open++;
		pthread_mutex_unlock(&f->pool->lock);
	}
	return 0;
}

/* Check that the file is the one that was open before: files do not change. */
static int open_again(struct pooled_file *f)
{
	struct stat st;
	int fd = open_by_name(f, &st);

	if (fd == -ENOENT)
		return log_corrupt(f->name, 0, "the file is gone");
	if (fd < 0 || (st.st_ino == f->inode && st.st_dev == f->device &&
		       (uint64_t)st.st_size == f->size))
		return fd;
	file_close(f->files, fd);
	return log_corrupt(f->name, 0, "the file was replaced by another");
}

/* Called under the lock, which is released while the file is opened. */
static int open_for_all(struct file_pool *p, struct pooled_file *f)
{
	int fd;

	f->opening = true;
	pthread_mutex_unlock(&p->lock);
	fd = open_again(f);
	pthread_mutex_lock(&p->lock);
	f->opening = false;
	if (fd >= 0) {
		f->fd = fd;
		p->open++;
	}
	pthread_cond_broadcast(&p->opened);
	return fd;
}

int pooled_file_get(struct pooled_file *f)
{
	struct file_pool *p = f->pool;
	int fd;

	if (!p)
		return f->fd;
	pthread_mutex_lock(&p->lock);
	while (f->opening)
		pthread_cond_wait(&p->opened, &p->lock);
	if (f->fd >= 0 && !f->readers)
		unlink_from_list(p, f);
	fd = f->fd >= 0 ? f->fd : open_for_all(p, f);
	if (fd >= 0)
		f->readers++;
	pthread_mutex_unlock(&p->lock);
	return fd;
}

void pooled_file_put(struct pooled_file *f)
{
	struct file_pool *p = f->pool;
	int fd = -1;

	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	if (!--f->readers) {
		link_newest(p, f);
		fd = take_oldest(p, p->limit);
	}
	pthread_mutex_unlock(&p->lock);
	file_close(f->files, fd);
}

void pooled_file_close(struct pooled_file *f)
{
	struct file_pool *p = f->pool;

	if (p)
		pthread_mutex_lock(&p->lock);
	if (p && f->fd >= 0) {
		unlink_from_list(p, f);
		p->open--;
	}
	if (p)
		pthread_mutex_unlock(&p->lock);
	/* No other thread has the file. */
	file_close(f->files, f->fd);
	f->fd = -1;
}
