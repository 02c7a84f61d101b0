# Wrong places, closed descriptors, limits, a daemon that died: what is said of it.
. tests/mount/lib.sh
status() { "$@" >"$W/out" 2>&1 </dev/null; echo $?; }
# says WHAT STATUS TEXT COMMAND...: one line alone.
says() {
	local what=$1 expected=$2 text=$3
	shift 3
	is "$what: the status" "$expected" "$(status "$@")"
	is "$what: what it says" "$text" "$(cat "$W/out")"
}
says 'no name' 2 'widefs: STORE: an empty name (usage: widefs [-o options] STORE MOUNTPOINT)' "$WIDEFS" '' "$M"
says 'no mount point' 2 'widefs: MOUNTPOINT: an empty name (usage: widefs [-o options] STORE MOUNTPOINT)' "$WIDEFS" "$S" ''
says 'nothing to make it in' 6 "widefs: $W/no/store: the directory above it is not there (make it first)" "$WIDEFS" "$W/no/store" "$M"
says 'nothing to read' 6 "widefs: $W/none: no such store (without ro it is made)" "$WIDEFS" -o ro "$W/none" "$M"
says 'a name that drives a terminal' 6 "widefs: $W/\\x1b[31m\\x0a/s: the directory above it is not there (make it first)" "$WIDEFS" "$W/"$'\e[31m\n/s' "$M"
says 'a command for it' 6 "widefsctl: $W/\\x1b[31m\\x0a: no such store (widefs STORE MOUNTPOINT makes and mounts one)" "$CTL" check "$W/"$'\e[31m\n'
says 'a command that is none' 2 'widefsctl: \x0a: no such command (see widefsctl --help)' "$CTL" $'\n'
# shellcheck disable=SC2016	# the other shell's
says 'a working directory that is gone' 2 'widefs: s: No such file or directory (the working directory)' sh -c 'mkdir "$1/gone" && cd "$1/gone" && rmdir "$1/gone" && exec "$2" s m' sh "$W" "$WIDEFS"
mkdir -m 300 "$W/unread" && chown 65534 "$W/unread" "$W" && chmod 755 "$W"
says 'a mount point that cannot be read' 1 "widefs: $W/unread: Permission denied (the mount point must be empty, and cannot be read)" setpriv --reuid=65534 --regid=65534 --clear-groups "$WIDEFS" "$W/s" "$W/unread"
chown 0 "$W"
touch "$W/file"
says 'a store that is a file' 1 "widefs: $W/file: Not a directory (a store is a directory)" "$WIDEFS" "$W/file" "$M"
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (a int PRIMARY KEY, b text);
C
mkdir "$W/user"
chmod 755 "$W"
says 'unmounted by another' 1 "widefsctl: $M: mounted by user $(id -u), who alone can unmount it, and root" setpriv --reuid=65534 --regid=65534 --clear-groups "$CTL" umount "$M"
(cd "$M/k" && status "$CTL" umount "$M") >"$W/status"
is 'unmounted from inside' 3 "$(cat "$W/status")"
is 'not by the command itself' 0 "$(grep -c 'widefsctl)' "$W/out")"
# shellcheck disable=SC2016	# the other shell's
is 'the working directory of the command itself' 0 "$(status sh -c 'cd "$1" && exec "$2" umount .' sh "$M" "$CTL")"
says 'a store inside of a store' 1 "widefs: $S/engine/x/y: it would be inside of the store $S (name another place)" "$WIDEFS" "$S/engine/x/y" "$M"
mkdir "$S/made"
says 'one in a directory that is there' 1 "widefs: $S/made: it would be inside of the store $S (name another place)" "$WIDEFS" "$S/made" "$M"
ok 'nothing came of it' rmdir "$S/made"
for command in flush compact; do
	says "$command outside of mounts" 6 'widefsctl: .: not in a widefs mount (name a store, a mount or a table in it)' "$CTL" "$command"
	is "$command in a store" 0 "$(cd "$S" && status "$CTL" "$command")"
done
says 'errors outside of mounts' 6 'widefsctl: .: not in a widefs mount (name a place in one)' "$CTL" errors

# Names that are hard on a list of options, and in a locale without them.
odd="$W/a, b\\,c=é"
mkdir "$odd"
for name in 'fsname=x,ro' 'ключ \'; do
	is "a store called $name" 0 "$(LC_ALL=C status "$WIDEFS" "$odd/$name" "$M")"
	is 'is the source of the mount' "$odd/$name" "$(findmnt -no SOURCE "$M")"
	is 'and found again' 0 "$(LC_ALL=C status "$CTL" umount "$M")"
