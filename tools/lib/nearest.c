#include "tools/lib/nearest.h"

#include <stdio.h>
#include <string.h>

/* Count the letters to change, add, drop or swap with the next. */
static unsigned distance(struct bytes a, struct bytes b)
{
	unsigned row[3][NEAREST_MAX + 1];	/* of i - 2, i - 1 and i, in turn */
	size_t i, j;

	for (j = 0; j <= b.len; j++)
		row[0][j] = (unsigned)j;
	for (i = 1; i <= a.len; i++) {
		unsigned *now = row[i % 3], *before = row[(i + 2) % 3];

		now[0] = (unsigned)i;
		for (j = 1; j <= b.len; j++) {
			bool same = a.ptr[i - 1] == b.ptr[j - 1];
			unsigned least = before[j - 1] + !same;

			if (before[j] + 1 < least)
				least = before[j] + 1;
			if (now[j - 1] + 1 < least)
				least = now[j - 1] + 1;
			if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] &&
			    a.ptr[i - 2] == b.ptr[j - 1] &&
			    row[(i + 1) % 3][j - 2] + 1 < least)
				least = row[(i + 1) % 3][j - 2] + 1;
			now[j] = least;
		}
	}
	return row[a.len % 3][b.len];
}

void nearest_begin(struct nearest *n, struct bytes word)
{
	/* One of its letters may be wrong, of six and more two. */
	*n = (struct nearest){
		.word = word,
		.most = word.len < 2 ? 1 : word.len < 6 ? 2 : 3,
	};
}

void nearest_offer(struct nearest *n, struct bytes name)
{
	unsigned d;

	if (n->word.len > NEAREST_MAX || name.len > NEAREST_MAX)
		return;
	d = distance(n->word, name);
	/* The beginning of a name means it, however long the rest is. */
	if (n->word.len > 1 && n->word.len < name.len &&
	    bytes_begin_with(name, n->word))
		d = 1;
	if (!d || d >= n->most)
		return;
	n->most = d;
	memcpy(n->found, name.ptr, name.len);
	n->found[name.len] = 0;
}

const char *nearest_hint(const struct nearest *n, char hint[NEAREST_HINT])
{
	*hint = 0;
	if (*n->found)
		snprintf(hint, NEAREST_HINT, " (did you mean %s?)", n->found);
	return hint;
}
