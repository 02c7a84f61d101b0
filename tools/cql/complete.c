/*
 * Complete the word at the cursor: by the word before it with names of the
 * schema, or with keywords and the columns of the table that the statement
 * names.
 */
#include "tools/cql/complete.h"

#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/cql/syntax/lexer.h"
#include "store/type/value.h"
#include "tools/cql/commands.h"
#include "tools/cql/consistency.h"
#include "tools/cql/words.h"
#include "tools/lib/nearest.h"

#define NAMES_MAX 2000

struct words {
	struct buf text;		/* 0-terminated, one after the other */
	struct bytes prefix;		/* what they have to begin with */
	bool lower;			/* keywords as the prefix is written */
	unsigned count;
};

static const char *const describable[] = {
	"CLUSTER", "FULL SCHEMA", "INDEX", "KEYSPACE", "KEYSPACES", "SCHEMA",
	"TABLE", "TABLES", "TYPE", "TYPES", NULL
};
static const char *const switches[] = { "OFF", "ON", NULL };
static const char *const shown[] = { "HOST", "VERSION", NULL };
static const char *const modes[] = { "csv", "json", "line", "table", NULL };

/* A name that needs quotes is found without them, too. */
static void add(struct words *w, const char *word)
{
	bool quoted = w->prefix.len && *w->prefix.ptr == '"';
	const char *from = word + (*word == '"' && !quoted);

	if (strlen(from) < w->prefix.len || w->count >= NAMES_MAX ||
	    strncasecmp(from, (const char *)w->prefix.ptr, w->prefix.len))
		return;
	buf_add(&w->text, word, strlen(word) + 1);
	w->count++;
}

static void add_keywords(struct words *w, const char *const *list)
{
	char lower[32];
	size_t i;

	for (; *list; list++) {
		if (!w->lower) {
			add(w, *list);
			continue;
		}
		for (i = 0; (*list)[i] && i < sizeof(lower) - 1; i++)
			lower[i] = (char)((*list)[i] >= 'A' &&
					  (*list)[i] <= 'Z' ? (*list)[i] | 32
							    : (*list)[i]);
		lower[i] = 0;
		add(w, lower);
	}
}

/* Add the first column of a query's rows: names. */
static void add_names(struct shell *shell, struct words *w,
		      struct buf *query, const char *suffix)
{
	struct cql_backend *b = shell->backend;
	struct buf name = BUF_INIT;
	const struct bytes *values;

	buf_add_byte(query, ';');
	if (!query->failed && !b->ops->execute(b, buf_bytes(query)))
		while (w->count < NAMES_MAX && b->ops->next(b, &values) > 0) {
			buf_clear(&name);
			schema_print_name(&name, values[0]);
			buf_add_str(&name, suffix);
			add(w, buf_cstr(&name));
		}
	b->ops->finish(b);
	buf_release(&name);
	buf_release(query);
}

static void add_text(struct buf *query, const char *before, struct bytes text)
{
	buf_add_str(query, before);
	type_print_literal(query, type_native(TYPE_TEXT), text);
}

static void add_keyspaces(struct shell *shell, struct words *w,
			  const char *suffix)
{
	struct buf query = BUF_INIT;

	buf_add_str(&query, "SELECT keyspace_name FROM "
		    "system_schema.keyspaces");
	add_names(shell, w, &query, suffix);
}

/* Add the first column of such a table of system_schema, of one keyspace. */
static void add_schema(struct shell *shell, struct words *w,
		       const char *selection, struct bytes keyspace)
{
	struct buf query = BUF_INIT;

	if (!keyspace.len)
		return;
	buf_add_format(&query, "SELECT %s WHERE keyspace_name = ", selection);
	add_text(&query, "", keyspace);
	add_names(shell, w, &query, "");
}

static void add_tables(struct shell *shell, struct words *w,
		       struct bytes keyspace)
{
	add_schema(shell, w, "table_name FROM system_schema.tables", keyspace);
}

