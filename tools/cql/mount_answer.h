/*
 * The mount's answer to a statement (CQL_FORMAT_RAW in
 * store/cql/output/format.h). Types are made from their names, with what the
 * mount says about user types.
 */
#ifndef TOOLS_CQL_MOUNT_ANSWER_H
#define TOOLS_CQL_MOUNT_ANSWER_H
#include "tools/cql/answer.h"
#include "tools/cql/backend.h"
#include "tools/cql/types.h"

struct mount_backend {
	struct cql_backend base;
	char *mount, *path;	/* its root; of .cql.raw there */
	int fd;			/* -1: to be opened */
	struct cql_answer in;	/* what is read from fd */
	bool reading;		/* the answer has not come to its end */
	struct arena columns;	/* what base.columns points to */
	struct type **types;	/* of them; in columns */
	struct arena row;
	struct buf values;
	struct arena message;
	struct arena about;	/* the warnings and the files of the trace */
	const char **warnings;	/* until NULL; or NULL */
	struct cql_trace trace;
	bool traced;
	struct mount_backend *side;	/* asks for user types */
	char type_keyspace[64];	/* where user types are looked for */
};

/* Set the backend's error. Returns err. */
int mount_fail(struct mount_backend *m, enum cql_code code, int err,
	       const char *message);
/* The same for a failure of the file itself: its attribute may have the
 * reason. */
int mount_fail_as_file(struct mount_backend *m, enum cql_code code, int err);
/* Read the object after {"error": in the answer, and fail with it and err. */
int mount_take_error(struct mount_backend *m, int err);
/* Read the array after {"columns": to m->base and m->types; find_type gets m.
 * 0 or -errno. */
int mount_read_columns(struct mount_backend *m, cql_find_type *find_type);
/* Read the next row to *values, which are valid until the next call. 0 or
 * -errno. */
int mount_read_row(struct mount_backend *m, struct bytes **values);
/* Take the object that follows the rows: the warnings and the trace. 0 or
 * -errno. */
int mount_take_about(struct mount_backend *m);
#endif
