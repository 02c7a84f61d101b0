/* The disk in memory: images, directories, calls. simcrash.c has its
 * crashes. */
#include "tests/lib/simfile.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/lib/simfile_inner.h"

static _Atomic uint64_t last_sector;

/* --------------------------------------------------------------- sectors */
struct sector *sector_new(const struct sector *from)
{
	struct sector *s = malloc(sizeof(*s));

	insist(s);
	if (from)
		memcpy(s->bytes, from->bytes, SECTOR);
	else
		memset(s->bytes, 0, SECTOR);
	s->id = atomic_fetch_add(&last_sector, 1) + 1;
	atomic_init(&s->references, 1);
	return s;
}

struct sector *sector_get(struct sector *s)
{
	if (s)
		atomic_fetch_add(&s->references, 1);
	return s;
}

void sector_put(struct sector *s)
{
	if (s && atomic_fetch_sub(&s->references, 1) == 1)
		free(s);
}

/* ---------------------------------------------------------------- images */
static void image_room(struct image *m, size_t count)
{
	size_t room = m->room ? m->room : 16;

	if (count <= m->room)
		return;
	while (room < count)
		room *= 2;
	m->sectors = realloc(m->sectors, room * sizeof(*m->sectors));
	insist(m->sectors);
	memset(m->sectors + m->room, 0,
	       (room - m->room) * sizeof(*m->sectors));
	m->room = room;
}

void image_set(struct image *m, size_t at, struct sector *s)
{
	image_room(m, at + 1);
	sector_get(s);
	sector_put(m->sectors[at]);
	m->sectors[at] = s;
}

/* Bytes after the end become zeros, for when the file grows again. */
void image_resize(struct image *m, uint64_t size)
{
	size_t whole = (size_t)(size / SECTOR), i, tail = size % SECTOR;

	if (size < m->size && tail && whole < m->room && m->sectors[whole]) {
		struct sector *s = sector_new(m->sectors[whole]);

		memset(s->bytes + tail, 0, SECTOR - tail);
		image_set(m, whole, s);
		sector_put(s);
	}
	for (i = whole + (tail != 0); size < m->size && i < m->room; i++) {
		sector_put(m->sectors[i]);
		m->sectors[i] = NULL;
	}
	m->size = size;
}

void image_copy(struct image *to, const struct image *from)
{
	size_t used = (size_t)((from->size + SECTOR - 1) / SECTOR), i;

	*to = (struct image){ .size = from->size };
	image_room(to, used);
	for (i = 0; i < used && i < from->room; i++)
		to->sectors[i] = sector_get(from->sectors[i]);
}

void image_release(struct image *m)
{
	size_t i;

	for (i = 0; i < m->room; i++)
		sector_put(m->sectors[i]);
	free(m->sectors);
	*m = (struct image){ 0 };
}

/* ----------------------------------------------------------------- nodes */
struct node *node_new(struct sim *sim, bool is_directory)
{
	struct node *n = calloc(1, sizeof(*n));

	insist(n);
	n->is_directory = is_directory;
	n->number = ++sim->last_node;
	n->next = sim->nodes;
	sim->nodes = n;
	return n;
}

static struct change *add_change(struct sim *sim, struct node *n)
{
	if (n->change_count == n->change_room) {
		n->change_room = n->change_room ? n->change_room * 2 : 16;
		n->changes = realloc(n->changes, n->change_room *
				     sizeof(*n->changes));
		insist(n->changes);
	}
	n->changes[n->change_count] = (struct change){ .time = ++sim->time };
	return &n->changes[n->change_count++];
}

void node_forget_changes(struct node *n)
{
	size_t i;

	for (i = 0; i < n->change_count; i++)
		sector_put(n->changes[i].sector);
	n->change_count = 0;
}

static void resize(struct sim *sim, struct node *n, uint64_t size)
{
	struct change *c;

	if (size == n->now.size)
		return;
	c = add_change(sim, n);
	c->kind = CHANGE_SIZE;
	c->size = size;
	image_resize(&n->now, size);
}

static void put_sector(struct sim *sim, struct node *n, size_t at,
		       struct sector *s)
{
	struct change *c = add_change(sim, n);

	c->kind = CHANGE_SECTOR;
	c->at = at;
	c->sector = sector_get(s);
	image_set(&n->now, at, s);
}

