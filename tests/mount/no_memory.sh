# The commands of widefsctl without the memory of one allocation, on a mount and on a store:
# no success with less than all, and no other reason.
. tests/mount/lib.sh
start
# commands KIND PLACE FIRST GROWTH: of the allocations; GROWTH=0 tries each.
commands() {
	local good bad hit
	mkdir "$W/with-$1"
	FIRST=$3 GROWTH=${GROWTH:-$4} python3 tests/mount/no_memory.py "$CTL" "$1" "$2" "$W/with-$1" >"$W/said" 2>&1
	read -r good bad hit <<<"$(tail -1 "$W/said")"
	if [ "$bad" = 0 ]; then passed=$((passed + good)); else fail "commands on a $1: $(head -20 "$W/said")"; fi
	# A plain build has all its memory: there each command succeeds, and that is all that is tried.
	echo "$1: $hit allocations failed"
	if [ "$B" = build ]; then echo "$good commands on a $1, with their memory"; else ok "a $1: allocations failed" test "${hit:-0}" -gt 30; fi
}
commands mount "$M" 1 1.5
# Opening a store takes the first thousand.
commands store "$W/unmounted" 1000 0.4
done_testing
