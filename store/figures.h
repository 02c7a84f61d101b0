/*
 * The figures of a store, in one list: .widefs/stats and .widefs/metrics of a
 * mount, and widefsctl's stats, status and top on either, print nothing else.
 * Others add figures of their own (fs/). One thread.
 */
#ifndef STORE_FIGURES_H
#define STORE_FIGURES_H
#include "store/base/arena.h"
#include "store/base/latency.h"

enum figure_kind { FIGURE_COUNTER, FIGURE_GAUGE, FIGURE_LATENCY };
/* One figure, or a column of a table of figures. */
struct figure {
	const char *name;	/* of the metric, without widefs_ */
	const char *help;	/* what it is, for people */
	enum figure_kind kind;
	const char *head;	/* of its column */
};

struct figure_row {
	struct bytes labels;	/* of the metric: level="0"; empty: none */
	struct bytes name;	/* for people; empty: as the figure says */
	const double *values;	/* one for each figure; NULL: latency */
	const struct latency_sum *latency;
	struct figure_row *next;
};
struct figure_table {
	const struct figure *figures;	/* constant */
	size_t count;
	const char *title;	/* of the rows' names; NULL: a list */
	struct figure_row *first, **last;
	struct figure_table *next;
};
struct figures {
	struct arena arena;
	struct figure_table *first, **last;
	bool failed;		/* no memory: printing says so */
};
/* Make an empty list; release frees it. */
void figures_init(struct figures *f);
void figures_release(struct figures *f);
/* Begin a table (title) or a list (NULL). The array stays the caller's. Never
 * NULL unless failed. */
struct figure_table *figures_begin(struct figures *f, const char *title,
				   const struct figure *array, size_t count);
/* Add a row; values and latency are copied. Labels and name too. */
void figures_add(struct figures *f, struct figure_table *t,
		 struct bytes labels, struct bytes name,
		 const double *values);
void figures_add_latency(struct figures *f, struct figure_table *t,
			 struct bytes labels, struct bytes name,
			 const struct latency_sum *latency);
/* Append NAME="VALUE", escaped as Prometheus wants it, after a comma if out has
 * something. */
void figures_label(struct buf *out, const char *name, struct bytes value);

/* Append them in Prometheus's text form, and as text for people. 0, -ENOMEM. */
int figures_print_metrics(const struct figures *f, struct buf *out);
int figures_print(const struct figures *f, struct buf *out);
/* Append a duration for people: 12us, 3.4ms, 1.2s. */
void figures_print_time(struct buf *out, double seconds);
#endif
