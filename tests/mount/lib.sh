# Sourced by the suites of tests/mount. A suite is a bash script of checks on a
# real mount; run gives it:
#   $W    a directory of its own, gone afterwards       $S, $M  store, mount point
# and it ends with `done_testing`.
set -u
B=${B:-build}
# shellcheck disable=SC2034	# CTL is used by those that source this
WIDEFS=$PWD/$B/widefs CTL=$PWD/$B/widefsctl
W=$(mktemp -d "${TMPDIR:-/tmp}/widefs-test.XXXXXX") S=$W/store M=$W/mnt
mkdir "$M"
export WIDEFS_CONFIG=	# not that of the machine
passed=0 failed=0
export LC_ALL=C.UTF-8
# The reports of a sanitizer of the daemon, whose standard error is closed.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:log_path=$W/log.sanitizer
[[ $0 != */commands* ]] || ASAN_OPTIONS+=:detect_leaks=1
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-}:log_path=$W/log.sanitizer
export TSAN_OPTIONS=${TSAN_OPTIONS:-}:log_path=$W/log.sanitizer

# start [-o OPTIONS]: mounts the store of this suite.
start() {
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=1 "$WIDEFS" --log-file="$W/log" "$@" "$S" "$M" 2>>"$W/stderr" || { echo "FAIL: the mount: $(tail -1 "$W/stderr")"; failed=$((failed + 1)); done_testing; }
}
# small_disk SIZE: the store of this suite is on a disk of that size in memory, $D.
small_disk() {
	D=$W/disk S=$W/disk/store sudo=
	[ "$(id -u)" = 0 ] || sudo=sudo
	mkdir "$D"
	$sudo mount -t tmpfs -o size="$1" tmpfs "$D" || fail 'a small disk'
	trap '$sudo umount -l "$D"; finish' EXIT
}
# stop: unmounts and waits until the daemon has closed the store. The mount is busy while
# another suite's `widefsctl status` looks at each mount.
stop() {
	local i
	for ((i = 0; i < 100; i++)); do
		! umount "$M" 2>/dev/null && ! fusermount3 -u "$M" 2>/dev/null &&
			grep -qF " $M fuse" /proc/self/mounts || break
		sleep 0.1
	done
	wait_closed
}
# A process that ends has no command line any more before it closes its files.
wait_closed() {
	local i
	for ((i = 0; i < 600; i++)); do
		pgrep -f -- "$S $M\$" >/dev/null || { [ -d "$S" ] && ! flock -n "$S" true; } || return 0
		sleep 0.05
	done
	echo "FAIL: the daemon did not end"
	failed=$((failed + 1))
	return 1
}
again() { stop; start "$@"; }
# The guardian has the daemon's command line until it has taken its name.
daemon_pid() { pgrep -o -f -- "$S $M\$"; }

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "FAIL: $*"; }
# is WHAT EXPECTED ACTUAL
is() {
	if [ "$2" = "$3" ]; then pass; else fail "$1"; printf '  expected: %q\n  actual:   %q\n' "$2" "$3"; fi
}
# ok WHAT COMMAND...: the command succeeds.
ok() {
	local what=$1 out
	shift
	if out=$("$@" 2>&1); then pass; else fail "$what: $out"; fi
}
# refused WHAT 'Error text' COMMAND...: it fails and says the text.
refused() {
	local what=$1 text=$2 out
	shift 2
	if out=$("$@" 2>&1); then fail "$what: it succeeded"; elif [[ $out == *"$text"* ]]; then pass; else fail "$what: $out (expected: $text)"; fi
}
# put FILE TEXT: writes as a shell does, and fails as it does.
# within SECONDS COMMAND...: it succeeds by then.
within() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do [ $SECONDS -lt $end ] || return 1; sleep 0.2; done
}
put() { printf '%s\n' "$2" >"$1"; }
add() { printf '%s\n' "$2" >>"$1"; }
# cql STATEMENT: through the root's .cql.json; prints the answer, fails as the write does.
cql() {
	local fd status
	exec {fd}<>"$M/.cql.json" || return 1
	printf '%s;' "$1" >&$fd
	status=$?
	cat <&$fd
	exec {fd}>&-
	return $status
}
# run_cql: a script on standard input, through .cql; must succeed.
run_cql() { cat >"$M/.cql" || fail "the script was refused: $(tail -1 "$M/.widefs/errors")"; }
names() { (cd "$1" && ls -U1 | tr '\n' ' ' | sed 's/ $//'); }

finish() {
	mountpoint -q "$M" && { umount -l "$M" 2>/dev/null || fusermount3 -uz "$M"; }
	local pid
	for pid in $(pgrep -f -- "$S $M\$"); do
		for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
		kill -9 "$pid" 2>/dev/null
	done
	[ -s "$W/log" ] && grep -aE 'Sanitizer|runtime error|assert' "$W/log" "$W/stderr"
	[ -n "${KEEP:-}" ] || rm -rf --one-file-system "$W"
}
trap finish EXIT
# Run a command: print its exit status; what it says is in $W/out and $W/err.
exits() { "$@" >"$W/out" 2>"$W/err" </dev/null; echo $?; }
done_testing() {
	if grep -qaE 'Sanitizer|runtime error|Assertion' "$W"/log* "$W"/stderr* 2>/dev/null; then
		fail "the daemon's messages"
		grep -aE -A60 'Sanitizer|runtime error|Assertion' "$W"/log* "$W"/stderr* | head -200
	fi
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
	exit
}
