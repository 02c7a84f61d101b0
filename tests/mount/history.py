"""history.py WIDEFS CTL WORK HISTORIES OPERATIONS SEED: what is done to one row is linearizable (P7), through kill -9 too.

In each history PROCESSES processes read and write the cells of two rows by all ways that there are: by path, as a shell writes, by
rename, as documents and by CQL, conditional updates among them. A value is written once. Each operation is noted with its begin
and its end by the clock that all processes share. In every fifth history the daemon is killed three times: an operation without an
answer took place before its client got the error, or never.

The checker goes through the begins and ends of a row's operations in order and keeps all that may be so: the state of the row's
cells, and which of the operations under way have taken place. An operation that ends must have taken place; when nothing is left that
may be so, the history is wrong, and it is made smaller as long as it stays wrong. self_test() shows first what it accepts and refuses."""
import errno, itertools, json, mmap, os, random, struct, sys, time, traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'crash'))
from daemon import Daemon, cql

PROCESSES, ROWS, KILLS = 6, 2, 3
CELLS = ('a', 'n', 'm[1]')
FILES = ('a', 'n', 'm/1')
DEAD = (errno.ENOTCONN, errno.ECONNABORTED)
MOUNTS = ((), ('-s',), ('-o', 'noxattr'), ('-o', 'memtable=1M'))
MOST = 200000       # what the checker keeps at one moment


class Op:
    """Takes place at one moment between begin and end: the cells in reads have these values, those in writes get theirs. Not known: or never."""
    def __init__(self, begin, end, reads, writes, known=True, way='', process=0):
        self.begin, self.end, self.known, self.way, self.process = begin, end, known, way, process
        self.reads, self.writes = tuple(map(tuple, reads)), tuple(map(tuple, writes))

    def after(self, state):
        """The state after it; None when it cannot take place in this one."""
        for cell, value in self.reads:
            if state[cell] != value:
                return None
        if not self.writes:
            return state
        state = list(state)
        for cell, value in self.writes:
            state[cell] = value
        return tuple(state)

    def text(self, start):
        def names(pairs):
            return ' '.join(f'{CELLS[cell]}={value}' for cell, value in pairs)
        return (f'{(self.begin - start) / 1000:12.1f} to {(self.end - start) / 1000:12.1f} us  process {self.process}  {self.way:9}'
                f'  {"read " + names(self.reads) if self.reads else ""} {"wrote " + names(self.writes) if self.writes else ""}'
                f'{"" if self.known else " (no answer)"}')


def moves(ops, going, state, done):
    """Return the operations that may take place next. A read that fits needs no alternative: it changes nothing."""
    found = []
    for j in going:
        if j not in done:
            after = ops[j].after(state)
            if after is not None:
                step = (after, done | {j})
                if not ops[j].writes:
                    return [step]
                found.append(step)
    return found


def check(ops, initial=(None,) * len(CELLS)):
    """None when the history is linearizable. Else the operation that cannot have taken place, and what it takes to see that: the
    operations since the last moment at which none was under way and the state was certain, and this state."""
    events = sorted([(op.begin, 0, i) for i, op in enumerate(ops)] + [(op.end, 1, i) for i, op in enumerate(ops)])
    configs, going, since, certain = {(initial, frozenset())}, [], 0, initial
    for at, (_, ends, i) in enumerate(events):
        if not ends:
            if not going and len(configs) == 1:
                since, (certain, _) = at, next(iter(configs))
            going.append(i)
            continue
        seen, stack, left = set(configs), list(configs), set()
        while stack:
            state, done = stack.pop()
            if i in done:
                left.add((state, done - {i}))
                continue
            if not ops[i].known:
                left.add((state, done))
            for step in moves(ops, going, state, done):
                if step not in seen:
                    seen.add(step)
                    stack.append(step)
            if len(seen) > MOST:
                raise SystemExit(f'FAIL: the checker would need more than {MOST} states')
        going.remove(i)
        configs = left
        if not configs:
            return ops[i], [ops[j] for _, end, j in events[since:at + 1] if not end], certain
    return None


