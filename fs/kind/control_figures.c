#include "fs/kind/control_figures.h"

#include "store/base/clock.h"
#include "store/store_figures.h"

static bool shows(void *context, const struct keyspace *k,
		  const struct table *t)
{
	return caller_may_enter(context, k, t);
}

static const struct figure mount[] = {
	{ "uptime_seconds", "seconds since it was mounted", FIGURE_GAUGE, NULL },
	{ "read_only", "1: nothing can be changed", FIGURE_GAUGE, NULL },
	{ "errors", "refusals that errors tells of", FIGURE_COUNTER, NULL },
	{ "nodes", "nodes in memory", FIGURE_GAUGE, NULL },
	{ "nodes_asked", "nodes that the kernel was asked to drop",
	  FIGURE_COUNTER, NULL },
};

static void add_mount(struct figures *f, struct fs *fs)
{
	int64_t up_us = clock_now_us() - fs->opened_ns / MICROSECOND;
	int64_t up_s = up_us / 1000000;

	figures_add(f, figures_begin(f, NULL, mount, ARRAY_SIZE(mount)),
		    BYTES_EMPTY, BYTES_EMPTY,
		    (const double[ARRAY_SIZE(mount)]){
		(double)up_s, fs_is_read_only(fs), (double)errors_count(&fs->errors),
		(double)atomic_load(&fs->nodes.count),
		(double)atomic_load(&fs->nodes_asked),
	});
}

static void add_resources(struct figures *f, struct fs *fs)
{
	struct figure *array = arena_zalloc(&f->arena, RESOURCE_COUNT,
					    sizeof(*array));
	double values[RESOURCE_COUNT];
	enum resource i;

	f->failed |= !array;
	if (!array)
		return;
	for (i = 0; i < RESOURCE_COUNT; i++) {
		array[i] = (struct figure){ resource_name(i), resource_help(i),
					    FIGURE_GAUGE, NULL };
		values[i] = (double)accounts_used(&fs->accounts, i);
	}
	figures_add(f, figures_begin(f, NULL, array, RESOURCE_COUNT),
		    BYTES_EMPTY, BYTES_EMPTY, values);
}

static const struct figure served[] = {
	{ "request_seconds", "time of requests, by kind", FIGURE_LATENCY,
	  NULL },
};

static void add_requests(struct figures *f, struct fs *fs)
{
	struct figure_table *t = figures_begin(f, "requests", served,
					       ARRAY_SIZE(served));
	struct buf labels = BUF_INIT;
	struct latency_sum sum;
	enum request_kind i;

	for (i = 0; i < REQUEST_KINDS; i++) {
		struct bytes name = bytes_str(request_name(i));

		requests_sum(&fs->requests, i, &sum);
		if (!sum.count)
			continue;
		buf_clear(&labels);
		figures_label(&labels, "kind", name);
		figures_add_latency(f, t, buf_bytes(&labels), name, &sum);
	}
	f->failed |= labels.failed;
	buf_release(&labels);
}

static int print(struct op *op, struct buf *out,
		 int (*how)(const struct figures *f, struct buf *out))
{
	struct figures f;
	int err;

	figures_init(&f);
	add_mount(&f, op->fs);
	add_resources(&f, op->fs);
	err = store_figures_add(&f, op->store, op->schema, shows, op);
	add_requests(&f, op->fs);
	if (!err)
		err = how(&f, out);
	figures_release(&f);
	return err;
}

int control_figures_print(struct op *op, struct buf *out)
{
	return print(op, out, figures_print);
}

int control_figures_metrics(struct op *op, struct buf *out)
{
	return print(op, out, figures_print_metrics);
}
