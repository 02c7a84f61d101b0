/* Types in a statement: their grammar, and their text. */
#include "store/cql/syntax/ast.h"

#include <stdlib.h>

#include "store/cql/syntax/parser.h"
#include "store/cql/syntax/type_name.h"
#include "store/type/native.h"
#include "store/cql/syntax/parse_term.h"

struct type_name *parse_native_type(struct parser *p)
{
	struct type_name *t = new_node(p, struct type_name);
	struct token token = p->here;
	int native;

	if (!token_is_native_type(token.kind))
		parser_expected(p, token, "a native type");
	next(p);
	t->kind = TYPE_NAME_NATIVE;
	native = type_kind_by_name(parse_text(p, token));
	t->native = native < 0 ? TYPE_TEXT : (enum type_kind)native;
	t->varchar = t->native == TYPE_TEXT &&
		     parse_text(p, token).len == strlen("varchar");
	t->span = span_from(p, token.offset);
	return t;
}

/* True for words that Cassandra keeps for future types: as written, so that
 * BYTE is free. */
static bool is_kept_type_name(struct bytes name)
{
	static const char *const kept[] = {
		"byte", "complex", "enum", "interval", "macaddr", "bitstring",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kept); i++)
		if (bytes_equal(name, bytes_str(kept[i])))
			return true;
	return false;
}

struct table_name parse_user_type_name(struct parser *p)
{
	struct table_name name;
	struct token token;

	memset(&name, 0, sizeof(name));
	if (token_is_name(p->here.kind) && parse_peek_ahead(p, 1) == TOKEN_DOT) {
		name.keyspace = parse_name(p, "a keyspace");
		next(p);
	}
	token = p->here;
	if (token_is_native_type(token.kind) ||
	    (token.kind >= KEYWORD_OTHER && token.kind != KEYWORD_KEY)) {
		/* they can be a keyspace only */
		if (!identifier_is_given(&name.keyspace))
			token = (next(p), p->here);
		parser_expected(p, token, "the name of a user type");
	}
	name.name = parse_name(p, "a type");
	if (token.kind == TOKEN_IDENTIFIER &&
	    is_kept_type_name(bytes_of(p->text.ptr + token.offset,
				       token.length)))
		parser_note(p, token, "Invalid (reserved) user type name %s",
			    (const char *)name.name.text.ptr);
	return name;
}

static void add_part(struct parser *p, struct type_name *t)
{
	*append(p, t->parts, t->part_count) = parse_type(p);
}

static void parse_dimension(struct parser *p, struct type_name *t)
{
	struct token token;
	long long value = 0;
	struct bytes text;

	expect(p, TOKEN_COMMA, "','");
	token = expect(p, TOKEN_INTEGER, "a number of elements");
	text = parse_text(p, token);
	if (text.len > 12 ||
	    (value = strtoll((const char *)text.ptr, NULL, 10)) > INT32_MAX ||
	    value < INT32_MIN)
		parse_refuse_number(p, token,
				    arena_format(p->arena,
						 "For input string: \"%s\"",
						 (const char *)text.ptr));
	t->dimension = (int32_t)value;
}

static void parse_frozen(struct parser *p, struct type_name **t)
{
	struct token first = next(p);
	struct buf text = BUF_INIT;

	expect(p, TOKEN_LT, "'<'");
	*t = parse_type(p);
	expect(p, TOKEN_GT, "'>'");
	if ((*t)->kind == TYPE_NAME_NATIVE || (*t)->kind == TYPE_NAME_CUSTOM) {
		type_name_print(&text, *t);
		parser_note(p, first, "frozen<> is only allowed on "
			    "collections, tuples, and user-defined types (got "
			    "%s)", buf_cstr(&text));
		buf_release(&text);
	}
	(*t)->frozen = true;
}

static enum type_name_kind compound_kind(enum token_kind kind)
{
	switch (kind) {
	case KEYWORD_LIST:
		return TYPE_NAME_LIST;
	case KEYWORD_SET:
		return TYPE_NAME_SET;
	case KEYWORD_MAP:
		return TYPE_NAME_MAP;
	case KEYWORD_TUPLE:
		return TYPE_NAME_TUPLE;
	case KEYWORD_VECTOR:
		return TYPE_NAME_VECTOR;
	default:
		return TYPE_NAME_USER;
	}
}

