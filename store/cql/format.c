#include "store/cql/format.h"

#include <errno.h>

#include "store/base/alloc.h"

/* A table's page: its rows decide how wide the columns are from here on. */
#define PAGE_ROWS 500
#define PAGE_BYTES (1024 * 1024)

struct cql_format {
	enum cql_format_kind kind;
	bool json;
	const struct cql_column *columns;
	uint32_t count;
	uint64_t rows;
	/* of a table: */
	uint32_t *widths;
	struct buf page;	/* the cells, one behind the other */
	struct buf ends;	/* where each ends in page: size_t */
	bool headed;
};

int cql_format_new(struct cql_format **out, enum cql_format_kind kind,
		   const struct cql_column *columns, uint32_t count, bool json)
{
	struct cql_format *f = mem_zalloc(1, sizeof(*f));

	*out = NULL;
	if (!f)
		return -ENOMEM;
	f->widths = mem_zalloc(count + 1, sizeof(*f->widths));
	if (!f->widths) {
		mem_free(f);
		return -ENOMEM;
	}
	f->kind = kind;
	f->json = json;
	f->columns = columns;
	f->count = count;
	*out = f;
	return 0;
}

void cql_format_free(struct cql_format *f)
{
	if (!f)
		return;
	buf_release(&f->page);
	buf_release(&f->ends);
	mem_free(f->widths);
	mem_free(f);
}

/* In characters: every byte but the later ones of a UTF-8 sequence. */
static uint32_t width_of(struct bytes text)
{
	uint32_t width = 0;
	size_t i;

	for (i = 0; i < text.len; i++)
		width += (text.ptr[i] & 0xc0) != 0x80;
	return width;
}

static void add_times(struct buf *out, uint8_t byte, uint32_t times)
{
	while (times--)
		buf_add_byte(out, byte);
}

/* RFC 4180; null is nothing, the empty text is "". */
static void add_csv(struct buf *out, struct bytes text, bool comma)
{
	bool quote = !text.len;
	size_t i;

	if (comma)
		buf_add_byte(out, ',');
	if (bytes_is_null(text))
		return;
	for (i = 0; i < text.len && !quote; i++)
		quote = strchr(",\"\n\r", text.ptr[i]) && text.ptr[i];
	if (!quote) {
		buf_add_bytes(out, text);
		return;
	}
	buf_add_byte(out, '"');
	for (i = 0; i < text.len; i++) {
		if (text.ptr[i] == '"')
			buf_add_byte(out, '"');
		buf_add_byte(out, text.ptr[i]);
	}
	buf_add_byte(out, '"');
}

static void begin_json(struct cql_format *f, struct buf *out)
{
	struct buf type = BUF_INIT;
	uint32_t i;

	buf_add_str(out, "{\"columns\":[");
	for (i = 0; i < f->count; i++) {
		buf_add_str(out, i ? ",{\"name\":" : "{\"name\":");
		json_print_string(out, f->columns[i].name);
		buf_add_str(out, ",\"type\":");
		buf_clear(&type);
		type_print(&type, f->columns[i].type, true);
		out->failed = out->failed || type.failed;
		json_print_string(out, buf_bytes(&type));
		buf_add_byte(out, '}');
	}
	buf_add_str(out, "],\"rows\":[");
	buf_release(&type);
}

void cql_format_begin(struct cql_format *f, struct buf *out)
{
	uint32_t i;

	if (f->kind == CQL_FORMAT_JSON)
		begin_json(f, out);
	if (f->kind == CQL_FORMAT_CSV && f->count) {
		for (i = 0; i < f->count; i++)
			add_csv(out, f->columns[i].name, i);
		buf_add_byte(out, '\n');
	}
	for (i = 0; i < f->count; i++)
		f->widths[i] = width_of(f->columns[i].name);
}

static void draw_head(struct cql_format *f, struct buf *out)
{
	uint32_t i, width;

	buf_add_byte(out, '\n');
	for (i = 0; i < f->count; i++) {
		width = width_of(f->columns[i].name);
		buf_add_str(out, i ? " | " : " ");
		buf_add_bytes(out, f->columns[i].name);
		if (i + 1 < f->count)
			add_times(out, ' ', f->widths[i] - width);
	}
	buf_add_byte(out, '\n');
	for (i = 0; i < f->count; i++) {
		buf_add_str(out, i ? "+-" : "-");
		add_times(out, '-', f->widths[i] + 1);
	}
	buf_add_byte(out, '\n');
	f->headed = true;
}

