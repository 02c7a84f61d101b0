/*
 * CQL's keywords, found by a hash. A word whose slot is taken has the next free
 * one, as one in seven has. A new word is a line of keywords[]; test_lexer finds
 * each of them.
 *
 * Words are compared with bit 5 set in every byte, which folds letters, leaves
 * digits, and makes DEL of the underscore.
 */
#include "store/cql/syntax/token.h"

#include "store/base/bytes.h"

#define SLOTS 512
#define LONGEST 14

static const struct {
	char word[LONGEST + 1];
	uint8_t length, kind;
} keywords[] = {
	{ "access", 6, KEYWORD_ACCESS },
	{ "add", 3, KEYWORD_ADD },
	{ "aggregate", 9, KEYWORD_AGGREGATE },
	{ "aggregates", 10, KEYWORD_AGGREGATES },
	{ "all", 3, KEYWORD_ALL },
	{ "allow", 5, KEYWORD_ALLOW },
	{ "alter", 5, KEYWORD_ALTER },
	{ "and", 3, KEYWORD_AND },
	{ "ann", 3, KEYWORD_ANN },
	{ "apply", 5, KEYWORD_APPLY },
	{ "as", 2, KEYWORD_AS },
	{ "asc", 3, KEYWORD_ASC },
	{ "ascii", 5, KEYWORD_ASCII },
	{ "authorize", 9, KEYWORD_AUTHORIZE },
	{ "batch", 5, KEYWORD_BATCH },
	{ "begin", 5, KEYWORD_BEGIN },
	{ "bigint", 6, KEYWORD_BIGINT },
	{ "blob", 4, KEYWORD_BLOB },
	{ "boolean", 7, KEYWORD_BOOLEAN },
	{ "by", 2, KEYWORD_BY },
	{ "called", 6, KEYWORD_CALLED },
	{ "cast", 4, KEYWORD_CAST },
	{ "cidrs", 5, KEYWORD_CIDRS },
	{ "cluster", 7, KEYWORD_CLUSTER },
	{ "clustering", 10, KEYWORD_CLUSTERING },
	{ "columnfamilies", 14, KEYWORD_TABLES },
	{ "columnfamily", 12, KEYWORD_TABLE },
	{ "compact", 7, KEYWORD_COMPACT },
	{ "contains", 8, KEYWORD_CONTAINS },
	{ "count", 5, KEYWORD_COUNT },
	{ "counter", 7, KEYWORD_COUNTER },
	{ "create", 6, KEYWORD_CREATE },
	{ "custom", 6, KEYWORD_CUSTOM },
	{ "datacenters", 11, KEYWORD_DATACENTERS },
	{ "date", 4, KEYWORD_DATE },
	{ "decimal", 7, KEYWORD_DECIMAL },
	{ "default", 7, KEYWORD_DEFAULT },
	{ "delete", 6, KEYWORD_DELETE },
	{ "desc", 4, KEYWORD_DESC },
	{ "describe", 8, KEYWORD_DESCRIBE },
	{ "distinct", 8, KEYWORD_DISTINCT },
	{ "double", 6, KEYWORD_DOUBLE },
	{ "drop", 4, KEYWORD_DROP },
	{ "duration", 8, KEYWORD_DURATION },
	{ "entries", 7, KEYWORD_ENTRIES },
	{ "execute", 7, KEYWORD_EXECUTE },
	{ "exists", 6, KEYWORD_EXISTS },
	{ "false", 5, TOKEN_BOOLEAN },
	{ "filtering", 9, KEYWORD_FILTERING },
	{ "finalfunc", 9, KEYWORD_FINALFUNC },
	{ "float", 5, KEYWORD_FLOAT },
	{ "from", 4, KEYWORD_FROM },
	{ "frozen", 6, KEYWORD_FROZEN },
	{ "full", 4, KEYWORD_FULL },
	{ "function", 8, KEYWORD_FUNCTION },
	{ "functions", 9, KEYWORD_FUNCTIONS },
	{ "grant", 5, KEYWORD_GRANT },
	{ "group", 5, KEYWORD_GROUP },
	{ "hashed", 6, KEYWORD_HASHED },
	{ "identity", 8, KEYWORD_IDENTITY },
	{ "if", 2, KEYWORD_IF },
	{ "in", 2, KEYWORD_IN },
	{ "index", 5, KEYWORD_INDEX },
	{ "inet", 4, KEYWORD_INET },
	{ "infinity", 8, KEYWORD_INFINITY },
	{ "initcond", 8, KEYWORD_INITCOND },
	{ "input", 5, KEYWORD_INPUT },
	{ "insert", 6, KEYWORD_INSERT },
	{ "int", 3, KEYWORD_INT },
	{ "internals", 9, KEYWORD_INTERNALS },
	{ "into", 4, KEYWORD_INTO },
	{ "is", 2, KEYWORD_IS },
	{ "json", 4, KEYWORD_JSON },
	{ "key", 3, KEYWORD_KEY },
	{ "keys", 4, KEYWORD_KEYS },
	{ "keyspace", 8, KEYWORD_KEYSPACE },
	{ "keyspaces", 9, KEYWORD_KEYSPACES },
	{ "language", 8, KEYWORD_LANGUAGE },
	{ "like", 4, KEYWORD_LIKE },
	{ "limit", 5, KEYWORD_LIMIT },
	{ "list", 4, KEYWORD_LIST },
	{ "login", 5, KEYWORD_LOGIN },
	{ "map", 3, KEYWORD_MAP },
	{ "masked", 6, KEYWORD_MASKED },
	{ "materialized", 12, KEYWORD_MATERIALIZED },
	{ "maxwritetime", 12, KEYWORD_MAXWRITETIME },
	{ "mbean", 5, KEYWORD_MBEAN },
	{ "mbeans", 6, KEYWORD_MBEANS },
	{ "modify", 6, KEYWORD_MODIFY },
	{ "nan", 3, KEYWORD_NAN },
	{ "nologin", 7, KEYWORD_NOLOGIN },
	{ "norecursive", 11, KEYWORD_NORECURSIVE },
	{ "nosuperuser", 11, KEYWORD_NOSUPERUSER },
	{ "not", 3, KEYWORD_NOT },
	{ "null", 4, KEYWORD_NULL },
	{ "of", 2, KEYWORD_OF },
	{ "on", 2, KEYWORD_ON },
	{ "only", 4, KEYWORD_ONLY },
	{ "options", 7, KEYWORD_OPTIONS },
	{ "or", 2, KEYWORD_OR },
	{ "order", 5, KEYWORD_ORDER },
	{ "partition", 9, KEYWORD_PARTITION },
	{ "password", 8, KEYWORD_PASSWORD },
	{ "per", 3, KEYWORD_PER },
	{ "permission", 10, KEYWORD_PERMISSION },
	{ "permissions", 11, KEYWORD_PERMISSIONS },
	{ "primary", 7, KEYWORD_PRIMARY },
	{ "rename", 6, KEYWORD_RENAME },
	{ "replace", 7, KEYWORD_REPLACE },
	{ "returns", 7, KEYWORD_RETURNS },
	{ "revoke", 6, KEYWORD_REVOKE },
	{ "role", 4, KEYWORD_ROLE },
	{ "roles", 5, KEYWORD_ROLES },
	{ "schema", 6, KEYWORD_SCHEMA },
	{ "select", 6, KEYWORD_SELECT },
	{ "select\177masked", 13, KEYWORD_SELECT_MASKED },
	{ "set", 3, KEYWORD_SET },
	{ "sfunc", 5, KEYWORD_SFUNC },
	{ "smallint", 8, KEYWORD_SMALLINT },
	{ "static", 6, KEYWORD_STATIC },
	{ "storage", 7, KEYWORD_STORAGE },
	{ "stype", 5, KEYWORD_STYPE },
	{ "superuser", 9, KEYWORD_SUPERUSER },
	{ "table", 5, KEYWORD_TABLE },
	{ "tables", 6, KEYWORD_TABLES },
	{ "text", 4, KEYWORD_TEXT },
	{ "time", 4, KEYWORD_TIME },
	{ "timestamp", 9, KEYWORD_TIMESTAMP },
	{ "timeuuid", 8, KEYWORD_TIMEUUID },
	{ "tinyint", 7, KEYWORD_TINYINT },
	{ "to", 2, KEYWORD_TO },
	{ "token", 5, KEYWORD_TOKEN },
	{ "trigger", 7, KEYWORD_TRIGGER },
	{ "true", 4, TOKEN_BOOLEAN },
	{ "truncate", 8, KEYWORD_TRUNCATE },
	{ "ttl", 3, KEYWORD_TTL },
	{ "tuple", 5, KEYWORD_TUPLE },
	{ "type", 4, KEYWORD_TYPE },
	{ "types", 5, KEYWORD_TYPES },
	{ "unlogged", 8, KEYWORD_UNLOGGED },
	{ "unmask", 6, KEYWORD_UNMASK },
	{ "unset", 5, KEYWORD_UNSET },
	{ "update", 6, KEYWORD_UPDATE },
	{ "use", 3, KEYWORD_USE },
	{ "user", 4, KEYWORD_USER },
	{ "users", 5, KEYWORD_USERS },
	{ "using", 5, KEYWORD_USING },
	{ "uuid", 4, KEYWORD_UUID },
	{ "values", 6, KEYWORD_VALUES },
	{ "varchar", 7, KEYWORD_VARCHAR },
	{ "varint", 6, KEYWORD_VARINT },
	{ "vector", 6, KEYWORD_VECTOR },
	{ "view", 4, KEYWORD_VIEW },
	{ "where", 5, KEYWORD_WHERE },
	{ "with", 4, KEYWORD_WITH },
	{ "writetime", 9, KEYWORD_WRITETIME },
};

