/*
 * Each test_MODULE.c below tests/unit defines its suite with SUITE(MODULE) and is
 * run by main.c without being named anywhere else:
 *
 *	SUITE(bytes)
 *	{
 *		TCase *tc = tcase_create("buf");
 *		tcase_add_test(tc, a_test);
 *		suite_add_tcase(suite, tc);
 *	}
 *
 * A suite that starts threads is defined with SUITE_THREADS: it is run under
 * the thread sanitizer too. Loops over many seeds take their count through
 * test_scale(), so that sanitizer builds run smaller counts.
 */
#ifndef TESTS_UNIT_SUITE_H
#define TESTS_UNIT_SUITE_H
#include <check.h>
#include <stdint.h>

struct suite_entry {
	const char *name;
	int threads;
	void (*fill)(Suite *suite);
	struct suite_entry *next;
};
void suite_register(struct suite_entry *entry);

/* Return count, or count / WIDEFS_TEST_SCALE (at least 1) if that is set. */
int test_scale(int count);
/*
 * For tests that can run longer: how often to repeat themselves with the next
 * seed (WIDEFS_TEST_ROUNDS, or 1); the first seed (WIDEFS_TEST_SEED, or 1);
 * and a timeout for Check that holds on a loaded machine.
 */
int test_rounds(void);
uint64_t test_seed(void);
double test_timeout(void);

#define SUITE(module) SUITE_DEFINE(module, 0)
#define SUITE_THREADS(module) SUITE_DEFINE(module, 1)
#define SUITE_DEFINE(module, threads)                                         \
	static void fill_##module(Suite *suite);                              \
	static struct suite_entry entry_##module = { #module, threads,        \
						     fill_##module, NULL };   \
	__attribute__((constructor)) static void register_##module(void)      \
	{                                                                     \
		suite_register(&entry_##module);                              \
	}                                                                     \
	static void fill_##module(Suite *suite)
#endif
