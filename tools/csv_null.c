#include "tools/csv_null.h"

void csv_null_init(struct csv_null *c, const char *text, bool reads)
{
	*c = (struct csv_null){ .text = bytes_str(text), .reads = reads,
				.field = BUF_INIT };
}

void csv_null_release(struct csv_null *c)
{
	buf_release(&c->field);
}

/* Give a field, which ends with a comma, a newline or a carriage return. */
static void end_field(struct csv_null *c, struct buf *out, uint8_t end)
{
	struct bytes field = buf_bytes(&c->field);
	bool blank = !field.len && !c->fields && end != ',';

	if (!c->behind_header || blank) {
		buf_add_bytes(out, field);
	} else if (c->reads && bytes_equal(field, c->text)) {
		;	/* null is an empty field */
	} else if (!field.len) {
		if (c->reads)
			buf_add_str(out, "\"\"");
		else
			buf_add_bytes(out, c->text);
	} else if (!c->reads && bytes_equal(field, c->text)) {
		buf_add_byte(out, '"');
		buf_add_bytes(out, field);
		buf_add_byte(out, '"');
	} else {
		buf_add_bytes(out, field);
	}
	buf_clear(&c->field);
}

static void change_byte(struct csv_null *c, struct buf *out, uint8_t byte)
{
	bool ends = byte == ',' || byte == '\n', blank;

	if (byte == '"')
		c->quoted = !c->quoted;
	if (c->quoted || !ends) {
		buf_add_byte(&c->field, byte);
		return;
	}
	/* CRLF: the carriage return is no part of the field. */
	if (byte == '\n' && c->field.len &&
	    c->field.ptr[c->field.len - 1] == '\r')
		c->field.len--;
	blank = !c->fields && !c->field.len;
	end_field(c, out, byte);
	buf_add_byte(out, byte);
	c->fields = byte == '\n' ? 0 : c->fields + 1;
	c->behind_header |= byte == '\n' && !blank;
}

void csv_null_change(struct csv_null *c, struct buf *out, struct bytes in)
{
	size_t i;

	for (i = 0; i < in.len; i++)
		change_byte(c, out, in.ptr[i]);
	out->failed |= c->field.failed;
}

void csv_null_end(struct csv_null *c, struct buf *out)
{
	buf_add_bytes(out, buf_bytes(&c->field));
	out->failed |= c->field.failed;
	buf_clear(&c->field);
	c->quoted = false;
	c->fields = 0;
}
