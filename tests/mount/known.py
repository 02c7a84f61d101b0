"""Compare what the daemon and the kernel keep as known with what there is. In each history some processes change a few rows in all the
ways that there are, while another one looks at all of it; then what is shown warm is shown again when the kernel has dropped its
caches, in a snapshot of that moment, of which nothing is known, and by documents.
usage: known.py MOUNT SEED HISTORIES PROCESSES FILE | known.py MOUNT again FILE"""
import errno
import json
import os
import random
import signal
import stat
import subprocess
import sys
import time

from said import said

M, K = sys.argv[1], sys.argv[1] + '/k'
TABLES = {
    't': 'CREATE TABLE k.t (p int, c text, a int, b text, v text, s text STATIC, l list<int>, '
         'st set<text>, mp map<text, int>, PRIMARY KEY (p, c))',
    'two': 'CREATE TABLE k.two (p int, c int, d int, v text, w int, PRIMARY KEY (p, c, d))',
    'flat': 'CREATE TABLE k.flat (p text PRIMARY KEY, a int, b text)',
    'cnt': 'CREATE TABLE k.cnt (p int, c text, n counter, m counter, PRIMARY KEY (p, c))',
    'plain': 'CREATE TABLE k.plain (key text, column1 text, value blob, PRIMARY KEY (key, column1)) WITH COMPACT STORAGE',
}
TURNS = 12
P, C = ('1', '2'), ('x', 'y')
# Errors of calls that come too late, or ask for something impossible.
USUAL = {errno.ENOENT, errno.EEXIST, errno.EINVAL, errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR, errno.ESTALE, errno.EXDEV,
         errno.EPERM, errno.EOPNOTSUPP, errno.ENODATA, errno.EBUSY, errno.EBADF}
ENDS = ('@append', '@prepend')


def cql(text):
    fd = os.open(M + '/.cql.json', os.O_RDWR)
    try:
        os.write(fd, text.encode() + b';')
        got = b''
        while more := os.read(fd, 1 << 16):
            got += more
        return got.decode()
    finally:
        os.close(fd)


def rows(select):
    answer = json.loads(cql(select))
    names = [c['name'] for c in answer['columns']]
    return [dict(zip(names, r)) for r in answer['rows']]


def contents(path):
    with open(path, 'rb') as f:
        return f.read()


def attributes(path):
    s = os.lstat(path)
    return s.st_mode, s.st_size, s.st_mtime_ns


def control(line):
    with open(M + '/.widefs/ctl', 'w') as f:
        f.write(line + '\n')


