/*
 * The tree of documents: the names of long documents; the documents of many rows,
 * which are those of the tree; queries, whose entries lead to the documents of the
 * rows that those of the tree lead to.
 */
#include <errno.h>
#include <stdio.h>

#include "fs/node/name.h"
#include "store/base/alloc.h"
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

/* ----------------------------------------------------------------- queries */
#define PATH 2000

/* Append a text as a literal of CQL: of bytes that names escape, and long ones. */
static void add_key(struct random *r, struct buf *out)
{
	static const char letters[] = "%/.,@~='ab\n";
	static const char *const ends[] = { ".json", ".csv", "", "", "" };
	uint32_t n = random_below(r, 12) ? random_below(r, 5) :
					   80 + random_below(r, 200);

	buf_add_byte(out, '\'');
	while (n--) {
		char c = letters[random_below(r, sizeof(letters) - 1)];

		if (c == '\'')
			buf_add_byte(out, (uint8_t)c);
		buf_add_byte(out, (uint8_t)c);
	}
	buf_add_str(out, ends[random_below(r, 5)]);
	buf_add_byte(out, '\'');
}

static void make_rows(struct random *r)
{
	static const struct {
		const char *columns;
		uint32_t keys;
		const char *value;
	} of[] = {
		{ "one (p, v", 1, "1" }, { "two (p, q, v", 2, "1" },
		{ "deep (p, c, d, v", 3, "1" }, { "deep (p, s", 1, "7" },
		{ "deep (p, c, d, v", 3, "2" },
		{ "plain (key, column1, value", 2, "0x61" },
	};
	struct buf text = BUF_INIT;
	size_t i;
	uint32_t k;

	tree_run(&shop, "CREATE TABLE shop.one (p text PRIMARY KEY, v int);"
		 "CREATE TABLE shop.two (p text, q text, v int, PRIMARY KEY "
		 "((p, q)));"
		 "CREATE TABLE shop.deep (p text, c text, d text, v int, "
		 "s int STATIC, PRIMARY KEY (p, c, d)) WITH CLUSTERING ORDER "
		 "BY (c DESC, d ASC);"
		 "CREATE TABLE shop.plain (key text, column1 text, value blob, "
		 "PRIMARY KEY (key, column1)) WITH COMPACT STORAGE;"
		 "CREATE INDEX ON shop.deep (v); CREATE INDEX ON shop.one (v);");
	for (i = 0; i < 60; i++) {
		size_t n = i % ARRAY_SIZE(of);

		buf_clear(&text);
		buf_add_format(&text, "INSERT INTO shop.%s) VALUES (",
			       of[n].columns);
		for (k = 0; k < of[n].keys; k++) {
			/* Few partitions, of some rows each. */
			if (n > 1 && !k && random_below(r, 3))
				buf_add_str(&text, "'p'");
			else if (n > 1 && !k)
				buf_add_str(&text, "'p/.json'");
			else
				add_key(r, &text);
			buf_add_str(&text, ", ");
		}
		buf_add_format(&text, "%s);", of[n].value);
		/* Refused: an empty key of one part, and of a compact row. */
		if (strstr(buf_cstr(&text), n ? ", '', 0x" : "('',"))
			continue;
		tree_run(&shop, buf_cstr(&text));
	}
	buf_release(&text);
}

/* ------------------------------------------------------------ documents of rows */
static const char *const forms[] = { ".ndjson", ".csv" };

static void rows_of(const char *path, char out[20 * PATH])
{
	int err;

	ck_assert_msg(tree_cat(&shop, path, &err) != NULL, "%s: %d", path, err);
	ck_assert_uint_lt(shop.text.len, 20 * PATH);
	snprintf(out, 20 * PATH, "%s", buf_cstr(&shop.text));
}

static void rows_are(const char *path, const char *text)
{
	char rows[20 * PATH];

	rows_of(path, rows);
	ck_assert_str_eq(rows, text);
}

/* Set out to the name of the document of a directory, which has a '/' behind it. */
static void document_name(char out[NAME_MAX_LEN + 1], const char *name,
			  const char *suffix)
{
	struct buf document = BUF_INIT;

	buf_add(&document, name, strlen(name) - 1);
	name_shorten_for(&document, strlen(suffix));
	ck_assert_uint_le(document.len + strlen(suffix), NAME_MAX_LEN);
	snprintf(out, NAME_MAX_LEN + 1, "%s%s", buf_cstr(&document), suffix);
	buf_release(&document);
}

