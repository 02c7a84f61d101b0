# Options of every FUSE filesystem: each mounts a tree that answers, and does what mount.fuse3(8) and widefs(1) say.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p int PRIMARY KEY, v text, x blob);
INSERT INTO k.t (p, v) VALUES (1, 'one');
C
head -c 300000 /dev/urandom >"$W/blob"
cp "$W/blob" "$M/k/t/1/x"
chmod 700 "$M/k" "$M/k/t"
stop
# mounts OPTION: quietly, and a value is read.
mounts() {
	rm -f "$W/stderr"
	start -o "$1"
	is "$1: a value is read" one "$(cat "$M/k/t/1/v")"
	is "$1: nothing is said" '' "$(cat "$W/stderr")"
	stop
}
for option in allow_other auto_unmount default_permissions nosuid nodev noexec noatime nodiratime sync dirsync \
	fsname=some subtype=other clone_fd kernel_cache auto_cache noauto_cache entry_timeout=1 negative_timeout=0.5 \
	attr_timeout=0 ac_attr_timeout=9; do mounts $option; done
start -o max_read=8K
is 'the kernel has max_read' max_read=8192 "$(grep " $M " /proc/self/mounts | grep -o 'max_read=[0-9]*')"
is 'the options have it, too' max_read=8192 "$(grep ^max_read "$M/.widefs/options")"
ok 'longer reads have it all' cmp "$W/blob" "$M/k/t/1/x"
stop
for option in blksize=512 modules=iconv noforget remember=5 max_read=1 max_read=x uid=-1 uid=root gid=4294967295 umask=8 umask=1777; do
	refused "$option" "widefs: $option: " "$WIDEFS" -o $option "$S" "$M"
done

# uid, gid, umask: all belongs to them, for callers by path and for statements.
all() { { stat -c '%u %g %a' "$M/.widefs" "$M/.widefs/help" "$M/.snapshots" "$M/k.cql" "$M/k/t/1.json" "$M/k/t.csv" "$M/.json/k/t/1.json"; find "$M" -printf '%U %G %m\n'; } | sort | uniq -c | awk '{ print $2, $3, $4 }' | paste -sd,; }
start -o uid=65534,gid=65533,umask=027
is 'all is theirs' '65534 65533 440,65534 65533 640,65534 65533 750' "$(all)"
is 'the options say so' 'uid=65534 gid=65533 umask=027' "$(grep -E '^(uid|gid|umask)=' "$M/.widefs/options" | paste -sd' ')"
ok 'the owner that is shown may be set' chown 65534:65533 "$M/k/t/1/v"
ok 'and its mode' chmod 640 "$M/k/t/1/v"
refused 'another mode may not' 'not permitted' chmod 600 "$M/k/t/1/v"
stop
start -o umask=022
is 'a mode alone' 755 "$(stat -c %a "$M/k/t")"
is 'leaves the owner' "$(id -u)" "$(stat -c %u "$M/k/t")"
ok 'chmod is stored' chmod 711 "$M/k/t"
is 'and not shown' 755 "$(stat -c %a "$M/k/t")"
again
is 'without the option there are those that are stored' '700 711' "$(stat -c %a "$M/k" "$M/k/t" | paste -sd' ')"
stop
if [ "$(id -u)" = 0 ]; then
	as() { setpriv --reuid=65534 --regid=65534 --clear-groups -- bash -c "$1"; }
	asks() { as "exec 3<>'$M/.cql.ndjson' && echo '$1' >&3 && cat <&3"; }
	chmod 755 "$W"
	start -o allow_other
	refused 'another user' 'Permission denied' as "cat '$M/k/t/1/v'"
	refused 'nor by a statement' 'Permission denied' asks 'SELECT v FROM k.t;'
	again -o allow_other,uid=65534
	is 'as whose all is' one "$(as "cat '$M/k/t/1/v'")"
	is 'by a statement' '{"v": "one"}' "$(asks 'SELECT v FROM k.t;')"
	ok 'also changes' as "echo 'CREATE TABLE k.u (p int PRIMARY KEY);' >'$M/.cql' && mkdir '$M/made' && mkdir '$M/k/u/7'"
	again -o allow_other,umask=077
	refused 'a mode for nobody else' 'Permission denied' as "ls '$M'"
	again -o allow_other,umask=0007
	refused 'a mode without x' 'Permission denied' asks 'SELECT v FROM k.t;'
	again -o allow_other,umask=0
	is 'for all' '{"v": "one"}' "$(asks 'SELECT v FROM k.t;')"
	is 'and all is described to them' 1 "$(as "grep -c 'TABLE k.t ' '$M/k/schema.cql'")"
	stop
fi

# allow_root: root may enter what an ordinary user mounted, and nobody else, whatever the modes say.
if [ "$(id -u)" = 0 ]; then
	third() { setpriv --reuid=65533 --regid=65533 --clear-groups -- bash -c "$1"; }
	mkdir -p "$W/his/mnt" "$W/device"
	chown -R 65534:65534 "$W/his"
	ok 'a place for the device' mount -t tmpfs none "$W/device"
	mknod "$W/device/fuse" c 10 229 && chmod 666 "$W/device/fuse"
	ok 'the device for all' mount --bind "$W/device/fuse" /dev/fuse
	refused 'allow_root, which the machine does not allow' user_allow_other as "'$WIDEFS' -o allow_root '$W/his/store' '$W/his/mnt'"
	{ cat /etc/fuse.conf; echo user_allow_other; } >"$W/device/conf"
	ok 'it does now' mount --bind "$W/device/conf" /etc/fuse.conf
	H=$W/his/mnt
	ok 'allow_root' as "'$WIDEFS' -o allow_root '$W/his/store' '$H' && mkdir '$H/k' '$H/k/t' '$H/k/t/p' && echo one >'$H/k/t/p/f' && chmod 777 '$H/k' '$H/k/t'"
	is 'root reads' one "$(cat "$H/k/t/p/f")"
	ok 'and writes' put "$H/k/t/p/f" two
	is 'its owner, too' two "$(as "cat '$H/k/t/p/f'")"
	for call in "cat '$H/k/t/p/f'" "echo no >'$H/k/t/p/f'" "stat '$H/k/t/p'" "ls '$H'" "cat '$H/.widefs/help'" "echo no >'$H/.cql'"; do
		refused "a third user: $call" 'Permission denied' third "$call"
	done
	ok 'his unmount' as "fusermount3 -u '$H'"
	ok 'without it' as "'$WIDEFS' '$W/his/store' '$H'"
	refused 'not root either' 'Permission denied' cat "$H/k/t/p/f"
	ok 'his unmount again' as "fusermount3 -u '$H'"
	umount /etc/fuse.conf /dev/fuse "$W/device"
fi

echo file >"$M/file"
refused 'over files' 'is not empty' "$WIDEFS" "$S" "$M"
start -o nonempty
is 'nonempty' k "$(ls "$M" | grep -v made)"
stop
is 'hides them' file "$(cat "$M/file")"
rm "$M/file"
done_testing
