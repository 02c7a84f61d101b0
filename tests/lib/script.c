#include "tests/lib/script.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/clock.h"
#include "store/cql/cql.h"
#include "tests/lib/same.h"
#include "tests/lib/store.h"

/*
 * The time at which scripts begin. It is later than the clock of the machine,
 * and never goes back: so the UUIDs of now() only rise, whatever ran in this
 * process before.
 */
#define BEGIN_US 2524608000000000LL	/* 2050-01-01 */
static int64_t now_us = BEGIN_US;

struct script {
	const char *path;
	enum script_mode mode;
	FILE *file;
	char *buffer, *entry;	/* a line; a line with those continuing it */
	size_t size;
	ssize_t length;		/* of the line read ahead; <= 0: none */
	int line, begin;	/* of that line; of the entry */

	char ids[256];
	struct test_store store;
	struct cql_session *session;
	struct arena arena;
	unsigned failures;

	/* The last statement, and its answer until it is compared. */
	char *statement;
	int err;
	bool answered;		/* its rows or error were compared */
	struct buf columns, rows, names, warnings;
	bool decimal;
};

/* ------------------------------------------------------------------ entries */
static void read_line(struct script *s)
{
	s->length = getline(&s->buffer, &s->size, s->file);
	s->line++;
	while (s->length > 0 && s->buffer[s->length - 1] == '\n')
		s->buffer[--s->length] = 0;
}

/* Return the next line with those that continue it; NULL at the end. */
static char *next_entry(struct script *s)
{
	struct buf text = BUF_INIT;

	while (s->length >= 0 && (!s->buffer[0] || s->buffer[0] == '#'))
		read_line(s);
	if (s->length < 0)
		return NULL;
	s->begin = s->line;
	buf_add_str(&text, s->buffer);
	for (read_line(s); s->length > 0 && s->buffer[0] == '\t'; read_line(s))
		buf_add_format(&text, "\n%s", s->buffer + 1);
	buf_add_byte(&text, 0);
	free(s->entry);
	s->entry = strdup((char *)text.ptr);
	buf_release(&text);
	return s->entry;
}

static void begin(struct script *s, const char *path)
{
	memset(s, 0, sizeof(*s));
	s->path = path;
	s->arena = ARENA_INIT;
	s->file = fopen(path, "r");
	if (!s->file) {
		perror(path);
		abort();
	}
	read_line(s);
}

static void end(struct script *s)
{
	fclose(s->file);
	free(s->buffer);
	free(s->entry);
	free(s->statement);
	arena_release(&s->arena);
}

/* ------------------------------------------------------------------ running */
static void told(struct script *s, const char *what, const char *got)
{
	static const char *const modes[] = { "", ", flushed", ", compacted",
					     ", reopened" };

	s->failures++;
	printf("%s:%d (%s%s)\n  %s\n  expected %s\n  got      %s\n", s->path,
	       s->begin, s->ids, modes[s->mode],
	       s->statement ? s->statement : "", what, got);
	fflush(stdout);
}

static const char *text_of(struct buf *b)
{
	buf_add_byte(b, 0);
	b->len--;
	return (const char *)b->ptr;
}

static const char *error_of(struct script *s)
{
	const struct cql_error *e = cql_session_error(s->session);
	struct buf text = BUF_INIT;
	const char *copy;

	buf_add_format(&text, "%s %s", cql_code_name(e->code), e->message);
	copy = (const char *)arena_copy(&s->arena, bytes_str(text_of(&text))).ptr;
	buf_release(&text);
	return copy;
}

/* Check that a statement whose answer was not compared succeeded without
 * rows. */
static void settle(struct script *s)
{
	if (!s->statement || s->answered)
		return;
	s->answered = true;
	if (s->err < 0)
		told(s, "success", error_of(s));
	else if (s->rows.len > 2)
		told(s, "no rows", text_of(&s->rows));
}

static void open_session(struct script *s, const char *keyspace)
{
	ck_assert_int_eq(cql_session_new(&s->session, s->store.store), 0);
	if (keyspace && *keyspace)
		cql_session_use(s->session, bytes_str(keyspace));
}

static void disturb(struct script *s)
{
	char *keyspace;

	if (s->mode == SCRIPT_PLAIN)
		return;
	if (s->mode == SCRIPT_REOPEN) {
		keyspace = strdup(cql_session_keyspace(s->session));
		cql_session_free(s->session);
		test_store_reopen(&s->store);
		open_session(s, keyspace);
		free(keyspace);
		return;
	}
	ck_assert_int_eq(store_flush(s->store.store, NULL), 0);
	if (s->mode == SCRIPT_COMPACT)
		ck_assert_int_eq(store_compact(s->store.store, NULL), 0);
}

static void note_result(struct script *s, struct cql_result *result)
{
	const struct cql_column *c = cql_result_columns(result);
	const char *warning;

	for (uint32_t i = 0; i < cql_result_column_count(result); i++) {
		if (i)
			buf_add_str(&s->names, ", ");
		buf_add_bytes(&s->names, c[i].name);
	}
	s->decimal = has_decimal(result);
	s->err = print_result(result, &s->columns, &s->rows);
	for (uint32_t i = 0; (warning = cql_result_warning(result, i)); i++)
		buf_add_format(&s->warnings, "%s\n", warning);
}

static bool is_read(const char *statement)
{
	return !strncasecmp(statement, "SELECT", 6) ||
	       !strncasecmp(statement, "DESC", 4);
}

static void run(struct script *s, const char *statement)
{
	struct cql_result *result = NULL;

	buf_clear(&s->columns);
	buf_clear(&s->rows);
	buf_clear(&s->names);
	buf_clear(&s->warnings);
	arena_clear(&s->arena);
	free(s->statement);
	s->statement = strdup(statement);
	s->answered = false;
	s->err = cql_execute(s->session, bytes_str(statement), &result);
	if (!s->err)
		note_result(s, result);
	cql_result_free(result);
}

