/* Each test's own tree, with a shop. */
#include "tests/lib/shop.h"

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
