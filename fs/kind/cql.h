/* Open consoles (.cql and the like), for the timer. */
#ifndef FS_KIND_CQL_H
#define FS_KIND_CQL_H
#include <stdint.h>

struct fs;

/* Let results that nobody has read for some seconds release moments of the store
 * that have passed. */
void consoles_rest(struct fs *fs, int64_t now_s);
#endif
