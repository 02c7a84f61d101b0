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
is 'the row exists' '{"id":1,"c":"x","s":null,"a":1,"b":"one","m":{"k":7}}' "$(row x)"
is 'as a directory' 'a b m' "$(names "$p/x")"
is 'read' '{"id": 1, "c": "x", "a": 1, "b": "one", "m": {"k": 7}}' "$(cat "$p/x.json")"
is 'its size is exact' "$(cat "$p/x.json" | wc -c)" "$(stat -c %s "$p/x.json")"
ok 'replace' put "$p/x.json" '{"b": "two"}'
is 'a column that is not given is null' '{"id":1,"c":"x","s":null,"a":null,"b":"two","m":null}' "$(row x)"
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
# Values for which JSON has no numbers, years before the first, empty values.
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
# A document's time: as set, until what it shows is changed.
year() { stat -c %y "$1" | cut -c1-4; }
said=$(date +%Y)
is 'a document has the time of its newest data' "$said" "$(year "$p/z.json")"
dir=$(stat -c %y "$p/z") above=$(stat -c %y "$p")
touch -d 2001-01-01 "$p/z.json"
is 'a time that is set is shown' 2001 "$(year "$p/z.json")"
is 'its change has another' "$said" "$(stat -c %z "$p/z.json" | cut -c1-4)"
is 'the directories keep theirs' "$dir $above" "$(stat -c %y "$p/z" "$p" | paste -sd' ')"
touch -d 2002-02-02 "$p/z"
is 'the document and the row have times of their own' '2002 2001' "$(year "$p/z") $(year "$p/z.json")"
again
is 'both survive a remount' '2002 2001' "$(year "$p/z") $(year "$p/z.json")"
setfattr -n user.ttl -v 1000 "$p/z.json"
is 'a lifetime keeps it' 2001 "$(year "$p/z.json")"
setfattr -x user.expires "$p/z.json"
# outdates WHAT COMMAND...: after it the newest data tells, a time is set and shown again.
outdates() {
	local what=$1
	shift
	touch -d 2001-01-01 "$p/z.json"
	is "a time is set before $what" 2001 "$(year "$p/z.json")"
	ok "$what" "$@"
	is "until $what" "$said" "$(year "$p/z.json")"
}
outdates 'a cell is written' put "$p/z/b" one
outdates 'the same value is written' put "$p/z/b" one
outdates 'a cell is removed' rm "$p/z/b"
mkdir "$p/z/m"
outdates 'an element is made' put "$p/z/m/k" 7
outdates 'a static cell is written' cql "UPDATE k.t SET s = 'all' WHERE id = 1"
outdates 'the document is replaced' put "$p/z.json" '{"a": 1, "b": "two"}'
outdates 'the document is merged' add "$p/z.json" '{"m": {"k": 8}}'
outdates 'the row is replaced by CQL' cql "INSERT INTO k.t (id, c, a) VALUES (1, 'z', 9)"
# Calls that copiers make on a document.
cp "$p/z.json" "$W/z.json"; touch -d 2003-03-03 "$W/z.json"
ok 'cp -p' cp -p "$W/z.json" "$p/z.json"
is 'keeps the time' 2003 "$(year "$p/z.json")"
touch -d 2004-04-04 "$W/z.json"
is 'rsync -a: what changed' '>f..t...... z.json' "$(rsync -ai --no-p --no-o --no-g "$W/z.json" "$p/")"
is 'has the time' 2004 "$(year "$p/z.json")"
is 'and finds nothing to do again' '' "$(rsync -ai --no-p --no-o --no-g "$W/z.json" "$p/")"
again
is 'nor after a remount' '' "$(rsync -ai --no-p --no-o --no-g "$W/z.json" "$p/")"
cp "$W/z.json" "$p/z.json.tmp1"; touch -d 2005-05-05 "$p/z.json.tmp1"
ok 'a dated file is renamed onto it' mv "$p/z.json.tmp1" "$p/z.json"
is 'with its time' 2005 "$(year "$p/z.json")"
rm "$p/z.json"; put "$p/z.json" '{"a": 1, "m": {"k": 1}}'
is 'a row that is made anew has its own' "$said" "$(year "$p/z.json")"
# That of a collection likewise.
touch -d 2006-06-06 "$p/z/m.json" "$p/z.json"
is 'set for a collection' '2006 2006' "$(year "$p/z/m.json") $(year "$p/z.json")"
put "$p/z/a" 2
is 'another cell leaves it' "2006 $said" "$(year "$p/z/m.json") $(year "$p/z.json")"
put "$p/z/m/k" 2
is 'an element does not' "$said" "$(year "$p/z/m.json")"
cp "$p/z/m.json" "$W/m.json"; touch -d 2007-07-07 "$W/m.json"
ok 'cp -p of a collection' cp -p "$W/m.json" "$p/z/m.json"
is 'keeps the time' 2007 "$(year "$p/z/m.json")"
is 'and every byte' '{"k": 2}' "$(cat "$p/z/m.json")"
# A child's close is not the last while its parent writes on, even where a change
# of names took the file's entry from the kernel.
mkdir "$M/k/t/8" && put "$M/k/t/8/old.json" '{"a": 1}'
ok 'a line is written by a parent and a child' python3 - "$M/k/t/8.ndjson" <<'P'
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
os.unlink(sys.argv[1])
pid = os.fork()
if not pid:
    os.write(fd, b'{"c": "new", ')
    os._exit(0)
os.waitpid(pid, 0)
os.write(fd, b'"a": 2}\n')
os.close(fd)
P
is 'it is the only row' '{"id":8,"c":"new","s":null,"a":2,"b":null,"m":null}' "$(cql 'SELECT JSON * FROM k.t WHERE id = 8' | jq -c '.rows[][0] | fromjson')"
# user.expires goes with the text that copiers write: of the row's marker and its cells.
expires() { getfattr --absolute-names --only-values -n user.expires "$1" 2>&1 | grep -o '^20[-0-9T:]*'; }
cql "INSERT INTO k.t (id, c, a, b) VALUES (9, 'ends', 1, 'x') USING TTL 900" >/dev/null
f=$M/k/t/9/ends.json end=$(expires "$M/k/t/9/ends") out=$W/ends
# has_end WHAT: the row and its cells have it.
has_end() {
	is "$1" '1 x' "$(cat "${f%.json}/a" "${f%.json}/b" | xargs)"
	is "$1: the row" "$end" "$(expires "${f%.json}")"
	is "$1: its cells" "$end $end" "$(expires "${f%.json}/a") $(expires "${f%.json}/b")"
}
mkdir "$out"
ok 'rsync -aX out' rsync -aX "$f" "$out/"
put "$f" '{"a": 9}'
is 'a text written anew does not end' '' "$(expires "${f%.json}")"
ok 'rsync -aX in' rsync -aX "$out/ends.json" "$f"
has_end 'by rsync'
is 'and again nothing' '' "$(rsync -aX --itemize-changes "$out/ends.json" "$f")"
put "$f" '{"a": 9}'
ok 'cp -a in' cp -a "$out/ends.json" "$f"
has_end 'by cp'
put "$f" '{"a": 9}'
refused 'an end with a text that is refused' 'Invalid argument' python3 - "$f" <<'P'
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_TRUNC)
os.write(fd, b'{"a": ')
os.setxattr(fd, 'user.expires', b'2040-01-01T00:00:00.000Z')
os.close(fd)
P
is 'leaves the row as it was' '9 ' "$(cat "${f%.json}/a") $(expires "${f%.json}")"
stop
done_testing
