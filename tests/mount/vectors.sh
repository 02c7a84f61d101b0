# The recorded answers of tests/vectors, through .cql.json (vectors.py).
# VECTORS='reads writes' tests/mount/run vectors plays some of the files, STEP=8
# every eighth.
. tests/mount/lib.sh
# shellcheck disable=SC2086	# names of files
timeout 1200 python3 tests/mount/vectors.py "$WIDEFS" "$W" "${STEP:-1}" ${VECTORS:-} >"$W/out" 2>&1 ||
	{ cut -c1-1000 "$W/out" | head -200; fail 'answers through a mount'; }
passed=$((passed + $(sed -n 's/^\([0-9]*\) passed, .*/\1/p' "$W/out" | tail -1)))
done_testing
