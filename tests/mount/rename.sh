# mv of tables and keyspaces (fs/README.md, "Renames").
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE KEYSPACE l WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TYPE k.place (street text, zip int);
CREATE TYPE l.place (street text, zip int);
CREATE TYPE k.own (a int);
CREATE TABLE k.t (id int, c text, v int, s text static, home frozen<place>, tags set<text>, PRIMARY KEY (id, c)) WITH comment = 'mine' AND gc_grace_seconds = 77;
CREATE INDEX by_v ON k.t (v);
CREATE TABLE k.w (id int PRIMARY KEY, o frozen<own>);
CREATE TABLE k.n (id int PRIMARY KEY, n counter);
INSERT INTO k.t (id, c, v, s, home, tags) VALUES (1, 'a', 5, 'st', {street: 'High St', zip: 7}, {'x', 'y'});
INSERT INTO k.t (id, c, v) VALUES (1, 'ttl', 6) USING TTL 100000;
UPDATE k.n SET n = n + 3 WHERE id = 1;
C
moved() { python3 -c 'import os, sys; os.rename(sys.argv[1], sys.argv[2])' "$1" "$2"; }
rows() { cql "SELECT id, c, v, s, home, tags FROM $1" | jq -c .rows; }
reason() { tail -1 "$M/.widefs/errors" | cut -d' ' -f7-; }
all='[[1,"a",5,"st",{"street":"High St","zip":7},["x","y"]],[1,"ttl",6,"st",null,null]]'
chmod 2750 "$M/k/t" 2>/dev/null; chmod 750 "$M/k/t"; touch -d 2001-02-03 "$M/k/t/1/a/v" "$M/k/t/1"
id=$(cql "SELECT id FROM system_schema.tables WHERE keyspace_name = 'k' AND table_name = 't'" | jq -r '.rows[0][0]')
# A table within its keyspace.
ok 'a table' moved "$M/k/t" "$M/k/u"
is 'has its new name' 'n schema.cql u w' "$(ls "$M/k" | paste -sd ' ')"
is 'all its rows' "$all" "$(rows k.u)"
is 'by path' '5 x y High' "$(cat "$M/k/u/1/a/v") $(names "$M/k/u/1/a/tags") $(jq -r .street "$M/k/u/1/a/home" | cut -d' ' -f1)"
is 'its index' '[[1,"a"]]' "$(cql 'SELECT id, c FROM k.u WHERE v = 5' | jq -c .rows)"
is 'its options and mode' '1 1 750' "$(grep -c "comment = 'mine'" "$M/k/schema.cql") $(grep -c 'gc_grace_seconds = 77' "$M/k/schema.cql") $(stat -c %a "$M/k/u")"
is 'its times' '2001 2001' "$(stat -c %y "$M/k/u/1/a/v" | cut -c1-4) $(stat -c %y "$M/k/u/1" | cut -c1-4)"
is 'its TTL' 1 "$(getfattr --only-values -n user.expires "$M/k/u/1/ttl/v" 2>/dev/null | grep -c Z)"
refused 'the old name is gone' 'No such file' ls "$M/k/t"
refused 'in CQL too' 'Invalid argument' cql 'SELECT * FROM k.t'
ok 'the old name can be another' cql 'CREATE TABLE k.t (id int PRIMARY KEY)'
refused 'a target that is there' 'File exists' moved "$M/k/u" "$M/k/t"
is 'is told' 'the other table of this name is not replaced: remove it first' "$(reason)"
rmdir "$M/k/t"
# Files that are open, a shell that is inside.
exec 7<"$M/k/u/1/a/v" 8>"$M/k/u/1/a/v"
cd "$M/k/u/1" || exit
ok 'with open files' moved "$M/k/u" "$M/k/t"
echo 8 >&8
exec 8>&-
is 'a file that was open is written' 8 "$(cat "$M/k/t/1/a/v")"
is 'and read' 5 "$(cat <&7)"
exec 7<&-
ok 'a process inside writes' sh -c 'echo 9 >a/v'
is 'into the table' 9 "$(cat "$M/k/t/1/a/v")"
cd - >/dev/null || exit
# Into another keyspace.
ok 'to another keyspace that has its types' moved "$M/k/t" "$M/l/far"
is 'with all' '[[1,"a",9,"st",{"street":"High St","zip":7},["x","y"]],[1,"ttl",6,"st",null,null]]' "$(rows l.far)"
is 'its type is the one there' 1 "$(grep -c 'home frozen<place>' "$M/l/schema.cql")"
refused 'a type that it lacks' 'Invalid argument' moved "$M/k/w" "$M/l/w"
is 'is named' 'keyspace l has no type own like that of the table' "$(reason)"
ok 'a table of counters' moved "$M/k/n" "$M/l/n"
is 'counts on' 4 "$(echo +1 >"$M/l/n/1/n"; cat "$M/l/n/1/n")"
cql 'CREATE TABLE k.x (id int PRIMARY KEY, v int)' >/dev/null; cql 'CREATE INDEX by_v ON k.x (v)' >/dev/null
refused 'an index of that name' 'Invalid argument' moved "$M/l/far" "$M/k/far"
is 'is named too' 'keyspace k has an index by_v already' "$(reason)"
# Keyspaces.
touch -d 2002-03-04 "$M/l"
ok 'a keyspace' moved "$M/l" "$M/m"
is 'is there' 'k m' "$(names "$M")"
is 'with its tables' 'far n schema.cql' "$(ls "$M/m" | paste -sd ' ')"
is 'its rows' '[[1,"a",9,"st",{"street":"High St","zip":7},["x","y"]],[1,"ttl",6,"st",null,null]]' "$(rows m.far)"
is 'its schema' '1 1' "$(grep -c '^CREATE KEYSPACE m ' "$M/m/schema.cql") $(grep -c '^CREATE TYPE m.place' "$M/m/schema.cql")"
is 'its time' 2002 "$(stat -c %y "$M/m" | cut -c1-4)"
ok 'the renamed keyspace can be written' put "$M/m/far/1/a/v" 10
ok 'and changed' cql 'ALTER TYPE m.place ADD country text'
refused 'one that is there' 'File exists' moved "$M/m" "$M/k"
is 'is told, too' 'the other keyspace of this name is not replaced: remove it first' "$(reason)"
ok 'mv does the same' mv "$M/m" "$M/l"
ok 'and for tables' mv "$M/l/far" "$M/l/near"
is 'by mv' 10 "$(cat "$M/l/near/1/a/v")"
# Renames that are refused.
refused 'a bad name' 'Invalid argument' moved "$M/l/near" "$M/l/a-b"
is 'is told' '"a-b" is not a valid table name (must be alphanumeric character or underscore only: [a-zA-Z_0-9]+, of at most 48)' "$(reason)"
refused 'a bad keyspace' 'Invalid argument' moved "$M/l" "$M/a.b"
refused 'a table in a row' 'cross-device' moved "$M/l/near" "$M/k/x/1"
refused 'a table in the root' 'cross-device' moved "$M/l/near" "$M/near"
is 'says what mv does then' 'a table is renamed into a keyspace: mv copies its files, without its types (in the root: mkdir KEYSPACE, then mv TABLE KEYSPACE/)' "$(reason)"
refused 'a keyspace in a keyspace' 'cross-device' moved "$M/l" "$M/k/l"
is 'says so, too' 'a keyspace is renamed in the root: mv copies its files, without their types (rename its tables: mv KEYSPACE/TABLE OTHER/)' "$(reason)"
refused 'a system keyspace' 'Read-only' moved "$M/system" "$M/mine"
refused 'a row as a table' 'cross-device' moved "$M/l/near/1" "$M/l/one"
is 'says that it is copied' 'it cannot be moved there in one atomic write: mv copies it, then removes it here' "$(reason)"
cql "INSERT INTO k.x (id, v) VALUES (1, 2)" >/dev/null; cql "INSERT INTO k.x (id, v) VALUES (2, 3)" >/dev/null
refused 'a row onto one that has cells' 'not empty' moved "$M/k/x/1" "$M/k/x/2"
is 'names the other' 'the directory of the new name is not empty: a rename replaces an empty one only' "$(reason)"
for d in k k/x k/x/1 l/near/1 l/near/1/a/tags; do
	before=$(wc -l <"$M/.widefs/errors")
	refused "rmdir of $d" 'not empty' rmdir "$M/$d"
	is "the reason of $d" '1 it is not empty: rm -r removes it with what it holds' "$(($(wc -l <"$M/.widefs/errors") - before)) $(reason)"
