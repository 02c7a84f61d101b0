#!/usr/bin/env python3
"""terminal.py PROGRAM [ARGUMENTS] < STEPS: a session on a pseudo-terminal.

Steps are lines: `> TEXT` types TEXT (with escapes \\t \\r \\x03), `< TEXT` waits
until TEXT has come since the last step that waited. Nothing depends on time:
what is typed next is typed when the answer is there. Fails, with all that came,
when an answer does not come in 30 seconds. `.` expects the end and prints the
exit status.
"""
import os, pty, re, select, sys, time

LIMIT_S = 30


def main():
    steps = [line.rstrip("\n") for line in sys.stdin]
    pid, fd = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm"
        os.execv(sys.argv[1], sys.argv[1:])
    seen = b""
    looked = 0
    ended = False

    def plain(data):
        """Without the sequences that move the cursor."""
        return re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()=>].?|\r|\x07", b"", data)

    def pump(until):
        nonlocal seen, ended
        end = time.monotonic() + LIMIT_S
        while not until():
            left = end - time.monotonic()
            if left <= 0:
                return False
            ready, _, _ = select.select([fd], [], [], left)
            if ready:
                try:
                    data = os.read(fd, 65536)
                except OSError:
                    data = b""
                if not data:
                    ended = True
                    return until()
                seen += data
        return True

    for number, step in enumerate(steps, 1):
        kind, text = step[:1], step[2:]
        if kind == ">":
            os.write(fd, text.encode().decode("unicode_escape").encode("latin-1")
                     if "\\" in text else text.encode())
        elif kind == "<":
            want = text.encode()

            def come():
                at = plain(seen).find(want, looked)
                return at >= 0

            if not pump(come):
                sys.stdout.write("step %d: %r did not come; since then:\n%s\n" % (
                    number, text, plain(seen)[looked:].decode(errors="replace")))
                os.kill(pid, 9)
                os.waitpid(pid, 0)
                return 1
            looked = plain(seen).find(want, looked) + len(want)
        elif kind == ".":
            pump(lambda: ended)
            if not ended:
                print("it does not end")
                os.kill(pid, 9)
            _, status = os.waitpid(pid, 0)
            print("status", os.waitstatus_to_exitcode(status))
            if status:
                print("its last words:\n" + plain(seen)[looked:].decode(errors="replace"))
            return 0
    return 0


sys.exit(main())
