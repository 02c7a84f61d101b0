"""Compare what the daemon and the kernel keep as known with what there is. In each history some processes change a few rows in all the
ways that there are, while another one looks at all of it; then what is shown warm is shown again when the kernel has dropped its
caches, in a snapshot of that moment, of which nothing is known, and by documents.
usage: known.py MOUNT SEED HISTORIES PROCESSES FILE | known.py MOUNT again FILE"""
import json
import os
import random
import stat
import sys
import time

from known_changes import K, M, TABLES, Worker, cql
from known_look import Looker, is_directory, look, same_as_stored, schemaless
from said import said

TURNS = 12


class Process:
    """A worker, or who looks meanwhile, in a process of its own: a line asks for so many steps and is answered."""
    def __init__(self, run):
        ask, answer = os.pipe(), os.pipe()
        self.pid = os.fork()
        if not self.pid:
            os.close(ask[1])
            os.close(answer[0])
            status = 1
            try:
                with os.fdopen(ask[0]) as lines, os.fdopen(answer[1], 'w') as out:
                    run(lines, out)
                status = 0
            except BaseException as e:
                print(f'a process: {e!r}', flush=True)
            os._exit(status)
        os.close(ask[0])
        os.close(answer[1])
        self.ask, self.answer = os.fdopen(ask[1], 'w'), os.fdopen(answer[0])

    def tell(self, line):
        self.ask.write(line + '\n')
        self.ask.flush()

    def hear(self):
        line = self.answer.readline()
        if not line:
            sys.exit('a process ended')
        return json.loads(line)

    def end(self):
        self.ask.close()
        self.answer.close()
        os.waitpid(self.pid, 0)


def work(seed):
    def run(lines, out):
        w = Worker(seed)
        for line in lines:
            if line == 'close\n':
                for fd, _ in w.held:
                    said(os.close, fd)
                w.held, steps = [], 0
            else:
                steps = int(line)
            at = len(w.log)
            good = sum(any(w.step() for _ in range(4)) for _ in range(steps))
            out.write(json.dumps([good, [path for _, path in w.held], w.log[at:]]) + '\n')
            out.flush()
    return run


def watch(lines, out):
    """Looks until there is another line, or nobody to ask."""
    os.set_blocking(lines.fileno(), False)
    asker = os.getppid()
    while os.getppid() == asker:
        line = lines.readline()
        if line == 'stop\n':
            out.write('0\n')
            out.flush()
        elif line == 'end\n':
            return
        elif line == 'look\n':
            while not (line := lines.readline()):
                look(K)
            out.write('0\n')
            out.flush()
        else:
            time.sleep(.0005)


def clean():
    for name in os.listdir(M + '/.snapshots'):
        said(os.rmdir, f'{M}/.snapshots/{name}')


STARTS = ("INSERT INTO k.t (p, c, a, b) VALUES (1, 'x', 1, 'b')", "UPDATE k.t USING TTL 2 SET a = 1, v = 'v' WHERE p = 1 AND c = 'x'",
          "UPDATE k.t SET mp = {'q': 1}, l = [1, 2], st = {'q'}, s = 's' WHERE p = 2 AND c = 'y'", "INSERT INTO k.t (p, c) VALUES (1, 'y')",
          "INSERT INTO k.two (p, c, d, v) VALUES (1, 1, 1, 'v'); UPDATE k.two USING TTL 1 SET w = 3 WHERE p = 1 AND c = 1 AND d = 1",
          "UPDATE k.two SET w = 3 WHERE p = 1 AND c = 2 AND d = 2", 'UPDATE k.cnt SET n = n + 1, m = m + 1 WHERE p = 1 AND c = \'x\'',
          "INSERT INTO k.flat (p, a, b) VALUES ('x', 1, 'b')", "UPDATE k.flat USING TTL 1 SET b = 'b' WHERE p = 'x'",
          "INSERT INTO k.plain (key, column1, value) VALUES ('x', 'x', 0x31)", "UPDATE k.cnt SET n = n + 1 WHERE p = 2 AND c = 'y'")


