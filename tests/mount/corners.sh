# Small promises of fs/README.md and widefs.1, each once broken.
. tests/mount/lib.sh
start -o max_value=4K
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p int, c text, a int, v varint, d double, b text, x blob, tags set<text>, mp map<text, int>, PRIMARY KEY (p, c));
CREATE TABLE k.hits (id int PRIMARY KEY, n counter);
C
T=$M/k/t R=$M/k/t/1/r

# A keyspace without tables goes as any directory does.
mkdir "$M/gone"
ok 'rm -r of an empty keyspace' rm -r "$M/gone"
is 'the keyspace is gone' '' "$(ls -d "$M/gone" 2>/dev/null)"
mkdir "$M/gone"
ok 'made again' ls "$M/gone/schema.cql"
rm "$M/gone/schema.cql"
ok 'and removed in two steps' rmdir "$M/gone"

# A row of a schemaless table moves to another partition, in one step.
mkdir "$M/k/notes" "$M/k/notes/one" "$M/k/notes/two"
printf 'text\0more' >"$M/k/notes/one/a"
touch -d '2020-02-02 02:02:02.5 UTC' "$M/k/notes/one/a"
before=$(stat -c %y "$M/k/notes/one/a")
ok 'rename to another partition' python3 -c 'import os, sys; os.rename(*sys.argv[1:])' "$M/k/notes/one/a" "$M/k/notes/two/b"
is 'the value is in the other partition' '74657874006d6f7265' "$(od -An -v -tx1 "$M/k/notes/two/b" | tr -d ' \n')"
is 'with its time' "$before" "$(stat -c %y "$M/k/notes/two/b")"
is 'and there alone' '' "$(names "$M/k/notes/one")"
is 'by CQL too' '[["two","b","0x74657874006d6f7265"]]' "$(cql 'SELECT * FROM k.notes' | jq -c .rows)"
printf other >"$M/k/notes/one/c"
ok 'onto another row' python3 -c 'import os, sys; os.rename(*sys.argv[1:])' "$M/k/notes/two/b" "$M/k/notes/one/c"
is 'the row is replaced' '[["one","c","0x74657874006d6f7265"]]' "$(cql 'SELECT * FROM k.notes' | jq -c .rows)"
# A file that was just made, and is open, moves with what it has; its maker goes on.
is 'a new file moves before its close' 'one,c: 616263' "$(python3 -c '
import os, sys
new, old = sys.argv[1:]
fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
os.write(fd, b"ab")
os.rename(new, old)
os.write(fd, b"c")
os.close(fd)' "$M/k/notes/two/new" "$M/k/notes/one/c" 2>&1; cql 'SELECT * FROM k.notes' | jq -r '.rows[] | .[0] + "," + .[1] + ": " + .[2][2:]')"
printf 'text\0more' >"$M/k/notes/one/c"
mkdir "$M/k/other" "$M/k/other/one"
is 'not to another table' 18 "$(python3 -c '
import os, sys
try: os.rename(*sys.argv[1:])
except OSError as e: print(e.errno)' "$M/k/notes/one/c" "$M/k/other/one/c")"

# CQL has no unary plus; a counter's lines have.
mkdir -p "$R"
for column in a v d; do
	refused "$column: +5" 'Invalid argument' put "$R/$column" +5
	put "$R/$column" 7
	refused "$column: +5 over 7" 'Invalid argument' put "$R/$column" +5
	is "$column keeps 7" '7' "$(sed 's/\.0$//' "$R/$column")"
	rm "$R/$column"
done
refused 'a decimal with a sign' 'Invalid argument' put "$R/d" +1.5
refused 'an exponent alone may have it' 'Invalid argument' put "$R/d" +1e+2
ok 'in an exponent' put "$R/d" 1e+2
refused 'a name' 'No such file' ls "$T/+1"
refused 'a partition' 'Invalid argument' mkdir "$T/+1"
is 'the reason' 'yes' "$(tail -1 "$M/.widefs/errors" | grep -q "'1'\|+1" && echo yes)"
refused 'in a frozen JSON text' 'Invalid argument' put "$R.json" '{"a": +5}'
mkdir "$M/k/hits/1"
ok '+5 of a counter' put "$M/k/hits/1/n" +5
refused 'a blank line of a counter' 'Invalid argument' put "$M/k/hits/1/n" ''
is 'changes nothing' 5 "$(cat "$M/k/hits/1/n")"
refused 'a blank line among others' 'Invalid argument' put "$M/k/hits/1/n" $'\n+1'
is 'changes nothing either' 5 "$(cat "$M/k/hits/1/n")"

