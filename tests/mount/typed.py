#!/usr/bin/env python3
"""typed.py KEYS PROGRAM [ARGUMENTS]: a program that draws on a whole terminal.

KEYS are typed one by one, `|` between them, with escapes as Python writes them
(\\r \\x1b): each when something has been shown and nothing came for 0.3 s. Prints
all that was shown, and ends as the program does; after 60 s the program is killed.
Where the answers are text, terminal.py waits for them instead.
"""
import os, pty, select, sys, time

keys = [key.encode().decode("unicode_escape").encode("latin-1") for key in sys.argv[1].split("|")]
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execvp(sys.argv[2], sys.argv[2:])
shown, last, end = b"", time.monotonic(), time.monotonic() + 60
while time.monotonic() < end:
    if select.select([fd], [], [], 0.05)[0]:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        shown, last = shown + data, time.monotonic()
    elif keys and shown and time.monotonic() - last > 0.3:
        os.write(fd, keys.pop(0))
        last = time.monotonic()
else:
    os.kill(pid, 9)
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
