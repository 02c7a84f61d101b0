/*
 * Results as text: a table for people as cqlsh draws it, or JSON, JSON lines
 * and CSV for programs (fs/README.md, "Statements"). Rows are passed one by
 * one; only a table keeps some of them, to know how wide its columns are.
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
 * Make a format for a result of these columns, which have to outlive it; json:
 * SELECT JSON. Used by one thread. 0 or -ENOMEM.
 */
int cql_format_new(struct cql_format **out, enum cql_format_kind kind,
		   const struct cql_column *columns, uint32_t count, bool json);
void cql_format_free(struct cql_format *f);
/* RAW: set the result and session whose warnings and trace are printed at the
 * end; they must live until then. */
void cql_format_about(struct cql_format *f, const struct cql_result *result,
		      const struct cql_session *session);
/*
 * Append the part before the rows, a row (values may be freed after the call),
 * and the part after them. Lack of memory is left to out->failed.
 */
void cql_format_begin(struct cql_format *f, struct buf *out);
void cql_format_row(struct cql_format *f, struct buf *out,
		    const struct bytes *values);
void cql_format_end(struct cql_format *f, struct buf *out);
/* Append the rows that a table keeps, when no more come. */
void cql_format_flush(struct cql_format *f, struct buf *out);
/* Return the bytes of rows that it keeps until a page is drawn. */
size_t cql_format_held(const struct cql_format *f);
/*
 * Note that a person reads the output, as cqlsh's blank lines differ then; and
 * that the person has had a page: the next row begins a new one, with its own
 * head.
 */
void cql_format_person(struct cql_format *f);
void cql_format_page(struct cql_format *f, struct buf *out);
/* Append the text of an error in place of a result. */
void cql_format_error(struct buf *out, enum cql_format_kind kind,
		      const struct cql_error *error);
#endif
