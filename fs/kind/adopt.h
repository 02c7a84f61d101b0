/*
 * A restore may bring a table's directory before schema.cql has the table: then
 * mkdir makes a schemaless one, and its files hold the cells' texts. The CREATE
 * TABLE that follows turns them into rows, as if they had been written into the
 * new table: one without clustering columns, or another schemaless one. If a
 * file does not fit, the statement is refused with the name of the first one.
 */
#ifndef FS_KIND_ADOPT_H
#define FS_KIND_ADOPT_H
#include "fs/kind/waiting.h"
#include "fs/op/place.h"

/* Give the rows of a table that mkdir made in that keyspace to another one
 * (cql_adopt); what waits in it is moved by waiting_end. */
int adopt_rows(struct op *op, struct node *keyspace, struct table *from,
	       struct table *to, struct waiting_list *waiting);
/* The same for a statement that was not written into schema.cql: -EEXIST, if
 * there are rows. */
int adopt_empty_table(struct op *op, struct table *from, struct table *to,
		      struct waiting_list *waiting);
/* Store a file of that table which was open then, under its name's present
 * place. -ESTALE: no table took over. */
int adopt_store(struct op *op, struct node *n, struct bytes text,
		const struct store_how *how);
#endif
