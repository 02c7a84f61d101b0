/* COPY: its grammar and options. */
#include "tools/cql_copy.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "store/cql/lexer.h"
#include "tools/cql_place.h"

#define NO_LIMIT (-1L)

enum option {
	OPTION_HEADER, OPTION_DELIMITER, OPTION_QUOTE, OPTION_ESCAPE,
	OPTION_NULL, OPTION_BOOLSTYLE, OPTION_MAXROWS, OPTION_SKIPROWS,
	OPTION_SKIPCOLS, OPTION_MAXPARSEERRORS, OPTION_MAXINSERTERRORS,
	OPTION_ERRFILE, OPTION_TTL, OPTION_BEGINTOKEN, OPTION_ENDTOKEN,
	OPTION_IGNORED,
};
static const struct {
	const char *name;
	enum option option;
	bool to, from;
} options[] = {
	{ "HEADER", OPTION_HEADER, true, true },
	{ "DELIMITER", OPTION_DELIMITER, true, true },
	{ "QUOTE", OPTION_QUOTE, true, true },
	{ "ESCAPE", OPTION_ESCAPE, true, true },
	{ "NULL", OPTION_NULL, true, true },
	{ "NULLVAL", OPTION_NULL, true, true },
	{ "BOOLSTYLE", OPTION_BOOLSTYLE, true, true },
	{ "MAXROWS", OPTION_MAXROWS, true, true },
	{ "SKIPROWS", OPTION_SKIPROWS, false, true },
	{ "SKIPCOLS", OPTION_SKIPCOLS, false, true },
	{ "MAXPARSEERRORS", OPTION_MAXPARSEERRORS, false, true },
	{ "MAXINSERTERRORS", OPTION_MAXINSERTERRORS, false, true },
	{ "ERRFILE", OPTION_ERRFILE, false, true },
	{ "TTL", OPTION_TTL, false, true },
	{ "BEGINTOKEN", OPTION_BEGINTOKEN, true, false },
	{ "ENDTOKEN", OPTION_ENDTOKEN, true, false },
	/* Of cqlsh's speed, which is another matter here. */
	{ "NUMPROCESSES", OPTION_IGNORED, true, true },
	{ "CHUNKSIZE", OPTION_IGNORED, false, true },
	{ "INGESTRATE", OPTION_IGNORED, false, true },
	{ "MINBATCHSIZE", OPTION_IGNORED, false, true },
	{ "MAXBATCHSIZE", OPTION_IGNORED, false, true },
	{ "PREPAREDSTATEMENTS", OPTION_IGNORED, false, true },
	{ "MAXATTEMPTS", OPTION_IGNORED, true, true },
	{ "REPORTFREQUENCY", OPTION_IGNORED, true, true },
	{ "PAGESIZE", OPTION_IGNORED, true, false },
	{ "PAGETIMEOUT", OPTION_IGNORED, true, false },
	{ "MAXREQUESTS", OPTION_IGNORED, true, false },
	{ "ENCODING", OPTION_IGNORED, true, true },
};

struct parse {
	struct copy *copy;
	struct bytes text;
	struct lexer lexer;
	struct token token;
	enum token_kind kind;
	bool failed;
};

static void advance(struct parse *p)
{
	p->kind = lexer_next(&p->lexer, &p->token);
}

static struct bytes written(const struct parse *p)
{
	return bytes_of(p->text.ptr + p->token.offset, p->token.length);
}

static bool at_word(const struct parse *p, const char *word)
{
	struct bytes text = written(p);

	return text.len == strlen(word) &&
	       !strncasecmp((const char *)text.ptr, word, text.len);
}

/* What is wrong at the token, with a caret under it. Tells once. */
static void refuse(struct parse *p, const char *what)
{
	struct cql_error error = CQL_ERROR_INIT;
	struct buf shown = BUF_INIT;

	if (p->failed)
		return;
	p->failed = true;
	cql_error_set(&error, &p->copy->arena, CQL_SYNTAX, "%s", what);
	cql_error_at(&error, p->text, p->token.offset, p->token.length);
	cql_place_show(&shown, &error, p->text, shell_width(), "");
	shell_complain(p->copy->shell, "Improper COPY command: %s", what);
	fputs(buf_cstr(&shown), stderr);
	buf_release(&shown);
}

static struct bytes take_text(struct parse *p)
{
	struct bytes text = token_copy(&p->copy->arena, p->text, p->token);

	advance(p);
	return text;
}

static struct bytes take_name(struct parse *p, const char *what)
{
	if (!token_is_name(p->kind)) {
		refuse(p, what);
		return BYTES_EMPTY;
	}
	return take_text(p);
}

static void take_table(struct parse *p)
{
	struct copy *c = p->copy;
	struct buf target = BUF_INIT;

	c->keyspace = bytes_str(c->shell->backend->keyspace);
	c->table = take_name(p, "a table is expected");
	if (p->kind == TOKEN_DOT) {
		advance(p);
		c->keyspace = c->table;
		c->table = take_name(p, "a table is expected");
	}
	if (c->keyspace.len) {
		name_print(&target, c->keyspace);
		buf_add_byte(&target, '.');
	}
	name_print(&target, c->table);
	c->target = arena_copy(&c->arena, buf_bytes(&target));
	buf_release(&target);
}

