#include "fs/query/spelling.h"

#include <string.h>

#include "fs/node/name.h"

/* True if the dot at `at`, in a name that begins at start, has another beside
 * it: written or escaped. */
static bool is_beside_dot(const struct buf *out, size_t start, size_t at)
{
	const uint8_t *p = out->ptr;

	return (at > start && p[at - 1] == '.') ||
	       (at >= start + 3 && !memcmp(p + at - 3, "%2E", 3)) ||
	       (at + 1 < out->len && p[at + 1] == '.') ||
	       (at + 3 < out->len && !memcmp(p + at + 1, "%2E", 3));
}

void spelling_value(struct buf *out, struct bytes text, bool before_dots)
{
	size_t start = out->len, at;

	name_escape(out, text);
	if (out->failed)
		return;
	if (before_dots && out->ptr[out->len - 1] == '.')
		name_escape_at(out, out->len - 1);
	for (at = out->len; !out->failed && at-- > start;)	/* from the end */
		if (out->ptr[at] == ',' || out->ptr[at] == '=' ||
		    (out->ptr[at] == '.' && is_beside_dot(out, start, at)))
			name_escape_at(out, at);
}

static bool is_word(struct bytes name)
{
	static const char *const words[] = { "limit", "after", "token", "cols" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (bytes_equal(name, bytes_str(words[i])))
			return true;
	return false;
}

void spelling_column(struct buf *out, struct bytes name, bool before_equal)
{
	size_t start = out->len, at;

	name_escape(out, name);
	for (at = out->len; !out->failed && at-- > start;)
		if (out->ptr[at] == ',' || out->ptr[at] == '=' ||
		    out->ptr[at] == '~')
			name_escape_at(out, at);
	if (before_equal && is_word(name) && !out->failed)
		name_escape_at(out, start);
}
