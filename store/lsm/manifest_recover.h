/* Reading a manifest when a store is opened. */
#ifndef STORE_LSM_MANIFEST_RECOVER_H
#define STORE_LSM_MANIFEST_RECOVER_H
#include "store/lsm/manifest_file.h"

/* Read the manifest that CURRENT's contents name. 0, -EUCLEAN told,
 * -EPROTONOSUPPORT, another -errno. */
int manifest_recover(struct manifest *m, struct bytes current);
/* Open it for writing. */
int manifest_open_to_write(struct manifest *m);
#endif
