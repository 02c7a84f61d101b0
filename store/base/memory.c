/*
 * A group's limit is in a file of its directory, and those above it count too.
 * The directory: /proc/self/cgroup has the path in the hierarchy, mountinfo what
 * part of the hierarchy is mounted where. A process that sees its own group as
 * the root finds its files at the mount point itself.
 */
#include "store/base/memory.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A hierarchy that may have memory limits. */
struct hierarchy {
	const char *kind;	/* the type of its mount */
	const char *file;	/* with the limit */
	char path[PATH_MAX];	/* of this process; "": it is in none */
	char mount[PATH_MAX], top[PATH_MAX];	/* where top of it is mounted */
};

/* True if word is in the list, whose words are separated by commas. */
static bool is_listed(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (; list; list = strchr(list, ',')) {
		list += *list == ',';
		if (!strncmp(list, word, len) &&
		    (!list[len] || list[len] == ','))
			return true;
	}
	return false;
}

static FILE *open_proc(const char *root, const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/proc/self/%s", root, name) >=
	    (int)sizeof(path))
		return NULL;
	return fopen(path, "re");
}

/* Lines are NUMBER:CONTROLLERS:PATH; those of version 2 have no controllers. */
static void find_path(struct hierarchy *h, const char *root, bool second)
{
	FILE *file = open_proc(root, "cgroup");
	char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		char *list = strchr(line, ':');
		char *path = list ? strchr(++list, ':') : NULL;

		if (!path)
			continue;
		*path++ = 0;
		path[strcspn(path, "\n")] = 0;
		if (second ? !*list : is_listed(list, "memory"))
			snprintf(h->path, sizeof(h->path), "%s", path);
	}
	free(line);
	if (file)
		fclose(file);
}

/* ID PARENT DEVICE TOP MOUNT OPTIONS [MORE...] - TYPE SOURCE OPTIONS */
static void find_mount(struct hierarchy *h, const char *root, bool second)
{
	FILE *file = open_proc(root, "mountinfo");
	char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		char top[PATH_MAX], mount[PATH_MAX], kind[32], options[4096];
		char *rest = strstr(line, " - ");

		if (!rest ||
		    sscanf(line, "%*s %*s %*s %4095s %4095s", top, mount) != 2 ||
		    sscanf(rest, " - %31s %*s %4095s", kind, options) != 2 ||
		    strcmp(kind, h->kind) ||
		    !(second || is_listed(options, "memory")))
			continue;
		snprintf(h->top, sizeof(h->top), "%s",
			 strcmp(top, "/") ? top : "");
		snprintf(h->mount, sizeof(h->mount), "%s", mount);
	}
	free(line);
	if (file)
		fclose(file);
}

/* Return the number in a file; "max", or no file: no limit. */
static uint64_t limit_in(const char *root, const struct hierarchy *h,
			 const char *below)
{
	char path[4 * PATH_MAX];
	uint64_t limit = UINT64_MAX;
	FILE *file;

	snprintf(path, sizeof(path), "%s%s%s/%s", root, h->mount, below,
		 h->file);
	file = fopen(path, "re");
	if (!file)
		return UINT64_MAX;
	if (fscanf(file, "%" SCNu64, &limit) != 1)
		limit = UINT64_MAX;
	fclose(file);
	return limit;
}

static uint64_t limit_of(struct hierarchy *h, const char *root, bool second)
{
	uint64_t least = UINT64_MAX, limit;
	char *below = h->path, *slash;
	size_t top;

	find_path(h, root, second);
	find_mount(h, root, second);
	if (!*h->path || !*h->mount)
		return UINT64_MAX;
	top = strlen(h->top);
	if (!strncmp(below, h->top, top) && (!below[top] || below[top] == '/'))
		below += top;
	do {
		limit = limit_in(root, h, below);
		least = limit < least ? limit : least;
		slash = strrchr(below, '/');
		if (slash)
			*slash = 0;
	} while (slash);
	return least;
}

uint64_t memory_limit(const char *root)
{
	struct hierarchy first = { .kind = "cgroup",
				   .file = "memory.limit_in_bytes" };
	struct hierarchy second = { .kind = "cgroup2", .file = "memory.max" };
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t least = UINT64_MAX, limit;

	if (pages > 0 && size > 0)
		least = (uint64_t)pages * (uint64_t)size;
	limit = limit_of(&first, root, false);
	least = limit < least ? limit : least;
	limit = limit_of(&second, root, true);
	return limit < least ? limit : least;
}

/* Return a part of the memory, within bounds. */
static size_t part(unsigned share, size_t least, size_t most)
{
	uint64_t bytes = memory_limit("") / share;

	return bytes < least ? least : bytes > most ? most : (size_t)bytes;
}

size_t memory_default_cache(void)
{
	return part(8, (size_t)1 << 20, (size_t)128 << 20);
}

size_t memory_default_memtables(void)
{
	return part(16, (size_t)1 << 20, (size_t)64 << 20);
}

size_t memory_default_nodes(void)
{
	return part(16, (size_t)1 << 20, (size_t)96 << 20) / 384;
}
