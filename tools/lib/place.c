#include "tools/lib/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <mntent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "tools/lib/nearest.h"
#include "tools/lib/tool.h"

void place_release(struct tool_place *p)
{
	free(p->mount);
	free(p->store);
	free(p->snapshot);
	free(p->keyspace);
	free(p->table);
	*p = PLACE_INIT;
}

/* Skip the first name if it is this. */
static bool skip(const char **rest, const char *name)
{
	size_t len = strlen(name);

	*rest += strspn(*rest, "/");
	if (strncmp(*rest, name, len) || ((*rest)[len] && (*rest)[len] != '/'))
		return false;
	*rest += len + strspn(*rest + len, "/");
	return true;
}

/* Split "K/T", "K/T/row": the first two names. False: there is one alone. */
static bool take_table(struct tool_place *p, const char *rest, unsigned wants)
{
	size_t len;

	if (p->mount && !skip(&rest, ".json") && skip(&rest, ".snapshots") && *rest) {
		len = strcspn(rest, "/");
		p->snapshot = strndup(rest, len);
		rest += len;
		if (!p->snapshot)
			return false;
	}
	rest += strspn(rest, "/");
	/* .widefs, .cql and the like are in no table. */
	if (!*rest || *rest == '.')
		return true;
	len = strcspn(rest, "/");
	p->keyspace = strndup(rest, len);
	rest += len + strspn(rest + len, "/");
	if (*rest)
		p->table = strndup(rest, strcspn(rest, "/"));
	return p->keyspace && (p->table || wants & PLACE_KEYSPACES);
}

static bool is_store(const char *path)
{
	char *marker = NULL;
	bool there = asprintf(&marker, "%s/WIDEFS", path) >= 0 &&
		     !access(marker, F_OK);

	free(marker);
	return there;
}

/* Return the path, without links, of the nearest directory above that is there,
 * to be freed, or NULL; *missing: where in path the name that it has not ends. */
static char *nearest_above(const char *path, size_t *missing)
{
	char *name = strdup(path), *above = name, *real = NULL;

	while (above && !real && strcmp(above, "/") && strcmp(above, ".")) {
		*missing = strlen(above);
		above = dirname(above);
		real = realpath(above, NULL);
	}
	free(name);
	return real;
}

/* Offer the names in a directory. */
static void offer_names(struct nearest *near, const char *directory)
{
	DIR *names = opendir(directory);
	struct dirent *one;

	while (names && (one = readdir(names)))
		if (one->d_type == DT_DIR)
			nearest_offer(near, bytes_str(one->d_name));
	if (names)
		closedir(names);
}

/* True if the path, which is not there, would be in a mount. Then find the
 * keyspace or table that it is like; rows may be very many. */
static bool is_in_mount(const char *path, struct nearest *near)
{
	size_t missing = 0, begin;
	char *store = NULL, *real = nearest_above(path, &missing), *mount;
	bool inside;

	mount = real ? tool_mount_at(real, &store) : NULL;
	inside = mount;
	while (missing && path[missing - 1] == '/')
		missing--;
	for (begin = missing; begin && path[begin - 1] != '/';)
		begin--;
	nearest_begin(near, bytes_of(path + begin, missing - begin));
	if (inside && (!real[strlen(mount)] ||
		       strrchr(real, '/') == real + strlen(mount)))
		offer_names(near, real);
	free(store);
	free(mount);
	free(real);
	return inside;
}

bool place_is_inside(const char *path)
{
	char *store = NULL, *mount, *real, *slash;
	size_t missing;
	bool inside;

	real = nearest_above(path, &missing);
	mount = real ? tool_mount_at(real, &store) : NULL;
	inside = mount || (real && is_store(real));
	while (!inside && real && (slash = strrchr(real, '/')) && slash > real) {
		*slash = 0;
		inside = is_store(real);
	}
	free(store);
	free(mount);
	free(real);
	return inside;
}

/* STORE or STORE/K/T: the store is what has its marker. */
static bool find_store(struct tool_place *p, const char *path, unsigned wants)
{
	size_t len = strlen(path);
	char *slash;
	unsigned up;

	while (len > 1 && path[len - 1] == '/')
		len--;
	p->store = strndup(path, len);
	for (up = 0; p->store && up < 2 && !is_store(p->store); up++) {
		slash = strrchr(p->store, '/');
		if (!slash || slash == p->store)
			break;
		*slash = 0;
	}
	if (!p->store || !is_store(p->store)) {	/* opening says why */
		free(p->store);
		p->store = strdup(path);
		return p->store;
	}
	return take_table(p, path + strlen(p->store), wants);
}

