"""Copiers make directories and set attributes, by path and by descriptor, while
another writes the schema.cql of their tables: copyin_order.py MOUNT SEED ROUNDS. No
call fails, and nothing is missing afterwards."""
import os
import random
import sys
import tempfile

mount, seed, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
TABLES = ["t%d" % i for i in range(8)]
CREATE = "CREATE TABLE %s.%s (p text, c int, v text, PRIMARY KEY (p, c));\n"


class Copier:
    def __init__(self, r, keyspace, mine):
        self.r, self.mine, self.made, self.failed = r, mine, [], False
        self.tables = ["%s/%s" % (keyspace, t) for t in TABLES]
        self.open = [os.open(t, os.O_RDONLY) for t in self.tables]

    def attempt(self, what, call, *args):
        try:
            call(*args)
        except OSError as e:
            print("%s%s: %s" % (what, args, e), flush=True)
            self.failed = True

    def make(self):
        at = self.r.choice(self.tables + [m for m in self.made if m[-1] == "x"])
        new = "%s/%s" % (at, "%d" % self.r.randrange(1 << 20) if at[-1] == "x" else
                         "%s%dx" % (self.mine, self.r.randrange(1 << 20)))
        if new not in self.made:
            self.attempt("mkdir", os.mkdir, new)
            self.made.append(new)

    def step(self):
        what = self.r.randrange(9)
        any_of = self.r.choice(self.made or self.tables)
        if what == 0:
            self.attempt("chmod", os.chmod, self.r.choice(self.tables), 0o755)
        elif what == 1:
            self.attempt("fchmod", os.fchmod, self.r.choice(self.open), 0o755)
        elif what == 2:
            self.attempt("utime", os.utime, any_of, (1e9, 1e9))
        elif what == 3:
            self.attempt("fstat", os.fstat, self.r.choice(self.open))
        elif what == 4:
            self.attempt("stat", os.stat, any_of)
        elif what == 5 and self.made:
            last = self.made[-1]
            if not any(m.startswith(last + "/") for m in self.made):
                self.attempt("rmdir", os.rmdir, last)
                self.made.pop()
        else:
            self.make()

    def run(self, go, done):
        for _ in range(20):
            self.step()
        os.write(go, b"x")
        while not os.path.exists(done):
            self.step()
        for _ in range(20):
            self.step()
        for path in self.made:
            self.attempt("stat at the end", os.stat, path)
        return self.failed


def one_round(n, done):
    keyspace = "%s/order%d" % (mount, n)
    os.mkdir(keyspace)
    for t in TABLES:
        os.mkdir("%s/%s" % (keyspace, t))
    come, go = os.pipe()
    copiers = []
    for mine in "ab":
        copiers.append(os.fork())
        if not copiers[-1]:
            r = random.Random("%d %d %s" % (seed, n, mine))
            os._exit(Copier(r, keyspace, mine).run(go, done))
    os.close(go)
    for _ in copiers:
        os.read(come, 1)
    os.close(come)
    try:
        fd = os.open(keyspace + "/schema.cql", os.O_WRONLY | os.O_CREAT, 0o644)
        os.write(fd, "".join(CREATE % ("order%d" % n, t) for t in TABLES).encode())
        os.close(fd)
    finally:
        open(done, "w").close()
        failed = [os.waitpid(c, 0)[1] for c in copiers]
        os.unlink(done)
    return any(failed)


with tempfile.TemporaryDirectory() as away:
    bad = sum(one_round(n, away + "/done") for n in range(rounds))
if bad:
    sys.exit("seed %d: %d of %d rounds failed" % (seed, bad, rounds))