static void write_bytes(struct sim *sim, struct node *n, const uint8_t *from,
			size_t len, uint64_t offset)
{
	uint64_t end = offset + len;

	if (end > n->now.size)
		resize(sim, n, end);
	while (len) {
		size_t at = (size_t)(offset / SECTOR), in = offset % SECTOR;
		size_t part = SECTOR - in < len ? SECTOR - in : len;
		struct sector *s;

		image_room(&n->now, at + 1);
		s = sector_new(n->now.sectors[at]);
		memcpy(s->bytes + in, from, part);
		put_sector(sim, n, at, s);
		sector_put(s);
		from += part;
		offset += part;
		len -= part;
	}
}

/* Count the sectors from `at` on, before `end`, that are zeros because nothing
 * was ever written there. */
static size_t zeros_from(const struct image *m, size_t at, size_t end)
{
	size_t i = at;

	while (i < end && i < m->room && !m->sectors[i])
		i++;
	return (i < m->room ? i : end) - at;
}

static bool all_zeros(const uint8_t *bytes, size_t len)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, len - 1);
}

/* Note as changes the bytes that were stored through maps since the last
 * call. */
void sim_collect_maps(struct sim *sim)
{
	struct map *map;
	size_t at, run;

	for (map = sim->maps; map; map = map->next) {
		struct image *now = &map->node->now;
		size_t end = map->len / SECTOR;

		for (at = 0; at < end; at += run) {
			const uint8_t *bytes = map->address + at * SECTOR;
			struct sector *s;

			/* Most of a map is zeros: they are compared at once. */
			run = zeros_from(now, at, end);
			if (run && all_zeros(bytes, run * SECTOR))
				continue;
			if (!run && !memcmp(bytes, now->sectors[at]->bytes,
					    SECTOR)) {
				run = 1;
				continue;
			}
			run = 1;
			s = sector_new(NULL);
			memcpy(s->bytes, bytes, SECTOR);
			put_sector(sim, map->node, at, s);
			sector_put(s);
		}
	}
}

static void sync_node(struct node *n)
{
	size_t i;

	for (i = 0; i < n->change_count; i++) {
		struct change *c = &n->changes[i];

		if (c->kind == CHANGE_SECTOR)
			image_set(&n->durable, c->at, c->sector);
		else if (c->kind == CHANGE_SIZE)
			image_resize(&n->durable, c->size);
		else
			names_change(&n->durable_names, c);
	}
	node_forget_changes(n);
}

/* ----------------------------------------------------------------- names */
static size_t find(const struct names *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		if (!strcmp(names->list[i].name, name))
			return i;
	return names->count;
}

struct node *names_find(const struct names *names, const char *name)
{
	size_t i = find(names, name);

	return i < names->count ? names->list[i].node : NULL;
}

static void names_set(struct names *names, const char *name, struct node *node)
{
	size_t i = find(names, name);

	if (!node) {
		if (i < names->count)
			names->list[i] = names->list[--names->count];
		return;
	}
	if (i == names->room) {
		names->room = names->room ? names->room * 2 : 16;
		names->list = realloc(names->list,
				      names->room * sizeof(*names->list));
		insist(names->list);
	}
	if (i == names->count)
		names->count++;
	strcpy(names->list[i].name, name);
	names->list[i].node = node;
}

void names_copy(struct names *to, const struct names *from)
{
	*to = *from;
	to->room = from->count + 1;
	to->list = malloc(to->room * sizeof(*to->list));
	insist(to->list);
	if (from->count)
		memcpy(to->list, from->list, from->count * sizeof(*to->list));
}

void names_change(struct names *names, const struct change *c)
{
	if (c->kind == CHANGE_MOVE)
		names_set(names, c->from, NULL);
	names_set(names, c->name, c->node);
}

static void change_name(struct sim *sim, struct node *dir, const char *from,
			const char *name, struct node *node)
{
	struct change *c = add_change(sim, dir);

	insist(strlen(name) < sizeof(c->name));
	c->kind = from ? CHANGE_MOVE : CHANGE_NAME;
	if (from)
		strcpy(c->from, from);
	strcpy(c->name, name);
	c->node = node;
	names_change(&dir->names, c);
}

/* ------------------------------------------------------------------ room */
static uint64_t taken(const struct node *n)
{
	uint64_t bytes = n->now.size;
	size_t i;

	for (i = 0; i < n->names.count; i++)
		bytes += taken(n->names.list[i].node);
	return bytes;
}

static bool fits(const struct sim *sim, const struct node *n, uint64_t size)
{
	return !sim->most || size <= n->now.size ||
	       taken(sim->root) + (size - n->now.size) <= sim->most;
}

