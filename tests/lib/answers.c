#include "tests/lib/answers.h"

#include <errno.h>

#include "store/type/json/print.h"

static void add_row(struct buf *out, const struct cql_result *result,
		    const struct bytes *values)
{
	uint32_t i;

	for (i = 0; i < cql_result_column_count(result); i++) {
		buf_add_byte(out, i ? ',' : '[');
		type_print_json(out, cql_result_columns(result)[i].type,
				values[i]);
	}
	buf_add_str(out, "]\n");
}

int answer_to(struct cql_session *session, const char *statement,
	      struct buf *out)
{
	struct cql_result *result = NULL;
	const struct bytes *values;
	int err = cql_execute(session, bytes_str(statement), &result);

	while (!err && (err = cql_result_next(result, &values)) > 0) {
		if (out)
			add_row(out, result, values);
		err = 0;
	}
	if (err && out)
		buf_add_format(out, "%s\n",
			       cql_session_error(session)->message);
	cql_result_free(result);
	return err;
}

static bool is_failure(int err)
{
	return err == -EUCLEAN || err == -EIO || err == -ENOMEM ||
	       err == -ENOSPC || err == -EROFS;
}

int answers_to_all(struct store *s, const char *const *statements,
		   struct buf *out)
{
	struct cql_session *session;
	int err = cql_session_new(&session, s);

	if (err)
		return err;
	err = answer_to(session, "DESCRIBE SCHEMA", out);
	for (; *statements && !is_failure(err); statements++) {
		buf_add_format(out, "%s\n", *statements);
		err = answer_to(session, *statements, out);
	}
	cql_session_free(session);
	if (is_failure(err))
		return err;
	return out->failed ? -ENOMEM : 0;
}
