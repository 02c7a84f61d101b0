"""readers.py MOUNT READS SEED: readers of values beside their writers.

A value is one record, or more where it was appended to. A record has a version,
the version before it in the same value (0: none) and a checksum, so each reader
tells a part, a mixture and an empty text from a whole value. One writer for each
file goes through all ways of writing in random order and puts down the version
when its call has returned: who opens the file later must not see an older one.
Prints what was counted; exit status 1 when a reader saw anything wrong: then also
what it called and when, what it saw, what the file is by a look afterwards, and
the last writes with their times.
"""
import json
import mmap
import os
import random
import struct
import sys
import time
import traceback
import zlib

MOUNT, READS, SEED = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
ROW = MOUNT + '/k/t/1'
FILES = os.environ.get('FILES', 'a b m/1 plain').split()
READERS = 8
HEAD = 34


def path_of(name):
    return MOUNT + '/k/free/p/x' if name == 'plain' else ROW + '/' + name


def record(version, before, size):
    body = (b'%09d.' % version) * (size // 10 + 1)
    text = b'%010d %010d %010d ' % (version, before, size) + body[:size]
    return text + b' %08x;' % zlib.crc32(text)


def parse(text):
    """The version of a whole value; a ValueError says what is wrong."""
    if not text:
        raise ValueError('empty')
    text, version = text[:-1] if text[-1:] == b'\n' else text, 0
    while text:
        try:
            now, before, size = (int(x) for x in text[:HEAD].split()[:3])
        except ValueError:
            raise ValueError('no record: %r' % text[:40])
        whole = record(now, before, size) if 0 <= size < 1 << 20 else b''
        if before != version or not whole or not text.startswith(whole):
            raise ValueError('not whole: %d of %d bytes of version %d after %d, before is %d' % (
                len(text), len(whole), now, version, before))
        # The newline of a text that was appended to stays where it was.
        text, version = text[len(whole):].removeprefix(b'\n'), now
    return version


class Shared:
    """Numbers that all processes share: for each file the version that is
    written and the one acknowledged, for each reader its reads and failures."""

    def __init__(self):
        self.map = mmap.mmap(-1, 16384)

    def get(self, at):
        return struct.unpack_from('<q', self.map, at * 8)[0]

    def set(self, at, value):
        struct.pack_into('<q', self.map, at * 8, value)


SHARED = Shared()
STOP, ACK, DONE, WRITES, PAST = 0, 10, 100, 200, 300
PAST_MAX = 12   # writes of each file that are remembered

# The calls of a reader since it began with a file: time and result.
CALLS = []


def now():
    return time.monotonic_ns() // 1000


def called(what, result):
    CALLS.append('%d %s: %s' % (now(), what, result))
    return result


def remember(number, version, way, size, begun):
    at = PAST + (number * PAST_MAX + version % PAST_MAX) * 5
    for i, value in enumerate((version, WAYS.index(way), size, begun, now())):
        SHARED.set(at + i, value)


def past(number):
    """The last writes of a file; the one under way is not among them."""
    ats = [PAST + (number * PAST_MAX + i) * 5 for i in range(PAST_MAX)]
    rows = sorted([SHARED.get(at + i) for i in range(5)] for at in ats)
    return ['  version %d by %s of %d bytes, from %d to %d' % (v, WAYS[way].__name__, size, begun, ended)
            for v, way, size, begun, ended in rows if v]


def put(path, text, flags):
    fd = os.open(path, os.O_WRONLY | flags)
    try:
        at = 0
        while at < len(text):
            at += os.write(fd, text[at:at + random.choice([len(text), 1000, 70000])])
    finally:
        os.close(fd)


def shell(path, text):
    """As a redirection: opened, copied (a FLUSH), written, closed."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.close(os.dup(fd))
    os.write(fd, text)
    os.close(fd)


def truncate_write(path, text):
    fd = os.open(path, os.O_RDWR)
    os.ftruncate(fd, 0)
    os.write(fd, text)
    os.close(fd)


def in_place(path, text):
    fd = os.open(path, os.O_RDWR)
    os.pread(fd, 100, 0)
    half = len(text) // 2
    os.pwrite(fd, text[half:], half)
    os.pwrite(fd, text[:half], 0)
    os.ftruncate(fd, len(text))
    os.close(fd)


def rename_over(path, text):
    directory, name = os.path.split(path)
    new = '%s/.%s.%06x' % (directory, name, random.randrange(1 << 24))
    put(new, text, os.O_CREAT | os.O_EXCL)
    os.rename(new, path)


def cql(text):
    fd = os.open(MOUNT + '/.cql', os.O_RDWR)
    os.write(fd, text.encode())
    os.close(fd)


def by_cql(path, text):
    name, text = path[len(ROW) + 1:], text.decode()
    if name == 'm/1':
        cql("UPDATE k.t SET m[1] = '%s' WHERE id = 1;" % text)
    elif path.startswith(ROW):
        cql("UPDATE k.t SET %s = '%s' WHERE id = 1;" % (name, text))
    else:
        shell(path, text.encode())


def by_document(path, text):
    """The row's for a cell (merged into it), the map's for its element."""
    name, text = path[len(ROW) + 1:], text.decode()
    if name == 'm/1':
        put(ROW + '/m.json', json.dumps({'1': text}).encode(), os.O_TRUNC)
    elif path.startswith(ROW):
        put(ROW + '.json', json.dumps({name: text}).encode(), os.O_APPEND)
    else:
        rename_over(path, text.encode())


def append(path, text):
    put(path, text, os.O_APPEND)


WAYS = [shell, truncate_write, in_place, rename_over, by_cql, by_document, append]


SIZES = [int(n) for n in os.environ['SIZES'].split()] if 'SIZES' in os.environ else \
    [0, 1, 9, 100, 450, 1000, 3000, 4030, 4060, 5000] * 4 + [65500, 65536, 300000]


def write(number):
    random.seed(SEED * 100 + number)
    path, version, size = path_of(FILES[number]), 1, 0
    while not SHARED.get(STOP):
        way = random.choice(WAYS)
        if way is append and size > 400000:
            way = shell
        n = random.choice(SIZES)
        text = record(version + 1, version if way is append else 0, n)
        begun = now()
        way(path, text)
        remember(number, version + 1, way, n, begun)
        size = len(text) + (size if way is append else 0)
        version += 1
        SHARED.set(ACK + number, version)
        SHARED.set(WRITES + number, version)
        if random.random() < .2:
            time.sleep(random.choice([0, .0005, .003]))


def read_all(fd, size=None):
    parts = []
    while True:
        count = size or random.choice([1 << 20, 4096, 65536])
        part = os.read(fd, count)
        called('read %d' % count, len(part))
        if not part:
            return b''.join(parts)
        parts.append(part)


def check(text, least):
    SEEN[0] = text
    version = parse(text)
    if version < least:
        raise ValueError('version %d of %d bytes, and %d was acknowledged' % (version, len(text), least))


# What is open shows what is added when nobody has used it for so long (fs/README.md): a reader that waited for its
# processor may see that between fstat and its first read.
QUIET_S = .5


def read_plainly(number):
    least = SHARED.get(ACK + number)
    begun = time.monotonic()
    fd = called('open', os.open(path_of(FILES[number]), os.O_RDONLY))
    try:
        if random.random() < .3:
            size = called('fstat', os.fstat(fd).st_size)
            text = read_all(fd)
            SEEN[0] = text
            if len(text) < size or (len(text) > size and time.monotonic() - begun < QUIET_S):
                raise ValueError('fstat says %d, %d are read' % (size, len(text)))
        else:
            text = read_all(fd)
    finally:
        os.close(fd)
    check(text, least)


def read_again(number):
    """A descriptor is kept: what it shows is whole, and never goes back."""
    least = SHARED.get(ACK + number)
    fd = called('open', os.open(path_of(FILES[number]), os.O_RDONLY))
    try:
        for i in range(4):
            os.lseek(fd, 0, os.SEEK_SET)
            SEEN[0] = text = read_all(fd)
            version = parse(text)
            if version < least:
                raise ValueError('version %d in round %d, after %d' % (version, i, least))
            least = version
            if random.random() < .2:
                time.sleep(.0005)
    finally:
        os.close(fd)


def read_mapped(number):
    least = SHARED.get(ACK + number)
    fd = called('open', os.open(path_of(FILES[number]), os.O_RDONLY))
    try:
        size = called('fstat', os.fstat(fd).st_size)
        if not size:
            raise ValueError('empty by fstat')
        with mmap.mmap(fd, size, random.choice([mmap.MAP_SHARED, mmap.MAP_PRIVATE]), mmap.PROT_READ) as m:
            check(m[:], least)
            if random.random() < .3:
                time.sleep(.002)
            check(m[:], least)
    finally:
        os.close(fd)


# Looks of a reader by stat, and those that a writer came in between.
LOOKS, BETWEEN = [0], [0]


def stat_only(number):
    """By path: no size but one of a whole value (at least a record's). The kernel sees that its
    attributes are fresh and then reads the size without a lock: a writer's open with O_TRUNC in
    between cannot be helped (sizes.py). It is rare, and a second look is right."""
    LOOKS[0] += 1
    size = os.stat(path_of(FILES[number])).st_size
    if size >= HEAD:
        return
    BETWEEN[0] += 1
    again = called('stat %d, then' % size, os.stat(path_of(FILES[number])).st_size)
    if again < HEAD or BETWEEN[0] > 1 + LOOKS[0] // 10000:
        raise ValueError('stat says %d, then %d; %d of %d looks' % (size, again, BETWEEN[0], LOOKS[0]))


SEEN = [b'']


def tell(how, number, least, error, text):
    """One print, so that those of several readers do not mix."""
    path, seen = path_of(FILES[number]), []
    for _ in range(3):
        try:
            fd = os.open(path, os.O_RDONLY)
            seen.append('%d fstat %d, read %r' % (now(), os.fstat(fd).st_size, os.read(fd, 1 << 20)[:HEAD]))
            os.close(fd)
        except OSError as e:
            seen.append('%d %s' % (now(), e))
    bad = [i for i in range(0, len(text), 4096) if 0 in text[i:i + 4096]]
    print('\n'.join(
        ['%s of %s: %s (%s)' % (how.__name__, FILES[number], error, type(error).__name__),
         '  acknowledged before: version %d; now: %d' % (least, SHARED.get(ACK + number)),
         '  %d bytes, begin %r, end %r, NUL in pages at %s' % (len(text), text[:100], text[-60:], bad)]
        + ['  called: ' + c for c in CALLS] + ['  afterwards: ' + c for c in seen] + past(number)) + '\n', end='', flush=True)


HOWS = [globals()[how] for how in os.environ['HOWS'].split()] if 'HOWS' in os.environ else \
    [read_plainly] * 5 + [read_again, read_mapped, stat_only]


def read(reader, count):
    random.seed(SEED * 100 + 50 + reader)
    bad = 0
    for done in range(count):
        number = random.randrange(len(FILES))
        how = random.choice(HOWS)
        CALLS.clear()
        SEEN[0], least = b'', SHARED.get(ACK + number)
        called('begin', how.__name__)
        try:
            how(number)
        except (ValueError, OSError) as e:
            bad += 1
            called('failed', e)
            if bad < 5:
                tell(how, number, least, e, SEEN[0])
        SHARED.set(DONE + reader, done + 1)
    return bad


def start(function, *args):
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        status = 1 if function(*args) else 0
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    os._exit(status)


def main():
    first = record(1, 0, 9)
    cql("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
        "CREATE TABLE k.t (id int PRIMARY KEY, a text, b text, m map<int, text>);"
        "INSERT INTO k.t (id, a, b, m) VALUES (1, '%s', '%s', {1: '%s'});" % ((first.decode(),) * 3))
    os.makedirs(MOUNT + '/k/free/p')
    put(path_of('plain'), first, os.O_CREAT)
    for i in range(len(FILES)):
        SHARED.set(ACK + i, 1)
    writers = [start(write, i) for i in range(len(FILES))]
    readers = [start(read, i, READS // READERS) for i in range(READERS)]
    bad = sum(os.waitpid(pid, 0)[1] != 0 for pid in readers)
    SHARED.set(STOP, 1)
    ended = sum(os.waitpid(pid, 0)[1] != 0 for pid in writers)
    done = sum(SHARED.get(DONE + i) for i in range(READERS))
    written = [SHARED.get(WRITES + i) for i in range(len(FILES))]
    print('seed %d: %d reads, %s writes, %d readers saw a wrong one, %d writers failed' % (
        SEED, done, written, bad, ended))
    return bad or ended or done < READS // READERS * READERS or min(written) < 20


sys.exit(1 if main() else 0)
