#include "tools/cql/place.h"

#include <stdio.h>

#include "store/cql/output/format.h"
#include "store/cql/output/format_width.h"

static bool is_inside(uint8_t c)	/* of a UTF-8 sequence */
{
	return (c & 0xc0) == 0x80;
}

/* Go back so many places of a line from `from`, until `least`. */
static size_t step_back(struct bytes text, size_t from, size_t least,
			unsigned places)
{
	while (from > least) {
		size_t to = from - 1;
		unsigned width;

		while (to > least && is_inside(text.ptr[to]))
			to--;
		width = cql_format_width(bytes_of(text.ptr + to, from - to));
		if (width > places)
			break;
		places -= width;
		from = to;
	}
	return from;
}

/* Step forward in the same way, until `most`. */
static size_t step_on(struct bytes text, size_t from, size_t most,
		      unsigned places)
{
	while (from < most) {
		size_t to = from + 1;
		unsigned width;

		while (to < most && is_inside(text.ptr[to]))
			to++;
		width = cql_format_width(bytes_of(text.ptr + from, to - from));
		if (width > places)
			break;
		places -= width;
		from = to;
	}
	return from;
}

static void add_line(struct buf *out, struct bytes line)
{
	size_t i;

	for (i = 0; i < line.len; i++)
		buf_add_byte(out, line.ptr[i] < 0x20 || line.ptr[i] == 0x7f ?
				  ' ' : line.ptr[i]);
}

static void add_times(struct buf *out, uint8_t c, uint32_t times)
{
	while (times--)
		buf_add_byte(out, c);
}

void cql_place_show(struct buf *out, const struct cql_error *error,
		    struct bytes statement, unsigned width, const char *hint)
{
	size_t at = error->offset, begin, end, length = error->length;
	uint32_t places;

	if (error->line < 0 || at > statement.len)
		return;
	while (!error->length && at && statement.ptr[at - 1] <= ' ')
		at--;	/* the end of input: after its last word */
	for (begin = at; begin && statement.ptr[begin - 1] != '\n';)
		begin--;
	for (end = at; end < statement.len && statement.ptr[end] != '\n';)
		end++;
	if (width < 20)
		width = 20;
	/* Show the part of a long line that is around the token. */
	if (step_on(statement, begin, end, width) < end)
		begin = step_back(statement, at, begin, width / 2);
	end = step_on(statement, begin, end, width);
	add_line(out, bytes_of(statement.ptr + begin, end - begin));
	buf_add_byte(out, '\n');
	places = cql_format_width(bytes_of(statement.ptr + begin, at - begin));
	add_times(out, ' ', places);
	buf_add_byte(out, '^');
	if (at + length > end)
		length = end > at ? end - at : 0;
	places = cql_format_width(bytes_of(statement.ptr + at, length));
	add_times(out, '~', places ? places - 1 : 0);
	buf_add_str(out, hint);
	buf_add_byte(out, '\n');
}

/* The names that Cassandra's clients give the codes. */
static const char *description(enum cql_code code)
{
	switch (code) {
	case CQL_TRUNCATE_ERROR:
		return "Error during truncate";
	case CQL_READ_FAILURE:
		return "Replica(s) failed to execute read";
	case CQL_FUNCTION_FAILURE:
		return "User Defined Function failure";
	case CQL_WRITE_FAILURE:
		return "Replica(s) failed to execute write";
	case CQL_UNAUTHORIZED:
		return "Unauthorized";
	case CQL_INVALID_REQUEST:
		return "Invalid query";
	case CQL_CONFIGURATION:
		return "Query invalid because of configuration issue";
	case CQL_ALREADY_EXISTS:
		return "Item already exists";
	default:
		return "Server error";
	}
}

void cql_error_print(struct buf *out, const struct cql_error *error)
{
	const char *c;

	buf_add_format(out, "%s: ", cql_code_name(error->code));
	if (error->code != CQL_SYNTAX)
		buf_add_format(out, "Error from server: code=%04x [%s] "
			       "message=\"", (unsigned)error->code,
			       description(error->code));
	for (c = error->message; *c; c++)	/* stays one line */
		if ((uint8_t)*c < 0x20 || *c == 0x7f)
			buf_add_format(out, "\\x%02x",
				       (uint8_t)*c);
		else
			buf_add_byte(out, (uint8_t)*c);
	if (error->code != CQL_SYNTAX)
		buf_add_byte(out, '"');
}
