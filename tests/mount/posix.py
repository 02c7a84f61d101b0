#!/usr/bin/env python3
"""posix.py MOUNT: which errno each call gives at each kind of place.

The rules of POSIX and of open(2) to rename(2) on Linux, and of the contract where
it says more (links, devices, read-only files), for every call at every kind of
file and directory of the tree: the expected errno follows from the kind alone.
posix.py MOUNT ro: a tree made by the first form, mounted read-only.
"""
import ctypes, errno, os, stat, sys

import tally
from tally import is_one_of, is_same

libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD, NOREPLACE, EXCHANGE = -100, 1, 2
LONG = "n" * 256


def errno_of(call, *args):
    try:
        result = call(*args)
    except OSError as e:
        return "EOPNOTSUPP" if e.errno == errno.EOPNOTSUPP else errno.errorcode[e.errno]
    if isinstance(result, int) and call in OPENS:
        os.close(result)
    return "ok"


def want(expected, what, call, *args):
    """expected: a name of an errno, 'ok', or several with '|' between them."""
    is_one_of(what, expected, errno_of(call, *args))


def raw(name, *args):
    """A call of libc with pointers as they are."""
    ctypes.set_errno(0)
    if getattr(libc, name)(*args) < 0:
        raise OSError(ctypes.get_errno(), name)


def rename2(a, b, flags):
    raw("renameat2", AT_FDCWD, a.encode(), AT_FDCWD, b.encode(), flags)


def opens(flags):
    def call(path):
        return os.open(path, flags, 0o644)
    OPENS.add(call)
    return call


OPENS = set()
o_read, o_write = opens(os.O_RDONLY), opens(os.O_WRONLY)
o_create, o_excl = opens(os.O_WRONLY | os.O_CREAT), opens(os.O_WRONLY | os.O_CREAT | os.O_EXCL)
o_trunc, o_dir = opens(os.O_WRONLY | os.O_TRUNC), opens(os.O_RDONLY | os.O_DIRECTORY)


def fifo(path):
    os.mknod(path, stat.S_IFIFO | 0o644)


def device(path):
    os.mknod(path, stat.S_IFCHR | 0o644, os.makedev(1, 3))


def touch(path):
    os.utime(path, (1, 1))


def mode(path):
    os.chmod(path, 0o600)


def owner(path):
    os.chown(path, 12345, 12345)


def shorten(path):
    os.truncate(path, 0)


def attribute(path):
    os.getxattr(path, "user.type")


def set_attribute(path):
    os.setxattr(path, "user.ttl", b"100")


# Calls that need what they name, and those that make it.
EXISTING = {"stat": os.stat, "lstat": os.lstat, "open": o_read, "open w": o_write, "open t": o_trunc,
            "truncate": shorten, "chmod": mode, "chown": owner, "utimens": touch, "unlink": os.unlink,
            "rmdir": os.rmdir, "listdir": os.listdir, "readlink": os.readlink, "getxattr": attribute,
            "setxattr": set_attribute, "access": lambda p: os.access(p, os.R_OK) or os.stat(p)}
MAKING = {"mkdir": os.mkdir, "create": o_create, "create x": o_excl, "mkfifo": fifo, "mknod": device,
          "symlink": lambda p: os.symlink("x", p)}


def tree(m):
    """Make the places: directories and files by kind, and a row to take things from."""
    with open(m + "/.cql", "w") as f:
        f.write("""CREATE KEYSPACE p WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE p.t (k text, a text, c text, n int, s text, b blob, st int static, tags set<text>, m map<text, int>,
                  l list<int>, fz frozen<list<int>>, PRIMARY KEY (k, a, c));
CREATE TABLE p.cnt (k text PRIMARY KEY, n counter);
CREATE TABLE p.empty (k text PRIMARY KEY, n int);
CREATE KEYSPACE none WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
INSERT INTO p.t (k, a, c, n, s, b, st, tags, m, l, fz)
    VALUES ('k', 'a', 'c', 5, 'text', 0x0102, 7, {'red'}, {'one': 1}, [1, 2], [3]);
INSERT INTO p.t (k, a, c, n) VALUES ('k', 'a', 'other', 6);
UPDATE p.cnt SET n = n + 1 WHERE k = 'k';
""")
    os.mkdir(m + "/p/free")
    os.mkdir(m + "/p/free/part")
    for name in ("file", "other"):
        with open(m + "/p/free/part/" + name, "w") as f:
            f.write("bytes")


