# Schemaless tables (fs/README.md, "Names" and "Statements").
. tests/mount/lib.sh
start
mkdir "$M/k" "$M/k/n"
n=$M/k/n
is 'its shape' 1 "$(grep -c 'PRIMARY KEY (key, column1)' "$M/k/n.cql")"
is 'compact' 1 "$(grep -c 'COMPACT STORAGE' "$M/k/n.cql")"
# Until it has a row, another schema may take its place.
ok 'a partition is no row yet' mkdir "$n/p"
rmdir "$n/p"
ok 'another schema' cql 'CREATE TABLE k.n (id int PRIMARY KEY, v text)'
ok 'is in force' mkdir "$n/7"
is 'with its columns' '[["id"],["v"]]' "$(cql 'SELECT * FROM k.n' | jq -c '[.columns[] | [.name]]')"
rm -r "$n"; mkdir "$n"
mkdir "$n/alice"
ok 'the first row' put "$n/alice/todo" milk
refused 'settles it' 'File exists' cql 'CREATE TABLE k.n (id int PRIMARY KEY, v text)'

# A row that CQL wrote is shown as well.
mkdir "$M/k/by_cql"
cql "INSERT INTO k.by_cql (key, column1, value) VALUES ('a', 'b', 0x31)" >/dev/null
refused 'a row by CQL settles it too' 'File exists' cql 'CREATE TABLE k.by_cql (id int PRIMARY KEY, v text)'
is 'and stays' 1 "$(cat "$M/k/by_cql/a/b")"

# Directories that are restored before their schema.cql: its tables take over the
# files that stand in them.
mkdir "$M/s"
cql "CREATE TABLE s.flat (id int PRIMARY KEY, v text, f frozen<list<int>>, \"Q\" int, b blob)" >/dev/null
cql 'CREATE TABLE s.pair (a int, b text, v text, PRIMARY KEY ((a, b)))' >/dev/null
cql 'CREATE TABLE s.deep (a text, b text, v text, PRIMARY KEY (a, b))' >/dev/null
mkdir "$M/s/plain" "$M/s/plain/p"; put "$M/s/plain/p/file" 1
cql "INSERT INTO s.flat (id, v, f, \"Q\", b) VALUES (7, 'seven', [1, 2], 3, 0x00ff)" >/dev/null
cql "INSERT INTO s.flat (id, v) VALUES (8, 'ttl') USING TTL 100000" >/dev/null
cql 'INSERT INTO s.flat (id) VALUES (9)' >/dev/null
cql 'INSERT INTO s.flat (id, "Q") VALUES (10, blob_as_int(0x))' >/dev/null
cql "INSERT INTO s.pair (a, b, v) VALUES (1, 'x', 'y')" >/dev/null
cql "INSERT INTO s.deep (a, b, v) VALUES ('a', 'b', 'v')" >/dev/null
touch -d 2001-02-03 "$M/s/flat/7/v" "$M/s/flat/7" "$M/s/flat"
rsync -aX "$M/s" "$W/late/"
before=$(for t in flat pair deep plain; do cql "SELECT * FROM s.$t"; done)
rm -r "$M/s"; mkdir "$M/s"
for t in plain flat pair deep; do rsync -aX "$W/late/s/$t" "$M/s/" >/dev/null 2>&1; done
ok 'then comes schema.cql' cp -p "$W/late/s/schema.cql" "$M/s/"
is 'a value' seven "$(cat "$M/s/flat/7/v")"
is 'its time' 2001-02-03 "$(stat -c %y "$M/s/flat/7/v" | cut -d' ' -f1)"
is 'a row that is its key alone' '[[9]]' "$(cql 'SELECT id FROM s.flat WHERE id = 9' | jq -c .rows)"
ok 'all the rest' rsync -aX "$W/late/s" "$M/"
is 'every SELECT' "$before" "$(for t in flat pair deep plain; do cql "SELECT * FROM s.$t"; done)"
is 'nothing differs' '' "$(rsync -aXn --delete --itemize-changes "$W/late/s/" "$M/s/")"
ok 'its TTL too' test "$(cql 'SELECT ttl(v) AS t FROM s.flat WHERE id = 8' | jq '.rows[0][0]')" -gt 99000
again
is 'the same after a restart' "$before" "$(for t in flat pair deep plain; do cql "SELECT * FROM s.$t"; done)"
# Rows that do not fit stay as they are.
mkdir "$M/s/late" "$M/s/late/1" "$M/s/late/two"; put "$M/s/late/1/v" x; put "$M/s/late/two/v" y
refused 'a name that is no key' 'File exists' put "$M/s/schema.cql" 'CREATE TABLE late (id int PRIMARY KEY, v text);'
refused 'a file that is no column' 'File exists' put "$M/s/schema.cql" 'CREATE TABLE late (id text PRIMARY KEY, w text);'
is 'the reason names the file' 'late was made by mkdir and has files that do not fit (v: no column that is a file): schema.cql is to be written before them' "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f7-)"
refused 'a text that is no value' 'File exists' put "$M/s/schema.cql" 'CREATE TABLE late (id text PRIMARY KEY, v int);'
refused 'rows with clustering columns' 'File exists' put "$M/s/schema.cql" 'CREATE TABLE late (id text, v text, PRIMARY KEY (id, v));'
is 'nothing is lost' 'x y' "$(cat "$M/s/late/1/v" "$M/s/late/two/v" | paste -sd ' ')"
ok 'a schema that fits is taken' put "$M/s/schema.cql" 'CREATE TABLE late (id text PRIMARY KEY, v text);'
is 'as rows' '[["1","x"],["two","y"]]' "$(cql 'SELECT id, v FROM s.late' | jq -c '.rows | sort')"
ok 'and settled' put "$M/s/late/1/v" z

