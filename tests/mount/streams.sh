# P.ndjson, T.ndjson, P.csv, T.csv: rows as lines (fs/README.md, "Documents").
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (id int, c text, d int, s text STATIC, a int, b text, m map<text, int>, PRIMARY KEY (id, c, d));
CREATE TABLE k.flat (name text PRIMARY KEY, v int, "Up" text);
CREATE TABLE k.hits (page text PRIMARY KEY, n counter);
C
t=$M/k/t
why() { tail -1 "$M/.widefs/errors" | cut -d' ' -f6-; }
lines() { printf '%s\n' "$@"; }

# ------------------------------------------------------------------ reading
is 'an empty table' '' "$(cat "$t.ndjson")"
is 'its header' 'id,c,d,s,a,b,m' "$(cat "$t.csv")"
is 'documents are not listed' 'schema.cql flat hits t' "$(names "$M/k")"
lines '{"id": 1, "c": "x", "d": 1, "a": 5, "m": {"z": 1}}' '{"id": 1, "c": "x", "d": 2, "b": ""}' '{"id": 1, "c": "y", "d": 1, "s": "all"}' '{"id": 2, "s": "alone"}' >"$W/rows"
ok '> where nothing is' cp "$W/rows" "$t.ndjson"
cat >"$W/all" <<'J'
{"id": 1, "c": "x", "d": 1, "s": "all", "a": 5, "m": {"z": 1}}
{"id": 1, "c": "x", "d": 2, "s": "all", "b": ""}
{"id": 1, "c": "y", "d": 1, "s": "all"}
{"id": 2, "s": "alone"}
J
is 'a row a line' '' "$(diff "$t.ndjson" "$W/all" 2>&1)"
is 'as R.json has it' "$(cat "$t/1/x/1.json" "$t/1/x/2.json" "$t/1/y/1.json")" "$(cat "$t/1.ndjson")"
is 'a prefix' "$(head -2 "$W/all")" "$(cat "$t/1/x.ndjson")"
is 'statics alone' '{"id": 2, "s": "alone"}' "$(cat "$t/2.ndjson")"
is 'CSV' $'id,c,d,s,a,b,m\n1,x,1,all,5,,"{""z"": 1}"\n1,x,2,all,,"",\n1,y,1,all,,,\n2,,,alone,,,' "$(cat "$t.csv")"
is 'of a prefix' $'id,c,d,s,a,b,m\n1,y,1,all,,,' "$(cat "$t/1/y.csv")"
refused 'a row has none' 'No such file' cat "$t/1/x/1.ndjson"
refused 'nor what is not there' 'No such file' cat "$t/3.csv"
is 'the size is 0' '0 0' "$(stat -c %s "$t.ndjson" "$t/1.csv" | paste -sd' ')"
is 'wc' 4 "$(wc -l <"$t.ndjson")"
is 'head reads the first line' "$(head -1 "$W/all")" "$(head -1 "$t.ndjson")"
is 'jq' '5 null null null' "$(jq .a "$t.ndjson" | paste -sd' ')"
is 'grep' 3 "$(grep -c '"s": "all"' "$t.ndjson")"
is 'dd from an offset' "$(dd if="$W/all" bs=1 skip=70 count=40 2>/dev/null)" "$(dd if="$t.ndjson" bs=1 skip=70 count=40 2>/dev/null)"
is 'back and forth' "$(od -An -c -j60 -N9 "$W/all")" "$(exec 3<"$t.ndjson"; head -c 100 <&3 >/dev/null; python3 -c 'import os; os.read(3, 10); print(os.pread(3, 9, 60).decode(), end="")' | od -An -c)"
is 'a descriptor that begins anew sees changes' 'alone other' "$(python3 - "$t" <<'P'
import os, sys, json
f = os.open(sys.argv[1] + '/2.ndjson', os.O_RDONLY)
said = [json.loads(os.pread(f, 9999, 0))['s']]
with open(sys.argv[1] + '/2/@static/s', 'w') as s: s.write('other\n')
said.append(json.loads(os.pread(f, 9999, 0))['s'])
print(*said)
P
)"
ok 'put it back' put "$t/2/@static/s" alone

