#include "tools/lib/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "tools/lib/tool.h"

#define FIRST_NS 1000000000u	/* before that nothing is shown */
#define STEP_NS 200000000u	/* between two lines */

bool progress_mode_read(enum progress_mode *mode, const char *text)
{
	static const char *const names[] = {
		[PROGRESS_AUTO] = "auto", [PROGRESS_ALWAYS] = "always",
		[PROGRESS_NEVER] = "never", [PROGRESS_JSON] = "json",
	};
	unsigned i;

	for (i = 0; i < 4; i++) {
		if (strcmp(names[i], text))
			continue;
		*mode = (enum progress_mode)i;
		return true;
	}
	tool_complain(text, "not a kind of progress (auto, always, never or "
		      "json)");
	return false;
}

void progress_begin(struct progress *p, enum progress_mode mode, const char *what,
		    const char *unit)
{
	const char *terminal = getenv("TERM");

	/* A line cannot be written over on a terminal that is none. */
	if (mode == PROGRESS_AUTO &&
	    (!isatty(STDERR_FILENO) || (terminal && !strcmp(terminal, "dumb"))))
		mode = PROGRESS_NEVER;
	*p = (struct progress){ .mode = mode, .what = what, .unit = unit,
				.begun_ns = clock_monotonic_ns() };
}

static void amount(char *out, size_t len, const struct progress *p, double n)
{
	static const char *const binary[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	unsigned i = 0;

	if (strcmp(p->unit, "bytes")) {
		snprintf(out, len, "%.0f", n);
		return;
	}
	while (n >= 1024 && i < 4) {
		n /= 1024;
		i++;
	}
	snprintf(out, len, "%.*f %s", i && n < 100 ? 1 : 0, n, binary[i]);
}

/* Print "12 %, 1.2 of 10.0 GiB, 300.0 MiB/s, 29 s left". */
static void print_line(const struct progress *p, uint64_t done, uint64_t total,
		       double seconds)
{
	double rate = seconds > 0 ? (double)done / seconds : 0;
	char a[32], b[32], each[32];

	amount(a, sizeof(a), p, (double)done);
	amount(b, sizeof(b), p, (double)total);
	amount(each, sizeof(each), p, rate);
	fprintf(stderr, "%s%s: ", p->mode == PROGRESS_AUTO ? "\r" : "", p->what);
	if (total)
		fprintf(stderr, "%.0f %%, %s of %s",
			(double)done / (double)total * 100, a, b);
	else
		fprintf(stderr, "%s", a);
	fprintf(stderr, "%s%s, %s/s", strcmp(p->unit, "bytes") ? " " : "",
		strcmp(p->unit, "bytes") ? p->unit : "", each);
	if (total > done && rate > 0)
		fprintf(stderr, ", %.0f s left",
			(double)(total - done) / rate);
	fputs(p->mode == PROGRESS_AUTO ? "\033[K" : "\n", stderr);
}

static void print(struct progress *p, uint64_t done, uint64_t total,
		  uint64_t now, bool last)
{
	double seconds = (double)(now - p->begun_ns) / 1e9;

	p->shown_ns = now;
	p->shown = true;
	if (p->mode == PROGRESS_JSON)
		fprintf(stderr, "{\"work\": \"%s\", \"unit\": \"%s\", \"done\": %llu, "
			"\"total\": %llu, \"seconds\": %.3f, \"finished\": %s}\n",
			p->what, p->unit, (unsigned long long)done,
			(unsigned long long)total, seconds,
			last ? "true" : "false");
	else
		print_line(p, done, total, seconds);
	fflush(stderr);
}

void progress_show(struct progress *p, uint64_t done, uint64_t total)
{
	uint64_t now;

	if (p->mode == PROGRESS_NEVER)
		return;
	p->done = done;
	p->total = total;
	now = clock_monotonic_ns();
	if (now - p->begun_ns < FIRST_NS || now - p->shown_ns < STEP_NS)
		return;
	print(p, done, total, now, false);
}

void progress_end(struct progress *p)
{
	if (p->mode == PROGRESS_NEVER || (p->mode == PROGRESS_AUTO && !p->shown))
		return;
	print(p, p->total ? p->total : p->done, p->total, clock_monotonic_ns(),
	      true);
	if (p->mode == PROGRESS_AUTO)
		fputc('\n', stderr);
}