def places(m):
    row = m + "/p/t/k/a/c"
    directories = {"keyspace": m + "/p", "table": m + "/p/t", "partition": m + "/p/t/k", "prefix": m + "/p/t/k/a",
                   "row": row, "statics": m + "/p/t/k/@static", "set": row + "/tags", "map": row + "/m",
                   "list": row + "/l", "schemaless table": m + "/p/free", "schemaless partition": m + "/p/free/part",
                   "counter row": m + "/p/cnt/k"}
    files = {"cell": row + "/n", "text cell": row + "/s", "blob cell": row + "/b", "frozen cell": row + "/fz",
             "static cell": m + "/p/t/k/@static/st", "element of a set": row + "/tags/red",
             "element of a map": row + "/m/one", "key column": row + "/c", "row document": row + ".json",
             "collection document": row + "/tags.json", "schema": m + "/p/schema.cql", "console": m + "/.cql",
             "control file": m + "/.widefs/help", "schemaless row": m + "/p/free/part/file",
             "counter": m + "/p/cnt/k/n"}
    return directories, files


def below_files(files):
    """A file is no directory: whatever is asked below it is ENOTDIR."""
    for kind, path in files.items():
        for name, call in {**EXISTING, **MAKING}.items():
            want("ENOTDIR", "%s below a %s" % (name, kind), call, path + "/x")
        want("ENOTDIR", "rename from below a %s" % kind, os.rename, path + "/x", path + "/y")
        want("ENOTDIR", "%s with a slash" % kind, os.stat, path + "/")


def in_directories(directories, other_row):
    for kind, path in directories.items():
        for name, call in {**EXISTING, **MAKING}.items():
            want("ENOENT", "%s below nothing in a %s" % (name, kind), call, path + "/absent/absent/absent/absent/x")
            want("ENAMETOOLONG", "%s of a long name in a %s" % (name, kind), call, path + "/" + LONG)
        for name, call in EXISTING.items():
            want("ENOENT", "%s of nothing in a %s" % (name, kind), call, path + "/%2Eabsent")
        want("ENAMETOOLONG", "rename to a long name in a %s" % kind, os.rename, path, path + LONG)
        for name in ("mkfifo", "mknod", "symlink"):
            want("EPERM", "%s in a %s" % (name, kind), MAKING[name], path + "/new")
        for name, call in {"open w": o_write, "open t": o_trunc, "truncate": shorten, "unlink": os.unlink}.items():
            want("EISDIR", "%s of a %s" % (name, kind), call, path)
        for name in ("mkdir", "create x", "mkfifo", "mknod", "symlink"):
            want("EEXIST", "%s over a %s" % (name, kind), MAKING[name], path)
        want("EISDIR", "create over a %s" % kind, o_create, path)
        want("ENOTEMPTY", "rmdir of a full %s" % kind, os.rmdir, path)
        want("EINVAL", "rename of a %s into itself" % kind, os.rename, path, path + "/x")
        want("EINVAL", "readlink of a %s" % kind, os.readlink, path)
        want("EPERM", "link to a %s" % kind, os.link, path, path + "2")
        want("EINVAL", "exchange of a %s" % kind, rename2, path, other_row, EXCHANGE)
        want("EISDIR", "read of a %s" % kind, read_directory, path)
        want("ok", "rename of a %s to itself" % kind, os.rename, path, path)


