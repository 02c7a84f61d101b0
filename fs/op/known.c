#include "fs/op/known.h"

#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/place.h"
#include "store/table/present.h"

/* True if what n shows is in one partition, and nothing else shows another. */
static bool may_be_known(const struct node *n)
{
	const struct file_kind *file = n->ops->file;

	return n->table && n->table != n &&
	       n->table->number &&	/* not virtual */
	       (n->ops->directory || (file && file->load_with_stat)) &&
	       !n->ops->by_position && !n->json && node_is_current(n);
}

struct node_moment known_moment(struct op *op, struct node *n)
{
	struct node_moment m = { .schema = op->schema->version };
	struct place p;

	if (!may_be_known(n) || place_of(op, n, &p) ||
	    bytes_is_null(p.partition_key))
		return m;
	m.token = table_token(p.partition_key);
	m.state = store_partition_state(op->store, n->table->number, m.token);
	return m;
}

bool known_is_same(const struct op *op, const struct node *n,
		   const struct node_moment *m)
{
	return m->state && m->schema == op->schema->version &&
	       may_be_known(n) &&
	       m->state == store_partition_state(op->store, n->table->number,
						 m->token);
}

bool known_now(struct op *op, struct node *n, struct node_known *known)
{
	*known = node_knows(&op->fs->nodes, n);
	return known_is_same(op, n, &known->moment);
}