def without(ops, cut):
    """The operations without some, and without all that read what these wrote."""
    gone = {write for op in cut for write in op.writes}
    left = [op for op in ops if op not in cut]
    while more := [op for op in left if gone & set(op.reads)]:
        gone |= {write for op in more for write in op.writes}
        left = [op for op in left if op not in more]
    return left


def minimal(ops, initial, seconds=20):
    """Fewer operations that are wrong still, and no read lacks its write by that."""
    limit = time.monotonic() + seconds
    size = len(ops) // 2
    while size:
        at = 0
        while at < len(ops) and time.monotonic() < limit:
            fewer = without(ops, set(ops[at:at + size]))
            if check(fewer, initial):
                ops = fewer
            else:
                at += size
        size //= 2
    return ops


def good(*ops):
    assert check([Op(*op) for op in ops]) is None, ops


def wrong(*ops):
    assert check([Op(*op) for op in ops]), ops


def simulated(rng, count):
    """A linearizable history: each operation does at a random moment of its time what a row would."""
    ops, state, at = [], [None] * len(CELLS), [0] * PROCESSES
    plan = []
    for value in range(count):
        process = rng.randrange(PROCESSES)
        begin = at[process] + rng.randrange(1, 30)
        moment, end = begin + rng.randrange(1, 20), begin + rng.randrange(20, 60)
        at[process] = end
        plan.append((moment, value, begin, end, process))
    for _, value, begin, end, process in sorted(plan):
        cell, known = rng.randrange(len(CELLS)), rng.random() < .97
        reads, writes = [], []
        way = rng.choice(['read', 'row', 'write', 'write', 'both', 'remove', 'cas'])
        if way in ('read', 'cas'):
            reads = [(cell, state[cell])]
        elif way == 'row':
            reads = list(enumerate(state))
        if way in ('write', 'cas', 'remove'):
            writes = [(cell, None if way == 'remove' else value)]
        elif way == 'both':
            writes = [(0, value), (1, value)]
        if known or rng.random() < .5:
            for number, new in writes:
                state[number] = new
        ops.append(Op(begin, end, reads, writes, known or not writes, way, process))
    return sorted(ops, key=lambda op: op.begin)


def by_all_orders(ops):
    """The definition: is there an order that respects the times? (Of few operations.)"""
    known = [op for op in ops if op.known]
    unknown = [op for op in ops if not op.known]
    for n in range(len(unknown) + 1):
        for some in itertools.combinations(unknown, n):
            for order in itertools.permutations(known + list(some)):
                if all(a.begin <= b.end for a, b in itertools.combinations(order, 2)):
                    state = (None,) * len(CELLS)
                    for op in order:
                        state = state and op.after(state)
                    if state:
                        return True
    return False


