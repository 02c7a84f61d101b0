"""A change is seen at once by the documents of rows of both trees: json_races.py MOUNT SEED PROCESSES ROUNDS.

Each process has a partition and a row of its own, of which it knows what there is. It reads all that shows them, in both trees, so
that they are warm; changes them by a way chosen at random; and reads all of it again. Beside them one process drops the kernel's
caches, and one reads whole tables while batches change two rows of a partition together: a reader sees both, or neither.
"""
import errno
import json
import os
import random
import sys

import console
from said import said

M, SEED, PROCESSES, ROUNDS = sys.argv[1], *map(int, sys.argv[2:5])
TREE, JSON = M + '/k', M + '/.json/k'
BOTH = (TREE, JSON)


def cql(text):
    console.run(M, text + ';')


def contents(path, size=1 << 17):
    fd = os.open(path, os.O_RDONLY)
    try:
        return whole(fd, size)
    finally:
        os.close(fd)


def whole(fd, size=1 << 17):
    text = b''
    while more := os.pread(fd, size, len(text)):
        text += more
    return text


def write(path, text, flags=os.O_APPEND):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o644)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def objects(text):
    return [json.loads(line) for line in text.decode().splitlines()]


class Process:
    def __init__(self, number):
        self.R = random.Random(SEED * 100 + number)
        self.p = number
        self.rows = {}          # of the partition: (c, d) -> v
        self.static = None
        self.flat = None        # of the row p of flat
        self.held = {}          # descriptors of documents, by their names below k and tree
        self.wrong = 0

    # ------------------------------------------------------------- expected
    def lines(self, c=None):
        found = [{'p': self.p, 'c': x, 'd': d, **({'s': self.static} if self.static is not None else {}), 'v': v}
                 for (x, d), v in sorted(self.rows.items()) if c in (None, x)]
        if not found and c is None and self.static is not None:
            found = [{'p': self.p, 's': self.static}]
        return found

    def csv(self, c=None):
        text = 'p,c,d,s,v\n'
        for x in self.lines(c):
            text += ','.join('' if x.get(name) is None else str(x[name]) for name in ('p', 'c', 'd', 's', 'v')) + '\n'
        return text.encode()

    def is_same(self, what, expected, got):
        if expected != got:
            self.wrong += 1
            print(f'FAIL: process {self.p}, {what}: {got}, expected {expected}'[:2000], flush=True)
            if self.wrong > 5:
                sys.exit(1)

    def look(self, what):
        p = self.p
        for tree in BOTH:
            where = f'{what}, {"the tree" if tree == TREE else ".json"}'
            for name, c in [(f't/{p}', None)] + [(f't/{p}/{c}', c) for c in 'xy']:
                text, table = said(contents, f'{tree}/{name}.ndjson'), said(contents, f'{tree}/{name}.csv')
                if self.lines(c):
                    self.is_same(f'{where}: {name}.ndjson', self.lines(c), objects(text) if isinstance(text, bytes) else text)
                    self.is_same(f'{where}: {name}.csv', self.csv(c), table)
                elif text not in (b'', 'ENOENT') or table not in (b'p,c,d,s,v\n', 'ENOENT'):
                    self.is_same(f'{where}: {name}', 'nothing', (text, table))
            mine = [x for x in objects(contents(f'{tree}/t.ndjson')) if x['p'] == p]
            self.is_same(f'{where}: t.ndjson', self.lines(), mine)
            self.is_same(f'{where}: flat/{p}.csv', 'ENOENT' if self.flat is None else f'p,v\n{p},{self.flat}\n'.encode(), said(contents, f'{tree}/flat/{p}.csv'))
            self.is_same(f'{where}: flat.csv', [] if self.flat is None else [f'{p},{self.flat}'.encode()],
                         [x for x in contents(f'{tree}/flat.csv').splitlines() if x.startswith(b'%d,' % p)])
            static = said(contents, f'{tree}/t/{p}/@static/s')
            self.is_same(f'{where}: @static/s', 'ENOENT' if self.static is None else f'{self.static}\n'.encode(), static)
        for c in 'xy':
            self.names(what, c)
        for (c, d), v in self.rows.items():
            cell = f'{TREE}/t/{p}/{c}/{d}/v'
            self.is_same(f'{what}: the size of a cell', len(f'{v}\n'), said(lambda: os.stat(cell).st_size))
            self.is_same(f'{what}: a cell', f'{v}\n'.encode(), said(contents, cell))
            self.is_same(f'{what}: a row', v, objects(contents(f'{JSON}/t/{p}/{c}/{d}.json'))[0]['v'])
        for name, fd in self.held.items():
            text = said(whole, fd)
            self.is_same(f'{what}: {name}, open since before', self.lines(), objects(text) if isinstance(text, bytes) else text)

    def names(self, what, c):
        """The rows of a prefix by name, those that are gone, too; and as they are listed."""
        there = {d for x, d in self.rows if x == c}
        for d in range(3):
            path = f't/{self.p}/{c}/{d}'
            for at in (f'{TREE}/{path}', f'{TREE}/{path}/v', f'{JSON}/{path}.json'):
                self.is_same(f'{what}: {at}', d in there, os.path.exists(at))
        for tree, suffix in ((TREE, ''), (JSON, '.json')):
            listed = said(os.listdir, f'{tree}/t/{self.p}/{c}')
            self.is_same(f'{what}: {tree}, {c}', {f'{d}{suffix}' for d in there}, set() if listed == 'ENOENT' else set(listed))

    def hold(self):
        tree = self.R.choice(BOTH)
        fd = said(os.open, f'{tree}/t/{self.p}.ndjson', os.O_RDONLY)
        old = self.held.pop(tree, None)
        if old is not None:
            os.close(old)
        if isinstance(fd, int):
            self.held[tree] = fd

    # -------------------------------------------------------------- changes
    def change(self):
        R, p, tree = self.R, self.p, self.R.choice(BOTH)
        c, d, n = R.choice('xy'), R.randrange(3), R.randrange(R.choice([10, 1000]))
        way = R.randrange(17)
        key = f"p = {p} AND c = '{c}' AND d = {d}"
        new = {(c, d): n}
        if way == 0:
            cql(f'UPDATE k.t SET v = {n} WHERE {key}')
        elif way == 1:
            write(f'{tree}/t/{p}.ndjson', f'{{"c": "{c}", "d": {d}, "v": {n}}}\n')
        elif way == 2:
            write(f'{tree}/t/{p}/{c}.csv', f'd,v\n{d},{n}\n') if (c in {x for x, _ in self.rows}) else write(f'{tree}/t.csv', f'p,c,d,v\n{p},{c},{d},{n}\n')
        elif way == 3:
            write(f'{tree}/t.ndjson', f'{{"p": {p}, "c": "{c}", "d": {d}, "v": {n}}}\n')
        elif way == 4 and (c, d) in self.rows:
            write(f'{tree}/t/{p}/{c}/{d}.json', f'{{"v": {n}}}', os.O_TRUNC)
        elif way == 5 and (c, d) in self.rows:
            write(f'{TREE}/t/{p}/{c}/{d}/v', f'{n}\n', os.O_TRUNC)
        elif way == 6:
            cql(f'DELETE FROM k.t WHERE {key}')
            new = {(c, d): None}
        elif way == 7 and any(x == c for x, _ in self.rows):
            os.unlink(f'{tree}/t/{p}/{c}.{R.choice(["ndjson", "csv"])}')
            new = {x: None for x in self.rows if x[0] == c}
        elif way == 8 and self.lines():
            os.unlink(f'{tree}/t/{p}.{R.choice(["ndjson", "csv"])}')
            new, self.static = {x: None for x in self.rows}, None
        elif way == 9 and (c, d) in self.rows:
            os.unlink(f'{tree}/t/{p}/{c}/{d}.json')
            new = {(c, d): None}
        elif way == 10:
            cql(f'UPDATE k.t SET s = {n} WHERE p = {p}')
            new, self.static = {}, n
        elif way == 11 and self.static is not None:
            write(f'{tree}/t/{p}/@static/s', f'{n}\n', os.O_TRUNC)
            new, self.static = {}, n
        elif way == 12 and self.rows:
            write(f'{tree}/t/{p}.csv', f'c,d,s,v\n{c},{d},{n},{n}\n')
            self.static = n
        elif way == 13:
            write(f'{tree}/flat.csv', f'p,v\n{p},{n}\n')
            new, self.flat = {}, n
        elif way == 14:
            write(f'{tree}/flat/{p}.json', f'{{"v": {n}}}', os.O_TRUNC)
            new, self.flat = {}, n
        elif way == 15 and self.flat is not None:
            os.unlink(f'{tree}/flat/{p}.{R.choice(["ndjson", "csv", "json"])}')
            new, self.flat = {}, None
        elif way == 16 and self.rows:
            (c, d), n = R.choice(sorted(self.rows)), n + 1000
            while (c, n) in self.rows:
                n += 1
            os.rename(f'{TREE}/t/{p}/{c}/{d}', f'{TREE}/t/{p}/{c}/{n}')
            new = {(c, d): None, (c, n): self.rows[c, d]}
        else:
            return None
        for key, value in new.items():
            self.rows.pop(key, None)
            if value is not None:
                self.rows[key] = value
        return f'way {way}, {tree}, {c}, {d}, {n}'

    def run(self):
        done = 0
        for i in range(ROUNDS):
            if self.R.random() < .7:
                self.look(f'round {i}')
            self.hold()
            try:
                what = self.change()
            except OSError as e:
                raise Exception(f'process {self.p}, round {i}: {e}') from e
            done += what is not None
            if what:
                self.look(f'round {i}, {what}')
        return self.wrong == 0 and done >= ROUNDS // 3


