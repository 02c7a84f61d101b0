/* @append and @prepend of a list: what is written there becomes a new element at
 * that end. */
#ifndef FS_KIND_LIST_END_H
#define FS_KIND_LIST_END_H

extern const struct node_ops kind_append;
#endif
