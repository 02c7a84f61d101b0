# .cql and its forms, schema.cql (fs/README.md, "Statements").
. tests/mount/lib.sh
start
ok 'a statement' cql "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
is 'without rows' '{"columns":[],"rows":[]}' "$(cql 'CREATE TABLE k.t (a int PRIMARY KEY, b text)')"
out=$(cql 'CREATE TABLE k.t (a int PRIMARY KEY)' 2>&1)
is 'AlreadyExists' 1 "$(grep -c 'File exists' <<<"$out")"
is 'and its message' '{"error":{"code":"AlreadyExists","message":"Cannot add already existing table \"t\" to keyspace \"k\""}}' "$(tail -1 <<<"$out")"
out=$(cql 'SELECT * FROM k.none' 2>&1)
is 'InvalidRequest' '{"error":{"code":"InvalidRequest","message":"table none does not exist"}}' "$(tail -1 <<<"$out")"
is 'EINVAL' 1 "$(grep -c 'Invalid argument' <<<"$out")"
cat >"$W/script" <<'C'
-- a comment; with a semicolon
INSERT INTO t (a, b) VALUES (1, 'one;two');
BEGIN BATCH INSERT INTO t (a, b) VALUES (2, 'x'); INSERT INTO t (a, b) VALUES (3, 'it''s'); APPLY BATCH;
/* the last has no semicolon */ INSERT INTO t (a, b) VALUES (4, 'y')
C
ok 'a script with the keyspace in force' cp "$W/script" "$M/k/.cql"
is 'all of it' '{"columns":[{"name":"count","type":"bigint"}],"rows":[[4]]}' "$(cql 'SELECT count(*) FROM k.t')"
printf "INSERT INTO k.t (a) VALUES (5); INSERT INTO k.nope (a) VALUES (1); INSERT INTO k.t (a) VALUES (6);\n" >"$W/bad"
refused 'a script stops at its first error' 'Invalid argument' cp "$W/bad" "$M/.cql"
is 'statements before the refused one have run' '[[5]]' "$(cql 'SELECT a FROM k.t WHERE a IN (5, 6)' | jq -c .rows)"
ask() { exec 7<>"$M/$1"; printf '%s' "$2" >&7; cat <&7; exec 7>&-; }
is 'a table for people' $' a | b\n---+---\n 2 | x\n\n(1 rows)' "$(ask .cql 'SELECT * FROM k.t WHERE a = 2' | sed '/^$/{1d}' | sed 's/ *$//')"
is 'ndjson' '{"a": 2, "b": "x"}' "$(ask .cql.ndjson 'SELECT * FROM k.t WHERE a = 2')"
is 'csv' $'a,b\n3,it\'s' "$(ask .cql.csv 'SELECT * FROM k.t WHERE a = 3')"
exec 7<>"$M/.cql.json"
printf 'USE k; SELECT a FROM t WHERE a = 1;' >&7
is 'several statements, a line each' $'{"columns":[],"rows":[]}\n{"columns":[{"name":"a","type":"int"}],"rows":[[1]]}' "$(cat <&7)"
printf 'SELECT b FROM t' >&7
printf ' WHERE a = 2;' >&7
is 'one statement in two redirections; USE holds' '{"columns":[{"name":"b","type":"text"}],"rows":[["x"]]}' "$(cat <&7)"
exec 7>&-
# Without its semicolon a statement runs in the last close of the file, which
# says what came of it; in no other.
for i in 1 2 3 4 5 6 7 8 9 10; do
	test -e "$M/k/late$i" && fail "$i: it is there"
	echo "CREATE TABLE k.late$i (x int PRIMARY KEY)" >"$M/.cql"
	ok "$i: a close is waited for" test -d "$M/k/late$i"
	echo "DROP TABLE k.late$i" | tee "$M/.cql" >/dev/null
	refused "$i: that of a program too" 'No such file' ls "$M/k/late$i"
