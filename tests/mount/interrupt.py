#!/usr/bin/env python3
"""interrupt.py CONSOLE DAEMON_PID STATEMENT: a signal while a query runs.

Writes STATEMENT to CONSOLE (.cql and its kin), which runs it up to its first
row. The daemon is stopped before the write, the signal is sent when that waits,
and then the daemon goes on: so the order is certain. Prints the errno of the
write, or the answer.
"""
import ctypes, errno, os, signal, sys

libc = ctypes.CDLL(None, use_errno=True)


def state(pid):
    with open("/proc/%d/stat" % pid) as f:
        return f.read().rsplit(")", 1)[1].split()[0]


def answer_of(fd, statement):
    libc.siginterrupt(signal.SIGINT, 1)
    # Not os.write: that one tries again.
    if libc.write(fd, statement, len(statement)) < 0:
        return errno.errorcode[ctypes.get_errno()]
    return os.read(fd, 1 << 16).decode()


console, daemon, statement = sys.argv[1], int(sys.argv[2]), sys.argv[3].encode()
fd = os.open(console, os.O_RDWR)
begin, begun = os.pipe()
out, into = os.pipe()
child = os.fork()
if child == 0:
    signal.signal(signal.SIGINT, lambda *_: None)
    os.write(begun, b"x")
    os.read(out, 1)		# the daemon is stopped
    os.write(1, (answer_of(fd, statement) + "\n").encode())
    os._exit(0)
os.read(begin, 1)
os.kill(daemon, signal.SIGSTOP)
try:
    while state(daemon) != "T":
        pass
    os.close(out)
    while state(child) != "S":	# in its read of the pipe
        pass
    os.write(into, b"x")
    with open("/proc/%d/syscall" % child) as f:
        while True:
            f.seek(0)
            call = f.read().split()
            if call[0] == "1" and int(call[1], 16) == fd:	# its write
                break
    os.kill(child, signal.SIGINT)
finally:
    os.kill(daemon, signal.SIGCONT)
os.waitpid(child, 0)
