# The contract (fs/README.md, widefs-layout(5)), section by section: sentences that no other
# suite holds the tree to.
. tests/mount/lib.sh
start -o max_value=1M
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TYPE k.ad (street text, n int);
CREATE TABLE k.t (p text, c int, d text, s text STATIC, a int, b text, x blob, tags set<text>, mp map<text, int>, l list<int>, u ad, f frozen<list<int>>, tup tuple<int, text>, vec vector<float, 2>, id uuid, PRIMARY KEY (p, c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC);
CREATE TABLE k.flat (p text PRIMARY KEY, v int, w text, day date, at timestamp, ip inet, fl float, dec decimal, as_ ascii, ok boolean);
CREATE TABLE k.pair (a text, b text, v int, PRIMARY KEY ((a, b)));
CREATE TABLE k.num (p int, n decimal, v int, PRIMARY KEY (p, n));
CREATE TABLE k.hits (p text, c text, n counter, PRIMARY KEY (p, c));
CREATE TABLE k."Up" ("Key" text PRIMARY KEY, "Val" int);
CREATE INDEX ON k.flat (v);
C
T=$M/k/t
why() { tail -1 "$M/.widefs/errors" | cut -d' ' -f7-; }
attr() { getfattr --only-values -n "user.$1" "$2" 2>/dev/null; }
token() { attr token "$1"; }
figure() { sed -n "s/^widefs_table_$1{keyspace=\"k\",table=\"t\"} //p" "$M/.widefs/metrics"; }

# ---- 1. The tree
for p in a b c d e f g h; do mkdir -p "$M/k/flat/$p"; done
is 'readdir: partitions in token order' "$(for p in a b c d e f g h; do echo "$(token "$M/k/flat/$p") $p"; done | sort -n | cut -d' ' -f2 | paste -sd' ')" "$(names "$M/k/flat")"
mkdir -p "$T/one"/{1,2,10}/{x,b,a}
is 'prefixes in clustering order, DESC' '10 2 1' "$(names "$T/one")"
is 'rows in clustering order' 'a b x' "$(names "$T/one/2")"
cql "UPDATE k.t SET a = 1 WHERE p = 'gone' AND c = 1 AND d = 'r'; DELETE FROM k.t WHERE p = 'gone'" >/dev/null
is 'partitions that hold nothing live do not appear' 'one' "$(names "$T")"
cql "INSERT INTO k.t (p, c, d) VALUES ('one', 5, 'r'); DELETE FROM k.t WHERE p = 'one' AND c = 5 AND d = 'r'" >/dev/null
is 'nor prefixes' '10 2 1' "$(names "$T/one")"
cat >"$W/types.py" <<'P'
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
seen = set()
def walk(path):
    fd, buf, below = os.open(path, os.O_RDONLY | os.O_DIRECTORY), ctypes.create_string_buffer(65536), []
    while True:
        n = libc.syscall(217, fd, buf, 65536)
        at = 0
        if n <= 0: break
        while at < n:
            ino, length, kind = int.from_bytes(buf[at:at+8], 'little'), int.from_bytes(buf[at+16:at+18], 'little'), buf[at+18][0]
            name = buf[at+19:at+length].split(b'\0')[0]
            if name not in (b'.', b'..'):
                st = os.lstat(os.path.join(path, name))
                if kind != st.st_mode >> 12: print('type of', name, kind)
                if ino != st.st_ino: print('inode of', name)
                if st.st_ino in seen: print('twice', name)
                if st.st_nlink != 1: print('nlink', name)
                seen.add(st.st_ino)
                if kind == 4: below.append(name)
            at += length
    os.close(fd)
    for b in below: walk(os.path.join(path, b))
walk(os.fsencode(sys.argv[1]))
print(max(seen) > 1 << 32)
P
mkdir "$T/one/2/a/tags"; touch "$T/one/2/a/tags/t"; echo x >"$T/one/2/a/b"
is 'd_type and inode numbers are there, and are those of stat; nlink is 1' True "$(python3 "$W/types.py" "$M")"
inodes() { find "$1" -printf '%i %P\n' | LC_ALL=C sort -k2; }
inodes "$M/k" >"$W/inodes"
mkdir "$M/.snapshots/s"
is 'inode numbers are others in a snapshot' '' "$(inodes "$M/.snapshots/s/k" | cut -d' ' -f1 | sort | comm -12 - <(cut -d' ' -f1 "$W/inodes" | sort))"
root=$(stat -c %y "$M")
is 'its root has the time of the root' "$root" "$(stat -c %y "$M/.snapshots/s")"
rmdir "$M/.snapshots/s"
again -o max_value=1M
is 'the root has its time after a restart' "$root" "$(stat -c %y "$M")"
is 'and the same after a restart' '' "$(inodes "$M/k" | comm -13 <(sort "$W/inodes") <(inodes "$M/k" | sort) | head -3)"

# ---- 2. Names
made() { # made TABLE VALUE NAME: the key value has this name
	cql "INSERT INTO k.flat (p, v) VALUES (\$\$$1\$\$, 1)" >/dev/null
	ok "the name of '$1'" test -d "$M/k/flat/$2"
	ok "is listed: $2" grep -qxF -- "$2" <(ls -U "$M/k/flat")
}
made a/b a%2Fb
made 'a%b' a%25b
made $'a\x7fb' a%7Fb
made .hidden %2Ehidden
made @at %40at
made a.json a%2Ejson
made a.b.cql a.b%2Ecql
made .csv %2Ecsv
made a.jsonx a.jsonx
made a,b a,b
made 'é b' 'é b'
pair() { cql "INSERT INTO k.pair (a, b, v) VALUES ('$1', '$2', 1)" >/dev/null; ok "the name of ('$1', '$2')" test -d "$M/k/pair/$3"; }
pair a b a,b
pair a,1 b a%2C1,b
pair '' b ,b
pair .a b %2Ea,b
pair a .b a,.b
pair a @b a,@b
pair a b.json a,b%2Ejson
pair a.json b a.json,b
refused 'a needless escape' 'No such file' ls "$M/k/flat/%61"
refused 'made' 'Invalid argument' mkdir "$M/k/flat/%61"
is 'the right spelling is told' 1 "$(why | grep -c "'a'\| a\b")"
refused 'lower-case hex' 'No such file' ls "$M/k/flat/a%2fb"
refused '007' 'Invalid argument' mkdir -p "$T/one/007"
is 'the right one is told' 1 "$(why | grep -c 7)"
refused 'another case of a name is another name' 'No such file' ls "$M/k/flat/A"
cql 'INSERT INTO k.num (p, n, v) VALUES (1, 1.00, 1)' >/dev/null
cql 'INSERT INTO k.num (p, n, v) VALUES (1, 1.0, 2)' >/dev/null
is 'equal keys: the stored one is the name' '1.00 2' "$(names "$M/k/num/1") $(cat "$M/k/num/1/1.00/v")"
long=$(printf 'é%.0s' {1..200})
cql "INSERT INTO k.flat (p, v) VALUES ('$long', 7)" >/dev/null
short=$(ls "$M/k/flat" | grep '%~')
is 'a long name: its first bytes, at a character, %~ and a hash' 1 "$(grep -cE '^(é){110,118}%~[0-9a-f]{16}$' <<<"$short")"
is '@key comes first, with the whole key' "@key $long" "$(ls -U "$M/k/flat/$short" | head -1) $(cat "$M/k/flat/$short/@key")"
is 'a name in quotes keeps its case' 'Up' "$(names "$M/k" | tr ' ' '\n' | grep -i '^up$')"
mkdir "$M/k/Up/x"; put "$M/k/Up/x/Val" 4
is 'so does a column' Val "$(names "$M/k/Up/x")"
mkdir -p "$M/k/notes/.git" 2>/dev/null; mkdir -p "$M/k/notes/%2Egit"
for name in a.json @x .todo.swp 'a%b' 'a%2' a,b; do put "$M/k/notes/%2Egit/$name" x; done
put "$M/k/notes/%2Egit/%25" percent; put "$M/k/notes/%2Egit/%" none
is 'every name in a schemaless partition is data' 8 "$(cql "SELECT column1 FROM k.notes WHERE key = '.git'" | jq '.rows | length')"
is '% is the empty name, %25 is %' '["","%",".todo.swp","@x"]' "$(cql "SELECT column1 FROM k.notes WHERE key = '.git'" | jq -c '[.rows[][0] | select(test("^(|%|@x|[.]todo[.]swp)$"))]')"
refused 'no escapes but those' 'Invalid argument' put "$M/k/notes/%2Egit/%41" x
put "$M/k/notes/%2Egit/$(head -c 255 /dev/zero | tr '\0' n)" 255
cql "INSERT INTO k.notes (key, column1, value) VALUES ('.git', '$(head -c 300 /dev/zero | tr '\0' m)', 0x41)" >/dev/null
is 'a longer one is a directory of @key and value' '@key value' "$(names "$(ls -d "$M/k/notes/%2Egit/mmm"*)")"

# ---- 3. Cells
R=$T/one/2/a F=$M/k/flat/a
takes() { # takes COLUMN TEXT SHOWN
	ok "$1: $2" put "$F/$1" "$2"
	is "$1: shown" "$3" "$(cat "$F/$1")"
}
takes v -0 0
takes v -5 -5
takes day 1970-01-02 1970-01-02
takes at '2020-01-01T00:00:00Z' '2020-01-01T00:00:00.000Z'
takes at 0 '1970-01-01T00:00:00.000Z'
takes ip 0:0:0:0:0:0:0:1 ::1
takes ip 10.0.0.1 10.0.0.1
takes dec 1.50 1.50
takes fl 1e1 10.0
takes ok TRUE true
for bad in 'v: 5' 'v:5 ' 'v:+5' 'v:0x5' 'v:5.0' 'dec: 1' 'ok:yes' 'day:2020-13-01' 'as_:é' "w:$(printf '\xff')"; do
	before=$(cat "$F/${bad%%:*}" 2>/dev/null)
	refused "${bad%%:*} does not take '${bad#*:}'" 'Invalid argument' put "$F/${bad%%:*}" "${bad#*:}"
	is 'and stays as it was' "$before" "$(cat "$F/${bad%%:*}" 2>/dev/null)"
done
printf 'two\n\n' >"$F/w"
is 'one trailing newline is dropped, nothing else' '["two\n"]' "$(cql "SELECT w FROM k.flat WHERE p = 'a'" | jq -c '.rows[0]')"
printf '\n' >"$F/w"
is 'a lone newline is empty' '[""] 0' "$(cql "SELECT w FROM k.flat WHERE p = 'a'" | jq -c '.rows[0]') $(stat -c %s "$F/w")"
: >"$F/w"
is 'so are 0 bytes' '[""]' "$(cql "SELECT w FROM k.flat WHERE p = 'a'" | jq -c '.rows[0]')"
head -c 300 /dev/urandom >"$W/blob"; cp "$W/blob" "$R/x"
ok 'a blob is raw bytes' cmp "$W/blob" "$R/x"
rm "$R/x"
is 'rm is null' '[null]' "$(cql "SELECT x FROM k.t WHERE p = 'one' AND c = 2 AND d = 'a'" | jq -c '.rows[0]')"
refused 'and no file' 'No such file' cat "$R/x"
printf 'abc\n' >"$R/b"; printf 'XY' | dd of="$R/b" bs=1 seek=1 conv=notrunc status=none
is 'pwrite' aXY "$(cat "$R/b")"
truncate -s 2 "$R/b"
is 'truncate by path' aX "$(cat "$R/b")"
put "$F/v" 5
is ': > of an int fails at close' '1 5' "$(python3 -c '
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_TRUNC)
try: os.close(fd); print(0, end=" ")
except OSError as e: print(int(e.errno == 22), end=" ")' "$F/v"; cat "$F/v")"
refused 'truncate -s 0 of an int, at once' 'Invalid argument' truncate -s 0 "$F/v"
mkdir "$M/k/flat/t1"
for c in w as_; do touch "$M/k/flat/t1/$c"; done
is 'touch on an absent cell stores the empty value' '["",""]' "$(cql "SELECT w, as_ FROM k.flat WHERE p = 't1'" | jq -c '.rows[0]')"
is 'of other types it fails, and nothing is there' '1 as_ w' "$(touch "$M/k/flat/t1/v" 2>/dev/null; echo "$? $(ls "$M/k/flat/t1" | paste -sd' ')")"
refused 'half a uuid waits' 'Invalid argument' python3 -c '
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
os.write(fd, b"6ecd8c99-4036-403d-bf84")
os.close(fd)' "$R/id"
is 'half a uuid: the close said it' 'No' "$([ -e "$R/id" ] || echo No)"
is 'key columns by name, not listed' $'2\na\none' "$(cat "$R/c" "$R/d" "$R/p"; ls "$R" | grep -x '[cdp]')"
refused 'and read-only' 'not permitted' put "$R/c" 3
for pair in 'f:[1, 2]' "tup:[1, \"x\"]" 'vec:[1.0, -0.5]'; do
	ok "${pair%%:*}: JSON" put "$R/${pair%%:*}" "${pair#*:}"
	is 'shown as JSON' "${pair#*:}" "$(cat "$R/${pair%%:*}")"
