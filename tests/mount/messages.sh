# Messages of the programs and reasons of refusals that no other suite provokes: each is one
# line and names its object; the exit status.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p int, c int, v text, s set<int>, m map<int, text>, n int, PRIMARY KEY (p, c));
CREATE TABLE k.wide (p text PRIMARY KEY, v text);
CREATE TABLE k.count (p int PRIMARY KEY, n counter);
INSERT INTO k.t (p, c, v, s, m) VALUES (1, 1, 'x', {1}, {1: 'x'});
UPDATE k.count SET n = n + 1 WHERE p = 1;
CREATE TYPE k.u (a int);
CREATE TABLE k.typed (p int PRIMARY KEY, u frozen<u>);
INSERT INTO k.typed (p, u) VALUES (1, {a: 1});
C
touch "$W/file"
mkdir -p "$W/empty" "$W/other"
# gives STATUS TEXT COMMAND...: TEXT is all that it says, with M, S and W for their paths.
gives() {
	local status=$1 text=$2 got
	shift 2
	timeout 120 "$@" >"$W/out" 2>"$W/err" </dev/null
	got=$?
	is "${*//$W\//}" "$status $text" "$got $(sed "s|$M|M|g; s|$S|S|g; s|$W|W|g" "$W/err")"
}
# fails STATUS TEXT CALLS:error=ERRNO[:when=N+] PATH COMMAND...: where the command's CALLS on
# PATH (as it names it; '': on any file) fail so.
fails() { ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 gives "$1" "$2" strace -f -o "$W/calls" -e quiet=all ${4:+-P "$4"} -e "inject=$3" "${@:5}"; }
# A daemon that does not answer: it takes 10 seconds to say so, beside the others.
mkdir "$W/still"
"$WIDEFS" "$W/still.store" "$W/still"
ls "$W/still" >"$W/out"	# the kernel knows its root then
still=$(pgrep -o -f -- "$W/still.store $W/still\$")
kill -STOP "$still"
{ timeout 60 "$CTL" top --once "$W/still" 2>&1; echo $?; } >"$W/still.said" & top=$!
# --------------------------------------------------------------- wrong usage
misused() { gives 2 "widefsctl: $1 (see widefsctl $2 --help)" "$CTL" "${@:2}"; }
misused '--keyspace: the name of a keyspace is expected' dump --keyspace= "$M"
misused 'dump: one PLACE is expected' dump
misused 'export: one TABLE and at most one FILE are expected' export
misused 'import: one TABLE and one FILE are expected' import
misused 'load: one PLACE is expected' load
for command in flush compact scrub stats; do misused 'b: one PLACE is enough' $command a b; done
for command in errors status top; do misused 'b: one DIR is enough' $command a b; done
misused 'schema: one PLACE is expected' schema
misused 'c: one name is enough' schema a b c
gives 2 'widefsctl: .a: not KEYSPACE or KEYSPACE.TABLE (see widefsctl schema --help)' "$CTL" schema "$M" .a
misused 'sstable: a FILE is expected' sstable
misused 'umount: --lazy or --force, not both' umount --lazy --force "$M"
misused 'umount: one DIR is expected' umount
misused 'create: a STORE and a NAME are expected' snapshot create "$M"
misused 'list: one STORE is expected' snapshot list
misused 'restore: a STORE, a NAME and at most one KEYSPACE or KEYSPACE.TABLE are expected' snapshot restore
misused 'list: --force is an option of drop and restore' snapshot list --force "$M"
misused 'list: --dry-run is an option of drop and restore' snapshot list --dry-run "$M"
misused 'x=y: not WHAT=KEYSPACE.TABLE (WHAT: the number of a table, or the name of an sstable)' repair --table=x=y "$S" "$W/new"
misused 'b: one PATH is enough' cql a b
gives 2 'widefs: c: one STORE and one MOUNTPOINT are enough (see widefs --help)' "$WIDEFS" a b c
gives 2 'widefs: zzzzzz: unknown option (see widefs --help)' "$WIDEFS" -o zzzzzz "$S" "$M"
gives 2 'widefs: STORE: it is missing (usage: widefs [-o options] STORE MOUNTPOINT)' "$WIDEFS"
gives 1 'widefs: zzzzzz: unknown option (see widefs --help)' bash -c 'exec -a mount.widefs "$0" "$@"' "$WIDEFS" "$S" "$M" -o zzzzzz
gives 32 'widefs: W/no/s: the directory above it is not there (make it first)' bash -c 'exec -a mount.widefs "$0" "$@"' "$WIDEFS" "$W/no/s" "$W/empty"
# -------------------------------------------------------------- wrong places
gives 3 'widefsctl: M: is mounted (unmount it first: widefsctl umount M; or: widefsctl scrub --wait)' "$CTL" check "$M"
gives 3 'widefsctl: M: is mounted (unmount it first: widefsctl umount M)' "$CTL" repair "$M" "$W/new"
gives 6 'widefsctl: W/no/s: the directory above it is not there (make it first)' "$CTL" load "$W/no/s"
gives 2 'widefsctl: M: name a table in it (PLACE/KEYSPACE/TABLE)' "$CTL" export "$M"
gives 1 'widefsctl: W/none/e: No such file or directory' "$CTL" import --errors="$W/none/e" "$M/k/t" "$W/file"
gives 1 'widefsctl: /dev/full: No space left on device' "$CTL" export "$M/k/t" /dev/full
gives 1 'widefsctl: standard output: No space left on device' bash -c '"$0" export "$1" >/dev/full' "$CTL" "$M/k/t"
gives 1 'widefsctl: standard output: No space left on device' bash -c '"$0" dump "$1" >/dev/full' "$CTL" "$M"
gives 1 'widefs: W/other: the store cannot be mounted on itself or inside itself (name a directory outside of it)' "$WIDEFS" "$W/other" "$W/other"
mkdir "$W/other/s"
gives 1 'widefs: W/other: the mount would hide the store (name another directory)' "$WIDEFS" "$W/other/s" "$W/other"
ok 'a snapshot' "$CTL" snapshot create "$M" one
gives 2 'widefsctl: M/.snapshots/one: it is in a snapshot (read its files, export its tables, or restore it)' "$CTL" flush "$M/.snapshots/one"
# ---------------------------------------------------- system calls that fail
eio='Input/output error'
for n in 1 3 5; do fails 1 "widefsctl: M: $eio" "write:error=EIO:when=$n+" "$M/.cql.raw" "$CTL" dump "$M"; done
fails 1 "widefsctl: W/file: $eio" read:error=EIO "$W/file" "$CTL" import "$M/k/t" "$W/file"
echo '{"p": 3, "c": 3}' >"$W/line"
fails 1 "widefsctl: W/line: line 1: $eio" write:error=EIO "$M/k/t.ndjson" "$CTL" import "$M/k/t" "$W/line"
fails 1 "widefsctl: M/k/t.csv: $eio" openat:error=EIO "$M/k/t.csv" "$CTL" export --format=csv "$M/k/t"
fails 1 "widefsctl: M: $eio" write:error=EIO "$M/.widefs/ctl" "$CTL" flush "$M"
fails 1 "widefsctl: M: $eio" write:error=EIO:when=1 "$M/.cql.raw" "$CTL" schema "$M"
for n in 1 2; do fails 1 "widefsctl: M: $eio" "read:error=EIO:when=$n" "$M/.cql.raw" "$CTL" schema "$M"; done
fails 1 "widefsctl: M: $eio" close:error=EIO "$M/k/t.ndjson" "$CTL" import "$M/k/t" "$W/line"
fails 1 "widefsctl: M: $eio" read:error=EIO "$M/.widefs/scrub" "$CTL" scrub --wait "$M"
fails 1 "widefsctl: M: $eio" mkdir,mkdirat:error=EIO '' "$CTL" snapshot create "$M" two
mkdir "$M/.snapshots/kept"
fails 1 "widefsctl: M: $eio" openat:error=EIO "$M/.snapshots/" "$CTL" snapshot list "$M"
fails 1 "widefsctl: M: $eio" getdents64:error=EIO '' "$CTL" snapshot list "$M"
fails 1 "widefsctl: M: $eio" getdents64:error=EIO '' "$CTL" snapshot restore --force "$M" kept k.t
echo 'ALTER TYPE k.u ADD b int;' >"$M/.cql"
gives 1 "widefsctl: M: snapshot kept: the table's type has changed since: u" "$CTL" snapshot restore --force "$M" kept k.typed
rmdir "$M/.snapshots/kept"
fails 1 "widefsctl: M: $eio" read:error=EIO "$M/.widefs/stats" "$CTL" stats "$M"
fails 1 "widefsctl: M: $eio" read:error=EIO "$M/.widefs/metrics" "$CTL" stats --json "$M"
fails 1 "widefsctl: M: $eio" read:error=EIO "$M/.widefs/metrics" "$CTL" top --once "$M"
fails 1 'widefsctl: M: Permission denied' statx:error=EACCES "$M" "$CTL" umount --force "$M"
fails 1 'widefsctl: M: Operation not permitted' umount2:error=EPERM '' "$CTL" umount "$M"
fails 1 "widefsctl: /: $eio" chdir:error=EIO '' "$CTL" umount "$M"
pid=$(daemon_pid)
gives 1 "widefsctl: M: its connection cannot be aborted: Operation not permitted (run: kill -9 $pid)" \
	strace -f -qq -o "$W/calls" -e inject=fsopen,kill:error=EPERM "$CTL" umount --force "$M"