static void add_columns(struct shell *shell, struct words *w,
			struct bytes keyspace, struct bytes table)
{
	struct buf query = BUF_INIT;

	if (!keyspace.len || !table.len)
		return;
	add_text(&query, "SELECT column_name FROM system_schema.columns WHERE "
		 "keyspace_name = ", keyspace);
	add_text(&query, " AND table_name = ", table);
	add_names(shell, w, &query, "");
}

static bool is(struct bytes text, struct token token, const char *word)
{
	return token.length == strlen(word) &&
	       !strncasecmp((const char *)text.ptr + token.offset, word,
			    token.length);
}

static bool is_any(struct bytes text, struct token token,
		   const char *const *words)
{
	for (; *words; words++)
		if (is(text, token, *words))
			return true;
	return false;
}

static const char *const before_tables[] = {
	"COPY", "EXISTS", "FROM", "INTO", "ON", "TABLE", "TRUNCATE", "UPDATE",
	NULL
};

/* Find the table that a statement names after FROM and the like. */
struct named_table {
	struct bytes keyspace, table;
};
static void find_table(struct named_table *out, struct arena *arena,
		       struct bytes text)
{
	struct token token, name = { 0, 0, TOKEN_END };
	struct lexer lexer;
	enum token_kind kind;
	enum { LOOK, NAME, DOT, TABLE } want = LOOK;

	if (text.len > LEXER_TEXT_MAX)
		return;
	lexer_init(&lexer, text);
	while ((kind = lexer_next(&lexer, &token)) != TOKEN_END &&
	       kind != TOKEN_BAD) {
		if (want == NAME && token_is_name(kind)) {
			name = token;
			out->table = token_copy(arena, text, name);
			want = DOT;
		} else if (want == DOT && kind == TOKEN_DOT) {
			out->keyspace = out->table;
			want = TABLE;
		} else if (want == TABLE && token_is_name(kind)) {
			out->table = token_copy(arena, text, token);
			want = LOOK;
		} else {
			want = is_any(text, token, before_tables) ? NAME : LOOK;
		}
	}
}

/* The part of the statement before the word at the cursor. */
struct before {
	unsigned count;			/* of tokens; 99: in a string, say */
	struct token first, last[2];	/* last[0] is the very last */
	bool from;			/* FROM is among them */
};
static void find_tokens(struct before *out, struct bytes text)
{
	struct lexer lexer;
	struct token token;
	enum token_kind kind;

	memset(out, 0, sizeof(*out));
	lexer_init(&lexer, text);
	while ((kind = lexer_next(&lexer, &token)) != TOKEN_END) {
		if (kind == TOKEN_BAD || text.len > LEXER_TEXT_MAX) {
			out->count = 99;
			return;
		}
		if (kind == TOKEN_SEMICOLON) {
			memset(out, 0, sizeof(*out));
			continue;
		}
		if (!out->count)
			out->first = token;
		out->last[1] = out->last[0];
		out->last[0] = token;
		out->from |= is(text, token, "FROM");
		out->count += out->count < 3;
	}
}

static struct bytes text_of(struct bytes text, struct token token)
{
	return bytes_of(text.ptr + token.offset, token.length);
}

static void add_copy_options(struct shell *shell, struct words *w, bool from)
{
	const char *name[2] = { NULL, NULL };
	size_t i;

	for (i = 0; (name[0] = shell->copy->option_name(i, from)); i++)
		if (*name[0])
			add_keywords(w, name);
}

/* Add names by the kind of object that is described or dropped, if it is no
 * table. */
static bool add_by_kind(struct shell *shell, struct words *w, struct bytes text,
			const struct before *b)
{
	static const char *const dropped[] = { "DESC", "DESCRIBE", "DROP",
					       NULL };
	static const char *const users[] = { "ALTER", "DESC", "DESCRIBE",
					     "DROP", NULL };
	struct bytes keyspace = bytes_str(shell->backend->keyspace);

	if (b->count != 2)
		return false;
	if (is(text, b->last[0], "INDEX") && is_any(text, b->first, dropped))
		add_schema(shell, w, "index_name FROM system_schema.indexes",
			   keyspace);
	else if (is(text, b->last[0], "TYPE") && is_any(text, b->first, users))
		add_schema(shell, w, "type_name FROM system_schema.types",
			   keyspace);
	else
		return false;
	add_keyspaces(shell, w, ".");
	return true;
}

