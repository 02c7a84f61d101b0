/*
 * The document of a query: its rows as lines of JSON or CSV, read as those of a
 * partition are (rows.h); never written. Removing the document of a range of
 * clustering deletes that range.
 */
#ifndef FS_KIND_QUERY_DOCUMENT_H
#define FS_KIND_QUERY_DOCUMENT_H
#include "fs/op/place.h"

/* Describe the document of that name, which begins with '@', in dir. -ENOENT: it
 * is none. */
int query_document_child(struct op *op, struct node *dir, struct bytes name,
			 struct child *out);
#endif
