# rsync both ways, cp -a, tar, sed -i, vim, ed, patch, install, dd, find, grep.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
USE k;
CREATE TYPE address (street text, city text);
CREATE TABLE t (id int, c text, s text STATIC, a int, b text, bl blob, tags set<text>, m map<text, int>, l list<text>, home address, PRIMARY KEY (id, c));
CREATE TABLE n (k text PRIMARY KEY, hits counter);
CREATE TABLE e (p text, q int, PRIMARY KEY (p, q));
INSERT INTO t (id, c, s, a, b, bl, tags, m, l, home) VALUES (1, 'x', 'st', 5, 'text', 0x00ff, {'p', 'q'}, {'one': 1}, ['f', 'g'], {street: 'S', city: 'C'});
INSERT INTO t (id, c, a) VALUES (1, 'y', 6);
INSERT INTO t (id, c, a, b) VALUES (2, 'x', 7, 'gone soon') USING TTL 100000;
UPDATE n SET hits = hits + 42 WHERE k = 'page';
INSERT INTO e (p, q) VALUES ('only keys', 1);
INSERT INTO e (p, q) VALUES ('..', 2);
C
mkdir "$M/k/notes" "$M/k/notes/alice"
printf 'buy milk' >"$M/k/notes/alice/.todo"
dump() { for t in t e n notes; do cql "SELECT JSON * FROM k.$t"; done; cql 'SELECT ttl(b) FROM k.t' | jq -c '[.rows[][0] != null]'; }
before=$(dump)
ok 'rsync out' rsync -aX "$M/" "$W/backup/"
is 'again nothing' '' "$(rsync -aXn --itemize-changes "$M/" "$W/backup/")"
ok 'cp -a' cp -a "$M/k" "$W/copy"
ok 'tar' tar -C "$M" -cf "$W/k.tar" k
ok 'rm -r' rm -r "$M/k"
ok 'the keyspace again' mkdir "$M/k"
ok 'its schema' cp "$W/backup/k/schema.cql" "$M/k/"
ok 'rsync back' rsync -aX "$W/backup/k/" "$M/k/"
is 'every datum is back' "$before" "$(dump)"
is 'and rsync agrees' '' "$(rsync -aXn --delete --itemize-changes "$W/backup/k/" "$M/k/")"
is 'in the other direction' '' "$(rsync -aXn --delete --itemize-changes "$M/k/" "$W/backup/k/")"
rm -r "$M/k" && mkdir "$M/k" && cp "$W/copy/schema.cql" "$M/k/"
ok 'cp -a back' cp -a "$W/copy/." "$M/k/"
is 'the same data' "$(sed '$d' <<<"$before")" "$(dump | sed '$d')"
rm -r "$M/k"
ok 'tar back' tar -C "$M" -xf "$W/k.tar"
is 'the same data' "$(sed '$d' <<<"$before")" "$(dump | sed '$d')"
cql "DELETE FROM k.t WHERE id = 1" >/dev/null
ok 'rsync over deleted rows' rsync -aX --delete "$W/backup/k/" "$M/k/"
is 'restores them' "$before" "$(dump)"