def begin(R):
    said(cql, 'DROP KEYSPACE k')
    clean()
    cql("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
    for name, text in TABLES.items():
        if name != 'plain':
            cql(text)
    os.mkdir(K + '/plain')
    for _ in range(R.randrange(10)):
        for statement in R.choice(STARTS).split('; '):
            cql(statement)


def history(seed, count, looker, watcher):
    R, log, done = random.Random(seed), [], 0
    begin(R)
    workers = [Process(work(f'{seed} {i}')) for i in range(count)]
    try:
        for turn in range(TURNS):
            steps = R.choice([1, 1, 2, 3, 5, 10])
            if watcher:
                watcher.tell('look')
            elif R.random() < .8:
                look(K)
            for w in workers:
                w.tell('close' if turn == TURNS - 1 else str(steps))
            answers = [w.hear() for w in workers]
            if watcher:
                watcher.tell('stop')
                watcher.hear()
            done += sum(good for good, _, _ in answers)
            log += [f'{turn}.{i} {line}' for i, (_, _, lines) in enumerate(answers) for line in lines]
            writers = any(held for _, held, _ in answers)
            if R.random() < .25:
                time.sleep(1.02 - time.time() % 1)      # something may end
            snapshot = R.random() < .7
            bad = looker.compare(writers, snapshot, writers or not snapshot or R.random() < .3)
            if bad:
                # The first is in the first line: that is shown where logs are cut.
                print(f'seed {seed}, {count} processes, turn {turn}: {len(bad)} differences: {bad[0][:600]}')
                for line in bad[1:12]:
                    print('  ', line[:600])
                for line in log[-int(os.environ.get('LOG', 30)):]:
                    print('      ', line[:300])
                if os.environ.get('GO_ON'):
                    return done, 1
                sys.exit(1)
    finally:
        for w in reversed(workers):     # a later one has the pipes of those before it, too
            w.end()
    return done, 0


def without_waiting(seen):
    """But for the directories in which files wait for a schema.cql: their times are in memory alone."""
    tables = schemaless() - {'plain'}
    return {x: shown for x, shown in seen.items() if not (is_directory(shown) and x and x.split('/')[1] in tables)}


def main():
    if sys.argv[2] == 'again':
        with open(sys.argv[3]) as f:
            kept = {x: (tuple(at) if isinstance(at, list) else at, tuple(names) if isinstance(names, list) else
                        names.encode('latin1') if isinstance(names, str) and stat.S_ISREG(at[0]) else names)
                    for x, (at, names) in json.load(f).items()}
        bad = same_as_stored('on a new mount', without_waiting(kept), without_waiting(look(K)))
        print('\n'.join(bad[:20]))
        sys.exit(bool(bad))
    seed, histories, count = map(int, sys.argv[2:5])
    looker, watcher = Looker(), Process(watch) if count > 1 else None
    done = wrong = 0
    for i in range(seed, seed + histories):
        good, bad = history(i, count, looker, watcher)
        done += good
        wrong += bad
        if os.environ.get('GO_ON') and i % 20 == 19:
            print(f'-- {i}: {done} done, {looker.done} looks, {looker.snapshots} snapshots, {looker.late} late', flush=True)
    time.sleep(3.2)
    with open(sys.argv[5], 'w') as f:
        json.dump({x: (at, text.decode('latin1') if isinstance(text, bytes) else text) for x, (at, text) in look(K).items()}, f)
    if watcher:
        watcher.tell('end')
        watcher.end()
    print(f'seeds {seed} to {seed + histories - 1}, {count} processes: {done} calls done, {looker.done} looks, {looker.late} too late, {wrong} wrong')
    sys.exit(bool(wrong) or done < histories * count * 5 or looker.done < histories * TURNS // 2)


main()