# max_value is of the value: the newline that is dropped does not count, any
# other byte does, in the write itself.
put_bytes() { head -c "$2" /dev/zero | tr '\0' z | { cat; printf %s "${3:-}"; } | dd of="$1" bs=64K iflag=fullblock 2>&1 | grep -v records; [ "${PIPESTATUS[3]}" = 0 ]; }
ok 'a text of max_value' put_bytes "$R/b" 4096 $'\n'
is 'is stored' 4097 "$(stat -c %s "$R/b")"
refused 'one byte more' 'File too large' put_bytes "$R/b" 4097
refused 'and with a newline' 'File too large' put_bytes "$R/b" 4097 $'\n'
is 'the old one stays' 4097 "$(stat -c %s "$R/b")"
ok 'a blob of max_value' put_bytes "$R/x" 4096
refused 'a blob has no newline to drop' 'File too large' put_bytes "$R/x" 4096 $'\n'
refused 'one byte more of a blob' 'File too large' put_bytes "$R/x" 4097
is 'the old blob stays' 4096 "$(stat -c %s "$R/x")"

# The mtime of a row is that of its names: an element is a name of its collection.
mkdir "$M/k/t/1/m"
touch "$M/k/t/1/m/tags" 2>/dev/null
mkdir "$M/k/t/1/m/tags"
touch "$M/k/t/1/m/tags/one"
row=$(stat -c %y "$M/k/t/1/m") partition=$(stat -c %y "$M/k/t/1") collection=$(stat -c %y "$M/k/t/1/m/tags")
sleep 0.02
touch "$M/k/t/1/m/tags/two"
is 'the row keeps its time' "$row" "$(stat -c %y "$M/k/t/1/m")"
is 'the partition too' "$partition" "$(stat -c %y "$M/k/t/1")"
is 'its collection has another' other "$([ "$(stat -c %y "$M/k/t/1/m/tags")" = "$collection" ] || echo other)"
collection=$(stat -c %y "$M/k/t/1/m/tags")
sleep 0.02
rm "$M/k/t/1/m/tags/two"
is 'also when one goes' "$row" "$(stat -c %y "$M/k/t/1/m")"
is 'and the collection' other "$([ "$(stat -c %y "$M/k/t/1/m/tags")" = "$collection" ] || echo other)"
collection=$(stat -c %y "$M/k/t/1/m/tags")
again -o max_value=4K
is 'after a remount' "$row $partition" "$(stat -c %y "$M/k/t/1/m") $(stat -c %y "$M/k/t/1")"
mkdir "$M/k/t/1/m/mp"
is 'a new collection is a new name' other "$([ "$(stat -c %y "$M/k/t/1/m")" = "$row" ] || echo other)"
row=$(stat -c %y "$M/k/t/1/m")
sleep 0.02
put "$M/k/t/1/m/mp/k" 1
is 'its first element is not' "$row" "$(stat -c %y "$M/k/t/1/m")"

# A directory that lives in memory alone is moved with what it holds there.
cql "UPDATE k.t SET a = 1 WHERE p = 2 AND c = 'last'" >/dev/null
rm "$T/2/last/a"
is 'emptied, it stays' 'last' "$(names "$T/2")"
mkdir "$T/2/last/tags"
echo draft >"$T/2/last/.b.tmp1"
ok 'and is renamed' python3 -c 'import os, sys; os.rename(*sys.argv[1:])' "$T/2/last" "$T/2/next"
is 'the row is at the target' 'next' "$(names "$T/2")"
is 'with its names' '.b.tmp1 tags' "$(find "$T/2/next" -mindepth 1 -printf '%f\n' | sort | tr '\n' ' ' | sed 's/ $//')"
is 'and contents' draft "$(cat "$T/2/next/.b.tmp1")"
ok 'a cell is written at the target' put "$T/2/next/a" 4
is 'in the store' '[["next",4]]' "$(cql 'SELECT c, a FROM k.t WHERE p = 2' | jq -c .rows)"

