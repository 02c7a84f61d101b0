/* widefsctl top: a mount at work, on a screen that is renewed. */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "store/figures.h"
#include "tools/lib/metrics.h"
#include "tools/lib/place.h"
#include "tools/lib/tool.h"

static int run(int argc, char **argv);
const struct command command_top = {
	.name = "top",
	.summary = "a mount at work, on a screen that is renewed",
	.usage = "usage: widefsctl top [OPTIONS] [DIR]\n"
		 "Show what the mount that DIR is in (default: the working "
		 "directory) does: requests and\nhow long they take, memory, "
		 "caches, files, compaction, the busiest tables and processes.\n"
		 "q ends it.\n\n"
		 "  -d, --delay=S  seconds between two screens (1)\n"
		 "  -o, --once     print one, of all since it was mounted, and "
		 "end: so where the\n"
		 "                 output is no terminal\n"
		 "  -h, --help     this text\n",
	.run = run,
};

#define MOST 8		/* rows of a list, where the screen has room */
#define ANSWER_S 10

struct screen {
	struct buf text;
	unsigned width, height, lines;
};

/* One moment, and the one before it; the first has none. */
struct view {
	const struct tool_place *place;
	struct metrics now, before;
	struct buf clients, clients_before;
	bool has_before;
	double seconds;		/* between them, or since it was mounted */
};

