#include "store/type/json/map.h"

#include <errno.h>
#include <stdlib.h>
#include <unicase.h>

#include "store/type/json/json.h"

/* A name before it is known which of the others it equals. */
struct map_spelling {
	struct bytes name;
	size_t place;	/* of it among all names */
};

static int compare_spellings(const void *a, const void *b)
{
	const struct map_spelling *x = a, *y = b;
	int order = bytes_compare(x->name, y->name);

	return order ? order : x->place < y->place ? -1 : x->place > y->place;
}

/* *first: for each of the names the place of the first that equals it. */
static int find_first(struct arena *arena, size_t **first,
		      struct map_spelling *spellings, size_t count)
{
	size_t i, equal = 0;

	*first = arena_zalloc(arena, count + 1, sizeof(**first));
	if (!*first)
		return -ENOMEM;
	qsort(spellings, count, sizeof(*spellings), compare_spellings);
	for (i = 0; i < count; i++) {
		if (!bytes_equal(spellings[i].name, spellings[equal].name))
			equal = i;
		(*first)[spellings[i].place] = spellings[equal].place;
	}
	return 0;
}

int json_read_map(struct arena *arena, struct json_member **members,
		  size_t *count, struct bytes text, struct type_error *error)
{
	struct map_spelling *spellings;
	size_t *first, i, kept = 0;
	struct json_member *m;
	int err = json_read_object(arena, members, count, text, error);

	if (err)
		return err;
	m = *members;
	spellings = arena_zalloc(arena, *count + 1, sizeof(*spellings));
	if (!spellings)
		return -ENOMEM;
	for (i = 0; i < *count; i++)
		spellings[i] = (struct map_spelling){ m[i].name, i };
	err = find_first(arena, &first, spellings, *count);
	if (err)
		return err;
	for (i = 0; i < *count; i++)
		m[first[i]].value = m[i].value;
	for (i = 0; i < *count; i++)
		if (first[i] == i)
			m[kept++] = m[i];
	*count = kept;
	return 0;
}

/* Make a name lower case, unless it has quotes of its own. */
static int called(struct bytes *name, struct arena *arena, struct bytes written)
{
	uint8_t *lower;
	size_t len;

	if (written.len > 1 && written.ptr[0] == '"' &&
	    written.ptr[written.len - 1] == '"') {
		*name = bytes_of(written.ptr + 1, written.len - 2);
		return 0;
	}
	lower = u8_tolower(written.ptr, written.len, "", NULL, NULL, &len);
	if (!lower)
		return -ENOMEM;
	*name = arena_copy(arena, bytes_of(lower, len));
	free(lower);
	return arena->failed ? -ENOMEM : 0;
}

/*
 * Names 0 to count - 1 are as written, the next count names as called. held is
 * the place in the new order, counted from 1, of each name that the map holds.
 */
static int rename_members(struct arena *arena, struct json_member **members,
			  size_t *count, const struct map_spelling *written,
			  const size_t *first)
{
	size_t n = *count, i, used = n, kept = 0;
	size_t *held = arena_zalloc(arena, 2 * n + 1, sizeof(*held));
	struct json_member *m = arena_zalloc(arena, 2 * n + 1, sizeof(*m));
	bool *gone = arena_zalloc(arena, 2 * n + 1, sizeof(*gone));

	if (!held || !m || !gone)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		m[i] = (*members)[i];
		held[i] = i + 1;
	}
	for (i = 0; i < n; i++) {
		size_t from = held[i], *to = &held[first[n + i]];

		if (first[n + i] == i)
			continue;
		held[i] = 0;
		gone[from - 1] = true;
		if (!*to)
			*to = ++used;
		m[*to - 1].name = written[n + i].name;
		m[*to - 1].value = m[from - 1].value;
	}
	for (i = 0; i < used; i++)
		if (!gone[i])
			m[kept++] = m[i];
	*members = m;
	*count = kept;
	return 0;
}

int json_call_members(struct arena *arena, struct json_member **members,
		      size_t *count)
{
	size_t n = *count, i, *first;
	struct map_spelling *names = arena_zalloc(arena, 2 * n + 1,
						  sizeof(*names));
	struct map_spelling *sorted = arena_zalloc(arena, 2 * n + 1,
						   sizeof(*sorted));
	int err = names && sorted ? 0 : -ENOMEM;

	for (i = 0; i < n && !err; i++) {
		names[i] = (struct map_spelling){ (*members)[i].name, i };
		names[n + i].place = n + i;
		err = called(&names[n + i].name, arena, names[i].name);
	}
	if (err)
		return err;
	for (i = 0; i < 2 * n; i++)
		sorted[i] = names[i];
	err = find_first(arena, &first, sorted, 2 * n);
	return err ? err : rename_members(arena, members, count, names, first);
}
