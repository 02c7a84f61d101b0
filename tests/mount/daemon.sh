# The daemon: options, messages, exit statuses, its end (widefs.1).
. tests/mount/lib.sh
status() { "$@" >"$W/out" 2>&1 </dev/null; echo $?; }
is 'no arguments' 2 "$(status "$WIDEFS")"
is 'an unknown option' 2 "$(status "$WIDEFS" -o commmit=1 "$S" "$M")"
is 'is named, with the nearest' 1 "$(grep -c 'commmit=1: unknown option (did you mean commit?)' "$W/out")"
while read -r option near; do
	is "$option is unknown" 2 "$(status "$WIDEFS" "$option" "$S" "$M")"
	is 'the nearest has the dashes it needs' "widefs: $option: unknown option (did you mean $near?)" "$(head -1 "$W/out")"
done <<'E'
--log-lvl=debug --log-level
--debgu --debug
--commit=1 -o commit
--keyspac=k -o keyspace
E
is 'a bad size' 2 "$(status "$WIDEFS" -o cache=12Q "$S" "$M")"
is 'help' 0 "$(status "$WIDEFS" --help)"
is 'version' 0 "$(status "$WIDEFS" --version)"
is 'of all that counts, a line each' 'fusermount3 version: libfuse store format using FUSE kernel interface version widefs' "$(sed 's/ [0-9.]*$//' "$W/out" | sort | paste -sd' ')"
is 'no such store to read' 6 "$(status "$WIDEFS" -o ro "$W/none" "$M")"
mkdir "$W/foreign" && touch "$W/foreign/file"
is 'a directory that is something else' 1 "$(status "$WIDEFS" "$W/foreign" "$M")"
is 'is refused by name' 1 "$(grep -c 'not a widefs store' "$W/out")"
is 'and untouched' file "$(ls -A "$W/foreign")"
is 'no mount point' 1 "$(status "$WIDEFS" "$S" "$W/nowhere")"
mkdir "$W/full" && touch "$W/full/x"
is 'a mount point with files' 1 "$(status "$WIDEFS" "$S" "$W/full")"
ok 'is refused with the way out' grep -q "^widefs: $W/full: the mount point is not empty (name an empty directory, or use -o nonempty)$" "$W/out"
is 'a store is created' 0 "$(status "$WIDEFS" --log-file="$W/log" "$S" "$M")"
is 'and it says so' "widefs: $S: store created" "$(cat "$W/out")"
ok 'the store is mounted' mountpoint -q "$M"
mkdir "$W/second"
is 'a second daemon' 3 "$(status "$WIDEFS" "$S" "$W/second")"
is 'names the first' "widefs: $S: store is open in process $(daemon_pid) (unmount it)" "$(cat "$W/out")"
is 'mounting over it' 1 "$(status "$WIDEFS" "$W/other" "$M")"
mkdir "$M/shop" "$M/shop/t" "$M/shop/t/p" && put "$M/shop/t/p/x" 1
is 'check of a mounted store' 3 "$(status "$CTL" check "$S")"
is 'widefsctl umount' 0 "$(status "$CTL" umount "$M")"
is 'the store is free at once' 0 "$(status "$CTL" check "$S")"
is 'and sound' '0 problems' "$(cat "$W/out")"
is 'umount of nothing' 6 "$(status "$CTL" umount "$M")"
is 'an unknown command' 2 "$(status "$CTL" chek)"
is 'with the nearest' 1 "$(grep -c 'did you mean check' "$W/out")"
is 'read-only' 0 "$(status "$WIDEFS" -o ro "$S" "$M")"
is 'reads' 1 "$(cat "$M/shop/t/p/x")"
refused 'writes nothing' 'Read-only file system' mkdir "$M/new"
is 'statements read' 310a "$("$CTL" cql "$M/shop" -m csv -e 'SELECT value FROM t' | tail -1 | sed 's/^0x//')"
refused 'and write nothing' 'the store is read-only' "$CTL" cql "$M" -e "INSERT INTO shop.t (key, column1, value) VALUES ('p', 'y', 0x32)"
is 'dump' "$("$CTL" dump "$S")" "$("$CTL" dump "$M" 2>&1)"
is 'schema' "$("$CTL" schema "$S" shop.t)" "$("$CTL" schema "$M/shop/t" 2>&1)"
before=$(cd "$S" && find . -type f -exec stat -c '%n %s %Y %Z' {} + | sort)
stop
is 'not one byte' "$before" "$(cd "$S" && find . -type f -exec stat -c '%n %s %Y %Z' {} + | sort)"
start -o ro,fsname=wide
refused 'a read-only mount of another name' 'name the store instead' "$CTL" schema "$M"
stop
start -o keyspace=shop,max_value=1M,commit=0
is 'one keyspace alone' shop "$(ls "$M")"
refused 'a value over max_value' 'File too large' dd if=/dev/zero of="$M/shop/t/p/big" bs=64k count=17 status=none
is 'nothing of it' 'x' "$(names "$M/shop/t/p")"
is 'the options' 'commit=0' "$(grep ^commit "$M/.widefs/options")"
is 'each once' '' "$(sed 's/=.*//' "$M/.widefs/options" | sort | uniq -d)"
ok 'fsync' python3 -c 'import os,sys; f=os.open(sys.argv[1], os.O_WRONLY|os.O_CREAT); os.write(f, b"v"); os.fsync(f); os.close(f)' "$M/shop/t/p/y"
is 'and it is there' v "$(cat "$M/shop/t/p/y")"
pid=$(daemon_pid)
exec 8<"$M/shop/t/p/x"
kill -TERM "$pid"
for _ in $(seq 100); do mountpoint -q "$M" || break; sleep 0.05; done
ok 'SIGTERM unmounts' test "$(mountpoint -q "$M" && echo still)" = ''
is 'open files are served' 1 "$(cat <&8)"
exec 8<&-
wait_closed
# SIGHUP: the log goes on in the file that has its name.
start -o log_level=debug
pid=$(daemon_pid)
mv "$W/log" "$W/log.1"
kill -HUP "$pid"
ok 'SIGHUP opens the log anew' within 10 test -e "$W/log"
# The unmount tells of what was in memory alone.
run_cql <<<'CREATE TABLE shop.u (id int PRIMARY KEY, v text)'
mkdir "$M/shop/u/1"
put "$M/shop/u/1/v.rej" 'a file of patch(1)'
stop
ok 'lines come into the new one' test -s "$W/log"
is 'each with its time' '' "$(grep -vE '^[0-9]{4}(-[0-9]{2}){2}T([0-9]{2}:){2}[0-9]{2}Z widefs: ' "$W/log")"
# SIGUSR1: the state in the log, at any level, while nothing is done and while much is.
dumps() { grep -c 'widefs: the end of the state of ' "$W/log"; }
ask() {	# ask PID TIMES: how often it told
	local n i before told=0
	for ((n = 0; n < $2; n++)); do
		before=$(dumps)
		kill -USR1 "$1"
		for ((i = 0; i < 200; i++)); do
			[ "$(dumps)" -le "$before" ] || { told=$((told + 1)) && break; }
			sleep 0.05
		done
	done
	echo "$told"
}
# ends_soon: the unmount is done within the usual time.
ends_soon() {
	local begin=$SECONDS
	stop
	ok "$1" test $((SECONDS - begin)) -lt 5
}
for threads in 4 1; do
	start -o log_level=error,threads=$threads
	pid=$(daemon_pid)
	: >"$W/log"
	is "SIGUSR1 writes the state, $threads threads" 3 "$(ask "$pid" 3)"
	is 'how it is mounted' '' "$(sed 's/^[^ ]* widefs: //' "$W/log" | grep -vxF -f - "$M/.widefs/options")"
	ok 'and does' grep -qF " widefs: $(grep -m1 memtable "$M/.widefs/stats" | sed 's/[0-9].*//')" "$W/log"
	ends_soon 'the unmount waits for nothing'
	start -o threads=$threads
	pid=$(daemon_pid)
	: >"$W/log"
	writers=()
	for w in 1 2 3; do
		mkdir -p "$M/shop/u/1$w"
		while put "$M/shop/u/1$w/v" "$w" && cat "$M/.widefs/stats" "$M/shop/u/1$w/v" && rm "$M/shop/u/1$w/v"; do :; done >/dev/null 2>&1 &
		writers+=($!)
	done
	is "each of 5 is answered under load, $threads threads" 5 "$(ask "$pid" 5)"
	before=$(dumps)
	begin=$SECONDS
	for _ in $(seq 200); do kill -USR1 "$pid"; sleep 0.01; done
	most=$((SECONDS - begin + 2)) told=$(($(dumps) - before))
	ok 'of many one in a second is' [ "$told" -le $most ]
	kill "${writers[@]}"
	wait "${writers[@]}" 2>/dev/null
	ends_soon 'the unmount after them, too'
