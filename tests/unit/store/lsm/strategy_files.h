/* Made-up files that the tests of strategies offer, and what is picked of them. */
#ifndef TESTS_UNIT_STORE_LSM_STRATEGY_FILES_H
#define TESTS_UNIT_STORE_LSM_STRATEGY_FILES_H
#include <stdio.h>

#include "store/lsm/strategy.h"
#include "tests/unit/suite.h"

#define MOST 400
#define MIB ((uint64_t)1 << 20)
#define NOW 2000000000

static struct strategy_file files[MOST];
static struct sstable_info infos[MOST];
static char keys[MOST][2][16];
static size_t count;
static struct lsm_table_options options;
static struct strategy_request request;

static inline void begin(void)
{
	count = 0;
	lsm_table_defaults(&options);
	options.gc_grace_s = 1000;
	request = (struct strategy_request){
		.options = &options, .files = files, .now = NOW,
		.min_memory_timestamp = INT64_MAX,
	};
}

/* A file over the keys first to last of 0 to 999, all tokens alike. */
static inline struct strategy_file *add(uint64_t size, int first, int last)
{
	struct strategy_file *f = &files[count];
	struct sstable_info *info = &infos[count];

	snprintf(keys[count][0], sizeof(keys[0][0]), "%03d", first);
	snprintf(keys[count][1], sizeof(keys[0][0]), "%03d", last);
	*info = (struct sstable_info){
		.number = count + 1, .size = size, .partition_count = 1000,
		.min_timestamp = 10, .max_timestamp = 20,
		.min_local_time = INT64_MAX, .max_local_time = INT64_MIN,
		.has_permanent = true, .cell_count = 999,
	};
	info->first_token = (int64_t)((uint64_t)first *
				      (UINT64_MAX / 1000)) ^ INT64_MIN;
	info->last_token = (int64_t)((uint64_t)last *
				     (UINT64_MAX / 1000)) ^ INT64_MIN;
	*f = (struct strategy_file){
		.info = info, .first_key = bytes_str(keys[count][0]),
		.last_key = bytes_str(keys[count][1]),
	};
	request.count = ++count;
	return f;
}

/* The picked files' numbers in ascending order, "" when there are none. */
static inline const char *picked(struct strategy_pick *pick)
{
	static char text[1000];
	size_t len = 0, i, j;
	int found = strategy_pick(pick, &request);

	ck_assert_int_ge(found, 0);
	text[0] = 0;
	if (!found)
		return text;
	ck_assert_uint_gt(pick->count, 0);
	for (i = 0; i < count; i++)
		for (j = 0; j < pick->count; j++)
			if (pick->files[j] == i)
				len += (size_t)snprintf(text + len,
							sizeof(text) - len,
							"%s%zu",
							len ? " " : "", i + 1);
	strategy_release(pick);
	return text;
}

static const enum lsm_strategy all[] = { LSM_UNIFIED, LSM_SIZE_TIERED,
					 LSM_LEVELED, LSM_TIME_WINDOW };

/* A file whose newest timestamp is in the n-th day. */
static inline struct strategy_file *add_day(uint64_t size, int64_t day)
{
	struct strategy_file *f = add(size, 0, 999);

	infos[count - 1].max_timestamp = (day * 86400 + 7) * 1000000;
	infos[count - 1].min_timestamp = (day * 86400 + 5) * 1000000;
	return f;
}

/* Of file i so much may go, since so many seconds. */
static inline void may_go(size_t i, double droppable, int64_t since)
{
	files[i].droppable = droppable;
	infos[i].min_local_time = NOW - 1000 - since;
	infos[i].max_local_time = NOW;
}
#endif