# Every name is data.
python3 - "$n/alice" <<'P' || fail 'names of all kinds'
import os, sys
d = os.fsencode(sys.argv[1])
names = [b'a.json', b'b.ndjson', b'c.csv', b'd.cql', b'@x', b'@key', b'.todo.swp', b'.git', b'x~', b'#x#',
	b'%', b'%41x', b'100%', b'%zz', b'a,b', b'a b', b'-', b'\\', b'"', b"'", b'*', '\u00e4\u6f22\U0001f600'.encode(),
	b'\x01', b'\x7f', b'a\nb', b'\ttab', b'..x', b'...', b'.x.', b'%.', b'%%', b'a' * 255, b'4913', b'sedAbCdEf']
want = {b'todo': b'milk\n'}
for i, name in enumerate(names):
	path = d + b'/' + name
	if name in (b'%41x', b'%'):
		continue
	with open(path, 'wb') as f:
		f.write(b'value %d' % i)
	want[name] = b'value %d' % i
listed = os.listdir(d)
assert sorted(listed) == sorted(want), (set(listed) ^ set(want))
assert listed == sorted(listed, key=lambda x: x), 'clustering order'
for name in want:
	assert open(d + b'/' + name, 'rb').read() == want[name], name
	assert os.stat(d + b'/' + name).st_size == len(want[name])
