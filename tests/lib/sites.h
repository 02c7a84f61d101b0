/*
 * A record of injected faults: each place in the code that met one is noted
 * once, in the file that WIDEFS_TEST_SITES names, for tests/error-sites.
 */
#ifndef TESTS_LIB_SITES_H
#define TESTS_LIB_SITES_H

/* Note the caller of the function that is about to fail. Any thread. */
void sites_note(void);
#endif
