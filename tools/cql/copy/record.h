/* An import: from.c reads records, and record.c makes statements of them. */
#ifndef TOOLS_CQL_COPY_RECORD_H
#define TOOLS_CQL_COPY_RECORD_H
#include "tools/cql/copy/copy.h"

struct import {
	struct copy *copy;
	const char *name;		/* of the file, for messages */
	FILE *file;			/* NULL: lines of the shell's source */
	unsigned long files;		/* read so far */
	FILE *rejects;			/* ERRFILE, or NULL */
	struct csv_record record;
	struct buf raw;			/* the record's lines as they came */
	struct buf statement, value, plain;
	struct buf partition;		/* key and statics of the last record
					 * that was written, if it had a row */
	size_t *place;			/* a field's column; SIZE_MAX: none */
	size_t field_count;
	bool counters;
	unsigned long line;		/* where the record began */
	unsigned long lines;
	long parse_errors, insert_errors;
	uint64_t records, skipped;	/* of all files */
	bool full;			/* of errors, or of MAXROWS */
};

/* Write im->record. 0, also for a record that was rejected, or -errno. */
int copy_import_record(struct import *im);
#endif
