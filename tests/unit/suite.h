/*
 * Each tests/unit/test_MODULE.c defines its suite with SUITE(MODULE) and is
 * run by main.c without being named anywhere else:
 *
 *	SUITE(bytes)
 *	{
 *		TCase *tc = tcase_create("buf");
 *		tcase_add_test(tc, a_test);
 *		suite_add_tcase(suite, tc);
 *	}
 */
#ifndef TESTS_UNIT_SUITE_H
#define TESTS_UNIT_SUITE_H
#include <check.h>

struct suite_entry {
	const char *name;
	void (*fill)(Suite *suite);
	struct suite_entry *next;
};
void suite_register(struct suite_entry *entry);

#define SUITE(module)                                                         \
	static void fill_##module(Suite *suite);                              \
	static struct suite_entry entry_##module = { #module, fill_##module,  \
						     NULL };                  \
	__attribute__((constructor)) static void register_##module(void)      \
	{                                                                     \
		suite_register(&entry_##module);                              \
	}                                                                     \
	static void fill_##module(Suite *suite)
#endif
