/* Files: what is opened, what is refused, and what survives a failure. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/file.h"
#include "tests/lib/scratch.h"
#include "tests/unit/suite.h"

static struct scratch s;

static void begin(void)
{
	scratch_open(&s);
}

static void end(void)
{
	scratch_close(&s);
}

START_TEST(a_created_file_is_ours_alone)
{
	struct stat st;
	int fd = file_open(&file_system, s.dir, "a", O_RDWR | O_CREAT | O_EXCL);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0600);
	ck_assert_int_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	file_close(&file_system, fd);
	ck_assert_int_eq(file_open(&file_system, s.dir, "a",
				   O_RDWR | O_CREAT | O_EXCL), -EEXIST);
	ck_assert_int_eq(file_open(&file_system, s.dir, "b", O_RDONLY),
			 -ENOENT);
}
END_TEST

START_TEST(links_and_special_files_are_refused)
{
	scratch_write(&s, "file", bytes_str("x"));
	ck_assert_int_eq(symlinkat("file", s.dir, "link"), 0);
	ck_assert_int_eq(mkfifoat(s.dir, "fifo", 0600), 0);
	ck_assert_int_eq(mkdirat(s.dir, "folder", 0700), 0);
	ck_assert_int_eq(file_open(&file_system, s.dir, "link", O_RDONLY),
			 -ELOOP);
	ck_assert_int_eq(file_open(&file_system, s.dir, "fifo", O_RDONLY),
			 -EPERM);
	ck_assert_int_eq(file_open(&file_system, s.dir, "folder", O_RDONLY),
			 -EISDIR);
	ck_assert_int_eq(file_open(&file_system, s.dir, "file",
				   O_RDONLY | O_DIRECTORY), -ENOTDIR);
	ck_assert_int_eq(file_open(&file_system, s.dir, "folder/../file",
				   O_RDONLY), -EINVAL);
	ck_assert_int_eq(linkat(s.dir, "file", s.dir, "twin", 0), 0);
	ck_assert_int_eq(file_open(&file_system, s.dir, "file", O_RDWR),
			 -EPERM);
	ck_assert_int_eq(unlinkat(s.dir, "twin", 0), 0);
	ck_assert_int_eq(fchmodat(s.dir, "file", 0622, 0), 0);
	ck_assert_int_eq(file_open(&file_system, s.dir, "file", O_RDONLY),
			 -EPERM);
}
END_TEST

/* A system that is interrupted, and moves a byte or two at a time. */
static int64_t few_pread(void *context, int fd, void *to, size_t len,
			 uint64_t offset)
{
	if (++*(int *)context % 3 == 0)
		return -EINTR;
	return pread(fd, to, len < 2 ? len : 2, (off_t)offset);
}

static int64_t few_pwrite(void *context, int fd, const void *from, size_t len,
			  uint64_t offset)
{
	if (++*(int *)context % 3 == 0)
		return -EINTR;
	return pwrite(fd, from, len < 2 ? len : 2, (off_t)offset);
}

START_TEST(short_transfers_are_continued)
{
	struct file_ops ops = file_system;
	char back[12] = "";
	int calls = 0, fd;

	ops.pread = few_pread;
	ops.pwrite = few_pwrite;
	ops.context = &calls;
	fd = file_open(&ops, s.dir, "a", O_RDWR | O_CREAT);
	ck_assert_int_eq(file_write(&ops, fd, "hello world", 11, 0), 0);
	ck_assert_int_eq(file_read(&ops, fd, back, 11, 0), 0);
	ck_assert_str_eq(back, "hello world");
	ck_assert_int_eq(file_read(&ops, fd, back, 12, 0), -EUCLEAN);
	file_close(&ops, fd);
}
END_TEST

