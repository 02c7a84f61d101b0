/* Terms and relations as Cassandra's messages quote them. */
#include "store/cql/syntax/ast.h"

#include "store/cql/syntax/parse.h"
#include "store/cql/syntax/ast_print.h"
#include "store/cql/syntax/type_name.h"

const char *ast_constant_kind_name(enum constant_kind kind)
{
	static const char *const names[] = {
		[CONSTANT_STRING] = "STRING", [CONSTANT_INTEGER] = "INTEGER",
		[CONSTANT_UUID] = "UUID", [CONSTANT_FLOAT] = "FLOAT",
		[CONSTANT_BOOLEAN] = "BOOLEAN", [CONSTANT_HEX] = "HEX",
		[CONSTANT_DURATION] = "DURATION",
	};

	return names[kind];
}

const char *ast_operator_name(enum operator_kind op)
{
	static const char *const names[] = {
		[OPERATOR_EQ] = "=", [OPERATOR_NE] = "!=", [OPERATOR_LT] = "<",
		[OPERATOR_LE] = "<=", [OPERATOR_GT] = ">", [OPERATOR_GE] = ">=",
		[OPERATOR_IN] = "IN", [OPERATOR_CONTAINS] = "CONTAINS",
		[OPERATOR_CONTAINS_KEY] = "CONTAINS KEY",
		[OPERATOR_LIKE] = "LIKE", [OPERATOR_IS_NOT] = "IS NOT",
	};

	return names[op];
}

/* Print the items. keyspace: where types are looked up; null: none is. */
static void print_items(struct buf *out, struct bytes keyspace,
			const char *open, const struct term *t,
			const char *close)
{
	uint32_t i;

	buf_add_str(out, open);
	for (i = 0; i < t->item_count; i++) {
		if (i)
			buf_add_str(out, t->kind == TERM_MAP && i % 2 ? ": "
								      : ", ");
		if (t->kind == TERM_USER) {
			buf_add_bytes(out, t->names[i].text);
			buf_add_str(out, ": ");
		}
		ast_print_term_known(out, t->items[i], keyspace);
	}
	buf_add_str(out, close);
}

static void print_call(struct buf *out, struct bytes keyspace,
		       const struct term *t)
{
	bool given = identifier_is_given(&t->keyspace);

	if (bytes_equal(t->name.text, bytes_str("token")) &&
	    (!given || bytes_equal(t->keyspace.text, bytes_str("system")))) {
		print_items(out, keyspace, "token(", t, ")");
		return;
	}
	if (given) {
		cql_print_name(out, t->keyspace.text);
		buf_add_byte(out, '.');
	}
	cql_print_name(out, t->name.text);
	print_items(out, keyspace, "(", t, ")");
}

/* Print before left between right after; no part around one that is NULL. */
static void print_around(struct buf *out, struct bytes keyspace,
			 const char *before, const struct term *left,
			 const char *between, const struct term *right,
			 const char *after)
{
	buf_add_str(out, before);
	if (left)
		ast_print_term_known(out, left, keyspace);
	buf_add_str(out, between);
	if (right)
		ast_print_term_known(out, right, keyspace);
	buf_add_str(out, after);
}

static void print_constant(struct buf *out, const struct term *t)
{
	const char *quote = t->constant == CONSTANT_STRING ? "'" : "";

	buf_add_str(out, quote);
	buf_add_bytes(out, t->text);
	buf_add_str(out, quote);
}

static void print_compound(struct buf *out, struct bytes keyspace,
			   const struct term *t)
{
	switch (t->kind) {
	case TERM_LIST:
		print_items(out, keyspace, "[", t, "]");
		break;
	case TERM_SET:
	case TERM_MAP:
	case TERM_USER:
		print_items(out, keyspace, "{", t, "}");
		break;
	case TERM_TUPLE:
		print_items(out, keyspace, "(", t, ")");
		break;
	case TERM_HINT:
		buf_add_byte(out, '(');
		if (bytes_is_null(keyspace))
			type_name_print(out, t->type);
		else
			type_name_print_known(out, t->type, keyspace);
		print_around(out, keyspace, ")", t->left, "", NULL, "");
		break;
	case TERM_CAST:
		buf_add_str(out, "system.cast_as_");
		type_name_print(out, t->type);
		print_around(out, keyspace, "(", t->left, ")", NULL, "");
		break;
	default:
		print_call(out, keyspace, t);
	}
}

