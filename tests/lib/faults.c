/* File calls that fail: a table of files above another. */
#include <errno.h>
#include <fcntl.h>

#include "tests/lib/simfile.h"
#include "tests/lib/sites.h"

/* Return 0, or the error of this call; -EOVERFLOW: its transfer is short. */
static int fails(struct faults *f, bool changes)
{
	bool now;

	if (f->only_changes && !changes)
		return 0;
	f->calls++;
	now = f->fail_at && (f->calls == f->fail_at ||
			     (f->for_good && f->calls > f->fail_at) ||
			     (f->pairs && f->calls == f->fail_at + f->pairs));
	if (!now)
		return 0;
	f->failed++;
	sites_note();
	return f->err ? f->err : -EOVERFLOW;
}

#define UNDER(f, call, ...) (f)->under->call((f)->under->context, __VA_ARGS__)

static int faulty_open(void *context, int dir, const char *name, int flags,
		       unsigned mode)
{
	struct faults *f = context;
	int err = fails(f, flags & O_CREAT);

	return err && f->err ? err : UNDER(f, open, dir, name, flags, mode);
}

static int faulty_close(void *context, int fd)
{
	struct faults *f = context;

	return UNDER(f, close, fd);
}

static int64_t faulty_pread(void *context, int fd, void *to, size_t len,
			    uint64_t offset)
{
	struct faults *f = context;
	int err = fails(f, false);

	if (err && f->err)
		return err;
	return UNDER(f, pread, fd, to, err ? (len + 1) / 2 : len, offset);
}

static int64_t faulty_pwrite(void *context, int fd, const void *from,
			     size_t len, uint64_t offset)
{
	struct faults *f = context;
	int err = fails(f, true);

	if (err && f->err) {
		/* A disk that fills up takes what it can before it says so; but
		 * a word is never on two blocks. */
		if (err == -ENOSPC && len > 8)
			UNDER(f, pwrite, fd, from, len / 2, offset);
		return err;
	}
	return UNDER(f, pwrite, fd, from, err ? (len + 1) / 2 : len, offset);
}

/* Define a call that fails or does nothing else than the one below. */
#define FAULTY(name, changes, parameters, ...)                                \
	static int faulty_##name parameters                                   \
	{                                                                     \
		struct faults *f = context;                                   \
		int err = fails(f, changes);                                  \
									      \
		return err && f->err ? err : UNDER(f, name, __VA_ARGS__);     \
	}
FAULTY(datasync, true, (void *context, int fd), fd)
FAULTY(sync, true, (void *context, int fd), fd)
FAULTY(truncate, true, (void *context, int fd, uint64_t size), fd, size)
FAULTY(allocate, true, (void *context, int fd, uint64_t size), fd, size)
FAULTY(rename, true, (void *context, int dir, const char *from, const char *to),
       dir, from, to)
FAULTY(unlink, true, (void *context, int dir, const char *name), dir, name)
FAULTY(mkdir, true, (void *context, int dir, const char *name, unsigned mode),
       dir, name, mode)
FAULTY(stat, false, (void *context, int fd, struct stat *st), fd, st)
FAULTY(list, false,
       (void *context, int dir, int (*each)(void *data, const char *name),
	void *data), dir, each, data)
FAULTY(map, false, (void *context, int fd, size_t len, void **address),
       fd, len, address)
FAULTY(map_sync, true, (void *context, int fd, void *address, size_t len),
       fd, address, len)

static int faulty_unmap(void *context, void *address, size_t len)
{
	struct faults *f = context;

	return UNDER(f, unmap, address, len);
}

static int faulty_advise(void *context, int fd, uint64_t offset, uint64_t len,
			 int advice)
{
	struct faults *f = context;

	return UNDER(f, advise, fd, offset, len, advice);
}

static int faulty_boot(void *context, int dir, uint8_t id[FILE_BOOT_BYTES])
{
	struct faults *f = context;

	return UNDER(f, boot, dir, id);
}

void faults_init(struct faults *f, const struct file_ops *under)
{
	*f = (struct faults){
		.ops = {
			faulty_open, faulty_close, faulty_pread, faulty_pwrite,
			faulty_datasync, faulty_sync, faulty_truncate,
			faulty_allocate, faulty_rename, faulty_unlink,
			faulty_mkdir, faulty_stat, faulty_list, faulty_map,
			faulty_unmap, faulty_map_sync, faulty_advise, NULL, NULL,
			under->boot ? faulty_boot : NULL, f,
		},
		.under = under,
		.err = -EIO,
	};
}
