/* The steps of an edit, and those of a whole state, as bytes: manifest_step.h. */
#include "store/lsm/manifest_state.h"
#include "store/lsm/manifest_step.h"
#include "store/sstable/stats.h"

void manifest_edit_release(struct manifest_edit *e)
{
	buf_release(&e->steps);
}

static void edit_file(struct manifest_edit *e, enum manifest_step step, uint32_t table,
		      uint32_t level, const struct sstable_info *info)
{
	buf_add_byte(&e->steps, step);
	buf_add_varint(&e->steps, table);
	buf_add_varint(&e->steps, level);
	buf_add_varint(&e->steps, info->size);
	buf_add_le64(&e->steps, info->checksum);
	sstable_info_write(&e->steps, info);
}

void manifest_edit_add(struct manifest_edit *e, uint32_t table, uint32_t level,
		       const struct sstable_info *info)
{
	edit_file(e, STEP_ADD, table, level, info);
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

void manifest_edit_snapshot(struct manifest_edit *e,
			    const struct manifest_snapshot *s)
{
	bool owned = s->owner != MANIFEST_NO_OWNER;
	uint32_t i;

	buf_add_byte(&e->steps, STEP_SNAPSHOT);
	buf_add_varint(&e->steps, s->number);
	buf_add_le64(&e->steps, (uint64_t)s->created_us);
	buf_add_byte(&e->steps, (s->automatic ? SNAPSHOT_IS_AUTOMATIC : 0) |
				(owned ? SNAPSHOT_HAS_OWNER : 0));
	buf_add_varint(&e->steps, s->table_count);
	for (i = 0; i < s->table_count; i++)
		buf_add_varint(&e->steps, s->tables[i]);
	buf_add_sized(&e->steps, bytes_str(s->name));
	if (owned)
		buf_add_varint(&e->steps, s->owner);
}

void manifest_edit_snapshot_gone(struct manifest_edit *e, uint64_t number)
{
	buf_add_byte(&e->steps, STEP_SNAPSHOT_GONE);
	buf_add_varint(&e->steps, number);
}

void manifest_state_add_number(struct buf *steps, uint64_t number)
{
	buf_add_byte(steps, STEP_NEXT_NUMBER);
	buf_add_varint(steps, number);
}

static void write_file(struct manifest_edit *e, const struct manifest_state *s,
		       const struct manifest_file *f)
{
	bool live = f->died == MANIFEST_LIVE;

	/* One that no snapshot had is as new. */
	if (live && !manifest_state_is_kept(s, f)) {
		manifest_edit_add(e, f->table, f->level, &f->info);
		return;
	}
	edit_file(e, STEP_FILE, f->table, f->level, &f->info);
	buf_add_varint(&e->steps, f->born);
	buf_add_varint(&e->steps, live ? 0 : f->died);
}

void manifest_state_write(struct buf *steps, const struct manifest_state *s)
{
	struct manifest_edit e = { *steps };
	size_t i;

	manifest_state_add_number(&e.steps, s->next_number);
	for (i = 0; i < s->snapshot_count; i++)
		manifest_edit_snapshot(&e, &s->snapshots[i]);
	if (manifest_state_next_snapshot(s) > 1) {
		buf_add_byte(&e.steps, STEP_NEXT_SNAPSHOT);
		buf_add_varint(&e.steps, manifest_state_next_snapshot(s));
	}
	for (i = 0; i < s->file_count; i++)
		write_file(&e, s, &s->files[i]);
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
