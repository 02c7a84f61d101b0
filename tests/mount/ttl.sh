# Times to live as attributes: fs/README.md, "Times, attributes, rights".
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (id int PRIMARY KEY, a int, b text, tags set<text>);
CREATE TABLE k.d (id int PRIMARY KEY, a int) WITH default_time_to_live = 5000;
INSERT INTO k.t (id, a, b) VALUES (1, 1, 'one');
INSERT INTO k.t (id, a, b) VALUES (2, 2, 'two') USING TTL 5000;
INSERT INTO k.t (id, a, tags) VALUES (3, 3, {'x', 'y'});
C
t=$M/k/t
get() { getfattr --absolute-names --only-values -n "user.$1" "$2" 2>/dev/null; }
list() { getfattr --absolute-names -m - "$1" | grep -v '^#' | tr '\n' ' ' | sed 's/ *$//'; }
ttl() { cql "SELECT ttl($1) FROM k.t WHERE id = $2" | jq -c '.rows[0][0]'; }
is 'nothing runs: nothing is listed' '' "$(list "$t/1/a")"
refused 'ENODATA' 'No such attribute' getfattr --absolute-names -n user.expires "$t/1/a"
refused 'an unknown attribute' 'Operation not supported' getfattr --absolute-names -n user.other "$t/1/a"
refused 'is not set' 'Operation not supported' setfattr -n user.other -v 1 "$t/1/a"
is 'a running TTL is listed' user.expires "$(list "$t/2/a")"
is 'on the row too' user.expires "$(list "$t/2")"
is 'and on its document' user.expires "$(list "$t/2.json")"
ok 'an ISO time' grep -qE '^20[0-9-]{8}T[0-9:]{8}(\.000)?Z$' <(get expires "$t/2/a"; echo)
left=$(get ttl "$t/2/a")
ok 'the seconds left' test "$left" -gt 4900 -a "$left" -le 5000
ok 'as CQL has them' test "$(ttl a 2)" -gt 4900
is 'user.type' int "$(get type "$t/2/a")"
is 'user.type of a set' 'set<text>' "$(get type "$t/3/tags")"
is 'user.writetime' "$(cql 'SELECT writetime(a) FROM k.t WHERE id = 2' | jq -c '.rows[0][0]')" "$(get writetime "$t/2/a")"
is 'user.token' "$(cql 'SELECT token(id) FROM k.t WHERE id = 2' | grep -o '"rows":.*' | tr -dc '0-9-')" "$(get token "$t/2")"

# Set on a cell: a new write of the same value.
touch -d '2001-02-03 04:05:06 UTC' "$t/1/a"
before=$(get writetime "$t/1/a")
ok 'user.ttl is set' setfattr -n user.ttl -v 3000 "$t/1/a"
is 'the value stays' 1 "$(cat "$t/1/a")"
is 'the mtime stays' 981173106 "$(stat -c %Y "$t/1/a")"
ok 'the cell was written anew' test "$(get writetime "$t/1/a")" -gt "$before"
ok 'CQL sees it' test "$(ttl a 1)" -gt 2900
is 'only this cell' null "$(ttl b 1)"
is 'the row has none' '' "$(list "$t/1")"
ok 'an absolute time' setfattr -n user.expires -v "$(date -u -d '+2 hours' +%Y-%m-%dT%H:%M:%SZ)" "$t/1/b"
left=$(get ttl "$t/1/b")
ok 'gives the rest' test "$left" -gt 7000 -a "$left" -le 7200
ok 'taken away' setfattr -x user.expires "$t/1/b"
is 'the cell stays for good' null "$(ttl b 1)"
refused 'no number' 'Invalid argument' setfattr -n user.ttl -v soon "$t/1/b"
refused 'no time' 'Invalid argument' setfattr -n user.expires -v tomorrow "$t/1/b"
for name in expires ttl; do
	refused "$name beyond all numbers" 'Invalid argument' setfattr -n user.$name -v 9223372036854775807 "$t/1/b"