static void draw_page(struct cql_format *f, struct buf *out)
{
	size_t begin = 0, end, n = f->ends.len / sizeof(end), i;
	uint32_t width;

	for (i = 0; i < n && f->count; i++) {
		uint32_t column = i % f->count;

		memcpy(&end, f->ends.ptr + i * sizeof(end), sizeof(end));
		width = width_of(bytes_of(f->page.ptr + begin, end - begin));
		if (width > f->widths[column])
			f->widths[column] = width;
		begin = end;
	}
	if (!f->headed)
		draw_head(f, out);
	for (i = 0, begin = 0; i < n && f->count; i++) {
		uint32_t column = i % f->count;
		struct bytes cell;

		memcpy(&end, f->ends.ptr + i * sizeof(end), sizeof(end));
		cell = bytes_of(f->page.ptr + begin, end - begin);
		buf_add_str(out, column ? " | " : " ");
		add_times(out, ' ', f->widths[column] - width_of(cell));
		buf_add_bytes(out, cell);
		if (column + 1 == f->count)
			buf_add_byte(out, '\n');
		begin = end;
	}
	buf_clear(&f->page);
	buf_clear(&f->ends);
}

static void row_to_table(struct cql_format *f, struct buf *out,
			 const struct bytes *values)
{
	uint32_t i;

	for (i = 0; i < f->count; i++) {
		cql_format_value(&f->page, f->columns[i].type, values[i]);
		buf_add(&f->ends, &f->page.len, sizeof(f->page.len));
	}
	if (f->page.failed || f->ends.failed) {
		buf_clear(&f->page);
		buf_clear(&f->ends);
		out->failed = true;
	} else if (f->page.len >= PAGE_BYTES ||
		   f->ends.len >= PAGE_ROWS * sizeof(size_t) * f->count) {
		draw_page(f, out);
	}
}

static void row_to_json(struct cql_format *f, struct buf *out,
			const struct bytes *values)
{
	uint32_t i;

	buf_add_str(out, f->rows ? ",[" : "[");
	for (i = 0; i < f->count; i++) {
		if (i)
			buf_add_byte(out, ',');
		type_print_json(out, f->columns[i].type, values[i]);
	}
	buf_add_byte(out, ']');
}

static void row_to_ndjson(struct cql_format *f, struct buf *out,
			  const struct bytes *values)
{
	uint32_t i;

	if (f->json) {	/* an object already */
		buf_add_bytes(out, values[0]);
		buf_add_byte(out, '\n');
		return;
	}
	buf_add_byte(out, '{');
	for (i = 0; i < f->count; i++) {
		if (i)
			buf_add_str(out, ", ");
		json_print_string(out, f->columns[i].name);
		buf_add_str(out, ": ");
		type_print_json(out, f->columns[i].type, values[i]);
	}
	buf_add_str(out, "}\n");
}

static void row_to_csv(struct cql_format *f, struct buf *out,
		       const struct bytes *values)
{
	struct buf text = BUF_INIT;
	uint32_t i;

	for (i = 0; i < f->count; i++) {
		buf_clear(&text);
		if (!bytes_is_null(values[i]))
			type_print_text(&text, f->columns[i].type, values[i]);
		out->failed = out->failed || text.failed;
		add_csv(out, bytes_is_null(values[i]) ? BYTES_NULL
						      : buf_bytes(&text), i);
	}
	buf_add_byte(out, '\n');
	buf_release(&text);
}

void cql_format_row(struct cql_format *f, struct buf *out,
		    const struct bytes *values)
{
	static void (*const formats[])(struct cql_format *f, struct buf *out,
				       const struct bytes *values) = {
		[CQL_FORMAT_TABLE] = row_to_table,
		[CQL_FORMAT_JSON] = row_to_json,
		[CQL_FORMAT_NDJSON] = row_to_ndjson,
		[CQL_FORMAT_CSV] = row_to_csv,
	};

	formats[f->kind](f, out, values);
	f->rows++;
}

void cql_format_end(struct cql_format *f, struct buf *out)
{
	if (f->kind == CQL_FORMAT_JSON)
		buf_add_str(out, "]}\n");
	if (f->kind != CQL_FORMAT_TABLE || !f->count)
		return;
	draw_page(f, out);
	buf_add_format(out, "\n(%llu rows)\n", (unsigned long long)f->rows);
}

void cql_format_flush(struct cql_format *f, struct buf *out)
{
	if (f->kind == CQL_FORMAT_TABLE && f->ends.len)
		draw_page(f, out);
}

void cql_format_error(struct buf *out, enum cql_format_kind kind,
		      const struct cql_error *error)
{
	if (kind != CQL_FORMAT_JSON) {
		buf_add_str(out, error->message);
		buf_add_byte(out, '\n');
		return;
	}
	buf_add_str(out, "{\"error\":{\"code\":");
	json_print_string(out, bytes_str(cql_code_name(error->code)));
	buf_add_str(out, ",\"message\":");
	json_print_string(out, bytes_str(error->message));
	buf_add_str(out, "}}\n");
}
