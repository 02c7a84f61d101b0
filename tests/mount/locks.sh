# Locks of flock and fcntl keep processes apart, whichever nodes their opens get;
# databases of SQLite in cells come to no harm.
. tests/mount/lib.sh
locks() { python3 tests/mount/locks.py "$@"; }
start
run_cql <<'CQL'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (id int PRIMARY KEY, cell text, db blob);
CQL
mkdir "$M/k/t/1" "$M/k/plain" "$M/k/plain/p"
row=$M/k/t/1
put "$row/cell" x
put "$row/.cell.AbCdEf" x
put "$M/k/plain/p/file" x
flushes() { sed -n 's/^widefs_request_seconds_count{kind="flush"} //p' "$M/.widefs/metrics"; }

first=$(flushes)
second=$(flushes)
for ((i = 0; i < 20; i++)); do read -r _ <"$row/cell"; done
is 'readers of what nobody locks send no request more' $((2 * second - first)) "$(flushes)"

for file in "$row/cell" "$row/.cell.AbCdEf" "$M/k/plain/p/file"; do
	for what in orders waits deadlock closes; do
		is "$what of ${file#"$M"/}" '' "$(locks "$what" "$file")"
	done
done
is 'a file that is replaced' '' "$(locks replaced "$row/cell")"
for journal in delete:500 wal:500 truncate:50 persist:50; do
	is "a database, $journal" '' "$(locks database "$row/db" "${journal%:*}" "${journal#*:}")"
	rm "$row/db"
done
is 'a database in a schemaless table' '' "$(locks database "$M/k/plain/p/db" delete 50)"

# A process that waits when the daemon ends gets an answer.
coproc locks waiter "$row/cell"
read -r line <&"${COPROC[0]}"
is 'one waits' waits "$line"
pid=$(daemon_pid)
kill "$pid"
read -r line <&"${COPROC[0]}"
is 'a waiting call is answered at the end' ENOLCK "$line"
wait
wait_closed

start -o threads=1
is 'orders, with one thread' '' "$(locks orders "$row/cell")"
is 'waits, with one thread' '' "$(locks waits "$row/cell")"
is 'closes, with one thread' '' "$(locks closes "$row/cell")"
stop
is 'the store is sound' '0 problems' "$("$CTL" check "$S")"
done_testing