done
is 'and why' 'a ttl is 1 to 630720000 seconds' "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f7-)"
ok 'the cell is still there' test -e "$t/1/b"
ok 'a write without one is for good' put "$t/1/a" 5
is 'so it is' null "$(ttl a 1)"

# user.writetime: the last write wins.
now=$(get writetime "$t/1/a")
ok 'writetime is set' setfattr -n user.writetime -v "$((now + 5000000))" "$t/1/a"
is 'so it is' "$((now + 5000000))" "$(get writetime "$t/1/a")"
cql "UPDATE k.t USING TIMESTAMP $((now + 10)) SET a = 99 WHERE id = 1" >/dev/null
is 'an earlier write loses' 5 "$(cat "$t/1/a")"
ok 'a write by path is later' put "$t/1/a" 6
is 'and wins' 6 "$(cat "$t/1/a")"

# Rows: the marker; R.json: the marker and all cells.
ok 'on a row' setfattr -n user.ttl -v 4000 "$t/1"
ok 'the attribute of the row is listed' test "$(list "$t/1")" = user.expires
is 'not on its cells' null "$(ttl b 1)"
ok 'on its document' setfattr -n user.ttl -v 4000 "$t/1.json"
ok 'all cells' test "$(ttl a 1)" -gt 3900 -a "$(ttl b 1)" -gt 3900
ok 'away again' setfattr -x user.expires "$t/1.json"
is 'from all' '[null,null]' "$(cql 'SELECT ttl(a), ttl(b) FROM k.t WHERE id = 1' | jq -c '.rows[0]')"
is 'the row too' '' "$(list "$t/1")"
# The table's default.
mkdir "$M/k/d/1"; put "$M/k/d/1/a" 1
ok 'a default holds' test "$(get ttl "$M/k/d/1/a")" -gt 4900
is 'on the row' user.expires "$(list "$M/k/d/1")"

# rsync carries them.
rsync -aX "$t/" "$W/copy/"
is 'in the copy' user.expires "$(list "$W/copy/2/a")"
cql 'DELETE FROM k.t WHERE id = 2' >/dev/null
ok 'restored' rsync -aX "$W/copy/" "$t/"
ok 'with its end' test "$(ttl a 2)" -gt 4800
is 'the row too' user.expires "$(list "$t/2")"
is 'and again nothing' '' "$(rsync -aXn --delete --itemize-changes "$W/copy/" "$t/")"

