/* Salvage a damaged store: copy its sound parts to a new store, and report the
 * lost ones. The damaged store is locked and read, never written. */
#ifndef STORE_SALVAGE_H
#define STORE_SALVAGE_H
#include <sys/types.h>

#include "store/base/file.h"

/* Knowledge that only a person has: this data is of that table. */
struct salvage_given {
	uint32_t number;		/* of a table that has no schema; or 0: */
	uint64_t file;			/* of an sstable that names no table */
	const char *keyspace, *table;
};
struct salvage_options {
	bool dry;			/* look and tell only */
	const struct salvage_given *given;
	size_t given_count;
};

/* One thread. Texts are lines without a newline. */
struct salvage_told {
	void (*plan)(void *context, const char *text);	/* what will be done */
	void (*lost)(void *context, const char *text);
	void (*progress)(void *context, uint64_t done, uint64_t total);
	void *context;
};
struct salvage_counts {
	uint64_t tables, entries;	/* entries: rows and deletions taken */
	uint64_t lost;			/* lines told */
	pid_t holder;			/* after -EBUSY; 0: not known */
	bool of_new;			/* the error is of the new store, */
	bool begun;			/* which is there, and not whole */
	char unreadable[64];		/* after -EACCES: a file of the engine */
	const struct salvage_given *refused;	/* after -EINVAL */
};

/*
 * Salvage the store at path into a new one at new_path, which must be missing
 * or an empty directory (-ENOTEMPTY, of_new). The catalogue is written last: an
 * interrupted new store has no tables. 0 (lost may be anything); -EINVAL: what
 * was given names no table, or nothing that is without one; else errors as
 * store_open.
 */
int store_salvage(const char *path, const char *new_path,
		  const struct salvage_options *options,
		  const struct salvage_told *told,
		  struct salvage_counts *counts);
#endif
