"""T13: processes that work on names at random, each against a model of the rows
that are its own: every call must end as the model says, with that result or that
errno, and what is read, listed and told of by stat must be what the model has.
The rows of all have sets of outcomes. usage: treestress.py MOUNT SEED SECONDS |
treestress.py MOUNT SEED again"""
import errno
import json
import os
import pickle
import random
import signal
import stat
import sys
import time

import console

M, SEED = sys.argv[1], int(sys.argv[2])
WORKERS = 4
ROWS, CELLS, ELEMENTS, FILES = ('r', 's', 'u', 'long name of a row'), ('a', 'b'), ('1', 'x', 'y z'), ('f', 'g', 'h.json', '@i')
TEXTS = ('one\n', 'x', 'two\nlines\n', 'z' * 9000 + '\n', '')
E = errno
OK = 0


def said(call, *args):
    """What a call came to: its result (0 for None), or minus its errno."""
    try:
        return call(*args) or OK
    except OSError as e:
        return -e.errno


def put(path, text, flags):
    fd = os.open(path, os.O_WRONLY | flags, 0o644)
    try:
        at, data = 0, text.encode()
        while at < len(data):
            at += os.write(fd, data[at:at + 4000])
    finally:
        os.close(fd)


def get(path):
    with open(path, 'rb') as f:
        return f.read().decode()


def shown(text):
    """Of a text cell: the newline that it lacks is there; an empty one has none."""
    if not text or text == '\n':
        return ''
    return text if text.endswith('\n') else text + '\n'


class Row:
    def __init__(self):
        self.cells, self.tags, self.scratch = {}, None, {}

    def names(self):
        return set(self.cells) | set(self.scratch) | ({'tags'} if self.tags is not None else set())


