#include "fs/kind/cell_text.h"

#include <errno.h>

#include "fs/node/kind.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "store/type/text/text.h"
#include "store/type/value.h"

static bool has_empty(const struct type *type)
{
	return type && (type->kind == TYPE_TEXT || type->kind == TYPE_ASCII ||
			type->kind == TYPE_BLOB || type->kind == TYPE_EMPTY);
}

uint64_t cell_value_size(const struct type *type, struct bytes value)
{
	if (!type || (!value.len && has_empty(type)))
		return 0;
	if (type->kind == TYPE_BLOB)
		return value.len;
	return (value.len ? type_text_length(type, value) : 0) + 1;
}

void cell_print_value(struct buf *out, const struct type *type,
		      struct bytes value)
{
	if (!type || (!value.len && has_empty(type)))
		return;
	if (type->kind == TYPE_BLOB) {
		buf_add_bytes(out, value);
		return;
	}
	if (value.len)
		type_print_text(out, type, value);
	buf_add_byte(out, '\n');
}

static struct bytes without_newline(struct bytes text)
{
	if (text.len && text.ptr[text.len - 1] == '\n')
		text.len--;
	return text;
}

int cell_read_text(struct op *op, const struct type *type, struct bytes text,
		   struct buf *value)
{
	struct type_error error = { .text = "" };
	bool lone;	/* a newline */
	int err;

	if (!type)
		return text.len ? op_refuse(op, -EINVAL,
					    "an element of a set is its name") :
				  0;
	if (type->kind == TYPE_BLOB) {
		buf_add_bytes(value, text);
		return value->failed ? -ENOMEM : 0;
	}
	lone = text.len == 1;
	text = without_newline(text);
	/* The empty duration is printed as an empty line. */
	if (!text.len && !has_empty(type) &&
	    !(lone && type->kind == TYPE_DURATION))
		return op_refuse(op, -EINVAL, "%s has no empty value",
				 type_kind_name(type->kind));
	err = type_read_literal(value, type, text, &error);
	if (err == -EINVAL)
		return op_refuse_type(op, &error);
	return err ? err : value->failed ? -ENOMEM : 0;
}

/*
 * CQL has empty values of numbers and the like, which have no literal: they are
 * shown as a lone newline. A copier that writes that means an empty value; from
 * a shell it comes from a variable that was not set, and is refused.
 */
static bool is_empty_value(const struct type *type, struct bytes text)
{
	struct type_error error;

	return type && !has_empty(type) && text.len == 1 &&
	       text.ptr[0] == '\n' &&
	       !type_validate(type, BYTES_EMPTY, &error);
}

int cell_read_copy(struct op *op, const struct type *type, struct bytes text,
		   struct buf *value)
{
	return is_empty_value(type, text) ? 0 :
					    cell_read_text(op, type, text,
							   value);
}

#define CHECK_ALL (64 << 10)	/* bytes that are always checked again */
#define PARTS_ALL (1 << 20)	/* above, values with parts are gathered */

bool cell_may_begin(struct op *op, struct node *n, struct bytes text,
		    size_t from)
{
	struct buf unused = BUF_INIT;
	struct place p;

	if (place_type(op, n, &p))
		return true;
	if (!p.type)
		return !text.len;
	if (p.type->kind == TYPE_BLOB)
		return true;
	if (p.type->kind == TYPE_TEXT && text.len > CHECK_ALL) {
		/* Start at the character that the new bytes may continue. */
		size_t back = from < 4 ? from : 4;

		text.ptr += from - back;
		text.len -= from - back;
		while (text.len && (text.ptr[0] & 0xc0) == 0x80) {
			text.ptr++;
			text.len--;
		}
	}
	text = without_newline(text);
	if ((p.type->part_count && text.len > PARTS_ALL) ||
	    type_text_may_begin(p.type, text))
		return true;
	/* Use CQL's words, if the whole text is refused too. */
	if (!cell_read_text(op, p.type, text, &unused))
		op_refuse(op, -EINVAL, "no %s begins so",
			  type_kind_name(p.type->kind));
	buf_release(&unused);
	return false;
}

int cell_check_text(struct op *op, const struct type *type, struct bytes text)
{
	struct buf unused = BUF_INIT;
	int err = 0;

	if (type && !has_empty(type))
		err = cell_read_text(op, type, text, &unused);
	buf_release(&unused);
	return err;
}

int cell_check(struct op *op, struct node *n, struct bytes text,
	       const struct store_how *how)
{
	struct place p;

	if (place_type(op, n, &p) ||
	    (how->copied && is_empty_value(p.type, text)))
		return 0;
	return cell_check_text(op, p.type, text);
}

bool cell_takes_empty(struct op *op, struct node *n)
{
	struct place p;
	int err = place_type(op, n, &p);

	/* If the table was dropped, the store says so. */
	return err ? err == -ESTALE : has_empty(p.type) || !p.type;
}

bool cell_type_is_value(const struct type *type)
{
	return has_empty(type);
}

bool cell_is_value(struct op *op, struct node *n)
{
	struct place p;

	return !place_type(op, n, &p) && cell_type_is_value(p.type);
}

bool cell_keeps_newline(struct op *op, struct node *n)
{
	struct place p;

	return !place_type(op, n, &p) && p.type && p.type->kind == TYPE_BLOB;
}
