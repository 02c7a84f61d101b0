"""Processes that make, remove, rename and rewrite the same few rows by path, as
documents and by CQL. When they have ended, tree and CQL say the same: before the
kernel drops what it keeps, afterwards, and (with `again`) on a new mount.
usage: races.py MOUNT SEED ROUNDS SECONDS | races.py MOUNT again"""
import errno
import json
import os
import random
import signal
import subprocess
import sys
import time

import console
from said import said

M, WRITERS, READERS = sys.argv[1], 6, 2
TABLES = {
    't': 'CREATE TABLE k.t (p int, c text, a int, b text, v text, s text STATIC, l list<int>, '
         'st set<text>, mp map<text, int>, PRIMARY KEY (p, c));',
    'plain': 'CREATE TABLE k.plain (key text, column1 text, value blob, PRIMARY KEY (key, column1)) WITH COMPACT STORAGE;',
    'cnt': 'CREATE TABLE k.cnt (p int, c text, n counter, PRIMARY KEY (p, c));',
}
SHAPES = {'t': 's', 'plain': 'column1', 'cnt': 'n'}     # a column that tells each of them
P, C = ('1', '2'), ('x', 'y', 'z')
CELLS = ('a', 'b', 'v')
SCRATCH = ('.a.tmp1', 'a~', '.b.tmp2')
ELEMENTS = ('st/q', 'st/r', 'mp/q', 'mp/r', 'l/@append', 'l/@prepend', 'l/@0', 'l/@1')
DOCUMENTS = ('{"a": 3}', '{"b": "q"}', '{"a": null, "b": "w"}', '{"st": ["k", "q"]}', '{"mp": {"q": 1}, "l": [1, 2]}', '{}')
# Errors of calls that come too late, or ask for something impossible.
USUAL = {errno.ENOENT, errno.EEXIST, errno.EINVAL, errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR,
         errno.ESTALE, errno.EXDEV, errno.EPERM, errno.EOPNOTSUPP, errno.ENODATA}


def cql(text, ending='.json'):
    return console.run(M, text, ending)


def cell_text(R, name):
    return R.choice({
        'a': ['5\n', '7', '123\n', '-1\n', 'no\n', ''],
        'n': ['+1\n', '-2\n', '+3\n+4\n', '5\n', 'x\n'],
    }.get(name, ['hello\n', 'z' * 5000 + '\n', 'w', '']))