done
ok 'a CQL literal' put "$R/tup" "(2, 'y')"
is 'is shown as JSON' '[2, "y"]' "$(cat "$R/tup")"
mkdir "$R/l" "$R/u" "$R/mp"
is 'mkdir of a collection stores nothing' '[null,null,null]' "$(cql "SELECT l, u, mp FROM k.t WHERE p = 'one' AND c = 2 AND d = 'a'" | jq -c '.rows[0]')"
for n in 1 2 3; do put "$R/l/@append" $n; done
put "$R/l/@prepend" 0
is 'a list: ids sort as the list does' '0123' "$(for i in $(ls "$R/l" | LC_ALL=C sort); do cat "$R/l/$i"; done | tr -d '\n')"
is 'of one width' 1 "$(ls "$R/l" | awk '{ print length }' | sort -u | wc -l)"
put "$R/l/@1" 9; rm "$R/l/@0"
is '@N is written and removed' '[[9,2,3]]' "$(cql "SELECT l FROM k.t WHERE p = 'one' AND c = 2 AND d = 'a'" | jq -c '.rows[0]')"
put "$R/u/street" S; put "$R/mp/k" 1
is 'a UDT: a file per field' street "$(names "$R/u")"
is 'COLUMN.json is the whole' '{"k": 1}' "$(cat "$R/mp.json")"
add "$R/mp.json" '{"m": 2}'
is '>> adds' '{"k": 1, "m": 2}' "$(cat "$R/mp.json")"
put "$R/mp.json" '{"z": 3}'
is '> replaces' z "$(names "$R/mp")"
rm -r "$R/mp"
is 'removing the directory deletes it' '[null]' "$(cql "SELECT mp FROM k.t WHERE p = 'one' AND c = 2 AND d = 'a'" | jq -c '.rows[0]')"
mkdir -p "$M/k/hits/x/y"; H=$M/k/hits/x/y/n
put "$H" 40
ok '+N' put "$H" +3
ok '-N, >>' add "$H" -1
is 'the total' 42 "$(cat "$H")"
refused 'a bare number where it exists' 'Invalid argument' put "$H" 5
rm "$H"; put "$H" +1
is 'removed, it begins anew' 1 "$(cat "$H")"
put "$F/w" timed
wt=$(attr writetime "$F/w")
is 'mtime is the write timestamp' "$wt" "$(stat -c '%.6Y' "$F/w" | tr -d .)"
touch -d '2001-02-03 04:05:06.123456 UTC' "$F/w"
is 'or what utimensat set' 981173106.123456 "$(stat -c '%.6Y' "$F/w")"
is 'beside which the timestamp stays' "$wt" "$(attr writetime "$F/w")"
setfattr -n user.ttl -v 1000 "$F/w"
is 'user.ttl keeps the shown mtime' 981173106.123456 "$(stat -c '%.6Y' "$F/w")"
ok 'and is a new write' test "$(attr writetime "$F/w")" -gt "$wt"
is 'only user.expires is listed' user.expires "$(getfattr -m - "$F/w" 2>/dev/null | grep ^user)"
ok 'as absolute time' grep -qE '^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]+)?Z$' <(attr expires "$F/w"; echo)
setfattr -x user.expires "$F/w"
is 'removed it is permanent' '[null]' "$(cql "SELECT ttl(w) FROM k.flat WHERE p = 'a'" | jq -c '.rows[0]')"
refused 'no TTL: ENODATA' 'No such attribute' getfattr -n user.expires "$F/w"
refused 'an attribute that does not exist' 'not supported' setfattr -n user.nope -v 1 "$F/w"
is 'user.type' text "$(attr type "$F/w")"
setfattr -n user.writetime -v 1 "$F/w"
is 'user.writetime: last-write-wins decides' 'timed' "$(cat "$F/w")"
put "$F/v" nope 2>/dev/null
is 'user.error is the last refusal here' "$(why)" "$(attr error "$F/v")"
cql "INSERT INTO k.flat (p, v) VALUES ('ttl', 1) USING TTL 500" >/dev/null
ok 'a row has the TTL of its marker' test "$(attr ttl "$M/k/flat/ttl")" -gt 400
setfattr -n user.ttl -v 90 "$M/k/flat/ttl.json"
ok 'set on R.json it holds for all' test "$(cql "SELECT ttl(v) FROM k.flat WHERE p = 'ttl'" | jq '.rows[0][0]')" -le 90
refused 'EFBIG comes from the write' 'File too large' dd if=/dev/zero of="$R/x" bs=1M count=2 status=none