/* Check the document of a directory, "NAME/", in both trees. */
static void same_documents(const char *above, const char *name)
{
	char document[NAME_MAX_LEN + 1], path[2 * PATH];
	char text[20 * PATH], other[20 * PATH];
	struct stat one, two;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		document_name(document, name, forms[i]);
		snprintf(path, sizeof(path), ".json/%s/%s", above, document);
		rows_of(path + strlen(".json/"), text);
		rows_of(path, other);
		ck_assert_str_eq(other, text);
		ok(tree_stat(&shop, path + strlen(".json/"), &one));
		ok(tree_stat(&shop, path, &two));
		ck_assert_uint_ne(one.st_ino, two.st_ino);
		ck_assert_uint_eq(one.st_mode, two.st_mode);
		ck_assert_int_eq(one.st_size, two.st_size);
		ck_assert_int_eq(one.st_mtim.tv_sec, two.st_mtim.tv_sec);
		ck_assert_int_eq(one.st_mtim.tv_nsec, two.st_mtim.tv_nsec);
	}
}

/* Check those of all directories below a table, so many levels; return how
 * many. */
static size_t same_below(const char *path, int levels)
{
	char names[60 * PATH], below[PATH], *name, *rest;
	size_t count = 0;

	snprintf(names, sizeof(names), "%s", tree_ls(&shop, path));
	for (name = strtok_r(names, " ", &rest); name;
	     name = strtok_r(NULL, " ", &rest)) {
		if (!strcmp(name, "@static/") || !strcmp(name, "@key"))
			continue;
		same_documents(path, name);
		count++;
		snprintf(below, PATH, "%s/%.*s", path, (int)strlen(name) - 1,
			 name);
		if (levels > 1)
			count += same_below(below, levels - 1);
	}
	return count;
}

START_TEST(documents_of_rows_are_those_of_the_tree)	/* _i is the seed */
{
	struct random r = random_seeded((uint64_t)_i);

	make_rows(&r);
	same_documents("shop", "one/");
	same_documents("shop", "deep/");
	same_documents("shop", "plain/");
	ck_assert_uint_ge(same_below("shop/one", 1), 5);
	ck_assert_uint_ge(same_below("shop/two", 1), 5);
	ck_assert_uint_ge(same_below("shop/deep", 2), 8);
	ck_assert_uint_ge(same_below("shop/plain", 1), 2);
	/* What has none in the tree has none there. */
	is_gone(".json/shop/none.ndjson");
	is_gone(".json/shop/deep/none.csv");
	is_gone(".json/shop/deep/p/none.csv");
	is_gone(".json/shop.ndjson");
}
END_TEST

/* A directory without rows has an empty document in the tree in which it was made;
 * the removal of a document removes those of both trees, with what is kept below. */
START_TEST(a_directory_that_is_kept_goes_with_its_document_in_both_trees)
{
	static const char *const trees[] = { "", ".json/" };
	const char *made = trees[_i & 1], *other = trees[!(_i & 1)];
	const char *removed = trees[_i >> 1 & 1];
	char path[50], document[50];
	size_t i;

	is_gone("shop/by_city/o.ndjson");
	is_gone(".json/shop/by_city/o.ndjson");
	snprintf(path, sizeof(path), "%sshop/by_city/o", made);
	ok(tree_mkdir(&shop, path));
	snprintf(document, sizeof(document), "%sshop/by_city/o.ndjson", made);
	rows_are(document, "");
	snprintf(document, sizeof(document), "%sshop/by_city/o.ndjson", other);
	is_gone(document);
	snprintf(path, sizeof(path), "%sshop/by_city/o", other);
	ok(tree_mkdir(&shop, path));
	same_documents("shop/by_city", "o/");
	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%sshop/by_city/o/l",
			 trees[i]);
		ok(tree_mkdir(&shop, path));
	}
	same_documents("shop/by_city/o", "l/");
	if (_i >> 2)
		ok(tree_echo(&shop, ".json/shop/by_city/o.csv",
			     O_WRONLY | O_APPEND, "last,first\nl,f\n"));
	snprintf(document, sizeof(document), "%sshop/by_city/o.csv", removed);
	ok(tree_unlink(&shop, document));
	ls_is("shop/by_city", "");
	ls_is(".json/shop/by_city", "");
	is_gone("shop/by_city/o.csv");
	is_gone(".json/shop/by_city/o.csv");
}
END_TEST

/* A row's document has no directory in .json: a file that an editor makes may have
 * the row's name. */
START_TEST(a_document_that_is_removed_leaves_the_files_of_editors)
{
	const char *document = _i ? ".json/shop/users/4913.json" :
				    "shop/users/4913.ndjson";

	ok(tree_echo(&shop, ".json/shop/users/4913.json", CREATE,
		     "{\"age\": 5}\n"));
	ok(tree_echo(&shop, ".json/shop/users/4913", CREATE, "text"));
	ok(tree_unlink(&shop, document));
	is_gone("shop/users/4913");
	is_gone(".json/shop/users/4913.json");
	cat_is(".json/shop/users/4913", "text");
}
END_TEST

