#include "tests/lib/cql_model.h"

static void init_row(struct cm_row *row)
{
	row->deleted = CM_NEVER;
	for (int i = 0; i < CM_COLUMNS; i++)
		row->column_deleted[i] = CM_NEVER;
}

void cm_init(struct cm *m, int64_t now)
{
	memset(m, 0, sizeof(*m));
	m->now = now;
	for (int p = 0; p < CM_PARTITIONS; p++) {
		m->partitions[p].deleted = CM_NEVER;
		init_row(&m->partitions[p].fixed);
		for (int c = 0; c < CM_ROWS; c++)
			init_row(&m->partitions[p].rows[c]);
	}
}

struct cm_row *cm_row(struct cm *m, int partition, int row)
{
	struct cm_partition *p = &m->partitions[partition];

	return row < 0 ? &p->fixed : &p->rows[row];
}

/* ------------------------------------------------------------------ writing */
/* True if `a` wins, by 4.1, and by 4.3 for markers (whose value is always
 * 0). */
static bool wins(const struct cm_cell *a, const struct cm_cell *b)
{
	bool a_ends = a->dead || a->expiry, b_ends = b->dead || b->expiry;

	if (!b->set || a->timestamp != b->timestamp)
		return !b->set || a->timestamp > b->timestamp;
	if (a_ends != b_ends)
		return a_ends;
	if (a->dead != b->dead)
		return a->dead;
	if (a->expiry != b->expiry)
		return a->expiry > b->expiry;
	if (a->ttl != b->ttl)
		return a->ttl < b->ttl;
	return (uint32_t)a->value > (uint32_t)b->value;	/* as bytes */
}

static void merge(struct cm_cell *into, struct cm_cell cell)
{
	if (wins(&cell, into))
		*into = cell;
}

static struct cm_cell cell_of(struct cm *m, int32_t value,
			      const struct cm_write *w)
{
	return (struct cm_cell){ .set = true, .timestamp = w->timestamp,
				 .ttl = w->ttl, .value = value,
				 .expiry = w->ttl ? m->now + w->ttl : 0 };
}

void cm_put(struct cm *m, struct cm_row *row, enum cm_column column, int path,
	    int32_t value, const struct cm_write *w)
{
	merge(&row->cells[column][path], cell_of(m, value, w));
}

void cm_kill(struct cm_row *row, enum cm_column column, int path,
	     int64_t timestamp)
{
	merge(&row->cells[column][path],
	      (struct cm_cell){ .set = true, .dead = true,
				.timestamp = timestamp });
}

void cm_mark(struct cm *m, struct cm_row *row, const struct cm_write *w)
{
	merge(&row->marker, cell_of(m, 0, w));
}

static void raise(int64_t *deleted, int64_t timestamp)
{
	if (timestamp > *deleted)
		*deleted = timestamp;
}

void cm_delete_column(struct cm_row *row, enum cm_column column, int64_t t)
{
	raise(&row->column_deleted[column], t);
}

void cm_delete_range(struct cm *m, int partition, int from, int to, int64_t t)
{
	struct cm_partition *p = &m->partitions[partition];

	if (p->range_count < CM_RANGES)
		p->ranges[p->range_count++] = (struct cm_range){ from, to, t };
}

void cm_delete_partition(struct cm *m, int partition, int64_t t)
{
	raise(&m->partitions[partition].deleted, t);
}

/* ------------------------------------------------------------------ reading */
/* Return the timestamp up to which cells are hidden: 4.2. */
static int64_t hidden(const struct cm_partition *p, int c)
{
	int64_t deleted = p->deleted;

	for (int i = 0; c >= 0 && i < p->range_count; i++)
		if (p->ranges[i].from <= c && c < p->ranges[i].to)
			raise(&deleted, p->ranges[i].timestamp);
	return deleted;
}

static bool is_live(const struct cm *m, const struct cm_cell *cell,
		    int64_t deleted)
{
	return cell->set && !cell->dead && cell->timestamp > deleted &&
	       (!cell->expiry || m->now < cell->expiry);
}

