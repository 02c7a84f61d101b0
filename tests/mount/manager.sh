# The daemon and its service manager (sd_notify(3), its watchdog): it says when it is
# ready, that it is well while it answers requests, and that it ends.
. tests/mount/lib.sh
${CC:-cc} -std=gnu17 -O2 -fPIC -shared -D_GNU_SOURCE tests/mount/stuck.c -o "$W/stuck.so" || fail 'stuck.c'
export STUCK=$W/stuck SLOW=$W/slow
manager='' name='' daemon=''
trap '[ ! "$manager" ] || kill "$manager" 2>/dev/null; finish' EXIT
# manage NAME: a manager at that socket, which writes to $W/told.
manage() {
	name=$1
	[ ! "$manager" ] || { kill "$manager"; wait "$manager" 2>/dev/null; }
	rm -f "$W/told" "$W/socket"
	python3 tests/mount/manager.py "$name" "$W/told" &
	manager=$!
	within 10 test -e "$W/told"
}
# started [VARIABLE=VALUE...] [-o OPTIONS]: what the manager starts.
started() {
	local variables=() ready
	while [[ ${1:-} == *=* && $1 != -* ]]; do variables+=("$1"); shift; done
	ready=$(told READY=1)
	env NOTIFY_SOCKET="$name" ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0:handle_abort=0" TSAN_OPTIONS="${TSAN_OPTIONS:-}:handle_abort=0" \
		LD_PRELOAD="$W/stuck.so" "${variables[@]}" sh -c '[ "${WATCHDOG_PID:-}" != own ] || WATCHDOG_PID=$$; exec "$@"' sh "$WIDEFS" -f "$@" "$S" "$M" 2>>"$W/stderr" &
	daemon=$!
	within 20 more READY=1 "$ready"
}
told() { grep -c " $1$" "$W/told"; }
more() { [ "$(told "$1")" -gt "$2" ]; }
# silent SECONDS: the manager is not told in that time that the daemon is well.
silent() {
	local before
	before=$(told WATCHDOG=1)
	sleep "$1"
	[ "$(told WATCHDOG=1)" = "$before" ]
}
well() { ok "$1" within 10 more WATCHDOG=1 "$(told WATCHDOG=1)"; }
# The mount is busy while another suite, or the daemon itself, looks at it.
unmounted() { within 10 umount "$M" 2>/dev/null || fail 'umount'; }
ended() { wait "$daemon"; is "$1" "$2" $?; }

for socket in "$W/socket" "@$W/abstract"; do
	kind=${socket::1}
	manage "$socket"
	started
	is "$kind: the manager is told when the mount answers" 0 $?
	is "$kind: the mount answers then" 0.1 "$(cat "$M/.widefs/version")"
	kill "$daemon"
	ended "$kind: the daemon ends" 0
	is "$kind: all that was told" 'READY=1 STOPPING=1' "$(cut -d ' ' -f 2 "$W/told" | paste -sd ' ')"
done
manage "$W/socket"
started WATCHDOG_USEC=600000
is 'a manager that watches: the start' 0 $?
well 'is told that the daemon is well'
well 'again'
sleep 2
is 'at least three times in its time' '' "$(awk '$2 == "WATCHDOG=1" { if (last && $1 - last > 0.6) print "after " $1 - last; last = $1 }' "$W/told")"
unmounted
ended 'an unmount ends it, too' 0
is 'the last thing told' STOPPING=1 "$(tail -1 "$W/told" | cut -d ' ' -f 2)"
for limit in 600000x -1 0 '' 99999999999999999999; do
	started WATCHDOG_USEC="$limit"
	ok "limit '$limit': it is none" silent 0.7
	kill "$daemon"
	ended "limit '$limit': it serves" 0
done
started WATCHDOG_USEC=600000 WATCHDOG_PID=1
ok 'a limit of another process' silent 1
unmounted
ended 'it serves even so' 0
started WATCHDOG_USEC=600000 WATCHDOG_PID=own
well 'a limit of its own'
# One request that does not end.
touch "$STUCK"
stat -f "$M" >"$W/out" 2>&1 &
sleep 0.5
well 'several threads: the others answer'
rm "$STUCK"
wait $!
is 'the request ends' 0 $?
kill "$daemon"
ended 'several threads: the end' 0
# A stuck daemon, which the manager ends by SIGABRT.
started WATCHDOG_USEC=600000 -o threads=1
well 'one thread: it is well'
touch "$STUCK"
stat -f "$M" >"$W/out" 2>&1 &
sleep 0.5
ok 'one thread: a daemon that answers nothing is silent' silent 2
(ulimit -c 0; kill -ABRT "$daemon")
ended 'one thread: it dies of the signal' $((128 + 6))
wait $!
rm "$STUCK"
started WATCHDOG_USEC=600000 -o threads=1,cache=1M
is 'the next one mounts in its place' 0 $?
# A long statement of the only thread.
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (a int PRIMARY KEY, b text) WITH compression = {'enabled': 'false'};
C
seq 1500 | awk 'BEGIN { print "a,b"; b = sprintf("%1000s", "x"); gsub(" ", "x", b) } { print $1 "," b }' >"$M/k/t.csv"
"$CTL" flush "$M" || fail 'flush'
touch "$SLOW"
begin=$SECONDS before=$(told WATCHDOG=1)
cql 'SELECT count(*) FROM k.t' >"$W/out"
rm "$SLOW"
ok 'a statement that takes long' test $((SECONDS - begin)) -ge 2
ok 'tells the manager that it goes on' more WATCHDOG=1 $((before + 3))
kill "$daemon"
ended 'the only thread: the end' 0
kill "$manager"
done_testing
