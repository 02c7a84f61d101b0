# Cells as files (fs/README.md, "Cells"): text forms, commit, refusals.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (id int PRIMARY KEY, a ascii, bi bigint, bl blob, bo boolean, da date, de decimal, d double, du duration, f float, ip inet, i int, si smallint, t text, ti time, ts timestamp, tu timeuuid, ty tinyint, u uuid, v varint);
C
r=$M/k/t/1
mkdir "$r"
# FILE WRITTEN SHOWN
while IFS='|' read -r column written shown; do
	ok "write $column $written" put "$r/$column" "$written"
	is "read $column" "$shown" "$(cat "$r/$column")"
	is "size of $column" $((${#shown} + 1)) "$(stat -c %s "$r/$column")"
done <<'L'
a|plain|plain
bi|-9223372036854775808|-9223372036854775808
bo|TRUE|true
da|2016-02-29|2016-02-29
de|1.500|1.500
de|1E3|1E+3
d|0.1|0.1
d|NaN|NaN
d|-infinity|-Infinity
d|-0.|-0.0
d|1.e-3|0.001
d|1e300|1.0E300
f|1e39|Infinity
de|1E+400|1E+400
f|-3.4e38|-3.4E38
du|1y2mo3w4d5h6m7s|1y2mo25d5h6m7s
ip|2001:DB8:0:0:0:0:0:1|2001:db8::1
ip|127.0.0.1|127.0.0.1
i|-2147483648|-2147483648
si|32767|32767
t|two words|two words
ti|08:12:54.123456789|08:12:54.123456789
ts|2011-02-03 04:05+0000|2011-02-03T04:05:00.000Z
ts|1299038700000|2011-03-02T04:05:00.000Z
tu|12345678-1234-1234-1234-123456789012|12345678-1234-1234-1234-123456789012
ty|-128|-128
u|1A6300CA-0572-4736-A393-C0B7229E193E|1a6300ca-0572-4736-a393-c0b7229e193e
v|123456789012345678901234567890|123456789012345678901234567890
L
printf ' two words ' >"$r/t"
is 'blanks of text are kept' ' two words ' "$(cat "$r/t")"
head -c 70000 /dev/urandom >"$W/blob"
ok 'a blob is raw' cp "$W/blob" "$r/bl"
ok 'and comes back' cmp "$W/blob" "$r/bl"

while IFS='|' read -r column bad; do
	refused "$column: $bad" 'Invalid argument' put "$r/$column" "$bad"
done <<'L'
bi|9223372036854775808
bo|maybe
da|2016-02-30
i|12.5
i|abc
ty|128
u|not-a-uuid
ip|example.org
d|1,5
d|+1
d|.5
d|-.5
d|1f
d|1D
d|0x1p3
d|1e400
d|-1.5e309
f|.5
f|1d
f|1e400
de|.5
de|+1
v|+1
L
is 'the old value stays' -2147483648 "$(cat "$r/i")"
is 'and the reason can be read' 1 "$(tail -20 "$M/.widefs/errors" | grep -c "/k/t/1/i EINVAL Unable to make int from 'abc'")"
for column in i d bo u ts; do
	refused "$column: a lone newline" 'Invalid argument' put "$r/$column" ''
done
refused 'no digit before the point, at the write' 'write error: Invalid argument' bash -c "echo .5 >'$r/d'"
is 'and why' 'EINVAL a number has a digit before its point' "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f6-)"
refused 'half a uuid, at close' 'Invalid argument' cp <(printf 1a6300ca) "$r/u"

# Inside of values with parts: as CQL writes numbers, or JSON.
cql 'CREATE TYPE k.pair (a int, b double)' >/dev/null
cql 'CREATE TABLE k.parts (id int PRIMARY KEY, l frozen<list<int>>, m frozen<map<int, double>>, p frozen<pair>, t tuple<int, float>, v vector<float, 3>)' >/dev/null
mkdir "$M/k/parts/1"
# FILE WRITTEN SHOWN REFUSED
while IFS='|' read -r column written shown bad; do
	ok "write $column $written" put "$M/k/parts/1/$column" "$written"
	refused "$column: $bad" 'write error: Invalid argument' bash -c 'echo "$1" >"$2"' . "$bad" "$M/k/parts/1/$column"
	is "$column after it" "$shown" "$(cat "$M/k/parts/1/$column")"
done <<'L'
l|[01, -2]|[1, -2]|[1, +1]
m|{-1: 1., 2: 1e3}|{"-1": 1.0, "2": 1000.0}|{+1: 1}
m|{1: -nan}|{"1": "NaN"}|{1: .5}
p|{a: 1, b: 2}|{"a": 1, "b": 2.0}|{a: 1, b: 1d}
t|(1, 1e39)|[1, "Infinity"]|(1, 1e400)
v|[1,1.5,1]|[1.0, 1.5, 1.0]|[.5,1,1]
v|["+1", ".5", "1f"]|[1.0, 0.5, 1.0]|[1f,1,1]
L
is 'and why' "EINVAL a number is written in decimal digits" "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f6-)"

# Values that an index does not take.
run_cql <<'C'
CREATE TABLE k.x (id int PRIMARY KEY, t text, s set<text>, v vector<float, 2>);
CREATE INDEX ON k.x (t);
CREATE INDEX ON k.x (s);
CREATE CUSTOM INDEX ON k.x (v) USING 'sai';
C
x=$M/k/x/1
mkdir "$x"
ok '65534 indexed bytes' cp <(printf %065534d 0) "$x/t"
refused 'one byte more' 'Invalid argument' cp <(printf %065535d 0) "$x/t"
is 'the old value stays' 65535 "$(stat -c %s "$x/t")"
ok 'and the reason can be read' grep -q "/k/x/1/t EINVAL Cannot index value of size 65535 for index x_t_idx on k.x(t)" "$M/.widefs/errors"
refused 'a vector without direction' 'Invalid argument' cp <(printf '[0, 0]') "$x/v"
ok 'and one with it' cp <(printf '[0, 1]') "$x/v"
refused 'in a document too' 'Invalid argument' cp <(printf '{"id": 1, "v": [0, -0.0]}') "$x.json"
is 'the old vector stays' '[0.0, 1.0]' "$(cat "$x/v")"
# An index refuses, with its reason, a later write of a value that it passed over
# when it was made.
cql 'CREATE TABLE k.was (id int PRIMARY KEY, v vector<float, 2>)' >/dev/null
cql 'INSERT INTO k.was (id, v) VALUES (1, [0, 0])' >/dev/null
cql "CREATE CUSTOM INDEX ON k.was (v) USING 'sai'" >/dev/null
zero='EINVAL Zero vectors cannot be indexed or queried with cosine similarity'
refused 'a lifetime for it' 'Invalid argument' setfattr -n user.ttl -v 9000 "$M/k/was/1/v"
is 'and why' "/k/was/1/v $zero" "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f5-)"
refused 'another key for it' 'to a subdirectory of itself' mv -T "$M/k/was/1" "$M/k/was/2"
is 'and why, too' "/k/was/1 $zero" "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f5-)"

# The empty value of a number goes where a cell of the row goes.
run_cql <<'C'
CREATE TABLE k.empty (id int PRIMARY KEY, i int, j int);
INSERT INTO k.empty (id, i) VALUES (1, blob_as_int(0x));
C
ok 'a cell with the empty value' mv "$M/k/empty/1/i" "$M/k/empty/1/j"
is 'is that of another column' '[["",1]]' "$(cql 'SELECT j, id FROM k.empty WHERE id = 1' | jq -c .rows)"

# The changes that others see, and when.
put "$r/t" old
exec 5>"$r/t"
is 'a truncation is pending' old "$(cat "$r/t")"
exec 5>&-
is 'and commits at the close' 0 "$(stat -c %s "$r/t")"
put "$r/t" old
python3 - "$r/t" <<'P' || fail 'a pending write'
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_TRUNC)
os.write(fd, b'new')
assert open(sys.argv[1]).read() == 'old\n'
os.close(fd)
assert open(sys.argv[1]).read() == 'new\n'
P
: >"$r/t"
is ': > empties a text' 0 "$(stat -c %s "$r/t")"
(: >"$r/i") 2>/dev/null
is ': > keeps an int' -2147483648 "$(cat "$r/i")"
refused 'truncate(2) of an int' 'Invalid argument' python3 -c 'import os,sys; os.truncate(sys.argv[1], 0)' "$r/i"
put "$r/t" one
add "$r/t" two
is 'append' "$(printf 'one\ntwo')" "$(cat "$r/t")"
python3 - "$r/t" <<'P'
import os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
os.pwrite(fd, b'ONE', 0)
assert os.pread(fd, 100, 0) == b'ONE\ntwo\n', os.pread(fd, 100, 0)
os.ftruncate(fd, 3)
assert os.pread(fd, 100, 0) == b'ONE'
os.close(fd)
P
is 'pwrite and ftruncate' ONE "$(cat "$r/t")"
ok 'dd in pieces' dd if="$W/blob" of="$r/bl" bs=777 status=none
ok 'gives the same' cmp "$W/blob" "$r/bl"
rm "$r/a"
ok 'touch makes it' touch "$r/a"
is 'empty' 0 "$(stat -c %s "$r/a")"
ok 'rm' rm "$r/t"
refused 'is gone' 'No such file' cat "$r/t"

# Attributes.
put "$r/t" x
is 'user.type' text "$(getfattr --only-values -n user.type "$r/t" 2>/dev/null)"
ok 'a time to live' setfattr -n user.ttl -v 1000 "$r/t"
is 'is listed as its end' user.expires "$(getfattr --absolute-names "$r/t" | grep -o 'user.*')"
ok 'can be removed' setfattr -x user.expires "$r/t"
refused 'then there is none' 'No such attribute' getfattr --absolute-names -n user.expires "$r/t"
touch -d '2001-02-03 04:05:06 UTC' "$r/t"
is 'a set mtime' 981173106 "$(stat -c %Y "$r/t")"
again
is 'survives a restart' 981173106 "$(stat -c %Y "$r/t")"
put "$r/t" y
ok 'until the next write' test "$(stat -c %Y "$r/t")" -gt 1700000000
# Times that nanoseconds cannot count are the first and the last that they can.
touch -d 2500-01-01Z "$r/t"
is 'later than all' 9223372036 "$(stat -c %Y "$r/t")"
touch -d 1600-01-01Z "$r"
is 'earlier than all' -9223372037 "$(stat -c %Y "$r")"
touch -d @-0.000000001 "$r"
rm "$r/t"
ok 'a child goes: the time before 1970 is outdated' test "$(stat -c %Y "$r")" -gt 1700000000
touch -d @-0.000000001 "$r"
put "$r/t" y
ok 'a child comes: likewise' test "$(stat -c %Y "$r")" -gt 1700000000
# A value with a timestamp in the future is replaced and deleted as any other,
# and a value that is written after its deletion is shown.
future=4102444800000000
run_cql <<C
CREATE TABLE k.late (p int, c int, i int, s set<int>, l list<int>, st int STATIC, PRIMARY KEY (p, c));
INSERT INTO k.late (p, c, i, s, l, st) VALUES (1, 1, 5, {1}, [1], 5) USING TIMESTAMP $future;
INSERT INTO k.late (p, c, i) VALUES (2, 1, 5) USING TIMESTAMP $future;
INSERT INTO k.late (p, c, i) VALUES (3, 1, 5) USING TIMESTAMP 9000000000000000000;
C
mkdir -p "$M/k/later/p"
cql "INSERT INTO k.later (key, column1, value) VALUES ('p', 'c', 0x00) USING TIMESTAMP $future" >/dev/null
l=$M/k/late
put "$l/1/1/i" 6
is 'replaced' 6 "$(cat "$l/1/1/i")"
ok 'removed' rm "$l/1/1/i"
put "$l/1/1/i" 7
is 'and written again' 7 "$(cat "$l/1/1/i")"
ok 'a static too' rm "$l/1/@static/st"
put "$l/1/@static/st" 8
is 'and again' 8 "$(cat "$l/1/@static/st")"
ok 'an element' rm "$l/1/1/s/1"
: >"$l/1/1/s/1"
is 'is there again' 1 "$(names "$l/1/1/s")"
cql 'DELETE l FROM k.late USING TIMESTAMP 4102444800000009 WHERE p = 1 AND c = 1' >/dev/null
put "$l/1/1.json" '{"l": [4], "i": 9}'
is 'a document' '{"c":1,"i":9,"l":[4],"p":1,"st":8}' "$(jq -cS . "$l/1/1.json")"
put "$l/1/1/l/@append" 5
is 'an appended element' '[4,5]' "$(jq -c .l "$l/1/1.json")"
for p in 2 3; do
	ok "row $p goes" rm "$l/$p/1.json"
	is 'the removed row is not listed' '' "$(ls "$l/$p")"
	ok 'mkdir makes the row again' mkdir -p "$l/$p/1"
	put "$l/$p/1/i" 8
	is 'with its cell' 8 "$(cat "$l/$p/1/i")"
done
ok 'a file' rm "$M/k/later/p/c"
put "$M/k/later/p/c" new
is 'and again' new "$(cat "$M/k/later/p/c")"
# A child that closes a copy of the descriptor wrote nothing, and is not told.
is 'beside the children of a shell' '' "$( { (sleep 0; echo 44) >"$l/1/1/i"; } 2>&1)"
is 'the value is taken' 44 "$(cat "$l/1/1/i")"
# A column or element whose name looks like a temporary file's is still one.
cql 'CREATE TABLE k.looks (id int PRIMARY KEY, a text, tmp_counter text, m map<text, text>)' >/dev/null
mkdir -p "$M/k/looks/1/m"
echo kept >"$M/k/looks/1/a"; echo it >"$M/k/looks/1/m/x"
ok 'mv onto such a column' mv "$M/k/looks/1/a" "$M/k/looks/1/tmp_counter"
ok 'and element' mv "$M/k/looks/1/m/x" "$M/k/looks/1/m/x-wal"
is 'the moved values are stored' '[[null,"kept",{"x-wal":"it"}]]' "$(cql 'SELECT a, tmp_counter, m FROM k.looks' | jq -c .rows)"
ok 'mv to a backup' mv "$M/k/looks/1/tmp_counter" "$M/k/looks/1/tmp_counter~"
is 'is not stored' '[[null,null]]' "$(cql 'SELECT a, tmp_counter FROM k.looks' | jq -c .rows)"
ok 'and back' mv "$M/k/looks/1/tmp_counter~" "$M/k/looks/1/a"
is 'is' '[["kept",null]]' "$(cql 'SELECT a, tmp_counter FROM k.looks' | jq -c .rows)"
# A close that fails leaves the size as it was, while another descriptor is open.
mkdir -p "$M/sizes/t/p" && run_cql <<<"CREATE TABLE sizes.n (p text PRIMARY KEY, n int); INSERT INTO sizes.n (p, n) VALUES ('a', 37);"
is 'the size after a close that failed' '0 3 1 4' "$(python3 - "$M/sizes/n/a/n" <<'P'
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_TRUNC)
other, sizes = os.dup(fd), [os.stat(sys.argv[1]).st_size]
try: os.close(fd)
except OSError: sizes.append(os.stat(sys.argv[1]).st_size)
os.write(other, b'4')
sizes.append(os.stat(sys.argv[1]).st_size)
os.close(other)
print(*sizes, open(sys.argv[1]).read(), end='')
P
)"
# Processes and threads that close copies of a descriptor while another writes.
rm -f "$r/a" && put "$r/t" old
for c in t a; do
	{ printf one; /bin/true; seen=$(cat "$r/$c" 2>&1); printf two; } >"$r/$c"
	if [ $c = t ]; then is 'a child that ends in the middle of a value' old "$seen"; else ok 'and of a new one' test "${seen##*: }" = 'No such file or directory'; fi
	is "the value is whole, $c" onetwo "$(cat "$r/$c")"