static const struct cm_cell *live(const struct cm *m, const struct cm_row *row,
				  int64_t deleted, int column, int path)
{
	const struct cm_cell *cell = &row->cells[column][path];

	raise(&deleted, row->column_deleted[column]);
	return is_live(m, cell, deleted) ? cell : NULL;
}

/* 4.4 */
static bool exists(const struct cm *m, const struct cm_row *row,
		   int64_t deleted)
{
	if (is_live(m, &row->marker, deleted))
		return true;
	for (int column = 0; column < CM_COLUMNS; column++)
		for (int path = 0; path < CM_PATHS; path++)
			if (live(m, row, deleted, column, path))
				return true;
	return false;
}

static void print_text(struct buf *out, const struct cm_cell *cell)
{
	if (cell)
		buf_add_format(out, ",\"%c\"", 'a' + cell->value);
	else
		buf_add_str(out, ",null");
}

static void print_collection(const struct cm *m, struct buf *out,
			     const struct cm_row *row, int64_t deleted,
			     int column)
{
	const struct cm_cell *cell;
	int count = 0;

	buf_add_byte(out, ',');
	for (int path = 0; path < CM_PATHS; path++) {
		cell = live(m, row, deleted, column, path);
		if (!cell)
			continue;
		if (!count++)
			buf_add_byte(out, column == CM_Z ? '[' : '{');
		else
			buf_add_str(out, ", ");
		if (column == CM_Z)
			buf_add_format(out, "%d", path);
		else
			buf_add_format(out, "\"%d\": %d", path, cell->value);
	}
	if (!count)
		buf_add_str(out, "null");
	else
		buf_add_byte(out, column == CM_Z ? ']' : '}');
}

static void print_row(const struct cm *m, struct buf *out, int p, int c,
		      const struct cm_row *row, int64_t deleted)
{
	const struct cm_partition *partition = &m->partitions[p];
	const struct cm_cell *a = live(m, row, deleted, CM_A, 0);
	const struct cm_cell *b = live(m, row, deleted, CM_B, 0);

	buf_add_format(out, "[%d,", p);
	if (c < 0)
		buf_add_str(out, "null");
	else
		buf_add_format(out, "%d", c);
	print_text(out, live(m, &partition->fixed, hidden(partition, -1), CM_S,
			     0));
	if (a)
		buf_add_format(out, ",%d", a->value);
	else
		buf_add_str(out, ",null");
	print_text(out, b);
	print_collection(m, out, row, deleted, CM_Z);
	print_collection(m, out, row, deleted, CM_M);
	if (a)
		buf_add_format(out, ",%lld", (long long)a->timestamp);
	else
		buf_add_str(out, ",null");
	if (b && b->expiry)
		buf_add_format(out, ",%lld]\n", (long long)(b->expiry - m->now));
	else
		buf_add_str(out, ",null]\n");
}

void cm_select(const struct cm *m, const struct cm_query *q, struct buf *out)
{
	static const struct cm_row nothing;
	int given = 0;

	for (int i = 0; i < q->partition_count; i++) {
		int p = q->partitions[i], here = 0;
		const struct cm_partition *partition = &m->partitions[p];
		bool any = false;

		for (int j = 0; j < CM_ROWS; j++) {
			int c = q->descending ? CM_ROWS - 1 - j : j;
			const struct cm_row *row = &partition->rows[c];
			int64_t deleted = hidden(partition, c);

			raise(&deleted, row->deleted);
			if (!exists(m, row, deleted))
				continue;
			any = true;
			if ((q->restricted && !q->wanted[c]) ||
			    (q->each && here == q->each) ||
			    (q->limit && given == q->limit))
				continue;
			print_row(m, out, p, c, row, deleted);
			here++;
			given++;
		}
		if (any || q->restricted || (q->limit && given == q->limit) ||
		    !exists(m, &partition->fixed, hidden(partition, -1)))
			continue;
		print_row(m, out, p, -1, &nothing, 0);
		given++;
	}
}
