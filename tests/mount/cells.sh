# Cells as files, filesystem.md section 3: text forms, commit, refusals.
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
d|1e300|1.0E300
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
L
is 'the old value stays' -2147483648 "$(cat "$r/i")"
is 'and the reason can be read' 1 "$(tail -20 "$M/.widefs/errors" | grep -c "/k/t/1/i EINVAL Unable to make int from 'abc'")"
for column in i d bo u ts; do
	refused "$column: a lone newline" 'Invalid argument' put "$r/$column" ''
done
refused 'half a uuid, at close' 'Invalid argument' cp <(printf 1a6300ca) "$r/u"

# What an index does not take.
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

# What others see, and when.
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
stop
done_testing
