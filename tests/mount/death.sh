# The daemon dies by whatever cause, under load (widefs.1), of
# root's mount and of an ordinary user's. ROUNDS (10): deaths, of all. The device
# and the control filesystem are made as they are elsewhere, in a mount namespace
# of our own.
[ -n "${DEATH_PRIVATE:-}" ] || DEATH_PRIVATE=1 exec unshare -m --propagation private bash "$0" "$@"
. tests/mount/lib.sh
# A crash is the death here, not a finding of a sanitizer.
export ASAN_OPTIONS=$ASAN_OPTIONS:handle_segv=0:handle_abort=0 TSAN_OPTIONS=$TSAN_OPTIONS:handle_segv=0:handle_abort=0
user=65534 left=${ROUNDS:-10} connections=/sys/fs/fuse/connections
as() { setpriv --reuid=$user --regid=$user --clear-groups -- "$@"; }
export CONTROL=$W/control WIDEFS CTL
mkdir "$CONTROL" "$W/device"
chmod 755 "$W"
ok 'the control filesystem' mount -t fusectl none "$CONTROL"
mountpoint -q $connections && ok 'at no place' umount $connections
# dies WHO ROUNDS COMMAND...: in $W/WHO.
dies() {
	local who=$1 rounds=$2 out
	shift 2
	mkdir -p "$W/$who/mnt"
	[ "$who" = root ] || chown -R $user:$user "$W/$who"
	out=$("$@" timeout 3000 python3 tests/mount/death.py "$W/$who/store" "$W/$who/mnt" "$rounds" "${SEED:-1}" 2>&1)
	is "$who: no death hangs" 0 $?
	is "$who: all rounds" 1 "$(grep -c "^rounds $rounds, bad 0" <<<"$out")"
	echo "$who: $out"
	mountpoint -q "$W/$who/mnt" && umount -l "$W/$who/mnt"
	is "$who: the store is sound" 0 "$(timeout 60 "$CTL" check "$W/$who/store" >"$W/check" 2>&1; echo $?)"
}
dies root $((left * 4 / 10)) env FORCE=1
ok 'a place for the device' mount -t tmpfs none "$W/device"
mknod "$W/device/fuse" c 10 229 && chmod 666 "$W/device/fuse"
ok 'the device for all' mount --bind "$W/device/fuse" /dev/fuse
# Without the control filesystem the guardian refuses the requests itself.
dies user $((left * 3 / 10)) as
ok 'the control filesystem in its place' mount -t fusectl none $connections
dies controlled $((left - left * 7 / 10)) as env FORCE=1
umount /dev/fuse $connections "$W/device" "$CONTROL"
done_testing
