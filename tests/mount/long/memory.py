"""The steps of memory.sh on its mount. `load` writes until the store is large enough, `look` reads all that must be there.

Each value follows from its key, its version and the seed, so the record holds the versions alone."""
import hashlib, json, os, random, sys, threading, time

what, mnt, record, seed, size_mb, pid, limit_mb = sys.argv[1], sys.argv[2], sys.argv[3], *map(int, sys.argv[4:8])
PARTITIONS, ROWS, LARGE = 40, 5000, (3000, 60000, 400000, 1 << 20, 3 << 20)
problems, counts, lock = [], {}, threading.Lock()

def count(name, n=1):
    with lock:
        counts[name] = counts.get(name, 0) + n

def value(key, version, size):
    return random.Random(f'{seed} {key} {version}').randbytes(size)

def small(p, c, version):
    return value((p, c), version, 100).hex()

def large(n, version):
    return value(n, version, LARGE[(n + version) % len(LARGE)])

def cql(text):
    fd = os.open(mnt + '/.cql', os.O_RDWR)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)

class Stop(Exception):
    pass

def guarded(work):
    def run():
        try:
            work()
        except Stop:
            pass
        except BaseException as e:
            with lock:
                problems.append(f'{work.__name__}: {type(e).__name__}: {str(e)[:300]}')
            over.set()
    t = threading.Thread(target=run)
    t.start()
    return t

over = threading.Event()
rows, files = {}, {}                # what is there: versions, of rows by p and c
busy_row, busy_file = set(), set()  # partitions, files that are being written

def write_small():
    rng = random.Random(seed)
    while not over.is_set():
        p = rng.randrange(PARTITIONS)
        batch, text = {}, []
        for _ in range(2000):
            c = rng.randrange(ROWS)
            batch[c] = rows.get((p, c), 0) + 1
            text.append(f"INSERT INTO k.rows (p, c, v) VALUES ({p}, {c}, '{small(p, c, batch[c])}');")
        gone = rng.randrange(ROWS) if rng.random() < 0.3 else None
        if gone is not None:
            batch[gone] = None
            text.append(f'DELETE FROM k.rows WHERE p = {p} AND c = {gone};')
        with lock:
            busy_row.add(p)
        cql('\n'.join(text))
        with lock:
            for c, version in batch.items():
                if version is None:
                    rows.pop((p, c), None)
                else:
                    rows[p, c] = version
            busy_row.discard(p)
        count('rows', len(batch))

def path_of(n):
    return f'{mnt}/k/large/d{n % 7}/f{n}'

def write_large():
    rng, written, n = random.Random(seed + 1), 0, 0
    for d in range(7):
        os.mkdir(f'{mnt}/k/large/d{d}')
    while not over.is_set() and written < size_mb << 20:
        again = rng.random()
        which = n if again < 0.7 or not n else rng.randrange(n)
        n += which == n
        version = files.get(which, 0) + 1
        with lock:
            busy_file.add(which)
        if again > 0.93 and which in files:
            os.unlink(path_of(which))
            version = None
        else:
            data = large(which, version)
            with open(path_of(which), 'wb') as f:
                f.write(data)
            written += len(data)
        with lock:
            if version is None:
                files.pop(which, None)
            else:
                files[which] = version
            busy_file.discard(which)
        count('large values')
    over.set()

def check_large(n, version):
    with open(path_of(n), 'rb') as f:
        got = f.read()
    return got == large(n, version)

def read_cold():
    rng = random.Random(seed + 2)
    while not over.is_set():
        with lock:
            known = [(n, v) for n, v in files.items() if n not in busy_file]
        if not known:
            time.sleep(0.05)
            continue
        n, version = rng.choice(known)
        try:
            same = check_large(n, version)
        except FileNotFoundError:
            same = False
        with lock:
            changed = n in busy_file or files.get(n) != version
        if not same and not changed:
            raise AssertionError(f'{path_of(n)} has not its version {version}')
        count('cold reads')

def read_partition(p):
    fd = os.open(mnt + '/.cql.json', os.O_RDWR)
    try:
        os.write(fd, f'SELECT c, v FROM k.rows WHERE p = {p};'.encode())
        with open(fd, 'rb', closefd=False) as f:
            return {c: v for c, v in json.load(f)['rows']}
    finally:
        os.close(fd)

def scan():
    rng = random.Random(seed + 3)
    while not over.is_set():
        p = rng.randrange(PARTITIONS)
        with lock:
            before = {c: v for (q, c), v in rows.items() if q == p} if p not in busy_row else None
        got = read_partition(p)
        with lock:
            same = before is not None and p not in busy_row and before == {c: v for (q, c), v in rows.items() if q == p}
        if same and got != {c: small(p, c, v) for c, v in before.items()}:
            raise AssertionError(f'a scan of partition {p} has {len(got)} rows, and not the {len(before)} of it')
        count('scans')

def maintain():
    rng = random.Random(seed + 4)
    while not over.wait(5):
        with open(mnt + '/.widefs/ctl', 'w') as f:
            f.write(rng.choice(['compact k.rows\n', 'compact k.large\n', 'flush\n']))
        count('commands')

most = {'RssAnon': 0}

def watch():
    while not over.wait(0.1):
        with open(f'/proc/{pid}/status') as f:
            for line in f:
                name = line.split(':')[0]
                if name in ('RssAnon', 'VmRSS'):
                    most[name] = max(most.get(name, 0), int(line.split()[1]) // 1024)

def look():
    for n, version in sorted(files.items()):
        assert check_large(n, version), f'{path_of(n)} has not its version {version}'
    listed = {int(name[1:]) for d in range(7) for name in os.listdir(f'{mnt}/k/large/d{d}') if name[0] == 'f' and '.' not in name}
    assert listed == set(files), f'{len(listed)} files, and not {len(files)}'
    seen = 0
    for p in range(PARTITIONS):
        got = read_partition(p)
        for c, v in got.items():
            assert v == small(p, c, rows[p, c]), f'row {p} {c}'
        seen += len(got)
    assert seen == len(rows) > 0, f'{seen} rows, and not {len(rows)}'
    count('files seen', len(listed))
    count('rows seen', seen)

begin = time.time()
if what == 'load':
    for t in [guarded(w) for w in (write_small, write_large, read_cold, read_cold, scan, maintain, watch)]:
        t.join()
    with open(record, 'w') as f:
        json.dump([[[p, c, v] for (p, c), v in rows.items()], files], f)
    if not problems:
        for name in ('rows', 'large values', 'cold reads', 'scans', 'commands'):
            assert counts.get(name, 0) > 2, f'{name}: {counts}'
    over.clear()
else:
    with open(record) as f:
        kept = json.load(f)
    rows = {(p, c): v for p, c, v in kept[0]}
    files = {int(n): v for n, v in kept[1].items()}
watching = guarded(watch)
checking = guarded(look)
checking.join()
over.set()
watching.join()
with open(f'/proc/{pid}/stat') as f:
    fields = f.read().rsplit(') ', 1)[1].split()
cpu = (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')
print(f'{what}: {time.time() - begin:.0f} s, {cpu:.0f} s of the daemon, {counts}, at most {most} MiB')
if problems:
    print('\n'.join(problems))
    sys.exit(1)
