/*
 * The tree of documents: the names of long documents; queries, whose entries
 * lead to the documents of the rows that those of the tree lead to.
 */
#include <errno.h>
#include <stdio.h>

#include "fs/node/name.h"
#include "tests/lib/random.h"
#include "tests/lib/shop.h"
#include "tests/unit/suite.h"

/* One of 230 to 299 bytes; the name of its directory is shortened from 256 on,
 * that of its document from 251. */
START_TEST(a_long_document_is_found_by_the_name_of_its_directory)
{
	static const char *const dirs[] = { "users", "likes/p" };
	char key[300], text[1000], path[600], directory[300];
	size_t i;
	int err;

	tree_run(&shop, "DROP TABLE shop.likes; CREATE TABLE shop.likes "
			"(p text, c text, age int, PRIMARY KEY (p, c));");
	memset(key, 'a', sizeof(key));
	key[230 + _i] = 0;
	snprintf(text, sizeof(text), "INSERT INTO shop.users (user_name, age) "
		 "VALUES ('%s', 5); INSERT INTO shop.likes (p, c, age) VALUES "
		 "('p', '%s', 5);", key, key);
	tree_run(&shop, text);
	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "shop/%s", dirs[i]);
		snprintf(directory, sizeof(directory), "%s",
			 tree_ls(&shop, path));
		*strchr(directory, '/') = 0;
		snprintf(path, sizeof(path), "shop/%s/%s.json", dirs[i],
			 directory);
		ck_assert_ptr_nonnull(tree_cat(&shop, path, &err));
		snprintf(text, sizeof(text), "%s", buf_cstr(&shop.text));
		snprintf(path, sizeof(path), ".json/shop/%s/%s.json", dirs[i],
			 directory);
		cat_is(path, text);
		/* The one that is listed is that of both trees. */
		snprintf(path, sizeof(path), ".json/shop/%s", dirs[i]);
		snprintf(directory, sizeof(directory), "%s",
			 tree_ls(&shop, path));
		directory[strlen(directory) - 1] = 0;
		ck_assert_uint_le(strlen(directory), NAME_MAX_LEN);
		snprintf(path, sizeof(path), ".json/shop/%s/%s", dirs[i],
			 directory);
		cat_is(path, text);
		cat_is(path + strlen(".json/"), text);
	}
}
END_TEST

SUITE(fs_json)
{
	TCase *tc = tcase_create("fs_json");

	tcase_set_timeout(tc, test_timeout());
	shop_fixture(tc);
	tcase_add_loop_test(tc, a_long_document_is_found_by_the_name_of_its_directory,
			    0, 70);
	suite_add_tcase(suite, tc);
}
