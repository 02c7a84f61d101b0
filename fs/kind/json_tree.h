/*
 * .json: the tree once more, with each row as one listed document (row_json.h)
 * instead of a directory. Reached by name, not listed in the root.
 *
 * Its directories are nodes of the tree's kinds, whose node->json is set: these
 * list documents where the tree has rows, and the links of queries lead to them.
 * What else they look up is as in the tree: documents of rows, definitions,
 * queries; but statements, which are in the tree alone. The kernel caches nothing
 * of it (file/stat.c), so changes made elsewhere are seen at once; op/twin.h finds
 * the nodes of the tree.
 */
#ifndef FS_KIND_JSON_TREE_H
#define FS_KIND_JSON_TREE_H
#include "fs/op/op.h"

/* Describe the directory. 0 or -errno. */
int json_tree_child(struct op *op, struct child *out);
#endif
