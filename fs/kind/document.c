#include "fs/kind/document.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

#include "fs/op/op.h"
#include "store/base/alloc.h"
#include "store/type/compound_codec.h"
#include "store/type/json/print.h"
#include "store/type/json/value.h"
#include "store/type/uuid.h"

/* ------------------------------------------------------------------- print */
static int gather(struct buf *out, const struct type *t,
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

int document_print_column(struct buf *out, const struct column *c,
			  const struct cell_view *cells, size_t count)
{
	struct buf whole = BUF_INIT;
	int err;

	if (!type_is_multicell(c->type)) {
		type_print_json_exact(out, c->type, cells[0].value);
		return out->failed ? -ENOMEM : 0;
	}
	err = gather(&whole, c->type, cells, count);
	if (!err)
		type_print_json_exact(out, c->type, buf_bytes(&whole));
	buf_release(&whole);
	return err ? err : out->failed ? -ENOMEM : 0;
}

static bool has_upper(const char *name)
{
	for (; *name; name++)
		if (isupper((unsigned char)*name))
			return true;
	return false;
}

/* Add a member as SELECT JSON names it: with quotes where it needs its case. */
static void add_member(struct buf *out, const char *name, bool *first)
{
	struct buf quoted = BUF_INIT;

	buf_add_str(out, *first ? "{" : ", ");
	*first = false;
	if (has_upper(name))
		buf_add_format(&quoted, "\"%s\"", name);
	else
		buf_add_str(&quoted, name);
	json_print_string(out, buf_bytes(&quoted));
	buf_add_str(out, ": ");
	out->failed |= quoted.failed;
	buf_release(&quoted);
}

/* Count the cells of c at the front of cells in order of columns. */
static size_t cells_of(const struct cell_view *cells, size_t count,
		       const struct column *c, size_t *first)
{
	size_t i, n = 0;

	for (i = 0; i < count && cells[i].column->number != c->number; i++)
		;
	*first = i;
	for (; i < count && cells[i].column->number == c->number; i++)
		n++;
	return n;
}

int document_print_row(struct buf *out, const struct table *t,
		       const struct row_view *row,
		       const struct cell_view *statics, size_t static_count)
{
	bool first = true;
	uint32_t i;
	int err = 0;

	for (i = 0; i < t->column_count && !err; i++) {
		const struct column *c = &t->columns[i];
		const struct cell_view *cells = row->cells;
		size_t at, n, count = row->cell_count;

		if (c->hidden)
			continue;
		if (c->kind == COLUMN_PARTITION_KEY) {
			add_member(out, c->name, &first);
			type_print_json_exact(out, c->type,
					      row->key_values[c->position]);
			continue;
		}
		if (c->kind == COLUMN_CLUSTERING) {
			if (!row->row_exists)
				continue;
			add_member(out, c->name, &first);
			type_print_json_exact(out, c->type,
					      row->clustering[c->position]);
			continue;
		}
		if (c->kind == COLUMN_STATIC) {
			cells = statics;
			count = static_count;
		}
		n = cells_of(cells, count, c, &at);
		if (!n)
			continue;
		add_member(out, c->name, &first);
		err = document_print_column(out, c, cells + at, n);
	}
	buf_add_str(out, first ? "{}" : "}");
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

int document_write_column(struct write *w, const struct column *c,
			  struct bytes value, int64_t timestamp_us,
			  int32_t ttl_s, bool add)
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

const struct column *document_column(struct op *op, const struct table *t,
				     struct bytes name)
{
	uint8_t *lower;
	size_t i;
	int place;

	if (name.len > 1 && name.ptr[0] == '"' &&
	    name.ptr[name.len - 1] == '"') {
		place = table_column(t, bytes_of(name.ptr + 1, name.len - 2));
		return place < 0 ? NULL : &t->columns[place];
	}
	lower = arena_alloc(&op->arena, name.len + 1);
	for (i = 0; lower && i < name.len; i++)
		lower[i] = (uint8_t)tolower(name.ptr[i]);
	place = lower ? table_column(t, bytes_of(lower, name.len)) : -1;
	return place < 0 ? NULL : &t->columns[place];
}

/* Replace "a LinkedHashMap" and the like by plain words. */
static void name_class(char *text)
{
	static const char *const names[][2] = {
		{ "a LinkedHashMap", "an object" }, { "a ArrayList", "an array" },
		{ "a String", "a string" }, { "a Boolean", "a boolean" },
		{ "a Integer", "an integer" }, { "a Long", "an integer" },
		{ "a BigInteger", "an integer" }, { "a Double", "a number" },
		{ "a null", "null" },
	};
	static const char before[] = "but got ";
	char *at = strstr(text, before);
	size_t i, len, other;

	for (i = 0; at && i < ARRAY_SIZE(names); i++) {
		len = strlen(names[i][0]);
		other = strlen(names[i][1]);
		/* No name is longer than the class: it fits. */
		if (strncmp(at + strlen(before), names[i][0], len))
			continue;
		at += strlen(before);
		memmove(at + other, at + len, strlen(at + len) + 1);
		memcpy(at, names[i][1], other);
		return;
	}
}

/*
 * Replace the words of the library by which Cassandra refuses JSON, which
 * include a copy of the text, by the reason and the place: for writers of
 * documents.
 */
void document_say_plainly(struct type_error *error)
{
	static const char library[] = "com.fasterxml.";
	static const char source[] = "[Source: (String)", start[] = " (start marker";
	char *text = error->text, *reason = strstr(text, ": ");
	char *cut = strstr(text, source), *end = text + strlen(text);
	unsigned line = 0, column = 0;

	if (strncmp(text, library, strlen(library)) || !reason || !cut) {
		name_class(text);
		return;
	}
	while (end > cut && strncmp(end, "; line: ", 8))
		end--;
	if (sscanf(end, "; line: %u, column: %u]", &line, &column) != 2)
		line = 0;
	*cut = 0;
	cut = strstr(text, start);
	if (!cut)
		cut = strstr(text, "\n at ");
	if (cut)
		*cut = 0;
	reason += 2;
	memmove(text, reason, strlen(reason) + 1);
	end = text + strlen(text);
	if (line)
		snprintf(end, (size_t)(text + sizeof(error->text) - end),
			 " (line %u, column %u)", line, column);
}

int document_value(struct op *op, const struct column *c, struct bytes json,
		   struct bytes *value)
{
	struct type_error error = { .text = "" };
	struct buf got = BUF_INIT;
	bool is_null = false;
	int err = type_read_json_exact(&got, &is_null, c->type, json, &error);

	if (err == -EINVAL) {
		document_say_plainly(&error);
		op_refuse(op, err, "Error decoding JSON value for %s: %s",
			  c->name, error.text);
	}
	*value = BYTES_NULL;
	if (!err && !is_null) {
		*value = arena_copy(&op->arena, buf_bytes(&got));
		if (op->arena.failed || got.failed)
			err = -ENOMEM;
	}
	buf_release(&got);
	return err;
}
