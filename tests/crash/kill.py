"""kill -9 rounds under eight writers: see run. Each round has mount options and table options of its own. The writers' logs say
what was begun and what acknowledged; what a round left is where the next one begins."""
import json, os, random, sys, time
from daemon import Daemon, cql

widefs, ctl, work = sys.argv[1:4]
rounds, seed, kill_at = int(sys.argv[4]), int(sys.argv[5]), sys.argv[6]
d = Daemon(widefs, ctl, work, work + '/store', kill_at)
rng = random.Random(seed)
CALLS = ('any', 'pwrite', 'fdatasync', 'fsync', 'ftruncate', 'fallocate', 'renameat', 'unlinkat', 'mkdirat', 'msync', 'openat')
MOUNTS = (('-s',), ('-o', 'commit=0'), ('-o', 'commit=0.05'), ('-o', 'commit=5'), ('-o', 'memtable=1M'), ('-o', 'cache=1M,threads=1'),
          ('-o', 'memtable=1M,commit=0.05,threads=8'), ('-o', 'noxattr'), ())
TABLES = ("compaction = {'class': 'SizeTieredCompactionStrategy', 'min_threshold': '2'}",
          "compaction = {'class': 'LeveledCompactionStrategy'}", "compaction = {'class': 'UnifiedCompactionStrategy'}",
          "compaction = {'class': 'TimeWindowCompactionStrategy'}", "compression = {'enabled': 'false'}", 'gc_grace_seconds = 0',
          'memtable_flush_period_in_ms = 100', 'gc_grace_seconds = 864000')

class Writer:
    """One of a kind, of a name. In a process of its own it begins one operation after the other: operations() yields each as
    what is noted and how it is done. After a kill, verify() compares with what is there."""
    def __init__(self, name):
        self.name, self.log = name, f'{work}/{name}.log'

    def write(self, rng):
        log = os.open(self.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC)
        try:
            for what, act in self.operations(rng):
                os.write(log, (json.dumps(what) + '\n').encode())
                act()
                os.write(log, b'done\n')
        except OSError:
            pass

    def noted(self):
        """What was acknowledged, and what was under way: at most one."""
        done, begun = [], []
        with open(self.log) as f:
            for line in f:
                if line == 'done\n':
                    done += begun
                    begun = []
                else:
                    begun.append(json.loads(line))
        return done, begun

    def check(self, good, text):
        d.check(good, f'{self.name}: {text}')

class Rows(Writer):
    """Documents, batches over two tables, cells; some synced."""
    next = 0

    def operations(self, rng):
        for i in range(self.next, self.next + 1000000):
            yield i, lambda i=i: self.put(i, rng.random() < 0.3)

    def put(self, i, sync):
        if i % 3 == 0:
            os.makedirs(f'{d.mnt}/k/t/{self.name}', exist_ok=True)
            d.write_file(f't/{self.name}/{i}.json', f'{{"a": {i}, "b": "row {i}"}}', sync)
        elif i % 3 == 1:
            cql(d.mnt, f"BEGIN BATCH INSERT INTO k.t (p, c, a, b) VALUES ('{self.name}', {i}, {i}, 'row {i}'); "
                       f"INSERT INTO k.u (p, c, a) VALUES ('{self.name}', {i}, {i}); APPLY BATCH", sync)
        else:
            os.makedirs(f'{d.mnt}/k/t/{self.name}/{i}', exist_ok=True)
            d.write_file(f't/{self.name}/{i}/a', f'{i}\n', sync)

    def verify(self):
        done, begun = self.noted()
        first = min(done + begun, default=self.next)
        rows, others = ({row['c']: row for row in d.cql(f"SELECT * FROM k.{table} WHERE p = '{self.name}' AND c >= {first}")}
                        for table in 'tu')
        for i in done:
            whole = {'p': self.name, 'c': i, 'a': i, 'b': None if i % 3 == 2 else f'row {i}'}
            self.check(rows.get(i) == whole, f'{i} was acknowledged, and is {rows.get(i)}')
        for i in begun:
            row = rows.get(i, {})
            self.check((row.get('a') in (None, i)) if i % 3 == 2 else not row or (row['a'], row['b']) == (i, f'row {i}'),
                       f'{i} was under way, and is {row}')
        for i in done + begun:
            if i % 3 == 1:
                self.check((i in rows) == (i in others), f'{i}: half a batch')
        self.check(set(rows) <= set(done + begun), 'rows that nobody wrote')
        for i in done[-20:]:        # and as files
            with open(f'{d.mnt}/k/t/{self.name}/{i}/a') as f:
                self.check(f.read() == f'{i}\n', f'{i} as a file')
        self.next = max(done + begun, default=self.next - 1) + 1
        return len(done)

