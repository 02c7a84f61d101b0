/* COPY: its grammar and options. */
#include "tools/cql/copy/copy.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/cql/syntax/lexer.h"
#include "store/type/value.h"
#include "tools/cql/commands.h"
#include "tools/cql/copy/from.h"
#include "tools/cql/copy/options.h"
#include "tools/cql/copy/to.h"
#include "tools/cql/output.h"
#include "tools/cql/place.h"
#include "tools/cql/run.h"
#include "tools/cql/source.h"
#include "tools/lib/progress.h"

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

/* Print what is wrong at the token, with a caret under it; the first fault
 * alone. */
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
	if (!mem_has_failed())
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
		schema_print_name(&target, c->keyspace);
		buf_add_byte(&target, '.');
	}
	schema_print_name(&target, c->table);
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
		schema_print_name(&names, take_name(p, "a column is expected"));
	} while (p->kind == TOKEN_COMMA && !p->failed);
	if (p->kind != TOKEN_CLOSE)
		refuse(p, "\")\" is expected");
	advance(p);
	c->names = arena_copy(&c->arena, buf_bytes(&names));
	buf_release(&names);
}

/* Read a value: a constant, a word, or a number with its sign. */
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

static void take_option(struct parse *p)
{
	int option = copy_option_named(written(p));
	const char *wrong = copy_option_refused(p->copy, option);
	struct token token;
	struct bytes value;

	if (wrong) {
		refuse(p, wrong);
		return;
	}
	advance(p);
	if (p->kind != TOKEN_EQ) {
		refuse(p, "\"=\" is expected");
		return;
	}
	advance(p);
	token = p->token;
	value = take_value(p);
	wrong = p->failed ? NULL : copy_option_set(p->copy, option, value);
	if (wrong) {
		p->token = token;
		refuse(p, wrong);
	}
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
		c->path = copy_path(c, take_text(p));
	} else if (at_word(p, c->from ? "STDIN" : "STDOUT")) {
		advance(p);
		c->has_input = c->from && !c->shell->source->line_is_typed;
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

/* Fill columns with what the table says: 0, or -errno after the message. */
static int copy_read_columns(struct copy *c)
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
		schema_print_name(&text, b->columns[i].name);
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

void copy_ended(struct copy *c, const char *path, int err)
{
	if (err == -EINTR)
		shell_complain(c->shell, "COPY of %s was interrupted.",
			       (const char *)c->target.ptr);
	else
		shell_complain(c->shell, "%s: %s", path, strerror(-err));
	shell_note_failure(c->shell, err);
}

void copy_failed(struct copy *c, const char *path, int err,
		 struct bytes statement)
{
	struct cql_backend *b = c->shell->backend;

	if (cql_error_is_set(&b->error) && err != -EINTR) {
		shell_error(c->shell, &b->error, statement);
		shell_complain(c->shell, "COPY of %s did not end.",
			       (const char *)c->target.ptr);
		shell_note_failure(c->shell, err);
	} else {
		copy_ended(c, path, err);
	}
}

double copy_seconds(const struct copy *c)
{
	return (double)(clock_monotonic_ns() - c->started_ns) / 1e9;
}

const char *copy_path(struct copy *c, struct bytes text)
{
	char *path = shell_path(text);
	const char *kept = path ? (const char *)arena_copy(&c->arena,
					bytes_str(path)).ptr : NULL;

	mem_free(path);
	c->arena.failed = c->arena.failed || !kept;
	return kept;
}

/* Write over the line of the terminal: what fits into it. */
static void show_rate(uint64_t rows, double rate)
{
	char line[128];

	snprintf(line, sizeof(line), "Processed: %llu rows; Rate: %.0f rows/s",
		 (unsigned long long)rows, rate);
	if (strlen(line) > progress_room())
		*strchr(line, ';') = 0;
	progress_put(line);
}

/* Print the progress: on a terminal after the first second. */
void copy_progress(struct copy *c, bool end)
{
	bool person = progress_is_live();
	uint64_t now;
	double since, all;

	if ((!end && c->rows % 64) || (!person && !c->rates))
		return;
	now = clock_monotonic_ns();
	since = (double)(now - c->shown_ns) / 1e9;
	all = (double)(now - c->started_ns) / 1e9;
	if (!end && since < c->report_s)
		return;
	if (c->rates)
		fprintf(c->rates, "Processed: %llu rows; Rate: %.0f rows/s; "
			"Avg. rate: %.0f rows/s\n", (unsigned long long)c->rows,
			(double)(c->rows - c->shown_rows) / since,
			(double)c->rows / all);
	if (end)
		progress_hide();
	else if (person && all > 1)
		show_rate(c->rows, (double)c->rows / all);
	c->shown_ns = now;
	c->shown_rows = c->rows;
}

static bool open_rates(struct copy *c)
{
	if (!c->rate_file)
		return true;
	c->rates = fopen(c->rate_file, "we");
	if (!c->rates)
		shell_complain(c->shell, "Could not open %s: %s", c->rate_file,
			       strerror(errno));
	return c->rates;
}

static void close_rates(struct copy *c)
{
	if (c->rates && fclose(c->rates))
		shell_complain(c->shell, "%s: %s", c->rate_file,
			       strerror(errno));
}

/* Settle the options by the command and CONFIGFILE. */
static bool settle(struct copy *c, struct bytes statement)
{
	const char *wrong;

	if (!parse(c, statement) || copy_read_config(c))
		return false;
	wrong = c->arena.failed ? strerror(ENOMEM) : copy_options_check(c);
	if (wrong)
		shell_complain(c->shell, "Improper COPY command: %s", wrong);
	return !wrong;
}

static void run_copy(struct shell *shell, struct bytes statement)
{
	struct copy c;
	size_t i;

	memset(&c, 0, sizeof(c));
	c.shell = shell;
	c.arena = ARENA_INIT;
	c.style = (struct csv_style){ ',', '"', '\\', BYTES_EMPTY };
	c.yes = bytes_str("True");
	c.no = bytes_str("False");
	c.decimal_separator = bytes_str(".");
	c.max_rows = c.max_parse_errors = c.max_output = COPY_NO_LIMIT;
	c.max_insert_errors = 1000;
	c.report_s = 0.25;
	c.started_ns = c.shown_ns = clock_monotonic_ns();
	if (settle(&c, statement) && !copy_read_columns(&c) &&
	    open_rates(&c)) {
		if (c.from)
			copy_from(&c);
		else
			copy_to(&c);
	}
	close_rates(&c);
	copy_skip_input(&c);
	for (i = 0; i < c.column_count; i++)
		type_put(c.columns[i].type);
	arena_release(&c.arena);
}

const struct shell_copy shell_copy = {
	.run = run_copy, .option_name = copy_option_name,
};
