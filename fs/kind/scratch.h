/*
 * Scratch files: the temporary files of editors and copiers (fs/README.md),
 * held in memory. Their bytes together are bounded.
 */
#ifndef FS_KIND_SCRATCH_H
#define FS_KIND_SCRATCH_H
#include "fs/op/op.h"

/* What is told of a file beside its text. */
struct scratch_about {
	int64_t mtime_ns, expires_s;	/* expires: NO_TIME */
	bool has_mtime;
	mode_t mode;
	uid_t uid;
	gid_t gid;
};
struct scratch {
	/*
	 * Held over each change, and where the file waits that of its record in
	 * the store, which comes first: both agree whatever fails. After a
	 * buffer's lock, before those of the store.
	 */
	struct mutex changing;
	/* Of the record, where that is not the node's name; under changing. */
	struct buf stored_at;
	bool is_removed;		/* the record; under changing */
	struct mutex lock;		/* of all below; changed under both */
	struct buf text;
	struct scratch_about about;
	uint64_t record;		/* bytes that count for the file itself */
	struct charge charge;		/* of these and of the text */
	_Atomic unsigned users;		/* nodes: a rename adds one */
};
/* Drop one user; the last one frees it. NULL is accepted. */
void scratch_free(struct fs *fs, struct scratch *s);
/* Make a scratch file that begins with this text, with the owner of c. */
int scratch_of(struct op *op, struct bytes text, int64_t mtime_ns,
	       struct child *c);
/* Append its text; set the times of *how that go with it. */
void scratch_contents(struct scratch *s, struct buf *text, struct store_how *how);
extern const struct node_ops kind_scratch;
/* A file below a directory that waits for schema.cql: kind/waiting.h. */
extern const struct node_ops kind_scratch_waiting;
/* Make a scratch file for this name. -EINVAL with the reason. */
int scratch_create(struct op *op, struct bytes name, struct child *out);
/* Describe a new directory for temporary files in dir, of that name. -ENOENT: it
 * is no name for one. */
int scratch_mkdir(struct op *op, struct node *dir, struct bytes name,
		  struct child *out);
/* Put the nearest of these names into the reason; returns -EINVAL. */
int scratch_refuse_name(struct op *op, struct bytes name, const char *what,
			const struct table *t);
#endif
