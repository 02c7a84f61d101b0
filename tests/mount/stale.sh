# A look that begins after a change has returned sees the change, by all kinds of
# changes and looks, beside others that work (fs/README.md, "Caching"). PAIRS
# (880): of a change and its looks; SEED.
. tests/mount/lib.sh
pairs=${PAIRS:-880}
start
out=$(timeout 900 python3 tests/mount/stale.py "$M" "$pairs" "${SEED:-1}" 2>&1)
is 'nothing is stale' 0 $?
is 'all pairs' 1 "$(grep -c "pairs $pairs, .* stale 0\$" <<<"$out")"
echo "$out"
stop
done_testing