static bool find(struct tool_place *p, const char *path, unsigned wants)
{
	char *real;
	bool found;

	p->mount = tool_mount_of(path ? path : ".", &p->store);
	if (!p->mount)
		return find_store(p, path ? path : ".", wants);
	if (!path)
		return true;
	real = realpath(path, NULL);
	found = real && take_table(p, real + strlen(p->mount), wants);
	free(real);
	return found;
}

int place_find(struct tool_place *p, const char *path, unsigned wants)
{
	char hint[NEAREST_HINT];
	struct nearest near;
	int status = TOOL_DONE;

	*p = PLACE_INIT;
	if (path && access(path, F_OK) && errno == ENOENT &&
	    is_in_mount(path, &near)) {
		tool_complain(path, "there is no such keyspace, table or row%s",
			      nearest_hint(&near, hint));
		status = TOOL_NONE;
	} else if (!find(p, path, wants)) {
		tool_complain(path ? path : ".", "name a store, a mount or a "
			      "table in it");
		status = TOOL_USAGE;
	} else if (p->snapshot && !(wants & PLACE_SNAPSHOTS)) {
		tool_complain(path ? path : ".", "it is in a snapshot (read its "
			      "files, export its tables, or restore it)");
		status = TOOL_USAGE;
	} else if (!p->mount && !strcmp(p->store, ".") && !is_store(".")) {
		tool_complain(".", "not in a widefs mount (name a store, a "
			      "mount or a table in it)");
		status = TOOL_NONE;
	}
	if (status)
		place_release(p);
	return status;
}

char *place_mount_of_store(const char *store)
{
	char *real = realpath(store, NULL), *found = NULL;
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;

	while (real && !found && mounts && (entry = getmntent(mounts)))
		if (!strcmp(entry->mnt_type, "fuse.widefs") &&
		    !strcmp(entry->mnt_fsname, real))
			found = strdup(entry->mnt_dir);
	if (mounts)
		endmntent(mounts);
	free(real);
	return found;
}

/* ------------------------------------------------------------ control files */
/* Append what comes from fd until its end or that time. */
static int read_until(int fd, struct buf *out, uint64_t end_ns)
{
	for (;;) {
		uint64_t now = clock_monotonic_ns();
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		int left = !end_ns ? -1 : now >= end_ns ? 0 :
			   (int)((end_ns - now) / 1000000) + 1;
		ssize_t n;

		n = poll(&ready, 1, left);
		if (!n)
			return -ETIMEDOUT;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n < 0)
			continue;
		if (!buf_reserve(out, 65536))
			return -ENOMEM;
		n = read(fd, out->ptr + out->len, 65536);
		if (n <= 0)
			return n < 0 ? -errno : 0;
		out->len += (size_t)n;
	}
}

/* Read in a process: the calls may hang, and only the end of a process ends
 * them. */
static int copy_file(const char *path, int to)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char chunk[65536];
	ssize_t n = fd < 0 ? -1 : 0;

	while (fd >= 0 && (n = read(fd, chunk, sizeof(chunk))) > 0)
		if (write(to, chunk, (size_t)n) != n)
			return EPIPE;
	return n < 0 ? errno : 0;
}

static int read_by_child(const char *path, struct buf *out, unsigned timeout_s)
{
	uint64_t end = timeout_s ? clock_monotonic_ns() +
			(uint64_t)timeout_s * 1000000000 : 0;
	int ends[2], status = 0, err;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	child = fork();
	if (child < 0) {
		err = -errno;
		close(ends[0]);
		close(ends[1]);
		return err;
	}
	if (!child)
		_exit(copy_file(path, ends[1]));
	close(ends[1]);
	err = read_until(ends[0], out, end);
	close(ends[0]);
	if (err)
		kill(child, SIGKILL);
	while (waitpid(child, &status, err == -ETIMEDOUT ? WNOHANG : 0) < 0 &&
	       errno == EINTR)
		;
	if (!err && !WIFEXITED(status))
		err = -EIO;
	return err ? err : -WEXITSTATUS(status);
}

int place_read_control(const struct tool_place *p, const char *name,
		       struct buf *out, unsigned timeout_s)
{
	char *path = NULL;
	int err;

	if (asprintf(&path, "%s/.widefs/%s", p->mount, name) < 0)
		return -ENOMEM;
	err = read_by_child(path, out, timeout_s);
	free(path);
	return err;
}
