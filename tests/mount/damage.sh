# Damage of a real store, told by the programs: status 4, the file's name, and
# nothing changed; a store that is open elsewhere (status 3, the process).
. tests/mount/lib.sh
E=$S/engine
sums() { (cd "$1" && find . -type f -printf '%p %s %m\n' -exec cksum {} + | sort); }
# fill: a store with sstables, killed while its log has rows. $W/whole is it.
fill() {
	start
	run_cql <<-'C'
	CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
	CREATE TABLE k.t (id int PRIMARY KEY, v text);
	INSERT INTO k.t (id, v) VALUES (1, 'one');
	C
	echo flush >"$M/.widefs/ctl"
	local i
	for i in 2 3 4 5 6 7 8 9; do echo "INSERT INTO k.t (id, v) VALUES ($i, 'value $i')"; done | sed 's/$/;/' | run_cql
	kill -9 "$(daemon_pid)"
	umount -l "$M" 2>/dev/null || fusermount3 -uz "$M"
	wait_closed
	cp -a "$S" "$W/whole"
}
restore() { rm -rf "$S"; cp -a "$W/whole" "$S"; }
# told WHAT STATUS NAME: all programs refuse $S so, and leave it as it is.
told() {
	local before after out status
	before=$(sums "$S")
	for how in mount ro check cql; do
		case $how in
		mount) out=$("$WIDEFS" "$S" "$M" 2>&1) ;;
		ro) out=$("$WIDEFS" -o ro "$S" "$M" 2>&1) ;;
		check) out=$("$CTL" check "$S" 2>&1) ;;
		cql) out=$("$CTL" cql -e 'SELECT * FROM k.t' "$S" 2>&1) ;;
		esac
		status=$?
		mountpoint -q "$M" && stop
		is "$1: status of $how ($out)" "$2" "$status"
		if [[ $out == *"$3"* ]]; then pass; else fail "$1: $how names no $3: $out"; fi
	done
	after=$(sums "$S")
	is "$1: nothing is changed" "$before" "$after"
	restore
}
# flip FILE OFFSET
flip() {
	local byte
	byte=$(od -An -tu1 -j "$2" -N1 "$1" | tr -d ' ')
	printf "%b" "\\x$(printf %x $((byte ^ 4)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
fill
log=$(basename "$E"/log-*) manifest=$(tr -d '\n' <"$E/CURRENT") table=$(basename "$(find "$E" -name '*.sst' | sort | tail -1)")
rm "$E/$log"; told 'the log is deleted' 4 "$log"
truncate -s 70000 "$E/$log"; told 'the log is cut short' 4 "$log"
: >"$E/$log"; told 'the log is empty' 4 "$log"
flip "$E/$log" 8; told 'the version of the log' 4 "$log"
rm "$E/$table"; told 'an sstable is deleted' 4 "$table"
rm "$E/$manifest"; told 'the manifest is deleted' 4 "$manifest"
flip "$E/$manifest" 8; told 'the version of the manifest' 4 "$manifest"
truncate -s $(($(stat -c %s "$E/$manifest") * 9 / 10)) "$E/$manifest"; told 'the manifest is cut short' 4 "$manifest"
rm "$E/CURRENT"; told 'CURRENT is deleted' 4 CURRENT
flip "$E/CURRENT" 3; told 'CURRENT has a wrong name' 4 CURRENT
flip "$E/CURRENT" 20; told 'CURRENT has a wrong number' 4 CURRENT
truncate -s 12 "$E/CURRENT"; told 'CURRENT is cut short' 4 CURRENT
: >"$E/CURRENT"; told 'CURRENT is empty' 4 CURRENT
rm "$S/WIDEFS"; told 'the marker is deleted' 4 WIDEFS
flip "$S/WIDEFS" 8; told 'the version of the marker' 4 WIDEFS
rm -r "$E"; told 'the engine is deleted' 4 engine
find "$E" -mindepth 1 -delete; told 'the engine is empty' 4 engine

# The machine and the mount are the same: every byte of the log's end counts.
# A kernel without numbers of mounts that are not given again knows less.
used=$(python3 - "$E/$log" <<'P'
import struct, sys
print(struct.unpack("<I", open(sys.argv[1], "rb").read(64)[56:60])[0])
P
)
same=$(python3 - "$E/$manifest" <<'P'
import sys
print(int(b"boot" in open(sys.argv[1], "rb").read()))
P
)
ok 'the log has records' test "$used" -gt 600
if [ "$same" = 1 ]; then
	for at in $((used - 9)) $((used - 40)) $((used - 80)) 60; do
		flip "$E/$log" $at
		told "a bit of the log's tail at $at" 4 "$log"
	done
	dd if=/dev/zero of="$E/$log" bs=1 seek=$((used - 100)) count=100 conv=notrunc status=none
	told "zeros in the log's tail" 4 "$log"
else
	ok 'the kernel has no such numbers' test "$(uname -r | cut -d. -f1)" -lt 6
fi

# The store itself is sound, and what is in the way goes only then.
: >"$E/000000000999.sst"
cp "$E/$table" "$E/000000000998.sst"
start
is 'all rows are there' 9 "$(cql 'SELECT count(*) FROM k.t' | jq -c '.rows[0][0]')"
ok 'files in the way are gone' test ! -e "$E/000000000999.sst" -a ! -e "$E/000000000998.sst"

# One writer, whatever becomes of LOCK.
pid=$(daemon_pid)
mkdir "$W/other" "$W/bind"
busy() {
	local out status
	out=$("$WIDEFS" "$2" "$W/other" 2>&1)
	status=$?
	mountpoint -q "$W/other" && umount "$W/other"
	is "$1: $out" 3 $status
	if [[ $out == *" $pid "* ]]; then pass; else fail "$1: process $pid is not named: $out"; fi
}
busy 'a second one' "$S"
rm "$S/LOCK"
busy 'LOCK is removed' "$S"
echo 1 >"$S/LOCK"
chmod 600 "$S/LOCK"
busy 'LOCK is another file' "$S"
mount --bind "$S" "$W/bind"
busy 'by a bind mount' "$W/bind"
umount "$W/bind"
cp -a "$S" "$W/copy"
ok 'a copy is another store' "$WIDEFS" "$W/copy" "$W/other"
is 'with the same rows' 9 "$(grep -c value "$W"/other/k/t/*/v | grep -c .)"
umount "$W/other"
stop
start
is 'all rows are still there' 9 "$(cql 'SELECT count(*) FROM k.t' | jq -c '.rows[0][0]')"
done_testing
