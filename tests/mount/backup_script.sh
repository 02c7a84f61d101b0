# The backup script among the examples (mount/system/widefs-backup): what it copies,
# links, keeps and removes, and what it refuses.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p int PRIMARY KEY, v text);
INSERT INTO k.t (p, v) VALUES (1, 'one');
INSERT INTO k.t (p, v) VALUES (2, 'stays');
UPDATE k.t USING TIMESTAMP 1700000000100000 SET v = 'old' WHERE p = 3;
C
script=$PWD/mount/system/widefs-backup
# As one calls it from a folder: the target has a blank at each end of its name.
cd "$W" || exit 1
target=' kept by me '
backup() { sh "$script" "$M" "$target" "$@"; }
dates() { find "$target" -mindepth 1 -maxdepth 1 -name '*Z' | sort; }
later() { sleep 1.1; }	# a date has seconds
ok 'the first' backup
first=$(dates)
is 'has what is mounted' '' "$(rsync -aXn --itemize-changes "$M/" "./$first/")"
later
put "$M/k/t/1/v" 'two'
# In the same second, and as long.
run_cql <<<"UPDATE k.t USING TIMESTAMP 1700000000500000 SET v = 'new' WHERE p = 3"
mkdir -p "$target/2020-01-02T03:04:05Z.part/k" "$target/2020 by hand Z"
ok 'the second' backup
second=$(dates | grep -v hand | tail -n 1)
is 'has a change' two "$(cat "$second/k/t/1/v")"
is 'even in one second' new "$(cat "$second/k/t/3/v")"
is 'the first is as it was' one,old "$(cat "$first/k/t/1/v"),$(cat "$first/k/t/3/v")"
is 'a file that did not change is one in both backups' "$(stat -c %i "$first/k/t/2/v")" "$(stat -c %i "$second/k/t/2/v")"
is 'an interrupted one is gone' '' "$(find "$target" -name '*.part')"
for keep in 0 00 -1 x 1x ' '; do
	refused "KEEP '$keep'" "not $keep" backup "$keep"
done
refused 'beside another' 'under way' flock "$target" sh "$script" "$M" "$target"
refused 'a directory without a mount' 'nothing of widefs' sh "$script" "$W" "$target"
is 'no backup is lost by it' "$first"$'\n'"$second" "$(dates | grep -v hand)"
later
ok 'the third' backup 2
is 'the first goes' "$second" "$(dates | grep -v hand | head -n 1)"
is 'two are kept' 2 "$(dates | grep -vc hand)"
ok 'other folders stay' test -d "$target/2020 by hand Z"
later
# A limit of the size of files stands for a disk that is full.
ok 'a value' sh -c 'head -c 300000 /dev/zero | tr "\0" x >"$1"' - "$M/k/t/2/v"
before=$(dates)
refused 'without room' rsync sh -c 'ulimit -f 100; trap "" XFSZ; exec sh "$@"' - "$script" "$M" "$target" 1
is 'nothing is lost' "$before" "$(dates)"
is 'nothing of it stays' '' "$(find "$target" -name '*.part')"
cd - >/dev/null || exit 1
done_testing
