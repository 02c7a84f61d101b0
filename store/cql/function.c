/*
 * Which function a call means. The candidates are gathered by name, then the
 * arguments decide, as Cassandra's FunctionResolver does it: with one candidate
 * the first argument that does not suit is named; with several an exact match
 * wins, then the only one that suits at all.
 */
#include "store/cql/selectable.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct function *candidate_add(struct execution *x, struct candidates *c,
			       const char *name, uint32_t arg_count,
			       const struct type *result)
{
	struct function *f;

	if (!c->items) {
		c->items = arena_zalloc(x->arena, FUNCTION_CANDIDATES_MAX,
					sizeof(*c->items));
		if (!c->items)
			c->failed = true;
	}
	if (c->failed || c->count == FUNCTION_CANDIDATES_MAX)
		return NULL;
	f = &c->items[c->count];
	f->args = arena_zalloc(x->arena, arg_count ? arg_count : 1,
			       sizeof(*f->args));
	if (!f->args) {
		c->failed = true;
		return NULL;
	}
	c->count++;
	f->name = name;
	f->arg_count = arg_count;
	f->result = result;
	return f;
}

const struct type *argument_type(struct execution *x, const struct argument *a)
{
	if (a->type || a->unclear)
		return a->type;
	return a->selectable ? selectable_type(x, a->selectable) :
			       term_type(x, a->term);
}

const char *text_of_argument(struct execution *x, const struct argument *a)
{
	return a->selectable ? selectable_text(x, a->selectable) :
			       text_of_term(x, a->term);
}

enum assignable argument_assignable(struct execution *x,
				    const struct argument *a,
				    const struct type *receiver)
{
	if (a->unclear)
		return WEAKLY_ASSIGNABLE;
	if (a->selectable)
		return selectable_assignable(x, a->selectable, receiver);
	return a->type ? type_assignable(a->type, receiver) :
			 term_assignable(x, a->term, receiver);
}

void function_print_signature(struct buf *out, const struct function *f)
{
	const char *quote = *f->name == '_' ? "\"" : "";

	buf_add_format(out, "system.%s%s%s : (", quote, f->name, quote);
	for (uint32_t i = 0; i < f->arg_count; i++) {
		if (i)
			buf_add_str(out, ", ");
		type_print(out, f->args[i], true);
	}
	buf_add_str(out, ") -> ");
	type_print(out, f->result, true);
}

static const char *signatures(struct execution *x, const struct candidates *c,
			      const bool *only)
{
	struct buf buf = BUF_INIT;

	for (uint32_t i = 0; i < c->count; i++) {
		if (only && !only[i])
			continue;
		if (buf.len)
			buf_add_str(&buf, ", ");
		function_print_signature(&buf, &c->items[i]);
	}
	return text_of_buf(x, &buf);
}

static const enum type_kind numeric[] = {
	TYPE_TINYINT, TYPE_SMALLINT, TYPE_INT, TYPE_BIGINT, TYPE_FLOAT,
	TYPE_DOUBLE, TYPE_DECIMAL, TYPE_VARINT, TYPE_COUNTER,
};

/* --------------------------------------------------------- choosing one */
static int check_single(struct execution *x, const struct function *f,
			const struct argument *args, uint32_t count)
{
	if (f->arg_count != count)
		return refuse(x, "Invalid number of arguments in call to "
				 "function system.%s: %u required but %u "
				 "provided", f->name, f->arg_count, count);
	for (uint32_t i = 0; i < count; i++) {
		int err = args[i].selectable ? 0 :
			  refuse_misplaced_list(x, args[i].term, f->args[i]);

		if (err)
			return err;
		if (!argument_assignable(x, &args[i], f->args[i]))
			return refuse(x, "Type error: %s cannot be passed as "
					 "argument %u of function system.%s of "
					 "type %s",
				      text_of_argument(x, &args[i]), i, f->name,
				      text_of_type(x, f->args[i]));
	}
	return 0;
}

static enum assignable match(struct execution *x, const struct function *f,
			     const struct argument *args, uint32_t count,
			     const struct type *receiver)
{
	enum assignable all = EXACTLY_ASSIGNABLE, one;

	if (f->arg_count != count ||
	    (receiver && !type_assignable(f->result, receiver)))
		return NOT_ASSIGNABLE;
	for (uint32_t i = 0; i < count && all; i++) {
		one = argument_assignable(x, &args[i], f->args[i]);
		if (one < all)
			all = one;
	}
	return all;
}