/* The number of a keyword, from 1; 0: free. Written before main() alone. */
static uint8_t slots[SLOTS];
_Static_assert(ARRAY_SIZE(keywords) < 255, "a number fits in a byte");
_Static_assert(TOKEN_KIND_COUNT <= 255, "a kind fits in a byte");

static uint32_t slot_of(const uint8_t *word, uint32_t length)
{
	uint32_t hash = length;

	hash = hash * 31 + (word[0] | 32u);
	hash = hash * 31 + (word[1] | 32u);
	hash = hash * 31 + (word[length / 2] | 32u);
	hash = hash * 31 + (word[length - 1] | 32u);
	return hash % SLOTS;
}

__attribute__((constructor)) static void fill_slots(void)
{
	for (uint32_t i = 0; i < ARRAY_SIZE(keywords); i++) {
		uint32_t slot = slot_of((const uint8_t *)keywords[i].word,
					keywords[i].length);

		while (slots[slot])
			slot = (slot + 1) % SLOTS;
		slots[slot] = (uint8_t)(i + 1);
	}
}

static bool is_keyword(uint32_t found, const uint8_t *word, uint32_t length)
{
	if (keywords[found - 1].length != length)
		return false;
	for (uint32_t i = 0; i < length; i++)
		if ((word[i] | 32) != keywords[found - 1].word[i])
			return false;
	return true;
}

enum token_kind token_find_keyword(const uint8_t *word, uint32_t length)
{
	uint32_t slot;

	if (length < 2 || length > LONGEST)
		return TOKEN_IDENTIFIER;
	for (slot = slot_of(word, length); slots[slot];
	     slot = (slot + 1) % SLOTS)
		if (is_keyword(slots[slot], word, length))
			return keywords[slots[slot] - 1].kind;
	return TOKEN_IDENTIFIER;
}
