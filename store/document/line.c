/* The parts that lines of all forms share: keys, the end of a line, a batch. */
#include "store/document/line.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/document/cells.h"
#include "store/document/csv_line.h"
#include "store/document/json_line.h"
#include "store/store.h"
#include "store/type/compare.h"

#define KEY_MOST 65535	/* bytes of a partition key, of a clustering value */

static int set_place(struct line_reader *r, const struct line_place *place)
{
	r->place = *place;
	if (bytes_is_null(place->partition_key))
		return 0;
	r->path_key = mem_zalloc(r->table->partition_key_count,
				 sizeof(*r->path_key));
	return r->path_key ? table_partition_values(r->path_key, r->table,
						    place->partition_key) :
			     -ENOMEM;
}

int line_reader_init(struct line_reader *r, const struct table *t,
		     enum row_form form, const struct line_place *place,
		     struct arena *arena)
{
	size_t count = t->column_count + 1;
	int err = 0;

	memset(r, 0, sizeof(*r));
	r->table = t;
	r->form = form;
	r->arena = arena;
	r->given = mem_zalloc(count, sizeof(*r->given));
	r->has = mem_zalloc(count, 1);
	r->order = mem_zalloc(count, sizeof(*r->order));
	r->header = mem_zalloc(count, sizeof(*r->header));
	if (!r->given || !r->has || !r->order || !r->header)
		err = -ENOMEM;
	if (!err)
		err = row_text_init(&r->names, t, ROW_JSON);
	if (!err)
		err = set_place(r, place);
	if (err)
		line_reader_release(r);
	return err;
}

void line_reader_release(struct line_reader *r)
{
	row_text_release(&r->names);
	buf_release(&r->value);
	buf_release(&r->key);
	mem_free(r->path_key);
	mem_free(r->given);
	mem_free(r->has);
	mem_free(r->order);
	mem_free(r->header);
	memset(r, 0, sizeof(*r));
}

/* -------------------------------------------------------------- their ends */
size_t line_length(enum row_form form, struct bytes text, bool *quoted)
{
	const uint8_t *at = text.ptr, *end = text.ptr + text.len, *newline;

	for (;;) {
		newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
		if (form == ROW_CSV) {
			/* Track whether the text is in quotes: "" leaves and
			 * enters them again. */
			const uint8_t *to = newline ? newline : end;

			while (at < to &&
			       (at = memchr(at, '"', (size_t)(to - at)))) {
				*quoted = !*quoted;
				at++;
			}
		}
		if (!newline)
			return 0;
		if (!*quoted)
			return (size_t)(newline + 1 - text.ptr);
		at = newline + 1;
	}
}

/* -------------------------------------------------------------------- keys */
static int refuse_missing(struct line_reader *r, const struct column *c)
{
	return type_fail(&r->error, "%s is missing: it is of the key", c->name);
}

/* Check the given value of a key column. */
static int check_key_value(struct line_reader *r, const struct column *c,
			   struct bytes value)
{
	if (bytes_is_null(value))
		return type_fail(&r->error, "%s is null, and is of the key",
				 c->name);
	if (value.len > KEY_MOST)
		return type_fail(&r->error, "%s has more than %d bytes, and is "
				 "of the key", c->name, KEY_MOST);
	return 0;
}

/* Check a value of the key that the place has: a line may only repeat it. */
static int check_same_key(struct line_reader *r, uint32_t place,
			  struct bytes of_place)
{
	const struct column *c = &r->table->columns[place];

	if (!r->has[place])
		return 0;
	if (bytes_is_null(r->given[place]) ||
	    type_compare(c->type, r->given[place], of_place))
		return type_fail(&r->error, "%s is another than that of the "
				 "path", c->name);
	return 0;
}

