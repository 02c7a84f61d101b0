# nodes.py MOUNTPOINT NAME WORKER...: works in the tree until the file NAME is there, and
# then says how often each did its work. One sits in a row (its working directory, an open
# directory, an open file, files that are watched), one writes, one renames rows, one
# makes and drops tables. Nothing may fail, and no look may be stale.
import ctypes, errno, os, random, struct, sys, time

mount, stop, kinds = sys.argv[1], sys.argv[2], sys.argv[3:]
k = mount + '/k'
libc = ctypes.CDLL(None, use_errno=True)
IN_MODIFY = 2


def put(path, text, how=os.O_TRUNC):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | how)
    os.write(fd, text.encode())
    os.close(fd)


def get(path):
    with open(path) as f:
        return f.read()


def same(what, wanted, found):
    if wanted != found:
        sys.exit(f'{what}: {found!r}, not {wanted!r}')


def run(text):
    put(mount + '/.cql', text)


class Sitter:
    def __init__(self):
        self.row = k + '/sit/1/2'
        os.chdir(self.row)
        self.ino, self.names = os.stat('.').st_ino, sorted(os.listdir('.'))
        self.fd, self.dir = os.open('a', os.O_RDONLY), os.open(k + '/sit/1/3', os.O_RDONLY)
        self.text = os.pread(self.fd, 100, 0)
        for path in (k + '/sit/1/4/a', k + '/sit/1/5/a'):
            get(path)
        self.watch = libc.inotify_init1(os.O_NONBLOCK)
        self.watch_file(k + '/sit/1/4/a')
        assert libc.inotify_add_watch(self.watch, (k + '/sit/1/5').encode(), IN_MODIFY) > 0

    def watch_file(self, path):
        """Its reader's close may be on its way yet: then a write gives the name another node."""
        for _ in range(100):
            assert libc.inotify_add_watch(self.watch, path.encode(), IN_MODIFY) > 0
            put(path, '0\n')
            try:
                return os.read(self.watch, 65536)
            except BlockingIOError:
                time.sleep(.1)
        sys.exit(f'no event of {path}')

    def step(self, i):
        same('getcwd', self.row, os.getcwd())
        same('.', self.ino, os.stat('.').st_ino)
        same('names', self.names, sorted(os.listdir('.')))
        put('b', f'{i}\n')
        same('b', f'{i}\n', get('b'))
        same('..', ['2', '3', '4', '5'], sorted(n for n in os.listdir('..') if n != 'x'))
        same('open file', self.text, os.pread(self.fd, 100, 0))
        same('open directory', ['a', 'b'], sorted(os.listdir(self.dir)))
        same('the path of it', k + '/sit/1/3', os.readlink(f'/proc/self/fd/{self.dir}'))
        for path in (k + '/sit/1/4/a', k + '/sit/1/5/a'):
            put(path, f'{i}\n')
            try:
                events = os.read(self.watch, 65536)
            except BlockingIOError:
                sys.exit(f'no event of {path} in step {i}')
            same('event', IN_MODIFY, struct.unpack_from('=iI', events)[1])


class Writer:
    def step(self, i):
        row = f'{k}/w/{i % 50}'
        os.makedirs(row, exist_ok=True)
        put(row + '/a', f'{i}\n')
        same('a cell', f'{i}\n', get(row + '/a'))
        run(f"UPDATE k.w SET b = 'by {i}' WHERE p = {i % 50}")
        same('a cell', f'by {i}\n', get(row + '/b'))
        os.remove(row + '/b')
        same('a removed cell', False, os.path.exists(row + '/b'))


class Renamer:
    def __init__(self):
        self.at = f'{k}/r/{os.getpid()}'
        os.mkdir(self.at)
        put(self.at + '/a', 'moves\n')
        self.fd = os.open(self.at + '/a', os.O_RDONLY)

    def step(self, i):
        to = f'{k}/r/{os.getpid()}{i}'
        os.rename(self.at, to)
        same('the old name', False, os.path.exists(self.at))
        same('what moved', 'moves\n', get(to + '/a'))
        same('what is open', b'moves\n', os.pread(self.fd, 10, 0))
        self.at = to
        time.sleep(0.02)    # each leaves a node, until the kernel drops the last
        if i % 100 == 0:    # what is open holds all that it was
            os.close(self.fd)
            self.fd = os.open(self.at + '/a', os.O_RDONLY)


class Dropper:
    def step(self, i):
        run('CREATE TABLE k.d (p int PRIMARY KEY, a text)')
        for p in range(20):
            run(f"INSERT INTO k.d (p, a) VALUES ({p}, 'a{i}')")
        same('rows', 20, len(os.listdir(k + '/d')))
        same('a row', f'a{i}\n', get(k + '/d/7/a'))
        run('DROP TABLE k.d')
        same('the table', False, os.path.exists(k + '/d'))


children = []
for kind in (Sitter, Writer, Renamer, Dropper):
    if kind.__name__ not in kinds:
        continue
    pid = os.fork()
    if pid:
        children.append((kind.__name__, pid))
        continue
    worker, i = kind(), 0
    while not os.path.exists(stop) or not i:
        worker.step(i)
        i += 1
    os.write(1, f'{kind.__name__} {i}\n'.encode())  # at once: others write there, too
    os._exit(0)
failed = [name for name, pid in children if os.waitpid(pid, 0)[1]]
sys.exit(f'failed: {failed}' if failed else 0)