class Worker:
    def __init__(self, seed):
        self.R = random.Random(seed)
        self.held = []
        self.done = self.refused = 0

    def row(self):
        R = self.R
        return f'{M}/k/t/{R.choice(P)}/{R.choice(C)}'

    def file(self):
        R = self.R
        return R.choice([
            lambda: self.row() + '/' + R.choice(CELLS),
            lambda: self.row() + '/' + R.choice(CELLS),
            lambda: self.row() + '/' + R.choice(SCRATCH),
            lambda: self.row() + '/' + R.choice(ELEMENTS),
            lambda: self.row() + '/' + R.choice(['st', 'mp', 'l']) + '.json',
            lambda: self.row() + '.json',
            lambda: f'{M}/k/t/{R.choice(P)}/@static/s',
            lambda: f'{M}/k/plain/{R.choice(P)}/{R.choice(C)}',
            lambda: f'{M}/k/cnt/{R.choice(P)}/{R.choice(C)}/n',
        ])()

    def directory(self):
        R = self.R
        return R.choice([
            self.row, self.row,
            lambda: self.row() + '/' + R.choice(['st', 'mp', 'l']),
            lambda: f'{M}/k/t/{R.choice(P)}',
            lambda: f'{M}/k/t/{R.choice(P)}/@static',
            lambda: f'{M}/k/plain/{R.choice(P)}',
            lambda: f'{M}/k/cnt/{R.choice(P)}/{R.choice(C)}',
            lambda: f'{M}/k/{R.choice(list(TABLES))}',
        ])()

    # ------------------------------------------------------------------ calls
    def text(self, path):
        if '/plain/' not in path and path.endswith('.json'):
            name = os.path.basename(path)
            return self.R.choice({'st.json': ['["a", "q"]', '[]'], 'mp.json': ['{"r": 2}', '{}'],
                                  'l.json': ['[1, 2, 3]', '[]']}.get(name, DOCUMENTS))
        return cell_text(self.R, os.path.basename(path))

    def write(self):
        R, path = self.R, self.file()
        flags = R.choice([os.O_TRUNC, os.O_TRUNC, os.O_APPEND, 0]) | R.choice([os.O_WRONLY, os.O_WRONLY, os.O_RDWR])
        fd = os.open(path, flags | R.choice([os.O_CREAT, os.O_CREAT, 0]), 0o644)
        try:
            for _ in range(R.choice([0, 1, 1, 1, 2])):
                os.write(fd, self.text(path).encode())
                if R.random() < .2:
                    os.fsync(fd)
                if R.random() < .1:
                    os.ftruncate(fd, R.randrange(3))
                if R.random() < .2:
                    time.sleep(R.random() * .01)
        finally:
            if R.random() < .15 and len(self.held) < 4:
                self.held.append((fd, path))
            else:
                os.close(fd)

    def go_on(self):
        """With a descriptor that was left open."""
        if not self.held:
            return
        fd, path = self.R.choice(self.held)
        call = self.R.randrange(6)
        if call == 0:
            os.write(fd, self.text(path).encode())
        elif call == 1:
            os.fsync(fd)
        elif call == 2:
            os.ftruncate(fd, self.R.randrange(3))
        elif call == 3:
            os.fstat(fd)
        else:
            self.held.remove((fd, path))
            os.close(fd)

    def truncate(self):
        os.truncate(self.file(), self.R.randrange(3))

    def unlink(self):
        os.unlink(self.file())

    def mkdir(self):
        os.mkdir(self.directory())

    def rmdir(self):
        os.rmdir(self.directory())

    def rename_row(self):
        os.rename(self.row(), self.row())

    def rename_cell(self):
        R, row = self.R, self.row()
        there = [row + '/' + R.choice(CELLS), row + '/' + R.choice(CELLS + SCRATCH)]
        R.shuffle(there)
        os.rename(*there)

    def rename_back(self):
        """As an editor does: the old one aside, the new one in its place."""
        R, row = self.R, self.row()
        name = R.choice(CELLS)
        os.rename(f'{row}/{name}', f'{row}/{name}~')
        if R.random() < .5:
            os.rename(f'{row}/{name}~', f'{row}/{name}')
        else:
            with open(f'{row}/{name}', 'w') as f:
                f.write(cell_text(R, name))
            os.unlink(f'{row}/{name}~')

    def rename_plain(self):
        R = self.R
        os.rename(*(f'{M}/k/plain/{R.choice(P)}/{R.choice(C)}' for _ in range(2)))

    def remove_all(self):
        top = self.R.choice([self.row(), f'{M}/k/t/{self.R.choice(P)}', f'{M}/k/plain/{self.R.choice(P)}'])
        for d, below, files in os.walk(top, topdown=False):
            for name in files:
                os.unlink(d + '/' + name)
            for name in below:
                os.rmdir(d + '/' + name)
        os.rmdir(top)

    def chmod(self):
        path = self.R.choice([f'{M}/k/{self.R.choice(list(TABLES))}', self.file(), self.directory()])
        os.chmod(path, self.R.choice([0o777, 0o755, 0o644, 0o700]))

    def attribute(self):
        path = self.R.choice([self.file(), self.row()])
        if self.R.random() < .5:
            os.utime(path, (0, self.R.randrange(10 ** 9)))
        elif self.R.random() < .5:
            os.setxattr(path, 'user.ttl', b'9000')
        else:
            os.removexattr(path, 'user.expires')

    def statement(self):
        R = self.R
        p, c, n = R.choice(P), R.choice(C), R.randrange(100)
        key = f"p = {p} AND c = '{c}'"
        cql(R.choice([
            f"INSERT INTO k.t (p, c, a, b) VALUES ({p}, '{c}', {n}, '{'z' * n}');",
            f'UPDATE k.t SET a = {n} WHERE {key};',
            f"UPDATE k.t SET v = '{n}', s = '{n}' WHERE {key};",
            f'DELETE a FROM k.t WHERE {key};',
            f'DELETE FROM k.t WHERE {key};',
            f'DELETE FROM k.t WHERE p = {p};',
            f'DELETE l, st, mp FROM k.t WHERE {key};',
            f"UPDATE k.t SET l = l + [{n}], st = st + {{'q'}}, mp = mp + {{'q': {n}}} WHERE {key};",
            f"UPDATE k.t SET st = st - {{'q'}}, mp = mp - {{'q'}} WHERE {key};",
            f'UPDATE k.t SET a = {n} WHERE {key} IF a > 50;',
            f"BEGIN BATCH DELETE FROM k.t WHERE {key}; INSERT INTO k.t (p, c, b) VALUES ({p}, 'x', 'b'); APPLY BATCH;",
            f'UPDATE k.cnt SET n = n + {n} WHERE {key};',
            f'DELETE FROM k.cnt WHERE {key};',
            f"INSERT INTO k.plain (key, column1, value) VALUES ('{p}', '{c}', 0x{n:02x});",
            f"DELETE FROM k.plain WHERE key = '{p}' AND column1 = '{c}';",
            f"DELETE FROM k.plain WHERE key = '{p}';",
            f'SELECT * FROM k.t WHERE p = {p};']))

    def schema(self):
        R = self.R
        name = R.choice(list(TABLES))
        kind = R.randrange(6)
        if kind == 0:
            cql(f'DROP TABLE k.{name};')
            cql(TABLES[name])
        elif kind == 1:
            cql(f'TRUNCATE k.{name};')
        elif kind == 2:
            cql(TABLES[name])
        else:
            cql('ALTER TABLE k.t ' + R.choice(['ADD v text;', 'DROP v;', 'ADD w map<text, int>;', 'DROP w;']))

    CALLS = ((write, 24), (go_on, 12), (truncate, 4), (unlink, 10), (mkdir, 10), (rmdir, 5), (rename_row, 10),
             (rename_cell, 12), (rename_back, 5), (rename_plain, 4), (remove_all, 3), (chmod, 2), (attribute, 4),
             (statement, 20), (schema, 1))

    # ---------------------------------------------------------------- readers
    def look(self):
        R = self.R
        kind = R.randrange(5)
        if kind == 0:
            for d, _, files in os.walk(f'{M}/k'):
                for name in files:
                    os.lstat(d + '/' + name)
        elif kind == 1:
            path = self.file()
            if '/@' not in path[len(M):] or path.endswith('/s'):
                with open(path, 'rb') as f:
                    f.read()
        elif kind == 2:
            os.stat(self.directory())
        elif kind == 3 and len(self.held) < 4:
            self.held.append(os.scandir(self.directory()))
        elif self.held:
            at = R.randrange(len(self.held))
            if next(self.held[at], None) is None:
                self.held.pop(at).close()

    def run(self, ends, reader):
        calls = [self.look] if reader else [getattr(self, f.__name__) for f, weight in self.CALLS for _ in range(weight)]
        while time.time() < ends:
            call = self.R.choice(calls)
            try:
                call()
                self.done += 1
            except OSError as e:
                self.refused += 1
                if e.errno not in USUAL:
                    raise Exception(f'{call.__name__}: {e}') from e
        for one in self.held:
            try:
                one.close() if reader else os.close(one[0])
            except OSError as e:
                if e.errno not in USUAL:
                    raise


