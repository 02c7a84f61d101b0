/* Fuzz target: lines of documents. The fast scanner must read a line as the
 * general reader of JSON does. */
#include <stdlib.h>

#include "store/document/line.h"
#include "store/schema/table_edit.h"
#include "tests/lib/fuzz.h"

static struct table *make_table(void)
{
	static const struct {
		const char *name;
		enum type_kind type;
		enum column_kind kind;
	} columns[] = {
		{ "p", TYPE_TEXT, COLUMN_PARTITION_KEY },
		{ "c", TYPE_INT, COLUMN_CLUSTERING },
		{ "s", TYPE_TEXT, COLUMN_STATIC },
		{ "a", TYPE_BIGINT, COLUMN_REGULAR },
		{ "b", TYPE_BOOLEAN, COLUMN_REGULAR },
		{ "Up", TYPE_TINYINT, COLUMN_REGULAR },
		{ "d", TYPE_DOUBLE, COLUMN_REGULAR },
		{ "t", TYPE_TIMESTAMP, COLUMN_REGULAR },
		{ "u", TYPE_UUID, COLUMN_REGULAR },
		{ "x", TYPE_BLOB, COLUMN_REGULAR },
		{ "y", TYPE_ASCII, COLUMN_REGULAR },
	};
	struct table *t = table_new("k", "t");
	size_t i;

	for (i = 0; t && i < ARRAY_SIZE(columns); i++)
		if (table_add_column(t, columns[i].name,
				     type_native(columns[i].type),
				     columns[i].kind, false) < 0)
			abort();
	if (!t || table_finish(t))
		abort();
	return t;
}

static void compare(int a, const struct line_row *x, int b,
		    const struct line_row *y)
{
	uint32_t i;

	if (a != b)
		abort();
	if (a <= 0)
		return;
	if (!bytes_equal(x->partition_key, y->partition_key) ||
	    !x->clustering != !y->clustering || x->count != y->count ||
	    (x->clustering &&
	     !bytes_equal(x->clustering[0], y->clustering[0])))
		abort();
	for (i = 0; i < x->count; i++)
		if (x->values[i].column != y->values[i].column ||
		    !bytes_equal(x->values[i].value, y->values[i].value))
			abort();
}

/* Check a line; the first byte chooses the form. */
void fuzz_lines(struct bytes input)
{
	static const struct line_place place;
	enum row_form form;
	struct arena arena = ARENA_INIT;
	struct line_reader r, other;
	struct line_row row, general;
	struct table *t;
	bool quoted = false;
	size_t len;

	if (!input.len)
		return;
	form = input.ptr[0] & 1 ? ROW_JSON : ROW_CSV;
	input = bytes_of(input.ptr + 1, input.len - 1);
	t = make_table();
	if (line_reader_init(&r, t, form, &place, &arena) ||
	    line_reader_init(&other, t, form, &place, &arena))
		abort();
	other.general = true;
	while ((len = line_length(form, input, &quoted))) {
		struct bytes line = bytes_of(input.ptr, len);

		if (quoted || len > input.len || line.ptr[len - 1] != '\n')
			abort();
		compare(line_read(&r, line, &row), &row,
			line_read(&other, line, &general), &general);
		input = bytes_of(input.ptr + len, input.len - len);
		arena_clear(&arena);
	}
	line_read(&r, input, &row);
	line_reader_release(&r);
	line_reader_release(&other);
	arena_release(&arena);
	table_put(t);
}