# ---- 4. Rows, partitions, documents
refused 'rmdir of a row with cells' 'not empty' rmdir "$R"
mkdir -p "$T/kept/1"; rmdir "$T/kept/1"
is 'an emptied directory stays' '' "$(names "$T/kept")"
ok 'until rmdir' rmdir "$T/kept"
put "$F.json" '{"p": "a", "v": 1, "w": "x"}'
put "$F.json" '{"v": 2}'
is 'R.json >: what is not given is null' '{"p": "a", "v": 2}' "$(cat "$F.json")"
is 'exact size' "$(wc -c <"$F.json")" "$(stat -c %s "$F.json")"
add "$F.json" '{"w": "y"}'; add "$F.json" '{"v": null}'
is '>> merges, null deletes' '{"p": "a", "w": "y"}' "$(cat "$F.json")"
refused 'keys must agree' 'Invalid argument' put "$F.json" '{"p": "b"}'
ok 'rm R.json' rm "$F.json"
refused 'takes the directory' 'No such file' ls "$F"
for doc in "$M/k/flat.ndjson" "$M/k/flat.csv" "$T/one.ndjson" "$T/one.csv" "$T/one/2.csv"; do
	refused "> ${doc#"$M/"} where rows are" 'not permitted' put "$doc" '{}'
	is "size of ${doc#"$M/"}" 0 "$(stat -c %s "$doc")"
