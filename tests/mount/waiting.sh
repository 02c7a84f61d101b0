# Files that wait for schema.cql: none is lost when the daemon is killed while that
# is written (waiting.py; SEED, ROUNDS).
. tests/mount/lib.sh
start
seed=${SEED:-1}
for ((i = seed; i < seed + ${ROUNDS:-6}; i++)); do
	python3 tests/mount/waiting.py "$M" "$(daemon_pid)" "$i"
	wait_closed
	umount -l "$M" 2>/dev/null || fusermount3 -uz "$M"
	start
	is "killed while schema.cql is written, seed $i" '' "$(python3 tests/mount/waiting.py "$M" look "$i" 2>&1)"
done
stop
is 'the store is sound' '0 problems' "$("$CTL" check "$S")"
done_testing
