/* COPY … FROM: the statement of a record. */
#include "tools/cql/copy/record.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/type/value.h"
#include "tools/cql/copy/text.h"
#include "tools/cql/copy/value.h"
#include "tools/lib/tool.h"

#define COMPLAINTS_MAX 20	/* the others are counted */

static void reject(struct import *im, const char *why, bool parsed)
{
	long *errors = parsed ? &im->insert_errors : &im->parse_errors;

	if (im->parse_errors + im->insert_errors < COMPLAINTS_MAX) {
		tool_print_line("%s:%lu: %s", im->name, im->line, why);
	}
	++*errors;
	im->skipped++;
	if (im->rejects)
		fwrite(im->raw.ptr, 1, im->raw.len, im->rejects);
}

/* Make the literal of a field, in im->value. 0 or -errno after reject. */
static int read_value(struct import *im, const struct copy_column *column,
		      struct bytes text)
{
	const struct copy *c = im->copy;
	const struct type *type = column->type->kind == TYPE_COUNTER ?
		type_native(TYPE_BIGINT) : column->type;
	struct type_error error = { .text = "" };
	struct buf value = BUF_INIT;
	char why[2000];
	int err;

	buf_clear(&im->value);
	/* "" is a text alone; a program that quotes all means null by it. */
	if (bytes_is_null(text) || (!text.len && !kind_is_text(type->kind))) {
		buf_add_str(&im->value, "null");
		return 0;
	}
	buf_clear(&im->plain);
	copy_plain_text(&im->plain, c, type, text);
	err = copy_read_value(&value, type, buf_bytes(&im->plain),
			      c->style.null, &error);
	if (err == -EINVAL && copy_is_empty_value(type, text))
		err = 0;
	if (mem_has_failed()) {	/* that is wrong, and not the field */
		err = -ENOMEM;
	} else if (!err) {
		type_print_literal(&im->value, type, buf_bytes(&value));
	} else {
		snprintf(why, sizeof(why), "%.200s: %s",
			 (const char *)column->bare.ptr,
			 *error.text ? error.text : strerror(-err));
		reject(im, why, false);
	}
	buf_release(&value);
	return err;
}

/* A partition that has no rows is exported with its statics alone. */
static bool is_statics_only(const struct import *im)
{
	const struct copy *c = im->copy;
	bool any = false;
	size_t i;

	for (i = 0; i < im->field_count; i++) {
		if (im->place[i] == SIZE_MAX ||
		    !c->columns[im->place[i]].of_row)
			continue;
		any = true;
		if (!bytes_is_null(csv_field(&im->record, i)))
			return false;
	}
	return any;
}

static int make_insert(struct import *im)
{
	const struct copy *c = im->copy;
	struct buf *out = &im->statement;
	const char *between = "";
	bool statics = is_statics_only(im);
	size_t i;
	int err = 0;

	buf_add_format(out, "INSERT INTO %s (", (const char *)c->target.ptr);
	for (i = 0; i < im->field_count; i++) {
		if (im->place[i] == SIZE_MAX ||
		    (statics && c->columns[im->place[i]].of_row))
			continue;
		buf_add_str(out, between);
		buf_add_bytes(out, c->columns[im->place[i]].name);
		between = ", ";
	}
	buf_add_str(out, ") VALUES (");
	between = "";
	for (i = 0; !err && i < im->field_count; i++) {
		if (im->place[i] == SIZE_MAX ||
		    (statics && c->columns[im->place[i]].of_row))
			continue;
		err = read_value(im, &c->columns[im->place[i]],
				 csv_field(&im->record, i));
		buf_add_str(out, between);
		buf_add_bytes(out, buf_bytes(&im->value));
		between = ", ";
	}
	buf_add_byte(out, ')');
	if (c->ttl > 0)
		buf_add_format(out, " USING TTL %ld", c->ttl);
	buf_add_byte(out, ';');
	return err;
}

/* Append the fields of the partition, its key and statics, so that they can
 * be compared with those of another record. Nothing where the record is of
 * no row. */
