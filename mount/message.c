#include "mount/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "store/base/json_escape.h"
#include "store/base/line.h"
#include "store/base/log.h"
#include "store/base/clock.h"
#include "store/base/utf8.h"

/* Of a line with all its bytes escaped. */
#define JSON_MAX (16 * 1024)

/* --log-format=json: of the log, and of the messages before it. Set before any
 * thread starts. */
static bool json_log, json_terminal;

const char *message_error_text(int err)
{
	return err == -EAGAIN ? "no more processes or threads are allowed "
				"(raise ulimit -u, or the limit of the group)" :
				strerror(-err);
}

/* Return the length of the character of UTF-8 at text, or 0 for a byte of none. */
static size_t character(const char *text)
{
	size_t len, left = strnlen(text, 4);

	for (len = 1; len <= left; len++)
		if (utf8_is_valid(bytes_of(text, len), false))
			return len;
	return 0;
}

/* Append text to the string of JSON that is at out, and has a length of at. */
static size_t add_escaped(char *out, size_t at, size_t size, const char *text)
{
	while (*text && at + JSON_ESCAPE_MAX < size) {
		size_t len = character(text);
		unsigned char c = (unsigned char)*text;

		if (!len)
			memcpy(out + at, "\\uFFFD", 6), at += 6;
		else if (c < 0x20 || c == '"' || c == '\\')
			at += json_escape(out + at, c);
		else
			memcpy(out + at, text, len), at += len;
		text += len ? len : 1;
	}
	out[at] = 0;
	return at;
}

/* Write the line as an object of JSON. */
static void to_json(char out[JSON_MAX], enum log_level level, const char *line)
{
	static const char *const names[] = { "error", "warning", "info",
					     "debug" };
	char when[CLOCK_TEXT];
	size_t at;

	clock_print(when, clock_now_us(), true);
	at = (size_t)snprintf(out, JSON_MAX, "{\"time\": \"%s\", \"level\": "
			      "\"%s\", \"message\": \"", when, names[level]);
	at = add_escaped(out, at, JSON_MAX - 4, line);
	memcpy(out + at, "\"}", 3);
}

/* Print a message before the log is used. */
static void say(enum log_level level, const char *object, const char *format,
		va_list args)
{
	char text[LINE_MAX_TEXT], line[JSON_MAX];

	line_format(text, sizeof(text), object, format, args);
	if (json_terminal) {
		to_json(line, level, text);
		fprintf(stderr, "%s\n", line);
	} else {
		fprintf(stderr, "widefs: %s\n", text);
	}
}

void message_complain(const char *object, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(LOG_ERROR_LEVEL, object, format, args);
	va_end(args);
}

void message_inform(const char *object, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(LOG_INFO_LEVEL, object, format, args);
	va_end(args);
}

/* Log lines go to stderr in the foreground, else to the file or to syslog. */
static void to_file(void *context, enum log_level level, const char *line)
{
	char out[JSON_MAX];

	if (json_log) {
		to_json(out, level, line);
		fprintf(context, "%s\n", out);
	} else {
		clock_print(out, clock_now_us(), false);
		fprintf(context, "%s widefs: %s\n", out, line);
	}
	fflush(context);
}

static void to_syslog(void *context, enum log_level level, const char *line)
{
	static const int priorities[] = { LOG_ERR, LOG_WARNING, LOG_INFO,
					  LOG_DEBUG };
	char out[JSON_MAX];

	(void)context;
	if (json_log)
		to_json(out, level, line);
	syslog(priorities[level], "%s", json_log ? out : line);
}

int message_log_open(FILE **out, const struct mount_options *o)
{
	const char *path = o->log_file;
	int err;

	log_set_level((enum log_level)o->log_level);
	json_log = o->log_format;
	json_terminal = json_log && o->foreground;
	if (json_terminal)
		log_set_sink(to_file, stderr);
	*out = path ? fopen(path, "ae") : NULL;
	if (!path || *out)
		return 0;
	err = -errno;
	message_complain(path, "%s (the log file)", strerror(-err));
	return err;
}

void message_log_use(FILE *log, const struct mount_options *o)
{
	if (log) {
		log_set_sink(to_file, log);
	} else if (!o->foreground) {
		openlog("widefs", LOG_PID, LOG_DAEMON);
		log_set_sink(to_syslog, NULL);
	}
}

void message_log_reopen(FILE *log, const struct mount_options *o)
{
	int fd = open(o->log_file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC,
		      0666);

	/* Threads that are writing a line go on in the one file or the other. */
	if (fd < 0 || dup3(fd, fileno(log), O_CLOEXEC) < 0)
		log_message(LOG_ERROR_LEVEL, "%s: %s (the log goes on where it "
			    "was)", o->log_file, strerror(errno));
	if (fd >= 0)
		close(fd);
}
