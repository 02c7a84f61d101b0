/*
 * Statements of the grammar that we do not have: roles, users, permissions;
 * functions, aggregates, views and triggers. They are read as Cassandra reads
 * them, so that a wrong one is a syntax error at its place, and a right one can
 * be refused by name.
 */
#include "store/cql/syntax/parse_refused.h"
#include "store/cql/syntax/parse_select.h"
#include "store/cql/syntax/parse_table.h"
#include "store/cql/syntax/parse_term.h"
#include "store/cql/syntax/parser.h"
#include "store/cql/syntax/type_name.h"

static void parse_role_name(struct parser *p)
{
	if (!accept(p, TOKEN_STRING) && !parse_marked_name(p, "role"))
		parse_name(p, "a role");
}

/* Parse a user or an identity. */
static void parse_old_name(struct parser *p, const char *of)
{
	if (p->here.kind == TOKEN_QUOTED_NAME)
		parser_note(p, next(p), "Quoted strings are are not supported "
					"for %s", of);
	else if (!accept(p, TOKEN_STRING))
		expect(p, TOKEN_IDENTIFIER, "a name");
}

static const char user_names[] =
	"user names and USER is deprecated, please use ROLE";

static void parse_strings(struct parser *p)
{
	expect(p, TOKEN_OPEN_SET, "'{'");
	do
		expect(p, TOKEN_STRING, "a string");
	while (accept(p, TOKEN_COMMA));
	expect(p, TOKEN_CLOSE_SET, "'}'");
}

static void parse_access(struct parser *p)
{
	bool from = p->here.kind == KEYWORD_FROM;
	enum token_kind what = from ? KEYWORD_CIDRS : KEYWORD_DATACENTERS;
	bool all;

	if (!from && p->here.kind != KEYWORD_TO)
		parser_expected(p, p->here, "TO or FROM");
	next(p);
	all = accept(p, KEYWORD_ALL);
	expect(p, what, from ? "CIDRS" : "DATACENTERS");
	if (!all)
		parse_strings(p);
}

static void parse_role_option(struct parser *p)
{
	struct token option = next(p);

	switch (option.kind) {
	case KEYWORD_HASHED:
		expect(p, KEYWORD_PASSWORD, "PASSWORD");
		/* fallthrough */
	case KEYWORD_PASSWORD:
		expect(p, TOKEN_EQ, "'='");
		expect(p, TOKEN_STRING, "a string");
		break;
	case KEYWORD_SUPERUSER:
	case KEYWORD_LOGIN:
		expect(p, TOKEN_EQ, "'='");
		expect(p, TOKEN_BOOLEAN, "true or false");
		break;
	case KEYWORD_OPTIONS:
		expect(p, TOKEN_EQ, "'='");
		if (p->here.kind != TOKEN_OPEN_SET)
			parser_expected(p, p->here, "'{'");
		parse_term(p);
		break;
	case KEYWORD_ACCESS:
		parse_access(p);
		break;
	default:
		parser_expected(p, option, "an option of a role");
	}
}

static void parse_role(struct parser *p)
{
	parse_role_name(p);
	if (!accept(p, KEYWORD_WITH))
		return;
	do
		parse_role_option(p);
	while (accept(p, KEYWORD_AND));
}

static void parse_user(struct parser *p)
{
	parse_old_name(p, user_names);
	if (accept(p, KEYWORD_WITH)) {
		accept(p, KEYWORD_HASHED);
		expect(p, KEYWORD_PASSWORD, "PASSWORD");
		expect(p, TOKEN_STRING, "a string");
	}
	if (!accept(p, KEYWORD_SUPERUSER))
		accept(p, KEYWORD_NOSUPERUSER);
}

void parse_create_role(struct parser *p)
{
	bool role = next(p).kind == KEYWORD_ROLE;

	parse_if_not_exists(p);
	if (role)
		parse_role(p);
	else
		parse_user(p);
}

void parse_alter_role(struct parser *p)
{
	bool role = next(p).kind == KEYWORD_ROLE;

	parse_if_exists(p);
	if (role)
		parse_role(p);
	else
		parse_user(p);
}

void parse_drop_role(struct parser *p)
{
	enum token_kind kind = next(p).kind;

	parse_if_exists(p);
	if (kind == KEYWORD_ROLE)
		parse_role_name(p);
	else
		parse_old_name(p, kind == KEYWORD_USER ? user_names
						       : "identity");
}

