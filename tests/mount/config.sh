# Options from files, the store, the environment and the command line (widefs.conf(5)).
. tests/mount/lib.sh
C=$W/widefs.conf
# shown NAME [WORD...]: the option and its place, in a mount with these arguments.
shown() {
	local name=$1
	shift
	"$WIDEFS" "$@" "$S" "$M" >"$W/out" 2>&1 || { cat "$W/out"; return 1; }
	awk -v name="$name" '/^# / { from = substr($0, 3) } $0 == name || index($0, name "=") == 1 { print $0 " by " from }' "$M/.widefs/options"
	cp "$M/.widefs/options" "$W/options"
	stop
}
is 'nothing but built-in values' 'commit=1 by built-in' "$(shown commit)"
is 'each of them once, the store first' "$(printf '%s\n' "store=$S" '# built-in')" "$(head -2 "$W/options")"
is 'and no place without an option' 1 "$(grep -c '^#' "$W/options")"
echo 'commit = 2' >"$C"
is 'the file of the command line' "commit=2 by $C" "$(shown commit --config="$C")"
export WIDEFS_CONFIG=$C
is 'that of the environment' "commit=2 by $C" "$(shown commit)"
is 'no file' 'commit=1 by built-in' "$(shown commit --config=)"
echo 'commit=3' >"$S/options"
is "the store's before the file's" "commit=3 by the store's options" "$(shown commit)"
export WIDEFS_COMMIT=4
is "the environment's before the store's" 'commit=4 by the environment' "$(shown commit)"
is "the command line's before all" 'commit=5 by the command line' "$(shown commit -o commit=5)"
ln -s "$WIDEFS" "$W/mount.widefs"
"$W/mount.widefs" "$S" "$M" -o rw,commit=6
is "the helper's as well" commit=6 "$(grep commit= "$M/.widefs/options")"
stop
unset WIDEFS_COMMIT
"$W/mount.widefs" "$S" "$M" -o rw
is 'the files are read by it' commit=3 "$(grep commit= "$M/.widefs/options")"
stop
ok 'the store with options is sound' "$CTL" check "$S"
rm "$S/options"
# What is on and off, and all forms of a line.
printf '\357\273\277# a remark\r\n\r\n  noxattr\t\r\nro=yes\r\ncache = 16m\r\nlog-level =\tinfo\r\nlog_format=json' >"$C"
is 'a flag alone' "noxattr by $C" "$(shown noxattr)"
is 'all of the file' "# $C cache=16777216 log_format=json log_level=info noxattr ro" "$(sed -n "\\,^# $C,,/^# /p" "$W/options" | sort | paste -sd' ')"
is 'an option that is on is put off' '' "$(shown ro -o ro=no,rw)"
is 'by the environment' '' "$(WIDEFS_RO=no shown ro)"
is 'rw puts off nothing' "ro by $C" "$(shown ro -o rw)"
is 'rw makes no mount that looks writable' ro "$("$WIDEFS" -o rw "$S" "$M"; grep " $M " /proc/self/mounts | cut -d' ' -f4 | cut -d, -f1)"
stop
ok 'help needs no file' "$WIDEFS" --config=/nowhere --help
ok 'nor the version' "$WIDEFS" --config=/nowhere --version
# The installed file has all options of --help, with the values that there are without it.
names=$("$WIDEFS" --help | sed -n '/^options/,/^  allow_other/p' | grep -E '^  [a-z]' | sed 's/^  \([a-z_]*\).*/\1/' | grep -vx allow_other | sort)
is 'the installed file has all' "$names" "$(sed -n 's/^#\([a-z_]*\) =.*/\1/p' mount/system/widefs.conf | sort)"
is 'the page, too' "$names" "$(sed -n '/^The names are/,/^which/p' mount/widefs.conf.5 | sed -n 's/^\.Cm//p' | tr -d ' ' | tr ',' '\n' | grep . | sort)"
rm "$C" && shown commit --config= >"$W/said"
sed 's/=.*//' "$W/options" >"$W/built-in" && cp "$W/options" "$W/without"
sed '/^# Not set/,$d; s/^#\([a-z]\)/\1/' mount/system/widefs.conf >"$C"
shown commit >"$W/said"
is 'and built-in values' "$(grep -v '^#' "$W/without" | grep -v -e cache= -e memtable= -e max_nodes= | sort)" "$(grep -v '^#' "$W/options" | grep -v -e cache= -e memtable= -e max_nodes= | sort)"
ok 'as remarks alone' "$WIDEFS" --config=mount/system/widefs.conf -h
is 'it is no option itself' 'commit=1 by built-in' "$(shown commit --config="$PWD/mount/system/widefs.conf")"
# What is wrong is refused by file and line, and nothing is mounted.
wrong() {	# wrong WHAT MESSAGE [WORD...]: of the file $C
	local what=$1 message=$2 out status
	shift 2
	out=$(timeout 20 "$WIDEFS" "$@" "$S" "$M" 2>&1 </dev/null)
	status=$?
	is "$what: the status" 2 $status
	is "$what" "widefs: $message" "$out"
	mountpoint -q "$M" && stop
}
file() { printf "$@" >"$C"; }
file '\n\ncahce = 1M\n'
wrong 'a wrong name' "$C:3: cahce: unknown option (did you mean cache?)"
file 'zzz\n'
wrong 'one like none' "$C:1: zzz: unknown option (see widefs.conf(5))"
file '=5\n'
wrong 'no name' "$C:1: : unknown option (see widefs.conf(5))"
file 'allow_other = yes\n'
wrong 'an option of mount(8)' "$C:1: allow_other: an option of mount(8), not of this file (give it after -o)"
file 'threads = 2\n\nthreads = 2\n'
wrong 'twice' "$C:3: threads: line 1 has it already"
file 'cache\n'
wrong 'no value' "$C:1: cache: needs a value (cache=SIZE)"
file 'cache = \n'
wrong 'an empty value' "$C:1: cache=: not a size from 1048576 to 1099511627776 (K, M, G and T may follow the number)"
file 'threads = -1\n'
wrong 'a negative value' "$C:1: threads=-1: not a number from 1 to 64"
file 'max_value = 99999999999999999999999\n'
wrong 'a huge value' "$C:1: max_value=99999999999999999999999: not a size from 1 to 2147483647 (K, M, G and T may follow the number)"
file 'max_value = 18014398509481985T\n'
wrong 'one that wraps' "$C:1: max_value=18014398509481985T: not a size from 1 to 2147483647 (K, M, G and T may follow the number)"
for value in nan inf -1 1e9 '1 s' 0x; do
	file 'commit = %s\n' "$value"
	wrong "commit = $value" "$C:1: commit=$value: not a number of seconds from 0 to 3600"