void sim_fill(struct sim *sim, bool full)
{
	sim->most = full ? taken(sim->root) : 0;
}

/* ----------------------------------------------------------------- calls */
/* Begin a call; before a change the maps are collected, and the hook is
 * called. */
static struct sim *begin(void *context, bool changes)
{
	struct sim *sim = context;

	if (changes && sim->before)
		sim->before(sim->before_context);
	pthread_mutex_lock(&sim->lock);
	sim->calls += changes;
	if (sim->maps)
		sim_collect_maps(sim);
	return sim;
}

static int64_t end(struct sim *sim, int64_t result)
{
	pthread_mutex_unlock(&sim->lock);
	return result;
}

static struct node *node_of(struct sim *sim, int fd)
{
	insist(fd >= FIRST_FD);
	insist((size_t)(fd - FIRST_FD) < ARRAY_SIZE(sim->open));
	insist(sim->open[fd - FIRST_FD]);
	return sim->open[fd - FIRST_FD];
}

static int new_fd(struct sim *sim, struct node *n)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sim->open); i++)
		if (!sim->open[i]) {
			sim->open[i] = n;
			return FIRST_FD + (int)i;
		}
	return -EMFILE;
}

/*
 * Find the directory of a path's last name, and that name. Relative to a
 * directory the path is one name; from outside it is absolute.
 */
static struct node *walk(struct sim *sim, int dir, const char *path,
			 const char **last)
{
	struct node *at = dir == AT_FDCWD ? sim->root : node_of(sim, dir);
	char part[NAME_ROOM];
	const char *slash;

	while (*path == '/')
		path++;
	while (at && (slash = strchr(path, '/'))) {
		insist((size_t)(slash - path) < sizeof(part));
		memcpy(part, path, (size_t)(slash - path));
		part[slash - path] = 0;
		at = names_find(&at->names, part);
		path = slash + 1;
	}
	*last = path;
	return at;
}

static struct node *look_up(struct sim *sim, struct node *dir, const char *name)
{
	if (!*name || !strcmp(name, "."))
		return dir;
	if (!strcmp(name, ".."))	/* stores of tests are below the root */
		return sim->root;
	return names_find(&dir->names, name);
}

static int do_open(struct sim *sim, int dir, const char *path, int flags)
{
	const char *name;
	struct node *in = walk(sim, dir, path, &name), *n;

	n = in ? look_up(sim, in, name) : NULL;
	if (!in || (!n && !(flags & O_CREAT)))
		return -ENOENT;
	if (n && flags & O_CREAT && flags & O_EXCL)
		return -EEXIST;
	if (n && flags & O_DIRECTORY && !n->is_directory)
		return -ENOTDIR;
	if (!n) {
		n = node_new(sim, false);
		change_name(sim, in, NULL, name, n);
	} else if (flags & O_TRUNC) {
		resize(sim, n, 0);
	}
	return new_fd(sim, n);
}

static int sim_open(void *context, int dir, const char *path, int flags,
		    unsigned mode)
{
	struct sim *sim = begin(context, flags & (O_CREAT | O_TRUNC));

	(void)mode;
	return (int)end(sim, do_open(sim, dir, path, flags));
}

static int sim_close(void *context, int fd)
{
	struct sim *sim = begin(context, false);

	node_of(sim, fd);
	sim->open[fd - FIRST_FD] = NULL;
	return (int)end(sim, 0);
}

static int64_t sim_pread(void *context, int fd, void *to, size_t len,
			 uint64_t offset)
{
	struct sim *sim = begin(context, false);
	const struct image *m = &node_of(sim, fd)->now;
	uint8_t *out = to;
	size_t left;

	if (offset >= m->size)
		return end(sim, 0);
	if (len > m->size - offset)
		len = (size_t)(m->size - offset);
	for (left = len; left;) {
		size_t at = (size_t)(offset / SECTOR), in = offset % SECTOR;
		size_t zeros = zeros_from(m, at, (in + left) / SECTOR + at + 1);
		size_t most = (zeros ? zeros : 1) * SECTOR - in;
		size_t part = most < left ? most : left;

		if (zeros)
			memset(out, 0, part);
		else
			memcpy(out, m->sectors[at]->bytes + in, part);
		out += part;
		offset += part;
		left -= part;
	}
	return end(sim, (int64_t)len);
}