def self_test(seed):
    w, r = lambda b, e, v, known=True: (b, e, [], [(0, v)], known), lambda b, e, v: (b, e, [(0, v)], [])
    cas = lambda b, e, old, new, known=True: (b, e, [(0, old)], [(0, new)], known)
    good()
    good(w(1, 2, 5), r(3, 4, 5))
    good(w(1, 9, 5), r(2, 3, None), r(4, 5, 5))             # during a write: old, then new
    good(w(1, 9, 5), w(1, 9, 6), r(10, 11, 5))              # two at once: either
    good(w(1, 2, 5, False), r(3, 4, None))                  # no answer: never
    good(w(1, 9, 5, False), r(3, 4, None), r(5, 6, 5))      # or within its time
    good(w(1, 2, 5), cas(3, 9, 5, 6), cas(3, 9, 6, 7), r(10, 11, 7))
    good((1, 2, [], [(0, 5), (1, 5)]), (3, 4, [(0, 5), (1, 5)], []))
    wrong(w(1, 2, 5), r(3, 4, None))                        # a lost write
    wrong(w(1, 2, 5), w(3, 4, 6), r(5, 6, 5))               # a stale read
    wrong(w(1, 9, 5), r(2, 3, 5), r(4, 5, None))            # new, then old
    wrong(r(1, 2, 5), w(3, 4, 5))                           # from the future
    wrong(r(1, 2, 7))                                       # from nowhere
    wrong(w(1, 2, 5), cas(3, 9, 5, 6), cas(3, 9, 5, 7))     # a condition true twice
    wrong(w(1, 2, 5), w(3, 4, 6), cas(5, 6, 5, 7))          # of a value that was gone
    wrong(w(1, 2, 5, False), r(3, 4, None), r(5, 6, 5))     # no answer, and later than its error
    wrong(w(1, 2, 5), w(3, 4, None), r(5, 6, 5))            # back after its removal
    wrong(w(1, 9, 5), w(1, 9, 6), r(10, 11, 5), r(12, 13, 6))
    wrong((1, 9, [], [(0, 5), (1, 5)]), (2, 8, [(0, 5), (1, None)], []))   # half a document
    rng, counts = random.Random(seed), [0, 0]
    for _ in range(1500):
        ops = []
        for value in range(rng.randrange(2, 6)):
            begin = rng.randrange(20)
            reads, writes = rng.choice(((1, 0), (1, 0), (0, 1), (0, 1), (1, 1)))
            ops.append(Op(begin, begin + rng.randrange(1, 12), [(0, rng.choice([None, 0, 1, 2, 3]))] * reads,
                          [(0, rng.choice([None, value, value]))] * writes, not writes or rng.random() < .8))
        right = by_all_orders(ops)
        counts[right] += 1
        assert (check(ops) is None) == right, [vars(op) for op in ops]
    assert min(counts) > 100, counts
    found = 0
    for _ in range(20):
        ops = simulated(rng, 300)
        assert check(ops) is None
        # One read of the end is told a value that was overwritten long before it.
        late = next(op for op in reversed(ops) if op.reads and not op.writes)
        old = [op for op in ops if op.known and op.writes and op.writes[0][1] is not None and op.writes[0][0] == late.reads[0][0]
               and any(op.end < new.begin and new.end < late.begin and new.known and new.writes and new.writes[0][0] == op.writes[0][0] for new in ops)]
        if not old:
            continue
        late.reads = old[0].writes[:1] + late.reads[1:]
        bad = check(ops)
        assert bad
        fewer = minimal(bad[1], bad[2])
        assert check(fewer, bad[2]) and len(fewer) <= len(bad[1])
        found += 1
    assert found > 10, found
    # A stale read among many is told with what it takes: two writes at most.
    ops = [Op(i * 10, i * 10 + 15, [], [(0, i)]) for i in range(60)]
    ops.append(Op(700, 701, [(0, 3)], []))
    assert len(minimal(*check(ops)[1:])) <= 3
    return sum(counts) + found + 19


def was_killed(error, path):
    """Is it that of a daemon that was killed? EIO is, if it was killed while the kernel copied its answer: then nothing answers soon."""
    if error.errno != errno.EIO:
        return error.errno in DEAD
    limit = time.monotonic() + 5
    while time.monotonic() < limit:
        try:
            os.listdir(path)
        except OSError as e:
            if e.errno in DEAD:
                return True
        time.sleep(.01)
    return False


