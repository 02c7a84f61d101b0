# The daemon in a memory cgroup, which the machine must offer:
# large and small values are written, overwritten, deleted, scanned and read cold
# while compactions run, until the store has SIZE_MB (900), several times what the
# cgroup has (LIMIT_MB, 256). Nothing is killed, and every answer is right, before
# and after a new mount. SEED (1).
. tests/mount/lib.sh
[ "$(id -u)" = 0 ] || { fail 'a memory cgroup needs root'; done_testing; }
limit=${LIMIT_MB:-256} size=${SIZE_MB:-900} seed=${SEED:-1}
group=
# Version 1 has a mount with that controller, version 2 may have it in its root.
make_group() {
	local one two
	one=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2 }' /proc/mounts | head -1)
	two=$(awk '$3 == "cgroup2" { print $2 }' /proc/mounts | head -1)
	if [ -n "$one" ]; then
		mkdir "$one/widefs-test.$$" || return
		group=$one/widefs-test.$$ events=memory.oom_control
		echo "${limit}M" >"$group/memory.limit_in_bytes" || return
		# No swap beside it, where that is counted.
		[ ! -e "$group/memory.memsw.limit_in_bytes" ] || echo "${limit}M" >"$group/memory.memsw.limit_in_bytes"
	elif [ -n "$two" ] && grep -qw memory "$two/cgroup.controllers"; then
		echo +memory >"$two/cgroup.subtree_control" || return
		mkdir "$two/widefs-test.$$" || return
		group=$two/widefs-test.$$ events=memory.events
		echo "${limit}M" >"$group/memory.max" || return
		[ ! -e "$group/memory.swap.max" ] || echo 0 >"$group/memory.swap.max"
	else
		echo 'the machine has no memory controller'
		return 1
	fi
}
if ! make_group; then
	fail 'no memory cgroup can be made'
	[ -z "$group" ] || rmdir "$group"
	done_testing
fi
# The processes that were killed leave it late.
no_group() { local i; for ((i = 0; i < 100; i++)); do rmdir "$group" 2>/dev/null && return; sleep 0.1; done; }
trap 'finish; no_group' EXIT
start_in_group() {
	timeout 300 bash -c 'echo $$ >"$1" && exec "${@:2}"' sh "$group/cgroup.procs" "$WIDEFS" --log-file="$W/log" "$@" "$S" "$M" 2>>"$W/stderr" ||
		{ fail "the mount: $(tail -1 "$W/stderr")"; done_testing; }
	pid=$(daemon_pid)
}
work() {
	local out
	if out=$(timeout "${WORK_TIMEOUT:-900}" python3 tests/mount/long/memory.py "$1" "$M" "$W/record" "$seed" "$size" "$pid" "$limit" 2>&1); then
		pass
	else
		fail "$1, seed $seed:"
	fi
	echo "$out"
}
sound() {	# sound WHEN
	is "the daemon is there, $1" "$pid" "$(daemon_pid)"
	is "nothing was killed, $1" 0 "$(awk '$1 == "oom_kill" { print $2 }' "$group/$events")"
	case $(grep -aiE 'memory|allocate' "$W/log") in '') pass ;; *) fail "the log, $1: $(grep -aiE 'memory|allocate' "$W/log" | head -3)" ;; esac
}
start_in_group ${OPTIONS:+-o "$OPTIONS"}
is 'the daemon is in the group' "$pid" "$(grep -x "$pid" "$group/cgroup.procs")"
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.rows (p int, c int, v text, PRIMARY KEY (p, c));
C
mkdir "$M/k/large"
work load
sound 'after the load'
stop
start_in_group ${OPTIONS:+-o "$OPTIONS"}
work look
sound 'on the new mount'
stop
ok 'the store is sound' "$CTL" check "$S"
done_testing
