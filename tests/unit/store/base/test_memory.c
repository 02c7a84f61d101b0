/* How much memory there is: what control groups of both versions leave. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/bytes.h"
#include "store/base/memory.h"
#include "tests/unit/suite.h"

static char root[64];

static void begin(void)
{
	snprintf(root, sizeof(root), "/tmp/widefs-memory.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
}

static int remove_one(const char *path, const struct stat *st, int what,
		      struct FTW *ftw)
{
	(void)st;
	(void)what;
	(void)ftw;
	return remove(path);
}

static void end(void)
{
	ck_assert_int_eq(nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* Write a file, and make the directories that it is in. */
static void put(const char *name, const char *text)
{
	char path[512], *slash;
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", root, name);
	for (slash = path + strlen(root) + 1; (slash = strchr(slash, '/'));
	     slash++) {
		*slash = 0;
		mkdir(path, 0700);
		*slash = '/';
	}
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

#define ONE "/groups/memory"
#define TWO "/groups/two"
#define MOUNT_ONE "31 24 0:27 / " ONE " rw shared:9 - cgroup cgroup rw,memory\n"
#define MOUNT_TWO "40 24 0:33 / " TWO " rw - cgroup2 cgroup2 rw,nsdelegate\n"
#define OTHERS                                                                \
	"24 1 8:1 / / rw,relatime - ext4 /dev/memory rw\n"                    \
	"30 24 0:26 / /groups/cpu rw - cgroup cgroup rw,cpu\n"

static uint64_t all;

static const struct {
	const char *groups, *mounts, *file[3], *text[3];
	uint64_t limit;		/* 0: all there is */
} machines[] = {
	{ "", "", { NULL }, { NULL }, 0 },
	{ "4:memory:/a/b\n3:cpu:/\n", OTHERS MOUNT_ONE,
	  { ONE "/a/b/memory.limit_in_bytes" }, { "268435456\n" }, 268435456 },
	/* Those above it count too, and what is said of no limit does not. */
	{ "4:cpu,memory:/a/b\n", OTHERS MOUNT_ONE,
	  { ONE "/a/b/memory.limit_in_bytes", ONE "/a/memory.limit_in_bytes",
	    ONE "/memory.limit_in_bytes" },
	  { "9223372036854771712\n", "100000\n", "200000\n" }, 100000 },
	{ "4:memory2:/a\n", OTHERS MOUNT_ONE,
	  { ONE "/a/memory.limit_in_bytes" }, { "1000\n" }, 0 },
	{ "0::/u/v\n", OTHERS MOUNT_TWO,
	  { TWO "/u/v/memory.max", TWO "/u/memory.max" },
	  { "max\n", "5000\n" }, 5000 },
	/* In a container: the group itself is mounted, or is called the
	 * root. */
	{ "4:memory:/docker/77\n",
	  "31 24 0:27 /docker/77 " ONE " rw - cgroup cgroup rw,memory\n",
	  { ONE "/memory.limit_in_bytes" }, { "7000\n" }, 7000 },
	{ "0::/\n", MOUNT_TWO, { TWO "/memory.max" }, { "8000\n" }, 8000 },
	{ "4:memory:/docker/77\n", MOUNT_ONE,
	  { ONE "/memory.limit_in_bytes" }, { "9000\n" }, 9000 },
	/* Both: the controller is in one of them. */
	{ "4:memory:/a\n0::/\n", MOUNT_ONE MOUNT_TWO,
	  { ONE "/a/memory.limit_in_bytes", TWO "/memory.max" },
	  { "3000\n", "max\n" }, 3000 },
	{ "no group\n:\n::\n4:memory\n", "no mount\n - \n" MOUNT_ONE,
	  { ONE "/memory.limit_in_bytes" }, { "x\n" }, 0 },
};

START_TEST(memory_that_groups_leave_to_a_process)	/* _i: machine */
{
	size_t i;

	all = memory_limit(root);	/* nothing is known there */
	ck_assert_uint_gt(all, 16 << 20);
	put("/proc/self/cgroup", machines[_i].groups);
	put("/proc/self/mountinfo", machines[_i].mounts);
	for (i = 0; i < 3 && machines[_i].file[i]; i++)
		put(machines[_i].file[i], machines[_i].text[i]);
	ck_assert_uint_eq(memory_limit(root), machines[_i].limit ?
			  machines[_i].limit : all);
}
END_TEST

START_TEST(defaults_are_within_bounds)
{
	ck_assert_uint_le(memory_limit(""), all ? all : UINT64_MAX);
	ck_assert_uint_ge(memory_default_cache(), 1 << 20);
	ck_assert_uint_le(memory_default_cache(), 128 << 20);
	ck_assert_uint_ge(memory_default_memtables(), 1 << 20);
	ck_assert_uint_le(memory_default_memtables(), 64 << 20);
	ck_assert_uint_ge(memory_default_nodes(), 2730);
	ck_assert_uint_le(memory_default_nodes(), 256 << 10);
}
END_TEST

SUITE(memory)
{
	TCase *tc = tcase_create("memory");

	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_loop_test(tc, memory_that_groups_leave_to_a_process, 0,
			    ARRAY_SIZE(machines));
	tcase_add_test(tc, defaults_are_within_bounds);
	suite_add_tcase(suite, tc);
}
