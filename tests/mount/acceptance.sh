# Rows of the acceptance list (tests/acceptance) about the tree, its
# statistics and the shell: row 0.22, row 0.23, row 0.28, row 1.2, row 1.13,
# row 1.18, row 1.20, row 1.42, row 1.79, row 2.24, row 4.17, row D3, row D8, row D10.
. tests/mount/lib.sh
start -o max_value=4M
metric() { sed -n "s/^widefs_$1 //p" "$M/.widefs/metrics"; }
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (a text, b int, v text, l list<text>, PRIMARY KEY (a, b));
CREATE TABLE k.u (a text PRIMARY KEY);
INSERT INTO k.t (a, b, v, l) VALUES ('x', 1, 'one', ['a', 'b']);
INSERT INTO k.t (a, b, v) VALUES ('x', 2, 'two');
INSERT INTO k.u (a) VALUES ('y');
C
# row 1.2: keyspace, table, partition, row, cell are what the tree is made of
is 'keyspace' k "$(names "$M")"
is 'tables' 'schema.cql t u' "$(names "$M/k")"
is 'partition' x "$(names "$M/k/t")"
is 'rows' '1 2' "$(names "$M/k/t/x")"
is 'cells' 'l v' "$(names "$M/k/t/x/1" | tr ' ' '\n' | sort | paste -sd' ')"
is 'a cell' one "$(cat "$M/k/t/x/1/v")"
# row 1.18: each table has files of its own
put "$M/.widefs/ctl" flush
before=$(ls "$S/engine" | grep -c '\.sst$')
cql "INSERT INTO k.t (a, b) VALUES ('x', 3)" >/dev/null
cql "INSERT INTO k.u (a) VALUES ('z')" >/dev/null
put "$M/.widefs/ctl" flush
is 'two tables, two files' 2 $(($(ls "$S/engine" | grep -c '\.sst$') - before))
# row 0.28: what was done can be read
gets=$(metric gets) scans=$(metric scans) batches=$(metric batches)
cql "SELECT * FROM k.t WHERE a = 'x' AND b = 1" >/dev/null
cql "SELECT * FROM k.t" >/dev/null
cql "INSERT INTO k.t (a, b) VALUES ('x', 4)" >/dev/null
ok 'reads are counted' test "$(($(metric gets) + $(metric scans)))" -gt "$((gets + scans))"
ok 'writes are counted' test "$(metric batches)" -gt "$batches"
ok 'space is told' test "$(metric bytes_flushed)" -gt 0
ok 'for people too' grep -q 'tombstones met by reads' "$M/.widefs/stats"
# row 1.42: a list by position is read before it is written
reads=$(($(metric gets) + $(metric scans)))
cql "UPDATE k.t SET l = l + ['c'] WHERE a = 'x' AND b = 1" >/dev/null
blind=$(($(metric gets) + $(metric scans) - reads))
cql "UPDATE k.t SET l[1] = 'B' WHERE a = 'x' AND b = 1" >/dev/null
ok 'the read is counted' test $(($(metric gets) + $(metric scans) - reads - blind)) -gt "$blind"
is 'the result' '[[["a","B","c"]]]' "$(cql "SELECT l FROM k.t WHERE a = 'x' AND b = 1" | jq -c .rows)"
# row 0.23: large values up to max_value
python3 - "$M" <<'P'
import sys
open(sys.argv[1] + '/k/t/x/2/v', 'w').write('v' * 1000000)
P
is '1 MB' 1000001 "$(stat -c %s "$M/k/t/x/2/v")"
is 'by CQL' 1000000 "$(cql "SELECT v FROM k.t WHERE a = 'x' AND b = 2" | jq -j '.rows[0][0]' | wc -c)"
refused 'over max_value' 'File too large' dd if=/dev/zero of="$M/k/t/x/2/v" bs=1M count=5 status=none
# row D3, row 2.24: consistency levels
shell() { "$CTL" cql -k k -e "$1" "$S"; }
cql 'CREATE TABLE k.n (a int PRIMARY KEY, c counter)' >/dev/null
stop
for level in ONE TWO THREE QUORUM ALL LOCAL_QUORUM EACH_QUORUM LOCAL_ONE NODE_LOCAL; do
	is "$level" 0 "$(shell "CONSISTENCY $level; UPDATE n SET c = c + 1 WHERE a = 1; SELECT a FROM u" >/dev/null 2>&1; echo $?)"
