/*
 * Messages for the operator, and the one way to report damage. Any thread.
 */
#ifndef STORE_BASE_LOG_H
#define STORE_BASE_LOG_H
#include <stdint.h>

enum log_level { LOG_ERROR_LEVEL, LOG_WARNING_LEVEL, LOG_INFO_LEVEL,
		 LOG_DEBUG_LEVEL };
/* Lines go to stderr until a sink is set (before any thread starts). Control
 * bytes are escaped before the sink sees them. */
void log_set_sink(void (*sink)(void *context, enum log_level level,
			       const char *line), void *context);
void log_set_level(enum log_level level);
void log_message(enum log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Write what the operator has asked for: information, whatever the level is. */
void log_always(const char *format, ...) __attribute__((format(printf, 1, 2)));
/*
 * Say that file is damaged at offset (bytes) and why; returns -EUCLEAN, so that
 * a caller can write: return log_corrupt(...).
 */
int log_corrupt(const char *file, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Return the text of this thread's last log_corrupt(), "" if there was none. */
const char *log_corrupt_last(void);
#endif
