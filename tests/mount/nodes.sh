# The daemon knows few files more than max_nodes that only the kernel's caches hold
# (fs/node/idle.h), however many are looked at; processes that work in the tree
# meanwhile notice nothing: nodes.py. Kernels before 6.18 drop files alone.
. tests/mount/lib.sh
bound=4000 cells=${CELLS:-200000}
knows() { awk '/^nodes in memory/ { print $NF }' "$M/.widefs/stats"; }
resident() { awk '/VmRSS/ { print int($2 / 1024) }' "/proc/$(daemon_pid)/status"; }
few() { [ "$(knows)" -le $((bound * ${1:-1})) ]; }
# Note the most nodes and the most memory until the file is there.
sample() {
	local most=0 mib=0 now
	until [ -e "$1" ]; do
		now=$(knows) && [ "$now" -gt $most ] && most=$now
		now=$(resident) && [ "$now" -gt $mib ] && mib=$now
		sleep 0.1
	done
	echo $most $mib
}
columns=$(seq -f 'c%.0f' 40)
tables() {
	run_cql <<C
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p int, c int, ${columns//$'\n'/ int, } int, PRIMARY KEY (p, c));
CREATE TABLE k.sit (p int, c int, a text, b text, PRIMARY KEY (p, c));
CREATE TABLE k.w (p int PRIMARY KEY, a text, b text);
CREATE TABLE k.r (p bigint PRIMARY KEY, a text);
CREATE TABLE k.many (p int, c int, PRIMARY KEY (p, c));
C
	awk -v rows=$((cells / 40)) 'BEGIN {
		printf "p,c"; for (j = 1; j <= 40; j++) printf ",c%d", j; print ""
		for (i = 0; i < rows; i++) { printf "%d,%d", i % 10, i; for (j = 1; j <= 40; j++) printf ",%d", i; print "" } }' >>"$M/k/t.csv"
	seq 20000 | awk 'BEGIN { print "p,c" } { print $1 % 10 "," $1 }' >>"$M/k/many.csv"
	printf '%s\n' p,c,a,b 1,{2,3,4,5},a,b >>"$M/k/sit.csv"
}
# walk WHAT WORKER...: find over all cells, beside those that work.
walk() {
	local work look workers=("${@:2}")
	rm -f "$W/stop"
	python3 tests/mount/nodes.py "$M" "$W/stop" "${workers[@]}" >"$W/work" 2>&1 &
	work=$!
	sample "$W/stop" >"$W/most" &
	look=$!
	is "$1: the cells that find has" "$cells" "$(find "$M/k/t" -type f -size -2 | wc -l)"
	touch "$W/stop"
	wait $work
	is "$1: who works beside" 0 $?
	wait $look
	echo "$1: at most $(cut -d ' ' -f 1 "$W/most") nodes and $(cut -d ' ' -f 2 "$W/most") MiB; $(tr '\n' ' ' <"$W/work")"
	grep -v '^[A-Z][a-z]* [0-9]*$' "$W/work"
	is "$1: all worked to the end" ${#workers[@]} "$(grep -c '^[A-Z][a-z]* [1-9][0-9]*$' "$W/work")"
}
is_bounded() {
	local most mib
	read -r most mib <"$W/most"
	if [ "$most" -le $((bound * (3 + ${2:-1}))) ]; then pass; else fail "$1: $most nodes, where $bound are the bound"; fi
	# Sanitizers have an own use of memory.
	if [ "$B" != build ] || [ "$mib" -le 150 ]; then pass; else fail "$1: $mib MiB"; fi
	ok "$1: few remain" within 60 few "${2:-1}"
}
start -o max_nodes=$bound
is 'the option' max_nodes=$bound "$(grep max_nodes "$M/.widefs/options")"
tables
# DDL makes the kernel drop stale names, and much with them: first without.
walk 'by number' Sitter Writer Renamer
kernel=$(uname -r) minor=${kernel#*.}
if [ "${kernel%%.*}" -gt 6 ] || { [ "${kernel%%.*}" = 6 ] && [ "${minor%%[.-]*}" -ge 18 ]; }; then
	is_bounded 'by number'
	is 'the rows that find has' 20000 "$(find "$M/k/many" -mindepth 2 -type d | wc -l)"
	ok 'directories go too' within 60 few
	# A process that makes no nodes is not asked to drop any.
	before=$(grep asked "$M/.widefs/stats")
	sleep 2
	is 'nothing happens at rest' "$before" "$(grep asked "$M/.widefs/stats")"
fi
walk 'beside DDL' Sitter Writer Renamer Dropper
# Through the kernel's eyes: what was dropped is found again.
is 'a cell that was dropped' 17 "$(cat "$M/k/t/7/17/c40")"
stop
# A kernel that does not know the number of the notice.
${CC:-cc} -std=gnu17 -O2 -fPIC -shared -D_GNU_SOURCE tests/mount/no_prune.c -o "$W/no_prune.so" || fail 'no_prune.c'
ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 LD_PRELOAD=$W/no_prune.so start -o max_nodes=$bound
cql 'DROP KEYSPACE k' >/dev/null
tables
walk 'by name' Sitter Writer Renamer
# The directories of the rows stay.
is_bounded 'by name' 3
stop
is 'the store is sound' '0 problems' "$("$CTL" check "$S")"
done_testing
