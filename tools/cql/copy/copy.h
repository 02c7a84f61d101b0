/* COPY, the state that its files share: copy.c reads the command, options.c the options
 * after WITH; to.c, from.c and record.c run it; csv.c knows the form of the
 * file, text.c and value.c that of the values in it. */
#ifndef TOOLS_CQL_COPY_COPY_H
#define TOOLS_CQL_COPY_COPY_H
#include "tools/cql/copy/csv.h"
#include "tools/cql/shell.h"

extern const struct shell_copy shell_copy;

#define COPY_NO_LIMIT (-1L)

struct copy_column {
	struct bytes name;		/* as CQL writes it */
	struct bytes bare;		/* as it is */
	struct type *type;		/* our reference */
	bool of_row;			/* COPY FROM: of clustering or regular */
};
struct copy {
	struct shell *shell;
	struct arena arena;
	bool from;
	struct bytes keyspace, table;	/* bare; keyspace "" : in force */
	struct bytes target;		/* k.t, as CQL writes it */
	struct bytes names;		/* "a, b" as written, or "*" */
	bool all;			/* no columns were named */
	const char *path;		/* NULL: STDOUT or STDIN */
	/* STDIN: there may be lines of it. A person types none before they are
	 * asked for; in a script they also follow a COPY that fails. */
	bool has_input;
	uint64_t given;			/* bits: options that were set */
	const char *config_file;	/* CONFIGFILE, or NULL */
	struct csv_style style;
	bool header;
	struct bytes yes, no;		/* BOOLSTYLE */
	struct bytes date_format;	/* of strftime, and %f; "": CQL's */
	struct bytes decimal_separator, thousands_separator;
	long float_precision, double_precision;	/* 0: exact */
	struct bytes skip_columns;
	const char *error_file, *rate_file;	/* or NULL */
	long max_rows, skip_rows, max_parse_errors, max_insert_errors, ttl;
	long max_output;		/* rows in a file */
	double report_s;
	struct bytes begin_token, end_token;
	struct copy_column *columns;
	size_t column_count;
	FILE *rates;			/* RATEFILE */
	uint64_t started_ns, shown_ns;
	uint64_t rows, shown_rows;
};

/* Ask for name, kind and position of the table's columns; text: the statement,
 * for errors. 0 or -errno. */
int copy_ask_columns(struct copy *c, struct buf *text);
/* Print "Processed: 12 rows; Rate: 6 rows/s" on a terminal, and into RATEFILE,
 * now and then. */
void copy_progress(struct copy *c, bool end);
/* Return a path with "~/" replaced, as a shell does, in c's arena. */
const char *copy_path(struct copy *c, struct bytes text);
/* Report that COPY failed, by an error of the backend's or of the file at
 * path. */
void copy_failed(struct copy *c, const char *path, int err,
		 struct bytes statement);
/* The same for an error that is not the backend's. */
void copy_ended(struct copy *c, const char *path, int err);
double copy_seconds(const struct copy *c);
#endif
