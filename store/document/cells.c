#include "store/document/cells.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/table/present.h"
#include "store/type/compound_codec.h"
#include "store/type/json/print.h"
#include "store/type/uuid.h"

/* ------------------------------------------------------------------ gather */
static int build(struct buf *out, const struct type *t,
		 const struct cell_view *cells, size_t count)
{
	size_t i, n = 0, room = count * 2 + t->part_count + 1;
	struct bytes *parts = mem_zalloc(room, sizeof(*parts));

	if (!parts)
		return -ENOMEM;
	if (t->kind == TYPE_UDT)
		n = t->part_count;
	for (i = 0; i < count; i++) {
		switch (t->kind) {
		case TYPE_SET:
			parts[n++] = cells[i].path;
			break;
		case TYPE_MAP:
			parts[n++] = cells[i].path;
			parts[n++] = cells[i].value;
			break;
		case TYPE_UDT:
			if (cells[i].path.len == 2 &&
			    get_be16(cells[i].path.ptr) < n)
				parts[get_be16(cells[i].path.ptr)] =
					cells[i].value;
			break;
		default:
			parts[n++] = cells[i].value;
		}
	}
	type_build(out, t, parts, n);
	mem_free(parts);
	return out->failed ? -ENOMEM : 0;
}

int cells_gather(struct bytes *value, struct buf *room, const struct column *c,
		 const struct cell_view *cells, size_t count)
{
	int err;

	if (!type_is_multicell(c->type)) {
		*value = cells[0].value;
		return 0;
	}
	buf_clear(room);
	err = build(room, c->type, cells, count);
	*value = buf_bytes(room);
	return err;
}

int cells_print_json(struct buf *out, const struct column *c,
		     const struct cell_view *cells, size_t count)
{
	struct buf whole = BUF_INIT;
	struct bytes value;
	int err = cells_gather(&value, &whole, c, cells, count);

	if (!err)
		type_print_json_exact(out, c->type, value);
	buf_release(&whole);
	return err ? err : out->failed ? -ENOMEM : 0;
}

/* ------------------------------------------------------------------- write */
static int write_elements(struct write *w, const struct column *c,
			  struct bytes value, int64_t at, int32_t ttl)
{
	const struct type *t = c->type;
	struct bytes part, path = BYTES_NULL;
	struct type_parts parts;
	uint8_t id[16];
	uint32_t i;
	int got = type_parts_begin(&parts, t, value);

	for (i = 0; !got && (got = type_parts_next(&parts, &part)) > 0; i++) {
		got = 0;
		switch (t->kind) {
		case TYPE_SET:
			write_cell(w, c, part, BYTES_EMPTY, at, ttl);
			break;
		case TYPE_MAP:
			if (i % 2)
				write_cell(w, c, path, part, at, ttl);
			path = part;
			break;
		case TYPE_UDT:
			id[0] = (uint8_t)(i >> 8);
			id[1] = (uint8_t)i;
			if (!bytes_is_null(part))
				write_cell(w, c, bytes_of(id, 2), part, at,
					   ttl);
			break;
		default:
			uuid_new_time(id);
			write_cell(w, c, bytes_of(id, 16), part, at, ttl);
		}
	}
	return got;
}

int cells_write(struct write *w, const struct column *c, struct bytes value,
		int64_t timestamp_us, int32_t ttl_s, bool add)
{
	if (!type_is_multicell(c->type)) {
		write_cell(w, c, BYTES_NULL, value, timestamp_us, ttl_s);
		return 0;
	}
	if (!add)
		write_column_deletion(w, c, timestamp_us - 1);
	if (bytes_is_null(value))
		return 0;
	return write_elements(w, c, value, timestamp_us, ttl_s);
}

/* ---------------------------------------------------------------- counters */
int cells_check_total(struct write *w, const struct table *t,
		      struct bytes partition_key, const struct bytes *clustering,
		      const struct column *c, struct bytes value)
{
	struct cell_view cell;
	int got;

	buf_clear(&w->refusal);
	if (!bytes_is_null(value) && value.len != 8) {
		buf_add_format(&w->refusal, "counter %s has an empty total",
			       c->name);
		return -EINVAL;
	}
	got = table_read_cell(w->store, t, partition_key, clustering, c,
			      BYTES_NULL, store_now_s(w->store), &w->arena,
			      &cell);
	if (got < 0)
		return got;
	if (bytes_is_null(value))
		return got;
	if (!got)
		return 1;
	if (bytes_equal(cell.value, value))
		return 0;
	buf_add_format(&w->refusal, "counter %s exists with another total: a "
		       "document is taken where there is none (write +N or -N "
		       "to the counter's own file)", c->name);
	return -EINVAL;
}

int cells_write_total(struct write *w, const struct column *c,
		      struct bytes value, int64_t timestamp_us)
{
	if (!bytes_is_null(value))
		return commit_counter_add(w, c, BYTES_NULL,
					  (int64_t)get_be64(value.ptr),
					  timestamp_us);
	write_cell(w, c, BYTES_NULL, BYTES_NULL, timestamp_us, 0);
	return 0;
}
