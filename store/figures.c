#include "store/figures.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

void figures_init(struct figures *f)
{
	*f = (struct figures){ .arena = ARENA_INIT };
	f->last = &f->first;
}

void figures_release(struct figures *f)
{
	arena_release(&f->arena);
}

struct figure_table *figures_begin(struct figures *f, const char *title,
				   const struct figure *array, size_t count)
{
	struct figure_table *t = arena_zalloc(&f->arena, 1, sizeof(*t));

	f->failed |= !t;
	if (!t)
		return NULL;
	*t = (struct figure_table){ array, count, title, NULL, NULL, NULL };
	t->last = &t->first;
	*f->last = t;
	f->last = &t->next;
	return t;
}

static struct figure_row *add_row(struct figures *f, struct figure_table *t,
				  struct bytes labels, struct bytes name)
{
	struct figure_row *row = arena_zalloc(&f->arena, 1, sizeof(*row));

	f->failed |= !row || !t;
	if (!row || !t)
		return NULL;
	row->labels = arena_copy(&f->arena, labels);
	row->name = arena_copy(&f->arena, name);
	f->failed |= f->arena.failed;
	*t->last = row;
	t->last = &row->next;
	return row;
}

void figures_add(struct figures *f, struct figure_table *t,
		 struct bytes labels, struct bytes name, const double *values)
{
	struct figure_row *row = add_row(f, t, labels, name);
	double *copy = row ? arena_zalloc(&f->arena, t->count, sizeof(*copy)) :
			     NULL;

	f->failed |= !copy;
	if (!copy)
		return;
	memcpy(copy, values, t->count * sizeof(*copy));
	row->values = copy;
}

void figures_add_latency(struct figures *f, struct figure_table *t,
			 struct bytes labels, struct bytes name,
			 const struct latency_sum *latency)
{
	struct figure_row *row = add_row(f, t, labels, name);
	struct latency_sum *copy = row ? arena_alloc(&f->arena, sizeof(*copy)) :
					 NULL;

	f->failed |= !copy;
	if (!copy)
		return;
	*copy = *latency;
	row->latency = copy;
}

void figures_label(struct buf *out, const char *name, struct bytes value)
{
	size_t i;

	buf_add_format(out, "%s%s=\"", out->len ? "," : "", name);
	for (i = 0; i < value.len; i++) {
		uint8_t c = value.ptr[i];

		if (c == '\n')
			buf_add_str(out, "\\n");
		else if (c == '"' || c == '\\')
			buf_add_format(out, "\\%c", c);
		else
			buf_add_byte(out, c);
	}
	buf_add_byte(out, '"');
}

/* ----------------------------------------------------------------- metrics */
static void print_value(struct buf *out, double value)
{
	if (fabs(value) < 1e18 && floor(value) == value)
		buf_add_format(out, "%.0f", value);
	else
		buf_add_format(out, "%.6g", value);
}

static void print_sample(struct buf *out, const struct figure *figure,
			 const char *part, struct bytes labels, double value)
{
	buf_add_format(out, "widefs_%s%s", figure->name, part);
	if (labels.len) {
		buf_add_byte(out, '{');
		buf_add_bytes(out, labels);
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ' ');
	print_value(out, value);
	buf_add_byte(out, '\n');
}

/* Print the buckets. One of Prometheus counts all that is shorter; ours end at
 * powers of two. */
static void print_latency(struct buf *out, const struct figure *figure,
			  const struct figure_row *row)
{
	const struct latency_sum *l = row->latency;
	struct buf labels = BUF_INIT;
	uint64_t below = 0;
	char end[32];
	unsigned i;

	for (i = 0; i < LATENCY_BUCKETS; i++) {
		below += l->counts[i];
		if (i % LATENCY_STEPS)
			continue;
		buf_clear(&labels);
		buf_add_bytes(&labels, row->labels);
		snprintf(end, sizeof(end), "%.9g",
			 (double)latency_end_ns(i) / 1e9);
		figures_label(&labels, "le", bytes_str(end));
		print_sample(out, figure, "_bucket", buf_bytes(&labels),
			     (double)below);
	}
	buf_clear(&labels);
	buf_add_bytes(&labels, row->labels);
	figures_label(&labels, "le", bytes_str("+Inf"));
	print_sample(out, figure, "_bucket", buf_bytes(&labels),
		     (double)l->count);
	print_sample(out, figure, "_sum", row->labels, (double)l->sum_ns / 1e9);
	print_sample(out, figure, "_count", row->labels, (double)l->count);
	if (labels.failed)
		out->failed = true;
	buf_release(&labels);
}

static void print_metric(struct buf *out, const struct figure_table *t,
			 size_t column)
{
	static const char *const kinds[] = {
		[FIGURE_COUNTER] = "counter", [FIGURE_GAUGE] = "gauge",
		[FIGURE_LATENCY] = "histogram",
	};
	const struct figure *figure = &t->figures[column];
	const struct figure_row *row;

	if (!t->first)
		return;
	buf_add_format(out, "# HELP widefs_%s %s\n# TYPE widefs_%s %s\n",
		       figure->name, figure->help, figure->name,
		       kinds[figure->kind]);
	for (row = t->first; row; row = row->next) {
		if (row->latency)
			print_latency(out, figure, row);
		else if (row->values)
			print_sample(out, figure, "", row->labels,
				     row->values[column]);
	}
}

