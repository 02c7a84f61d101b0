# Many rows (ROWS, 1,000,000): through T.ndjson and T.csv, import and export, in and
# out, by sorted checksum; then find looks at each, and a partition of all of them and
# as many partitions are listed whole while others insert and delete. The resident memory of the daemon
# stays below LIMIT_MB (300) in each step; the steps print it with the CPU time
# of the daemon for a row, which says more on a busy machine than a clock.
. tests/mount/lib.sh
rows=${ROWS:-1000000} limit=${LIMIT_MB:-300}
ticks=$(getconf CLK_TCK)
used() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
# step NAME COMMAND...: on a new mount.
step() {
	local name=$1 pid begin peak
	shift
	again
	pid=$(daemon_pid) begin=$(used "$pid")
	ok "$name" "$@"
	peak=$(awk '/VmHWM/ { print int($2 / 1024) }' "/proc/$pid/status")
	awk -v n="$name" -v t=$(($(used "$pid") - begin)) -v k="$ticks" -v r="$rows" -v p="$peak" \
		'BEGIN { printf "%-34s %6.2f us a row of the daemon, at most %d MiB\n", n, t / k / r * 1e6, p }'
	if [ "$peak" -lt "$limit" ]; then pass; else fail "$name: $peak MiB are resident"; fi
}
rows_csv() { awk -v n="$rows" 'BEGIN { print "p,c,a,b,d"; for (i = 0; i < n; i++) printf "%d,%d,%d,name %d,%.3f\n", i / 1000, i % 1000, i * 7919 % 1000003, i, i / 8 }'; }
sum() { sort | sha256sum; }
append_csv() { rows_csv >>"$M/k/a.csv"; }
append_ndjson() { cat "$W/a.ndjson" >>"$M/k/b.ndjson"; }
read_to() { cat "$M/k/$1" >"$W/$1"; }
# Others insert and delete below a directory meanwhile.
list() {	# list WANTED DIRECTORY TABLE KEY
	local other count
	(for ((i = 0; ; i = (i + 1) % 100)); do
		echo "INSERT INTO k.$3 (p, c) VALUES ($4); DELETE FROM k.$3 WHERE p = ${4%%,*} AND c = ${4##*,};" | sed "s/-1/-$((i + 1))/g" >"$M/.cql"
	done) &
	other=$!
	count=$(find "$2" -maxdepth 0 -exec ls -U {} + | grep -vc '^-')
	kill $other
	wait $other 2>/dev/null
	[ "$count" = "$1" ] || { echo "$count entries"; return 1; }
}
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.a (p int, c int, a int, b text, d double, PRIMARY KEY (p, c));
CREATE TABLE k.b (p int, c int, a int, b text, d double, PRIMARY KEY (p, c));
CREATE TABLE k.one (p int, c int, PRIMARY KEY (p, c));
CREATE TABLE k.many (p int, c int, PRIMARY KEY (p, c));
C
# The columns of a document are in the order of the schema.
step 'T.csv, in' append_csv
step 'T.csv, out' read_to a.csv
is 'rows of T.csv' "$(rows_csv | cut -d , -f 1-4 | sum)" "$(cut -d , -f 1-4 "$W/a.csv" | sum)"
step 'T.ndjson, out' read_to a.ndjson
step 'T.ndjson, in' append_ndjson
step 'export' "$CTL" export "$M/k/b" "$W/b.csv"
is 'rows by T.ndjson' "$(sum <"$W/a.csv")" "$(sum <"$W/b.csv")"
cql 'TRUNCATE k.b' >/dev/null
step 'import' "$CTL" import "$M/k/b" "$W/a.csv"
read_to b.csv
is 'rows by import' "$(sum <"$W/a.csv")" "$(sum <"$W/b.csv")"
# Blocks that leave the cache give their memory back.
three() { for _ in 1 2 3; do read_to a.csv && read_to b.ndjson; done; }
step 'six documents, out' three
rm "$W"/*.csv "$W"/*.ndjson
one() { seq "$rows" | awk 'BEGIN { print "p,c" } { print "1," $1 }' >>"$M/k/one.csv"; }
many() { seq "$rows" | awk 'BEGIN { print "p,c" } { print $1 ",1" }' >>"$M/k/many.csv"; }
step 'a partition of all, in' one
step 'a partition of all, listed' list "$rows" "$M/k/one/1" one '1, -1'
# The kernel looks up each row.
walk() { [ "$(find "$M/k/a" -mindepth 2 -maxdepth 2 -newermt 2000-01-01 | wc -l)" = "$rows" ]; }
step 'rows, by find' walk
step 'as many partitions, in' many
step 'as many partitions, listed' list "$rows" "$M/k/many" many '-1, -1'
done_testing
