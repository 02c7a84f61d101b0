#!/usr/bin/env python3
"""locks.py WHAT FILE: locks of flock and fcntl between processes.

Prints what is not as on any filesystem; nothing when all is well. No step is
timed: who waits is seen in /proc, and who was let in says so.
"""
import errno, fcntl, itertools, os, select, signal, sqlite3, struct, sys

MODES = {"r": os.O_RDONLY, "w": os.O_WRONLY, "rw": os.O_RDWR}
SYSCALLS = {"flock": "73", "fcntl": "72"}


def flock_of(kind, first, count):
    return struct.pack("hhqqi4x", kind, 0, first, count, 0)


class Interrupted(Exception):
    pass


def on_alarm(*_):
    raise Interrupted


class Process:
    """A process that does what it is told, and answers with a word."""

    def __init__(self, path):
        down, self.tell = os.pipe()
        self.hear, up = os.pipe()
        self.pid = os.fork()
        if self.pid:
            os.close(down)
            os.close(up)
            self.left = b""
            return
        os.close(self.tell)
        os.close(self.hear)
        signal.signal(signal.SIGALRM, on_alarm)
        fds = {}
        for line in os.fdopen(down):
            if line == "end\n":
                break
            try:
                answer = self.do(path, fds, *line.split())
            except Interrupted:
                answer = "EINTR"
            except OSError as e:
                answer = "EDEADLK" if e.errno == errno.EDEADLK else errno.errorcode[e.errno]
            os.write(up, (str(answer) + "\n").encode())
        os._exit(0)

    @staticmethod
    def do(path, fds, what, name="", *rest):
        if what == "open":
            fds[name] = os.open(path, MODES[rest[0]])
        elif what == "close":
            os.close(fds.pop(name))
        elif what == "flock":
            flags = {"ex": fcntl.LOCK_EX, "sh": fcntl.LOCK_SH, "un": fcntl.LOCK_UN}[rest[0]]
            fcntl.flock(fds[name], flags | (0 if "wait" in rest else fcntl.LOCK_NB))
        elif what in ("fcntl", "ofd"):
            kind = {"ex": fcntl.F_WRLCK, "sh": fcntl.F_RDLCK, "un": fcntl.F_UNLCK}[rest[0]]
            first, count = (int(rest[1]), int(rest[2])) if len(rest) > 2 else (0, 0)
            command = (fcntl.F_SETLKW if "wait" in rest else fcntl.F_SETLK) if what == "fcntl" else (
                38 if "wait" in rest else 37)
            fcntl.fcntl(fds[name], command, flock_of(kind, first, count))
        elif what == "holder":
            got = fcntl.fcntl(fds[name], fcntl.F_GETLK, flock_of(fcntl.F_WRLCK, int(rest[0]), int(rest[1])))
            kind, _, first, count, pid = struct.unpack("hhqqi4x", got)
            return "none" if kind == fcntl.F_UNLCK else "%d,%d,%d" % (first, count, pid)
        elif what == "write":
            os.write(fds[name], rest[0].encode() + b"\n")
        elif what == "fork":    # a child that has all descriptors, until it is told
            begin, begun = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(begun)
                os.read(begin, 1)
                os._exit(0)
            os.close(begin)
            fds["child"] = begun
        return "ok"

    def send(self, words):
        os.write(self.tell, (words + "\n").encode())

    def answer(self):
        while b"\n" not in self.left:
            more = os.read(self.hear, 4096)
            if not more:
                return "gone"
            self.left += more
        line, _, self.left = self.left.partition(b"\n")
        return line.decode()

    def __call__(self, words):
        self.send(words)
        return self.answer()

    def wait_in(self, words):
        """Send it, and return when its call waits."""
        self.send(words)
        number = SYSCALLS["flock" if words.startswith("flock") else "fcntl"]
        while True:
            with open("/proc/%d/syscall" % self.pid) as f:
                call = f.read().split()[0]
            with open("/proc/%d/stat" % self.pid) as f:
                state = f.read().rsplit(")", 1)[1].split()[0]
            if call == number and state in "SD":
                return

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        self.closed()

    def end(self):
        self.send("end")
        self.closed()

    def closed(self):
        os.close(self.tell)
        os.close(self.hear)
        os.waitpid(self.pid, 0)


def is_(what, expected, actual):
    if expected != actual:
        print("%s: %s instead of %s" % (what, actual, expected))


