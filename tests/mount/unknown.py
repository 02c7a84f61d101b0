"""Calls by path of many processes on one row, some of which change it: no open and no
stat may be ESTALE, and what is read is whole. usage: unknown.py MOUNT SEED SECONDS"""
import collections
import errno
import os
import random
import signal
import sys
import time
import traceback

M, SEED, SECONDS = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
ROW = M + '/k/t/1/r'
# Writers share what is pending: texts of one size are whole all the same.
CELLS = {'a': 50, 'b': 20000}


def text(r, cell):
    return r.choice('abcdefgh') * CELLS[cell]


def read(r):
    cell = r.choice('ab')
    with open(f'{ROW}/{cell}') as f:
        got = f.read()
    if got != got[:1] * CELLS[cell] + '\n':
        raise ValueError(f'{cell}: {len(got)} bytes, {got[:20]!r} to {got[-20:]!r}')


def stat(r):
    cell = r.choice('ab')
    size = os.stat(f'{ROW}/{cell}').st_size
    if size not in (0, CELLS[cell] + 1):    # 0: it is being made
        raise ValueError(f'{cell}: size {size}')


def put(r, flags):
    cell = r.choice('ab')
    fd = os.open(f'{ROW}/{cell}', os.O_WRONLY | flags, 0o644)
    try:
        os.write(fd, text(r, cell).encode() + b'\n')
    finally:
        try:    # of an open file: its row may be gone
            os.close(fd)
        except OSError as e:
            if e.errno not in (errno.ENOENT, errno.ESTALE):
                raise


def replace(r):
    cell = r.choice('ab')
    name = f'{ROW}/.{cell}.{os.getpid() % 1000000:06}'
    with open(name, 'w') as f:
        f.write(text(r, cell) + '\n')
    os.rename(name, f'{ROW}/{cell}')


def cql(statement):
    fd = os.open(M + '/.cql', os.O_RDWR)
    try:
        os.write(fd, statement.encode())
        os.read(fd, 1)
    finally:
        os.close(fd)


def delete(r):
    cql(f"DELETE FROM k.t WHERE p = 1 AND c = 'r'; INSERT INTO k.t (p, c, a, b) VALUES (1, 'r', '{text(r, 'a')}', '{text(r, 'b')}');")


def write(r):
    kind = r.randrange(10)
    if kind < 3:
        put(r, os.O_TRUNC | os.O_CREAT)
    elif kind < 5:
        put(r, os.O_TRUNC)
    elif kind == 5:
        replace(r)
    elif kind == 6:
        os.unlink(f'{ROW}/{r.choice("ab")}')
    elif kind == 7:
        delete(r)
    elif kind == 8:
        os.listdir(ROW)
    else:
        cql(f"UPDATE k.t SET a = '{text(r, 'a')}' WHERE p = 1 AND c = 'r';")


def run(number, ends):
    r = random.Random(SEED * 100 + number)
    said = collections.Counter()
    while time.time() < ends:
        call = write if number < 4 else read if r.random() < .7 else stat
        try:
            call(r)
            said['done'] += 1
        except FileNotFoundError:
            said['missing'] += 1
        except (OSError, ValueError) as e:
            at = traceback.extract_tb(e.__traceback__)[-1]
            print(f'seed {SEED}, process {number}: {at.line}: {e!r}', flush=True)
            return 1
    return 0 if said['done'] >= 20 else print(f'process {number}: only {said}', flush=True) or 1


def main():
    delete(random.Random(SEED))
    ends, pids = time.time() + SECONDS, []
    for number in range(8):
        pid = os.fork()
        if not pid:
            os._exit(run(number, ends))
        pids.append(pid)
    signal.signal(signal.SIGALRM, lambda *_: (print('the processes did not end', flush=True), os._exit(1)))
    signal.alarm(int(SECONDS) + 90)
    sys.exit(any([os.waitpid(pid, 0)[1] for pid in pids]))


main()