class Client:
    """A process: its operations one after the other, and what it noted."""
    def __init__(self, number, history, phase, rng):
        self.number, self.history, self.rng = number, history, rng
        self.value = ((history * (KILLS + 1) + phase) * PROCESSES + number) * 1000000
        self.seen, self.ops, self.intent = {}, [], ([], [])
        # By its descriptor: a mount point that was cleared is no row without cells.
        self.mnt = f'/proc/self/fd/{os.open(d.mnt, os.O_RDONLY | os.O_DIRECTORY)}'

    def new(self):
        self.value += 1
        return self.value

    def path(self, row, cell):
        return f'{self.mnt}/k/t/{row}/{FILES[cell]}'

    def write(self, path, text, flags):
        fd = os.open(path, os.O_WRONLY | flags, 0o644)
        try:
            os.write(fd, text.encode())
        except BaseException:
            try:
                os.close(fd)
            except OSError:
                pass
            raise
        os.close(fd)

    def scratch(self, path, text):
        """Write a file beside it and rename that over it."""
        directory, name = os.path.split(path)
        new = f'{directory}/.{name}.{self.number:06x}'
        self.write(new, text, os.O_CREAT | os.O_TRUNC)
        os.rename(new, path)

    @staticmethod
    def literal(cell, value):
        return 'null' if value is None else f"'{value}'" if cell != 1 else str(value)

    @staticmethod
    def document(values):
        """The map has a second element: its directory stays."""
        out = {}
        for cell, value in values:
            if cell == 2:
                out['m'] = {'2': 'stays'} if value is None else {'1': str(value), '2': 'stays'}
            else:
                out['an'[cell]] = str(value) if cell == 0 and value is not None else value
        return json.dumps(out) + '\n'

    @staticmethod
    def of_row(row):
        """Return the cells that a document or an answer of CQL shows."""
        values = (row.get('a'), row.get('n'), (row.get('m') or {}).get('1'))
        return [(cell, None if value is None else int(value)) for cell, value in enumerate(values)]

    def get(self, path):
        fd = os.open(path, os.O_RDONLY)
        try:
            text = os.read(fd, 4096).decode()
            if text and not text.endswith('\n'):
                raise ValueError(f'{path}: a part is read: {text!r}')
            return text
        finally:
            os.close(fd)

    # Each way gets a row, a cell and a value to write. It puts down in self.intent what it would read and write (see Op) before it
    # asks for a change, and returns what took place.
    def will(self, *writes, reads=()):
        self.intent = list(reads), list(writes)
        return self.intent

    def read(self, row, cell, value):
        try:
            return [(cell, int(self.get(self.path(row, cell))))], []
        except FileNotFoundError:
            return [(cell, None)], []

    def read_json(self, row, cell, value):
        return self.of_row(json.loads(self.get(f'{self.mnt}/k/t/{row}.json'))), []

    def select(self, row, cell, value):
        return self.of_row(cql(self.mnt, f'SELECT a, n, m FROM k.t WHERE id = {row}')[0]), []

    def shell(self, row, cell, value):
        did = self.will((cell, value))
        self.write(self.path(row, cell), f'{value}\n', os.O_CREAT | os.O_TRUNC)
        return did

    def rename(self, row, cell, value):
        did = self.will((cell, value))
        self.scratch(self.path(row, cell), f'{value}\n')
        return did

    def remove(self, row, cell, value):
        did = self.will((cell, None))
        try:
            os.unlink(self.path(row, cell))
        except FileNotFoundError:
            return [(cell, None)], []
        return did

    def update(self, row, cell, value):
        did = self.will((cell, value))
        cql(self.mnt, f'UPDATE k.t SET {CELLS[cell]} = {self.literal(cell, value)} WHERE id = {row}')
        return did

    def batch(self, row, cell, value):
        did = self.will((0, value), (1, value), (2, None))
        cql(self.mnt, f"BEGIN BATCH UPDATE k.t SET a = '{value}' WHERE id = {row}; "
                      f"UPDATE k.t SET n = {value}, m[1] = null WHERE id = {row}; APPLY BATCH")
        return did

    def cas(self, row, cell, value):
        name, old = CELLS[cell], self.seen.get((row, cell))
        did = self.will((cell, value), reads=[(cell, old)])
        answer = cql(self.mnt, f'UPDATE k.t SET {name} = {self.literal(cell, value)} WHERE id = {row} IF {name} = {self.literal(cell, old)}')[0]
        if answer['[applied]']:
            return did
        shown = self.of_row(answer)[cell]
        if shown[1] == old:
            raise ValueError(f'{name} of row {row} is not {old}, says {answer}')
        return [shown], []

    def merge(self, row, cell, value):
        did = self.will((cell, value), ((cell + 1) % len(CELLS), self.rng.choice([None, value])))
        self.write(f'{self.mnt}/k/t/{row}.json', self.document(did[1]), os.O_APPEND)
        return did

    def whole(self, row, cell, value):
        """A document that replaces the row: one cell is null by it, or two."""
        did = self.will(*((i, value if i in (cell, 1) else None) for i in range(len(CELLS))))
        return did, self.document(did[1]).replace('{', f'{{"id": {row}, ', 1)

    def replace(self, row, cell, value):
        did, text = self.whole(row, cell, value)
        self.write(f'{self.mnt}/k/t/{row}.json', text, os.O_TRUNC)
        return did

    def rename_row(self, row, cell, value):
        did, text = self.whole(row, cell, value)
        self.scratch(f'{self.mnt}/k/t/{row}.json', text)
        return did

    def may(self, way, row, cell):
        """Descriptors open for writing share what is pending: so each file has one process that writes it in place."""
        return self.number == ((row * len(CELLS) + cell) % PROCESSES if way == 'shell' else row % PROCESSES) or way not in ('shell', 'merge', 'replace')

    def choose(self, row, cell):
        ways = [way for way in CHOSEN if self.may(way, row, cell)]
        return self.rng.choices(ways, [WAYS[way] for way in ways])[0]

    def step(self, killed):
        row, cell = self.history * ROWS + self.rng.randrange(ROWS), self.rng.randrange(len(CELLS))
        way, value, self.intent = self.choose(row, cell), self.new(), ([], [])
        known, going, begin = True, True, time.monotonic_ns()
        try:
            reads, writes = getattr(self, way)(row, cell, value)
        except OSError as e:
            if not killed or not was_killed(e, self.mnt):
                raise ValueError(f'PID {os.getpid()} at {time.monotonic()} {way} of {CELLS[cell]} of row {row}: {e}')
            (reads, writes), known, going = self.intent, False, False
        self.ops.append((row, begin, time.monotonic_ns(), reads, writes, known, way, self.number))
        self.seen.update({(row, number): seen for number, seen in reads + writes})
        return going

    def run(self, target, killed, counts):
        """Until all together have done so many, or the daemon is dead."""
        done = 0
        while sum(struct.unpack_from(f'<{PROCESSES}q', counts)) < target:
            if not self.step(killed):
                return
            done += 1
            struct.pack_into('<q', counts, self.number * 8, done)


