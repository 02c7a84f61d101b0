/*
 * Statements on the schema of test_ddl.c, and the "Class: message" that refuses
 * each, or "ok"; its macros stand there.
 */
/* keyspaces */
{ KS("{'class': 'NetworkTopologyStrategy', 'eu': 'x'}"),
  WRONG "For input string: \"x\"" },
{ KS("{}"), WRONG "Missing replication strategy class" },
{ "CREATE KEYSPACE system WITH replication = " SIMPLE,
  INVALID "System keyspace 'system' is not user-modifiable" },
{ "ALTER KEYSPACE system WITH durable_writes = false",
  DENIED "system keyspace is not user-modifiable." },
{ "CREATE TABLE system_schema.x (k int PRIMARY KEY)",
  DENIED "system_schema keyspace is not user-modifiable." },
{ "DROP TABLE system.local",
  DENIED "system keyspace is not user-modifiable." },
{ "ALTER KEYSPACE k WITH replication = {'class': 'LocalStrategy'}",
  INVALID "Unable to use given strategy class: LocalStrategy is "
	  "reserved for internal use." },
{ "ALTER KEYSPACE k WITH replication = {'replication_factor': 2}",
  WRONG "Missing replication strategy class" },
{ "CREATE TYPE \"no-name\".x (a int)",
  INVALID "Keyspace name must not be empty, more than 48 characters "
	  "long, or contain non-alphanumeric-underscore characters "
	  "(got 'no-name')" },
/* tables: one fault before another */
{ WITH("compaction = {'class': 'No'} AND nope = 1"),
  WRONG "Unable to find compaction strategy class "
	"'org.apache.cassandra.db.compaction.No'" },
{ "CREATE TABLE nope.n (k int PRIMARY KEY) WITH gc_grace_seconds = 'x'",
  SYNTAX "Invalid integer value x for 'gc_grace_seconds'" },
{ "CREATE TABLE nope.n (k int PRIMARY KEY) WITH gc_grace_seconds = -1",
  INVALID "Keyspace 'nope' doesn't exist" },
{ "CREATE TABLE n (k nope PRIMARY KEY) WITH gc_grace_seconds = -1",
  WRONG "gc_grace_seconds must be greater than or equal to 0 (got -1)" },
{ "CREATE TABLE t (k nope PRIMARY KEY)",
  "AlreadyExists: Cannot add already existing table \"t\" to keyspace "
  "\"k\"" },
{ "CREATE TABLE \"a b\" (k nope PRIMARY KEY)",
  INVALID "Unknown type k.nope" },
{ "CREATE TABLE n (k int, k text)",
  INVALID "Duplicate column 'k' declaration for table 'n'" },
{ "CREATE TABLE n (k int PRIMARY KEY, v int MASKED WITH DEFAULT)",
  INVALID "Cannot mask columns because dynamic data masking is not "
	  "enabled. You can enable it with the "
	  "dynamic_data_masking_enabled property on cassandra.yaml" },
{ "CREATE TABLE n (a int, b int, c int, PRIMARY KEY (a, b)) WITH "
  "CLUSTERING ORDER BY (b ASC, x DESC, c ASC)",
  INVALID "Only clustering key columns can be defined in CLUSTERING "
	  "ORDER directive: [x, c] are not clustering columns" },
/* types */
{ "CREATE TABLE n (k int PRIMARY KEY, v frozen<list<list<counter>>>)",
  INVALID "Counters are not allowed inside collections: "
	  "frozen<list<counter>>" },
{ "CREATE TABLE n (k int PRIMARY KEY, v map<list<int>, counter>)",
  INVALID "Counters are not allowed inside collections: "
	  "map<list<int>, counter>" },
{ "CREATE TABLE n (k int PRIMARY KEY, v other.theirs)",
  INVALID "Statement on keyspace k cannot refer to a user type in "
	  "keyspace other; user types can only be used in the keyspace "
	  "they are defined in" },
{ "CREATE TABLE n (k int PRIMARY KEY, v u)",
  INVALID "Non-frozen UDTs with nested non-frozen collections are not "
	  "supported" },
{ "ALTER TABLE flat ADD x u",
  INVALID "Non-frozen UDTs with nested non-frozen collections are not "
	  "supported for column x" },
{ "CREATE TABLE n (k int PRIMARY KEY, v 'Nope')",
  SYNTAX "Error setting type Nope: Unable to find abstract-type class "
	 "'org.apache.cassandra.db.marshal.Nope'" },
{ "CREATE TABLE n (k tuple<int, frozen<list<duration>>> PRIMARY KEY)",
  INVALID "duration type is not supported for PRIMARY KEY column 'k'" },
{ "CREATE TABLE n (k plain PRIMARY KEY)",
  INVALID "Invalid non-frozen user-defined type \"k.plain\" for PRIMARY "
	  "KEY column 'k'" },
{ "CREATE TABLE n (k int PRIMARY KEY, v vector<int, 0>)",
  INVALID "vectors may only have positive dimensions; given 0" },
