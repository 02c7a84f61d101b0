#include "fs/tree/listing_shortened.h"

#include <errno.h>

#include "fs/node/kind.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/tree/listing.h"
#include "fs/tree/short_names.h"

int listing_narrow(struct listing *l, struct query *q, struct slice *slice)
{
	uint32_t i, level = l->place.clustering_count;
	struct bytes *low, *high, begin = l->prefix, end;
	struct bound from, to;
	const struct column *c;
	uint8_t *last;

	if (bytes_is_null(begin) || !begin.len ||
	    level >= l->place.table->clustering_count)
		return 0;
	c = table_clustering_column(l->place.table, level);
	if (c->type->kind != TYPE_TEXT && c->type->kind != TYPE_ASCII)
		return 0;
	low = arena_alloc(&l->arena, (level + 1) * sizeof(*low));
	high = arena_alloc(&l->arena, (level + 1) * sizeof(*high));
	end = arena_copy(&l->arena, begin);
	if (l->arena.failed)
		return -ENOMEM;
	for (i = 0; i < level; i++)
		low[i] = high[i] = l->place.clustering[i];
	/* UTF-8 has no byte 255: all strings with this prefix sort before
	 * this. */
	last = (uint8_t *)end.ptr + end.len - 1;
	++*last;
	low[level] = begin;
	high[level] = end;
	from = (struct bound){ low, level + 1, true };
	to = (struct bound){ high, level + 1, false };
	slice->start = c->reversed ? to : from;
	slice->end = c->reversed ? from : to;
	q->slices = slice;
	q->slice_count = 1;
	return 0;
}

/* Search a child with that shortened name. 1: found; 0; -errno. */
static int find_shortened(struct op *op, struct listing *l, struct bytes name,
			  size_t suffix_len, struct child *c)
{
	int got;

	listing_begin(op, l);
	do {
		got = listing_step(op, l);
		if (got > 0)
			name_shorten_for(&l->name, suffix_len);
	} while (got > 0 && !bytes_equal(buf_bytes(&l->name), name));
	if (got <= 0)
		return got;
	*c = l->child;
	c->value = arena_copy(&op->arena, c->value);
	return op->arena.failed ? -ENOMEM : 1;
}

/* Return the prefix of the value of that name, for listing_narrow; null: not
 * known. */
static struct bytes shortened_prefix(struct node *dir, struct bytes name,
			       struct buf *out)
{
	int err;

	name.len -= NAME_TAIL_LEN;
	err = dir->ops->plain_names ? name_unescape_plain(out, name) :
				      name_unescape(out, name);
	return err || out->failed ? BYTES_NULL : buf_bytes(out);
}

int listing_lookup_shortened(struct op *op, struct node *dir, struct bytes base,
			     struct bytes name, struct child *c)
{
	size_t room = name_suffix_room(base, name);
	struct listing l = { .node = dir, .arena = ARENA_INIT,
			     .values = ARENA_INIT };
	struct buf prefix = BUF_INIT;
	int64_t *tokens;
	size_t count, i;
	int got = 0;

	/* A document is found by the directory that it is beside, in .json too. */
	l.documents = dir->json && base.len == name.len;
	l.by_token = dir->table == dir;
	if (l.by_token) {
		got = short_names_find(op, dir, base, &tokens, &count);
		l.by_token = got > 0;
		got = got > 0 ? 0 : got;
	} else {
		l.prefix = shortened_prefix(dir, base, &prefix);
	}
	if (!got && !l.by_token)
		got = find_shortened(op, &l, base, room, c);
	for (i = 0; !got && l.by_token && i < count; i++) {
		l.token = tokens[i];
		got = find_shortened(op, &l, base, room, c);
	}
	listing_end(op->fs, &l);
	buf_release(&prefix);
	return got > 0 ? 0 : got ? got : -ENOENT;
}
