# Documents of rows and definitions are the same in the tree and in .json: after each of random changes by all ways
# (json_rows.py), and at once for processes that change and read beside each other (json_races.py). SEEDS; STEPS, ROUNDS of each.
. tests/mount/lib.sh
for seed in ${SEEDS:-1 2 3}; do
	S=$W/store-$seed
	start
	ok "seed $seed" python3 tests/mount/json_rows.py "$M" "$seed" "${STEPS:-60}"
	ok "seed $seed, several processes" python3 tests/mount/json_races.py "$M" "$seed" 3 "${ROUNDS:-60}"
	stop
	is "seed $seed: the store is sound" '0 problems' "$("$CTL" check "$S")"
done
done_testing
