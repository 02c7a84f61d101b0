#include "fs/query/terms.h"

#include <errno.h>
#include <string.h>

/* Split text at its first c: *before is the part before it, *text the part
 * after it. False: there is none. */
static bool cut(struct bytes *text, uint8_t c, struct bytes *before)
{
	const uint8_t *at = text->len ? memchr(text->ptr, c, text->len) : NULL;

	if (!at)
		return false;
	*before = bytes_of(text->ptr, (size_t)(at - text->ptr));
	*text = bytes_of(at + 1, text->len - before->len - 1);
	return true;
}

static bool has(struct bytes text, uint8_t c)
{
	return text.len && memchr(text.ptr, c, text.len);
}

static struct bytes null_if_empty(struct bytes b)
{
	return b.len ? b : BYTES_NULL;
}

/* Set the term's values from LO..HI or V. */
static int parse_values(struct query_term *t, struct bytes text)
{
	const uint8_t *dots = text.len ? memmem(text.ptr, text.len, "..", 2) :
					 NULL;
	struct bytes end;

	t->operator = dots ? QUERY_RANGE : QUERY_EQUAL;
	t->value = text;
	if (!dots)
		return text.len ? 0 : -ENOENT;
	end = bytes_of(dots + 2, text.len - (size_t)(dots - text.ptr) - 2);
	if (end.len && memmem(end.ptr, end.len, "..", 2))
		return -ENOENT;
	t->value.len -= end.len + 2;
	if (!t->value.len && !end.len)
		return -ENOENT;
	t->value = null_if_empty(t->value);
	t->end = null_if_empty(end);
	return 0;
}

static int parse_limit(struct query_terms *q, struct bytes text,
		       const char **why)
{
	size_t i;

	*why = "@limit is given twice";
	if (q->limited)
		return -EINVAL;
	*why = "@limit is a number of rows, of at most 18 digits";
	if (!text.len || text.len > 18)
		return -EINVAL;
	for (i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return -EINVAL;
		q->limit = q->limit * 10 + (uint64_t)(text.ptr[i] - '0');
	}
	*why = "LIMIT must be strictly positive";	/* as CQL says it */
	if (!q->limit)
		return -EINVAL;
	q->limited = true;
	*why = NULL;
	return 0;
}

static int parse_after(struct query_terms *q, struct bytes text,
		       const char **why)
{
	*why = "@after is given twice";
	if (!bytes_is_null(q->after))
		return -EINVAL;
	*why = NULL;
	q->after = text;
	return text.len ? 0 : -ENOENT;
}

static int parse_flag(bool *flag, const char **why)
{
	*why = "@desc or @scan is given twice";
	if (*flag)
		return -EINVAL;
	*why = NULL;
	*flag = true;
	return 0;
}

static int add_term(struct query_terms *q, struct bytes column,
		    enum query_operator operator, struct bytes text)
{
	struct query_term *t = &q->terms[q->count];

	if (q->count == QUERY_TERMS_MAX || !column.len)
		return -ENOENT;
	q->count++;
	*t = (struct query_term){ .operator = operator, .column = column,
				  .value = text };
	if (operator == QUERY_LIKE)
		return text.len ? 0 : -ENOENT;
	if (bytes_equal(column, bytes_str("token"))) {
		t->on_token = true;
		t->column = BYTES_NULL;
	}
	return parse_values(t, text);
}

/* Parse the text between the '@' and the comma. */
static int parse_term(struct query_terms *q, struct bytes text,
		      const char **why)
{
	struct bytes name, before;

	if (bytes_equal(text, bytes_str("desc")))
		return parse_flag(&q->descending, why);
	if (bytes_equal(text, bytes_str("scan")))
		return parse_flag(&q->scan, why);
	name = text;
	if (cut(&name, '=', &before) && !has(before, '~')) {
		if (bytes_equal(before, bytes_str("limit")))
			return parse_limit(q, name, why);
		if (bytes_equal(before, bytes_str("after")))
			return parse_after(q, name, why);
		if (has(name, '='))
			return -ENOENT;
		return add_term(q, before, QUERY_EQUAL, name);
	}
	name = text;
	return cut(&name, '~', &before) ?
		       add_term(q, before, QUERY_LIKE, name) : -ENOENT;
}

static int parse_terms(struct query_terms *out, struct bytes name,
		       const char **why)
{
	static const char cols[] = "@cols=";
	struct bytes one;
	bool more;
	int err = 0;

	do {
		if (bytes_begin_with(name, bytes_str(cols))) {
			out->columns = bytes_of(name.ptr + sizeof(cols) - 1,
						name.len - sizeof(cols) + 1);
			return out->columns.len ? 0 : -ENOENT;
		}
		more = cut(&name, ',', &one);
		if (!more)
			one = name;
		if (!one.len || one.ptr[0] != '@')
			return -ENOENT;
		err = parse_term(out, bytes_of(one.ptr + 1, one.len - 1), why);
	} while (!err && more);
	return err;
}

int query_parse(struct query_terms *out, struct bytes name, const char **why)
{
	int err;

	memset(out, 0, sizeof(*out));
	*why = NULL;
	err = parse_terms(out, name, why);
	if (err == -ENOENT)
		*why = "this is no query: its terms are @COLUMN=V, "
		       "@COLUMN=LO..HI, @COLUMN~PATTERN, @token=N..M, "
		       "@after=NAME, @limit=N, @desc and @scan, joined by ','";
	return err;
}

bool query_next_column(struct bytes *rest, struct bytes *column)
{
	if (bytes_is_null(*rest))
		return false;
	if (!cut(rest, ',', column)) {
		*column = *rest;
		*rest = BYTES_NULL;
	}
	return true;
}
