/* The shell's own commands. COPY and HELP have files of their own. */
#include "tools/cql/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/base/alloc.h"
#include "tools/cql/consistency.h"
#include "tools/cql/editor.h"
#include "tools/cql/help.h"
#include "tools/cql/output.h"
#include "tools/cql/run.h"
#include "tools/cql/source.h"
#include "tools/lib/tool.h"

#define SOURCE_DEPTH_MAX 16
#define WORDS_MAX 4

/* The arguments of a command: words, and strings without their quotes. */
struct command_words {
	struct bytes word[WORDS_MAX];
	unsigned count;			/* WORDS_MAX + 1: more */
	struct arena arena;
};

struct shell_command {
	const char *name;
	void (*run)(struct shell *shell, const struct command_words *w);
	bool line;			/* ends at the end of its line */
};

static bool is(struct bytes word, const char *text)
{
	return word.len == strlen(text) &&
	       !strncasecmp((const char *)word.ptr, text, word.len);
}

static const char *text_of(struct bytes word)
{
	return (const char *)word.ptr;	/* in the arena, followed by a 0 */
}

static void improper(struct shell *shell, const char *command)
{
	shell_complain(shell, "Improper %s command (see HELP %s).", command,
		       command);
}

/* ON, OFF or nothing: what it says afterwards. False: refused. */
static bool turn(struct shell *shell, const struct command_words *w, bool *what,
		 const char *command)
{
	bool on = w->count == 1 && is(w->word[0], "on");

	if (!w->count) {
		shell_tell("%s is %s\n", command, *what ? "ON" : "OFF");
	} else if (on || (w->count == 1 && is(w->word[0], "off"))) {
		shell_tell(*what == on ? "%s is already %s\n"
				       : "%s set to %s\n",
			   command, on ? "ON" : "OFF");
		*what = on;
	} else {
		improper(shell, command);
		return false;
	}
	return true;
}

/* PAGING 50 is PAGING ON with another size. */
static bool read_page_size(struct shell *shell, const struct command_words *w)
{
	unsigned long rows;
	char *end;

	if (w->count != 1 || *w->word[0].ptr < '0' || *w->word[0].ptr > '9')
		return false;
	rows = strtoul(text_of(w->word[0]), &end, 10);
	if (*end || !rows || rows > 1000000)
		return false;
	shell->page_rows = (unsigned)rows;
	shell->paging = true;
	return true;
}

static void run_paging(struct shell *shell, const struct command_words *w)
{
	if ((read_page_size(shell, w) ||
	     turn(shell, w, &shell->paging, "PAGING")) && shell->paging)
		shell_tell("Page size: %u\n", shell->page_rows);
}

static void run_tracing(struct shell *shell, const struct command_words *w)
{
	turn(shell, w, &shell->tracing, "TRACING");
}

static void run_expand(struct shell *shell, const struct command_words *w)
{
	bool on = shell->mode == SHELL_LINE;

	turn(shell, w, &on, "EXPAND");
	if (on)
		shell->mode = SHELL_LINE;
	else if (shell->mode == SHELL_LINE)
		shell->mode = SHELL_TABLE;
}

static void run_mode(struct shell *shell, const struct command_words *w)
{
	int i;

	if (!w->count) {
		shell_tell("Output mode is %s.\n",
			  shell_mode_names[shell->mode]);
		return;
	}
	for (i = 0; w->count == 1 && i < SHELL_MODES; i++) {
		if (is(w->word[0], shell_mode_names[i])) {
			shell->mode = (enum shell_mode)i;
			return;
		}
	}
	shell_complain(shell, "MODE takes one of table, csv, json, line.");
}

static void run_consistency(struct shell *shell, const struct command_words *w)
{
	const char *level;

	if (!w->count) {
		shell_tell("Current consistency level is %s.\n",
			  shell->consistency);
		return;
	}
	level = w->count == 1 ? shell_consistency_level(w->word[0]) : NULL;
	if (!level) {
		improper(shell, "CONSISTENCY");
		return;
	}
	shell->consistency = level;
	shell_tell("Consistency level set to %s.\n", level);
}