# ------------------------------------------------------------------ changes
class Worker:
    def __init__(self, seed):
        self.R = random.Random(seed)
        self.held = []          # descriptors, written or not
        self.log = []

    def row(self):
        R = self.R
        return K + R.choice([
            lambda: f'/t/{R.choice(P)}/{R.choice(C)}',
            lambda: f'/t/{R.choice(P)}/{R.choice(C)}',
            lambda: f'/two/{R.choice(P)}/{R.choice(P)}/{R.choice(P)}',
            lambda: f'/flat/{R.choice(C)}',
            lambda: f'/cnt/{R.choice(P)}/{R.choice(C)}',
        ])()

    def file_of(self, row):
        table = row[len(K) + 1:].partition('/')[0]
        return row + '/' + self.R.choice({
            't': ['a', 'b', 'v', 'st/q', 'st/r', 'mp/q', 'mp/r', 'l/@append', 'l/@prepend', 'l/@0', '../@static/s', '.a.tmp1'],
            'two': ['v', 'w'], 'flat': ['a', 'b', 'b~'], 'cnt': ['n', 'n', 'm']}[table])

    def file(self):
        R = self.R
        if R.random() < .2:
            return f'{K}/plain/{R.choice(C)}/{R.choice(C)}'
        path = self.file_of(self.row())
        head, way, tail = path.partition('/../')
        return os.path.dirname(head) + '/' + tail if way else path

    def document(self):
        R = self.R
        row = self.row()
        json_of = {'t': ['{"a": 3}', '{"b": "q", "a": null}', '{"st": ["k"], "mp": {"q": 1}, "l": [1]}', '{}'],
                   'two': ['{"v": "w"}', '{"w": 1}', '{}'], 'flat': ['{"a": 1}', '{"b": "z"}', '{}'],
                   'cnt': ['{"n": 3}']}[row[len(K) + 1:].partition('/')[0]]
        if R.random() < .4:
            row = row.replace(M, M + '/.json')
        return row + '.json', R.choice(json_of)

    def lines(self):
        R, n = self.R, self.R.randrange(100)
        return R.choice([
            (f'{K}/t.ndjson', f'{{"p": {R.choice(P)}, "c": "{R.choice(C)}", "a": {n}}}\n'),
            (f'{K}/t/{R.choice(P)}.ndjson', f'{{"c": "{R.choice(C)}", "b": "{n}"}}\n'),
            (f'{K}/t/{R.choice(P)}.csv', f'c,a,v\n{R.choice(C)},{n},\n'),
            (f'{K}/two/{R.choice(P)}.csv', f'c,d,v\n{R.choice(P)},{R.choice(P)},{n}\n'),
            (f'{K}/two/{R.choice(P)}/{R.choice(P)}.ndjson', f'{{"d": {R.choice(P)}, "w": {n}}}\n'),
            (f'{K}/flat.csv', f'p,a\n{R.choice(C)},{n}\n'),
            (f'{K}/plain.ndjson', f'{{"key": "{R.choice(C)}", "column1": "{R.choice(C)}", "value": "0x{n:02x}"}}\n')])

    def directory(self):
        R, row = self.R, self.row()
        up = R.choice([row, row, os.path.dirname(row), row + '/' + R.choice(['st', 'mp', 'l']), f'{K}/t/{R.choice(P)}/@static',
                       f'{K}/plain/{R.choice(C)}', K + '/' + R.choice(list(TABLES))])
        return up

    def any(self):
        return self.file() if self.R.random() < .5 else self.directory()

    def text(self, path):
        name = os.path.basename(path)
        if '/plain/' in path or name in ('b', 'v', 's', 'b~', '.a.tmp1'):
            return self.R.choice(['hello\n', 'w', '', 'z' * self.R.choice([10, 300, 5000]) + '\n'])
        if '/cnt/' in path:
            return self.R.choice(['+1\n', '-2\n', '+3\n+4\n', '5\n'])
        return self.R.choice(['5\n', '7', '123\n', '-1\n'])

    # Each is a call, by its name.
    def write(self):
        R, path = self.R, self.file()
        if path.endswith(('st/q', 'st/r')):
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))
            return path
        flags = R.choice([os.O_TRUNC, os.O_TRUNC, os.O_APPEND, 0]) | R.choice([os.O_WRONLY, os.O_WRONLY, os.O_RDWR])
        fd = os.open(path, flags | R.choice([os.O_CREAT, os.O_CREAT, 0, os.O_CREAT | os.O_EXCL]), 0o644)
        try:
            for _ in range(R.choice([0, 1, 1, 1, 2])):
                os.write(fd, self.text(path).encode())
                if R.random() < .1:
                    os.fsync(fd)
        finally:
            if R.random() < .08 and len(self.held) < 2:
                self.held.append((fd, path))
            else:
                os.close(fd)
        return path

    def read(self):
        """A reader that stays."""
        path = self.file()
        if len(self.held) < 2 and not path.endswith(ENDS):
            self.held.append((os.open(path, os.O_RDONLY), path))

    def go_on(self):
        if not self.held:
            return
        at = self.R.randrange(len(self.held))
        fd, path = self.held[at]
        call = self.R.randrange(7)
        if call == 0:
            os.write(fd, self.text(path).encode())
        elif call == 1:
            os.fsync(fd)
        elif call == 2:
            os.ftruncate(fd, self.R.randrange(3))
        elif call == 3:
            os.utime(fd, (0, self.R.randrange(10 ** 9)))
        elif call == 4:
            os.pread(fd, 100, 0)
        else:
            del self.held[at]
            os.close(fd)
        return call, path

    def truncate(self):
        path = self.file()
        os.truncate(path, self.R.randrange(3))
        return path

    def unlink(self):
        path = self.file()
        os.unlink(path)
        return path

    def unlink_document(self):
        path = self.R.choice([self.document(), self.lines()])[0]
        os.unlink(path)
        return path

    def mkdir(self):
        path = self.directory()
        os.makedirs(path) if self.R.random() < .4 else os.mkdir(path)
        return path

    def rmdir(self):
        path = self.directory()
        os.rmdir(path)
        return path

    def remove_all(self):
        top = self.directory()
        for d, below, files in os.walk(top, topdown=False):
            for name in files:
                os.unlink(d + '/' + name)
            for name in below:
                os.rmdir(d + '/' + name)
        os.rmdir(top)
        return top

    def rename_row(self):
        row = self.row()
        name = self.R.choice(P if '/two/' in row else C)
        other = self.row() if self.R.random() < .5 else os.path.dirname(row) + '/' + name
        os.rename(row, other)
        return row, other

    def rename_cell(self):
        path = self.file()
        other = self.file() if self.R.random() < .3 else os.path.dirname(path) + '/' + self.R.choice(
            ['a', 'b', 'v', 'w', 'q', 'r', 'x', 'y', '.a.tmp1', 'b~'])
        os.rename(path, other)
        return path, other

    def replace(self):
        """As an editor does: a new one in its place."""
        path = self.file()
        d, name = os.path.split(path)
        new = f'{d}/.{name}.{self.R.randrange(1 << 24):06x}'
        with open(new, 'w') as f:
            f.write(self.text(path))
        try:
            os.rename(new, path)
        except OSError:
            os.unlink(new)
            raise
        return path

    def rename_table(self):
        names = list(TABLES) + ['moved']
        one, other = self.R.choice(names), self.R.choice(names)
        os.rename(f'{K}/{one}', f'{K}/{other}')
        os.rename(f'{K}/{other}', f'{K}/{one}')
        return one, other

    def utime(self):
        path, ns = self.R.choice([self.any(), self.document()[0]]), self.R.randrange(1, 10 ** 18)
        os.utime(path, ns=(ns, ns))
        return path, ns

    def chmod(self):
        path, mode = self.R.choice([K, self.any(), K + '/' + self.R.choice(list(TABLES))]), self.R.choice([0o777, 0o755, 0o644, 0o700])
        os.chmod(path, mode)
        return path, mode

    def attribute(self):
        path, value = self.R.choice([self.file(), self.row(), self.document()[0]]), self.R.choice([b'1', b'2', b'3', b'9000', None])
        if value:
            os.setxattr(path, 'user.ttl', value)
        else:
            os.removexattr(path, 'user.expires')
        return path, value

    def write_document(self):
        path, text = self.document() if self.R.random() < .6 else self.lines()
        append = not path.endswith('.json') or self.R.random() < .5
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | (os.O_APPEND if append else os.O_TRUNC), 0o644)
        try:
            os.write(fd, text.encode())
        finally:
            os.close(fd)
        return path, text, append

    def statement(self):
        R = self.R
        p, q, c, n = R.choice(P), R.choice(P), R.choice(C), R.randrange(100)
        using = R.choice(['', '', '', f'USING TTL {R.choice([1, 2, 3])}', f'USING TTL {R.choice([1, 2])}',
                          f'USING TIMESTAMP {time.time_ns() // 1000 + R.randrange(-10 ** 7, 10 ** 6)}'])
        at = using if 'TIMESTAMP' in using else ''
        key, two = f"p = {p} AND c = '{c}'", f'p = {p} AND c = {q}'
        text = R.choice([
            f"INSERT INTO k.t (p, c, a, b) VALUES ({p}, '{c}', {n}, '{'z' * n}') {using}",
            f"INSERT INTO k.t (p, c) VALUES ({p}, '{c}') {using}",
            f'UPDATE k.t {using} SET a = {n} WHERE {key}',
            f"UPDATE k.t {using} SET v = '{n}' WHERE {key}",
            f"UPDATE k.t {using} SET s = '{n}' WHERE p = {p}",
            f'DELETE a FROM k.t {at} WHERE {key}',
            f'DELETE FROM k.t {at} WHERE {key}',
            f'DELETE s FROM k.t {at} WHERE p = {p}',
            f'DELETE FROM k.t {at} WHERE p = {p}',
            f"DELETE FROM k.t {at} WHERE p = {p} AND c > 'x'",
            f'DELETE l, st, mp FROM k.t WHERE {key}',
            f"UPDATE k.t {using} SET l = l + [{n}], st = st + {{'q'}}, mp = mp + {{'q': {n}}} WHERE {key}",
            f"UPDATE k.t {using} SET mp['r'] = {n} WHERE {key}",
            f"UPDATE k.t SET st = st - {{'q'}}, mp = mp - {{'q'}} WHERE {key}",
            f'UPDATE k.t SET a = {n} WHERE {key} IF a > 50',
            f"BEGIN BATCH DELETE FROM k.t WHERE {key}; INSERT INTO k.t (p, c, b) VALUES ({p}, 'x', 'b'); APPLY BATCH",
            f"BEGIN BATCH UPDATE k.t SET a = {n} WHERE p = 1 AND c = 'x'; UPDATE k.t SET a = {n} WHERE p = 2 AND c = 'y'; APPLY BATCH",
            f"INSERT INTO k.two (p, c, d, v) VALUES ({p}, {q}, {n % 2 + 1}, 'v{n}') {using}",
            f'UPDATE k.two {using} SET w = {n} WHERE {two} AND d = {n % 2 + 1}',
            f'DELETE FROM k.two {at} WHERE {two}',
            f'DELETE w FROM k.two WHERE {two} AND d = {n % 2 + 1}',
            f"INSERT INTO k.flat (p, a) VALUES ('{c}', {n}) {using}",
            f"UPDATE k.flat {using} SET b = '{n}' WHERE p = '{c}'",
            f"DELETE FROM k.flat {at} WHERE p = '{c}'",
            f'UPDATE k.cnt SET n = n + {n} WHERE {key}',
            f'DELETE n FROM k.cnt WHERE {key}',
            f'DELETE FROM k.cnt WHERE {key}',
            f"INSERT INTO k.plain (key, column1, value) VALUES ('{c}', '{R.choice(C)}', 0x{n:02x}) {using}",
            f"DELETE FROM k.plain WHERE key = '{c}'"])
        cql(text)
        return text

    def schema(self):
        R = self.R
        name, kind = R.choice(list(TABLES)), R.randrange(6)
        if kind == 0:
            cql(f'DROP TABLE k.{name}')
            cql(TABLES[name])
        elif kind < 3:
            cql(f'TRUNCATE k.{name}')
        else:
            name = R.choice(['ADD v text', 'DROP v', 'ADD u map<text, int>', 'DROP u', 'WITH default_time_to_live = 2',
                             'WITH default_time_to_live = 0', 'RENAME c TO c2', 'RENAME c2 TO c'])
            cql('ALTER TABLE k.t ' + name)
        return name, kind

    def snapshot(self):
        R = self.R
        kept = f'{M}/.snapshots/kept'
        if R.random() < .4:
            os.mkdir(kept)
        elif R.random() < .5:
            os.rmdir(kept)
        else:
            control('snapshot restore kept ' + R.choice(['k', 'k.t', 'k.cnt', 'k.two', 'k.plain']))
        return 'snapshot'

    def store(self):
        line = self.R.choice(['flush', 'compact k.t', 'compact k.two', 'flush k.cnt'])
        control(line)
        return line

    def wait(self):
        time.sleep(self.R.choice([.1, .5, 1.1]))

    CALLS = ((write, 26), (read, 3), (go_on, 8), (truncate, 4), (unlink, 8), (unlink_document, 3), (mkdir, 10), (rmdir, 5),
             (remove_all, 3), (rename_row, 6), (rename_cell, 6), (replace, 6), (utime, 8), (chmod, 2), (attribute, 7),
             (write_document, 12), (statement, 26), (schema, 2), (rename_table, 1), (snapshot, 1), (store, 1), (wait, 1))
    CHOICE = [f.__name__ for f, weight in CALLS for _ in range(weight)]

    def step(self):
        name, begin = self.R.choice(self.CHOICE), time.time_ns()
        try:
            what = getattr(self, name)()
            self.log.append(f'{begin} {name} {what}')
            return True
        except OSError as e:
            self.log.append(f'{begin} {name} {errno.errorcode[e.errno]}')
            if e.errno not in USUAL:
                raise Exception(f'{name}: {e}') from e
            return False


