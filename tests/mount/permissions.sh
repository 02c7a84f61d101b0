# Everything that can be done, by an owner, a member of the group, another and
# root, to keyspaces and tables of many modes (fs/README.md).
. tests/mount/lib.sh
chmod 755 "$W"
matrix() {
	local out
	if out=$(timeout 200 python3 tests/mount/permissions.py "$M" "$1"); then pass; else fail "$1: $(head -20 <<<"$out")"; fi
	# Nothing may have been left out.
	ok "$1: all cases" test "$(tail -1 <<<"$out" | cut -d' ' -f1)" -ge "$2"
}
start -o allow_other
matrix rw 3900
again -o allow_other,ro
matrix ro 200
again
matrix closed 200
stop
is 'the store is sound' '0 problems' "$("$CTL" check "$S")"
done_testing
