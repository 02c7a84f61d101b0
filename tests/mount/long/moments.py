"""Writers, beside whom tables and keyspaces are renamed and snapshots are taken,
read, restored and released, until the time is over or the daemon is killed.

moments.py MOUNT LOG work SEED SECONDS [DAEMON_PID]   with a pid: it is killed
moments.py MOUNT LOG check

Four writers fill rows of their own, by path, as documents, in .json and by CQL.
The log, outside the mount, has what each process began and what was acknowledged.
A snapshot, and the store at the end, must have all that was acknowledged before and
nothing that began after; of what came before a restore only what its snapshot had.
The table is in one place; tree, documents, .json and CQL say the same of it."""
import errno
import json
import os
import random
import signal
import stat
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import console

M, LOG = sys.argv[1:3]
PLACES = [f'{k}/{t}' for k in 'klo' for t in 'tu']
WRITERS = 4
# Errors of a call that comes too late; EIO, ENOTCONN, ECONNABORTED: the daemon was killed.
LATE = {errno.ENOENT, errno.ESTALE, errno.EEXIST, errno.EINVAL}
DEAD = {errno.EIO, errno.ENOTCONN, errno.ECONNABORTED, errno.ENODEV}
now = time.monotonic


class Log:
    def __init__(self):
        self.fd = os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def __call__(self, *what):
        os.write(self.fd, json.dumps(what).encode() + b'\n')


def read_log():
    with open(LOG) as f:
        return [json.loads(line) for line in f]


def cql(text):
    return json.loads(console.run(M, text))


def contents(path):
    with open(path) as f:
        return f.read()


def put(path, text):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def find(root):
    """The place of the table, or None while it moves."""
    for place in PLACES:
        try:
            if stat.S_ISDIR(os.stat(f'{root}/{place}').st_mode):
                return place
        except OSError as e:    # of a dead daemon: no place is unknown by that
            if e.errno not in LATE:
                raise
    return None


def rows_of(root, place):
    """{(writer, n)} of the values below root, each as it was written."""
    rows = set()
    for w in os.listdir(f'{root}/{place}'):
        for n in os.listdir(f'{root}/{place}/{w}'):
            row = f'{root}/{place}/{w}/{n}'
            cells = os.listdir(row)
            for cell in cells:
                assert contents(f'{row}/{cell}') == f'{w}.{n}\n', f'{row}/{cell}'
            # The second value comes with the first.
            assert set(cells) in (set(), {'v'}, {'v', 'x'}), (row, cells)
            if cells:
                rows.add((int(w), int(n)))
    return rows


# ------------------------------------------------------------------ processes
def write_by_path(place, w, n):
    for made in (f'{M}/{place}/{w}', f'{M}/{place}/{w}/{n}'):
        try:
            os.mkdir(made)
        except FileExistsError:
            pass
    put(f'{M}/{place}/{w}/{n}/v', f'{w}.{n}\n')


def write_document(place, w, n):
    put(f'{M}/{place}/{w}/{n}.json', f'{{"v": "{w}.{n}", "x": "{w}.{n}"}}\n')


def write_in_json(place, w, n):
    put(f'{M}/.json/{place}/{w}/{n}.json', f'{{"v": "{w}.{n}", "x": "{w}.{n}"}}\n')


def write_by_cql(place, w, n):
    cql(f"INSERT INTO {place.replace('/', '.')} (w, n, v, x) VALUES ({w}, {n}, '{w}.{n}', '{w}.{n}');")


def writer(R, log, ends, w, n):
    ways = [write_document, write_in_json, write_by_cql, write_by_path]
    while now() < ends:
        n += 1
        time.sleep(R.random() * .1)
        log('write', w, n, now())
        try:
            place = find(M)
            if place:
                R.choice(ways)(place, w, n)
                log('written', w, n, now())
                continue
        except OSError as e:
            if e.errno not in LATE:
                raise
        log('refused', w, n, now())