done
echo 'SELEC 1' >"$W/bad"
refused 'and tells of an error' 'Invalid argument' cp "$W/bad" "$M/.cql"
refused 'in a keyspace too' 'Invalid argument' cp "$W/bad" "$M/k/.cql.json"
cql "CREATE TABLE k.parts (a int, b int, PRIMARY KEY (a, b))" >/dev/null
echo 'INSERT INTO k.parts (a, b) VALUES (1, 1); INSERT INTO k.parts (a, b) VALUES (1, 2);' >"$M/.cql"
exec 7>"$M/.cql"
printf 'DELETE FROM k.parts WHERE a = 1' >&7
/usr/bin/printf ' ' >&7
is 'the first part alone is not run' '1 2' "$(names "$M/k/parts/1")"
printf 'AND b = 2' >&7
exec 7>&-
is 'the whole is' 1 "$(names "$M/k/parts/1")"
{ /usr/bin/printf 'DELETE FROM k.parts WHERE a = 1'; /usr/bin/printf ' AND b = 3'; } >"$M/.cql"
is 'nor by what is done between them' 1 "$(names "$M/k/parts/1")"
mkfifo "$W/go"
{ printf 'DELETE FROM k.parts WHERE a = 1'; { read -r _ <"$W/go"; printf ' AND b = 3'; } & } >"$M/.cql"
is 'nor in the close of who has a child with it' 1 "$(names "$M/k/parts/1")"
echo >"$W/go"
wait
is 'but of the child' 1 "$(names "$M/k/parts/1")"
exec 7>>"$M/k/schema.cql"
printf 'CREATE TABLE k.parts2 (x int PRIMARY KEY)' >&7
printf " WITH comment = 'two'" >&7
exec 7>&-
is 'in schema.cql too' 1 "$(grep -c "comment = 'two'" "$M/k/parts2.cql")"
printf 'CREATE TABLE k.parts2 (y int PRIMARY KEY)' >"$W/bad"
refused 'and tells of an error there' 'File exists' cp "$W/bad" "$M/k/schema.cql"
sleep 0.1
is 'once' 1 "$(grep -c 'cp /k/schema.cql EEXIST' "$M/.widefs/errors")"
echo 'DROP TABLE k.parts; DROP TABLE k.parts2' >"$M/.cql"
# A SELECT that fails: at its first row in the write, later in the read.
run_cql <<'CQL'
CREATE TABLE k.fails (k int, c int, v int, PRIMARY KEY (k, c));
INSERT INTO k.fails (k, c, v) VALUES (1, 1, 0);
INSERT INTO k.fails (k, c, v) VALUES (2, 1, 5);
INSERT INTO k.fails (k, c, v) VALUES (2, 2, 0);
CQL
# talk FILE TEXT...: writes each text, then reads to the end or the second error.
talk() {
	python3 - "$M/$1" "${@:2}" <<'P'
import os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
for text in sys.argv[2:]:
    try: os.write(fd, text.encode())
    except OSError as e: print("write", e.strerror)
errors = 0
while errors < 2:
    try:
        data = os.read(fd, 65536)
        if not data: break
        sys.stdout.write(data.decode())
    except OSError as e:
        errors += 1
        print("read", e.strerror)
P
}
failure="the operation 'int / int' failed: / by zero"
is 'the first row fails the write' "write Input/output error
{\"error\":{\"code\":\"FunctionFailure\",\"message\":\"$failure\"}}" \
	"$(talk .cql.json 'SELECT 1/v FROM k.fails WHERE k = 1;')"
is 'and nothing of a table is read' "write Input/output error
$failure" "$(talk .cql 'SELECT 1/v FROM k.fails WHERE k = 1;')"
is 'a later row fails the read, once' '{"columns":[{"name":"1 / v","type":"int"}],"rows":[[0]read Input/output error' \
	"$(talk .cql.json 'SELECT 1/v FROM k.fails WHERE k = 2;')"
is 'as a table too' '
 1 / v
-------
     0
read Input/output error' "$(talk .cql 'SELECT 1/v FROM k.fails WHERE k = 2;')"
is 'and the reason can be read' "FunctionFailure: $failure" \
	"$(getfattr --only-values -n user.error "$M/.cql")"
is 'no statement runs after it' "write Input/output error
1 / v
0
$failure" "$(talk .cql.csv 'SELECT 1/v FROM k.fails WHERE k = 2;' 'DROP TABLE k.fails;')"
ok 'the table is there' test -d "$M/k/fails"
is 'an open comment is refused' 'line 1:4 a comment is not closed' "$(talk .cql '/* x')"
is 'and in errors, too' '/.cql EINVAL line 1:4 a comment is not closed' "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f5-)"
# Told only by a close, at which a shell does not look: the reason can be read.
for text in '/* x' "SELECT 'x" 'SELECT "x' 'BEGIN BATCH'; do
	add "$M/.cql" "$text" 2>/dev/null
	why=$(tail -1 "$M/.widefs/errors" | cut -d' ' -f5-)
	ok "$text: $why" grep -qE '^/.cql EINVAL .*(not closed|APPLY BATCH)' <<<"$why"
done
for text in '/* x' "CREATE TABLE z (k int PRIMARY KEY) WITH comment = 'x"; do
	add "$M/k/schema.cql" "$text" 2>/dev/null
	why=$(tail -1 "$M/.widefs/errors" | cut -d' ' -f5-)
	ok "schema.cql, $text: $why" grep -q '^/k/schema.cql EINVAL .* is not closed' <<<"$why"
done
is 'a closed one is nothing' '' "$(talk .cql '/* x */ -- y')"
# A text that can be no statement fails its write, also without a semicolon.
refused 'a wrong word' 'Invalid argument' add "$M/.cql" SELEC
is 'is told' "line 1:0 expected a statement, found 'SELEC'" "$(getfattr --only-values -n user.error "$M/.cql")"
refused 'a word that is wrong there' 'Invalid argument' add "$M/k/.cql.json" 'SELECT * FORM fails'
refused 'a good one before it' 'Invalid argument' add "$M/.cql" "INSERT INTO k.fails (k, c, v) VALUES (3, 3, 3); SELEC"
is 'has run' '[[3]]' "$(cql 'SELECT v FROM k.fails WHERE k = 3' | jq -c .rows)"
is 'text that may go on is not refused' '
 v
---
 3

(1 rows)' "$(talk .cql 'SELEC' 'T v FROM k.fails WH' 'ERE k = 3')"
is 'a program sends whole statements' "line 1:0 expected a statement, found 'SELEC'" "$(talk .cql.raw 'SELEC ' ';' | tail -1 | tr -d '\000' | grep -o 'line.*SELEC.')"
# Where nothing was written, three lines say how it is used.
is 'an empty .cql says how it is used' 3 "$(cat "$M/.cql" | grep -c '^--')"
is 'is not told to who wrote' '' "$(talk .cql 'USE k;')"
is 'nor twice' 3 "$(talk .cql | wc -l)"
cql 'DROP TABLE k.fails' >/dev/null
# schema.cql
cp "$M/k/schema.cql" "$W/schema"
ok 'a definition that exists is no error' cp "$W/schema" "$M/k/schema.cql"
ok 'DDL is applied' add "$M/k/schema.cql" 'CREATE TABLE k.u (x int PRIMARY KEY);'
is 'the table is there' 'schema.cql t u' "$(names "$M/k")"
refused 'contradictions' 'File exists' add "$M/k/schema.cql" 'CREATE TABLE k.u (y int PRIMARY KEY);'
refused 'a wrong word in it' 'Invalid argument' add "$M/k/schema.cql" 'CREAT TABLE k.w (x int PRIMARY KEY)'
refused 'a statement that defines nothing' 'Invalid argument' add "$M/k/schema.cql" 'SELECT * FROM k.t'
is 'is told' 'schema.cql takes statements that define, no others' "$(getfattr --only-values -n user.error "$M/k/schema.cql")"
timeout 60 tail -n 1 -s 0.1 -f "$M/.widefs/errors" >"$W/followed" &
within 100 grep -q 'take' "$W/followed" || fail 'the last line is followed'
ok 'rm drops nothing' rm "$M/k/schema.cql"
ok 'and says so to who follows errors' within 100 grep -q '/k/schema.cql OK nothing was dropped' "$W/followed"
refused 'a refusal' 'Invalid argument' add "$M/.cql" 'SELEC'
ok 'is followed' within 100 grep -q "/.cql EINVAL line 1:0 expected a statement" "$W/followed"
kill $!
is 'each line once' 3 "$(wc -l <"$W/followed")"
is 'and hides it' 't u' "$(names "$M/k")"
cql 'DROP TABLE k.u' >/dev/null
is 'until the next DDL' 'schema.cql t' "$(names "$M/k")"
ok 'system by name' test -d "$M/system_schema/keyspaces"
is 'not listed' k "$(names "$M")"
ok 'help' grep -q 'is a database' "$M/.widefs/help"
ok 'version' test -s "$M/.widefs/version"
ok 'sync' put "$M/.widefs/ctl" sync
ok 'flush' put "$M/.widefs/ctl" flush
ok 'compact' put "$M/.widefs/ctl" 'compact k.t'
refused 'nonsense' 'Invalid argument' put "$M/.widefs/ctl" nonsense
is 'after a compaction' '[[5]]' "$(cql 'SELECT count(*) FROM k.t' | jq -c .rows)"
python3 - "$W/many" <<'P'
import sys
with open(sys.argv[1], 'w') as f:
    for i in range(20000):
        f.write(f"INSERT INTO k.t (a, b) VALUES ({i}, 'value {i}');\n")
P
ok 'a large script' cp "$W/many" "$M/.cql"
is 'is there' '[[20000]]' "$(cql 'SELECT count(*) FROM k.t' | jq -c .rows)"
is 'and listed' 20000 "$(ls -U "$M/k/t" | wc -l)"
stop
done_testing
