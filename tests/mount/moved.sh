# Directories that are open while a row, table or keyspace above them is renamed
# (moved.py): the kernel has them by the numbers that they had. Then many renames at
# random (moved_random.py; SEEDS, OPS), with what is in memory alone below them.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE a WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE KEYSPACE b WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE a.t (id int PRIMARY KEY, a text, b text, m map<int, text>);
C
mkdir "$M/a/t/1" "$M/a/t/1/m"
put "$M/a/t/1/a" 1
put "$M/a/t/1/m/1" 1
is 'directories from before a rename' '' "$(python3 tests/mount/moved.py "$M" 2>&1)"
for seed in ${SEEDS:-1 2 3}; do
	is "random renames, seed $seed" '' "$(python3 tests/mount/moved_random.py "$M" "$seed" "${OPS:-200}" 2>&1)"
done
stop
is 'the store is sound' '0 problems' "$("$CTL" check "$S")"
done_testing
