#include "tests/lib/statement.h"

#include <check.h>

#include "store/cql/cql.h"

int test_statement(struct cql_session *session, const char *cql)
{
	struct cql_result *result = NULL;
	int err = cql_execute(session, bytes_str(cql), &result);

	cql_result_free(result);
	return err;
}

void test_statement_ok(struct cql_session *session, const char *cql)
{
	int err = test_statement(session, cql);

	ck_assert_msg(!err, "%s: %d %s", cql, err,
		      cql_session_error(session)->message);
}
