# Tools for data and for watching, with their defaults: jq, miller, csv and json of Python, sqlite3, git, attributes, completion,
# tail -f, less, watch, inotifywait, mc.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
USE k;
CREATE TABLE t (id int, c text, a int, b text, bl blob, m map<text, int>, PRIMARY KEY (id, c));
CREATE TABLE u (id int, c text, a int, b text, bl blob, m map<text, int>, PRIMARY KEY (id, c));
INSERT INTO t (id, c, a, b, bl, m) VALUES (1, 'x', 5, 'text, and "more"', 0x00ff0a, {'one': 1});
INSERT INTO t (id, c, a) VALUES (1, 'y', 6);
INSERT INTO t (id, c, a, b) VALUES (2, 'x', 7, 'seven');
C
mkdir "$M/k/notes" "$M/k/notes/alice"
export HOME=$W/home GIT_CONFIG_NOSYSTEM=1
mkdir "$HOME"
x=$M/k/t/1/x
exits() { timeout 60 "$@" >"$W/out" 2>"$W/err" </dev/null; echo $?; }
rows() { cql "SELECT JSON * FROM k.$1" | jq -c .rows; }
sums() { (cd "$1" && find . -type f -exec md5sum {} + | LC_ALL=C sort -k 2); }
typed() { timeout 90 python3 tests/mount/typed.py "$@"; }

# jq, miller and Python read documents, and write them.
is 'jq of a document' '"seven"' "$(jq .b "$M/k/t/2/x.json")"
is 'jq of lines' 18 "$(jq -s 'map(.a) | add' "$M/k/t.ndjson")"
is 'jq of a whole tree' 18 "$(find "$M/.json/k/t" -name '*.json' -exec cat {} + | jq -s 'map(.a) | add')"
ok 'jq into another table' sh -c "jq -c '.a += 1' '$M/k/t.ndjson' >>'$M/k/u.ndjson'"
is 'the rows of jq are there' '[[21]]' "$(cql 'SELECT sum(a) FROM k.u' | jq -c .rows)"
refused 'jq of what does not fit' 'Invalid argument' sh -c "jq -c '.a = \"many\"' '$M/k/t.ndjson' >>'$M/k/u.ndjson'"
is 'with the line' 1 "$(tail -1 "$M/.widefs/errors" | grep -c 'line 1\b')"
is 'miller of csv' 'id=1,s=11
id=2,s=7' "$(mlr --icsv --odkvp stats1 -a sum -f a -g id 'then' rename a_sum,s "$M/k/t.csv")"
is 'miller of lines' 18 "$(mlr --ijsonl --onidx stats1 -a sum -f a "$M/k/t.ndjson")"
ok 'miller into a table' sh -c "mlr --csv put '\$a = \$a * 10' 'then' cut -f id,c,a '$M/k/t.csv' >>'$M/k/u.csv'"
is 'the rows of miller are there' '[[180]]' "$(cql 'SELECT sum(a) FROM k.u' | jq -c .rows)"
is 'miller of a partition' 11 "$(mlr --icsv --onidx stats1 -a sum -f a "$M/k/t/1.csv")"
ok 'sort of csv is read back' sh -c "(head -1 '$M/k/t.csv'; tail -n +2 '$M/k/t.csv' | sort -r) >'$W/sorted.csv' && cat '$W/sorted.csv' >>'$M/k/u.csv'"
is 'the same rows' "$(rows t)" "$(rows u)"
python3 - "$M/k" "$W" <<'P' || fail 'Python'
import csv, json, os, shutil, sys, tempfile, pathlib, mmap, fcntl
k, w = sys.argv[1:]
x = k + '/t/1/x'
rows = list(csv.DictReader(open(k + '/t.csv', newline='')))
assert [r['a'] for r in rows if r['id'] == '1'] == ['5', '6'], rows
assert rows[[r['b'] for r in rows].index('text, and "more"')]['m'], rows
with open(k + '/u.csv', 'a', newline='') as f:
    out = csv.writer(f)
    out.writerow(['id', 'c', 'b'])
    out.writerows([[8, 'c,%d' % i, 'two\nlines "%d"' % i] for i in range(1000)])
