#include "store/document/row_text.h"

#include <ctype.h>
#include <errno.h>

#include "store/base/alloc.h"
#include "store/document/cells.h"
#include "store/type/json/print.h"
#include "store/type/text/text.h"

/* ------------------------------------------------------------------- names */
/* True if the name needs quotes of its own: for its case, or because those that
 * it has would be taken for them. */
static bool needs_own_quotes(const char *name)
{
	size_t len = strlen(name);

	if (len > 1 && name[0] == '"' && name[len - 1] == '"')
		return true;
	for (; *name; name++)
		if (isupper((unsigned char)*name))
			return true;
	return false;
}

/* As SELECT JSON names it. */
static void add_json_name(struct buf *out, const char *name)
{
	struct buf quoted = BUF_INIT;

	if (needs_own_quotes(name))
		buf_add_format(&quoted, "\"%s\"", name);
	else
		buf_add_str(&quoted, name);
	json_print_string(out, buf_bytes(&quoted));
	out->failed |= quoted.failed;
	buf_release(&quoted);
}

int row_text_init(struct row_text *r, const struct table *t, enum row_form form)
{
	uint32_t i;

	*r = (struct row_text){ .table = t, .form = form, .names = BUF_INIT,
				.room = BUF_INIT };
	r->ends = mem_zalloc(t->column_count + 1, sizeof(*r->ends));
	for (i = 0; r->ends && i < t->column_count; i++) {
		if (t->columns[i].hidden) {
			/* Hidden columns have no name. */
		} else if (form == ROW_CSV) {
			row_text_csv_field(&r->names,
					   bytes_str(t->columns[i].name));
		} else {
			buf_add_str(&r->names, ", ");
			add_json_name(&r->names, t->columns[i].name);
			buf_add_str(&r->names, ": ");
		}
		r->ends[i] = (uint32_t)r->names.len;
	}
	if (r->ends && !r->names.failed)
		return 0;
	row_text_release(r);
	return -ENOMEM;
}

void row_text_release(struct row_text *r)
{
	buf_release(&r->names);
	buf_release(&r->room);
	mem_free(r->ends);
	r->ends = NULL;
}

static struct bytes name_of(const struct row_text *r, uint32_t i)
{
	uint32_t begin = i ? r->ends[i - 1] : 0;

	return bytes_of(r->names.ptr + begin, r->ends[i] - begin);
}

/* True if the column is shown. */
static bool is_wanted(const struct row_text *r, uint32_t i)
{
	return !r->table->columns[i].hidden && (!r->wanted || r->wanted[i]);
}

void row_text_head(const struct row_text *r, struct buf *out)
{
	bool first = true;
	uint32_t i;

	if (r->form != ROW_CSV)
		return;
	for (i = 0; i < r->table->column_count; i++) {
		if (!is_wanted(r, i))
			continue;
		if (!first)
			buf_add_byte(out, ',');
		first = false;
		buf_add_bytes(out, name_of(r, i));
	}
	buf_add_byte(out, '\n');
}

/* --------------------------------------------------------------------- CSV */
static bool needs_quotes(struct bytes text)
{
	size_t i;

	for (i = 0; i < text.len; i++) {
		uint8_t c = text.ptr[i];

		if (c == ',' || c == '"' || c == '\n' || c == '\r')
			return true;
	}
	return false;
}

void row_text_csv_field(struct buf *out, struct bytes text)
{
	if (bytes_is_null(text))
		return;
	if (text.len && !needs_quotes(text))
		buf_add_bytes(out, text);
	else
		buf_add_quoted(out, text, '"');
}

static bool never_needs_quotes(const struct type *t)
{
	switch (t->kind) {
	case TYPE_BIGINT:
	case TYPE_BOOLEAN:
	case TYPE_COUNTER:
	case TYPE_DATE:
	case TYPE_DECIMAL:
	case TYPE_DOUBLE:
	case TYPE_FLOAT:
	case TYPE_INT:
	case TYPE_SMALLINT:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMEUUID:
	case TYPE_TINYINT:
	case TYPE_UUID:
	case TYPE_VARINT:
		return true;
	default:
		return false;
	}
}

