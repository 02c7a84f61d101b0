/*
 * The use that a salvage makes of a damaged store's data, by the number of its
 * table. One thread.
 */
#ifndef STORE_SALVAGE_USE_H
#define STORE_SALVAGE_USE_H
#include "store/lsm/lsm_salvage.h"
#include "store/salvage.h"
#include "store/salvage_catalog.h"

/* All but `unknown` are the caller's. */
struct salvage_uses {
	struct lsm_salvage *from;
	struct salvage_catalog *catalog;
	const struct schema *schema;
	struct buf unknown;		/* an array */
};
enum salvage_use { USE_TAKE, USE_SKIP, USE_UNKNOWN };

/* Take what was given into account. 0, -EINVAL with *refused, -ENOMEM. */
int salvage_use_given(struct salvage_uses *u,
		      const struct salvage_options *options,
		      const struct salvage_given **refused);
/* Decide about the data of a table; *t is the schema of the one that has it now,
 * or NULL. */
enum salvage_use salvage_use_of(const struct salvage_uses *u, uint32_t number,
				const struct table **t);
/* True if cells of that number, of a former table, are of what it is now. */
bool salvage_use_cell(const struct salvage_former *f, uint32_t number);
/* Count an entry of a table that is unknown. 0, -ENOMEM. */
int salvage_use_count(struct salvage_uses *u, uint32_t table);
/* Tell of each number that two tables had which of them lacks rows by that: a line
 * each. */
void salvage_use_tell_twins(const struct salvage_uses *u,
			    void (*lost)(void *context, const char *text),
			    void *context);
/* Tell what was counted: a line for each table. */
void salvage_use_tell(const struct salvage_uses *u,
		      void (*lost)(void *context, const char *text),
		      void *context);
#endif
