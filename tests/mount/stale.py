# stale.py MOUNTPOINT PAIRS SEED: a change, and at once a look, in pairs of all
# kinds, while others work beside: no look may find what was before. The first look
# after a change is of a random kind (a moment later the kernel knows anyhow); all
# others follow.
import json, os, random, signal, sys, time

mount, pairs, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
r = random.Random(seed)
k, t = mount + '/k', mount + '/k/t'
part = t + '/1'
stale, seen = {}, {}
console = os.open(mount + '/.cql', os.O_RDWR)


def cql(text, answer=True):
    fd = os.open(mount + '/.cql', os.O_RDWR)
    os.write(fd, text.encode())
    while answer and os.read(fd, 65536):
        pass
    return fd


def run(text):
    os.close(cql(text, False))


def put(path, text, how=os.O_TRUNC):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | how)
    os.write(fd, text.encode())
    os.close(fd)


def get(path):
    try:
        with open(path) as f:
            return f.read()
    except FileNotFoundError:
        return None


def size(path):
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return None


def names(path):
    try:
        return sorted(os.listdir(path))
    except FileNotFoundError:
        return None


# The model: the rows of partition 1, each {column: text of its file}; the sets of
# those that have one; since when a row is as it is; directories that may stay
# without a row, as their elements were removed by path.
class State:
    def __init__(self):
        self.rows, self.mode, self.owner, self.extra = {}, 0o755, 0, False
        self.tags, self.since, self.begin, self.kept = {}, {}, 0, set()


s = State()


def looks():
    """All looks, as (kind, what is found, what is so)."""
    c = r.randrange(4)
    row = '%s/%d' % (part, c)
    have = s.rows.get(c)
    found = []
    for column in 'ab':
        text = have.get(column) if have else None
        path = row + '/' + column
        found += [('cat', lambda p=path: get(p), text), ('size', lambda p=path: size(p), text and len(text)),
                  ('there', lambda p=path: os.path.exists(p), text is not None)]
        if text is not None and c in s.since:
            # Nanoseconds by which it is too old.
            found.append(('time', lambda p=path: max(0, s.since[c] - os.stat(p).st_mtime_ns), 0))
    if have:
        found += [('set', lambda: names(row + '/tags'), sorted(s.tags[c]) if s.tags.get(c) else None),
                  ('mode', lambda: os.stat(row).st_mode & 0o777, s.mode),
                  ('owner', lambda: os.stat(row).st_uid, s.owner),
                  ('document', lambda: document(row + '.json'), {x: y[:-1] for x, y in have.items()}),
                  ('document size', lambda: size(row + '.json') == len(get(row + '.json') or ''), True),
                  ('ls', lambda: [x for x in names(row) or [] if x in 'ab'], sorted(have))]
    else:
        found += [('row', lambda: c not in s.kept and os.path.exists(row), False), ('no document', lambda: get(row + '.json'), None)]
    found += [('lines', lambda: lines(part + '.ndjson'), sorted(s.rows)), ('rows', lambda: [x for x in names(part) or [] if x.isdigit() and int(x) not in s.kept],
               sorted(str(x) for x in s.rows if x not in s.kept)),
              ('table', lambda: os.path.exists(k + '/x'), s.extra),
              ('tables', lambda: 'x' in (names(k) or []), s.extra)]
    return found


def lines(path):
    return sorted(json.loads(x)['c'] for x in (get(path) or '').splitlines())


def document(path):
    text = get(path)
    if text is None:
        return None
    got = json.loads(text)
    return {x: str(got[x]) for x in 'ab' if got.get(x) is not None}


def look(change):
    found = looks()
    r.shuffle(found)
    for i, (kind, f, want) in enumerate(found):
        try:
            got = f()
        except OSError as e:
            got = e.strerror
        seen[change, kind] = seen.get((change, kind), 0) + 1
        if got != want:
            key = '%s, then %s' % (change, kind)
            stale[key] = stale.get(key, 0) + 1
            if stale[key] == 1:
                print('%s (look %d): %r, not %r' % (key, i, got, want))


def clean():
    for c in s.kept - set(s.rows):
        for name in '/tags', '':
            if os.path.exists('%s/%d%s' % (part, c, name)):
                os.rmdir('%s/%d%s' % (part, c, name))
    s.kept &= set(s.rows)


