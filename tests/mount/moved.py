#!/usr/bin/env python3
"""moved.py MNT: directories that are open or worked in while they, or those above
them, are renamed: what is changed by the new path is seen, and what is changed
through them is seen by the new path.

Prints what is not so; nothing when all is well.
"""
import itertools
import os
import sys

os.chdir(sys.argv[1])
# What is renamed, and the path of the row then.
MOVES = {
    "row": ("a/t/1", "a/t/5", "a/t/5"),
    "table": ("a/t", "b/new", "b/new/1"),
    "keyspace": ("a", "c", "c/t/1"),
}
# A directory in the row or above it, and what is made in it.
PLACES = {
    "elements": ("m", "9"), "temporary": ("", ".a.swp"), "row": ("", "b"),
    "table": ("..", "2"), "keyspace": ("../..", "added"),
}
FILES = "9", ".a.swp", "b"


def make(path):
    if os.path.basename(path) in FILES:
        with open(path, "w") as f:
            f.write("x\n")
    else:
        os.mkdir(path)


def remove(path):
    (os.unlink if os.path.basename(path) in FILES else os.rmdir)(path)


def is_there(name, fd):
    try:
        os.stat(name, dir_fd=fd)
        return True
    except FileNotFoundError:
        return False


def move(what, place, before, after, looks, inside):
    """Look before and after the rename; then change, through fd (`inside`) or by the
    new path, and look by the other one."""
    old, new, row = MOVES[what]
    part, name = PLACES[place]
    fd = os.open(os.path.join("a/t/1", part), os.O_RDONLY | os.O_DIRECTORY)
    said = []
    try:
        for _ in range(before):
            os.listdir(fd)
        if looks:
            is_there(name, fd)
        os.rename(old, new)
        directory = os.path.normpath(os.path.join(row, part))
        for _ in range(after):
            os.listdir(fd)
        if looks:
            is_there(name, fd)
        seen = fd
        if inside:
            os.fchdir(fd)
            make("./" + name)
            os.chdir(sys.argv[1])
            seen = os.open(directory, os.O_RDONLY)
        else:
            make(directory + "/" + name)
        if name not in os.listdir(seen):
            said.append("what was made is not listed")
        if looks and not is_there(name, seen):
            said.append("what was made is not found")
        if inside:
            os.fchdir(fd)
            remove("./" + name)
            os.chdir(sys.argv[1])
        else:
            remove(directory + "/" + name)
        if name in os.listdir(seen):
            said.append("what was removed is listed")
        if looks and is_there(name, seen):
            said.append("what was removed is found")
        if seen != fd:
            os.close(seen)
        os.rename(new, old)
    finally:
        os.close(fd)
    for text in said:
        print("%s of %s, listed %d and %d times, looks %d, inside %d: %s" % (
            what, place, before, after, looks, inside, text))


def times():
    """A time that is set through a directory from before is shown by the new path."""
    fd = os.open("a/t/1", os.O_RDONLY)
    os.stat("a/t/1")
    os.rename("a/t", "b/new")
    os.stat("b/new/1")
    os.utime(fd, (86400, 86400))
    if os.stat("b/new/1").st_mtime != 86400:
        print("a time that was set inside is not shown by the new path")
    os.utime("b/new/1", (96400, 96400))
    if os.fstat(fd).st_mtime != 96400:
        print("a time that was set by the new path is not shown inside")
    os.rename("b/new", "a/t")
    os.close(fd)


def again():
    """A table whose keyspace was renamed, and then itself: its name is free again."""
    fd = os.open("a/t", os.O_RDONLY)
    row = os.open("a/t/1", os.O_RDONLY)
    os.rename("a", "c")
    os.rename("c/t", "b/new")
    for at in (fd, row):
        os.listdir(at)
    try:
        os.stat("c/t")
        print("the table is there by the name that it had")
    except FileNotFoundError:
        pass
    os.rename("b/new", "c/t")
    if os.listdir(fd) != os.listdir("c/t"):
        print("an open directory has lost its table")
    os.rename("c", "a")
    os.close(fd)
    os.close(row)


def into():
    """A row comes into a table by a directory from before, and another takes its name by the new path."""
    fd = os.open("a/t", os.O_RDONLY)
    for row in "78":
        os.mkdir("a/t/" + row)
        with open("a/t/%s/b" % row, "w") as f:
            f.write(row)
    os.rename("a/t", "b/new")
    os.rename("b/new/7", "6", dst_dir_fd=fd)
    os.rename("b/new/6", "b/new/7")
    os.rename("b/new/8", "b/new/6")
    with open("6/b", opener=lambda path, flags: os.open(path, flags, dir_fd=fd)) as f:
        text = f.read()
    if text != "8\n":
        print("the name in the directory from before shows another row: %r" % text)
    for row in "67":
        os.unlink("b/new/%s/b" % row)
        os.rmdir("b/new/" + row)
    os.rename("b/new", "a/t")
    os.close(fd)


def back():
    """A table leaves by a directory from before, comes back by the new path, and leaves again."""
    fd = os.open("a", os.O_RDONLY)
    os.rename("a", "c")
    held = os.open("t", os.O_RDONLY, dir_fd=fd)
    for _ in range(2):
        os.rename("t", "b/new", src_dir_fd=fd)
        os.rename("b/new", "c/t")
    os.rename("c", "a")
    os.close(held)
    os.close(fd)


times()
again()
into()
back()
for what, place, before, after, looks, inside in itertools.product(
        MOVES, PLACES, (0, 1, 2), (0, 2), (0, 1), (0, 1)):
    if list(PLACES).index(place) <= list(PLACES).index(what):
        move(what, place, before, after, looks, inside)