def read_directory(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        os.read(fd, 10)
    finally:
        os.close(fd)


def at_files(files, other_row):
    for kind, path in files.items():
        for name in ("mkdir", "create x", "mkfifo", "mknod", "symlink"):
            want("EEXIST", "%s over a %s" % (name, kind), MAKING[name], path)
        for name, call in {"rmdir": os.rmdir, "listdir": os.listdir, "opendir": o_dir}.items():
            want("ENOTDIR", "%s of a %s" % (name, kind), call, path)
        want("EINVAL", "readlink of a %s" % kind, os.readlink, path)
        want("EPERM", "link to a %s" % kind, os.link, path, path + "2")
        want("ENOTDIR", "rename of a directory over a %s" % kind, os.rename, other_row, path)
        want("EISDIR", "rename of a %s over a directory" % kind, os.rename, path, other_row)
        want("EEXIST", "a second name of a %s" % kind, rename2, path, path, NOREPLACE)
        want("EINVAL", "truncate of a %s below 0" % kind, os.truncate, path, -1)
        want("ok", "stat of a %s" % kind, os.stat, path)
        want("ok", "access of a %s" % kind, os.access, path, os.R_OK)


def descriptors(cell):
    """Check what a descriptor allows: no mount could differ, but each call reaches it."""
    fd = os.open(cell, os.O_RDONLY)
    for name, call, args in (("write", os.write, (fd, b"1")), ("pwrite", os.pwrite, (fd, b"1", 0))):
        want("EBADF", name + " of a reader", call, *args)
    want("EINVAL", "ftruncate of a reader", os.ftruncate, fd, 0)
    want("EINVAL", "seek before the begin", os.lseek, fd, -1, os.SEEK_SET)
    want("EINVAL", "pread before the begin", os.pread, fd, 1, -1)
    want("ok", "fsync of a reader", os.fsync, fd)
    want("ok", "fdatasync of a reader", os.fdatasync, fd)
    want("ENOTDIR", "fchdir to a file", os.fchdir, fd)
    os.close(fd)
    fd = os.open(cell, os.O_WRONLY)
    want("EBADF", "read of a writer", os.read, fd, 1)
    want("EOPNOTSUPP", "fallocate", raw, "fallocate", fd, 0, ctypes.c_long(0), ctypes.c_long(10))
    want("EINVAL", "ftruncate below 0", os.ftruncate, fd, -1)
    os.close(fd)
    want("EBADF", "fsync of no descriptor", os.fsync, 1000000)


def pointers(row):
    bad, path = ctypes.c_void_p(1), (row + "/n").encode()
    for name, args in (("open", (bad, 0)), ("mkdir", (bad, 0o755)), ("rmdir", (bad,)), ("unlink", (bad,)),
                       ("truncate", (bad, 0)), ("chmod", (bad, 0o600)), ("rename", (bad, path)),
                       ("rename", (path, bad)), ("symlink", (path, bad)), ("link", (path, bad)),
                       ("getxattr", (bad, b"user.type", 0, 0)), ("chown", (bad, 1, 1))):
        want("EFAULT", name + " of a bad pointer", raw, name, *args)
    for name, call in EXISTING.items():
        want("ENOENT", name + " of an empty path", call, "")


def names_to_make(m):
    """Names that no key has: refused when made, absent when looked for."""
    row = m + "/p/t/k/a"
    for name in ("%2f", "a%", "%41", "a%2Ejson%", "%00%zz"):
        want("EINVAL", "mkdir of the spelling " + name, os.mkdir, row + "/" + name)
        want("ENOENT", "stat of the spelling " + name, os.stat, row + "/" + name)
    for name in ("nosuch", "N", "k2", "tags2"):
        want("EINVAL", "a column that there is not: " + name, o_create, row + "/c/" + name)
        want("EINVAL", "a directory for none: " + name, os.mkdir, row + "/c/" + name)
    for name in ("a b", "t-t", "x" * 49):
        want("EINVAL", "a keyspace named " + name, os.mkdir, m + "/" + name)
    for name in ("user.nothing", "trusted.x", "security.selinux", "system.posix_acl_access"):
        want("EOPNOTSUPP", "no attribute " + name, os.getxattr, row + "/c/n", name)
    want("ENODATA", "no TTL", os.getxattr, row + "/c/n", "user.expires")
    want("ERANGE", "a buffer too small", raw, "getxattr", (row + "/c/n").encode(), b"user.type",
         ctypes.create_string_buffer(1), 1)


def behaviour(m):
    """Calls in a row: what is removed, replaced and open."""
    part = m + "/p/free/part"
    path = part + "/open"
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    os.write(fd, b"hello")
    os.fsync(fd)
    os.unlink(path)
    want("ENOENT", "stat of what was removed", os.stat, path)
    is_same("a removed file is read by who has it open", b"hello", os.pread(fd, 10, 0))
    os.close(fd)
    want("ENOENT", "it is not back after the close", os.stat, path)
    write(path, b"0123456789")
    os.truncate(path, 4)
    is_same("truncate", b"0123", read(path))
    os.truncate(path, 6)
    is_same("a longer one adds zeros", b"0123\0\0", read(path))
    write(part + "/second", b"second")
    os.rename(part + "/second", path)
    is_same("rename over a file", b"second", read(path))
    want("ENOENT", "the old name", os.stat, part + "/second")
    want("EEXIST", "no replacing", rename2, part + "/file", path, NOREPLACE)
    fd = os.open(path, os.O_WRONLY | os.O_APPEND)
    os.write(fd, b"+more")
    os.close(fd)
    is_same("append", b"second+more", read(path))
    fd = os.open(path, os.O_RDWR)
    is_same("pwrite", 3, os.pwrite(fd, b"XYZ", 2))
    os.close(fd)
    is_same("in the middle", b"seXYZd+more", read(path))
    os.mkdir(m + "/p/empty/one")
    os.unlink(path)
    want("ENOENT", "unlink twice", os.unlink, path)
    made = opens(os.O_RDONLY | os.O_CREAT)
    row = m + "/p/t/k/a/other"
    for kind, new in (("schemaless row", part + "/lock"), ("text cell", row + "/s"), ("temporary file", row + "/.s.swp")):
        want("ok", "making a %s to read it" % kind, made, new)
        is_same("it is empty", b"", read(new))
        is_same("and listed", True, os.path.basename(new) in os.listdir(os.path.dirname(new)))
        want("ok", "and made once", made, new)
        os.unlink(new)
    want("EINVAL", "a number that is not there, to read it", made, m + "/p/empty/one/n")
    want("ENOENT", "is not there then", os.stat, m + "/p/empty/one/n")
    want("EEXIST", "mkdir twice", os.mkdir, m + "/p/empty/one")
    want("ok", "rmdir of an empty row", os.rmdir, m + "/p/empty/one")
    want("ENOENT", "rmdir twice", os.rmdir, m + "/p/empty/one")
    want("ENOENT", "rename of nothing", os.rename, m + "/p/empty/one", m + "/p/empty/two")
    want("ok", "rmdir of an empty table", os.rmdir, m + "/p/empty")
    want("ok", "rmdir of an empty keyspace", os.rmdir, m + "/none")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def read_only(directories, files):
    for kind, path in directories.items():
        for name, call in MAKING.items():
            want("EROFS", "%s in a %s, read-only" % (name, kind), call, path + "/new")
        for name in ("rmdir", "chmod", "chown", "utimens", "setxattr"):
            want("EROFS", "%s of a %s, read-only" % (name, kind), EXISTING[name], path)
        want("EROFS", "rename of a %s, read-only" % kind, os.rename, path, path + "2")
    for kind, path in files.items():
        for name in ("open w", "open t", "truncate", "unlink", "chmod", "utimens", "setxattr"):
            want("EROFS", "%s of a %s, read-only" % (name, kind), EXISTING[name], path)
        want("ok", "reading a %s" % kind, o_read, path)


def main():
    m = sys.argv[1]
    directories, files = places(m)
    if sys.argv[2:] == ["ro"]:
        read_only(directories, files)
    else:
        tree(m)
        below_files(files)
        in_directories(directories, m + "/p/t/k/a/other")
        at_files(files, m + "/p/t/k/a/other")
        descriptors(files["cell"])
        pointers(directories["row"])
        names_to_make(m)
        behaviour(m)
    tally.done()


main()
