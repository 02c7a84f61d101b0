# Writers beside renames of tables and keyspaces, beside snapshots that are taken,
# restored and released, and beside the daemon's death: moments.py. CYCLES (4): in
# every second the daemon is killed. SECONDS_EACH (4): how long one is at most.
. tests/mount/lib.sh
seed=${SEED:-1} cycles=${CYCLES:-4} log=$W/written
: >"$log"
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE KEYSPACE o WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (w int, n int, v text, x text, PRIMARY KEY (w, n));
CREATE INDEX ON k.t (x);
C
moments() { timeout 300 python3 tests/mount/long/moments.py "$M" "$log" "$@"; }
for ((i = 0; i < cycles; i++)); do
	if ((i % 2)); then
		ok "seed $((seed + i)): killed" moments work $((seed + i)) "${SECONDS_EACH:-4}" "$(daemon_pid)"
		wait_closed
		umount -l "$M" 2>/dev/null
		start
	else
		ok "seed $((seed + i))" moments work $((seed + i)) "${SECONDS_EACH:-4}"
	fi
	ok "seed $((seed + i)): what is there" moments check
	again
	ok "seed $((seed + i)): on a new mount" moments check
done
ok 'there were writes' test "$(grep -c '"written"' "$log")" -gt $((cycles * 20))
ok 'and snapshots' test "$(grep -c '"has"' "$log")" -ge $((cycles / 2))
ok 'and restores' grep -q '"restored"' "$log"
ok 'and renames' test "$(grep -c '"moved"' "$log")" -ge $((cycles / 2))
stop
is 'the store is sound' '0 problems' "$("$CTL" check "$S")"
done_testing
