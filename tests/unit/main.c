/*
 * check-unit [SUITE...]: runs all unit suites, or those named. CK_VERBOSITY and
 * the other variables of Check apply. check-unit --list [threads] names them.
 */
#include "tests/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/alloc.h"
#include "tests/lib/sites.h"

static struct suite_entry *entries;	/* sorted by name */

void suite_register(struct suite_entry *entry)
{
	struct suite_entry **at = &entries;

	while (*at && strcmp((*at)->name, entry->name) < 0)
		at = &(*at)->next;
	entry->next = *at;
	*at = entry;
}

static int wanted(const char *name, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return 1;
	return argc == 1;
}

int test_scale(int count)
{
	const char *scale = getenv("WIDEFS_TEST_SCALE");
	int by = scale ? atoi(scale) : 1;

	return by > 1 && count > by ? count / by : by > 1 ? 1 : count;
}

int test_rounds(void)
{
	const char *rounds = getenv("WIDEFS_TEST_ROUNDS");
	int count = rounds ? atoi(rounds) : 1;

	return count > 1 ? count : 1;
}

uint64_t test_seed(void)
{
	const char *seed = getenv("WIDEFS_TEST_SEED");

	return seed ? strtoull(seed, NULL, 10) : 1;
}

double test_timeout(void)
{
	return 600.0 * test_rounds();
}

static int list(int only_threads)
{
	const struct suite_entry *entry;

	for (entry = entries; entry; entry = entry->next)
		if (entry->threads || !only_threads)
			puts(entry->name);
	return 0;
}

int main(int argc, char **argv)
{
	SRunner *runner = srunner_create(NULL);
	struct suite_entry *entry;
	int failed, found = 0;

	mem_on_failure(sites_note);
	/* Check's four seconds are for quiet machines; this ends what hangs. */
	setenv("CK_DEFAULT_TIMEOUT", "120", 0);
	if (argc > 1 && !strcmp(argv[1], "--list"))
		return list(argc > 2);
	for (entry = entries; entry; entry = entry->next) {
		Suite *suite;

		if (!wanted(entry->name, argc, argv))
			continue;
		suite = suite_create(entry->name);
		entry->fill(suite);
		srunner_add_suite(runner, suite);
		found++;
	}
	if (found < (argc > 1 ? argc - 1 : 1)) {
		fprintf(stderr, "check-unit: no such suite; there are:");
		for (entry = entries; entry; entry = entry->next)
			fprintf(stderr, " %s", entry->name);
		fprintf(stderr, "\n");
		return 2;
	}
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