done
for doc in "$M/k/flat.ndjson" "$M/k/flat.csv" "$M/k/flat.cql" "$M/k.cql"; do refused "rm ${doc#"$M/"}" 'not permitted' rm -f "$doc"; done
refused '> T.cql' '' put "$M/k/flat.cql" x
ok 'T.cql is its DDL' grep -q '^CREATE TABLE k.flat ' "$M/k/flat.cql"
is 'K.cql is schema.cql' "$(cat "$M/k/schema.cql")" "$(cat "$M/k.cql")"
cql "INSERT INTO k.flat (p, fl) VALUES ('nan', NaN)" >/dev/null
is 'NaN is a string' '{"p": "nan", "fl": "NaN"}' "$(cat "$M/k/flat/nan.json")"
cat "$M/k/flat/nan.json" >"$W/nan"; rm "$M/k/flat/nan.json"; cp "$W/nan" "$M/k/flat/nan.json"
is 'NaN comes back' NaN "$(cat "$M/k/flat/nan/fl")"
is '.cql.json keeps null' '[[null]]' "$(cql "SELECT fl FROM k.flat WHERE p = 'nan'" | jq -c .rows)"
cql "UPDATE k.t SET s = 'st' WHERE p = 'statics'" >/dev/null
is 'a partition of statics alone is one line' '{"p": "statics", "s": "st"}' "$(cat "$T/statics.ndjson")"
cql "UPDATE k.t SET s = 'kept' WHERE p = 'one'" >/dev/null
put "$T/one/2/b.json" '{"a": 1}'
is 'replacing a row never removes statics' kept "$(cat "$T/one/@static/s")"
printf '{"p": "n1", "v": 1}\n{"p": "n2", "v": "x"}\n{"p": "n3", "v": 1}\n' >"$W/lines"
refused 'the first bad line fails the write' 'Invalid argument' bash -c "cat '$W/lines' >>'$M/k/flat.ndjson'"
is 'with its number; what stands before is there' 'line 2 n1' "$(why | grep -o 'line [0-9]*') $(ls "$M/k/flat" | grep -x 'n[123]')"
printf '{"p": "n4"}' >>"$M/k/flat.ndjson"
ok 'a last line without a newline, at the close' test -d "$M/k/flat/n4"
printf 'p,v,w\r\nn5,,""\r\n' >>"$M/k/flat.csv"
is 'CRLF; null and the empty string' '[null,""]' "$(cql "SELECT v, w FROM k.flat WHERE p = 'n5'" | jq -c '.rows[0]')"
ok 'rm P.ndjson' rm "$T/statics.ndjson"
refused 'takes its directory' 'No such file' ls "$T/statics"
cql "INSERT INTO k.t (p, c, d, s, a, b, tags, mp) VALUES ('many', 1, 'x', 's', 1, 'b', {'t'}, {'k': 1}); INSERT INTO k.t (p, c, d, a, b) VALUES ('many', 2, 'x', 1, 'b'); INSERT INTO k.t (p, c, d, a, b) VALUES ('many', 2, 'y', 1, 'b')" >/dev/null
removal() { # removal FILE: the tombstones that its rm writes
	local tombstones
	stat "$1" >/dev/null
	tombstones=$(figure tombstones)
	rm "$1" && echo $(($(figure tombstones) - tombstones))
}
is 'one tombstone removes a row' 1 "$(removal "$T/many/1/x.json")"
is 'and a prefix' 1 "$(removal "$T/many/2.csv")"
cql "INSERT INTO k.t (p, c, d, a) VALUES ('many', 3, 'x', 1); INSERT INTO k.t (p, c, d, a) VALUES ('many', 4, 'x', 1)" >/dev/null
is 'and a range' 1 "$(removal "$T/many/@c=2...ndjson")"
is 'and a partition' 1 "$(removal "$T/many.ndjson")"
is 'all of it' '[]' "$(cql "SELECT * FROM k.t WHERE p = 'many'" | jq -c .rows)"
mv_() { python3 -c 'import errno, os, sys
try: os.rename(*sys.argv[1:]); print("done")
except OSError as e: print(errno.errorcode[e.errno])' "$1" "$2"; }
put "$T/one/1/a/a" 5
is 'a row inside its table' 'done 5' "$(mv_ "$T/one/1/a" "$T/one/1/z") $(cat "$T/one/1/z/a")"
is 'a cell onto another column' 'done' "$(put "$R/b" 12; mv_ "$R/b" "$R/a"; cat "$R/b" 2>/dev/null)"
is 'a text that the other cell refuses' EINVAL "$(put "$R/b" word; mv_ "$R/b" "$R/a")"
mkdir -p "$M/k/flat/m1" "$M/k/hits/x/z"
is 'a row of another table' EXDEV "$(mv_ "$T/one/1/z" "$M/k/flat/zz")"
is 'a partition' EXDEV "$(mv_ "$T/one" "$T/other")"
is 'RENAME_EXCHANGE' 22 "$(python3 -c '
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
print(0 if not libc.renameat2(-100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2) else ctypes.get_errno())' "$R/a" "$R/b")"
refused 'hard links' 'not permitted' ln "$R/a" "$R/b2"
refused 'symbolic links' 'not permitted' ln -s a "$R/b2"
refused 'devices' 'not permitted' mknod "$R/b2" p
is 'a key column' EPERM "$(mv_ "$R/d" "$R/b")"
refused 'mv of it' 'not permitted' mv "$R/d" "$R/b"
is 'leaves what it would replace' word "$(cat "$R/b")"
is 'a table whose target exists' 'EEXIST' "$(mv_ "$M/k/flat" "$M/k/num" | sed 's/ENOTEMPTY/EEXIST/')"

# ---- 5. Query directories
for c in 1 2 3 4 5; do cql "INSERT INTO k.t (p, c, d, a) VALUES ('q', $c, 'x,y', $c)" >/dev/null; done
Q=$T/q
is 'LO included, HI excluded' '3,x%2Cy 2,x%2Cy' "$(names "$Q/@c=2..4")"
is 'either left out' '2,x%2Cy 1,x%2Cy' "$(names "$Q/@c=..3")"
is '@desc is ORDER BY DESC; @limit' '5,x%2Cy 4,x%2Cy' "$(names "$Q/@desc,@limit=2")"
is '@after' '2,x%2Cy 1,x%2Cy' "$(names "$Q/@after=3%2Cx%252Cy")"
is 'entries are relative links to the rows' '../3/x,y' "$(readlink "$Q/@c=3/3,x%2Cy")"
is 'by a value: the rest of the key' '3,x%2Cy' "$(names "$Q/@c=3")"
is 'documents: the same as bytes' $'{"p": "q", "c": 5, "d": "x,y", "a": 5}' "$(cat "$Q/@desc,@limit=1.ndjson")"
is '@cols keeps the key' $'p,c,d,a\nq,5,"x,y",5' "$(cat "$Q/@limit=1,@cols=a.csv")"
refused '@cols in a directory' '' ls "$Q/@cols=a"
refused 'not nested' 'No such file' ls "$Q/@c=..3/@limit=1"
refused 'read-only' 'Read-only' mkdir "$Q/@c=..3/x"
is 'never listed' '' "$(ls -a "$Q" "$M/k/flat" | grep -x '@[cl].*')"
reads=$(stat "$Q/@c=1" >/dev/null; figure reads)
for q in @c=2 @c=2..4 @desc,@limit=2 @c=1,@d=x%2Cy @c=4.ndjson @desc,@cols=a.csv; do ok "looked up: $q" stat "$Q/$q"; done
is 'a lookup reads nothing' "$reads" "$(figure reads)"
ok 'a listing does' test "$(ls "$Q/@c=2" >/dev/null; figure reads)" -gt "$reads"
is 'indexed columns' 'n1' "$(names "$M/k/flat/@v=1" | tr ' ' '\n' | grep -x n1)"
refused 'without an index' 'not supported' ls "$M/k/flat/@w=y"
is 'explained' 1 "$(why | grep -c '@scan')"
ok '@scan' ls "$M/k/flat/@w=y,@scan"
refused 'an unknown column' 'No such file' ls "$Q/@nope=1"
refused 'a value that CQL refuses' 'Invalid argument' ls "$Q/@d=x"
ok 'rm of a range' rm "$Q/@c=..3.ndjson"
is 'is one range tombstone' '5 4 3' "$(names "$Q")"
refused 'of any other' 'not permitted' rm "$Q/@limit=1.ndjson"

# ---- 6. Schema and CQL
mkdir "$M/made" "$M/made/notes"
is 'mkdir of a keyspace: SimpleStrategy, 1' "CREATE KEYSPACE made WITH replication = {'class': 'SimpleStrategy', 'replication_factor': '1'}  AND durable_writes = true;" "$(head -1 "$M/made/schema.cql")"
is 'schema.cql is listed first' schema.cql "$(ls -U "$M/k" | head -1)"
is 'of a table: schemaless' 1 "$(grep -c 'CREATE TABLE made.notes' "$M/made/schema.cql")"
ok 'until its first row a CREATE gives it another schema' put "$M/made/schema.cql" 'CREATE TABLE made.notes (a int PRIMARY KEY, b text);'
put "$M/made/notes.ndjson" '{"a": 1}'
refused 'afterwards none' 'File exists' put "$M/made/schema.cql" 'CREATE TABLE made.notes (a text PRIMARY KEY, c text);'
ok 'an identical definition is no error' bash -c "cat '$M/made/schema.cql' >'$W/schema' && cat '$W/schema' >'$M/made/schema.cql'"
refused 'rmdir of a table with rows' 'not empty' rmdir "$M/made/notes"
rm "$M/made/schema.cql"
is 'removing schema.cql drops nothing and hides it' 'notes 1' "$(names "$M/made") $(ls "$M/made/notes")"
cql 'CREATE TABLE made.more (a int PRIMARY KEY)' >/dev/null
is 'until the next DDL' 'schema.cql' "$(ls -U "$M/made" | head -1)"
rm -r "$M/made"
is 'system is reachable, not listed, read-only' 'yes no' "$([ -d "$M/system/local" ] && printf yes; ls "$M" | grep -qx system && echo ' listed' || echo ' no')"
refused 'nothing is made there' 'Read-only' mkdir "$M/system_schema/x"
refused 'nor removed' 'Read-only' rm "$M/system_schema/schema.cql"
for one in system system_schema/schema.cql; do
	refused "nor is $one dated" 'Read-only' touch -d 2001-01-01 "$M/$one"
done
ok 'its definition is still there' grep -q 'CREATE TABLE system_schema.tables' "$M/system_schema/schema.cql"
asks() { # asks SUFFIX STATEMENT: writes and reads on one descriptor; prints the write's status too
	local fd status
	exec {fd}<>"$M/.cql$1"
	{ printf '%s' "$2" >&$fd; } 2>/dev/null; status=$?
	cat <&$fd; exec {fd}>&-
	[ "$status" = 0 ] || echo "write: $status"
}
is '.cql.json' '{"columns":[{"name":"p","type":"text"},{"name":"v","type":"int"}],"rows":[["n1",1]]}' "$(asks .json "SELECT p, v FROM k.flat WHERE p = 'n1';")"
is '.cql.ndjson' '{"p": "n1", "v": 1}' "$(asks .ndjson "SELECT p, v FROM k.flat WHERE p = 'n1';")"
is '.cql.csv' $'p,v\nn1,1' "$(asks .csv "SELECT p, v FROM k.flat WHERE p = 'n1'")"
is 'without rows' '{"columns":[],"rows":[]}' "$(asks .json "INSERT INTO k.flat (p) VALUES ('n9');")"
is 'several: one object a line' 2 "$(asks .json "SELECT p FROM k.num; SELECT n FROM k.num;" | jq -c .columns | wc -l)"
for pair in 'SELEC ;:SyntaxException' 'SELECT * FROM k.none;:InvalidRequest' 'CREATE TABLE k.num (a int PRIMARY KEY);:AlreadyExists' "CREATE KEYSPACE x WITH replication = {'class': 'None'};:ConfigurationException"; do
	is "${pair%%[;:]*}" "${pair##*:} write: 1" "$(asks .json "${pair%:*}" | jq -rR '(fromjson? // .) | if type == "object" then .error.code else . end' | paste -sd' ')"
done
is 'errno of AlreadyExists' 'File exists' "$(put "$M/.cql" 'CREATE TABLE k.num (a int PRIMARY KEY);' 2>&1 | grep -o 'File exists')"
is 'a ; inside a BATCH does not end it' '{"columns":[],"rows":[]}' "$(asks .json "BEGIN BATCH INSERT INTO k.flat (p) VALUES ('b1'); INSERT INTO k.flat (p) VALUES ('b2'); APPLY BATCH;")"
is 'USE holds for the descriptor' $'{"columns":[],"rows":[]}\n1' "$(asks .json "USE k; SELECT v FROM flat WHERE p = 'n1';" | sed '$s/.*"rows":\[\[\(.*\)\]\]}/\1/')"
# What is refused in a snapshot is told, whichever call it is.
mkdir "$M/.snapshots/told"
is 'errors: changes in a snapshot' 'rm rmdir mkdir mv chmod setfattr' "$(f=$(find "$M/.snapshots/told" -mindepth 4 -type f | head -1)
	cd "${f%/*}" && { rm "$f"; rmdir "$PWD"; mkdir none; mv -T "$f" "$PWD/other"; chmod 600 .; setfattr -n user.ttl -v 5 .; } 2>/dev/null
	tail -6 "$M/.widefs/errors" | awk '$6 == "EROFS" { print $4 }' | paste -sd' ')"