/* A map shows what is written to its file. */
static void show_in_maps(struct sim *sim, const struct node *n,
			 const uint8_t *from, size_t len, uint64_t offset)
{
	struct map *map;

	for (map = sim->maps; map; map = map->next)
		if (map->node == n && offset < map->len)
			memcpy(map->address + offset, from,
			       len < map->len - offset ? len :
							 map->len - offset);
}

static int64_t sim_pwrite(void *context, int fd, const void *from, size_t len,
			  uint64_t offset)
{
	struct sim *sim = begin(context, true);
	struct node *n = node_of(sim, fd);

	if (!fits(sim, n, offset + len))
		return end(sim, -ENOSPC);
	write_bytes(sim, n, from, len, offset);
	show_in_maps(sim, n, from, len, offset);
	return end(sim, (int64_t)len);
}

static int sim_sync(void *context, int fd)
{
	struct sim *sim = begin(context, true);

	sync_node(node_of(sim, fd));
	return (int)end(sim, 0);
}

static int sim_truncate(void *context, int fd, uint64_t size)
{
	struct sim *sim = begin(context, true);

	resize(sim, node_of(sim, fd), size);
	return (int)end(sim, 0);
}

static int sim_allocate(void *context, int fd, uint64_t size)
{
	struct sim *sim = begin(context, true);
	struct node *n = node_of(sim, fd);

	if (!fits(sim, n, size))
		return (int)end(sim, -ENOSPC);
	if (size > n->now.size)
		resize(sim, n, size);
	return (int)end(sim, 0);
}

static int sim_rename(void *context, int dir, const char *from, const char *to)
{
	struct sim *sim = begin(context, true);
	struct node *in = node_of(sim, dir), *n = names_find(&in->names, from);

	if (n)
		change_name(sim, in, from, to, n);
	return (int)end(sim, n ? 0 : -ENOENT);
}

static int sim_unlink(void *context, int dir, const char *name)
{
	struct sim *sim = begin(context, true);
	struct node *in = node_of(sim, dir);
	bool there = names_find(&in->names, name);

	if (there)
		change_name(sim, in, NULL, name, NULL);
	return (int)end(sim, there ? 0 : -ENOENT);
}

static int sim_mkdir(void *context, int dir, const char *path, unsigned mode)
{
	struct sim *sim = begin(context, true);
	const char *name;
	struct node *in = walk(sim, dir, path, &name);

	(void)mode;
	if (!in || names_find(&in->names, name))
		return (int)end(sim, in ? -EEXIST : -ENOENT);
	change_name(sim, in, NULL, name, node_new(sim, true));
	return (int)end(sim, 0);
}

static int sim_stat(void *context, int fd, struct stat *st)
{
	struct sim *sim = begin(context, false);
	const struct node *n = node_of(sim, fd);

	memset(st, 0, sizeof(*st));
	st->st_mode = n->is_directory ? S_IFDIR | 0700 : S_IFREG | 0600;
	st->st_uid = geteuid();
	st->st_gid = getegid();
	st->st_nlink = 1;
	st->st_ino = n->number;
	st->st_size = (off_t)n->now.size;
	return (int)end(sim, 0);
}

static int sim_list(void *context, int dir,
		    int (*each)(void *data, const char *name), void *data)
{
	struct sim *sim = begin(context, false);
	struct names names;
	size_t i;
	int err = 0;

	/* Copy the names, as the caller may change them meanwhile. */
	names_copy(&names, &node_of(sim, dir)->names);
	end(sim, 0);
	for (i = 0; i < names.count && !err; i++)
		err = each(data, names.list[i].name);
	free(names.list);
	return err;
}

static int sim_map(void *context, int fd, size_t len, void **address)
{
	struct sim *sim = begin(context, false);
	struct node *n = node_of(sim, fd);
	struct map *map;

	if (!sim->mappable)
		return (int)end(sim, -EOPNOTSUPP);
	insist(len <= n->now.size);
	insist(!(len & (SECTOR - 1)));
	map = calloc(1, sizeof(*map));
	insist(map);
	map->node = n;
	map->len = len;
	map->address = malloc(len);
	insist(map->address);
	map->next = sim->maps;
	end(sim, 0);
	insist(sim_pread(sim, fd, map->address, len, 0) == (int64_t)len);
	sim->maps = map;
	*address = map->address;
	return 0;
}

