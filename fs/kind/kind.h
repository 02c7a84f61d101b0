/*
 * Calls that the kinds of node share; node/kind.h has struct node_ops, which
 * describes a kind.
 */
#ifndef FS_KIND_KIND_H
#define FS_KIND_KIND_H
#include "fs/op/place.h"

extern const struct node_ops kind_root, kind_keyspace, kind_table,
	kind_partition, kind_row, kind_static, kind_cell, kind_counter,
	kind_key_column, kind_collection, kind_row_json, kind_collection_json,
	kind_schemaless, kind_plain, kind_plain_long, kind_long_element,
	kind_scratch;

/* --------------------------------------------------- shared by the kinds */
/* kind/cell.c: set a file's attributes to those of a live cell. */
void cell_child(struct child *c, const struct table *t, const struct type *type,
		const struct cell_view *cell);
int cell_lookup(struct op *op, struct node *dir, struct child *c);
int cell_stat(struct op *op, struct node *n, struct child *out);
int cell_set_mtime(struct op *op, struct node *n, int64_t mtime_ns);
int cell_unlink(struct op *op, struct node *n);
int cell_rename(struct op *op, struct node *n, struct node *dir,
		struct bytes name, struct node *replaced, struct child *target);
int key_column_stat(struct op *op, const struct place *p, struct child *c);
int collection_json_stat(struct op *op, const struct place *p,
			 struct child *c);
extern const struct file_kind cell_file;
/* Read the value of a file's text. -EINVAL with the reason. */
int text_value(struct op *op, const struct type *type, struct bytes text,
	       struct buf *value);
/* The same of a text copied from another file: a lone newline may be the empty
 * value of a type that has no literal for it. */
int copied_value(struct op *op, const struct type *type, struct bytes text,
		 struct buf *value);
/* Check that text_value would accept a complete text of a type. */
int text_check(struct op *op, const struct type *type, struct bytes text);
void value_text(struct buf *out, const struct type *type, struct bytes value);
uint64_t value_text_size(const struct type *type, struct bytes value);
/* kind/collection.c: read the live cells of the place's column; none: 0 of
 * them. They live as long as the arena. 0 or -errno. */
int collection_cells(struct op *op, const struct place *p, struct arena *arena,
		     const struct cell_view **cells, size_t *count);
/* Set time and end of a collection with these cells (at least one): the
 * latest. */
void collection_times(struct child *c, const struct cell_view *cells,
		      size_t count);
/* kind/partition.c: */
int key_lookup(struct op *op, struct node *dir, struct bytes name,
	       struct child *out);
/* Describe the child of a key's name, existing or not (unkeyed: a shortened
 * name). */
int key_child(struct op *op, struct node *dir, struct bytes name,
	      struct child *out);
/* Check that a name may be made. -EINVAL: rows exist with another spelling of
 * it. */
int key_check_new(struct op *op, struct node *dir, const struct child *c);
/* Check that a directory that a rename replaces is empty: -ENOTEMPTY. */
int remove_check_empty(struct op *op, struct node *n);
int key_create(struct op *op, struct node *dir, struct bytes name,
	       struct child *out);
int key_mkdir(struct op *op, struct node *dir, struct bytes name, mode_t mode,
	      struct child *out, bool *keep);
/* touch: the directory above changes with it. */
int row_insert(struct op *op, struct node *dir, const struct child *c,
	       bool touch);
int row_json_stat(struct op *op, const struct place *p, struct child *out);
void row_child(struct child *c, const struct table *t,
	       const struct row_view *row);
/* kind/schemaless.c: append the whole name of a row in dir. */
void plain_name(struct buf *out, struct node *dir, struct bytes value);
/* kind/key.c: look up the @key of a directory with a shortened name. */
int key_file_lookup(struct op *op, struct node *dir, struct child *out);
/* The same, existing or not. */
int key_file_child(struct op *op, struct node *dir, struct child *out);
/* kind/root.c: translate a file name to the name in the schema. */
int raw_name(struct op *op, struct bytes name, struct bytes *raw);
/* Check that a keyspace or table may have this name. */
int check_identifier(struct op *op, struct bytes name, const char *what);
int keyspace_stat(struct op *op, struct node *n, struct child *out);
/* Describe the child of this name, existing or not. */
int control_child(struct op *op, struct child *out);
int cql_child(struct op *op, struct node *dir, struct bytes name,
	      struct child *out);
int schema_child(struct op *op, struct node *dir, struct child *out);
int ddl_child(struct op *op, struct node *dir, struct bytes base,
	      struct child *out);
/* kind/schema.c: run statements for the caller. */
bool cql_may_caller(void *context, const struct keyspace *k,
		    const struct table *t, enum cql_right right);
int session_open(struct op *op, struct cql_session **out, const char *keyspace,
		 mode_t mode, bool as_caller);
int session_run(struct op *op, struct cql_session *session, struct bytes text);
int print_keyspace(struct op *op, struct buf *out, const struct keyspace *k);
int run_statement(struct op *op, const char *keyspace, struct bytes text,
		  mode_t mode, bool as_caller);

/* kind/adopt.c: give the rows of a table that mkdir made, n's (its schema.cql),
 * to another one (cql_adopt). */
int adopt_rows(struct op *op, struct node *n, struct table *from,
	       struct table *to);
/* Store a file of it that was open then under its name's present place;
 * -ESTALE: no table took over. */
int adopt_store(struct op *op, struct node *n, struct bytes text,
		const struct store_how *how);

/* kind/schema_write.c: run the statements written into a schema.cql, n. */
int ddl_apply(struct op *op, struct node *n, struct bytes text);
int64_t ddl_write(struct op *op, struct handle *h, uint64_t offset,
		  struct bytes data);
int ddl_flush(struct op *op, struct handle *h);
void ddl_close(struct op *op, struct handle *h);
/* kind/scratch.c: make a scratch file for this name, or -EINVAL with a
 * reason. */
int scratch_create(struct op *op, struct bytes name, struct child *out);
/* Put the nearest of these names into the reason; returns -EINVAL. */
int refuse_name(struct op *op, struct bytes name, const char *what,
		const struct table *t);
#endif
