#!/usr/bin/env python3
"""typed.py KEYS PROGRAM [ARGUMENTS]: a program that draws on a whole terminal.

KEYS are typed one by one, `|` between them, with escapes as Python writes them
(\\r \\x1b): each when something was shown since the one before (or for 5 s nothing) and
the program has waited for keys for 0.3 s. Prints all that was shown, and ends as the
program does; after 120 s the program is killed.
Where the answers are text, terminal.py waits for them instead.
"""
import fcntl, os, pty, select, struct, sys, termios, time

keys = [key.encode().decode("unicode_escape").encode("latin-1") for key in sys.argv[1].split("|")]
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    # So wide that no message with a path is cut.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 300, 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])


def waits_for_keys():
    """True if it sleeps, but not in a call to a mount."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            state = f.read().rsplit(")", 1)[1].split()[0]
        with open("/proc/%d/wchan" % pid) as f:
            return state == "S" and "request_wait" not in f.read()
    except OSError:
        return False


shown, seen, last, end = b"", 0, time.monotonic(), time.monotonic() + 120
while time.monotonic() < end:
    if select.select([fd], [], [], 0.05)[0]:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        shown, last = shown + data, time.monotonic()
    elif not waits_for_keys():
        last = time.monotonic()
    elif keys and shown and time.monotonic() - last > (0.3 if len(shown) > seen else 5):
        os.write(fd, keys.pop(0))
        seen, last = len(shown), time.monotonic()
else:
    os.kill(pid, 9)
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