static int sim_unmap(void *context, void *address, size_t len)
{
	struct sim *sim = begin(context, false);
	struct map **at = &sim->maps, *map;

	while (*at && (*at)->address != address)
		at = &(*at)->next;
	map = *at;
	insist(map);
	insist(map->len == len);
	*at = map->next;
	free(map->address);
	free(map);
	return (int)end(sim, 0);
}

/* Make the sectors of the range durable, and the size, which must be so
 * already. */
static int sim_map_sync(void *context, int fd, void *address, size_t len)
{
	struct sim *sim = begin(context, true);
	struct node *n = node_of(sim, fd);
	struct map *map = sim->maps;
	uint8_t *from = address;
	size_t i, kept = 0, first, last;

	while (map && !(from >= map->address && from < map->address + map->len))
		map = map->next;
	insist(map);
	insist(map->node == n);
	first = (size_t)(from - map->address) / SECTOR;
	last = (size_t)(from - map->address + len + SECTOR - 1) / SECTOR;
	for (i = 0; i < n->change_count; i++) {
		struct change *c = &n->changes[i];

		if (c->kind == CHANGE_SIZE) {
			image_resize(&n->durable, c->size);
		} else if (c->at >= first && c->at < last) {
			image_set(&n->durable, c->at, c->sector);
			sector_put(c->sector);
		} else {
			n->changes[kept++] = *c;
		}
	}
	n->change_count = kept;
	return (int)end(sim, 0);
}

static int sim_advise(void *context, int fd, uint64_t offset, uint64_t len,
		      int advice)
{
	(void)context, (void)fd, (void)offset, (void)len, (void)advice;
	return 0;
}

static int64_t sim_data(void *context, int fd, uint64_t offset)
{
	struct sim *sim = begin(context, false);
	const struct image *m = &node_of(sim, fd)->now;
	size_t at = (size_t)(offset / SECTOR), next;
	size_t last = (size_t)((m->size + SECTOR - 1) / SECTOR);

	next = at < last ? at + zeros_from(m, at, last) : last;
	if (next == last)
		return end(sim, -ENXIO);
	return end(sim, (int64_t)(next > at ? next * SECTOR : offset));
}

static int sim_boot(void *context, int dir, uint8_t id[FILE_BOOT_BYTES])
{
	struct sim *sim = context;

	(void)dir;
	memset(id, 0, FILE_BOOT_BYTES);
	put_le64(id, sim->boot);
	return 0;
}

/* ------------------------------------------------------------------ disk */
static _Atomic uint64_t last_boot;

struct sim *sim_new(void)
{
	struct sim *sim = calloc(1, sizeof(*sim));

	insist(sim);
	sim->ops = (struct file_ops){
		sim_open, sim_close, sim_pread, sim_pwrite, sim_sync, sim_sync,
		sim_truncate, sim_allocate, sim_rename, sim_unlink, sim_mkdir,
		sim_stat, sim_list, sim_map, sim_unmap, sim_map_sync,
		sim_advise, NULL, sim_data, sim_boot, sim,
	};
	pthread_mutex_init(&sim->lock, NULL);
	sim->boot = atomic_fetch_add(&last_boot, 1) + 1;
	sim->root = node_new(sim, true);
	insist(new_fd(sim, sim->root) == FIRST_FD);
	return sim;
}

void sim_free(struct sim *sim)
{
	struct node *n;
	struct map *map;

	if (!sim)
		return;
	while ((n = sim->nodes)) {
		sim->nodes = n->next;
		node_forget_changes(n);
		free(n->changes);
		image_release(&n->durable);
		image_release(&n->now);
		free(n->durable_names.list);
		free(n->names.list);
		free(n);
	}
	while ((map = sim->maps)) {
		sim->maps = map->next;
		free(map->address);
		free(map);
	}
	pthread_mutex_destroy(&sim->lock);
	free(sim);
}

const struct file_ops *sim_files(struct sim *sim)
{
	return &sim->ops;
}

int sim_root(struct sim *sim)
{
	(void)sim;
	return FIRST_FD;
}

void sim_allow_maps(struct sim *sim)
{
	sim->mappable = true;
}

void sim_hook(struct sim *sim, void (*before)(void *context), void *context)
{
	sim->before = before;
	sim->before_context = context;
}

long sim_calls(const struct sim *sim)
{
	return sim->calls;
}

size_t sim_open_count(const struct sim *sim)
{
	size_t i, count = 0;

	for (i = 1; i < ARRAY_SIZE(sim->open); i++)
		count += sim->open[i] != NULL;
	return count;
}