static int partition_of(struct line_reader *r, struct line_row *row)
{
	const struct table *t = r->table;
	uint32_t i;
	int err = 0;

	if (r->path_key) {
		for (i = 0; i < t->partition_key_count && !err; i++)
			err = check_same_key(r, i, r->path_key[i]);
		row->partition_key = r->place.partition_key;
		return err;
	}
	for (i = 0; i < t->partition_key_count && !err; i++)
		err = r->has[i] ? check_key_value(r, &t->columns[i],
						  r->given[i]) :
				  refuse_missing(r, &t->columns[i]);
	if (err)
		return err;
	if (t->partition_key_count == 1) {
		row->partition_key = r->given[0];
	} else {
		buf_clear(&r->key);
		table_partition_key(&r->key, t, r->given);
		row->partition_key = arena_copy(r->arena, buf_bytes(&r->key));
		if (r->key.failed || r->arena->failed)
			return -ENOMEM;
	}
	if (!row->partition_key.len)
		return type_fail(&r->error, "Key may not be empty");
	if (row->partition_key.len > KEY_MOST)
		return type_fail(&r->error, "the key has more than %d bytes",
				 KEY_MOST);
	return 0;
}

/* True if the line gives the column a value. */
static bool is_given(const struct line_reader *r, uint32_t place)
{
	return r->has[place] && !bytes_is_null(r->given[place]);
}

/* True if the line is of the statics: it has none of the row's columns. */
static bool is_of_statics(const struct line_reader *r)
{
	const struct table *t = r->table;
	bool statics = false;
	uint32_t i;

	if (!table_has_statics(t) || r->place.clustering_count)
		return false;
	for (i = t->partition_key_count; i < t->column_count; i++) {
		bool of_row = t->columns[i].kind != COLUMN_STATIC;

		if (of_row && is_given(r, i))
			return false;
		/* A record of CSV has all columns. */
		if (of_row && r->has[i] && r->form == ROW_JSON)
			return false;
		statics |= !of_row && r->has[i];
	}
	return statics;
}

static int clustering_of(struct line_reader *r, struct line_row *row)
{
	const struct table *t = r->table;
	uint32_t first = t->partition_key_count, i;
	struct bytes *values;
	int err = 0;

	row->clustering = NULL;
	if (is_of_statics(r))
		return 0;
	values = arena_alloc(r->arena, (t->clustering_count + 1) *
					       sizeof(*values));
	if (!values)
		return -ENOMEM;
	row->clustering = values;
	for (i = 0; i < t->clustering_count && !err; i++) {
		if (i < r->place.clustering_count) {
			values[i] = r->place.clustering[i];
			err = check_same_key(r, first + i, values[i]);
			continue;
		}
		values[i] = r->given[first + i];
		err = r->has[first + i] ?
			      check_key_value(r, &t->columns[first + i],
					      values[i]) :
			      refuse_missing(r, &t->columns[first + i]);
	}
	return err;
}

/* -------------------------------------------------------------------- read */
static int make_row(struct line_reader *r, struct line_row *row)
{
	const struct table *t = r->table;
	uint32_t first = t->partition_key_count + t->clustering_count, i;
	struct line_value *values;
	size_t given = 0;
	int err = partition_of(r, row);

	if (!err)
		err = clustering_of(r, row);
	if (err)
		return err;
	/* A short line of a wide table takes no more than it has. */
	for (i = first; i < t->column_count; i++)
		given += r->has[i];
	values = arena_alloc(r->arena, (given + 1) * sizeof(*values));
	if (!values)
		return -ENOMEM;
	row->values = values;
	row->count = 0;
	for (i = first; i < t->column_count; i++) {
		if (!r->has[i] || (!row->clustering &&
				   t->columns[i].kind != COLUMN_STATIC))
			continue;
		values[row->count++] = (struct line_value){ &t->columns[i],
							    r->given[i] };
	}
	return 1;
}

int line_read(struct line_reader *r, struct bytes line, struct line_row *row)
{
	int got;

	if (line.len && line.ptr[line.len - 1] == '\n')
		line.len--;
	r->error.text[0] = 0;
	memset(r->has, 0, r->table->column_count);
	got = r->form == ROW_CSV ? csv_line_read(r, line) :
				   json_line_read(r, line);
	return got > 0 ? make_row(r, row) : got;
}

