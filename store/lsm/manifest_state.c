/* The state, and the steps of an edit as they change it: manifest_step.h. */
#include "store/lsm/manifest_state.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/base/array.h"
#include "store/lsm/manifest_step.h"
#include "store/sstable/stats.h"

#define LONGEST_NAME 255
/* Names of files have twelve digits. */
#define LARGEST_NUMBER 999999999999u

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
	mem_free(s->snapshots);
	memset(s, 0, sizeof(*s));
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
	to->snapshots = copy_array(from->snapshots, from->snapshot_count,
				   sizeof(*to->snapshots));
	to->properties = mem_zalloc(from->property_count,
				    sizeof(*to->properties));
	if (to->files && to->tables && to->segments && to->snapshots &&
	    to->properties)
		err = copy_properties(to, from);
	if (err)
		manifest_state_release(to);
	return err;
}

/* --------------------------------------------------------------- tables */
static bool table_before(const void *element, const void *key)
{
	return ((const struct manifest_table *)element)->table <
	       *(const uint32_t *)key;
}

static size_t find_table(const struct manifest_state *s, uint32_t table)
{
	return array_find(s->tables, s->table_count, sizeof(*s->tables), &table,
			  table_before);
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
		t = array_insert(s->tables, s->table_count, sizeof(*t), at);
		if (!t)
			return -ENOMEM;
		s->tables = t;
		s->table_count++;
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
	array_remove(s->segments, s->segment_count, sizeof(*s->segments), at, n);
	s->segment_count -= n;
}

