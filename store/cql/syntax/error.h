/*
 * The reason for which a statement was refused: Cassandra's class of error, a
 * sentence for people, and the place in the text where that can be shown with a
 * caret.
 *
 * One struct is for one statement. The message is in the arena given to
 * cql_error_set and freed with it. The first error stays: later calls on a
 * struct that holds one change nothing.
 */
#ifndef STORE_CQL_SYNTAX_ERROR_H
#define STORE_CQL_SYNTAX_ERROR_H
#include "store/base/arena.h"
#include "store/base/bytes.h"

/* The numbers are Cassandra's, as the shell shows them (code=2200). */
enum cql_code {
	CQL_OK = -1,
	CQL_SERVER_ERROR = 0x0000,
	CQL_TRUNCATE_ERROR = 0x1003,
	CQL_READ_FAILURE = 0x1300,
	CQL_FUNCTION_FAILURE = 0x1400,
	CQL_WRITE_FAILURE = 0x1500,
	CQL_SYNTAX = 0x2000,
	CQL_UNAUTHORIZED = 0x2100,
	CQL_INVALID_REQUEST = 0x2200,
	CQL_CONFIGURATION = 0x2300,
	CQL_ALREADY_EXISTS = 0x2400,
};

struct cql_error {
	enum cql_code code;	/* CQL_OK: there is none */
	const char *message;	/* UTF-8, 0-terminated; never NULL */
	/*
	 * The place: line from 1, column from 0 in characters as Java counts
	 * them (UTF-16), and offset in bytes from the beginning of the text,
	 * length in bytes of the token there. At the end of input, as in
	 * Cassandra: line 0, column -1, length 0, and offset the length of the
	 * text. No place: line -1.
	 */
	int line, column;
	uint32_t offset, length;
};
#define CQL_ERROR_INIT ((struct cql_error){ CQL_OK, "", -1, -1, 0, 0 })

static inline bool cql_error_is_set(const struct cql_error *error)
{
	return error->code != CQL_OK;
}
/*
 * Set the class and the sentence; the place stays none. Returns -EINVAL, or
 * -ENOMEM when the arena has no room (the code is set, the message ""), so that
 * a caller can return it at once.
 */
int cql_error_set(struct cql_error *error, struct arena *arena,
		  enum cql_code code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/*
 * Set the place of a set error in the text: line and column are counted here.
 * An error that has a place keeps it.
 */
void cql_error_at(struct cql_error *error, struct bytes text, uint32_t offset,
		  uint32_t length);
/* Return "SyntaxException", "InvalidRequest": the class as the vectors name
 * it. */
const char *cql_code_name(enum cql_code code);
#endif
