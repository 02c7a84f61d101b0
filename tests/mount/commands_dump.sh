# schema, dump and load: all that CQL can say of a store comes back.
. tests/mount/lib.sh
# Seconds that are left to live change from dump to dump.
still() { sed -E 's/AND TTL [0-9]+/AND TTL n/' "$1"; }
start
cat tools/demo/{gym,recipes,slides,tweets}.cql | run_cql
run_cql <<'C'
CREATE KEYSPACE d WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1} AND durable_writes = false;
USE d;
CREATE TYPE ad (street text, n int);
CREATE TYPE both (a frozen<ad>, l list<int>);
CREATE TABLE t (p int, c int, s text STATIC, sm map<int, text> STATIC, a int, m map<text, int>, st set<int>, l list<text>, u ad, f frozen<list<frozen<both>>>, d double, e int, PRIMARY KEY (p, c));
INSERT INTO t (p, c, a, m, l, u, st) VALUES (1, 1, 5, {'a': 1}, ['x'], {street: 'S', n: 3}, {1, 2}) USING TIMESTAMP 1000;
UPDATE t USING TIMESTAMP 2000 AND TTL 500000 SET m['b'] = 2, l = l + ['y'], st = st + {9}, u.n = 4 WHERE p = 1 AND c = 1;
UPDATE t USING TIMESTAMP 1600 SET l = ['0'] + l WHERE p = 1 AND c = 1;
INSERT INTO t (p, c, a, f, d) VALUES (2, 2, -5, [{a: {street: 'it''s', n: null}, l: [1, 2]}], NaN) USING TIMESTAMP 1000;
UPDATE t USING TIMESTAMP 1500 SET d = -0.0, u = {n: 5} WHERE p = 2 AND c = 2;
INSERT INTO t (p, c, a) VALUES (2, 3, 1) USING TTL 600000;
UPDATE t USING TTL 700000 SET d = Infinity WHERE p = 2 AND c = 3;
UPDATE t SET s = 'st', sm = {1: 'one'} WHERE p = 2;
UPDATE t USING TIMESTAMP 77 SET sm[2] = 'two' WHERE p = 2;
CREATE TABLE flat (p text, v int, w text, PRIMARY KEY (p)) WITH COMPACT STORAGE AND gc_grace_seconds = 7;
CREATE TABLE flats (p text, q int, v int, PRIMARY KEY ((p, q))) WITH COMPACT STORAGE;
CREATE TABLE deep (p text, q int, v int, PRIMARY KEY (p, q)) WITH COMPACT STORAGE AND CLUSTERING ORDER BY (q DESC);
INSERT INTO flat (p, v, w) VALUES ('x', 1, 'y');
INSERT INTO flats (p, q, v) VALUES ('x', 1, 2);
INSERT INTO deep (p, q, v) VALUES ('x', 1, 3);
INSERT INTO t (p, s) VALUES (3, 'only a static');
INSERT INTO t (p, c) VALUES (4, 4);
INSERT INTO t (p, c, a, e) VALUES (4, 5, blob_as_int(0x), blob_as_int(0x));
CREATE TABLE cn (p int, c text, n counter, s counter STATIC, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC);
UPDATE cn SET n = n - 7, s = s + 3 WHERE p = 1 AND c = 'x';
UPDATE cn SET n = n + 9223372036854775807 WHERE p = 1 AND c = 'y';
UPDATE cn SET n = n - 9223372036854775807 WHERE p = 1 AND c = 'z';
UPDATE cn SET n = n - 1 WHERE p = 1 AND c = 'z';
CREATE TABLE "Odd" ("K" text, "a""b" int, v text, tup tuple<int, text>, vec vector<float, 2>, PRIMARY KEY ("K", "a""b")) WITH comment = 'it''s' AND gc_grace_seconds = 12;
INSERT INTO "Odd" ("K", "a""b", v, tup, vec) VALUES ('it''s', 1, 'a''b', (1, null), [1.5, -0.0]);
CREATE INDEX vi ON "Odd" (v);
CREATE TABLE types (k int PRIMARY KEY, a ascii, b bigint, bl blob, bo boolean, da date, de decimal, du duration, fl float, i inet, sm smallint, ti time, ts timestamp, tu timeuuid, ty tinyint, u uuid, v varint);
INSERT INTO types (k, a, b, bl, bo, da, de, du, fl, i, sm, ti, ts, tu, ty, u, v) VALUES (1, 'a', -9223372036854775808, 0x00ff, true, '-0044-03-15', 1.00, 1mo2d3ns, 1.1, '::1', -1, '23:59:59.999999999', '2024-05-06T07:08:09.123Z', 50554d6e-29bb-11e5-b345-feff819cdc9f, 127, 00000000-0000-0000-0000-000000000000, 123456789012345678901234567890);
CREATE TABLE lives (k int PRIMARY KEY, a int, b int, s set<int>) WITH default_time_to_live = 600000;
INSERT INTO lives (k, a) VALUES (1, 1);
INSERT INTO lives (k, a) VALUES (2, 2) USING TTL 0;
UPDATE lives USING TTL 0 SET b = 3, s = s + {1} WHERE k = 2;
C
"$CTL" cql "$M" -e "INSERT INTO d.\"Odd\" (\"K\", \"a\"\"b\", v) VALUES ('k', 2, '')"
mkdir "$M/d/notes" "$M/d/notes/alice"
printf 'buy\nmilk\0' >"$M/d/notes/alice/todo"
is 'a mount is dumped' 0 "$(exits "$CTL" dump "$M")"
mv "$W/out" "$W/mounted"
is 'and quietly' '' "$(cat "$W/err")"
is 'a counter is its total' "UPDATE d.cn SET n = n + -9223372036854775808 WHERE p = 1 AND c = 'z';" "$(grep "c = 'z'" "$W/mounted")"
is 'an empty int is one' 1 "$(grep -c 'VALUES (4, 5, blob_as_int(0x), blob_as_int(0x))' "$W/mounted")"
is 'a cell without a TTL has none again' 'AND TTL 0' "$(grep 'lives.*(2, 2)' "$W/mounted" | grep -o 'AND TTL 0')"
ok 'an index comes after the rows' test "$(grep -n 'CREATE INDEX vi' "$W/mounted" | cut -d: -f1)" -gt "$(grep -n 'INTO d\."Odd"' "$W/mounted" | tail -1 | cut -d: -f1)"
is 'schema is what a dump begins with' "$("$CTL" schema "$M" | grep -c '^CREATE')" "$(grep -c '^CREATE' "$W/mounted")"
is 'dump --schema-only has no rows' 0 "$("$CTL" dump --schema-only "$M" | grep -cE '^(INSERT|UPDATE)')"
is 'dump --keyspace' "$("$CTL" dump --keyspace=d "$M" | still /dev/stdin)" "$("$CTL" dump "$M/d" | still /dev/stdin)"
is 'has that alone' d "$("$CTL" dump -k d "$M" | grep -oE '^(INSERT INTO|UPDATE) [a-z0-9_]+' | awk '{ print $NF }' | sort -u)"
stop
is 'a store is dumped' 0 "$(exits "$CTL" dump "$S")"
mv "$W/out" "$W/stored"
is 'the same as its mount' '' "$(diff <(still "$W/mounted") <(still "$W/stored"))"
is 'load makes a store' 0 "$("$CTL" load "$W/copy" <"$W/stored" >"$W/out" 2>"$W/err"; echo $?)"
is 'and says so' "widefsctl: $W/copy: store created" "$(grep . "$W/out" "$W/err" -h | head -1)"
"$CTL" dump "$W/copy" >"$W/again"
is 'the copy has the same dump' '' "$(diff <(still "$W/stored") <(still "$W/again"))"
is 'with cells that live for good' '2,2,3,,' "$("$CTL" cql -m csv "$W/copy" -e 'SELECT a, b, k, ttl(a), ttl(b) FROM d.lives WHERE k = 2' | sed -n 2p | sed 's/^\(.*\),3,2,/\1,2,3,/')"
for name in "$S/new" "$S/new/"; do
	is 'a keyspace of a store is no new store' 6 "$("$CTL" load "$name" </dev/null >"$W/out" 2>"$W/err"; echo $?)"
