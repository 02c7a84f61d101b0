"""no_memory.py WIDEFSCTL mount|store PLACE WORK: the commands without the memory of one allocation.

It fails in a program that is built for tests (WIDEFS_TEST_NO_MEMORY), be it the 1st, the 2nd
or a later one, at growing distances: $FIRST and $GROWTH say which. Whichever it is: the status
is 0 only with all of the output, and with all that was to be written; else it is 1 and standard
error says what was missing, and nothing else that seems wrong.
"""
import os
import re
import shutil
import subprocess
import sys

CTL, KIND, PLACE, WORK = sys.argv[1:]
FIRST = int(os.environ["FIRST"])
GROWTH = float(os.environ["GROWTH"])
FAILED = f"{WORK}/failed"   # there after an allocation has failed
REASON = "Cannot allocate memory"
REPORT = re.compile(r"^[0-9]+ rows? imported|: [0-9]+ rows? written, |^Warnings :|^Aggregation query|^$")
passed = failed = hit = 0


def run(arguments, text=b"", number=0):
    environment = dict(os.environ)
    if number:
        environment |= {"WIDEFS_TEST_NO_MEMORY": str(number), "WIDEFS_TEST_NO_MEMORY_SAID": FAILED}
    return subprocess.run([CTL, *arguments], input=text, capture_output=True, env=environment, timeout=120, check=False)


def must(*arguments, text=b""):
    done = run(arguments, text)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def breach(done, result, whole):
    """What is wrong with a run, or None."""
    said = done.stderr.decode(errors="replace").rstrip().split("\n")
    if done.returncode == 0:
        return None if result(done.stdout) == whole else f"status 0, and not all is there: {said}"
    if done.returncode != 1 or REASON not in done.stderr.decode(errors="replace"):
        return f"status {done.returncode}: {said}"
    odd = [line for line in said if REASON not in line and not REPORT.search(line)]
    return f"it says {odd}" if odd else None


def sweep(prepare, arguments, result, text=b""):
    """result: what the command made, from what it printed."""
    global passed, failed, hit
    prepare()
    done = run(arguments, text)
    assert done.returncode == 0, (arguments, done)
    whole, number = result(done.stdout), FIRST
    while True:
        prepare()
        if os.path.exists(FAILED):
            os.unlink(FAILED)
        done = run(arguments, text, number)
        wrong = breach(done, result, whole)
        if wrong:
            failed += 1
            print(f"FAIL: {KIND}: {' '.join(arguments)[:120]}, allocation {number}: {wrong}")
        else:
            passed += 1
        if not os.path.exists(FAILED):
            break
        hit += 1
        number += 1 + int(number * GROWTH)


SCHEMA = b"""
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TYPE k.u (a int, b text);
CREATE TABLE k.t (p int, c int, v text, s set<int>, m map<int, text>, l list<text>, w frozen<u>, d timestamp,
    PRIMARY KEY (p, c));
CREATE TABLE k.count (p int PRIMARY KEY, n counter);
CREATE TABLE k."Odd" ("P" text PRIMARY KEY, s text);
CREATE INDEX vi ON k.t (v);
"""
ROWS = b"".join(b"INSERT INTO k.t (p, c, v, s, m, l, w, d) VALUES (%d, %d, '%s', {1, %d}, {1: 'x'}, ['a', 'b'], "
                b"{a: %d, b: 'it''s'}, %d) USING TIMESTAMP 1000;\n" % (i % 3, i, b"text, \"%d\"" % i * (i % 7), i + 2, i, i * 1000)
                for i in range(20)) + b"""
UPDATE k.t USING TIMESTAMP 2000 SET l = l + ['c'], m[7] = 'y' WHERE p = 1 AND c = 1;
UPDATE k.count SET n = n + 3 WHERE p = 1;
INSERT INTO k."Odd" ("P", s) VALUES ('it''s', 'v') USING TIMESTAMP 5;
"""
INSERTS = b"\n".join(line for line in ROWS.split(b"\n") if b"INTO k.t" in line)


def nothing():
    pass


def identity(printed):
    return printed


def made(name):
    def read(printed):
        with open(name, "rb") as file:
            return file.read()
    return read


def read(*arguments, result=identity, text=b""):
    sweep(nothing, arguments, result, text)


