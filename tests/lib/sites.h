/*
 * A record of places in the code that did something: a file that a variable of the
 * environment names has a line for each way there, the addresses of its calls. Each
 * process adds a way once.
 */
#ifndef TESTS_LIB_SITES_H
#define TESTS_LIB_SITES_H

/* Note the caller of the function that is about to fail, in the file that
 * WIDEFS_TEST_SITES names, for tests/error-sites. Any thread. */
void sites_note(void);
/* Note the callers in the file that the variable names, and the text behind them. */
void sites_note_in(const char *variable, const char *text);
/* Append a text to a file. */
void sites_put(const char *path, const char *text);
#endif
