# .snapshots: fs/README.md, "Snapshots".
. tests/mount/lib.sh
chmod 755 "$W" "$M"
start -o allow_other,commit=0
run_cql <<'C'
CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE shop.users (name text PRIMARY KEY, age int, tags set<text>, phones map<text, text>, l list<int>);
CREATE TABLE shop.tweets (who text, id int, body text, s text static, PRIMARY KEY (who, id));
CREATE TABLE shop.n (id int PRIMARY KEY, n counter);
INSERT INTO shop.users (name, age, tags, phones, l) VALUES ('ada', 36, {'x', 'y'}, {'home': '1'}, [1, 2]);
INSERT INTO shop.users (name, age) VALUES ('bob', 7) USING TTL 12;
INSERT INTO shop.tweets (who, id, body, s) VALUES ('ada', 1, 'one', 'static');
INSERT INTO shop.tweets (who, id, body) VALUES ('ada', 2, 'two');
UPDATE shop.n SET n = n + 5 WHERE id = 1;
C
mkdir -p "$M/shop/notes/alice"
echo todo >"$M/shop/notes/alice/todo"
long=$(printf 'k%.0s' $(seq 300))
cql "INSERT INTO shop.users (name, age) VALUES ('$long', 1)" >/dev/null
chmod 750 "$M/shop/tweets"
touch -d '2001-02-03 04:05:06 UTC' "$M/shop/users/ada" "$M/shop/users/ada/age"
P=$M/.snapshots
held() { getfattr --absolute-names --only-values -n user.held "$1"; }
mine() { find "$1" -type f -printf '%P %s %m %T@\n' | sort; }

is 'the root does not list .snapshots' shop "$(ls -A "$M")"
is 'there are none' '' "$(ls "$P")"
ok 'one is taken' mkdir "$P/one"
is 'the snapshot is listed' one "$(ls "$P")"
refused 'the name is taken' 'File exists' mkdir "$P/one"
refused 'a name that is none' 'Invalid argument' mkdir "$P/.hidden"
refused 'of a document' 'Invalid argument' mkdir "$P/a.json"
refused 'a long name' 'File name too long' mkdir "$P/$(printf 'x%.0s' $(seq 256))"
ok 'the longest' mkdir "$P/$(printf 'x%.0s' $(seq 255))"
ok 'goes' rmdir "$P/$(printf 'x%.0s' $(seq 255))"
refused 'no file' 'not permitted' bash -c "echo x > '$P/file'"
ok 'the same names, sizes, modes and times' diff <(mine "$M") <(mine "$P/one")
is 'its keyspaces' shop "$(ls -A "$P/one")"
is 'modes of directories' 750 "$(stat -c %a "$P/one/shop/tweets")"
is 'other inode numbers' 2 "$(stat -c %i "$M/shop/users/ada/age" "$P/one/shop/users/ada/age" | sort -u | wc -l)"
ok 'rsync finds it equal' test -z "$(rsync -aXn --delete --itemize-changes "$P/one/shop/" "$M/shop/")"

# Later writes are not in the snapshot.
echo 37 >"$M/shop/users/ada/age"
rm -r "$M/shop/tweets/ada/1"
echo 'ALTER TABLE shop.users ADD city text;' >"$M/.cql"
echo vienna >"$M/shop/users/ada/city"
echo +1 >"$M/shop/n/1/n"
echo more >>"$M/shop/notes/alice/todo"
rm "$M/shop/users/ada/tags/x"
is 'the cell as it was' 36 "$(cat "$P/one/shop/users/ada/age")"
is 'and its time' 981173106 "$(stat -c %Y "$P/one/shop/users/ada/age")"
is 'the row' one "$(cat "$P/one/shop/tweets/ada/1/body")"
is 'the static cell' static "$(cat "$P/one/shop/tweets/ada/@static/s")"
is 'the counter' 5 "$(cat "$P/one/shop/n/1/n")"
is 'the file' todo "$(cat "$P/one/shop/notes/alice/todo")"
is 'the set' 'x y' "$(names "$P/one/shop/users/ada/tags")"
is 'the map' 1 "$(cat "$P/one/shop/users/ada/phones/home")"
refused 'no column that came later' 'No such file' cat "$P/one/shop/users/ada/city"
ok 'the schema' grep -q 'age int' "$P/one/shop/schema.cql"
ok 'not that of today' bash -c "! grep -q city '$P/one/shop/schema.cql'"
is 'a document' '{"name":"ada","age":36}' "$(jq -c '{name, age}' "$P/one/shop/users/ada.json")"
is 'a stream' 2 "$(wc -l <"$P/one/shop/tweets.ndjson")"
is 'a long name' "$long" "$(cat "$P/one/shop/users/"k*/@key)"

