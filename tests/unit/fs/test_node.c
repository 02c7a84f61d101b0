/* Nodes: counts, names, forwards; many threads over few names. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "store/base/alloc.h"
#include "tests/unit/suite.h"

static const struct node_ops kind_test = { .kind = "test", .directory = true };

static struct node *make(struct node_table *t, struct node *parent,
			 const char *name, const char *value)
{
	struct node_key key = { .parent = parent, .name = bytes_str(name),
				.ops = &kind_test, .value = bytes_str(value) };
	struct node *n = node_make(t, &key);

	ck_assert_ptr_nonnull(n);
	return n;
}

START_TEST(a_name_has_one_node)
{
	struct node_table t;
	struct node *a, *b, *again;
	uint64_t id;

	ck_assert_int_eq(node_table_init(&t, NULL, 77), 0);
	a = make(&t, t.root, "a", "1");
	b = make(&t, a, "b", "2");
	again = make(&t, a, "b", "2");
	ck_assert_ptr_eq(b, again);
	ck_assert(bytes_equal(node_value(b), bytes_str("2")));
	node_put(&t, again);
	id = b->id;
	node_count(b);
	node_put(&t, b);
	node_put(&t, a);
	/* The kernel's count of b holds a. */
	ck_assert_uint_eq(atomic_load(&t.count), 2);
	a = node_find(&t, t.root, bytes_str("a"));
	ck_assert_ptr_nonnull(a);
	node_put(&t, a);
	node_forget(&t, id, 1);
	ck_assert_uint_eq(atomic_load(&t.count), 0);
	ck_assert_ptr_null(node_find(&t, t.root, bytes_str("a")));
	ck_assert_ptr_null(node_by_id(&t, id));
	node_table_release(&t);
}
END_TEST

START_TEST(another_value_is_another_node)
{
	struct node_table t;
	struct node *a, *b;

	ck_assert_int_eq(node_table_init(&t, NULL, 77), 0);
	a = make(&t, t.root, "a", "1");
	b = make(&t, t.root, "a", "2");
	ck_assert_ptr_ne(a, b);
	ck_assert(atomic_load(&a->flags) & NODE_GONE);
	ck_assert_uint_eq(a->ino, b->ino);
	ck_assert_uint_ne(a->id, b->id);
	node_put(&t, a);
	a = node_find(&t, t.root, bytes_str("a"));
	ck_assert_ptr_eq(a, b);
	node_put(&t, a);
	node_put(&t, b);
	node_table_release(&t);
}
END_TEST

