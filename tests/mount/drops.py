"""Processes that make and rename a table and a keyspace by path while others drop
them: no call has another error than that the name is there, or is not, and every
statement succeeds.

    drops.py MOUNT SECONDS
"""
import errno, os, sys, time

M, END = sys.argv[1], time.time() + float(sys.argv[2])
USUAL = {errno.EEXIST, errno.ENOENT, errno.ENOTEMPTY}


def cql(text):
    fd = os.open(M + '/.cql', os.O_RDWR)
    os.write(fd, text.encode())
    os.close(fd)


CALLS = [
    lambda: os.mkdir(M + '/k/x'),
    lambda: cql('DROP TABLE IF EXISTS k.x;\n'),
    lambda: os.rename(M + '/k/x', M + '/k/y'),
    lambda: cql('DROP TABLE IF EXISTS k.y;\n'),
    lambda: os.mkdir(M + '/made'),
    lambda: cql('DROP KEYSPACE IF EXISTS made;\n'),
    lambda: os.rename(M + '/made', M + '/moved'),
    lambda: cql('DROP KEYSPACE IF EXISTS moved;\n'),
]


def run(number):
    done = 0
    while time.time() < END:
        try:
            CALLS[number]()
            done += 1
        except OSError as e:
            if number % 2 or e.errno not in USUAL:
                print(f'call {number}: {e}', flush=True)
                return 1
    print(f'call {number}: {done} times', flush=True)
    return not done


children = []
for i in range(len(CALLS)):
    pid = os.fork()
    if not pid:
        os._exit(run(i))
    children.append(pid)
sys.exit(any([os.waitpid(pid, 0)[1] for pid in children]))