# Nothing is written in it.
for call in "echo 1 > %%/users/ada/age" "echo 1 >> %%/users/ada/age" "mkdir %%/users/new" "mkdir %%/new" "rm %%/users/ada/age" \
	"rmdir %%/users/ada" "rm -r %%/users" "touch %%/users/ada/age" "chmod 700 %%/users" "mv %%/users/ada %%/users/eva" \
	"mv $M/shop/notes/alice %%/notes/bob" "truncate -s 0 %%/notes/alice/todo" "setfattr -n user.ttl -v 9 %%/users/ada/age" \
	"echo {} > %%/users/ada.json" "echo x > %%/notes/alice/new" "mkdir $P/one/other" "ln %%/notes/alice/todo %%/notes/alice/b" \
	"rm -r $P/one"; do
	refused "$call" 'Read-only file system' bash -c "${call//%%/$P/one/shop}"
done
refused 'a snapshot keeps its name' 'not permitted' mv -T "$P/one" "$P/renamed"
is 'the snapshot has the old value' 36 "$(cat "$P/one/shop/users/ada/age")"

# Cells that had not expired then are there.
within 30 bash -c "! test -e '$M/shop/users/bob'"
refused 'the live cell has expired' 'No such file' cat "$M/shop/users/bob/age"
is 'not in the snapshot' 7 "$(cat "$P/one/shop/users/bob/age")"
ok 'with its end' grep -q '^20' <(getfattr --absolute-names --only-values -n user.expires "$P/one/shop/users/bob/age"; echo)

# Successive snapshots: rsync is incremental.
ok 'another' mkdir "$P/two"
mkdir "$W/backup"
ok 'a backup of the first' rsync -aX "$P/one/" "$W/backup/"
is 'the backup is whole' '' "$(rsync -aXn --delete --itemize-changes "$P/one/" "$W/backup/")"
ok 'and of the next' rsync -aX --delete "$P/two/" "$W/backup/"
ok 'a third, without changes' mkdir "$P/three"
is 'transfers nothing' '' "$(rsync -aX --delete --itemize-changes "$P/three/" "$W/backup/")"
is 'the bytes that it alone holds' 0 "$(held "$P/three")"

# Restored by cp.
ok 'a cell comes back by cp' cp "$P/one/shop/users/ada/age" "$M/shop/users/ada/age"
is 'as it was' 36 "$(cat "$M/shop/users/ada/age")"
ok 'a row by rsync' rsync -aX "$P/one/shop/tweets/ada/1" "$M/shop/tweets/ada/"
is 'as it was, too' one "$(cat "$M/shop/tweets/ada/1/body")"

# Those of DROP and TRUNCATE.
echo 'TRUNCATE shop.tweets;' >"$M/.cql"
automatic=$(ls "$P" | grep '^truncated-[0-9]*-tweets$')
is 'the one table' tweets "$(cd "$P/$automatic/shop" && ls -d */ | tr -d /)"
is 'with its rows' two "$(cat "$P/$automatic/shop/tweets/ada/2/body")"
ok 'the automatic snapshot is removed' rmdir "$P/$automatic"
echo 'DROP TABLE shop.users;' >"$M/.cql"
ok 'one of DROP' grep -q '^dropped-[0-9]*-users$' <(ls "$P")
is 'the dropped table is in the earlier one' 36 "$(cat "$P/one/shop/users/ada/age")"

# Restored as a whole.
ok 'everything' bash -c "echo 'snapshot restore one' > '$M/.widefs/ctl'"
ok 'is as it was' diff <(mine "$P/one" | grep -v bob) <(mine "$M" | grep -v bob)
is 'also the times of directories' "$(stat -c %Y "$P/one" "$P/one/shop" "$P/one/shop/users")" "$(stat -c %Y "$M" "$M/shop" "$M/shop/users")"
ok 'a table' bash -c "echo 'snapshot restore two shop.tweets' > '$M/.widefs/ctl'"
is 'is as it was then' 1 "$(names "$M/shop/tweets/ada" | tr ' ' '\n' | grep -c '[0-9]')"
refused 'none of that name' 'Invalid argument' bash -c "echo 'snapshot restore none' > '$M/.widefs/ctl'"

# Killed, and mounted again.
echo 99 >"$M/shop/users/ada/age"
ok 'taken' mkdir "$P/killed"
kill -9 "$(daemon_pid)"
fusermount3 -u "$M"
wait_closed
start -o allow_other
is 'the snapshot survives the kill' 99 "$(cat "$P/killed/shop/users/ada/age")"
is 'with those before' 36 "$(cat "$P/one/shop/users/ada/age")"