static int set_segment(struct manifest_state *s, uint64_t number, uint64_t size)
{
	size_t at = find_segment(s, number);
	struct manifest_segment *grown;

	if (at == s->segment_count || s->segments[at].number != number) {
		grown = array_insert(s->segments, s->segment_count,
				     sizeof(*grown), at);
		if (!grown)
			return -ENOMEM;
		s->segments = grown;
		s->segment_count++;
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

/* ------------------------------------------------------------ snapshots */
uint64_t manifest_state_next_snapshot(const struct manifest_state *s)
{
	return s->next_snapshot ? s->next_snapshot : 1;
}

bool manifest_state_in_snapshot(const struct manifest_snapshot *s,
				const struct manifest_file *f)
{
	bool here = !s->table_count;
	uint32_t i;

	if (s->number < f->born || s->number >= f->died)
		return false;
	for (i = 0; i < s->table_count; i++)
		here |= s->tables[i] == f->table;
	return here;
}

static bool snapshot_before(const void *element, const void *key)
{
	return ((const struct manifest_snapshot *)element)->number <
	       *(const uint64_t *)key;
}

/* Return the place of the first snapshot from that number on. */
static size_t find_snapshot(const struct manifest_state *s, uint64_t number)
{
	return array_find(s->snapshots, s->snapshot_count,
			  sizeof(*s->snapshots), &number, snapshot_before);
}

const struct manifest_snapshot *
manifest_state_snapshot(const struct manifest_state *s, uint64_t number)
{
	size_t at = find_snapshot(s, number);

	return at < s->snapshot_count && s->snapshots[at].number == number ?
		       &s->snapshots[at] : NULL;
}

bool manifest_state_is_kept(const struct manifest_state *s,
		    const struct manifest_file *f)
{
	size_t i;

	for (i = find_snapshot(s, f->born);
	     i < s->snapshot_count && s->snapshots[i].number < f->died; i++)
		if (manifest_state_in_snapshot(&s->snapshots[i], f))
			return true;
	return false;
}

/* Forget the dead entries that no snapshot has. */
static void sweep_files(struct manifest_state *s)
{
	size_t from, to = 0;

	for (from = 0; from < s->file_count; from++)
		if (s->files[from].died == MANIFEST_LIVE ||
		    manifest_state_is_kept(s, &s->files[from]))
			s->files[to++] = s->files[from];
	s->file_count = to;
}

static int step_snapshot(struct manifest_state *s, struct reader *r)
{
	struct manifest_snapshot made = { .number = read_varint(r) }, *grown;
	struct bytes name;
	uint64_t count, table, owner;
	size_t at = s->snapshot_count, i;
	uint8_t flags;

	made.created_us = (int64_t)read_le64(r);
	flags = read_byte(r);
	made.automatic = flags & SNAPSHOT_IS_AUTOMATIC;
	count = read_varint(r);
	if (r->failed || count > MANIFEST_SNAPSHOT_TABLES)
		return -EUCLEAN;
	for (i = 0; i < count; i++) {
		table = read_varint(r);
		if (table > UINT32_MAX)
			return -EUCLEAN;
		made.tables[made.table_count++] = (uint32_t)table;
	}
	name = read_sized(r);
	owner = flags & SNAPSHOT_HAS_OWNER ? read_varint(r) : MANIFEST_NO_OWNER;
	made.owner = (uid_t)owner;
	if (r->failed || owner > UINT32_MAX || !name.len ||
	    name.len > MANIFEST_SNAPSHOT_NAME ||
	    memchr(name.ptr, 0, name.len) || memchr(name.ptr, '/', name.len) ||
	    made.number < manifest_state_next_snapshot(s) || made.number > INT64_MAX)
		return -EUCLEAN;
	memcpy(made.name, name.ptr, name.len);
	grown = array_insert(s->snapshots, s->snapshot_count, sizeof(*grown),
			     at);
	if (!grown)
		return -ENOMEM;
	s->snapshots = grown;
	s->snapshot_count++;
	s->snapshots[at] = made;
	s->next_snapshot = made.number + 1;
	return 0;
}

static int step_snapshot_gone(struct manifest_state *s, struct reader *r)
{
	uint64_t number = read_varint(r);
	size_t at = find_snapshot(s, number);

	if (r->failed)
		return -EUCLEAN;
	if (!manifest_state_snapshot(s, number))
		return -ESTALE;
	array_remove(s->snapshots, s->snapshot_count--, sizeof(*s->snapshots),
		     at, 1);
	sweep_files(s);
	return 0;
}

static int step_next_snapshot(struct manifest_state *s, struct reader *r)
{
	uint64_t number = read_varint(r);

	if (r->failed || number > INT64_MAX || number < manifest_state_next_snapshot(s))
		return -EUCLEAN;
	s->next_snapshot = number;
	return 0;
}

/* ---------------------------------------------------------------- files */
struct file_key {
	uint32_t table;
	uint64_t number, born;
};

static bool file_before(const void *element, const void *key)
{
	const struct manifest_file *f = element;
	const struct file_key *k = key;

	if (f->table != k->table)
		return f->table < k->table;
	return f->info.number < k->number ||
	       (f->info.number == k->number && f->born < k->born);
}

static size_t find_file(const struct manifest_state *s, uint32_t table,
			uint64_t number, uint64_t born)
{
	const struct file_key key = { table, number, born };

	return array_find(s->files, s->file_count, sizeof(*s->files), &key,
			  file_before);
}

/* Return the last entry of the file in the table, or NULL. */
static struct manifest_file *last_entry(struct manifest_state *s,
					uint32_t table, uint64_t number)
{
	size_t at = find_file(s, table, number, UINT64_MAX);

	return at && s->files[at - 1].table == table &&
			       s->files[at - 1].info.number == number ?
		       &s->files[at - 1] : NULL;
}

/* True if all entries of that number are of one file. */
static bool is_one_file(const struct manifest_state *s,
			const struct sstable_info *info)
{
	size_t i;

	for (i = 0; i < s->file_count; i++)
		if (s->files[i].info.number == info->number &&
		    (s->files[i].info.size != info->size ||
		     s->files[i].info.checksum != info->checksum))
			return false;
	return true;
}

static int add_file(struct manifest_state *s, const struct manifest_file *file)
{
	const struct manifest_table *t = manifest_state_table(s, file->table);
	struct manifest_file *files, *last;
	size_t at;

	if (t && t->dropped && file->died == MANIFEST_LIVE)
		return -ESTALE;
	if (s->partial && file->info.number >= s->next_number &&
	    file->info.number <= LARGEST_NUMBER)
		s->next_number = file->info.number + 1;
	if (file->info.number >= s->next_number ||
	    !is_one_file(s, &file->info))
		return -EINVAL;
	last = last_entry(s, file->table, file->info.number);
	if (last && last->died == file->born &&
	    file->died == MANIFEST_LIVE) {
		last->died = MANIFEST_LIVE;	/* it moves to a level */
		last->level = file->level;
		return 0;
	}
	if (last && last->died > file->born)
		return -EINVAL;
	at = find_file(s, file->table, file->info.number, file->born);
	files = array_insert(s->files, s->file_count, sizeof(*files), at);
	if (!files)
		return -ENOMEM;
	s->files = files;
	s->file_count++;
	s->files[at] = *file;
	return 0;
}

/* Let a live entry die. */
static void end_file(struct manifest_state *s, struct manifest_file *f)
{
	size_t at = (size_t)(f - s->files);

	f->died = manifest_state_next_snapshot(s);
	if (manifest_state_is_kept(s, f))
		return;
	array_remove(s->files, s->file_count--, sizeof(*f), at, 1);
}

static int drop_file(struct manifest_state *s, uint32_t table, uint64_t number)
{
	struct manifest_file *f = last_entry(s, table, number);

	if (!f || f->died != MANIFEST_LIVE)
		return s->partial ? 0 : -ESTALE;
	end_file(s, f);
	return 0;
}

static void drop_files(struct manifest_state *s, uint32_t table)
{
	size_t i;

	for (i = 0; i < s->file_count; i++)
		if (s->files[i].table == table &&
		    s->files[i].died == MANIFEST_LIVE)
			s->files[i].died = manifest_state_next_snapshot(s);
	sweep_files(s);
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
		array_remove(p, s->property_count--, sizeof(*p), at, 1);
		return 0;
	}
	if (bytes_is_null(value))
		return 0;
	if (!here) {
		char *copy = mem_copy(name.ptr, name.len);

		p = copy ? array_insert(p, s->property_count, sizeof(*p), at) :
			   NULL;
		if (!p) {
			mem_free(copy);
			return -ENOMEM;
		}
		s->properties = p;
		s->property_count++;
		p[at].name = copy;
		p[at].value = BUF_INIT;
	}
	buf_clear(&p[at].value);
	buf_add_bytes(&p[at].value, value);
	return p[at].value.failed ? -ENOMEM : 0;
}

/* ----------------------------------------------------------------- steps */
static int step_add(struct manifest_state *s, struct reader *r, uint8_t step)
{
	uint64_t table = read_varint(r), level = read_varint(r);
	uint64_t size = read_varint(r), checksum = read_le64(r);
	struct manifest_file file = { .born = manifest_state_next_snapshot(s),
				      .died = MANIFEST_LIVE };

	if (!sstable_info_read(r, &file.info) || table > UINT32_MAX ||
	    level > UINT32_MAX)
		return -EUCLEAN;
	file.table = (uint32_t)table;
	file.level = (uint32_t)level;
	file.info.size = size;
	file.info.checksum = checksum;
	if (step == STEP_FILE) {
		file.born = read_varint(r);
		file.died = read_varint(r);
		if (!file.died)
			file.died = MANIFEST_LIVE;
		if (r->failed || !file.born || file.born >= file.died ||
		    (file.died != MANIFEST_LIVE &&
		     file.died > manifest_state_next_snapshot(s)) ||
		    file.born > manifest_state_next_snapshot(s))
			return -EUCLEAN;
	}
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

		if (step == STEP_ADD || step == STEP_FILE)
			err = step_add(s, &r, step);
		else if (step == STEP_SNAPSHOT)
			err = step_snapshot(s, &r);
		else if (step == STEP_SNAPSHOT_GONE)
			err = step_snapshot_gone(s, &r);
		else if (step == STEP_NEXT_SNAPSHOT)
			err = step_next_snapshot(s, &r);
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