/* options */
{ WITH("compaction = {'class': 'UnifiedCompactionStrategy', "
       "'min_threshold': 4}"),
  WRONG "Properties specified [min_threshold] are not understood by "
	"UnifiedCompactionStrategy" },
{ WITH("compaction = {'class': 'SizeTieredCompactionStrategy', "
       "'zz': 1, 'aa': 1}"),
  WRONG "Properties specified [aa, zz] are not understood by "
	"SizeTieredCompactionStrategy" },
{ WITH("compaction = {'class': 'SizeTieredCompactionStrategy', "
       "'max_threshold': 0}"),
  WRONG "Disabling compaction by setting compaction thresholds to 0 has "
	"been removed, set the compaction option 'enabled' to false "
	"instead." },
{ WITH("compaction = {'class': 'UnifiedCompactionStrategy', "
       "'scaling_parameters': 'T4, L10, N, X'}"),
  WRONG "Scaling parameter X must match N|L[0-9]+|T[0-9]+|[+-]?[0-9]+" },
{ WITH("compression = {'class': 'SnappyCompressor'}"),
  WRONG "SnappyCompressor is not supported: use LZ4Compressor, "
	"ZstdCompressor or DeflateCompressor" },
{ WITH("compression = {'class': 'LZ4Compressor', "
       "'lz4_high_compressor_level': 18}"),
  WRONG "Invalid value [18] for parameter 'lz4_high_compressor_level'. "
	"Value must be between 1 and 17." },
{ WITH("caching = {'rows_per_partition': 'SOME'}"),
  WRONG "Invalid value 'SOME' for caching sub-option "
	"'rows_per_partition': only 'ALL', 'NONE', and integer values "
	"are allowed" },
{ WITH("speculative_retry = '100p'"),
  WRONG "Invalid value 100p for PERCENTILE option 'speculative_retry': "
	"must be between (0.0 and 100.0)" },
{ WITH("crc_check_chance = 'NaN'"),
  WRONG "crc_check_chance must be larger than or equal to 0 and smaller "
	"than or equal to 1.0 (got NaN)" },
/* compact storage */
{ "CREATE TABLE n (a int, b int, s int STATIC, l list<int>, "
  "PRIMARY KEY (a, b)) WITH COMPACT STORAGE",
  INVALID "Non-frozen collections and UDTs are not supported with "
	  "COMPACT STORAGE" },
{ "ALTER TABLE dense DROP v",
  INVALID "Cannot drop the value column v of a COMPACT STORAGE table" },
{ "ALTER TABLE sparse RENAME k TO column1",
  INVALID "Cannot rename column k to column1 in table 'k.sparse'; "
	  "another column with that name already exists" },
{ "CREATE INDEX ON dense (v)",
  INVALID "Secondary indexes are not supported on compact value column "
	  "of COMPACT STORAGE tables" },
{ "CREATE INDEX ON dense (b)",
  INVALID "Secondary indexes are not supported on PRIMARY KEY columns "
	  "in COMPACT STORAGE tables" },
/* ALTER TABLE */
{ "ALTER TABLE counted DROP n", "ok" },
{ "ALTER TABLE counted ADD n counter",
  INVALID "Cannot re-add previously dropped counter column n" },
{ "ALTER TABLE t DROP v",
  INVALID "Cannot drop column v because it has dependent secondary "
	  "indexes (by_v)" },
{ "ALTER TABLE t DROP (w, w)", "ok" },
{ "ALTER TABLE t ADD w text STATIC",
  INVALID "Cannot re-add previously dropped column 'w' of kind STATIC, "
	  "incompatible with previous kind REGULAR" },
{ "ALTER TABLE t RENAME p TO x AND q TO x",
  INVALID "Cannot rename column p to x in table 'k.t'; another column "
	  "with that name already exists" },
{ "ALTER TABLE t DROP c",
  INVALID "Cannot drop PRIMARY KEY column c" },
{ "ALTER TABLE t WITH id = 5b0a1a1e-0000-1000-8000-000000000000",
  WRONG "Cannot alter table id." },
{ "ALTER TABLE nope WITH gc_grace_seconds = x",
  SYNTAX "line 1:41 no viable alternative at input 'x'" },
{ "ALTER TABLE t ALTER v TYPE text",
  INVALID "Altering column types is no longer supported" },
