/* widefsctl stats: the figures of a mount, a store or a table. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/figures.h"
#include "tools/describe.h"
#include "tools/lib/metrics.h"
#include "tools/lib/place.h"
#include "tools/lib/tool.h"

static int run(int argc, char **argv);
const struct command command_stats = {
	.name = "stats",
	.summary = "what a mount, a store or a table holds and does",
	.usage = "usage: widefsctl stats [OPTIONS] [PLACE]\n"
		 "Print the figures of a mount (those of its .widefs/stats), a "
		 "store that is not mounted,\nor one of its tables "
		 "(PLACE/KEYSPACE/TABLE). The default is the mount that the\n"
		 "working directory is in.\n\n"
		 "  -j, --json        one JSON object\n"
		 "  -H, --histograms  the distribution of times too\n"
		 "  -h, --help        this text\n",
	.run = run,
};

static int print_mount(const struct tool_place *p)
{
	struct buf out = BUF_INIT;
	int err = place_read_control(p, "stats", &out, 0);

	if (err)
		tool_failed(p->mount, err);
	else
		tool_write(stdout, buf_bytes(&out));
	buf_release(&out);
	return err ? TOOL_FAILED : TOOL_DONE;
}

static int print_store(const struct tool_place *p)
{
	struct buf out = BUF_INIT;
	int status = metrics_print_store(&out, p->store, figures_print);

	if (!status)
		tool_write(stdout, buf_bytes(&out));
	buf_release(&out);
	return status;
}

/* ---------------------------------------------------------------- a table */
/* Keep the table's figures, without its labels. */
static int keep_table(struct metrics *m, const struct tool_place *p)
{
	struct buf labels = BUF_INIT;
	size_t i, n = 0;

	figures_label(&labels, "keyspace", bytes_str(p->keyspace));
	figures_label(&labels, "table", bytes_str(p->table));
	for (i = 0; i < m->count; i++) {
		struct metric one = m->list[i];

		if (!bytes_equal(one.labels, buf_bytes(&labels)))
			continue;
		one.labels = BYTES_EMPTY;
		one.name = bytes_of(one.name.ptr + 6, one.name.len - 6);
		m->list[n++] = one;
	}
	buf_release(&labels);
	m->count = n;
	if (n)
		return TOOL_DONE;
	return describe_no_table(p);
}

static void print_table(const struct metrics *m)
{
	size_t i;

	for (i = 0; i < m->count; i++)
		printf("%-40.*s %.0f\n", (int)m->list[i].help.len,
		       (const char *)m->list[i].help.ptr, m->list[i].value);
}

/* -------------------------------------------------------------- histograms */
/* Print a bucket: what is in it, not what is below its end. */
static void print_bucket(const struct metric *one, double count, double all)
{
	struct buf end = BUF_INIT, text = BUF_INIT;
	int width = (int)(count / all * 40 + 0.5);

	if (metric_label(&end, one, "le") && strcmp(buf_cstr(&end), "+Inf")) {
		buf_add_str(&text, "< ");
		figures_print_time(&text, strtod(buf_cstr(&end), NULL));
	} else {
		buf_add_str(&text, "more");
	}
	printf("  %-10s %12.0f %5.1f%% %.*s\n", buf_cstr(&text), count,
	       count / all * 100, width,
	       "########################################");
	buf_release(&end);
	buf_release(&text);
}

static double count_of(const struct metrics *m, const char *name,
		       struct bytes labels)
{
	double count = 0;

	metrics_percentile(m, NULL, name, labels, 1, &count);
	return count;
}

static void print_histograms(const struct metrics *m, const char *name,
			     const char *label)
{
	const struct metric *one;
	struct buf sum = BUF_INIT, bucket = BUF_INIT, value = BUF_INIT;

	buf_add_format(&sum, "%s_sum", name);
	buf_add_format(&bucket, "%s_bucket", name);
	METRICS_EACH(m, one, buf_cstr(&sum)) {
		double below = 0, all = count_of(m, name, one->labels);
		const struct metric *part;

		buf_clear(&value);
		metric_label(&value, one, label);
		printf("\n%s\n", buf_cstr(&value));
		METRICS_EACH(m, part, buf_cstr(&bucket)) {
			if (!metric_has(part, one->labels))
				continue;
			if (part->value > below)
				print_bucket(part, part->value - below, all);
			below = part->value;
		}
	}
	buf_release(&sum);
	buf_release(&bucket);
	buf_release(&value);
}

static int print(const struct tool_place *p, bool json, bool histograms)
{
	struct metrics m = METRICS_INIT;
	struct buf out = BUF_INIT;
	int status = TOOL_DONE;

	if (!p->table && !json)
		status = p->mount ? print_mount(p) : print_store(p);
	if (!status && (p->table || json || histograms))
		status = metrics_read(&m, p, 0);
	if (status < 0) {
		tool_failed(p->mount ? p->mount : p->store, status);
		status = TOOL_FAILED;
	}
	if (!status && p->table)
		status = keep_table(&m, p);
	if (!status && json) {
		metrics_print_json(&out, &m, histograms);
		tool_write(stdout, buf_bytes(&out));
	} else if (!status && p->table) {
		print_table(&m);
	} else if (!status && histograms) {
		print_histograms(&m, "engine_seconds", "work");
		print_histograms(&m, "request_seconds", "kind");
	}
	metrics_release(&m);
	buf_release(&out);
	return status;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "histograms", no_argument, NULL, 'H' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool json = false, histograms = false;
	struct tool_place place;
	int option, status;

	while ((option = getopt_long(argc, argv, "jHh", options, NULL)) >= 0) {
		if (option == 'j')
			json = true;
		else if (option == 'H')
			histograms = true;
		else
			return tool_usage(&command_stats, option == 'h');
	}
	if (argc - optind > 1)
		return tool_misused(&command_stats, argv[optind + 1],
				    "one PLACE is enough");
	status = place_find(&place, optind < argc ? argv[optind] : NULL, PLACE_KEYSPACES);
	if (!status)
		status = print(&place, json, histograms);
	place_release(&place);
	return status;
}