rmdir "$M/.snapshots/told"
is 'three lines say how it is used' 3 "$(wc -l <"$M/.cql")"
is 'the count ends after the last good one' 36 "$(python3 -c '
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY)
print(os.write(fd, b"INSERT INTO k.flat (p) VALUES (\x27w\x27);SELECT nope;"))' "$M/.cql")"

# ---- 7. Snapshots and control
put "$M/k/flat/n1/w" first
mkdir "$M/.snapshots/one"
put "$M/k/flat/n1/w" second
O=$M/.snapshots/one
is 'a snapshot is that moment' first "$(cat "$O/k/flat/n1/w")"
is 'with the same mtimes' '' "$(rsync -an --itemize-changes --include='*/' --exclude=w "$O/k/num/" "$M/k/num/")"
refused 'changes' 'Read-only' put "$O/k/flat/n1/w" x
refused 'rm -r in it' 'Read-only' rm -r "$O/k/flat/n1"
ok 'user.held' grep -qE '^[0-9]+$' <(attr held "$O"; echo)
again -o max_value=1M
is 'the snapshot survives a restart' first "$(cat "$M/.snapshots/one/k/flat/n1/w")"
ok 'rmdir releases it' rmdir "$M/.snapshots/one"
is '.json: a row is one listed file' '{"p": "n1", "v": 1, "w": "second"}' "$(cat "$M/.json/k/flat/n1.json")"
is 'listed' n1.json "$(ls "$M/.json/k/flat" | grep -x 'n1.*')"
put "$M/.json/k/flat/n1.json" '{"v": 8}'
is 'and writable' 8 "$(cat "$M/k/flat/n1/v")"
is '.widefs is not listed, nor are the others' '' "$(ls -A "$M" | grep '^\.')"
for file in version help options stats metrics; do ok ".widefs/$file" test -n "$(cat "$M/.widefs/$file")"; done
for file in version errors; do refused "truncate(2) of .widefs/$file" PermissionError python3 -c 'import os, sys; os.truncate(sys.argv[1], 0)' "$M/.widefs/$file"; done
for line in sync flush 'flush k.flat' compact 'compact k.flat' scrub; do ok "ctl takes $line" put "$M/.widefs/ctl" "$line"; done
is 'a line of errors: time pid uid command path errno sentence' 1 "$(put "$M/k/flat/n1/v" x 2>/dev/null; tail -1 "$M/.widefs/errors" | grep -cE '^[0-9-]+T[0-9:.]+Z [0-9]+ [0-9]+ [a-z]+ /k/flat/n1/v EINVAL .+')"

