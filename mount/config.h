/*
 * Settings from elsewhere than the command line (widefs.conf(5)): a file of the
 * system, one in the store, and the environment.
 */
#ifndef MOUNT_CONFIG_H
#define MOUNT_CONFIG_H

struct mount_options;

/*
 * Read the file of settings: path, or if that is NULL that of WIDEFS_CONFIG ("": none), or
 * /etc/widefs.conf, which need not exist. o->config is then its name.
 * 0; -EINVAL after a message to stderr; -ENOMEM.
 */
int config_read_file(struct mount_options *o, const char *path);
/* Read the file "options" of the store o->store, which need not exist. As above. */
int config_read_store(struct mount_options *o);
/* Read the variables WIDEFS_NAME. Others that begin so are ignored, but those that
 * are like a setting's. As above. */
int config_read_environment(struct mount_options *o);
#endif
