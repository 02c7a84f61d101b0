/*
 * The progress of long work on standard error: on a terminal, from one second
 * on, a line that is written over; or, if it is asked for, always, or as a JSON
 * object each second. One thread.
 */
#ifndef TOOLS_LIB_PROGRESS_H
#define TOOLS_LIB_PROGRESS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER, PROGRESS_JSON };
struct progress {
	enum progress_mode mode;
	const char *what;	/* done: "scrub" */
	const char *unit;	/* counted: "rows", or "bytes" */
	uint64_t begun_ns, shown_ns, done, total;
	bool shown;
};
/* True if a line on standard error can be written over. */
bool progress_is_live(void);
/* Return how many bytes have room in that line. */
size_t progress_room(void);
/* Write a line over the one before, which ends here. */
void progress_put(const char *line);
/* Remove that line, if there is one, before other things are written. */
void progress_hide(void);
/* Read the argument of --progress. False: it is none, after a message. */
bool progress_mode_read(enum progress_mode *mode, const char *text);
void progress_begin(struct progress *p, enum progress_mode mode, const char *what,
		    const char *unit);
/* Show that so much is done, of total (0: unknown). */
void progress_show(struct progress *p, uint64_t done, uint64_t total);
/* Show the end, with all done that was to do; the line is finished. */
void progress_end(struct progress *p);
#endif
