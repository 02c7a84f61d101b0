# Each command with what people type wrong: the exit status, one line that says why, and
# nothing done. Places of all kinds, outputs that are closed or full, no terminal.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p int, c int, v text, PRIMARY KEY (p, c));
CREATE TABLE k.u (p int PRIMARY KEY, v text);
INSERT INTO k.u (p, v) VALUES (1, 'before');
C
mkdir "$M/.snapshots/one" "$W/plain" "$W/empty"
echo later >"$M/k/u/1/v"
echo text >"$W/plain/file"
mkdir -m 1777 "$W/public"; mkdir -m 777 "$W/public/empty" "$W/public/store"
echo text >"$W/public/file"; : >"$W/public/store/WIDEFS"
{ echo p,c,v; seq 1 20000 | awk '{ printf "%d,%d,value number %d\n", $1 % 50, $1, $1 }'; } >"$W/rows.csv"
# gives STATUS 'begin of the message' ARGUMENTS...: of widefsctl. Its output and messages are
# in $W/out and $W/err.
gives() {
	local status=$1 text=$2 got line
	shift 2
	timeout 120 "$CTL" "$@" >"$W/out" 2>"$W/err" </dev/null
	got=$?
	line=$(grep -v '^widefs: ' "$W/err" | head -1)	# what the engine logs comes first
	if [ "$got" = "$status" ] && [[ $line == "$text"* ]] && { [ -n "$text" ] || [ -z "$line" ]; }; then
		pass
	else
		fail "${*//$W\//}: status $got, not $status: $line"
	fi
}
is 'rows for what follows' 0 "$("$CTL" import "$M/k/t" "$W/rows.csv" >"$W/out" 2>&1; echo $?)"
commands=$("$CTL" --help | awk '/^  [a-z]/ { print $1 }')
for c in $commands; do
	gives 2 "widefsctl $c: unrecognized option '--nope'" "$c" --nope
	ok "$c --nope: says how it is used" grep -q "^usage: widefsctl $c" "$W/err"
	gives 2 "widefsctl $c: invalid option -- 'Q'" "$c" -Q
	gives 0 '' "$c" --help
	is "$c --help" "usage: widefsctl $c" "$(head -1 "$W/out" | grep -oE '^usage: widefsctl [a-z]+')"
done
# Each option that takes a value: without one, and with one that is none.
while read -r c option value text; do
	gives 2 "widefsctl $c: option" "$c" "$option"
	[ -z "$value" ] || gives 2 "widefsctl: ${value#=}: $text" "$c" "$option$value" "$M/k/u" /dev/null
done <<'E'
import --format =xml no such format (csv or ndjson)
import --progress =much not a kind of progress
import --null
import --errors
export --format =json no such format (csv or ndjson)
export --progress =much not a kind of progress
export --null
check --progress =much not a kind of progress
repair --progress =much not a kind of progress
flush --progress =much not a kind of progress
compact --progress =much not a kind of progress
scrub --progress =much not a kind of progress
dump --keyspace
cql --mode =xml no such mode (table, csv, json or line)
cql --execute
cql --file
cql --keyspace
top --delay =nan not a number of seconds
errors --lines =-1 not a number of lines
umount --timeout =-1 not a number of seconds
bench --records =999 not a number from 1000
bench --runs =0 not a number from 1 to 99
bench --value =0 not a number from 1 to
bench --dir
E
for c in status flush compact scrub stats top errors cql; do gives 2 "widefsctl: b: one " "$c" a b; done
for c in schema dump load check umount; do gives 2 "widefsctl: $c: one " "$c"; done
for c in dump load check umount; do gives 2 "widefsctl: $c: one " "$c" a b; done
gives 2 'widefsctl: c: one name is enough' schema a b c
for name in . k. .t; do gives 2 "widefsctl: $name: not KEYSPACE or KEYSPACE.TABLE" schema "$M" "$name"; done
gives 2 "widefsctl: '': not KEYSPACE or KEYSPACE.TABLE" schema "$M" ''
gives 2 'widefsctl: umount: --lazy or --force, not both' umount -l -f "$M"
gives 2 'widefsctl: umount: --lazy or --force, not both' umount --force --lazy "$M"
for words in '' 'a' 'a b c'; do
	gives 2 'widefsctl: import: one TABLE and one FILE' import $words
	gives 2 'widefsctl: repair: STORE and NEW' repair $words
	[ "$words" = a ] || gives 2 'widefsctl: export: one TABLE and at most one FILE' export $words