done

# A mount of another name is unmounted as any, to the end.
for _ in 1 2 3 4 5; do
	start -o fsname=other,subtype=strange
	is 'a mount of another name' "other fuse.widefs" "$(findmnt -no SOURCE,FSTYPE "$M" | tr -s ' ')"
	is 'umount knows where its store is' "0 0" "$(status "$CTL" umount "$M") $(status "$CTL" check -q "$S")"
done

# A daemon that died.
start
kill -9 "$(daemon_pid)"
wait_closed
gone='the daemon of this mount has ended (mount the store again)'
says 'errors' 1 "widefsctl: $M/.widefs/errors: $gone" "$CTL" errors "$M"
says 'flush' 1 "widefsctl: $M: $gone" "$CTL" flush "$M"
says 'cql' 1 "widefsctl: $M: $gone" "$CTL" cql "$M" -e 'SELECT a FROM k.t'

# A store that somebody reads, and one without its marker.
mkfifo "$W/fifo"
umount "$M"
"$CTL" cql -r "$S" <"$W/fifo" >"$W/read" & reader=$!
exec 9>"$W/fifo"
echo 'SELECT key FROM system.local;' >&9
until grep -q local "$W/read"; do sleep 0.05; done
says 'a store that is read' 3 "widefs: $S: store is open in process $reader (unmount it)" "$WIDEFS" "$S" "$M"
is 'others may read it, too' 0 "$(status "$CTL" check "$S")"
exec 9>&-
wait "$reader"
cp -a "$S" "$W/copy"
rm "$W/copy/WIDEFS"
is 'a store without a marker is no new one' 4 "$(status "$WIDEFS" "$W/copy" "$M")"
ok 'and it says so' grep -q 'the store is damaged: WIDEFS is damaged at offset 0: it is missing, and there is engine (run: widefsctl check ' "$W/out"
is 'check does, too' 4 "$(status "$CTL" check "$W/copy")"
rm -r "$W/copy"

# Standard output and input that are closed or full.
for command in "$CTL --help" "$CTL cql --help" "$CTL bench --list" "$CTL check $S" "$WIDEFS --help" "$WIDEFS --version"; do
	is "$command cannot be written" 1 "$($command >/dev/full 2>"$W/err"; echo $?)"
	is 'says so' 1 "$(grep -c ': standard output: No space left on device$' "$W/err")"
done
is 'a daemon without descriptors' 0 "$("$WIDEFS" "$S" "$M" <&- >&- 2>&-; echo $?)"
ok 'works' put "$M/k/t/1.json" '{"b": "x"}'
is 'umount without descriptors' 0 "$("$CTL" umount "$M" <&- >&- 2>&-; echo $?)"
is 'a shell without input' 1 "$("$CTL" cql "$S" <&- 2>"$W/err"; echo $?)"
is 'says so, with its name' '<stdin>: Bad file descriptor' "$(cat "$W/err")"
is 'a shell without output' 1 "$("$CTL" cql "$S" -e 'SELECT a FROM k.t' >&- 2>"$W/err"; echo $?)"
is 'says so, too' 'The result cannot be written: Bad file descriptor' "$(cat "$W/err")"
says 'a script that is a directory' 1 "$W: Is a directory" "$CTL" cql "$S" -f "$W"
is 'the store is as it was' '0 problems' "$("$CTL" check "$S")"

# No file may be larger than 1200 KiB: what cannot be written is refused.
python3 -c 'for i in range(4000): print(f"{i},{i:0400d}")' >"$W/rows.csv"
(ulimit -f 1200 && "$WIDEFS" --log-file="$W/log" "$W/small" "$M") 2>"$W/err"
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (a int PRIMARY KEY, b text);
C
is 'more than fits' 1 "$(status "$CTL" cql "$M" -e "COPY k.t FROM '$W/rows.csv';")"
ok 'is refused' grep -q ': File too large$' "$W/out"
ok 'and the daemon lives' test -d "$M/k/t/0"
is 'its rows are those that were taken' "$(grep -o '^[0-9]* rows imported' "$W/out")" "$("$CTL" cql -m csv "$M" -e 'SELECT count(*) FROM k.t' 2>/dev/null | tail -1) rows imported"
umount "$M"
done_testing
