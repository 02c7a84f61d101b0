/*
 * The steps of an edit, each a byte that says which, then (varints but where
 * said):
 *
 *	1 add		table | level | size | 8 checksum | sstable_info, see
 *			sstable/stats.c
 *	2 drop		table | number
 *	3 drop files	table
 *	4 mark		table | log position
 *	5 drop table	table | log position
 *	6 log		log position
 *	7 property	length, name | 1 there is a value | length, value
 *	8 next number	number
 *	9 segment	number | size, at the least
 *	10 segment gone	number
 *
 * Properties: "timestamp" (store.c), "log" and "boot" (lsm_recover.c).
 */
#include "store/lsm/manifest_state.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/sstable/stats.h"

enum step { STEP_ADD = 1, STEP_DROP, STEP_DROP_FILES, STEP_MARK,
	    STEP_DROP_TABLE, STEP_LOG, STEP_PROPERTY, STEP_NEXT_NUMBER,
	    STEP_SEGMENT, STEP_SEGMENT_GONE };

#define LONGEST_NAME 255
/* Names of files have twelve digits. */
#define LARGEST_NUMBER 999999999999u

/* ----------------------------------------------------------------- edits */
void manifest_edit_release(struct manifest_edit *e)
{
	buf_release(&e->steps);
}

void manifest_edit_add(struct manifest_edit *e, uint32_t table, uint32_t level,
		       const struct sstable_info *info)
{
	buf_add_byte(&e->steps, STEP_ADD);
	buf_add_varint(&e->steps, table);
	buf_add_varint(&e->steps, level);
	buf_add_varint(&e->steps, info->size);
	buf_add_le64(&e->steps, info->checksum);
	sstable_info_write(&e->steps, info);
}

void manifest_edit_drop(struct manifest_edit *e, uint32_t table,
			uint64_t number)
{
	buf_add_byte(&e->steps, STEP_DROP);
	buf_add_varint(&e->steps, table);
	buf_add_varint(&e->steps, number);
}

void manifest_edit_drop_files(struct manifest_edit *e, uint32_t table)
{
	buf_add_byte(&e->steps, STEP_DROP_FILES);
	buf_add_varint(&e->steps, table);
}

void manifest_edit_mark(struct manifest_edit *e, uint32_t table, uint64_t mark)
{
	buf_add_byte(&e->steps, STEP_MARK);
	buf_add_varint(&e->steps, table);
	buf_add_varint(&e->steps, mark);
}

void manifest_edit_drop_table(struct manifest_edit *e, uint32_t table,
			      uint64_t mark)
{
	buf_add_byte(&e->steps, STEP_DROP_TABLE);
	buf_add_varint(&e->steps, table);
	buf_add_varint(&e->steps, mark);
}

void manifest_edit_log(struct manifest_edit *e, uint64_t position)
{
	buf_add_byte(&e->steps, STEP_LOG);
	buf_add_varint(&e->steps, position);
}

void manifest_edit_segment(struct manifest_edit *e, uint64_t number,
			   uint64_t size)
{
	buf_add_byte(&e->steps, STEP_SEGMENT);
	buf_add_varint(&e->steps, number);
	buf_add_varint(&e->steps, size);
}

void manifest_edit_segment_gone(struct manifest_edit *e, uint64_t number)
{
	buf_add_byte(&e->steps, STEP_SEGMENT_GONE);
	buf_add_varint(&e->steps, number);
}

void manifest_edit_property(struct manifest_edit *e, const char *name,
			    struct bytes value)
{
	buf_add_byte(&e->steps, STEP_PROPERTY);
	buf_add_sized(&e->steps, bytes_str(name));
	buf_add_byte(&e->steps, !bytes_is_null(value));
	buf_add_sized(&e->steps, value);
}

/* ----------------------------------------------------------------- state */
void manifest_state_release(struct manifest_state *s)
{
	size_t i;

	for (i = 0; i < s->property_count; i++) {
		mem_free(s->properties[i].name);
		buf_release(&s->properties[i].value);
	}
	mem_free(s->properties);
	mem_free(s->files);
	mem_free(s->tables);
	mem_free(s->segments);
	memset(s, 0, sizeof(*s));
}