static void run_serial(struct shell *shell, const struct command_words *w)
{
	const char *level;

	if (!w->count || w->count > 2 || !is(w->word[0], "consistency")) {
		improper(shell, "SERIAL CONSISTENCY");
		return;
	}
	if (w->count == 1) {
		shell_tell("Current serial consistency level is %s.\n",
			  shell->serial_consistency);
		return;
	}
	level = shell_consistency_level(w->word[1]);
	if (!level || !strstr(level, "SERIAL")) {
		shell_complain(shell, "Invalid consistency for conditional "
			       "update. Must be one of SERIAL or LOCAL_SERIAL");
		return;
	}
	shell->serial_consistency = level;
	shell_tell("Serial consistency level set to %s.\n", level);
}

static void run_show(struct shell *shell, const struct command_words *w)
{
	if (w->count == 1 && is(w->word[0], "version"))
		shell_tell("[widefsctl %s | Cassandra 5.0 data model | "
			  "CQL spec 3.4.7]\n", TOOL_VERSION);
	else if (w->count == 1 && is(w->word[0], "host"))
		shell_tell("Connected to %s.\n", shell->backend->place);
	else if (w->count && is(w->word[0], "session"))
		shell_complain(shell, "Sessions of TRACING are not kept: what "
			       "one has to tell is printed with its "
			       "statement.");
	else
		improper(shell, "SHOW");
}

static void run_login(struct shell *shell, const struct command_words *w)
{
	(void)w;
	shell_complain(shell, "LOGIN is not supported: your rights are those "
		       "of your user.");
}

static void run_clear(struct shell *shell, const struct command_words *w)
{
	(void)w;
	if (isatty(STDOUT_FILENO))
		fputs("\033[H\033[2J", stdout);
	(void)shell;
}

static void run_exit(struct shell *shell, const struct command_words *w)
{
	(void)w;
	shell->quit = true;
}

static void run_help(struct shell *shell, const struct command_words *w)
{
	struct buf topic = BUF_INIT;
	unsigned i;

	for (i = 0; i < w->count && i < WORDS_MAX; i++) {
		buf_add_str(&topic, i ? " " : "");
		buf_add_bytes(&topic, w->word[i]);
	}
	shell_help(shell, buf_cstr(&topic));
	buf_release(&topic);
}

static void run_history(struct shell *shell, const struct command_words *w)
{
	unsigned long count = 50;
	char *end = NULL;

	if (w->count == 1)
		count = strtoul(text_of(w->word[0]), &end, 10);
	if (w->count > 1 || (end && *end) || !count)
		improper(shell, "HISTORY");
	else if (shell->editor)
		cql_editor_history(shell->editor, (unsigned)count);
	else
		shell_complain(shell, "A script has no history.");
}

char *shell_path(struct bytes text)
{
	const char *home = getenv("HOME");
	struct buf out = BUF_INIT;

	if (text.len >= 2 && !memcmp(text.ptr, "~/", 2) && home) {
		buf_add_str(&out, home);
		text = bytes_of(text.ptr + 1, text.len - 1);
	}
	buf_add_bytes(&out, text);
	return buf_steal(&out, NULL);
}

static void run_source(struct shell *shell, const struct command_words *w)
{
	struct cql_source source;
	char *path;
	FILE *file;

	if (w->count != 1) {
		improper(shell, "SOURCE");
		return;
	}
	if (shell->depth >= SOURCE_DEPTH_MAX) {
		shell_complain(shell, "SOURCE inside SOURCE more than %d times.",
			       SOURCE_DEPTH_MAX);
		return;
	}
	path = shell_path(w->word[0]);
	file = path ? fopen(path, "re") : NULL;
	if (!file) {
		shell_complain(shell, "Could not open '%s': %s",
			       path ? path : "the file", strerror(errno));
		mem_free(path);
		return;
	}
	cql_source_of_file(&source, file, path);
	shell->depth++;
	shell_run_source(shell, &source);
	shell->depth--;
	cql_source_release(&source);
	fclose(file);
	mem_free(path);
}

static void end_capture(struct shell *shell)
{
	if (shell->capture && fclose(shell->out))
		shell_complain(shell, "%s: %s", shell->capture,
			       strerror(errno));
	mem_free(shell->capture);
	shell->capture = NULL;
	shell->out = stdout;
}

