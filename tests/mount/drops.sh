# Tables and keyspaces that are made and renamed by path while others drop them.
# SECONDS_EACH (6).
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
C
if out=$(timeout 300 python3 tests/mount/drops.py "$M" "${SECONDS_EACH:-6}" 2>&1); then pass; else fail 'calls beside drops'; fi
echo "$out"
ok 'the last table can be made' run_cql <<<'CREATE TABLE k.z (p int PRIMARY KEY);'
stop
is 'the store is sound' 0 "$(exits "$CTL" check "$S")"
done_testing
