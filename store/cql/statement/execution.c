/* The execution of one statement: its values, types, timestamp, keyspace. */
#include <errno.h>

#include "store/cql/statement/execution.h"
#include "store/cql/statement/statement.h"
#include "store/store.h"

int execution_keep_scratch(struct execution *x, struct bytes *value)
{
	if (x->scratch.failed) {
		buf_clear(&x->scratch);
		return -ENOMEM;
	}
	*value = arena_copy(x->arena, buf_bytes(&x->scratch));
	buf_clear(&x->scratch);
	return value->ptr ? 0 : -ENOMEM;
}

const struct type *execution_own_type(struct execution *x, struct type *t)
{
	struct owned_type *owned;

	if (!t)
		return NULL;
	owned = arena_alloc(x->arena, sizeof(*owned));
	if (!owned) {
		type_put(t);
		return NULL;
	}
	owned->type = t;
	owned->next = x->types;
	x->types = owned;
	return t;
}

int64_t execution_timestamp(struct execution *x)
{
	if (!x->timestamp_us)
		x->timestamp_us = store_timestamp(x->store);
	return x->timestamp_us;
}

struct bytes execution_keyspace(const struct execution *x)
{
	const char *used = x->session->keyspace;

	return bytes_str(x->hint_keyspace ? x->hint_keyspace :
			 x->table ? x->table->keyspace :
			 used ? used : "");
}
