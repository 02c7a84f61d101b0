#include "store/type/json/begin.h"

#include <errno.h>

#include "store/type/json/json.h"
#include "store/type/json/value.h"
#include "store/type/native.h"

/* Elements of a value of this type, in their order. */
struct elements {
	const struct type *type;
	uint32_t index;
};

/* Find the field of that name, in any case unless it has quotes. */
static const struct type *field_of(const struct type *t, struct bytes name)
{
	bool quoted = name.len > 1 && name.ptr[0] == '"' &&
		      name.ptr[name.len - 1] == '"';
	uint32_t i;

	if (quoted)
		name = bytes_of(name.ptr + 1, name.len - 2);
	for (i = 0; i < t->part_count; i++)
		if (strlen(t->field_names[i]) == name.len &&
		    !(quoted ? memcmp(t->field_names[i], name.ptr, name.len) :
			       strncasecmp(t->field_names[i],
					   (const char *)name.ptr, name.len)))
			return t->parts[i];
	return NULL;
}

/* Return the type of the next element, and whether it may be null; NULL: there
 * may be none, or not of that name. */
static const struct type *next_part(struct elements *e, struct bytes name,
				    bool *nullable)
{
	const struct type *t = e->type;
	struct buf key = BUF_INIT;
	uint32_t i = e->index++;
	int err;

	*nullable = t->kind == TYPE_TUPLE || t->kind == TYPE_UDT;
	switch (t->kind) {
	case TYPE_UDT:
		return field_of(t, name);
	case TYPE_TUPLE:
		return i < t->part_count ? t->parts[i] : NULL;
	case TYPE_VECTOR:
		return i < t->dimension ? t->parts[0] : NULL;
	case TYPE_MAP:
		err = json_read_key(&key, t->parts[0], name, true, NULL);
		buf_release(&key);
		return err == -EINVAL ? NULL : t->parts[1];
	default:
		return t->parts[0];
	}
}

static int take_whole(void *to, struct bytes name, struct bytes value)
{
	bool nullable;
	const struct type *t = next_part(to, name, &nullable);
	struct buf unused = BUF_INIT;
	int err;

	if (!t)
		return -EINVAL;
	if (bytes_equal(value, bytes_str("null")))
		return nullable ? 0 : -EINVAL;
	err = json_read_part(&unused, t, value, true, NULL);
	buf_release(&unused);
	return err;
}

static bool begins(const char *word, struct bytes text)
{
	return bytes_begin_with(bytes_str(word), text);
}

static bool take_cut(void *to, struct bytes name, struct bytes value)
{
	bool nullable;
	const struct type *t = next_part(to, name, &nullable);

	return t && ((nullable && begins("null", value)) ||
		     json_may_begin(t, value));
}

/* True if the native value that the text ends in may continue. */
static bool may_go_on(enum type_kind kind, struct bytes text)
{
	struct bytes inside = bytes_of(text.ptr + 1, text.len - 1);

	if (*text.ptr != '"')
		return *text.ptr == '-' || (*text.ptr >= '0' &&
					    *text.ptr <= '9') ?
			       native_types[kind]->json_number !=
				       JSON_NO_NUMBER :
			       kind == TYPE_BOOLEAN &&
				       (begins("true", text) ||
					begins("false", text));
	/* Floats may have blanks around them; an escape may mean any
	 * character. */
	return kind == TYPE_FLOAT || kind == TYPE_DOUBLE ||
	       (inside.len && memchr(inside.ptr, '\\', inside.len)) ||
	       native_text_may_begin(kind, inside);
}

bool json_may_begin(const struct type *t, struct bytes text)
{
	bool native = kind_is_native(t->kind);
	struct elements elements = { t, 0 };
	struct json_visitor visitor = { take_whole, take_cut, &elements };
	bool object = t->kind == TYPE_MAP || t->kind == TYPE_UDT;
	struct buf unused = BUF_INIT;
	int got;

	if (!native && *text.ptr != '"' && *text.ptr != (object ? '{' : '['))
		return false;
	got = json_begin(text, &visitor);
	if (got > 0) {
		got = json_read_part(&unused, t, text, true, NULL);
		buf_release(&unused);
		return got != -EINVAL;
	}
	return !got && (!native || may_go_on(t->kind, text));
}
