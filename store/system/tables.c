/*
 * The keyspaces system and system_schema, with the tables and columns of
 * Cassandra 5.0 that clients look at. They are in every version
 * of the schema and in no catalogue; their rows are made when they are read.
 */
#include "store/system/tables.h"

#include <errno.h>
#include <stdio.h>
#include <xxhash.h>

#include "store/base/alloc.h"
#include "store/schema/schema.h"
#include "store/schema/schema_edit.h"
#include "store/schema/table_edit.h"
#include "store/system/schema_tables.h"
#include "store/table/present.h"

#define TABLE_OPTIONS                                                         \
	"additional_write_policy text,allow_auto_snapshot boolean,"           \
	"bloom_filter_fp_chance double,caching frozen<map<text,text>>,"       \
	"cdc boolean,comment text,compaction frozen<map<text,text>>,"         \
	"compression frozen<map<text,text>>,crc_check_chance double,"         \
	"dclocal_read_repair_chance double,default_time_to_live int,"         \
	"extensions frozen<map<text,blob>>,gc_grace_seconds int,id uuid,"     \
	"incremental_backups boolean,max_index_interval int,memtable text,"   \
	"memtable_flush_period_in_ms int,min_index_interval int,"             \
	"read_repair text,read_repair_chance double,speculative_retry text"

#define WEEK_S 604800

/* Columns: the partition key, '|', clustering columns, '|', regular ones. */
static const struct {
	const char *keyspace, *table, *comment, *columns;
} tables[] = {
	{ "system", "IndexInfo", "built column indexes",
	  "table_name text|index_name text|value blob" },
	{ "system", "built_views", "built views",
	  "keyspace_name text|view_name text|"
	  "status_replicated boolean" },
	{ "system", "compaction_history", "week-long compaction history",
	  "id timeuuid||bytes_in bigint,"
	  "bytes_out bigint,columnfamily_name text,compacted_at timestamp,"
	  "compaction_properties frozen<map<text,text>>,keyspace_name text,"
	  "rows_merged map<int,bigint>" },
	{ "system", "local", "information about the local node",
	  "key text||bootstrapped text,"
	  "broadcast_address inet,broadcast_port int,cluster_name text,"
	  "cql_version text,data_center text,gossip_generation int,"
	  "host_id uuid,listen_address inet,listen_port int,"
	  "native_protocol_version text,partitioner text,rack text,"
	  "release_version text,rpc_address inet,rpc_port int,"
	  "schema_version uuid,tokens set<text>,truncated_at map<uuid,blob>" },
	{ "system", "peers", "information about known peers in the cluster",
	  "peer inet||data_center text,host_id uuid,"
	  "preferred_ip inet,rack text,release_version text,rpc_address inet,"
	  "schema_version uuid,tokens set<text>" },
	{ "system", "peers_v2", "information about known peers in the cluster",
	  "peer inet|peer_port int|data_center text,"
	  "host_id uuid,native_address inet,native_port int,"
	  "preferred_ip inet,preferred_port int,rack text,"
	  "release_version text,schema_version uuid,tokens set<text>" },
	{ "system", "size_estimates",
	  "per-table primary range size estimates, table is "
	  "deprecated in favor of table_estimates",
	  "keyspace_name text|table_name text,"
	  "range_start text,range_end text|mean_partition_size bigint,"
	  "partitions_count bigint" },
	{ "system_schema", "aggregates", "user defined aggregate definitions",
	  "keyspace_name text|"
	  "aggregate_name text,argument_types frozen<list<text>>|"
	  "final_func text,initcond text,return_type text,state_func text,"
	  "state_type text" },
	{ "system_schema", "column_masks", "column dynamic data masks",
	  "keyspace_name text|"
	  "table_name text,column_name text|"
	  "function_argument_nulls frozen<list<boolean>>,"
	  "function_argument_types frozen<list<text>>,"
	  "function_argument_values frozen<list<text>>,"
	  "function_keyspace text,function_name text" },
	{ "system_schema", "columns", "column definitions",
	  "keyspace_name text|table_name text,"
	  "column_name text|clustering_order text,column_name_bytes blob,"
	  "kind text,position int,type text" },
	{ "system_schema", "dropped_columns", "dropped column registry",
	  "keyspace_name text|"
	  "table_name text,column_name text|dropped_time timestamp,kind text,"
	  "type text" },
	{ "system_schema", "functions", "user defined function definitions",
	  "keyspace_name text|"
	  "function_name text,argument_types frozen<list<text>>|"
	  "argument_names frozen<list<text>>,body text,"
	  "called_on_null_input boolean,language text,return_type text" },
	{ "system_schema", "indexes", "secondary index definitions",
	  "keyspace_name text|table_name text,"
	  "index_name text|kind text,options frozen<map<text,text>>" },
	{ "system_schema", "keyspaces", "keyspace definitions",
	  "keyspace_name text||"
	  "durable_writes boolean,replication frozen<map<text,text>>" },
	{ "system_schema", "tables", "table definitions",
	  "keyspace_name text|table_name text|"
	  "flags frozen<set<text>>," TABLE_OPTIONS },
	{ "system_schema", "triggers", "trigger definitions",
	  "keyspace_name text|table_name text,"
	  "trigger_name text|options frozen<map<text,text>>" },
	{ "system_schema", "types", "user defined type definitions",
	  "keyspace_name text|type_name text|"
	  "field_names frozen<list<text>>,field_types frozen<list<text>>" },
	{ "system_schema", "views", "view definitions",
	  "keyspace_name text|view_name text|"
	  "base_table_id uuid,base_table_name text,"
	  "include_all_columns boolean,where_clause text," TABLE_OPTIONS },
};