void parse_add_identity(struct parser *p)
{
	expect(p, KEYWORD_IDENTITY, "IDENTITY");
	parse_if_not_exists(p);
	parse_old_name(p, "identity");
	expect(p, KEYWORD_TO, "TO");
	expect(p, KEYWORD_ROLE, "ROLE");
	parse_old_name(p, "identity");
}

static bool at_permission(enum token_kind kind)
{
	return kind == KEYWORD_CREATE || kind == KEYWORD_ALTER ||
	       kind == KEYWORD_DROP || kind == KEYWORD_SELECT ||
	       kind == KEYWORD_MODIFY || kind == KEYWORD_AUTHORIZE ||
	       kind == KEYWORD_DESCRIBE || kind == KEYWORD_EXECUTE ||
	       kind == KEYWORD_UNMASK || kind == KEYWORD_SELECT_MASKED;
}

static void parse_permissions(struct parser *p)
{
	if (accept(p, KEYWORD_ALL)) {
		accept(p, KEYWORD_PERMISSIONS);
		return;
	}
	do {
		if (!at_permission(p->here.kind))
			parser_expected(p, p->here, "a permission");
		next(p);
		accept(p, KEYWORD_PERMISSION);
	} while (accept(p, TOKEN_COMMA));
}

void parse_types_in_brackets(struct parser *p)
{
	expect(p, TOKEN_OPEN, "'('");
	if (accept(p, TOKEN_CLOSE))
		return;
	do
		parse_type(p);
	while (accept(p, TOKEN_COMMA));
	expect(p, TOKEN_CLOSE, "')'");
}

static void parse_resource_of_all(struct parser *p)
{
	struct token kind = (next(p), next(p));

	switch (kind.kind) {
	case KEYWORD_KEYSPACES:
	case KEYWORD_ROLES:
	case KEYWORD_MBEANS:
		return;
	case KEYWORD_TABLES:
		expect(p, KEYWORD_IN, "IN KEYSPACE");
		break;
	case KEYWORD_FUNCTIONS:
		if (!accept(p, KEYWORD_IN))
			return;
		break;
	default:
		parser_expected(p, kind, "a kind of resource");
	}
	expect(p, KEYWORD_KEYSPACE, "KEYSPACE");
	parse_keyspace_name(p);
}

static void parse_resource(struct parser *p)
{
	enum token_kind kind = p->here.kind, after = parse_peek_ahead(p, 1);
	bool named = token_is_name(after);

	if (kind == KEYWORD_ALL && named) {
		parse_resource_of_all(p);
	} else if (accept(p, KEYWORD_KEYSPACE)) {
		parse_keyspace_name(p);
	} else if (kind == KEYWORD_ROLE && (named || after == TOKEN_STRING)) {
		next(p);
		parse_role_name(p);
	} else if (kind == KEYWORD_FUNCTION && named) {
		next(p);
		parse_qualified(p, "function");
		parse_types_in_brackets(p);
	} else if ((kind == KEYWORD_MBEAN || kind == KEYWORD_MBEANS) &&
		   after == TOKEN_STRING) {
		next(p);
		next(p);
	} else {
		accept(p, KEYWORD_TABLE);
		parse_qualified(p, "table");
	}
}

/* True if this is the role of a GRANT. ALL and a permission may be a role's
 * name too: the next token decides. */
static bool at_role_to_grant(struct parser *p)
{
	enum token_kind kind = p->here.kind, after = parse_peek_ahead(p, 1);
	bool permission = at_permission(kind) || kind == KEYWORD_ALL;

	return kind == TOKEN_STRING || kind == TOKEN_QUESTION ||
	       (token_is_name(kind) &&
		(!permission || after == KEYWORD_TO || after == KEYWORD_FROM));
}

void parse_grant(struct parser *p, bool revoke)
{
	if (at_role_to_grant(p)) {
		parse_role_name(p);
	} else {
		parse_permissions(p);
		expect(p, KEYWORD_ON, "ON");
		parse_resource(p);
	}
	expect(p, revoke ? KEYWORD_FROM : KEYWORD_TO, revoke ? "FROM" : "TO");
	parse_role_name(p);
}

void parse_list(struct parser *p)
{
	if (accept(p, KEYWORD_USERS))
		return;
	if (!accept(p, KEYWORD_ROLES)) {
		parse_permissions(p);
		if (accept(p, KEYWORD_ON))
			parse_resource(p);
	}
	if (accept(p, KEYWORD_OF))
		parse_role_name(p);
	accept(p, KEYWORD_NORECURSIVE);
}