# ------------------------------------------------------------ when all is over
def contents(path):
    with open(path, 'rb') as f:
        return f.read()


def look():
    """All that the tree shows: attributes, listings, contents; and what is found
    by a name that may be there, listed or not."""
    seen, todo, bad = {}, [M + '/k'], []
    while todo:
        d = todo.pop()
        names = sorted(os.listdir(d))
        s = os.stat(d)
        seen[d] = s.st_mode, s.st_mtime_ns, tuple(names)
        for name in names:
            path = d + '/' + name
            s = said(os.lstat, path)
            if isinstance(s, str):
                bad.append(f'{path} is listed: {s}')
            elif s.st_mode & 0o170000 == 0o040000:
                todo.append(path)
            else:
                seen[path] = s.st_mode, s.st_mtime_ns, said(contents, path)
                if len(seen[path][2]) != s.st_size and not path.endswith('schema.cql'):
                    bad.append(f'{path} has {s.st_size} bytes and {seen[path][2]}')
        if d.startswith(M + '/k/'):
            for name in {*CELLS, *P, *C, 'st', 'mp', 'l', 's', 'n', 'q', '@static', *SCRATCH} - set(names):
                if os.path.lexists(d + '/' + name):
                    bad.append(f'{d}/{name} is found and not listed')
    return seen, bad