static void add_csv_value(struct buf *out, const struct type *t,
			  struct bytes value)
{
	struct buf text = BUF_INIT;

	if (bytes_is_null(value))
		return;
	if (kind_is_text(t->kind) || !value.len) {
		row_text_csv_field(out, value);
		return;
	}
	if (never_needs_quotes(t)) {
		type_print_text(out, t, value);
		return;
	}
	type_print_text(&text, t, value);
	row_text_csv_field(out, buf_bytes(&text));
	out->failed |= text.failed;
	buf_release(&text);
}

/* -------------------------------------------------------------------- rows */
/* The remaining cells of a row, in the order of columns. */
struct left {
	const struct cell_view *cell, *end;
};

/* Take the cells of a column, which are next if there are any. Returns their
 * number. */
static size_t take(struct left *left, const struct column *c,
		   const struct cell_view **first)
{
	size_t n = 0;

	*first = left->cell;
	while (left->cell < left->end &&
	       left->cell->column->number == c->number) {
		left->cell++;
		n++;
	}
	return n;
}

/* Find the value of a column in its row: null is none. 0, -ENOMEM. */
static int value_of(struct row_text *r, const struct column *c,
		    const struct row_view *row, struct left *cells,
		    struct left *statics, struct bytes *value)
{
	const struct cell_view *first;
	size_t n;

	*value = BYTES_NULL;
	switch (c->kind) {
	case COLUMN_PARTITION_KEY:
		*value = row->key_values[c->position];
		return 0;
	case COLUMN_CLUSTERING:
		if (row->row_exists)
			*value = row->clustering[c->position];
		return 0;
	case COLUMN_STATIC:
		n = take(statics, c, &first);
		break;
	default:
		n = take(cells, c, &first);
	}
	return n ? cells_gather(value, &r->room, c, first, n) : 0;
}

/* True for a value that JSON shows though it is null: of a compact key. */
static bool is_shown(const struct column *c, const struct row_view *row,
		     struct bytes value)
{
	return !bytes_is_null(value) ||
	       (c->kind == COLUMN_CLUSTERING && row->row_exists);
}

/* Append one value; first: it is the row's. shown: also if it is null. */
static void add_value(struct row_text *r, struct buf *out, uint32_t i,
		      struct bytes value, bool shown, bool *first)
{
	const struct column *c = &r->table->columns[i];
	struct bytes name;

	if (r->form == ROW_CSV) {
		if (!*first)
			buf_add_byte(out, ',');
		*first = false;
		add_csv_value(out, c->type, value);
	} else if (shown) {
		name = name_of(r, i);
		if (*first) {	/* a brace for the ", " */
			buf_add_byte(out, '{');
			name = bytes_of(name.ptr + 2, name.len - 2);
		}
		*first = false;
		buf_add_bytes(out, name);
		type_print_json_exact(out, c->type, value);
	}
}

int row_text_add_values(struct row_text *r, struct buf *out,
			const struct bytes *values)
{
	bool first = true;
	uint32_t i;

	for (i = 0; i < r->table->column_count; i++)
		if (is_wanted(r, i))
			add_value(r, out, i, values[i],
				  !bytes_is_null(values[i]), &first);
	if (r->form == ROW_JSON)
		buf_add_str(out, first ? "{}" : "}");
	return out->failed ? -ENOMEM : 0;
}

int row_text_add(struct row_text *r, struct buf *out,
		 const struct row_view *row, const struct cell_view *statics,
		 uint32_t static_count)
{
	const struct table *t = r->table;
	struct left cells = { row->cells, row->cells + row->cell_count };
	struct left of_all = { statics, statics + static_count };
	bool first = true;
	struct bytes value;
	uint32_t i;
	int err = 0;

	for (i = 0; i < t->column_count && !err; i++) {
		const struct column *c = &t->columns[i];

		if (c->hidden)
			continue;
		err = value_of(r, c, row, &cells, &of_all, &value);
		if (!err)
			add_value(r, out, i, value, is_shown(c, row, value),
				  &first);
	}
	if (r->form == ROW_JSON)
		buf_add_str(out, first ? "{}" : "}");
	return err ? err : out->failed ? -ENOMEM : 0;
}