done
# Programs make what is there already, in the normal course: no line for each.
before=$(wc -l <"$M/.widefs/errors")
ok 'mkdir -p' mkdir -p "$M/k/x/1"
refused 'mkdir' 'File exists' mkdir "$M/k/x/1"
refused 'O_EXCL' 'File exists' python3 -c 'import os, sys; os.open(sys.argv[1], os.O_CREAT | os.O_EXCL)' "$M/k/x/1/v"
mv -n -T "$M/k/x/1" "$M/k/x/2" 2>/dev/null
ok 'tar over what is there' sh -c "cd '$M/k' && tar -c x | tar -x"
ok 'rsync over it' rsync -a "$M/k/x/" "$M/k/x"
rm -r "$M/k/x/1" "$M/k/x/2"
is 'no line of them' "$before" "$(wc -l <"$M/.widefs/errors")"
# Plain tables, with a directory that is in memory alone.
mkdir "$M/k/plain" "$M/k/plain/p" "$M/k/plain/empty"; put "$M/k/plain/p/file" text
ok 'a table of files' mv "$M/k/plain" "$M/l/files"
is 'has its files' 'empty p text' "$(names "$M/l/files") $(cat "$M/l/files/p/file")"
kill -9 "$(daemon_pid)"; wait_closed; fusermount3 -u "$M"
start
is 'all of it after a crash' 'k:schema.cql w x l:files n near schema.cql 10 text' "k:$(ls "$M/k" | paste -sd ' ') l:$(ls "$M/l" | paste -sd ' ') $(cat "$M/l/near/1/a/v" "$M/l/files/p/file" | paste -sd ' ')"
is 'the table keeps its id' "$id" "$(cql "SELECT id FROM system_schema.tables WHERE keyspace_name = 'l' AND table_name = 'near'" | jq -r '.rows[0][0]')"
# Beside writers: nothing that was acknowledged is lost, whatever the name is then.
cql 'CREATE TABLE k.busy (id int PRIMARY KEY, v int)' >/dev/null
python3 - "$M" <<'P' || fail 'renames beside writers'
import os, sys, threading, time, random
m, stop, done, other = sys.argv[1], threading.Event(), [0] * 4, []
random.seed(7)
def find():
    for k in ('k', 'l'):
        for t in ('busy', 'busier'):
            if os.path.isdir(f'{m}/{k}/{t}'): return f'{m}/{k}/{t}'