class Worker:
    def __init__(self, number):
        self.i = number
        self.R = random.Random(SEED * 10 + number)
        self.table, self.plain = f'{M}/k/t/{number}', [f'{M}/k/plain/{number}{x}' for x in 'ab']
        self.rows, self.files = {}, [{}, {}]
        self.calls, self.errors, self.kinds = 0, 0, set()

    def expect(self, what, expected, got):
        self.calls += 1
        if isinstance(got, int) and got < 0:
            self.errors += 1
            self.kinds.add(got)
        if got != expected:
            raise Exception(f'seed {SEED}, process {self.i}, call {self.calls}: {what}: {got!r} and not {expected!r}')

    # ---------------------------------------------------------------- a row
    def row(self):
        name = self.R.choice(ROWS)
        return name, self.rows.get(name), f'{self.table}/{name}'

    def mkdir(self):
        name, row, path = self.row()
        self.expect(f'mkdir {name}', -E.EEXIST if row else OK, said(os.mkdir, path))
        self.rows.setdefault(name, Row())

    def rmdir(self):
        name, row, path = self.row()
        self.expect(f'rmdir {name}', -E.ENOENT if not row else -E.ENOTEMPTY if row.names() else OK, said(os.rmdir, path))
        if row and not row.names():
            del self.rows[name]

    def write(self):
        name, row, path = self.row()
        cell, text = self.R.choice(CELLS), self.R.choice(TEXTS[:-1])
        flags = self.R.choice([os.O_TRUNC, os.O_APPEND]) | os.O_CREAT
        self.expect(f'write {name}/{cell}', OK if row else -E.ENOENT, said(put, f'{path}/{cell}', text, flags))
        if row:
            before = row.cells.get(cell, '') if flags & os.O_APPEND else ''
            row.cells[cell] = shown(before + text)

    def truncate(self):
        name, row, path = self.row()
        cell = self.R.choice(CELLS)
        there = row and cell in row.cells
        self.expect(f'truncate {name}/{cell}', OK if there else -E.ENOENT, said(os.truncate, f'{path}/{cell}', 0))
        if there:
            row.cells[cell] = ''

    def unlink(self):
        name, row, path = self.row()
        cell = self.R.choice(CELLS + ('.a.tmp1',))
        kept = row and (row.scratch if cell[0] == '.' else row.cells)
        self.expect(f'unlink {name}/{cell}', OK if row and cell in kept else -E.ENOENT, said(os.unlink, f'{path}/{cell}'))
        if row:
            kept.pop(cell, None)

    def rename_row(self):
        (name, row, path), (other, target, to) = self.row(), self.row()
        busy = target and target.names() and name != other
        self.expect(f'rename {name} {other}', -E.ENOENT if not row else -E.ENOTEMPTY if busy else OK, said(os.rename, path, to))
        if row and not busy:
            self.rows[other] = self.rows.pop(name)

    def rename_cell(self):
        name, row, path = self.row()
        cell, other = self.R.choice(CELLS), self.R.choice(CELLS)
        there = row and cell in row.cells
        self.expect(f'rename {name}/{cell} {other}', OK if there else -E.ENOENT, said(os.rename, f'{path}/{cell}', f'{path}/{other}'))
        if there:
            row.cells[other] = row.cells.pop(cell)

    def scratch(self):
        """As editors do: a temporary file beside, and in its place; or aside."""
        name, row, path = self.row()
        cell, text = self.R.choice(CELLS), self.R.choice(TEXTS)
        if self.R.random() < .5:
            self.expect(f'temporary in {name}', OK if row else -E.ENOENT, said(put, f'{path}/.a.tmp1', text, os.O_CREAT | os.O_TRUNC))
            if row:
                row.scratch['.a.tmp1'] = text
        elif self.R.random() < .7:
            there = row and '.a.tmp1' in row.scratch
            self.expect(f'rename temporary {name}/{cell}', OK if there else -E.ENOENT, said(os.rename, f'{path}/.a.tmp1', f'{path}/{cell}'))
            if there:
                row.cells[cell] = shown(row.scratch.pop('.a.tmp1'))
        else:
            there = row and cell in row.cells
            self.expect(f'aside {name}/{cell}', OK if there else -E.ENOENT, said(os.rename, f'{path}/{cell}', f'{path}/.a.tmp1'))
            if there:
                row.scratch['.a.tmp1'] = row.cells.pop(cell)

    def tags(self):
        name, row, path = self.row()
        element, kind = self.R.choice(ELEMENTS), self.R.randrange(4)
        there = row is not None and row.tags is not None
        if kind == 0:
            self.expect(f'mkdir {name}/tags', -E.ENOENT if not row else -E.EEXIST if there else OK, said(os.mkdir, path + '/tags'))
            if row and not there:
                row.tags = set()
        elif kind == 1:
            self.expect(f'rmdir {name}/tags', -E.ENOENT if not there else -E.ENOTEMPTY if row.tags else OK, said(os.rmdir, path + '/tags'))
            if there and not row.tags:
                row.tags = None
        elif kind == 2:
            self.expect(f'touch {name}/tags/{element}', OK if there else -E.ENOENT, said(put, f'{path}/tags/{element}', '', os.O_CREAT))
            if there:
                row.tags.add(element)
        else:
            has = there and element in row.tags
            self.expect(f'rm {name}/tags/{element}', OK if has else -E.ENOENT, said(os.unlink, f'{path}/tags/{element}'))
            if has:
                row.tags.remove(element)

    def document(self):
        name, row, path = self.row()
        text = self.R.choice(('x', 'two\nlines'))
        if row and (row.tags is not None or row.scratch):
            return      # what is in memory alone is not the document's
        if self.R.random() < .4:
            self.expect(f'rm {name}.json', OK if row else -E.ENOENT, said(os.unlink, path + '.json'))
            self.rows.pop(name, None)
        elif self.R.random() < .5:
            self.expect(f'> {name}.json', OK, said(put, path + '.json', json.dumps({'a': text}), os.O_CREAT | os.O_TRUNC))
            self.rows[name] = Row()
            self.rows[name].cells['a'] = shown(text)
        else:
            self.expect(f'>> {name}.json', OK, said(put, path + '.json', json.dumps({'b': text, 'a': None}), os.O_CREAT | os.O_APPEND))
            row = self.rows.setdefault(name, Row())
            row.cells.pop('a', None)
            row.cells['b'] = shown(text)

    # ---------------------------------------------------------- schemaless
    def file(self):
        k, name = self.R.randrange(2), self.R.choice(FILES)
        return self.files[k], name, f'{self.plain[k]}/{name}'

    def plain_write(self):
        files, name, path = self.file()
        text, append = self.R.choice(TEXTS[:-1]), self.R.random() < .4
        self.expect(f'write {path}', OK, said(put, path, text, os.O_CREAT | (os.O_APPEND if append else os.O_TRUNC)))
        files[name] = (files.get(name, '') if append else '') + text

    def plain_unlink(self):
        files, name, path = self.file()
        self.expect(f'unlink {path}', OK if name in files else -E.ENOENT, said(os.unlink, path))
        files.pop(name, None)

    def plain_rename(self):
        (files, name, path), (others, other, to) = self.file(), self.file()
        self.expect(f'rename {path} {to}', OK if name in files else -E.ENOENT, said(os.rename, path, to))
        if name in files:
            others[other] = files.pop(name)

    # -------------------------------------------------------- the rows of all
    def shared(self):
        """No call by path is ESTALE, whatever the others do; no write and no close
        either, as a row that is gone is made anew by them."""
        path, kind = f'{M}/k/t/9/all', self.R.randrange(6)
        if kind == 0:
            got, allowed = said(put, path + '/a', f'{self.i}' * 3999 + '\n', os.O_CREAT | os.O_TRUNC), (OK, -E.ENOENT)
        elif kind == 1:
            got = said(get, path + '/a')
            allowed = (-E.ENOENT, *(f'{i}' * 3999 + '\n' for i in range(WORKERS)))
        elif kind == 2:
            got, allowed = said(os.unlink, path + '/a'), (OK, -E.ENOENT)
        elif kind == 5:
            got, allowed = said(lambda f: os.stat(f).st_size, path + '/a'), (-E.ENOENT, OK, 4000)
        elif kind == 3:
            got, allowed = said(os.mkdir, path), (OK, -E.EEXIST)
        else:
            got, allowed = said(os.rmdir, path), (OK, -E.ENOENT, -E.ENOTEMPTY)
        self.calls += 1
        if got not in allowed:
            raise Exception(f'seed {SEED}, process {self.i}: shared {kind}: {got if isinstance(got, int) else (len(got), got[:40])}')

    # --------------------------------------------------------------- looking
    def look(self):
        name, row, path = self.row()
        self.expect(f'ls {name}', sorted(row.names()) if row else -E.ENOENT, said(lambda: sorted(os.listdir(path)) or []) or [])
        for cell in CELLS:
            there = row and cell in row.cells
            self.expect(f'cat {name}/{cell}', row.cells[cell] or OK if there else -E.ENOENT, said(get, f'{path}/{cell}'))
            self.expect(f'stat {name}/{cell}', len(row.cells[cell]) or OK if there else -E.ENOENT,
                        said(lambda f: os.stat(f).st_size, f'{path}/{cell}'))
        if row and row.tags is not None:
            self.expect(f'ls {name}/tags', sorted(row.tags), said(lambda: sorted(os.listdir(path + '/tags')) or []) or [])
        self.expect(f'is {name} a directory', bool(row), os.path.isdir(path))

    def look_around(self):
        self.expect('ls of the partition', sorted(self.rows), sorted(os.listdir(self.table)))
        for files, path in zip(self.files, self.plain):
            self.expect(f'ls {path}', sorted(files), sorted(os.listdir(path)))
            for name, text in files.items():
                self.expect(f'cat {path}/{name}', text, get(f'{path}/{name}'))
                s = os.stat(f'{path}/{name}')
                self.expect(f'stat {path}/{name}', (len(text), True), (s.st_size, stat.S_ISREG(s.st_mode)))

    CALLS = ((mkdir, 6), (rmdir, 3), (write, 10), (truncate, 2), (unlink, 5), (rename_row, 5), (rename_cell, 5), (scratch, 6),
             (tags, 8), (document, 4), (plain_write, 5), (plain_unlink, 2), (plain_rename, 4), (shared, 6), (look, 8), (look_around, 2))

    def run(self, ends):
        os.mkdir(self.table)
        for path in self.plain:
            os.mkdir(path)
        calls = [f for f, weight in self.CALLS for _ in range(weight)]
        while time.time() < ends:
            self.R.choice(calls)(self)
        self.look_around()