# ------------------------------------------------------------------ writing
refused '> where rows are' 'Operation not permitted' put "$t.ndjson" '{"id": 1, "c": "x", "d": 9}'
refused 'of CSV too' 'Operation not permitted' put "$t/1.csv" 'c,d'
refused 'truncate' 'Operation not permitted' truncate -s 0 "$t/1/x.csv"
is 'the rows are as before' '' "$(diff "$t.ndjson" "$W/all" 2>&1)"
ok '>> merges' add "$t/1.ndjson" '{"c": "x", "d": 1, "b": "five", "m": null}'
is 'only what is given' '{"id": 1, "c": "x", "d": 1, "s": "all", "a": 5, "b": "five"}' "$(head -1 "$t.ndjson")"
ok 'keys that agree' add "$t/1/x.ndjson" '{"d": 3, "id": 1, "c": "x"}'
refused 'keys that do not' 'Invalid argument' add "$t/1/x.ndjson" '{"d": 3, "c": "y"}'
is 'the errors say why' 'line 1: c is another than that of the path' "$(why | cut -d' ' -f2-)"
refused 'the first bad line' 'Invalid argument' add "$t/1.ndjson" $'{"c": "z", "d": 1}\n{"c": "z", "d": "two"}\n{"c": "z", "d": 3}'
is 'has its number' "line 2: d: Unable to make int from 'two'" "$(why | cut -d' ' -f2-)"
is 'lines before the refused one are applied' 1 "$(ls "$t/1/z")"
is 'the count ends after the last good line' 22 "$(python3 - "$t/1.ndjson" <<'P'
import os, sys
f = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
text = b'{"c": "good", "d": 1}\n'
assert len(text) == 22
print(os.write(f, text + b'{"c": oops}\n{"c": "good", "d": 2}\n'))
os.close(f)
P
)"
is 'one row of it' 1 "$(ls "$t/1/good")"
ok 'lines split over writes, the last without its newline' python3 - "$t/5.ndjson" <<'P'
import os, sys
f = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
for i, c in enumerate(b'{"c": "a", "d": 1}\n{"c": "b", "d": 2}'):
    assert os.write(f, bytes([c])) == 1
os.close(f)
P
is 'both' '1 2' "$(jq .d "$t/5.ndjson" | paste -sd' ')"
refused 'half a line, at close' 'Invalid argument' python3 - "$t/5.ndjson" <<'P'
import os, sys
f = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
os.write(f, b'{"c": "a"')
try: os.close(f)
except OSError as e: sys.exit(e.strerror)
P
refused 'writes elsewhere' 'Invalid argument' python3 - "$t/6.ndjson" <<'P'
import os, sys
f = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
try: os.pwrite(f, b'{"c": "a", "d": 1}\n', 5)
except OSError as e: sys.exit(e.strerror)
P
ok 'CSV by its header' add "$t/1.csv" $'d,c,b\r\n7,csv,"a ""q"", and\r\na line"\r\n8,csv,""\n9,csv,'
is 'with its quotes' '["a \"q\", and\r\na line","",null]' "$(jq -sc 'map(.b)' "$t/1/csv.ndjson")"
ok 'an empty field is null' add "$t/1.csv" $'d,c,b\n8,csv,'
is 'deleted' null "$(jq .b "$t/1/csv/8.json")"
refused 'an unknown column' 'Invalid argument' add "$t/1.csv" $'d,c,bb\n'
{ echo d,c,bb; sleep 0.1; echo 1,csv,x; } >>"$t/1.csv" 2>/dev/null
is 'is named for each line after it' "line 1: there is no column 'bb'; the first line names the columns" "$(why | cut -d' ' -f2-)"
is 'its name' "line 1: there is no column 'bb'; the first line names the columns" "$(why | cut -d' ' -f2-)"
refused 'a record without its header' 'Invalid argument' add "$t/1.csv" '1,csv,x'
ok 'a table with one column for a key' put "$M/k/flat.csv" $'Up,name\nA,ada\n'
is 'its partition' '{"name": "ada", "\"Up\"": "A"}' "$(cat "$M/k/flat/ada.ndjson")"
ok 'under its name' add "$M/k/flat.ndjson" '{"name": "bob", "\"Up\"": "B", "v": 2}'
is 'the value of the quoted column is read back' 'B 2' "$(cat "$M/k/flat/bob/Up" "$M/k/flat/bob/v" | paste -sd' ')"

