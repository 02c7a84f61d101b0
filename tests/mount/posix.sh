# The errno of each call at each kind of place (posix.py), also read-only; and
# the rules on times, modes and names that pjdfstest has (posixrules.py).
. tests/mount/lib.sh
for mode in rw ro; do
	start -o "$mode"
	timeout 200 python3 tests/mount/posix.py "$M" ${mode#rw} >"$W/out" 2>&1 || fail "posix.py, $mode: $(tail -1 "$W/out")"
	grep -a '^FAIL' "$W/out" && fail "calls, $mode"
	count=$(sed -n 's/^\([0-9]*\) passed, 0 failed$/\1/p' "$W/out")
	[ "${count:-0}" -gt 250 ] || fail "calls, $mode: ${count:-0} checks"
	passed=$((passed + count))
	stop
done
S=$W/store-rules
chmod 755 "$W"
start -o allow_other
timeout 200 python3 tests/mount/posixrules.py "$M" >"$W/out" 2>&1 || fail "posixrules.py: $(tail -1 "$W/out")"
grep -a '^FAIL' "$W/out" && fail "rules"
count=$(sed -n 's/^\([0-9]*\) passed, 0 failed$/\1/p' "$W/out")
[ "${count:-0}" -gt 750 ] || fail "rules: ${count:-0} checks"
passed=$((passed + count))
stop
done_testing