def text_of(value, is_text):
    return (value + '\n' if value else '') if is_text else f'{value}\n'


def rows(select, only_names=False):
    answer = json.loads(cql(select))
    names = [c['name'] for c in answer['columns']]
    if only_names:
        return names
    return [dict(zip(names, r)) for r in answer['rows']]


def cells_of_row(d, row):
    """The files that a row of k.t is shown as; a list's in its order."""
    files = {}
    for name, value in row.items():
        if value is None or name in ('p', 'c'):
            continue
        if name in ('st',):
            files.update({f'{d}/{name}/{x}': '' for x in value})
        elif name in ('mp', 'w'):
            files.update({f'{d}/{name}/{x}': f'{y}\n' for x, y in value.items()})
        elif name == 'l':
            files[f'{d}/l'] = [f'{x}\n' for x in value]
        elif name == 's':
            files[f'{os.path.dirname(d)}/@static/s'] = text_of(value, True)
        else:
            files[f'{d}/{name}'] = text_of(value, name != 'a')
    return files


def by_statements():
    files, directories, documents = {}, set(), {}
    for row in rows('SELECT * FROM k.t;'):
        d = f'{M}/k/t/{row["p"]}/{row["c"]}'
        files.update(cells_of_row(d, row))
        if row['c'] is not None:
            directories.add(d)
            documents[d + '.json'] = {k: v for k, v in row.items() if v is not None}
    for row in rows('SELECT key, column1, value FROM k.plain;'):
        files[f'{M}/k/plain/{row["key"]}/{row["column1"]}'] = bytes.fromhex(row['value'][2:]).decode()
    for row in rows('SELECT * FROM k.cnt;'):
        directories.add(f'{M}/k/cnt/{row["p"]}/{row["c"]}')
        if row['n'] is not None:
            files[f'{M}/k/cnt/{row["p"]}/{row["c"]}/n'] = f'{row["n"]}\n'
    return files, directories, documents


def by_path(seen):
    files, lists = {}, {}
    for path, (mode, _, text) in sorted(seen.items()):
        name = os.path.basename(path)
        # .rej: it waited for a table, and has no place in the one that came.
        in_memory = (name in SCRATCH or name.endswith(('~', '.rej'))) and '/k/t/' in path
        if mode & 0o170000 == 0o040000 or name == 'schema.cql' or in_memory:
            continue
        if os.path.basename(os.path.dirname(path)) == 'l':
            files.setdefault(os.path.dirname(path), []).append(text.decode())
        else:
            files[path] = text.decode() if isinstance(text, bytes) else text
    return files