done
refused 'read at ANY' 'ANY ConsistencyLevel is only supported for writes' shell 'CONSISTENCY ANY; SELECT * FROM u'
ok 'write at ANY' shell "CONSISTENCY ANY; INSERT INTO u (a) VALUES ('w')"
refused 'write at SERIAL' 'You must use conditional updates for serializable writes' shell "CONSISTENCY SERIAL; INSERT INTO u (a) VALUES ('w')"
ok 'read at SERIAL' shell 'CONSISTENCY SERIAL; SELECT * FROM u'
refused 'serial consistency' 'SERIAL' shell 'SERIAL CONSISTENCY ONE'
refused 'condition at SERIAL' 'SERIAL is not supported as conditional update commit consistency' shell "CONSISTENCY SERIAL; INSERT INTO u (a) VALUES ('w') IF NOT EXISTS"
refused 'counter at ANY' 'Consistency level ANY is not yet supported for counter table n' shell 'CONSISTENCY ANY; UPDATE n SET c = c + 1 WHERE a = 1'
refused 'counter at SERIAL' 'Counter operations are inherently non-serializable' shell 'CONSISTENCY SERIAL; UPDATE n SET c = c + 1 WHERE a = 1'
start
# row 1.20, row 1.79, row D10: tombstones are counted, warned of, and too many refuse a read. Deleted cells: rows that
# were deleted as a whole are skipped as soon as a thread has seen them.
python3 - "$W" <<'P'
import sys
w = sys.argv[1]
with open(w + '/queue', 'w') as f:
    f.write("CREATE TABLE k.q (q text, id int, v text, PRIMARY KEY (q, id)) WITH gc_grace_seconds = 864000;\n")
    f.write("CREATE INDEX qv ON k.q (v);\n")
    for i in range(1500):
        f.write(f"DELETE v FROM k.q WHERE q = 'q' AND id = {i};\n")
    f.write("INSERT INTO k.q (q, id, v) VALUES ('q', 2000, 'last');\n")
with open(w + '/more', 'w') as f:
    for i in range(3000, 102000):
        f.write(f"DELETE v FROM k.q WHERE q = 'q' AND id = {i};\n")
with open(w + '/rows', 'w') as f:
    f.write("CREATE TABLE k.wide (a int, b int, PRIMARY KEY (a, b));\n")
    for i in range(100001):
        f.write(f"INSERT INTO k.wide (a, b) VALUES (1, {i});\n")
P
ok 'a queue' cp "$W/queue" "$M/.cql"
met=$(metric tombstones_read)
is 'the first of the queue' '[[2000]]' "$(cql "SELECT id FROM k.q WHERE q = 'q' LIMIT 1" | jq -c .rows)"
ok 'tombstones are counted' test "$(metric tombstones_read)" -ge $((met + 1500))
stop
out=$("$CTL" cql -e "SELECT id FROM k.q WHERE q = 'q' LIMIT 1" "$S" 2>&1)
is 'the warning' 1 "$(grep -c 'Read 1 live rows and 1500 tombstone cells for query' <<<"$out")"
start
ok 'a hundred thousand deletions' cp "$W/more" "$M/.cql"
cql "DELETE v FROM k.q WHERE q = 'q' AND id = 100001" >/dev/null
out=$(cql "SELECT id FROM k.q WHERE q = 'q'" 2>&1)
is 'refused' 1 "$(grep -c 'Input/output error' <<<"$out")"
is 'and why' 1 "$(tail -1 "$M/.widefs/errors" | grep -c 'READ_TOO_MANY_TOMBSTONES')"
is 'the index is not in the way of what lives' '[[2000]]' "$(cql "SELECT id FROM k.q WHERE v = 'last'" | jq -c .rows)"
# row 0.22, row D8, row 1.13, row 4.17: a large partition is told of and never refused
ok 'more than 100,000 rows in a partition' cp "$W/rows" "$M/.cql"
put "$M/.widefs/ctl" flush
is 'told of' 1 "$(grep -c 'Writing large partition with token -4069959284402364209 (100001 rows' "$W/log")"
is 'small ones are not' 0 "$(grep -cE 'large partition.*\(([0-9]{1,5}|100000) rows' "$W/log")"
is 'all are there' '[[100001]]' "$(cql 'SELECT count(*) FROM k.wide WHERE a = 1' | jq -c .rows)"
ok 'a compaction' put "$M/.widefs/ctl" 'compact k.wide'
is 'and still' '[[100001]]' "$(cql 'SELECT count(*) FROM k.wide WHERE a = 1' | jq -c .rows)"
stop
done_testing
