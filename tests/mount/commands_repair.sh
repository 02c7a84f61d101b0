# repair: what is sound of a damaged store is in the new one, what is lost is told, and
# the damaged store is as it was.
. tests/mount/lib.sh
rows() { "$CTL" cql "$1" -e "$2" --mode=csv 2>/dev/null | LC_ALL=C sort; }
sums() { find "$1" -type f -exec sha256sum {} + | LC_ALL=C sort; }
flip() { # FILE OFFSET: one bit
	local byte
	byte=$(od -An -tu1 -j "$2" -N 1 "$1")
	printf '%b' "\\x$(printf %x $((byte ^ 4)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
# repair KIND STATUS: a copy $W/bad of the store that was damaged.
repair() {
	sums "$W/bad" >"$W/before"
	rm -rf "$W/new"
	is "$1: dry run" "$2" "$(exits "$CTL" repair --dry-run "$W/bad" "$W/new")"
	ok "$1: makes nothing" test ! -e "$W/new"
	grep '^lost: ' "$W/out" >"$W/would"
	is "$1: status" "$2" "$(exits "$CTL" repair "$W/bad" "$W/new")"
	is "$1: what the dry run said" "$(cat "$W/would")" "$(grep '^lost: ' "$W/out")"
	is "$1: the damaged store is as it was" "$(cat "$W/before")" "$(sums "$W/bad")"
	is "$1: the new store is sound" 0 "$(exits "$CTL" check "$W/new")"
	grep -q . "$W/would" && grep -h . "$W/would" >"$W/out"
}
bad() { rm -rf "$W/bad"; cp -a "$W/good" "$W/bad"; }
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p int, c int, v text, s text static, m map<text, int>, PRIMARY KEY (p, c));
CREATE TABLE k.u (p int PRIMARY KEY, v text);
CREATE INDEX byv ON k.u (v);
C
for ((i = 0; i < 2000; i++)); do echo "INSERT INTO k.t (p, c, v) VALUES ($((i % 7)), $i, '$RANDOM$RANDOM$RANDOM$RANDOM$RANDOM');"; done | run_cql
run_cql <<'C'
INSERT INTO k.u (p, v) VALUES (1, 'one');
INSERT INTO k.u (p, v) VALUES (2, 'two');
C
echo flush >"$M/.widefs/ctl"
run_cql <<'C'
DELETE FROM k.t WHERE p = 3 AND c > 1000;
DELETE FROM k.t WHERE p = 4;
INSERT INTO k.t (p, s, c, m) VALUES (4, 'static', 5, {'a': 1});
UPDATE k.u USING TTL 100000 SET v = 'later' WHERE p = 2;
C
is 'a mount is busy' 3 "$(exits "$CTL" repair "$S" "$W/new")"
ok 'and says so' grep -q 'is open in process' "$W/err"
stop
cp -a "$S" "$W/good"
all='SELECT p, c, v, s, m FROM k.t'
rows "$W/good" "$all" >"$W/t"
rows "$W/good" 'SELECT p, v, writetime(v) FROM k.u' >"$W/u"
same() { # KIND: nothing is missing
	is "$1: all rows" "$(sum <"$W/t")" "$(rows "$W/new" "$all" | sum)"
	is "$1: all others" "$(cat "$W/u")" "$(rows "$W/new" 'SELECT p, v, writetime(v) FROM k.u')"
	is "$1: the index" 2 "$(rows "$W/new" "SELECT p FROM k.u WHERE v = 'later'" | grep -x 2)"
}
bad
repair 'sound' 0
same 'sound'
ok 'says what it took' grep -q '^took .*; lost: 0$' <("$CTL" repair "$W/bad" "$W/new2")
ok 'a store of one row' "$CTL" load "$W/small" <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p int PRIMARY KEY, v int);
INSERT INTO k.t (p, v) VALUES (1, 1);
C
is 'is told in the singular' 'took 1 row or deletion of 1 table; lost: 0' "$("$CTL" repair "$W/small" "$W/small.new" | tail -1)"
is 'NEW must be empty' 1 "$(exits "$CTL" repair "$W/bad" "$W/new")"
is 'no store' 6 "$(exits "$CTL" repair "$W/none" "$W/new3")"
is 'not a store' 6 "$(exits "$CTL" repair "$W/new/engine" "$W/new3")"
is 'NEW in STORE' 2 "$(exits "$CTL" repair "$W/bad" "$W/bad/new")"
is 'usage' 2 "$(exits "$CTL" repair "$W/bad")"
bad
rm "$W/bad/engine/CURRENT"
repair 'CURRENT is missing' 4
same 'CURRENT is missing'
bad
rm "$W"/bad/engine/MANIFEST-*
repair 'the manifest is missing' 4
ok 'the manifest: told' grep -q '^lost: MANIFEST-.*: it is missing$' "$W/would"
ok 'the manifest: the schema is there' grep -q '^CREATE TABLE k.t ' <("$CTL" schema "$W/new")
is 'the manifest: what the log has' static "$(rows "$W/new" 'SELECT s FROM k.t WHERE p = 4' | grep static)"
bad
flip "$W/bad/WIDEFS" 20
repair 'the marker is damaged' 4
same 'the marker is damaged'
bad
file=$(ls -S "$W"/bad/engine/*.sst | head -1)
flip "$file" $(($(stat -c %s "$file") - 60))
repair 'a footer is damaged' 0
same 'a footer is damaged'
bad
flip "$file" 3000
repair 'a block is damaged' 4
ok 'a block: the file and place' grep -q "^lost: ${file##*/}: 32 to [0-9]*: .* k\.t " "$W/would"
rows "$W/new" "$all" >"$W/some"
is 'a block: no row that was not there' '' "$(LC_ALL=C comm -13 "$W/t" "$W/some")"
ok 'a block: most rows' test "$(wc -l <"$W/some")" -gt 1000
is 'a block: the others' "$(cat "$W/u")" "$(rows "$W/new" 'SELECT p, v, writetime(v) FROM k.u')"
bad
rm "$file"
repair 'an sstable is missing' 4
ok 'missing: how many rows' grep -q "^lost: ${file##*/}: it is missing: 2000 rows of k\.t" "$W/would"
is 'missing: the others' "$(cat "$W/u")" "$(rows "$W/new" 'SELECT p, v, writetime(v) FROM k.u')"
is 'missing: what the log has' 'static' "$(rows "$W/new" 'SELECT s FROM k.t WHERE p = 4' | grep static)"
bad
log=$(ls "$W"/bad/engine/log-* | head -1)
rm "$log"
repair 'the log is missing' 4
ok 'the log: told' grep -q "^lost: ${log##*/}: it is missing" "$W/would"
is 'the log: what was flushed' 2000 "$(rows "$W/new" 'SELECT c FROM k.t' | grep -c '^[0-9]')"
# Random bits: no crash, and no row that never was.
seed=7
RANDOM=$seed
rows "$W/new" "$all" | cat - "$W/t" | LC_ALL=C sort -u >"$W/ever"
for ((i = 0; i < 8; i++)); do
	bad
	files=("$W"/bad/engine/*)
	victim=${files[RANDOM % ${#files[@]}]}
	size=$(stat -c %s "$victim")
	flip "$victim" $(((RANDOM * 32768 + RANDOM) % size))
	rm -rf "$W/new"
	status=$(exits "$CTL" repair "$W/bad" "$W/new")
	ok "seed $seed, bit $i of ${victim##*/}: status $status" test "$status" = 0 -o "$status" = 4
	is "seed $seed, bit $i: sound" 0 "$(exits "$CTL" check "$W/new")"
	is "seed $seed, bit $i: nothing new" '' "$(rows "$W/new" "$all" | LC_ALL=C comm -13 "$W/ever" - | head -3)"
