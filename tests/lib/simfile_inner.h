/* The inside of the disk in memory: shared by its calls and its crashes. */
#ifndef TESTS_LIB_SIMFILE_INNER_H
#define TESTS_LIB_SIMFILE_INNER_H
#include <pthread.h>

#include "tests/lib/simfile.h"

#define SECTOR 512
#define NAME_ROOM 40
#define FIRST_FD 100000	/* no real descriptor is mistaken for one */

/* An assertion as ck_assert, but without the note that this writes each
 * time. */
#define insist(condition)                                                     \
	do {                                                                  \
		if (!(condition))                                             \
			ck_abort_msg("not so: " #condition);                  \
	} while (0)

/* A sector is not changed once it is part of an image: a write makes
 * another. */
struct sector {
	uint8_t bytes[SECTOR];
	uint64_t id;
	_Atomic long references;
};
struct sector *sector_new(const struct sector *from);	/* NULL: zeros */
struct sector *sector_get(struct sector *s);
void sector_put(struct sector *s);

/* Contents of a file; NULL sectors are zeros. */
struct image {
	uint64_t size;
	struct sector **sectors;
	size_t room;
};
void image_set(struct image *m, size_t at, struct sector *s);
void image_resize(struct image *m, uint64_t size);
void image_copy(struct image *to, const struct image *from);
void image_release(struct image *m);

struct node;
struct named {
	char name[NAME_ROOM];
	struct node *node;
};
struct names {
	struct named *list;
	size_t count, room;
};
void names_copy(struct names *to, const struct names *from);
struct node *names_find(const struct names *names, const char *name);

/* A change of a file or directory that is not synced. */
struct change {
	enum { CHANGE_SECTOR, CHANGE_SIZE, CHANGE_NAME, CHANGE_MOVE } kind;
	uint64_t time;		/* counts over the disk */
	size_t at;
	struct sector *sector;
	uint64_t size;
	char from[NAME_ROOM], name[NAME_ROOM];
	struct node *node;	/* NULL: the name is removed */
};
void names_change(struct names *names, const struct change *c);

struct node {
	struct node *next;
	uint64_t number;
	bool is_directory;
	struct image durable, now;
	struct names durable_names, names;
	struct change *changes;
	size_t change_count, change_room;
	struct node *copy;	/* while a crash is made */
};
struct node *node_new(struct sim *sim, bool is_directory);
void node_forget_changes(struct node *n);

struct map {
	struct map *next;
	struct node *node;
	uint8_t *address;
	size_t len;
};

struct sim {
	struct file_ops ops;
	pthread_mutex_t lock;
	struct node *nodes, *root;	/* also those without a name */
	struct node *open[512];
	struct map *maps;
	uint64_t time, last_node;
	long calls;
	bool mappable;
	uint64_t most;		/* bytes that all may take; 0: any number */
	void (*before)(void *context);
	void *before_context;
	uint64_t boot;			/* the same after a kill */
};
void sim_collect_maps(struct sim *sim);
#endif