/* Several suit an operation: the one on the receiver's own type is meant. */
static int choose_operation(struct execution *x, const struct function **out,
			    const struct candidates *c, const bool *suits,
			    const struct argument *args,
			    const struct type *receiver)
{
	const struct function *f;

	for (uint32_t i = 0; i < c->count && receiver; i++) {
		f = &c->items[i];
		if (suits[i] && type_equal(f->args[0], receiver) &&
		    (f->arg_count == 1 ||
		     type_equal(f->args[1], receiver))) {
			*out = f;
			return 0;
		}
	}
	if (c->items[0].op == '~')
		return refuse(x, "Ambiguous negation: use type casts to "
				 "disambiguate");
	return refuse(x, "Ambiguous '%c' operation with args %s and %s: use "
			 "type hint to disambiguate, example '(int) ?'",
		      c->items[0].op, text_of_argument(x, &args[0]),
		      text_of_argument(x, &args[1]));
}

static int refuse_none(struct execution *x, const struct candidates *c,
		       const struct argument *args, const char *name)
{
	if (c->items[0].op && c->items[0].op != '~')
		return refuse(x, "the '%c' operation is not supported between "
				 "%s and %s", c->items[0].op,
			      text_of_argument(x, &args[0]),
			      text_of_argument(x, &args[1]));
	return refuse(x, "Invalid call to function %s, none of its type "
			 "signatures match (known type signatures: %s)", name,
		      signatures(x, c, NULL));
}

/* name is how the message says it: with "system." where the caller wrote so. */
static int choose(struct execution *x, const struct function **out,
		  const struct candidates *c, const struct argument *args,
		  uint32_t count, const struct type *receiver, const char *name)
{
	bool suits[FUNCTION_CANDIDATES_MAX] = { false };
	uint32_t suiting = 0, last = 0;

	if (c->failed)
		return -ENOMEM;
	*out = NULL;
	if (!c->count)
		return 0;
	if (c->count == 1 && !c->items[0].op) {
		*out = &c->items[0];
		return check_single(x, *out, args, count);
	}
	for (uint32_t i = 0; i < c->count; i++) {
		switch (match(x, &c->items[i], args, count, receiver)) {
		case EXACTLY_ASSIGNABLE:
			*out = &c->items[i];
			return 0;
		case WEAKLY_ASSIGNABLE:
			suits[i] = true;
			suiting++;
			last = i;
			break;
		default:
			break;
		}
	}
	if (!suiting)
		return refuse_none(x, c, args, name);
	if (suiting > 1 && c->items[0].op)
		return choose_operation(x, out, c, suits, args, receiver);
	if (suiting > 1)
		return refuse(x, "Ambiguous call to function %s (can be "
				 "matched by following signatures: %s): use "
				 "type casts to disambiguate", name,
			      signatures(x, c, suits));
	*out = &c->items[last];
	return 0;
}

/* ------------------------------------------------- functions by their name */
static bool is_name(const char *name, const char *wanted)
{
	return wanted && !strcmp(name, wanted);
}

static void table_candidates(struct execution *x, struct candidates *c,
			     const char *name,
			     const struct native_function *table, size_t count)
{
	struct function *f;

	for (size_t i = 0; i < count; i++) {
		if (!is_name(name, table[i].name) &&
		    !is_name(name, table[i].alias))
			continue;
		f = candidate_add(x, c, name, table[i].arg_count,
				  type_native(table[i].result));
		if (!f)
			return;
		for (uint32_t a = 0; a < table[i].arg_count; a++)
			f->args[a] = type_native(table[i].args[a]);
		f->apply = table[i].apply;
		f->monotonic = table[i].monotonic;
	}
}

/* int_as_blob, intasblob, blob_as_int, blobasint. */
static void blob_candidates(struct execution *x, struct candidates *c,
			    const char *name)
{
	static const char *const middles[] = { "_as_", "as" };
	const struct type *blob = type_native(TYPE_BLOB), *t;
	const char *word;
	char made[64];
	struct function *f;

	if (!strstr(name, "blob"))
		return;
	/* One more than there are: varchar, the other name of text. */
	for (unsigned k = 0; k <= TYPE_NATIVE_COUNT * 2 + 1; k++) {
		unsigned kind = k / 2;

		if (kind == TYPE_BLOB || kind == TYPE_EMPTY)
			continue;
		word = kind == TYPE_NATIVE_COUNT ? "varchar" :
						   type_kind_name(kind);
		t = type_native(kind == TYPE_NATIVE_COUNT ? TYPE_TEXT : kind);
		snprintf(made, sizeof(made), "%s%sblob", word, middles[k % 2]);
		if (is_name(name, made)) {
			f = candidate_add(x, c, name, 1, blob);
			if (f) {
				f->args[0] = t;
				f->apply = function_as_blob;
				f->takes_null = true;
			}
			return;
		}
		snprintf(made, sizeof(made), "blob%s%s", middles[k % 2], word);
		if (is_name(name, made)) {
			f = candidate_add(x, c, name, 1, t);
			if (f) {
				f->args[0] = blob;
				f->apply = function_from_blob;
			}
			return;
		}
	}
}