done
is 'two dumps of what has no TTL are the same bytes' '' "$(cmp <("$CTL" dump "$S" -k killrvideo 2>&1) <("$CTL" dump "$W/copy" -k killrvideo 2>&1))"
is 'the copy is sound' '0 problems' "$("$CTL" check "$W/copy")"
is 'its index is used' "$(printf "K\nit's")" "$("$CTL" cql -m csv "$W/copy" -e "SELECT \"K\" FROM d.\"Odd\" WHERE v = 'a''b'")"
# Into a mount; over what is there nothing changes but counters.
S2=$S S=$W/second
start
is 'load into a mount' 0 "$("$CTL" load "$M" <"$W/stored" >"$W/out" 2>"$W/err"; echo $?)"
is 'with nothing but the warnings of statements' '' "$(cat "$W/out"; grep -vE '^(Warnings :|SASI indexes .*|Your replication .*)?$' "$W/err")"
is 'a keyspace of a mount is none, either' 6 "$("$CTL" load "$M/new" </dev/null >"$W/out" 2>"$W/err"; echo $?)"
ok 'nothing is made' test ! -e "$M/new" -a ! -e "$S/new" -a ! -e "$S2/new"
is 'the mount has the same dump' '' "$(diff <(still "$W/stored") <("$CTL" dump "$M" | still /dev/stdin))"
printf 'buy\nmilk\0' >"$W/todo"
ok 'a row of a schemaless table' cmp "$W/todo" "$M/d/notes/alice/todo"
is 'over it: what is there is named' 1 "$("$CTL" load "$M" <"$W/stored" >"$W/out" 2>"$W/err"; echo $?)"
is 'with its line' 1 "$(grep -cE '^<stdin>:3:AlreadyExists' "$W/err")"
printf 'SELECT * FROM system.local;\nINSERT INTO d.t (p, c, a) VALUES (9, 9, 9);\nINSERT INTO d.t (p, c, a) VALUES (9, 10, nope);\nINSERT INTO d.t (p, c, a) VALUES (9, 11, 9);\n' >"$W/wrong"
is 'an error ends it' 1 "$("$CTL" load "$M" <"$W/wrong" >"$W/out" 2>"$W/err"; echo $?)"
is 'statements before it were run, later ones were not' 9 "$(names "$M/d/t/9")"
ok 'its line is named' grep -q '^<stdin>:3:' "$W/err"
printf "CAPTURE '%s/captured'\nSELECT * FROM system.local;\nCOPY d.t TO '%s/copied';\n" "$W" "$W" >"$W/evil"
is 'commands of the shell are refused' 1 "$("$CTL" load "$M" <"$W/evil" >"$W/out" 2>"$W/err"; echo $?)"
is 'and make no files' '' "$(find "$W" -maxdepth 1 -name 'c*ed')"
printf "COPY d.t TO '%s/copied';\n" "$W" >"$W/evil"
is 'COPY, too' 1 "$("$CTL" load "$M" <"$W/evil" >"$W/out" 2>"$W/err"; echo $?)"
is 'and makes none' '' "$(find "$W" -maxdepth 1 -name 'c*ed')"
stop
S=$S2
for place in nowhere store/d/none; do
	is "schema of $place" 6 "$(exits "$CTL" schema "$W/$place")"
done
is 'no such keyspace' 6 "$(exits "$CTL" dump -k none "$S")"
is 'is named' 1 "$(grep -c "'none' not found in keyspaces" "$W/err")"
is 'a table of a store' 1 "$("$CTL" schema "$S/d/cn" | grep -c ^CREATE)"
is 'by its name' "$("$CTL" schema "$S/d/cn")" "$("$CTL" schema "$S" d.cn)"
is 'a dump that cannot be written' 1 "$("$CTL" dump "$S" >/dev/full 2>"$W/err"; echo $?)"
done_testing