START_TEST(kept_nodes_are_listed)
{
	struct node_table t;
	struct node *a, *b, **list;
	size_t count;

	ck_assert_int_eq(node_table_init(&t, NULL, 77), 0);
	a = make(&t, t.root, "a", "");
	b = make(&t, t.root, "b", "");
	ck_assert(node_keep(b));
	ck_assert(!node_keep(b));
	node_put(&t, b);
	ck_assert_int_eq(node_children(&t, t.root, true, &list, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_ptr_eq(list[0], b);
	node_children_put(&t, list, count);
	ck_assert_int_eq(node_children(&t, t.root, false, &list, &count), 0);
	ck_assert_uint_eq(count, 2);
	node_children_put(&t, list, count);
	node_detach(&t, b);
	ck_assert_uint_eq(atomic_load(&t.count), 1);
	node_put(&t, a);
	node_table_release(&t);
}
END_TEST

START_TEST(a_rename_leaves_a_forward)
{
	struct node_table t;
	struct node *a, *b;

	ck_assert_int_eq(node_table_init(&t, NULL, 77), 0);
	a = make(&t, t.root, "a", "");
	b = make(&t, t.root, "b", "");
	atomic_store(&a->forward, b);	/* our reference becomes its */
	node_count(a);
	node_put(&t, a);
	ck_assert_uint_eq(atomic_load(&t.count), 2);
	node_forget(&t, a->id, 5);	/* more than it has: no harm */
	ck_assert_uint_eq(atomic_load(&t.count), 0);
	node_table_release(&t);
}
END_TEST

static void *hammer(void *context)
{
	struct node_table *t = context;
	unsigned seed = (unsigned)(uintptr_t)pthread_self();
	int i;

	for (i = 0; i < test_scale(20000); i++) {
		char name[2] = { (char)('a' + rand_r(&seed) % 8), 0 };
		struct node_key key = { .ops = &kind_test, .parent = t->root,
					.name = bytes_of(name, 1) };
		struct node *n = node_make(t, &key), *child;

		key.parent = n;
		child = node_make(t, &key);
		node_count(child);
		node_put(t, n);
		if (rand_r(&seed) % 4 == 0)
			node_detach(t, child);
		node_forget(t, child->id, 1);
		node_put(t, child);
	}
	return NULL;
}

START_TEST(threads_share_the_table)
{
	struct node_table t;
	pthread_t threads[4];
	int i;

	ck_assert_int_eq(node_table_init(&t, NULL, 77), 0);
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, hammer, &t);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(atomic_load(&t.count), 0);
	node_table_release(&t);
}
END_TEST

START_TEST(many_nodes_are_found)
{
	struct node_table t;
	char name[16];
	int i;

	ck_assert_int_eq(node_table_init(&t, NULL, 77), 0);
	for (i = 0; i < 20000; i++) {
		struct node *n;

		snprintf(name, sizeof(name), "%d", i);
		n = make(&t, t.root, name, name);
		node_count(n);
		node_put(&t, n);
	}
	for (i = 0; i < 20000; i++) {
		struct node *n;

		snprintf(name, sizeof(name), "%d", i);
		n = node_find(&t, t.root, bytes_str(name));
		ck_assert_ptr_nonnull(n);
		node_forget(&t, n->id, 1);
		node_put(&t, n);
	}
	ck_assert_uint_eq(atomic_load(&t.count), 0);
	node_table_release(&t);
}
END_TEST

#define RENAMES 20000

/* Renames a node that somebody holds, and lets it go. */
static void *rename_often(void *context)
{
	struct node_table *t = context;
	struct node *first = make(t, t->root, "a", "1"), *n = first;
	int i;

	for (i = 0; i < RENAMES; i++) {
		struct node *next;

		node_detach(t, n);
		next = make(t, t->root, i % 2 ? "a" : "b", "1");
		atomic_store(&n->forward, next);
		n = next;
	}
	ck_assert_ptr_eq(node_now(first), n);
	node_put(t, first);
	return NULL;
}

/* However many there were, a small stack is enough for the end of them. */
START_TEST(many_renames_need_no_stack)
{
	struct node_table t;
	pthread_attr_t small;
	pthread_t thread;

	ck_assert_int_eq(node_table_init(&t, NULL, 77), 0);
	ck_assert_int_eq(pthread_attr_init(&small), 0);
	ck_assert_int_eq(pthread_attr_setstacksize(&small, 256 << 10), 0);
	ck_assert_int_eq(pthread_create(&thread, &small, rename_often, &t), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	pthread_attr_destroy(&small);
	ck_assert_uint_eq(atomic_load(&t.count), 0);
	node_table_release(&t);
}
END_TEST

SUITE_THREADS(node)
{
	TCase *tc = tcase_create("node");

	tcase_add_test(tc, a_name_has_one_node);
	tcase_add_test(tc, another_value_is_another_node);
	tcase_add_test(tc, kept_nodes_are_listed);
	tcase_add_test(tc, a_rename_leaves_a_forward);
	tcase_add_test(tc, many_renames_need_no_stack);
	tcase_add_test(tc, threads_share_the_table);
	tcase_add_test(tc, many_nodes_are_found);
	suite_add_tcase(suite, tc);
}
