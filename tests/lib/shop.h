/* A tree with a shop (tree_shop) for each test of a case, and short names for
 * its assertions. */
#ifndef TESTS_LIB_SHOP_H
#define TESTS_LIB_SHOP_H
#include <check.h>

#include "tests/lib/tree.h"

extern struct tree shop;
void shop_fixture(TCase *tc);
/* Assert that this is the reason of the last line of .widefs/errors. */
void last_reason_is(const char *reason);

#define CREATE (O_CREAT | O_TRUNC | O_WRONLY)
#define cat_is(path, text) tree_cat_is(&shop, path, text)
#define is_gone(path) tree_is_gone(&shop, path)
#define ls_is(path, text) ck_assert_str_eq(tree_ls(&shop, path), text)
#define ok(call) ck_assert_int_eq(call, 0)
#define fails(err, call) ck_assert_int_eq(call, -(err))
#endif
