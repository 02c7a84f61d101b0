# The next call sees every change that does not come through the cached name
# (fs/README.md, "Caching").
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (id int, c int, a int, b text, tags set<text>, PRIMARY KEY (id, c));
INSERT INTO k.t (id, c, a, b) VALUES (1, 1, 1, 'one');
C
t=$M/k/t r=$M/k/t/1/1
for round in 1 2 3 4 5 6 7 8 9 10; do
	cat "$r/a" "$r/b" >/dev/null; ls -l "$t/1" "$r" >/dev/null; stat "$r/a" >/dev/null
	cql "UPDATE k.t SET a = $((round * 10000)), b = 'text of round $round' WHERE id = 1 AND c = 1" >/dev/null
	is "$round: contents" "$((round * 10000))" "$(cat "$r/a")"
	is "$round: size" "$((${#round} + 15))" "$(stat -c %s "$r/b")"
	is "$round: text" "text of round $round" "$(cat "$r/b")"
	cql "INSERT INTO k.t (id, c, a) VALUES (1, $((round + 1)), 1)" >/dev/null
	is "$round: a new row is listed" $((round + 1)) "$(ls "$t/1" | wc -l)"
	ok "$round: and found" test -e "$t/1/$((round + 1))/a"
	cql "DELETE b FROM k.t WHERE id = 1 AND c = 1" >/dev/null
	refused "$round: a deleted cell" 'No such file' cat "$r/b"
	is "$round: is not listed" 0 "$(ls "$r" | grep -cx b)"
	test -e "$r/b" && fail "$round: it exists"
	cql "UPDATE k.t SET b = 'back' WHERE id = 1 AND c = 1" >/dev/null
	is "$round: a negative name appears" back "$(cat "$r/b")"
	echo '{"a": 7}' >>"$t/1/1.json"
	is "$round: by a document" 7 "$(cat "$r/a")"
	cql "UPDATE k.t SET tags = tags + {'r$round'} WHERE id = 1 AND c = 1" >/dev/null
	is "$round: a set grows" "$round" "$(ls "$r/tags" | wc -l)"
	put "$r/a" "$round"
	is "$round: the document follows" "$round" "$(jq .a "$t/1/1.json")"
	is "$round: CQL follows" "[[$round]]" "$(cql 'SELECT a FROM k.t WHERE id = 1 AND c = 1' | jq -c .rows)"
	cql "DELETE FROM k.t WHERE id = 1 AND c > 1 AND c < 100" >/dev/null
	is "$round: a range is deleted" 1 "$(names "$t/1")"
	for c in 2 3 4 5 6 7 8 9 10 11; do cql "INSERT INTO k.t (id, c, a) VALUES (1, $c, 1)" >/dev/null; [ "$c" -le "$round" ] || break; done
	is "$round: and comes back" $((round + 1)) "$(ls "$t/1" | wc -l)"
	cql "TRUNCATE k.t" >/dev/null
	is "$round: truncated" '' "$(names "$t")"
	refused "$round: nothing is left" 'No such file' cat "$r/a"
	cql "INSERT INTO k.t (id, c, a, b) VALUES (1, 1, 1, 'one')" >/dev/null
	for c in $(seq 2 $((round + 1))); do cql "INSERT INTO k.t (id, c, a) VALUES (1, $c, 1)" >/dev/null; done
	for n in $(seq "$round"); do cql "UPDATE k.t SET tags = tags + {'r$n'} WHERE id = 1 AND c = 1" >/dev/null; done
done
# A close makes a file appear after others looked: time and listing follow.
ok 'a schemaless table' mkdir -p "$M/k/plain/p"
appears() {
	python3 - "$1" "$2" <<'P'
import os, sys
d, text = sys.argv[1], sys.argv[2].encode()
def look():
    return 'b' in os.listdir(d), os.stat(d).st_mtime > 10 ** 9
if os.path.exists(d + '/b'):
    os.unlink(d + '/b')
os.utime(d, (0, 10 ** 9))
f = os.open(d + '/b', os.O_WRONLY | os.O_CREAT | os.O_EXCL)
look(), look()
os.write(f, text)
os.close(f)
print(*look())
P
}
for text in x ''; do
	is 'a new file is listed, its directory is newer' 'True True' "$(appears "$M/k/plain/p" "$text")"
	is 'in a row too' 'True True' "$(appears "$r" "$text")"