done
gives 2 'widefsctl: sstable: a FILE is expected' sstable
gives 2 'widefsctl: nope: no such workload' bench nope
gives 2 'usage: widefsctl snapshot list' snapshot
gives 2 'widefsctl: frob: it is none of' snapshot frob "$M"
for words in list 'list a b'; do gives 2 'widefsctl: list: one STORE is expected' snapshot $words; done
for words in 'create a' 'create a b c' 'drop a'; do
	gives 2 "widefsctl: ${words%% *}: a STORE and a NAME are expected" snapshot $words
done
for words in 'restore a' 'restore a b c d'; do
	gives 2 'widefsctl: restore: a STORE, a NAME and at most one KEYSPACE or KEYSPACE.TABLE are expected' snapshot $words
done
gives 2 'widefsctl: create: --json is an option of list' snapshot --json create a b
gives 2 'widefsctl: list: --force is an option of drop and restore' snapshot --force list a
gives 2 'widefsctl: create: --dry-run is an option of drop and restore' snapshot --dry-run create a b
is 'nothing was taken' 'one' "$(ls "$M/.snapshots")"
# No place, and places of other kinds.
for c in status schema dump check flush compact scrub stats cql; do
	gives 6 "widefsctl: $W/nowhere: no such store (widefs STORE MOUNTPOINT makes and mounts one)" "$c" "$W/nowhere"
	gives 6 "widefsctl: $W/plain: not a widefs store (name a store or a mount)" "$c" "$W/plain"
	gives 6 "widefsctl: $W/empty: an empty directory, neither a store nor a mount (widefs STORE MOUNTPOINT mounts a store, and makes it where there is none)" "$c" "$W/empty"
	gives 6 "widefsctl: $W/plain/file: not a widefs store" "$c" "$W/plain/file"
	gives 6 "widefsctl: '': not a widefs store (name a store or a mount)" "$c" ''
	is "$c of no store: no state of one" '' "$(cat "$W/out")"
	# Others may write there, as in /tmp: nothing is a store there for that.
	gives 6 "widefsctl: $W/public: not a widefs store (name a store or a mount)" "$c" "$W/public"
	gives 6 "widefsctl: $W/public/empty: an empty directory, neither" "$c" "$W/public/empty"
	gives 1 "widefsctl: $W/public/store: others can write there, or own it: it is not opened" "$c" "$W/public/store"
