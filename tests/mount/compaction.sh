# Compactions on a mount. A call that waits for one ends when it is interrupted; a
# damaged file is told of and keeps no other; expired and deleted data gives its
# room back while nothing is written.
. tests/mount/lib.sh
start
tables() { find "$S" -name '*.sst' | wc -l; }
bytes() { find "$S" -name '*.sst' -printf '%s\n' | awk '{ sum += $1 } END { print sum + 0 }'; }
tell() { echo "$1" >"$M/.widefs/ctl"; }
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.big (id int PRIMARY KEY, b blob);
CREATE TABLE k.small (id int PRIMARY KEY, a int);
CREATE TABLE k.ttl (id int PRIMARY KEY, a int) WITH default_time_to_live = 3 AND gc_grace_seconds = 0;
CREATE TABLE k.gone (id int PRIMARY KEY, b blob) WITH gc_grace_seconds = 0;
C

# ------------------------------------------------------------ interrupted
fill() {
	local i
	for i in {1..24}; do
		mkdir -p "$M/k/big/$i"
		head -c 1000000 /dev/urandom >"$M/k/big/$i/b"
	done
}
interrupted() { timeout 60 python3 tests/mount/interrupt.py "$M/.widefs/ctl" "$(daemon_pid)" "$1"$'\n'; }
# signal_ends COMMAND PREPARE...: a busy machine may tell of the signal when all
# is done already, so it is tried some times, each after PREPARE.
signal_ends() {
	local command=$1 said
	shift
	for _ in {1..5}; do
		"$@"
		said=$(interrupted "$command")
		[ "$said" = EINTR ] && break
	done
	echo "$said"
}
check_interrupts() {
	is "a signal ends a flush ($1)" EINTR "$(signal_ends flush fill)"
	tell flush
	fill
	tell flush
	sum=$(cat "$M"/k/big/*/b | sha256sum)
	before=$(tables)
	is "a signal ends a compaction ($1)" EINTR "$(signal_ends compact true)"
	is "a signal ends a scrub ($1)" EINTR "$(signal_ends scrub true)"
	ok 'nothing is left of it' within 30 test "$(tables)" -le "$before"
	is 'all is there' "$sum" "$(cat "$M"/k/big/*/b | sha256sum)"
	ok 'again, to its end' tell 'compact k.big'
	is 'and now' "$sum" "$(cat "$M"/k/big/*/b | sha256sum)"
}
check_interrupts threads
again -s
check_interrupts alone
again

# a shell's ^C, and of the program: the process is gone at once
fill
tell flush
for command in "echo compact >'$M/.widefs/ctl'" "'$CTL' compact '$M'"; do
	timeout -s INT 0.05 bash -c "$command"
	ok "after $command" timeout 60 cat "$M/.widefs/stats"
done
ok 'a sync does not wait for them' timeout 60 bash -c "echo sync >'$M/.widefs/ctl'"

# ------------------------------------------------ idle: expired and deleted
ok 'room for what comes' tell compact
rm -r "$M"/k/big/*
holds() { [ "$(find "$S" -name '*.sst' -newer "$W/mark" | wc -l)" = "$1" ]; }
touch "$W/mark"
sleep 1
for i in {1..20}; do cql "INSERT INTO k.ttl (id, a) VALUES ($i, $i)" >/dev/null; done
tell 'flush k.ttl'
ok 'its file is there' holds 1
ok 'and goes' within 90 holds 0
for i in {1..16}; do
	mkdir -p "$M/k/gone/$i"
	head -c 300000 /dev/urandom >"$M/k/gone/$i/b"
done
tell 'flush k.gone'
full=$(bytes)
# Partitions and rows: in another file, and much smaller.
for i in {1..15}; do rm "$M/k/gone/$i.json"; done
tell 'flush k.gone'
smaller() { [ "$(bytes)" -lt $((full - 4000000)) ]; }
ok 'deleted rows give their room back' within 120 smaller
is 'and the rest is there' 300000 "$(stat -c %s "$M/k/gone/16/b")"

# ----------------------------------------------------------------- damage
# A compaction of another table may end meanwhile: then once more.
for _ in {1..5}; do
	tell compact
	touch "$W/mark"
	sleep 1
	for i in {1..300}; do echo "INSERT INTO k.small (id, a) VALUES ($i, $i);"; done >"$M/.cql"
	tell 'flush k.small'
	file=$(find "$S" -name '*.sst' -newer "$W/mark")
	[ "$(wc -l <<<"$file")" = 1 ] && break
done
is 'one file' 1 "$(wc -l <<<"$file")"
stop
printf '\x55\xaa' | dd of="$file" bs=1 seek=70 conv=notrunc status=none
start
for round in {1..12}; do
	for i in {1..20}; do echo "INSERT INTO k.small (id, a) VALUES ($((i * 100)), $round); INSERT INTO k.big (id, a) VALUES ($i, $i);"; done | sed 's/, a) VALUES (\([0-9]*\), [0-9]*); *$/, b) VALUES (\1, 0x00);/' >"$M/.cql"
	tell flush
done
named() { [ "$(told)" -ge 1 ]; }
told() { grep -c "EUCLEAN.*${file##*/}" "$M/.widefs/errors"; }
ok 'errors name the file' within 60 named
is 'once' 1 "$(told)"
ok 'with the table and the offset' grep -q "/k/small EUCLEAN ${file##*/} is damaged at offset 32" "$M/.widefs/errors"
is 'the log too' 1 "$(grep -c "k\.small: ${file##*/} is damaged at offset 32" "$W/log")"
refused 'a compaction does what it can and says so' 'Structure needs cleaning' tell 'compact k.small'
ok 'the other tables are sound' tell 'compact k.big'
ok 'few files' test "$(tables)" -le 12
ok 'the damaged one stays' test -f "$file"
stop
"$CTL" check "$S" >"$W/check" 2>&1
is 'check says so' 4 $?
ok 'by name' grep -q "${file##*/}" "$W/check"
done_testing
