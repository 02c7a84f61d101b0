#include "tools/lib/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "tools/lib/tool.h"

#define FIRST_NS 1000000000u	/* before that nothing is shown */
#define STEP_NS 200000000u	/* between two lines */
#define LINE_ROOM 256		/* for the longest line */

/* A line that is written over is the last thing on the terminal. */
static bool is_put;

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

bool progress_is_live(void)
{
	const char *terminal = getenv("TERM");

	return isatty(STDERR_FILENO) && !(terminal && !strcmp(terminal, "dumb"));
}

size_t progress_room(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? 79 :
	       size.ws_col - 1u;
}

void progress_put(const char *line)
{
	fprintf(stderr, "\r%s\033[K", line);
	fflush(stderr);
	is_put = true;
}

void progress_hide(void)
{
	if (is_put)
		fputs("\r\033[K", stderr);
	is_put = false;
}

void progress_begin(struct progress *p, enum progress_mode mode, const char *what,
		    const char *unit)
{
	if (mode == PROGRESS_AUTO && !progress_is_live())
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

/* Append a part of a line, if there is room for it. */
static void add_part(char line[LINE_ROOM], size_t room, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void add_part(char line[LINE_ROOM], size_t room, const char *format, ...)
{
	size_t len = strlen(line);
	char part[LINE_ROOM];
	va_list args;

	va_start(args, format);
	vsnprintf(part, sizeof(part), format, args);
	va_end(args);
	if (len + strlen(part) <= room)
		strcpy(line + len, part);
}

/* Print "check: 12 %, 1.2 of 10.0 GiB, 300.0 MiB/s, 29 s left": on a terminal what
 * fits into its line, which a wider one would not be written over. */
static void print_line(const struct progress *p, uint64_t done, uint64_t total,
		       double seconds)
{
	double rate = seconds > 0 ? (double)done / seconds : 0;
	bool live = p->mode == PROGRESS_AUTO;
	size_t room = live ? progress_room() : LINE_ROOM - 1;
	char a[32], b[32], each[32], unit[16] = "", line[LINE_ROOM] = "";

	if (room >= LINE_ROOM)
		room = LINE_ROOM - 1;
	if (strcmp(p->unit, "bytes"))
		snprintf(unit, sizeof(unit), " %s", p->unit);
	amount(a, sizeof(a), p, (double)done);
	amount(b, sizeof(b), p, (double)total);
	amount(each, sizeof(each), p, rate);
	if (total) {
		add_part(line, room, "%s: %.0f %%", p->what,
			 (double)done / (double)total * 100);
		add_part(line, room, ", %s of %s%s", a, b, unit);
	} else {
		add_part(line, room, "%s: %s%s", p->what, a, unit);
	}
	add_part(line, room, ", %s/s", each);
	if (total > done && rate > 0)
		add_part(line, room, ", %.0f s left",
			 (double)(total - done) / rate);
	if (live)
		progress_put(line);
	else
		fprintf(stderr, "%s\n", line);
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
	if (is_put)
		fputc('\n', stderr);
	is_put = false;
}