# ---- 8. Ownership, modes, sizes
chmod 750 "$M/k/num"
is 'everything in a table has its mode, files without x' '750 640' "$(stat -c %a "$M/k/num" "$M/k/num/1/1.00/v" | paste -sd' ')"
ok 'setting what is so' chmod 640 "$M/k/num/1/1.00/v"
ok 'changing x alone' chmod 740 "$M/k/num/1/1.00/v"
refused 'anything else' 'not permitted' chmod 600 "$M/k/num/1/1.00/v"
is 'the root is 0755' 755 "$(stat -c %a "$M")"
is 'a new one has 0777 less the umask' 751 "$(umask 026; mkdir "$M/masked"; stat -c %a "$M/masked")"
is 'st_blocks is real' 1 "$(head -c 100000 /dev/urandom >"$R/x"; echo $(($(stat -c %b "$R/x") >= 190)))"
is 'statfs is that of the disk' "$(df --output=size "$S" | tail -1)" "$(df --output=size "$M" | tail -1)"

# ---- 9. Temporary files
for name in .b.XXXXXX .b.swp b~ '#b#' b.tmp1 b.bak sedAbCdEf 4913; do
	ok "$name: made" put "$R/$name" temp
	is "$name: listed and read" "$name temp" "$(ls -A "$R" | grep -xF -- "$name") $(cat "$R/$name")"
	ok "$name: removed" rm "$R/$name"
