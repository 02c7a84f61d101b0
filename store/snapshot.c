/*
 * Order against crashes. All memtables are flushed, first while writers
 * continue, then again, for what came meanwhile, with writers locked out
 * (publish): so the sstables are those of one moment, and the second flush is
 * short. Then one edit of the manifest makes the snapshot (lsm/lsm_snapshot.c).
 * A crash before it leaves none, after it the whole one.
 */
#include "store/snapshot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "store/base/alloc.h"
#include "store/lsm/lsm_snapshot.h"
#include "store/table/inner.h"
#include "store/table_takeover.h"

/* -------------------------------------------------------------------- names */
/* Return the end of the name in front of a document's suffix, or its length. */
static size_t suffix_at(struct bytes name)
{
	static const char *const suffixes[] = { ".json", ".ndjson", ".csv",
						".cql" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t len = strlen(suffixes[i]);

		if (name.len > len &&
		    !memcmp(name.ptr + name.len - len, suffixes[i], len))
			return name.len - len;
	}
	return name.len;
}

static int hex_digit(uint8_t c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_special(uint8_t c, bool first)
{
	return c == '/' || c == '%' || c < 0x20 || c == 0x7f ||
	       (first && (c == '.' || c == '@'));
}

bool snapshot_name_is_valid(struct bytes name)
{
	size_t i;

	if (!name.len || name.len > MANIFEST_SNAPSHOT_NAME ||
	    suffix_at(name) < name.len)
		return false;
	for (i = 0; i < name.len; i++) {
		int high, low;
		uint8_t c = name.ptr[i];

		if (c != '%') {
			if (is_special(c, !i))
				return false;
			continue;
		}
		if (i + 2 >= name.len)
			return false;
		high = hex_digit(name.ptr[i + 1]);
		low = hex_digit(name.ptr[i + 2]);
		if (high < 0 || low < 0)
			return false;
		c = (uint8_t)(high * 16 + low);
		/* Escape the last dot before a suffix, too. */
		if (!c || (!is_special(c, !i) && c != '.'))
			return false;
		i += 2;
	}
	return true;
}

bool snapshot_name_is_of(const char *name, const char *change)
{
	const char *ms = strrchr(change, '-');
	size_t len = strlen(change);

	return ms && ms[1] && !ms[1 + strspn(ms + 1, "0123456789")] &&
	       !strncmp(name, change, len) && name[len] == '-';
}

void snapshot_name_from(char *out, size_t size, const char *text)
{
	size_t i;

	snprintf(out, size, "%.200s", text);
	for (i = 0; out[i]; i++)
		if (is_special((uint8_t)out[i], false))
			out[i] = '_';
}

/* ------------------------------------------------------------------- making */
int snapshot_flush(struct store *s, const struct manifest_snapshot *made)
{
	uint32_t i;
	int err = 0;

	if (!made->table_count)
		return lsm_flush(s->lsm, UINT32_MAX);
	for (i = 0; !err && i < made->table_count; i++)
		err = lsm_flush(s->lsm, made->tables[i]);
	return err;
}

/* REQUIRES ddl. */
static int take(struct store *s, struct manifest_snapshot *made)
{
	int err = snapshot_flush(s, made);

	if (err)
		return err;
	pthread_rwlock_wrlock(&s->publish);
	err = snapshot_flush(s, made);
	made->created_us = clock_now_us();
	if (!err)
		err = lsm_snapshot_add(s->lsm, made, 1);
	pthread_rwlock_unlock(&s->publish);
	return err;
}

int snapshot_find(struct store *s, const char *name, uint64_t number,
		  struct manifest_snapshot *out)
{
	struct manifest_snapshot *list;
	size_t count, i;
	int err = lsm_snapshot_list(s->lsm, &list, &count);

	for (i = 0; i < count; i++)
		if (name ? !strcmp(list[i].name, name) :
			   list[i].number == number)
			break;
	if (!err && i == count)
		err = -ENOENT;
	if (!err)
		*out = list[i];
	mem_free(list);
	return err;
}

int snapshot_create(struct store *s, const char *name, uid_t owner)
{
	struct manifest_snapshot made = { .owner = owner };
	int err;

	if (!snapshot_name_is_valid(bytes_str(name)))
		return -EINVAL;
	if (s->read_only)
		return -EROFS;
	memcpy(made.name, name, strlen(name));
	pthread_mutex_lock(&s->ddl);
	err = snapshot_find(s, name, 0, &(struct manifest_snapshot){ 0 });
	err = err == -ENOENT ? take(s, &made) : err ? err : -EEXIST;
	pthread_mutex_unlock(&s->ddl);
	return err;
}

int snapshot_drop(struct store *s, const char *name)
{
	struct manifest_snapshot found;
	int err;

	if (s->read_only)
		return -EROFS;
	err = snapshot_find(s, name, 0, &found);
	if (!err)
		err = lsm_snapshot_remove(s->lsm, found.number);
	if (!err)
		snapshot_close_view(s, found.number);
	return err;
}

int snapshot_list(struct store *s, struct manifest_snapshot **list,
		  size_t *count)
{
	return lsm_snapshot_list(s->lsm, list, count);
}

int snapshot_held(struct store *s, uint64_t number, uint64_t *bytes)
{
	return lsm_snapshot_held(s->lsm, number, bytes);
}
