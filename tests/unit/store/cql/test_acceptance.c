/*
 * The acceptance list: tests/acceptance/NAME.txt hold
 * what each of its rows asks for and must be answered, tests/acceptance/ids
 * the ids of all rows. WIDEFS_SCRIPT=NAME plays one file alone.
 */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/bytes.h"
#include "tests/lib/script.h"
#include "tests/unit/suite.h"

#define MOST 400
struct ids {
	char *name[MOST];
	bool seen[MOST];
	size_t count;
};

static void play(const char *folder, enum script_mode mode)
{
	const char *only = getenv("WIDEFS_SCRIPT");
	char pattern[128];
	unsigned failures = 0;
	glob_t files;

	snprintf(pattern, sizeof(pattern), "tests/%s/*.txt", folder);
	ck_assert_int_eq(glob(pattern, 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++)
		if (!only || strstr(files.gl_pathv[i], only))
			failures += script_play(files.gl_pathv[i], mode);
	globfree(&files);
	ck_assert_uint_eq(failures, 0);
}

START_TEST(each_row_is_answered_as_it_must)
{
	play("acceptance", (enum script_mode)_i);
}
END_TEST

START_TEST(each_rule_holds)
{
	play("rules", (enum script_mode)_i);
}
END_TEST

static void see(void *context, const char *id)
{
	struct ids *ids = context;

	for (size_t i = 0; i < ids->count; i++)
		if (!strcmp(ids->name[i], id)) {
			ids->seen[i] = true;
			return;
		}
	ck_abort_msg("the list has no row %s", id);
}

START_TEST(no_row_is_forgotten)
{
	struct ids ids = { .count = 0 };
	FILE *f = fopen("tests/acceptance/ids", "r");
	char word[32];
	glob_t files;

	ck_assert_ptr_nonnull(f);
	while (fscanf(f, "%31s", word) == 1 && ids.count < MOST)
		ids.name[ids.count++] = strdup(word);
	fclose(f);
	ck_assert_uint_ge(ids.count, 182);
	ck_assert_int_eq(glob("tests/acceptance/*.txt", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++)
		script_ids(files.gl_pathv[i], see, &ids);
	globfree(&files);
	for (size_t i = 0; i < ids.count; i++) {
		ck_assert_msg(ids.seen[i], "nothing proves row %s",
			      ids.name[i]);
		free(ids.name[i]);
	}
}
END_TEST

SUITE(acceptance)
{
	TCase *tc = tcase_create("list");

	tcase_set_timeout(tc, test_timeout());
	tcase_add_test(tc, no_row_is_forgotten);
	tcase_add_loop_test(tc, each_row_is_answered_as_it_must, 0,
			    SCRIPT_MODES);
	suite_add_tcase(suite, tc);
}

SUITE(rules)
{
	TCase *tc = tcase_create("rules");

	tcase_set_timeout(tc, test_timeout());
	tcase_add_loop_test(tc, each_rule_holds, 0,
			    SCRIPT_MODES);
	suite_add_tcase(suite, tc);
}
