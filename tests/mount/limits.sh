# Many rows, large values, long names (fs/README.md).
. tests/mount/lib.sh
start -o max_value=100000
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p int, c int, v int, PRIMARY KEY (p, c));
CREATE TABLE k.v (id int PRIMARY KEY, b blob, t text, i int);
CREATE TABLE k.c (id int PRIMARY KEY, n counter);
C
mkdir "$M/k/s"
{
	for ((i = 0; i < 100; i++)); do
		echo 'BEGIN UNLOGGED BATCH'
		seq -f 'INSERT INTO k.t (p, c, v) VALUES (1, %.0f, 1);' $((i * 1000)) $((i * 1000 + 999))
		echo 'APPLY BATCH;'
	done
} >"$W/script"
ok '100,000 rows' cp "$W/script" "$M/.cql"
# 32-bit keys under a listing that takes its time: all of them, in order.
python3 - "$M" <<'P' || fail 'the listing'
import os, sys, threading, ctypes
m = sys.argv[1]
d = m + '/k/t/1'
def insert(first, count, step):
	fd = os.open(m + '/.cql', os.O_RDWR)
	for i in range(first, first + count * step, step):
		os.write(fd, b'INSERT INTO k.t (p, c, v) VALUES (1, %d, 2);' % i)
	os.close(fd)
want = [str(i) for i in range(100000)]
# Rows come while it is listed: it is of one moment.
thread = threading.Thread(target=insert, args=(100000, 500, 1))
it = os.scandir(d)
got = [next(it).name for _ in range(10)]
thread.start()
got += [e.name for e in it]
thread.join()
assert got[:100000] == want, 'the rows that stood, in order'
assert len(set(got)) == len(got)
again = os.listdir(d)
assert again == [str(i) for i in range(100500)], (len(again))
# telldir and seekdir
libc = ctypes.CDLL(None, use_errno=True)
class dirent(ctypes.Structure):
	_fields_ = [('d_ino', ctypes.c_uint64), ('d_off', ctypes.c_int64), ('d_reclen', ctypes.c_ushort),
		('d_type', ctypes.c_ubyte), ('d_name', ctypes.c_char * 256)]
libc.opendir.restype = ctypes.c_void_p
libc.readdir.restype = ctypes.POINTER(dirent)
libc.telldir.restype = ctypes.c_long
for f in (libc.readdir, libc.telldir, libc.closedir, libc.rewinddir): f.argtypes = [ctypes.c_void_p]
libc.seekdir.argtypes = [ctypes.c_void_p, ctypes.c_long]
dirp = libc.opendir(d.encode())
places = {}
names = []
while True:
	at = libc.telldir(dirp)
	e = libc.readdir(dirp)
	if not e: break
	assert e.contents.d_type == 4 and e.contents.d_ino
	if len(names) % 20011 == 0: places[len(names)] = at
	names.append(e.contents.d_name)
assert len(names) == 100502, len(names)
for i, at in sorted(places.items(), reverse=True):
	libc.seekdir(dirp, at)
	e = libc.readdir(dirp)
	assert e.contents.d_name == names[i], (i, e.contents.d_name, names[i])
	e = libc.readdir(dirp)
	assert e.contents.d_name == names[i + 1]
libc.rewinddir(dirp)
assert libc.readdir(dirp).contents.d_name == names[0]
libc.closedir(dirp)
P
is 'partitions' '1' "$(names "$M/k/t")"
is 'a count' '[[100500]]' "$(cql 'SELECT count(*) FROM k.t' | jq -c .rows)"
is 'the numbers are stable' "$(stat -c %i "$M/k/t/1/77777")" "$(ls -i "$M/k/t/1" | awk '$2 == 77777 { print $1 }')"

# The cost of removing a row does not grow with the rows removed before: each
# tombstone is met once, not by every step again.
metric() { sed -n "s/^widefs_$1 //p" "$M/.widefs/metrics"; }
met=$(metric tombstones_read) read=$(($(metric gets) + $(metric scans)))
{ echo 'BEGIN UNLOGGED BATCH'; seq -f 'INSERT INTO k.t (p, c, v) VALUES (2, %.0f, 1);' 3000; echo 'APPLY BATCH;'; } >"$M/.cql"
ok 'rm -r of 3000 rows' rm -r "$M/k/t/2"
ok 'few tombstones are met' test $(($(metric tombstones_read) - met)) -lt 9000
ok 'and as few reads made a row' test $(($(metric gets) + $(metric scans) - read)) -lt 60000
is 'the deleted rows are gone' '[]' "$(cql 'SELECT c FROM k.t WHERE p = 2' | jq -c .rows)"

