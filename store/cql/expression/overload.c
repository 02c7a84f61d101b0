/*
 * Choose the function of a call. The candidates are collected by name, then the
 * arguments decide, as in Cassandra's FunctionResolver: with one candidate the
 * first argument that does not match is named; with several an exact match
 * wins, then the only one that matches at all.
 */
#include "store/cql/expression/assignability.h"
#include "store/cql/expression/function_generic.h"
#include "store/cql/expression/function_native.h"
#include "store/cql/expression/function_number.h"
#include "store/cql/expression/overload.h"
#include "store/cql/expression/selectable.h"
#include "store/cql/statement/execution.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"
#include "store/cql/syntax/ast_print.h"
#include "store/type/native.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FUNCTION_CANDIDATES_MAX 32

struct function *function_candidate_add(struct execution *x,
					struct candidates *c, const char *name,
					uint32_t arg_count,
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

const struct type *function_argument_type(struct execution *x,
					  const struct argument *a)
{
	if (a->type)
		return a->type;
	return a->selectable ? selectable_type(x, a->selectable) :
			       assignable_term_type(x, a->term);
}

const char *function_text_of_argument(struct execution *x,
				      const struct argument *a)
{
	if (a->text)
		return a->text;
	return a->selectable ? selectable_text(x, a->selectable) :
			       text_of_term(x, a->term);
}

static enum assignable argument_assignable(struct execution *x,
					   const struct argument *a,
					   const struct type *receiver)
{
	if (a->selectable)
		return selectable_assignable(x, a->selectable, receiver);
	return a->type ? assignable_type(a->type, receiver) :
			 assignable_term(x, a->term, receiver);
}

int function_argument_match(struct execution *x, const struct argument *a,
			    const struct type *receiver)
{
	int err = a->selectable || !a->term ?
			  0 : assignable_refuse_at_test(x, a->term, receiver);
	enum assignable suits;

	if (err)
		return err;
	suits = argument_assignable(x, a, receiver);
	return suits || !cql_error_is_set(&x->session->error) ? (int)suits :
								 -EINVAL;
}

void function_print_signature(struct buf *out, const struct function *f,
			      uint32_t constants)
{
	if (f->op)
		buf_add_format(out, "system.\"%s\"", ast_operation_name(f->op));
	else
		buf_add_format(out, "%s%s", f->apply == function_token ?
						    "" : "system.", f->name);
	buf_add_str(out, " : (");
	for (uint32_t i = 0; i < f->arg_count; i++) {
		if (i)
			buf_add_str(out, ", ");
		type_print(out, f->args[i], true);
		if (i < 32 && constants >> i & 1)
			buf_add_str(out, "(constant)");
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
		function_print_signature(&buf, &c->items[i], 0);
	}
	return text_of_buf(x, &buf);
}

const enum type_kind function_number_kinds[NUMBER_KINDS] = {
	TYPE_INT, TYPE_BIGINT, TYPE_VARINT, TYPE_DOUBLE, TYPE_DECIMAL,
	TYPE_FLOAT, TYPE_SMALLINT, TYPE_TINYINT, TYPE_COUNTER,
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
		int suits = function_argument_match(x, &args[i], f->args[i]);

		if (suits < 0)
			return suits;
		if (!suits)
			return refuse(x,
				      "Type error: %s cannot be passed as "
				      "argument %u of function system.%s of "
				      "type %s",
				      function_text_of_argument(x, &args[i]), i,
				      f->name, text_of_type(x, f->args[i]));
	}
	return 0;
}

/* Returns an enum assignable, or the refusal of a list. */
static int match(struct execution *x, const struct function *f,
		 const struct argument *args, uint32_t count,
		 const struct type *receiver)
{
	int all = EXACTLY_ASSIGNABLE, one;

	if (f->arg_count != count ||
	    (receiver && !assignable_type(f->result, receiver)))
		return NOT_ASSIGNABLE;
	for (uint32_t i = 0; i < count && all > 0; i++) {
		one = function_argument_match(x, &args[i], f->args[i]);
		if (one < all)
			all = one;
	}
	return all;
}

