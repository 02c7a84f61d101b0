/* SET, VALUES and the columns of DELETE, turned into changes. */
#ifndef STORE_CQL_MODIFY_ASSIGNMENT_H
#define STORE_CQL_MODIFY_ASSIGNMENT_H
#include "store/cql/modify/modify.h"

/*
 * Make a change of `column = value` (INSERT), of an item of SET, or of an item
 * of DELETE. conditional: the statement has an IF, so that numbers and texts
 * may be added to. Values are in the statement's arena. 0, what refuse()
 * returns, or -ENOMEM.
 */
int assignment_change_of_value(struct execution *x, struct change *c,
			       const struct column *column,
			       const struct term *value);
int assignment_change(struct execution *x, struct change *c,
		      const struct table *t, const struct assignment *a,
		      bool conditional);
int assignment_change_of_deletion(struct execution *x, struct change *c,
				  const struct table *t,
				  const struct deleted_item *d);
#endif