/* types */
{ "ALTER TYPE plain ADD x frozen<plain>",
  INVALID "Cannot add new field x of type frozen<k.plain> to user type "
	  "k.plain as it would create a circular reference" },
{ "DROP TYPE plain",
  INVALID "Cannot drop user type 'k.plain' as it is still used by "
	  "tables t" },
{ "CREATE TYPE n (a int, b text, a text)",
  INVALID "Duplicate field name 'a' in type 'n'" },
/* indexes */
{ "CREATE INDEX by_v ON flat (v)",
  INVALID "Index 'by_v' already exists" },
{ "CREATE CUSTOM INDEX i ON t (v, c) USING 'sai'",
  INVALID "A storage-attached index cannot be created over multiple "
	  "columns: v, c" },
{ "CREATE CUSTOM INDEX i ON t (v, v) USING 'sai'",
  INVALID "Duplicate column 'v' in index target list" },
{ "CREATE CUSTOM INDEX i ON t (bl) USING 'StorageAttachedIndex'",
  INVALID "Unsupported type: blob" },
{ "CREATE CUSTOM INDEX i ON t (v) USING 'sai' WITH OPTIONS = {'x': 1}",
  WRONG "Properties specified [x] are not understood by "
	"StorageAttachedIndex" },
{ "CREATE CUSTOM INDEX i ON t (v) USING 'sai' "
  "WITH OPTIONS = {'case_sensitive': false}",
  INVALID "CQL type int cannot be analyzed." },
{ "CREATE CUSTOM INDEX i ON t (v) USING 'sai' "
  "WITH OPTIONS = {'target': 'v'}",
  INVALID "Cannot specify target as a CUSTOM option" },
{ "CREATE CUSTOM INDEX i ON t (\"Up per\") USING 'sai'",
  INVALID "Column 'Up per' is longer than the permissible name length "
	  "of 48 characters or contains non-alphanumeric-underscore "
	  "characters" },
{ "CREATE CUSTOM INDEX i ON t (l) USING " SASI,
  WRONG "complex columns are not yet supported by SASI" },
{ "CREATE CUSTOM INDEX i ON t (p) USING " SASI,
  WRONG "partition key columns are not yet supported by SASI" },
{ "CREATE CUSTOM INDEX i ON t (v) USING " SASI " WITH OPTIONS = "
  ANALYZER("StandardAnalyzer"),
  WRONG "StandardAnalyzer does not support type int" },
{ "CREATE CUSTOM INDEX i ON t (v) USING " SASI " WITH OPTIONS = "
  "{'analyzer_class': 'nope'}",
  WRONG "Invalid analyzer class option specified [nope]" },
{ KS("{'class': 'SimpleStrategy', 'replication_factor': '3/1'}"),
  WRONG "Transient replication is not enabled on this node" },
/* not ours */
{ "CREATE MATERIALIZED VIEW mv AS SELECT * FROM flat WHERE k IS NOT "
  "NULL PRIMARY KEY (k)",
  INVALID "Materialized views are disabled. Enable in cassandra.yaml to "
	  "use." },
{ "CREATE FUNCTION f (x int) CALLED ON NULL INPUT RETURNS int LANGUAGE "
  "java AS 'return 1;'",
  INVALID "User-defined functions are disabled in cassandra.yaml - set "
	  "user_defined_functions_enabled=true to enable" },
{ "CREATE ROLE r",
  DENIED "You have to be logged in and not anonymous to perform this "
	 "request" },
{ "DROP TRIGGER r ON t", INVALID "Triggers are not supported" },
/* DESCRIBE */
{ "DESCRIBE nope.t", INVALID "'nope' not found in keyspaces" },
{ "DESCRIBE INDEX t",
  INVALID "Table for existing index 't' not found in 'k'" },
