#!/usr/bin/env python3
"""posixrules.py MOUNT: the rules that pjdfstest has and that hold in this tree.

Which times a call changes and which it leaves, which modes and owners what is
made has, who may set times, and the names that no call may remove or move: each
rule at each kind of directory and file for which the contract allows the call.
Root runs it, on a mount that others may use.
"""
import errno
import os
import stat
import sys
import time

import tally
from tally import is_one_of, is_same

M = sys.argv[1]
NOBODY = 65534


def said(call, *args):
    try:
        call(*args)
    except OSError as e:
        return errno.errorcode[e.errno]
    return 'ok'


def is_said(what, expected, call, *args):
    """expected: several with '|' between them."""
    is_one_of(what, expected, said(call, *args))


def write(path, data=b'', flags=os.O_CREAT | os.O_TRUNC, mode=0o666):
    fd = os.open(path, os.O_WRONLY | flags, mode)
    try:
        if data:
            os.write(fd, data)
    finally:
        os.close(fd)


def read(path):
    with open(path, 'rb') as f:
        return f.read()


def times(path):
    s = os.stat(path, follow_symlinks=False)
    return s.st_mtime_ns, s.st_ctime_ns


def later(what, path, call, *args):
    """The call succeeds, and moves both times of the path, to about now."""
    before = times(path)
    time.sleep(.002)
    is_said(what, 'ok', call, *args)
    after = times(path)
    is_same(what + ': the times move', (True, True), (after[0] > before[0], after[1] > before[1]))
    is_same(what + ': to now', True, abs(after[0] - time.time_ns()) < 300e9)


def unmoved(what, expected, path, call, *args):
    before = times(path)
    time.sleep(.002)
    is_said(what, expected, call, *args)
    is_same(what + ': the times stay', before, times(path))


def unmoved_by(what, path, call, *args):
    """Temporary files are in memory alone, as no child of the directory."""
    unmoved(what, 'ok', path, call, *args)


def as_nobody(call, *args):
    """Return the error of the call for a user who has no rights here."""
    r, w = os.pipe()
    pid = os.fork()
    if not pid:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        os.write(w, said(call, *args).encode())
        os._exit(0)
    os.close(w)
    answer = os.read(r, 100).decode()
    os.close(r)
    os.waitpid(pid, 0)
    return answer


def tree():
    with open(M + '/.cql', 'w') as f:
        f.write("""CREATE KEYSPACE q WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE q.t (k text, a text, c text, n int, s text, b blob, st int static, tags set<text>, m map<text, int>,
                  l list<int>, PRIMARY KEY (k, a, c));
CREATE TABLE q.cnt (k text PRIMARY KEY, n counter);
INSERT INTO q.t (k, a, c, n, s, b, st, tags, m) VALUES ('k', 'a', 'c', 5, 'text', 0x0102, 7, {'red'}, {'one': 1});
UPDATE q.cnt SET n = n + 1 WHERE k = 'k';
""")
    os.makedirs(M + '/q/free/part')
    write(M + '/q/free/part/file', b'bytes')


ROW = M + '/q/t/k/a/c'
# A directory, what can be made in it, and what is made there already.
MADE_DIRECTORIES = {
    'root': (M, 'new', 'q'), 'keyspace': (M + '/q', 'new', 't'), 'table': (M + '/q/t', 'new', 'k'),
    'partition': (M + '/q/t/k', 'new', 'a'), 'prefix': (M + '/q/t/k/a', 'new', 'c'), 'row': (ROW, 'l', 'tags'),
    'schemaless table': (M + '/q/free', 'new', 'part'), 'counter table': (M + '/q/cnt', 'new', 'k'),
}
MADE_FILES = {
    'row': (ROW, 's', b'text\n'), 'row, a temporary file': (ROW, '.s.swp', b'any'), 'statics': (M + '/q/t/k/@static', 'st', b'8\n'),
    'set': (ROW + '/tags', 'blue', b''), 'map': (ROW + '/m', 'two', b'2\n'),
    'schemaless partition': (M + '/q/free/part', 'new', b'bytes'), 'counter row': (M + '/q/cnt/k', 'n', b'+1\n'),
    'prefix, a document': (M + '/q/t/k/a', 'd.json', b'{"n": 1}\n'),
}
# A file, and two values of it.
FILES = {
    'cell': (ROW + '/n', b'6\n', b'7\n'), 'text cell': (ROW + '/s', b'one\n', b'two\n'),
    'blob cell': (ROW + '/b', b'\x01', b'\x02'), 'static cell': (M + '/q/t/k/@static/st', b'8\n', b'9\n'),
    'element of a map': (ROW + '/m/one', b'3\n', b'4\n'), 'schemaless row': (M + '/q/free/part/file', b'one', b'two'),
    'temporary file': (ROW + '/.b.swp', b'one', b'two'),
}


