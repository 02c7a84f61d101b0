/*
 * The schema of a damaged store, put together from the records of its catalogue
 * that can be read. One thread.
 */
#ifndef STORE_SALVAGE_CATALOG_H
#define STORE_SALVAGE_CATALOG_H
#include "store/row/mutation.h"
#include "store/schema/schema.h"

struct salvage_catalog {
	struct arena arena;
	struct buf records;	/* an array */
	struct buf formers;	/* an array */
	struct buf twins;	/* the same */
	bool failed;		/* no memory */
};
#define SALVAGE_CATALOG_INIT \
	((struct salvage_catalog){ ARENA_INIT, BUF_INIT, BUF_INIT, BUF_INIT, \
				   false })

/* Free what was found. */
void salvage_catalog_release(struct salvage_catalog *c);
/* Note what a row of the catalogue says; a later version wins. 0, -ENOMEM. */
int salvage_catalog_add(struct salvage_catalog *c, struct bytes key,
			const struct row *row);
/*
 * Make the schema. lost is called with a line for each record that is damaged.
 * Indexes are marked as to be built. *next_number: above all numbers of tables
 * in it. 0, -EPROTONOSUPPORT, -ENOMEM.
 */
int salvage_catalog_schema(struct salvage_catalog *c, struct schema **out,
			   uint32_t *next_number,
			   void (*lost)(void *context, const char *text),
			   void *context);
/*
 * Knowledge of older records of the catalogue that the schema lacks. A
 * restore makes a new table with the files of the one that it was, and leaves it
 * its id: so these files, which name the old number, are found.
 */
struct salvage_former {
	uint32_t number;
	bool hidden;			/* of an index */
	const struct table *now;	/* restored as it; NULL: it is gone */
	const char *name;		/* with its keyspace */
	/* Columns whose numbers are of others now. */
	struct former_column *others;
};
struct former_column {
	uint32_t number;
	const char *name;
	struct former_column *next;
};
/* Return the former table or index of that number, or NULL; valid as long as the
 * schema that was made and c. */
const struct salvage_former *
salvage_catalog_former(const struct salvage_catalog *c, uint32_t number);
/*
 * A table that was restored under the name that it had, while the table of that
 * name had another one since, and kept the number: files of both name it.
 */
struct salvage_twin {
	uint32_t number;
	const struct table *restored, *renamed;
};
/* Return the twins, *count of them; valid as formers are. */
const struct salvage_twin *
salvage_catalog_twins(const struct salvage_catalog *c, size_t *count);
/* Say that the table of that number, which the schema has not or a twin has, is
 * `now`. 0, -ENOMEM. */
int salvage_catalog_give(struct salvage_catalog *c, uint32_t number,
			 const struct table *now);
/* Add the whole schema to a batch; a failure shows in the batch. */
void salvage_catalog_put(struct batch *batch, const struct schema *schema,
			 uint32_t next_number);
#endif