assert sum(1 for r in csv.DictReader(open(k + '/u/8.csv', newline='')) if r['b'].startswith('two\nlines')) == 1000
with open(x + '.json') as f:
    row = json.load(f)
row['a'] = 50
with open(x + '.json', 'w') as f:
    json.dump(row, f, indent=2)
assert open(x + '/a').read() == '50\n'
# A file beside it that takes its place, as careful programs write.
with tempfile.NamedTemporaryFile('w', dir=x, prefix='.b.', delete=False) as f:
    f.write('replaced')
os.replace(f.name, x + '/b')
assert open(x + '/b').read() == 'replaced\n'
with tempfile.NamedTemporaryFile('w', dir=x, prefix='tmp') as f:
    f.write('gone')
assert sorted(os.listdir(x)) == ['a', 'b', 'bl', 'm'], os.listdir(x)
shutil.copytree(k + '/t', w + '/copytree')
shutil.copytree(w + '/copytree/1', k + '/t/9')
shutil.copy2(x + '/b', k + '/t/9/y/b')
assert os.stat(x + '/b').st_mtime_ns == os.stat(k + '/t/9/y/b').st_mtime_ns
shutil.move(k + '/t/9/y', k + '/t/9/z')
shutil.rmtree(k + '/t/9')
pathlib.Path(k + '/t/2/x/b').write_text('path\n')
assert pathlib.Path(k + '/t/2/x/b').read_text() == 'path\n'
assert len(list(pathlib.Path(k + '/t').rglob('a'))) == 3
with open(x + '/bl', 'r+b') as f:
    f.write(b'\1')
    f.seek(1)
    assert f.read() == b'\xff\n'
with open(x + '/bl', 'rb') as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as m:
    assert m[:] == b'\1\xff\n'
with open(x + '/bl', 'r+b') as f:
    fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with open(x + '/bl', 'r+b') as other:
        try:
            fcntl.flock(other, fcntl.LOCK_SH | fcntl.LOCK_NB)
            raise SystemExit('a lock is no lock')
        except BlockingIOError:
            pass
    fcntl.flock(f, fcntl.LOCK_UN)
    fcntl.lockf(f, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 0)
    if os.fork() == 0:
        try:
            fcntl.lockf(open(x + '/bl', 'r+b'), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 0)
            os._exit(1)
        except BlockingIOError:
            os._exit(0)
    assert os.wait()[1] == 0, 'a lock of another process is no lock'
P
is 'flock, the tool' 1 "$(flock "$x/b" flock -n "$x/b" true; echo $?)"

# A database in a blob cell, and in a schemaless row; its journal is beside it.
for db in "$x/bl" "$M/k/notes/alice/db"; do
	: >"$db"
	is "sqlite3 ${db##*/}: makes a table" 0 "$(exits sqlite3 "$db" "CREATE TABLE s (a INTEGER PRIMARY KEY, b TEXT); INSERT INTO s VALUES (1, 'one'), (2, 'two');")"
	is 'sqlite3 says nothing' '' "$(cat "$W/out" "$W/err")"
	is 'reads it' $'1|one\n2|two' "$(sqlite3 "$db" 'SELECT * FROM s')"
	is 'changes it' 0 "$(exits sqlite3 "$db" "UPDATE s SET b = 'zwei' WHERE a = 2; DELETE FROM s WHERE a = 1;")"
	is 'has the change' '2|zwei' "$(sqlite3 "$db" 'SELECT * FROM s')"
	is 'a transaction that is taken back' '2|zwei' "$(sqlite3 "$db" "BEGIN; DELETE FROM s; ROLLBACK; SELECT * FROM s")"
	is 'many rows' 5000 "$(sqlite3 "$db" "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 5008) INSERT INTO s SELECT i, 'row ' || i FROM n; SELECT count(*) FROM s")"
	is 'integrity_check' ok "$(sqlite3 "$db" 'PRAGMA integrity_check')"
	is 'VACUUM' 0 "$(exits sqlite3 "$db" 'DELETE FROM s WHERE a > 100; VACUUM;')"
	cp "$db" "$W/out.db"
	is 'the copy is one too' ok "$(sqlite3 "$W/out.db" 'PRAGMA integrity_check')"
	is '.backup into it' 0 "$(exits sqlite3 "$W/out.db" ".backup '$db'")"
	is 'and from it' 92 "$(sqlite3 "$db" 'SELECT count(*) FROM s')"
	is 'no journal is left' '' "$(find "$M/k" -name '*journal*' -o -name '*-wal' -o -name '*-shm')"