/* Add words that follow from the first word alone. */
static bool add_by_first(struct shell *shell, struct words *w,
			 struct bytes text, struct token first)
{
	static const char *const turned[] = { "EXPAND", "PAGING", "TRACING",
					      NULL };
	static const char *const described[] = { "DESC", "DESCRIBE", NULL };
	const char *const *second = cql_words_second(text_of(text, first));

	if (second) {
		add_keywords(w, second);
	} else if (is_any(text, first, described)) {
		add_keywords(w, describable);
		add_keyspaces(shell, w, "");
		add_tables(shell, w, bytes_str(shell->backend->keyspace));
	} else if (is_any(text, first, turned)) {
		add_keywords(w, switches);
	} else if (is(text, first, "MODE")) {
		add_keywords(w, modes);
	} else if (is(text, first, "SHOW")) {
		add_keywords(w, shown);
	} else if (is(text, first, "HELP")) {
		add_keywords(w, shell_command_names);
	} else if (is(text, first, "SERIAL")) {
		add(w, "CONSISTENCY");
	} else {
		return false;
	}
	return true;
}

/* Add words that follow from the words before. False: these say nothing. */
static bool add_by_word(struct shell *shell, struct words *w,
			struct bytes text, const struct before *b)
{
	static const char *const keyspaces[] = { "USE", "KEYSPACE", NULL };
	static const char *const with[] = { "AND", "WITH", NULL };
	struct token last = b->last[0];

	if (add_by_kind(shell, w, text, b) ||
	    (b->count == 1 && add_by_first(shell, w, text, last)))
		return true;
	if (is_any(text, last, keyspaces)) {
		add_keyspaces(shell, w, "");
	} else if (is_any(text, last, before_tables)) {
		add_keyspaces(shell, w, ".");
		add_tables(shell, w, bytes_str(shell->backend->keyspace));
	} else if (is(text, last, "CONSISTENCY")) {
		add_keywords(w, shell_consistency_levels);
	} else if (is(text, b->first, "COPY") && is_any(text, last, with)) {
		add_copy_options(shell, w, b->from);
	} else {
		return false;
	}
	return true;
}

