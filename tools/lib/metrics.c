#include "tools/lib/metrics.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/store.h"
#include "store/store_figures.h"
#include "store/table/present.h"
#include "store/type/json/print.h"
#include "tools/lib/place.h"
#include "tools/lib/tool.h"

#define PREFIX "widefs_"

void metrics_release(struct metrics *m)
{
	buf_release(&m->text);
	mem_free(m->list);
	*m = METRICS_INIT;
}

/* ----------------------------------------------------------------- reading */
static struct bytes cut(struct bytes *rest, const char *at)
{
	struct bytes first = *rest;
	size_t i = 0;

	while (i < rest->len && !strchr(at, rest->ptr[i]))
		i++;
	first.len = i;
	*rest = bytes_of(rest->ptr + i, rest->len - i);
	return first;
}

/* Find the labels in braces; quotes in them may have a brace. */
static struct bytes cut_labels(struct bytes *rest)
{
	struct bytes labels = BYTES_EMPTY;
	bool quoted = false;
	size_t i;

	if (!rest->len || rest->ptr[0] != '{')
		return labels;
	for (i = 1; i < rest->len && (quoted || rest->ptr[i] != '}'); i++) {
		if (quoted && rest->ptr[i] == '\\')
			i++;
		else if (rest->ptr[i] == '"')
			quoted = !quoted;
	}
	if (i >= rest->len)
		return labels;
	labels = bytes_of(rest->ptr + 1, i - 1);
	*rest = bytes_of(rest->ptr + i + 1, rest->len - i - 1);
	return labels;
}

static void read_line(struct metrics *m, struct bytes line, struct bytes *help)
{
	static const struct bytes of_help = { (const uint8_t *)"# HELP ", 7 };
	struct bytes name, labels;
	char number[64];

	if (bytes_begin_with(line, of_help)) {
		line = bytes_of(line.ptr + 7, line.len - 7);
		cut(&line, " ");
		*help = line.len ? bytes_of(line.ptr + 1, line.len - 1) : line;
	}
	if (!bytes_begin_with(line, bytes_str(PREFIX)))
		return;
	name = cut(&line, "{ ");
	labels = cut_labels(&line);
	if (line.len < 2 || line.len >= sizeof(number))
		return;
	memcpy(number, line.ptr, line.len);
	number[line.len] = 0;
	m->list[m->count++] = (struct metric){
		bytes_of(name.ptr + strlen(PREFIX), name.len - strlen(PREFIX)),
		labels, *help, strtod(number, NULL) };
}

static int read_text(struct metrics *m)
{
	struct bytes rest = buf_bytes(&m->text), help = BYTES_EMPTY;
	size_t lines = 1, i;

	for (i = 0; i < rest.len; i++)
		lines += rest.ptr[i] == '\n';
	m->list = m->text.failed ? NULL : mem_zalloc(lines, sizeof(*m->list));
	if (!m->list)
		return -ENOMEM;
	while (rest.len) {
		read_line(m, cut(&rest, "\n"), &help);
		if (rest.len)
			rest = bytes_of(rest.ptr + 1, rest.len - 1);
	}
	return 0;
}

int metrics_print_store(struct buf *out, const char *path,
			int (*print)(const struct figures *f, struct buf *out))
{
	struct figures f;
	struct schema *schema;
	struct store *store;
	int status = tool_open_store(&store, path, true), err;

	if (status)
		return status;
	figures_init(&f);
	schema = store_schema(store);
	err = schema ? store_figures_add(&f, store, schema, NULL, NULL) :
		       -ENOMEM;
	if (!err)
		err = print(&f, out);
	schema_put(schema);
	figures_release(&f);
	store_close(store);
	if (err)
		tool_failed(path, err);
	return err ? TOOL_FAILED : TOOL_DONE;
}

int metrics_read(struct metrics *m, const struct tool_place *p,
		 unsigned timeout_s)
{
	int err = 0;

	if (!p->mount)
		err = metrics_print_store(&m->text, p->store,
					  figures_print_metrics);
	else
		err = place_read_control(p, "metrics", &m->text, timeout_s);
	return err ? err : read_text(m);
}

