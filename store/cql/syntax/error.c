#include "store/cql/syntax/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int cql_error_set(struct cql_error *error, struct arena *arena,
		  enum cql_code code, const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	if (cql_error_is_set(error))
		return -EINVAL;
	*error = CQL_ERROR_INIT;
	error->code = code;
	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = length < 0 ? NULL : arena_alloc(arena, (size_t)length + 1);
	if (!text)
		return -ENOMEM;
	va_start(args, format);
	vsnprintf(text, (size_t)length + 1, format, args);
	va_end(args);
	error->message = text;
	return -EINVAL;
}

void cql_error_at(struct cql_error *error, struct bytes text, uint32_t offset,
		  uint32_t length)
{
	uint32_t i, begin = 0;

	if (error->line >= 0)
		return;
	error->offset = offset;
	error->length = length;
	if (offset >= text.len && !length) {
		error->line = 0;
		error->column = -1;
		return;
	}
	error->line = 1;
	for (i = 0; i < offset && i < text.len; i++) {
		if (text.ptr[i] != '\n')
			continue;
		error->line++;
		begin = i + 1;
	}
	/* Java's characters: one for each sequence of UTF-8, two for a long one */
	error->column = 0;
	for (i = begin; i < offset && i < text.len; i++)
		error->column += ((text.ptr[i] & 0xc0) != 0x80) +
				 (text.ptr[i] >= 0xf0);
}

const char *cql_code_name(enum cql_code code)
{
	switch (code) {
	case CQL_OK:
		return "OK";
	case CQL_SERVER_ERROR:
		return "ServerError";
	case CQL_TRUNCATE_ERROR:
		return "TruncateError";
	case CQL_READ_FAILURE:
		return "ReadFailure";
	case CQL_FUNCTION_FAILURE:
		return "FunctionFailure";
	case CQL_WRITE_FAILURE:
		return "WriteFailure";
	case CQL_SYNTAX:
		return "SyntaxException";
	case CQL_UNAUTHORIZED:
		return "Unauthorized";
	case CQL_INVALID_REQUEST:
		return "InvalidRequest";
	case CQL_CONFIGURATION:
		return "ConfigurationException";
	case CQL_ALREADY_EXISTS:
		return "AlreadyExists";
	}
	return "ServerError";
}
