"""Random calls and statements; after each: what the kernel shows is what it is
shown when it has dropped what it kept, and a descriptor shows what its name
does. usage: caches.py MOUNT SEED STEPS"""
import os
import random
import subprocess
import sys
import time

import console
from said import said

M, SEED, STEPS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
R = random.Random(SEED)
TABLES = ('t', 'two', 'cnt', 'plain')
NAMES = ['a', 'b', 'x', 'y']
OTHERS = ['v', 's', '1', '2', '0', '.a.tmp', 'b~', '@append', 'n', '@static', 'n1']
ENDS = ('@append', '@prepend')
writers, readers, versions, log = {}, {}, {}, []


def cql(text):
    console.run(M, text)


def walk():
    dirs, files = [], []
    for t in TABLES:
        dirs.append(M + '/k/' + t)
        for d, below, names in os.walk(M + '/k/' + t):
            dirs += [d + '/' + x for x in below]
            files += [d + '/' + x for x in names]
    return dirs, files


def attributes(p):
    s = os.lstat(p)
    return s.st_mode, s.st_size, s.st_mtime_ns, s.st_nlink


def contents(p):
    with open(p, 'rb') as f:
        return f.read()


def look():
    """All that there is: attributes, listings, contents."""
    seen, todo = {}, [M + '/k']
    while todo:
        d = todo.pop()
        seen['stat', d] = said(attributes, d)
        seen['ls', d] = names = said(lambda: sorted(os.listdir(d)))
        for n in names if isinstance(names, list) else ():
            p = d + '/' + n
            at = said(attributes, p)
            if isinstance(at, tuple) and at[0] & 0o170000 == 0o040000:
                todo.append(p)
            else:
                seen['stat', p] = at
                if n not in ENDS:
                    seen['cat', p] = said(contents, p)
    for fd, p in readers.items():
        held, whole = os.fstat(fd), said(contents, p)
        if isinstance(whole, bytes):
            versions[fd].append(whole)
        if held.st_nlink and said(lambda: os.stat(p).st_ino) == held.st_ino and isinstance(whole, bytes):
            # The value at the open, or a later one, and a whole one.
            one, all_of_it = os.pread(fd, 3, 0), os.pread(fd, 1 << 16, 0)
            if one != all_of_it[:3] or all_of_it not in versions[fd]:
                seen['fd', p] = (one, all_of_it, versions[fd])
    return seen


def statement(p, c):
    n = R.randrange(100)
    return R.choice([
        f"INSERT INTO k.t (p, c, a, b) VALUES ({p}, '{c}', {n}, '{'z' * (n % 9)}');",
        f"UPDATE k.t SET a = {n} WHERE p = {p} AND c = '{c}';",
        f"DELETE a FROM k.t WHERE p = {p} AND c = '{c}';",
        f"DELETE FROM k.t WHERE p = {p} AND c = '{c}';",
        f"DELETE FROM k.t WHERE p = {p};",
        f"UPDATE k.t SET s = '{n}' WHERE p = {p};",
        f"UPDATE k.t SET l = l + [{n}], st = st + {{'{c}'}}, mp = mp + {{'{c}': 1}} WHERE p = {p} AND c = '{c}';",
        f"UPDATE k.t SET st = st - {{'{c}'}}, mp = mp - {{'{c}'}} WHERE p = {p} AND c = '{c}';",
        f"UPDATE k.t SET b = 'bb{n}', a = {n} WHERE p = {p} AND c = '{c}' IF a > 50;",
        f"INSERT INTO k.two (p, c, d, v) VALUES ({p}, {n % 2}, {n // 2 % 2}, 'v{n}');",
        f"DELETE FROM k.two WHERE p = {p} AND c = {n % 2};",
        'TRUNCATE k.two;',
        f'ALTER TABLE k.two ADD n{n % 3} int;',
        f'ALTER TABLE k.two DROP n{n % 3};',
        f'UPDATE k.cnt SET n = n + {n} WHERE p = {p};',
        f"INSERT INTO k.plain (key, column1, value) VALUES ('{p}', '{c}', 0x{n:02x});",
        f"DELETE FROM k.plain WHERE key = '{p}' AND column1 = '{c}';"])


