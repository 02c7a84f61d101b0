# A mount that an automounter asks for (x-systemd.automount): it lies on top of the
# automounter's, which lets nobody else look there meanwhile.
. tests/mount/lib.sh
[ "$(id -u)" = 0 ] || { ok 'an automounter is root' sudo env B="$B" bash "$0"; done_testing; }
start
mkdir "$M/found"
stop
is 'a look finds the store' found "$(python3 tests/mount/automount.py "$M" "$WIDEFS" --log-file="$W/log" "$S" "$M" 2>&1)"
wait_closed
ok 'nothing is left there' sh -c "! mountpoint -q '$M'"
refused 'a mount in the place of another' 'something is mounted here already' sh -c "mount -t tmpfs none '$M' && '$WIDEFS' '$S' '$M'"
umount "$M"
done_testing
