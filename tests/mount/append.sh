# Appends by several shells to one cell (fs/README.md, "Cells": a write takes effect as
# one cell write at close, others see the old value or the new one, never a part;
# principle 3: a write is never lost, cut or reinterpreted).
# So: each line once and whole; those of a shell in their order; and what a reader
# sees is whole lines, and a beginning of all that is read later.
. tests/mount/lib.sh
LINES_EACH=${LINES_EACH:-1000}
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (id int PRIMARY KEY, log text, raw blob, m map<text, text>);
C
mkdir "$M/k/t/1" "$M/k/n"

# append NAME FILE: numbered lines, each of other bytes, by an open and a close of its own.
append() {
	local i
	for ((i = 1; i <= LINES_EACH; i++)); do
		printf '%s %04d %s\n' "$1" "$i" "${1}${i}${1}" >>"$2" || echo "$1 $i"
	done
}
# read_all FILE DIR NAME: read it until DIR/done is there, and say what is wrong: each is
# compared with the one before.
read_all() {
	local seen=0
	: >"$2/$3.before"
	while [ ! -e "$2/done" ]; do
		cat "$1" >"$2/$3.now" || { echo "cat failed"; continue; }
		[ ! -s "$2/$3.now" ] || [ "$(tail -c 1 "$2/$3.now" | od -An -tx1)" = ' 0a' ] || echo "a line is cut: $(tail -c 40 "$2/$3.now")"
		cmp -s -n "$(stat -c %s "$2/$3.before")" "$2/$3.before" "$2/$3.now" || echo "not what was read before and more: $(cmp "$2/$3.before" "$2/$3.now" 2>&1)"
		cp "$2/$3.now" "$2/$3.before"
		seen=$((seen + 1))
	done
	echo $seen >"$2/$3.count"
}
# both WHAT FILE: two shells append and two read.
both() {
	local what=$1 file=$2 dir=$W/${1// /-} name readers=() writers=()
	mkdir -p "$dir" "${file%/*}"
	: >>"$file"
	for name in one two; do read_all "$file" "$dir" "$name" >"$dir/$name.said" 2>&1 & readers+=($!); done
	for name in a b; do append $name "$file" >"$dir/$name.said" 2>&1 & writers+=($!); done
	wait "${writers[@]}"
	touch "$dir/done"
	wait "${readers[@]}"
	is "$what: every append succeeded" '' "$(head -q -n 5 "$dir/a.said" "$dir/b.said")"
	is "$what: what readers saw" '' "$(head -q -n 5 "$dir/one.said" "$dir/two.said")"
	ok "$what: both read" test "$(cat "$dir/one.count")" -gt 1 -a "$(cat "$dir/two.count")" -gt 1
	for name in a b; do
		is "$what: the lines of $name, in their order" '' "$(append $name /dev/stdout | diff - <(grep "^$name " "$file") | head -5)"
	done
	is "$what: and none besides" $((2 * LINES_EACH)) "$(wc -l <"$file")"
	cp "$file" "$dir/whole"
	again
	ok "$what: every byte after a remount" cmp "$dir/whole" "$file"
}
both 'a text cell' "$M/k/t/1/log"
both 'a blob' "$M/k/t/1/raw"
both 'an element of a map' "$M/k/t/1/m/k"
both 'a file of a schemaless table' "$M/k/n/p/log"
stop
done_testing
