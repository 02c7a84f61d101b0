/* Sorted runs: files that do not overlap are read as one, and found by key. */
#include "store/lsm/lsm_version.h"
#include "store/sstable/cache.h"
#include "store/sstable/iterate.h"
#include "store/sstable/writer.h"
#include "tests/lib/model.h"
#include "tests/lib/scratch.h"
#include "tests/unit/suite.h"

#define PARTITIONS 12

static struct block_cache *cache;

static void begin(void)
{
	ck_assert_int_eq(block_cache_new(&cache, 1 << 20), 0);
}

static void end(void)
{
	block_cache_free(cache);
}

static void fill(struct model *m, struct random *rng, uint32_t changes)
{
	struct batch batch = BATCH_INIT;

	model_init(m, PARTITIONS);
	while (changes--)
		model_random_change(m, rng, &batch, 1);
	batch_release(&batch);
}

static bool is_before(struct bytes key, const struct model *m, uint32_t place)
{
	return place >= m->count ||
	       bytes_compare(key, m->places[place].key) < 0;
}

/* Write what the model has from partition `from` on and below `to`. NULL: it
 * has nothing there. */
static struct sstable *write_part(const struct model *m, uint64_t number,
				  uint32_t from, uint32_t to)
{
	struct sstable_options options = { .block_size = 64 };
	struct iterator *it = model_iterate(m, false);
	struct sstable_writer *w;
	struct sstable_info info;
	struct deletion force;
	struct sstable *t = NULL;
	struct entry entry;
	size_t added = 0;

	ck_assert_int_eq(sstable_writer_create(&w, &file_system, scratch.dir,
					       number, &options), 0);
	ck_assert_int_eq(iterator_seek(it, m->places[from * MODEL_PARTITION].key,
				       &force), 0);
	while (iterator_next(it, &entry) > 0 &&
	       is_before(entry.key, m, to * MODEL_PARTITION)) {
		ck_assert_int_eq(sstable_writer_add(w, &entry), 0);
		added++;
	}
	if (added) {
		ck_assert_int_eq(sstable_writer_finish(w, &info), 0);
		ck_assert_int_eq(sstable_open(&t, &file_system, scratch.dir,
					      number, cache), 0);
	}
	sstable_writer_close(w);
	iterator_close(it);
	return t;
}

/* Read from all places, also from between the files, in both directions. */
START_TEST(a_run_is_one_source)	/* _i is the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct sstable *files[PARTITIONS];
	struct model m;
	struct iterator *it;
	uint32_t from = 0, to, place;
	size_t count = 0, i;
	bool reverse = _i & 1;

	fill(&m, &rng, 10 + random_below(&rng, 150));
	for (; from < PARTITIONS; from = to) {
		to = from + 1 + random_below(&rng, 4);
		files[count] = write_part(&m, count + 1, from,
					  to < PARTITIONS ? to : PARTITIONS);
		count += files[count] != NULL;
	}
	ck_assert_int_eq(sstable_iterate_run(&it, files, count, reverse,
					     false), 0);
	for (i = 0; i < count; i++)
		sstable_put(files[i]);
	for (place = 0; place < m.count; place++)
		model_check(&m, it, reverse, place, false);
	model_check(&m, it, reverse, reverse ? m.count : 0, false);
	iterator_close(it);
	model_release(&m);
}
END_TEST

/* The files of a partition, looked for one by one. */
static size_t count_over(const struct version *v, struct bytes key)
{
	size_t i, count = 0;

	for (i = 0; i < v->file_count; i++)
		count += bytes_compare(v->files[i].first, key) <= 0 &&
			 bytes_compare(key, v->files[i].last) <= 0;
	return count;
}

static void check_run(const struct version *v, size_t run, struct bytes key)
{
	size_t begin = run ? v->run_ends[run - 1] : 0, want = begin;

	while (want < v->run_ends[run] &&
	       bytes_compare(v->in_runs[want]->last, key) < 0)
		want++;
	ck_assert_uint_eq(version_find_in_run(v, run, key), want);
}

static void check_version(const struct version *v, const struct model *m)
{
	size_t run, i = 0, most = 0;
	uint32_t place;

	for (run = 0; run < v->run_count; run++) {
		ck_assert_uint_lt(i, v->run_ends[run]);
		for (i++; i < v->run_ends[run]; i++)
			ck_assert_int_lt(bytes_compare(v->in_runs[i - 1]->last,
						       v->in_runs[i]->first),
					 0);
		for (place = 0; place < m->count; place++)
			check_run(v, run, m->places[place].key);
	}
	ck_assert_uint_eq(i, v->file_count);
	for (i = 1; i < v->file_count; i++)
		ck_assert_int_ge(
			sstable_info(v->files[i - 1].sstable)->max_timestamp,
			sstable_info(v->files[i].sstable)->max_timestamp);
	for (place = 0; place < m->count; place++) {
		i = count_over(v, m->places[place].key);
		most = i > most ? i : most;
	}
	ck_assert_uint_eq(v->run_count, most);
}

START_TEST(files_make_the_fewest_runs)	/* _i is the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	size_t files = random_below(&rng, 24), i;
	struct version *v = version_copy(NULL, files), *copy;
	struct model m;

	fill(&m, &rng, 300);
	for (i = 0; i < files; i++) {
		uint32_t from = random_below(&rng, PARTITIONS);
		uint32_t to = from + 1 + random_below(&rng, PARTITIONS - from);
		struct sstable *t = write_part(&m, i + 1, from, to);

		if (t)
			v->files[v->file_count++].sstable = t;
	}
	version_arrange(v);
	check_version(v, &m);
	copy = version_copy(v, 0);
	version_put(v);
	check_version(copy, &m);
	while (copy->file_count)
		sstable_put(copy->files[--copy->file_count].sstable);
	version_arrange(copy);
	ck_assert_uint_eq(copy->run_count, 0);
	version_put(copy);
	model_release(&m);
}
END_TEST

SUITE(runs)
{
	TCase *tc = tcase_create("runs");

	scratch_fixture(tc);
	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_loop_test(tc, a_run_is_one_source, 0, test_scale(100));
	tcase_add_loop_test(tc, files_make_the_fewest_runs, 0,
			    test_scale(100));
	suite_add_tcase(suite, tc);
}