# ------------------------------------------------------------------ looking
def look(top):
    """All that is below: attributes, listings, contents, by their paths below it."""
    seen, todo = {}, ['']
    while todo:
        d = todo.pop()
        at, names = said(attributes, top + d), said(os.listdir, top + d)
        seen[d] = at, tuple(sorted(names)) if isinstance(names, list) else names
        for name in names if isinstance(names, list) else ():
            path = f'{d}/{name}'
            at = said(attributes, top + path)
            if isinstance(at, tuple) and stat.S_ISDIR(at[0]):
                todo.append(path)
            else:
                seen[path] = at, said(contents, top + path) if name != 'schema.cql' else None
                if isinstance(at, tuple) and name != 'schema.cql' and at[1] != len(seen[path][1]):
                    seen[path + ' has another size'] = at, seen[path][1]
    return seen


def is_directory(shown):
    return isinstance(shown[0], tuple) and stat.S_ISDIR(shown[0][0])


def is_row(path):
    """True for the directory of a row."""
    parts = path.split('/')[1:] or ['']
    return '@static' not in parts and (parts[0], len(parts)) in (('t', 3), ('two', 4), ('flat', 2), ('cnt', 3))


def look_by_document(seen):
    """The documents of the rows that were seen: they have what the directories have, in both trees."""
    bad = []
    typed = {name for name in TABLES if 'column1' not in str(said(contents, f'{K}/{name}.cql'))}
    for path, shown in seen.items():
        if not is_directory(shown) or not is_row(path) or path.split('/')[1] not in typed:
            continue
        one, other = said(contents, f'{K}{path}.json'), said(contents, f'{M}/.json/k{path}.json')
        times = [said(attributes, x) for x in (f'{K}{path}.json', f'{M}/.json/k{path}.json')]
        if one != other or times[0] != times[1]:
            bad.append(f'{path}.json: {one} {times[0]}, in .json {other} {times[1]}')
        row = json.loads(one) if isinstance(one, bytes) else {}
        cells = {f'{path}/{name}' for name in row if name not in ('p', 'c', 'c2', 'd', 's', 'l', 'st', 'mp', 'u')}
        files = {x for x, at in seen.items() if os.path.dirname(x) == path and not is_directory(at) and '~' not in x and '/.' not in x}
        if cells != files:
            bad.append(f'{path}: document {one}, files {[(x, seen[x]) for x in sorted(files)]}')
        for x in cells & files:
            value = row[os.path.basename(x)]
            text = f'{value}\n' if value != '' else ''
            if seen[x][1] != text.encode():
                bad.append(f'{x}: {seen[x][1]}, in its document {value!r}')
    return bad