done
is 'an import of csv' 3 "$(mlr --csv cut -f id,c,a "$M/k/t.csv" >"$W/in.csv"; sqlite3 "$W/new.db" ".import --csv $W/in.csv t" 'SELECT count(*) FROM t')"
is 'straight from the mount' 3 "$(sqlite3 "$W/new.db" ".import --csv $M/k/t.csv m" 'SELECT count(*) FROM m')"

# git: of a tree that was copied out, and with its folder elsewhere.
cp -a "$M/k" "$W/tree"
ok 'git of a copy' sh -c "cd '$W/tree' && git init -q && git add -A && git -c user.name=n -c user.email=e@e commit -qm one"
ok 'git over the mount itself' sh -c "git init -q --bare '$W/history' && git --git-dir='$W/history' --work-tree='$M/k' add -A && git --git-dir='$W/history' -c user.name=n -c user.email=e@e --work-tree='$M/k' commit -qm one"
is 'git status: clean' '' "$(git --git-dir="$W/history" --work-tree="$M/k" status --porcelain)"
echo 77 >"$x/a"
is 'git status: what changed' ' M t/1/x/a' "$(git --git-dir="$W/history" --work-tree="$M/k" status --porcelain)"
is 'git diff' $'-50\n+77' "$(git --git-dir="$W/history" --work-tree="$M/k" diff | grep '^[-+][0-9]')"
ok 'git checkout' git --git-dir="$W/history" --work-tree="$M/k" checkout -q -- t/1/x/a
is 'git checkout: it is back' 50 "$(cat "$x/a")"
# A repository has files beside directories, and directories in these.
is 'a bare repository in a table: there are no files beside its partitions' 1 "$(($(exits git init --bare "$M/k/notes") > 0))"
is 'and why' '/k/notes/description EINVAL a name here is a directory: use mkdir, or NAME.json' "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f5-)"
is 'in a partition: there are no directories beside its files' 1 "$(($(exits git init --bare "$M/k/notes/repository") > 0))"
ok 'and why' grep -q ' git /k/notes/repository/[a-z]* EPERM rows of notes are files, and no directories' "$M/.widefs/errors"
is 'git init of a partition too' 1 "$(($(exits git init "$M/k/notes/alice") > 0))"
is 'the table is as it was' 'alice' "$(rm -rf "$M/k/notes/repository"; names "$M/k/notes")"
ok 'the manual says so' grep -qx '.Xr git 1' mount/widefs-layout.5

# Attributes.
ok 'setfattr' setfattr -n user.ttl -v 5000 "$x/b"
is 'getfattr -d' 1 "$(getfattr -d --absolute-names "$x/b" | grep -c '^user.expires=')"
is 'getfattr -n' '"text"' "$(getfattr -n user.type --absolute-names "$x/b" | sed -n 's/user.type=//p')"
ok 'setfattr -x' setfattr -x user.expires "$x/b"
is 'none is left' '' "$(getfattr -d --absolute-names "$x/b")"
is 'getfattr -R' 0 "$(exits getfattr -R -d "$M/k")"
ok 'setfattr --restore' sh -c "setfattr -n user.ttl -v 5000 '$x/b'; getfattr -d --absolute-names '$x/b' >'$W/attributes' && setfattr -x user.expires '$x/b' && setfattr --restore='$W/attributes'"
is 'the same again' "$(cat "$W/attributes")" "$(getfattr -d --absolute-names "$x/b")"
refused 'no other attribute' 'not supported' setfattr -n user.mine -v 1 "$x/b"