static void run_capture(struct shell *shell, const struct command_words *w)
{
	char *path;
	FILE *file;

	if (!w->count) {
		if (shell->capture)
			shell_tell("Currently capturing query output to "
				   "'%s'.\n", shell->capture);
		else
			shell_tell("Currently not capturing query output.\n");
		return;
	}
	if (w->count > 1) {
		improper(shell, "CAPTURE");
		return;
	}
	if (is(w->word[0], "off")) {
		if (shell->capture)
			end_capture(shell);
		else
			shell_complain(shell, "Not currently capturing "
				       "output.");
		return;
	}
	if (shell->capture) {
		shell_complain(shell, "Already capturing output to %s. Use "
			       "CAPTURE OFF to disable.", shell->capture);
		return;
	}
	path = shell_path(w->word[0]);
	file = path ? fopen(path, "ae") : NULL;
	if (!file) {
		shell_complain(shell, "Could not open '%s' for append: %s",
			       path ? path : "the file", strerror(errno));
		mem_free(path);
		return;
	}
	shell->capture = path;
	shell->out = file;
	shell_tell("Now capturing query output to '%s'.\n", path);
}

static const struct shell_command commands[] = {
	{ "?", run_help, true }, { "CAPTURE", run_capture, true },
	{ "CLEAR", run_clear, true }, { "CLS", run_clear, true },
	{ "CONSISTENCY", run_consistency, true }, { "COPY", NULL, false },
	{ "DESC", NULL, true }, { "DESCRIBE", NULL, true },
	{ "EXIT", run_exit, true }, { "EXPAND", run_expand, true },
	{ "HELP", run_help, true }, { "HISTORY", run_history, true },
	{ "LOGIN", run_login, true },
	{ "MODE", run_mode, true }, { "PAGING", run_paging, true },
	{ "QUIT", run_exit, true }, { "SERIAL", run_serial, true },
	{ "SHOW", run_show, true }, { "SOURCE", run_source, true },
	{ "TRACING", run_tracing, true },
};
const char *const shell_command_names[] = {
	"CAPTURE", "CLEAR", "CONSISTENCY", "COPY", "DESCRIBE", "EXIT", "EXPAND",
	"HELP", "HISTORY", "LOGIN", "MODE", "PAGING", "QUIT", "SERIAL", "SHOW",
	"SOURCE", "TRACING", NULL
};

static const struct shell_command *find(struct bytes word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (is(word, commands[i].name))
			return &commands[i];
	return NULL;
}

bool shell_is_command(struct bytes word, bool *line)
{
	const struct shell_command *c = find(word);

	*line = c && c->line;
	return c;
}

/* Read the words up to the semicolon: names and numbers as written, strings
 * unquoted, anything else (a path without quotes) up to the next blank. */
static void read_words(struct command_words *w, struct bytes text)
{
	size_t at = 0, begin;
	struct bytes word;

	while (at < text.len && w->count <= WORDS_MAX) {
		uint8_t quote = text.ptr[at];

		if (quote <= ' ' || quote == ';') {
			at++;
			continue;
		}
		if (quote == '\'' || quote == '"') {
			begin = ++at;
			while (at < text.len && text.ptr[at] != quote)
				at++;
			word = bytes_of(text.ptr + begin, at++ - begin);
		} else {
			begin = at;
			while (at < text.len && text.ptr[at] > ' ' &&
			       text.ptr[at] != ';')
				at++;
			word = bytes_of(text.ptr + begin, at - begin);
		}
		if (w->count < WORDS_MAX)
			w->word[w->count] = arena_copy(&w->arena, word);
		w->count++;
	}
}

bool shell_command(struct shell *shell, struct bytes statement)
{
	struct command_words w = { .count = 0, .arena = ARENA_INIT };
	const struct shell_command *c;
	struct bytes name = statement;

	for (name.len = 0; name.len < statement.len; name.len++)
		if (!((statement.ptr[name.len] | 32) >= 'a' &&
		      (statement.ptr[name.len] | 32) <= 'z'))
			break;
	if (!name.len && statement.len && statement.ptr[0] == '?')
		name.len = 1;
	c = find(name);
	if (!c)
		return false;
	if (!strcmp(c->name, "COPY")) {
		shell->copy->run(shell, statement);
		return true;
	}
	if (!c->run)
		return false;	/* DESCRIBE is the server's */
	read_words(&w, bytes_of(statement.ptr + name.len,
				statement.len - name.len));
	if (w.arena.failed)
		shell_complain(shell, "%s", strerror(ENOMEM));
	else
		c->run(shell, &w);
	arena_release(&w.arena);
	return true;
}