/* ------------------------------------------------------------------- screen */
/* Add a line, cut to the width: bytes that continue a character take none. */
static void add_line(struct screen *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void add_line(struct screen *s, const char *format, ...)
{
	char line[512];
	unsigned column = 0;
	va_list args;
	size_t i;

	if (s->lines >= s->height)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	for (i = 0; line[i]; i++) {
		uint8_t c = (uint8_t)line[i];

		if ((c & 0xc0) != 0x80 && column++ == s->width)
			break;
		buf_add_byte(&s->text, c < ' ' || c == 127 ? '?' : c);
	}
	buf_add_byte(&s->text, '\n');
	s->lines++;
}

static const char *size_text(char out[16], double bytes)
{
	static const char *const units[] = { "B", "K", "M", "G", "T" };
	unsigned i = 0;

	while (bytes >= 1000 && i < 4) {
		bytes /= 1024;
		i++;
	}
	snprintf(out, 16, "%.*f%s", bytes < 10 && i ? 1 : 0, bytes, units[i]);
	return out;
}

static const char *time_text(char out[16], double seconds)
{
	struct buf text = BUF_INIT;

	figures_print_time(&text, seconds);
	snprintf(out, 16, "%s", buf_cstr(&text));
	buf_release(&text);
	return out;
}

/* ------------------------------------------------------------------- figures */
static double value(const struct view *v, const char *name)
{
	return metrics_value(&v->now, name);
}

/* How much a counter has grown. */
static double grown(const struct view *v, const char *name)
{
	return value(v, name) -
	       (v->has_before ? metrics_value(&v->before, name) : 0);
}

static double rate(const struct view *v, double n)
{
	return v->seconds > 0 ? n / v->seconds : n;
}

static double percent(double a, double b)
{
	return b > 0 ? a / b * 100 : 0;
}

/* A row of a list: what it is called, and how much. */
struct top_row {
	const struct metric *metric;
	double count, other;
};

static int most_first(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;

	return (x->count + x->other < y->count + y->other) -
	       (x->count + x->other > y->count + y->other);
}

static double of_labels(const struct metrics *m, const char *name,
			struct bytes labels)
{
	const struct metric *one;

	METRICS_EACH(m, one, name)
		if (bytes_equal(one->labels, labels))
			return one->value;
	return 0;
}

/* Gather the rows of one name, the busiest first; second: another of the same
 * labels, or NULL. Returns their number, at most `most`. */
static size_t gather(const struct view *v, struct top_row *rows, size_t most,
		     const char *first, const char *second)
{
	const struct metric *one;
	struct top_row all[256];
	size_t n = 0, i;

	METRICS_EACH(&v->now, one, first) {
		struct top_row row = { one, one->value, 0 };

		if (second)
			row.other = of_labels(&v->now, second, one->labels);
		if (v->has_before) {
			row.count -= of_labels(&v->before, first, one->labels);
			if (second)
				row.other -= of_labels(&v->before, second,
						       one->labels);
		}
		if (row.count + row.other <= 0)
			continue;
		if (n == sizeof(all) / sizeof(all[0])) {
			qsort(all, n, sizeof(*all), most_first);
			n--;		/* the least busy goes */
		}
		all[n++] = row;
	}
	qsort(all, n, sizeof(*all), most_first);
	for (i = 0; i < n && i < most; i++)
		rows[i] = all[i];
	return i;
}

static const char *label_text(char out[64], const struct metric *one,
			      const char *a, const char *b)
{
	struct buf text = BUF_INIT;

	metric_label(&text, one, a);
	if (b) {
		buf_add_byte(&text, '.');
		metric_label(&text, one, b);
	}
	snprintf(out, 64, "%s", buf_cstr(&text));
	buf_release(&text);
	return out;
}

/* -------------------------------------------------------------------- parts */
static void show_requests(struct screen *s, const struct view *v)
{
	struct top_row rows[MOST];
	size_t n = gather(v, rows, MOST, "request_seconds_count", NULL), i;

	add_line(s, "requests     a second    50%%     99%%");
	for (i = 0; i < n; i++) {
		struct bytes labels = rows[i].metric->labels;
		const struct metrics *before = v->has_before ? &v->before : NULL;
		char name[64], half[16], most[16];
		double count;

		time_text(half, metrics_percentile(&v->now, before,
						   "request_seconds", labels,
						   0.5, &count));
		time_text(most, metrics_percentile(&v->now, before,
						   "request_seconds", labels,
						   0.99, &count));
		add_line(s, " %-12s %7.0f %6s %7s",
			 label_text(name, rows[i].metric, "kind", NULL),
			 rate(v, rows[i].count), half, most);
	}
}

static void show_memory(struct screen *s, const struct view *v)
{
	double hits = grown(v, "cache_hits");
	double blocks = hits + grown(v, "cache_misses");
	double spared = grown(v, "filter_skips");
	double looked = spared + grown(v, "filter_misses");
	char a[16], b[16], c[16], d[16];

	add_line(s, "memtables %s of %s, log %s",
		 size_text(a, value(v, "memtable_bytes")),
		 size_text(b, value(v, "memtable_room_bytes")),
		 size_text(c, value(v, "log_bytes")));
	add_line(s, "cache %s of %s, hits %.0f%%, filter %.0f%%",
		 size_text(a, value(v, "cache_bytes")),
		 size_text(b, value(v, "cache_room_bytes")),
		 percent(hits, blocks), percent(spared, looked));
	add_line(s, "written %s/s, flushed %s/s",
		 size_text(a, rate(v, grown(v, "bytes_written"))),
		 size_text(b, rate(v, grown(v, "bytes_flushed"))));
	add_line(s, "compacted %s/s, %.0f to merge, waits %s",
		 size_text(c, rate(v, grown(v, "bytes_compacted"))),
		 value(v, "debt"),
		 time_text(d, grown(v, "paused_ns") / 1e9));
}

static void show_levels(struct screen *s, const struct view *v)
{
	const struct metric *one;
	char name[64], size[16];

	add_line(s, "level   files    size");
	METRICS_EACH(&v->now, one, "level_files")
		add_line(s, " %-6s %6.0f %7s",
			 label_text(name, one, "level", NULL), one->value,
			 size_text(size, of_labels(&v->now, "level_bytes",
						   one->labels)));
}

static void show_tables(struct screen *s, const struct view *v)
{
	struct top_row rows[MOST];
	size_t n = gather(v, rows, MOST, "table_reads", "table_writes"), i;
	char name[64];

	add_line(s, "table               reads/s writes/s");
	for (i = 0; i < n; i++)
		add_line(s, " %-18s %8.0f %8.0f",
			 label_text(name, rows[i].metric, "keyspace", "table"),
			 rate(v, rows[i].count), rate(v, rows[i].other));
}

/* A process that sent requests. */
struct top_client {
	unsigned long long count;
	unsigned pid, uid;
	char command[64];
};
#define CLIENTS 256		/* of a mount (REQUEST_CLIENTS) */

/* Read the lines of .widefs/clients; returns how many, at most CLIENTS. */
static size_t read_clients(struct top_client *all, const struct buf *text)
{
	const char *line = text->len ? (const char *)text->ptr : "", *end;
	size_t n = 0;

	for (; n < CLIENTS && (end = strchr(line, '\n')); line = end + 1)
		n += sscanf(line, "%llu %u %u %63[^\n]", &all[n].count,
			    &all[n].pid, &all[n].uid, all[n].command) == 4;
	return n;
}

static int busiest_first(const void *a, const void *b)
{
	const struct top_client *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count);
}

/* Take off what each had sent before; one with fewer requests began anew. */
static void subtract_clients(struct top_client *now, size_t n,
			     const struct top_client *before, size_t before_count)
{
	size_t i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < before_count; j++)
			if (before[j].pid == now[i].pid &&
			    before[j].uid == now[i].uid &&
			    before[j].count <= now[i].count) {
				now[i].count -= before[j].count;
				break;
			}
	qsort(now, n, sizeof(*now), busiest_first);
}

/* Show the clients that are busy now, or were since the mount was made. */
static void show_clients(struct screen *s, const struct view *v)
{
	struct top_client now[CLIENTS], before[CLIENTS];
	size_t n = read_clients(now, &v->clients), i;

	if (v->has_before)
		subtract_clients(now, n, before,
				 read_clients(before, &v->clients_before));
	add_line(s, "process     %s  pid     user",
		 v->has_before ? "a second" : "requests");
	for (i = 0; i < n && i < MOST && now[i].count; i++)
		add_line(s, " %-12.12s %7.0f  %-7u %u", now[i].command,
			 v->has_before ? rate(v, (double)now[i].count) :
					 (double)now[i].count,
			 now[i].pid, now[i].uid);
}

