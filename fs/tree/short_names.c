#include "fs/tree/short_names.h"

#include <errno.h>
#include <stdlib.h>

#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/key_name.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/tree/listing.h"
#include "store/base/alloc.h"
#include "store/base/murmur3.h"

#define ENTRIES_MAX ((uint64_t)1 << 19)	/* of all tables: 16 to 32 MiB */
#define ESCAPED_MOST 3			/* bytes in the name for one */

struct short_name {
	uint64_t hash;		/* as in the name; 0: free */
	int64_t token;
};
struct short_names {
	struct mutex lock;
	struct short_name *entries;	/* a hash table, at most half full */
	size_t count, cap;
	bool complete;		/* has all that exist */
	bool given_up;		/* too many: not used, empty */
};

static struct short_names *short_names_of(struct node *table)
{
	struct short_names *names = atomic_load(&table->short_names), *none = NULL;

	if (names)
		return names;
	names = mem_zalloc(1, sizeof(*names));
	if (!names)
		return NULL;
	mutex_init(&names->lock);
	if (atomic_compare_exchange_strong(&table->short_names, &none, names))
		return names;
	mutex_release(&names->lock);
	mem_free(names);
	return none;
}

void short_names_free(struct fs *fs, struct short_names *names)
{
	if (!names)
		return;
	atomic_fetch_sub(&fs->short_name_count, names->count);
	mem_free(names->entries);
	mutex_release(&names->lock);
	mem_free(names);
}

static uint64_t hash_in(struct bytes name)
{
	char digits[NAME_HASH_LEN + 1] = "";

	memcpy(digits, name.ptr + name.len - NAME_HASH_LEN, NAME_HASH_LEN);
	return strtoull(digits, NULL, 16) | 1;
}

/* Find the first entry of the hash from *at on, or the free one after them. */
static struct short_name *find_from(const struct short_names *c, uint64_t hash,
				    size_t *at)
{
	while (c->entries[*at].hash && c->entries[*at].hash != hash)
		*at = (*at + 1) & (c->cap - 1);
	return &c->entries[*at];
}

static bool grow(struct short_names *c) REQUIRES(&c->lock)
{
	struct short_names bigger = { .cap = c->cap ? c->cap * 2 : 64 };
	size_t i, at;

	bigger.entries = mem_zalloc(bigger.cap, sizeof(*bigger.entries));
	if (!bigger.entries)
		return false;
	for (i = 0; i < c->cap; i++) {
		if (!c->entries[i].hash)
			continue;
		at = c->entries[i].hash >> 1 & (bigger.cap - 1);
		while (bigger.entries[at].hash)
			at = (at + 1) & (bigger.cap - 1);
		bigger.entries[at] = c->entries[i];
	}
	mem_free(c->entries);
	c->entries = bigger.entries;
	c->cap = bigger.cap;
	return true;
}

static void give_up(struct fs *fs, struct short_names *c) REQUIRES(&c->lock)
{
	atomic_fetch_sub(&fs->short_name_count, c->count);
	mem_free(c->entries);
	c->entries = NULL;
	c->count = c->cap = 0;
	c->given_up = true;
}

static void add(struct fs *fs, struct short_names *c, struct bytes name,
		int64_t token) REQUIRES(&c->lock)
{
	uint64_t hash = hash_in(name);
	struct short_name *e;
	size_t at;

	if (c->given_up)
		return;
	if (c->count * 2 >= c->cap && !grow(c)) {
		give_up(fs, c);
		return;
	}
	at = hash >> 1 & (c->cap - 1);
	for (;; at = (at + 1) & (c->cap - 1)) {
		e = find_from(c, hash, &at);
		if (!e->hash)
			break;
		if (e->token == token)
			return;
	}
	if (atomic_fetch_add(&fs->short_name_count, 1) >= ENTRIES_MAX) {
		atomic_fetch_sub(&fs->short_name_count, 1);
		give_up(fs, c);
		return;
	}
	*e = (struct short_name){ hash, token };
	c->count++;
}

static bool may_be_cut(const struct table *t, struct bytes key)
{
	enum type_kind kind = table_partition_column(t, 0)->type->kind;

	return t->partition_key_count > 1 ||
	       (kind != TYPE_TEXT && kind != TYPE_ASCII) ||
	       key.len > NAME_MAX_LEN / ESCAPED_MOST;
}

/* True if the name, or that of its document, is shortened. It becomes the one
 * that is shortened for the longest suffix: the hash is the same. */
static bool is_cut(struct buf *name)
{
	name_shorten_for(name, NAME_SUFFIX_MAX);
	return name_is_shortened(buf_bytes(name));
}

void short_names_add(struct fs *fs, struct node *table, const struct table *t,
	      struct bytes partition_key)
{
	struct short_names *c = atomic_load(&table->short_names);
	struct buf name = BUF_INIT;
	int err;

	if (!c || !may_be_cut(t, partition_key))
		return;
	err = key_name_stored(&name, t, partition_key);
	mutex_lock(&c->lock);
	if (err)
		give_up(fs, c);
	else if (is_cut(&name))
		add(fs, c, buf_bytes(&name), murmur3_token(partition_key));
	mutex_unlock(&c->lock);
	buf_release(&name);
}

/* Add the partitions that exist already; the observer adds those written from
 * now on. */
static int look_at_all(struct op *op, struct node *table, struct short_names *c)
{
	struct listing l = { .node = table, .arena = ARENA_INIT };
	int got;

	listing_begin(op, &l);
	while ((got = listing_step(op, &l)) > 0) {
		cursor_names(l.cursor, true);
		if (is_cut(&l.name)) {
			mutex_lock(&c->lock);
			add(op->fs, c, buf_bytes(&l.name), l.row.token);
			mutex_unlock(&c->lock);
		}
	}
	listing_end(op->fs, &l);
	if (!got) {
		mutex_lock(&c->lock);
		c->complete = true;
		mutex_unlock(&c->lock);
	}
	return got;
}

/* Collect the tokens of the hash, into tokens if it is not NULL. Returns their
 * number. */
static size_t collect(const struct short_names *c, uint64_t hash,
		      int64_t *tokens)
{
	size_t at = hash >> 1 & (c->cap - 1), count = 0;
	struct short_name *e;

	for (; (e = find_from(c, hash, &at))->hash;
	     at = (at + 1) & (c->cap - 1)) {
		if (tokens)
			tokens[count] = e->token;
		count++;
	}
	return count;
}

static int find(struct op *op, struct short_names *c, struct bytes name,
		int64_t **tokens, size_t *count) REQUIRES(&c->lock)
{
	uint64_t hash = hash_in(name);

	*count = 0;
	*tokens = NULL;
	if (c->given_up)
		return 0;
	if (!c->cap)
		return 1;
	*count = collect(c, hash, NULL);
	*tokens = arena_alloc(&op->arena, *count * sizeof(**tokens) + 1);
	if (!*tokens)
		return -ENOMEM;
	collect(c, hash, *tokens);
	return 1;
}

int short_names_find(struct op *op, struct node *table, struct bytes name,
	      int64_t **tokens, size_t *count)
{
	struct short_names *c = short_names_of(table);
	bool complete;
	int got;

	if (!c)
		return -ENOMEM;
	mutex_lock(&c->lock);
	complete = c->complete || c->given_up;
	mutex_unlock(&c->lock);
	got = complete ? 0 : look_at_all(op, table, c);
	if (got)
		return got;
	mutex_lock(&c->lock);
	got = find(op, c, name, tokens, count);
	mutex_unlock(&c->lock);
	return got;
}
