/*
 * What the parts of DDL share. A statement makes the next version of the schema
 * inside store_edit_schema: it looks at the present version only there, so that
 * two statements at once see each other. Inside store/cql only.
 *
 * Checks come in Cassandra's order, with its words: a statement
 * with several faults is refused for the same one.
 */
#ifndef STORE_CQL_SCHEMA_DDL_H
#define STORE_CQL_SCHEMA_DDL_H
#include "store/cql/statement/statement.h"
#include "store/schema/schema_edit.h"

struct ddl {
	struct execution *x;
	const struct statement *statement;
	struct bytes keyspace;		/* that it is about, there or not */
	const struct schema *now;	/* in force: valid inside the edit */
	struct schema *next;		/* NULL: nothing changes */
};

/* Start the next version: 0 or -ENOMEM. */
int ddl_begin(struct ddl *d);
/* The keyspace; refuses when there is none. */
int ddl_keyspace(struct ddl *d, const struct keyspace **k);
/* The table of that name in k (which may be NULL), or NULL; -EACCES where the
 * user may not change it. */
int ddl_table(struct ddl *d, const struct keyspace *k, struct bytes name,
	      const struct table **t);
/* Put a table, changed or new, into the next version: takes it over. */
int ddl_set_table(struct ddl *d, struct table *t);
/* [A-Za-z0-9_]+, at most so long. */
bool ddl_is_plain_name(struct bytes name, size_t longest);
/* Names of columns and fields: any text, but bounded. */
int ddl_check_name(struct ddl *d, struct bytes name);

/* The statements: each sets d->next or refuses. */
int create_keyspace(struct ddl *d);
int alter_keyspace(struct ddl *d);
int create_table(struct ddl *d);
/* The table is there already: IF NOT EXISTS is content with that. */
int refuse_existing(struct ddl *d);
/* What CREATE TABLE alone has wrong, when there is a keyspace to look in. */
int check_new_table(struct ddl *d);
int alter_table(struct ddl *d);
int create_type(struct ddl *d);
int alter_type(struct ddl *d);
int drop_type(struct ddl *d);
int create_index(struct ddl *d);
int drop_index(struct ddl *d);
int execute_describe(struct cql_result *r, const struct describe *s);

/* ---------------------------------------------------- masks (mask.c) */
/* Data masking is off, as Cassandra ships it: but ADD is not asked. */
int refuse_mask(struct ddl *d);
/*
 * The mask of a new column of table t, of that type: the function and the values
 * of its arguments, a reference. Refused where no such function masks.
 */
int ddl_mask(struct ddl *d, struct column_mask **out, const struct table *t,
	     const struct column_definition *c, const struct type *type);

/* What a table has to be whatever made it (Cassandra's validate). */
int check_table(struct ddl *d, const struct table *t);
/* A multi-cell user type may have no multi-cell fields. for_column NULL: it is
 * not said of which. */
int check_nested_fields(struct ddl *d, const struct type *t,
			const char *for_column);

/* --------------------------------------------- options (table_options.c) */
/*
 * WITH of a table. read_table_options refuses what cannot be read and changes
 * *o; check_table_options refuses names that are no option, and values of *o
 * that are out of their bounds.
 */
int read_table_options(struct ddl *d, struct table_options *o,
		       const struct properties *p);
int check_table_options(struct ddl *d, const struct table_options *o,
			const struct properties *p);
/* The id given, *given false when there is none. */
int read_table_id(struct ddl *d, uint8_t id[16], bool *given,
		  const struct properties *p);

/* ---------------------------------------- properties (property.c) */
const struct written_property *find_property(const struct properties *p,
					     const char *name);
/* The forms of a value: 0 or refused. */
int property_text(struct ddl *d, const char **out,
		  const struct written_property *p);
int property_bool(struct ddl *d, bool *out, const struct written_property *p);
int property_int(struct ddl *d, int32_t *out, const struct written_property *p);
int property_double(struct ddl *d, double *out,
		    const struct written_property *p);
int property_map(struct ddl *d, const struct written_property *p);
/* An entry of a map as text; NULL when it is not there. */
const char *property_entry(struct ddl *d, const struct written_property *p,
			   const char *name);
/* Every name of p is among the count names. */
int check_property_names(struct ddl *d, const struct properties *p,
			 const char *const *names, size_t count);
/* Java's Integer.parseInt, Long.parseLong, Double.parseDouble: false when text
 * is none. */
bool read_java_int(int32_t *out, const char *text);
bool read_java_long(int64_t *out, const char *text);
bool read_java_double(double *out, const char *text);
/*
 * The order in which Cassandra goes over `count` names, `stride` bytes apart
 * (store/base/java.h): their places, in the arena, or NULL without memory.
 */
const uint32_t *java_order(struct ddl *d, const struct identifier *names,
			   uint32_t count, size_t stride);
/* As Java prints a double. */
const char *text_of_double(struct ddl *d, double x);
/* Refuse with a ConfigurationException. */
#define misconfigured(d, ...) \
	refuse_as((d)->x, CQL_CONFIGURATION, __VA_ARGS__)

/* By the same two steps, in compaction_options.c and compression_options.c. */
int read_compaction(struct ddl *d, struct table_options *o,
		    const struct written_property *p);
int check_compaction(struct ddl *d, const struct table_options *o);
int read_compression(struct ddl *d, struct table_options *o,
		     const struct written_property *p);

/* ------------------------------------------------ indexes (index_options.c) */
/* What a CUSTOM index of the class takes; t has the index among its own. */
int check_index_options(struct ddl *d, const struct table *t,
			const struct index *index);
#endif
