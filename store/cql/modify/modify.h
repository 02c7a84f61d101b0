/*
 * INSERT, UPDATE and DELETE in three steps, so that a batch can take each step
 * for all its statements: prepare (names, types, WHERE; nothing is read), plan
 * (which partitions and rows, and the values' own checks), apply (changes into
 * a struct write, reading where an operation has to).
 */
#ifndef STORE_CQL_MODIFY_MODIFY_H
#define STORE_CQL_MODIFY_MODIFY_H
#include "store/cql/where/where.h"

enum change_kind {
	CHANGE_SET,		/* the whole column: value, null deletes */
	CHANGE_ADD,		/* elements of value; list: append */
	CHANGE_PREPEND,
	CHANGE_REMOVE,		/* elements of value (of a map: keys) */
	CHANGE_ELEMENT,		/* [key] = value, null deletes */
	CHANGE_FIELD,		/* .field = value */
	CHANGE_DELETE,		/* the whole column, of DELETE */
	CHANGE_COUNT,		/* delta */
	CHANGE_COMPUTE,		/* value is added to what is there */
};
/* A change of one column. */
struct change {
	enum change_kind kind;
	const struct column *column;
	struct bytes key, value;
	uint32_t field;
	bool minus;			/* of COUNT */
	bool tuple;			/* of SET: written as (a, b) */
	struct late_term *late;		/* told when it is written */
};

/* A condition of IF, resolved. */
struct if_condition {
	const struct column *column;
	enum operator_kind op;
	const struct type *type;	/* of what is compared */
	bool has_key, has_field;
	struct bytes key;
	uint32_t field;
	struct bytes *values;
	uint32_t value_count;
	struct late_term *late;		/* told when it is bound */
};

/* An INSERT, UPDATE or DELETE; its parts are in the statement's arena. */
struct modification {
	enum statement_kind kind;
	const struct table *table;
	struct change *changes;
	uint32_t change_count;
	struct restrictions where;
	bool exists, not_exists;
	struct if_condition *conditions;
	uint32_t condition_count;
	bool has_timestamp, has_ttl;
	const struct using_clause *using;
	bool sets_static, sets_regular, only_statics;
	bool json;			/* INSERT JSON */

	int64_t timestamp_us, ttl;	/* of USING, where it is there */

	/* Set by the plan, and timestamp_us where USING gives none: */
	int32_t ttl_s;
	struct bytes *keys;
	size_t key_count;
	struct bytes **rows;		/* clustering values of whole rows */
	size_t row_count;
	struct slice *slices;		/* DELETE of ranges */
	size_t slice_count;
	bool ranges, nothing;
};

static inline bool modification_is_conditional(const struct modification *m)
{
	return m->exists || m->not_exists || m->condition_count;
}
#endif
