"""cellx.py FILE SEED OPS: random calls on one file, compared with a model.

As fsx does: reads, writes, truncations, appends, reopens and reads by mmap, in
random order, at random offsets, through two descriptors that share what is
pending; after each call its result, the size and now and then all of the
contents are those of the model. A new reader sees what was last committed.
"""
import mmap
import os
import random
import sys

FILE, SEED, OPS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
LARGEST = 200000
R = random.Random(SEED)
log = []


def data(size):
    return R.randbytes(min(size, 64)) * (size // 64 + 1)


class Model:
    def __init__(self):
        self.pending, self.committed, self.changed = bytearray(), b'', False
        self.fds = [os.open(FILE, os.O_RDWR | os.O_CREAT), os.open(FILE, os.O_RDWR)]
        os.ftruncate(self.fds[0], 0)
        os.write(self.fds[0], b'begin')
        self.pending[:] = b'begin'
        self.commit()

    def fd(self):
        return R.choice(self.fds)

    def commit(self):
        """By either descriptor, as both may have written: a copy is closed."""
        for fd in self.fds:
            os.close(os.dup(fd)) if R.random() < .98 else os.fsync(fd)
        self.committed = bytes(self.pending)

    def at(self, past=0):
        return R.choice([0, len(self.pending), R.randrange(len(self.pending) + 1 + past)])

    def size(self):
        return R.choice([1, 10, 100, 4095, 4096, 4097, R.randrange(1, 20000), 70000])

    def write(self):
        at, text = self.at(3000), data(self.size())
        text = text[:max(1, LARGEST - at)]
        log.append(('write', at, len(text)))
        if at > len(self.pending):
            self.pending.extend(bytes(at - len(self.pending)))
        self.pending[at:at + len(text)] = text
        assert os.pwrite(self.fd(), text, at) == len(text)

    def append(self):
        text = data(self.size())[:3000]
        if len(self.pending) + len(text) > LARGEST:
            return self.truncate()
        log.append(('append', len(text)))
        self.pending.extend(text)
        fd = self.fd()
        os.lseek(fd, 0, os.SEEK_END)
        assert os.write(fd, text) == len(text)

    def truncate(self):
        size = R.choice([1, self.at(5000) or 1, R.randrange(1, 10000)])
        log.append(('truncate', size))
        if size > len(self.pending):
            self.pending.extend(bytes(size - len(self.pending)))
        del self.pending[size:]
        os.ftruncate(self.fd(), size)

    def read(self):
        at, size = self.at(100), self.size()
        log.append(('read', at, size))
        got = os.pread(self.fd(), size, at)
        assert got == bytes(self.pending[at:at + size]), (len(got), 'read')

    def sync(self):
        log.append(('fsync',))
        self.commit()

    def reopen(self):
        log.append(('reopen',))
        self.commit()
        i = R.randrange(2)
        os.close(self.fds[i])
        self.fds[i] = os.open(FILE, os.O_RDWR | R.choice([0, os.O_CREAT]))

    def reader(self):
        """A new reader sees the committed value, by read and by mmap."""
        log.append(('reader',))
        fd = os.open(FILE, os.O_RDONLY)
        size = os.fstat(fd).st_size
        assert size == len(self.committed), (size, len(self.committed), 'size of a reader')
        if R.random() < .5:
            got = b''
            while len(got) <= size:
                part = os.read(fd, R.choice([4096, 1 << 20]))
                if not part:
                    break
                got += part
        else:
            with mmap.mmap(fd, size, mmap.MAP_SHARED, mmap.PROT_READ) as m:
                got = m[:]
        os.close(fd)
        assert got == self.committed, (len(got), len(self.committed), 'reader')

    def own_size(self):
        log.append(('size',))
        size = os.fstat(self.fd()).st_size
        assert size == len(self.pending), (size, len(self.pending), 'size')


def main():
    m, counts = Model(), {}
    calls = [m.write] * 5 + [m.read] * 6 + [m.truncate, m.append, m.sync, m.reader, m.own_size, m.reopen]
    try:
        for _ in range(OPS):
            call = R.choice(calls)
            counts[call.__name__] = counts.get(call.__name__, 0) + 1
            call()
        m.sync()
        m.reader()
    except (AssertionError, OSError) as e:
        print('seed %d, step %d: %s\n%s' % (SEED, len(log), e, log[-8:]))
        return 1
    assert min(counts.values()) > OPS // 60, counts
    print('seed %d: %d calls, last size %d' % (SEED, sum(counts.values()), len(m.committed)))
    return 0


sys.exit(main())