def directories_change():
    for kind, (d, new, there) in MADE_DIRECTORIES.items():
        path = d + '/' + new
        later(f'mkdir in a {kind}', d, os.mkdir, path)
        unmoved(f'mkdir of what is there in a {kind}', 'EEXIST', d, os.mkdir, path)
        later(f'rmdir in a {kind}', d, os.rmdir, path)
        unmoved(f'rmdir of nothing in a {kind}', 'ENOENT', d, os.rmdir, path)
        unmoved(f'rmdir of what is not empty in a {kind}', 'ENOTEMPTY', d, os.rmdir, d + '/' + there)
        for call in (os.listdir, os.stat):
            unmoved(f'{call.__name__} of a {kind}', 'ok', d, call, d)
    for kind, (d, new, text) in MADE_FILES.items():
        path = d + '/' + new
        if os.path.exists(path):
            os.unlink(path)
        changes = unmoved_by if 'temporary' in kind else later
        changes(f'creating in a {kind}', d, write, path, text)
        unmoved(f'creating with O_EXCL what is there in a {kind}', 'EEXIST', d, write, path, text, os.O_CREAT | os.O_EXCL)
        unmoved(f'reading in a {kind}', 'ok', d, read, path)
        if 'counter' not in kind and 'document' not in kind:
            unmoved(f'opening with O_CREAT what is there in a {kind}', 'ok', d, write, path, b'', os.O_CREAT)
            unmoved(f'and that file in a {kind}', 'ok', path, write, path, b'', os.O_CREAT)
        changes(f'unlink in a {kind}', d, os.unlink, path)
        unmoved(f'unlink of nothing in a {kind}', 'ENOENT', d, os.unlink, path)
    part = M + '/q/free/part'
    later('rename in a schemaless partition', part, os.rename, part + '/file', part + '/moved')
    unmoved('rename of nothing', 'ENOENT', part, os.rename, part + '/file', part + '/other')
    os.mkdir(M + '/q/free/other')
    later('rename out of a partition', part, os.rename, part + '/moved', M + '/q/free/other/file')
    later('rename into a partition', part, os.rename, M + '/q/free/other/file', part + '/file')
    later('rename of a row', M + '/q/t/k/a', os.rename, ROW, ROW + '2')
    later('and back', M + '/q/t/k/a', os.rename, ROW + '2', ROW)


def files_change():
    for kind, (path, one, two) in FILES.items():
        write(path, one)
        above = times(os.path.dirname(path))
        later(f'writing a {kind}', path, write, path, two)
        unmoved(f'reading a {kind}', 'ok', path, read, path)
        unmoved(f'opening a {kind} to write', 'ok', path, write, path, b'', 0)
        unmoved(f'truncating a {kind} below 0', 'EINVAL', path, os.truncate, path, -1)
        unmoved(f'a mode that a {kind} has', 'ok', path, os.chmod, path, stat.S_IMODE(os.stat(path).st_mode))
        if kind not in ('cell', 'static cell', 'element of a map'):
            later(f'truncating a {kind}', path, os.truncate, path, 0)
            write(path, one)
            later(f'opening a {kind} with O_TRUNC', path, write, path, b'', os.O_TRUNC)
            is_same(f'an emptied {kind}', (0, b''), (os.stat(path).st_size, read(path)))
        is_same(f'the directory of a {kind}: the times stay', above, times(os.path.dirname(path)))
    path = M + '/q/free/part/file'
    for size in (0, 1, 5, 4096, 5000, 100000):
        write(path, b'hello')
        fd = os.open(path, os.O_RDWR)
        later(f'ftruncate to {size}', path, lambda: (os.ftruncate(fd, size), os.fsync(fd)))
        os.close(fd)
        is_same(f'what ftruncate to {size} leaves', b'hello'[:size] + bytes(max(size - 5, 0)), read(path))
    fd = os.open(path, os.O_RDWR | os.O_TRUNC)
    is_said('posix_fallocate', 'ok', os.posix_fallocate, fd, 567, 234)
    os.close(fd)
    is_same('what posix_fallocate makes', bytes(801), read(path))
    os.unlink(path)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0)
    is_said('ftruncate of a file made with mode 0', 'ok', os.ftruncate, fd, 0)
    is_said('writing it', 'ok', os.write, fd, b'hello')
    os.close(fd)
    is_same('what was written in it', b'hello', read(path))


def set_times():
    paths = {**{kind: d for kind, (d, _, _) in MADE_DIRECTORIES.items()}, **{kind: p for kind, (p, _, _) in FILES.items()},
             'schema': M + '/q/schema.cql'}
    for kind, path in paths.items():
        for ns in (1, 10 ** 9 + 123456789, 2 ** 31 * 10 ** 9, 2 ** 32 * 10 ** 9 + 7, 9 * 10 ** 18):
            is_said(f'the time of a {kind}', 'ok', lambda: os.utime(path, ns=(ns, ns)))
            is_same(f'the time of a {kind}', ns, os.stat(path).st_mtime_ns)
        before = time.time_ns()
        is_said(f'now as the time of a {kind}', 'ok', os.utime, path)
        is_same(f'now as the time of a {kind}', True, before - 10 ** 9 <= os.stat(path).st_mtime_ns <= time.time_ns() + 10 ** 9)
        if kind in FILES and kind != 'temporary file':
            write(path, FILES[kind][1])
            wrote = times(path)[1]
            os.utime(path, (1, 1))
            is_same(f'the time of change of a {kind} whose time is set', True, times(path)[1] >= wrote)
        is_same(f'another user sets the time of a {kind}', 'EPERM', as_nobody(lambda: os.utime(path, (1, 1))))
        is_same(f'another user sets now as the time of a {kind}', 'EACCES', as_nobody(os.utime, path))
        is_same(f'another user changes the mode of a {kind}', 'EPERM', as_nobody(os.chmod, path, 0o777))
        is_same(f'another user takes a {kind}', 'EPERM', as_nobody(os.chown, path, NOBODY, NOBODY))


