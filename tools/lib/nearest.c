#include "tools/lib/nearest.h"

#include <stdio.h>
#include <string.h>

#include "store/base/distance.h"

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
	d = distance_of(n->word, name, n->most);
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