/* name: as the message has it, with "system." where the caller wrote so. */
static int choose(struct execution *x, const struct function **out,
		  const struct candidates *c, const struct argument *args,
		  uint32_t count, const struct type *receiver, const char *name)
{
	bool suits[FUNCTION_CANDIDATES_MAX] = { false };
	uint32_t suiting = 0, last = 0;
	int one;

	if (c->failed)
		return -ENOMEM;
	*out = NULL;
	if (!c->count)
		return 0;
	if (c->count == 1) {
		*out = &c->items[0];
		return check_single(x, *out, args, count);
	}
	for (uint32_t i = 0; i < c->count; i++) {
		one = match(x, &c->items[i], args, count, receiver);
		if (one < 0)
			return one;
		switch (one) {
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
	if (suiting != 1 && x->quiet)
		return -EINVAL;
	if (!suiting)
		return refuse(x, "Invalid call to function %s, none of its "
				 "type signatures match (known type "
				 "signatures: %s)", name,
			      signatures(x, c, NULL));
	if (suiting > 1 && c->items[0].op)
		return refuse(x, "Ambiguous negation: use type casts to "
				 "disambiguate");
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
		f = function_candidate_add(x, c, name, table[i].arg_count,
					   type_native(table[i].result));
		if (!f)
			return;
		for (uint32_t a = 0; a < table[i].arg_count; a++)
			f->args[a] = type_native(table[i].args[a]);
		f->apply = table[i].apply;
		f->monotonic = table[i].monotonic;
	}
}

/* Add int_as_blob, intasblob, blob_as_int, blobasint. */
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
	/* One more than there are kinds: varchar, the other name of text. */
	for (unsigned k = 0; k <= TYPE_KIND_COUNT * 2 + 1; k++) {
		unsigned kind = k / 2;

		if (kind == TYPE_BLOB || kind == TYPE_EMPTY ||
		    !kind_is_native(kind))
			continue;
		word = kind == TYPE_KIND_COUNT ? "varchar" :
						 type_kind_name(kind);
		t = type_native(kind == TYPE_KIND_COUNT ? TYPE_TEXT : kind);
		snprintf(made, sizeof(made), "%s%sblob", word, middles[k % 2]);
		if (is_name(name, made)) {
			f = function_candidate_add(x, c, name, 1, blob);
			if (f) {
				f->args[0] = t;
				f->apply = function_as_blob;
				f->takes_null = true;
			}
			return;
		}
		snprintf(made, sizeof(made), "blob%s%s", middles[k % 2], word);
		if (is_name(name, made)) {
			f = function_candidate_add(x, c, name, 1, t);
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
	struct function *f = function_candidate_add(x, c, "token",
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
	f = function_candidate_add(x, c, arena_format(x->arena, "cast_as_%s",
						      type_kind_name(to)),
				   1, type_native(to));
	if (!f)
		return;
	f->args[0] = type_native(from);
	f->apply = function_cast;
}

/* Add the casts to a type: none, when nothing can be cast to it. */
static void cast_candidates(struct execution *x, struct candidates *c,
			    enum type_kind target)
{
	bool text = kind_is_text(target);
	size_t i;

	if (text || (type_kind_is_number(target) && target != TYPE_COUNTER))
		for (i = 0; i < NUMBER_KINDS; i++)
			add_cast(x, c, function_number_kinds[i], target);
	for (i = 0; text && i < TYPE_KIND_COUNT; i++)
		if (native_types[i] && native_types[i]->casts_to_text)
			add_cast(x, c, (enum type_kind)i, target);
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
	for (unsigned kind = 0; kind < TYPE_KIND_COUNT; kind++)
		if (kind_is_native(kind) &&
		    is_name(name + strlen(prefix), type_kind_name(kind)))
			cast_candidates(x, c, kind);
}

int function_resolve_cast(struct execution *x, const struct function **out,
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

/* -------------------------------------------------------------- negations */
int function_resolve_negation(struct execution *x, const struct function **out,
			      const struct argument *arg,
			      const struct type *receiver)
{
	struct candidates c = { NULL, 0, false };
	struct function *f;

	for (size_t i = 0; i < NUMBER_KINDS; i++) {
		f = function_candidate_add(
			x, &c, "_negate", 1,
			type_native(function_number_kinds[i]));
		if (!f)
			return -ENOMEM;
		f->args[0] = f->result;
		f->op = '~';
		f->apply = function_operate;
	}
	return choose(x, out, &c, arg, 1, receiver, "system._negate");
}

/* ---------------------------------------------------------------- calling */
static bool is_nothing(struct bytes value, const struct type *t)
{
	if (bytes_is_null(value))
		return true;
	return !value.len && t->kind != TYPE_TEXT && t->kind != TYPE_ASCII &&
	       t->kind != TYPE_BLOB;
}

/* Nested calls may double their argument each. */
#define RESULT_MAX ((size_t)256 << 20)

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
	if (!err && x->scratch.len > RESULT_MAX)
		err = refuse(x, "The result of system.%s is larger than %zu bytes",
			     f->name, RESULT_MAX);
	if (err || is_null) {
		buf_clear(&x->scratch);
		return err;
	}
	return execution_keep_scratch(x, value);
}
