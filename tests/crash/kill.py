"""kill -9 rounds: see run. Prints a line of counts; exit 1 when a promise broke."""
import os, random, signal, subprocess, sys, time

widefs, ctl, work = sys.argv[1:4]
rounds, seed, kill_at = int(sys.argv[4]), int(sys.argv[5]), sys.argv[6]
store, mnt = work + '/store', work + '/mnt'
WRITERS = 4
CALLS = ('pwrite', 'fdatasync', 'fsync', 'ftruncate', 'fallocate', 'renameat', 'unlinkat', 'mkdirat', 'msync')
checks = failures = 0

WRITER = r'''
import os, sys
mnt, name, log, first, fsync = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5] == '1'
out = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
i = first
while True:
    os.write(out, b'begin %d\n' % i)
    try:
        if i % 3 == 0:      # a whole row, atomically
            fd = os.open(f'{mnt}/k/t/{name}/{i}.json', os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.write(fd, b'{"a": %d, "b": "row %d"}' % (i, i))
        elif i % 3 == 1:    # two rows by a batch
            fd = os.open(f'{mnt}/.cql', os.O_RDWR)
            os.write(fd, b"BEGIN BATCH INSERT INTO k.t (p, c, a, b) VALUES ('%s', %d, %d, 'row %d'); "
                         b"INSERT INTO k.u (p, c, a) VALUES ('%s', %d, %d); APPLY BATCH;" % (name.encode(), i, i, i, name.encode(), i, i))
        else:               # a cell
            os.makedirs(f'{mnt}/k/t/{name}/{i}')
            fd = os.open(f'{mnt}/k/t/{name}/{i}/a', os.O_WRONLY | os.O_CREAT)
            os.write(fd, b'%d\n' % i)
        if fsync:
            os.fsync(fd)
        os.close(fd)
    except OSError:
        break
    os.write(out, b'done %d\n' % i)
    i += 1
'''

def fail(text):
    global failures
    failures += 1
    print('FAIL:', text)

def mount(*options, point=None):
    """With a point to die at: is there a daemon?"""
    env = dict(os.environ, LD_PRELOAD=kill_at, KILL_AT=point) if point else None
    return subprocess.run([widefs, '--log-file=' + work + '/log', *options, store, mnt], env=env, check=not point,
                          stderr=subprocess.DEVNULL).returncode == 0

def kill():
    """Was there one yet?"""
    out = subprocess.run(['pgrep', '-f', '--', f'{store} {mnt}$'], capture_output=True, text=True).stdout.split()
    try:
        os.kill(int(out[-1]), signal.SIGKILL)
    except (IndexError, ProcessLookupError):
        return False
    return True

def cql(text):
    fd = os.open(mnt + '/.cql.json', os.O_RDWR)
    try:
        os.write(fd, text.encode())
        out = b''
        while chunk := os.read(fd, 65536):
            out += chunk
        return out.decode()
    finally:
        os.close(fd)

def read(path):
    try:
        with open(path) as f:
            return f.read()
    except FileNotFoundError:
        return None

def verify(name):
    global checks
    begun, done = [], set()
    for line in read(f'{work}/{name}.log').splitlines():
        word, number = line.split()
        (begun.append if word == 'begin' else done.add)(int(number))
    for i in begun[-400:]:
        row = f'{mnt}/k/t/{name}/{i}'
        a, b = read(row + '/a'), read(row + '/b')
        checks += 1
        if i in done:
            if a != f'{i}\n' or (i % 3 != 2 and b != f'row {i}\n'):
                fail(f'{name} {i}: acknowledged, but a is {a!r} and b is {b!r}')
        elif i % 3 == 2:
            if a not in (None, f'{i}\n'):
                fail(f'{name} {i}: a is {a!r}')
        elif (a is None) != (b is None):
            fail(f'{name} {i}: half a row: {a!r}, {b!r}')
        if i % 3 == 1 and (read(f'{mnt}/k/u/{name}/{i}/a') is None) != (a is None):
            fail(f'{name} {i}: half a batch')
    return (begun[-1] + 1) if begun else 0

rng = random.Random(seed)
mount()
for statement in ("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                  'CREATE TABLE k.t (p text, c int, a int, b text, PRIMARY KEY (p, c))',
                  'CREATE TABLE k.u (p text, c int, a int, PRIMARY KEY (p, c))'):
    cql(statement)
for w in range(WRITERS):
    os.makedirs(f'{mnt}/k/t/w{w}')
first = [0] * WRITERS
died = 0    # by themselves, at a call
for round_number in range(rounds):
    if rng.random() < 0.6:  # begin anew, so that starting has such points too
        kill()
        if not mount(point=f"{rng.choice(CALLS)} {int(rng.choice([4, 40, 200]) ** rng.random())} "
                           f"{rng.choice(['before', 'after'])}"):
            died += 1
            mount()
    writers = [subprocess.Popen([sys.executable, '-c', WRITER, mnt, f'w{w}', f'{work}/w{w}.log', str(first[w]),
                                 str(rng.randrange(2))], stderr=subprocess.DEVNULL) for w in range(WRITERS)]
    time.sleep(rng.uniform(0.15, 0.8))
    if rng.random() < 0.6:
        try:
            with open(mnt + '/.widefs/ctl', 'w') as f:
                f.write(rng.choice(['flush\n', 'compact\n']))
        except OSError:
            pass
    died += not kill()
    for writer in writers:
        writer.wait()
    mount(*rng.choice([(), ('-o', 'commit=0'), ('-o', 'memtable=1M'), ('-s',)]))
    for w in range(WRITERS):
        first[w] = max(first[w], verify(f'w{w}'))
subprocess.run([ctl, 'umount', mnt], check=True)
if subprocess.run([ctl, 'check', store]).returncode:
    fail('widefsctl check')
if rounds > 20 and not died:
    fail('no daemon died at a call')
print(f'{rounds} kills, {died} at a call, seed {seed}: {sum(first)} rows written')
print(f'{checks - failures} passed, {failures} failed')
sys.exit(1 if failures or not checks else 0)
