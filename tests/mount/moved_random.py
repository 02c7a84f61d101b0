#!/usr/bin/env python3
"""moved_random.py MNT SEED OPS: random renames of keyspaces, tables and rows, by path
and by open directories, while directories of all levels are open or worked in. Each
of these must go on to show what a model has, under its new names: data, and what is
in memory alone (temporary files, empty directories, files that wait for their @key).

Prints the first difference and the calls before it; nothing when all is well.
"""
import os
import random
import sys

mnt, seed, ops = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rnd = random.Random(seed)
LONG = "L" * 237 + "%~0123456789abcdef"
history = []
held = []


class Directory:
    def __init__(self, parent, name):
        self.parent, self.name, self.kids = parent, name, {}
        if parent:
            parent.kids[name] = self
            self.depth = parent.depth + 1
        else:
            self.depth = 0

    def path(self):
        return self.parent.path() + "/" + self.name if self.parent else mnt

    def below(self):
        for kid in self.kids.values():
            if isinstance(kid, Directory):
                yield kid
                yield from kid.below()

    def add(self, name):
        os.mkdir(self.path() + "/" + name)
        return Directory(self, name)

    def move(self, parent, name):
        del self.parent.kids[self.name]
        parent.kids[name] = self
        self.parent, self.name = parent, name


def write(directory, name, text, at=None):
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    fd = os.open(name if at else directory.path() + "/" + name, flags, 0o644, dir_fd=at)
    os.write(fd, text.encode())
    os.close(fd)
    directory.kids[name] = text


def make_tree():
    root = Directory(None, "")
    for k in "ab":
        keyspace = root.add(k + str(seed))
        for t in "tu":
            with open(keyspace.path() + "/.cql", "w") as f:
                f.write("CREATE TABLE %s (p text, c int, a text, b text, m map<int, text>, "
                        "PRIMARY KEY (p, c))" % t)
            table = Directory(keyspace, t)
            for partition in table.add("0"), table.add("1"):
                for c in "01":
                    row = partition.add(c)
                    write(row, "a", row.path()[-7:] + "\n")
                    write(row.add("m"), "1", row.path()[-7:] + "\n")
    return root


def look(fd, directory):
    """Compare what fd shows with the model, and some path below it."""
    here = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=fd)
    names = set(os.listdir(here)) - {"schema.cql"}
    os.close(here)
    if names != set(directory.kids):
        return "listed %s, not %s" % (sorted(names), sorted(directory.kids))
    path, at = ".", directory
    while isinstance(at, Directory):
        if not at.kids:
            return None
        name = rnd.choice(sorted(at.kids))
        path, at = path + "/" + name, at.kids[name]
    here = os.open(path, os.O_RDONLY, dir_fd=fd)
    text = os.read(here, 1000).decode()
    os.close(here)
    return None if text == at else "%s has %r, not %r" % (path, text, at)


def note(what, directory):
    history.append(what + " " + directory.path()[len(mnt):].replace(LONG, "LONG"))


def hold():
    """Open a directory, by path or from one above it that is open."""
    directory = rnd.choice(list(root.below()))
    how = rnd.choice((os.O_PATH, os.O_RDONLY)) | os.O_DIRECTORY
    above = [(fd, d) for fd, d in held if directory in d.below()]
    if above and rnd.random() < .5:
        fd, d = rnd.choice(above)
        note("open from above", directory)
        held.append((os.open(directory.path()[len(d.path()) + 1:], how, dir_fd=fd), directory))
    else:
        note("open", directory)
        held.append((os.open(directory.path(), how), directory))


def release():
    fd, directory = held.pop(rnd.randrange(len(held)))
    note("close", directory)
    os.close(fd)


def rename():
    directory = rnd.choice([d for d in root.below()
                            if d.depth in (1, 2, 4) and d.name != LONG and d.parent.name != LONG])
    parent, name = root, rnd.choice("abcd") + str(seed)
    if directory.depth == 2:
        parent, name = rnd.choice(list(root.kids.values())), rnd.choice("tuvw")
    elif directory.depth == 4:
        parent = rnd.choice([d for d in directory.parent.parent.kids.values() if d.name != LONG])
        name = rnd.choice("012345")
    if name in parent.kids:
        return
    source, target = directory.path(), parent.path() + "/" + name
    ats = [None, None]
    for i, above in enumerate((directory.parent, parent)):
        fds = [fd for fd, d in held if d is above]
        if fds and rnd.random() < .5:
            ats[i] = rnd.choice(fds)
    note("rename", directory)
    os.rename(directory.name if ats[0] else source, name if ats[1] else target,
              src_dir_fd=ats[0], dst_dir_fd=ats[1])
    directory.move(parent, name)
    note("... to", directory)


def change():
    """Write a cell, a temporary file or what waits for a key; or make a directory."""
    directories = list(root.below())
    if rnd.random() < .15:
        table = rnd.choice([d for d in directories if d.depth == 2])
        name = rnd.choice(("empty", LONG))
        if name not in table.kids:
            note("mkdir " + name[:5], table)
            made = table.add(name)
            if name == LONG:
                write(made.add("7"), "a", "waits\n")
        return
    rows = [(fd, d) for fd, d in held if d.depth == 4]
    at, row = None, rnd.choice([d for d in directories if d.depth == 4])
    if rows and rnd.random() < .6:
        at, row = rnd.choice(rows)
    name = rnd.choice(("a", "b") if row.parent.name == LONG else ("a", "b", ".a.swp"))
    note("write %s%s in" % (name, " from inside" if at else ""), row)
    write(row, name, "%d\n" % len(history), at)


def step():
    what = rnd.random()
    if what < .25 and len(held) < 12:
        hold()
    elif what < .3 and held:
        release()
    elif what < .6:
        rename()
    elif what < .85:
        change()
    for fd, directory in rnd.sample(held, min(len(held), 2)):
        said = look(fd, directory)
        if said:
            return "%s: %s" % (directory.path(), said)
    return None


def run():
    for _ in range(ops):
        said = step()
        if said:
            return said
    for directory in root.below():
        fd = os.open(directory.path(), os.O_RDONLY)
        said = look(fd, directory)
        os.close(fd)
        if said:
            return "at the end, %s: %s" % (directory.path(), said)
    return None


root = make_tree()
try:
    wrong = run()
except OSError as e:
    wrong = str(e)
if wrong:
    print("seed %d, after %s: %s" % (seed, "; ".join(history[-12:]), wrong.replace(LONG, "LONG")))
