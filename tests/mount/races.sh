# Processes that make, remove, rename and rewrite the same few rows at once: no
# file that is open refers to what its name no longer is, and tree and CQL agree.
. tests/mount/lib.sh
for seed in ${SEEDS:-1 101}; do
	S=$W/store-$seed
	start
	ok "seed $seed" python3 tests/mount/races.py "$M" "$seed" "${ROUNDS:-5}" "${SECONDS_EACH:-1.5}"
	again
	ok "seed $seed: on a new mount" python3 tests/mount/races.py "$M" again
	stop
	is "seed $seed: the store is sound" '0 problems' "$("$CTL" check "$S")"
done
done_testing