done
{ { printf a; mkdir "$W/begun"; while [ -e "$W/begun" ]; do sleep 0.05; done; printf b; } &
while [ ! -e "$W/begun" ]; do sleep 0.05; done; } >"$r/t"
is 'its opener closes before the writer' onetwo "$(cat "$r/t")"
rmdir "$W/begun"
wait
is 'the writer closes' ab "$(cat "$r/t")"
exec 3>"$r/t"
/bin/echo by a child >&3
is 'a child that writes and ends' 'by a child' "$(cat "$r/t")"
exec 3>&-
put "$r/t" old
exec 5>"$r/t"
/bin/true
/bin/true
is 'a file that is truncated, beside children' old "$(cat "$r/t")"
read -r seen <"$r/t"
is 'and read by its opener' old "$seen"
: >&5
is 'and after a redirection to it' old "$(cat "$r/t")"
echo new >&5
exec 5>&-
is 'written at last' new "$(cat "$r/t")"
is 'a descriptor that a child has' 'old new' "$(python3 - "$r/t" <<'P'
import os, subprocess, sys
name = sys.argv[1]
with open(name, 'w') as f:
    f.write('old')
with open(name, 'w') as f:
    child = subprocess.Popen(['sh', '-c', 'read x; echo new'], stdin=subprocess.PIPE, stdout=f)
