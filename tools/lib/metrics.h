/*
 * Figures in Prometheus's text form (.widefs/metrics), read back: what stats,
 * status and top show. One thread.
 */
#ifndef TOOLS_LIB_METRICS_H
#define TOOLS_LIB_METRICS_H
#include "store/base/bytes.h"

struct figures;
struct tool_place;
struct metric {
	struct bytes name;	/* without widefs_ */
	struct bytes labels;	/* as written: a="b",c="d" */
	struct bytes help;	/* of its name */
	double value;
};
struct metrics {
	struct buf text;
	struct metric *list;
	size_t count;
};
#define METRICS_INIT ((struct metrics){ BUF_INIT, NULL, 0 })
/* Free the samples. */
void metrics_release(struct metrics *m);
/* Read them of a mount, or of a store that is not mounted, which is opened to
 * read. 0; an exit status after a message; or -errno without one, as
 * place_read_control. */
int metrics_read(struct metrics *m, const struct tool_place *p,
		 unsigned timeout_s);

/* Append the figures of a store that is not mounted, by figures_print or
 * figures_print_metrics. 0, or an exit status after a message. */
int metrics_print_store(struct buf *out, const char *path,
			int (*print)(const struct figures *f, struct buf *out));

/* Return the value of a name without labels; 0 if it is not there. */
double metrics_value(const struct metrics *m, const char *name);
/* Append the value of a label, without its escapes. False: it has none. */
bool metric_label(struct buf *out, const struct metric *one, const char *label);
/* True if its labels begin with those. */
bool metric_has(const struct metric *one, struct bytes labels);
/* Call it for each metric of that name. */
#define METRICS_EACH(m, one, wanted)                                          \
	for (one = (m)->list; one < (m)->list + (m)->count; one++)            \
		if (bytes_equal(one->name, bytes_str(wanted)))

/*
 * Return the time (seconds) that the part (0 to 1) of a histogram's durations
 * is below, between two moments (before NULL: since the beginning): of those
 * whose labels begin with labels. *count: how many there are.
 */
double metrics_percentile(const struct metrics *now,
			  const struct metrics *before, const char *name,
			  struct bytes labels, double part, double *count);
/* Append everything as one JSON object. buckets: histograms as they are too. */
void metrics_print_json(struct buf *out, const struct metrics *m, bool buckets);
#endif
