"""narrow.py HOW PROGRAM ARGUMENTS...: run it on a terminal of 40 columns; print what it printed there.

HOW: terminal, all of its output goes there; slow, its standard error alone does: the lines of its standard input come a
second later, all but the first, and its output is read a second later; held, it is stopped for a second when it has read
more than the first MiB of the file that FILE names. Fails if a line that is written over is wider than the terminal, or if there
is a sequence that neither colours nor ends a line. The first line says its status and how many lines were written over.
"""
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time

COLUMNS = 40
WAIT_S = 1.2
READ_BYTES = 1 << 20


def feed(stdin, to):
    rows = stdin.readlines()
    to.write(b''.join(rows[:1]))
    to.flush()
    time.sleep(WAIT_S)
    to.write(b''.join(rows[1:]))
    to.close()


def hold(pid):
    """Stop it when it has read so much of FILE."""
    name, end = os.environ['FILE'], time.monotonic() + 30
    while time.monotonic() < end:
        for fd in os.listdir(f'/proc/{pid}/fd'):
            try:
                if os.readlink(f'/proc/{pid}/fd/{fd}') == name and int(open(f'/proc/{pid}/fdinfo/{fd}').readline().split()[1]) > READ_BYTES:
                    os.kill(pid, signal.SIGSTOP)
                    time.sleep(WAIT_S)
                    os.kill(pid, signal.SIGCONT)
                    return
            except OSError:
                continue


def main():
    how, command = sys.argv[1], sys.argv[2:]
    here, there = pty.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack('HHHH', 10, COLUMNS, 0, 0))
    pipe = subprocess.PIPE if how == 'slow' else None
    child = subprocess.Popen(command, stdin=pipe or subprocess.DEVNULL, stdout=pipe or there, stderr=there,
                             env={**os.environ, 'TERM': os.environ.get('TERM', 'xterm')})
    os.close(there)
    if how == 'slow':
        feed(sys.stdin.buffer, child.stdin)
        child.stdout.read()
    elif how == 'held':
        hold(child.pid)
    seen = b''
    while True:
        try:
            data = os.read(here, 65536)
        except OSError:
            break
        if not data:
            break
        seen += data
    text = seen.decode().replace('\r\n', '\n')
    plain = re.sub(r'\x1b\[(?:K|[0-9;]*m)', '', text)
    over = [part for line in plain.split('\n') for part in line.split('\r')[:-1]]
    wide = [part for part in over if len(part) >= COLUMNS]
    print('status', child.wait(), 'over', bool(over), *(f'too wide: {part!r}' for part in wide))
    for sequence in re.findall(r'[\x00-\x08\x0b\x0c\x0e-\x1f\x7f].{0,9}', plain):
        print(f'a sequence: {sequence!r}')
    print(re.sub(r'\x1b\[K', '', text).replace('\r', '\n'), end='')


main()