done
put "$R/.b.XXXXXX" through; touch -d '2003-03-03 UTC' "$R/.b.XXXXXX"; mv "$R/.b.XXXXXX" "$R/b"
is 'renamed onto a cell: one write that keeps its mtime' "through $(date -d '2003-03-03 UTC' +%s)" "$(cat "$R/b") $(stat -c %Y "$R/b")"
is 'renamed while it is open: what was written is there, and what follows' 'ab, abcd, 12' "$(python3 - "$R" <<'P'
import os, sys
def moved(column, text, more=b''):
    fd = os.open(sys.argv[1] + f'/.{column}.AbCdEf', os.O_WRONLY | os.O_CREAT)
    os.write(fd, text)
    os.rename(sys.argv[1] + f'/.{column}.AbCdEf', sys.argv[1] + '/' + column)
    yield open(sys.argv[1] + '/' + column).read().strip()
    if more: os.write(fd, more)
    os.close(fd)
    if more: yield open(sys.argv[1] + '/' + column).read().strip()
print(*moved('b', b'ab', b'cd'), *moved('a', b'12'), sep=', ')
P
)"
mkdir -p "$M/k/hits/open/y"
is 'one that became lines takes no more' 'EPERM EPERM 8, EPERM EPERM {"p": "lines", "c": 1, "d": "x"}' "$(python3 - "$M/k/hits/open/y/n" "$T/lines.ndjson" <<'P'
import errno, os, sys
def why(call, *arguments):
    try: return call(*arguments)
    except OSError as e: return errno.errorcode[e.errno]
def moved(path, text, more):
    directory, name = os.path.split(path)
    fd = os.open(f'{directory}/.{name}.AbCdEf', os.O_RDWR | os.O_CREAT)
    os.write(fd, text)
    os.fsync(fd)
    os.rename(f'{directory}/.{name}.AbCdEf', path)
    said = why(os.pread, fd, 9, 0), why(os.write, fd, more)
    os.close(fd)
    return *said, open(path).read().strip()
