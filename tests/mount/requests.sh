# How often the kernel has to ask the daemon, by command: as often as requests.txt says and explains, or less.
. tests/mount/lib.sh
start
run_cql <<'E'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p text, n int, a int, b text, c text, d text, e text, PRIMARY KEY (p, n));
E
mkdir "$M/k/t/p1" "$M/k/t/p2"
for p in p1 p2; do
	for n in 1 2 3 4 5 6 7; do put "$M/k/t/$p/$n.json" '{"a": 1, "b": "b", "c": "c", "d": "d"}'; done
done
COPY=$W/copy timeout 600 python3 tests/mount/requests.py "$M" >"$W/requests"
is 'each was run' 0 $?
grep -v '^#' "$W/requests"
is 'no more requests than listed' '' "$(grep '^more: ' "$W/requests")"
is 'the commands' "$(cut -f 1 tests/mount/requests.txt)" "$(grep -v '^more: ' "$W/requests" | cut -f 1)"
stop
done_testing