# ----------------------------------------------------------------- removing
before=$(cat "$t/1/x.ndjson")
ls "$t/1/csv" >/dev/null
ok 'rm of a prefix' rm "$t/1/csv.ndjson"
refused 'its directory goes too' 'No such file' ls "$t/1/csv"
is 'the others stay' "$before" "$(cat "$t/1/x.ndjson")"
ok 'rm of a partition' rm "$t/1.csv"
refused 'all of it' 'No such file' ls "$t/1"
is 'also its statics' '[]' "$(cql 'SELECT s FROM k.t WHERE id = 1' | jq -c .rows)"
refused 'not there any more' 'No such file' rm "$t/1.csv"
mkdir -p "$t/9/kept"; add "$t/9/kept.ndjson" '{"d": 1}'
ok 'with directories that were made below' rm "$t/9.ndjson"
refused 'all of them go' 'No such file' ls "$t/9"
is 'for good' '' "$(ls "$t" | grep -x 9)"
refused 'rm of a table' 'Operation not permitted' rm "$t.ndjson"
is 'is told what to do instead' 'EPERM all rows of a table are not removed like this: rm -r of its directory drops it, TRUNCATE in .cql empties it' "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f6-)"
refused 'rm of a table of the system' 'Read-only file system' rm "$M/system/local.ndjson"
cql "INSERT INTO k.t (id, c, d) VALUES (7, 'x', 1) USING TIMESTAMP $(($(date +%s) * 1000000 + 3600000000))" >/dev/null
ok 'a row of the future' rm "$t/7.ndjson"
is 'goes too' '' "$(cat "$t/7.ndjson" 2>/dev/null)"
ok 'and comes back' add "$t/7.ndjson" '{"c": "x", "d": 1}'
is 'later still' 1 "$(wc -l <"$t/7.ndjson")"

# ------------------------------------------------------- backup and restore
python3 - >"$W/many" <<'P'
import json
for i in range(30000):
    print(json.dumps({'id': i % 97, 'c': 'c%d' % (i % 5), 'd': i, 'a': -i, 'b': 'text "%d"\n' % i}))
P
run_cql <<'C'
CREATE TABLE k.big (id int, c text, d int, a int, b text, PRIMARY KEY (id, c, d));
CREATE TABLE k.big2 (id int, c text, d int, a int, b text, PRIMARY KEY (id, c, d));
C
ok 'many rows' dd if="$W/many" of="$M/k/big.ndjson" bs=100001 status=none
is 'all of them' "$(sort "$W/many" | md5sum)" "$(sort "$M/k/big.ndjson" | md5sum)"
is 'in pieces of any size' "$(md5sum <"$M/k/big.ndjson")" "$(dd if="$M/k/big.ndjson" bs=77777 status=none | md5sum)"
ok 'as CSV into another' cp "$M/k/big.csv" "$M/k/big2.csv"
is 'the same' "$(md5sum <"$M/k/big.ndjson")" "$(md5sum <"$M/k/big2.ndjson")"
# One moment: what others write while it is read is not in it.
(exec 3<"$M/k/big2.csv"; head -c 100 <&3 >"$W/one"; cql 'TRUNCATE k.big2' >/dev/null; cat <&3 >>"$W/one")
is 'one moment' "$(md5sum <"$M/k/big.csv")" "$(md5sum <"$W/one")"
is 'the next read has the next' 1 "$(wc -l <"$M/k/big2.csv")"
# A temporary file becomes it.
cp "$W/all" "$M/k/.t.ndjson.AbCdEf"
rm "$t/2.csv" "$t/5.csv" "$t/7.csv"
ok 'a temporary file is renamed onto it' mv "$M/k/.t.ndjson.AbCdEf" "$t.ndjson"
is 'as it was' '' "$(diff "$t.ndjson" "$W/all" 2>&1)"
# Names that leave no room for the suffix: the document's is shortened for it.
run_cql <<'C'
CREATE TABLE k.long (p text, c text, v int, PRIMARY KEY (p, c));
CREATE TABLE k.longflat (p text PRIMARY KEY, v int);
C
python3 - "$M/k" >"$W/long" 2>&1 <<'P'
import errno, os, sys
root = sys.argv[1]
def paths(directory, value, kind):
    """The document beside the directory; and of a shortened name the form that has at most 255 bytes."""
    shown = [x for x in os.listdir(directory) if x.startswith(value[:200])]
    assert len(shown) == 1, shown
    name = shown[0]
    yield directory + '/' + name + kind
    if '%~' in name: yield directory + '/' + name[:255 - 18 - len(kind)] + name[-18:] + kind
