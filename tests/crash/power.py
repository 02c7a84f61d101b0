"""Power cuts on a real filesystem: see run. Each cycle kills the daemon no, one or two times, at a call on files, and cuts the
power of the next one, at a call or at any moment: the filesystem in a file is shut down without its log. After the repair by its
own mount nothing that was fsynced may be missing, and what is there is all that was done before the last of it."""
import fcntl, os, random, shutil, struct, subprocess, sys, time
from daemon import Daemon, cql

widefs, ctl, work = sys.argv[1:4]
cycles, seed, kill_at, kind = int(sys.argv[4]), int(sys.argv[5]), sys.argv[6], sys.argv[7]
image, disk = work + '/image', work + '/disk'
d = Daemon(widefs, ctl, work, disk + '/store', kill_at)
rng = random.Random(seed)
WRITERS = 3
CYCLES_A_STORE = 10
SHUTDOWN, NO_LOG_FLUSH = 0x8004587d, struct.pack('I', 2)
CUT = b'cut\n'      # in the log, as by kill_at.c
CALLS = ('any', 'any', 'any', 'fdatasync', 'fdatasync', 'fsync', 'renameat', 'unlinkat')
SCHEMA = ("CREATE KEYSPACE IF NOT EXISTS k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
          'CREATE TABLE IF NOT EXISTS k.t (p text, c int, a int, b text, PRIMARY KEY (p, c))',
          'CREATE TABLE IF NOT EXISTS k.u (p text, c int, a int, PRIMARY KEY (p, c))')

def value(i):
    return 'x' * (i * 7919 % 3000)

