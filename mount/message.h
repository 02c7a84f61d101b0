/*
 * The messages of widefs: on the terminal until the mount answers, from then on
 * in its log.
 */
#ifndef MOUNT_MESSAGE_H
#define MOUNT_MESSAGE_H
#include <stdio.h>

#include "mount/options.h"

/* Describe an error of the system, -errno: EAGAIN is the refusal of threads and
 * processes. */
const char *message_error_text(int err);
/*
 * Print "widefs: OBJECT: ..." and a newline to stderr: an error, and what is none.
 * In the foreground with --log-format=json, from message_log_open on, it is an
 * object of JSON. At most 4 KiB of the message.
 */
void message_complain(const char *object, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void message_inform(const char *object, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Open the --log-file (NULL: there is none). 0, or -errno after a message. */
int message_log_open(FILE **out, const struct mount_options *o);
/* Use the log from here on: lines go to the file, or to syslog, or in the
 * foreground on to stderr. */
void message_log_use(FILE *log, const struct mount_options *o);
/* Let log, that of message_log_open, go on in the file that has its name now, which
 * is made where there is none: the other may have been renamed. Where that fails,
 * a line in the log says so. Any thread may be writing lines meanwhile. */
void message_log_reopen(FILE *log, const struct mount_options *o);
#endif