done
is 'and in a set' 'True True' "$(appears "$r/tags" '')"
# Descriptors that stay open, beside writers and when their name is another's: readers
# go on with the value that they opened, later opens see the last.
held() {
	python3 - "$M" <<'P'
import os, sys
m = sys.argv[1]
def cql(text):
    fd = os.open(m + '/.cql', os.O_RDWR)
    os.write(fd, text.encode())
    os.close(fd)
def put(name, text):
    with open(name, 'w') as f:
        f.write(text)
d = m + '/k/plain/p/'
cql("CREATE TABLE k.h (p int PRIMARY KEY, a text); INSERT INTO k.h (p, a) VALUES (1, 'one');")
f = m + '/k/h/1/a'
r = os.open(f, os.O_RDONLY)
seen = [os.pread(r, 3, 0)]
for v in 'two', 'six', 'ten':
    cql(f"INSERT INTO k.h (p, a) VALUES (1, '{v}');")
    seen += [os.pread(r, 3, 0), open(f, 'rb').read(3)]
print('each change:', b' '.join(seen).decode())
w = os.open(f, os.O_WRONLY | os.O_TRUNC)
os.write(w, b'x')
for _ in 1, 2:
    print('beside a writer:', os.pread(r, 3, 0), open(f).read().strip(), os.fstat(w).st_size)
    os.stat(f)
os.close(w)
print('behind it:', os.pread(r, 9, 0), open(f, 'rb').read())
put(d + 'a', 'old')
r, w = os.open(d + 'a', os.O_RDONLY), os.open(d + 'a', os.O_RDWR)
put(d + 'b', 'newer and longer')
os.rename(d + 'b', d + 'a')
print('replaced:', os.pread(r, 99, 0), os.fstat(r).st_size, os.fstat(r).st_nlink, os.stat(d + 'a').st_size)
os.ftruncate(w, 0)
os.write(w, b'lost')
os.close(w)
print('it stays:', open(d + 'a').read(), os.stat(d + 'a').st_size)
os.mkdir(m + '/k/plain/q')
w = os.open(m + '/k/plain/q/x', os.O_CREAT | os.O_WRONLY)
try:
    os.rmdir(m + '/k/plain/q')
    print('an open file does not hold its directory')
except OSError as e:
    print('with an open file:', e.strerror)
os.close(w)
P
}
is 'descriptors' "each change: one one two one six one ten
beside a writer: b'one' ten 1
beside a writer: b'one' ten 1
behind it: b'one\\n' b'x\\n'
replaced: b'old' 3 1 16
it stays: newer and longer 16
with an open file: Directory not empty" "$(held)"
cql 'DROP TABLE k.h' >/dev/null
# Overwriting a file leaves the directories above it their times.
cql "INSERT INTO k.t (id, c, a, tags) VALUES (50, 1, 1, {'e'})" >/dev/null
row=$t/50/1
times() { stat -c '%n %y' "$t" "$t/50" "$row" "$row/tags"; }
before=$(times)
for how in overwrite ttl touch; do
	case $how in
	overwrite) put "$row/a" 9 ;;
	ttl) setfattr -n user.ttl -v 9000 "$row/a" ;;
	touch) touch -d 2001-01-01 "$row/a" ;;
	esac
	is "$how: the same times" "$before" "$(times)"
done
put "$row/b" new
is 'a new cell: its row alone' "$(grep -v "$row " <<<"$before")" "$(times | grep -v "$row ")"
ok 'rm -r of that table' rm -r "$M/k/plain"
# Tables come and go.
ls "$M/k" >/dev/null; test -e "$M/k/u" && fail 'u is there'
cql 'CREATE TABLE k.u (x int PRIMARY KEY, y int)' >/dev/null
ok 'a new table' test -d "$M/k/u"
is 'is listed' 'schema.cql t u' "$(names "$M/k")"
cql 'INSERT INTO k.u (x, y) VALUES (1, 2)' >/dev/null
is 'with its row' 2 "$(cat "$M/k/u/1/y")"
cql 'DROP TABLE k.u' >/dev/null
refused 'a dropped one' 'No such file' ls "$M/k/u/1"
cql 'CREATE TABLE k.u (x int PRIMARY KEY, y text)' >/dev/null
is 'made again it is empty' '' "$(names "$M/k/u")"
# A time that is set by a descriptor of a value that another has replaced is the
# present one's.
put "$r/b" replaced
is 'a time set by a descriptor from before' '1000 1000' "$(python3 - "$r/b" "$M/.cql" <<'P'
import os, sys
path, cql = sys.argv[1:]
fd = os.open(path, os.O_RDONLY)
os.read(fd, 9)
with open(cql, 'w') as f: f.write("UPDATE k.t SET b = 'new' WHERE id = 1 AND c = 1;")
os.stat(path)
os.utime(fd, (0, 1000))
print(int(os.stat(path).st_mtime), int(os.stat(path).st_mtime))
P
)"
# Open files and watches keep their paths beside DDL in another keyspace.
run_cql <<'C'
CREATE KEYSPACE calm WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE KEYSPACE busy WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE calm.t (k int PRIMARY KEY, v text, w text);
INSERT INTO calm.t (k, v, w) VALUES (1, 'v', 'w');
C
ok 'DDL in another keyspace takes no path away' python3 - "$M" <<'P'
import ctypes, os, sys, time
m = sys.argv[1]
# The kernel tells of a close later; a write beside a reader makes a file that has no watch.
def open_files():
    with open(f'{m}/.widefs/stats') as f: return int(next(x for x in f if x.startswith('open files')).split()[2])
libc = ctypes.CDLL(None, use_errno=True)
watch = libc.inotify_init1(os.O_NONBLOCK)
assert libc.inotify_add_watch(watch, f'{m}/calm/t/1/w'.encode(), 2) > 0    # IN_MODIFY
fd = os.open(f'{m}/calm/t/1/v', os.O_RDONLY)
for i in range(20):
    while open_files() > 2: time.sleep(0.01)     # this one, and that of stats
    with open(f'{m}/busy/.cql', 'w') as f: f.write(f'CREATE TABLE t{i} (k int PRIMARY KEY); ALTER TABLE t{i} ADD v int; DROP TABLE t{i};')
    assert os.readlink(f'/proc/self/fd/{fd}') == f'{m}/calm/t/1/v', os.readlink(f'/proc/self/fd/{fd}')
    with open(f'{m}/calm/t/1/w', 'w') as f: f.write(str(i))
    assert os.read(watch, 65536)
    with open(f'{m}/calm/t/1/w') as f: assert f.read() == f'{i}\n'
P
# A time to live.
cql "INSERT INTO k.t (id, c, a) VALUES (9, 9, 9) USING TTL 2" >/dev/null
is 'an expiring row is there' 9 "$(cat "$t/9/9/a")"
ok 'and listed' test "$(ls "$t" | grep -c '^9$')" = 1
sleep 3
refused 'and gone in time' 'No such file' cat "$t/9/9/a"
is 'from the listing too' 0 "$(ls "$t" | grep -c '^9$')"
stop
done_testing