b=$M/k/t/1/x/b
ok 'sed -i' sed -i s/text/TEXT/ "$b"
is 'did it' TEXT "$(cat "$b")"
ok 'cp --backup' cp --backup "$W/backup/k/t/1/x/b" "$b"
is 'did it' text "$(cat "$b")"
is 'and kept the old one' TEXT "$(cat "$b~")"
rm "$b~"
ok 'install' install -m 644 "$W/backup/k/t/1/y/a" "$M/k/t/1/x/a"
is 'did it' 6 "$(cat "$M/k/t/1/x/a")"
# It asks the kernel to copy, and writes itself when that was refused.
refused 'cp of what is no value' 'Invalid argument' cp "$W/backup/k/t/1/x/b" "$M/k/t/1/x/a"
is 'the last reason is the first' "/k/t/1/x/a EINVAL Unable to make int from 'text'" "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f5-)"
is 'the old value' 6 "$(cat "$M/k/t/1/x/a")"
ok 'vim' vim.tiny -u NONE -es -c 's/text/from vim/' -c wq "$b"
is 'did it' 'from vim' "$(cat "$b")"
ok 'ed' ed -s "$b" <<<$'s/vim/ed/\nw\nq'
is 'did it' 'from ed' "$(cat "$b")"
printf 'from ed\n' >"$W/one"; printf 'from patch\n' >"$W/two"
diff -u "$W/one" "$W/two" >"$W/diff"
ok 'patch' patch -s "$b" "$W/diff"
is 'did it' 'from patch' "$(cat "$b")"
ok 'patch with a backup' patch -s -b -R "$b" "$W/diff"
is 'did it' 'from ed' "$(cat "$b")"
is 'and kept the old one' 'from patch' "$(cat "$b.orig")"
rm "$b.orig"
ok 'perl -i' perl -pi -e 's/ed/perl/' "$b"
is 'did it' 'from perl' "$(cat "$b")"
is 'no leftovers' 'a b bl home l m tags' "$(names "$M/k/t/1/x")"
is 'grep -r' "$b:from perl" "$(grep -r 'from perl' "$M/k/t")"
is 'find' 1 "$(find "$M/k" -name bl -size +0 | wc -l)"
ok 'du' du -s "$M/k"
ok 'df' df "$M"
ok 'mv of a cell to another column' mv "$b" "$M/k/t/1/y/b"
is 'moved' 'from perl' "$(cat "$M/k/t/1/y/b")"
ok 'mv of a row' mv "$M/k/t/1/y" "$M/k/t/1/z"
is 'moved' '6 from perl' "$(cat "$M/k/t/1/z/a" "$M/k/t/1/z/b" | tr '\n' ' ' | sed 's/ $//')"
ok 'a scratch file' put "$M/k/t/1/x/b.tmp1" scratch
ok 'is listed' test -f "$M/k/t/1/x/b.tmp1"
ok 'renamed onto the cell' mv "$M/k/t/1/x/b.tmp1" "$M/k/t/1/x/b"
is 'it is the value' scratch "$(cat "$M/k/t/1/x/b")"
refused 'no links' 'Operation not permitted' ln "$M/k/t/1/x/b" "$M/k/t/1/x/b~"
refused 'no symlinks' 'Operation not permitted' ln -s x "$M/k/t/1/x/b~"
refused 'no fifos' 'Operation not permitted' mkfifo "$M/k/t/1/x/b~"
is 'and why' '/k/t/1/x/b~ EPERM there are no links, devices, pipes and sockets' "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f5-)"
refused 'no other type' 'Operation not permitted' setfattr -n user.type -v int "$M/k/t/1/x/b"
is 'and why' '/k/t/1/x/b EPERM this attribute is read-only' "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f5-)"
refused 'no table of the system' 'Read-only file system' mkdir "$M/system/t"
is 'and why' '/system/t EROFS nothing can be changed here' "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f5-)"
stop
# flush and compact, on a mount and on a store.
sstables() { "$CTL" cql "$1" <<<$'TRACING ON\nSELECT * FROM m."T";' | grep -c '\.sst$'; }
exits() { "$@" >"$W/out" 2>"$W/err" </dev/null; echo $?; }
mountpoint -q "$M" || start
run_cql <<'C'
CREATE KEYSPACE m WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE m."T" (k int PRIMARY KEY, v int) WITH compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'};
CREATE TABLE m.u (k int PRIMARY KEY, v int);
INSERT INTO m."T" (k, v) VALUES (1, 1);
INSERT INTO m.u (k, v) VALUES (1, 1);
C
is 'flush of a mount' 0 "$(exits "$CTL" flush "$M")"
is 'says nothing' '' "$(cat "$W/out" "$W/err")"
is 'and makes a file of a table' 1 "$(sstables "$M")"
cql 'INSERT INTO m."T" (k, v) VALUES (2, 2)' >/dev/null
is 'flush of a table, named by a place in it' 0 "$(exits "$CTL" flush "$M/m/T/2")"
is 'makes another' 2 "$(sstables "$M")"
is 'compact, of the mount that one is in' 0 "$(cd "$M/m" && exits "$CTL" compact)"
is 'makes one of two' 1 "$(sstables "$M")"
is 'a keyspace is no table' 2 "$(exits "$CTL" flush "$M/m")"
is 'no such place' 6 "$(exits "$CTL" flush "$M/m/none")"
is 'a store that is mounted' 3 "$(exits "$CTL" compact "$S")"
cql 'INSERT INTO m."T" (k, v) VALUES (3, 3)' >/dev/null
stop
is 'a table of a store' 0 "$(exits "$CTL" flush "$S/m/T")"
is 'is flushed' 2 "$(sstables "$S")"
is 'a store is compacted' 0 "$(exits "$CTL" compact "$S/")"
is 'table by table' 1 "$(sstables "$S")"
is 'a table that is not there' 6 "$(exits "$CTL" compact "$S/m/none")"
is 'is named' "widefsctl: $S: there is no table 'm.none'" "$(cat "$W/err")"
is 'no store' 6 "$(exits "$CTL" flush "$W/nowhere/m/T")"
is 'a table that is made when it is read' 0 "$(exits "$CTL" compact "$S/system/local")"
is 'nothing is lost' $'k,v\n1,1\n2,2\n3,3' "$("$CTL" cql -m csv "$S" -e 'SELECT * FROM m."T"')"
done_testing