done
for c in top errors; do gives 6 "widefsctl: $W/plain: not in a widefs mount" "$c" "$W/plain"; done
gives 6 "widefsctl: $W/plain: no widefs is mounted here" umount "$W/plain"
gives 6 "widefsctl: $W/plain: not a widefs store" repair "$W/plain" "$W/new"
gives 6 "widefsctl: $W/plain: not a widefs store (name a store or a mount)" load "$W/plain"
gives 6 "widefsctl: $W/empty: an empty directory, neither a store nor a mount (widefs STORE MOUNTPOINT mounts" load "$W/empty"
gives 6 "widefsctl: $W/no/store: the directory above it is not there (make it first)" load "$W/no/store"
gives 2 "widefsctl: $M: name a table" export "$M"
gives 2 "widefsctl: $M/k: name a" import "$M/k" "$W/rows.csv"
gives 1 "widefsctl: $W/nothing: No such file" import "$M/k/u" "$W/nothing"
gives 1 "widefsctl: $W/no/x: No such file" export "$M/k/u" "$W/no/x"
gives 1 "widefsctl: $W/no/x: No such file" import -e "$W/no/x" "$M/k/u" "$W/rows.csv"
gives 1 "widefsctl: $W: Is a directory" import "$M/k/u" "$W"
gives 6 "widefsctl: $M: 'none' not found in keyspaces" dump -k none "$M"
gives 2 "widefsctl: --keyspace: the name of a keyspace is expected" dump -k '' "$M"
gives 6 "widefsctl: $M: " schema "$M" k.none
gives 1 'widefsctl: /nowhere: No such file' bench -n 1000 -d /nowhere fillseq
is 'still mounted, nothing made' "$W/empty $W/mnt $W/plain $W/plain/file" "$(mountpoint -q "$M" && find "$W/empty" "$W/mnt" "$W/plain" -maxdepth 1 -not -path "$M/*" | LC_ALL=C sort | paste -sd' ')"
# Objects that do not exist in a mount, and the store while it is mounted.
for c in schema dump flush compact scrub stats cql top export; do
	for place in "$M/k/none" "$M/none/x"; do gives 6 "widefsctl: $place: there is no such keyspace, table or row" "$c" "$place"; done
done
for c in schema dump load flush compact scrub stats cql check; do
	gives 3 "widefsctl: $S: store is open in process " "$c" "$S"
done
gives 3 "widefsctl: $S: store is open in process " repair "$S" "$W/new"
gives 3 "widefsctl: $S: store is open in process " export "$S/k/u"
gives 3 "widefsctl: $M: is mounted" repair "$M" "$W/new"
gives 3 "widefsctl: $M: is mounted" check "$M"
# A snapshot is not what is there now; .json is.
for c in schema dump load flush compact scrub stats cql; do
	gives 2 "widefsctl: $M/.snapshots/one/k/u: it is in a snapshot" "$c" "$M/.snapshots/one/k/u"
	gives 2 "widefsctl: $M/.snapshots/one: it is in a snapshot" "$c" "$M/.snapshots/one"
	gives 0 '' "$c" "$M/.json/k/u"
done
gives 2 "widefsctl: $M/.snapshots/one/k/u: it is in a snapshot" import "$M/.snapshots/one/k/u" "$W/rows.csv"
gives 0 '' export "$M/.snapshots/one/k/u"
is 'the table as it was' $'p,v\n1,before' "$(cat "$W/out")"
gives 0 '' export "$M/.json/k/u"
is 'the table as it is' $'p,v\n1,later' "$(cat "$W/out")"
gives 0 '' cql "$M/.json/k" -m csv -e 'SELECT * FROM u'
is 'a keyspace of .json' $'p,v\n1,later' "$(cat "$W/out")"
for c in status 'errors -n 0' 'top --once'; do gives 0 '' $c "$M/.snapshots/one/k"; done
# Outputs: a pipe that is closed ends it quietly, a full disk with a line and status 1.
echo flush >"$M/.widefs/ctl"
put "$M/k/u/1/nope" x 2>/dev/null
file=$(ls -S "$S"/engine/*.sst | head -1)
# unread COMMAND...: its output is a pipe that nobody reads; "$W/ended" has how it ended.
unread() {
	python3 -c '
import os, subprocess, sys
r, w = os.pipe()
os.close(r)
print(subprocess.run(sys.argv[2:], stdout=w).returncode, file=open(sys.argv[1], "w"))' "$W/ended" "$@"
}
while read -r line; do
	words=${line//MOUNT/$M}
	eval "unread \"$CTL\" ${words//SSTABLE/$file}" 2>"$W/err" </dev/null
	is "$line, into a closed pipe" '-13 ' "$(cat "$W/ended") $(head -1 "$W/err")"
	eval "timeout 60 \"$CTL\" ${words//SSTABLE/$file}" >/dev/full 2>"$W/err" </dev/null
	is "$line, onto a full disk" 1 $?
	is "$line, with a line" 1 "$(grep -cE 'No space left on device|it could not be written' "$W/err")"
	eval "timeout 60 setsid \"$CTL\" ${words//SSTABLE/$file}" >&- 2>"$W/err" <&-
	is "$line, without an output" 1 $?
done <<'E'
--help
import --help
status MOUNT
status --json MOUNT
schema MOUNT
dump MOUNT
export MOUNT/k/t
export --format=ndjson MOUNT/k/t
export --null=N MOUNT/k/t
stats MOUNT
stats --json MOUNT
stats --histograms MOUNT
stats MOUNT/k/t
errors MOUNT
errors --follow MOUNT
top MOUNT
snapshot list MOUNT
snapshot list --json MOUNT
sstable SSTABLE
sstable --keys SSTABLE
sstable --dump SSTABLE
bench --list
cql MOUNT -e 'SELECT * FROM k.t'
cql MOUNT --mode=csv -e 'SELECT * FROM k.t'
E
is 'a file that is full' 1 "$("$CTL" export "$M/k/t" /dev/full 2>"$W/err"; echo $?)"
is 'is named' 'widefsctl: /dev/full: No space left on device' "$(cat "$W/err")"
# SIGINT ends what goes on or waits, with the shell's status 130.
mkfifo "$W/waits"
exec 7<>"$W/waits"
while read -r line; do
	eval "timeout --preserve-status -s INT 1 \"$CTL\" ${line//MOUNT/$M}" >"$W/out" 2>"$W/err" <&7
	is "$line, interrupted" 130 $?
done <<'E'
errors --follow MOUNT
cql MOUNT
cql --file=- MOUNT
load MOUNT
import MOUNT/k/u -
bench --records=900000000 fillseq
E
exec 7>&-
# Every --json is JSON; nothing of a terminal is in a pipe.
for words in "status --json" "status -j $M" "stats --json $M" "stats -jH $M" "stats -j $M/k/t" "snapshot list -j $M" "sstable -k $file" "sstable -d $file" cql; do
	case $words in cql) "$CTL" cql -m json "$M" -e 'SELECT * FROM k.u' >"$W/out" 2>"$W/err" ;; *) "$CTL" $words >"$W/out" 2>"$W/err" ;; esac
	ok "${words//$W\//}: parses" jq -e . "$W/out"
	is "${words//$W\//}: no control bytes, nothing beside it" 00 "$(grep -c $'[\x01-\x08\x0b-\x1f]' "$W/out")$(wc -l <"$W/err")"
done
for words in "import -p json $M/k/t $W/rows.csv" "export -p json $M/k/t $W/copy.csv" "flush -p json $M" "compact -p json $M" "scrub -w -p json $M"; do
	"$CTL" $words 2>&1 >"$W/out" | grep '^{' >"$W/err"
	ok "${words%% *}: progress parses" jq -e . "$W/err"
	"$CTL" $words -p never >"$W/out" 2>"$W/err"
	is "${words%% *}: none, if it is not wanted" '' "$(cat "$W/err")"
done
"$CTL" bench -n 1000 -j fillseq readhit table-insert >"$W/out" 2>"$W/err"
is 'bench --json' 'fillseq ops/s readhit ops/s table-insert us' "$(jq -r '.workload, .unit' "$W/out" | paste -sd' ')"
stop
# A store that nobody has mounted.
for words in "status $S" "schema $S" "schema $S k.u" "dump $S" "dump $S/k" "check $S" "check --quick $S" "flush $S" "flush $S/k/t" "compact $S" "compact $S/k/t" "scrub $S" "scrub --wait $S/k/t" "stats $S" "stats --json $S" "stats $S/k/t" "snapshot list $S" "export $S/k/t" cql; do
	case $words in cql) gives 0 '' cql "$S" -e 'DESCRIBE KEYSPACES' ;; *) gives 0 '' $words ;; esac
done
gives 0 '' cql "$S/k" -m csv -e 'SELECT * FROM u'
is 'a keyspace of a store is in force' $'p,v\n1,later' "$(cat "$W/out")"
for c in flush compact scrub stats export; do gives 6 "widefsctl: $S: there is no table 'k.none'" "$c" "$S/k/none"; done
gives 6 "widefsctl: $S/k/none: no such store" check "$S/k/none"
gives 6 "widefsctl: $S: 'none' not found in keyspaces" dump -k none "$S"
for c in top errors; do gives 6 "widefsctl: $S: not in a widefs mount" "$c" "$S"; done
gives 6 "widefsctl: $M: no widefs is mounted here" umount "$M"
# Newer than this program, and damaged: each says which.
all() {	# all STATUS 'begin of the message' STORE COMMAND...
	local status=$1 text=$2 place=$3 c
	shift 3
	for c in "$@"; do
		case $c in
		repair) gives "$status" "$text" repair "$place" "$W/new" ;;
		import) gives "$status" "$text" import "$place/k/u" "$W/rows.csv" ;;
		export) gives "$status" "$text" export "$place/k/u" ;;
		snapshot) gives "$status" "$text" snapshot list "$place" ;;
		*) gives "$status" "$text" "$c" "$place" ;;
		esac
	done
}
cp -a "$S" "$W/newer"
printf '\x57\x49\x44\x45\x46\x53\x0a\0\x63\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xfb\x67\xcd\xda\xae\x56\x62\x2f' >"$W/newer/WIDEFS"
all 5 "widefsctl: $W/newer: the store's format is newer than this widefsctl (use a newer one)" "$W/newer" \
	status schema dump load check flush compact scrub stats cql import export snapshot repair
is 'and widefs' 5 "$("$WIDEFS" "$W/newer" "$M" >"$W/out" 2>"$W/err"; echo $?)"
cp -a "$S" "$W/damaged"
rm "$W/damaged/engine/CURRENT"
all 4 "widefsctl: $W/damaged: the store is damaged: " "$W/damaged" status schema dump load flush compact scrub stats cql import export snapshot check
is 'and widefs' 4 "$("$WIDEFS" "$W/damaged" "$M" >"$W/out" 2>"$W/err"; echo $?)"
done_testing