def one_order(all_, modes, late):
    """The three open the file in that order; late: the last one only then."""
    a, b, c = all_
    name = "flock, opened " + " ".join(modes) + (" late" if late else "")
    for p, mode in zip(all_[:2] if late else all_, modes):
        is_(name, "ok", p("open f " + mode))
    is_(name + ": first", "ok", a("flock f ex"))
    if late:
        is_(name, "ok", c("open f " + modes[2]))
    is_(name + ": second", "EAGAIN", b("flock f sh"))
    is_(name + ": third", "EAGAIN", c("flock f ex"))
    is_(name + ": unlocked", "ok", a("flock f un"))
    is_(name + ": shared", "ok", b("flock f sh"))
    is_(name + ": shared by two", "ok", c("flock f sh"))
    is_(name + ": not alone", "EAGAIN", a("flock f ex"))
    is_(name, "ok", b("close f"))
    is_(name + ": one less", "EAGAIN", a("flock f ex"))
    is_(name, "ok", c("close f"))
    is_(name + ": the other too", "ok", a("flock f ex"))
    is_(name, "ok", a("close f"))


def one_order_of_ranges(all_, modes):
    a, b, c = all_
    name = "fcntl, opened " + " ".join(modes)
    kinds = ["sh" if m == "r" else "ex" for m in modes]
    for p, mode in zip(all_, modes):
        is_(name, "ok", p("open f " + mode))
    is_(name + ": first", "ok", a("fcntl f %s 10 10" % kinds[0]))
    excludes = "EAGAIN" if "ex" in kinds[:2] else "ok"
    is_(name + ": second", excludes, b("fcntl f %s 19 1" % kinds[1]))
    is_(name + ": beside it", "ok", b("fcntl f %s 20 5" % kinds[1]))
    is_(name + ": the holder", "10,10,%d" % a.pid, c("holder f 0 19"))
    is_(name + ": third", "EAGAIN" if "ex" in (kinds[0], kinds[2]) else "ok", c("fcntl f %s 0 19" % kinds[2]))
    is_(name, "ok", a("close f"))
    is_(name + ": the first has closed", "ok", c("fcntl f %s 0 19" % kinds[2]))
    for p in (b, c):
        is_(name, "ok", p("close f"))


def orders(path):
    all_ = [Process(path) for _ in range(3)]
    for modes in itertools.product(MODES, repeat=3):
        one_order(all_, modes, False)
        one_order(all_, modes, True)
        one_order_of_ranges(all_, modes)
    for p in all_:
        p.end()


def waits(path):
    for lock in ("flock f ex", "fcntl f ex", "ofd f ex"):
        for end in ("unlock", "close", "kill"):
            a, b = Process(path), Process(path)
            name = lock + ", " + end
            is_(name, "ok", a("open f rw"))
            is_(name, "ok", b("open f rw"))
            is_(name, "ok", a(lock))
            b.wait_in(lock + " wait")
            if end == "kill":
                a.kill()
            else:
                is_(name, "ok", a("close f" if end == "close" else lock.replace("ex", "un")))
            is_(name + ": who waited", "ok", b.answer())
            b.end()
            if end != "kill":
                a.end()
        a, b, c = [Process(path) for _ in range(3)]
        for p in (a, b, c):
            is_(lock, "ok", p("open f rw"))
        is_(lock, "ok", a(lock))
        b.wait_in(lock + " wait")
        c.wait_in(lock + " wait")
        os.kill(b.pid, signal.SIGALRM)
        is_(lock + ": interrupted", "EINTR", b.answer())
        c.kill()
        is_(lock + ": still", "EAGAIN", b(lock))
        is_(lock, "ok", a("close f"))
        is_(lock + ": neither has it", "ok", b(lock))
        a.end()
        b.end()


def deadlock(path):
    for count in (2, 3):
        all_ = [Process(path) for _ in range(count)]
        for i, p in enumerate(all_):
            is_("deadlock", "ok", p("open f rw"))
            is_("deadlock", "ok", p("fcntl f ex %d 1" % i))
        for i, p in enumerate(all_[:-1]):
            p.wait_in("fcntl f ex %d 1 wait" % (i + 1))
        all_[-1].send("fcntl f ex 0 1 wait")
        # Whose call comes last to the daemon closes the circle: any of them may.
        hear = select.select([p.hear for p in all_], [], [], 300)[0]
        last = [p.hear for p in all_].index(hear[0])
        is_("deadlock of %d" % count, "EDEADLK", all_[last].answer())
        for p in (all_ + all_)[last + count:last:-1]:
            is_("deadlock", "ok", p("close f"))
            before = all_[all_.index(p) - 1]
            if before is not all_[last]:
                is_("deadlock, next", "ok", before.answer())
        for p in all_:
            p.end()


