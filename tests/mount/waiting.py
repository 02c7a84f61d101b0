#!/usr/bin/env python3
"""waiting.py MNT PID SEED: make a keyspace whose files wait for schema.cql, and kill
the daemon PID (SIGKILL) at some moment while that is written.

waiting.py MNT look SEED: write schema.cql again; print what is not there, or is wrong.
"""
import os
import random
import signal
import sys
import threading
import time

KEYSPACE = os.path.join(sys.argv[1], "w" + sys.argv[3])
COUNT = 40
SCHEMA = """CREATE KEYSPACE w WITH replication = {'class': 'SimpleStrategy', 'replication_factor': '1'} AND durable_writes = true;
CREATE TABLE w.deep (p text, c int, d text, st text static, a text, m map<text, text>, PRIMARY KEY (p, c, d));
CREATE TABLE w.pair (p int, q text, c int, a text, PRIMARY KEY ((p, q), c));
CREATE TABLE w.counts (p text, c int, n counter, PRIMARY KEY (p, c));
CREATE TABLE w.one (p text PRIMARY KEY, a text);
"""
FILES = {}
for i in range(COUNT):
    FILES["deep/p%d/1/d/a" % i] = FILES["deep/p%d/@static/st" % i] = "deep %d\n" % i
    FILES["deep/q/%d/d/m/k" % i] = FILES["one/%d/a" % i] = "text %d\n" % i
    FILES["pair/%d,x/1/a" % i] = "pair %d\n" % i
    FILES["counts/p/%d/n" % i] = "%d\n" % (i + 1)


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def fill_and_kill(pid, seed):
    for path, text in FILES.items():
        path = os.path.join(KEYSPACE, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write(path, text)
    delay = random.Random(seed).random() * .05
    threading.Thread(target=lambda: (time.sleep(delay), os.kill(pid, signal.SIGKILL))).start()
    try:
        write(os.path.join(KEYSPACE, "schema.cql"), SCHEMA)
    except OSError:
        pass


def look():
    write(os.path.join(KEYSPACE, "schema.cql"), SCHEMA)
    found = {}
    for path, _, names in os.walk(KEYSPACE):
        for name in names:
            with open(os.path.join(path, name)) as f:
                found[os.path.relpath(os.path.join(path, name), KEYSPACE)] = f.read()
    del found["schema.cql"]
    wrong = sorted(p for p in set(found) | set(FILES) if found.get(p) != FILES.get(p))
    if wrong:
        print(len(wrong), "files are not as they were written:", *wrong[:6])


if sys.argv[2] == "look":
    look()
else:
    fill_and_kill(int(sys.argv[2]), int(sys.argv[3]))