def warm():
    for _ in range(2):
        for _, f, _ in looks():
            f()


number = [0]


def fresh():
    number[0] += 1
    n = number[0]
    return n * 10 ** (n % 5), 'v%d' % n * (1 + n % 30)


def model(c, a, b):
    s.rows[c] = {'a': '%d\n' % a, 'b': b + '\n'}
    s.since[c] = s.begin // 1000 * 1000


def insert(c, a, b):
    return "INSERT INTO k.t (p, c, a, b) VALUES (1, %d, %d, '%s')" % (c, a, b)


def with_semicolon(c):
    a, b = fresh()
    os.write(console, (insert(c, a, b) + ';').encode())
    model(c, a, b)


def without(c):
    a, b = fresh()
    fd = cql(insert(c, a, b))
    model(c, a, b)
    return fd


def several(c):
    a, b = fresh()
    d = (c + 1) % 4
    fd = cql(insert(c, a, b) + '; DELETE FROM k.t WHERE p = 1 AND c = %d' % d)
    model(c, a, b)
    s.rows.pop(d, None)
    return fd


def write_cell(c):
    if c not in s.rows:
        return with_semicolon(c)
    a, _ = fresh()
    put('%s/%d/a' % (part, c), '%d\n' % a)
    s.rows[c]['a'] = '%d\n' % a


def remove_cell(c):
    if len(s.rows.get(c, {})) < 2:
        return with_semicolon(c)
    os.unlink('%s/%d/b' % (part, c))
    del s.rows[c]['b']


def write_document(c):
    a, b = fresh()
    put('%s/%d.json' % (part, c), '{"a": %d, "b": "%s"}\n' % (a, b))
    s.tags.pop(c, None)
    model(c, a, b)


def add_document(c):
    a, _ = fresh()
    put('%s/%d.json' % (part, c), '{"a": %d}\n' % a, os.O_APPEND)
    s.rows.setdefault(c, {})['a'] = '%d\n' % a


def rename_document(c):
    a, b = fresh()
    put('%s/.%d.json.abcdef' % (part, c), '{"a": %d, "b": "%s"}\n' % (a, b))
    os.rename('%s/.%d.json.abcdef' % (part, c), '%s/%d.json' % (part, c))
    s.tags.pop(c, None)
    model(c, a, b)


def remove_document(c):
    if c not in s.rows:
        return with_semicolon(c)
    os.unlink('%s/%d.json' % (part, c))
    del s.rows[c]


def write_lines(c):
    a, b = fresh()
    put(part + '.ndjson', '{"c": %d, "a": %d, "b": "%s"}\n' % (c, a, b), os.O_APPEND)
    model(c, a, b)


def write_records(c):
    a, b = fresh()
    put(k + '/t.csv', 'p,c,b,a\n1,%d,%s,%d\n' % (c, b, a), os.O_APPEND)
    model(c, a, b)


def remove_rows(c):
    if not s.rows:
        return with_semicolon(c)
    os.unlink(part + '.csv')
    s.rows = {}
    s.kept = set()


def rename_cell(c):
    if c not in s.rows:
        return with_semicolon(c)
    _, b = fresh()
    put('%s/%d/.b.abcdef' % (part, c), b + '\n')
    os.rename('%s/%d/.b.abcdef' % (part, c), '%s/%d/b' % (part, c))
    s.rows[c]['b'] = b + '\n'


def rename_row(c):
    free = [x for x in range(4) if x not in s.rows and x not in s.kept]
    if c not in s.rows or not free:
        return range_delete(c)
    os.rename('%s/%d' % (part, c), '%s/%d' % (part, free[0]))
    s.rows[free[0]] = s.rows.pop(c)
    s.since.pop(free[0], None)
    if c in s.kept:
        s.kept.add(free[0])
    if c in s.tags:
        s.tags[free[0]] = s.tags.pop(c)


def remove_row(c):
    if c not in s.rows:
        return with_semicolon(c)
    if c in s.tags:
        remove_set(c)
    for column in s.rows[c]:
        os.unlink('%s/%d/%s' % (part, c, column))
    os.rmdir('%s/%d' % (part, c))
    del s.rows[c]


def range_delete(c):
    run('DELETE FROM k.t WHERE p = 1 AND c >= %d;' % c)
    s.rows = {x: y for x, y in s.rows.items() if x < c}