WAYS = {'read': 20, 'read_json': 10, 'select': 10, 'shell': 24, 'rename': 8, 'remove': 5, 'update': 9, 'batch': 3, 'cas': 12,
        'merge': 12, 'replace': 6, 'rename_row': 3}


def client(number, history, phase, target, killed, counts):
    """In a process of its own; what it noted is a file."""
    ops, wrong = [], ''
    try:
        c = Client(number, history, phase, random.Random(f'{SEED} {history} {phase} {number}'))
        ops = c.ops
        c.run(target, killed, counts)
    except OSError as e:        # the others were quick: it was dead before this one began
        if not killed or not was_killed(e, d.mnt):
            wrong = traceback.format_exc()
    except Exception:
        wrong = traceback.format_exc()
    with open(f'{WORK}/ops.{number}', 'w') as f:
        json.dump([ops, wrong], f)


def phase(history, number, target, kill_at):
    """The processes work until they have done so many operations; at kill_at of them the daemon is killed."""
    counts, pids = mmap.mmap(-1, 4096), []
    for i in range(PROCESSES):
        pid = os.fork()
        if not pid:
            try:
                client(i, history, number, target, kill_at is not None, counts)
            finally:
                os._exit(0)
        pids.append(pid)
    if kill_at is not None:
        limit = time.monotonic() + 120
        while sum(struct.unpack_from(f'<{PROCESSES}q', counts)) < kill_at and time.monotonic() < limit:
            time.sleep(.0003)
        d.check(d.kill(), 'there was no daemon to kill')
    ops = []
    for i, pid in enumerate(pids):
        os.waitpid(pid, 0)
        with open(f'{WORK}/ops.{i}') as f:
            noted, wrong = json.load(f)
        os.unlink(f'{WORK}/ops.{i}')
        d.check(not wrong, f'seed {SEED}, history {history}, process {i}: {wrong}')
        ops += noted
    if kill_at is not None:
        d.clear()
        d.mount(*RNG.choice(MOUNTS))
    return ops


