/*
 * Options as data: the valid values, and the messages for others, in
 * Cassandra's words.
 */
#ifndef STORE_CQL_SCHEMA_OPTION_H
#define STORE_CQL_SCHEMA_OPTION_H
#include "store/cql/schema/ddl.h"

enum option_form {
	OPTION_ANY,
	OPTION_INT, OPTION_LONG, OPTION_DOUBLE,		/* as Java reads them */
	OPTION_FLAG,			/* true or false, in any case */
	OPTION_WORD, OPTION_WORD_IN_ANY_CASE,
};

struct option {
	const char *name;
	unsigned of;			/* owners: bits as its user defines */
	enum option_form form;
	double low, high;	/* bounds of a number with outside; high 0: none */
	const char *words;		/* separated by blanks */
	/*
	 * Messages, each with a %s for the value: it has another form (NULL: it
	 * is not a parsable int or float); it is out of bounds.
	 */
	const char *wrong, *outside;
	bool shouts;			/* the value is printed in upper case */
	bool as_written;		/* a number is printed as written */
	/* Replaces the check of the form. */
	int (*check)(struct ddl *d, const struct option *option,
		     const char *value);
};

/* Check the value: 0, or refused. */
int option_check(struct ddl *d, const struct option *option,
		 const char *value);
#endif
