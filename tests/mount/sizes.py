"""Look at the size of a value beside its writer: it is never one that is pending.

sizes.py FILE LOOKS SEED

Prints each wrong size and how often it was seen; exit status 1 if more than one look in ten
thousand was wrong. None can be asked for: the kernel sees that its attributes are fresh and then
reads the size without a lock, and a writer may come in between.
"""
import collections, os, random, sys

VALUE = b'a value\n'


def write(path, rng):
    if rng.random() < 0.5:
        fd = os.open(path, os.O_WRONLY | os.O_TRUNC)
        os.write(fd, VALUE[:3])
        os.write(fd, VALUE[3:])
    else:
        fd = os.open(path, os.O_WRONLY | os.O_APPEND)
        os.write(fd, VALUE)
        os.ftruncate(fd, len(VALUE))
    os.close(fd)


def main():
    path, looks, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    with open(path, 'wb') as f:
        f.write(VALUE)
    writer = os.fork()
    if not writer:
        while True:
            write(path, rng)
    seen = collections.Counter(os.stat(path).st_size for _ in range(looks))
    ended, status = os.waitpid(writer, os.WNOHANG)
    if not ended:
        os.kill(writer, 9)
        os.waitpid(writer, 0)
    wrong = {size: n for size, n in seen.items() if size != len(VALUE)}
    print('seed %d: %d looks, wrong: %s' % (seed, looks, wrong))
    return bool(ended) or sum(wrong.values()) > looks // 10000


sys.exit(main())
