/* INSERT … JSON '{…}': a value for every column of the table. */
#include "store/cql/modify/insert_json.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "store/cql/modify/modify.h"
#include "store/cql/modify/prepare.h"
#include "store/cql/statement/execution.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"
#include "store/type/json/json.h"
#include "store/type/json/map.h"
#include "store/type/json/value.h"

/* Read the members. *unknown: a name that is no column's; null when there is
 * none. */
static int read_members(struct execution *x, const struct table *t,
			struct bytes text, struct bytes *values,
			struct bytes *unknown)
{
	struct json_member *members;
	struct type_error error;
	struct bytes object;
	size_t count;
	int place, err;

	/* Text after the object is not checked. */
	err = json_read_row(&object, text, &error);
	if (!err)
		err = json_read_map(x->arena, &members, &count, object, &error);
	if (err == -EINVAL)
		return refuse(x, "Could not decode JSON string as a map: %s. "
				 "(String was: %s)", error.text,
			      text_of(x, text));
	if (!err)
		err = json_call_members(x->arena, &members, &count);
	for (size_t i = 0; i < count && !err; i++) {
		place = table_column(t, members[i].name);
		if (place >= 0)
			values[place] = members[i].value;
		else if (bytes_is_null(*unknown))
			*unknown = members[i].name;
	}
	return err;
}

static int column_value(struct execution *x, const struct column *c,
			struct bytes json, struct bytes *value)
{
	struct type_error error;
	bool is_null = false;
	int err;

	*value = BYTES_NULL;
	if (bytes_is_null(json))
		return 0;
	buf_clear(&x->scratch);
	err = type_read_json(&x->scratch, &is_null, c->type, json, &error);
	if (err || is_null)
		buf_clear(&x->scratch);
	if (err == -EINVAL && error.bare)
		return refuse(x, "%s", error.text);
	if (err == -EINVAL)
		return refuse(x, "Error decoding JSON value for %s: %s",
			      c->name, error.text);
	return err || is_null ? err : execution_keep_scratch(x, value);
}

static bool is_null_text(struct bytes text)
{
	while (text.len && isspace(text.ptr[0])) {
		text.ptr++;
		text.len--;
	}
	while (text.len && isspace(text.ptr[text.len - 1]))
		text.len--;
	return bytes_equal(text, bytes_str("null"));
}

/* COMPACT STORAGE without clustering columns: the hidden one is required. */
static int check_compact(struct execution *x, const struct table *t)
{
	const struct column *hidden = modification_hidden_clustering(t);

	return hidden ? refuse(x, "Undefined column name %s in table %s",
			       hidden->name, text_of_table(x, t)) : 0;
}

int insert_json(struct execution *x, struct modification *m,
		const struct insert *s)
{
	const struct table *t = m->table;
	uint32_t visible = t->partition_key_count + t->clustering_count +
			   t->static_count + t->regular_count;
	struct bytes *json = arena_zalloc(x->arena, visible, sizeof(*json));
	struct bytes *values = arena_zalloc(x->arena, visible,
					    sizeof(*values));
	struct bytes unknown = BYTES_NULL;
	int err;

	m->changes = arena_zalloc(x->arena, visible, sizeof(*m->changes));
	if (!json || !values || !m->changes)
		return -ENOMEM;
	if (s->json->kind == TERM_MARKER) {
		x->markers++;
		return check_compact(x, t);
	}
	if (is_null_text(s->json->text))
		return refuse(x, "Got null for INSERT JSON values");
	err = read_members(x, t, s->json->text, json, &unknown);
	for (uint32_t i = 0; i < visible && !err; i++)
		err = column_value(x, &t->columns[i], json[i], &values[i]);
	if (!err && !bytes_is_null(unknown))
		err = refuse(x, "JSON values map contains unrecognized "
				"column: %s", text_of(x, unknown));
	if (!err)
		err = check_compact(x, t);
	for (uint32_t i = 0; i < visible && !err; i++) {
		const struct column *c = &t->columns[i];
		bool key = c->kind == COLUMN_PARTITION_KEY ||
			   c->kind == COLUMN_CLUSTERING;

		bool unset = bytes_is_null(json[i]) && s->json_default_unset;

		if (key)
			err = restrictions_add_value(x, &m->where, c,
						     values[i]);
		if (key && !err)
			m->where.by_column[i]->unset = unset;
		if (!key && unset)
			modification_touches(m, c);
		if (err || key || unset)
			continue;
		m->changes[m->change_count].kind = CHANGE_SET;
		m->changes[m->change_count].column = c;
		m->changes[m->change_count++].value = values[i];
		modification_touches(m, c);
	}
	return err ? refuse_at(x, s->json->span, err) :
		     restrictions_check(x, &m->where);
}