static void run_many(struct script *s, char *text)
{
	char *statement = NULL, *place;
	long count = strtol(text, &text, 10);

	for (long i = 1; i <= count; i++) {
		struct buf b = BUF_INIT;

		for (statement = text + 1; (place = strstr(statement, "$i"));
		     statement = place + 2)
			buf_add_format(&b, "%.*s%ld", (int)(place - statement),
				       statement, i);
		buf_add_str(&b, statement);
		run(s, text_of(&b));
		buf_release(&b);
		settle(s);
	}
	disturb(s);
}

/* ---------------------------------------------------------------- comparing */
static void expect_rows(struct script *s, const char *rows)
{
	s->answered = true;
	if (s->err < 0)
		told(s, rows, error_of(s));
	else if (!same_json(&s->arena, bytes_str(rows), buf_bytes(&s->rows),
			    s->decimal))
		told(s, rows, text_of(&s->rows));
}

static void expect_error(struct script *s, const char *error)
{
	const char *got, *message = strchr(error, ' ');
	size_t class = message ? (size_t)(message - error) : strlen(error);

	s->answered = true;
	if (s->err >= 0) {
		told(s, error, text_of(&s->rows));
		return;
	}
	got = error_of(s);
	if (strncmp(got, error, class) || got[class] != ' ')
		told(s, error, got);
	else if (message && (cql_session_error(s->session)->code == CQL_SYNTAX ?
				     !strstr(got + class, message + 1) :
				     strcmp(got + class, message)))
		told(s, error, got);
}

/* Check "FILE TEXT": the file contains the text; blanks and line ends do not
 * count. */
static void expect_text(struct script *s, char *where)
{
	char *text = strchr(where, ' '), *got = NULL, *to, *from;
	size_t size = 0;
	FILE *f;

	*text++ = 0;
	f = fopen(where, "r");
	if (!f || getdelim(&got, &size, 0, f) < 0) {
		told(s, text, where);
	} else {
		for (from = to = got; *from; from++)
			if (!strchr(" \n\t", *from))
				*to++ = *from;
			else if (to == got || to[-1] != ' ')
				*to++ = ' ';
		*to = 0;
		if (!strstr(got, text))
			told(s, text, where);
	}
	if (f)
		fclose(f);
	free(got);
}

/* Check that each of the ids is mentioned in that file, as "row ID". */
static void expect_elsewhere(struct script *s, const char *path)
{
	char *ids = strdup(s->ids), *id, *rest = ids;
	char *got = NULL, row[64];
	size_t size = 0;
	FILE *f = fopen(path, "r");
	const char *at;

	if (!f || getdelim(&got, &size, 0, f) < 0)
		told(s, "a file", path);
	while (got && (id = strsep(&rest, " "))) {
		snprintf(row, sizeof(row), "row %s", id);
		at = strstr(got, row);
		if (!at || strchr("0123456789", at[strlen(row)]))
			told(s, row, path);
	}
	if (f)
		fclose(f);
	free(got);
	free(ids);
}

static void expect_warning(struct script *s, const char *text)
{
	const char *got = text_of(&s->warnings);

	if (!strstr(got, text))
		told(s, text, got);
}

static void expect_names(struct script *s, const char *names)
{
	if (strcmp(names, text_of(&s->names)))
		told(s, names, text_of(&s->names));
}

/* ------------------------------------------------------------------- groups */
static void close_group(struct script *s)
{
	settle(s);
	free(s->statement);
	s->statement = NULL;
	if (!s->session)
		return;
	cql_session_free(s->session);
	s->session = NULL;
	test_store_close(&s->store);
}

static void open_group(struct script *s)
{
	close_group(s);
	clock_set_us(now_us);
	test_store_open(&s->store);
	open_session(s, NULL);
}

static void play_entry(struct script *s, char *entry)
{
	char *text = entry[0] == '[' ? entry + 1 : entry + 2;

	if (strchr("[@>*+", entry[0]))
		settle(s);
	switch (entry[0]) {
	case '[':
		open_group(s);
		break;
	case '@':
		snprintf(s->ids, sizeof(s->ids), "%s", text);
		break;
	case '>':
		run(s, text);
		if (!s->err && !is_read(text))
			disturb(s);
		break;
	case '*':
		run_many(s, text);
		break;
	case '=':
		expect_rows(s, text);
		break;
	case ':':
		expect_names(s, text);
		break;
	case '!':
		expect_error(s, text);
		break;
	case '%':
		expect_warning(s, text);
		break;
	case '+':
		clock_set_us(now_us += strtoll(text, NULL, 10) * 1000000);
		break;
	case '?':
		expect_text(s, text);
		break;
	case '/':
		expect_elsewhere(s, text);
		break;
	default:
		told(s, "a mark", entry);
	}
}

unsigned script_play(const char *path, enum script_mode mode)
{
	struct script s;
	char *entry;

	begin(&s, path);
	s.mode = mode;
	while ((entry = next_entry(&s)))
		play_entry(&s, entry);
	close_group(&s);
	clock_set_us(INT64_MIN);
	buf_release(&s.columns);
	buf_release(&s.rows);
	buf_release(&s.names);
	buf_release(&s.warnings);
	end(&s);
	return s.failures;
}

void script_ids(const char *path, void (*see)(void *context, const char *id),
		void *context)
{
	struct script s;
	char *entry, *id;

	begin(&s, path);
	while ((entry = next_entry(&s)))
		if (entry[0] == '@')
			for (entry += 2; (id = strsep(&entry, " "));)
				see(context, id);
	end(&s);
}
