# Directories that wait for their @key: their files are there after the daemon is
# killed, after an unmount, and in a restore that is broken off, by each tool.
. tests/mount/lib.sh
start
long=$(head -c 300 /dev/zero | tr '\0' a)
run_cql <<<"CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.wide (p text, c text, v int, w text, m map<text, text>, PRIMARY KEY (p, c));"
for i in {1..5}; do
	run_cql <<<"INSERT INTO k.wide (p, c, v, w, m) VALUES ('$long$i', 'c', $i, 'text', {'$long': 'x', 'y': 'z'}) USING TTL 1000000;
INSERT INTO k.wide (p, c, v) VALUES ('short', '$long$i', $i);"
done
answer() { cql 'SELECT p, c, v, w, m FROM k.wide'; }
before=$(answer)
mkdir "$W/away"
ok 'a backup' rsync -aX "$M/k/" "$W/away/"

die() {
	kill -9 "$(daemon_pid)"
	wait_closed
	umount -l "$M" 2>/dev/null || fusermount3 -uz "$M"
}
files() { (cd "$M/k/wide" && find . -type f ! -name @key -size +0 | sort | xargs -d '\n' grep -H '' | md5sum); }
all=$(files)
empty() { run_cql <<<'TRUNCATE k.wide;'; rm -rf "$M/k/wide"/*; }
# restored NAME COMMAND...: without the keys; the daemon dies, or ends; then all of it.
restored() {
	local what=$1 way
	shift
	for way in die stop; do
		empty
		ok "$what without the keys" "$@" --exclude=@key
		$way
		start
		is "files that wait after $way, $what" "$all" "$(files)"
		is "rows before the keys, $what" '{"columns":[{"name":"p","type":"text"}],"rows":[]}' "$(cql 'SELECT p FROM k.wide')"
		ok "$what" "$@"
		is "rows after $way, $what" "$before" "$(answer)"
		is "differences after $way, $what" '' "$(rsync -aXn --delete --itemize-changes "$W/away/" "$M/k/")"
		stop
		start
		is "rows after a mount, $what" "$before" "$(answer)"
	done
}
tarred() { tar -C "$W/away" "$@" --xattrs -cf - wide | tar -C "$M/k" --xattrs --xattrs-include='user.*' -xf -; }
restored rsync rsync -aX "$W/away/" "$M/k/"
restored 'rsync --fsync' rsync -aX --fsync "$W/away/" "$M/k/"
restored tar tarred
# cp knows no names to leave out.
copied() { cp -a "${from:-$W/away}/wide" "$M/k/"; }
cp -a "$W/away" "$W/keyless"
find "$W/keyless" -name @key -delete
for way in die stop; do
	empty
	from=$W/keyless ok 'cp -a without the keys' copied
	$way
	start
	is "files that wait after $way, cp -a" "$all" "$(files)"
	ok 'cp -a' copied
	is "rows after $way, cp -a" "$before" "$(answer)"
done
# Elements and rows that are nothing but their keys come back after a statement deleted
# them, though the daemon and the kernel have known their directories.
run_cql <<<"CREATE TABLE k.bare (p text, c text, v int, s set<text>, PRIMARY KEY (p, c));
INSERT INTO k.bare (p, c) VALUES ('short', '$long');
INSERT INTO k.bare (p, c, s) VALUES ('$long', 'c', {'x', '$long'});"
bare=$(cql 'SELECT * FROM k.bare')
rsync -aX "$M/k/bare" "$W/"
for way in rsync tar 'cp -a' rsync; do
	if [ "$way" = tar ]; then
		run_cql <<<"DELETE FROM k.bare WHERE p = 'short' AND c = '$long'; DELETE s FROM k.bare WHERE p = '$long' AND c = 'c';"
	else
		run_cql <<<'TRUNCATE k.bare;'
	fi
	case $way in
	rsync) rsync -aX "$W/bare" "$M/k/" ;;
	tar) tar -C "$W" --xattrs -cf - bare | tar -C "$M/k" --xattrs --xattrs-include='user.*' -xf - ;;
	cp*) cp -a "$W/bare" "$M/k/" ;;
	esac || fail "$way of deleted rows"
	is "deleted rows after $way" "$bare" "$(cql 'SELECT * FROM k.bare')"
done
# A file that is synced, or written under O_SYNC, is there after a kill.
empty
row=$(cd "$W/away/wide" && printf '%s\n' a*%~* | head -1)
mkdir -p "$M/k/wide/$row/c"
ok 'a file is synced' dd if="$W/away/wide/$row/c/w" of="$M/k/wide/$row/c/w" conv=fsync status=none
ok 'a file is written under O_SYNC' dd if="$W/away/wide/$row/c/v" of="$M/k/wide/$row/c/v" oflag=sync status=none
ok 'the directory is synced' sync "$M/k/wide/$row"
die
start
is 'the synced files' "$(cat "$W/away/wide/$row/c/"[vw])" "$(cat "$M/k/wide/$row/c/"[vw])"
rm -r "$M/k/wide/$row"
die
start
is 'files after a removal' '' "$(ls "$M/k/wide")"
stop
is 'the store is sound' '0 problems' "$("$CTL" check "$S")"
done_testing
