"""Documents of rows and definitions in both trees: json_rows.py MOUNT SEED STEPS.

Two keyspaces have the same random tables and get the same random changes. What is done with a document is done to one keyspace in
the tree, to the other in .json: each call ends in the same way, with the same reason. After each change the documents of both, in
both trees, have the same bytes, and those of a keyspace the same attributes in both trees; so have descriptors that were opened
before, and what the documents are without the kernel's caches.
"""
import os
import random
import re
import shutil
import stat
import sys

import console
from said import said

M, SEED, STEPS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
R = random.Random(SEED)
SPACES = ('kone', 'ktwo')
TREE, JSON = M, M + '/.json'
FORMS = ('ndjson', 'csv')
TEXTS = ['a', 'b.ndjson', 'c,d', '@e', '.f', 'g/h', 'i%', 'j k', 'l' * 252, 'm' * 300, 'n.json']
TYPES = ['int', 'text', 'blob', 'boolean', 'double', 'list<int>', 'set<text>', 'map<text, int>', 'frozen<list<int>>']
XATTRS = ('expires', 'writetime', 'type', 'token', 'none')
bad = []


def tell(what):
    bad.append(what)
    print('FAIL:', what[:3000], flush=True)
    if len(bad) > 10:
        sys.exit(1)


def both(statement):
    """Run it in both keyspaces: its outcome is the same."""
    outcomes = [said(console.run, M, statement.replace('KS', ks) + ';') for ks in SPACES]
    if outcomes[0] != outcomes[1] and 'SELECT' not in statement:
        tell(f'{statement}: {outcomes}')
    return outcomes[0]


def literal(kind):
    n = R.randrange(100)
    text = R.choice(["'x'", "''", "'a \"b\", c'", "'%s'" % ('z' * n)])
    return {'int': str(n), 'text': text, 'blob': f'0x{n:04x}', 'boolean': R.choice(['true', 'false']), 'double': R.choice([f'{n}.5', 'NaN']),
            'list<int>': f'[{n}, 1]', 'set<text>': "{'s', 't%d'}" % (n % 3), 'map<text, int>': "{'k': %d, 'l%d': 1}" % (n, n % 3),
            'frozen<list<int>>': f'[{n}]'}[kind]


def as_json(kind):
    n = R.randrange(100)
    return {'int': str(n), 'text': R.choice(['"x"', '""', '"a \\"b\\"\\n"']), 'blob': f'"0x{n:04x}"', 'boolean': 'true', 'double': R.choice([f'{n}.5', '"NaN"']),
            'list<int>': f'[{n}, 2]', 'set<text>': '["s", "u"]', 'map<text, int>': '{"k": %d}' % n, 'frozen<list<int>>': f'[{n}]'}[kind]


def as_csv(kind):
    return '"%s"' % as_json(kind).strip('"').replace('\\n', '').replace('\\', '').replace('"', '""')