def write(i):
    while not stop.is_set():
        t = find()
        if not t: continue
        try:
            if not done[i] and not os.path.isdir(f'{t}/{i}'): os.mkdir(f'{t}/{i}')
            with open(f'{t}/{i}/v', 'w') as f: f.write(str(done[i] + 1))
            done[i] += 1
        except (FileNotFoundError, FileExistsError): pass
        except OSError as e: other.append(e)
threads = [threading.Thread(target=write, args=(i,), daemon=True) for i in range(4)]
for t in threads: t.start()
end, moves = time.time() + 4, 0
while time.time() < end:
    t = find()
    to = f"{m}/{random.choice('kl')}/{random.choice(('busy', 'busier'))}"
    if t and to != t:
        os.rename(t, to); moves += 1
    time.sleep(0.01)
stop.set()
for t in threads: t.join()
t = find()
assert min(done) > 20 and not other, (done, other)
for i in range(4):
    got = int(open(f'{t}/{i}/v').read())
    assert got in (done[i], done[i] + 1), (i, got, done)
assert moves > 20, moves
P
# By path and from within, while the kernel's lock of renames between directories is
# held most of the time: a directory with two paths in the kernel would be ESTALE.
python3 - "$M" <<'P' || fail 'a moved directory by path and from within'
import os, sys, threading
m, stop, failed = sys.argv[1], threading.Event(), []
for d in ('x', 'y', 'x/d', 'y/d', 'x/t', 'x/t/p', 'x/w', 'x/w/p', 'x/w/p/1'): os.mkdir(f'{m}/{d}')
moved, taken = os.open(f'{m}/x/t', os.O_RDONLY), os.open(f'{m}/x/w', os.O_RDONLY)
os.rename(f'{m}/x/t', f'{m}/x/u')
with open(f'{m}/x/schema.cql', 'w') as f: f.write('CREATE TABLE x.w (p text, c int, v int, PRIMARY KEY (p, c));')
def lock():
    while not stop.is_set():
        try: os.rename(f'{m}/x/d', f'{m}/y/d')
        except FileExistsError: pass
