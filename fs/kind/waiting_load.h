/*
 * Files that wait for schema.cql (waiting.h) are made again from their records
 * in the store (waiting_store.h) when it is mounted.
 */
#ifndef FS_KIND_WAITING_LOAD_H
#define FS_KIND_WAITING_LOAD_H
struct fs;

/*
 * After the tree was opened, before any call: have the files wait again, with
 * the @key of their directories. Where a crash left a table that was being
 * replaced, its files are made anew in the one that took its place. What is
 * refused stays in the store; the log says so. One thread.
 */
void waiting_load(struct fs *fs);
#endif
