# widefsctl flush and compact, on a mount and on a store.
. tests/mount/lib.sh
sstables() { "$CTL" cql "$1" <<<$'TRACING ON\nSELECT * FROM m."T";' | grep -c '\.sst$'; }
start
run_cql <<'C'
CREATE KEYSPACE m WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE m."T" (k int PRIMARY KEY, v int) WITH compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'};
CREATE TABLE m.u (k int PRIMARY KEY, v int);
INSERT INTO m."T" (k, v) VALUES (1, 1);
INSERT INTO m.u (k, v) VALUES (1, 1);
C
is 'flush of a mount' 0 "$(exits "$CTL" flush "$M")"
is 'says nothing' '' "$(cat "$W/out" "$W/err")"
is 'and makes a file of a table' 1 "$(sstables "$M")"
cql 'INSERT INTO m."T" (k, v) VALUES (2, 2)' >/dev/null
is 'flush of a table, named by a place in it' 0 "$(exits "$CTL" flush "$M/m/T/2")"
is 'makes another' 2 "$(sstables "$M")"
is 'compact, of the mount that one is in' 0 "$(cd "$M/m" && exits "$CTL" compact)"
is 'makes one of two' 1 "$(sstables "$M")"
is 'a keyspace is no table' 2 "$(exits "$CTL" flush "$M/m")"
is 'no such place' 6 "$(exits "$CTL" flush "$M/m/none")"
is 'a store that is mounted' 3 "$(exits "$CTL" compact "$S")"
cql 'INSERT INTO m."T" (k, v) VALUES (3, 3)' >/dev/null
stop
is 'a table of a store' 0 "$(exits "$CTL" flush "$S/m/T")"
is 'is flushed' 2 "$(sstables "$S")"
is 'a store is compacted' 0 "$(exits "$CTL" compact "$S/")"
is 'table by table' 1 "$(sstables "$S")"
is 'a table that is not there' 6 "$(exits "$CTL" compact "$S/m/none")"
is 'is named' "widefsctl: $S: there is no table 'm.none'" "$(cat "$W/err")"
is 'no store' 6 "$(exits "$CTL" flush "$W/nowhere/m/T")"
is 'a table that is made when it is read' 0 "$(exits "$CTL" compact "$S/system/local")"
is 'nothing is lost' $'k,v\n1,1\n2,2\n3,3' "$("$CTL" cql -m csv "$S" -e 'SELECT * FROM m."T"')"
done_testing
