#include "mount/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/config.h"
#include "mount/message.h"
#include "mount/setting.h"

#define SHORT_USAGE "(usage: widefs [-o options] STORE MOUNTPOINT)"

/* The command line as fuse_opt collects it: values of settings are still text. */
struct raw {
	int foreground, debug, single, help, version, fake, sloppy;
	char *config;
	char *settings[SETTING_COUNT];	/* "=VALUE", "": a name alone, or NULL */
	char *place[2];
	int place_count;
};

#define TEXT(name, member) { name, offsetof(struct raw, member), 0 }
#define FLAG(name, member) { name, offsetof(struct raw, member), 1 }
enum { KEY_PASS_ON = 1, KEY_IGNORE };

static const struct fuse_opt table[] = {
	FLAG("-f", foreground), FLAG("--foreground", foreground),
	FLAG("-d", debug), FLAG("--debug", debug), FLAG("debug", debug),
	FLAG("-s", single), FLAG("-h", help), FLAG("--help", help),
	FLAG("-V", version), FLAG("--version", version),
	TEXT("--config=%s", config), TEXT("config=%s", config),
	/* Options of libfuse and the kernel. */
	FUSE_OPT_KEY("allow_other", KEY_PASS_ON),
	FUSE_OPT_KEY("allow_root", KEY_PASS_ON),
	FUSE_OPT_KEY("auto_unmount", KEY_PASS_ON),
	FUSE_OPT_KEY("fsname=%s", KEY_PASS_ON),
	FUSE_OPT_KEY("context=%s", KEY_PASS_ON),
	FUSE_OPT_KEY("suid", KEY_PASS_ON),
	FUSE_OPT_KEY("nosuid", KEY_PASS_ON), FUSE_OPT_KEY("dev", KEY_PASS_ON),
	FUSE_OPT_KEY("nodev", KEY_PASS_ON), FUSE_OPT_KEY("exec", KEY_PASS_ON),
	FUSE_OPT_KEY("noexec", KEY_PASS_ON), FUSE_OPT_KEY("sync", KEY_PASS_ON),
	FUSE_OPT_KEY("async", KEY_PASS_ON), FUSE_OPT_KEY("atime", KEY_PASS_ON),
	FUSE_OPT_KEY("noatime", KEY_PASS_ON),
	FUSE_OPT_KEY("dirsync", KEY_PASS_ON),
	/* Options that fstab may have and that mean nothing here, or are done
	 * anyway. mount(8) says rw whenever nobody has said ro. */
	FUSE_OPT_KEY("rw", KEY_IGNORE),
	FUSE_OPT_KEY("default_permissions", KEY_IGNORE),
	FUSE_OPT_KEY("subtype=%s", KEY_IGNORE),	/* we set one of our own */
	FUSE_OPT_KEY("relatime", KEY_IGNORE),
	FUSE_OPT_KEY("nodiratime", KEY_IGNORE),	/* times of access are none */
	FUSE_OPT_KEY("strictatime", KEY_IGNORE),
	FUSE_OPT_KEY("lazytime", KEY_IGNORE),
	FUSE_OPT_KEY("defaults", KEY_IGNORE), FUSE_OPT_KEY("auto", KEY_IGNORE),
	FUSE_OPT_KEY("noauto", KEY_IGNORE), FUSE_OPT_KEY("user", KEY_IGNORE),
	FUSE_OPT_KEY("nouser", KEY_IGNORE), FUSE_OPT_KEY("users", KEY_IGNORE),
	FUSE_OPT_KEY("owner", KEY_IGNORE), FUSE_OPT_KEY("group", KEY_IGNORE),
	FUSE_OPT_KEY("nofail", KEY_IGNORE), FUSE_OPT_KEY("_netdev", KEY_IGNORE),
	FUSE_OPT_KEY("x-", KEY_IGNORE), FUSE_OPT_KEY("comment=", KEY_IGNORE),
	FUSE_OPT_KEY("clone_fd", KEY_IGNORE),
	/* What the kernel keeps is right for as long as it keeps it. */
	FUSE_OPT_KEY("kernel_cache", KEY_IGNORE),
	FUSE_OPT_KEY("auto_cache", KEY_IGNORE),
	FUSE_OPT_KEY("noauto_cache", KEY_IGNORE),
	FUSE_OPT_KEY("entry_timeout=%s", KEY_IGNORE),
	FUSE_OPT_KEY("negative_timeout=%s", KEY_IGNORE),
	FUSE_OPT_KEY("attr_timeout=%s", KEY_IGNORE),
	FUSE_OPT_KEY("ac_attr_timeout=%s", KEY_IGNORE),
	FUSE_OPT_END
};