done
# Lines for collectors: an object each, whatever is in a message.
rm "$W/log"
start -o log_level=debug,log_format=json
mkdir "$M/shop/u/2"
put "$M/shop/u/2/v.rej" 'another file of patch(1)'
stop
objects() { python3 -c 'import json, re, sys
for line in sys.stdin:
    o = json.loads(line)
    ok = list(o) == ["time", "level", "message"] and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", o["time"])
    print("an object" if ok and o["level"] in ("error", "warning", "info", "debug") else line)' | sort -u; }
is 'lines of JSON' 'an object' "$(objects <"$W/log")"
is 'an error of the start is one in the foreground' 'an object' "$(status "$WIDEFS" -f --log-format=json "$W/a\"b\\ "$'\n\xffé'"/none" "$M" >/dev/null; objects <"$W/out")"
is 'the name is in it' 1 "$(grep -cF "$W/a\\\"b\\\\ \\\\x0a\\uFFFDé/none: " "$W/out")"
is 'a format that is none' 2 "$(status "$WIDEFS" --log-format=xml "$S" "$M")"
is 'is refused by name' 'widefs: log_format=xml: not one of text, json' "$(cat "$W/out")"
"$WIDEFS" "$S" "$M"
pid=$(daemon_pid)
kill -HUP "$pid"
sleep 0.2
ok 'without a log file it does nothing' mountpoint -q "$M"
stop
"$WIDEFS" -f "$S" "$M" 2>>"$W/stderr" &
within 10 mountpoint -q "$M"
kill -HUP "$(daemon_pid)"
ok 'it ends a daemon whose terminal has gone' within 20 sh -c "! mountpoint -q '$M'"
wait_closed
start
pid=$(daemon_pid)
put "$M/shop/t/p/z" 'closed before the kill'
kill -9 "$pid"
sleep 0.2
start
is 'a dead mount point is cleaned, a closed write is there' 'closed before the kill' "$(cat "$M/shop/t/p/z")"
stop
is 'one thread' threads=1 "$("$WIDEFS" -s "$S" "$M"; grep ^threads "$M/.widefs/options")"
stop
"$WIDEFS" -d "$S" "$M" >"$W/requests" 2>&1 &
within 10 mountpoint -q "$M"
is 'the foreground with each request' shop "$(ls "$M")"
stop
ok 'requests are told' grep -qE '^ *unique: .*READDIR' "$W/requests"
# As mount(8) calls its helper: options come last, and its flags mean other things.
ln -s "$WIDEFS" "$W/mount.widefs"
helper() { status "$W/mount.widefs" "$@"; }
is 'the helper' 0 "$(helper "$S" "$M" -n -v -o rw,noauto,nofail,_netdev,user,users,owner,defaults,x-systemd.automount,x-y=1,comment=z,dev,suid,commit=2)"
is 'has mounted, in the background' commit=2 "$(grep ^commit "$M/.widefs/options")"
stop
is 'a fake mount' 0 "$(helper "$S" "$M" -f -v -o rw)"
ok 'mounts nothing' sh -c "! mountpoint -q '$M'"
is 'a sloppy one' 0 "$(helper "$S" "$M" -s -o rw,nonsense,more=less,threads=3)"
is 'ignores what it does not know alone' threads=3 "$(grep ^threads "$M/.widefs/options")"
stop
is 'wrong usage' 1 "$(helper "$S" "$M" -o rw,nonsense)"
is 'is named' 1 "$(grep -c 'nonsense: unknown option' "$W/out")"
is 'a mount that fails' 32 "$(helper "$W/no/where" "$M")"
# in_turn HOW: mount a second store in the place of the first, whose daemon then ends:
# one that it was unmounted, or of two signals, with a file that is still open.
in_turn() {
	local pid how=$1
	"$WIDEFS" "$W/turn1" "$M" 2>>"$W/stderr"
	pid=$(pgrep -o -f -- "$W/turn1 $M\$")
	[ "$how" = unmounted ] || exec 9<"$M/.widefs/version"
	[ "$how" = signalled ] || kill -STOP "$pid"
	umount -l "$M" 2>/dev/null || fusermount3 -uz "$M"
	"$WIDEFS" "$W/turn2" "$M" 2>>"$W/stderr"
	[ "$how" = signalled ] || kill -CONT "$pid"
	[ "$how" = unmounted ] || { kill -TERM "$pid" && sleep 0.1 && kill -TERM "$pid"; }
	while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
	exec 9<&-
	ok "a daemon that was $how leaves the next mount alone" mountpoint -q "$M"
	umount "$M" 2>/dev/null || fusermount3 -u "$M"
	while pgrep -f -- "$W/turn2 $M\$" >/dev/null; do sleep 0.05; done
}
in_turn unmounted
in_turn signalled
done_testing