done
file 'ro = on\n'
wrong 'neither yes nor no' "$C:1: ro=on: not yes or no"
file 'log_format = \033[31mred\n'
wrong 'bytes for a terminal' "$C:1: log_format=\x1b[31mred: not one of text, json"
file '\033[31m\n'
wrong 'in a name' "$C:1: \x1b[31m: unknown option (see widefs.conf(5))"
file 'log_file = log\n'
wrong 'half a path' "$C:1: log_file: its whole path is needed, from /"
file 'keyspace =\n'
wrong 'no keyspace' "$C:1: keyspace=: needs the name of a keyspace"
file 'ro\ncommit\0 = 2\n'
wrong 'a zero byte' "$C:2: a zero byte (this is no text)"
head -c 1000000 /dev/zero | tr '\0' x >"$C"
wrong 'a line of a megabyte' "$C: longer than 64 KiB (options are shorter)"
head -c 60000 /dev/zero | tr '\0' x >"$C"
wrong 'a long line' "$C:1: $(head -c 60 "$C"): unknown option (see widefs.conf(5))"
{ printf 'cache = ' && cat "$C"; } >"$W/long" && mv "$W/long" "$C"
wrong 'a long value' "$C:1: cache=$(head -c 208 "$C" | tail -c 200): not a size from 1048576 to 1099511627776 (K, M, G and T may follow the number)"
wrong 'a file that never ends' '/dev/zero: longer than 64 KiB (options are shorter)' --config=/dev/zero
wrong 'a directory' "$W: Is a directory" --config="$W"
mkfifo "$W/fifo"
wrong 'a pipe' "$W/fifo: not a file" --config="$W/fifo"
wrong 'a file that is not there' "$W/none: No such file or directory" --config="$W/none"
: >"$C"
is 'an empty file is good' 'commit=1 by built-in' "$(shown commit)"
chmod 0 "$C"
[ "$(id -u)" = 0 ] || wrong 'a file that may not be read' "$C: Permission denied"
rm -f "$C" && export WIDEFS_CONFIG=
# The store's.
printf 'log_file = /tmp/x\n' >"$S/options"
wrong "a store's log" "$S/options:1: log_file: a store does not choose it (set it in /etc/widefs.conf)"
printf 'ro\n' >"$S/options" && chmod g+w "$S/options"
wrong 'a file that others can write' "$S/options: others can write it, or own it (chmod go-w, or run as its owner)"
rm "$S/options" && echo secret >"$W/secret" && ln -s "$W/secret" "$S/options"
wrong 'a link, and what it names is not shown' "$S/options: a symbolic link (copy what it names)"
rm "$S/options" && mkdir "$S/options"
wrong 'a directory in its place' "$S/options: Is a directory"
rmdir "$S/options"
# The environment.
WIDEFS_CACHE=x wrong 'a variable' 'WIDEFS_CACHE: cache=x: not a size from 1048576 to 1099511627776 (K, M, G and T may follow the number)'
WIDEFS_THREAD=2 wrong 'one that is like an option' 'WIDEFS_THREAD: unknown option (did you mean WIDEFS_THREADS?)'
is 'others are ignored' 'commit=1 by built-in' "$(WIDEFS_TEST_CALLS=2 WIDEFS_=1 WIDEFS_HOME=/x WIDEFS_A_NAME_THAT_IS_LONGER_THAN_ALL_OPTIONS=1 shown commit)"
is 'a value that holds a line' 1 "$(WIDEFS_LOG_FILE=$W/a$'\n'store=/etc shown log_file >"$W/said"; head -1 "$W/options" | grep -cxF "store=$S")"
done_testing
