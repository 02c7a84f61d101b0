/*
 * Properties: the values after WITH, as text, number, flag or map. Numbers are
 * read as Java does, whatever the locale.
 */
#include "store/cql/schema/property.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/java.h"
#include "store/cql/schema/ddl.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"
#include "store/type/text/text.h"

/* --------------------------------------------------------- Java's numbers */
bool property_read_long(int64_t *out, const char *text)
{
	const char *digits = text + (*text == '-' || *text == '+');
	char *end;

	if (!isdigit((unsigned char)*digits))
		return false;
	errno = 0;
	*out = strtoll(text, &end, 10);
	return !errno && !*end;
}

bool property_read_int(int32_t *out, const char *text)
{
	int64_t n;

	if (!property_read_long(&n, text) || n < INT32_MIN || n > INT32_MAX)
		return false;
	*out = (int32_t)n;
	return true;
}

bool property_read_double(double *out, const char *text)
{
	struct buf value = BUF_INIT;
	struct type_error error;
	uint64_t bits;
	bool read;

	read = *text && !type_read_text(&value, type_native(TYPE_DOUBLE),
					bytes_str(text), &error) &&
	       !value.failed && value.len == 8;
	if (read) {
		bits = get_be64(value.ptr);
		memcpy(out, &bits, 8);
	}
	buf_release(&value);
	return read;
}

const char *property_text_of_double(struct ddl *d, double x)
{
	struct buf text = BUF_INIT;
	uint8_t bytes[8];
	uint64_t bits;

	memcpy(&bits, &x, 8);
	put_be64(bytes, bits);
	type_print_text(&text, type_native(TYPE_DOUBLE), bytes_of(bytes, 8));
	return text_of_buf(d->x, &text);
}

/* --------------------------------------------------------------- properties */
const struct written_property *property_find(const struct properties *p,
					     const char *name)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (bytes_equal(p->items[i].name.text, bytes_str(name)))
			return &p->items[i];
	return NULL;
}

int property_check_names(struct ddl *d, const struct properties *p,
			 const char *const *names, size_t count)
{
	for (uint32_t i = 0; i < p->count; i++) {
		struct identifier *name = &p->items[i].name;
		size_t n = 0;

		while (n < count &&
		       !bytes_equal(name->text, bytes_str(names[n])))
			n++;
		if (n < count)
			continue;
		return refuse_at(d->x, name->span,
				 refuse_as(d->x, CQL_SYNTAX,
					   "Unknown property '%s'",
					   text_of(d->x, name->text)));
	}
	return 0;
}

static int refuse_value(struct ddl *d, const struct written_property *p,
			const char *what)
{
	return refuse_at(d->x, p->value_span,
			 refuse_as(d->x, CQL_SYNTAX, "Invalid %s value %s for "
				   "'%s'", what, text_of(d->x, p->value),
				   text_of(d->x, p->name.text)));
}

int property_text(struct ddl *d, const char **out,
		  const struct written_property *p)
{
	if (!p->is_map) {
		*out = text_of(d->x, p->value);
		return 0;
	}
	return refuse_at(d->x, p->value_span,
			 refuse_as(d->x, CQL_SYNTAX, "Invalid value for "
				   "property '%s'. It should be a string",
				   text_of(d->x, p->name.text)));
}

int property_map(struct ddl *d, const struct written_property *p)
{
	if (p->is_map)
		return 0;
	return refuse_at(d->x, p->value_span,
			 refuse_as(d->x, CQL_SYNTAX, "Invalid value for "
				   "property '%s'. It should be a map.",
				   text_of(d->x, p->name.text)));
}

const char *property_entry(struct ddl *d, const struct written_property *p,
			   const char *name)
{
	for (uint32_t i = 0; i < p->entry_count; i++)
		if (bytes_equal(p->entries[i].key, bytes_str(name)))
			return text_of(d->x, p->entries[i].value);
	return NULL;
}

int property_bool(struct ddl *d, bool *out, const struct written_property *p)
{
	static const char *const words[] = { "0", "false", "no",
					     "1", "true", "yes" };
	const char *text;
	size_t i;
	int err = property_text(d, &text, p);

	if (err)
		return err;
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcasecmp(words[i], text))
			break;
	*out = i >= 3;
	if (i < ARRAY_SIZE(words))
		return 0;
	return refuse_at(d->x, p->value_span,
			 refuse_as(d->x, CQL_SYNTAX, "Invalid boolean value %s "
				   "for '%s'. Positive values can be '1', "
				   "'true' or 'yes'. Negative values can be "
				   "'0', 'false' or 'no'.", text,
				   text_of(d->x, p->name.text)));
}

int property_int(struct ddl *d, int32_t *out,
			const struct written_property *p)
{
	const char *text;
	int err = property_text(d, &text, p);

	if (err)
		return err;
	return property_read_int(out, text) ? 0 : refuse_value(d, p, "integer");
}

int property_double(struct ddl *d, double *out,
			   const struct written_property *p)
{
	const char *text;
	int err = property_text(d, &text, p);

	if (err)
		return err;
	return property_read_double(out, text) ? 0 :
		refuse_value(d, p, "double");
}

struct hashed { uint32_t bucket, place; };

static int compare_hashed(const void *a, const void *b)
{
	const struct hashed *x = a, *y = b;

	if (x->bucket != y->bucket)
		return x->bucket < y->bucket ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

const uint32_t *property_java_order(struct ddl *d,
				    const struct identifier *names,
				    uint32_t count, size_t stride)
{
	struct hashed *all = arena_alloc(d->x->arena, count * sizeof(*all));
	uint32_t *order = arena_alloc(d->x->arena, count * sizeof(*order));
	uint32_t buckets = java_buckets(0, count);

	if (!all || !order)
		return NULL;
	for (uint32_t i = 0; i < count; i++) {
		const struct identifier *name =
			(const void *)((const char *)names + i * stride);

		all[i] = (struct hashed){
			java_hash_bytes(name->text) & (buckets - 1), i
		};
	}
	qsort(all, count, sizeof(*all), compare_hashed);
	for (uint32_t i = 0; i < count; i++)
		order[i] = all[i].place;
	return order;
}
