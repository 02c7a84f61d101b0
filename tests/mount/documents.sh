# R.json: a whole row as one file (filesystem.md section 4).
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
ok 'jq reads it' jq -e '.a == 1' "$p/z.json"
stop
done_testing