def verify(history, noted):
    """Each row by itself."""
    for row in range(history * ROWS, history * ROWS + ROWS):
        ops = sorted((Op(*op[1:]) for op in noted if op[0] == row and (op[3] or op[4])), key=lambda op: op.begin)
        bad = check(ops)
        d.check(not bad, f'seed {SEED}, history {history}, row {row}: not linearizable')
        if bad:
            print('  written before it or read by others at the time (times are from its begin on):')
            near = [op for op in ops if op.end > bad[0].begin - 3000000 and op.begin < bad[0].end][-20:]
            near += [op for op in ops if {w for w in op.writes if w[1] is not None} & set(bad[0].reads)]
            for op in sorted(set(near), key=lambda op: op.begin):
                print('  ' + op.text(bad[0].begin))
            ops = minimal(bad[1], bad[2])
            print(f'  what it takes: at first {", ".join(f"{name}={value}" for name, value in zip(CELLS, bad[2]))}; then')
            for op in ops:
                print('  ' + op.text(ops[0].begin), flush=True)


def main():
    tests, done, unanswered, overlaps, applied = self_test(SEED), 0, 0, 0, 0
    ways = dict.fromkeys(CHOSEN, 0)
    d.mount()
    with open(d.mnt + '/.cql', 'w') as f:
        f.write("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
                'CREATE TABLE k.t (id int PRIMARY KEY, a text, n bigint, m map<int, text>);')
    for history in range(HISTORIES):
        for row in range(history * ROWS, history * ROWS + ROWS):
            d.cql(f"INSERT INTO k.t (id, m) VALUES ({row}, {{2: 'stays'}})")
        noted = []
        phases = KILLS + 1 if history % 5 == 4 or history == HISTORIES - 1 else 1
        for number in range(phases):
            target = (OPERATIONS - len(noted)) // (phases - number) if number < phases - 1 else OPERATIONS - len(noted)
            noted += phase(history, number, target, RNG.randrange(target // 2, target) if number < phases - 1 else None)
        verify(history, noted)
        done += len(noted)
        for op in noted:
            ways[op[6]] += op[5]
            applied += op[6] == 'cas' and op[5] and bool(op[4])
            unanswered += not op[5]
        times = sorted((op[1], op[2]) for op in noted)
        overlaps += sum(b[0] < a[1] for a, b in zip(times, times[1:]))
    d.umount()
    d.check_store()
    d.check(done >= HISTORIES * OPERATIONS, f'{done} operations')
    for way, count in ways.items():
        d.check(count > done // 1000, f'{way}: {count} of {done}')
    d.check('cas' not in ways or done // 500 < applied < ways['cas'], f'{applied} conditions were true')
    d.check(overlaps > done // 10, f'{overlaps} of {done} operations began during another')
    # A few kills may fall between the operations.
    d.check(unanswered > 0 or HISTORIES < 20, 'no operation was without an answer')
    d.finish(f'seed {SEED}: {HISTORIES} histories, {done} operations ({" ".join(f"{n} {way}" for way, n in ways.items())}), {applied} conditions true, '
             f'{unanswered} without an answer, {overlaps} began during another; the checker: {tests} histories')


CHOSEN = sorted(os.environ.get('WAYS', ' '.join(WAYS)).split())
WORK, HISTORIES, OPERATIONS, SEED = sys.argv[3], *map(int, sys.argv[4:7])
RNG = random.Random(SEED)
d = Daemon(sys.argv[1], sys.argv[2], WORK, WORK + '/store', '')
main()