static void take_columns(struct parse *p)
{
	struct copy *c = p->copy;
	struct buf names = BUF_INIT;

	c->names = bytes_str("*");
	c->all = p->kind != TOKEN_OPEN;
	if (c->all)
		return;
	do {
		advance(p);
		if (names.len)
			buf_add_str(&names, ", ");
		name_print(&names, take_name(p, "a column is expected"));
	} while (p->kind == TOKEN_COMMA && !p->failed);
	if (p->kind != TOKEN_CLOSE)
		refuse(p, "\")\" is expected");
	advance(p);
	c->names = arena_copy(&c->arena, buf_bytes(&names));
	buf_release(&names);
}

/* A value: a constant, a word, or a number with its sign. */
static struct bytes take_value(struct parse *p)
{
	bool minus = p->kind == TOKEN_MINUS;
	struct bytes text;

	if (minus)
		advance(p);
	if (p->kind == TOKEN_END || p->kind == TOKEN_BAD ||
	    p->kind == TOKEN_SEMICOLON) {
		refuse(p, "a value is expected");
		return BYTES_EMPTY;
	}
	text = take_text(p);
	if (minus)
		text = bytes_str(arena_format(&p->copy->arena, "-%s",
					      (const char *)text.ptr));
	return text;
}

static void set_number(struct parse *p, long *out, struct bytes value)
{
	char *end;

	errno = 0;
	*out = strtol((const char *)value.ptr, &end, 10);
	if (!value.len || *end || errno || *out < NO_LIMIT)
		refuse(p, "the option takes a number");
}

static void set_character(struct parse *p, uint8_t *out, struct bytes value)
{
	if (bytes_equal(value, bytes_str("\\t")))
		value = bytes_str("\t");
	if (value.len != 1 || *value.ptr == '\n' || *value.ptr >= 0x80)
		refuse(p, "the option takes one character");
	else
		*out = *value.ptr;
}

static void set_bools(struct parse *p, struct bytes value)
{
	const uint8_t *comma = memchr(value.ptr, ',', value.len);
	const uint8_t *no;

	if (!comma) {
		refuse(p, "BOOLSTYLE takes two words with a comma between");
		return;
	}
	p->copy->yes = bytes_of(value.ptr, (size_t)(comma - value.ptr));
	for (no = comma + 1; *no == ' '; no++)
		;
	p->copy->no = bytes_of(no, (size_t)(value.ptr + value.len - no));
}

static void set_header(struct parse *p, struct bytes value)
{
	const char *text = (const char *)value.ptr;

	p->copy->header = !strcasecmp(text, "true") || !strcmp(text, "1") ||
			  !strcasecmp(text, "yes") || !strcasecmp(text, "on");
	if (!p->copy->header && strcasecmp(text, "false") &&
	    strcmp(text, "0") && strcasecmp(text, "no") &&
	    strcasecmp(text, "off"))
		refuse(p, "HEADER is true or false");
}

static void set_option(struct parse *p, enum option option, struct bytes value)
{
	struct copy *c = p->copy;

	switch (option) {
	case OPTION_HEADER:
		set_header(p, value);
		break;
	case OPTION_DELIMITER:
		set_character(p, &c->style.delimiter, value);
		break;
	case OPTION_QUOTE:
		set_character(p, &c->style.quote, value);
		break;
	case OPTION_ESCAPE:
		set_character(p, &c->style.escape, value);
		break;
	case OPTION_NULL:
		c->style.null = value;
		break;
	case OPTION_BOOLSTYLE:
		set_bools(p, value);
		break;
	case OPTION_MAXROWS:
		set_number(p, &c->max_rows, value);
		break;
	case OPTION_SKIPROWS:
		set_number(p, &c->skip_rows, value);
		break;
	case OPTION_SKIPCOLS:
		c->skip_columns = value;
		break;
	case OPTION_MAXPARSEERRORS:
		set_number(p, &c->max_parse_errors, value);
		break;
	case OPTION_MAXINSERTERRORS:
		set_number(p, &c->max_insert_errors, value);
		break;
	case OPTION_ERRFILE:
		c->error_file = value;
		break;
	case OPTION_TTL:
		set_number(p, &c->ttl, value);
		break;
	case OPTION_BEGINTOKEN:
		c->begin_token = value;
		break;
	case OPTION_ENDTOKEN:
		c->end_token = value;
		break;
	case OPTION_IGNORED:
		break;
	}
}

static void take_option(struct parse *p)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (at_word(p, options[i].name))
			break;
	if (i == ARRAY_SIZE(options)) {
		refuse(p, "unknown option (see HELP COPY)");
		return;
	}
	if (p->copy->from ? !options[i].from : !options[i].to) {
		refuse(p, p->copy->from ? "the option is one of COPY TO"
					: "the option is one of COPY FROM");
		return;
	}
	advance(p);
	if (p->kind != TOKEN_EQ) {
		refuse(p, "\"=\" is expected");
		return;
	}
	advance(p);
	set_option(p, options[i].option, take_value(p));
}

