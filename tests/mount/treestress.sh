# Random work on names by four processes against a model; 0 mismatches.
. tests/mount/lib.sh
for seed in ${SEEDS:-1}; do
	S=$W/store-$seed
	start
	ok "seed $seed" timeout $((${SECONDS_EACH:-8} + 90)) python3 tests/mount/treestress.py "$M" "$seed" "${SECONDS_EACH:-8}"
	again
	ok "seed $seed: on a new mount" python3 tests/mount/treestress.py "$M" "$seed" again
	stop
	is "seed $seed: the store is sound" '0 problems' "$("$CTL" check "$S")"
done
done_testing
