#include "store/cql/output/format.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/cql/output/format_value.h"
#include "store/cql/output/format_width.h"
#include "store/type/json/print.h"
#include "store/type/text/text.h"

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
	struct buf page;	/* the cells, one after the other */
	struct buf ends;	/* where each ends in page: size_t */
	bool begun, headed, person;
	/* of RAW: */
	const struct cql_result *result;	/* or NULL */
	const struct cql_session *session;
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

static void add_times(struct buf *out, uint8_t byte, uint32_t times)
{
	while (times--)
		buf_add_byte(out, byte);
}

void cql_format_about(struct cql_format *f, const struct cql_result *result,
		      const struct cql_session *session)
{
	f->result = result;
	f->session = session;
}

/* Add a field by RFC 4180; null is nothing, the empty text is "". */
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
	if (quote)
		buf_add_quoted(out, text, '"');
	else
		buf_add_bytes(out, text);
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

static bool is_table(const struct cql_format *f)
{
	return f->kind == CQL_FORMAT_TABLE || f->kind == CQL_FORMAT_EXPANDED;
}

static void reset_widths(struct cql_format *f)
{
	struct buf name = BUF_INIT;
	uint32_t i;

	for (i = 0; i < f->count; i++) {
		buf_clear(&name);
		cql_format_name(&name, f->columns[i].name);
		f->widths[i] = cql_format_width(buf_bytes(&name));
	}
	buf_release(&name);
	f->headed = false;
}

void cql_format_begin(struct cql_format *f, struct buf *out)
{
	uint32_t i;

	if (f->kind == CQL_FORMAT_JSON || f->kind == CQL_FORMAT_RAW)
		begin_json(f, out);
	if (f->kind == CQL_FORMAT_CSV && f->count) {
		for (i = 0; i < f->count; i++)
			add_csv(out, f->columns[i].name, i);
		buf_add_byte(out, '\n');
	}
	reset_widths(f);
}

/* Draw the name of a column, padded with blanks to the width. */
static void draw_name(struct cql_format *f, struct buf *out, uint32_t i,
		      uint32_t width)
{
	size_t begin = out->len;
	uint32_t own;

	cql_format_name(out, f->columns[i].name);
	own = out->failed ? width
			  : cql_format_width(bytes_of(out->ptr + begin,
						      out->len - begin));
	if (own < width)
		add_times(out, ' ', width - own);
}

static void draw_head(struct cql_format *f, struct buf *out)
{
	uint32_t i;

	for (i = 0; i < f->count; i++) {
		buf_add_str(out, i ? " | " : " ");
		draw_name(f, out, i, i + 1 < f->count ? f->widths[i] : 0);
	}
	buf_add_byte(out, '\n');
	for (i = 0; i < f->count; i++) {
		buf_add_str(out, i ? "+-" : "-");
		add_times(out, '-', f->widths[i] + 1);
	}
	buf_add_byte(out, '\n');
	f->headed = true;
}

/* Take the page's next cell; *at and *begin move on to the one after it. */
static struct bytes take_cell(const struct cql_format *f, size_t *at,
			      size_t *begin)
{
	struct bytes cell;
	size_t end;

	memcpy(&end, f->ends.ptr + *at, sizeof(end));
	cell = bytes_of(f->page.ptr + *begin, end - *begin);
	*at += sizeof(end);
	*begin = end;
	return cell;
}

static void draw_rows(struct cql_format *f, struct buf *out)
{
	size_t begin = 0, at = 0;
	uint32_t width, i = 0;

	while (at < f->ends.len) {
		width = cql_format_width(take_cell(f, &at, &begin));
		if (width > f->widths[i])
			f->widths[i] = width;
		i = (i + 1) % f->count;
	}
	if (!f->headed)
		draw_head(f, out);
	begin = at = 0;
	while (at < f->ends.len) {
		struct bytes cell = take_cell(f, &at, &begin);

		buf_add_str(out, i ? " | " : " ");
		add_times(out, ' ', f->widths[i] - cql_format_width(cell));
		buf_add_bytes(out, cell);
		i = (i + 1) % f->count;
		if (!i)
			buf_add_byte(out, '\n');
	}
}

/* Draw each row as a table of its own, a line per column. */
static void draw_expanded(struct cql_format *f, struct buf *out)
{
	size_t begin = 0, at = 0, cells = f->ends.len / sizeof(size_t);
	uint64_t row = f->rows - cells / f->count;
	uint32_t names = 0, widest = 0, width, i;

	for (i = 0; i < f->count; i++)
		names = f->widths[i] > names ? f->widths[i] : names;
	while (at < f->ends.len) {
		width = cql_format_width(take_cell(f, &at, &begin));
		widest = width > widest ? width : widest;
	}
	for (at = begin = 0, i = 0; at < f->ends.len; i = (i + 1) % f->count) {
		if (!i) {
			buf_add_format(out, "@ Row %llu\n",
				       (unsigned long long)++row);
			add_times(out, '-', names + 2);
			buf_add_byte(out, '+');
			add_times(out, '-', widest + 2);
			buf_add_byte(out, '\n');
		}
		buf_add_byte(out, ' ');
		draw_name(f, out, i, names);
		buf_add_str(out, " | ");
		buf_add_bytes(out, take_cell(f, &at, &begin));
		buf_add_str(out, i + 1 < f->count ? "\n" : "\n\n");
	}
}