START_TEST(a_whole_file_has_a_limit)
{
	struct buf out = BUF_INIT;

	scratch_write(&s, "a", bytes_str("12345"));
	scratch_write(&s, "empty", BYTES_EMPTY);
	ck_assert_int_eq(file_read_all(&file_system, s.dir, "a", &out, 4),
			 -EFBIG);
	ck_assert_int_eq(file_read_all(&file_system, s.dir, "a", &out, 5), 0);
	ck_assert_int_eq(file_read_all(&file_system, s.dir, "empty", &out, 5),
			 0);
	ck_assert_str_eq(buf_cstr(&out), "12345");
	buf_release(&out);
}
END_TEST

START_TEST(a_replaced_file_is_the_old_or_the_new)
{
	struct faulty f;
	long nth;
	int err;

	faulty_init(&f);
	scratch_write(&s, "a", bytes_str("old"));
	for (nth = 1;; nth++) {
		struct buf now = BUF_INIT;

		f.fail_at = nth;
		f.calls = 0;
		err = file_replace(&f.ops, s.dir, "a", bytes_str("new"));
		scratch_read(&s, "a", &now);
		if (!err) {
			ck_assert_str_eq(buf_cstr(&now), "new");
			buf_release(&now);
			break;
		}
		ck_assert_int_eq(err, -EIO);
		/* Only the last step, the directory's sync, comes after. */
		ck_assert(!strcmp(buf_cstr(&now), "old") ||
			  !strcmp(buf_cstr(&now), "new"));
		ck_assert_uint_eq(scratch_count(&s), 1);
		buf_release(&now);
		scratch_write(&s, "a", bytes_str("old"));
	}
	ck_assert_int_gt(nth, 5);
	ck_assert_uint_eq(scratch_count(&s), 1);
}
END_TEST

START_TEST(a_map_writes_the_file)
{
	struct buf out = BUF_INIT;
	void *at;
	int fd = file_open(&file_system, s.dir, "a", O_RDWR | O_CREAT), err;

	ck_assert_int_eq(file_system.truncate(NULL, fd, 8192), 0);
	err = file_system.map(NULL, fd, 8192, &at);
	if (err != -EOPNOTSUPP) {
		ck_assert_int_eq(err, 0);
		memcpy((char *)at + 5000, "here", 4);
		ck_assert_int_eq(file_system.map_sync(NULL, fd,
					(char *)at + 5000, 4), 0);
		ck_assert_int_eq(file_system.unmap(NULL, at, 8192), 0);
		scratch_read(&s, "a", &out);
		ck_assert(!memcmp(out.ptr + 5000, "here", 4));
	}
	buf_release(&out);
	file_close(&file_system, fd);
}
END_TEST

static int stop_at_b(void *data, const char *name)
{
	++*(int *)data;
	return strcmp(name, "b") ? 0 : -ECANCELED;
}

START_TEST(a_listing_names_all)
{
	int count = 0;

	ck_assert_uint_eq(scratch_count(&s), 0);
	scratch_write(&s, "a", BYTES_EMPTY);
	scratch_write(&s, "c", BYTES_EMPTY);
	ck_assert_uint_eq(scratch_count(&s), 2);
	ck_assert_uint_eq(scratch_count(&s), 2);
	scratch_write(&s, "b", BYTES_EMPTY);
	ck_assert_int_eq(file_system.list(NULL, s.dir, stop_at_b, &count),
			 -ECANCELED);
	ck_assert_int_ge(count, 1);
}
END_TEST

SUITE(file)
{
	TCase *tc = tcase_create("file");

	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_test(tc, a_created_file_is_ours_alone);
	tcase_add_test(tc, links_and_special_files_are_refused);
	tcase_add_test(tc, short_transfers_are_continued);
	tcase_add_test(tc, a_whole_file_has_a_limit);
	tcase_add_test(tc, a_replaced_file_is_the_old_or_the_new);
	tcase_add_test(tc, a_map_writes_the_file);
	tcase_add_test(tc, a_listing_names_all);
	suite_add_tcase(suite, tc);
}