def write_row(p, i, sync):
    text = f"INSERT INTO k.t (p, c, a, b) VALUES ('{p}', {i}, {i}, '{value(i)}')"
    if i % 4 == 1:      # a batch over two tables
        cql(d.mnt, f"BEGIN BATCH {text}; INSERT INTO k.u (p, c, a) VALUES ('{p}', {i}, {i}); APPLY BATCH", sync)
    elif i % 4 == 2:    # a document
        os.makedirs(f'{d.mnt}/k/t/{p}', exist_ok=True)
        fd = os.open(f'{d.mnt}/k/t/{p}/{i}.json', os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            os.write(fd, b'{"a": %d, "b": "%s"}' % (i, value(i).encode()))
            if sync:
                os.fsync(fd)
        finally:
            os.close(fd)
    else:
        cql(d.mnt, text, sync)

def write_rows(cycle, w, first, log, rng):
    """Until there is no daemon any more. All writers append to one log: who was done before who began is in it."""
    def note(*words):
        os.write(log, (' '.join(map(str, words)) + '\n').encode())
    def change_schema(number, text):
        note('begin', w, number)
        cql(d.mnt, text)
        note('synced', w, number)
    try:
        if w == 0:
            for text in SCHEMA:
                cql(d.mnt, text)
            change_schema(-1, f'CREATE TABLE IF NOT EXISTS k.made{cycle} (p int PRIMARY KEY)')
            change_schema(-2, f'DROP TABLE IF EXISTS k.made{cycle - 1}')
        else:
            for i in range(100):
                if os.path.exists(d.mnt + '/k/u'):
                    break
                time.sleep(0.01)
        for i in range(first, first + 100000):
            sync = rng.random() < 0.2
            note('begin', w, i)
            write_row(f'{cycle}-{w}', i, sync)
            note('synced' if sync else 'done', w, i)
    except OSError:
        pass

def start_writers(cycle, first, log):
    pids = []
    for w in range(WRITERS):
        writer_rng = random.Random(rng.random())
        pid = os.fork()
        if not pid:
            try:
                write_rows(cycle, w, first, log, writer_rng)
            finally:
                os._exit(0)
        pids.append(pid)
    return pids

def is_cut():
    """A filesystem that was shut down makes no files."""
    try:
        os.close(os.open(disk + '/probe', os.O_WRONLY | os.O_CREAT))
        return False
    except OSError:
        return True

def cut_power(log):
    os.write(log, CUT)
    try:
        fd = os.open(disk, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:     # the daemon came first
        return
    fcntl.ioctl(fd, SHUTDOWN, NO_LOG_FLUSH)
    os.close(fd)

def options():
    return ('-o', rng.choice(['commit=1', 'commit=0', 'commit=0.02', 'commit=0.02,memtable=1M', 'memtable=1M', 'threads=1']))

def live(cycle, life, log, point, cut):
    """One process's life: until it dies at the point, or is killed, or the power is cut."""
    chosen = options()
    alive = d.mount(*chosen, point=point, disk=disk, log=work + '/writes')
    lived.append(f'{chosen[1]}, to die at {point}')
    if alive:
        writers = start_writers(cycle, 1 + life * 1000000, log)
        time.sleep(rng.uniform(0.02, 0.25))
        if rng.random() < 0.4:
            try:
                d.control(rng.choice(['flush', 'flush', 'compact']))
            except OSError:
                pass
        alive = bool(d.pids())
        if alive and cut:
            cut_power(log)
        d.kill()
        for pid in writers:
            os.waitpid(pid, 0)
    d.clear()
    lived[-1] += ': it did not' if alive else ': it did'
    d.check(is_cut() == cut, f'cycle {cycle}: the daemon ended, and not at its point: {d.last_message()}')
    return not alive

def rows_of(cycle, table):
    names = ', '.join(f"'{cycle}-{w}'" for w in range(WRITERS))
    try:
        rows = d.cql(f'SELECT * FROM k.{table} WHERE p IN ({names})')
    except OSError:     # the table was never made
        return {}
    return {(int(row['p'].split('-')[1]), row['c']): row for row in rows}

def read_log(path):
    """Where each write begins in it, where each was done, which were synced. A sync that is under way when the filesystem is
    shut down may succeed, though nothing reaches the disk any more (ext4): with the power off there would be no answer."""
    begin, done, synced = {}, {}, set()
    cut = False
    with open(path) as f:
        for at, line in enumerate(f):
            cut |= line.startswith('cut')
            if line.startswith('cut'):
                continue
            word, w, i = line.split()
            write = int(w), int(i)
            if word == 'begin':
                begin[write] = at
            else:
                done[write] = at
                if word == 'synced' and not cut:
                    synced.add(write)
    return begin, done, synced

def table_exists(name):
    return os.path.isdir(f'{d.mnt}/k/{name}')

def verify(cycle, path):
    """Returns what survived."""
    begin, done, synced = read_log(path)
    rows, others = rows_of(cycle, 't'), rows_of(cycle, 'u')
    for (w, i), row in rows.items():
        d.check((w, i) in begin and row['a'] == i and row['b'] == value(i), f'cycle {cycle}: row {w} {i} is {row}')
    for w, i in begin:
        if i % 4 == 1 and i > 0:
            d.check(((w, i) in rows) == ((w, i) in others), f'cycle {cycle}: half a batch, {w} {i}')
    for w, i in synced:
        there = (w, i) in rows if i > 0 else table_exists(f'made{cycle}') if i == -1 else not table_exists(f'made{cycle - 1}')
        d.check(there, f'cycle {cycle}: {w} {i} was synced and is gone')
    last = max((begin.get(write, 0) for write in rows), default=-1)
    for write, at in done.items():
        if at < last and write[1] > 0:
            d.check(write in rows, f'cycle {cycle}: {write} is gone, and what began after it is there')
    return set(rows), len(synced)

def mount_disk():
    subprocess.run(['mount', '-o', 'loop', '-t', kind, image, disk], check=True)

def umount_disk():
    """Another mount namespace that began meanwhile has it, too, until it ends: then a mount would find the dead filesystem."""
    for i in range(600):
        subprocess.run(['umount', disk], stderr=subprocess.DEVNULL)
        if not subprocess.run(['losetup', '-j', image], capture_output=True, check=True).stdout:
            return
        time.sleep(0.05)
    raise SystemExit('FAIL: the disk is busy')

def make_disk():
    os.mkdir(disk)
    with open(image, 'w') as f:
        f.truncate(512 << 20)
    subprocess.run([f'mkfs.{kind}', '-q', image], check=True)
    mount_disk()

def run_cycle(cycle, kept):
    path = f'{work}/writes'
    log = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC)
    lives = rng.choice([0, 1, 1, 2])
    failures = d.failures
    lived.clear()
    for life in range(lives):
        at = int(rng.choice([6, 40, 200]) ** rng.random())
        deaths['killed at a call'] += live(cycle, life, log, f"{rng.choice(CALLS)} {at} {rng.choice(['before', 'after'])}", False)
    deaths['killed, then cut'] += lives > 0
    deaths['cut at a call'] += live(cycle, lives, log, f'any {int(rng.choice([12, 40, 200]) ** rng.random())} cut', True)
    os.close(log)
    umount_disk()
    mount_disk()
    d.mount(*options())
    survived, synced = verify(cycle, path)
    for old, rows in kept.items():
        d.check(set(rows_of(old, 't')) == rows, f'cycle {cycle}: rows of cycle {old} are not as they were')
    kept[cycle] = survived
    if d.failures > failures:
        print(f'cycle {cycle} was: {lived}', flush=True)
    if rng.random() < 0.5:
        d.umount()
    else:
        d.kill()
        d.clear()
    d.check_store()
    return len(survived), synced

deaths = {'killed at a call': 0, 'killed, then cut': 0, 'cut at a call': 0}
lived = []     # of this cycle
rows = synced = 0
make_disk()
try:
    for cycle in range(cycles):
        if cycle % CYCLES_A_STORE == 0:     # its making is cut, too
            kept = {}
            shutil.rmtree(d.store, ignore_errors=True)
        survived = run_cycle(cycle, kept)
        rows, synced = rows + survived[0], synced + survived[1]
finally:
    d.kill()
    d.clear()
    umount_disk()
if cycles >= 10:
    for what, count in deaths.items():
        d.check(count >= cycles // 10, f'{what}: {count} times')
d.check(rows >= cycles // 2 and synced >= cycles // 2, f'{rows} rows survived, {synced} writes were synced')
d.finish(f'{kind}, {cycles} cycles, seed {seed}: {deaths}, {rows} rows survived, {synced} synced')
