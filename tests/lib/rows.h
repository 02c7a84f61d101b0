/* Random rows with few different columns, paths, times and values, so that many
 * of them are equal. */
#ifndef TESTS_LIB_ROWS_H
#define TESTS_LIB_ROWS_H
#include "store/row/row.h"
#include "tests/lib/random.h"

/* Make a row of up to `columns` columns, numbered from ROWS_COLUMN on; those
 * with odd numbers are collections. */
#define ROWS_COLUMN 64
void random_row(struct random *rng, struct arena *arena, struct row *row,
		uint32_t columns);
/* Return the key of a row in the partition of that name, valid until the next
 * call of this thread. */
struct bytes row_key(const char *partition);
/* True if two rows are equal in every part. */
bool rows_equal(const struct row *a, const struct row *b);
#endif