# Other copiers, in a table of its own: the first has times to come.
run_cql <<C
CREATE TABLE k.c (id int PRIMARY KEY, a int, b text, tags set<text>);
INSERT INTO k.c (id, a, b) VALUES (1, 1, 'one');
INSERT INTO k.c (id, a, b, tags) VALUES (2, 2, 'two', {'x', '$(printf 'l%.0s' {1..300})'}) USING TTL 5000;
INSERT INTO k.c (id, a, tags) VALUES (3, 3, {'x', 'y'});
C
c=$M/k/c
rows() { cql 'SELECT id, a, b, tags FROM k.c' | jq -c .rows; }
# How many of the values end: a, b and the two elements of row 2, a of row 1.
ends() { cql 'SELECT ttl(a), ttl(b), ttl(tags) FROM k.c WHERE id IN (1, 2)' | jq -c '[.rows | flatten[] | numbers | select(. > 4700)] | length'; }
before=$(rows)
# cp sets them on what it has written and not closed.
cp -a "$c" "$W/c"
rm -r "${c:?}"/*
ok 'cp -a' cp -a "$W/c/." "$c/"
is 'brings all back' "$before" "$(rows)"
is 'with its ends' 4 "$(ends)"
is 'the row too' user.expires "$(list "$c/2")"
ok 'over what is there' cp -a "$W/c/2/a" "$c/1/a"
is 'as well' 5 "$(ends)"
ok 'cp alone' cp "$W/c/1/a" "$c/1/a"
is 'brings none' 4 "$(ends)"
# tar makes a file, sets them, and opens it then.
tar --xattrs -C "$c" -cf "$W/t.tar" .
ok 'tar over what is there' tar --xattrs --xattrs-include='user.*' -C "$c" -xf "$W/t.tar"
is 'leaves it' "$before" "$(rows)"
is 'with its ends' 4 "$(ends)"
rm -r "${c:?}"/*
ok 'tar' tar --xattrs --xattrs-include='user.*' -C "$c" -xf "$W/t.tar"
is 'brings all back' "$before" "$(rows)"
is 'with its ends' 4 "$(ends)"
is 'the row too' user.expires "$(list "$c/2")"
is 'the others have none' '' "$(list "$c/3")$(list "$c/3/a")$(list "$c/3/tags/x")"
mkdir "$c/8"
ok 'a file that mknod makes' python3 -c 'import os, sys
at = sys.argv[1] + "/"
os.mknod(at + "a"), os.mknod(at + "b")
assert os.stat(at + "a").st_size == 0
try:
    os.mknod(at + "a")
    assert False
except FileExistsError:
    pass
os.unlink(at + "a")
os.mknod(at + "a")
with open(at + "a", "w") as f:
    f.write("8\n")
for i in range(20, 60):
    os.mkdir(at + "../%d" % i)
    os.mknod(at + "../%d/a" % i)
    os.mknod(at + "../%d/b" % i)' "$c/8"
is 'and that is written' 8 "$(cat "$c/8/a")"
is 'is the empty value where there is one' b "$(ls "$c"/[2-5][0-9] | sed '/:$/d; /^$/d' | sort -u)"
is 'for all of them' 41 "$(cql "SELECT count(*) FROM k.c WHERE b = '' ALLOW FILTERING" | jq '.rows[0][0]')"
ok 'the rows can be removed' rm -r "$c"/[2-5][0-9] "$c/8"
is 'and leave the rest' "$before" "$(rows)"
refused 'no other nodes' 'Operation not permitted' mknod "$c/3/b" p
ok 'while it is pending' python3 -c 'import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_TRUNC)
os.write(fd, b"8\n")
os.setxattr(fd, "user.ttl", b"5000")
assert 4900 < int(os.getxattr(sys.argv[1], "user.ttl")) <= 5000
os.removexattr(fd, "user.expires")
try:
    os.getxattr(fd, "user.expires")
    assert False
except OSError:
    os.setxattr(fd, "user.ttl", b"4900")
os.close(fd)' "$c/1/a"
is 'the value' 8 "$(cat "$c/1/a")"
is 'has it' 5 "$(ends)"

# Expired data leave all caches in time.
cql "INSERT INTO k.t (id, a, b) VALUES (7, 7, 'seven') USING TTL 3" >/dev/null
cql "UPDATE k.t USING TTL 3 SET b = 'short' WHERE id = 1" >/dev/null
cql "UPDATE k.t USING TTL 3 SET tags = tags + {'z'} WHERE id = 3" >/dev/null
ls -l "$t" "$t/7" "$t/1" "$t/3/tags" >/dev/null
cat "$t/7/a" "$t/1/b" "$t/7.json" >/dev/null; stat "$t/7/b" "$t/3/tags/z" >/dev/null
sleep 4
refused 'a cell' 'No such file' cat "$t/1/b"
is 'its listing' a "$(names "$t/1")"
refused 'a row' 'No such file' stat "$t/7"
refused 'its document' 'No such file' cat "$t/7.json"
is 'the table' '1 2 3' "$(ls "$t" | tr '\n' ' ' | sed 's/ $//')"
is 'an element' 'x y' "$(names "$t/3/tags")"
refused 'its name' 'No such file' stat "$t/3/tags/z"
again
is 'after a restart' '1 2 3' "$(ls "$t" | tr '\n' ' ' | sed 's/ $//')"
ok 'a running TTL goes on' test "$(get ttl "$t/2/a")" -gt 4800
stop
done_testing