static void add_partition(const struct import *im, struct buf *out)
{
	const struct copy *c = im->copy;
	bool row = false;
	size_t i;

	for (i = 0; i < im->field_count; i++)
		row |= im->place[i] != SIZE_MAX &&
		       c->columns[im->place[i]].of_row;
	for (i = 0; row && i < im->field_count; i++) {
		struct bytes field = csv_field(&im->record, i);

		if (im->place[i] == SIZE_MAX ||
		    c->columns[im->place[i]].of_row)
			continue;
		buf_add_be64(out, bytes_is_null(field) ? UINT64_MAX
						       : field.len);
		buf_add_bytes(out, field);
	}
}

/* True if it repeats the partition of the record before. */
static int is_repeated(const struct import *im, bool *repeated)
{
	struct buf partition = BUF_INIT;
	int err;

	add_partition(im, &partition);
	err = partition.failed ? -ENOMEM : 0;
	*repeated = !err && partition.len &&
		    bytes_equal(buf_bytes(&partition),
				buf_bytes(&im->partition));
	buf_release(&partition);
	return err;
}

/*
 * Counters: UPDATE t SET n = n + 5 WHERE k = 'a'. Statics are in each record of
 * a partition, and are added once; with nothing else to add the row is not
 * named.
 */
static int make_update(struct import *im)
{
	const struct copy *c = im->copy;
	struct buf *out = &im->statement, where = BUF_INIT, row = BUF_INIT;
	bool any = false, any_of_row = false, repeated;
	size_t i;
	int err = is_repeated(im, &repeated);

	buf_add_format(out, "UPDATE %s", (const char *)c->target.ptr);
	for (i = 0; !err && i < im->field_count; i++) {
		const struct copy_column *column;
		struct bytes field = csv_field(&im->record, i);
		const char *name;

		if (im->place[i] == SIZE_MAX)
			continue;
		column = &c->columns[im->place[i]];
		name = (const char *)column->name.ptr;
		if (column->type->kind != TYPE_COUNTER) {
			err = read_value(im, column, field);
			buf_add_format(column->of_row ? &row : &where,
				       " AND %s = %s", name,
				       buf_cstr(&im->value));
		} else if (!bytes_is_null(field) &&
			   (column->of_row || !repeated)) {
			err = read_value(im, column, field);
			buf_add_format(out, "%s%s = %s + %s",
				       any ? ", " : " SET ", name, name,
				       buf_cstr(&im->value));
			any = true;
			any_of_row |= column->of_row;
		}
	}
	if (any_of_row)
		buf_add_bytes(&where, buf_bytes(&row));
	buf_add_str(out, " WHERE");
	if (where.len)		/* all but its first " AND" */
		buf_add(out, where.ptr + 4, where.len - 4);
	buf_add_byte(out, ';');
	out->failed = out->failed || where.failed || row.failed;
	buf_release(&where);
	buf_release(&row);
	if (!any)
		buf_clear(out);		/* there is nothing to add */
	return err;
}

/* True if the next record would meet the same error. */
static bool is_of_all(int err)
{
	return err == -ENOSPC || err == -EROFS || err == -EUCLEAN ||
	       err == -EIO || err == -ENOTCONN || err == -ECONNABORTED ||
	       err == -ENODEV;
}

int copy_import_record(struct import *im)
{
	struct cql_backend *b = im->copy->shell->backend;
	size_t count = csv_count(&im->record);
	char why[100];
	int err;

	if (count != im->field_count) {
		snprintf(why, sizeof(why), "expected %zu fields but found %zu",
			 im->field_count, count);
		reject(im, why, false);
		return 0;
	}
	buf_clear(&im->statement);
	err = im->counters ? make_update(im) : make_insert(im);
	if (mem_has_failed())
		return -ENOMEM;
	if (err)
		return 0;
	if (im->statement.len) {
		err = b->ops->execute(b, buf_bytes(&im->statement));
		if (err == -EINTR || mem_has_failed())
			return err;
		if (err)
			reject(im, b->error.message, true);
		b->ops->finish(b);
	}
	if (!err) {
		im->copy->rows++;
		buf_clear(&im->partition);
		if (im->counters)
			add_partition(im, &im->partition);
	}
	return is_of_all(err) ? err : 0;
}