def pairs():
    """One moment: two rows of a partition that each batch makes equal are equal in each line."""
    R, good = random.Random(SEED), True
    for i in range(ROUNDS * 2):
        batch = ''.join(f"UPDATE k.pair SET v = {i} WHERE p = {i % 5} AND c = {c}; " for c in range(40))
        cql(f'BEGIN BATCH {batch}APPLY BATCH')
        pid = os.fork()
        if not pid:
            seen = {}
            for x in objects(contents(f'{R.choice(BOTH)}/pair{R.choice(["", "/%d" % (i % 5)])}.ndjson', 100)):
                seen.setdefault(x['p'], set()).add(x['v'])
            os._exit(any(len(x) > 1 for x in seen.values()) or not seen[i % 5] <= {i, i + 100000})
        cql(f'BEGIN BATCH {batch.replace(f"v = {i} ", f"v = {i + 100000} ")}APPLY BATCH')
        if os.waitpid(pid, 0)[1]:
            print(f'FAIL: the reader beside batch {i}', flush=True)
            good = False
    return good


def drop():
    for _ in range(ROUNDS // 2):
        if said(lambda: open('/proc/sys/vm/drop_caches', 'w').write('2\n')) in (errno.errorcode[errno.EACCES], 'EROFS', 'EPERM'):
            return True     # not root
        said(os.listdir, JSON + '/t')
    return True


def main():
    cql("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; "
        'CREATE TABLE k.t (p int, c text, d int, s int STATIC, v int, PRIMARY KEY (p, c, d)); CREATE TABLE k.flat (p int PRIMARY KEY, v int); '
        'CREATE TABLE k.pair (p int, c int, v int, PRIMARY KEY (p, c))')
    pids = []
    for run in [Process(i).run for i in range(PROCESSES)] + [pairs, drop]:
        pid = os.fork()
        if not pid:
            status = 1
            try:
                status = not run()
            except BaseException as e:
                print(f'FAIL: {e!r}', flush=True)
            os._exit(status)
        pids.append(pid)
    bad = sum(os.waitpid(pid, 0)[1] != 0 for pid in pids)
    print(f'seed {SEED}: {PROCESSES} processes, {ROUNDS} rounds, {bad} of them wrong')
    sys.exit(bool(bad))


main()