static void token_candidate(struct execution *x, struct candidates *c,
			    const struct table *t)
{
	struct function *f = candidate_add(x, c, "token",
					   t->partition_key_count,
					   type_native(TYPE_BIGINT));

	for (uint32_t i = 0; f && i < t->partition_key_count; i++)
		f->args[i] = table_partition_column(t, i)->type;
	if (f) {
		f->apply = function_token;
		f->table = t;
		f->made = true;
	}
}

/* ------------------------------------------------------------------ casts */
static void add_cast(struct execution *x, struct candidates *c,
		     enum type_kind from, enum type_kind to)
{
	struct function *f;

	if (from == to)
		return;
	f = candidate_add(x, c, arena_format(x->arena, "cast_as_%s",
					     type_kind_name(to)),
			  1, type_native(to));
	if (!f)
		return;
	f->args[0] = type_native(from);
	f->apply = function_cast;
}

/* Those to a type: none, when nothing can be cast to it. */
static void cast_candidates(struct execution *x, struct candidates *c,
			    enum type_kind target)
{
	static const enum type_kind printed[] = {
		TYPE_BOOLEAN, TYPE_UUID, TYPE_TIMEUUID, TYPE_INET, TYPE_DATE,
		TYPE_TIME, TYPE_TIMESTAMP,
	};
	bool text = kind_is_text(target);
	size_t i;

	if (text || (kind_is_number(target) && target != TYPE_COUNTER))
		for (i = 0; i < ARRAY_SIZE(numeric); i++)
			add_cast(x, c, numeric[i], target);
	for (i = 0; text && i < ARRAY_SIZE(printed); i++)
		add_cast(x, c, printed[i], target);
	if (target == TYPE_TEXT)
		add_cast(x, c, TYPE_ASCII, target);
	if (target == TYPE_TIMESTAMP || target == TYPE_DATE) {
		add_cast(x, c, TYPE_TIMEUUID, target);
		add_cast(x, c, target == TYPE_DATE ? TYPE_TIMESTAMP :
						     TYPE_DATE, target);
	}
}

static void cast_candidates_by_name(struct execution *x, struct candidates *c,
				    const char *name)
{
	static const char prefix[] = "cast_as_";

	if (strncmp(name, prefix, strlen(prefix)))
		return;
	for (unsigned kind = 0; kind < TYPE_NATIVE_COUNT; kind++)
		if (is_name(name + strlen(prefix), type_kind_name(kind)))
			cast_candidates(x, c, kind);
}

int cast_resolve(struct execution *x, const struct function **out,
		 enum type_kind target, const struct argument *arg)
{
	struct candidates c = { NULL, 0, false };

	*out = NULL;
	cast_candidates(x, &c, target);
	if (!c.count)
		return c.failed ? -ENOMEM : 0;
	return choose(x, out, &c, arg, 1, NULL,
		      arena_format(x->arena, "system.cast_as_%s",
				   type_kind_name(target)));
}

/* ------------------------------------------------------------ any function */
int function_resolve(struct execution *x, const struct function **out,
		     const struct function_query *q)
{
	struct candidates c = { NULL, 0, false };
	const char *name = text_of(x, q->name);
	bool system = !bytes_is_null(q->keyspace);
	int err = 0;

	*out = NULL;
	if (system && !bytes_equal(q->keyspace, bytes_str("system")))
		return 0;
	table_candidates(x, &c, name, function_times, function_time_count);
	if (!c.count)
		table_candidates(x, &c, name, function_numbers,
				 function_number_count);
	if (!c.count)
		blob_candidates(x, &c, name);
	if (!c.count)
		cast_candidates_by_name(x, &c, name);
	if (!c.count && x->table && is_name(name, "token"))
		token_candidate(x, &c, x->table);
	if (!c.count)
		err = generic_candidates(x, &c, q, name);
	if (err)
		return err;
	return choose(x, out, &c, q->args, q->arg_count, q->receiver,
		      system ? arena_format(x->arena, "system.%s", name) :
			       name);
}

