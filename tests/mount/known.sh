# The daemon's and the kernel's knowledge agrees with the store (fs/README.md,
# "Caching"): histories of random changes by all ways, by one process and by several
# (known.py). SEEDS, HISTORIES of each, PROCESSES.
. tests/mount/lib.sh
for seed in ${SEEDS:-1}; do
	for count in ${PROCESSES:-1 3}; do
		S=$W/store-$seed-$count
		start
		ok "seed $seed, $count processes" python3 tests/mount/known.py "$M" "$seed" "${HISTORIES:-4}" "$count" "$W/seen-$seed-$count"
		again
		ok "seed $seed, $count processes: on a new mount" python3 tests/mount/known.py "$M" again "$W/seen-$seed-$count"
		stop
		is "seed $seed, $count processes: the store is sound" '0 problems' "$("$CTL" check "$S")"
	done
done
done_testing