def move(R, log):
    place = find(M)
    if R.random() < .4:
        old, new = random.sample('kl', 2)
    elif place:
        old, new = place, R.choice([p for p in PLACES if p != place])
    else:
        return
    log('move', now())
    try:
        os.rename(f'{M}/{old}', f'{M}/{new}')
    except OSError as e:
        if e.errno not in LATE | {errno.ENOTEMPTY}:
            raise
        log('not moved')
    else:
        log('moved', old, new)


def mover(R, log, ends):
    while now() < ends:
        move(R, log)
        time.sleep(R.random() * .05)


def holder(R, log, ends):
    """Reads in snapshots, which are released meanwhile."""
    while now() < ends:
        try:
            names = os.listdir(M + '/.snapshots')
            if names:
                root = f'{M}/.snapshots/{R.choice(names)}'
                place = find(root)
                if place:
                    rows_of(root, place)
        except OSError as e:
            if e.errno not in LATE:
                raise
        time.sleep(R.random() * .05)


def take(log, name):
    """A snapshot, and what it has: twice the same."""
    root = f'{M}/.snapshots/{name}'
    log('take', name, now())
    os.mkdir(root)
    log('taken', name, now())
    place = find(root)
    assert place, f'{name} has no table'
    rows = rows_of(root, place)
    time.sleep(.05)
    assert rows_of(root, find(root)) == rows, f'{name} has changed'
    log('has', name, place, sorted(rows))
    return name


def snapshots(R, log, ends, number):
    held = []
    while now() < ends:
        number += 1
        held.append(take(log, f's{number}'))
        if R.random() < .5:
            name = R.choice(held)
            log('restore', name, now())
            put(M + '/.widefs/ctl', f'snapshot restore {name}\n')
            log('restored', name, now())
        while len(held) > 3 or (held and R.random() < .3):
            name = held.pop(R.randrange(len(held)))
            log('release', name)
            os.rmdir(f'{M}/.snapshots/{name}')
            log('released', name)
        time.sleep(R.random() * .1)


def started(call, *args):
    pid = os.fork()
    if pid:
        return pid
    status = 0
    try:
        call(*args)
    except OSError as e:
        status = 2 if e.errno in DEAD else 1
        if status == 1:
            print(f'{call.__name__}: {e}', flush=True)
    except BaseException as e:
        print(f'{call.__name__}: {type(e).__name__}: {e}', flush=True)
        status = 1
    os._exit(status)


def work(seed, seconds, daemon):
    log, before, ends = Log(), read_log(), now() + seconds
    last = {w: max([e[2] for e in before if e[0] == 'write' and e[1] == w], default=0) for w in range(WRITERS)}
    number = max([int(e[1][1:]) for e in before if e[0] == 'take'], default=0)
    random.seed(seed)
    kill_at = now() + seconds * random.uniform(.3, 1) if daemon else None
    R = [random.Random(seed * 100 + i) for i in range(WRITERS + 3)]
    pids = [started(writer, R[w], log, ends, w, last[w]) for w in range(WRITERS)]
    pids += [started(mover, R[-1], log, ends), started(holder, R[-2], log, ends),
             started(snapshots, R[-3], log, ends, number)]
    if daemon:
        time.sleep(max(0, kill_at - now()))
        os.kill(daemon, signal.SIGKILL)
        log('killed', now())
    statuses = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
    if 1 in statuses or (not daemon and any(statuses)):
        sys.exit(f'seed {seed}: processes ended with {statuses}')