/* ------------------------------------------------------------------- looking */
bool metric_has(const struct metric *one, struct bytes labels)
{
	return bytes_begin_with(one->labels, labels);
}

static const struct metric *find(const struct metrics *m, const char *name,
				 struct bytes labels)
{
	const struct metric *one;

	METRICS_EACH(m, one, name)
		if (bytes_equal(one->labels, labels))
			return one;
	return NULL;
}

double metrics_value(const struct metrics *m, const char *name)
{
	const struct metric *one = find(m, name, BYTES_EMPTY);

	return one ? one->value : 0;
}

/* Take the next label off rest: its name and, in out, its value. */
static bool next_label(struct bytes *rest, struct bytes *name, struct buf *out)
{
	size_t i;

	if (rest->len && rest->ptr[0] == ',')
		*rest = bytes_of(rest->ptr + 1, rest->len - 1);
	*name = cut(rest, "=");
	if (rest->len < 2)
		return false;
	for (i = 2; i < rest->len && rest->ptr[i] != '"'; i++) {
		if (rest->ptr[i] == '\\' && i + 1 < rest->len)
			buf_add_byte(out, rest->ptr[++i] == 'n' ? '\n' :
				     rest->ptr[i]);
		else
			buf_add_byte(out, rest->ptr[i]);
	}
	if (i < rest->len)
		i++;
	*rest = bytes_of(rest->ptr + i, rest->len - i);
	return true;
}

bool metric_label(struct buf *out, const struct metric *one, const char *label)
{
	struct bytes rest = one->labels, name;
	size_t before = out->len;

	while (next_label(&rest, &name, out)) {
		if (bytes_equal(name, bytes_str(label)))
			return true;
		out->len = before;
	}
	return false;
}

static double end_of(const struct metric *one)
{
	struct buf end = BUF_INIT;
	double value = HUGE_VAL;

	if (metric_label(&end, one, "le") && strcmp(buf_cstr(&end), "+Inf"))
		value = strtod(buf_cstr(&end), NULL);
	buf_release(&end);
	return value;
}

static double grown(const struct metric *one, const struct metrics *before)
{
	char name[128];
	const struct metric *old;

	if (!before || one->name.len >= sizeof(name))
		return one->value;
	memcpy(name, one->name.ptr, one->name.len);
	name[one->name.len] = 0;
	old = find(before, name, one->labels);
	return one->value - (old ? old->value : 0);
}

double metrics_percentile(const struct metrics *now,
			  const struct metrics *before, const char *name,
			  struct bytes labels, double part, double *count)
{
	const struct metric *one;
	double begin = 0, below = 0, end = 0;
	char buckets[128];

	*count = 0;
	snprintf(buckets, sizeof(buckets), "%s_bucket", name);
	METRICS_EACH(now, one, buckets)
		if (metric_has(one, labels))
			*count = grown(one, before);	/* the last has all */
	METRICS_EACH(now, one, buckets) {
		double all;

		if (!metric_has(one, labels))
			continue;
		all = grown(one, before);
		end = end_of(one);
		if (all >= *count * part && all > below)
			break;
		begin = end;
		below = all;
	}
	return !*count ? 0 : end == HUGE_VAL ? begin : end;
}

/* -------------------------------------------------------------------- JSON */
static void print_number(struct buf *out, double value)
{
	if (value == floor(value) && fabs(value) < 1e18)
		buf_add_format(out, "%.0f", value);
	else
		buf_add_format(out, "%.9g", value);
}

/* Return the part of the name before its first _: that of its group. */
static struct bytes group_of(const struct metric *one)
{
	struct bytes rest = one->name;

	return cut(&rest, "_");
}

static bool ends_with(struct bytes name, const char *end)
{
	size_t len = strlen(end);

	return name.len > len &&
	       !memcmp(name.ptr + name.len - len, end, len);
}