seen = open(name).read().strip()
child.communicate()
print(seen, open(name).read().strip())
P
)"
is 'threads that open, write and close' '' "$(python3 - "$r/t" <<'P'
import os, sys, threading
name, fd, go = sys.argv[1], [], threading.Event()

def run(f, stays):
    done = threading.Event()
    def body():
        f()
        done.set()
        if stays:
            go.wait()
    threading.Thread(target=body).start()
    done.wait()

for opener, writer, closer in ((1, 1, 1), (1, 0, 1), (0, 1, 0), (0, 0, 0), (0, 0, 1)):
    text = b"threads %d %d %d" % (opener, writer, closer)
    run(lambda: fd.append(os.open(name, os.O_WRONLY | os.O_TRUNC)), opener)
    run(lambda: os.write(fd[0], text), writer)
    child = os.fork()       # has a copy, and ends
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    with open(name, "rb") as f:
        before = f.read()
    run(lambda: os.close(fd.pop()), closer)
    with open(name, "rb") as f:
        if f.read().rstrip() != text:
            print("not committed at close:", text)
    if before.rstrip() == text and writer:
        print("committed by the child:", text)
go.set()
P
)"
# execve(2) closes files while nobody can look at the process. Eight at once, so that
# requests wait for a thread of the daemon.
is 'programs that are replaced with files open' '' "$(timeout -k 1 100 python3 - "$M/k/t" <<'P'
import os, sys
table = sys.argv[1]

def work(n):
    cell, said = "%s/%d/t" % (table, n), 0
    os.mkdir(os.path.dirname(cell))
    for i in range(40):
        ends = []
        fd = os.open(cell, os.O_WRONLY | os.O_TRUNC | os.O_CREAT)
        statements = os.open(table + "/../.cql", os.O_WRONLY)
        os.write(statements, b"INSERT INTO t (id, i) VALUES (%d, %d)" % (n, i))
        for _ in range(2):      # each closes what the other wrote to last
            ends.append(os.fork())
            if not ends[-1]:
                os.write(fd, b"x")
                os.execv("/bin/true", ["true"])
        os.close(fd)
        os.close(statements)
        for pid in ends:
            os.waitpid(pid, 0)
        with open(cell) as f, open(os.path.dirname(cell) + "/i") as g:
            text = f.read().rstrip("\n"), int(g.read())
        if text != ("xx", i):
            print(n, i, text, flush=True)

workers = []
for n in range(20, 28):
    workers.append(os.fork())
    if not workers[-1]:
        work(n)
        os._exit(0)
for pid in workers:
    if os.waitpid(pid, 0)[1]:
        print("a worker failed")
P
)"
stop
done_testing