def truncate(c):
    fd = cql('TRUNCATE k.t')
    s.rows = {}
    return fd


def mode(c):
    s.mode = r.choice([0o755, 0o750, 0o711, 0o777, 0o700])
    os.chmod(t, s.mode)


def owner(c):
    s.owner = r.choice([0, 1, 2, 65534])
    os.chown(t, s.owner, s.owner)


def table(c):
    s.extra = not s.extra
    return cql('CREATE TABLE k.x (p int PRIMARY KEY, v int)' if s.extra else 'DROP TABLE k.x')


def directory(c):
    if s.extra:
        os.rmdir(k + '/x')
    else:
        os.mkdir(k + '/x')
    s.extra = not s.extra


def attribute(c):
    if 'a' not in s.rows.get(c, {}):
        return with_semicolon(c)
    os.setxattr('%s/%d/a' % (part, c), 'user.ttl', b'90000')


def write_set(c):
    if c not in s.rows:
        return with_semicolon(c)
    s.tags[c] = {'e%d' % r.randrange(9) for _ in range(3)}
    return cql('UPDATE k.t SET tags = {%s} WHERE p = 1 AND c = %d' % (', '.join("'%s'" % x for x in s.tags[c]), c))


def remove_set(c):
    if c not in s.tags:
        return write_set(c)
    s.kept.add(c)
    for x in s.tags.pop(c):
        os.unlink('%s/%d/tags/%s' % (part, c, x))
    if os.path.exists('%s/%d/tags' % (part, c)):
        os.rmdir('%s/%d/tags' % (part, c))


# Its time is up: after that second it is gone. Seldom, as it takes a second.
def expire(c):
    if r.randrange(6):
        return without(c)
    run('DELETE FROM k.t WHERE p = 1 AND c = %d;' % c)
    run(insert(c, 1, 'short') + ' USING TTL 1;')
    ends = int(time.time()) + 1
    s.rows.pop(c, None)
    s.tags.pop(c, None)
    warm()
    time.sleep(max(0, ends + 0.5 - time.time()))


changes = [with_semicolon, without, several, write_cell, remove_cell, write_document, add_document, rename_document,
           remove_document, rename_cell, rename_row, remove_row, range_delete, truncate, mode, owner, table, directory,
           attribute, write_set, remove_set, expire, write_lines, write_records, remove_rows]


# Beside it: others work in the same table, so that notices wait in a queue.
def work(number):
    w = random.Random(seed * 100 + number)
    i = 0
    while True:
        i += 1
        d = '%s/%d' % (t, 2 + number)
        try:
            what = w.randrange(4)
            if what == 0:
                run('INSERT INTO k.t (p, c, a) VALUES (%d, %d, %d);' % (2 + number, w.randrange(3), i))
            elif what == 1:
                put('%s/%d.json' % (d, w.randrange(3)), '{"a": %d}\n' % i)
            elif what == 2:
                run('DELETE FROM k.t WHERE p = %d AND c = %d;' % (2 + number, w.randrange(3)))
            for root, _, files in os.walk(d):
                [os.stat(root + '/' + f) for f in files]
        except OSError:
            pass


run("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
    'CREATE TABLE k.t (p int, c int, a int, b text, tags set<text>, PRIMARY KEY (p, c));')
os.chmod(t, s.mode)
workers = []
for w in range(2):
    pid = os.fork()
    if not pid:
        work(w)
    workers.append(pid)
try:
    for n in range(pairs):
        clean()
        warm()
        change, c = changes[n % len(changes)], r.randrange(4)
        # A reader that goes on holds nothing up, and changes nothing for others.
        reader = open('%s/%d/a' % (part, c)) if n % 3 == 0 and c in s.rows else None
        if reader:
            reader.read()
        s.begin = time.time_ns()
        fd = change(c)
        s.tags = {x: y for x, y in s.tags.items() if x in s.rows}
        look(change.__name__)
        if fd:
            os.close(fd)
        if reader:
            reader.close()
finally:
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
for key in sorted(stale):
    print('stale: %-40s %d' % (key, stale[key]))
print('seed %d, pairs %d, kinds %d, looks %d, stale %d' % (seed, pairs, len(seen), sum(seen.values()), sum(stale.values())))
sys.exit(bool(stale))