int figures_print_metrics(const struct figures *f, struct buf *out)
{
	const struct figure_table *t;
	size_t i;

	for (t = f->first; t; t = t->next)
		for (i = 0; i < t->count; i++)
			print_metric(out, t, i);
	return f->failed || out->failed ? -ENOMEM : 0;
}

/* ------------------------------------------------------------------ people */
void figures_print_time(struct buf *out, double seconds)
{
	if (seconds < 1e-3)
		buf_add_format(out, "%.0fus", seconds * 1e6);
	else if (seconds < 1)
		buf_add_format(out, "%.*fms", seconds < 0.01 ? 1 : 0,
			       seconds * 1e3);
	else
		buf_add_format(out, "%.1fs", seconds);
}

#define CELL 11		/* columns of a figure in a table */

static void add_padded(struct buf *out, struct bytes text, size_t width)
{
	size_t i;

	buf_add_byte(out, ' ');
	for (i = text.len; i < width; i++)
		buf_add_byte(out, ' ');
	buf_add_bytes(out, text);
}

static void print_name(struct buf *out, struct bytes name, size_t width)
{
	size_t i;

	for (i = 0; i < name.len; i++)
		buf_add_byte(out, name.ptr[i] < ' ' || name.ptr[i] == 127 ?
			     '?' : name.ptr[i]);
	for (i = name.len; i < width; i++)
		buf_add_byte(out, ' ');
}

/* Return the time in seconds within which the fastest part (0 to 1) of them
 * ended. */
static double percentile(const struct latency_sum *l, double part)
{
	uint64_t wanted = (uint64_t)ceil((double)l->count * part), seen = 0;
	unsigned i;

	for (i = 0; i < LATENCY_BUCKETS - 1; i++) {
		seen += l->counts[i];
		if (seen >= wanted)
			break;
	}
	return (double)latency_end_ns(i < LATENCY_BUCKETS - 1 ? i : i - 1) / 1e9;
}

static const double parts[] = { 0.5, 0.9, 0.99, 0.999 };

static void print_latency_row(struct buf *out, const struct figure_row *row)
{
	const struct latency_sum *l = row->latency;
	struct buf cell = BUF_INIT;
	size_t i;

	buf_add_format(&cell, "%llu", (unsigned long long)l->count);
	add_padded(out, buf_bytes(&cell), CELL);
	for (i = 0; i <= sizeof(parts) / sizeof(parts[0]); i++) {
		buf_clear(&cell);
		figures_print_time(&cell, i ? percentile(l, parts[i - 1]) :
				   l->count ? (double)l->sum_ns / 1e9 /
					      (double)l->count : 0);
		add_padded(out, buf_bytes(&cell), CELL);
	}
	if (cell.failed)
		out->failed = true;
	buf_release(&cell);
}

static void print_row(struct buf *out, const struct figure_table *t,
		      const struct figure_row *row)
{
	struct buf cell = BUF_INIT;
	size_t i;

	if (row->latency)
		print_latency_row(out, row);
	for (i = 0; row->values && i < t->count; i++) {
		buf_clear(&cell);
		print_value(&cell, round(row->values[i]));
		add_padded(out, buf_bytes(&cell), CELL);
	}
	if (cell.failed)
		out->failed = true;
	buf_release(&cell);
	buf_add_byte(out, '\n');
}

static void print_heads(struct buf *out, const struct figure_table *t,
			size_t width)
{
	static const char *const latency_heads[] = {
		"count", "mean", "50%", "90%", "99%", "99.9%",
	};
	size_t i;

	buf_add_byte(out, '\n');
	print_name(out, bytes_str(t->title), width);
	if (t->figures[0].kind == FIGURE_LATENCY)
		for (i = 0; i < 6; i++)
			add_padded(out, bytes_str(latency_heads[i]), CELL);
	else
		for (i = 0; i < t->count; i++)
			add_padded(out, bytes_str(t->figures[i].head), CELL);
	buf_add_byte(out, '\n');
}

static void print_table(struct buf *out, const struct figure_table *t)
{
	size_t width = strlen(t->title);
	const struct figure_row *row;

	for (row = t->first; row; row = row->next)
		if (row->name.len > width)
			width = row->name.len;
	print_heads(out, t, width);
	for (row = t->first; row; row = row->next) {
		print_name(out, row->name, width);
		print_row(out, t, row);
	}
}

static void print_list(struct buf *out, const struct figure_table *t)
{
	size_t i;

	for (i = 0; t->first && i < t->count; i++) {
		buf_add_format(out, "%-40s ", t->figures[i].help);
		print_value(out, t->first->values[i]);
		buf_add_byte(out, '\n');
	}
}

int figures_print(const struct figures *f, struct buf *out)
{
	const struct figure_table *t;

	for (t = f->first; t && !f->failed; t = t->next) {
		if (t->title && t->first)
			print_table(out, t);
		else if (!t->title)
			print_list(out, t);
	}
	return f->failed || out->failed ? -ENOMEM : 0;
}