def cql(text):
    return json.loads(console.run(M, text))['rows']


def compare(workers, again):
    """The whole tree, and the store, are what the models have together."""
    rows = sorted((w.i, name, row.cells, row.tags or set()) for w in workers for name, row in w.rows.items())
    got = [(p, c, {k: shown(v) for k, v in (('a', a), ('b', b)) if v is not None}, set(t or ()))
           for p, c, a, b, t in cql('SELECT p, c, a, b, tags FROM k.t;') if p != 9]
    stored = [r for r in rows if r in got]
    bad = [f'{r[:2]} is not in the store' for r in rows if r not in got and (r[2] or r[3])]
    bad += [f'{r[:2]} is in the store alone' for r in got if r not in rows]
    files = sorted((os.path.basename(path), name, text) for w in workers for path, f in zip(w.plain, w.files) for name, text in f.items())
    got = sorted((k, c, bytes.fromhex(v[2:]).decode()) for k, c, v in cql('SELECT key, column1, value FROM k.plain;'))
    bad += [f'{x[:2]}: by path or by CQL alone' for x in set(files) ^ set(got)]
    for w in workers:
        listed = sorted(said(os.listdir, w.table) or [])
        want = sorted(n for n, row in w.rows.items() if not again or any(r[:2] == (w.i, n) for r in stored))
        if listed != want:
            bad.append(f'{w.table}: {listed} and not {want}')
    if bad:
        sys.exit(f'seed {SEED}: ' + '; '.join(map(str, bad[:8])))
    return len(rows) + len(files)


