/*
 * The kinds of node: each is a const struct node_ops in fs/kind/, which is
 * found once, at lookup. Calls return 0 or -errno where nothing else is said. What
 * differs from kind to kind is a member; a kind is compared with another only by
 * the files that make its nodes, which ask what they have found.
 */
#ifndef FS_NODE_KIND_H
#define FS_NODE_KIND_H
#include <sys/stat.h>

#include "store/base/bytes.h"

struct child;
struct handle;
struct listing;
struct node;
struct op;
struct place;

/* The part that a node's value adds to the place of its directory:
 * op/place.h. */
enum part {
	PART_NONE, PART_KEY, PART_STATIC, PART_COLUMN, PART_PATH,
	PART_VALUE,	/* nothing: it is the value at that place */
};

struct store_how {
	bool append;			/* documents: merge, not replace */
	/* Of a cell: the first `base` bytes of the text were there before;
	 * those after them are appended to the stored value. */
	bool adds;
	uint64_t base;
	bool copied;			/* from another file, as copiers do */
	bool has_mtime, has_expires;
	int64_t mtime_ns, expires_s;
	/* Of a text that waited: the timestamp with which it was written, so that
	 * what is newer in its place stays. 0: it is written now. */
	int64_t written_us;
};
/* A file whose contents are held whole while it is open for writing. */
struct file_kind {
	/* Append the committed contents. -ENOENT: there are none. */
	int (*load)(struct op *op, struct node *n, struct buf *out);
	/* As load and the node's stat, from one read of the store. NULL: one is
	 * called after the other. */
	int (*load_with_stat)(struct op *op, struct node *n, struct buf *out,
			      struct child *c);
	/* Store this as the contents. */
	int (*store)(struct op *op, struct node *n, struct bytes text,
		     const struct store_how *how);
	/* As store, for a file that is no value (a counter): a temporary file
	 * is renamed onto it. NULL: it is read-only. */
	int (*replace)(struct op *op, struct node *n, struct bytes text,
		       const struct store_how *how);
	/* True if a valid value can begin with text, whose bytes before `from`
	 * were checked already. NULL: anything can. */
	bool (*may_begin)(struct op *op, struct node *n, struct bytes text,
			  size_t from);
	/*
	 * Check a complete text (text_is_complete) when it is written, as a
	 * shell does not look at errors of a close. -EINVAL with the reason.
	 * NULL: no check.
	 */
	int (*check)(struct op *op, struct node *n, struct bytes text,
		     const struct store_how *how);
	/*
	 * Check that a value stored now is later than all that is or was stored
	 * there. Called when a text is begun, as an error of its commit may be
	 * lost in a close. -EPERM with the reason (op_later). NULL: no check.
	 */
	int (*check_time)(struct op *op, struct node *n);
	/* True if the value includes the last newline of the text. NULL: it
	 * never does. */
	bool (*keeps_newline)(struct op *op, struct node *n);
	/* True if the text is the value, byte for byte (but for a last
	 * newline): then the bound of values is the text's. NULL: it never
	 * is. */
	bool (*is_value)(struct op *op, struct node *n);
	/* True if truncating it to nothing and closing it stores the empty
	 * value. */
	bool (*takes_empty)(struct op *op, struct node *n);
	/* Begin the text of a descriptor: it was opened for writing, or it
	 * truncates the file to nothing. NULL: nothing happens. */
	void (*begin)(struct op *op, struct handle *h);
	/* A document: each descriptor has its own text, >> merges. */
	bool document;
	/* Statements are written to it: see handle_begin_statement(). */
	bool statements;
	/* Each open has a node of its own, where possible: the kernel does one
	 * write to an inode at a time, and these may take long. */
	bool alone;
	/* Opening makes it (a set's element): it needs no write. */
	bool exists_by_name;
	/* Never cached by the kernel; its size is not known before a read. */
	bool streamed;
	/*
	 * Files that are no value at all (.cql, counters, control): these
	 * calls, where set, are used instead of all others.
	 */
	int (*open)(struct op *op, struct handle *h);
	int (*read)(struct op *op, struct handle *h, uint64_t offset,
		    size_t size, struct buf *out);
	int64_t (*write)(struct op *op, struct handle *h, uint64_t offset,
			 struct bytes data);
	int (*flush)(struct op *op, struct handle *h);
	/* 0, or the error of what is still to be written, for .widefs/errors. */
	int (*close)(struct op *op, struct handle *h);
	/* Truncate the open file h, or (NULL) by path. NULL: nothing
	 * happens. */
	int (*truncate)(struct op *op, struct node *n, struct handle *h,
			uint64_t size);
};