/* Flags by which mount(8) calls its helpers; they mean other things than ours. */
static const struct fuse_opt helper_table[] = {
	FLAG("-f", fake), FLAG("-s", sloppy),
	FUSE_OPT_KEY("-n", FUSE_OPT_KEY_DISCARD),
	FUSE_OPT_KEY("-v", FUSE_OPT_KEY_DISCARD),
	FUSE_OPT_KEY("-t ", FUSE_OPT_KEY_DISCARD),
	FUSE_OPT_END
};

/* Return the known option that is most like the word, of equal ones the first; or
 * NULL. Its name ends with a 0 or with "=%s". */
static const char *nearest(const char *word)
{
	size_t len = strcspn(word, "="), best = 2;
	const char *found = setting_nearest(word, len);
	const struct fuse_opt *o;

	if (found)
		best = setting_likeness(word, len, found, strlen(found));
	for (o = table; o->templ; o++) {
		size_t alike;

		if (o->templ[0] == '-' || (o->offset == -1U &&
					   o->value == KEY_IGNORE))
			continue;
		alike = setting_likeness(word, len, o->templ,
					 strcspn(o->templ, "="));
		if (alike > best) {
			best = alike;
			found = o->templ;
		}
	}
	return found;
}

bool options_is_of_mount(const char *name)
{
	size_t len = strlen(name);
	const struct fuse_opt *o;

	for (o = table; o->templ; o++)
		if (o->offset == -1U && strcspn(o->templ, "=") == len &&
		    !strncmp(o->templ, name, len))
			return true;
	return false;
}

/* Keep the value of a setting. 0; 1: it is none. */
static int keep_setting(struct raw *raw, const char *arg)
{
	const char *name = arg + strspn(arg, "-");
	size_t len = strcspn(name, "=");
	int setting = setting_find(name, len);

	if (setting < 0 || (name != arg && !setting_is_flag(setting)))
		return 1;
	free(raw->settings[setting]);
	raw->settings[setting] = strdup(name + len);
	return raw->settings[setting] ? 0 : -1;
}

static bool is_flag(const char *name, size_t len)
{
	const struct fuse_opt *o;
	int setting = setting_find(name, len);

	if (setting >= 0)
		return setting_is_flag(setting);
	for (o = table; o->templ; o++)
		if (!strncmp(o->templ, "--", 2) &&
		    strcspn(o->templ + 2, "=") == len &&
		    !strncmp(o->templ + 2, name, len))
			return true;
	return false;
}

/* Propose the name as it is to be written in place of arg: with dashes where it may
 * have them, and arg has them. */
static void propose(const char *arg, const char *near)
{
	size_t len = strcspn(near, "="), i;
	bool flag = is_flag(near, len);
	char name[32];

	for (i = 0; i < len && i < sizeof(name) - 1; i++)
		name[i] = arg[0] == '-' && flag && near[i] == '_' ? '-' : near[i];
	name[i] = 0;
	message_complain(arg, "unknown option (did you mean %s%s?)",
			 arg[0] != '-' ? "" : flag ? "--" : "-o ", name);
}

static int on_option(void *data, const char *arg, int key,
		     struct fuse_args *out)
{
	struct raw *raw = data;
	const char *near;
	int kept = 1;

	(void)out;
	if (key == KEY_PASS_ON)
		return 1;
	if (key == KEY_IGNORE || !strncmp(arg, "x-", 2) ||
	    !strncmp(arg, "comment=", 8))
		return 0;
	if (key == FUSE_OPT_KEY_NONOPT && raw->place_count < 2) {
		raw->place[raw->place_count] = strdup(arg);
		return raw->place[raw->place_count++] ? 0 : -1;
	}
	if (key == FUSE_OPT_KEY_OPT)
		kept = keep_setting(raw, arg);
	if (kept <= 0)
		return kept;
	if (key == FUSE_OPT_KEY_OPT && raw->sloppy && arg[0] != '-')
		return 0;
	if (key == FUSE_OPT_KEY_NONOPT) {
		message_complain(arg, "one STORE and one MOUNTPOINT are enough "
				 "(see widefs --help)");
		return -1;
	}
	near = nearest(arg + strspn(arg, "-"));
	if (near)
		propose(arg, near);
	else
		message_complain(arg, "unknown option (see widefs --help)");
	return -1;
}

char *options_absolute(const char *path)
{
	char here[PATH_MAX];
	char *out = NULL;

	if (path[0] == '/')
		return strdup(path);
	if (!getcwd(here, sizeof(here))) {
		message_complain(path, "%s (the working directory)",
				 strerror(errno));
		return NULL;
	}
	return asprintf(&out, "%s/%s", here, path) < 0 ? NULL : out;
}

