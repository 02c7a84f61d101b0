/* Each test's own tree, with a shop. */
#include "tests/lib/shop.h"

#include <stdio.h>
#include <string.h>

struct tree shop;

static void set_up(void)
{
	tree_open(&shop);
	tree_shop(&shop);
}

static void tear_down(void)
{
	tree_close(&shop);
}

void shop_fixture(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, tear_down);
}

void last_reason_is(const char *reason)
{
	char wanted[1200];
	size_t len;
	int err;

	snprintf(wanted, sizeof(wanted), " %s\n", reason);
	len = strlen(wanted);
	ck_assert_ptr_nonnull(tree_cat(&shop, ".widefs/errors", &err));
	ck_assert_msg(shop.text.len >= len &&
		      !memcmp(shop.text.ptr + shop.text.len - len, wanted, len),
		      "%s, not: %s", (char *)shop.text.ptr, wanted);
}
