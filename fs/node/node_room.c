#include "fs/node/node_room.h"

#include <errno.h>
#include <string.h>

#include "fs/node/node.h"
#include "store/base/alloc.h"

/* At the beginning of the memory while that is free. */
struct node_room {
	STAILQ_ENTRY(node_room) entry;
	size_t size;
};

int node_rooms_reserve(struct node_rooms *rooms, size_t name_len,
		       size_t value_len)
{
	size_t size = node_size(name_len, value_len);
	struct node_room *room = mem_alloc(size);

	if (!room)
		return -ENOMEM;
	room->size = size;
	STAILQ_INSERT_TAIL(rooms, room, entry);
	return 0;
}

/* Remove the first that has size bytes from the list; NULL: none has. */
static struct node_room *unlist(struct node_rooms *rooms, size_t size)
{
	struct node_room *room;

	STAILQ_FOREACH(room, rooms, entry)
		if (room->size >= size) {
			STAILQ_REMOVE(rooms, room, node_room, entry);
			return room;
		}
	return NULL;
}

void *node_rooms_take(struct node_rooms *rooms, size_t size)
{
	void *taken = rooms ? unlist(rooms, size) : NULL, *fit;

	if (!taken)
		return mem_zalloc(1, size);
	fit = mem_resize(taken, 1, size);	/* it never grows */
	if (fit)
		taken = fit;
	memset(taken, 0, size);
	return taken;
}

void node_rooms_release(struct node_rooms *rooms)
{
	struct node_room *room;

	while ((room = STAILQ_FIRST(rooms))) {
		STAILQ_REMOVE_HEAD(rooms, entry);
		mem_free(room);
	}
}