/* Make room for one more element at `at` of an array of count. */
static void *insert_at(void *array, size_t *count, size_t size, size_t at)
{
	uint8_t *grown = mem_resize(array, *count + 1, size);

	if (!grown)
		return NULL;
	memmove(grown + (at + 1) * size, grown + at * size,
		(*count - at) * size);
	++*count;
	return grown;
}

static void *copy_array(const void *from, size_t count, size_t size)
{
	void *to = mem_zalloc(count, size);

	if (to && count)
		memcpy(to, from, count * size);
	return to;
}

static int copy_properties(struct manifest_state *to,
			   const struct manifest_state *from)
{
	size_t i;

	for (i = 0; i < from->property_count; i++) {
		struct manifest_property *p = &to->properties[i];
		const struct manifest_property *old = &from->properties[i];

		p->value = BUF_INIT;
		buf_add_bytes(&p->value, buf_bytes(&old->value));
		p->name = mem_copy(old->name, strlen(old->name));
		to->property_count++;
		if (!p->name || p->value.failed)
			return -ENOMEM;
	}
	return 0;
}

int manifest_state_copy(struct manifest_state *to,
			const struct manifest_state *from)
{
	int err = -ENOMEM;

	*to = *from;
	to->property_count = 0;
	to->files = copy_array(from->files, from->file_count,
			       sizeof(*to->files));
	to->tables = copy_array(from->tables, from->table_count,
				sizeof(*to->tables));
	to->segments = copy_array(from->segments, from->segment_count,
				  sizeof(*to->segments));
	to->properties = mem_zalloc(from->property_count,
				    sizeof(*to->properties));
	if (to->files && to->tables && to->segments && to->properties)
		err = copy_properties(to, from);
	if (err)
		manifest_state_release(to);
	return err;
}

/* --------------------------------------------------------------- tables */
static size_t find_table(const struct manifest_state *s, uint32_t table)
{
	size_t low = 0, high = s->table_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->tables[middle].table < table)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct manifest_table *
manifest_state_table(const struct manifest_state *s, uint32_t table)
{
	size_t at = find_table(s, table);

	return at < s->table_count && s->tables[at].table == table ?
		       &s->tables[at] : NULL;
}

static int mark_table(struct manifest_state *s, uint32_t table, uint64_t mark,
		      bool dropped)
{
	size_t at = find_table(s, table);
	struct manifest_table *t;

	if (at == s->table_count || s->tables[at].table != table) {
		t = insert_at(s->tables, &s->table_count, sizeof(*t), at);
		if (!t)
			return -ENOMEM;
		s->tables = t;
		s->tables[at] = (struct manifest_table){ table, false, 0 };
	}
	t = &s->tables[at];
	if (mark > t->mark)
		t->mark = mark;
	if (dropped)
		t->dropped = true;
	return 0;
}

/* ------------------------------------------------------------- segments */
static size_t find_segment(const struct manifest_state *s, uint64_t number)
{
	size_t i = 0;

	while (i < s->segment_count && s->segments[i].number < number)
		i++;
	return i;
}

/* Forget the n segments that begin at `at`. */
static void forget_segments(struct manifest_state *s, size_t at, size_t n)
{
	s->segment_count -= n;
	if (n)
		memmove(&s->segments[at], &s->segments[at + n],
			(s->segment_count - at) * sizeof(*s->segments));
}

static int set_segment(struct manifest_state *s, uint64_t number, uint64_t size)
{
	size_t at = find_segment(s, number);
	struct manifest_segment *grown;

	if (at == s->segment_count || s->segments[at].number != number) {
		grown = insert_at(s->segments, &s->segment_count,
				  sizeof(*grown), at);
		if (!grown)
			return -ENOMEM;
		s->segments = grown;
	}
	s->segments[at] = (struct manifest_segment){ number, size };
	return 0;
}