def is_memory(path):
    name = os.path.basename(path)
    return name.startswith('.') or name.endswith('~')


def schemaless():
    """The tables that mkdir made, while one of ours was dropped: files below their values wait for a schema.cql in memory."""
    return {r['table_name'] for r in rows("SELECT table_name, column_name FROM system_schema.columns WHERE keyspace_name = 'k'")
            if r['column_name'] == 'column1'}


def stored(seen):
    """What is not in memory alone: no temporary files, no directories without any file, no files that wait."""
    free = schemaless()
    files = [x for x, shown in seen.items() if not is_directory(shown) and not (is_memory(x) and '/plain/' not in x)
             and not (x.count('/') > 3 and x.split('/')[1] in free)]
    there = set(files)
    for x in files:
        while x:
            x = x.rpartition('/')[0]
            there.add(x)
    return {x: (seen[x][0] if not is_directory(seen[x]) else (seen[x][0], None), seen[x][1]) if x in files else seen[x][0]
            for x in there if x in seen}


def same_as_stored(what, seen, kept):
    """What the snapshot shows is shown; what is shown more is in memory alone."""
    bad = [f'{x}: {seen.get(x)}, {what} {shown}' for x, shown in kept.items()
           if x not in seen or seen[x][0] != shown[0] or (not is_directory(shown) and seen[x][1] != shown[1])]
    held = stored(seen)
    return bad + [f'{x}: {held[x]}, {what} nothing' for x in held.keys() - kept.keys()]


