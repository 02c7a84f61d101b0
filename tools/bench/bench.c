/*
 * widefsctl bench: how fast the store is on this machine.
 *
 * The parent makes a directory, runs a group of workloads in a child, reads its
 * results from a pipe and removes the directory, whatever became of the child.
 * A signal ends the child, and the parent then cleans up as always.
 */
#include "tools/bench/bench.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "tools/bench/engine.h"
#include "tools/bench/table.h"
#include "tools/lib/tool.h"

static int run(int argc, char **argv);
const struct command command_bench = {
	.name = "bench",
	.summary = "measure how fast a store is on this machine",
	.usage = "usage: widefsctl bench [OPTION]... [WORKLOAD]...\n"
		 "Run workloads on fresh stores in a temporary directory, which "
		 "is removed. A line\nfor each: name, value, unit. Writes are "
		 "synced every second where the name does\nnot say otherwise."
		 "\n\n"
		 "  -n, --records N    records of each workload (1000000)\n"
		 "  -r, --runs N       runs of each; the median is given (1)\n"
		 "  -d, --dir DIR      where the stores are made ($TMPDIR, "
		 "/tmp)\n"
		 "  -v, --value BYTES  of a record (100)\n"
		 "  -j, --json         one JSON object for each workload\n"
		 "  -l, --list         the names of the workloads\n"
		 "  -h, --help         this text\n",
	.run = run,
};

#define MOST_RUNS 99
#define MOST_RESULTS 64

struct bench_result {
	char name[32], unit[16];
	double values[MOST_RUNS];
	size_t count;
};

struct plan {
	struct bench bench;
	const char *dir;
	long runs;
	bool json;
	char **wanted;
	int wanted_count;
	struct bench_result results[MOST_RESULTS];
	size_t result_count;
};

static volatile sig_atomic_t ended_by;
static volatile sig_atomic_t child;

static void on_signal(int number)
{
	ended_by = number;
	if (child > 0)
		kill((pid_t)child, SIGKILL);
}

static void catch_signals(bool on)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action = { .sa_handler = on ? on_signal : SIG_DFL };
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
}

/* ------------------------------------------------------- for the workloads */

double bench_now_s(void)
{
	return (double)clock_monotonic_ns() / 1e9;
}

uint64_t bench_random(struct bench *b)
{
	uint64_t x = b->random += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

void bench_value(struct bench *b, uint8_t *to)
{
	size_t half = b->value_len / 2, i;

	for (i = 0; i < b->value_len; i += 8) {
		uint64_t x = bench_random(b);

		memcpy(to + i, &x, b->value_len - i < 8 ? b->value_len - i : 8);
		if (i >= half)
			break;
	}
	memcpy(to + b->value_len - half, to, half);
}

void bench_tell(struct bench *b, const char *workload, double value,
		const char *unit)
{
	dprintf(b->out, "%s %.9g %s\n", workload, value, unit);
}

void bench_tell_rate(struct bench *b, const char *workload, long count,
		     double begin_s)
{
	bench_tell(b, workload, (double)count / (bench_now_s() - begin_s),
		   "ops/s");
}

/* ---------------------------------------------------- temporary directories */

/* Stores are flat but for one level; deeper ones were not made by us. */
static void remove_tree(int at, const char *name, int depth)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (fd >= 0 && !list)
		close(fd);
	while (list && (entry = readdir(list))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (unlinkat(dirfd(list), entry->d_name, 0) && depth < 8)
			remove_tree(dirfd(list), entry->d_name, depth + 1);
	}
	if (list)
		closedir(list);
	unlinkat(at, name, AT_REMOVEDIR);
}

/* --------------------------------------------------------------- one group */

static bool is_wanted(const struct plan *p, const char *name, size_t len)
{
	int i;

	for (i = 0; i < p->wanted_count; i++)
		if (strlen(p->wanted[i]) == len &&
		    !strncmp(p->wanted[i], name, len))
			return true;
	return !p->wanted_count;
}

static bool any_wanted(const struct plan *p, const struct bench_group *group)
{
	const char *name = group->workloads, *end;

	for (; (end = strchr(name, ' ')); name = end + 1)
		if (is_wanted(p, name, (size_t)(end - name)))
			return true;
	return false;
}

