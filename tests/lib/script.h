/*
 * Scripts of CQL with what they must answer: tests/acceptance, tests/rules.
 * Each line begins with a mark:
 *
 *	# words			a comment
 *	[NAME]			a new store, until the next of these
 *	@ ID ID …		the rows of the acceptance list that this proves
 *	> STATEMENT		runs; a tab continues a line
 *	* N STATEMENT		runs N times, with $i as 1 to N
 *	= [[…], …]		the rows it gave, as JSON; a tab continues
 *	: a, b			the names of its columns
 *	! CLASS MESSAGE		it failed so; of a SyntaxException the message
 *				is a part
 *	% TEXT			one of its warnings has this text in it
 *	+ SECONDS		the clock moves on
 *	? FILE TEXT		this file of the source tree contains the text
 *	/ FILE			the row is proved there: FILE mentions its id
 *
 * A statement without = or ! must succeed and return no rows. The clock shows
 * 2050-01-01, and moves only by +.
 */
#ifndef TESTS_LIB_SCRIPT_H
#define TESTS_LIB_SCRIPT_H
#include <stdbool.h>
#include <stdio.h>

/* The step after each statement that changed something. */
enum script_mode {
	SCRIPT_PLAIN,
	SCRIPT_FLUSH,
	SCRIPT_COMPACT,		/* a flush and a compaction */
	SCRIPT_REOPEN,
	SCRIPT_MODES
};
/* Run a script. Returns how many answers were wrong; each is printed on
 * stdout. */
unsigned script_play(const char *path, enum script_mode mode);
/* Call `see` for each id of the file. */
void script_ids(const char *path, void (*see)(void *context, const char *id),
		void *context);
#endif