class Looker:
    def __init__(self):
        # A child from the begin: a later one would close copies of descriptors.
        self.dropper = subprocess.Popen(
            (['sudo'] if os.getuid() else []) +
            ['sh', '-c', 'while read -r x; do echo 2 > /proc/sys/vm/drop_caches || exit; echo done; done'],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.late = self.done = self.snapshots = 0

    def drop(self):
        self.dropper.stdin.write(b'\n')
        self.dropper.stdin.flush()
        if self.dropper.stdout.readline() != b'done\n':
            sys.exit('the caches of the kernel cannot be dropped: this needs root')

    def compare_once(self, writers, snapshot, drop):
        """The differences; None: a second began meanwhile, in which something may have ended."""
        left = 1 - time.time() % 1
        if left < .15 or left > .97:
            time.sleep(left % .97 + .03)
        second = int(time.time())
        warm = look(K)
        bad, kept = [], None
        if snapshot and not writers:
            os.mkdir(f'{M}/.snapshots/now')
            self.snapshots += 1
            kept = look(f'{M}/.snapshots/now/k')
            os.rmdir(f'{M}/.snapshots/now')
        documents = [] if writers else look_by_document(warm)
        fresh = warm
        if drop:
            self.drop()
            fresh = look(K)
        if int(time.time()) != second:
            return None
        bad += [f'{x}: {warm.get(x)}, afresh {fresh.get(x)}' for x in {**warm, **fresh} if warm.get(x) != fresh.get(x)]
        bad += [x for x in warm if x.endswith(' has another size')] if not writers else []
        if kept is not None:
            bad += same_as_stored('in a snapshot', warm, kept)
        return bad + documents

    def compare(self, writers, snapshot, drop):
        for _ in range(4):
            bad = self.compare_once(writers, snapshot, drop)
            if bad is not None:
                self.done += 1
                return bad
            self.late += 1
        return []


# ---------------------------------------------------------------- processes
class Process:
    """A worker, or who looks meanwhile, in a process of its own: a line asks for so many steps and is answered."""
    def __init__(self, run):
        ask, answer = os.pipe(), os.pipe()
        self.pid = os.fork()
        if not self.pid:
            os.close(ask[1])
            os.close(answer[0])
            status = 1
            try:
                with os.fdopen(ask[0]) as lines, os.fdopen(answer[1], 'w') as out:
                    run(lines, out)
                status = 0
            except BaseException as e:
                print(f'a process: {e!r}', flush=True)
            os._exit(status)
        os.close(ask[0])
        os.close(answer[1])
        self.ask, self.answer = os.fdopen(ask[1], 'w'), os.fdopen(answer[0])

    def tell(self, line):
        self.ask.write(line + '\n')
        self.ask.flush()

    def hear(self):
        line = self.answer.readline()
        if not line:
            sys.exit('a process ended')
        return json.loads(line)

    def end(self):
        self.ask.close()
        self.answer.close()
        os.waitpid(self.pid, 0)


def work(seed):
    def run(lines, out):
        w = Worker(seed)
        for line in lines:
            if line == 'close\n':
                for fd, _ in w.held:
                    said(os.close, fd)
                w.held, steps = [], 0
            else:
                steps = int(line)
            at = len(w.log)
            good = sum(any(w.step() for _ in range(4)) for _ in range(steps))
            out.write(json.dumps([good, [path for _, path in w.held], w.log[at:]]) + '\n')
            out.flush()
    return run


def watch(lines, out):
    """Looks until there is another line, or nobody to ask."""
    os.set_blocking(lines.fileno(), False)
    asker = os.getppid()
    while os.getppid() == asker:
        line = lines.readline()
        if line == 'stop\n':
            out.write('0\n')
            out.flush()
        elif line == 'end\n':
            return
        elif line == 'look\n':
            while not (line := lines.readline()):
                look(K)
            out.write('0\n')
            out.flush()
        else:
            time.sleep(.0005)


def clean():
    for name in os.listdir(M + '/.snapshots'):
        said(os.rmdir, f'{M}/.snapshots/{name}')


STARTS = ("INSERT INTO k.t (p, c, a, b) VALUES (1, 'x', 1, 'b')", "UPDATE k.t USING TTL 2 SET a = 1, v = 'v' WHERE p = 1 AND c = 'x'",
          "UPDATE k.t SET mp = {'q': 1}, l = [1, 2], st = {'q'}, s = 's' WHERE p = 2 AND c = 'y'", "INSERT INTO k.t (p, c) VALUES (1, 'y')",
          "INSERT INTO k.two (p, c, d, v) VALUES (1, 1, 1, 'v'); UPDATE k.two USING TTL 1 SET w = 3 WHERE p = 1 AND c = 1 AND d = 1",
          "UPDATE k.two SET w = 3 WHERE p = 1 AND c = 2 AND d = 2", 'UPDATE k.cnt SET n = n + 1, m = m + 1 WHERE p = 1 AND c = \'x\'',
          "INSERT INTO k.flat (p, a, b) VALUES ('x', 1, 'b')", "UPDATE k.flat USING TTL 1 SET b = 'b' WHERE p = 'x'",
          "INSERT INTO k.plain (key, column1, value) VALUES ('x', 'x', 0x31)", "UPDATE k.cnt SET n = n + 1 WHERE p = 2 AND c = 'y'")


def begin(R):
    said(cql, 'DROP KEYSPACE k')
    clean()
    cql("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
    for name, text in TABLES.items():
        if name != 'plain':
            cql(text)
    os.mkdir(K + '/plain')
    for _ in range(R.randrange(10)):
        for statement in R.choice(STARTS).split('; '):
            cql(statement)


def history(seed, count, looker, watcher):
    R, log, done = random.Random(seed), [], 0
    begin(R)
    workers = [Process(work(f'{seed} {i}')) for i in range(count)]
    try:
        for turn in range(TURNS):
            steps = R.choice([1, 1, 2, 3, 5, 10])
            if watcher:
                watcher.tell('look')
            elif R.random() < .8:
                look(K)
            for w in workers:
                w.tell('close' if turn == TURNS - 1 else str(steps))
            answers = [w.hear() for w in workers]
            if watcher:
                watcher.tell('stop')
                watcher.hear()
            done += sum(good for good, _, _ in answers)
            log += [f'{turn}.{i} {line}' for i, (_, _, lines) in enumerate(answers) for line in lines]
            writers = any(held for _, held, _ in answers)
            if R.random() < .25:
                time.sleep(1.02 - time.time() % 1)      # something may end
            snapshot = R.random() < .7
            bad = looker.compare(writers, snapshot, writers or not snapshot or R.random() < .3)
            if bad:
                print(f'seed {seed}, {count} processes, turn {turn}: {len(bad)} differences')
                for line in bad[:12]:
                    print('  ', line[:600])
                for line in log[-int(os.environ.get('LOG', 30)):]:
                    print('      ', line[:300])
                if os.environ.get('GO_ON'):
                    return done, 1
                sys.exit(1)
    finally:
        for w in reversed(workers):     # a later one has the pipes of those before it, too
            w.end()
    return done, 0


def main():
    if sys.argv[2] == 'again':
        with open(sys.argv[3]) as f:
            kept = {x: (tuple(at) if isinstance(at, list) else at, tuple(names) if isinstance(names, list) else
                        names.encode('latin1') if isinstance(names, str) and stat.S_ISREG(at[0]) else names)
                    for x, (at, names) in json.load(f).items()}
        seen = look(K)
        bad = same_as_stored('on a new mount', kept, seen)
        print('\n'.join(bad[:20]))
        sys.exit(bool(bad))
    seed, histories, count = map(int, sys.argv[2:5])
    looker, watcher = Looker(), Process(watch) if count > 1 else None
    done = wrong = 0
    for i in range(seed, seed + histories):
        good, bad = history(i, count, looker, watcher)
        done += good
        wrong += bad
        if os.environ.get('GO_ON') and i % 20 == 19:
            print(f'-- {i}: {done} done, {looker.done} looks, {looker.snapshots} snapshots, {looker.late} late', flush=True)
    time.sleep(3.2)
    with open(sys.argv[5], 'w') as f:
        json.dump({x: (at, text.decode('latin1') if isinstance(text, bytes) else text) for x, (at, text) in look(K).items()}, f)
    if watcher:
        watcher.tell('end')
        watcher.end()
    print(f'seeds {seed} to {seed + histories - 1}, {count} processes: {done} calls done, {looker.done} looks, {looker.late} too late, {wrong} wrong')
    sys.exit(bool(wrong) or done < histories * count * 5 or looker.done < histories * TURNS // 2)


main()
