/*
 * The rows of a table as a file of lines (JSON or CSV), for import and export: on
 * a mount its T.ndjson or T.csv, on a store that is not mounted the same lines,
 * read and written here. One thread.
 */
#ifndef TOOLS_TABLE_FILE_H
#define TOOLS_TABLE_FILE_H
#include "store/document/line.h"
#include "tools/lib/place.h"

struct cursor;
struct schema;
struct store;

struct table_file {
	const struct tool_place *place;
	enum row_form form;
	int fd;				/* of a mount's document; -1 */
	struct store *store;		/* open here */
	struct schema *schema;
	struct table *table;
	struct arena arena;		/* of the lines at hand */
	struct line_reader reader;
	bool reads;			/* reader is set up */
	struct cursor *cursor;
	struct row_text text;
	bool writes, begun;		/* text is set up; some was read */
	struct buf out;
	bool torn;			/* it was, after a part of it was taken */
	char reason[1024];		/* why a line was refused */
};
/* Open it, for lines that go into the table (import) or come from it. 0, or an
 * exit status after a message; then there is nothing to close. */
int table_file_open(struct table_file *f, const struct tool_place *p,
		    enum row_form form, bool import);
/*
 * Write whole lines. Returns how many bytes of them were taken, all but what
 * begins with a bad line; -EINVAL: the first line is bad, and f->reason says why;
 * another -errno.
 */
int64_t table_file_write(struct table_file *f, struct bytes lines);
/*
 * Go on after a line that was refused: the mount takes nothing more by the
 * descriptor to which a part of it was written. head: the header of CSV. 0, or
 * an exit status after a message.
 */
int table_file_go_on(struct table_file *f, struct bytes head);
/* Read the next bytes: 1 with *lines, whole ones of a store; 0: the end;
 * -errno. */
int table_file_read(struct table_file *f, struct bytes *lines);
/* Close it: 0, or an exit status after a message. */
int table_file_close(struct table_file *f);
/* Read the name of a form, as csv or ndjson. False: it is none, after a
 * message. */
bool table_file_form(enum row_form *form, const char *name);
#endif