done
# Another user than the store's owner: a file that he may not read is not taken for lost.
as() { setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"; }
chmod 755 "$W"
mkdir -m 777 "$W/theirs"
bad
chmod -R go+rX "$W/bad"
sums "$W/bad" >"$W/before"
for file in LOCK WIDEFS engine engine/CURRENT $(cd "$W/bad" && echo engine/MANIFEST-* engine/log-* engine/*.sst); do
	chmod go-rx "$W/bad/$file"
	is "$file is his alone" 1 "$(exits as "$CTL" repair "$W/bad" "$W/theirs/new")"
	ok "$file: it is said" grep -q 'Permission denied (repair reads all of a store: run it as its owner)$' "$W/err"
	is "$file: nothing is lost" '' "$(cat "$W/out")"
	ok "$file: nothing is made" test ! -e "$W/theirs/new"
	chmod go+rX "$W/bad/$file"
done
is 'a place where he may not write' 1 "$(exits as "$CTL" repair "$W/bad" "$W/none")"
is 'the place is named' "widefsctl: $W/none: Permission denied" "$(cat "$W/err")"
is 'a caller who may read all' 0 "$(exits as "$CTL" repair "$W/bad" "$W/theirs/new")"
mv "$W/theirs/new" "$W/new"
same 'a caller who may read all'
is 'the damaged store is as it was' "$(cat "$W/before")" "$(sums "$W/bad")"
# A full disk: all of it, or a store that is said to be none.
mkdir "$W/disk"
full=0 whole=0
for size in 128k 256k 512k 1m 2m 4m 8m 12m 16m 32m; do
	mount -t tmpfs -o size=$size none "$W/disk" || fail 'a small disk'
	status=$(exits "$CTL" repair "$W/bad" "$W/disk/new")
	if [ "$status" = 0 ]; then
		whole=$((whole + 1))
		rm -rf "$W/new"
		cp -a "$W/disk/new" "$W/new"
		same "a disk of $size"
	else
		full=$((full + 1))
		is "a disk of $size" 1 "$status"
		is "a disk of $size: it is said" "widefsctl: $W/disk/new: No space left on device (it is not whole: remove it, and run repair again)" "$(cat "$W/err")"
	fi
	umount "$W/disk"
done
ok "both were seen: $full, $whole" test $full -gt 0 -a $whole -gt 0
is 'the damaged store is still as it was' "$(cat "$W/before")" "$(sums "$W/bad")"
S=$W/new2
start
is 'the new store mounts\' one "$(cat "$M/k/u/1/v")"
stop
done_testing
