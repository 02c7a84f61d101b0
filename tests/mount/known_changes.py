"""The changes of known.py: one worker's random calls on a few rows, by all ways that there are. sys.argv[1] is the mount."""
import errno
import os
import random
import sys
import time

import console

M, K = sys.argv[1], sys.argv[1] + '/k'
TABLES = {
    't': 'CREATE TABLE k.t (p int, c text, a int, b text, v text, s text STATIC, l list<int>, '
         'st set<text>, mp map<text, int>, PRIMARY KEY (p, c))',
    'two': 'CREATE TABLE k.two (p int, c int, d int, v text, w int, PRIMARY KEY (p, c, d))',
    'flat': 'CREATE TABLE k.flat (p text PRIMARY KEY, a int, b text)',
    'cnt': 'CREATE TABLE k.cnt (p int, c text, n counter, m counter, PRIMARY KEY (p, c))',
    'plain': 'CREATE TABLE k.plain (key text, column1 text, value blob, PRIMARY KEY (key, column1)) WITH COMPACT STORAGE',
}
P, C = ('1', '2'), ('x', 'y')
# Errors of calls that come too late, or ask for something impossible.
USUAL = {errno.ENOENT, errno.EEXIST, errno.EINVAL, errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR, errno.ESTALE, errno.EXDEV,
         errno.EPERM, errno.EOPNOTSUPP, errno.ENODATA, errno.EBUSY, errno.EBADF}
ENDS = ('@append', '@prepend')


def cql(text):
    return console.run(M, text + ';')


def control(line):
    with open(M + '/.widefs/ctl', 'w') as f:
        f.write(line + '\n')


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
        path, text = R.choice([
            (f'{K}/t.ndjson', f'{{"p": {R.choice(P)}, "c": "{R.choice(C)}", "a": {n}}}\n'),
            (f'{K}/t/{R.choice(P)}.ndjson', f'{{"c": "{R.choice(C)}", "b": "{n}"}}\n'),
            (f'{K}/t/{R.choice(P)}.csv', f'c,a,v\n{R.choice(C)},{n},\n'),
            (f'{K}/two/{R.choice(P)}.csv', f'c,d,v\n{R.choice(P)},{R.choice(P)},{n}\n'),
            (f'{K}/two/{R.choice(P)}/{R.choice(P)}.ndjson', f'{{"d": {R.choice(P)}, "w": {n}}}\n'),
            (f'{K}/flat.csv', f'p,a\n{R.choice(C)},{n}\n'),
            (f'{K}/plain.ndjson', f'{{"key": "{R.choice(C)}", "column1": "{R.choice(C)}", "value": "0x{n:02x}"}}\n')])
        return path.replace(M, M + '/.json') if R.random() < .4 else path, text

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
