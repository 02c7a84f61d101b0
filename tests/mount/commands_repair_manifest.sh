# repair without a manifest: the sstables say which table they are of, whatever became of that since, and
# a dump of the new store is that of the old one before the damage.
. tests/mount/lib.sh
sums() { find "$1" -type f -exec sha256sum {} + | LC_ALL=C sort; }
# The rest of a TTL depends on the time of the dump.
dump() { "$CTL" dump "$1" 2>&1 | sed 's/ TTL [0-9]*/ TTL n/'; }
on() { "$CTL" cql "$S" -e "$1" >"$W/out" 2>&1 || fail "$1: $(tail -1 "$W/out")"; }
flush() { start; echo flush >"$M/.widefs/ctl"; stop; }
keep() { rm -rf "$W/good"; cp -a "$S" "$W/good"; dump "$W/good" >"$W/dump"; }
# lose KIND: the damage, of a copy of what was kept. Each takes the manifest away in its way.
lose() {
	local m
	rm -rf "$W/bad" "$W/new"
	cp -a "$W/good" "$W/bad"
	m=$(ls "$W"/bad/engine/MANIFEST-*)
	case $1 in
	manifest) rm "$m" ;;
	CURRENT) rm "$W/bad/engine/CURRENT" ;;
	both) rm "$m" "$W/bad/engine/CURRENT" ;;
	empty) : >"$m" ;;
	cut) truncate -s 60 "$m" ;;
	zeros) dd if=/dev/zero of="$m" bs="$(stat -c %s "$m")" count=1 conv=notrunc status=none ;;
	names) echo nonsense >"$W/bad/engine/CURRENT" ;;
	esac
	sums "$W/bad" >"$W/before"
}
repair() { # WHAT STATUS
	is "$1: status" "$2" "$(exits "$CTL" repair "$W/bad" "$W/new")"
	cp "$W/out" "$W/told"
	is "$1: the damaged store is as it was" "$(cat "$W/before")" "$(sums "$W/bad")"
	is "$1: the new store is sound" 0 "$(exits "$CTL" check "$W/new")"
}
told() { ok "$1: it is told" grep -qE "$2" "$W/told"; }
# whole WHAT KIND...: after each damage the dump is the same.
whole() {
	local what=$1 kind
	shift
	keep
	for kind; do
		lose "$kind"
		repair "$what, $kind" 4
		is "$what, $kind: nothing else is lost" '' "$(grep '^lost: ' "$W/told" | grep -vE '^lost: (MANIFEST|CURRENT)')"
		dump "$W/new" >"$W/now"
		ok "$what, $kind: the dump" cmp "$W/dump" "$W/now"
	done
}
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TYPE k.place (street text, zip int);
CREATE TABLE k.t (p int, c int, v text, s text static, m map<text, int>, PRIMARY KEY (p, c));
CREATE TABLE k.u (p int PRIMARY KEY, v text, w int, a place);
CREATE TABLE k.n (p int PRIMARY KEY, n counter);
CREATE INDEX byv ON k.u (v);
CREATE INDEX byw ON k.u (w);
C
seed=11
RANDOM=$seed
for ((i = 0; i < 600; i++)); do echo "INSERT INTO k.t (p, c, v) VALUES ($((i % 7)), $i, '$RANDOM$RANDOM$RANDOM$RANDOM$RANDOM');"; done | run_cql
for ((i = 0; i < 200; i++)); do echo "INSERT INTO k.u (p, v, w, a) VALUES ($i, 'v$((i % 20))', $RANDOM, {street: 's$i', zip: $i});"; done | run_cql
run_cql <<'C'
UPDATE k.n SET n = n + 5 WHERE p = 1;
UPDATE k.u USING TTL 1000000 SET v = 'later' WHERE p = 2;
C
touch -d '2001-02-03 04:05:06 UTC' "$M/k/u/5"
stop
whole 'the log alone' manifest both
flush
on 'DELETE FROM k.t WHERE p = 3 AND c > 300'
on 'DELETE FROM k.t WHERE p = 4'
on "INSERT INTO k.t (p, s, c, m) VALUES (4, 'static', 5, {'a': 1})"
on 'UPDATE k.n SET n = n + 2 WHERE p = 1'
whole 'sstables and log' manifest CURRENT both empty cut zeros names
is 'the index is there' 10 "$("$CTL" cql "$W/new" -e "SELECT p FROM k.u WHERE v = 'v3'" --mode=csv | grep -c '^[0-9]*3$')"
# One sstable of many.
keep
lose manifest
file=$(for f in "$W"/bad/engine/*.sst; do "$CTL" sstable "$f" | awk -v f="$f" '$1 == "rows" { print $2, f }'; done | sort -n | tail -1 | cut -d' ' -f2)
number=$("$CTL" sstable "$file" | awk '$1 == "table" { print $3 }')
ok 'sstable says the number of the table' test "$number" -ge 16
truncate -s -50 "$file"
sums "$W/bad" >"$W/before"
repair 'a footer is cut off' 4
dump "$W/new" >"$W/now"
ok 'a footer is cut off: the header knows the table' cmp "$W/dump" "$W/now"
printf 'XXXX' | dd of="$file" bs=1 seek=3000 conv=notrunc status=none
sums "$W/bad" >"$W/before"
rm -rf "$W/new"
repair 'a block, too' 4
told 'a block, too' "^lost: ${file##*/}: [0-9]* to [0-9]*: .*rows of k\.t "
dump "$W/new" >"$W/now"
ok 'a block, too: the other tables' cmp <(grep -v 'INTO k.t ' "$W/dump") <(grep -v 'INTO k.t ' "$W/now")
ok 'a block, too: most of its own' test "$(wc -l <"$W/now")" -gt $(($(wc -l <"$W/dump") / 2))
head -c 40 /dev/zero | dd of="$file" conv=notrunc status=none
sums "$W/bad" >"$W/before"
rm -rf "$W/new"
repair 'header and footer' 4
told 'header and footer' "^lost: ${file##*/}: it names no table"
dump "$W/new" >"$W/now"
ok 'header and footer: the other tables' cmp <(grep -v 'INTO k.t ' "$W/dump") <(grep -v 'INTO k.t ' "$W/now")
# Renamed: the number stays.
start
ok 'a table is renamed' mv "$M/k/u" "$M/k/users"
stop
whole 'renamed' manifest both
# Snapshots, and restored: the table has another number, and the files of the old one.
ok 'a snapshot' "$CTL" snapshot create "$S" one
whole 'a snapshot' manifest
on "INSERT INTO k.users (p, v) VALUES (1000, 'after')"
ok 'a table is restored' "$CTL" snapshot restore --force "$S" one k.users
keep
lose manifest
repair 'restored' 4
told 'restored' '\.sst: of k\.users before it was restored'
dump "$W/new" | LC_ALL=C sort >"$W/now"
is 'restored: no row is missing' '' "$(LC_ALL=C sort "$W/dump" | LC_ALL=C comm -23 - "$W/now")"
is 'restored: nothing but what came after is back' 0 "$(LC_ALL=C sort "$W/dump" | LC_ALL=C comm -13 - "$W/now" | grep -cv "INTO k.users (p, v) VALUES (1000")"
is 'restored: its index' 10 "$("$CTL" cql "$W/new" -e "SELECT p FROM k.users WHERE v = 'v3'" --mode=csv | grep -c '^[0-9]*3$')"
on "ALTER TABLE k.users ADD x int"
on "INSERT INTO k.users (p, v, x) VALUES (2000, 'again', 7)"
ok 'everything is restored' "$CTL" snapshot restore --force "$S" one
on "ALTER TABLE k.users ADD y text"
on "INSERT INTO k.users (p, y) VALUES (2000, 'text')"
keep
lose both
repair 'all restored' 4
dump "$W/new" | LC_ALL=C sort >"$W/now"
told 'all restored' '^lost: [0-9]{12}\.sst: values of column x, which k\.users has not had since'
is 'all restored: no row is missing' '' "$(LC_ALL=C sort "$W/dump" | LC_ALL=C comm -23 - "$W/now")"
ok 'a snapshot of it' "$CTL" snapshot create "$S" three
on "ALTER TABLE k.users ADD x int"
on "INSERT INTO k.users (p, v, x) VALUES (3000, 'again', -1987654)"
flush
ok 'the table is restored once more' "$CTL" snapshot restore --force "$S" three k.users
on "ALTER TABLE k.users ADD z int"
on "INSERT INTO k.users (p, z) VALUES (3001, 8)"
keep
lose both
repair 'a column of the same type' 4
told 'a column of the same type' '^lost: [0-9]{12}\.sst: values of column x, which k\.users has not had since'
is 'a column of the same type: has no value of the other' 0 "$(dump "$W/new" | grep -c -e -1987654)"
# Two tables of one number: the renamed one has it, and the rows.
on 'CREATE TABLE k.one (p int PRIMARY KEY, v text)'
on "INSERT INTO k.one (p, v) VALUES (1, 'both')"
ok 'a second snapshot' "$CTL" snapshot create "$S" two
start
ok 'the table is renamed' mv "$M/k/one" "$M/k/two"
stop
ok 'and restored' "$CTL" snapshot restore --force "$S" two k.one
keep
lose manifest
repair 'two tables' 4
is 'two tables: both have the row' 2 "$(grep -c "'both'" "$W/dump")"
is 'two tables: the renamed one has it' 1 "$(dump "$W/new" | grep -c "INTO k.two (p, v) VALUES (1, 'both')")"
told 'two tables' '^lost: k\.one: rows that a restore gave it may be in k\.two alone, which has their number \(--table [0-9]*=k\.one takes all of them into this one\)$'
is 'two tables: once' 1 "$(grep -c '^lost: k\.' "$W/told")"
given=$(grep -o 'table [0-9]*=k\.one' "$W/told")
rm -rf "$W/new"
is 'two tables: the other way' 4 "$(exits "$CTL" repair "--${given/ /=}" "$W/bad" "$W/new")"
is 'two tables: the restored one has the row' "INTO k.one (p, v) VALUES (1, 'both')" "$(dump "$W/new" | grep -o "INTO k.*'both')")"
is 'two tables: what the renamed one lacks is told' 1 "$(grep -c '^lost: k\.two: its rows are in k\.one, to which number [0-9]* was given$' "$W/out")"
rm -rf "$W/new"
is 'two tables: of no other' 6 "$(exits "$CTL" repair "--${given/ /=}x" "$W/bad" "$W/new")"
is 'two tables: with a manifest' 0 "$(exits "$CTL" repair "$W/good" "$W/new")"
ok 'two tables: both are there' cmp "$W/dump" <(dump "$W/new")
on 'ALTER TABLE k.one ADD x int'
on 'ALTER TABLE k.two ADD y int'
on 'INSERT INTO k.two (p, y) VALUES (2, -1987654)'
flush
keep
lose manifest
is 'columns of one number: the restored one gets the rows' 4 "$(exits "$CTL" repair "--${given/ /=}" "$W/bad" "$W/new")"
ok 'columns of one number: it is told' grep -qE '^lost: .*values of column y, which k\.one has not had' "$W/out"
is 'columns of one number: no value of the other' 0 "$(dump "$W/new" | grep -c -e -1987654)"
rm -rf "$W/new"
mkdir -m 775 "$W/new"
is 'a new directory that others may write' 1 "$(exits "$CTL" repair "$W/bad" "$W/new")"
ok 'and the reason' grep -q 'new: others can write there, or own it' "$W/err"
on 'DROP TABLE k.one'
# A new table under the old name has none of these rows.
on 'CREATE TABLE k.one (p int PRIMARY KEY, v text)'
on "INSERT INTO k.one (p, v) VALUES (5, 'new')"
keep
lose manifest
repair 'a new table' 4
is 'a new table: is no restored one' '' "$(grep '^lost: k\.one' "$W/told")"
is 'a new table: its rows' "INTO k.one (p, v) VALUES (5, 'new')" "$(dump "$W/new" | grep -o "INTO k.one.*')")"
on 'DROP TABLE k.one'
on 'DROP TABLE k.two'
# Dropped and truncated.
on 'TRUNCATE k.n'
on 'UPDATE k.n SET n = n + 1 WHERE p = 9'
on 'CREATE TABLE k.gone (p int PRIMARY KEY, v text)'
on "INSERT INTO k.gone (p, v) VALUES (1, 'gone')"
flush
on 'DROP TABLE k.gone'
on 'DROP INDEX k.byw'
keep
lose manifest
repair 'dropped' 4
told 'dropped' '^lost: table number [0-9]*: k\.gone was dropped, or replaced by a restore: [0-9]* entries$'
is 'dropped: it stays so' '' "$(dump "$W/new" | grep gone)"
dump "$W/new" | LC_ALL=C sort >"$W/now"
is 'dropped: no row is missing' '' "$(LC_ALL=C sort "$W/dump" | LC_ALL=C comm -23 - "$W/now")"
told 'what may be back' 'data that was removed may be back'
# Killed at its calls on files (tests/crash/kill_at.c), and begun again: POINTS of them. The new store
# has no tables then, or all.
${CC:-cc} -std=gnu17 -O2 -fPIC -shared -D_GNU_SOURCE tests/crash/kill_at.c -o "$W/kill_at.so" || fail 'kill_at'
dies() { ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 KILL_AT=$1 KILL_AT_COUNT=$W/count LD_PRELOAD=$W/kill_at.so exits "$CTL" repair "$W/bad" "$W/new"; }
lose manifest
is 'a repair that nobody kills' 4 "$(dies 'none 0 before')"
calls=$(cat "$W/count") step=$(($(cat "$W/count") / ${POINTS:-16} + 1)) none=0 all=0
ok 'the repair has calls to be killed at' test "$calls" -gt 30
for ((i = 1 + RANDOM % step; i <= calls; i += step)); do
	rm -rf "$W/new"
	when=$([ $((RANDOM % 2)) = 0 ] && echo before || echo after)
	status=$(dies "any $i $when" 2>/dev/null)
	# There are some more or less of them each time.
	ok "killed $when call $i of $calls: $status" test "$status" = 137 -o "$i" -gt $((calls - 15))
	is "call $i: the damaged store is as it was" "$(cat "$W/before")" "$(sums "$W/bad")"
	tables=$("$CTL" schema "$W/new" 2>/dev/null | grep -c '^CREATE TABLE')
	if [ "$tables" = 0 ]; then
		none=$((none + 1))
		is "call $i: no table, no row" 0 "$("$CTL" dump "$W/new" 2>/dev/null | grep -c '^INSERT')"
	else
		all=$((all + 1))
		ok "call $i: the whole dump" cmp <(dump "$W/new" | LC_ALL=C sort) "$W/now"
	fi
	rm -rf "$W/new"
	repair "call $i, again" 4
	ok "call $i: the dump" cmp <(dump "$W/new" | LC_ALL=C sort) "$W/now"