# A row that is renamed keeps the times of all that is in it, and its own.
moved() { python3 -c 'import os, sys; os.rename(*sys.argv[1:])' "$1" "$2"; }
told() { (cd "$1" && stat -c '%n %y' . ./* tags/* mp/*); }
mkdir "$T/3"
put "$T/3/x.json" '{"a": 1, "b": "text", "tags": ["t", "u"], "mp": {"k": 1, "l": 2}}'
touch -d 2001-01-01 "$T/3/x/b"; touch -d 2002-02-02 "$T/3/x/tags/t"; touch -d 2003-03-03 "$T/3/x/mp"; touch -d 2004-04-04 "$T/3/x"
was=$(told "$T/3/x") written=$(cql "SELECT writetime(a) FROM k.t WHERE p = 3 AND c = 'x'")
ok 'a row with times that were set is renamed' moved "$T/3/x" "$T/3/y"
is 'with its times' "$was" "$(told "$T/3/y")"
is 'its values were written when they were' "$written" "$(cql "SELECT writetime(a) FROM k.t WHERE p = 3 AND c = 'y'")"
mkdir -p "$T/4/z/mp"; touch -d 2005-05-05 "$T/4/z/mp" "$T/4/z"; rmdir "$T/4/z/mp" "$T/4/z"
ok 'where another was deleted later' moved "$T/3/y" "$T/4/z"
is 'with its times too' "$was" "$(told "$T/4/z")"
is 'and values' '[["text",["t","u"],{"k":1,"l":2}]]' "$(cql 'SELECT b, tags, mp FROM k.t WHERE p = 4' | jq -c .rows)"
cql "INSERT INTO k.t (p, c, a, mp) VALUES (3, 'none set', 1, {'k': 1})" >/dev/null
mkdir "$T/3/n"; touch -d 2005-05-05 "$T/3/n"; rmdir "$T/3/n"
was=$(cd "$T/3/none set" && stat -c %y . a mp mp/k)
ok 'a row without such times' moved "$T/3/none set" "$T/3/n"
is 'has none of an earlier row' "$was" "$(cd "$T/3/n" && stat -c %y . a mp mp/k)"

# A file that is refused before it was stored was never there.
exec 7>"$R/a"
refused 'a word' 'Invalid argument' bash -c 'echo abc >&7'
is 'nobody sees it' '' "$(find "$R" -name a; ls "$R/a" 2>/dev/null)"
refused 'by name' 'No such file' cat "$R/a"
exec 7>&-
is 'nor afterwards' '' "$(find "$R" -name a)"
ok 'the file can be made' put "$R/a" 5
is 'and is' 5 "$(cat "$R/a")"

# The reason why a document is refused has no words of another program.
words() { tail -1 "$M/.widefs/errors"; }
for text in '{"a": }' '{"a": 1,}' '[1]' 'x' '{"a" 1}' '{"a": 1} x' '{"a": "x"}' '{"a": {}}' '{"tags": {"a": 1}}' '{"tags": 5}' \
	'{"mp": [1]}' '{"mp": {"k": "x"}}' '{"b": 5}' '{"x": "zz"}' '{"d": "1x"}' '{"v": 1.5}' '{"nothing": 1}' '{"a": 99999999999}' '{"a": "\uD800"}'; do
	refused "$text" 'Invalid argument' put "$R.json" "$text"
	is "$text: in plain words" '' "$(words | grep -oE 'java|org\.|com\.|[A-Z][a-z]+Exception|[A-Z][a-z]+[A-Z][a-z]+\b|\(class|source:|Hash(Map|Set)|\bchar\b.*code|ordinal' | head -1)"
	[ -z "${SHOW:-}" ] || words
done

# A key column that was renamed has its new name alone.
put "$R/b" text
is 'by its name' 'r' "$(cat "$R/c")"
exec 8<"$R/c"
cql 'ALTER TABLE k.t RENAME c TO c2' >/dev/null
refused 'not by the old one' 'No such file' cat "$R/c"
is 'but by the new one' 'r' "$(cat "$R/c2")"
exec 8<&-

# A statement that makes or removes a name moves the time of its directory, as
# mkdir and rmdir do, where times are stored.
run_cql <<'C'
CREATE TABLE k.days (id int, d int, c text, s text STATIC, v int, PRIMARY KEY (id, d, c));
CREATE TABLE k.flat (id int PRIMARY KEY, v int);
C
t=$M/k/days
mkdir -p "$t/1/2/x" "$M/k/flat/1"
dated=("$t" "$t/1" "$t/1/2" "$t/1/2/x" "$M/k/flat" "$M/k/flat/1")
# moves WHAT STATEMENT DIRECTORY...: it moves the times of these and of no others.
moves() {
	local what=$1 statement=$2 d out=
	shift 2
	touch -d 2001-01-01 "${dated[@]}"
	ok "$what" cql "$statement"
	for d in "${dated[@]}"; do
		[ "$(stat -c %Y "$d" 2>/dev/null)" = "$(date -d 2001-01-01 +%s)" ] || out+="${d#"$M/k/"} "
	done
	is "$what: what has another time" "$*" "${out% }"
}
moves 'a row is inserted' "INSERT INTO k.days (id, d, c) VALUES (1, 2, 'y')" days/1/2
moves 'inserted again' "INSERT INTO k.days (id, d, c, v) VALUES (1, 2, 'y', 1)"
moves 'a value appears' "UPDATE k.days SET v = 1 WHERE id = 1 AND d = 2 AND c = 'x'" days/1/2/x
moves 'a value changes' "UPDATE k.days SET v = 2 WHERE id = 1 AND d = 2 AND c = 'x'"
moves 'an update makes a row' "UPDATE k.days SET v = 2 WHERE id = 1 AND d = 2 AND c = 'z'" days/1/2
moves 'a prefix appears' "INSERT INTO k.days (id, d, c) VALUES (1, 3, 'y')" days/1
moves 'a partition appears' "INSERT INTO k.days (id, d, c) VALUES (2, 3, 'y')" days
moves 'statics appear' "UPDATE k.days SET s = 'a' WHERE id = 1" days/1
moves 'a row goes' "DELETE FROM k.days WHERE id = 1 AND d = 2 AND c = 'z'" days/1/2
moves 'no row goes' "DELETE FROM k.days WHERE id = 1 AND d = 2 AND c = 'z'"
moves 'no value goes' "DELETE v FROM k.days WHERE id = 1 AND d = 2 AND c = 'z'"
moves 'null makes no row' "UPDATE k.flat SET v = null WHERE id = 9"
moves 'null makes no statics' "UPDATE k.days SET s = null WHERE id = 9"
moves 'a prefix goes with its row' "DELETE FROM k.days WHERE id = 1 AND d = 3 AND c = 'y'" days/1
moves 'rows of a range go' "DELETE FROM k.days WHERE id = 1 AND d = 2 AND c > 'x'" days/1/2
moves 'a partition goes' 'DELETE FROM k.days WHERE id = 2' days
moves 'no partition goes' 'DELETE FROM k.days WHERE id = 2'
moves 'a batch' "BEGIN BATCH INSERT INTO k.days (id, d, c) VALUES (1, 2, 'b'); INSERT INTO k.days (id, d, c) VALUES (3, 2, 'b'); INSERT INTO k.flat (id) VALUES (2); APPLY BATCH" days days/1/2 flat
moves 'a batch makes a prefix and a partition' "BEGIN BATCH INSERT INTO k.days (id, d, c) VALUES (1, 7, 'a'); INSERT INTO k.days (id, d, c) VALUES (1, 7, 'b'); INSERT INTO k.days (id, d, c) VALUES (5, 1, 'a'); INSERT INTO k.days (id, d, c) VALUES (5, 2, 'a'); APPLY BATCH" days days/1
moves 'a batch empties a partition with two rows' "BEGIN BATCH DELETE FROM k.days WHERE id = 5 AND d = 1 AND c = 'a'; DELETE FROM k.days WHERE id = 5 AND d = 2 AND c = 'a'; APPLY BATCH" days
moves 'a statement empties a prefix with two rows' "DELETE FROM k.days WHERE id = 1 AND d = 7 AND c IN ('a', 'b')" days/1
moves 'a batch replaces the row of a partition' "BEGIN BATCH INSERT INTO k.days (id, d, c) VALUES (3, 2, 'c'); DELETE FROM k.days WHERE id = 3 AND d = 2 AND c = 'b'; APPLY BATCH"
moves 'a condition that holds' "INSERT INTO k.flat (id) VALUES (3) IF NOT EXISTS" flat
moves 'one that does not' "INSERT INTO k.flat (id) VALUES (3) IF NOT EXISTS"
again
ok 'after a remount nobody has looked' cql 'INSERT INTO k.flat (id) VALUES (4)'
ok 'the table has the time' test "$(stat -c %Y "$M/k/flat")" -gt 1700000000
again
ok 'and after another' test "$(stat -c %Y "$M/k/flat")" -gt 1700000000
touch -d 2001-01-01 "$M/k/flat/4" "$M/k/flat"
rmdir "$M/k/flat/4"; cql 'INSERT INTO k.flat (id) VALUES (4)' >/dev/null
again
ok 'a row has no time of an earlier one' test "$(stat -c %Y "$M/k/flat/4")" -gt 1700000000

# The directory of a row and that of a collection move where values come or go.
run_cql <<'C'
CREATE TABLE k.rich (id int, c int, s text STATIC, v int, w int, m map<text, int>, l list<int>, PRIMARY KEY (id, c));
INSERT INTO k.rich (id, c, s, v, m, l) VALUES (1, 1, 'a', 1, {'a': 1, 'b': 2}, [1, 2]);
C
f=$M/k/rich/1
dated=("$M/k/rich" "$f" "$f/@static" "$f/1" "$f/1/m" "$f/1/l")
moves 'a value comes' 'UPDATE k.rich SET w = 1 WHERE id = 1 AND c = 1' rich/1/1
moves 'values change' "UPDATE k.rich SET v = 3, w = 3, s = 'b', m['a'] = 3 WHERE id = 1 AND c = 1"
moves 'a value goes' 'DELETE w FROM k.rich WHERE id = 1 AND c = 1' rich/1/1
moves 'a null replaces nothing' 'INSERT INTO k.rich (id, c, w) VALUES (1, 1, null)'
moves 'an older value comes' 'UPDATE k.rich USING TIMESTAMP 5 SET w = 1 WHERE id = 1 AND c = 2' rich/1
moves 'an older deletion removes nothing' 'DELETE v, m FROM k.rich USING TIMESTAMP 5 WHERE id = 1 AND c = 1'
moves 'a key comes' "UPDATE k.rich SET m['c'] = 1 WHERE id = 1 AND c = 1" rich/1/1/m
moves 'a map with the same keys' "UPDATE k.rich SET m = {'a': 4, 'b': 4, 'c': 4} WHERE id = 1 AND c = 1"
moves 'a key goes' "DELETE m['c'] FROM k.rich WHERE id = 1 AND c = 1" rich/1/1/m
moves 'an element comes' 'UPDATE k.rich SET l = l + [3] WHERE id = 1 AND c = 1' rich/1/1/l
moves 'a list goes' 'DELETE l FROM k.rich WHERE id = 1 AND c = 1' 'rich/1/1 rich/1/1/l'
dated=("$M/k/rich" "$f" "$f/@static" "$f/1" "$f/1/m")
moves 'a batch of two rows' 'BEGIN BATCH UPDATE k.rich SET w = 1 WHERE id = 1 AND c = 1; UPDATE k.rich SET w = 1 WHERE id = 1 AND c = 3; APPLY BATCH' 'rich/1 rich/1/1'
moves 'the last value of a row without a marker goes' 'DELETE w FROM k.rich WHERE id = 1 AND c = 3' rich/1
# Documents do as statements do.
touched() {	# touched WHAT FILE TEXT DIRECTORY...: to append the text moves the times of these alone
	local what=$1 d out=
	touch -d 2001-01-01 "${dated[@]}"
	echo "$3" >>"$2" || fail "$what"
	shift 3
	for d in "${dated[@]}"; do
		[ "$(stat -c %Y "$d")" = "$(date -d 2001-01-01 +%s)" ] || out+="${d#"$M/k/"} "
	done
	is "$what: what has another time" "$*" "${out% }"
}
touched 'a document without a value' "$f/1.json" '{"w": null}' rich/1/1
touched 'a document with another' "$f/1.json" '{"w": 1}' rich/1/1
touched 'a document with the same values' "$f/1.json" '{"w": 1, "m": {"a": 1, "b": 1}}'
touched 'a document with a key' "$f/1.json" '{"m": {"k": 1}}' rich/1/1/m
touched 'a collection with another' "$f/1/m.json" '{"n": 1}' rich/1/1/m
touched 'a collection with the same' "$f/1/m.json" '{"n": 2}'
touched 'a collection that is new' "$f/1/l.json" '[1]' rich/1/1
touched 'a row that is new' "$f/4.json" '{"v": 1}' rich/1
touched 'a line with another value' "$M/k/rich.ndjson" '{"id": 1, "c": 1, "w": null}' rich/1/1
touched 'a line with the same values' "$M/k/rich.ndjson" '{"id": 1, "c": 1, "w": null, "v": 7}'
run_cql <<'C'
CREATE TABLE k.late (id int PRIMARY KEY, v int, w int);
INSERT INTO k.late (id, v) VALUES (1, 1);
UPDATE k.late SET w = 1 WHERE id = 1;
C
late=$(stat -c %y "$M/k/late/1")
cql 'DELETE w FROM k.late WHERE id = 1' >/dev/null
ok 'a deletion moves no time back' test "$(stat -c %y "$M/k/late/1")" '>' "$late"
touch -d 2001-01-01 "$M/k/late/1"
again
is 'a time that was set stays' "$(date -d 2001-01-01 +%s)" "$(stat -c %Y "$M/k/late/1")"

# So does a statement that makes or drops a keyspace or a table.
dated=("$M" "$M/k" "$M/.snapshots" "$M/.widefs")
moves_above() {	# moves_above WHAT COMMAND... -- NAME...
	local what=$1 d out='' command=()
	shift
	while [ "$1" != -- ]; do command+=("$1"); shift; done
	shift
	touch -d 2001-01-01 "${dated[@]}"
	again
	ok "$what" "${command[@]}"
	for d in "${dated[@]}"; do
		[ "$(stat -c %Y "$d")" = "$(date -d 2001-01-01 +%s)" ] || out+="${d#"$M"}/ "
	done
	is "$what: what has another time" "$*" "${out% }"
}
moves_above 'nothing is done' true --
moves_above 'CREATE KEYSPACE' cql "CREATE KEYSPACE k9 WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}" -- /
moves_above 'CREATE TABLE' cql 'CREATE TABLE k.more (id int PRIMARY KEY, v int)' -- /k/
moves_above 'ALTER TABLE' cql 'ALTER TABLE k.more ADD w int' --
moves_above 'CREATE TYPE' cql 'CREATE TYPE k.kind (a int)' --
moves_above 'a snapshot' mkdir "$M/.snapshots/one" -- /.snapshots/
moves_above 'another' mkdir "$M/.snapshots/two" -- /.snapshots/
moves_above 'its release' rmdir "$M/.snapshots/two" -- /.snapshots/
ok 'it does not go back' test "$(stat -c %y "$M/.snapshots")" '>' "$(stat -c %y "$M/k/more")"
moves_above 'DROP KEYSPACE' cql 'DROP KEYSPACE k9' -- /
moves_above 'DROP TABLE' cql 'DROP TABLE k.more' -- /k/

# A counter has no empty value: it is not truncated.
cql 'CREATE TABLE k.tally (id int PRIMARY KEY, n counter)' >/dev/null
cql 'UPDATE k.tally SET n = n + 5 WHERE id = 1' >/dev/null
n=$M/k/tally/1/n
refused 'truncate(2) of a counter' 'Invalid argument' python3 -c 'import os, sys; os.truncate(sys.argv[1], 0)' "$n"
is 'the reason of it' 1 "$(tail -1 "$M/.widefs/errors" | grep -c 'no empty value')"
refused 'ftruncate alone, at the close' 'Invalid argument' truncate -s 0 "$n"
refused 'O_TRUNC alone, at the close' 'Invalid argument' python3 -c 'import os, sys; os.close(os.open(sys.argv[1], os.O_WRONLY | os.O_TRUNC))' "$n"
is 'the counter stays' 5 "$(cat "$n")"
before=$(wc -l <"$M/.widefs/errors")
ok 'a line after O_TRUNC' put "$n" +1
is 'a redirection that counts is not told as a refusal' "$before" "$(wc -l <"$M/.widefs/errors")"
ok 'a line after ftruncate' python3 -c 'import sys
f = open(sys.argv[1], "r+"); f.truncate(0); f.write("-2\n"); f.close()' "$n"
ok 'a touch' touch "$n"
is 'both are counted' 4 "$(cat "$n")"
# A copy of a counter is its total: another one below zero is no line to count.
echo -7 >"$M/k/tally/1/.n.abcdef"
refused 'another total of a copier' 'Invalid argument' python3 -c 'import os, sys; os.rename(*sys.argv[1:])' "$M/k/tally/1/.n.abcdef" "$n"
is 'the reason of that' 1 "$(tail -1 "$M/.widefs/errors" | grep -c 'this counter exists: write +N or -N')"
is 'nothing was counted' 4 "$(cat "$n")"
rm -f "$M/k/tally/1/.n.abcdef"
# A directory without a row goes with a TRUNCATE, if it has no temporary file.
mkdir "$M/k/tally/2"
cql 'TRUNCATE k.tally' >/dev/null
is 'nothing is left by a TRUNCATE' '' "$(ls "$M/k/tally")"
refused 'no file where the directory was' 'No such file or directory' put "$M/k/tally/2/n" 5
cql 'CREATE TABLE k.tallies (id int, c text, n counter, PRIMARY KEY (id, c))' >/dev/null
mkdir -p "$M/k/tallies/2/x"
echo x >"$M/k/tallies/2/x/.n.swp"
cql 'TRUNCATE k.tallies' >/dev/null
ok 'a row after a TRUNCATE' put "$M/k/tallies/2/x/n" 5
before=$(stat -c %y "$M/k/tallies/2")
mkdir "$M/.snapshots/tallies"
is 'the directory has its time in the store' "$before" "$(stat -c %y "$M/.snapshots/tallies/k/tallies/2")"
rmdir "$M/.snapshots/tallies"
rm "$M/k/tallies/2/x/.n.swp"

# sendfile and splice ask for no attributes: they read as far as the kernel's size,
# and a value may be longer as it is stored than as it was written.
cat >"$W/sent.py" <<'END'
import os, sys
path = sys.argv[1]
f = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
os.write(f, sys.argv[2].encode())
os.close(f)
f = os.open(path, os.O_RDONLY)
to = os.open(sys.argv[3], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
while os.sendfile(to, f, None, 1 << 20):
    pass
END
sent() {
	python3 "$W/sent.py" "$M/k/flat/$1" "$2" "$W/sent" &&
		printf '%s\n' "$2" | cmp "$W/sent"
}
ok 'the directory of a row' mkdir "$M/k/flat/20"
ok 'sendfile of a new value' sent 20/v 7
ok 'and of another one' sent 20/v 123
ok 'and of a shorter one' sent 20/v 4
# A document is read: the pages that the kernel has of it may be of several texts.
copied() {
	python3 -c '
import os, sys
source, target = os.open(sys.argv[1], os.O_RDONLY), os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
print(os.copy_file_range(source, target, 1 << 20))' "$1" "$2"
}
mkdir -p "$M/k/copies/p"
refused 'copy_file_range of a document' 'Invalid argument' copied "$M/k/flat/20.json" "$M/k/copies/p/row"
ok 'cp of it' cp "$M/k/flat/20.json" "$M/k/copies/p/row"
ok 'has all of it' cmp "$M/k/flat/20.json" "$M/k/copies/p/row"
is 'copy_file_range of a value' 2 "$(copied "$M/k/flat/20/v" "$M/k/copies/p/value")"
is 'has all of that' 4 "$(cat "$M/k/copies/p/value")"
rm -r "$M/k/copies"

stop
# A keyspace= without a name shows nothing that anybody could have meant.
refused 'keyspace=' 'keyspace' "$WIDEFS" -o keyspace= "$S" "$M"
is 'the status' 2 "$("$WIDEFS" -o keyspace= "$S" "$M" 2>/dev/null; echo $?)"
mountpoint -q "$M" && fail 'it is mounted'
done_testing
