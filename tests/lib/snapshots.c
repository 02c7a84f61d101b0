#include "tests/lib/snapshots.h"

#include <check.h>

#include "store/base/clock.h"
#include "store/cql/cql.h"
#include "store/snapshot.h"
#include "tests/lib/answers.h"

void snapshots_open(struct test_store *t)
{
	clock_set_us((int64_t)1700000000 * 1000000);
	test_store_open(t);
}

void snapshots_close(struct test_store *t)
{
	test_store_close(t);
	clock_set_us(INT64_MIN);
}

void snapshots_run(struct store *s, const char *statement)
{
	snapshots_run_as(s, 0, statement);
}

void snapshots_run_as(struct store *s, uid_t uid, const char *statement)
{
	struct cql_session *session;
	struct buf out = BUF_INIT;

	ck_assert_int_eq(cql_session_new(&session, s), 0);
	cql_session_owner(session, uid, uid, 0755);
	if (answer_to(session, statement, &out))
		ck_abort_msg("%s: %s", statement, buf_cstr(&out));
	cql_session_free(session);
	buf_release(&out);
}

void snapshots_answer(struct store *s, const char *statement,
		      const char *wanted)
{
	struct cql_session *session;
	struct buf out = BUF_INIT;

	ck_assert_int_eq(cql_session_new(&session, s), 0);
	answer_to(session, statement, &out);
	if (!out.len)
		buf_add_str(&out, "");
	ck_assert_str_eq(buf_cstr(&out), wanted);
	cql_session_free(session);
	buf_release(&out);
}

void snapshots_restore(struct store *s, const char *name, const char *keyspace,
		       const char *table, int wanted)
{
	struct snapshot_part part = { name, keyspace, table };
	struct buf why = BUF_INIT;
	int err = snapshot_restore(s, &part, 0, &why);

	if (err != wanted)
		ck_abort_msg("%d: %s", err, buf_cstr(&why));
	ck_assert(!err || why.len);
	buf_release(&why);
}

void snapshots_restore_as(struct store *s, uid_t uid, const char *name)
{
	struct snapshot_part part = { name, NULL, NULL };
	struct buf why = BUF_INIT;

	if (snapshot_restore(s, &part, uid, &why))
		ck_abort_msg("%s", buf_cstr(&why));
	buf_release(&why);
}
