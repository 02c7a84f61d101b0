# The kernel's caches agree with the store (fs/README.md, "Caching"): random calls and
# statements, and the whole tree before and after the kernel drops its caches.
. tests/mount/lib.sh
for seed in ${SEEDS:-1 2}; do
	S=$W/store-$seed
	start
	ok "seed $seed" python3 tests/mount/caches.py "$M" "$seed" "${STEPS:-100}"
	stop
	is "seed $seed: the store is sound" '0 problems' "$("$CTL" check "$S")"
done
done_testing
