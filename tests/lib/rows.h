/* Random rows from few columns, paths, times and values, so that they meet. */
#ifndef TESTS_LIB_ROWS_H
#define TESTS_LIB_ROWS_H
#include "store/row/row.h"
#include "tests/lib/random.h"

/* A row of up to columns columns from ROWS_COLUMN on; odd ones are collections. */
#define ROWS_COLUMN 64
void random_row(struct random *rng, struct arena *arena, struct row *row,
		uint32_t columns);
/* A key of a row in the partition of that name, the thread's until the next. */
struct bytes row_key(const char *partition);
/* Two rows are the same in every part. */
bool rows_equal(const struct row *a, const struct row *b);
#endif