static void add_by_statement(struct shell *shell, struct words *w,
			     struct bytes text, struct bytes behind,
			     const struct before *b)
{
	static const char *const typed[] = { "ALTER", "CREATE", NULL };
	struct arena arena = ARENA_INIT;
	struct named_table named = { BYTES_EMPTY, BYTES_EMPTY };
	struct buf whole = BUF_INIT;

	named.keyspace = bytes_str(shell->backend->keyspace);
	buf_add_bytes(&whole, text);
	buf_add_bytes(&whole, behind);
	find_table(&named, &arena, buf_bytes(&whole));
	add_columns(shell, w, named.keyspace, named.table);
	add_keywords(w, cql_words_of(text_of(text, b->first)));
	if (is_any(text, b->first, typed)) {
		add_keywords(w, cql_words_types);
		add_schema(shell, w, "type_name FROM system_schema.types",
			   named.keyspace);
	}
	arena_release(&arena);
	buf_release(&whole);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Append the words to out, sorted, each once. */
static void give(struct words *w, struct buf *out)
{
	const char **list = mem_zalloc(w->count + 1,
				       sizeof(*list));
	const char *word = (const char *)w->text.ptr;
	unsigned i;

	for (i = 0; list && i < w->count; i++) {
		list[i] = word;
		word += strlen(word) + 1;
	}
	if (list && w->count)
		qsort(list, w->count, sizeof(*list), compare);
	for (i = 0; list && i < w->count; i++)
		if (!i || strcmp(list[i], list[i - 1]))
			buf_add(out, list[i], strlen(list[i]) + 1);
	mem_free(list);
}

/* Return where the word at the end of text begins: at a quote that is not
 * closed. */
static size_t word_begin(struct bytes text)
{
	size_t begin = text.len, at = 0;	/* after the last token */
	struct lexer lexer;
	struct token token;
	enum token_kind kind;

	if (text.len > LEXER_TEXT_MAX)
		return begin;
	lexer_init(&lexer, text);
	while ((kind = lexer_next(&lexer, &token)) != TOKEN_END &&
	       kind != TOKEN_BAD)
		at = token.offset + token.length;
	while (at < text.len && text.ptr[at] <= ' ')
		at++;
	if (kind == TOKEN_BAD && at < text.len && text.ptr[at] == '"')
		return at;
	while (begin && (text.ptr[begin - 1] == '_' ||
			 ((text.ptr[begin - 1] | 32) >= 'a' &&
			  (text.ptr[begin - 1] | 32) <= 'z') ||
			 (text.ptr[begin - 1] >= '0' &&
			  text.ptr[begin - 1] <= '9')))
		begin--;
	return begin;
}

void cql_complete(struct shell *shell, struct bytes text, struct bytes behind,
		  struct buf *out, size_t *word_length)
{
	struct words w = { .text = BUF_INIT, .count = 0 };
	struct arena arena = ARENA_INIT;
	size_t begin = word_begin(text), i;
	struct before before;

	*word_length = text.len - begin;
	w.prefix = bytes_of(text.ptr + begin, *word_length);
	for (i = 0; i < *word_length && !w.lower; i++)
		w.lower = w.prefix.ptr[i] >= 'a' && w.prefix.ptr[i] <= 'z';
	text.len = begin;
	find_tokens(&before, text);
	if (!before.count) {
		add_keywords(&w, cql_words_first);
		add_keywords(&w, shell_command_names);
	} else if (before.count > 1 && before.count < 99 &&
		   before.last[0].kind == TOKEN_DOT) {
		add_tables(shell, &w,
			   token_copy(&arena, text, before.last[1]));
	} else if (before.count < 99 &&
		   !add_by_word(shell, &w, text, &before)) {
		add_by_statement(shell, &w, text, behind, &before);
	}
	if (!w.text.failed)
		give(&w, out);
	buf_release(&w.text);
	arena_release(&arena);
}

/* ----------------------------------------------------------- did you mean */
/* Append the hint to the word that is most like the name. */
static void add_nearest(const struct words *w, struct bytes name,
			struct buf *out)
{
	const char *word = (const char *)w->text.ptr;
	char hint[NEAREST_HINT];
	struct nearest near;
	unsigned i;

	nearest_begin(&near, name);
	for (i = 0; i < w->count; i++, word += strlen(word) + 1)
		nearest_offer(&near, bytes_str(word));
	buf_add_str(out, nearest_hint(&near, hint));
}

void cql_nearest(struct shell *shell, struct bytes statement,
		 const struct cql_error *error, struct buf *out)
{
	struct words w = { .text = BUF_INIT, .prefix = BYTES_EMPTY };
	struct named_table named = { BYTES_EMPTY, BYTES_EMPTY };
	bool column = !strncmp(error->message, "Undefined column name ", 22);
	bool table = !strncmp(error->message, "table ", 6);
	const char *about = error->message + (column ? 22 : 6);
	struct arena arena = ARENA_INIT;
	struct bytes name;

	if (error->line < 0 || (!column && !table))
		return;
	name = arena_copy(&arena, bytes_of(about, strcspn(about, " ")));
	named.keyspace = arena_copy(&arena,
				    bytes_str(shell->backend->keyspace));
	find_table(&named, &arena, statement);
	if (column)
		add_columns(shell, &w, named.keyspace, named.table);
	else
		add_tables(shell, &w, named.keyspace);
	if (!w.text.failed && !arena.failed)
		add_nearest(&w, name, out);
	buf_release(&w.text);
	arena_release(&arena);
}
