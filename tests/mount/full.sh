# A full disk: what frees room goes on, nothing is lost, and the service returns
# without a mount (P12).
. tests/mount/lib.sh
small_disk 40m
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.a (p int PRIMARY KEY, v text);
CREATE TABLE k.b (p int PRIMARY KEY, v text);
CREATE TABLE k.c (p int PRIMARY KEY, v text);
C
# fill TABLE: rows of 16 KB that do not compress, until one is refused; those
# that were acknowledged are in $W/TABLE.
fill() {
	python3 - "$M" "$1" "$W/$1" <<'P'
import os, random, string, sys
m, table, acknowledged = sys.argv[1:]
r = random.Random(table)
kept = open(acknowledged, 'a')
for i in range(20000):
	text = r.randbytes(8192).hex()
	fd = os.open(m + '/.cql', os.O_RDWR)
	try:
		os.write(fd, b"INSERT INTO k.%s (p, v) VALUES (%d, '%s');" % (table.encode(), i, text.encode()))
	except OSError as e:
		print(e.strerror)
		break
	finally:
		os.close(fd)
	print(i, text, file=kept)
P
}
# intact TABLE: all that was acknowledged is there.
intact() {
	python3 - "$M" "$1" "$W/$1" <<'P'
import sys
m, table, acknowledged = sys.argv[1:]
for line in open(acknowledged):
	i, text = line.split()
	assert open('%s/k/%s/%s/v' % (m, table, i)).read() == text + '\n', i
P
}
is 'a disk that fills' 'No space left on device' "$(fill a)"
is 'the reason says what to do' 1 "$(tail -1 "$M/.widefs/errors" | grep -c 'delete, TRUNCATE or DROP')"
ok 'acknowledged rows' intact a
ok 'CREATE TABLE' cql 'CREATE TABLE k.d (p int PRIMARY KEY, v text)'
ok 'ALTER TABLE' cql 'ALTER TABLE k.d ADD w int'
ok 'DROP TABLE' cql 'DROP TABLE k.b'
ok 'rm -r of a row' rm -r "$M/k/a/0"
ok 'DELETE' cql 'DELETE FROM k.a WHERE p = 1'
sed -i '/^[01] /d' "$W/a"
ok 'the others' intact a
is 'the other rows are gone' '[]' "$(cql 'SELECT p FROM k.a WHERE p IN (0, 1)' | jq -c .rows)"
# Deleted rows need not be written: the rest fits, and writing goes on.
sed -i -n '/^[0-9]*[01] /p' "$W/a"
ok 'rm -r of most rows' bash -c 'rm -r "$0"/*[2-9] 2>&1 | head -5; [ "${PIPESTATUS[0]}" = 0 ]' "$M/k/a"
# comes_back TABLE
comes_back() {
	local i
	for ((i = 0; i < 600; i++)); do	# soon, and on a busy machine too
		cql "INSERT INTO k.$1 (p, v) VALUES (2, '$(printf 'x%.0s' {1..70000})')" >/dev/null 2>&1 && return 0
		sleep 0.1
	done
	return 1
}
ok 'writing returns when rows are gone' comes_back c
ok 'rows that were left' intact a
ok 'TRUNCATE' cql 'TRUNCATE k.a'
: >"$W/a"
is 'a disk that fills again' 'No space left on device' "$(fill c)"
ok 'acknowledged rows' intact c
# Not a byte left, by another's fault: the reserve is for this.
for _ in 1 2 3; do
	head -c 50000000 /dev/zero >>"$D/theirs" 2>/dev/null
done
sed -i '/^[0-4] /d' "$W/c"
for i in 0 1 2 3 4; do
	ok 'rm -r of a row' rm -r "$M/k/c/$i"
done
ok 'many changes of the schema' run_cql < <(for i in {1..200}; do echo "CREATE TABLE k.n$i (a int PRIMARY KEY, some_longer_name map<text, text>);"; done)
ok 'DROP TABLE' cql 'DROP TABLE k.d'
ok 'TRUNCATE' cql 'TRUNCATE k.n1'
ok 'acknowledged rows' intact c
again
ok 'and stays after a mount' intact c
ok 'DROP TABLE' cql 'DROP TABLE k.c'
ok 'writing returns where others filled the disk' comes_back a
rm "$D/theirs"
stop
done_testing
