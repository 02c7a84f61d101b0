#include "tools/cql/words.h"

#define WORDS_MAX 40

const char *const cql_words_first[] = {
	"ALTER", "BEGIN", "CREATE", "DELETE", "DROP", "INSERT", "SELECT",
	"TRUNCATE", "UPDATE", "USE", NULL
};
const char *const cql_words_types[] = {
	"ascii", "bigint", "blob", "boolean", "counter", "date", "decimal",
	"double", "duration", "float", "frozen", "inet", "int", "list", "map",
	"set", "smallint", "text", "time", "timestamp", "timeuuid", "tinyint",
	"tuple", "uuid", "varchar", "varint", "vector", NULL
};

struct following {
	const char *first;
	const char *words[WORDS_MAX];
};
static const struct following seconds[] = {
	{ "ALTER", { "KEYSPACE", "TABLE", "TYPE" } },
	{ "BEGIN", { "BATCH", "COUNTER BATCH", "UNLOGGED BATCH" } },
	{ "CREATE", { "CUSTOM INDEX", "INDEX", "KEYSPACE", "TABLE", "TYPE" } },
	{ "DROP", { "INDEX", "KEYSPACE", "TABLE", "TYPE" } },
	{ "INSERT", { "INTO" } },
};
static const struct following keywords[] = {
	{ "ALTER", { "ADD", "AND", "DROP", "EXISTS", "IF", "NOT", "RENAME",
		     "STATIC", "TO", "USING TIMESTAMP", "WITH" } },
	{ "COPY", { "AND", "FROM", "STDIN", "STDOUT", "TO", "WITH" } },
	{ "CREATE", { "AND", "ASC", "CLUSTERING ORDER BY", "DESC", "ENTRIES",
		      "EXISTS", "FULL", "IF", "KEY", "KEYS", "NOT", "ON",
		      "OPTIONS", "ORDER BY", "PRIMARY KEY", "STATIC", "USING",
		      "VALUES", "WITH" } },
	{ "DELETE", { "AND", "CONTAINS", "EXISTS", "FROM", "IF", "IN",
		      "USING TIMESTAMP", "WHERE" } },
	{ "DROP", { "EXISTS", "IF" } },
	{ "INSERT", { "AND", "DEFAULT NULL", "DEFAULT UNSET", "EXISTS", "IF",
		      "JSON", "NOT", "NULL", "TIMESTAMP", "TTL", "UNSET",
		      "USING", "VALUES" } },
	{ "SELECT", { "ALLOW FILTERING", "AND", "ANN OF", "AS", "ASC",
		      "BY", "CAST", "CONTAINS", "COUNT", "DESC", "DISTINCT",
		      "FILTERING", "FROM", "GROUP BY", "IN", "JSON", "KEY",
		      "LIKE", "LIMIT", "ORDER BY", "PARTITION LIMIT",
		      "PER PARTITION LIMIT", "TOKEN", "TTL", "WHERE",
		      "WRITETIME" } },
	{ "TRUNCATE", { "TABLE" } },
	{ "UPDATE", { "AND", "CONTAINS", "EXISTS", "IF", "IN", "NULL", "SET",
		      "TIMESTAMP", "TTL", "USING", "WHERE" } },
	/* The words for a batch, and for statements that begin with no keyword. */
	{ "", { "AND", "APPLY BATCH", "CONTAINS", "DELETE", "EXISTS", "FROM",
		"IF", "IN", "INSERT INTO", "JSON", "NOT", "NULL", "SET",
		"TIMESTAMP", "TTL", "UPDATE", "USING", "VALUES", "WHERE" } },
};

static const char *const *find(const struct following *list, size_t count,
			       struct bytes first)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (first.len == strlen(list[i].first) &&
		    !strncasecmp((const char *)first.ptr, list[i].first,
				 first.len))
			return list[i].words;
	return NULL;
}

const char *const *cql_words_second(struct bytes first)
{
	return find(seconds, ARRAY_SIZE(seconds), first);
}

const char *const *cql_words_of(struct bytes first)
{
	const char *const *words = find(keywords, ARRAY_SIZE(keywords), first);

	return words ? words : keywords[ARRAY_SIZE(keywords) - 1].words;
}
