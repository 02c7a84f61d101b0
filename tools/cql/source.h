/* The input of the shell, cut into statements. */
#ifndef TOOLS_CQL_SOURCE_H
#define TOOLS_CQL_SOURCE_H
#include <stdio.h>

#include "store/cql/syntax/statement_end.h"
#include "tools/cql/shell.h"

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
/* Begin a source. Text and file have to outlive it; release closes nothing. */
void cql_source_of_text(struct cql_source *s, struct bytes text);
void cql_source_of_file(struct cql_source *s, FILE *file, const char *name);
void cql_source_of_editor(struct cql_source *s, struct shell *shell);
void cql_source_release(struct cql_source *s);
/* Give up what has been read and is not run yet. */
void cql_source_drop(struct cql_source *s);
/* Return 1 with the statement and the number of its line, 0, -errno. */
int cql_source_next(struct cql_source *s, struct bytes *statement,
		    unsigned long *line);
/* Return the next line as it is, for data between statements. As `line`. */
int cql_source_line(struct cql_source *s, struct buf *out);
#endif
