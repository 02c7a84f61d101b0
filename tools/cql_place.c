#include "tools/cql_place.h"

#include <stdio.h>

#include "store/cql/lexer.h"
#include "store/cql/parse.h"

static void take_place(struct cql_error *error, const struct cql_error *from)
{
	error->line = from->line;
	error->column = from->column;
	error->offset = from->offset;
	error->length = from->length;
}

/* Behind what a message has the name that it is about. */
static const char *const before_names[] = {
	"Undefined column name ", "Unknown function '", "Unknown function ",
	"Unknown identifier ", "Keyspace '", "keyspace ", "table ", "Table '",
	"Unknown type ", "User defined type '", "Index '",
	"Duplicate column '", "Undefined column ", "Undefined name ",
};

struct bytes cql_place_name(const char *message)
{
	size_t i, length;

	for (i = 0; i < ARRAY_SIZE(before_names); i++) {
		size_t skip = strlen(before_names[i]);

		if (strncmp(message, before_names[i], skip))
			continue;
		length = strcspn(message + skip, " ',()");
		return bytes_of(message + skip, length);
	}
	return BYTES_NULL;
}

/* The first name of the statement that says this. */
static void find_name(struct cql_error *error, struct bytes statement,
		      struct bytes name)
{
	struct arena arena = ARENA_INIT;
	struct lexer lexer;
	struct token token;
	enum token_kind kind;
	const uint8_t *dot = memchr(name.ptr, '.', name.len);

	if (dot)	/* k.t: its second name is the one */
		name = bytes_of(dot + 1,
				(size_t)(name.ptr + name.len - dot) - 1);
	lexer_init(&lexer, statement);
	while ((kind = lexer_next(&lexer, &token)) != TOKEN_END &&
	       kind != TOKEN_BAD) {
		if (!token_is_name(kind) ||
		    !bytes_equal(token_copy(&arena, statement, token), name))
			continue;
		cql_error_at(error, statement, token.offset, token.length);
		break;
	}
	arena_release(&arena);
}

void cql_place_find(struct cql_error *error, struct bytes statement)
{
	struct arena arena = ARENA_INIT;
	struct cql_error own = CQL_ERROR_INIT;
	struct statement *parsed;
	struct bytes name;

	if (error->line >= 0 || statement.len > LEXER_TEXT_MAX)
		return;
	if (cql_parse(&arena, &parsed, statement, NULL, &own)) {
		if (own.code == error->code)
			take_place(error, &own);
	} else {
		name = cql_place_name(error->message);
		if (name.len)
			find_name(error, statement, name);
	}
	arena_release(&arena);
}

static bool is_inside(uint8_t c)	/* of a UTF-8 sequence */
{
	return (c & 0xc0) == 0x80;
}

static size_t characters(struct bytes text)
{
	size_t i, n = 0;

	for (i = 0; i < text.len; i++)
		n += !is_inside(text.ptr[i]);
	return n;
}

static void add_line(struct buf *out, struct bytes line)
{
	size_t i;

	for (i = 0; i < line.len; i++)
		buf_add_byte(out, line.ptr[i] < 0x20 || line.ptr[i] == 0x7f ?
				  ' ' : line.ptr[i]);
}

void cql_place_show(struct buf *out, const struct cql_error *error,
		    struct bytes statement, unsigned width, const char *hint)
{
	size_t at = error->offset, begin, end, length = error->length, n;

	if (error->line < 0 || at > statement.len)
		return;
	while (!error->length && at && statement.ptr[at - 1] <= ' ')
		at--;	/* the end of input: behind its last word */
	for (begin = at; begin && statement.ptr[begin - 1] != '\n';)
		begin--;
	for (end = at; end < statement.len && statement.ptr[end] != '\n';)
		end++;
	if (width < 20)
		width = 20;
	/* Of a long line the part around the token. */
	if (end - begin > width && at - begin > width / 2)
		begin = at - width / 2;
	while (begin < at && is_inside(statement.ptr[begin]))
		begin++;
	if (end - begin > width)
		end = begin + width;
	while (end > at && end < statement.len && is_inside(statement.ptr[end]))
		end--;
	add_line(out, bytes_of(statement.ptr + begin, end - begin));
	buf_add_byte(out, '\n');
	for (n = characters(bytes_of(statement.ptr + begin, at - begin)); n; n--)
		buf_add_byte(out, ' ');
	buf_add_byte(out, '^');
	if (at + length > end)
		length = end > at ? end - at : 0;
	for (n = characters(bytes_of(statement.ptr + at, length)); n > 1; n--)
		buf_add_byte(out, '~');
	buf_add_str(out, hint);
	buf_add_byte(out, '\n');
}

/* What Cassandra's clients call the codes. */
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
