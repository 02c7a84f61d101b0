# The disk under the store fails under load, below a filesystem, and is well again:
# nbdkit's error filter - nbdfuse - loop - ext4. After the first error nothing is
# acknowledged any more, the store is read-only and goes on reading; after the repair all that was synced is there. CYCLES (1), the first with
# SEED (1), which also chooses commit=, and whether every or some writes to the disk
# fail, and whether they still do when the store is unmounted.
. tests/mount/lib.sh
[ "$(id -u)" = 0 ] || { fail 'a loop device needs root'; done_testing; }
for tool in nbdkit nbdfuse; do
	command -v $tool >/dev/null || { fail "there is no $tool: make check-long installs it"; done_testing; }
done
D=$W/disk S=$W/disk/store N=$W/nbd
mkdir "$D" "$N"
server=
# device RATE: the disk is $N/nbd; while there is a file $W/bad that part of its writes fails.
device() {
	local i
	rm -f "$W/bad"
	nbdfuse "$N/nbd" --command nbdkit -s --exit-with-parent --filter=error file "$W/image" \
		error=EIO error-rate="$1" error-pread-rate=0 error-file="$W/bad" >>"$W/nbd.log" 2>&1 &
	server=$!
	for ((i = 0; i < 200; i++)); do [ -e "$N/nbd" ] && return; sleep 0.05; done
	fail "nbdfuse: $(tail -1 "$W/nbd.log")"
	done_testing
}
no_device() {
	local i
	umount "$N" 2>/dev/null || umount -l "$N" 2>/dev/null
	[ -z "$server" ] || wait "$server"
	server=
}
trap 'umount -l "$M" 2>/dev/null; rm -f "$W/bad"; umount -l "$D" 2>/dev/null; no_device; finish' EXIT
worker() { timeout 200 python3 tests/mount/long/diskfault.py "$1" "$M" "$W/record" "$seed" "$commit" "$W/bad"; }
cycle() {
	local seed=$1 rate commit out i
	rate=$([ $((seed % 3)) = 0 ] && echo 20% || echo 100%)
	commit=commit=$([ $((seed % 4)) = 2 ] && echo 0 || echo 1)
	echo "seed $seed: $rate of the writes fail, $commit"
	truncate -s 0 "$W/image"
	truncate -s 96M "$W/image"
	mkfs.ext4 -qF "$W/image" || fail 'mkfs.ext4'
	device "$rate"
	mount -o loop "$N/nbd" "$D" || { fail 'a loop device'; done_testing; }
	: >"$W/log"
	start -o "$commit,memtable=1M"
	run_cql < <(echo "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p text PRIMARY KEY, v text); CREATE TABLE k.old (p int PRIMARY KEY, v text);"
		for i in {0..199}; do echo "INSERT INTO k.old (p, v) VALUES ($i, 'old $i');"; done)
	ok 'flush' put "$M/.widefs/ctl" flush
	if out=$(worker load 2>&1); then pass; else fail "under load, seed $seed:"; fi
	echo "$out"
	refused 'a flush' 'Read-only file system' dd of="$M/.widefs/ctl" status=none <<<'flush'
	refused 'fsync of the store' 'Input/output error' sync "$M"
	is 'the metric' 1 "$(awk '/^widefs_faulted/ { print $2 }' "$M/.widefs/metrics")"
	ok 'the log says so' grep -q 'the store is read-only now' "$W/log"
	ok '.widefs/errors says so' grep -q 'read-only since an error of the disk' "$M/.widefs/errors"
	# Being well again is not enough: what was lost is not known.
	[ $((seed % 2)) = 0 ] || rm "$W/bad"
	refused 'a write' 'Read-only file system' put "$M/k/t/0-0.json" '{"v": "1:x"}'
	refused 'fsync of the store, again' 'Input/output error' sync "$M"
	is 'reads' 'old 7' "$(cat "$M/k/old/7/v")"
	stop
	rm -f "$W/bad"
	umount "$D" || fail 'umount'
	e2fsck -fy "$N/nbd" >"$W/e2fsck" 2>&1
	[ $? -lt 4 ] || fail "e2fsck: $(tail -3 "$W/e2fsck")"
	mount -o loop "$N/nbd" "$D" || { fail 'the disk after its repair'; done_testing; }
	start -o "$commit"
	if out=$(worker look 2>&1); then pass; else fail "after the repair, seed $seed: $out"; fi
	echo "$out"
	for i in 0 99 199; do is 'an old row' "old $i" "$(cat "$M/k/old/$i/v")"; done
	ok 'a write' cql "INSERT INTO k.t (p, v) VALUES ('after', 'after')"
	ok 'fsync' sync "$M"
	again
	is 'the write' after "$(cat "$M/k/t/after/v")"
	stop
	ok 'sound afterwards' "$CTL" check "$S"
	umount "$D"
	no_device
}
for ((i = 0; i < ${CYCLES:-1}; i++)); do cycle $((${SEED:-1} + i)); done
done_testing