class Counters(Writer):
    """One counter that all of them share, by CQL; one of its own, as a file. Counts go on from the values that were there before."""
    shared = {}     # name: what each has added this round

    def __init__(self, name):
        super().__init__(name)
        self.before = 0

    def operations(self, rng):
        yield [self.name, 1], lambda: cql(d.mnt, f"UPDATE k.n SET n = n + 1 WHERE p = '{self.name}'")
        while True:
            by = rng.choice([1, 1, 2, 5, -1])
            if rng.random() < 0.5:
                yield ['shared', by], lambda: cql(d.mnt, f"UPDATE k.n SET n = n + {by} WHERE p = 'shared'")
            else:
                yield [self.name, by], lambda: d.write_file(f'n/{self.name}/n', f'{by:+d}\n')

    @staticmethod
    def total(p):
        rows = d.cql(f"SELECT n FROM k.n WHERE p = '{p}'")
        return rows[0]['n'] if rows else 0

    def verify(self):
        done, begun = self.noted()
        Counters.shared[self.name] = [[by for p, by in list if p == 'shared'] for list in (done, begun)]
        least = self.before + sum(by for p, by in done if p == self.name)
        now = self.total(self.name)
        self.check(now - least in [0] + [by for p, by in begun if p == self.name], f'the counter is {now}, acknowledged {least}')
        self.before = now
        return len(done)

class SharedCounter(Counters):
    """Verified when all that add to it were."""
    def verify(self):
        least = self.before + sum(sum(done) for done, begun in Counters.shared.values())
        possible = {least}
        for done, begun in Counters.shared.values():
            possible |= {value + by for value in possible for by in begun}
        now = self.total('shared')
        self.check(now in possible, f'the counter is {now}, and may be {possible}')
        self.before = now
        return 0

class Indexed(Writer):
    """Few rows whose indexed value changes all the time."""
    def __init__(self, name):
        super().__init__(name)
        self.now = {}

    def operations(self, rng):
        state = dict(self.now)
        while True:
            c, v = rng.randrange(12), rng.randrange(4)
            how = rng.choice(['update', 'update', 'file', 'row', 'cell'])
            if how == 'file' and c in state:
                act = lambda: d.write_file(f'i/{self.name}/{c}/v', f'{v}\n')
            elif how in ('update', 'file'):
                act = lambda: cql(d.mnt, f"UPDATE k.i SET v = {v} WHERE p = '{self.name}' AND c = {c}")
            else:
                v = None
                act = lambda: cql(d.mnt, f"DELETE {'v' if how == 'cell' else ''} FROM k.i WHERE p = '{self.name}' AND c = {c}")
            yield [c, v], act
            state[c] = v
            if v is None:
                del state[c]

    def verify(self):
        done, begun = self.noted()
        for c, v in done:
            self.now[c] = v
        may = dict(self.now)
        for c, v in begun:
            may[c] = v
        rows = {row['c']: row['v'] for row in d.cql(f"SELECT c, v FROM k.i WHERE p = '{self.name}'") if row['v'] is not None}
        for c in range(12):
            self.check(rows.get(c) in (self.now.get(c), may.get(c)), f'{c} is {rows.get(c)}, not {self.now.get(c)}')
        for v in range(4):
            found = {row['c'] for row in d.cql(f'SELECT p, c FROM k.i WHERE v = {v}') if row['p'] == self.name}
            self.check(found == {c for c in rows if rows[c] == v}, f'the index says of {v}: {found}, the table {rows}')
        self.now = rows
        return len(done)