def modes_and_owners():
    os.umask(0)
    for kind, path in (('keyspace', M + '/new'), ('table', M + '/q/new')):
        for mask in (0, 0o077, 0o345, 0o070, 0o501):
            for mode in (0o755, 0o151, 0o777, 0o311):
                os.umask(mask)
                os.mkdir(path, mode)
                os.umask(0)
                is_same(f'mkdir of a {kind} with {mode:o} less {mask:o}', mode & ~mask, stat.S_IMODE(os.stat(path).st_mode))
                os.rmdir(path)
        os.mkdir(path)
        for mode in (0o111, 0, 0o777, 0o640):
            is_said(f'chmod {mode:o} of a {kind}', 'ok', os.chmod, path, mode)
            is_same(f'chmod {mode:o} of a {kind}', mode, stat.S_IMODE(os.stat(path).st_mode))
        for mode in (0o4755, 0o2755, 0o1777):
            is_said(f'chmod {mode:o} of a {kind}', 'EPERM', os.chmod, path, mode)
        is_said(f'chown of a {kind}', 'ok', os.chown, path, NOBODY, 12345)
        is_said(f'chown of a {kind}, its group', 'ok', os.chown, path, -1, NOBODY)
        is_same(f'chown of a {kind}', (NOBODY, NOBODY), (os.stat(path).st_uid, os.stat(path).st_gid))
        is_same(f'chown of a {kind} by its owner', 'EPERM', as_nobody(os.chown, path, 0, 0))
        os.rmdir(path)
    os.umask(0o022)
    os.chmod(M + '/q', 0o777)
    is_same('another user makes a table', 'ok', as_nobody(os.mkdir, M + '/q/theirs'))
    s = os.stat(M + '/q/theirs')
    is_same('it is theirs', (NOBODY, NOBODY, 0o755), (s.st_uid, s.st_gid, stat.S_IMODE(s.st_mode)))
    is_same('and they remove it', 'ok', as_nobody(os.rmdir, M + '/q/theirs'))
    os.chmod(M + '/q', 0o755)
    is_same('another user makes a table without the right', 'EACCES', as_nobody(os.mkdir, M + '/q/theirs'))


def names_that_stay():
    deep = M + '/./' * 2000
    for kind, (d, new, there) in MADE_DIRECTORIES.items():
        is_said(f'rmdir of . in a {kind}', 'EINVAL', os.rmdir, d + '/.')
        is_said(f'rmdir of .. in a {kind}', 'ENOTEMPTY', os.rmdir, d + '/..' if d != M else M + '/q/..')
        is_said(f'rename of . in a {kind}', 'EBUSY|EINVAL', os.rename, d + '/.', d + '/' + new)
        is_said(f'rename to .. in a {kind}', 'EBUSY|EINVAL|ENOTEMPTY', os.rename, d + '/' + there, d + '/..')
        is_said(f'mkdir of . in a {kind}', 'EEXIST', os.mkdir, d + '/.')
        is_said(f'unlink of . in a {kind}', 'EISDIR|EPERM|EINVAL', os.unlink, d + '/.')
    is_said('rmdir of the mount point', 'EBUSY', os.rmdir, M)
    for call in (os.stat, os.mkdir, os.rmdir, os.unlink, write, read):
        is_said(f'{call.__name__} of a path that is too long', 'ENAMETOOLONG', call, deep)
    part = M + '/q/free/part'
    for name in ('n' * 255, 'é' * 127, ' ', '-', '\\', 'a\tb', '..a', '...'):
        is_said(f'the name {name[:9]!r}', 'ok', write, part + '/' + name, b'x')
        is_same(f'what has the name {name[:9]!r}', True, name in os.listdir(part) and read(part + '/' + name) == b'x')
    is_said('rename of the longest name', 'ok', os.rename, part + '/' + 'n' * 255, part + '/' + 'm' * 255)
    is_said('unlink of the longest name', 'ok', os.unlink, part + '/' + 'm' * 255)
    is_said('and of it again', 'ENOENT', os.unlink, part + '/' + 'm' * 255)


def main():
    tree()
    os.umask(0o022)
    directories_change()
    files_change()
    set_times()
    modes_and_owners()
    names_that_stay()
    tally.done()


main()