static void show(struct screen *s, const struct view *v)
{
	buf_clear(&s->text);
	s->lines = 0;
	add_line(s, "%s, %.0f s%s%s", v->place->mount,
		 value(v, "uptime_seconds"),
		 value(v, "read_only") > 0 ? ", read-only" : "",
		 value(v, "faulted") + value(v, "damaged_files") > 0 ?
			 ", NOT healthy" : "");
	show_requests(s, v);
	show_memory(s, v);
	show_tables(s, v);
	show_clients(s, v);
	show_levels(s, v);
}

/* ------------------------------------------------------------------- moments */
/* 0, or an exit status after a message. */
static int take(struct view *v, double delay)
{
	int status;

	if (v->now.count) {
		metrics_release(&v->before);
		v->before = v->now;
		v->now = METRICS_INIT;
		v->has_before = true;
	}
	buf_clear(&v->clients_before);
	buf_add_bytes(&v->clients_before, buf_bytes(&v->clients));
	buf_cstr(&v->clients_before);
	buf_clear(&v->clients);
	status = metrics_read(&v->now, v->place, ANSWER_S);
	if (!status && place_read_control(v->place, "clients", &v->clients,
					  ANSWER_S))
		buf_clear(&v->clients);
	buf_cstr(&v->clients);
	if (status == -ETIMEDOUT)
		tool_complain(v->place->mount, "the daemon does not answer");
	else if (status < 0)
		tool_failed(v->place->mount, status);
	v->seconds = v->has_before ? delay : value(v, "uptime_seconds");
	return status < 0 ? TOOL_FAILED : status;
}

static void set_size(struct screen *s)
{
	struct winsize size;

	s->width = 80;
	s->height = 24;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col &&
	    size.ws_row) {
		s->width = size.ws_col;
		s->height = size.ws_row - 1u;
	}
}

static volatile sig_atomic_t ended;

static void end(int number)
{
	ended = number;
}

/* Wait for the next screen. False: q, or a signal. */
static bool wait_for_next(double delay)
{
	struct pollfd keys = { .fd = STDIN_FILENO, .events = POLLIN };
	char key = 0;

	if (poll(&keys, isatty(STDIN_FILENO), (int)(delay * 1000)) > 0 &&
	    read(STDIN_FILENO, &key, 1) < 1)
		key = 'q';
	return key != 'q' && key != 3 && !ended;
}

static int show_live(struct view *v, struct screen *s, double delay)
{
	struct sigaction action = { .sa_handler = end };
	struct termios before, raw;
	bool typed = !tcgetattr(STDIN_FILENO, &before);
	int status;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (typed) {
		raw = before;
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	}
	fputs("\033[?1049h\033[?25l", stdout);	/* a screen of its own */
	do {
		status = take(v, delay);
		if (status)
			break;
		set_size(s);
		show(s, v);
		fputs("\033[H\033[2J", stdout);
		tool_write(stdout, buf_bytes(&s->text));
		fflush(stdout);
	} while (wait_for_next(delay));
	fputs("\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	if (typed)
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
	return status;
}

static bool is_screen(void)
{
	const char *terminal = getenv("TERM");

	return isatty(STDOUT_FILENO) && terminal && strcmp(terminal, "dumb");
}

static int show_mount(const struct tool_place *p, bool once, double delay)
{
	struct view v = { .place = p, .now = METRICS_INIT,
			  .before = METRICS_INIT, .clients = BUF_INIT,
			  .clients_before = BUF_INIT };
	struct screen s = { .text = BUF_INIT };
	int status;

	if (!once && is_screen()) {
		status = show_live(&v, &s, delay);
	} else {
		set_size(&s);
		s.height = 1000;
		status = take(&v, delay);
		if (!status) {
			show(&s, &v);
			tool_write(stdout, buf_bytes(&s.text));
		}
	}
	metrics_release(&v.now);
	metrics_release(&v.before);
	buf_release(&v.clients);
	buf_release(&v.clients_before);
	buf_release(&s.text);
	return status;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "delay", required_argument, NULL, 'd' },
		{ "once", no_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct tool_place place;
	bool once = false;
	double delay = 1;
	char *rest;
	int option, status;

	while ((option = getopt_long(argc, argv, "d:oh", options, NULL)) >= 0) {
		if (option == 'o') {
			once = true;
		} else if (option != 'd') {
			return tool_usage(&command_top, option == 'h');
		} else {
			delay = strtod(optarg, &rest);
			if (*rest || rest == optarg || !(delay >= 0.1) ||
			    !(delay <= 3600))
				return tool_misused(&command_top, optarg,
						    "not a number of seconds "
						    "from 0.1 to 3600");
		}
	}
	if (argc - optind > 1)
		return tool_misused(&command_top, argv[optind + 1],
				    "one DIR is enough");
	status = place_find(&place, optind < argc ? argv[optind] : NULL, PLACE_KEYSPACES | PLACE_SNAPSHOTS);
	if (status)
		return status;
	if (place.mount) {
		status = show_mount(&place, once, delay);
	} else {
		tool_complain(place.store, "not in a widefs mount (name a place "
			      "in one)");
		status = TOOL_NONE;
	}
	place_release(&place);
	return status;
}