/* ------------------------------------------------------------------- batch */
static int lock_all(struct write *w, const struct table *t,
		    const struct line_row *rows, size_t count)
{
	struct partition_ref *refs = arena_alloc(&w->arena,
						 count * sizeof(*refs));
	size_t i, n = 0;

	if (!refs)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		if (!i || rows[i].partition_key.ptr !=
				  rows[i - 1].partition_key.ptr)
			refs[n++] = (struct partition_ref){
				t, rows[i].partition_key };
	write_lock(w, refs, n);
	return 0;
}

/*
 * Others may have written the row with timestamps of their own, later than the
 * clock: go beyond all in the row, and in the statics. 1: it did; 0; -errno.
 */
static int later_than(struct write *w, const struct table *t,
		      const struct line_row *row, int64_t *at)
{
	int64_t newest = NO_TIMESTAMP, of_statics = NO_TIMESTAMP;
	int err = 0;

	if (row->clustering)
		err = table_newest(w->store, t, row->partition_key,
				   row->clustering, NULL, BYTES_NULL, &w->arena,
				   &newest);
	if (!err && table_has_statics(t))
		err = table_newest(w->store, t, row->partition_key, NULL, NULL,
				   BYTES_NULL, &w->arena, &of_statics);
	if (of_statics > newest)
		newest = of_statics;
	if (err || newest < *at)
		return err;
	if (newest >= INT64_MAX - 1) {
		buf_clear(&w->refusal);
		buf_add_str(&w->refusal, "what is or was here has the largest "
			    "timestamp there is: nothing can be later");
		return -EPERM;
	}
	*at = newest + 2;	/* with room for a deletion */
	return 1;
}

static int take_total(struct write *w, const struct table *t,
		      const struct line_row *row, const struct line_value *v,
		      int64_t at)
{
	bool of_statics = v->column->kind == COLUMN_STATIC;
	int got = cells_check_total(w, t, row->partition_key,
				    of_statics ? NULL : row->clustering,
				    v->column, v->value);

	return got > 0 ? cells_write_total(w, v->column, v->value, at) : got;
}

static int collect(struct write *w, const struct table *t,
		   const struct line_row *row, int64_t at)
{
	int32_t ttl = t->options.default_time_to_live;
	bool is_static = !row->clustering;
	uint32_t i;
	int err = 0;

	write_row(w, t, row->partition_key, row->clustering);
	if (row->clustering && !(t->flags & TABLE_COUNTER))
		write_marker(w, at, ttl);
	for (i = 0; i < row->count && !err; i++) {
		const struct line_value *v = &row->values[i];
		bool of_statics = v->column->kind == COLUMN_STATIC;

		if (of_statics != is_static) {
			write_row(w, t, row->partition_key,
				  of_statics ? NULL : row->clustering);
			is_static = of_statics;
		}
		err = t->flags & TABLE_COUNTER ?
			take_total(w, t, row, v, at) :
			cells_write(w, v->column, v->value, at, ttl, false);
	}
	return err;
}

int line_rows_collect(struct write *w, const struct table *t,
		      const struct line_row *rows, size_t count, size_t *taken)
{
	int64_t at, latest;
	size_t i;
	int err, got = 0;

	/* A total is compared with what is stored: the next line may be of the
	 * same row. */
	if (t->flags & TABLE_COUNTER)
		count = 1;
	err = lock_all(w, t, rows, count);
	if (err)
		return err;
	/* The clock is later than stored data, unless a writer chose its
	 * timestamps. */
	latest = table_latest(w->store, t);
	at = store_timestamp(w->store);
	for (i = 0; i < count && !err && !got; i++) {
		if (i)
			at = store_timestamp(w->store);
		if (latest >= at)
			got = later_than(w, t, &rows[i], &at);
		/* Collect it at once: the next line may be of this row, and
		 * finds it. */
		err = got < 0 ? got : collect(w, t, &rows[i], at);
	}
	*taken = i;
	return err ? err : write_error(w);
}