static void parse_compound(struct parser *p, struct type_name *t)
{
	t->kind = compound_kind(next(p).kind);
	expect(p, TOKEN_LT, "'<'");
	add_part(p, t);
	if (t->kind == TYPE_NAME_MAP) {
		expect(p, TOKEN_COMMA, "','");
		add_part(p, t);
	} else if (t->kind == TYPE_NAME_VECTOR) {
		parse_dimension(p, t);
	} else if (t->kind == TYPE_NAME_TUPLE) {
		while (accept(p, TOKEN_COMMA))
			add_part(p, t);
	}
	expect(p, TOKEN_GT, "'>'");
}

const char *type_class(enum type_kind native)
{
	return native_types[native]->class;
}

/* Return the native type of this class of Cassandra's, or -1. */
static int kind_by_class(struct bytes class)
{
	/* The class that another was named after. */
	if (bytes_equal(class, bytes_str("DateType")))
		return TYPE_TIMESTAMP;
	for (int kind = 0; kind < TYPE_KIND_COUNT; kind++)
		if (native_types[kind] &&
		    bytes_equal(class, bytes_str(type_class(kind))))
			return kind;
	return -1;
}

/* True if Cassandra has this class and it is none of our types. In the text
 * parameters may follow. */
static bool is_class(const char *name, size_t length)
{
	static const char *const others[] = {
		"CompositeType", "DynamicCompositeType", "FrozenType",
		"LegacyTimeUUIDType", "LexicalUUIDType",
		"ListType", "MapType", "PartitionerDefinedOrder",
		"ReversedType", "SetType", "TupleType", "UserType",
		"VectorType",
	};
	struct bytes class = bytes_of(name, length);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (bytes_equal(class, bytes_str(others[i])))
			return true;
	return kind_by_class(class) >= 0;
}

/* Parse 'Int32Type', with its package or not: the same as one of our types. */
static void parse_class(struct parser *p, struct type_name *t)
{
	struct token token = next(p);
	struct bytes text = parse_text(p, token);
	const char *name = (const char *)text.ptr;
	bool full = bytes_begin_with(text, bytes_str(TYPE_PACKAGE));
	int length, native;

	t->kind = TYPE_NAME_CUSTOM;
	t->custom = text;
	t->native = TYPE_EMPTY;
	if (p->result)
		return;
	name += full ? sizeof(TYPE_PACKAGE) - 1 : 0;
	length = (int)strcspn(name, "(");
	if (!is_class(name, (size_t)length)) {
		parser_note(p, token, "Error setting type %s: Unable to find "
			    "abstract-type class '%s%.*s'",
			    (const char *)text.ptr,
			    !full && memchr(name, '.', (size_t)length) ?
				    "" : TYPE_PACKAGE,
			    length, name);
		return;
	}
	native = kind_by_class(bytes_str(name));
	if (native >= 0)
		t->native = (enum type_kind)native;
	if (full)
		return;
	name = arena_format(p->arena, "%s%s", TYPE_PACKAGE, name);
	if (name)
		t->custom = bytes_str(name);
	else
		parser_no_memory(p);
}

static struct type_name *parse_type_inside(struct parser *p)
{
	struct type_name *t;
	enum token_kind kind = p->here.kind, after = TOKEN_END;

	if (token_is_name(kind))
		after = parse_peek_ahead(p, 1);
	if (token_is_native_type(kind) && after != TOKEN_DOT)
		return parse_native_type(p);
	if (kind == KEYWORD_FROZEN && after == TOKEN_LT) {
		parse_frozen(p, &t);
		return t;
	}
	t = new_node(p, struct type_name);
	if (kind == TOKEN_STRING) {
		parse_class(p, t);
	} else if (kind == KEYWORD_SET ||
		   (compound_kind(kind) != TYPE_NAME_USER &&
		    after == TOKEN_LT)) {
		parse_compound(p, t);
	} else {
		t->kind = TYPE_NAME_USER;
		if (!token_is_name(kind))
			parser_expected(p, p->here, "a type");
		t->user = parse_user_type_name(p);
	}
	return t;
}

struct type_name *parse_type(struct parser *p)
{
	uint32_t start = p->here.offset;
	bool no_error = !p->result;
	struct type_name *t;