def choose():
    """One call: its name and what it takes."""
    dirs, files = walk()
    files = files or [M + '/k/nothing']
    below = [x for x in dirs if os.path.dirname(x) != M + '/k'] or [M + '/k/nothing']
    p, c, d, f = R.choice([1, 2]), R.choice(NAMES), R.choice(dirs), R.choice(files)
    kind = R.randrange(21)
    stays, text = R.random() < .4, R.choice(['', '5', '+1', 'hello', '7\n'])
    if kind in (1, 2):
        return 'write', d + '/' + R.choice(NAMES + OTHERS), os.O_CREAT, text, stays
    if kind == 3:
        return 'write', f, os.O_TRUNC, text, stays
    if kind == 4:
        return 'write', f, os.O_APPEND, R.choice(['5', 'x']), stays
    if kind == 5:
        row = R.choice([f'/k/t/{p}/{c}.json', f'/k/two/{p}/1/0.json'])
        return ('write', M + row, R.choice([os.O_TRUNC, os.O_APPEND]) | os.O_CREAT,
                R.choice(['{"a": 3}', '{"b": "q"}', '{"v": "w"}', '{"a": null}', '{"st": ["k"]}']), False)
    if kind == 6:
        return 'unlink', f
    if kind == 7:
        return 'mkdir', d + '/' + R.choice(NAMES + ['1', '2', '0', '@static', 'l', 'st', 'mp'])
    if kind == 8:
        return 'rmdir', R.choice(below)
    if kind in (9, 10):
        return 'rename', f, R.choice(dirs) + '/' + R.choice(NAMES + ['v', '.a.tmp', 'b~'])
    if kind == 11:
        return 'rename', R.choice(below), R.choice(dirs) + '/' + R.choice(NAMES + ['1', '2', '3'])
    if kind == 12:
        return 'utime', R.choice(dirs + files), (0, R.randrange(10 ** 9))
    if kind == 13:
        return 'truncate', f, R.randrange(3)
    if kind in (14, 15) and writers:
        return R.choice(['close', 'fsync', 'more', 'cut']), R.choice(list(writers))
    if kind == 16:
        return 'ttl', f, R.choice([b'9000', b'9000', b'1'])
    if kind == 17 and not f.endswith(ENDS):
        return 'reader', f
    return ('cql', statement(p, c))


def write(p, flags, text, stays):
    fd = os.open(p, os.O_WRONLY | flags, 0o644)
    try:
        os.write(fd, text.encode())
    except OSError:
        os.close(fd)
        raise
    if stays:
        writers[fd] = p
    else:
        os.close(fd)


def read(p):
    if len(readers) > 5:
        fd = R.choice(list(readers))
        del readers[fd]
        os.close(fd)
    fd = os.open(p, os.O_RDONLY)
    readers[fd] = p
    versions[fd] = [os.pread(fd, 1 << 16, 0)]


def close(fd):
    del writers[fd]
    os.close(fd)


CALLS = {
    'cql': cql, 'write': write, 'unlink': os.unlink, 'mkdir': os.mkdir, 'rmdir': os.rmdir,
    'rename': os.rename, 'utime': os.utime, 'truncate': os.truncate, 'reader': read,
    'ttl': lambda p, s: os.setxattr(p, 'user.ttl', s), 'close': close, 'fsync': os.fsync,
    'more': lambda fd: os.write(fd, b'9'), 'cut': lambda fd: os.ftruncate(fd, 0),
}


# A child of its own, from the begin: one that is forked later closes its copies
# of the descriptors, which commits what was written.
dropper = subprocess.Popen(
    (['sudo'] if os.getuid() else []) +
    ['sh', '-c', 'while read -r x; do echo 2 > /proc/sys/vm/drop_caches || exit; echo done; done'],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def drop():
    dropper.stdin.write(b'\n')
    dropper.stdin.flush()
    if dropper.stdout.readline() != b'done\n':
        sys.exit('the caches of the kernel cannot be dropped: this needs root')


def compare(what, before, after):
    bad = [k for k in {**before, **after} if k[0] == 'fd' or before.get(k) != after.get(k)]
    for k in bad[:6]:
        print(f'seed {SEED}, step {len(log)}, {what}: {k} {before.get(k)} {after.get(k)}')
    if bad:
        for line in log[-5:]:
            print('  ', line)
        print('   open:', list(writers.values()))
    return not bad


def main():
    for text in (
            "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};",
            'CREATE TABLE k.t (p int, c text, a int, b text, s text STATIC, l list<int>, st set<text>, mp map<text, int>, PRIMARY KEY (p, c));',
            'CREATE TABLE k.two (p int, c int, d int, v text, PRIMARY KEY (p, c, d));',
            'CREATE TABLE k.cnt (p int PRIMARY KEY, n counter);'):
        cql(text)
    os.mkdir(M + '/k/plain')
    good = 0
    for _ in range(STEPS):
        if R.random() < .7:
            look()
        call, *args = choose()
        log.append((call, args, said(CALLS[call], *args)))
        if call == 'ttl' and args[1] == b'1':
            time.sleep(2.2)
        if R.random() < .3:
            continue
        first, before = look(), look()
        drop()
        after = look()
        if not (writers or compare('twice', first, before)) or not compare('afresh', before, after):
            sys.exit(1)
        good += 1
    for fd in list(writers) + list(readers):
        said(os.close, fd)
    refused = sum(isinstance(line[2], str) for line in log)
    if refused > STEPS * .8:
        sys.exit(f'seed {SEED}: {refused} of {STEPS} calls were refused: this shows nothing')
    print(f'seed {SEED}: {good} looks alike, {refused} of {STEPS} calls refused')


main()
