/*
 * widefsctl flush, compact and scrub: written to the daemon's .widefs/ctl, or
 * done here on a store that is not mounted. Meanwhile a thread shows the
 * progress.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "store/base/counted.h"
#include "store/base/log.h"
#include "store/schema/schema.h"
#include "store/store.h"
#include "store/table/present.h"
#include "tools/describe.h"
#include "tools/lib/metrics.h"
#include "tools/lib/place.h"
#include "tools/lib/progress.h"
#include "tools/lib/tool.h"

static int run_flush(int argc, char **argv);
static int run_compact(int argc, char **argv);
static int run_scrub(int argc, char **argv);
const struct command command_flush = {
	.name = "flush",
	.summary = "write what is in memory to files",
	.usage = "usage: widefsctl flush [OPTIONS] [PLACE]\n"
		 "Write the memtables of a mount, a store or one of its tables "
		 "(PLACE/KEYSPACE/TABLE)\nto sstables. The default is the mount "
		 "that the working directory is in.\n\n"
		 "  -w, --wait           wait for the end: it always does\n"
		 "  -p, --progress=WHEN  auto (on a terminal, from a second on), "
		 "always, never or json\n"
		 "  -h, --help           this text\n",
	.run = run_flush,
};
const struct command command_compact = {
	.name = "compact",
	.summary = "merge the files of tables",
	.usage = "usage: widefsctl compact [OPTIONS] [PLACE]\n"
		 "Merge the sstables of each table of a mount, a store or of one "
		 "of its tables\n(PLACE/KEYSPACE/TABLE) into one, without what "
		 "is deleted for good. The default is\nthe mount that the "
		 "working directory is in.\n\n"
		 "  -w, --wait           wait for the end: it always does\n"
		 "  -p, --progress=WHEN  auto (on a terminal, from a second on), "
		 "always, never or json\n"
		 "  -h, --help           this text\n",
	.run = run_compact,
};
const struct command command_scrub = {
	.name = "scrub",
	.summary = "verify the files of a mount while it works",
	.usage = "usage: widefsctl scrub [OPTIONS] [PLACE]\n"
		 "Let the daemon of a mount read and verify each block of its "
		 "sstables, or of those of a\ntable (PLACE/KEYSPACE/TABLE), with "
		 "half of its time. It runs in the background:\n"
		 "MOUNT/.widefs/scrub tells how far it is. A store that is not "
		 "mounted is verified at\nonce. Status 4: damage was found.\n\n"
		 "  -w, --wait           wait for the end, and print what is "
		 "damaged\n"
		 "  -p, --progress=WHEN  auto (on a terminal, from a second on), "
		 "always, never or json\n"
		 "  -h, --help           this text\n",
	.run = run_scrub,
};

static int status_of(int err)
{
	return err == -EUCLEAN ? TOOL_DAMAGED : TOOL_FAILED;
}

static int tell_daemon(const struct tool_place *p, const char *command)
{
	char *path = NULL, *line = NULL, reason[1024];
	ssize_t n = -1;
	int fd = -1, err = 0;

	if (asprintf(&path, "%s/.widefs/ctl", p->mount) < 0 ||
	    asprintf(&line, "%s%s%s%s%s\n", command, p->table ? " " : "",
		     p->table ? p->keyspace : "", p->table ? "." : "",
		     p->table ? p->table : "") < 0)
		err = -ENOMEM;
	if (!err)
		fd = open(path, O_WRONLY | O_CLOEXEC);
	if (!err && (fd < 0 || write(fd, line, strlen(line)) < 0))
		err = -errno;
	if (err && fd >= 0)
		n = fgetxattr(fd, "user.error", reason, sizeof(reason) - 1);
	if (n > 0)
		reason[n] = 0;
	if (err && n > 0)
		tool_complain(p->mount, "%s", reason);
	else if (err)
		tool_failed(p->mount, err);
	if (fd >= 0)
		close(fd);
	free(path);
	free(line);
	return !err ? TOOL_DONE :
	       err == -EINVAL && p->table ? TOOL_NONE : status_of(err);
}

/* ---------------------------------------------------------------- progress */
struct maintain_work {
	const struct tool_place *place;
	struct store *store;		/* open here; NULL: mounted */
	const char *figure;		/* of metrics, that grows */
	uint64_t begin, total;
	struct progress progress;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool ended, started;		/* ended: under lock */
};

