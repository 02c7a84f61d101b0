#include "store/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "store/base/line.h"

#define LONGEST_LINE 1024

typedef void log_sink(void *context, enum log_level level, const char *line);
/* Other threads may be writing a line while they are set: the context first. */
static log_sink *_Atomic sink_function;
static void *_Atomic sink_context;
static atomic_int shown_level = LOG_INFO_LEVEL;
static _Thread_local char last_corrupt[LONGEST_LINE];

void log_set_sink(void (*sink)(void *context, enum log_level level,
			       const char *line), void *context)
{
	atomic_store(&sink_context, context);
	atomic_store(&sink_function, sink);
}

void log_set_level(enum log_level level)
{
	atomic_store(&shown_level, (int)level);
}

static void write_line(enum log_level level, const char *line)
{
	static const char *const names[] = { "error", "warning", "info",
					     "debug" };
	log_sink *sink = atomic_load(&sink_function);

	if (sink)
		sink(atomic_load(&sink_context), level, line);
	else
		fprintf(stderr, "widefs: %s: %s\n", names[level], line);
}

void log_always(const char *format, ...)
{
	char line[LONGEST_LINE * 2];
	va_list args;

	va_start(args, format);
	line_format(line, sizeof(line), NULL, format, args);
	va_end(args);
	write_line(LOG_INFO_LEVEL, line);
}

void log_message(enum log_level level, const char *format, ...)
{
	char line[LONGEST_LINE * 2];
	va_list args;

	if ((int)level > atomic_load(&shown_level))
		return;
	va_start(args, format);
	line_format(line, sizeof(line), NULL, format, args);
	va_end(args);
	write_line(level, line);
}

int log_corrupt(const char *file, uint64_t offset, const char *format, ...)
{
	char why[LONGEST_LINE / 2], line[LONGEST_LINE * 2];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	snprintf(last_corrupt, sizeof(last_corrupt),
		 "%.200s is damaged at offset %llu: %s", file,
		 (unsigned long long)offset, why);
	line_escape(line, sizeof(line), last_corrupt);
	write_line(LOG_ERROR_LEVEL, line);	/* shown at each level */
	return -EUCLEAN;
}

const char *log_corrupt_last(void)
{
	return last_corrupt;
}
