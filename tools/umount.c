/*
 * widefsctl umount: unmount and wait until the daemon has closed the store, so
 * that the next command finds it free.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "tools/force.h"
#include "tools/lib/tool.h"

static int run(int argc, char **argv);
const struct command command_umount = {
	.name = "umount",
	.summary = "unmount, and wait until the store is closed",
	.usage = "usage: widefsctl umount [--timeout=S] [--lazy | --force] DIR\n"
		 "Unmount the store mounted at DIR and wait until it is closed. "
		 "Processes that\nkeep it busy are named.\n\n"
		 "  -t, --timeout=S  wait at most S seconds (60)\n"
		 "  -l, --lazy       detach at once; it ends with its last open "
		 "file\n"
		 "  -f, --force      when the daemon does not answer: end it as "
		 "kill -9 would,\n"
		 "                   and what waits for it with an error\n"
		 "  -h, --help       this text\n",
	.run = run,
};

/* True if the link at path (a descriptor, a directory) points into the
 * mount. */
static bool points_into(const char *path, const char *mount)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);
	size_t len = strlen(mount);

	if (n <= 0)
		return false;
	target[n] = 0;
	return !strncmp(target, mount, len) &&
	       (!target[len] || target[len] == '/');
}

static bool holds(const char *pid, const char *mount)
{
	char path[PATH_MAX];
	struct dirent *entry;
	bool found;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%.20s/cwd", pid);
	found = points_into(path, mount);
	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	fds = opendir(path);
	while (fds && !found && (entry = readdir(fds))) {
		snprintf(path, sizeof(path), "/proc/%.20s/fd/%.20s", pid,
			 entry->d_name);
		found = points_into(path, mount);
	}
	if (fds)
		closedir(fds);
	return found;
}

static void name_process(const char *pid)
{
	char path[64], name[64] = "?";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	file = fopen(path, "re");
	if (file && fgets(name, sizeof(name), file))
		name[strcspn(name, "\n")] = 0;
	if (file)
		fclose(file);
	tool_print_line("  process %s (%s)", pid, name);
}

static void name_holders(const char *mount)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    holds(entry->d_name, mount))
			name_process(entry->d_name);
	if (proc)
		closedir(proc);
}

/* Return the user who mounted it, as the kernel says. */
static uid_t owner_of(const char *mount)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	uid_t owner = getuid();
	const char *option;

	while (mounts && (entry = getmntent(mounts))) {
		option = strcmp(entry->mnt_dir, mount) ? NULL :
			 hasmntopt(entry, "user_id");
		if (option && option[strlen("user_id")] == '=')
			owner = (uid_t)strtoul(option + strlen("user_id="),
					       NULL, 10);
	}
	if (mounts)
		endmntent(mounts);
	return owner;
}

static int detach(const char *mount, bool lazy)
{
	int status;
	pid_t child;

	if (geteuid() == 0)
		return umount2(mount, lazy ? MNT_DETACH : 0) ? -errno : 0;
	child = fork();
	if (child < 0)
		return -errno;
	if (!child) {
		execlp("fusermount3", "fusermount3", lazy ? "-uzq" : "-uq",
		       "--", mount, NULL);
		_exit(127);
	}
	if (waitpid(child, &status, 0) < 0)
		return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EBUSY;
}

/* Return where the store is, as the mount itself says (the mount may have
 * another name). The caller frees it. NULL: it does not say. */
static char *store_of(const char *mount)
{
	char path[PATH_MAX + 32], line[PATH_MAX + 32], *found = NULL;
	FILE *options;

	snprintf(path, sizeof(path), "%s/.widefs/options", mount);
	options = fopen(path, "re");
	while (options && !found && fgets(line, sizeof(line), options)) {
		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, "store=", 6))
			found = strdup(line + 6);
	}
	if (options)
		fclose(options);
	return found;
}

/* Wait until the store can be opened again: 0, or -EBUSY at the deadline. */
static int wait_closed(const char *store, double timeout_s)
{
	uint64_t end = clock_monotonic_ns() + (uint64_t)(timeout_s * 1e9);
	const struct timespec pause = { 0, 20 * 1000 * 1000 };

	for (;;) {
		pid_t owner;

		if (force_store_owner(store, &owner) != -EBUSY)
			return 0;
		if (clock_monotonic_ns() > end) {
			tool_complain(store, "process %d has not closed it yet",
				      (int)owner);
			return -EBUSY;
		}
		nanosleep(&pause, NULL);
	}
}

enum how { PLAIN, LAZY, FORCED };

static int unmount(const char *mount, const char *store, enum how how,
		   double timeout_s)
{
	uid_t owner = owner_of(mount);
	char *place;
	int err;

	if (geteuid() && owner != getuid()) {
		tool_complain(mount, "mounted by user %u, who alone can unmount "
			      "it, and root", (unsigned)owner);
		return TOOL_FAILED;
	}
	if (how == FORCED && force_end(mount, store))
		return TOOL_FAILED;
	place = how == PLAIN ? store_of(mount) : NULL;
	err = detach(mount, how != PLAIN);
	if (err == -EBUSY) {
		tool_complain(mount, "busy (end these, or use --lazy):");
		name_holders(mount);
	} else if (err) {
		tool_failed(mount, err);
	} else if (how != LAZY) {
		err = wait_closed(place ? place : store, timeout_s);
	}
	free(place);
	return !err ? TOOL_DONE : err == -EBUSY ? TOOL_BUSY : TOOL_FAILED;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "timeout", required_argument, NULL, 't' },
		{ "lazy", no_argument, NULL, 'l' },
		{ "force", no_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	double timeout_s = 60;
	enum how how = PLAIN, asked;
	char *mount = NULL, *store = NULL, *real, *end;
	int option, status;

	while ((option = getopt_long(argc, argv, "t:lfh", options, NULL)) >= 0) {
		switch (option) {
		case 't':
			timeout_s = strtod(optarg, &end);
			if (*end || !*optarg || !(timeout_s >= 0))
				return tool_misused(&command_umount, optarg,
						    "not a number of seconds");
			break;
		case 'l':
		case 'f':
			asked = option == 'l' ? LAZY : FORCED;
			if (how != PLAIN && how != asked)
				return tool_misused(&command_umount, "umount",
						    "--lazy or --force, not both");
			how = asked;
			break;
		default:
			return tool_usage(&command_umount, option == 'h');
		}
	}
	if (argc - optind != 1)
		return tool_misused(&command_umount, "umount",
				    "one DIR is expected");
	real = how == FORCED ? force_path(argv[optind]) :
			       realpath(argv[optind], NULL);
	if (real)
		mount = tool_mount_at(real, &store);
	if (!mount || !real || strcmp(mount, real)) {
		tool_complain(argv[optind], "no widefs is mounted here");
		status = TOOL_NONE;
	} else if (chdir("/")) {	/* we do not hold it ourselves */
		tool_failed("/", -errno);
		status = TOOL_FAILED;
	} else {
		status = unmount(mount, store, how, timeout_s);
	}
	free(mount);
	free(store);
	free(real);
	return status;
}
