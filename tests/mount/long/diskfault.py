"""The steps of diskfault.sh on its mount. `load` works until the disk fails and a while on, `look` says what is there afterwards.

Each thread writes its own keys, one write after the other; a value begins with its number among the thread's writes. The
numbers of all writes, and what was said of them, go into a file: so `look` knows what must be there."""
import errno, json, os, random, sys, threading, time

what, mnt, record, seed, synced_all = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5] == 'commit=0'
WRITERS, KEYS, SIZES = 4, 12, (10, 100, 3000, 30000)
FAULTS = (errno.EIO, errno.EROFS)
table = mnt + '/k/t'

def text(number, rng):
    return f'{number}:' + 'x' * rng.choice(SIZES)

def write_file(path, data, sync):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        os.write(fd, data.encode())
        if sync:
            os.fsync(fd)
    finally:
        os.close(fd)

def write_cql(statement, sync):
    fd = os.open(mnt + '/.cql', os.O_RDWR)
    try:
        os.write(fd, statement.encode())
        if sync:
            os.fsync(fd)
    finally:
        os.close(fd)

def write(key, value, kind, sync):
    if kind == 'cell':
        os.makedirs(f'{table}/{key}', exist_ok=True)
        write_file(f'{table}/{key}/v', value, sync)
    elif kind == 'document':
        write_file(f'{table}/{key}.json', json.dumps({'v': value}), sync)
    elif kind == 'scratch':     # as an editor does
        write_file(f'{table}/.{key}.tmp', json.dumps({'v': value}), False)
        os.rename(f'{table}/.{key}.tmp', f'{table}/{key}.json')
        if sync:
            fd = os.open(table, os.O_RDONLY)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
    else:
        write_cql(f"INSERT INTO k.t (p, v) VALUES ('{key}', '{value}');", sync)

def number_of(key):
    """Of the value that is there, or -1: also for one that is only being made."""
    try:
        with open(f'{table}/{key}/v') as f:
            got = f.read().rstrip('\n')
    except FileNotFoundError:
        return -1
    if not got:
        return -1
    head, colon, tail = got.partition(':')
    assert head.isdigit() and not tail.strip('x') and len(tail) in SIZES, f'a torn value of {len(got)} bytes, {got[:20]!r}'
    return int(head)

class Load:
    def __init__(self):
        self.fault = threading.Event()      # somebody was told
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.problems, self.writes = [], [[] for _ in range(WRITERS)]
        self.refused = self.read = 0
        self.told_at = 0

    def problem(self, text):
        with self.lock:
            self.problems.append(text)

    def tell(self, e, doing):
        if e.errno not in FAULTS:
            self.problem(f'{doing}: {e}')
        with self.lock:
            if not self.fault.is_set():
                self.told_at = time.monotonic()
                self.fault.set()
            self.refused += 1

    def writer(self, w):
        rng = random.Random(seed * 100 + w)
        number = 0
        while not self.over.is_set():
            key, kind, sync = f'{w}-{rng.randrange(KEYS)}', rng.choice(('cell', 'document', 'scratch', 'cql')), rng.random() < 0.3
            value = text(number, rng)
            begun_after = self.fault.is_set()
            said = 'refused'
            try:
                write(key, value, kind, sync)
                said = 'synced' if sync or synced_all else 'done'
                if begun_after:
                    self.problem(f'{kind} {key}, number {number}: {said} after the disk had failed')
            except OSError as e:
                self.tell(e, f'{kind} {key}, sync {sync}')
                time.sleep(0.01)
            self.writes[w].append((key, said))
            number += 1

    def reader(self):
        rng = random.Random(seed * 100 + 99)
        while not self.over.is_set():
            w = rng.randrange(WRITERS)
            key = f'{w}-{rng.randrange(KEYS)}'
            mine = self.writes[w]
            least = max((i for i, (k, said) in enumerate(mine[:]) if k == key and said != 'refused'), default=-1)
            try:
                got = number_of(key)
                if got < least:
                    self.problem(f'{key}: number {got} is read, {least} was acknowledged')
                if self.fault.is_set():
                    with open(f'{mnt}/k/old/{rng.randrange(200)}/v') as f:
                        assert f.read().startswith('old')
                    self.read += 1
            except (OSError, AssertionError, ValueError) as e:
                self.problem(f'reading {key}: {e!r}')

def load(bad, before_s):
    """The disk fails after before_s seconds."""
    work = Load()
    threads = [threading.Thread(target=work.writer, args=(w,)) for w in range(WRITERS)] + [threading.Thread(target=work.reader)]
    for t in threads:
        t.start()
    time.sleep(before_s)
    synced = sum(said == 'synced' for writes in work.writes for key, said in writes)
    if work.fault.is_set():
        work.problem('refused before the disk failed')
    open(bad, 'w').close()
    broken_at = time.monotonic()
    if not work.fault.wait(60):
        work.problem('nobody was told within a minute')
    # Every open for writing is refused, and whatever was waiting for the disk.
    refused_at = None
    while not refused_at and time.monotonic() < work.told_at + 30:
        try:
            os.close(os.open(table + '/0-0.json', os.O_WRONLY | os.O_CREAT))
            time.sleep(0.01)
        except OSError as e:
            if e.errno == errno.EROFS:
                refused_at = time.monotonic()
    if not refused_at or refused_at - work.told_at > 10:
        work.problem(f'open for writing is not refused {refused_at}')
    time.sleep(1)
    work.over.set()
    for t in threads:
        t.join(60)
        if t.is_alive():
            work.problem('a thread hangs')
    with open(record, 'w') as f:
        json.dump(work.writes, f)
    if synced < 10 or work.refused < 10 or work.read < 10:
        work.problem(f'too little was done: {synced} synced, {work.refused} refused, {work.read} read')
    for text in work.problems[:20]:
        print(text)
    print(f'{sum(map(len, work.writes))} writes, {synced} synced before; told after {work.told_at - broken_at:.2f} s, '
          f'read-only {(refused_at or 0) - work.told_at:.2f} s later; {work.refused} refused, {work.read} reads meanwhile')
    sys.stdout.flush()
    os._exit(1 if work.problems else 0)

def look():
    """What was synced is there, and of the rest a first part."""
    with open(record) as f:
        all_writes = json.load(f)
    bad = found = 0
    for w, writes in enumerate(all_writes):
        there = {f'{w}-{k}': number_of(f'{w}-{k}') for k in range(KEYS)}
        last = max([*there.values(), *(i for i, (key, said) in enumerate(writes) if said == 'synced')], default=-1)
        for key, number in there.items():
            least = max((i for i, (k, said) in enumerate(writes[:last + 1]) if k == key and said != 'refused'), default=-1)
            found += number >= 0
            if number >= len(writes) or number >= 0 and writes[number][0] != key or number < least:
                print(f'{key}: {number} is there, {least} was acknowledged, {last} is the last of its writer')
                bad += 1
    print(f'{found} rows')
    sys.exit(1 if bad or not found else 0)

if what == 'load':
    load(sys.argv[6], 2)
else:
    look()
