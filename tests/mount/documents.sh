# R.json: a whole row as one file (fs/README.md, "Documents").
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (id int, c text, s text STATIC, a int, b text, m map<text, int>, PRIMARY KEY (id, c));
C
row() { cql "SELECT JSON * FROM k.t WHERE id = 1 AND c = '$1'" | jq -c '.rows[0][0] | fromjson'; }
mkdir "$M/k/t/1"
p=$M/k/t/1
ok 'create a row' put "$p/x.json" '{"a": 1, "b": "one", "m": {"k": 7}}'
is 'it is there' '{"id":1,"c":"x","s":null,"a":1,"b":"one","m":{"k":7}}' "$(row x)"
is 'as a directory' 'a b m' "$(names "$p/x")"
is 'read' '{"id": 1, "c": "x", "a": 1, "b": "one", "m": {"k": 7}}' "$(cat "$p/x.json")"
is 'its size is exact' "$(cat "$p/x.json" | wc -c)" "$(stat -c %s "$p/x.json")"
ok 'replace' put "$p/x.json" '{"b": "two"}'
is 'what is not given is null' '{"id":1,"c":"x","s":null,"a":null,"b":"two","m":null}' "$(row x)"
ok 'merge' add "$p/x.json" '{"a": 5}'
is 'only what is given' '{"id":1,"c":"x","s":null,"a":5,"b":"two","m":null}' "$(row x)"
ok 'null deletes' add "$p/x.json" '{"b": null}'
is 'deleted' '{"id":1,"c":"x","s":null,"a":5,"b":null,"m":null}' "$(row x)"
ok 'keys that agree' put "$p/x.json" '{"id": 1, "c": "x", "a": 6}'
refused 'keys that do not' 'Invalid argument' put "$p/x.json" '{"id": 2, "a": 7}'
refused 'a wrong value' 'Invalid argument' put "$p/x.json" '{"a": "seven"}'
refused 'an unknown column' 'Invalid argument' put "$p/x.json" '{"aa": 7}'
refused 'not JSON' 'Invalid argument' put "$p/x.json" '{"a": 7, oops}'
refused 'half of it, at close' 'Invalid argument' cp <(echo '{"a": 7') "$p/x.json"
is 'the row is unchanged' '{"id":1,"c":"x","s":null,"a":6,"b":null,"m":null}' "$(row x)"
is 'the keys disagree' 'Invalid argument' "$(cp "$p/x.json" "$p/y.json" 2>&1 | grep -o 'Invalid argument')"
ok 'rm deletes the row' rm "$p/x.json"
refused 'the directory too' 'No such file' ls "$p/x"
is 'is not listed' '' "$(cql 'SELECT a FROM k.t' | jq -r '.rows[]')"
put "$p/z.json" '{"a": 1}'
is 'documents are not listed' z "$(names "$p")"
refused 'the row was refused, so no row' 'No such file' ls "$p/none"
# What JSON has no numbers for, years before the first, values of no bytes.
run_cql <<'C'
CREATE TYPE k.u (f float, at timestamp);
CREATE TABLE k.odd (id double, at timestamp, d double, f float, v vector<float, 2>, l list<double>, m map<double, timestamp>, u u, fu frozen<u>, i int, b boolean, de decimal, ip inet, vi varint, t tuple<int, text, boolean, varint>, PRIMARY KEY (id, at));
INSERT INTO k.odd (id, at, d, f, v, l, m, u, fu, i, b, de, ip, vi, t) VALUES (NaN, '-0044-03-15', NaN, -Infinity, [NaN, Infinity], [NaN, -0.0], {NaN: '-0044-03-15', -Infinity: -62135596800001}, {f: Infinity, at: '-0001-01-01'}, {f: NaN, at: -9223372036854775808},
	blob_as_int(0x), blob_as_boolean(0x), blob_as_decimal(0x), blob_as_inet(0x), blob_as_varint(0x), (blob_as_int(0x), '', blob_as_boolean(0x), blob_as_varint(0x)));
C
odd="$M/k/odd/NaN/-0044-03-15T00:00:00.000Z"
all() { "$CTL" cql "$M" -e 'SELECT * FROM k.odd'; }
before=$(all)
cp "$odd.json" "$W/odd"
is 'all are named' 15 "$(jq length "$W/odd")"
is 'and none is null' 0 "$(grep -c null "$W/odd")"
rm "$odd.json"
is 'gone' '[]' "$(cql 'SELECT * FROM k.odd' | jq -c .rows)"
ok 'its document brings it back' cp "$W/odd" "$odd.json"
is 'as it was' "$before" "$(all)"
is 'to the byte' '' "$(diff "$W/odd" "$odd.json")"
cp "$odd/l.json" "$W/l"; rm -r "$odd/l"
ok 'a collection too' cp "$W/l" "$odd/l.json"
is 'as it was' "$before" "$(all)"
cp "$odd/t" "$W/t"; rm "$odd/t"
ok 'and a tuple' cp "$W/t" "$odd/t"
is 'as it was' "$before" "$(all)"
ok 'jq reads it' jq -e '.a == 1' "$p/z.json"
stop
done_testing