static void parse_function(struct parser *p, struct statement *s)
{
	s->kind = STATEMENT_CREATE_FUNCTION;
	*s->named = parse_qualified(p, "function");
	expect(p, TOKEN_OPEN, "'('");
	if (p->here.kind != TOKEN_CLOSE) {
		do {
			parse_name(p, "an argument");
			parse_type(p);
		} while (accept(p, TOKEN_COMMA));
	}
	expect(p, TOKEN_CLOSE, "')'");
	if (accept(p, KEYWORD_RETURNS))
		expect(p, KEYWORD_NULL, "NULL");
	else
		expect(p, KEYWORD_CALLED, "CALLED or RETURNS NULL");
	expect(p, KEYWORD_ON, "ON");
	expect(p, KEYWORD_NULL, "NULL");
	expect(p, KEYWORD_INPUT, "INPUT");
	expect(p, KEYWORD_RETURNS, "RETURNS");
	parse_type(p);
	expect(p, KEYWORD_LANGUAGE, "LANGUAGE");
	expect(p, TOKEN_IDENTIFIER, "a language");
	expect(p, KEYWORD_AS, "AS");
	expect(p, TOKEN_STRING, "the body as a string");
}

/* Parse the name of a function of an aggregate: more keywords are reserved
 * there than elsewhere. */
static void parse_own_function(struct parser *p)
{
	if (p->here.kind >= KEYWORD_OTHER && p->here.kind != KEYWORD_COUNT)
		parser_expected(p, p->here, "a function");
	parse_name(p, "a function");
}

static void parse_aggregate(struct parser *p, struct statement *s)
{
	s->kind = STATEMENT_CREATE_AGGREGATE;
	*s->named = parse_qualified(p, "function");
	parse_types_in_brackets(p);
	expect(p, KEYWORD_SFUNC, "SFUNC");
	parse_own_function(p);
	expect(p, KEYWORD_STYPE, "STYPE");
	parse_type(p);
	if (accept(p, KEYWORD_FINALFUNC))
		parse_own_function(p);
	if (accept(p, KEYWORD_INITCOND))
		parse_term(p);
}

static void parse_view(struct parser *p, struct statement *s)
{
	struct create_table options;
	struct select select;

	memset(&options, 0, sizeof(options));
	memset(&select, 0, sizeof(select));
	s->kind = STATEMENT_CREATE_VIEW;
	parse_if_not_exists(p);
	*s->named = parse_qualified(p, "table");
	expect(p, KEYWORD_AS, "AS");
	expect(p, KEYWORD_SELECT, "SELECT");
	parse_selections(p, &select);
	expect(p, KEYWORD_FROM, "FROM");
	parse_qualified(p, "table");
	if (accept(p, KEYWORD_WHERE))
		parse_where(p, &select.relations, &select.relation_count);
	expect(p, KEYWORD_PRIMARY, "PRIMARY KEY");
	parse_primary_key(p, &options);
	options.table = *s->named;
	parse_table_properties(p, &options, "view");
}

static void parse_trigger(struct parser *p, struct statement *s)
{
	s->kind = STATEMENT_CREATE_TRIGGER;
	next(p);
	parse_if_not_exists(p);
	parse_name(p, "a trigger");
	expect(p, KEYWORD_ON, "ON");
	*s->named = parse_qualified(p, "table");
	expect(p, KEYWORD_USING, "USING");
	expect(p, TOKEN_STRING, "a class in quotes");
}

bool parse_create_other(struct parser *p, struct statement *s)
{
	bool replace = p->here.kind == KEYWORD_OR;
	bool function;

	s->named = new_node(p, struct table_name);
	if (accept(p, KEYWORD_MATERIALIZED)) {
		expect(p, KEYWORD_VIEW, "VIEW");
		parse_view(p, s);
		return true;
	}
	if (p->here.kind == KEYWORD_TRIGGER) {
		parse_trigger(p, s);
		return true;
	}
	if (replace) {
		next(p);
		expect(p, KEYWORD_REPLACE, "REPLACE");
	}
	function = p->here.kind == KEYWORD_FUNCTION;
	if (!function && p->here.kind != KEYWORD_AGGREGATE)
		return false;
	next(p);
	parse_if_not_exists(p);
	if (function)
		parse_function(p, s);
	else
		parse_aggregate(p, s);
	return true;
}