static int step_segment(struct manifest_state *s, struct reader *r,
			uint8_t step)
{
	uint64_t number = read_varint(r), size = 0;
	size_t at = find_segment(s, number);

	if (step == STEP_SEGMENT)
		size = read_varint(r);
	if (r->failed || !number || number > UINT32_MAX || size > UINT32_MAX)
		return -EUCLEAN;
	if (step == STEP_SEGMENT)
		return set_segment(s, number, size);
	if (at < s->segment_count && s->segments[at].number == number)
		forget_segments(s, at, 1);
	return 0;
}

/* Let the log begin at position: dropped tables have no records there. */
static void begin_log(struct manifest_state *s, uint64_t position)
{
	size_t from, to = 0;

	if (position <= s->log)
		return;
	s->log = position;
	forget_segments(s, 0, find_segment(s, position >> 32));
	for (from = 0; from < s->table_count; from++)
		if (!s->tables[from].dropped || s->tables[from].mark > position)
			s->tables[to++] = s->tables[from];
	s->table_count = to;
}

/* ---------------------------------------------------------------- files */
static size_t find_file(const struct manifest_state *s, uint32_t table,
			uint64_t number)
{
	size_t low = 0, high = s->file_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct manifest_file *f = &s->files[middle];

		if (f->table < table || (f->table == table &&
					 f->info.number < number))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int add_file(struct manifest_state *s, const struct manifest_file *file)
{
	const struct manifest_table *t = manifest_state_table(s, file->table);
	size_t at = find_file(s, file->table, file->info.number), i;
	struct manifest_file *files;

	if (t && t->dropped)
		return -ESTALE;
	if (file->info.number >= s->next_number)
		return -EINVAL;
	for (i = 0; i < s->file_count; i++)
		if (s->files[i].info.number == file->info.number)
			return -EINVAL;
	files = insert_at(s->files, &s->file_count, sizeof(*files), at);
	if (!files)
		return -ENOMEM;
	s->files = files;
	s->files[at] = *file;
	return 0;
}

static int drop_file(struct manifest_state *s, uint32_t table, uint64_t number)
{
	size_t at = find_file(s, table, number);

	if (at == s->file_count || s->files[at].table != table ||
	    s->files[at].info.number != number)
		return -ESTALE;
	memmove(&s->files[at], &s->files[at + 1],
		(s->file_count - at - 1) * sizeof(*s->files));
	s->file_count--;
	return 0;
}

static void drop_files(struct manifest_state *s, uint32_t table)
{
	size_t from, to = 0;

	for (from = 0; from < s->file_count; from++)
		if (s->files[from].table != table)
			s->files[to++] = s->files[from];
	s->file_count = to;
}

/* ----------------------------------------------------------- properties */
static size_t find_property(const struct manifest_state *s, struct bytes name)
{
	size_t i = 0;

	while (i < s->property_count &&
	       bytes_compare(bytes_str(s->properties[i].name), name) < 0)
		i++;
	return i;
}

const struct manifest_property *
manifest_state_property(const struct manifest_state *s, const char *name)
{
	size_t at = find_property(s, bytes_str(name));

	return at < s->property_count &&
			       !strcmp(s->properties[at].name, name) ?
		       &s->properties[at] : NULL;
}

static int set_property(struct manifest_state *s, struct bytes name,
			struct bytes value)
{
	size_t at = find_property(s, name);
	struct manifest_property *p = s->properties;
	bool here = at < s->property_count &&
		    bytes_equal(bytes_str(p[at].name), name);

	if (here && bytes_is_null(value)) {
		mem_free(p[at].name);
		buf_release(&p[at].value);
		s->property_count--;
		memmove(&p[at], &p[at + 1],
			(s->property_count - at) * sizeof(*p));
		return 0;
	}
	if (bytes_is_null(value))
		return 0;
	if (!here) {
		char *copy = mem_copy(name.ptr, name.len);

		p = copy ? mem_resize(p, s->property_count + 1, sizeof(*p)) :
			   NULL;
		if (!p) {
			mem_free(copy);
			return -ENOMEM;
		}
		s->properties = p;
		memmove(&p[at + 1], &p[at],
			(s->property_count - at) * sizeof(*p));
		s->property_count++;
		p[at].name = copy;
		p[at].value = BUF_INIT;
	}
	buf_clear(&p[at].value);
	buf_add_bytes(&p[at].value, value);
	return p[at].value.failed ? -ENOMEM : 0;
}

/* ----------------------------------------------------------------- steps */
static int step_add(struct manifest_state *s, struct reader *r)
{
	uint64_t table = read_varint(r), level = read_varint(r);
	uint64_t size = read_varint(r), checksum = read_le64(r);
	struct manifest_file file;

	if (!sstable_info_read(r, &file.info) || table > UINT32_MAX ||
	    level > UINT32_MAX)
		return -EUCLEAN;
	file.table = (uint32_t)table;
	file.level = (uint32_t)level;
	file.info.size = size;
	file.info.checksum = checksum;
	return add_file(s, &file);
}

static int step_property(struct manifest_state *s, struct reader *r)
{
	struct bytes name = read_sized(r);
	bool there = read_byte(r);
	struct bytes value = read_sized(r);

	if (r->failed || name.len > LONGEST_NAME ||
	    (name.len && memchr(name.ptr, 0, name.len)))
		return -EUCLEAN;
	return set_property(s, name, there ? value : BYTES_NULL);
}

static int step_table(struct manifest_state *s, struct reader *r, uint8_t step)
{
	uint64_t table = read_varint(r), what = 0;

	if (step != STEP_DROP_FILES)
		what = read_varint(r);
	if (r->failed || table > UINT32_MAX)
		return -EUCLEAN;
	switch (step) {
	case STEP_DROP:
		return drop_file(s, (uint32_t)table, what);
	case STEP_MARK:
		return mark_table(s, (uint32_t)table, what, false);
	case STEP_DROP_TABLE:
		drop_files(s, (uint32_t)table);
		return mark_table(s, (uint32_t)table, what, true);
	default:
		drop_files(s, (uint32_t)table);
		return 0;
	}
}

static int step_number(struct manifest_state *s, struct reader *r, uint8_t step)
{
	uint64_t number = read_varint(r);

	if (r->failed || (step == STEP_NEXT_NUMBER && number > LARGEST_NUMBER))
		return -EUCLEAN;
	if (step == STEP_LOG)
		begin_log(s, number);
	else if (number > s->next_number)
		s->next_number = number;
	return 0;
}

int manifest_state_apply(struct manifest_state *s, struct bytes steps)
{
	struct reader r = reader_of(steps);
	int err = 0;

	while (!err && reader_left(&r)) {
		uint8_t step = read_byte(&r);

		if (step == STEP_ADD)
			err = step_add(s, &r);
		else if (step == STEP_PROPERTY)
			err = step_property(s, &r);
		else if (step == STEP_LOG || step == STEP_NEXT_NUMBER)
			err = step_number(s, &r, step);
		else if (step == STEP_SEGMENT || step == STEP_SEGMENT_GONE)
			err = step_segment(s, &r, step);
		else if (step >= STEP_DROP && step <= STEP_DROP_TABLE)
			err = step_table(s, &r, step);
		else
			err = -EUCLEAN;
	}
	return err;
}

void manifest_state_add_number(struct buf *steps, uint64_t number)
{
	buf_add_byte(steps, STEP_NEXT_NUMBER);
	buf_add_varint(steps, number);
}

void manifest_state_write(struct buf *steps, const struct manifest_state *s)
{
	struct manifest_edit e = { *steps };
	size_t i;

	manifest_state_add_number(&e.steps, s->next_number);
	for (i = 0; i < s->file_count; i++)
		manifest_edit_add(&e, s->files[i].table, s->files[i].level,
				  &s->files[i].info);
	for (i = 0; i < s->table_count; i++) {
		const struct manifest_table *t = &s->tables[i];

		if (t->dropped)
			manifest_edit_drop_table(&e, t->table, t->mark);
		else
			manifest_edit_mark(&e, t->table, t->mark);
	}
	manifest_edit_log(&e, s->log);
	for (i = 0; i < s->segment_count; i++)
		manifest_edit_segment(&e, s->segments[i].number,
				      s->segments[i].size);
	for (i = 0; i < s->property_count; i++)
		manifest_edit_property(&e, s->properties[i].name,
				       buf_bytes(&s->properties[i].value));
	*steps = e.steps;
}
