/* The kept corpus of the fuzzers, and cut pieces of it, in the normal build. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>

#include "tests/lib/fuzz.h"
#include "tests/lib/scratch.h"
#include "tests/unit/suite.h"

static void replay(const struct fuzz_target *target, int dir, const char *name)
{
	struct buf input = BUF_INIT;
	size_t cut;

	ck_assert_int_eq(file_read_all(&file_system, dir, name, &input,
				       1 << 20), 0);
	target->run(buf_bytes(&input));
	for (cut = 1; cut < 16; cut++)
		target->run(bytes_of(input.ptr, input.len * cut / 16));
	buf_release(&input);
}

START_TEST(the_corpus_does_no_harm)	/* _i: the target */
{
	const struct fuzz_target *target = &fuzz_targets[_i];
	char path[100];
	struct dirent *found;
	DIR *dir;
	int files = 0;

	snprintf(path, sizeof(path), "tests/fuzz/corpus/%s", target->name);
	dir = opendir(path);
	ck_assert_ptr_nonnull(dir);
	quiet(true);
	while ((found = readdir(dir))) {
		if (found->d_name[0] == '.')
			continue;
		replay(target, dirfd(dir), found->d_name);
		files++;
	}
	quiet(false);
	closedir(dir);
	ck_assert_int_gt(files, 0);
}
END_TEST

SUITE(fuzz)
{
	TCase *tc = tcase_create("corpus");

	tcase_set_timeout(tc, test_timeout());
	tcase_add_loop_test(tc, the_corpus_does_no_harm, 0,
			    (int)fuzz_target_count);
	suite_add_tcase(suite, tc);
}
