/*
 * Results as text: a table for people as cqlsh draws it, or JSON, JSON lines
 * and CSV for programs (fs/README.md, "Statements"). Rows are given one by one;
 * only a table keeps some of them back, to know how wide its columns are.
 */
#ifndef STORE_CQL_OUTPUT_FORMAT_H
#define STORE_CQL_OUTPUT_FORMAT_H
#include "store/cql/cql.h"

enum cql_format_kind {
	CQL_FORMAT_TABLE, CQL_FORMAT_JSON, CQL_FORMAT_NDJSON, CQL_FORMAT_CSV,
	CQL_FORMAT_EXPANDED,	/* each row a table of its own */
	/*
	 * JSON for the shell, which has to know all: values in the hex digits
	 * of their binary form, then what goes with the result; errors with
	 * their place:
	 *   {"columns":[…],"rows":[["00000001",null]],"warnings":["…"],
	 *    "trace":{"rows_given":1,"rows_read":1,"tombstones":0,
	 *             "microseconds":70,"sstables":2,"files":[17,4]}}
	 *   {"error":{"code":"SyntaxException","message":"…","line":1,
	 *             "column":7,"offset":7,"length":4}}
	 */
	CQL_FORMAT_RAW,
};
struct cql_format;

/*
 * For a result of these columns, which have to outlive it; json: SELECT JSON.
 * Belongs to one thread. 0 or -ENOMEM.
 */
int cql_format_new(struct cql_format **out, enum cql_format_kind kind,
		   const struct cql_column *columns, uint32_t count, bool json);
void cql_format_free(struct cql_format *f);
/* RAW: whose warnings and trace come at the end. They have to live then. */
void cql_format_about(struct cql_format *f, const struct cql_result *result,
		      const struct cql_session *session);
/*
 * Append what comes before the rows, a row (values may go after the call), and
 * what comes after them. Want of memory is left to out->failed.
 */
void cql_format_begin(struct cql_format *f, struct buf *out);
void cql_format_row(struct cql_format *f, struct buf *out,
		    const struct bytes *values);
void cql_format_end(struct cql_format *f, struct buf *out);
/* Append what a table keeps back: no more comes. */
void cql_format_flush(struct cql_format *f, struct buf *out);
/* Bytes of rows that it keeps until a page is drawn. */
size_t cql_format_held(const struct cql_format *f);
/*
 * Somebody reads it as it comes (cqlsh's blank lines differ then), and has had
 * a page of it: the next row begins a new one, with a head of its own.
 */
void cql_format_person(struct cql_format *f);
void cql_format_page(struct cql_format *f, struct buf *out);
/* What stands in place of a result that there is not. */
void cql_format_error(struct buf *out, enum cql_format_kind kind,
		      const struct cql_error *error);
#endif