static void add_result(struct plan *p, const char *name, double value,
		       const char *unit)
{
	struct bench_result *r = p->results;

	if (!is_wanted(p, name, strlen(name)))
		return;
	while (r < p->results + p->result_count && strcmp(r->name, name))
		r++;
	if (r == p->results + MOST_RESULTS || r->count == MOST_RUNS)
		return;
	if (r == p->results + p->result_count) {
		p->result_count++;
		snprintf(r->name, sizeof(r->name), "%s", name);
		snprintf(r->unit, sizeof(r->unit), "%s", unit);
	}
	r->values[r->count++] = value;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_results(struct plan *p)
{
	size_t i;

	for (i = 0; i < p->result_count; i++) {
		struct bench_result *r = &p->results[i];
		double median;

		qsort(r->values, r->count, sizeof(r->values[0]), by_value);
		median = r->values[(r->count - 1) / 2];
		if (p->json)
			printf("{\"workload\": \"%s\", \"value\": %.6g, "
			       "\"unit\": \"%s\", \"runs\": %zu}\n", r->name,
			       median, r->unit, r->count);
		else
			printf("%-28s %12.6g %s\n", r->name, median, r->unit);
	}
	fflush(stdout);
	p->result_count = 0;
	memset(p->results, 0, sizeof(p->results));
}

static void read_results(struct plan *p, int from)
{
	FILE *lines = fdopen(from, "r");
	char name[32], unit[16];
	double value;

	while (lines && fscanf(lines, "%31s %lf %15s", name, &value, unit) == 3)
		add_result(p, name, value, unit);
	if (lines)
		fclose(lines);
	else
		close(from);
}

/* Run the workloads in the child, which ends here. */
static void run_child(struct plan *p, const struct bench_group *group, int out)
{
	struct rusage usage;
	int err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	catch_signals(false);
	p->bench.out = out;
	err = group->run(&p->bench);
	if (err)
		tool_complain(group->workloads, "%s", strerror(-err));
	getrusage(RUSAGE_SELF, &usage);
	if (!err && strstr(group->workloads, "memory "))
		bench_tell(&p->bench, "memory",
			   (double)usage.ru_maxrss / 1024, "MiB");
	_exit(err ? TOOL_FAILED : TOOL_DONE);
}

static int run_group(struct plan *p, const struct bench_group *group)
{
	char path[PATH_MAX];
	int ends[2], status = TOOL_FAILED << 8;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/widefs-bench-XXXXXX", p->dir);
	if (!mkdtemp(path)) {
		tool_complain(p->dir, "%s", strerror(errno));
		return TOOL_FAILED;
	}
	p->bench.path = path;
	p->bench.random = 20;
	pid = pipe(ends) ? -1 : fork();
	if (!pid) {
		close(ends[0]);
		run_child(p, group, ends[1]);
	}
	if (pid > 0) {
		child = pid;
		if (ended_by)
			kill(pid, SIGKILL);
		close(ends[1]);
		read_results(p, ends[0]);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		child = 0;
	} else {
		tool_complain("bench", "%s", strerror(errno));
	}
	remove_tree(AT_FDCWD, path, 0);
	p->bench.path = NULL;
	return status ? TOOL_FAILED : TOOL_DONE;
}

static int run_groups(struct plan *p, const struct bench_group *groups,
		      size_t count)
{
	int failed = TOOL_DONE;
	size_t i;
	long r;

	for (i = 0; i < count && !ended_by; i++) {
		if (!any_wanted(p, &groups[i]))
			continue;
		for (r = 0; r < p->runs && !failed && !ended_by; r++)
			failed = run_group(p, &groups[i]);
		print_results(p);
	}
	return failed;
}

/* ----------------------------------------------------------------- command */

static const struct bench_group *group_at(size_t i)
{
	return i < BENCH_ENGINE_GROUPS ?
		       &bench_engine_groups[i] :
		       &bench_table_groups[i - BENCH_ENGINE_GROUPS];
}

static void list_workloads(void)
{
	size_t i;

	for (i = 0; i < BENCH_ENGINE_GROUPS + BENCH_TABLE_GROUPS; i++) {
		const char *name = group_at(i)->workloads, *end;

		for (; (end = strchr(name, ' ')); name = end + 1)
			printf("%.*s\n", (int)(end - name), name);
	}
}

static bool is_workload(const char *name)
{
	char blank[40];
	size_t i;

	snprintf(blank, sizeof(blank), "%s ", name);
	for (i = 0; i < BENCH_ENGINE_GROUPS + BENCH_TABLE_GROUPS; i++) {
		const char *at = strstr(group_at(i)->workloads, blank);

		if (at && (at == group_at(i)->workloads || at[-1] == ' '))
			return true;
	}
	return false;
}

static bool parse_number(long *out, const char *text, long least, long most)
{
	char *end;

	errno = 0;
	*out = strtol(text, &end, 10);
	if (!errno && end != text && !*end && *out >= least && *out <= most)
		return true;
	tool_complain(text, "not a number from %ld to %ld", least, most);
	return false;
}

static int run_plan(struct plan *p)
{
	int failed, i;

	for (i = 0; i < p->wanted_count; i++)
		if (!is_workload(p->wanted[i])) {
			tool_complain(p->wanted[i],
				      "no such workload (see --list)");
			return TOOL_USAGE;
		}
	catch_signals(true);
	failed = run_groups(p, bench_engine_groups, BENCH_ENGINE_GROUPS);
	if (!failed)
		failed = run_groups(p, bench_table_groups, BENCH_TABLE_GROUPS);
	catch_signals(false);
	if (ended_by)
		raise(ended_by);
	return failed;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "records", required_argument, NULL, 'n' },
		{ "runs", required_argument, NULL, 'r' },
		{ "dir", required_argument, NULL, 'd' },
		{ "value", required_argument, NULL, 'v' },
		{ "json", no_argument, NULL, 'j' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	static struct plan p;
	long value_len = 100;
	bool fine = true;
	int option;

	p = (struct plan){ .bench.records = 1000000, .runs = 1 };
	p.dir = getenv("TMPDIR");
	if (!p.dir || !*p.dir)
		p.dir = "/tmp";
	while (fine && (option = getopt_long(argc, argv, "n:r:d:v:jlh", options,
					     NULL)) >= 0) {
		if (option == 'n')
			fine = parse_number(&p.bench.records, optarg, 1000,
					    1000000000);
		else if (option == 'r')
			fine = parse_number(&p.runs, optarg, 1, MOST_RUNS);
		else if (option == 'd')
			p.dir = optarg;
		else if (option == 'v')
			fine = parse_number(&value_len, optarg, 1, 1 << 20);
		else if (option == 'j')
			p.json = true;
		else if (option == 'l')
			return list_workloads(), TOOL_DONE;
		else
			return tool_usage(&command_bench, option == 'h');
	}
	if (!fine)
		return TOOL_USAGE;
	p.bench.value_len = (size_t)value_len;
	p.wanted = argv + optind;
	p.wanted_count = argc - optind;
	return run_plan(&p);
}