static void take_direction(struct parse *p)
{
	struct copy *c = p->copy;

	c->from = at_word(p, "FROM");
	if (!c->from && !at_word(p, "TO")) {
		refuse(p, "TO or FROM is expected");
		return;
	}
	advance(p);
	if (p->kind == TOKEN_STRING) {
		c->path = (const char *)take_text(p).ptr;
	} else if (at_word(p, c->from ? "STDIN" : "STDOUT")) {
		advance(p);
	} else {
		refuse(p, c->from ? "'FILE' or STDIN is expected"
				  : "'FILE' or STDOUT is expected");
	}
}

static bool parse(struct copy *c, struct bytes text)
{
	struct parse p = { .copy = c, .text = text };

	lexer_init(&p.lexer, text);
	advance(&p);	/* COPY */
	advance(&p);
	take_table(&p);
	if (!p.failed)
		take_columns(&p);
	if (!p.failed)
		take_direction(&p);
	if (!p.failed && at_word(&p, "WITH")) {
		do {
			advance(&p);
			take_option(&p);
		} while (!p.failed && at_word(&p, "AND"));
	}
	if (!p.failed && p.kind != TOKEN_SEMICOLON && p.kind != TOKEN_END)
		refuse(&p, "WITH, AND or the end is expected");
	if (!p.failed && c->arena.failed) {
		shell_complain(c->shell, "%s", strerror(ENOMEM));
		return false;
	}
	return !p.failed;
}

int copy_ask_columns(struct copy *c, struct buf *text)
{
	struct cql_backend *b = c->shell->backend;

	buf_add_str(text, "SELECT column_name, kind, position FROM "
		    "system_schema.columns WHERE keyspace_name = ");
	type_print_literal(text, type_native(TYPE_TEXT), c->keyspace);
	buf_add_str(text, " AND table_name = ");
	type_print_literal(text, type_native(TYPE_TEXT), c->table);
	return text->failed ? -ENOMEM : b->ops->execute(b, buf_bytes(text));
}

int copy_read_columns(struct copy *c)
{
	struct cql_backend *b = c->shell->backend;
	struct buf text = BUF_INIT;
	size_t i;
	int err;

	buf_add_format(&text, "SELECT %s FROM %s LIMIT 1;",
		       (const char *)c->names.ptr,
		       (const char *)c->target.ptr);
	err = text.failed ? -ENOMEM
			  : b->ops->execute(b, buf_bytes(&text));
	if (err)
		shell_error(c->shell, &b->error, buf_bytes(&text));
	if (!err) {
		c->columns = arena_zalloc(&c->arena, b->column_count + 1,
					  sizeof(*c->columns));
		err = c->columns ? 0 : -ENOMEM;
	}
	for (i = 0; !err && i < b->column_count; i++) {
		buf_clear(&text);
		name_print(&text, b->columns[i].name);
		c->columns[i].name = arena_copy(&c->arena, buf_bytes(&text));
		c->columns[i].bare = arena_copy(&c->arena, b->columns[i].name);
		c->columns[i].type =
			type_get((struct type *)b->columns[i].type);
		c->column_count++;
	}
	b->ops->finish(b);
	buf_release(&text);
	if (!err && c->arena.failed)
		err = -ENOMEM;
	if (err)
		shell_complain(c->shell, "COPY of %s did not begin.",
			       (const char *)c->target.ptr);
	return err;
}

double copy_seconds(const struct copy *c)
{
	return (double)(clock_monotonic_ns() - c->started_ns) / 1e9;
}

void copy_progress(struct copy *c, bool end)
{
	uint64_t now;
	double seconds;

	if ((!end && c->rows % 64) || !isatty(STDERR_FILENO))
		return;
	now = clock_monotonic_ns();
	if (end) {
		if (c->shown_ns != c->started_ns)
			fputs("\r\033[K", stderr);
		return;
	}
	/* Nothing in the first second, then ten times in each. */
	if (now - c->started_ns < 1000000000 || now - c->shown_ns < 100000000)
		return;
	c->shown_ns = now;
	seconds = (double)(now - c->started_ns) / 1e9;
	fprintf(stderr, "\r\033[KProcessed: %llu rows; Rate: %.0f rows/s",
		(unsigned long long)c->rows, (double)c->rows / seconds);
}

void shell_copy(struct shell *shell, struct bytes statement)
{
	struct copy c;
	size_t i;

	memset(&c, 0, sizeof(c));
	c.shell = shell;
	c.arena = ARENA_INIT;
	c.style = (struct csv_style){ ',', '"', '\\', BYTES_EMPTY };
	c.yes = bytes_str("True");
	c.no = bytes_str("False");
	c.max_rows = c.max_parse_errors = NO_LIMIT;
	c.max_insert_errors = 1000;
	c.started_ns = c.shown_ns = clock_monotonic_ns();
	if (parse(&c, statement) && !copy_read_columns(&c)) {
		if (c.from)
			copy_from(&c);
		else
			copy_to(&c);
	}
	for (i = 0; i < c.column_count; i++)
		type_put(c.columns[i].type);
	arena_release(&c.arena);
}
