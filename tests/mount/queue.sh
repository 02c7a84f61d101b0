# Requests that wait for others of their user (P21) end with their callers: while the
# others still run, and without a charge that stays. A signal that ends nobody ends
# statements alone.
. tests/mount/lib.sh
chmod 755 "$W"
start -o allow_other
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.wide (id int PRIMARY KEY, v int);
C
cat >"$W/queue.py" <<'P'
import atexit, ctypes, errno, os, re, signal, sys, time
m, user = sys.argv[1], 65534
libc = ctypes.CDLL(None, use_errno=True)
children = set()

def end(pids):
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        children.discard(pid)
atexit.register(lambda: [os.kill(pid, signal.SIGKILL) for pid in children])

def forked(work, uid):
    out, into = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            if uid:
                os.setgroups([]); os.setgid(uid); os.setuid(uid)
            os.write(into, work().encode())
        except BaseException as e: print(type(e), e, file=sys.stderr, flush=True)
        finally: os._exit(0)
    os.close(into)
    children.add(pid)
    return pid, out

# Longer than any of this takes: as many statements as one write has room for.
STATEMENTS = b'SELECT count(*) FROM k.wide WHERE v = 2 ALLOW FILTERING;' * 18000
def scan():
    os.write(os.open(m + '/.cql', os.O_RDWR), STATEMENTS)

# Not os.write: that one tries again.
def write():
    libc.siginterrupt(signal.SIGUSR1, 1)
    signal.signal(signal.SIGUSR1, lambda *_: None)
    text = b"SELECT '" + b'x' * ((1 << 20) - 8)
    return errno.errorcode[ctypes.get_errno()] if libc.write(os.open(m + '/.cql', os.O_RDWR), text, len(text)) < 0 else 'written'

def look(name):
    def work():
        signal.signal(signal.SIGUSR1, lambda *_: None)
        try: os.stat(m + '/' + name)
        except OSError as e: return errno.errorcode[e.errno]
    return work

def runs(pid):
    if os.waitpid(pid, os.WNOHANG) == (0, 0): return True
    children.discard(pid)

def until(what, is_so):
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end, what
        time.sleep(0.01)
P
python3 - "$M" <<'P'
import os, sys
fd = os.open(sys.argv[1] + '/.cql', os.O_WRONLY)
for i in range(20):
    os.write(fd, b'UPDATE k.wide SET v = 1 WHERE id IN (%s);' % ','.join(str(i * 1000 + n) for n in range(1000)).encode())
P
cat "$W/queue.py" - >"$W/shared.py" <<'P'
MB = 1 << 20
def charged(what):
    found = re.search(r'^user %d:.* %s (\d+)' % (user, what), open(m + '/.widefs/stats').read(), re.M)
    return int(found[1]) if found else 0
def waiting(): return charged('request_bytes')
# Six may run at once, until it is seen that they are long.
scans = [forked(scan, user) for _ in range(9)]
until('some of them wait', lambda: charged('statement_bytes') // len(STATEMENTS) + waiting() // len(STATEMENTS) == 9)
before = waiting()
writers = [forked(write, user) for _ in range(9)]
until('the writers wait', lambda: waiting() >= before + 9 * MB)
full = waiting()
for pid, out in writers[:4]:
    os.kill(pid, signal.SIGKILL)
for pid, out in writers[:4]:
    until('a killed one is gone', lambda: not runs(pid))
left = waiting()
assert full - 5 * MB < left <= full - 4 * MB, (full, left)
pid, out = writers[4]
os.kill(pid, signal.SIGUSR1)
assert os.read(out, 100) == b'EINTR'
assert waiting() <= full - 5 * MB, (full, waiting())
# Nobody's turn has come meanwhile.
assert all(runs(pid) for pid, out in scans + writers[5:])
assert waiting() >= before + 4 * MB, (before, waiting())
end(pid for pid, out in writers[5:] + scans)
until('nothing is charged', lambda: not waiting())
P
ok 'one user fills the queue' timeout 200 python3 "$W/shared.py" "$M"
again -s -o allow_other
cat "$W/queue.py" - >"$W/alone.py" <<'P'
# A process cannot be killed while it waits for a lock of the kernel's, or for another's
# look at the same name. So these names are held open, as the kernel may forget others
# (another suite may tell it to), and each process looks into a directory of its own.
held = [os.open(m + name, os.O_PATH) for name in ('/k', '/k/wide')]
busy = forked(scan, 0)
time.sleep(1)
looks = [forked(look(name), 0) for name in ('absent', 'k/absent', 'k/wide/77777777')]
time.sleep(1)	# they are with the daemon
os.kill(looks[0][0], signal.SIGUSR1)
os.kill(looks[1][0], signal.SIGKILL)
until('a killed one is gone', lambda: not runs(looks[1][0]))
assert all(runs(pid) for pid, out in (busy, looks[0], looks[2]))
end([busy[0]])
for pid, out in (looks[0], looks[2]):
    assert os.read(out, 100) == b'ENOENT'
    end([pid])
P
ok 'one thread that reads ahead' timeout 200 python3 "$W/alone.py" "$M"
stop
is 'the store is sound' '0 problems' "$("$CTL" check "$S")"
done_testing
