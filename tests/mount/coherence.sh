# What the kernel caches is what is so: every change that does not come through
# the cached name is seen by the next call (filesystem.md section 10).
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (id int, c int, a int, b text, tags set<text>, PRIMARY KEY (id, c));
INSERT INTO k.t (id, c, a, b) VALUES (1, 1, 1, 'one');
C
t=$M/k/t r=$M/k/t/1/1
for round in 1 2 3 4 5 6 7 8 9 10; do
	cat "$r/a" "$r/b" >/dev/null; ls -l "$t/1" "$r" >/dev/null; stat "$r/a" >/dev/null
	cql "UPDATE k.t SET a = $((round * 10000)), b = 'text of round $round' WHERE id = 1 AND c = 1" >/dev/null
	is "$round: contents" "$((round * 10000))" "$(cat "$r/a")"
	is "$round: size" "$((${#round} + 15))" "$(stat -c %s "$r/b")"
	is "$round: text" "text of round $round" "$(cat "$r/b")"
	cql "INSERT INTO k.t (id, c, a) VALUES (1, $((round + 1)), 1)" >/dev/null
	is "$round: a new row is listed" $((round + 1)) "$(ls "$t/1" | wc -l)"
	ok "$round: and found" test -e "$t/1/$((round + 1))/a"
	cql "DELETE b FROM k.t WHERE id = 1 AND c = 1" >/dev/null
	refused "$round: a deleted cell" 'No such file' cat "$r/b"
	is "$round: is not listed" 0 "$(ls "$r" | grep -cx b)"
	test -e "$r/b" && fail "$round: it exists"
	cql "UPDATE k.t SET b = 'back' WHERE id = 1 AND c = 1" >/dev/null
	is "$round: a negative name appears" back "$(cat "$r/b")"
	echo '{"a": 7}' >>"$t/1/1.json"
	is "$round: by a document" 7 "$(cat "$r/a")"
	cql "UPDATE k.t SET tags = tags + {'r$round'} WHERE id = 1 AND c = 1" >/dev/null
	is "$round: a set grows" "$round" "$(ls "$r/tags" | wc -l)"
	put "$r/a" "$round"
	is "$round: the document follows" "$round" "$(jq .a "$t/1/1.json")"
	is "$round: CQL follows" "[[$round]]" "$(cql 'SELECT a FROM k.t WHERE id = 1 AND c = 1' | jq -c .rows)"
	cql "DELETE FROM k.t WHERE id = 1 AND c > 1 AND c < 100" >/dev/null
	is "$round: a range is deleted" 1 "$(names "$t/1")"
	for c in 2 3 4 5 6 7 8 9 10 11; do cql "INSERT INTO k.t (id, c, a) VALUES (1, $c, 1)" >/dev/null; [ "$c" -le "$round" ] || break; done
	is "$round: and comes back" $((round + 1)) "$(ls "$t/1" | wc -l)"
	cql "TRUNCATE k.t" >/dev/null
	is "$round: truncated" '' "$(names "$t")"
	refused "$round: nothing is left" 'No such file' cat "$r/a"
	cql "INSERT INTO k.t (id, c, a, b) VALUES (1, 1, 1, 'one')" >/dev/null
	for c in $(seq 2 $((round + 1))); do cql "INSERT INTO k.t (id, c, a) VALUES (1, $c, 1)" >/dev/null; done
	for n in $(seq "$round"); do cql "UPDATE k.t SET tags = tags + {'r$n'} WHERE id = 1 AND c = 1" >/dev/null; done
done
# What a close makes appear, after others looked: time and listing follow.
ok 'a schemaless table' mkdir -p "$M/k/plain/p"
appears() {
	python3 - "$1" "$2" <<'P'
import os, sys
d, text = sys.argv[1], sys.argv[2].encode()
def look():
    return 'b' in os.listdir(d), os.stat(d).st_mtime > 10 ** 9
if os.path.exists(d + '/b'):
    os.unlink(d + '/b')
os.utime(d, (0, 10 ** 9))
f = os.open(d + '/b', os.O_WRONLY | os.O_CREAT | os.O_EXCL)
look(), look()
os.write(f, text)
os.close(f)
print(*look())
P
}
for text in x ''; do
	is 'a new file is listed, its directory is newer' 'True True' "$(appears "$M/k/plain/p" "$text")"
	is 'in a row too' 'True True' "$(appears "$r" "$text")"
done
is 'and in a set' 'True True' "$(appears "$r/tags" '')"
ok 'that table goes' rm -r "$M/k/plain"
# Tables come and go.
ls "$M/k" >/dev/null; test -e "$M/k/u" && fail 'u is there'
cql 'CREATE TABLE k.u (x int PRIMARY KEY, y int)' >/dev/null
ok 'a new table' test -d "$M/k/u"
is 'is listed' 'schema.cql t u' "$(names "$M/k")"
cql 'INSERT INTO k.u (x, y) VALUES (1, 2)' >/dev/null
is 'with its row' 2 "$(cat "$M/k/u/1/y")"
cql 'DROP TABLE k.u' >/dev/null
refused 'a dropped one' 'No such file' ls "$M/k/u/1"
cql 'CREATE TABLE k.u (x int PRIMARY KEY, y text)' >/dev/null
is 'made again it is empty' '' "$(names "$M/k/u")"
# A time to live.
cql "INSERT INTO k.t (id, c, a) VALUES (9, 9, 9) USING TTL 2" >/dev/null
is 'an expiring row is there' 9 "$(cat "$t/9/9/a")"
ok 'and listed' test "$(ls "$t" | grep -c '^9$')" = 1
sleep 3
refused 'and gone in time' 'No such file' cat "$t/9/9/a"
is 'from the listing too' 0 "$(ls "$t" | grep -c '^9$')"
stop
done_testing