def compare(new_mount):
    """Return the differences between the tree and the answers of statements."""
    seen, bad = look()
    files, directories, documents = by_statements()
    shown = by_path(seen)
    bad += [f'{f}: by CQL {files.get(f)!r}, by path {shown.get(f)!r}'
            for f in files.keys() | shown.keys() if files.get(f) != shown.get(f)]
    bad += [f'{d}: a row by CQL, not by path' for d in directories if d not in seen]
    for path, row in documents.items():
        got = said(contents, path)
        if isinstance(got, str) or json.loads(got) != row:
            bad.append(f'{path}: {got} is not {row}')
    if new_mount:   # nothing is kept in memory
        above = {os.path.dirname(f) for f in files} | directories
        above |= {os.path.dirname(d) for d in above} | {f for f in files if f.endswith('/l')}
        bad += [f'{d} is empty and shown' for d, (mode, _, _) in seen.items()
                if mode & 0o170000 == 0o040000 and d.count('/') > M.count('/') + 2 and d not in above]
    return seen, bad


def drop():
    subprocess.run((['sudo'] if os.getuid() else []) + ['sh', '-c', 'echo 2 > /proc/sys/vm/drop_caches'], check=True)


def check(what, new_mount=False):
    before, bad = compare(new_mount)
    drop()
    after, more = compare(new_mount)
    bad += [x + ' (afresh)' for x in more]
    bad += [f'{f}: {before.get(f)}, afresh {after.get(f)}'
            for f in before.keys() | after.keys() if before.get(f) != after.get(f)]
    if bad:
        print(f'{what}: {len(bad)} differences')
        for line in bad[:20]:
            print('  ', line)
        sys.exit(1)
    return len(after)


def race(seed, seconds):
    """One process each: the number of calls that were done and refused."""
    ends, pids, pipe = time.time() + seconds, [], os.pipe()
    for i in range(WRITERS + READERS):
        pid = os.fork()
        if pid:
            pids.append(pid)
            continue
        status = 0
        try:
            w = Worker(seed * 100 + i)
            w.run(ends, i >= WRITERS)
            os.write(pipe[1], f'{w.done} {w.refused}\n'.encode())
        except BaseException as e:
            print(f'seed {seed}, process {i}: {e}', flush=True)
            status = 1
        os._exit(status)
    os.close(pipe[1])

    def too_long(*_):
        print(f'seed {seed}: the processes did not end within a minute', flush=True)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        os._exit(1)
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(int(seconds) + 60)
    bad = sum(os.waitpid(pid, 0)[1] != 0 for pid in pids)
    signal.alarm(0)
    if bad:
        sys.exit(1)
    with os.fdopen(pipe[0]) as f:
        return [sum(x) for x in zip(*(map(int, line.split()) for line in f))]


def main():
    if sys.argv[2] == 'again':
        print(check('on a new mount', True), 'files and directories')
        return
    seed, rounds, seconds = int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    if not os.path.isdir(M + '/k'):
        cql("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};")
    done = refused = shown = 0
    for i in range(seed, seed + rounds):
        for text in TABLES.values():
            said(cql, text)
        counts = race(i, seconds)
        for name, text in TABLES.items():
            said(cql, text)
            if SHAPES[name] not in rows(f'SELECT * FROM k.{name};', True):
                cql(f'DROP TABLE k.{name};')    # mkdir made it between a DROP and a CREATE
                cql(text)
        for column in ('v text', 'w map<text, int>'):
            said(cql, f'ALTER TABLE k.t ADD {column};')
        shown += check(f'seed {i}')
        done += counts[0]
        refused += counts[1]
    if done < rounds * 50 or shown < rounds * 4:
        sys.exit(f'seed {seed}: {done} calls were done and {shown} things shown: this shows nothing')
    print(f'seeds {seed} to {seed + rounds - 1}: {done} calls done, {refused} refused, {shown} things alike')


main()
