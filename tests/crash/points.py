"""One run of steps is killed at its calls on files, one call after the other: see run. Each step is atomic: after the next mount
the store says what it said before the step that was under way or after it, in a run that nobody killed."""
import os, random, shutil, subprocess, sys, time
from daemon import Daemon

widefs, ctl, work = sys.argv[1:4]
count, seed, kill_at = int(sys.argv[4]), int(sys.argv[5]), sys.argv[6]
d = Daemon(widefs, ctl, work, work + '/store', kill_at)
REMOUNT_S = 20      # 2 by the promise, on a machine that does nothing else

def cql(text):
    return lambda: d.cql(text)

def control(word):
    return lambda: d.control(word)

def write(path, text, sync=False):
    def step():
        os.makedirs(os.path.dirname(f'{d.mnt}/k/{path}'), exist_ok=True)
        d.write_file(path, text, sync)
    return step

def change(call, *paths):
    return lambda: call(*(f'{d.mnt}/k/{path}' for path in paths))

STEPS = [
    cql("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"),
    cql('CREATE TABLE k.t (p text, c int, a int, b text, PRIMARY KEY (p, c))'),
    cql('CREATE TABLE k.u (p text PRIMARY KEY, a int)'),
    cql('CREATE TABLE k.n (p text PRIMARY KEY, n counter)'),
    cql('CREATE INDEX ON k.t (a)'),
    cql("INSERT INTO k.t (p, c, a, b) VALUES ('p', 1, 1, 'one')"),
    change(os.makedirs, 't/q/2'),     # an empty partition is no more than a name
    write('t/q/2/a', '2\n'),
    write('t/q/2/b', 'two', sync=True),
    write('t/q/3.json', '{"a": 3, "b": "three"}'),
    cql("BEGIN BATCH INSERT INTO k.t (p, c, a) VALUES ('p', 4, 4); INSERT INTO k.u (p, a) VALUES ('p', 4); APPLY BATCH"),
    cql("UPDATE k.n SET n = n + 1 WHERE p = 'x'"),
    control('flush'),
    write('n/x/n', '+5\n'),
    cql("UPDATE k.t SET a = 10 WHERE p = 'p' AND c = 1"),
    cql("DELETE FROM k.t WHERE p = 'q' AND c = 2"),
    write('t/q/3/b', 'drei', sync=True),
    control('flush'),
    control('compact'),
    cql("INSERT INTO k.t (p, c, a, b) VALUES ('p', 5, 10, 'five') IF NOT EXISTS"),
    change(os.rename, 't/q/3', 't/q/30'),
    change(os.unlink, 't/p/4.json'),
    cql('ALTER TABLE k.t ADD d int'),
    cql("UPDATE k.t SET d = 1 WHERE p = 'p' AND c = 1"),
    cql("UPDATE k.n SET n = n - 2 WHERE p = 'x'"),
    control('flush'),
    cql("DELETE FROM k.t WHERE p = 'q'"),
    cql("INSERT INTO k.u (p, a) VALUES ('r', 1)"),
    cql('TRUNCATE k.u'),
    cql("INSERT INTO k.u (p, a) VALUES ('s', 2)"),
    control('compact'),
    cql('ALTER TABLE k.t DROP d'),
    cql('DROP INDEX k.t_a_idx'),
    cql('CREATE INDEX other ON k.t (b)'),
    cql('DROP TABLE k.u'),
    change(os.mkdir, 'new'),
    write('new/key/file', 'some text', sync=True),
    control('flush'),
    cql('CREATE TABLE k.u (p int PRIMARY KEY)'),
    cql("BEGIN BATCH INSERT INTO k.t (p, c, b) VALUES ('b', 1, 'five'); DELETE FROM k.t WHERE p = 'p' AND c = 5; APPLY BATCH"),
    control('flush'),
    control('compact'),
]
QUERIES = (
    'SELECT keyspace_name, table_name FROM system_schema.tables WHERE keyspace_name = \'k\'',
    'SELECT table_name, column_name, type FROM system_schema.columns WHERE keyspace_name = \'k\'',
    'SELECT table_name, index_name FROM system_schema.indexes WHERE keyspace_name = \'k\'',
    'SELECT * FROM k.t', 'SELECT * FROM k.u', 'SELECT * FROM k.n', 'SELECT * FROM k.new',
    'SELECT p, c FROM k.t WHERE a = 4', 'SELECT p, c FROM k.t WHERE a = 10', "SELECT p, c FROM k.t WHERE b = 'five'")

def names(path):
    try:
        return sorted(os.listdir(d.mnt + path))
    except FileNotFoundError:
        return None

def dump():
    """What the store says, by CQL and as a tree (without the names of partitions that have no rows)."""
    answers = [names('/k'), [(p, rows) for p in names('/k/t') or [] if (rows := names('/k/t/' + p))]]
    for query in QUERIES:
        try:
            answers.append(d.cql(query))
        except OSError:     # no such table, column or index
            answers.append(None)
    return answers

def run_steps(dumps=None):
    """How many were acknowledged?"""
    for i, step in enumerate(STEPS):
        try:
            step()
        except OSError:
            if dumps is not None:
                raise
            return i
        if dumps is not None:
            dumps.append(dump())
    return len(STEPS)

def reference():
    """The dumps before and after each step, and how many calls a run makes."""
    path = work + '/calls'
    d.mount(point='any 1000000 before', count=path)
    dumps = [dump()]
    run_steps(dumps)
    d.umount()
    with open(path) as f:
        return dumps, int(f.read())

def die_at(point, dumps):
    """Did it? And how long did the next mount take?"""
    shutil.rmtree(d.store, ignore_errors=True)
    done = 0
    if d.mount(point=point):
        done = run_steps()
        pids = d.pids()
        subprocess.run([ctl, 'umount', d.mnt], capture_output=True)
        d.wait_until_gone(pids)
    d.clear()
    begin = time.monotonic()
    d.mount()
    took = time.monotonic() - begin
    d.check(took < REMOUNT_S, f'{point}: the mount after it took {took:.1f} s')
    now = dump()
    d.check(now in dumps[done:done + 2], f'{point}: after {done} steps there is (and should be) ' +
            str([(a, b) for a, b in zip(now, dumps[done]) if a != b]))
    d.umount()
    d.check_store()
    return took

dumps, calls = reference()
for i, step in enumerate(STEPS):
    d.check((dumps[i] == dumps[i + 1]) == step.__qualname__.startswith('control'), f'step {i}, of which the answers tell nothing')
rng = random.Random(seed)
every = [(n, when) for n in range(1, calls + 1) for when in ('before', 'after')]
points = sorted(rng.sample(every, min(count, len(every))))
slowest = max(die_at(f'any {n} {when}', dumps) for n, when in points)
d.finish(f'{len(points)} points of {len(every)}, seed {seed}: the slowest mount took {slowest:.2f} s')