/* ------------------------------------------------------ reading what is above */
static bool skip_text(const char **text, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*text, word, len))
		return false;
	*text += len;
	return true;
}

/* Read a type of the table above, which is known to be well formed; NULL: no
 * memory. Depth is that of the text. */
static struct type *read_type(const char **text)
{
	bool frozen = skip_text(text, "frozen<");
	struct type *parts[2] = { NULL, NULL }, *t;
	enum type_kind kind;
	uint32_t count;
	size_t len;

	if (skip_text(text, "map<"))
		kind = TYPE_MAP;
	else if (skip_text(text, "set<"))
		kind = TYPE_SET;
	else if (skip_text(text, "list<"))
		kind = TYPE_LIST;
	else {
		len = strcspn(*text, ",|>");
		kind = (enum type_kind)type_kind_by_name(bytes_of(*text, len));
		*text += len;
		return type_native(kind);
	}
	count = kind == TYPE_MAP ? 2 : 1;
	parts[0] = read_type(text);
	if (count == 2 && skip_text(text, ","))
		parts[1] = read_type(text);
	skip_text(text, ">");
	if (frozen)
		skip_text(text, ">");
	if (!parts[0] || (count == 2 && !parts[1])) {
		type_put(parts[0]);
		type_put(parts[1]);
		return NULL;
	}
	t = type_new(kind, frozen, parts, count);
	return t;
}

static int read_columns(struct table *t, const char *text)
{
	static const enum column_kind kinds[] = {
		COLUMN_PARTITION_KEY, COLUMN_CLUSTERING, COLUMN_REGULAR
	};
	char name[64];
	size_t part = 0, len;
	struct type *type;

	while (*text) {
		if (skip_text(&text, "|")) {
			part++;
			continue;
		}
		skip_text(&text, ",");
		len = strcspn(text, " ");
		if (len >= sizeof(name) || part >= ARRAY_SIZE(kinds))
			return -EINVAL;
		memcpy(name, text, len);
		name[len] = '\0';
		text += len + 1;
		type = read_type(&text);
		if (!type || table_add_column(t, name, type, kinds[part],
					      false) < 0)
			return -ENOMEM;
	}
	return table_finish(t);
}

/* Make an id that is the same in every store, as a name-based uuid. */
static void name_id(uint8_t id[16], const char *keyspace, const char *name)
{
	char text[128];
	XXH128_canonical_t hash;
	int len = snprintf(text, sizeof(text), "%s.%s", keyspace, name);

	XXH128_canonicalFromHash(&hash, XXH3_128bits(text, (size_t)len));
	memcpy(id, hash.digest, 16);
	id[6] = (uint8_t)((id[6] & 0x0f) | 0x30);
	id[8] = (uint8_t)((id[8] & 0x3f) | 0x80);
}

static int set_options(struct table_options *o, size_t i)
{
	bool schema = !strcmp(tables[i].keyspace, "system_schema");
	char *comment = mem_copy(tables[i].comment, strlen(tables[i].comment));

	if (!comment)
		return -ENOMEM;
	mem_free(o->comment);
	o->comment = comment;
	o->gc_grace_seconds = schema ? WEEK_S : 0;
	if (!strcmp(tables[i].table, "compaction_history"))
		o->default_time_to_live = WEEK_S;
	o->memtable_flush_period_in_ms = 3600000;
	return 0;
}

static int add_table(struct store *s, struct schema *schema, size_t i)
{
	struct table *t = table_new(tables[i].keyspace, tables[i].table);
	int err;

	if (!t)
		return -ENOMEM;
	t->flags = TABLE_VIRTUAL;
	t->uid = s->uid;
	t->gid = s->gid;
	t->mode = 0755;
	t->created_us = s->opened_us;
	name_id(t->id, tables[i].keyspace, tables[i].table);
	err = read_columns(t, tables[i].columns);
	if (!err)
		err = set_options(&t->options, i);
	if (err) {
		table_put(t);
		return err;
	}
	return schema_set_table(schema, t);
}

