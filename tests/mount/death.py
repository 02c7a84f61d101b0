# death.py STORE MOUNTPOINT ROUNDS SEED: a daemon dies under load, again and
# again. Clients work in the same directories, so that at most moments one holds
# a directory's lock and waits for the daemon while a notice waits for that lock.
# After each death all clients must end with an error within LIMIT seconds, the
# mount point be cleared by who mounted it, and the store open at once, with
# every value in it that was closed. The daemon is killed, or crashes, or it is
# stopped (as good as deadlocked) and ended by `widefsctl umount --force`; with
# FORCE=1 the same frees what hangs when its guardian was killed with it. WIDEFS
# and CTL are the programs, CONTROL a mounted control filesystem, by which what
# hangs is freed in the end.
import errno, os, random, signal, subprocess, sys, time

store, mount, rounds, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
LIMIT = 30
DEAD = (errno.ENOTCONN, errno.ECONNABORTED)
CLIENTS = 8
table = mount + '/k/t'


def cql(text):
    fd = os.open(mount + '/.cql', os.O_RDWR)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def put(path, text):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        os.write(fd, text)
    finally:
        os.close(fd)


def get(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, 99)
    finally:
        os.close(fd)


def step(r, number, i):
    p, c = r.randrange(2), r.randrange(4)
    d = '%s/%d' % (table, p)
    row = '%s/%d' % (d, c)
    what = (number * 3 + r.randrange(7)) % 10
    if what == 0:
        os.mkdir(row)
    elif what == 1:
        cql('INSERT INTO k.t (p, c, a) VALUES (%d, %d, %d);' % (p, c, i))
    elif what == 2:
        cql('DELETE FROM k.t WHERE p = %d AND c = %d;' % (p, c))
    elif what == 3:
        os.unlink(row + '/' + r.choice('ab'))
    elif what == 4:
        put(row + '/' + r.choice('ab'), b'%d\n' % i)
    elif what == 5:
        os.stat(row + '/' + r.choice('ab'))
    elif what == 6:
        [os.stat(d + '/' + name) for name in os.listdir(d)]
    elif what == 7:
        get(row + '/' + r.choice('ab'))
    elif what == 8:
        put(row + '.json', b'{"a": %d}\n' % i)
    else:
        os.rmdir(row)


# Ends with the mount: a client that got no processor while the daemon died finds
# the place of the mount empty, or another mount there.
def client(number, round_number, device):
    r = random.Random(seed * 1000003 + round_number * 1009 + number)
    i = 0
    while True:
        i += 1
        try:
            if number == 0:
                put('%s/9/9/a' % table, b'%d\n' % i)
                os.pwrite(closed, b'%d' % i, 0)
            else:
                step(r, number, i)
        except OSError as e:
            if e.errno in DEAD or not mounted_at(device):
                os._exit(0)


def mounted_at(device):
    try:
        return os.stat(mount).st_dev == device
    except OSError:
        return False


def alive(children):
    for pid in list(children):
        if os.waitpid(pid, os.WNOHANG)[0]:
            children.remove(pid)
    return children


def wait_until(limit, what):
    ends = time.time() + limit
    while time.time() < ends:
        if what():
            return True
        time.sleep(0.02)
    return False


# The state of the case that is sought: all is dead but a thread in the kernel.
def lingers(pid):
    try:
        states = [open('/proc/%d/task/%s/stat' % (pid, t)).read().rsplit(')', 1)[1].split()[0]
                  for t in os.listdir('/proc/%d/task' % pid)]
    except OSError:
        return False
    return 'D' in states


def start():
    begin = time.time()
    # A process that hangs here would hang for ever: kill it.
    p = subprocess.Popen([os.environ['WIDEFS'], '--log-file=' + store + '.log', store, mount])
    try:
        status = p.wait(LIMIT)
    except subprocess.TimeoutExpired:
        p.kill()
        status = 'it hangs'
    return status, time.time() - begin


def connection():
    with open('/proc/self/mountinfo') as f:
        for line in f:
            words = line.split()
            if words[4] == mount:
                return words[2].split(':')[1]
    return None


def daemon():
    out = subprocess.run(['pgrep', '-f', '--', '%s %s$' % (store, mount)], capture_output=True, text=True)
    return int(out.stdout.split()[0])


def free(number):
    with open('%s/%s/abort' % (os.environ['CONTROL'], number), 'w') as f:
        f.write('1')


closed = os.open(store + '.closed', os.O_RDWR | os.O_CREAT)
def guardian(pid):
    return int(subprocess.run(['pgrep', '-P', str(pid), '-x', 'wide-guardian'], capture_output=True, text=True).stdout)


# How it ends; True: the mount is taken away by force.
def end(which, pid):
    if which == 'stop':
        os.kill(pid, signal.SIGSTOP)
    elif which == 'both':
        os.kill(guardian(pid), signal.SIGKILL)
        os.kill(pid, signal.SIGKILL)
    else:
        os.kill(pid, which)
        return False
    time.sleep(0.2)
    out = subprocess.run([os.environ['CTL'], 'umount', '--force', mount], capture_output=True, text=True, timeout=90)
    if out.returncode:
        print('widefsctl umount --force: %d, %s' % (out.returncode, out.stderr))
    return not out.returncode


how = [signal.SIGKILL, signal.SIGABRT, 'stop', signal.SIGKILL, 'both', signal.SIGSEGV]
if os.environ.get('FORCE') != '1':
    how.remove('both')
hung, lingered, slowest, mounted = 0, 0, 0.0, 0.0
print('seed %d' % seed)
for n in range(rounds):
    status, took = start()
    mounted = max(mounted, took)
    if status != 0:
        print('round %d: the store does not mount: %s after %.1f s' % (n, status, took))
        sys.exit(1)
    number, pid = connection(), daemon()
    if n == 0:
        cql("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
            'CREATE TABLE k.t (p int, c int, a int, b int, PRIMARY KEY (p, c)) WITH gc_grace_seconds = 0;'
            'INSERT INTO k.t (p, c, a) VALUES (9, 9, 0);')
    # The last closed value is there, or the one that was about to be.
    want, found = int(os.pread(closed, 20, 0) or b'0'), int(get('%s/9/9/a' % table))
    if found not in (want, want + 1):
        print('round %d: closed %d, found %d' % (n, want, found))
        hung += 1
    os.ftruncate(closed, 0)
    put('%s/9/9/a' % table, b'0\n')
    children, device = [], os.stat(mount).st_dev
    for i in range(CLIENTS):
        child = os.fork()
        if not child:
            signal.alarm(0)
            client(i, n, device)
        children.append(child)
    r = random.Random(seed * 7 + n)
    time.sleep(0.15 + r.random() * 0.5)
    which = how[n % len(how)]
    begin = time.time()
    forced = end(which, pid)
    time.sleep(0.1)
    lingered += lingers(pid)
    if not wait_until(LIMIT, lambda: not alive(children)):
        hung += 1
        print('round %d: %s: %d clients hang after %d s' % (n, which, len(children), LIMIT))
        free(number)
        wait_until(LIMIT, lambda: not alive(children))
    slowest = max(slowest, time.time() - begin)
    # Each second time the daemon that follows clears the mount point itself.
    if n % 2 and not forced and subprocess.run(['fusermount3', '-u', mount]).returncode:
        print('round %d: fusermount3 -u fails' % n)
        hung += 1
print('rounds %d, bad %d, lingered %d, slowest release %.1f s, slowest mount %.1f s' % (rounds, hung, lingered, slowest, mounted))
sys.exit(hung != 0)