for n in (200, 249, 250, 251, 255, 256, 300, 5000):
    value = 'v' * n
    with open(root + '/long.ndjson', 'a') as f: f.write('{"p": "p", "c": "%s", "v": %d}\n{"p": "%s", "c": "c", "v": 1}\n' % (value, n, value))
    with open(root + '/longflat.ndjson', 'a') as f: f.write('{"p": "%s", "v": %d}\n' % (value, n))
    for directory, kind in ((root + '/long/p', '.json'), (root + '/longflat', '.csv'), (root + '/long', '.ndjson'), (root + '/longflat', '.json')):
        for path in paths(directory, value, kind):
            assert value in open(path).read(), path
            if kind == '.json':
                with open(path, 'w') as f: f.write('{"v": -1}')
                assert '"v": -1' in open(path).read()
        if kind == '.csv': continue
        os.unlink(path)
        assert not os.path.exists(path)
        assert not [x for x in os.listdir(directory) if x.startswith(value[:200])]
for name in ('v' * 256, 'v' * 256 + '.json', 'v' * 252 + '.jso'):
    try: os.stat(root + '/long/' + name); assert 0
    except OSError as e: assert e.errno == errno.ENAMETOOLONG, (len(name), e)
os.makedirs(root + '/plain/p')
try: open(root + '/plain/p/' + 'v' * 252 + '.json', 'w'); assert 0
except OSError as e: assert e.errno == errno.ENAMETOOLONG, e
os.removedirs(root + '/plain/p')
print('ok')
P
is 'long names' ok "$(cat "$W/long")"
# Lines that are refused leave no memory behind.
is 'refused lines' 'refused 1200 small' "$(python3 - "$t.ndjson" "$(daemon_pid)" <<'P'
import os, re, sys
def rss(): return int(re.search(r'RssAnon:\s*(\d+)', open('/proc/%s/status' % sys.argv[2]).read())[1])
f = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
line = b'{"id": 8, "b": "\\u0041' + b'x' * 100000 + b'", "nope": 1}\n'
refused, before = 0, rss()
for i in range(1200):
    try: os.write(f, line)
    except OSError: refused += 1
grown = rss() - before
print('refused', refused, 'small' if grown < 100000 else grown)
P
)"
# Schemaless tables.
mkdir -p "$M/k/notes/alice"
echo hi >"$M/k/notes/alice/todo"
is 'a schemaless table' '{"key": "alice", "column1": "todo", "value": "0x68690a"}' "$(cat "$M/k/notes.ndjson")"
ok 'takes lines' add "$M/k/notes/alice.ndjson" '{"column1": "a.json", "value": "0x41"}'
is 'as files' A "$(cat "$M/k/notes/alice/a.json")"
# The kernel's copies of the rows are dropped.
mkdir "$M/k/flat/cy"; ls "$M/k/flat" "$M/k/flat/bob" >/dev/null; cat "$M/k/flat/bob/v" >/dev/null
add "$M/k/flat.ndjson" $'{"name": "bob", "v": 3}\n{"name": "dan"}'
is 'names and pages' '3 ada bob cy dan' "$(cat "$M/k/flat/bob/v") $(ls "$M/k/flat" | paste -sd' ')"
again
is 'after a mount' '' "$(diff "$t.ndjson" "$W/all" 2>&1)"
# Rights: reading needs r on the table, changes w.
as_other() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
if [ "$(id -u)" = 0 ]; then
	chmod 755 "$W"; chmod 750 "$M/k/t"
	again -o allow_other
	refused 'a user who may not enter' 'Permission denied' as_other cat "$t.ndjson"
	told() { "$@" cat "$M/system_schema/tables.ndjson" | grep -c '"keyspace_name": "k", "table_name": "t"'; }
	is 'nor is told of it' '0 1' "$(told as_other) $(told env)"
	chmod 754 "$t"
	refused 'r without x is not enough' 'Permission denied' as_other cat "$t.csv"
	chmod 755 "$t"
	ok 'a user who may read' as_other cat "$t.ndjson"
	refused 'may not write' 'Permission denied' as_other sh -c "echo '{}' >>'$t.ndjson'"
	refused 'nor remove' 'Permission denied' as_other rm -f "$t/1.ndjson"
fi
again -o ro
ok 'read-only: read' cat "$t.csv"
refused 'read-only: write' 'Read-only' add "$t.csv" id
done_testing
