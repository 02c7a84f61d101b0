/*
 * The terms of a query's name: fs/README.md, "Queries", has its grammar. All
 * texts are slices of the name, with their escapes. Pure functions.
 */
#ifndef FS_QUERY_TERMS_H
#define FS_QUERY_TERMS_H
#include <stdbool.h>
#include <stdint.h>

#include "store/base/bytes.h"

enum query_operator { QUERY_EQUAL, QUERY_RANGE, QUERY_LIKE };
struct query_term {
	enum query_operator operator;
	bool on_token;		/* on the partition key's token */
	struct bytes column;	/* null: on_token */
	struct bytes value;	/* of a range: its begin, or null */
	struct bytes end;	/* of a range: not included; or null */
};
/* A name has 255 bytes, and a term at least 4 with its comma. */
#define QUERY_TERMS_MAX 64
struct query_terms {
	struct query_term terms[QUERY_TERMS_MAX];
	uint32_t count;
	bool descending, scan, limited;
	uint64_t limit;		/* if limited: at least 1 */
	struct bytes after;	/* a name, spelled as a value; or null */
	struct bytes columns;	/* names joined by ','; or null */
};

/*
 * Parse a name, without the suffix of a document. 0; -ENOENT: it is no query;
 * -EINVAL: a term is given twice, or is no number. On an error *why is the
 * reason, a constant sentence; else NULL.
 */
int query_parse(struct query_terms *out, struct bytes name, const char **why);
/* Step through the columns of @cols: false after the last. rest: at first
 * terms->columns. */
bool query_next_column(struct bytes *rest, struct bytes *column);
#endif