# Released beside a reader.
exec 5<"$P/killed/shop/users/ada/age"
ok 'released' rmdir "$P/killed"
refused 'the snapshot is gone' 'No such file' ls "$P/killed"
exec 5<&-
echo 'DROP KEYSPACE shop;' >"$M/.cql"
ok 'the first holds its files with the others alone' test "$(held "$P/one")" -ge 0
for name in "$P"/*; do ok "released: $name" rmdir "$name"; done
is 'none is left' '' "$(ls "$P")"

# A process whose working directory is in a released snapshot finds nothing there.
mkdir -p "$M/left/t/p"
echo x >"$M/left/t/p/r"
mkdir "$P/left"
cat >"$W/inside.py" <<'P'
import errno, os, sys
top = sys.argv[1] + '/left'
os.chdir(top + '/left/t')
os.stat('p')
os.rmdir(top)
for i in range(3):
    for call in (os.stat, os.listdir, lambda n: os.getxattr(n, 'user.type')):
        for name in ('p', 'p/r', 'new'):
            try: call(name); print(call, name, 'is there')
            except OSError as e: e.errno == errno.ENOENT or print(call, name, errno.errorcode[e.errno])
P
is 'one that is worked in' '' "$(python3 "$W/inside.py" "$P")"
rm -r "$M/left"

# A statement that drops very many tables keeps all of them.
for snapshot in "$P"/*; do [ -d "$snapshot" ] && rmdir "$snapshot"; done
mkdir "$M/many"
for i in {1..70}; do echo "CREATE TABLE many.t$i (a int PRIMARY KEY); INSERT INTO many.t$i (a) VALUES ($i);"; done | run_cql
echo 'DROP KEYSPACE many;' >"$M/.cql"
is 'a keyspace of 70 tables is kept whole' 70 "$(ls "$P" | grep -c '^dropped-.*-t[0-9]*$')"
is 'the first of them, too' 1 "$(ls "$P"/dropped-*-t1/many/t1)"
mkdir "$M/many"
echo 'CREATE TABLE many.last (a int PRIMARY KEY); INSERT INTO many.last (a) VALUES (1); DROP TABLE many.last;' >"$M/.cql"
is 'nothing of it goes for the next change' '71 1' "$(ls "$P" | grep -c .) $(ls "$P" | grep -c -- '-last$')"
rmdir "$M/many"
change=$(ls "$P" | sed -n 's/^\(dropped-.*\)-t1$/\1/p')
ok 'one command brings all back' "$CTL" snapshot restore --force "$M" "$change"
is 'each with its rows' 2485 "$(for i in {1..70}; do tail -1 "$M/many/t$i.csv"; done | awk '{ n += $1 } END { print n }')"
for snapshot in "$P"/*; do rmdir "$snapshot"; done

# rm -r of a keyspace comes back whole, by what .widefs/errors says.
for i in {71..100}; do echo "CREATE TABLE many.t$i (a int PRIMARY KEY); INSERT INTO many.t$i (a) VALUES ($i);"; done | run_cql
run_cql <<'C'
CREATE TYPE many.y (a int);
CREATE TABLE many.none (a int PRIMARY KEY, y frozen<y>);
C
touch -d '2001-02-03 04:05:06' "$M/many"
rsync -aX "$M/many/" "$W/many/"
ok 'rm -r' rm -r "$M/many"
command=$(tail -1 "$M/.widefs/errors" | sed -n 's/.*comes back by: widefsctl //p')
is 'the errors name the command that undoes it' 'snapshot restore STORE removed-N' "$(sed 's/[0-9]\{10,\}/N/' <<<"$command")"
change=${command##* }
is 'a snapshot each' 101 "$(ls "$P" | grep -c "^$change-")"
is '--dry-run tells the plan' "put the tables of the 101 snapshots $change-... as they were in the place of what is there now" "$("$CTL" snapshot restore --dry-run "$M" "$change")"
ok 'the command that errors names' "$CTL" snapshot restore --force "$M" "$change"
is 'brings back all' '' "$(rsync -aXn --delete --itemize-changes "$W/many/" "$M/many/")"
ok 'one command drops all of them' "$CTL" snapshot drop --force "$M" "$change"
is 'all of them' 0 "$(ls "$P" | grep -c "^$change-")"
is 'and are not there' 6 "$("$CTL" snapshot drop --force "$M" "$change" >"$W/out" 2>&1; echo $?)"
for snapshot in "$P"/*; do rmdir "$snapshot"; done
# Replacing the file keeps nothing.
sed -i 's/^$//' "$M/many/schema.cql"
cp -a "$M/many/schema.cql" "$M/many/schema.cql~" && cp -a "$M/many/schema.cql~" "$M/many/schema.cql"
is 'sed -i and cp take none' '' "$(ls "$P")"
rm -r "$M/many"
for snapshot in "$P"/*; do rmdir "$snapshot"; done

# rm -r of a table keeps none by itself; the line of the README for crontab undoes it.
mkdir -p "$M/many"
echo 'CREATE TABLE many.t (a int PRIMARY KEY, v text); INSERT INTO many.t (a, v) VALUES (1, '"'x'"'); INSERT INTO many.t (a, v) VALUES (2, '"'y'"');' >"$M/.cql"
rsync -aX "$M/many/t/" "$W/t/"
line=$(sed -n 's/^    0 \* \* \* \* //p' README.md | sed 's/\\%/%/g; s/date +%H/echo 09/')
HOME=${M%/*} bash -c "$line" 2>/dev/null
ok 'by a timer' bash -c "HOME='${M%/*}'; $line"
is 'one of the hour' hour-09 "$(ls "$P")"
ok 'rm -r of a table' rm -r "$M/many/t"
is 'takes none' hour-09 "$(ls "$P")"
ok 'the table comes back' "$CTL" snapshot restore --force "$M" hour-09 many.t
is 'whole' '' "$(rsync -aXn --delete --itemize-changes "$W/t/" "$M/many/t/")"
rm -r "$M/many"
for snapshot in "$P"/*; do rmdir "$snapshot"; done

# One is one moment beside a writer, and copies no data.
mkdir "$M/one"
run_cql <<'C'
CREATE TABLE one.first (a int PRIMARY KEY, b blob);
CREATE TABLE one.second (a int PRIMARY KEY);
C
head -c 3000000 /dev/urandom >"$W/large"
for i in 1 2 3; do mkdir "$M/one/first/-$i"; cp "$W/large" "$M/one/first/-$i/b"; done
echo flush >"$M/.widefs/ctl"
used=$(du -s "$S" | cut -f1)
mkdir "$P/large"
ok 'nothing is copied' test $(($(du -s "$S" | cut -f1) - used)) -lt 1000
python3 - "$M" <<'P' || fail 'one moment beside a writer'
import os, sys, threading, time
m = sys.argv[1]
done, stop = [0], threading.Event()
def write():
    fd = os.open(m + '/.cql', os.O_WRONLY)
    while not stop.is_set():
        for table in 'first', 'second':
            os.write(fd, b'INSERT INTO one.%s (a) VALUES (%d);' % (table.encode(), done[0] + 1))
        done[0] += 1
    os.close(fd)
writer = threading.Thread(target=write)
writer.start()
try:
    for i in range(6):
        while done[0] < 20 * i: time.sleep(0.001)
        before = done[0]
        os.mkdir(f'{m}/.snapshots/beside{i}')
        after = done[0] + 1
        first, second = ({int(a) for a in os.listdir(f'{m}/.snapshots/beside{i}/one/{table}') if a[0] != '-'} for table in ('first', 'second'))
        assert first == set(range(1, len(first) + 1)) and second == set(range(1, len(second) + 1)), 'a row is missing'
        assert len(first) - len(second) in (0, 1), (len(first), len(second))
        assert before <= len(second) <= after, (before, len(second), after)
finally:
    stop.set()
    writer.join()
P
# A table that wants none of DROP and TRUNCATE.
for snapshot in "$P"/*; do rmdir "$snapshot"; done
run_cql <<'C'
CREATE TABLE one.plain (a int PRIMARY KEY) WITH allow_auto_snapshot = false;
INSERT INTO one.plain (a) VALUES (1);
TRUNCATE one.plain;
INSERT INTO one.plain (a) VALUES (2);
DROP TABLE one.plain;
C
is 'allow_auto_snapshot = false: none is taken' '' "$(ls "$P")"
echo 'TRUNCATE one.second;' >"$M/.cql"
is 'of other tables one is' 1 "$(ls "$P" | grep -c '^truncated-[0-9]*-second$')"
rm -r "$M/one"
for snapshot in "$P"/*; do rmdir "$snapshot"; done

# Another user may look, and make none.
ok 'one more' mkdir "$P/mine"
if [ "$(id -u)" = 0 ]; then
	refused 'another user' 'Permission denied' setpriv --reuid 65534 --clear-groups mkdir "$P/theirs"
	refused 'releases none' 'Permission denied' setpriv --reuid 65534 --clear-groups rmdir "$P/mine"
	is 'but sees it' mine "$(setpriv --reuid 65534 --clear-groups ls "$P")"
fi
again -o ro
is 'read-only: there' mine "$(ls "$P")"
refused 'and stays' 'Read-only file system' rmdir "$P/mine"
stop
done_testing
