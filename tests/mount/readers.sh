# A reader sees a value whole, the old one or the new one, and the new one once
# its writer's call has returned: readers.py. A pending value is its writer's
# alone: others see and copy the committed one.
# READS, SEED: more reads, and another order. HOWS, SIZES, FILES: of these alone.
. tests/mount/lib.sh
start
if out=$(timeout "${TIMEOUT:-900}" python3 tests/mount/readers.py "$M" "${READS:-8000}" "${SEED:-1}" 2>&1); then pass; else fail 'readers beside writers'; fi
echo "$out"
ok 'a value that changes its length' python3 tests/mount/lengths.py "$M" "${READS:-8000}" "${SEED:-1}"
rm -r "${M:?}/k"
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (id int PRIMARY KEY, a text, b text);
INSERT INTO k.t (id, a, b) VALUES (1, 'the old value', 'other');
C
r=$M/k/t/1 copies=$W/copies
ok 'sizes beside a writer' python3 tests/mount/sizes.py "$r/b" "${LOOKS:-150000}" "${SEED:-1}"
mkdir "$copies"
# look WHAT TEXT: a process that does not write finds this in the cell a, by all means.
look() {
	is "$1: read" "$2" "$(cat "$r/a")"
	is "$1: size" $((${#2} + 1)) "$(stat -c %s "$r/a")"
	is "$1: fstat" $((${#2} + 1)) "$(stat -c %s - <"$r/a")"
	is "$1: not empty" '' "$(find "$r" -name a -empty)"
	rm -rf "${copies:?}"/*
	ok "$1: rsync" rsync -a "$r/a" "$copies/rsync"
	is "$1: what rsync stored" "$2" "$(cat "$copies/rsync")"
	ok "$1: tar" tar -C "$r" -cf "$copies/tar" a
	is "$1: what tar stored" "$2" "$(tar -xOf "$copies/tar")"
	ok "$1: cp" cp -a "$r/a" "$copies/cp"
	is "$1: what cp stored" "$2" "$(cat "$copies/cp")"
	is "$1: its time" "$(stat -c %Y "$r/a")" "$(stat -c %Y "$copies/cp")"
}
# A process of its own: a child of this shell would close copies of the
# descriptor, which commits.
coproc WRITER { exec python3 -u -c '
import os, sys
for line in sys.stdin:
    how, text = line.rstrip("\n").split(" ", 1)
    if how in ("cut", "add"):
        fd = os.open(text, os.O_WRONLY | (os.O_TRUNC if how == "cut" else os.O_APPEND))
    elif how == "write":
        os.write(fd, text.encode())
    else:
        os.close(fd)
    print(how)
'; }
writer() { local reply; echo "$*" >&"${WRITER[1]}"; read -r reply <&"${WRITER[0]}"; is "the writer: $1" "$1" "$reply"; }
tail -n +1 -f "$r/a" >"$W/tail" &
tail_pid=$!
for _ in $(seq 100); do [ -s "$W/tail" ] && break; sleep 0.1; done
look 'before' 'the old value'
writer cut "$r/a"
look 'cut' 'the old value'
writer write 'a new and longer value, but not all'
look 'pending' 'the old value'
writer write ' of it'
look 'pending still' 'the old value'
writer close .
look 'committed' 'a new and longer value, but not all of it'
writer add "$r/a"
writer write ', more'
look 'appended' 'a new and longer value, but not all of it'
writer close .
is 'then it is there' 'a new and longer value, but not all of it
, more' "$(cat "$r/a")"
# tail goes on with what it began with, whole.
sleep 1.2
is 'tail saw no part' 'the old value' "$(cat "$W/tail")"
kill "$tail_pid"
eval "exec ${WRITER[1]}>&-"
own() {
	python3 - "$r/a" <<'P'
import mmap, os, sys, threading
f = sys.argv[1]
def put(text):
    with open(f, 'wb') as w:
        w.write(text)
def in_thread(what):
    got = []
    t = threading.Thread(target=lambda: got.append(what()))
    t.start(); t.join()
    return got[0]
put(b'x' * 9999 + b'\n')
held = os.open(f, os.O_RDONLY)
m = mmap.mmap(held, 10000, mmap.MAP_SHARED, mmap.PROT_READ)
w = os.open(f, os.O_WRONLY | os.O_TRUNC)
os.write(w, b'y' * 20000)
print('own size:', os.fstat(w).st_size, in_thread(lambda: os.fstat(w).st_size), os.lseek(w, 0, os.SEEK_END))
print('mapped:', m[:].count(b'x'), os.fstat(held).st_size, len(os.pread(held, 1 << 20, 0)))
late = os.open(f, os.O_RDONLY)
n = mmap.mmap(late, os.fstat(late).st_size, mmap.MAP_PRIVATE, mmap.PROT_READ)
os.ftruncate(w, 5)
print('mapped later:', n[:].count(b'x'), m[:].count(b'x'))
os.close(w)
print('cut:', m[:].count(b'x'), n[:].count(b'x'), os.stat(f).st_size, open(f, 'rb').read())
os.unlink(f)
print('removed:', m[:].count(b'x'), os.fstat(held).st_size, len(os.read(late, 1 << 20)))
put(b'again\n')
print('anew:', open(f, 'rb').read(), n[:].count(b'x'))
# By /proc a descriptor is opened again without a name.
print('again:', open('/proc/self/fd/%d' % late, 'rb').read().count(b'x'))
P
}
is 'a writer and a mapping' "own size: 20000 20000 20000
mapped: 9999 10000 10000
mapped later: 9999 9999
cut: 9999 9999 6 b'yyyyy\n'
removed: 9999 10000 10000
anew: b'again\n' 9999
again: 9999" "$(own)"
stop
done_testing
