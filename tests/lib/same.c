#include "tests/lib/same.h"

#include <stdlib.h>

#include "store/type/decimal.h"
#include "store/type/json/json.h"
#include "store/type/json/print.h"
#include "tests/lib/vectors.h"

static bool is_floating(struct bytes n)
{
	for (size_t i = 0; i < n.len; i++)
		if (n.ptr[i] == '.' || n.ptr[i] == 'e' || n.ptr[i] == 'E')
			return true;
	return false;
}

static bool same_decimal(struct bytes a, struct bytes b)
{
	struct decimal x, y;
	bool same;

	decimal_init(&x);
	decimal_init(&y);
	same = !decimal_parse(&x, a) && !decimal_parse(&y, b) &&
	       x.scale == y.scale && !mpz_cmp(x.unscaled, y.unscaled);
	decimal_release(&x);
	decimal_release(&y);
	return same;
}

static bool same_number(struct arena *arena, struct bytes a, struct bytes b,
			bool decimal)
{
	struct bytes x = arena_copy(arena, a), y = arena_copy(arena, b);
	double p, q;

	if (is_floating(a) != is_floating(b) && !decimal)
		return false;
	if (decimal && same_decimal(a, b))
		return true;
	if (decimal || !is_floating(a))
		return false;
	p = strtod((const char *)x.ptr, NULL);
	q = strtod((const char *)y.ptr, NULL);
	return !memcmp(&p, &q, sizeof(p));
}

static struct bytes trimmed(struct bytes b)
{
	while (b.len && (b.ptr[0] == ' ' || b.ptr[0] == '\n')) {
		b.ptr++;
		b.len--;
	}
	while (b.len && (b.ptr[b.len - 1] == ' ' || b.ptr[b.len - 1] == '\n'))
		b.len--;
	return b;
}

static bool same_arrays(struct arena *arena, struct bytes a, struct bytes b,
			bool decimal)
{
	struct bytes *x, *y;
	struct type_error error;
	size_t n, m;

	if (json_read_array(arena, &x, &n, a, &error) ||
	    json_read_array(arena, &y, &m, b, &error) || n != m)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!same_json(arena, x[i], y[i], decimal))
			return false;
	return true;
}

static bool same_objects(struct arena *arena, struct bytes a, struct bytes b,
			 bool decimal)
{
	struct json_member *x, *y;
	struct type_error error;
	size_t n, m, i, j;

	if (json_read_object(arena, &x, &n, a, &error) ||
	    json_read_object(arena, &y, &m, b, &error) || n != m)
		return false;
	for (i = 0; i < n; i++) {
		for (j = 0; j < m; j++)
			if (bytes_equal(x[i].name, y[j].name) &&
			    same_json(arena, x[i].value, y[j].value, decimal))
				break;
		if (j == m)
			return false;
	}
	return true;
}

bool same_json(struct arena *arena, struct bytes a, struct bytes b,
	       bool decimal)
{
	a = trimmed(a);
	b = trimmed(b);
	if (bytes_equal(a, b))
		return true;
	if (!a.len || !b.len || a.ptr[0] == 'n' || b.ptr[0] == 'n')
		return false;
	if (a.ptr[0] == '"' || b.ptr[0] == '"') {
		struct bytes x, y;

		if (a.ptr[0] != b.ptr[0])
			return false;
		x = vector_string(arena, a);
		y = vector_string(arena, b);
		return bytes_equal(x, y);
	}
	if (a.ptr[0] == '[' || b.ptr[0] == '[')
		return a.ptr[0] == b.ptr[0] &&
		       same_arrays(arena, a, b, decimal);
	if (a.ptr[0] == '{' || b.ptr[0] == '{')
		return a.ptr[0] == b.ptr[0] &&
		       same_objects(arena, a, b, decimal);
	return same_number(arena, a, b, decimal);
}

/* Remove the quotes: clients get the names of user types without. */
static void unquote(struct buf *name)
{
	size_t len = 0;

	for (size_t i = 0; i < name->len; i++)
		if (name->ptr[i] != '"')
			name->ptr[len++] = name->ptr[i];
	name->len = len;
}

int print_result(struct cql_result *result, struct buf *columns,
		 struct buf *rows)
{
	const struct cql_column *c = cql_result_columns(result);
	uint32_t n = cql_result_column_count(result);
	const struct bytes *values;
	struct buf type = BUF_INIT;
	int more;

	for (uint32_t i = 0; i < n; i++) {
		buf_add_str(columns, i ? ", {\"name\": " : "[{\"name\": ");
		json_print_string(columns, c[i].name);
		buf_clear(&type);
		type_print(&type, c[i].type, false);
		unquote(&type);
		buf_add_str(columns, ", \"type\": ");
		json_print_string(columns, buf_bytes(&type));
		buf_add_byte(columns, '}');
	}
	buf_add_str(columns, n ? "]" : "[]");
	buf_release(&type);
	buf_add_byte(rows, '[');
	for (uint32_t row = 0; (more = cql_result_next(result, &values)) > 0;
	     row++) {
		buf_add_str(rows, row ? ", [" : "[");
		for (uint32_t i = 0; i < n; i++) {
			if (i)
				buf_add_str(rows, ", ");
			type_print_json(rows, c[i].type, values[i]);
		}
		buf_add_byte(rows, ']');
	}
	buf_add_byte(rows, ']');
	return more;
}

bool has_decimal(const struct cql_result *result)
{
	const struct cql_column *c = cql_result_columns(result);

	for (uint32_t i = 0; i < cql_result_column_count(result); i++)
		if (type_contains_kind(c[i].type, TYPE_DECIMAL))
			return true;
	return false;
}
