/* Fuzz targets: texts of users, and the parts of rows and records. */
#include "tests/lib/fuzz.h"

#include <stdlib.h>

#include "fs/node/name.h"
#include "fs/node/name_scratch.h"
#include "fs/query/terms.h"
#include "store/cql/syntax/parse.h"
#include "store/cql/syntax/statement_end.h"
#include "store/row/key.h"
#include "store/row/mutation.h"
#include "store/row/row_codec.h"
#include "store/schema/catalog.h"
#include "store/schema/schema.h"
#include "store/type/compare.h"
#include "store/type/json/map.h"
#include "store/type/json/print.h"
#include "store/type/json/value.h"
#include "store/type/ordered.h"
#include "store/type/text/text.h"
#include "store/type/type.h"
#include "store/type/value.h"
#include "tests/lib/answers.h"
#include "tests/lib/simfile.h"
#include "tests/lib/store.h"
#include "tests/lib/values.h"

static const char *const types[] = {
	"int", "bigint", "varint", "decimal", "double", "float", "boolean",
	"text", "ascii", "blob", "uuid", "timeuuid", "inet", "date", "time",
	"timestamp", "duration", "smallint", "tinyint", "list<int>",
	"set<text>", "map<text, decimal>", "tuple<int, text>",
	"vector<float, 3>", "map<int, list<tuple<text, duration>>>",
};

/* Choose a type by the first byte: a reference, or NULL for an empty input. */
static struct type *take_type(struct bytes *input)
{
	const char *name;

	if (!input->len)
		return NULL;
	name = types[input->ptr[0] % ARRAY_SIZE(types)];
	*input = bytes_of(input->ptr + 1, input->len - 1);
	return type_named(name);
}

static void parse(struct bytes input)
{
	struct arena arena = ARENA_INIT;
	struct cql_error error = CQL_ERROR_INIT;
	struct statement *s;
	size_t used;

	if (!cql_parse(&arena, &s, input, &used, &error) && used > input.len)
		abort();
	arena_release(&arena);
}

static void split(struct bytes input)
{
	struct cql_split s;
	struct bytes one;
	size_t used;

	cql_split_init(&s);
	while (cql_split_next(&s, input, true, &one, &used) > 0 && used) {
		if (used > input.len)
			abort();
		input = bytes_of(input.ptr + used, input.len - used);
		cql_split_init(&s);
	}
}

/* Run statements on a store that has one table and an index. */
static void execute(struct bytes input)
{
	static const char *const before[] = {
		TEST_KEYSPACE,
		"USE k",
		"CREATE TABLE t (p int, c int, v int, l list<int>, "
		"m map<text, int>, s text STATIC, PRIMARY KEY (p, c))",
		"CREATE INDEX i ON t (v)",
		"INSERT INTO t (p, c, v, l, s) VALUES (1, 1, 1, [1], 's')",
		"UPDATE t SET m = {'a': 1}, v = 2 WHERE p = 1 AND c = 2",
	};
	struct sim *disk = sim_new();
	struct store_options options;
	struct cql_session *session;
	struct cql_split split_state;
	struct store *s;
	struct bytes one;
	size_t used, i;
	bool created;

	store_options_init(&options);
	options.create = options.no_threads = true;
	options.cache_bytes = 1 << 16;
	options.commit_s = 1000;
	options.files = sim_files(disk);
	if (store_open(&s, "/s", &options, NULL, &created) ||
	    cql_session_new(&session, s))
		abort();
	for (i = 0; i < ARRAY_SIZE(before); i++)
		if (answer_to(session, before[i], NULL))
			abort();
	cql_split_init(&split_state);
	while (cql_split_next(&split_state, input, true, &one, &used) > 0 &&
	       used) {
		struct buf text = BUF_INIT, out = BUF_INIT;

		buf_add_bytes(&text, one);
		answer_to(session, buf_cstr(&text), &out);
		buf_release(&text);
		buf_release(&out);
		input = bytes_of(input.ptr + used, input.len - used);
		cql_split_init(&split_state);
	}
	cql_session_free(session);
	if (store_verify(s, NULL, NULL) || store_close(s))
		abort();
	sim_free(disk);
}

/* Check that a text that is read prints as one with the same value. */
static void text(struct bytes input)
{
	struct type *t = take_type(&input);
	struct buf value = BUF_INIT, printed = BUF_INIT, again = BUF_INIT;
	struct type_error error;

	if (t && !type_read_text(&value, t, input, &error)) {
		if (type_validate(t, buf_bytes(&value), &error))
			abort();
		if (!type_text_may_begin(t, input))
			abort();
		type_print_text(&printed, t, buf_bytes(&value));
		if (type_read_text(&again, t, buf_bytes(&printed), &error) ||
		    type_compare(t, buf_bytes(&value), buf_bytes(&again)))
			abort();
	}
	buf_release(&value);
	buf_release(&printed);
	buf_release(&again);
	if (t)
		type_put(t);
}

