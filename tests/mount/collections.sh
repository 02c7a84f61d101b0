# Collections, user types, counters, statics and frozen values as files.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
USE k;
CREATE TYPE address (street text, city text, zip int);
CREATE TABLE t (id int, c int, s text STATIC, tags set<text>, nums set<int>, phones map<text, text>, todo list<text>, home address, fl frozen<list<int>>, fm frozen<map<text, int>>, tp tuple<int, text>, ve vector<float, 3>, fa frozen<address>, PRIMARY KEY (id, c));
CREATE TABLE hits (page text PRIMARY KEY, n counter, m counter);
INSERT INTO t (id, c) VALUES (1, 1);
C
r=$M/k/t/1/1
value() { cql "SELECT $1 FROM k.t WHERE id = 1 AND c = 1" | jq -c '.rows[0][0]'; }
# set
ok 'mkdir of a set stores nothing' mkdir "$r/tags"
is 'null still' null "$(value tags)"
ok 'touch adds' touch "$r/tags/Disney" "$r/tags/a b"
is 'in CQL' '["Disney","a b"]' "$(value tags)"
is 'listed in order' 'Disney a b' "$(names "$r/tags")"
is 'elements are empty' 0 "$(stat -c %s "$r/tags/Disney")"
ok 'rm removes' rm "$r/tags/Disney"
is 'in CQL' '["a b"]' "$(value tags)"
is 'the whole value' '["a b"]' "$(cat "$r/tags.json")"
ok 'replace it' put "$r/tags.json" '["x", "y"]'
is 'replaced' 'x y' "$(names "$r/tags")"
ok 'add to it' add "$r/tags.json" '["z"]'
is 'added' '["x","y","z"]' "$(value tags)"
ok 'the directory deletes it' rm -r "$r/tags"
is 'null' null "$(value tags)"
put "$r/nums.json" '[10, 9, -1]'
is 'ordered as numbers' '-1 9 10' "$(names "$r/nums")"
refused 'a wrong element' 'Invalid argument' touch "$r/nums/x"
# An element whose name is too long for a file is a directory.
long=$(printf 's%.0s' $(seq 300)) map=$(printf 'm%.0s' $(seq 300))
cql "UPDATE k.t SET tags = {'a', '$long'}, phones = {'$map': '7'} WHERE id = 1 AND c = 1" >/dev/null
e=$(echo "$r"/tags/sss*) v=$(echo "$r"/phones/mmm*)
is 'of its key' '@key' "$(names "$e")"
is 'the key is whole' "$long" "$(cat "$e/@key")"
is 'and its value' '@key value' "$(names "$v")"
is 'the value is read' 7 "$(cat "$v/value")"
ok 'and written' put "$v/value" 8
is 'in CQL' "{\"$map\":\"8\"}" "$(value phones)"
touch -d '2001-02-03 04:05:06 UTC' "$v/value"
is 'its time is the directory'"'"'s' '981173106 981173106' "$(stat -c %Y "$v/value" "$v" | paste -sd' ')"
cql "UPDATE k.t SET phones['$map'] = '9' WHERE id = 1 AND c = 1" >/dev/null
is 'a value that CQL writes is seen' 9 "$(cat "$v/value")"
refused 'no other file' 'Invalid argument' touch "$e/value"
refused 'rmdir of one with a value' 'Directory not empty' rmdir "$v"
ok 'rm -r' rm -r "$v"
is 'deletes it' null "$(value phones)"
ok 'rm -r of a set'"'"'s' rm -r "$e"
is 'too' '["a"]' "$(value tags)"
refused 'no other directories' 'Operation not permitted' mkdir "$r/tags/dir"
mkdir "$e"
is 'without its key it is none' '["a"]' "$(value tags)"
refused 'another key' 'Invalid argument' put "$e/@key" other
ok 'the key makes it' put "$e/@key" "$long"
is 'in CQL' "[\"a\",\"$long\"]" "$(value tags)"
mkdir -p "$v"
ok 'a value waits' put "$v/value" 5
is 'for the key' null "$(value phones)"
ok 'the key comes' put "$v/@key" "$map"
is 'in CQL' "{\"$map\":\"5\"}" "$(value phones)"
rm -r "$r/tags" "$r/phones"
# map
ok 'a map entry' mkdir "$r/phones"
ok 'a file per key' put "$r/phones/cell" 555
ok 'another' put "$r/phones/home" 444
is 'in CQL' '{"cell":"555","home":"444"}' "$(value phones)"
is 'cat' 555 "$(cat "$r/phones/cell")"
ok 'rm' rm "$r/phones/cell"
is 'in CQL' '{"home":"444"}' "$(value phones)"
# list
put "$r/todo.json" '["a", "b", "c"]'
is 'three elements' 3 "$(ls "$r/todo" | wc -l)"
is 'in order' 'a b c' "$(for f in "$r"/todo/*; do cat "$f"; done | tr '\n' ' ' | sed 's/ $//')"
is 'by position' b "$(cat "$r/todo/@1")"
ok 'write by position' put "$r/todo/@1" B
ok 'append' put "$r/todo/@append" d
ok 'prepend' put "$r/todo/@prepend" z
is 'in CQL' '["z","a","B","c","d"]' "$(value todo)"
ok 'rm by position' rm "$r/todo/@0"
is 'in CQL' '["a","B","c","d"]' "$(value todo)"
cp -a "$r/todo" "$W/todo" 2>/dev/null
rm -r "$r/todo"
is 'deleted' null "$(value todo)"
mkdir "$r/todo" && cp "$W"/todo/* "$r/todo/"
is 'elements keep their place when restored' '["a","B","c","d"]' "$(value todo)"
# user type
ok 'a user type' mkdir -p "$r/home"
ok 'a field' put "$r/home/city" Berlin
ok 'another' put "$r/home/zip" 10115
is 'in CQL' '{"street":null,"city":"Berlin","zip":10115}' "$(value home)"
refused 'an unknown field' 'Invalid argument' put "$r/home/cty" x
# single values
ok 'frozen list' put "$r/fl" '[1, 2, 3]'
is 'shown as JSON' '[1, 2, 3]' "$(cat "$r/fl")"
ok 'a CQL literal' put "$r/fm" "{'a': 1}"
is 'shown as JSON' '{"a": 1}' "$(cat "$r/fm")"
ok 'a tuple' put "$r/tp" "(1, 'x')"
is 'shown as JSON' '[1, "x"]' "$(cat "$r/tp")"
ok 'a vector' put "$r/ve" '[1, 2.5, -3]'
is 'shown' '[1.0, 2.5, -3.0]' "$(cat "$r/ve")"
for bad in '[1, x' '[1, 2, 3.5' '["a' '[null,' '{'; do
	refused "no list begins with $bad" 'Invalid argument' put "$r/fl" "$bad"
done
is 'and the old one stays' '[1, 2, 3]' "$(cat "$r/fl")"
ok 'a frozen user type' put "$r/fa" '{"city": "Rome"}'
refused 'too few' 'Invalid argument' put "$r/ve" '[1, 2]'
# statics
mkdir "$M/k/t/1/@static"
ok 'statics' put "$M/k/t/1/@static/s" shared
is 'listed' '@static 1' "$(names "$M/k/t/1")"
is 'in CQL' '[["shared"]]' "$(cql 'SELECT DISTINCT id, s FROM k.t' | jq -c '[.rows[][1:]]')"
# counters
p=$M/k/hits/home
mkdir "$p"
ok 'a counter' put "$p/n" +5
ok 'once more' put "$p/n" +5
ok 'by append' add "$p/n" -3
is 'the total' 7 "$(cat "$p/n")"
ok 'lines' put "$p/n" $'+1\n+1'
is 'each once' 9 "$(cat "$p/n")"
refused 'a bare number' 'Invalid argument' put "$p/n" 5
ok 'but into an absent one' put "$p/m" 41
is 'is its value' 41 "$(cat "$p/m")"
cql "UPDATE k.hits SET n = n + 1 WHERE page = 'home'" >/dev/null
is 'CQL is seen at once' 10 "$(cat "$p/n")"
is 'its size' 3 "$(stat -c %s "$p/n")"
again
is 'after a restart' '10 41' "$(cat "$p/n" "$p/m" | tr '\n' ' ' | sed 's/ $//')"
is 'the list too' '["a","B","c","d"]' "$(value todo)"
stop
done_testing
