/* An open console: a file of statements (cql.c) with its result. */
#ifndef FS_KIND_CONSOLE_H
#define FS_KIND_CONSOLE_H
#include "fs/kind/waiting.h"
#include "fs/node/account.h"
#include "store/cql/cql.h"
#include "store/cql/output/format.h"
#include "store/cql/syntax/statement_end.h"

struct fs;
struct handle;
struct op;

struct console {
	struct fs *fs;
	struct handle *handle;		/* its lock guards the rest */
	LIST_ENTRY(console) entry;	/* of fs->consoles */
	int64_t used_s;			/* the last call */
	struct op *op;			/* of the call under way */
	struct cql_session *session;
	enum cql_format_kind kind;
	struct cql_split split;
	struct buf text;		/* not yet run */
	struct buf out;			/* not yet read, from `read` on */
	size_t read;
	struct charge text_charge, out_charge;	/* of their lengths */
	struct charge stream;		/* while result streams */
	struct cql_result *result;	/* streams into out, */
	uid_t uid;			/* of this user, */
	uint64_t begun;			/* the so manieth of all, */
	struct charge past, plan;	/* and keeps this */
	struct cql_format *format;
	struct waiting_list waiting;	/* for the statement that runs */
	bool used;	/* something was written, or the help was read */
	int failed;	/* the stream's error, to return after out */
	bool over;	/* it was ended: all kept too much of past moments */
	bool refused;	/* not by the session: the op has the reason */
};

/* Add it to the open ones; remove it, when it is closed. */
void console_link(struct console *c);
void console_unlink(struct console *c);
/* End the result that is under way, if there is one. REQUIRES the lock of its
 * handle. */
void console_end_result(struct console *c);
/*
 * For the timer. Let results that nobody has read for some seconds release moments
 * of the store that have passed. End those, the oldest of the users who keep most,
 * that keep more of past moments than there is room for: the next read says so.
 */
void consoles_rest(struct fs *fs, int64_t now_s);
#endif
