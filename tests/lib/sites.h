/*
 * Where faults are injected: each place in the code that met one is put down once,
 * in the file that WIDEFS_TEST_SITES names, for tests/error-sites.
 */
#ifndef TESTS_LIB_SITES_H
#define TESTS_LIB_SITES_H

/* Put down who called the function that is about to fail. Any thread. */
void sites_note(void);
#endif
