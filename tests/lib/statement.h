/* Statements of CQL in a test's session. */
#ifndef TESTS_LIB_STATEMENT_H
#define TESTS_LIB_STATEMENT_H

struct cql_session;
/* Run a statement without its rows: 0, or -errno with the session's error. */
int test_statement(struct cql_session *session, const char *cql);
/* The same; a failure ends the test. */
void test_statement_ok(struct cql_session *session, const char *cql);
#endif