KEPT, TABLE = f"{WORK}/kept", f"{PLACE}/k/t"
CSV, NDJSON, COPIED = f"{WORK}/rows.csv", f"{WORK}/rows.ndjson", f"{WORK}/copied.csv"
CAPTURED = f"{WORK}/captured"
must("load", PLACE, text=SCHEMA + ROWS)
if KIND == "store":
    shutil.copytree(PLACE, KEPT)

# What is printed, or written to a file.
read("dump", PLACE)
read("schema", PLACE, "k.t")
read("export", TABLE, CSV, result=made(CSV))
read("export", "-n", "NULL", TABLE)
read("export", TABLE, NDJSON, result=made(NDJSON))
for mode in ("table", "csv", "json", "line"):
    read("cql", PLACE, "-m", mode, "-e", "SELECT * FROM k.t")
read("cql", PLACE, "-e", "SELECT p, c FROM k.t WHERE p = 1 AND c > 5 ORDER BY c DESC; DESCRIBE TABLE k.t; SELECT JSON * FROM k.t LIMIT 3")
read("cql", PLACE, "-k", "k", "-m", "csv", text=b"SELECT v\nFROM t\nWHERE p = 2;\nSELECT count(*) FROM t;\nSELECT * FROM count;")
read("cql", PLACE, "-e", f"COPY k.t TO '{COPIED}' WITH HEADER = true", result=made(COPIED))
read("cql", PLACE, "-e", "COPY k.t (p, c, v, d) TO STDOUT WITH DATETIMEFORMAT = '%Y' AND NULL = 'n' AND BEGINTOKEN = '-9000000000000000000'")
sweep(lambda: open(CAPTURED, "w").close(), ("cql", PLACE, "-e", f"CAPTURE '{CAPTURED}'; SELECT * FROM k.t"), made(CAPTURED))
read("stats", PLACE, result=lambda text: text.count(b"\n"))


# What is written: the rows afterwards.
def empty():
    if KIND == "store":
        shutil.rmtree(PLACE)
        shutil.copytree(KEPT, PLACE)
    must("cql", PLACE, "-e", "TRUNCATE k.t")


def rows(_):
    return must("cql", PLACE, "-m", "csv", "-e", "SELECT * FROM k.t")


def write(*arguments, text=b"", result=rows, prepare=empty):
    sweep(prepare, arguments, result, text)


write("load", PLACE, text=INSERTS)
write("import", TABLE, NDJSON)
write("import", "-e", f"{WORK}/refused", "-n", "NULL", TABLE, CSV)
write("cql", PLACE, "-e", f"COPY k.t FROM '{COPIED}' WITH HEADER = true AND ERRFILE = '{WORK}/refused'")
write("cql", PLACE, text=INSERTS)
write("cql", PLACE, "-e", "BEGIN BATCH INSERT INTO k.t (p, c, v) VALUES (1, 1, 'x'); INSERT INTO k.t (p, c, v) VALUES (1, 2, 'y');"
      "APPLY BATCH; DELETE FROM k.t WHERE p = 1 AND c = 1")
if KIND == "store":
    empty()
    read("check", PLACE, result=lambda text: re.sub(rb"[0-9.]+ s\b", b"", text))
    write("repair", PLACE, f"{WORK}/repaired", prepare=lambda: shutil.rmtree(f"{WORK}/repaired", ignore_errors=True),
          result=lambda _: must("dump", f"{WORK}/repaired"))
else:
    def drop():
        for name in os.listdir(f"{PLACE}/.snapshots"):
            os.rmdir(f"{PLACE}/.snapshots/{name}")

    write("snapshot", "create", PLACE, "one", prepare=drop, result=lambda _: os.listdir(f"{PLACE}/.snapshots"))
    read("snapshot", "list", PLACE, result=lambda text: text.count(b"\n"))
    read("flush", PLACE)
    read("sstable", next(os.path.join(d, f) for d, _, names in os.walk(os.path.dirname(PLACE) + "/store") for f in names
                         if f.endswith(".sst")))
    read("scrub", "--wait", PLACE, result=lambda text: re.sub(rb"[0-9]+", b"", text))
print(f"{passed} {failed} {hit}")