/* Set to where a link leads to, from the root; *size to that of the link. */
static void follow(const char *query, const char *entry, char out[PATH])
{
	struct buf target = BUF_INIT;
	struct fs_entry link;
	char path[PATH];

	snprintf(path, PATH, "%s/%s", query, entry);
	ok(tree_walk(&shop, path, &link));
	ck_assert_uint_eq(link.attr.st_mode & S_IFMT, S_IFLNK);
	ck_assert_int_eq(fs_readlink(shop.fs, &shop.call, link.node, &target),
			 0);
	ck_assert_int_eq(link.attr.st_size, (off_t)target.len);
	ck_assert_msg(!strncmp(buf_cstr(&target), "../", 3), "%s",
		      buf_cstr(&target));
	snprintf(out, PATH, "%.*s/%s", (int)(strrchr(query, '/') - query),
		 query, buf_cstr(&target) + 3);
	buf_release(&target);
	fs_forget(shop.fs, link.node, 1);
}

/* Check that `document` is the name of the document beside a directory. */
static void is_document_of(const char *document, const char *name)
{
	size_t len = strlen(name), at = strlen(document) - strlen(".json");

	ck_assert_str_eq(document + at, ".json");
	ck_assert_uint_le(at, NAME_MAX_LEN - strlen(".json"));
	if (len + strlen(".json") <= NAME_MAX_LEN) {
		ck_assert_uint_eq(at, len);
		ck_assert(!memcmp(document, name, len));
	} else {
		ck_assert(name_is_shortened(bytes_of(document, at)));
		ck_assert(!memcmp(document, name, at - NAME_TAIL_LEN));
	}
}

static void text_of(const char *path, char out[PATH])
{
	int err;

	ck_assert_msg(tree_cat(&shop, path, &err) != NULL, "%s: %d", path, err);
	snprintf(out, PATH, "%s", buf_cstr(&shop.text));
}

/* Check the entries of that name in both trees. */
static void same_row(const char *query, const char *in_tree,
		     const char *in_json, bool plain)
{
	char one[PATH], other[PATH], path[PATH], text[PATH];
	char *step, *last;

	snprintf(path, PATH, ".json/%s", query);
	follow(query, in_tree, one);
	follow(path, in_json, other);
	if (plain) {
		ck_assert_str_eq(in_json, in_tree);
		ck_assert_str_eq(other + strlen(".json/"), one);
		if (name_is_shortened(bytes_str(strrchr(one, '/') + 1))) {
			strcat(one, "/value");
			strcat(other, "/value");
		}
	} else {
		step = strrchr(one, '/') + 1;
		last = strrchr(other, '/') + 1;
		is_document_of(in_json, in_tree);
		is_document_of(last, step);
		ck_assert_uint_eq(last - other, step - one + 6);
		ck_assert(!memcmp(one, other + 6, (size_t)(step - one)));
		strcat(one, ".json");
		snprintf(path, PATH, ".json/%s/%s", query, in_tree);
		is_gone(path);
		snprintf(path, PATH, "%s/%s", query, in_json);
		is_gone(path);
	}
	text_of(one, text);
	cat_is(other, text);
}

/* Check a query, its entries and its documents, in both trees; return how many
 * rows it has. */
static size_t same_query(const char *query, bool plain)
{
	static const char *const suffixes[] = { ".ndjson", ".csv" };
	struct buf tree = BUF_INIT, json = BUF_INIT;
	char path[PATH], *t, *j, *rest_t, *rest_j;
	size_t i, rows = 0;
	int err;

	ck_assert_msg(tree_ls(&shop, query) != NULL, "%s", query);
	buf_add_bytes(&tree, buf_bytes(&shop.text));
	snprintf(path, PATH, ".json/%s", query);
	ck_assert_msg(tree_ls(&shop, path) != NULL, "%s", path);
	buf_add_bytes(&json, buf_bytes(&shop.text));
	t = strtok_r((char *)buf_cstr(&tree), " ", &rest_t);
	j = strtok_r((char *)buf_cstr(&json), " ", &rest_j);
	for (; t && j; rows++) {
		same_row(query, t, j, plain);
		t = strtok_r(NULL, " ", &rest_t);
		j = strtok_r(NULL, " ", &rest_j);
	}
	ck_assert(!t && !j);
	for (i = 0; i < 2; i++) {
		buf_clear(&tree);
		snprintf(path, PATH, ".json/%s%s", query, suffixes[i]);
		ck_assert_ptr_nonnull(tree_cat(&shop, path + 6, &err));
		buf_add_bytes(&tree, buf_bytes(&shop.text));
		ck_assert_ptr_nonnull(tree_cat(&shop, path, &err));
		ck_assert_str_eq(buf_cstr(&shop.text), buf_cstr(&tree));
	}
	buf_release(&tree);
	buf_release(&json);
	return rows;
}

