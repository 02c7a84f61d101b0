# Histories of what processes do to the same rows at once, by all ways, the
# daemon killed in some: each row is linearizable (history.py). HISTORIES,
# OPERATIONS in each, SEED, WAYS.
. tests/mount/lib.sh
timeout "${TIMEOUT:-800}" python3 tests/mount/history.py "$WIDEFS" "$CTL" "$W" "${HISTORIES:-4}" "${OPERATIONS:-500}" "${SEED:-1}" >"$W/history" 2>&1
status=$?
grep -v ' passed, ' "$W/history"
is 'the status of the histories' 0 $status
counts=$(grep -aE '^[0-9]+ passed, [0-9]+ failed$' "$W/history")
passed=$((passed + ${counts%% *} + 0)) counts=${counts#*, }
failed=$((failed + ${counts%% *} + 0))
done_testing
