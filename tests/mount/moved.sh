# Directories that are open while a row, table or keyspace above them is renamed
# (moved.py): the kernel has them by the numbers that they had.
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
stop
is 'the store is sound' '0 problems' "$("$CTL" check "$S")"
done_testing