P
for name in '%41x' '%2f' '%2e' '%2Ex'; do refused "a needless escape: $name" 'Invalid argument' put "$n/alice/$name" x; done
value() { cql "SELECT value FROM k.n WHERE key = 'esc' AND column1 = '$1'" | jq -c '[.rows[][0]]'; }
mkdir "$n/esc"
printf 1 >"$n/esc/a%2Fb"; printf 2 >"$n/esc/%2E"; printf 3 >"$n/esc/%2E."; printf 4 >"$n/esc/%"; printf 5 >"$n/esc/%25"; printf 6 >"$n/esc/%2541"
is 'a slash' '["0x31"]' "$(value a/b)"
is 'a dot' '["0x32"]' "$(value .)"
is 'two dots' '["0x33"]' "$(value ..)"
is 'the empty name' '["0x34"]' "$(value '')"
is 'a percent sign' '["0x35"]' "$(value %)"
is 'a percent sign before digits' '["0x36"]' "$(value %41)"
cql "INSERT INTO k.n (key, column1, value) VALUES ('esc', 'x%zz', 0x37)" >/dev/null
is 'listed as they are written' '% %25 %2541 %2E %2E. a%2Fb x%zz' "$(names "$n/esc")"
is 'the value that CQL wrote' 7 "$(cat "$n/esc/x%zz")"
mkdir "$n/%2Egit" "$n/a%2Ejson" "$n/%40x"
printf x >"$n/%2Egit/config"; printf x >"$n/a%2Ejson/f"; printf x >"$n/%40x/f"
is 'partitions are named by the other rules' '[".git","@x","a.json"]' "$(cql 'SELECT DISTINCT key FROM k.n' | jq -c '[.rows[][0] | select(test("[.@]"))] | sort')"
refused 'not otherwise' 'Invalid argument' mkdir "$n/.git2"
refused 'no directories in it' 'Operation not permitted' mkdir "$n/alice/sub"
ok 'rename' mv "$n/alice/todo" "$n/alice/done"
is 'moves the value' milk "$(cat "$n/alice/done")"
# A rename keeps the time, also where something later was deleted.
mkdir "$n/mv"
put "$n/mv/a" 1; put "$n/mv/b" 2; put "$n/mv/m" 3
t=$(stat -c %y "$n/mv/a")
mv "$n/mv/a" "$n/mv/c"
is 'a rename keeps the time' "$t" "$(stat -c %y "$n/mv/c")"
put "$n/mv/a" 4; rm "$n/mv/c"
t=$(stat -c %y "$n/mv/m")
mv "$n/mv/m" "$n/mv/c"
is 'onto a name that was removed later' 3 "$(cat "$n/mv/c")"
is 'with its time' "$t" "$(stat -c %y "$n/mv/c")"
put "$n/mv/x" 5
cql "DELETE FROM k.n WHERE key = 'mv' AND column1 >= 'y'" >/dev/null
mv "$n/mv/x" "$n/mv/z"
is 'into a range that was deleted later' 5 "$(cat "$n/mv/z")"
put "$n/mv/w" 6; put "$n/mv/y" 7
cql "DELETE FROM k.n WHERE key = 'mv' AND column1 = 'y'" >/dev/null
mv "$n/mv/w" "$n/mv/y"
is 'onto a row that was deleted later' 6 "$(cat "$n/mv/y")"
is 'all are there' 'a b c y z' "$(names "$n/mv")"
# The directory's time moves with each name, and with nothing else.
before=$(stat -c %y "$n/mv"); put "$n/mv/new" 1; after=$(stat -c %y "$n/mv")
ok 'a new name moves the time' test "$before" \< "$after"
put "$n/mv/new" 2
is 'a new value does not' "$after" "$(stat -c %y "$n/mv")"
touch -d '2001-02-03 04:05:06' "$n/mv"
is 'a time that is set is shown' 2001 "$(stat -c %y "$n/mv" | cut -c1-4)"
rm "$n/mv/new"
ok 'until a name goes' test "$after" \< "$(stat -c %y "$n/mv")"
before=$(stat -c %y "$n/mv"); mv "$n/mv/a" "$n/mv/k"
ok 'or is another' test "$before" \< "$(stat -c %y "$n/mv")"
cql "DELETE FROM k.n WHERE key = 'mv'" >/dev/null
is 'nothing is left in it' '' "$(names "$n/mv")"
rmdir "$n/mv"
refused 'the old name is gone' 'No such file' cat "$n/alice/todo"
ok 'mv to another partition' mv "$n/alice/done" "$n/esc/done"
is 'copies it' milk "$(cat "$n/esc/done")"
: >"$n/esc/empty"
is 'an empty file' '["0x"]' "$(value empty)"
ok 'append' sh -c "printf 1 >>'$n/esc/empty'; printf 2 >>'$n/esc/empty'"
is 'appends' 12 "$(cat "$n/esc/empty")"
ok 'editors write in place of it' sed -i s/1/3/ "$n/esc/empty"
is 'as anywhere' 32 "$(cat "$n/esc/empty")"

