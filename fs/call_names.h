/* Calls by name, as other calls need them. */
#ifndef FS_CALL_NAMES_H
#define FS_CALL_NAMES_H

struct fs;
struct node;

/* Wait while the file's name is being removed. */
void fs_wait_left(struct fs *fs, struct node *n);
#endif
