/*
 * Find and read a damaged engine's files. Where the manifest is sound it says
 * which sstables are live, and from where on the log is needed. Where it is
 * not, every file that is there counts, as of the table that it names: what was
 * removed or replaced by then may come back, and the newest version of each
 * cell wins by its timestamp.
 */
#include "store/lsm/lsm_salvage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/lsm/commitlog_format.h"
#include "store/lsm/log_salvage.h"
#include "store/lsm/manifest_file.h"
#include "store/lsm/manifest_recover.h"

struct salvage_segment {
	uint64_t number;
	bool here;
	struct log_salvage seen;
};
struct lsm_salvage {
	const struct file_ops *files;
	int dir;
	struct lsm_salvage_told told;
	struct manifest_state state;
	bool whole;
	char manifest[32];		/* the newest that is there */
	uint64_t manifest_number;
	struct buf file_list, segment_list;	/* arrays */
};

static void lose(struct lsm_salvage *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void lose(struct lsm_salvage *s, const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	s->told.lost(s->told.context, line);
}

struct lsm_salvage_file *lsm_salvage_files(struct lsm_salvage *s, size_t *count)
{
	*count = s->file_list.len / sizeof(struct lsm_salvage_file);
	return (struct lsm_salvage_file *)(void *)s->file_list.ptr;
}

static struct salvage_segment *segments(const struct lsm_salvage *s,
					size_t *count)
{
	*count = s->segment_list.len / sizeof(struct salvage_segment);
	return (struct salvage_segment *)(void *)s->segment_list.ptr;
}

/* -------------------------------------------------------------- the manifest */
static int see_manifest(void *data, const char *name)
{
	struct lsm_salvage *s = data;
	uint64_t number;

	if (manifest_parse_name(&number, name) && number >= s->manifest_number) {
		s->manifest_number = number;
		snprintf(s->manifest, sizeof(s->manifest), "%s", name);
	}
	return 0;
}

/* Find which manifest to read: the one that CURRENT names, else the newest. */
static int find_manifest(struct lsm_salvage *s, char name[32])
{
	struct buf current = BUF_INIT;
	uint64_t number;
	int err = file_read_all(s->files, s->dir, "CURRENT", &current, 64);

	snprintf(name, 32, "%s", s->manifest);
	if (err == -ENOMEM)
		return err;
	if (!err && current.len > 1 && current.len < 32 &&
	    current.ptr[current.len - 1] == '\n') {
		current.ptr[current.len - 1] = 0;
		if (manifest_parse_name(&number, (char *)current.ptr)) {
			snprintf(name, 32, "%s", (char *)current.ptr);
			buf_release(&current);
			return 0;
		}
	}
	buf_release(&current);
	lose(s, err == -ENOENT ? "CURRENT: it is missing" :
				 "CURRENT: it names no manifest");
	s->whole = false;
	return 0;
}

static int read_manifest(struct lsm_salvage *s)
{
	struct manifest_state state;
	char name[32];
	bool whole = true;
	int err = s->files->list(s->files->context, s->dir, see_manifest, s);

	if (!err)
		err = find_manifest(s, name);
	if (err)
		return err;
	err = *name ? manifest_salvage(&state, s->files, s->dir, name, &whole) :
		      -ENOENT;
	if (err == -ENOENT && *s->manifest && strcmp(name, s->manifest)) {
		lose(s, "%s: CURRENT names it, and it is missing", name);
		s->whole = false;
		err = manifest_salvage(&state, s->files, s->dir, s->manifest,
				       &whole);
	}
	if (err == -EPROTONOSUPPORT || err == -ENOMEM)
		return err;
	if (err) {
		lose(s, "%s: %s", *name ? name : "MANIFEST",
		     err == -ENOENT ? "it is missing" : strerror(-err));
		s->whole = false;
		return 0;
	}
	if (!whole)
		lose(s, "%s: edits of it are damaged", name);
	s->whole = s->whole && whole;
	s->state = state;
	return 0;
}

/* ------------------------------------------------------------------ the list */
static int by_file(const void *a, const void *b)
{
	const struct lsm_salvage_file *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->table > y->table) - (x->table < y->table);
}

