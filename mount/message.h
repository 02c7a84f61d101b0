/*
 * What widefs says: on the terminal until the mount answers, from then on in
 * its log.
 */
#ifndef MOUNT_MESSAGE_H
#define MOUNT_MESSAGE_H
#include <stdio.h>

#include "mount/options.h"

/* An error of the system, -errno, in words: EAGAIN is what threads and processes
 * are refused with. */
const char *error_text(int err);
/* "widefs: OBJECT: ..." and a newline, to stderr. */
void complain(const char *object, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Open the --log-file (NULL: there is none). 0, or -errno after a message. */
int message_log_open(FILE **out, const struct mount_options *o);
/* From here on nobody looks at standard error: log lines go to the file, or to
 * syslog, or in the foreground on to stderr. */
void message_log_use(FILE *log, const struct mount_options *o);
#endif
