/*
 * The shell: what its files share. ../cql.c begins and ends it, source.c cuts
 * its input into statements, run.c runs one, output.c prints results,
 * commands.c and those of copy/ are its own commands, editor.c and
 * complete.c the line that a person types.
 */
#ifndef TOOLS_CQL_SHELL_H
#define TOOLS_CQL_SHELL_H
#include <stdio.h>

#include "store/cql/syntax/statement_end.h"
#include "tools/cql/backend.h"

struct cql_editor;
struct cql_source;
struct shell;

/* COPY, which copy/ has. */
struct shell_copy {
	/* COPY t (a, b) TO 'file' WITH …; the whole statement. */
	void (*run)(struct shell *shell, struct bytes statement);
	/* Return the name of option i: NULL after the last, "" where COPY FROM
	 * (or TO) does not have it. */
	const char *(*option_name)(size_t i, bool from);
};

enum shell_mode { SHELL_TABLE, SHELL_CSV, SHELL_JSON, SHELL_LINE };
/* "table", "csv", … by enum shell_mode; SHELL_MODES of them. */
#define SHELL_MODES 4
extern const char *const shell_mode_names[SHELL_MODES];

struct shell {
	struct cql_backend *backend;
	const struct shell_copy *copy;
	struct cql_editor *editor;	/* a person types; or NULL */
	struct cql_source *source;	/* where the statement came from */
	FILE *out;			/* stdout, or the file of CAPTURE */
	char *capture;			/* its name, or NULL */
	enum shell_mode mode;
	bool paging;
	unsigned page_rows;
	bool tracing;
	const char *consistency, *serial_consistency;
	bool bail, quit;
	int status;			/* enum tool_status: the worst so far */
	unsigned long line;		/* of the statement under way; 0: none */
	unsigned depth;			/* of SOURCE in SOURCE */
};

/* ---------------------------------------------------------------- source */
/*
 * Text in lines, cut into statements. A statement of CQL ends at its semicolon;
 * a command of the shell's at the end of its line, too.
 */
struct cql_source {
	/*
	 * Append the next line, with its newline: 1, 0 at the end, -EINTR after
	 * Ctrl-C, -errno.
	 */
	int (*line)(struct cql_source *s, struct buf *out,
		    enum cql_split_inside inside);
	const char *name;	/* for messages; NULL: not said */
	bool line_is_typed;	/* by a person, at this moment */
	FILE *file;
	struct bytes text;	/* what is left of it */
	struct shell *shell;
	struct buf pending;	/* not run yet, from `from` on */
	size_t from;
	size_t blank;		/* up to there only blanks and comments follow */
	bool in_comment;	/* and there the inside of one */
	struct cql_split split;
	unsigned long line_number;	/* at pending.ptr + from */
	bool last;
};
/* Text and file have to outlive it. Release closes nothing. */
void cql_source_of_text(struct cql_source *s, struct bytes text);
void cql_source_of_file(struct cql_source *s, FILE *file, const char *name);
void cql_source_of_editor(struct cql_source *s, struct shell *shell);
void cql_source_release(struct cql_source *s);
/* Give up what has been read and is not run yet. */
void cql_source_drop(struct cql_source *s);
/* 1 with the statement and the number of its line, 0, -errno. */
int cql_source_next(struct cql_source *s, struct bytes *statement,
		    unsigned long *line);
/* The next line as it is, for data between statements. As `line`. */
int cql_source_line(struct cql_source *s, struct buf *out);

/* ------------------------------------------------------------------- run */
/* Everything that a source holds. */
void shell_run_source(struct shell *shell, struct cql_source *source);
/* A statement of our own, without output: 0 or -errno after the message. */
int shell_ask(struct shell *shell, const char *statement);
/* The error of the backend on stderr, in cqlsh's form. */
void shell_error(struct shell *shell, const struct cql_error *error,
		 struct bytes statement);
/* The shell's own complaint: a line on stderr. */
void shell_complain(struct shell *shell, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* For the exit status: something failed with -errno; a message came. */
void shell_note_failure(struct shell *shell, int err);
/* False if the level is refused, with *error set; its message in arena. */
bool shell_consistency_allows(struct shell *shell, struct bytes statement,
			      struct arena *arena, struct cql_error *error);
/* As Cassandra writes them, ended by NULL; and the one of that name, or NULL. */
extern const char *const shell_consistency_levels[];
const char *shell_consistency_level(struct bytes name);

/* ---------------------------------------------------------------- output */
/* Print what the backend has executed: 0, or -errno with its error set. */
int shell_print_result(struct shell *shell, bool describe);
/* Print a message of a shell's command, which CAPTURE does not take. */
void shell_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
unsigned shell_width(void);

/* -------------------------------------------------------------- commands */
/* True if this is the name of a command of the shell. *line: its line ends
 * it. */
bool shell_is_command(struct bytes word, bool *line);
/* Run it if it is one: true. */
bool shell_command(struct shell *shell, struct bytes statement);
/* "~/x" as a shell would have it: to be freed with mem_free. NULL without
 * memory. */
char *shell_path(struct bytes text);
/* Words that HELP and completion know, ended by NULL. */
extern const char *const shell_command_names[];
void shell_help(struct shell *shell, const char *topic);	/* "": all */

/* ---------------------------------------------------------------- editor */
/* NULL without memory. History is read here and written as lines come. */
struct cql_editor *cql_editor_new(struct shell *shell);
void cql_editor_free(struct cql_editor *e);
int cql_editor_line(struct cql_editor *e, struct buf *out,
		    enum cql_split_inside inside);
/* The last lines of it, oldest first, on stdout. */
void cql_editor_history(struct cql_editor *e, unsigned count);
/* Add what was run to the history, as one line. */
void cql_editor_remember(struct cql_editor *e, struct bytes statement);
/*
 * Append to out the words that can follow where text (the statement until the
 * cursor) ends, and that begin like its last word; behind: the text after the
 * cursor. *word_length: of that last word. Each once, sorted, ended by a 0.
 */
void cql_complete(struct shell *shell, struct bytes text, struct bytes behind,
		  struct buf *out, size_t *word_length);
/*
 * If the error is about a table or column that does not exist, append " (did
 * you mean x?)" with the one most like it. Asks the backend: its error, and
 * what it has executed, are gone then.
 */
void cql_nearest(struct shell *shell, struct bytes statement,
		 const struct cql_error *error, struct buf *out);
#endif