# Names that are too long for a file.
long=$(printf 'x%.0s' $(seq 300))
cql "INSERT INTO k.n (key, column1, value) VALUES ('long', '$long', 0x6c6f6e67)" >/dev/null
name=$(names "$n/long")
ok 'is cut' test ${#name} = 255 -a -d "$n/long/$name"
is 'begins alike' "${long:0:237}%~" "${name:0:239}"
is 'two files' '@key value' "$(names "$n/long/$name")"
is 'the whole name' "$long" "$(cat "$n/long/$name/@key")"
is 'the value' long "$(cat "$n/long/$name/value")"
ok 'is written' put "$n/long/$name/value" other
is 'in place' '[["0x6f746865720a"]]' "$(cql "SELECT value FROM k.n WHERE key = 'long'" | jq -c .rows)"
rsync -a "$n/long/" "$W/long/"
ok 'removed' rm -r "$n/long/$name"
is 'from the store' '[]' "$(cql "SELECT value FROM k.n WHERE key = 'long'" | jq -c .rows)"
ok 'restored' rsync -a "$W/long/" "$n/long/"
is 'with the same name' "[[\"$long\",\"0x6f746865720a\"]]" "$(cql "SELECT column1, value FROM k.n WHERE key = 'long'" | jq -c .rows)"
is 'shown the same' "$name" "$(names "$n/long")"
# Of a partition with such a name @key is the key, and %40key the row @key.
key=$(printf 'k%.0s' $(seq 300))
for row in x @key "$long"; do cql "INSERT INTO k.n (key, column1, value) VALUES ('$key', '$row', 0x78)" >/dev/null; done
p=$(echo "$n"/kkk*)
is 'a partition with a cut name' "@key %40key x $name" "$(names "$p")"
is 'its key' "$key" "$(cat "$p/@key")"
is 'the row' x "$(cat "$p/%40key")"
rsync -a "$p" "$W/cut/"
ok 'removed' rm -r "$p"
is 'from the store' '[]' "$(cql "SELECT value FROM k.n WHERE key = '$key'" | jq -c .rows)"
ok 'restored' rsync -a "$W/cut/" "$n/"
is 'all of it' "[[\"@key\",\"0x78\"],[\"x\",\"0x78\"],[\"$long\",\"0x78\"]]" "$(cql "SELECT column1, value FROM k.n WHERE key = '$key'" | jq -c .rows)"
is 'with its times' '' "$(rsync -an --itemize-changes "$W/cut/" "$n/")"
cql "INSERT INTO k.n (key, column1, value) VALUES ('$key', '@key', 0x79)" >/dev/null
is 'a value that CQL writes is seen' y "$(cat "$p/%40key")"
rm -r "$p"
# A table that CQL made in that shape.
cql 'CREATE TABLE k.m (a int, b text, c blob, PRIMARY KEY (a, b)) WITH COMPACT STORAGE' >/dev/null
mkdir "$M/k/m/1"
# A compact table whose rows are its partitions: their columns are static when it
# is compact no more, and the data is where it was.
cql 'CREATE TABLE k.flat (k int PRIMARY KEY, c int, d text) WITH COMPACT STORAGE' >/dev/null
cql 'CREATE INDEX ON k.flat (d)' >/dev/null
cql "INSERT INTO k.flat (k, c, d) VALUES (1, 10, 'x')" >/dev/null
ok 'DROP COMPACT STORAGE' cql 'ALTER TABLE k.flat DROP COMPACT STORAGE'
is 'the tree of the table' '1 1/@static 1/@static/c 1/@static/d' "$(cd "$M/k/flat" && find ./* | cut -c3- | sort | paste -sd ' ')"
is 'a static cell' 10 "$(cat "$M/k/flat/1/@static/c")"
ok 'a row' mkdir "$M/k/flat/1/row"
ok 'its cell' put "$M/k/flat/1/row/value" 0x01
ok 'a static one' put "$M/k/flat/1/@static/d" y
again
is 'survive a restart' '% %25 %2541 %2E %2E. a%2Fb done empty x%zz' "$(names "$n/esc")"
is 'the long one too' other "$(cat "$n/long/$name/value")"
is 'rows and statics too' '10 0x01 y' "$(cd "$M/k/flat/1" && cat @static/c row/value @static/d | paste -sd ' ')"
is 'by the index' '[[1,"row"]]' "$(cql "SELECT k, column1 FROM k.flat WHERE d = 'y'" | jq -c .rows)"
ok 'rm -r' rm -r "$n"
is 'of all' '' "$(names "$M/k" | grep -ow n)"
stop
done_testing