/* Draw the rows that are kept; if there are none, the columns. */
static void draw_page(struct cql_format *f, struct buf *out)
{
	if (!f->begun)
		buf_add_byte(out, '\n');
	f->begun = true;
	if (f->kind == CQL_FORMAT_EXPANDED && f->ends.len)
		draw_expanded(f, out);
	else
		draw_rows(f, out);
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

	buf_add_str(out, f->rows > 1 ? ",[" : "[");
	for (i = 0; i < f->count; i++) {
		if (i)
			buf_add_byte(out, ',');
		type_print_json(out, f->columns[i].type, values[i]);
	}
	buf_add_byte(out, ']');
}

static void row_to_raw(struct cql_format *f, struct buf *out,
		       const struct bytes *values)
{
	static const char digits[] = "0123456789abcdef";
	uint32_t i;
	size_t at;

	buf_add_str(out, f->rows > 1 ? ",[" : "[");
	for (i = 0; i < f->count; i++) {
		buf_add_str(out, i ? "," : "");
		if (bytes_is_null(values[i])) {
			buf_add_str(out, "null");
			continue;
		}
		buf_add_byte(out, '"');
		for (at = 0; at < values[i].len; at++) {
			uint8_t byte = values[i].ptr[at];

			buf_add_byte(out, (uint8_t)digits[byte >> 4]);
			buf_add_byte(out, (uint8_t)digits[byte & 15]);
		}
		buf_add_byte(out, '"');
	}
	buf_add_byte(out, ']');
}

static void end_raw(struct cql_format *f, struct buf *out)
{
	struct cql_trace trace;
	const char *text;
	uint32_t i;

	buf_add_byte(out, ']');
	if (f->result) {
		cql_session_trace(f->session, &trace);
		buf_add_str(out, ",\"warnings\":[");
		for (i = 0; (text = cql_result_warning(f->result, i)); i++) {
			buf_add_str(out, i ? "," : "");
			json_print_string(out, bytes_str(text));
		}
		buf_add_format(out, "],\"trace\":{\"rows_given\":%llu,"
			       "\"rows_read\":%llu,\"tombstones\":%llu,"
			       "\"microseconds\":%lld,\"sstables\":%u,"
			       "\"files\":[",
			       (unsigned long long)trace.rows_given,
			       (unsigned long long)trace.rows_read,
			       (unsigned long long)trace.tombstones,
			       (long long)trace.microseconds, trace.sstables);
		for (i = 0; i < trace.file_count; i++)
			buf_add_format(out, i ? ",%llu" : "%llu",
				       (unsigned long long)trace.files[i]);
		buf_add_str(out, "]}");
	}
	buf_add_str(out, "}\n");
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
		[CQL_FORMAT_EXPANDED] = row_to_table,
		[CQL_FORMAT_JSON] = row_to_json,
		[CQL_FORMAT_RAW] = row_to_raw,
		[CQL_FORMAT_NDJSON] = row_to_ndjson,
		[CQL_FORMAT_CSV] = row_to_csv,
	};

	f->rows++;
	formats[f->kind](f, out, values);
}

/* True for the answer of a conditional write: cqlsh does not count its rows. */
static bool is_applied(const struct cql_format *f)
{
	return bytes_equal(f->columns[0].name, bytes_str("[applied]"));
}

void cql_format_end(struct cql_format *f, struct buf *out)
{
	bool drawn = f->kind == CQL_FORMAT_TABLE && f->rows;

	if (f->kind == CQL_FORMAT_JSON)
		buf_add_str(out, "]}\n");
	if (f->kind == CQL_FORMAT_RAW)
		end_raw(f, out);
	if (!is_table(f) || !f->count)
		return;
	if (f->ends.len || !f->rows)
		draw_page(f, out);
	if (!f->rows || (drawn && f->person))
		buf_add_byte(out, '\n');
	if (is_applied(f))
		return;
	if (!f->person)
		buf_add_byte(out, '\n');
	buf_add_format(out, "(%llu rows)\n", (unsigned long long)f->rows);
}

void cql_format_flush(struct cql_format *f, struct buf *out)
{
	if (is_table(f) && f->ends.len)
		draw_page(f, out);
}

size_t cql_format_held(const struct cql_format *f)
{
	return f->page.cap + f->ends.cap;
}

void cql_format_person(struct cql_format *f)
{
	f->person = true;
}

void cql_format_page(struct cql_format *f, struct buf *out)
{
	if (!is_table(f))
		return;
	cql_format_flush(f, out);
	if (f->kind == CQL_FORMAT_TABLE)
		buf_add_byte(out, '\n');
	reset_widths(f);
}

void cql_format_error(struct buf *out, enum cql_format_kind kind,
		      const struct cql_error *error)
{
	if (kind != CQL_FORMAT_JSON && kind != CQL_FORMAT_RAW) {
		buf_add_str(out, error->message);
		buf_add_byte(out, '\n');
		return;
	}
	buf_add_str(out, "{\"error\":{\"code\":");
	json_print_string(out, bytes_str(cql_code_name(error->code)));
	buf_add_str(out, ",\"message\":");
	json_print_string(out, bytes_str(error->message));
	if (kind == CQL_FORMAT_RAW)
		buf_add_format(out, ",\"line\":%d,\"column\":%d,\"offset\":%u,"
			       "\"length\":%u", error->line, error->column,
			       error->offset, error->length);
	buf_add_str(out, "}}\n");
}