static int by_number(const void *a, const void *b)
{
	const struct salvage_segment *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Note a file of the directory. */
static int see_file(void *data, const char *name)
{
	struct lsm_salvage *s = data;
	struct salvage_segment segment = { .here = true };
	struct lsm_salvage_file file = { .here = true }, *list;
	bool known = false;
	size_t i, count;
	int err;

	segment.number = log_salvage_number(name);
	if (segment.number) {
		/* With a sound manifest older segments are not needed. */
		if (!s->whole || segment.number >= log_number(s->state.log))
			buf_add(&s->segment_list, &segment, sizeof(segment));
		return s->segment_list.failed ? -ENOMEM : 0;
	}
	if (sstable_name_parse(&file.number, name))
		return 0;
	list = lsm_salvage_files(s, &count);
	for (i = 0; i < count; i++)
		if (list[i].number == file.number)
			known = list[i].here = true;
	/* Those that snapshots alone have are not taken. */
	for (i = 0; !known && i < s->state.file_count; i++)
		known = s->state.files[i].info.number == file.number;
	if (known || s->whole)
		return 0;
	err = sstable_salvage_table(s->files, s->dir, file.number, &file.table);
	if (err == -ENOMEM)
		return err;
	buf_add(&s->file_list, &file, sizeof(file));
	return s->file_list.failed ? -ENOMEM : 0;
}

static int list_named(struct lsm_salvage *s)
{
	struct salvage_segment segment = { 0 };
	size_t i;

	for (i = 0; i < s->state.file_count; i++) {
		const struct manifest_file *f = &s->state.files[i];
		struct lsm_salvage_file file = {
			.number = f->info.number, .table = f->table,
			.named = true, .info = f->info,
		};

		if (f->died == MANIFEST_LIVE)
			buf_add(&s->file_list, &file, sizeof(file));
	}
	for (i = 0; s->whole && i < s->state.segment_count; i++) {
		segment.number = s->state.segments[i].number;
		buf_add(&s->segment_list, &segment, sizeof(segment));
	}
	return s->file_list.failed || s->segment_list.failed ? -ENOMEM : 0;
}

/* A segment that is named and there is in the list twice. */
static void join_segments(struct lsm_salvage *s)
{
	size_t count, i, to = 0;
	struct salvage_segment *list = segments(s, &count);

	if (count)
		qsort(list, count, sizeof(*list), by_number);
	for (i = 0; i < count; i++) {
		if (to && list[to - 1].number == list[i].number)
			list[to - 1].here |= list[i].here;
		else
			list[to++] = list[i];
	}
	s->segment_list.len = to * sizeof(*list);
}

int lsm_salvage_open(struct lsm_salvage **out, const struct file_ops *files,
		     int dir, const struct lsm_salvage_told *told)
{
	struct lsm_salvage *s = mem_zalloc(1, sizeof(*s));
	struct lsm_salvage_file *list;
	size_t count;
	int err;

	if (!s)
		return -ENOMEM;
	s->files = files;
	s->dir = dir;
	s->told = *told;
	s->whole = true;
	err = read_manifest(s);
	if (!err)
		err = list_named(s);
	if (!err)
		err = files->list(files->context, dir, see_file, s);
	if (err) {
		lsm_salvage_close(s);
		return err;
	}
	list = lsm_salvage_files(s, &count);
	if (count)
		qsort(list, count, sizeof(*list), by_file);
	join_segments(s);
	*out = s;
	return 0;
}

void lsm_salvage_close(struct lsm_salvage *s)
{
	if (!s)
		return;
	manifest_state_release(&s->state);
	buf_release(&s->file_list);
	buf_release(&s->segment_list);
	mem_free(s);
}

bool lsm_salvage_is_file(const char *name)
{
	uint64_t number;

	return !strcmp(name, "CURRENT") || manifest_parse_name(&number, name) ||
	       log_salvage_number(name) || !sstable_name_parse(&number, name);
}

bool lsm_salvage_is_whole(const struct lsm_salvage *s)
{
	return s->whole;
}

void lsm_salvage_name(char name[32], const struct lsm_salvage_file *f)
{
	sstable_name(name, f->number);
}

size_t lsm_salvage_segments(const struct lsm_salvage *s)
{
	size_t count;

	segments(s, &count);
	return count;
}

size_t lsm_salvage_snapshots(const struct lsm_salvage *s)
{
	return s->state.snapshot_count;
}

uint32_t lsm_salvage_last_table(const struct lsm_salvage *s)
{
	size_t i;
	uint32_t last = 0;

	for (i = 0; i < s->state.table_count; i++)
		if (s->state.tables[i].table > last)
			last = s->state.tables[i].table;
	for (i = 0; i < s->state.file_count; i++)
		if (s->state.files[i].table > last)
			last = s->state.files[i].table;
	return last;
}

bool lsm_salvage_is_dropped(const struct lsm_salvage *s, uint32_t table)
{
	const struct manifest_table *t = manifest_state_table(&s->state, table);

	return t && t->dropped;
}

struct bytes lsm_salvage_property(const struct lsm_salvage *s, const char *name)
{
	const struct manifest_property *p =
		manifest_state_property(&s->state, name);

	return p ? buf_bytes(&p->value) : BYTES_NULL;
}

int lsm_salvage_read(struct lsm_salvage *s, const struct lsm_salvage_file *f,
		     const struct sstable_salvage *calls)
{
	return sstable_salvage(s->files, s->dir, f->number,
			       f->named ? &f->info : NULL, calls);
}

/* ------------------------------------------------------------------- the log */
struct log_walk {
	struct lsm_salvage *s;
	bool tell;
	int (*each)(void *context, const struct batch_op *op);
	void *context;
};

/* True if the operation's data may be in no sstable. */
static bool is_needed(const struct lsm_salvage *s, uint64_t position,
		      uint32_t table)
{
	const struct manifest_table *t = manifest_state_table(&s->state, table);

	if (!s->whole)
		return !t || !t->dropped;
	return t ? !t->dropped && position >= t->mark : position >= s->state.log;
}

static int walk_batch(void *context, uint64_t position, struct bytes batch)
{
	struct log_walk *w = context;
	struct reader r = reader_of(batch);
	struct batch_op op;
	char name[32];
	int got, err = 0;

	while (!err && (got = batch_next(&r, &op)) != 0) {
		if (got < 0) {
			commitlog_file_name(name, position);
			if (w->tell)
				lose(w->s, "%s: batch at %" PRIu64 " cannot be "
				     "read", name, log_offset(position));
			return 0;
		}
		if (is_needed(w->s, position, op.table))
			err = w->each(w->context, &op);
	}
	return err;
}

/* Tell what is missing of segment i, of which `end` was the end at the least. */
static void tell_end(struct lsm_salvage *s, const struct salvage_segment *g,
		     uint64_t end)
{
	char name[32];

	if (g->seen.end >= end)
		return;
	commitlog_file_name(name, log_position(g->number, 0));
	lose(s, "%s: %" PRIu64 " to %" PRIu64 ": records are damaged: the "
	     "changes in them are lost", name, g->seen.end, end);
}

static void tell_log(struct lsm_salvage *s)
{
	struct bytes property = lsm_salvage_property(s, "log");
	uint64_t most = property.len == 8 ? get_le64(property.ptr) : 0, end;
	size_t count, i;
	struct salvage_segment *list = segments(s, &count);
	char name[32];

	for (i = 0; i < s->state.table_count; i++)
		if (s->state.tables[i].mark > most &&
		    s->state.tables[i].mark != UINT64_MAX)
			most = s->state.tables[i].mark;
	for (i = 0; i < count; i++) {
		if (list[i].seen.synced > most)
			most = list[i].seen.synced;
		if (list[i].seen.previous_end > most && list[i].seen.begun)
			most = list[i].seen.previous_end;
	}
	for (i = 0; i < count; i++) {
		uint64_t begin = log_position(list[i].number, 0);

		commitlog_file_name(name, begin);
		if (!list[i].here) {
			/* One that was never written to is no loss. */
			if (most > begin + LOG_HEADER)
				lose(s, "%s: it is missing: the changes in it "
				     "are lost", name);
			continue;
		}
		end = list[i].seen.written;
		if (log_number(most) == list[i].number &&
		    log_offset(most) > end)
			end = log_offset(most);
		if (i + 1 < count && list[i + 1].seen.begun &&
		    log_number(list[i + 1].seen.previous_end) ==
			    list[i].number)
			end = log_offset(list[i + 1].seen.previous_end);
		if (list[i].seen.header_bad)
			lose(s, "%s: 0: its header is damaged: changes at its "
			     "end may be lost", name);
		tell_end(s, &list[i], end);
		/* Numbers that follow one another have none missing between. */
		if (!s->whole && i + 1 < count && list[i + 1].seen.begun &&
		    log_number(list[i + 1].seen.previous_end) > list[i].number)
			lose(s, "the log between %s and the next file of it is "
			     "missing", name);
	}
}

int lsm_salvage_log(struct lsm_salvage *s, bool tell,
		    int (*each)(void *context, const struct batch_op *op),
		    void *context)
{
	struct log_walk w = { s, tell, each, context };
	size_t count, i;
	struct salvage_segment *list = segments(s, &count);
	int err = 0;

	for (i = 0; !err && i < count; i++) {
		if (!list[i].here)
			continue;
		err = log_salvage(&list[i].seen, s->files, s->dir,
				  list[i].number, walk_batch, &w);
		if (err == -ENOENT || err == -EIO) {
			list[i].here = false;
			err = 0;
		}
	}
	if (!err && tell)
		tell_log(s);
	return err;
}