class Schema(Writer):
    """Tables are made, changed and dropped."""
    def __init__(self, name):
        super().__init__(name)
        self.next, self.now = 0, {}     # table: its columns, index, and whether it has its row

    def operations(self, rng):
        tables = list(self.now)
        for i in range(self.next, self.next + 100000):
            t = f'd{i}'
            for what, text in (('make', f'CREATE TABLE k.{t} (p int PRIMARY KEY, a int) WITH {rng.choice(TABLES)}'),
                               ('row', f'INSERT INTO k.{t} (p, a) VALUES (1, {i})'),
                               ('index', f'CREATE INDEX ON k.{t} (a)'),
                               ('column', f'ALTER TABLE k.{t} ADD b text')):
                yield [t, what], lambda: cql(d.mnt, text)
            tables.append(t)
            if len(tables) > 3:
                gone = tables.pop(0)
                yield [gone, 'drop'], lambda: cql(d.mnt, f'DROP TABLE k.{gone}')

    @staticmethod
    def after(now, changes):
        now = {t: set(parts) for t, parts in now.items()}
        for t, what in changes:
            if what == 'drop':
                now.pop(t)
            else:
                now.setdefault(t, set()).add(what)
        return now

    def seen(self):
        now = {}
        for row in d.cql("SELECT table_name, column_name FROM system_schema.columns WHERE keyspace_name = 'k'"):
            if row['table_name'].startswith('d'):
                now.setdefault(row['table_name'], {'make'}).update(['column'] if row['column_name'] == 'b' else [])
        for row in d.cql("SELECT table_name FROM system_schema.indexes WHERE keyspace_name = 'k'"):
            if row['table_name'] in now:
                now[row['table_name']].add('index')
        for t, parts in now.items():
            rows = d.cql(f'SELECT a FROM k.{t}')
            parts.update(['row'] if rows else [])
            self.check(not rows or rows == [{'a': int(t[1:])}], f'{t} has {rows}')
            if 'index' in parts and rows:
                self.check(d.cql(f'SELECT a FROM k.{t} WHERE a = {t[1:]}') == rows, f'the index of {t}')
        return now

    def verify(self):
        done, begun = self.noted()
        must, may, now = self.after(self.now, done), self.after(self.now, done + begun), self.seen()
        self.check(now in (must, may), f'the schema is {now}, and should be {must} or {may}')
        self.check({name for name in os.listdir(d.mnt + '/k') if name[0] == 'd'} == set(now), 'the tree shows other tables')
        self.next = max([self.next - 1] + [int(t[1:]) for t, what in done + begun]) + 1
        self.now = now
        return len(done)

def start(writer):
    writer_rng = random.Random(rng.random())
    pid = os.fork()
    if not pid:
        try:
            writer.write(writer_rng)
        finally:
            os._exit(0)
    return pid

def run_round():
    """Did the daemon die by itself, at a call?"""
    point = None
    if rng.random() < 0.6:      # begin anew, so that starting has such points too
        d.kill()
        point = f"{rng.choice(CALLS)} {int(rng.choice([4, 40, 400]) ** rng.random())} {rng.choice(['before', 'after'])}"
        if not d.mount(*rng.choice(MOUNTS), point=point):
            return True
    try:
        d.cql(f"ALTER TABLE k.{rng.choice(['t', 'u', 'i', 'n'])} WITH {rng.choice(TABLES)}")
    except OSError:
        pass
    pids = [start(writer) for writer in WRITERS]
    end = time.monotonic() + rng.uniform(0.15, 0.8)
    while time.monotonic() < end:
        time.sleep(0.1)
        try:
            if rng.random() < 0.4:
                d.control(rng.choice(['flush', 'compact']))
        except OSError:
            break
    alone = not d.kill()
    for pid in pids:
        os.waitpid(pid, 0)
    return alone

d.mount()
for statement in ("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                  'CREATE TABLE k.t (p text, c int, a int, b text, PRIMARY KEY (p, c))',
                  'CREATE TABLE k.u (p text, c int, a int, PRIMARY KEY (p, c))',
                  'CREATE TABLE k.i (p text, c int, v int, PRIMARY KEY (p, c))', 'CREATE INDEX ON k.i (v)',
                  'CREATE TABLE k.n (p text PRIMARY KEY, n counter)'):
    d.cql(statement)
WRITERS = [Rows('r0'), Rows('r1'), Rows('r2'), Counters('n0'), Counters('n1'), Indexed('i0'), Indexed('i1'), Schema('d')]
READERS = WRITERS + [SharedCounter('shared')]
acknowledged = {reader.name: 0 for reader in READERS[:-1]}
died = 0
for round_number in range(rounds):
    failures = d.failures
    for writer in WRITERS:
        open(writer.log, 'w').close()
    died += run_round()
    options = rng.choice(MOUNTS)
    d.mount(*options)
    for reader in READERS:
        count = reader.verify()
        if reader.name in acknowledged:
            acknowledged[reader.name] += count
    if d.failures > failures:
        print(f'that was round {round_number}')
d.umount()
d.check_store()
if rounds > 20:
    d.check(died, 'no daemon died at a call')
for name, count in acknowledged.items():
    d.check(count >= rounds // 2, f'{name}: only {count} writes were acknowledged')
d.finish(f'{rounds} kills, {died} at a call, seed {seed}: {sum(acknowledged.values())} writes acknowledged')