done
ok "both were seen: $none, $all" test "$none" -gt 0 -a "$all" -gt 0
# Files of the first version name no table: each is told, and stays where it is.
rm -rf "$W/good"
cp -a tests/golden/store/5 "$W/good"
chmod -R go-rwx "$W/good"
lose manifest
repair 'an old store' 4
ok 'an old store: each file' test "$(grep -cE '^lost: [0-9]{12}\.sst: it names no table' "$W/told")" -gt 10
is 'an old store: its schema' 1 "$(dump "$W/new" | grep -c '^CREATE TABLE k.cells ')"
# --table says what only a person can know.
name=000000000002.sst
rm -rf "$W/new"
is 'a file is of no such table' 6 "$(exits "$CTL" repair -t "$name=k.nope" "$W/bad" "$W/new")"
ok 'and it is said' grep -q "^widefsctl: $name=k\.nope: there is no such table" "$W/err"
ok 'and nothing is made' test ! -e "$W/new"
is 'wrong usage' 2 "$(exits "$CTL" repair -t "$name" "$W/bad" "$W/new")"
is 'wrong usage of a number' 2 "$(exits "$CTL" repair -t -1=k.keys "$W/bad" "$W/new")"
is 'files are given' 4 "$(exits "$CTL" repair -t "$name=k.keys" --table=000000000003.sst=k.cells "$W/bad" "$W/new")"
is 'files are given: their rows' 2 "$("$CTL" cql "$W/new" -e 'SELECT x FROM k.keys' --mode=csv | grep -cx '[12]')"
is 'files are given: the new store is sound' 0 "$(exits "$CTL" check "$W/new")"
is 'files are given: the damaged store is as it was' "$(cat "$W/before")" "$(sums "$W/bad")"
S=$W/other
start
stop
on "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
on 'CREATE TABLE k.t (p int PRIMARY KEY, v text)'
flush
old=$(ls "$S"/engine/*.sst)
on "INSERT INTO k.t (p, v) VALUES (1, 'one')"
flush
ok 'a snapshot' "$CTL" snapshot create "$S" one
ok 'a restore' "$CTL" snapshot restore --force "$S" one k.t
flush
keep
lose manifest
rm "$W"/bad/engine/log-* "${old/#$S/$W/bad}"
sums "$W/bad" >"$W/before"
repair 'no record of it' 4
told 'no record of it' '^lost: table number 16: it has no schema .*: 1 entries$'
rm -rf "$W/new2"
is 'a number is given' 4 "$(exits "$CTL" repair --table 16=k.t "$W/bad" "$W/new2")"
is 'a number is given: its rows' 1 "$("$CTL" cql "$W/new2" -e 'SELECT v FROM k.t' --mode=csv | grep -c one)"
is 'a number that is known' 6 "$(exits "$CTL" repair --table 17=k.t "$W/bad" "$W/new3")"
done_testing