# Completion of paths in bash: what is offered is what is there.
is 'bash: files' "$x/a $x/b $x/bl $x/m" "$(bash -c 'compgen -f "$1/" | sort | tr "\n" " " | sed "s/ $//"' - "$x")"
is 'bash: folders' "$x/m" "$(bash -c 'compgen -d "$1/"' - "$x")"

# Watching: tail -f of the errors; inotifywait, watch, less.
follow() { timeout 30 tail "$@" >"$W/follow" 2>/dev/null & tail_pid=$!; }
follow -n 0 -f "$M/.widefs/errors"
sleep 0.3
refused 'a refusal' 'Invalid argument' put "$x/a" none
ok 'tail -f of the errors' within 20 grep -q "/k/t/1/x/a EINVAL Unable to make int from 'none'" "$W/follow"
kill $tail_pid; wait $tail_pid 2>/dev/null
timeout 30 inotifywait -q -m -r -e close_write,delete,moved_to,create --format '%e %f' "$M/k/t/1" >"$W/events" 2>"$W/err" & watcher=$!
sleep 0.5
event() { within 20 grep -qxF "$1" "$W/events"; }
within 20 sh -c "echo 9 >'$x/a'; grep -qx 'CLOSE_WRITE,CLOSE a' '$W/events'" && pass || fail 'inotifywait: a write'
echo 1 >"$x/b.tmp1"; mv "$x/b.tmp1" "$x/b"; ok 'inotifywait: a file that takes its place' event 'MOVED_TO b'
mkdir "$M/k/t/1/new"; ok 'inotifywait: a row' event 'CREATE,ISDIR new'
rm "$x/b"; ok 'inotifywait: a removal' event 'DELETE b'
kill $watcher; wait $watcher 2>/dev/null
rmdir "$M/k/t/1/new"
echo shown >"$x/b"
is 'watch' 1 "$(typed 'q' timeout 3 watch -n 1 cat "$x/b" | grep -c shown)"
seq 5000 >"$x/b"
is 'less' 1 "$(typed 'G|q' less "$x/b" | grep -c '^5000')"
is 'less of a document' 1 "$(typed 'q' less "$M/k/t/2/x.json" | grep -c '"path"')"
is 'less in a pipe' 5000 "$(less "$x/b" | wc -l)"
is 'column, nl, fold, tac, shuf, rev' 5000 "$(nl "$x/b" | fold | tac | shuf | rev | wc -l)"

# mc: its editor, and its copies, typed in a terminal.
b=$x/b
echo one >"$b"
ok 'mcedit' typed 'mc \x1b2|\r|\x1b0' mcedit -x "$b"
is 'mcedit did it' 1 "$(grep -c '^mc ' "$b")"
is 'nothing is left over' $'a\nb\nbl\nm' "$(ls -A "$x")"
mkdir "$W/to"
ok 'mc copies a row' typed '\x0e|\x1b5|\r|\x1b0|\r' mc -u -x "$M/k/t/1" "$W/to"
is 'its cells' "$(cd "$x" && find . -type f -exec md5sum {} + | sort)" "$(cd "$W/to/x" && find . -type f -exec md5sum {} + | sort)"
mv "$W/to/x" "$W/to/copy"
ok 'mc copies a row in' typed '\x0e|\x1b5|\r|\x1b0|\r' mc -u -x "$W/to" "$M/k/t/1"
is 'its cells' "$(cd "$x" && find . -type f -exec md5sum {} + | sort)" "$(cd "$M/k/t/1/copy" && find . -type f -exec md5sum {} + | sort)"
ok 'mc moves a row out' typed '\x0e|\x1b6|\r|\x1b0|\r' mc -u -x "$M/k/t/1" "$W"
is 'the row is no longer in the table' 1 "$(exits test -e "$M/k/t/1/copy")"
is 'its cells' "$(cd "$x" && find . -type f -exec md5sum {} + | sort)" "$(cd "$W/copy" && find . -type f -exec md5sum {} + | sort)"
done_testing