static void print_labels(struct buf *out, const struct metric *one)
{
	struct bytes rest = one->labels, name;
	struct buf value = BUF_INIT;

	while (next_label(&rest, &name, &value)) {
		json_print_string(out, name);
		buf_add_str(out, ": ");
		json_print_string(out, buf_bytes(&value));
		buf_add_str(out, ", ");
		buf_clear(&value);
	}
	out->failed |= value.failed;
	buf_release(&value);
}

static void print_buckets(struct buf *out, const struct metrics *m,
			  const char *name, struct bytes labels)
{
	char buckets[128];
	const struct metric *one;
	const char *comma = "";

	snprintf(buckets, sizeof(buckets), "%s_bucket", name);
	buf_add_str(out, ", \"buckets\": [");
	METRICS_EACH(m, one, buckets) {
		if (!metric_has(one, labels))
			continue;
		buf_add_format(out, "%s{\"below_seconds\": ", comma);
		if (end_of(one) == HUGE_VAL)
			buf_add_str(out, "null");
		else
			print_number(out, end_of(one));
		buf_add_str(out, ", \"count\": ");
		print_number(out, one->value);
		buf_add_byte(out, '}');
		comma = ", ";
	}
	buf_add_byte(out, ']');
}

/* A histogram, of which one is the sum. */
static void print_histogram(struct buf *out, const struct metrics *m,
			    const struct metric *one, bool buckets)
{
	static const struct { const char *name; double part; } parts[] = {
		{ "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 },
		{ "p999", 0.999 },
	};
	char name[96];
	double count = 0;
	size_t i;

	snprintf(name, sizeof(name), "%.*s", (int)(one->name.len - 4),
		 (const char *)one->name.ptr);
	buf_add_str(out, "\"sum_seconds\": ");
	print_number(out, one->value);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		double time = metrics_percentile(m, NULL, name, one->labels,
						 parts[i].part, &count);

		buf_add_format(out, ", \"%s_seconds\": ", parts[i].name);
		print_number(out, time);
	}
	buf_add_str(out, ", \"count\": ");
	print_number(out, count);
	if (buckets)
		print_buckets(out, m, name, one->labels);
}

/* Print an object of each set of labels of the group that begins at first. */
static void print_group(struct buf *out, const struct metrics *m,
			const struct metric *first, bool buckets)
{
	const struct metric *end = m->list + m->count, *one, *other;
	struct bytes group = group_of(first);
	const char *comma = "";

	json_print_string(out, group);
	buf_add_str(out, ": [");
	for (one = first; one < end && bytes_equal(group_of(one), group);
	     one++) {
		if (ends_with(one->name, "_sum")) {
			buf_add_format(out, "%s{", comma);
			print_labels(out, one);
			print_histogram(out, m, one, buckets);
			buf_add_byte(out, '}');
			comma = ", ";
			continue;
		}
		if (!bytes_equal(one->name, first->name) ||
		    ends_with(one->name, "_bucket"))
			continue;
		buf_add_format(out, "%s{", comma);
		print_labels(out, one);
		for (other = one; other < end && bytes_equal(group_of(other),
							     group); other++) {
			if (!bytes_equal(other->labels, one->labels))
				continue;
			buf_add_str(out, other == one ? "" : ", ");
			json_print_string(out, bytes_of(
				other->name.ptr + group.len + 1,
				other->name.len - group.len - 1));
			buf_add_str(out, ": ");
			print_number(out, other->value);
		}
		buf_add_byte(out, '}');
		comma = ", ";
	}
	buf_add_byte(out, ']');
}

void metrics_print_json(struct buf *out, const struct metrics *m, bool buckets)
{
	const struct metric *one, *end = m->list + m->count;
	const char *comma = "";

	buf_add_byte(out, '{');
	for (one = m->list; one < end; one++) {
		struct bytes group = group_of(one);

		buf_add_str(out, comma);
		comma = ", ";
		if (one->labels.len) {
			print_group(out, m, one, buckets);
			while (one + 1 < end && one[1].labels.len &&
			       bytes_equal(group_of(one + 1), group))
				one++;
			continue;
		}
		json_print_string(out, one->name);
		buf_add_str(out, ": ");
		print_number(out, one->value);
	}
	buf_add_str(out, "}\n");
}