	if (!parser_enter(p))
		return new_node(p, struct type_name);
	t = parse_type_inside(p);
	t->span = span_from(p, start);
	parser_leave(p);
	parser_recover(p, no_error);
	return t;
}

/* Print a native type, or a class in quotes; of a compound type its name. */
static void print_own_name(struct buf *out, const struct type_name *t)
{
	static const char *const names[] = {
		[TYPE_NAME_LIST] = "list", [TYPE_NAME_SET] = "set",
		[TYPE_NAME_MAP] = "map", [TYPE_NAME_TUPLE] = "tuple",
		[TYPE_NAME_VECTOR] = "vector",
	};

	if (t->kind == TYPE_NAME_NATIVE) {
		buf_add_str(out, t->varchar ? "varchar" :
					      type_kind_name(t->native));
	} else if (t->kind == TYPE_NAME_CUSTOM) {
		buf_add_byte(out, '\'');
		buf_add_bytes(out, t->custom);
		buf_add_byte(out, '\'');
	} else {
		buf_add_str(out, names[t->kind]);
	}
}

/* End a compound type, after its parts. */
static void print_end(struct buf *out, const struct type_name *t)
{
	if (t->kind == TYPE_NAME_VECTOR)
		buf_add_format(out, ", %d", t->dimension);
	if (t->part_count)
		buf_add_byte(out, '>');
}

static void print_plain(struct buf *out, const struct type_name *t)
{
	if (t->kind == TYPE_NAME_USER) {
		if (identifier_is_given(&t->user.keyspace)) {
			cql_print_name(out, t->user.keyspace.text);
			buf_add_byte(out, '.');
		}
		cql_print_name(out, t->user.name.text);
		return;
	}
	print_own_name(out, t);
	for (uint32_t i = 0; i < t->part_count; i++) {
		buf_add_str(out, i ? ", " : "<");
		type_name_print(out, t->parts[i]);
	}
	print_end(out, t);
}

/* A tuple is frozen anyway. */
void type_name_print(struct buf *out, const struct type_name *t)
{
	bool frozen = t->frozen && t->kind != TYPE_NAME_TUPLE;

	if (frozen)
		buf_add_str(out, "frozen<");
	print_plain(out, t);
	if (frozen)
		buf_add_byte(out, '>');
}

/* ------------------------------------------------------------ as written */
bool type_name_is_collection(const struct type_name *t)
{
	return t->kind == TYPE_NAME_LIST || t->kind == TYPE_NAME_SET ||
	       t->kind == TYPE_NAME_MAP;
}

struct written_type written_type_part(const struct written_type *r, uint32_t i)
{
	const struct type_name *part = r->name->parts[i];
	bool inside = r->frozen || r->name->kind == TYPE_NAME_TUPLE ||
		      r->name->kind == TYPE_NAME_VECTOR;

	return (struct written_type){ part, part->frozen || inside };
}

void written_type_print(struct buf *out, const struct written_type *r,
			struct bytes keyspace)
{
	const struct type_name *t = r->name;
	bool frozen = r->frozen && (type_name_is_collection(t) ||
				    t->kind == TYPE_NAME_USER);

	buf_add_str(out, frozen ? "frozen<" : "");
	if (t->kind == TYPE_NAME_USER) {
		if (identifier_is_given(&t->user.keyspace))
			keyspace = t->user.keyspace.text;
		buf_add_bytes(out, keyspace);
		buf_add_str(out, keyspace.len ? "." : "");
		buf_add_bytes(out, t->user.name.text);
	} else {
		print_own_name(out, t);
	}
	for (uint32_t i = 0; i < t->part_count; i++) {
		struct written_type part = written_type_part(r, i);

		/* not printed for a vector */
		if (t->kind == TYPE_NAME_VECTOR)
			part.frozen = part.name->frozen;
		buf_add_str(out, i ? ", " : "<");
		written_type_print(out, &part, keyspace);
	}
	print_end(out, t);
	buf_add_str(out, frozen ? ">" : "");
}

void type_name_print_known(struct buf *out, const struct type_name *t,
			   struct bytes keyspace)
{
	struct written_type raw = { t, t->frozen };

	written_type_print(out, &raw, keyspace);
}