def closes(path):
    # Any close of a process drops its locks of fcntl.
    for mode in MODES:
        a, b = Process(path), Process(path)
        is_("close", "ok", a("open f rw"))
        is_("close", "ok", a("fcntl f ex"))
        is_("close", "ok", a("open g " + mode))
        is_("close", "ok", b("open f rw"))
        is_("close", "EAGAIN", b("fcntl f ex"))
        is_("close", "ok", a("close g"))
        is_("after a close of another descriptor, " + mode, "ok", b("fcntl f ex"))
        a.end()
        b.end()
    # Those of flock, and F_OFD_SETLK, stay until the last.
    for lock in ("flock f ex", "ofd f ex"):
        a, b = Process(path), Process(path)
        is_("fork", "ok", a("open f rw"))
        is_("fork", "ok", a(lock))
        is_("fork", "ok", a("fork"))
        is_("fork", "ok", a("close f"))
        is_("fork", "ok", b("open f rw"))
        is_("the child has it: " + lock, "EAGAIN", b(lock))
        b.wait_in(lock + " wait")
        is_("fork", "ok", a("close child"))
        is_("the child has ended", "ok", b.answer())
        a.end()
        b.end()
    # A process that comes after a close never finds a lock that it has dropped.
    a, b = Process(path), Process(path)
    for i in range(400):
        first, second = (a, b) if i % 2 else (b, a)
        lock, mode = ("flock f ex", "ofd f sh")[i // 2 % 2], ("r", "rw")[i // 4 % 2]
        is_("close", "ok", first("open f " + mode))
        is_("close", "ok", first(lock))
        is_("close", "ok", second("open f rw"))
        is_("close", "ok", first("close f"))
        is_("after the close", "ok", second(lock.replace("sh", "ex")))
        is_("close", "ok", second("close f"))
    a.end()
    b.end()


def replaced(path):
    a, b = Process(path), Process(path)
    temporary = os.path.join(os.path.dirname(path), "." + os.path.basename(path) + ".AbCdEf")
    is_("replaced", "ok", a("open f rw"))
    is_("replaced", "ok", a("flock f ex"))
    is_("replaced", "ok", b("open old rw"))
    with open(temporary, "w") as f:
        f.write("x\n")
    os.rename(temporary, path)
    is_("replaced", "ok", b("open f rw"))
    is_("the new file is not locked", "ok", b("flock f ex"))
    is_("the old one is", "EAGAIN", b("flock old sh"))
    a.end()
    b.end()


def waiter(path):
    """Until it is told: for the end of the daemon."""
    a, b = Process(path), Process(path)
    is_("waiter", "ok", a("open f rw"))
    is_("waiter", "ok", a("flock f ex"))
    is_("waiter", "ok", b("open f rw"))
    b.wait_in("flock f ex wait")
    print("waits", flush=True)
    print(b.answer())
    b.end()
    a.kill()


def work(path, who, count):
    db = sqlite3.connect(path, timeout=600, isolation_level=None)
    for i in range(count):
        db.execute("BEGIN IMMEDIATE")
        db.execute("INSERT INTO t VALUES (?, ?, zeroblob(200))", (who, i))
        db.execute("COMMIT")


def watch(path, count):
    db = sqlite3.connect(path, timeout=600, isolation_level=None)
    seen = 0
    while seen < count:
        now = db.execute("SELECT count(*) FROM t").fetchone()[0]
        if now < seen:
            raise AssertionError("%d rows after %d" % (now, seen))
        seen = now


def database(path, journal, count):
    db = sqlite3.connect(path, timeout=600, isolation_level=None)
    is_("journal", (journal,), db.execute("PRAGMA journal_mode=" + journal).fetchone())
    db.execute("CREATE TABLE t (who INT, i INT, pad BLOB)")
    db.close()
    children = []
    for who in range(4):
        child = os.fork()
        if child == 0:
            try:
                work(path, who, count) if who < 2 else watch(path, 2 * count)
                os._exit(0)
            except BaseException as e:
                print("%s %d: %s" % (journal, who, e), flush=True)
                os._exit(1)
        children.append(child)
    for child in children:
        is_(journal + ": process", 0, os.waitpid(child, 0)[1])
    db = sqlite3.connect(path, timeout=600)
    is_(journal, ("ok",), db.execute("PRAGMA integrity_check").fetchone())
    is_(journal, [(who, count, count * (count - 1) // 2) for who in range(2)],
        db.execute("SELECT who, count(*), sum(i) FROM t GROUP BY who ORDER BY who").fetchall())
    db.close()


what, path = sys.argv[1:3]
if what == "database":
    database(path, sys.argv[3], int(sys.argv[4]))
else:
    {"orders": orders, "waits": waits, "deadlock": deadlock, "closes": closes,
     "replaced": replaced, "waiter": waiter}[what](path)