mv "$S" "$S.moved"
gives 1 'widefsctl: M: its connection cannot be aborted: Operation not permitted (end its daemon with kill -9)' \
	strace -f -qq -o "$W/calls" -e inject=fsopen:error=EPERM "$CTL" umount --force "$M"
mv "$S.moved" "$S"
gives 1 'widefsctl: <stdin>: Is a directory' bash -c '"$0" load "$1" <"$2"' "$CTL" "$M" "$W"
gives 6 'widefsctl: W/file/x: Not a directory' "$CTL" errors "$W/file/x"
# ----------------------------------------------------------------- the shell
shell() { gives 1 "$1" "$CTL" cql "$M" -e "$2"; }
shell 'MODE takes one of table, csv, json, line.' 'MODE none'
shell 'Sessions of TRACING are not kept: what one has to tell is printed with its statement.' 'SHOW SESSION 5f4d6a80-0000-11ee-8080-808080808080'
shell "Could not open 'W/none/f': No such file or directory" "SOURCE '$W/none/f'"
shell "Could not open 'W/none/f' for append: No such file or directory" "CAPTURE '$W/none/f'"
shell 'Already capturing output to W/captured. Use CAPTURE OFF to disable.' "CAPTURE '$W/captured'; CAPTURE '$W/captured'"
shell 'Not currently capturing output.' 'CAPTURE OFF'
gives 1 'The result cannot be written: No space left on device' bash -c '"$0" cql "$1" -e "SELECT * FROM k.t" >/dev/full' "$CTL" "$M"
# More than a buffer: the write fails before the end.
printf '%*s' 20000 x >"$W/long"
mkdir "$M/k/wide/a"
cp "$W/long" "$M/k/wide/a/v"
gives 1 'The result cannot be written: No space left on device' bash -c '"$0" cql "$1" -e "SELECT * FROM k.wide" >/dev/full' "$CTL" "$M"
gives 1 'widefsctl: standard output: No space left on device' bash -c '"$0" dump "$1" >/dev/full' "$CTL" "$M"
gives 1 'widefsctl: standard output: No space left on device' bash -c '"$0" cql "$1" -e "CAPTURE '"'$W/said'"'" >/dev/full' "$CTL" "$M"
rm -r "$M/k/wide/a"
fails 1 "W/captured: $eio" close:error=EIO "$W/captured" "$CTL" cql "$M" -e "CAPTURE '$W/captured'; CAPTURE OFF"
fails 1 "widefsctl: W/captured: $eio" close:error=EIO "$W/captured" "$CTL" cql "$M" -e "CAPTURE '$W/captured'"
fails 1 'ServerError: Error from server: code=0000 [Server error] message="Input/output error"
COPY of k.t did not end.' read:error=EIO:when=2+ "$M/.cql.raw" "$CTL" cql "$M" -e "COPY k.t TO '$W/copied'"
echo x,x,x,x,x,x >"$W/copied"
"$CTL" cql "$M" -e "COPY k.t FROM '$W/copied' WITH RATEFILE = '/dev/full' AND ERRFILE = '/dev/full'" >"$W/out" 2>&1
is 'files of COPY that are not written' 2 "$(grep -cxF '/dev/full: No space left on device' "$W/out")"
printf 'p,n\nx,y\n' >"$W/csv"
gives 1 "widefsctl: W/csv: line 2: p: Unable to make int from 'x'
widefsctl: /dev/full: it could not be written
widefsctl: W/csv: 0 rows written, 1 line refused (in /dev/full)" "$CTL" import --format=csv --errors=/dev/full "$M/k/count" "$W/csv"
is 'a name that is not the typed one' $'status 1\nwidefsctl: one: nothing was done: another name was typed' "$(python3 tests/mount/terminal.py "$CTL" snapshot drop "$M" one <<'T' | grep -E '^(status|widefsctl)'
< Type the name
> two\r
.
T
)"
# without FROM TO TEXT COMMAND...: this is what it says without the memory of one of these
# allocations, which fail in programs that are built for tests alone.
without() {
	local n said=
	"$has_failures" || return 0
	for ((n = $1; n <= $2; n++)); do
		WIDEFS_TEST_NO_MEMORY=$n timeout 120 "${@:4}" >"$W/out" 2>"$W/err" </dev/null
		[ "$? $(sed "s|$M|M|g; s|$S|S|g" "$W/err")" = "1 $3" ] && said=$3
	done
	is "without memory: ${*:4}" "$3" "$said"
}
WIDEFS_TEST_NO_MEMORY=1 "$CTL" cql "$M" -e '' >"$W/out" 2>"$W/err"
has_failures=$([ -s "$W/err" ] && echo true || echo false)
without 1 1 'widefsctl: cql: Cannot allocate memory' "$CTL" cql "$M" -e ''
without 5 9 'Cannot allocate memory' "$CTL" cql "$M" -e 'MODE csv'
without 5 9 'Cannot allocate memory' "$CTL" cql "$M" -e "COPY k.t TO '/dev/null'"
# --------------------------------------------- reasons, in .widefs/errors
reason() { # reason WHAT ERRNO TEXT COMMAND...
	local what=$1 number=$2 text=$3
	shift 3
	"$@" >"$W/out" 2>&1 && fail "$what: it succeeded"
	is "$what" "$number $text" "$(tail -1 "$M/.widefs/errors" | cut -d ' ' -f 6-)"
}
reason 'the control files stay' EPERM 'this directory always exists' rmdir "$M/.widefs"
reason 'an attribute that stays' EPERM 'this attribute cannot be removed' setfattr -x user.writetime "$M/k/t/1/1/v"
reason 'an element of a set' EINVAL 'an element of a set is its name' put "$M/k/t/1/1/s/1" 2
reason 'a control that is none' EINVAL 'ctl takes: snapshot restore NAME [K[.T]], with %20 for a space of NAME' put "$M/.widefs/ctl" 'snapshot restore'
reason 'a mode of the system' EPERM "the system's keyspaces have no other owner or mode" chmod 700 "$M/system"
reason 'a mode of a table of it' EPERM "the system's keyspaces have no other owner or mode" chmod 700 "$M/system/local"
reason 'a file in the root' EINVAL 'here are keyspaces: use mkdir' put "$M/file" x
reason 'a directory for a file' EINVAL 'this column is a file' mkdir "$M/k/t/1/1/n"
reason 'the size of rows' EPERM 'it has no size to set' truncate -s 5 "$M/k/wide.ndjson"
reason 'a percent sign' ENOENT 'two upper-case hex digits must follow a % in a name' ls "$M/k/t/@v=%zz"
"$CTL" flush "$M"
# beside CALLS:...: from now on these calls of the daemon fail or wait.
beside() {
	strace -f -qq -o "$W/beside" -p "$(daemon_pid)" -e "inject=$1" &
	tracer=$!
	within 20 grep -q "^TracerPid:[[:space:]]*$tracer\$" "/proc/$(daemon_pid)/status"
}
beside pread64:error=EIO:delay_enter=500000
ok 'a scrub that takes long' "$CTL" scrub "$M"
gives 1 'widefsctl: M: a scrub is running' "$CTL" scrub "$M"
ok 'it ends' within 20 grep -q '^failed' "$M/.widefs/scrub"
gives 1 'widefsctl: M: the scrub has failed' "$CTL" scrub --wait "$M"
kill $tracer
wait $tracer
stop
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 "$WIDEFS" --log-file="$W/log" "$S" "$M"
add "$M/k/count/1/n" +1
pid=$(daemon_pid)
beside fsync,fdatasync:error=EIO:delay_enter=500000
gives 3 "widefsctl: S: process $pid has not closed it yet" "$CTL" umount --timeout=0 "$M"
wait $tracer
wait_closed
is 'the log' "$S: the store was not closed cleanly: $eio" "$(sed -n '$s/^[^ ]* widefs: //p' "$W/log")"
start -o keyspace=k,max_value=64K
reason 'a long line' EFBIG 'line 1: a line may have 262144 bytes' bash -c 'printf "{\"p\": \"%0300000d" 0 >"$0"' "$M/k/wide.ndjson"
reason 'another keyspace' EPERM 'only keyspace k is mounted' mkdir "$M/other"
reason 'the only keyspace' EPERM 'only keyspace k is mounted' mv "$M/k" "$M/other"
stop
mkdir "$W/logs"
"$WIDEFS" --log-file="$W/logs/log" -o ro "$S" "$M"
mv "$W/logs" "$W/moved"
kill -HUP "$(daemon_pid)"
ok 'a log that cannot be opened again' within 20 grep -q "logs/log: No such file or directory (the log goes on where it was)$" "$W/moved/log"
stop
sst=$(printf '%s\n' "$S"/engine/*.sst | head -1)
unknown() { gives 3 "$1: S: store is open in another process (end that one)" flock "$S" strace -f -qq -o "$W/calls" -P /proc/locks -e inject=openat:error=EACCES "${@:2}"; }
unknown widefsctl "$CTL" stats "$S"
unknown widefs "$WIDEFS" "$S" "$M"
fails 1 'widefsctl: S: Read-only file system (check and cql --read-only can read it)' openat:error=EROFS LOCK "$CTL" flush "$S"
fails 1 'widefs: S: Read-only file system (-o ro can read it)' openat:error=EROFS LOCK "$WIDEFS" "$S" "$M"
fails 1 "widefs: S: $eio" openat:error=EIO LOCK "$WIDEFS" "$S" "$M"
fails 1 "widefsctl: S${sst#"$S"}: $eio" openat:error=EIO "${sst##*/}" "$CTL" sstable "$sst"
fails 1 "widefsctl: S: $eio" pread64:error=EIO "$sst" "$CTL" check "$S"
fails 1 "widefsctl: S: $eio" fsync:error=EIO "$S/engine" "$CTL" compact "$S/k/t"
# late TEXT CALLS NUMBERS COMMAND...: it ends so where its CALLS fail from the Nth on.
late() {
	local n
	for n in $3; do
		ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -qq -o "$W/calls" -e "inject=$2:error=EIO:when=$n+" "${@:4}" >"$W/out" 2>"$W/err"
		is "$2 $n ${*:4}" "1 widefsctl: $S: $1" "$? $(tail -1 "$W/err")"
	done
}
strace -f -qq -e trace=pread64 -o "$W/calls" "$CTL" check "$S" >"$W/out"
late "$eio" pread64 "17 $(grep -c pread64 "$W/calls")" "$CTL" check "$S"
late "$eio" pread64 17 "$CTL" export "$S/k/t"
late "$eio" fsync,fdatasync 4 "$CTL" compact "$S/k/t"
late "the store was not closed cleanly: $eio" msync 1 "$CTL" cql "$S" -e 'INSERT INTO k.t (p, c) VALUES (1, 1)'
late "$eio" fsync,fdatasync 4 "$CTL" snapshot create "$S" late
without 1 1 'widefsctl: repair: Cannot allocate memory' "$CTL" repair "$S" "$W/new"
without 2 5 'widefsctl: S: Cannot allocate memory' "$CTL" cql "$S" -e ''
fails 1 'widefs: M: Too many open files' pipe2:error=EMFILE '' "$WIDEFS" "$S" "$M"
echo max_value=1M >"$W/config"
fails 2 "widefs: W/config: $eio" openat:error=EIO "$W/config" "$WIDEFS" --config="$W/config" "$S" "$M"
fails 2 "widefs: W/config: $eio" fstat,newfstatat:error=EIO "$W/config" "$WIDEFS" --config="$W/config" "$S" "$M"
fails 2 "widefs: W/config: $eio" read:error=EIO "$W/config" "$WIDEFS" --config="$W/config" "$S" "$M"
gives 6 "widefsctl: S: there is no table 'k.none'" "$CTL" stats "$S/k/none"
gives 6 "widefsctl: S: there is no table 'k.none'" "$CTL" export "$S/k/none"
gives 2 'widefsctl: S/k/t: it is in a table: name the store (see widefsctl snapshot --help)' "$CTL" snapshot list "$S/k/t"
gives 6 'widefsctl: status: this user has no mount (name a store or a mount)' setpriv --reuid=65533 --regid=65533 --clear-groups "$CTL" status
gives 6 'widefsctl: 77=k.none: there is no such table, or the store tells the table of this data (leave it out)' "$CTL" repair --table=77=k.none "$S" "$W/new"
cp -a "$S" "$W/newer"
printf '\x57\x49\x44\x45\x46\x53\x0a\0\x63\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xfb\x67\xcd\xda\xae\x56\x62\x2f' >"$W/newer/WIDEFS"
gives 5 "widefsctl: W/newer: the store's format is newer than this widefsctl (use a newer one)" "$CTL" check "$W/newer"
{ printf '\0%.0s' {1..132}; printf '\x63\0\0\0\x9f\x14\x22\x13\xe8\x9e\x94\x69wide-sst'; } >"$W/000000000001.sst"
gives 5 'widefsctl: W/000000000001.sst: its format is newer than this widefsctl (use a newer one)' "$CTL" sstable "$W/000000000001.sst"
gives 5 "widefs: W/newer: the store's format is newer than this widefs (use a newer one)" "$WIDEFS" "$W/newer" "$M"
chmod 777 "$W/newer"
gives 1 'widefs: W/newer: others can write there, or own it: it is not opened (chmod go-w, or run as its owner)' "$WIDEFS" "$W/newer" "$M"
wait $top
is 'a daemon that does not answer' "widefsctl: $W/still: the daemon does not answer
1" "$(cat "$W/still.said")"
kill -CONT "$still"
ok 'it goes on' "$CTL" umount "$W/still"
done_testing