START_TEST(a_query_of_documents_is_that_of_the_tree)	/* _i is the seed */
{
	static const struct {
		const char *query;
		size_t least;
	} of[] = {
		{ "one/@token=-9223372036854775808..", 5 }, { "one/@v=1", 5 },
		{ "one/@v=2", 0 }, { "one/@v=1,@limit=2", 2 },
		{ "two/@token=-9223372036854775808..", 5 },
		{ "two/@v=1,@scan", 5 },
		{ "deep/@token=-9223372036854775808..", 5 },
		{ "deep/@v=2", 5 }, { "deep/p/@limit=100", 3 },
		{ "deep/p/@desc,@limit=3", 3 },
		{ "deep/p%2F%2Ejson/@desc", 1 }, { "deep/p/@c=a..", 0 },
		{ "deep/p/@v=1,@scan", 1 },
		{ "plain/@token=-9223372036854775808..", 5 },
		{ "plain/@limit=3", 3 },
	};
	struct random r = random_seeded((uint64_t)_i);
	char path[PATH], prefix[PATH], *name, *rest;
	size_t i, prefixes = 0;

	make_rows(&r);
	for (i = 0; i < ARRAY_SIZE(of); i++) {
		snprintf(path, PATH, "shop/%s", of[i].query);
		ck_assert_uint_ge(same_query(path, !strncmp(of[i].query,
							    "plain", 5)),
				  of[i].least);
	}
	/* In each prefix. */
	snprintf(path, PATH, "%.*s", PATH - 1, tree_ls(&shop, "shop/deep/p"));
	for (name = strtok_r(path, " ", &rest); name;
	     name = strtok_r(NULL, " ", &rest)) {
		if (!strcmp(name, "@static/"))
			continue;
		snprintf(prefix, PATH, "shop/deep/p/%.*s/@limit=9",
			 (int)strlen(name) - 1, name);
		ck_assert_uint_ge(same_query(prefix, false), 1);
		prefixes++;
	}
	ck_assert_uint_ge(prefixes, 3);
}
END_TEST

START_TEST(a_query_is_listed_whole_or_fails_without_memory)
{
	static const char query[] = ".json/shop/by_city/c/@limit=3";
	long nth = 0, failed;
	struct buf target = BUF_INIT;
	struct fs_entry link;
	const char *names;
	int err;

	tree_run(&shop, "INSERT INTO shop.by_city (city, last, first) VALUES "
			"('c', 'l', 'f'); INSERT INTO shop.by_city (city, last, "
			"first) VALUES ('c', 'l', 'g');");
	ck_assert(buf_reserve(&shop.text, 1 << 12));
	ck_assert(buf_reserve(&target, 100));
	do {
		mem_fail_at(++nth, 0);
		names = tree_ls(&shop, query);
		failed = mem_failures();
		mem_fail_at(0, 0);
		ck_assert_msg(!names || !strcmp(names, "l,f.json l,g.json "),
			      "%ld: %s", nth, names);
	} while (failed);
	ck_assert_ptr_nonnull(names);
	ck_assert_int_gt(nth, 10);
	nth = 0;
	do {
		ok(tree_walk(&shop, ".json/shop/by_city/c/@limit=3/l,g.json",
			     &link));
		buf_clear(&target);
		mem_fail_at(++nth, 0);
		err = fs_readlink(shop.fs, &shop.call, link.node, &target);
		failed = mem_failures();
		mem_fail_at(0, 0);
		fs_forget(shop.fs, link.node, 1);
		ck_assert_msg(err == -ENOMEM ||
			      (!err && bytes_equal(buf_bytes(&target),
						   bytes_str("../l/g.json"))),
			      "%ld: %d, %s", nth, err, buf_cstr(&target));
	} while (failed);
	ok(err);
	buf_release(&target);
}
END_TEST

SUITE(fs_json)
{
	TCase *tc = tcase_create("fs_json");

	tcase_set_timeout(tc, test_timeout());
	shop_fixture(tc);
	tcase_add_loop_test(tc, a_long_document_is_found_by_the_name_of_its_directory,
			    0, 70);
	tcase_add_loop_test(tc, documents_of_rows_are_those_of_the_tree, 1,
			    1 + test_scale(20));
	tcase_add_loop_test(tc, a_directory_that_is_kept_goes_with_its_document_in_both_trees,
			    0, 8);
	tcase_add_loop_test(tc, a_document_that_is_removed_leaves_the_files_of_editors,
			    0, 2);
	tcase_add_loop_test(tc, a_query_of_documents_is_that_of_the_tree, 1,
			    1 + test_scale(20));
	tcase_add_test(tc, a_query_is_listed_whole_or_fails_without_memory);
	suite_add_tcase(suite, tc);
}