static void json(struct bytes input)
{
	struct type *t = take_type(&input);
	struct arena arena = ARENA_INIT;
	struct buf value = BUF_INIT, out = BUF_INIT;
	struct json_member *members;
	struct type_error error;
	bool is_null = false;
	size_t count;

	if (t && !type_read_json(&value, &is_null, t, input, &error) &&
	    !is_null) {
		/* "" is the empty value of types that CQL gives none. */
		if (value.len && type_validate(t, buf_bytes(&value), &error))
			abort();
		type_print_json(&out, t, buf_bytes(&value));
	}
	if (!json_read_map(&arena, &members, &count, input, &error))
		json_call_members(&arena, &members, &count);
	arena_release(&arena);
	buf_release(&value);
	buf_release(&out);
	if (t)
		type_put(t);
}

/* Check that a name is the only spelling of its text, or of none. */
static void name(struct bytes input)
{
	struct buf value = BUF_INIT, spelt = BUF_INIT, back = BUF_INIT;
	struct bytes parts[3], base;

	name_split(parts, 3, input);
	name_suffix(input, &base);
	name_is_scratch(input, &base);
	name_unescape(&value, input);
	name_escape(&spelt, input);
	if (name_unescape(&back, buf_bytes(&spelt)) ||
	    !bytes_equal(buf_bytes(&back), input) ||
	    memchr(buf_bytes(&spelt).ptr, '/', spelt.len) ||
	    memchr(buf_bytes(&spelt).ptr, 0, spelt.len))
		abort();
	name_shorten(&spelt);
	if (spelt.len > NAME_MAX_LEN)
		abort();
	buf_release(&value);
	buf_release(&spelt);
	buf_release(&back);
}

/* Check that the terms of a query are slices of its name, and none is empty. */
static void query(struct bytes input)
{
	struct query_terms q;
	struct bytes rest, one;
	const char *why;
	uint32_t i;

	if (query_parse(&q, input, &why))
		return;
	for (i = 0; i < q.count; i++) {
		const struct query_term *t = &q.terms[i];
		struct bytes parts[] = { t->column, t->value, t->end };

		if (t->on_token != bytes_is_null(t->column) ||
		    (bytes_is_null(t->value) && bytes_is_null(t->end)))
			abort();
		for (size_t k = 0; k < ARRAY_SIZE(parts); k++)
			if (!bytes_is_null(parts[k]) &&
			    (!parts[k].len || parts[k].ptr < input.ptr ||
			     parts[k].ptr + parts[k].len >
				     input.ptr + input.len ||
			     memchr(parts[k].ptr, ',', parts[k].len)))
				abort();
	}
	if (q.limited != (q.limit > 0))
		abort();
	rest = q.columns;
	for (i = 0; query_next_column(&rest, &one); i++)
		if (i > input.len)
			abort();
}

static void row(struct bytes input)
{
	struct arena arena = ARENA_INIT;
	struct reader r = reader_of(input);
	struct key_parts parts;
	struct buf key = BUF_INIT;
	struct batch_op op;
	struct row decoded;

	if (!key_split(&parts, input))
		key_partition_key(&key, input);
	row_decode(&decoded, &arena, input);
	while (batch_next(&r, &op) > 0)
		if (!bytes_is_null(op.row))
			row_decode(&decoded, &arena, op.row);
	buf_release(&key);
	arena_release(&arena);
}

static void ordered(struct bytes input)
{
	struct type *t = take_type(&input);
	struct buf value = BUF_INIT;
	struct type_error error;
	int reversed;

	for (reversed = 0; t && reversed < 2; reversed++) {
		struct reader r = reader_of(input), skipped = r;
		bool is_null = false;
		int err;

		buf_clear(&value);
		err = type_ordered_decode(&value, &is_null, t, &r, reversed);
		if (!err && (type_ordered_skip(&skipped, t, reversed) ||
			     skipped.ptr != r.ptr))
			abort();
		if (!err && !is_null && value.len)
			type_validate(t, buf_bytes(&value), &error);
	}
	buf_release(&value);
	if (t)
		type_put(t);
}

static void catalog(struct bytes input)
{
	struct buf out = BUF_INIT;
	struct keyspace *k;
	struct table *t;

	if (!catalog_decode_keyspace(&k, input)) {
		catalog_encode_keyspace(&out, k);
		keyspace_put(k);
	}
	if (!catalog_decode_table(&t, input)) {
		catalog_encode_table(&out, t);
		table_put(t);
	}
	buf_release(&out);
}

const struct fuzz_target fuzz_targets[] = {
	{ "parse", parse }, { "split", split }, { "execute", execute },
	{ "text", text }, { "json", json }, { "name", name },
	{ "query", query }, { "row", row }, { "ordered", ordered },
	{ "catalog", catalog }, { "lines", fuzz_lines },
	{ "sstable", fuzz_sstable }, { "log", fuzz_log },
	{ "manifest", fuzz_manifest },
};
const size_t fuzz_target_count = ARRAY_SIZE(fuzz_targets);

const struct fuzz_target *fuzz_target_named(const char *wanted)
{
	size_t i;

	for (i = 0; i < fuzz_target_count; i++)
		if (!strcmp(fuzz_targets[i].name, wanted))
			return &fuzz_targets[i];
	return NULL;
}
