"""follow.py MOUNT SECONDS SEED: readers that keep a value open while it grows.

A value is numbered lines of one generation. A writer of each file appends some by
every way there is, or replaces the value by another generation. Readers do as
`tail -f` does: they look at the size by their descriptor and read on, by read,
pread and mmap. All that one has read must be the beginning of one generation:
never a part of another, never a byte that nobody wrote. When the writers have
ended, whoever has the last generation open reads all of it. Prints what was
counted; exit status 1 when a reader saw anything wrong.
"""
import mmap
import os
import random
import sys
import time

MOUNT, SECONDS, SEED = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
ROW = MOUNT + '/k/t/1/'
FILES = [ROW + 'a', ROW + 'b', ROW + 'm/1', MOUNT + '/k/free/p/x']
READERS = 6


def line(generation, i):
    return b'%d %d %s\n' % (generation, i, b'%x' % (generation * i) * (i % 5 + 1))


def lines(generation, first, last):
    return b''.join(line(generation, i) for i in range(first, last))


def put(path, text, flags):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o644)
    os.write(fd, text)
    os.close(fd)


def write(path, until, rng, report):
    generation, count = 0, 0
    while time.monotonic() < until:
        if not count or rng.random() < 0.06:
            generation += 1
            count = rng.choice((1, 3, 400))
            text = lines(generation, 0, count)
            if rng.random() < 0.5:
                put(path, text, os.O_TRUNC)
            else:
                put(path + '.tmp', text, 0)
                os.rename(path + '.tmp', path)
        else:
            more = rng.randrange(1, 4)
            put(path, lines(generation, count, count + more), os.O_APPEND)
            count += more
        time.sleep(rng.choice((0, 0.02, 0.1, 0.4)))
    os.write(report, b'%s %d %d\n' % (path.encode(), generation, count))


class Follower:
    """One descriptor, and what was read by it."""

    def __init__(self, path):
        self.fd = os.open(path, os.O_RDONLY)
        self.text = b''
        self.grew = 0

    def look(self, rng):
        size = os.fstat(self.fd).st_size
        at = len(self.text)
        if size <= at:
            return
        how = rng.randrange(3)
        if how == 0:
            part = os.pread(self.fd, size - at, at)
        elif how == 1:
            os.lseek(self.fd, at, os.SEEK_SET)
            part = os.read(self.fd, 1 << 20)
        else:
            with mmap.mmap(self.fd, size, mmap.MAP_SHARED, mmap.PROT_READ) as m:
                part = m[at:size]
        self.grew += bool(at and part)
        self.text += part

    def check(self):
        if not self.text:
            return
        generation = int(self.text.split(b' ', 1)[0])
        want = lines(generation, 0, self.text.count(b'\n') + 1)
        if not want.startswith(self.text):
            i = next(i for i in range(len(self.text)) if self.text[i] != want[i])
            raise ValueError('generation %d, byte %d of %d: %r, not %r' % (
                generation, i, len(self.text), self.text[i:i + 60], want[i:i + 60]))


def read(until, rng, out):
    grew = reads = 0
    while time.monotonic() < until:
        path = rng.choice(FILES)
        try:
            f = Follower(path)
        except FileNotFoundError:
            continue
        ends = time.monotonic() + rng.choice((0.1, 1, 2.5))
        while time.monotonic() < ends:
            f.look(rng)
            f.check()
            reads += 1
            time.sleep(rng.choice((0, 0.01, 0.3)))
        grew += f.grew
        os.close(f.fd)
    last = [Follower(path) for path in FILES]
    end = time.monotonic()
    # They are held until the writers have said how long the values are.
    while time.monotonic() < end + 6:
        for f in last:
            f.look(rng)
            f.check()
        time.sleep(0.2)
    for path, f in zip(FILES, last):
        out.append('%s %d %d' % (path, int(f.text.split(b' ', 1)[0]),
                                 f.text.count(b'\n')))
    out.append('grew %d %d' % (grew, reads))


def main():
    until = time.monotonic() + SECONDS
    reports = []
    for i in range(READERS + len(FILES)):
        rng = random.Random(SEED * 100 + i)
        get, give = os.pipe()
        if not os.fork():
            out = []
            try:
                if i < READERS:
                    read(until, rng, out)
                    os.write(give, ''.join(s + '\n' for s in out).encode())
                else:
                    write(FILES[i - READERS], until + 1, rng, give)
                os._exit(0)
            except BaseException as e:
                print('process %d: %s: %s' % (i, type(e).__name__, e), flush=True)
                os._exit(1)
        os.close(give)
        reports.append(get)
    said = [open(get).read().splitlines() for get in reports]
    bad = sum(os.wait()[1] != 0 for _ in reports)
    ends = dict(s[0].split(' ', 1) for s in said[READERS:] if s)
    whole = grew = reads = 0
    for s in said[:READERS]:
        for path, count in (x.split(' ', 1) for x in s):
            generation, n = (int(x) for x in count.split())
            if path == 'grew':
                grew, reads = grew + generation, reads + n
            elif ends[path].split()[0] == count.split()[0]:
                whole += 1
                if ends[path] != count:
                    print('%s: read %s of %s' % (path, count, ends[path]))
                    bad += 1
    print('seed %d: %d looks, %d times a value grew, %d values read to their end' % (
        SEED, reads, grew, whole))
    sys.exit(1 if bad or not grew or not whole else 0)


main()