struct node_ops {
	const char *kind;
	bool by_position;	/* its name may mean another object later */
	bool directory;
	bool link;		/* a symbolic link */
	/* A directory in which nothing can be changed, and whose listing the
	 * kernel never keeps. */
	bool made_up;
	enum part part;
	const struct file_kind *file;	/* of a file */
	bool whole_column;	/* PART_COLUMN: all elements of a column */
	bool key_column;	/* PART_COLUMN: a column of the key */
	bool plain_value;	/* the one value of a schemaless table's row */
	bool row_file;		/* a file that is a whole such row */
	bool plain_names;	/* its children have unescaped names */
	bool schema_names;	/* lookup finds shortened names in the schema */
	bool key_file;		/* @key: its text never waits for a key */
	bool appends;		/* another object stores its writes */
	/* Its value is the number of a snapshot (8 bytes), which all nodes
	 * below it show. */
	bool snapshot;
	bool json;	/* below it rows are documents: kind/json_tree.h */
	bool volatile_listing;	/* the kernel keeps none */
	bool waits;		/* for schema.cql: kind/waiting.h */
	bool takes_waiting;	/* a directory in which files may wait for it */
	bool temporary;		/* a directory that an editor or copier makes */
	bool volatile_attributes;	/* another descriptor changes them */
	/* True if the caller is making an object of this name, and must not
	 * find it yet. NULL: never. */
	bool (*is_being_made)(struct op *op, struct node *dir,
			      struct bytes name);
	/* Look up this name in dir. -ENOENT. */
	int (*lookup)(struct op *op, struct node *dir, struct bytes name,
		      struct child *out);
	/* Get its present attributes. -ENOENT, -ESTALE. */
	int (*stat)(struct op *op, struct node *n, struct child *out);
	/* As stat, of what is at that place (kind/cell.h). NULL: a cell. */
	int (*stat_place)(struct op *op, const struct place *p,
			  struct child *out);
	/*
	 * Step through the listing (without kept nodes): 1 with *name and *out
	 * set, 0 at the end, or -errno. l->step counts the calls.
	 */
	int (*next)(struct op *op, struct listing *l, struct buf *name,
		    struct child *out);
	/* Describe the file that is created under this name; it does not
	 * exist. */
	int (*create)(struct op *op, struct node *dir, struct bytes name,
		      struct child *out);
	/* Make the directory and describe it in *out. keep: in memory only. */
	int (*mkdir)(struct op *op, struct node *dir, struct bytes name,
		     mode_t mode, struct child *out, bool *keep);
	/* Remove the node itself; rmdir checks that it is empty. */
	int (*rmdir)(struct op *op, struct node *n);
	int (*unlink)(struct op *op, struct node *n);
	/* Append the target of a link. */
	int (*read_link)(struct op *op, struct node *n, struct buf *out);
	/* Move n to this name in dir, in place of `replaced` (or NULL); *target
	 * describes it there. */
	int (*rename)(struct op *op, struct node *n, struct node *dir,
		      struct bytes name, struct node *replaced,
		      struct child *target);
	/* Store the time that utimensat sets. NULL: it is kept in memory. */
	int (*set_mtime)(struct op *op, struct node *n, int64_t mtime_ns);
	/* Store what chmod or chown sets (set: enum fs_set). NULL: only the
	 * present owner and mode are accepted. */
	int (*set_owner)(struct op *op, struct node *n, unsigned set,
			 const struct stat *attr);
	/* Append the value of user.NAME; -ENODATA, -EOPNOTSUPP. */
	int (*get_attribute)(struct op *op, struct node *n, const char *name,
			     struct buf *out);
	/* Set it. value null: remove it. */
	int (*set_attribute)(struct op *op, struct node *n, const char *name,
			     struct bytes value);
	/* Of a table: store a file of it that was open when another table took
	 * its rows over; -ESTALE: none did. */
	int (*store_adopted)(struct op *op, struct node *n, struct bytes text,
			     const struct store_how *how);
	/* Store what needs no value (a row's marker, an element), as the key of
	 * dir is known now. NULL: nothing. */
	int (*settle)(struct op *op, struct node *dir);
};

/* Return the type of its nodes, in the bits of st_mode. */
static inline mode_t node_ops_type(const struct node_ops *ops)
{
	return ops->directory ? S_IFDIR : ops->link ? S_IFLNK : S_IFREG;
}
#endif
