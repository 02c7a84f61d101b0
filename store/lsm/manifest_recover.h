/* Reading a manifest when a store is opened. */
#ifndef STORE_LSM_MANIFEST_RECOVER_H
#define STORE_LSM_MANIFEST_RECOVER_H
#include "store/lsm/manifest_file.h"

/* Read the manifest that CURRENT's contents name. 0, -EUCLEAN told,
 * -EPROTONOSUPPORT, another -errno. */
int manifest_recover(struct manifest *m, struct bytes current);
/* Open it for writing. */
int manifest_open_to_write(struct manifest *m);
/*
 * For a repair: carry out all edits that can be read of the manifest of that
 * name. state becomes what they make, and is the caller's to release if this
 * succeeds. *whole: there is no sign that any edit is missing. 0, -ENOENT,
 * -EPROTONOSUPPORT, -EFBIG, another -errno.
 */
int manifest_salvage(struct manifest_state *state, const struct file_ops *files,
		     int dir, const char *name, bool *whole);
#endif