t = threading.Thread(target=lock, daemon=True)
t.start()
for i in range(600):
    for inside, outside in (moved, 'u'), (taken, 'w'):
        try:
            one = os.stat('p', dir_fd=inside).st_ino
            assert one == os.stat(f'{m}/x/{outside}/p').st_ino
            if i % 20: continue
            os.mkdir(f'q{i}', dir_fd=inside)
            os.rmdir(f'{m}/x/{outside}/q{i}')
            assert os.listdir(inside) == ['p'], os.listdir(inside)
        except OSError as e: failed.append(e)
stop.set()
t.join()
assert not failed, (len(failed), failed[:3])
P
# Changes from within a moved directory are seen by its path, where the kernel has a
# number of its own for it: listings at once, names soon, as the kernel is told of these later.
python3 - "$M" <<'P' || fail 'changes from within a moved directory'
import os, sys, time
m = sys.argv[1]
def same(what, out, fd):
    assert sorted(os.listdir(out)) == sorted(os.listdir(fd)), (what, os.listdir(out), os.listdir(fd))
def goes(what, path):
    end = time.time() + 60
    while os.path.exists(path): assert time.time() < end, what
with open(f'{m}/.cql', 'w') as f: f.write('CREATE TABLE k.o (p text, c int, v text, w text, PRIMARY KEY (p, c));')
os.mkdir(f'{m}/z')
for before, after in ('z/t', 'z/u'), ('k/o', 'k/on'):
    os.makedirs(f'{m}/{before}/p/0')
    fd, out = os.open(f'{m}/{before}/p', os.O_RDONLY), f'{m}/{after}/p'
    os.rename(f'{m}/{before}', f'{m}/{after}')
    same('begin', out, fd)
    for i in '12':
        os.mkdir(i, dir_fd=fd)
        assert os.path.exists(f'{out}/{i}')
        same(f'mkdir {after}', out, fd)
    if before == 'k/o':
        sub = os.open('1', os.O_RDONLY, dir_fd=fd)
        with open(os.open('v', os.O_WRONLY | os.O_CREAT, dir_fd=sub), 'w') as f: f.write('x')
        assert open(f'{out}/1/v').read() == 'x\n'
        same('a file', f'{out}/1', sub)
        os.rename('v', 'w', src_dir_fd=sub, dst_dir_fd=sub)
        same('a rename', f'{out}/1', sub)
        goes('v', f'{out}/1/v')
        os.stat(f'{out}/1/w')
        os.unlink('w', dir_fd=sub)
        same('an unlink', f'{out}/1', sub)
        goes('w', f'{out}/1/w')
    os.stat(f'{out}/1')
    os.rmdir('1', dir_fd=fd)
    same(f'rmdir {after}', out, fd)
    goes(f'1 in {after}', f'{out}/1')
P
ok 'the store is sound' sh -c "fusermount3 -u '$M'; for i in \$(seq 100); do '$CTL' check '$S' && exit; sleep 0.1; done; exit 1"
done_testing