static int read_places(struct mount_options *o, const struct raw *raw)
{
	if (raw->place_count < 2) {
		message_complain(raw->place_count ? "MOUNTPOINT" : "STORE",
				 "it is missing " SHORT_USAGE);
		return -EINVAL;
	}
	if (!*raw->place[0] || !*raw->place[1]) {
		message_complain(*raw->place[0] ? "MOUNTPOINT" : "STORE",
				 "an empty name " SHORT_USAGE);
		return -EINVAL;
	}
	o->store = options_absolute(raw->place[0]);
	o->mountpoint = o->store ? options_absolute(raw->place[1]) : NULL;
	return o->store && o->mountpoint ? 0 : -ENOMEM;
}

static void raw_release(struct raw *raw)
{
	size_t i;

	free(raw->config);
	for (i = 0; i < SETTING_COUNT; i++)
		free(raw->settings[i]);
	free(raw->place[0]);
	free(raw->place[1]);
}

static int set_from_command_line(struct mount_options *o, const struct raw *raw)
{
	int i, err = 0;

	for (i = 0; i < SETTING_COUNT && !err; i++)
		if (raw->settings[i])
			err = setting_set(o, i, *raw->settings[i] ?
					  raw->settings[i] + 1 : NULL,
					  SETTING_COMMAND_LINE, "");
	return err;
}

/* Set all settings, a place of values after the other. */
static int read_settings(struct mount_options *o, const struct raw *raw)
{
	int threads = setting_find("threads", 7);
	int level = setting_find("log_level", 9);
	int err = config_read_file(o, raw->config);

	if (!err)
		err = config_read_store(o);
	if (!err)
		err = config_read_environment(o);
	if (!err && raw->debug)
		err = setting_set(o, level, "debug", SETTING_COMMAND_LINE, "");
	if (!err)
		err = set_from_command_line(o, raw);
	if (!err && raw->single)
		err = setting_set(o, threads, "1", SETTING_COMMAND_LINE, "");
	return err;
}

int mount_options_parse(struct mount_options *o, int argc, char **argv)
{
	struct raw raw = { .config = NULL };
	const char *name = strrchr(argv[0], '/');
	int err = 0;

	memset(o, 0, sizeof(*o));
	o->args = (struct fuse_args)FUSE_ARGS_INIT(argc, argv);
	setting_set_built_in(o);
	name = name ? name + 1 : argv[0];
	o->as_mount_helper = !strncmp(name, "mount.", 6);
	if ((o->as_mount_helper &&
	     fuse_opt_parse(&o->args, &raw, helper_table, NULL)) ||
	    fuse_opt_parse(&o->args, &raw, table, on_option))
		err = -EINVAL;
	o->foreground = raw.foreground || raw.debug;
	o->debug = raw.debug;
	o->fake = raw.fake;
	o->help = raw.help;
	o->version = raw.version;
	if (!err && !o->help && !o->version)
		err = read_places(o, &raw);
	if (!err && !o->help && !o->version)
		err = read_settings(o, &raw);
	raw_release(&raw);
	return err;
}

void mount_options_release(struct mount_options *o)
{
	fuse_opt_free_args(&o->args);
	free(o->store);
	free(o->mountpoint);
	free(o->config);
	setting_release(o);
}

void mount_options_usage(void)
{
	fputs("usage: widefs [-o options] STORE MOUNTPOINT\n"
	      "Mount the wide-column store STORE, which is created where there "
	      "is none.\n\n"
	      "  -f, --foreground     stay in the foreground\n"
	      "  -d, --debug          foreground, with every request on stderr\n"
	      "  -s                   one thread\n"
	      "  -h, --help           this text\n"
	      "  -V, --version        the version\n"
	      "      --log-file=FILE  write messages to FILE\n"
	      "      --log-level=L    error, warning (default), info or debug\n"
	      "      --log-format=F   text (default), or json: an object a line\n"
	      "      --config=FILE    read FILE, not /etc/widefs.conf\n"
	      "\noptions (-o):\n",
	      stdout);
	setting_print_help();
	fputs("  allow_other, allow_root, auto_unmount, fsname=NAME, noexec, "
	      "noatime, ...\n"
	      "                       as for every FUSE filesystem: mount.fuse3(8)\n"
	      "\nUnmount with: umount MOUNTPOINT, fusermount3 -u MOUNTPOINT, or "
	      "widefsctl umount MOUNTPOINT\n",
	      stdout);
}
