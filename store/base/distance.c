#include "store/base/distance.h"

unsigned distance_of(struct bytes a, struct bytes b, unsigned limit)
{
	unsigned rows[3][DISTANCE_LONGEST + 1];
	unsigned *two = rows[0], *above = rows[1], *row = rows[2];
	size_t i, j;

	if (a.len > DISTANCE_LONGEST || b.len > DISTANCE_LONGEST)
		return limit + 1;
	for (j = 0; j <= b.len; j++)
		above[j] = (unsigned)j;
	for (i = 1; i <= a.len; i++) {
		unsigned *old = two;

		row[0] = (unsigned)i;
		for (j = 1; j <= b.len; j++) {
			unsigned best = above[j - 1] +
					(a.ptr[i - 1] != b.ptr[j - 1]);

			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] &&
			    a.ptr[i - 2] == b.ptr[j - 1] &&
			    two[j - 2] + 1 < best)
				best = two[j - 2] + 1;
			row[j] = best;
		}
		two = above;
		above = row;
		row = old;
	}
	return above[b.len] > limit ? limit + 1 : above[b.len];
}
