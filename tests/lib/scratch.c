#include "tests/lib/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/base/log.h"
#include "tests/lib/sites.h"

struct scratch scratch;

void scratch_open(struct scratch *s)
{
	strcpy(s->path, "/tmp/widefs-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(s->path));
	s->dir = file_open(&file_system, AT_FDCWD, s->path,
			   O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(s->dir, 0);
}

static int remove_one(void *data, const char *name)
{
	struct scratch *s = data;

	if (unlinkat(s->dir, name, 0) && unlinkat(s->dir, name, AT_REMOVEDIR))
		return -errno;
	return 0;
}

void scratch_close(struct scratch *s)
{
	ck_assert_int_eq(file_system.list(NULL, s->dir, remove_one, s), 0);
	file_close(&file_system, s->dir);
	ck_assert_int_eq(rmdir(s->path), 0);
}

static void set_up(void)
{
	scratch_open(&scratch);
	quiet(true);
}

static void tear_down(void)
{
	quiet(false);
	scratch_close(&scratch);
}

void scratch_fixture(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, tear_down);
}

static int count_one(void *data, const char *name)
{
	(void)name;
	++*(size_t *)data;
	return 0;
}

size_t scratch_count(struct scratch *s)
{
	size_t count = 0;

	ck_assert_int_eq(file_system.list(NULL, s->dir, count_one, &count), 0);
	return count;
}

void scratch_read(struct scratch *s, const char *name, struct buf *out)
{
	ck_assert_int_eq(file_read_all(&file_system, s->dir, name, out,
				       (size_t)1 << 30), 0);
}

void scratch_write(struct scratch *s, const char *name, struct bytes contents)
{
	int fd = file_open(&file_system, s->dir, name,
			   O_WRONLY | O_CREAT);

	ck_assert_int_ge(fd, 0);
	/* Write in place: some systems sync after a truncation to nothing. */
	ck_assert_int_eq(ftruncate(fd, (off_t)contents.len), 0);
	ck_assert_int_eq(file_write(&file_system, fd, contents.ptr,
				    contents.len, 0), 0);
	file_close(&file_system, fd);
}

/* ---------------------------------------------------------------- faulty */
static int fails(void *context)
{
	struct faulty *f = context;

	f->calls++;
	if (f->fail_at && (f->calls == f->fail_at ||
			   (f->for_good && f->calls > f->fail_at))) {
		sites_note();
		return f->err;
	}
	return 0;
}

static int faulty_open(void *context, int dir, const char *name, int flags,
		       unsigned mode)
{
	int err = flags & O_CREAT ? fails(context) : 0;

	return err ? err : file_system.open(NULL, dir, name, flags, mode);
}

static int64_t faulty_pwrite(void *context, int fd, const void *from,
			     size_t len, uint64_t offset)
{
	int err = fails(context);

	return err ? err : file_system.pwrite(NULL, fd, from, len, offset);
}

static int faulty_datasync(void *context, int fd)
{
	int err = fails(context);

	return err ? err : file_system.datasync(NULL, fd);
}

static int faulty_sync(void *context, int fd)
{
	int err = fails(context);

	return err ? err : file_system.sync(NULL, fd);
}

static int faulty_rename(void *context, int dir, const char *from,
			 const char *to)
{
	int err = fails(context);

	return err ? err : file_system.rename(NULL, dir, from, to);
}

static int faulty_unlink(void *context, int dir, const char *name)
{
	int err = fails(context);

	return err ? err : file_system.unlink(NULL, dir, name);
}

static int faulty_truncate(void *context, int fd, uint64_t size)
{
	int err = fails(context);

	return err ? err : file_system.truncate(NULL, fd, size);
}

static int faulty_map_sync(void *context, int fd, void *address, size_t len)
{
	int err = fails(context);

	return err ? err : file_system.map_sync(NULL, fd, address, len);
}

void faulty_init(struct faulty *f)
{
	memset(f, 0, sizeof(*f));
	f->ops = file_system;
	f->ops.open = faulty_open;
	f->ops.pwrite = faulty_pwrite;
	f->ops.datasync = faulty_datasync;
	f->ops.sync = faulty_sync;
	f->ops.map_sync = faulty_map_sync;
	f->ops.rename = faulty_rename;
	f->ops.unlink = faulty_unlink;
	f->ops.truncate = faulty_truncate;
	f->ops.context = f;
	f->err = -EIO;
}

static void say_nothing(void *context, enum log_level level, const char *line)
{
	(void)context;
	(void)level;
	(void)line;
}

void quiet(bool on)
{
	log_set_sink(on ? say_nothing : NULL, NULL);
}

static void keep_line(void *text, enum log_level level, const char *line)
{
	(void)level;
	buf_add_str(text, line);
	buf_add_byte(text, '\n');
}

void log_into(struct buf *text)
{
	log_set_sink(text ? keep_line : NULL, text);
}
