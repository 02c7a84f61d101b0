/* Run one statement: print its result, or its error and the place. */
#include "tools/cql/run.h"

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "store/base/alloc.h"
#include "store/base/counted.h"
#include "store/base/line.h"
#include "store/base/log.h"
#include "store/sstable/sstable.h"
#include "tools/cql/commands.h"
#include "tools/cql/complete.h"
#include "tools/cql/consistency.h"
#include "tools/cql/editor.h"
#include "tools/cql/interrupt.h"
#include "tools/cql/output.h"
#include "tools/cql/place.h"
#include "tools/cql/source.h"
#include "tools/lib/progress.h"
#include "tools/lib/tool.h"

void shell_note_failure(struct shell *shell, int err)
{
	if (shell->status != TOOL_DAMAGED)
		shell->status = err == -EUCLEAN ? TOOL_DAMAGED : TOOL_FAILED;
	if (shell->bail)
		shell->quit = true;
}

/* Print "script.cql:12:", where a script is run. */
static void print_where(struct shell *shell)
{
	fflush(shell->out);
	fflush(stdout);
	progress_hide();
	if (shell->source && shell->source->name && shell->line)
		fprintf(stderr, "%s:%lu:", shell->source->name, shell->line);
}

void shell_error(struct shell *shell, const struct cql_error *error,
		 struct bytes statement)
{
	struct cql_error shown = *error;
	struct buf text = BUF_INIT, hint = BUF_INIT;

	if (mem_has_failed()) {
		shell_complain(shell, "%s", strerror(ENOMEM));
		return;
	}
	print_where(shell);
	cql_error_print(&text, error);
	buf_add_byte(&text, '\n');
	cql_nearest(shell, statement, error, &hint);
	/* Only the place of the error is used from here on: the error itself
	 * may be gone. */
	cql_place_show(&text, &shown, statement, shell_width(),
		       buf_cstr(&hint));
	fputs(buf_cstr(&text), stderr);
	buf_release(&text);
	buf_release(&hint);
}

void shell_complain(struct shell *shell, const char *format, ...)
{
	char line[LINE_MAX_TEXT];
	bool news;
	va_list args;

	va_start(args, format);
	news = tool_message(line, sizeof(line), NULL, format, args);
	va_end(args);
	if (news) {
		print_where(shell);
		fprintf(stderr, "%s\n", line);
	}
	shell_note_failure(shell, -EINVAL);
}

int shell_ask(struct shell *shell, const char *statement)
{
	struct cql_backend *b = shell->backend;
	int err = b->ops->execute(b, bytes_str(statement));

	if (err) {
		shell_error(shell, &b->error, bytes_str(statement));
		shell_note_failure(shell, err);
	}
	b->ops->finish(b);
	return err;
}

/* Print the trace: to people as output, but not among data for programs. */
static void print_trace(struct shell *shell)
{
	bool data = shell->mode == SHELL_CSV || shell->mode == SHELL_JSON;
	FILE *out = data ? stderr : shell->out;
	struct cql_trace trace;
	char name[32];
	uint32_t i;

	memset(&trace, 0, sizeof(trace));
	if (!shell->backend->ops->trace(shell->backend, &trace))
		return;
	if (data)
		fflush(shell->out);
	fprintf(out, "\nTracing: %s given, %llu read; %s, %s; %lld us\n",
		counted(trace.rows_given, "row").text,
		(unsigned long long)trace.rows_read,
		counted(trace.tombstones, "tombstone").text,
		counted(trace.sstables, "sstable").text,
		(long long)trace.microseconds);
	for (i = 0; i < trace.file_count; i++) {
		sstable_name(name, trace.files[i]);
		fprintf(out, "  %s\n", name);
	}
	if (trace.sstables > trace.file_count)
		fprintf(out, "  and %u more\n",
			trace.sstables - trace.file_count);
}

static void print_warnings(struct shell *shell)
{
	struct cql_backend *b = shell->backend;
	const char *text;
	uint32_t i;

	for (i = 0; (text = b->ops->warning(b, i)); i++) {
		fflush(shell->out);
		fprintf(stderr, "%s%s\n\n", i ? "" : "\nWarnings :\n", text);
	}
}

static bool is_describe(struct bytes statement)
{
	return statement.len >= 4 &&
	       !strncasecmp((const char *)statement.ptr, "desc", 4);
}

static void execute(struct shell *shell, struct bytes statement)
{
	struct cql_backend *b = shell->backend;
	struct arena arena = ARENA_INIT;
	struct cql_error refusal = CQL_ERROR_INIT;
	int err;

	if (!shell_consistency_allows(shell, statement, &arena, &refusal)) {
		shell_error(shell, &refusal, statement);
		shell_note_failure(shell, -EINVAL);
		arena_release(&arena);
		return;
	}
	err = b->ops->execute(b, statement);
	if (!err)
		err = shell_print_result(shell, is_describe(statement));
	if (err == -EINTR && shell->editor) {
		fputs("Interrupted.\n", stderr);
	} else if (err == -EPIPE) {
		shell->quit = true;
	} else if (err && !cql_error_is_set(&b->error)) {
		shell_complain(shell, "The result cannot be written: %s",
			       strerror(-err));
	} else if (err) {
		shell_error(shell, &b->error, statement);
		shell_note_failure(shell, err);
	} else {
		print_warnings(shell);
	}
	b->ops->finish(b);
	if (!err && shell->tracing)	/* complete when it is finished */
		print_trace(shell);
	arena_release(&arena);
}

/* Run one statement or command. */
static void shell_run(struct shell *shell, struct bytes statement)
{
	size_t i;

	for (i = 0; i < statement.len && (statement.ptr[i] <= ' ' ||
					  statement.ptr[i] == ';'); i++)
		;
	if (i == statement.len)
		return;
	if (!shell_command(shell, statement))
		execute(shell, statement);
	if (fflush(shell->out) && errno != EINTR) {
		shell_complain(shell, "The result cannot be written: %s",
			       strerror(errno));
		shell->quit = !shell->capture;
	}
}

void shell_run_source(struct shell *shell, struct cql_source *source)
{
	struct cql_source *outer = shell->source;
	unsigned long line = shell->line;
	struct bytes statement;
	int more = 1;

	shell->source = source;
	while (!shell->quit &&
	       (more = cql_source_next(source, &statement, &shell->line)) > 0) {
		if (source->line_is_typed)
			cql_editor_remember(shell->editor, statement);
		shell_run(shell, statement);
		if (mem_has_failed()) {
			shell_complain(shell, "%s", strerror(ENOMEM));
			if (shell->editor)
				tool_forget_memory();
			else
				shell->quit = true;
		}
		/* Ctrl-C drops the rest of the line, or of the file. */
		if (!cql_interrupted())
			continue;
		cql_source_drop(source);
		if (source->line_is_typed)
			cql_interrupt_clear();
		else
			break;
	}
	if (more < 0) {
		shell->line = 0;
		shell_complain(shell, "%s: %s", source->name ? source->name :
			       "The input", strerror(-more));
	}
	shell->source = outer;
	shell->line = line;
}
