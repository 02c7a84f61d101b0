/* COPY, for its own files: copy.c reads the command, options.c the options
 * after WITH; to.c, from.c and record.c run it; csv.c knows the form of the
 * file, text.c and value.c that of the values in it. */
#ifndef TOOLS_CQL_COPY_COPY_H
#define TOOLS_CQL_COPY_COPY_H
#include "tools/cql/shell.h"

extern const struct shell_copy shell_copy;

/* ------------------------------------------------------------------- CSV */
struct csv_style {
	uint8_t delimiter, quote;
	uint8_t escape;			/* may be the quote: it is doubled */
	struct bytes null;
};
/* Append a field, in quotes if it has to be; null: as style->null. */
void csv_add(struct buf *out, const struct csv_style *style,
	     struct bytes field);

struct csv_field {
	size_t begin, end;		/* in csv_record.text */
	bool null;			/* written as style->null, without quotes */
};
struct csv_record {
	struct buf text;
	struct buf fields;		/* struct csv_field */
	bool quoted, open;		/* of the field under way */
	size_t begin;
};
#define CSV_RECORD_INIT ((struct csv_record){ BUF_INIT, BUF_INIT, 0, 0, 0 })
void csv_release(struct csv_record *r);
void csv_clear(struct csv_record *r);
/* A line with its newline. True: the record is whole; false: it goes on in the
 * next line. Want of memory is in r->text.failed and r->fields.failed. */
bool csv_feed(struct csv_record *r, const struct csv_style *style,
	      struct bytes line);
/* The end of input came inside of a record: what is there is one. */
void csv_finish(struct csv_record *r);
size_t csv_count(const struct csv_record *r);
/* The field's text, or null. */
struct bytes csv_field(const struct csv_record *r, size_t i);

/* ---------------------------------------------------------------- values */
/*
 * Append the binary form of a field: a literal, or a compound value as cqlsh
 * writes it. null: the text that means null inside. As type_read_text.
 */
int copy_read_value(struct buf *out, const struct type *t, struct bytes text,
		    struct bytes null, struct type_error *error);

struct copy;
/* Append a value that is not null as the options have it. */
void copy_print_text(struct buf *out, const struct copy *c,
		     const struct type *t, struct bytes value);
/* True if it is the text that copy_print_text writes for a value of no bytes,
 * as of an int. */
bool copy_is_empty_value(const struct type *t, struct bytes field);
/* Append the text that CQL takes for a field that was written so. */
void copy_plain_text(struct buf *out, const struct copy *c,
		     const struct type *t, struct bytes field);

/* ------------------------------------------------------------------ COPY */
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
void copy_to(struct copy *c);
void copy_from(struct copy *c);
/* Read what is left of STDIN: it is no CQL. */
void copy_skip_input(struct copy *c);
/* The option of that name, or -1. */
int copy_option_named(struct bytes name);
/* As shell_copy.option_name. */
const char *copy_option_name(size_t i, bool from);
/* Why the command cannot have the option (-1: there is none): NULL, it can. */
const char *copy_option_refused(const struct copy *c, int option);
/* Set it. Returns NULL, or what is wrong with the value, which ends with a
 * 0. */
const char *copy_option_set(struct copy *c, int option, struct bytes value);
/* Set the options of CONFIGFILE that the command does not set. 0 or -errno;
 * faults of the file are printed. */
int copy_read_config(struct copy *c);
/* Return what is wrong with the options together, or NULL. */
const char *copy_options_wrong(const struct copy *c);

/* Ask for name, kind and position of the table's columns; text: the statement,
 * for errors. 0 or -errno. */
int copy_ask_columns(struct copy *c, struct buf *text);
/* "Processed: 12 rows; Rate: 6 rows/s" on a terminal, and into RATEFILE, now
 * and then. */
void copy_progress(struct copy *c, bool end);
/* Take the line of it away, since a message comes. */
void copy_progress_hide(struct copy *c);
/* A path as written, with "~/" as a shell has it, in c's arena. */
const char *copy_path(struct copy *c, struct bytes text);
/* The end of it after an error of the backend's, or of the file at path. */
void copy_failed(struct copy *c, const char *path, int err,
		 struct bytes statement);
/* The same where the backend has no word in it. */
void copy_ended(struct copy *c, const char *path, int err);
double copy_seconds(const struct copy *c);
#endif
