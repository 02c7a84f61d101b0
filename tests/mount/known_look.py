"""The looks of known.py: all that a tree shows, compared with what it shows when the kernel's caches were dropped, with a snapshot
of that moment, and with documents."""
import json
import os
import stat
import subprocess
import sys
import time

from known_changes import K, M, TABLES, cql
from said import said


def rows(select):
    answer = json.loads(cql(select))
    names = [c['name'] for c in answer['columns']]
    return [dict(zip(names, r)) for r in answer['rows']]


def contents(path):
    with open(path, 'rb') as f:
        return f.read()


def attributes(path):
    s = os.lstat(path)
    return s.st_mode, s.st_size, s.st_mtime_ns


def look(top):
    """All that is below: attributes, listings, contents, by their paths below it."""
    seen, todo = {}, ['']
    while todo:
        d = todo.pop()
        at, names = said(attributes, top + d), said(os.listdir, top + d)
        seen[d] = at, tuple(sorted(names)) if isinstance(names, list) else names
        for name in names if isinstance(names, list) else ():
            path = f'{d}/{name}'
            at = said(attributes, top + path)
            if isinstance(at, tuple) and stat.S_ISDIR(at[0]):
                todo.append(path)
            else:
                seen[path] = at, said(contents, top + path) if name != 'schema.cql' else None
                if isinstance(at, tuple) and name != 'schema.cql' and at[1] != len(seen[path][1]):
                    seen[path + ' has another size'] = at, seen[path][1]
    return seen


def is_directory(shown):
    return isinstance(shown[0], tuple) and stat.S_ISDIR(shown[0][0])


def is_row(path):
    """True for the directory of a row."""
    parts = path.split('/')[1:] or ['']
    return '@static' not in parts and (parts[0], len(parts)) in (('t', 3), ('two', 4), ('flat', 2), ('cnt', 3))


def look_by_document(seen):
    """The documents of the rows that were seen: they have what the directories have, in both trees."""
    bad = []
    typed = {name for name in TABLES if 'column1' not in str(said(contents, f'{K}/{name}.cql'))}
    for path, shown in seen.items():
        if not is_directory(shown) or not is_row(path) or path.split('/')[1] not in typed:
            continue
        one, other = said(contents, f'{K}{path}.json'), said(contents, f'{M}/.json/k{path}.json')
        times = [said(attributes, x) for x in (f'{K}{path}.json', f'{M}/.json/k{path}.json')]
        if one != other or times[0] != times[1]:
            bad.append(f'{path}.json: {one} {times[0]}, in .json {other} {times[1]}')
        row = json.loads(one) if isinstance(one, bytes) else {}
        cells = {f'{path}/{name}' for name in row if name not in ('p', 'c', 'c2', 'd', 's', 'l', 'st', 'mp', 'u')}
        files = {x for x, at in seen.items() if os.path.dirname(x) == path and not is_directory(at) and '~' not in x and '/.' not in x}
        if cells != files:
            bad.append(f'{path}: document {one}, files {[(x, seen[x]) for x in sorted(files)]}')
        for x in cells & files:
            value = row[os.path.basename(x)]
            text = f'{value}\n' if value != '' else ''
            if seen[x][1] != text.encode():
                bad.append(f'{x}: {seen[x][1]}, in its document {value!r}')
    return bad + look_by_rows(seen)


def look_by_rows(seen):
    """The documents of tables, partitions and prefixes that were seen: in both trees they have the same rows."""
    bad = []
    for path, shown in seen.items():
        if not is_directory(shown) or not path or path.split('/')[1] not in TABLES or '@static' in path or path.count('/') > 3:
            continue
        for form in ('ndjson', 'csv'):
            one, other = said(contents, f'{K}{path}.{form}'), said(contents, f'{M}/.json/k{path}.{form}')
            # A directory without rows is kept in one of the trees.
            kept = path.count('/') > 1 and other == 'ENOENT' and isinstance(one, bytes) and one.count(b'\n') <= (form == 'csv')
            if one != other and not kept:
                bad.append(f'{path}.{form}: {one}, in .json {other}')
    return bad


def is_memory(path):
    name = os.path.basename(path)
    return name.startswith('.') or name.endswith(('~', '.rej'))


def schemaless():
    """The tables that mkdir made, while one of ours was dropped: files below their values wait for a schema.cql in memory."""
    return {r['table_name'] for r in rows("SELECT table_name, column_name FROM system_schema.columns WHERE keyspace_name = 'k'")
            if r['column_name'] == 'column1'}


def stored(seen):
    """What is not in memory alone: no temporary files, no directories without any file, no files that wait."""
    free = schemaless()
    files = [x for x, shown in seen.items() if not is_directory(shown) and not (is_memory(x) and '/plain/' not in x)
             and not (x.count('/') > 3 and x.split('/')[1] in free)]
    there = set(files)
    for x in files:
        while x:
            x = x.rpartition('/')[0]
            there.add(x)
    return {x: (seen[x][0] if not is_directory(seen[x]) else (seen[x][0], None), seen[x][1]) if x in files else seen[x][0]
            for x in there if x in seen}


def same_as_stored(what, seen, kept):
    """What the snapshot shows is shown; what is shown more is in memory alone."""
    bad = [f'{x}: {seen.get(x)}, {what} {shown}' for x, shown in kept.items()
           if x not in seen or seen[x][0] != shown[0] or (not is_directory(shown) and seen[x][1] != shown[1])]
    held = stored(seen)
    return bad + [f'{x}: {held[x]}, {what} nothing' for x in held.keys() - kept.keys()]


class Looker:
    def __init__(self):
        # A child from the begin: a later one would close copies of descriptors.
        self.dropper = subprocess.Popen(
            (['sudo'] if os.getuid() else []) +
            ['sh', '-c', 'while read -r x; do echo 2 > /proc/sys/vm/drop_caches || exit; echo done; done'],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.late = self.done = self.snapshots = 0

    def drop(self):
        self.dropper.stdin.write(b'\n')
        self.dropper.stdin.flush()
        if self.dropper.stdout.readline() != b'done\n':
            sys.exit('the caches of the kernel cannot be dropped: this needs root')

    def compare_once(self, writers, snapshot, drop):
        """The differences; None: a second began meanwhile, in which something may have ended."""
        left = 1 - time.time() % 1
        if left < .15 or left > .97:
            time.sleep(left % .97 + .03)
        second = int(time.time())
        warm = look(K)
        bad, kept = [], None
        if snapshot and not writers:
            os.mkdir(f'{M}/.snapshots/now')
            self.snapshots += 1
            kept = look(f'{M}/.snapshots/now/k')
            os.rmdir(f'{M}/.snapshots/now')
        documents = [] if writers else look_by_document(warm)
        fresh = warm
        if drop:
            self.drop()
            fresh = look(K)
        if int(time.time()) != second:
            return None
        bad += [f'{x}: {warm.get(x)}, afresh {fresh.get(x)}' for x in {**warm, **fresh} if warm.get(x) != fresh.get(x)]
        bad += [x for x in warm if x.endswith(' has another size')] if not writers else []
        if kept is not None:
            bad += same_as_stored('in a snapshot', warm, kept)
        return bad + documents

    def compare(self, writers, snapshot, drop):
        for _ in range(4):
            bad = self.compare_once(writers, snapshot, drop)
            if bad is not None:
                self.done += 1
                return bad
            self.late += 1
        return []
