/* Properties of WITH, read as text, number, flag or map. */
#ifndef STORE_CQL_SCHEMA_PROPERTY_H
#define STORE_CQL_SCHEMA_PROPERTY_H
#include "store/cql/schema/ddl.h"

/* Return the property of that name, or NULL. */
const struct written_property *property_find(const struct properties *p,
					     const char *name);
/* Read a value in one of its forms: 0 or refused. */
int property_text(struct ddl *d, const char **out,
		  const struct written_property *p);
int property_bool(struct ddl *d, bool *out, const struct written_property *p);
int property_int(struct ddl *d, int32_t *out, const struct written_property *p);
int property_double(struct ddl *d, double *out,
		    const struct written_property *p);
int property_map(struct ddl *d, const struct written_property *p);
/* Return an entry of a map as text; NULL when it is missing. */
const char *property_entry(struct ddl *d, const struct written_property *p,
			   const char *name);
/* Check that every name of p is among the count names. */
int property_check_names(struct ddl *d, const struct properties *p,
			 const char *const *names, size_t count);
/* Read as Java's Integer.parseInt, Long.parseLong, Double.parseDouble: false
 * when text is no number. */
bool property_read_int(int32_t *out, const char *text);
bool property_read_long(int64_t *out, const char *text);
bool property_read_double(double *out, const char *text);
/*
 * Return the order in which Cassandra iterates over `count` names, `stride`
 * bytes apart (store/base/java.h): their places, in the arena, or NULL without
 * memory.
 */
const uint32_t *property_java_order(struct ddl *d,
				    const struct identifier *names,
				    uint32_t count, size_t stride);
/* Print a double as Java does. */
const char *property_text_of_double(struct ddl *d, double x);
#endif