static void print_selectable(struct buf *out, struct bytes keyspace,
			     const struct term *t)
{
	switch (t->kind) {
	case TERM_COLUMN:
		buf_add_bytes(out, t->name.text);
		break;
	case TERM_FIELD:
		print_around(out, keyspace, "", t->left, ".", NULL, "");
		buf_add_bytes(out, t->name.text);
		break;
	case TERM_ELEMENT:
		print_around(out, keyspace, "", t->left, "[", t->right, "]");
		break;
	case TERM_SLICE:
		print_around(out, keyspace, "", t->left, "[", t->right, "..");
		print_around(out, keyspace, "", t->to, "]", NULL, "");
		break;
	case TERM_COUNT_ROWS:
		buf_add_str(out, "count(*)");
		break;
	case TERM_WRITETIME:
		print_around(out, keyspace, "writetime(", t->left, t->left ? ")" : "*)", NULL, "");
		break;
	case TERM_MAXWRITETIME:
		print_around(out, keyspace, "maxwritetime(", t->left, ")", NULL, "");
		break;
	case TERM_TTL:
		print_around(out, keyspace, "ttl(", t->left, t->left ? ")" : "*)", NULL, "");
		break;
	default:
		print_compound(out, keyspace, t);
	}
}

const char *ast_operation_name(char op)
{
	switch (op) {
	case '+':
		return "_add";
	case '-':
		return "_substract";
	case '*':
		return "_multiply";
	case '/':
		return "_divide";
	case '%':
		return "_modulo";
	default:
		return "_negate";
	}
}

static void print_operation(struct buf *out, struct bytes keyspace,
			    const struct term *t, char op)
{
	buf_add_format(out, "system.\"%s\"(", ast_operation_name(op));
	print_around(out, keyspace, "", t->left, t->right ? ", " : "", t->right, ")");
}

void ast_print_term(struct buf *out, const struct term *t)
{
	ast_print_term_known(out, t, BYTES_NULL);
}

void ast_print_term_known(struct buf *out, const struct term *t,
			  struct bytes keyspace)
{
	switch (t->kind) {
	case TERM_CONSTANT:
		print_constant(out, t);
		break;
	case TERM_NULL:
		buf_add_str(out, "NULL");
		break;
	case TERM_MARKER:
		buf_add_byte(out, '?');
		break;
	case TERM_BINARY:
		print_operation(out, keyspace, t, t->op);
		break;
	case TERM_NEGATE:
		print_operation(out, keyspace, t, '~');
		break;
	default:
		print_selectable(out, keyspace, t);
	}
}

static void print_columns(struct buf *out, const struct relation *r)
{
	uint32_t i;

	for (i = 0; i < r->column_count; i++) {
		if (i)
			buf_add_str(out, ", ");
		cql_print_name(out, r->columns[i].text);
	}
}

void ast_print_relation(struct buf *out, const struct relation *r)
{
	bool brackets = r->kind == RELATION_TUPLE || r->kind == RELATION_TOKEN;
	uint32_t i;

	if (r->kind == RELATION_CUSTOM)
		buf_add_str(out, "expr(");
	if (r->kind == RELATION_TOKEN)
		buf_add_str(out, "token");
	buf_add_str(out, brackets ? "(" : "");
	print_columns(out, r);
	buf_add_str(out, brackets ? ")" : "");
	if (r->kind == RELATION_CUSTOM) {
		print_around(out, BYTES_NULL, ", ", r->value, ")", NULL, "");
		return;
	}
	if (r->kind == RELATION_ELEMENT)
		print_around(out, BYTES_NULL, "[", r->key, "]", NULL, "");
	buf_add_format(out, " %s ", ast_operator_name(r->op));
	if (r->value) {
		ast_print_term(out, r->value);
		return;
	}
	buf_add_byte(out, '(');
	for (i = 0; i < r->value_count; i++)
		print_around(out, BYTES_NULL, i ? ", " : "", r->values[i], "", NULL, "");
	buf_add_byte(out, ')');
}
