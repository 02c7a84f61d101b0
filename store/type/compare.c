#include "store/type/compare.h"

#include "store/type/compound_codec.h"
#include "store/type/native.h"
#include "store/type/type.h"

/* Element-wise; what ends first is less. Missing fields have come as null. */
static int compare_parts(const struct type *t, struct bytes a, struct bytes b)
{
	struct type_parts x, y;
	struct bytes part_a, part_b;
	uint32_t i;

	if (type_parts_begin(&x, t, a) || type_parts_begin(&y, t, b))
		return bytes_compare(a, b);
	for (i = 0;; i++) {
		bool more_a = type_parts_next(&x, &part_a) > 0;
		bool more_b = type_parts_next(&y, &part_b) > 0;
		int order;

		if (!more_a || !more_b)
			return more_a - more_b;
		order = type_compare(type_part(t, i), part_a, part_b);
		if (order)
			return order;
	}
}

const struct type *type_part(const struct type *t, uint32_t index)
{
	switch (t->kind) {
	case TYPE_MAP:
		return t->parts[index % 2];
	case TYPE_TUPLE:
	case TYPE_UDT:
		return t->parts[index];
	default:
		return t->parts[0];
	}
}

int type_compare(const struct type *t, struct bytes a, struct bytes b)
{
	const struct native_type *n = native_types[t->kind];

	if (!a.ptr || !b.ptr)
		return !!a.ptr - !!b.ptr;
	if (!a.len || !b.len)
		return !!a.len - !!b.len;
	if (!n)
		return compare_parts(t, a, b);
	return n->compare ? n->compare(a, b) : bytes_compare(a, b);
}