class Table:
    def __init__(self, name):
        self.name = name
        self.made = 0
        self.make()

    def make(self):
        self.made += 1
        kind = R.choice(['typed', 'typed', 'typed', 'flat', 'counter', 'plain'])
        self.counter, self.plain = kind == 'counter', kind == 'plain'
        self.columns, self.statics = {}, {}
        if self.plain:
            self.keys, self.clustering, self.columns = {'key': 'text'}, {'column1': 'text'}, {'value': 'blob'}
            both(f'CREATE TABLE KS.{self.name} (key text, column1 text, value blob, PRIMARY KEY (key, column1)) WITH COMPACT STORAGE')
            return
        self.keys = {f'p{i}': R.choice(['int', 'text']) for i in range(R.choice([1, 1, 2]))}
        self.clustering = {f'c{i}': R.choice(['int', 'text']) for i in range(0 if kind == 'flat' else R.choice([0, 1, 1, 2, 3]))}
        self.columns = {f'v{i}': 'counter' if self.counter else R.choice(TYPES) for i in range(R.choice([1, 2, 3]))}
        if self.clustering and R.random() < .6:
            self.statics = {'s': 'counter' if self.counter else R.choice(TYPES)}
        parts = [f'{c} {t}' for c, t in {**self.keys, **self.clustering, **self.columns}.items()]
        parts += [f'{c} {t} static' for c, t in self.statics.items()]
        order = ', '.join(f'{c} {R.choice(["ASC", "DESC"])}' for c in self.clustering)
        both(f'CREATE TABLE KS.{self.name} ({", ".join(parts)}, PRIMARY KEY (({", ".join(self.keys)}){"".join(", " + c for c in self.clustering)}))'
             + (f' WITH CLUSTERING ORDER BY ({order})' if order else ''))

    def key_values(self, columns):
        """Few values, so that changes meet."""
        return {c: R.randrange(3) if t == 'int' else R.choice(TEXTS if c in self.clustering else TEXTS[:4] + TEXTS[8:]) for c, t in columns.items()}

    def where(self, count):
        """The key up to that many clustering columns."""
        values = self.key_values({**self.keys, **dict(list(self.clustering.items())[:count])})
        return ' AND '.join(f"{c} = " + (str(v) if isinstance(v, int) else "'" + v.replace("'", "''") + "'") for c, v in values.items())

    def object_of(self, left_out=(), bad=False):
        values = {c: f'{v}' if isinstance(v, int) else '"%s"' % v for c, v in self.key_values({**self.keys, **self.clustering}).items()}
        cells = {**self.columns, **self.statics}
        for c, t in cells.items():
            if R.random() < .6:
                values[c] = 'null' if R.random() < .15 else str(R.randrange(5)) if self.counter else as_json(t)
        if bad:
            values[R.choice(['none', R.choice(list(cells))])] = R.choice(['{', '[{}]', '"\\ud800"'])
        return '{' + ', '.join(f'"{c}": {v}' for c, v in values.items() if c not in left_out or R.random() < .2) + '}\n'

    def records(self, count, left_out=(), bad=None):
        names = [c for c in {**self.keys, **self.clustering} if c not in left_out]
        names += [c for c in {**self.columns, **self.statics} if R.random() < .6]
        R.shuffle(names)
        text = ','.join(names) + '\n'
        for i in range(count):
            keys = self.key_values({**self.keys, **self.clustering})
            fields = ['"%s"' % keys[c] if c in keys else '' if R.random() < .2 else str(R.randrange(5)) if self.counter
                      else as_csv({**self.columns, **self.statics}[c]) for c in names]
            text += ','.join(fields + (['more', 'fields'] if i == bad else [])) + R.choice(['\n', '\r\n'])
        return text


tables = []


# ----------------------------------------------------------------- what there is
def directories(ks, table):
    """The directories of partitions and prefixes in the tree, below the keyspace."""
    top, todo, found = f'{TREE}/{ks}/{table.name}', [''], []
    levels = 1 if table.plain else max(1, len(table.clustering))
    while todo:
        at = todo.pop()
        names = said(os.listdir, top + at)
        for name in names if isinstance(names, list) else ():
            if name in ('@static', '@key') or '~' in name[-17:] and name.startswith('.'):
                continue
            path = f'{at}/{name}'
            if not os.path.isdir(top + path):
                continue
            found.append(table.name + path)
            if path.count('/') < levels:
                todo.append(path)
    return found


def document_name(path, suffix):
    """As fs/README.md says it: a name without room for the suffix is shortened. (Such ones are left to the unit tests.)"""
    return f'{path}.{suffix}' if len(os.path.basename(path).encode()) + len(suffix) + 1 <= 255 else None


def documents(ks):
    found = {f'../{ks}.cql', 'none.ndjson', 'none.cql'}
    for t in tables:
        found |= {f'{t.name}.{form}' for form in FORMS} | {f'{t.name}.cql', f'{t.name}/none.csv'}
        for path in directories(ks, t):
            found |= {d for d in (document_name(path, form) for form in FORMS) if d}
    return found


