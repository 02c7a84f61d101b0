#include "mount/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "store/base/log.h"

const char *message_error_text(int err)
{
	return err == -EAGAIN ? "no more processes or threads are allowed "
				"(raise ulimit -u, or the limit of the group)" :
				strerror(-err);
}

void message_complain(const char *object, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "widefs: %s: ", object);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

/* Log lines go to stderr in the foreground, else to the file or to syslog. */
static void to_file(void *context, enum log_level level, const char *line)
{
	time_t now = time(NULL);
	char when[32];
	struct tm tm;

	(void)level;
	gmtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	fprintf(context, "%s widefs: %s\n", when, line);
	fflush(context);
}

static void to_syslog(void *context, enum log_level level, const char *line)
{
	static const int priorities[] = { LOG_ERR, LOG_WARNING, LOG_INFO,
					  LOG_DEBUG };

	(void)context;
	syslog(priorities[level], "%s", line);
}

int message_log_open(FILE **out, const struct mount_options *o)
{
	const char *path = o->log_file;
	int err;

	log_set_level((enum log_level)o->log_level);
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