/* ------------------------------------------------------------- operations */
/* Among whole numbers the widest. */
static int integer_rank(enum type_kind k)
{
	switch (k) {
	case TYPE_TINYINT:
		return 1;
	case TYPE_SMALLINT:
		return 2;
	case TYPE_INT:
		return 3;
	case TYPE_BIGINT:
	case TYPE_COUNTER:
		return 4;
	case TYPE_VARINT:
		return 5;
	default:
		return 0;
	}
}

static enum type_kind operation_type(enum type_kind a, enum type_kind b)
{
	static const enum type_kind ranked[] = {
		0, TYPE_TINYINT, TYPE_SMALLINT, TYPE_INT, TYPE_BIGINT,
		TYPE_VARINT,
	};
	int ra = integer_rank(a), rb = integer_rank(b);

	if (ra && rb)
		return ranked[ra > rb ? ra : rb];
	if (a == TYPE_DECIMAL || b == TYPE_DECIMAL || ra == 5 || rb == 5)
		return TYPE_DECIMAL;
	if (a == TYPE_DOUBLE || b == TYPE_DOUBLE || ra == 4 || rb == 4)
		return TYPE_DOUBLE;
	return TYPE_FLOAT;
}

static void add_operation(struct execution *x, struct candidates *c, char op,
			  enum type_kind a, enum type_kind b,
			  enum type_kind result)
{
	static const char *const names[] = { ['+'] = "+", ['-'] = "-",
					     ['*'] = "*", ['/'] = "/",
					     ['%'] = "%",
					     ['~'] = "_negate" };
	uint32_t count = op == '~' ? 1 : 2;
	struct function *f = candidate_add(x, c, names[(int)op], count,
					   type_native(result));

	if (!f)
		return;
	f->args[0] = type_native(a);
	if (count == 2)
		f->args[1] = type_native(b);
	f->op = op;
	f->apply = function_operate;
}

int operation_resolve(struct execution *x, const struct function **out, char op,
		      const struct argument *args, uint32_t arg_count,
		      const struct type *receiver)
{
	struct candidates c = { NULL, 0, false };

	for (size_t i = 0; i < ARRAY_SIZE(numeric); i++) {
		if (op == '~') {
			add_operation(x, &c, op, numeric[i], numeric[i],
				      numeric[i]);
			continue;
		}
		for (size_t j = 0; j < ARRAY_SIZE(numeric); j++)
			add_operation(x, &c, op, numeric[i], numeric[j],
				      operation_type(numeric[i], numeric[j]));
	}
	if (op == '+') {
		add_operation(x, &c, op, TYPE_TEXT, TYPE_TEXT, TYPE_TEXT);
		add_operation(x, &c, op, TYPE_ASCII, TYPE_ASCII, TYPE_ASCII);
		add_operation(x, &c, op, TYPE_TEXT, TYPE_ASCII, TYPE_TEXT);
		add_operation(x, &c, op, TYPE_ASCII, TYPE_TEXT, TYPE_TEXT);
	}
	if (op == '+' || op == '-') {
		add_operation(x, &c, op, TYPE_TIMESTAMP, TYPE_DURATION,
			      TYPE_TIMESTAMP);
		add_operation(x, &c, op, TYPE_DATE, TYPE_DURATION, TYPE_DATE);
	}
	return choose(x, out, &c, args, arg_count, receiver, "system._negate");
}

/* ---------------------------------------------------------------- calling */
static bool is_nothing(struct bytes value, const struct type *t)
{
	if (bytes_is_null(value))
		return true;
	return !value.len && t->kind != TYPE_TEXT && t->kind != TYPE_ASCII &&
	       t->kind != TYPE_BLOB;
}

int function_value(struct execution *x, struct bytes *value,
		   const struct function *f, const struct bytes *args)
{
	bool is_null = false;
	int err;

	*value = BYTES_NULL;
	for (uint32_t i = 0; i < f->arg_count && !f->takes_null; i++)
		if (is_nothing(args[i], f->args[i]))
			return 0;
	buf_clear(&x->scratch);
	err = f->apply(x, f, args, &is_null);
	if (err || is_null) {
		buf_clear(&x->scratch);
		return err;
	}
	return keep_scratch(x, value);
}