/* Read how far it is, and how much there is to do. */
static uint64_t look(const struct maintain_work *w, uint64_t *total)
{
	struct metrics m = METRICS_INIT;
	const struct metric *one;
	struct lsm_stats stats;
	struct lsm_shape shape;
	bool flush = !strcmp(w->figure, "bytes_flushed");
	uint64_t done = 0;
	size_t i;

	*total = 0;
	if (w->store) {
		store_stats(w->store, &stats);
		*total = flush ? stats.memtable_bytes : 0;
		if (!flush && !store_shape(w->store, &shape))
			for (i = 0; i < LSM_LEVELS; i++)
				*total += shape.levels[i].bytes;
		return flush ? stats.bytes_flushed : stats.bytes_compacted;
	}
	if (!metrics_read(&m, w->place, 0)) {
		done = (uint64_t)metrics_value(&m, w->figure);
		*total = flush ? (uint64_t)metrics_value(&m, "memtable_bytes") :
				 0;
		METRICS_EACH(&m, one, "level_bytes")
			*total += flush ? 0 : (uint64_t)one->value;
	}
	metrics_release(&m);
	return done;
}

static void *show(void *argument)
{
	struct maintain_work *w = argument;
	struct timespec until;
	uint64_t now, total;

	pthread_mutex_lock(&w->lock);
	while (!w->ended) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
		pthread_cond_timedwait(&w->changed, &w->lock, &until);
		if (w->ended)
			break;
		pthread_mutex_unlock(&w->lock);
		now = look(w, &total) - w->begin;
		progress_show(&w->progress, now < w->total ? now : w->total,
			      w->total);
		pthread_mutex_lock(&w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void work_begin(struct maintain_work *w, const struct tool_place *p,
		       struct store *s, bool compact, enum progress_mode mode)
{
	*w = (struct maintain_work){ .place = p, .store = s,
			    .figure = compact ? "bytes_compacted" :
						"bytes_flushed",
			    .lock = PTHREAD_MUTEX_INITIALIZER,
			    .changed = PTHREAD_COND_INITIALIZER };
	progress_begin(&w->progress, mode, compact ? "compact" : "flush",
		       "bytes");
	if (w->progress.mode == PROGRESS_NEVER)
		return;
	w->begin = look(w, &w->total);
	w->started = !pthread_create(&w->thread, NULL, show, w);
}

static void work_end(struct maintain_work *w)
{
	if (!w->started)
		return;
	pthread_mutex_lock(&w->lock);
	w->ended = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	progress_end(&w->progress);
}

/* ---------------------------------------------------------------- a store */
static int report_error(const char *object, int err)
{
	if (!err)
		return TOOL_DONE;
	tool_complain(object, "%s", err == -EUCLEAN ? log_corrupt_last() :
						      strerror(-err));
	return status_of(err);
}

/* The progress of verify_here. */
static struct progress verifying;

static void report_problem(void *context, const char *text)
{
	++*(unsigned *)context;
	tool_print_line("%s", text);
}

static void show_verified(void *context, uint64_t done, uint64_t total)
{
	(void)context;
	progress_show(&verifying, done, total);
}

static void silent(void *context, enum log_level level, const char *line)
{
	(void)context;
	(void)level;
	(void)line;
}

static int print_problems(unsigned long long count)
{
	printf("%s\n", counted(count, "problem").text);
	return count ? TOOL_DAMAGED : TOOL_DONE;
}

static int verify_here(const struct tool_place *p, struct store *store,
		       struct table *t, enum progress_mode mode)
{
	unsigned problems = 0;
	const struct lsm_verify_told told = { report_problem, show_verified,
					      &problems };
	int err;

	log_set_sink(silent, NULL);	/* damage is printed once */
	progress_begin(&verifying, mode, "scrub", "bytes");
	err = store_verify_table(store, t, &told);
	progress_end(&verifying);
	return err && err != -EUCLEAN ? report_error(p->store, err) :
					print_problems(problems);
}

static int work_here(const struct command *c, const struct tool_place *p,
		     struct store *store, struct table *t,
		     enum progress_mode mode)
{
	bool compact = c == &command_compact;
	struct maintain_work w;
	int err;

	if (c == &command_scrub)
		return verify_here(p, store, t, mode);
	work_begin(&w, p, store, compact, mode);
	err = compact ? store_compact(store, t) : store_flush(store, t);
	work_end(&w);
	return report_error(p->store, err);
}

static int do_here(const struct command *c, const struct tool_place *p,
		   enum progress_mode mode)
{
	struct store *store;
	struct schema *schema;
	struct table *t = NULL;
	int closed, status;

	status = tool_open_store(&store, p->store, c == &command_scrub);
	if (status)
		return status;
	schema = store_schema(store);
	if (schema && p->table)
		t = schema_table(schema, bytes_str(p->keyspace),
				 bytes_str(p->table));
	if (!p->table || t)
		status = work_here(c, p, store, t, mode);
	schema_put(schema);
	closed = store_close(store);
	if (p->table && !t)
		status = describe_no_table(p);
	return status ? status : report_error(p->store, closed);
}

/* ---------------------------------------------------------------- a mount */
struct scrubbed {
	char state[16];
	unsigned long long done, total, problems;
	struct buf text;
};

static int read_scrub(struct scrubbed *s, const struct tool_place *p)
{
	int err;

	buf_clear(&s->text);
	err = place_read_control(p, "scrub", &s->text, 0);
	if (!err && sscanf(buf_cstr(&s->text),
			   "%15[a-z]: %llu of %llu bytes, %llu problem",
			   s->state, &s->done, &s->total, &s->problems) != 4)
		err = -EIO;
	if (err)
		tool_failed(p->mount, err);
	return err;
}

static int wait_for_scrub(const struct tool_place *p, enum progress_mode mode)
{
	static const struct timespec step = { 0, 200000000 };
	struct scrubbed s = { .text = BUF_INIT };
	struct progress progress;
	const char *lines;
	int status = TOOL_FAILED;

	progress_begin(&progress, mode, "scrub", "bytes");
	while (!read_scrub(&s, p) && !strcmp(s.state, "running")) {
		progress_show(&progress, s.done, s.total);
		nanosleep(&step, NULL);
	}
	if (!strcmp(s.state, "finished")) {
		progress_end(&progress);
		lines = strchr(buf_cstr(&s.text), '\n');
		fputs(lines ? lines + 1 : "", stderr);
		status = print_problems(s.problems);
	} else if (s.state[0]) {
		tool_complain(p->mount, "the scrub has %s", s.state);
	}
	buf_release(&s.text);
	return status;
}

static int do_there(const struct command *c, const struct tool_place *p,
		    bool wait, enum progress_mode mode)
{
	struct maintain_work w;
	int status;

	if (c == &command_scrub) {
		status = tell_daemon(p, "scrub-start");
		return status || !wait ? status : wait_for_scrub(p, mode);
	}
	work_begin(&w, p, NULL, c == &command_compact, mode);
	status = tell_daemon(p, c->name);
	work_end(&w);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	static const struct option options[] = {
		{ "wait", no_argument, NULL, 'w' },
		{ "progress", required_argument, NULL, 'p' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	enum progress_mode mode = PROGRESS_AUTO;
	struct tool_place place;
	bool wait = false;
	int option, status;

	while ((option = getopt_long(argc, argv, "wp:h", options, NULL)) >= 0) {
		if (option == 'w')
			wait = true;
		else if (option != 'p')
			return tool_usage(command, option == 'h');
		else if (!progress_mode_read(&mode, optarg))
			return TOOL_USAGE;
	}
	if (argc - optind > 1)
		return tool_misused(command, argv[optind + 1],
				    "one PLACE is enough");
	status = place_find(&place, optind < argc ? argv[optind] : NULL, PLACE_TABLES);
	if (status)
		return status;
	status = place.mount ? do_there(command, &place, wait, mode) :
			       do_here(command, &place, mode);
	place_release(&place);
	return status;
}

static int run_flush(int argc, char **argv)
{
	return run(&command_flush, argc, argv);
}

static int run_compact(int argc, char **argv)
{
	return run(&command_compact, argc, argv);
}

static int run_scrub(int argc, char **argv)
{
	return run(&command_scrub, argc, argv);
}