def contents(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        return whole(fd)
    finally:
        os.close(fd)


def whole(fd):
    """From the begin, in pieces that end within lines."""
    text, size = b'', R.choice([7, 100, 1 << 17])
    while more := os.pread(fd, size, len(text)):
        text += more
    return text


def attributes(path):
    s = os.lstat(path)
    return (stat.filemode(s.st_mode), s.st_size, s.st_uid, s.st_gid, s.st_nlink, s.st_blocks, s.st_mtime_ns, s.st_ctime_ns, s.st_atime_ns)


def extended(path):
    return os.listxattr(path), [said(os.getxattr, path, 'user.' + x) for x in XATTRS]


def has_rows(text, name):
    return isinstance(text, bytes) and text.count(b'\n') > name.endswith('.csv')


def path_of(tree, ks, name):
    return os.path.normpath(f'{tree}/{ks}/{name}')


def compare(known, held, what):
    """known: names of documents that were seen, by keyspace. held: descriptors of documents."""
    texts = {}
    for ks in SPACES:
        known[ks] |= documents(ks)
        for name in sorted(known[ks]):
            one, other = path_of(TREE, ks, name), path_of(JSON, ks, name)
            text = said(contents, one), said(contents, other)
            texts[ks, name.replace(ks, 'KS')] = text[0]
            # A directory without rows is kept in one of the trees.
            if '/' in name and name[0] != '.' and not any(has_rows(t, name) for t in text):
                if {t for t in text if isinstance(t, str)} - {'ENOENT'}:
                    tell(f'{what}: {ks}/{name}: {text}')
                continue
            if text[0] != text[1]:
                tell(f'{what}: {ks}/{name}: {text[0]}, in .json {text[1]}')
            for look in (attributes, extended) if R.random() < .2 else (attributes,):
                at = said(look, one), said(look, other)
                if at[0] != at[1]:
                    tell(f'{what}: {ks}/{name}: {at[0]}, in .json {at[1]}')
    for (ks, name), text in texts.items():
        twin = texts.get((SPACES[1], name))
        if ks == SPACES[0] and has_rows(text, name) and isinstance(twin, bytes) and not name.endswith('.cql') and text != twin:
            tell(f'{what}: {name}: {text}, in the other keyspace {twin}')
    for (t, made, rest), fds in held.items():
        name = t.name + rest    # now
        for ks in SPACES:
            text, now = [said(whole, fds[tree, ks]) for tree in (TREE, JSON)], said(contents, path_of(TREE, ks, name))
            if t.made != made:
                now = 'ESTALE'
            if text[0] != text[1] or (text[0] != now and (has_rows(now, name) or now == 'ESTALE')):
                tell(f'{what}: {ks}/{name}, open since before: {text}, now {now}')


def listed():
    """No document of rows is listed, and each name is that of the tree, or of a row's document."""
    for d, below, files in os.walk(JSON):
        for name in below + files:
            if re.search(r'\.(ndjson|csv|cql)$', name) and name != 'schema.cql' and not is_plain(d):
                tell(f'{d}/{name} is listed')


def is_plain(d):
    parts = d[len(JSON):].split('/')
    return len(parts) > 3 and any(t.plain and t.name == parts[2] for t in tables)


# ----------------------------------------------------------------------- changes
def reason():
    """The last one that was told, without who and where."""
    with open(M + '/.widefs/errors', 'rb') as f:
        lines = f.read().splitlines()
    said_last = lines[-1].decode(errors='replace') if lines else ''
    at = re.search(r' (E[A-Z]+) (.*)$', said_last)
    return (len(lines), at.group() if at else '')


def write(path, flags, pieces, sync):
    fd, counts = os.open(path, os.O_WRONLY | flags, 0o644), []
    try:
        for piece in pieces:
            counts.append(said(os.write, fd, piece))
        if sync:
            counts.append(said(os.fsync, fd))
    finally:
        counts.append(said(os.close, fd))
    return counts


def rename_onto(path, text):
    d, name = os.path.split(path)
    new = f'{d}/.{name}.Ab12Cd'
    with open(new, 'wb') as f:
        f.write(text)
    outcome = said(os.rename, new, path)
    if outcome:
        os.unlink(new)
    return outcome


def in_both(what, call):
    """Do the call with the documents' directory of a keyspace in the tree, and with that of the other in .json."""
    outcomes = []
    for tree, ks in zip((TREE, JSON), SPACES):
        before = reason()
        outcome = said(call, f'{tree}/{ks}/')
        after = reason()
        told = after[1].replace(ks, 'KS') if after[0] != before[0] else None
        outcomes.append((outcome, told))
    if outcomes[0] != outcomes[1]:
        tell(f'{what}: {outcomes[0]}, in .json {outcomes[1]}')
    return outcomes[0][0]


def at_random():
    """A document, and its table; of a table, or of what is or was in it."""
    t = R.choice(tables)
    paths = directories(SPACES[0], t)
    made = []
    if R.random() < .2:     # where there may be nothing yet
        first = t.key_values(t.keys)
        if all(isinstance(v, int) or v in ('a', 'j k') for v in first.values()):
            made = [f'{t.name}/' + ','.join(map(str, first.values()))]
    path = R.choice([t.name] + [R.choice(paths + made or [t.name])] * 3)
    document = document_name(path, R.choice(FORMS))
    # A directory without rows is kept in one of the trees.
    if not document or os.path.exists(f'{TREE}/{SPACES[0]}/{document}') != os.path.exists(f'{JSON}/{SPACES[1]}/{document}'):
        document = f'{t.name}.csv'
    return t, document


def given_by(t, document):
    """The key columns that the path has."""
    depth = document.count('/')
    return list(t.keys)[:len(t.keys) if depth else 0] + list(t.clustering)[:max(0, depth - 1)]


def lines():
    t, document = at_random()
    left_out = given_by(t, document)
    count, at = R.choice([1, 2, 5]), R.choice([None, None, None, 0, 1, 3])
    if document.endswith('.csv'):
        text = t.records(count, left_out, at)
    else:
        text = ''.join(t.object_of(left_out, i == at) for i in range(count))
    if R.random() < .2:
        text = text.rstrip('\r\n')      # applied at the close
    text = text.encode()
    cut = sorted(R.randrange(len(text) + 1) for _ in range(R.choice([0, 0, 1, 3])))
    pieces = [p for p in (text[a:b] for a, b in zip([0] + cut, cut + [len(text)])) if p]
    flags = R.choice([os.O_APPEND, os.O_APPEND, os.O_APPEND, os.O_TRUNC, 0, os.O_APPEND | os.O_SYNC]) | os.O_CREAT | R.choice([0, 0, 0, 0, os.O_EXCL])
    sync = R.random() < .2
    return f'{document} {flags:o} {pieces}', lambda d: write(d + document, flags, pieces, sync)


def remove():
    t, document = at_random()
    return f'rm {document}', lambda d: os.unlink(d + document)


def replace():
    t, document = at_random()
    text = (t.records(2, given_by(t, document)) if document.endswith('.csv') else t.object_of(given_by(t, document))).encode()
    return f'rename onto {document}: {text}', lambda d: rename_onto(d + document, text)


def other_calls():
    """What is refused, or changes nothing."""
    t, document = at_random()
    if R.random() < .2:
        document = R.choice([f'{t.name}.cql', 'none.ndjson', 'none.cql', 'schema.cql.csv', f'{t.name}/@static.csv'])
    name, call = R.choice([
        ('truncate', lambda d: os.truncate(d + document, 0)), ('truncate to 5', lambda d: os.truncate(d + document, 5)),
        ('mkdir', lambda d: os.mkdir(d + document)), ('rmdir', lambda d: os.rmdir(d + document)), ('listdir', lambda d: os.listdir(d + document)),
        ('readlink', lambda d: os.readlink(d + document)), ('link', lambda d: os.link(d + document, d + document + '.bak')),
        ('symlink', lambda d: os.symlink('x', d + document)), ('mknod', lambda d: os.mknod(d + document)),
        ('mkfifo', lambda d: os.mkfifo(d + document)), ('chmod', lambda d: os.chmod(d + document, 0o600)), ('chown', lambda d: os.chown(d + document, 7, 7)),
        ('utime', lambda d: os.utime(d + document, (5, 5))), ('below', lambda d: os.stat(d + document + '/x')), ('access', lambda d: os.access(d + document, os.X_OK)),
        ('rename', lambda d: os.rename(d + document, d + document + '.bak')), ('rename onto another', lambda d: os.rename(d + document, d + tables[0].name + '.csv')),
        ('rename onto a directory', lambda d: os.rename(d + document, d + t.name)),
        ('setxattr', lambda d: os.setxattr(d + document, 'user.none', b'x')), ('of a ttl', lambda d: os.setxattr(d + document, 'user.ttl', b'x')),
        ('removexattr', lambda d: os.removexattr(d + document, 'user.none')), ('open of a directory', lambda d: os.close(os.open(d + document, os.O_DIRECTORY))),
        ('O_EXCL', lambda d: os.close(os.open(d + document, os.O_WRONLY | os.O_CREAT | os.O_EXCL))),
        ('a name beside it', lambda d: os.close(os.open(d + document + 'x', os.O_WRONLY | os.O_CREAT))),
        ('elsewhere', lambda d: pwrite(d + document)), ('copy_file_range', lambda d: copy_range(d + document))])
    return f'{name} of {document}', call


def pwrite(path):
    fd = os.open(path, os.O_WRONLY)
    try:
        return os.pwrite(fd, b'{}\n', 5)
    finally:
        os.close(fd)


def copy_range(path):
    one, other = os.open(path, os.O_RDONLY), os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        return os.copy_file_range(one, other, 100)
    finally:
        os.close(one)
        os.close(other)


def by_statement():
    t = R.choice(tables)
    cells = {**t.columns}
    c, n = R.choice(list(cells)), len(t.clustering)
    using = '' if t.counter else R.choice(['', '', '', ' USING TTL 90000'])
    value = f'{c} + {R.randrange(5)}' if t.counter else literal(cells[c])
    choice = [f'UPDATE KS.{t.name}{using} SET {c} = {value} WHERE {t.where(n)}'] * 8
    choice += [f'DELETE {c} FROM KS.{t.name} WHERE {t.where(n)}'] * (not t.plain)
    choice += [f'DELETE FROM KS.{t.name} WHERE {t.where(R.randrange(n + 1))}'] + [f'TRUNCATE KS.{t.name}'] * (R.random() < .2)
    if t.statics:
        value = f's + {R.randrange(5)}' if t.counter else literal(t.statics['s'])
        choice += [f'UPDATE KS.{t.name}{using} SET s = {value} WHERE {t.where(0)}'] * 2 + [f'DELETE s FROM KS.{t.name} WHERE {t.where(0)}']
    if not t.counter:
        choice += [f'BEGIN BATCH UPDATE KS.{t.name} SET {c} = {literal(cells[c])} WHERE {t.where(n)}; DELETE FROM KS.{t.name} WHERE {t.where(n)}; APPLY BATCH'] * 2
    statement = R.choice(choice)
    return f'{statement}: {both(statement).strip()}'


def by_schema():
    t, turn = R.choice(tables), R.randrange(4)
    if turn == 0:
        both(f'DROP TABLE KS.{t.name}')
        t.make()
    elif turn == 1 and not t.plain and not t.counter and 'w' not in t.columns:
        both(f'ALTER TABLE KS.{t.name} ADD w text')
        t.columns['w'] = 'text'
    elif turn == 2 and 'w' in t.columns:
        both(f'ALTER TABLE KS.{t.name} DROP w')
        del t.columns['w']
    elif turn == 3:
        name = 'moved' + str(R.randrange(100))
        for ks in SPACES:
            os.rename(f'{TREE}/{ks}/{t.name}', f'{TREE}/{ks}/{name}')
        t.name = name
    return f'schema {turn} of {t.name}: None'


def rows_of(t):
    """The paths of the rows below the keyspace."""
    found = []
    for d in directories(SPACES[0], t):
        names = said(os.listdir, f'{TREE}/{SPACES[0]}/{d}') if t.clustering else None
        depth = d.count('/')
        if not t.clustering:
            found.append(d)
        elif depth == len(t.clustering) and isinstance(names, list):
            found += [f'{d}/{name}' for name in names if name[0] != '@' and name[0] != '.']
    return found


def by_path():
    t = R.choice(tables)
    rows = rows_of(t)
    if not rows:
        return 'no row'
    row, c, turn, text = R.choice(rows), R.choice(list(t.columns)), R.randrange(6), str(R.randrange(100))

    def change(d):
        path = d + row
        if turn == 0:
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        elif turn == 1 and not t.plain:
            os.unlink(path + '.json')
        elif turn == 2 and not t.plain:
            os.unlink(f'{path}/{c}')
        elif turn == 3 and not t.plain and not t.counter:
            with open(path + '.json', 'a') as f:
                f.write('{"%s": null}\n' % c)
        elif turn == 4 and os.path.isdir(path):
            os.rename(path, path + '1')
        else:
            with open(path if t.plain else f'{path}/{c}', 'w') as f:
                f.write('+1\n' if t.counter else text)
    outcomes = [said(change, f'{TREE}/{ks}/') for ks in SPACES]
    if outcomes[0] != outcomes[1]:
        tell(f'{row} {c} {turn}: {outcomes}')
    return f'{row} {c} {turn}: {outcomes[0]}'


def by_directory():
    """Directories that only memory has, in one tree or the other."""
    t, turn = R.choice(tables), R.randrange(3)
    path = R.choice(directories(SPACES[0], t) + [f'{t.name}/' + R.choice(['a', '1', '1,1'])])
    tree = R.choice([TREE, JSON])
    call = [lambda ks: os.mkdir(f'{tree}/{ks}/{path}'), lambda ks: os.mkdir(f'{tree}/{ks}/{path}/a'), lambda ks: os.rmdir(f'{tree}/{ks}/{path}')][turn]
    return f'{tree} {path} {turn}: {[said(call, ks) for ks in SPACES]}'


def by_store():
    line = R.choice(['flush', 'compact', 'sync'])
    with open(M + '/.widefs/ctl', 'w') as f:
        f.write(line + '\n')
    return line


def drop_caches():
    said(lambda: open('/proc/sys/vm/drop_caches', 'w').write('2\n'))
    return 'the caches of the kernel are dropped'


def by_document(make):
    def run():
        what, call = make()
        return f'{what}: {in_both(what, call)}'
    return run


CHANGES = [(by_document(lines), 30), (by_document(remove), 10), (by_document(replace), 6), (by_document(other_calls), 25), (by_statement, 25),
           (by_path, 12), (by_directory, 5), (by_schema, 3), (by_store, 3), (drop_caches, 3)]
CHOICE = [f for f, weight in CHANGES for _ in range(weight)]


def hold(held, known):
    """Of both keyspaces and trees: the close of a process that has the file open once more tells less."""
    if held and (len(held) > 4 or R.random() < .2):
        for fd in held.pop(R.choice(list(held))).values():
            os.close(fd)
    t = R.choice(tables)
    names = [n for n in sorted(known[SPACES[0]]) if not n.endswith('.cql') and re.match(r'\w+', n) and re.match(r'\w+', n).group() == t.name]
    name = R.choice(names or ['none.csv'])
    key = t, t.made, name[len(t.name):]
    if key in held:
        return
    fds = {(tree, ks): said(os.open, path_of(tree, ks, name), os.O_RDONLY) for tree in (TREE, JSON) for ks in SPACES}
    opened = {key: fd for key, fd in fds.items() if isinstance(fd, int)}
    if len(opened) == len(fds):
        held[key] = fds
    else:
        for fd in opened.values():
            os.close(fd)


def main():
    for ks in SPACES:
        os.mkdir(f'{M}/{ks}')
    tables.extend(Table(f't{i}') for i in range(3))
    known, held, said_so = {ks: set() for ks in SPACES}, {}, []
    for step in range(STEPS):
        what = R.choice(CHOICE)()
        said_so.append(what)
        before = len(bad)
        compare(known, held, f'seed {SEED}, step {step}, {what}'[:500])
        if len(bad) > before:
            print('  before it:', *said_so[-4:-1], sep='\n    ', flush=True)
        hold(held, known)
        for ks in SPACES:       # those of tables and rows that are long gone, too, but not all
            known[ks] = set(R.sample(sorted(known[ks]), min(len(known[ks]), 40)))
    listed()
    good = sum(x.endswith((': None', ']', '[]}')) for x in said_so)
    print(f'seed {SEED}: {STEPS} changes, {good} done, {len(bad)} wrong')
    if os.environ.get('TELL'):
        print(*said_so, sep='\n')
    sys.exit(bool(bad) or good < STEPS // 4)


main()
