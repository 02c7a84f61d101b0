"""A value that changes its length all the time, by all ways: who opens it and reads sees one of the values whole.

lengths.py MOUNT READS SEED

The kernel has one size of a file, and ignores an answer with attributes that a notice of a later change overtakes: a reader who asked
for the size would go on with that of an older value. Few readers, so that nobody holds the file at some changes. Prints each wrong
value; exit status 1 if there was one.
"""
import os
import random
import sys
import time

import console

MOUNT, READS, SEED = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
READERS = 4
FILE = MOUNT + '/k/t/1/a'


def put(path, flags, text):
    fd = os.open(path, os.O_WRONLY | flags, 0o644)
    os.write(fd, text.encode())
    os.close(fd)


def change(rng, text):
    way = rng.randrange(7)
    if way < 3:
        console.run(MOUNT, f"UPDATE k.t SET a = '{text}' WHERE id = 1;")
    elif way < 4:
        os.unlink(FILE)
    elif way < 6:
        put(MOUNT + '/k/t/1.json', os.O_APPEND, f'{{"a": "{text}"}}\n')
    else:
        put(FILE, os.O_CREAT | os.O_TRUNC, text + '\n')


def write(rng):
    while True:
        try:
            change(rng, rng.choice('123456789') * rng.choice([2, 7, 40]))
        except FileNotFoundError:
            pass
        if rng.random() < .5:
            time.sleep(rng.random() * .001)


def read(rng):
    wrong = done = 0
    while done < READS // READERS:
        try:
            fd = os.open(FILE, os.O_RDONLY)
        except FileNotFoundError:
            continue
        text = os.read(fd, 4096)
        os.close(fd)
        done += 1
        if not text.endswith(b'\n') or len(set(text[:-1])) != 1:
            wrong += 1
            print(f'seed {SEED}: read {text}', flush=True)
        if rng.random() < .3:
            time.sleep(rng.random() * .0005)
    return wrong


def start(function, seed):
    pid = os.fork()
    if not pid:
        status = 1
        try:
            status = bool(function(random.Random(seed)))
        finally:
            os._exit(status)
    return pid


def main():
    # What is there before is none of its values, and readers may come before the writer.
    console.run(MOUNT, "UPDATE k.t SET a = '1' WHERE id = 1;")
    writer = start(write, SEED * 100)
    readers = [start(read, SEED * 100 + 1 + i) for i in range(READERS)]
    wrong = sum(os.waitpid(pid, 0)[1] != 0 for pid in readers)
    ended = os.waitpid(writer, os.WNOHANG)[0]
    if not ended:
        os.kill(writer, 9)
        os.waitpid(writer, 0)
    print(f'seed {SEED}: {READS} reads of a value that changes its length, {wrong} readers saw a wrong one')
    return wrong or ended


sys.exit(1 if main() else 0)