def main():
    state = M + '.' + str(SEED)
    if sys.argv[3] == 'again':
        with open(state, 'rb') as f:
            workers = pickle.load(f)
        print(compare(workers, True), 'rows and files on a new mount')
        return
    cql("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};")
    cql('CREATE TABLE k.t (p int, c text, a text, b text, tags set<text>, PRIMARY KEY (p, c));')
    os.mkdir(M + '/k/plain')
    os.mkdir(M + '/k/t/9')
    ends, pids = time.time() + float(sys.argv[3]), []
    for i in range(WORKERS):
        pid = os.fork()
        if not pid:
            status = 0
            w = Worker(i)
            try:
                w.run(ends)
            except BaseException as e:
                print(e if str(e).startswith('seed') else f'seed {SEED}, process {i}: {e!r}', flush=True)
                status = 1
            with open(f'{state}.{i}', 'wb') as f:
                pickle.dump(w.__dict__, f)
            os._exit(status)
        pids.append(pid)
    signal.signal(signal.SIGALRM, lambda *_: (print(f'seed {SEED}: the processes did not end', flush=True), os._exit(1)))
    signal.alarm(int(float(sys.argv[3])) + 60)
    bad = sum(os.waitpid(pid, 0)[1] != 0 for pid in pids)
    signal.alarm(0)
    workers = []
    for i in range(WORKERS):
        w = Worker(i)
        with open(f'{state}.{i}', 'rb') as f:
            w.__dict__.update(pickle.load(f))
        workers.append(w)
    if bad:
        sys.exit(1)
    with open(state, 'wb') as f:
        pickle.dump(workers, f)
    calls, errors = sum(w.calls for w in workers), sum(w.errors for w in workers)
    kinds = set().union(*(w.kinds for w in workers))
    if calls < 500 or not calls * .05 < errors < calls * .8 or not kinds >= {-E.ENOENT, -E.EEXIST, -E.ENOTEMPTY}:
        sys.exit(f'seed {SEED}: {calls} calls, {errors} of them refused, with {kinds}: this shows nothing')
    print(f'seed {SEED}: {calls} calls as the model says, {errors} of them refused, {compare(workers, False)} rows and files')


main()