print(*moved(sys.argv[1], b'8', b'+1\n'), end=', ')
print(*moved(sys.argv[2], b'{"c": 1, "d": "x"}\n', b'{"c": 2, "d": "x"}\n'))
P
)"
refused 'any other unknown name' 'Invalid argument' put "$R/bb" 5
is 'with the nearest column' 1 "$(why | grep -cE "\bb\b")"
mkdir "$M/k/flat/a"; put "$M/k/flat/a/V" 5 2>/dev/null
is 'letters of another case are near' "there is no column 'V'; the nearest is 'v'" "$(why)"
put "$M/k/flat/a/q" 5 2>/dev/null
is 'a key column is not, where another is' "there is no column 'q'; the nearest is 'v'" "$(why)"
put "$R/.b.left" x
mkdir "$M/.snapshots/two"
is 'in no snapshot' '' "$(ls -A "$M/.snapshots/two/k/t/one/2/a" | grep left)"
again -o max_value=1M,scratch_max=64K
is 'gone at unmount' '' "$(ls -A "$R" | grep left)"
refused 'ENOSPC beyond scratch_max' 'No space' dd if=/dev/zero of="$R/.b.big" bs=64K count=3 status=none
rm -f "$R/.b.big"; rmdir "$M/.snapshots/two"

# ---- 10. Durability, caching
ok 'fsync of a file' sync "$R/b"
ok 'fsync of a directory' sync "$M/k/flat"
is 'under O_SYNC each write that leaves a valid value commits' 'ab abcd 6 60' "$(python3 - "$R/b" "$R/a" <<'P'
import os, sys
b, a = sys.argv[1:]
seen = []
for path, texts, flag in (b, (b'ab', b'cd'), os.O_SYNC), (a, (b'6', b'0'), os.O_DSYNC):
    fd = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_CREAT | flag)
    for text in texts:
        os.write(fd, text)
        seen.append(open(path).read().strip())
    os.close(fd)
print(*seen)
P
)"
is 'a closed write survives the death of the daemon' 'alive' "$(put "$R/b" alive; kill -9 "$(daemon_pid)"; within 60 sh -c "! stat '$M/.widefs' 2>/dev/null" >/dev/null; fusermount3 -u "$M"; wait_closed; start; cat "$R/b")"
cat "$R/b" >/dev/null; cql "UPDATE k.t SET b = 'by CQL' WHERE p = 'one' AND c = 2 AND d = 'a'" >/dev/null
is 'a change by CQL is seen by the next read' 'by CQL' "$(cat "$R/b")"
cql "UPDATE k.t USING TTL 1 SET b = 'short' WHERE p = 'one' AND c = 2 AND d = 'a'" >/dev/null; cat "$R/b" >/dev/null 2>&1
ok 'an expiring cell goes' within 30 sh -c "! [ -e '$R/b' ]"

# ---- 11. Errors
refused 'ENAMETOOLONG' 'name too long' ls "$M/k/flat/$(head -c 256 /dev/zero | tr '\0' x)"
refused 'ENOTDIR' 'Not a directory' ls "$M/k/num/1/1.00/v/x"
refused 'EISDIR' 'Is a directory' cat "$M/k/num"
refused 'EEXIST' 'File exists' mkdir "$M/k/num/1/1.00"
cql 'CREATE TABLE k.gone (a int PRIMARY KEY, b text)' >/dev/null
mkdir "$M/k/gone/1"
refused 'ESTALE: an open file of a table that was dropped' 'Stale' python3 -c '
import os, sys
fd = os.open(sys.argv[1] + "/k/gone/1/b", os.O_WRONLY | os.O_CREAT)
c = os.open(sys.argv[1] + "/.cql", os.O_WRONLY)
os.write(c, b"DROP TABLE k.gone;")
os.write(fd, b"x")
os.fsync(fd)' "$M"

# ---- 12. Backup and restore
rm -f "$R/x"
mkdir "$W/backup"
rsync -aX "$M/" "$W/backup/" >"$W/out" 2>&1
is 'rsync copies all' '' "$(cat "$W/out")"
is 'run again it transfers nothing' 'Number of regular files transferred: 0' "$(rsync -aXn --stats "$M/" "$W/backup/" | grep transferred:)"
rm -r "$M/k"
mkdir "$M/k" && cp "$W/backup/k/schema.cql" "$M/k/" && rsync -aX "$W/backup/k/" "$M/k/" >"$W/out" 2>&1
is 'restored, schema first' '' "$(cat "$W/out")"
is 'shows nothing in one direction' '' "$(rsync -aXn --delete --itemize-changes "$W/backup/k/" "$M/k/")"
is 'nor the other' '' "$(rsync -aXn --delete --itemize-changes "$M/k/" "$W/backup/k/")"

# ---- 13. Programs
stop
is 'an unknown option is an error' 2 "$("$WIDEFS" -o nope "$S" "$M" >"$W/out" 2>&1; echo $?)"
is 'named' 1 "$(grep -c nope "$W/out")"
mkdir "$W/other"; touch "$W/other/file"
ok 'a directory that is something else is refused' test "$("$WIDEFS" "$W/other" "$M" >"$W/out" 2>&1; echo $?)" != 0
start -o keyspace=k
is 'keyspace=K: the root lists K alone' k "$(ls -A "$M")"
is 'a store in use: status 3, with the pid' "3 $(daemon_pid)" "$(mkdir -p "$W/m2"; "$WIDEFS" "$S" "$W/m2" >"$W/out" 2>&1; echo "$? $(grep -oE '[0-9]+' <(grep -o 'process [0-9]*' "$W/out"))")"
is 'no other is there by name, but those of the system' 'k.cql system' "$(cd "$M" && ls -d masked masked.cql .json/masked k.cql system 2>/dev/null | paste -sd' ')"
is 'statements reach them' 1 "$(cql 'SELECT keyspace_name FROM system_schema.keyspaces' | grep -c masked)"
again -o keyspace=later
is 'K may be made later' later "$(mkdir "$M/later"; ls -A "$M")"
stop
ok 'ro' start -o ro
refused 'read-only' 'Read-only' mkdir "$M/x"
stop
done_testing