# --------------------------------------------------------------------- checks
class History:
    """What the log allows a moment to have."""

    def __init__(self, entries):
        self.writes, self.ends, self.refused = {}, {}, set()
        self.taken, self.has, self.restores, self.released = {}, {}, [], set()
        self.places = None      # of the table, as far as it is known
        for e in entries:
            kind = e[0]
            if kind == 'write':
                self.writes[e[1], e[2]] = e[3]
            elif kind in ('written', 'refused'):
                self.ends[e[1], e[2]] = e[3]
                if kind == 'refused':
                    self.refused.add((e[1], e[2]))
            elif kind == 'take':
                self.taken[e[1]] = [e[2], None]
            elif kind == 'taken':
                self.taken[e[1]][1] = e[2]
            elif kind == 'has':
                self.has[e[1]] = {tuple(r) for r in e[3]}
            elif kind == 'restore':
                self.restores.append([e[1], e[2], None])
            elif kind == 'restored':
                self.restores[-1][2] = e[2]
            elif kind == 'release':
                self.released.add(e[1])

    def wrong(self, rows, begin, end, restore):
        """What a moment between begin and end may not have, or lacks."""
        kept = self.has[restore[0]] if restore else set()
        cut, since = restore[1:] if restore else (0, 0)
        bad = []
        for key, began in self.writes.items():
            ended = self.ends.get(key, float('inf'))
            there = key in rows
            must = key in kept or (began > since and ended < begin and key not in self.refused)
            never = key not in kept and (ended < cut or began > end)
            if must and not there:
                bad.append(f'{key} is lost')
            if never and there:
                bad.append(f'{key} is there')
        return bad + [f'{key} was never written' for key in rows - set(self.writes)]

    def restore_before(self, begin):
        done = [r for r in self.restores if r[2] and r[2] < begin]
        return done[-1] if done else None


def by_cql(place):
    answer = cql(f"SELECT w, n, v, x FROM {place.replace('/', '.')};")
    return {(w, n): (v, x) for w, n, v, x in answer['rows'] if v is not None}


def same_everywhere(place, rows):
    """Tree, documents, .json and CQL."""
    table = by_cql(place)
    assert set(table) == rows, f'CQL and the tree differ: {sorted(set(table) ^ rows)[:5]}'
    for w, n in sorted(rows)[:: max(1, len(rows) // 200)]:
        v, x = table[w, n]
        want = {'w': w, 'n': n, 'v': v} | ({'x': x} if x is not None else {})
        for path in (f'{M}/{place}/{w}/{n}.json', f'{M}/.json/{place}/{w}/{n}.json'):
            assert json.loads(contents(path)) == want, path
        if x is not None:     # by its index
            got = cql(f"SELECT w, n FROM {place.replace('/', '.')} WHERE x = '{w}.{n}';")['rows']
            assert got == [[w, n]], (w, n, got)


def drop():
    subprocess.run((['sudo'] if os.getuid() else []) + ['sh', '-c', 'echo 2 > /proc/sys/vm/drop_caches'], check=True)


def check():
    h = History(read_log())
    there = [p for p in PLACES if os.path.isdir(f'{M}/{p}')]
    assert len(there) == 1, f'the table is in {there}'
    rows = rows_of(M, there[0])
    moment = now()
    # A restore that was cut off is done whole, or not at all.
    ends = [r for r in h.restores[-1:] if r[2] is None and r[0] in h.has]
    choices = [h.restore_before(moment)] + [[r[0], r[1], moment] for r in ends]
    bad = [h.wrong(rows, moment, moment, r) for r in choices]
    assert not all(bad), f'{min(bad, key=len)[:5]}, {[len(b) for b in bad]} differences'
    for r in ends:      # known from now on
        r[2] = moment
        Log()('restored' if not bad[-1] else 'taken back', r[0], moment)
    same_everywhere(there[0], rows)
    names = set(os.listdir(M + '/.snapshots'))
    for name, (begin, end) in h.taken.items():
        if end is None or name in h.released:
            continue
        assert name in names, f'the snapshot {name} is lost'
        root = f'{M}/.snapshots/{name}'
        got = rows_of(root, find(root))
        assert got == h.has.get(name, got), f'{name} has changed'
    count = 0
    for name, got in h.has.items():
        begin, end = h.taken[name]
        bad = h.wrong(got, begin, end, h.restore_before(begin))
        assert not bad, f'{name}: {bad[:5]}, {len(bad)} differences'
        count += 1
    drop()
    assert rows_of(M, there[0]) == rows, 'the tree is another when it is read afresh'
    same_everywhere(there[0], rows)
    print(f'{len(h.writes)} writes, {len(rows)} rows in {there[0]}, {count} snapshots, {len(h.restores)} restores')


if sys.argv[3] == 'work':
    work(int(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6]) if len(sys.argv) > 6 else 0)
else:
    check()
