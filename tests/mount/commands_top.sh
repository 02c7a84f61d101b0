# top: once for a pipe, live on a terminal of 40 columns; errors -f.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.busy (p int PRIMARY KEY, v text);
CREATE TABLE k.calm (p int PRIMARY KEY, v text);
INSERT INTO k.busy (p, v) VALUES (1, 'x');
C
echo flush >"$M/.widefs/ctl"
for i in 1 2 3 4 5; do echo "$i" >"$M/k/busy/1/v"; done
is 'top in a pipe' 0 "$(exits "$CTL" top "$M/k")"
is 'is quiet beside it' '' "$(cat "$W/err")"
for line in '^ lookup +[0-9]+ +[0-9.]+(us|ms|s) +[0-9.]+(us|ms|s)$' '^memtables [0-9.]+[BKM] of ' '^cache .* hits [0-9]+%, filter [0-9]+%$' '^compacted .* to merge, waits ' '^ k\.busy +[0-9]+ +[0-9]+$' '^ bash +[0-9]+ +[0-9]+ +[0-9]+$' '^ 0 +[0-9]+ +[0-9.]+[BKM]$'; do
	ok "the output has $line" grep -qE "$line" "$W/out"
done
is 'no table that nobody used' 0 "$(grep -c 'k\.calm' "$W/out")"
is 'no sequence for a terminal' 0 "$(grep -c $'\033' "$W/out")"
is 'and --once' "$M" "$("$CTL" top --once "$M" | head -1 | cut -d, -f1)"
cat >"$W/screen.py" <<'P'
import fcntl, os, pty, re, select, struct, sys, termios, time
# screen.py KEY PROGRAM ARGUMENTS: shows some screens of 40 columns, presses the key.
pid, fd = pty.fork()
if not pid:
    os.environ['TERM'] = 'xterm'
    os.execv(sys.argv[2], sys.argv[2:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 20, 40, 0, 0))
seen, end = b'', time.monotonic() + 60
pressed = False
while time.monotonic() < end:
    if select.select([fd], [], [], 0.2)[0]:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        seen += data
    if not pressed and seen.count(b'\x1b[2J') >= 3:
        os.write(fd, sys.argv[1].encode())
        pressed = True
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
screens = [re.sub(rb'\x1b\[[0-9;?]*[A-Za-z]', b'', s).decode('utf-8', 'replace').split('\r\n') for s in seen.split(b'\x1b[2J')[2:]]
print('status', status, 'screens', len(screens) >= 2)
print('wide', max(len(line) for s in screens for line in s) <= 40)
print('high', max(len(s) for s in screens) <= 21)
print('ends', seen.rstrip().endswith(b'\x1b[?1049l'))
print('past', any(os.environ['PAST'] in line.split() for s in screens for line in s))
P
PAST=$(bash -c 'for i in {1..50}; do echo "$i" >"$1"; done; echo $$' _ "$M/k/busy/1/v")
export PAST
is 'a process that has ended is among those since the mount was made' 1 "$("$CTL" top --once "$M" | grep -c "^ .* $PAST ")"
is 'it has the command that it had' bash "$(awk -v p="$PAST" '$2 == p { print $4 }' "$M/.widefs/clients")"
is 'live: q ends it; no line is wider than the screen; who sends nothing is not shown' $'status 0 screens True\nwide True\nhigh True\nends True\npast False' "$(python3 "$W/screen.py" q "$CTL" top --delay=0.2 "$M")"
is 'Ctrl-C, too' 'status 0 screens True' "$(python3 "$W/screen.py" $'\x03' "$CTL" top -d 0.2 "$M" | head -1)"
is 'a terminal that is none' 0 "$(TERM=dumb python3 - "$CTL" "$M" <<'P'
import os, pty, sys
pid, fd = pty.fork()
if not pid:
    os.environ['TERM'] = 'dumb'
    os.execv(sys.argv[1], [sys.argv[1], 'top', sys.argv[2]])
seen = b''
try:
    while True:
        data = os.read(fd, 65536)
        if not data:
            break
        seen += data
except OSError:
    pass
print(seen.count(b'\x1b') + os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
P
)"
is 'no mount' 6 "$(exits "$CTL" top "$W")"
is 'no delay' 2 "$(exits "$CTL" top -d 0 "$M")"
# errors -f: those of before, and those that come.
put "$M/k/busy/1/none" x 2>/dev/null
"$CTL" errors -f "$M" >"$W/errors" &
follower=$!
for ((i = 0; i < 200; i++)); do [ -s "$W/errors" ] && break; sleep 0.05; done
put "$M/k/busy/1/later" x 2>/dev/null
for ((i = 0; i < 200; i++)); do grep -q later "$W/errors" && break; sleep 0.05; done
kill "$follower"
is 'errors -f follows' $'/k/busy/1/none\n/k/busy/1/later' "$(awk '{ print $5 }' "$W/errors")"
is_past() { ! grep -q "^[0-9]* $PAST " "$M/.widefs/clients"; }
ok 'a process that has ended leaves, too' within 20 is_past
stop
done_testing