static int add_keyspace(struct store *s, struct schema *schema,
			const char *name)
{
	struct keyspace *k = keyspace_new(name);
	int err;

	if (!k)
		return -ENOMEM;
	k->system = true;
	k->uid = s->uid;
	k->gid = s->gid;
	k->created_us = s->opened_us;
	err = keyspace_set_replication(k, "class",
				"org.apache.cassandra.locator.LocalStrategy");
	if (err) {
		keyspace_put(k);
		return err;
	}
	return schema_set_keyspace(schema, k);
}

int system_add_keyspaces(struct store *s, struct schema *schema)
{
	size_t i;
	int err = add_keyspace(s, schema, "system");

	if (!err)
		err = add_keyspace(s, schema, "system_schema");
	for (i = 0; !err && i < ARRAY_SIZE(tables); i++)
		err = add_table(s, schema, i);
	return err;
}

/* -------------------------------------------------------------------- rows */
static void set_uuid(struct virtual_rows *v, const char *column,
		     const uint8_t bytes[16])
{
	uint8_t id[16];

	memcpy(id, bytes, 16);
	id[6] = (uint8_t)((id[6] & 0x0f) | 0x40);
	id[8] = (uint8_t)((id[8] & 0x3f) | 0x80);
	virtual_set(v, column, bytes_of(id, 16));
}

static int fill_local(struct virtual_rows *v, struct store *s)
{
	static const uint8_t address[4] = { 127, 0, 0, 1 };
	static const char *const texts[][2] = {
		{ "bootstrapped", "COMPLETED" }, { "cluster_name", "widefs" },
		{ "cql_version", "3.4.7" }, { "data_center", "datacenter1" },
		{ "native_protocol_version", "5" }, { "rack", "rack1" },
		{ "partitioner", "org.apache.cassandra.dht.Murmur3Partitioner" },
		{ "release_version", "5.0.5" },
	};
	static const char *const addresses[] = {
		"broadcast_address", "listen_address", "rpc_address"
	};
	struct bytes key = bytes_str("local");
	struct schema *schema = store_schema(s);
	uint8_t version[16] = { 0 };
	struct buf tokens = BUF_INIT;
	size_t i;

	virtual_add(v, &key);
	for (i = 0; i < ARRAY_SIZE(texts); i++)
		virtual_set_text(v, texts[i][0], texts[i][1]);
	for (i = 0; i < ARRAY_SIZE(addresses); i++)
		virtual_set(v, addresses[i], bytes_of(address, 4));
	virtual_set_int(v, "broadcast_port", 7000);
	virtual_set_int(v, "listen_port", 7000);
	virtual_set_int(v, "rpc_port", 9042);
	virtual_set_int(v, "gossip_generation",
			(int32_t)(s->opened_us / 1000000));
	set_uuid(v, "host_id", store_id(s));
	/* The version changes with the schema only. */
	memcpy(version, store_id(s), 8);
	put_be64(version + 8, schema->version);
	set_uuid(v, "schema_version", version);
	buf_add_be32(&tokens, 1);
	buf_add_be32(&tokens, 20);
	buf_add_str(&tokens, "-9223372036854775808");
	virtual_set(v, "tokens", buf_bytes(&tokens));
	schema_put(schema);
	buf_release(&tokens);
	return 0;
}

static void fill_index_info(struct virtual_rows *v, const struct keyspace *k)
{
	uint32_t i, j;

	if (!virtual_shows(v, k, NULL))
		return;
	for (i = 0; i < k->table_count; i++)
		for (j = 0; j < k->tables[i]->index_count &&
			    virtual_shows(v, k, k->tables[i]); j++) {
			const struct index *x = &k->tables[i]->indexes[j];
			struct bytes key[] = { bytes_str(k->name),
					       bytes_str(x->name) };

			if (!x->building)
				virtual_add(v, key);
		}
}

int system_fill(struct virtual_rows *v, struct store *s, const struct table *t)
{
	struct schema *schema;
	uint32_t i;

	if (!strcmp(t->keyspace, "system_schema"))
		return system_fill_schema(v, s, t);
	if (!strcmp(t->name, "local"))
		return fill_local(v, s);
	if (strcmp(t->name, "IndexInfo"))
		return 0;
	schema = store_schema(s);
	for (i = 0; i < schema->keyspace_count; i++)
		fill_index_info(v, schema->keyspaces[i]);
	schema_put(schema);
	return 0;
}
