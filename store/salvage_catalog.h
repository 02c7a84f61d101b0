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
	bool failed;		/* no memory */
};
#define SALVAGE_CATALOG_INIT \
	((struct salvage_catalog){ ARENA_INIT, BUF_INIT, false })

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
/* Add the whole schema to a batch; a failure shows in the batch. */
void salvage_catalog_put(struct batch *batch, const struct schema *schema,
			 uint32_t next_number);
#endif