# max_value
mkdir "$M/k/v/1" "$M/k/s/p"
r=$M/k/v/1
head -c 100000 /dev/zero >"$W/full"
head -c 100001 /dev/zero >"$W/more"
head -c 100000 /dev/zero | tr '\0' x >"$W/text"
ok 'a value of that size' cp "$W/full" "$r/b"
is 'is there' 100000 "$(stat -c %s "$r/b")"
refused 'one byte more' 'File too large' cp "$W/more" "$r/b"
is 'leaves what was there' 100000 "$(stat -c %s "$r/b")"
ok 'a text of that size' cp "$W/text" "$r/t"
is 'has its newline' 100001 "$(stat -c %s "$r/t")"
refused 'one byte more' 'File too large' cp <(cat "$W/text"; echo x) "$r/t"
refused 'append' 'File too large' add "$r/t" xx
refused 'truncate' 'File too large' truncate -s 200000 "$r/b"
refused 'far out' 'File too large' dd if=/dev/zero of="$r/b" bs=1 count=1 seek=1000000000000 conv=notrunc status=none
ok 'a plain file of that size' cp "$W/full" "$M/k/s/p/f"
refused 'and more' 'File too large' cp "$W/more" "$M/k/s/p/g"
is 'the old ones stand' '100000 100001 100000' "$(stat -c %s "$r/b" "$r/t" "$M/k/s/p/f" | tr '\n' ' ' | sed 's/ $//')"
refused 'the copy over a file is refused' 'File too large' cp "$W/more" "$r/b"
is 'the errors say why' 1 "$(tail -1 "$M/.widefs/errors" | grep -c 'EFBIG.*100000')"
# The bound is of values, whichever way they come.
run_cql <<'C'
CREATE TABLE k.w (id int PRIMARY KEY, a text, b text, c text, d text, e text, x blob, tags set<text>, l list<text>, f frozen<list<text>>);
C
w=$M/k/w t=$(cat "$W/text")
why() { tail -1 "$M/.widefs/errors" | cut -d' ' -f7-; }
long='a value may have 100000 bytes, and this one has 100001'
say() { printf "INSERT INTO k.w (id, a, b) VALUES (1, 'x', '%s');" "$1"; }
refused 'by a statement' 'Invalid argument' put "$M/.cql" "$(say "${t}x")"
is 'with its column' "b: $long" "$(why)"
refused 'by the shell' "b: $long" "$CTL" cql "$M" -f <(say "${t}x")
refused 'a row document' 'File too large' put "$w/1.json" "{\"a\": \"x\", \"b\": \"${t}x\"}"
is 'with its column' "b: $long" "$(why)"
refused 'an element of a collection' 'File too large' put "$w/1.json" "{\"tags\": [\"${t}x\"]}"
printf '{"id": 2, "a": "x"}\n{"id": 3, "b": "%sx"}\n{"id": 4}\n' "$t" >"$W/lines"
refused 'a line' 'File too large' add "$M/k/w.ndjson" "$(cat "$W/lines")"
is 'with its number' "line 2: b: $long" "$(grep -o 'line .*' <(tail -1 "$M/.widefs/errors"))"
is 'the row before it is there, and nothing of it' '2' "$(names "$w")"
printf 'id,a,b\n5,x,y\n6,x,%sx\n' "$t" >"$W/csv"
refused 'a record' 'File too large' add "$M/k/w.csv" "$(cat "$W/csv")"
is 'with its number too' "line 3: b: $long" "$(grep -o 'line .*' <(tail -1 "$M/.widefs/errors"))"
refused 'import' "line 2: b: $long" "$CTL" import -e "$W/bad" "$M/k/w" "$W/lines"
is 'takes the rest, and keeps it' "2 4 5|$(sed -n 2p "$W/lines" | md5sum)" "$(ls "$w" | sort -n | paste -sd ' ')|$(md5sum <"$W/bad")"
# A text of several values may be longer, and so may JSON of one.
rm -r "${w:?}"/*
printf '{"a": "%s", "b": "%s", "c": "%s"}\n' "$t" "$t" "$t" >"$W/json"
ok 'a row of three such values as a document' cp "$W/json" "$w/1.json"
is 'is read' "$(jq -cS . "$W/json")" "$(jq -cS 'del(.id)' "$w/1.json")"
ok 'as a line' sh -c "jq -c '.id = 2' '$W/json' >>'$M/k/w.ndjson'"
cp "$w/1.json" "$W/copy.json"
rm "$w/1.json"
ok 'as a copy by rsync' rsync --inplace "$W/copy.json" "$w/1.json"
is 'is the same' "$(md5sum <"$W/copy.json")" "$(md5sum <"$w/1.json")"
refused 'no text is longer than four values' 'File too large' put "$w/3.json" "{\"a\": \"$t\", \"b\": \"$t\", \"c\": \"$t\", \"d\": \"$t\"}"
is 'with a way out' 'a text may have 400000 bytes (values can be written one by one)' "$(why)"
for c in a b c d e; do put "$w/4/$c" "$t" 2>/dev/null || { mkdir -p "$w/4"; put "$w/4/$c" "$t"; }; done
is 'its values can be written one by one' "500000" "$(cat "$w/4"/? | tr -d '\n' | wc -c)"
printf '["%s"]' "$(printf '\\u0001%.0s' {1..30000})" >"$W/frozen"
ok 'a frozen value whose JSON is longer' cp "$W/frozen" "$w/4/f"
cp "$w/4/f" "$W/back"
ok 'goes out and in' cp "$W/back" "$w/4/f"
refused 'one that is longer itself' 'File too large' cp <(printf '["%s", "%s"]' "$t" "$t") "$w/4/f"
mkdir "$w/4/l"
for i in 1 2 3 4 5; do "$CTL" cql "$M" -f <(printf "UPDATE k.w SET l = l + ['%s'] WHERE id = 4" "$t"); done
is 'a collection grows' 5 "$(ls "$w/4/l" | wc -l)"
ok 'and is copied out' cp -r "$w/4/l" "$W/l"
rm -r "$w/4/l"
ok 'and in' cp -r "$W/l" "$w/4/l"
is 'to the byte' '' "$(diff -r "$W/l" "$w/4/l")"
again -o max_value=1000
is 'a longer value from before is read' "$(md5sum <"$W/text")" "$(head -c 100000 "$w/4/a" | md5sum)"
refused 'and not written' 'File too large' cp "$W/text" "$w/4/a"
ok 'a row is renamed' mv "$w/4" "$w/9"
ok 'a cell is' mv "$w/9/a" "$w/9/b"
ok 'gets a TTL' setfattr -n user.ttl -v 1000 "$w/9/b"
ok 'and is removed' rm -r "$w/9"
again -o max_value=100000
ok 'a hole is zeros' dd if=/dev/zero of="$r/b" bs=1 count=1 seek=99 status=none
is 'as anywhere' "$(head -c 100 /dev/zero | md5sum)" "$(md5sum <"$r/b")"

# .widefs/errors: the last 10,000 lines.
put "$r/i" marked 2>/dev/null
is 'the errors are as many as there may be' '10000 1, 10000 0' "$(python3 - "$r/i" "$M/.widefs/errors" <<'P'
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
def refusals(count):
    for _ in range(count):
        try: os.write(fd, b'x')
        except OSError: pass
    with open(sys.argv[2]) as f: lines = f.readlines()
    return '%d %d' % (len(lines), sum("'m'" in line or 'marked' in line for line in lines))
print(refusals(9999) + ',', refusals(1))
P
)"

# Names
long=$(printf 'x%.0s' $(seq 256))
for path in "$M/$long" "$M/k/$long" "$M/k/t/$long" "$M/k/t/1/$long" "$r/$long" "$M/k/s/p/$long"; do
	refused 'a name of 256 bytes' 'File name too long' stat "$path"
	refused 'is not made' 'File name too long' mkdir "$path"
done
refused 'a keyspace of 49' 'Invalid argument' mkdir "$M/${long:0:49}"
ok 'of 48' mkdir "$M/${long:0:48}"
refused 'a table of 49' 'Invalid argument' mkdir "$M/k/${long:0:49}"
stop
done_testing
