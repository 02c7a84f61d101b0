# schema.cql as a text that is edited (fs/README.md, "Statements"): a difference
# becomes ALTER TABLE, or is refused by name; >> only adds.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TYPE k.place (street text, zip int);
CREATE TABLE k.t (id int, c text, v int, s text static, tags set<text>, home frozen<place>, PRIMARY KEY (id, c)) WITH CLUSTERING ORDER BY (c DESC) AND comment = 'one';
CREATE INDEX by_v ON k.t (v);
CREATE TABLE k.other (id int PRIMARY KEY, v text);
ALTER TABLE k.other ADD secret text MASKED WITH system.mask_null();
INSERT INTO k.t (id, c, v, s, tags, home) VALUES (1, 'a', 5, 'st', {'x', 'y'}, {street: 'High St', zip: 7});
INSERT INTO k.other (id, v, secret) VALUES (1, 'w', 'hidden');
C
f=$M/k/schema.cql
reason() { tail -1 "$M/.widefs/errors" | cut -d' ' -f7-; }
columns() { cql "SELECT column_name FROM system_schema.columns WHERE keyspace_name = 'k' AND table_name = '$1'" | jq -r '.rows[][0]' | sort | paste -sd ' '; }
before=$(cat "$f")
ok 'the same text changes nothing' sed -i '' "$f"
is 'not a byte' "$before" "$(cat "$f")"
# The same, written by hand: what is not said is not compared.
cat >"$W/hand" <<'C'
-- the tables, as a person writes them
create table if not exists k.other (id int primary key);
CREATE /* ; */ TABLE t (id int, c varchar, home frozen<place>, tags set<text>, s text STATIC, v int,
	PRIMARY KEY ((id), c)) WITH comment = 'one' AND CLUSTERING ORDER BY (c DESC) AND gc_grace_seconds = 864000;
create type PLACE (street text, zip int);
CREATE INDEX by_v ON t (v); CREATE INDEX ON k.t (v);
CREATE TABLE other (id int, v text, PRIMARY KEY (id));
ALTER TABLE other ADD secret text MASKED WITH mask_null();
C
own="CREATE KEYSPACE k WITH replication = {'replication_factor': 1, 'class': 'SimpleStrategy'};"
ok 'the same by hand' cp "$W/hand" "$f"
ok 'again' cp "$W/hand" "$f"
ok 'added' add "$f" "$(cat "$W/hand")"
ok 'with the keyspace' put "$f" "$own $(cat "$W/hand")"
ok 'with it, added' add "$f" "$own $(cat "$W/hand")"
ok 'a keyspace with its default written out' add "$f" "${own%;} AND durable_writes = true;"
is 'changes nothing' "$before" "$(cat "$f")"
refused 'a keyspace with tables and another option' 'File exists' put "$f" "${own%;} AND durable_writes = false;"
refused 'a type with another field' 'File exists' add "$f" 'CREATE TYPE place (street text, zip text);'
is 'is named' 'Type "k.place" exists, and is not this one' "$(reason)"
refused 'an index on another column' 'File exists' add "$f" 'CREATE INDEX by_v ON t (c);'
refused 'another option' 'File exists' add "$f" 'CREATE TABLE other (id int PRIMARY KEY, v text) WITH gc_grace_seconds = 1;'
is 'of a table is named too' 'Table "k.other" exists, and is not this one: its columns or options differ' "$(reason)"
refused 'by .cql it is an error as ever' 'File exists' put "$M/k/.cql" 'CREATE TABLE other (id int PRIMARY KEY, v text);'
is 'nothing has changed' "$before" "$(cat "$f")"
# Columns come.
ok 'a column by sed -i' sed -i 's/^    s text static,/    s text static,\n    note text,/' "$f"
is 'is there' 'c home id note s tags v' "$(columns t)"
ok 'and takes values' put "$M/k/t/1/a/note" hello
is 'beside what was there' '[[5,"st",["x","y"],"hello"]]' "$(cql "SELECT v, s, tags, note FROM k.t WHERE id = 1" | jq -c .rows)"
printf '%s\n' '/^    note text/a' '    n1 map<int, text>,' '    n2 frozen<place>,' '    n3 int static,' . w q >"$W/script"
ok 'several by ed' ed -s "$f" <"$W/script"
is 'are there' 'c home id n1 n2 n3 note s tags v' "$(columns t)"
ok 'one by vim' vim -es -c '/^    note text' -c 'normal oadded timestamp,' -c 'wq' "$f"
is 'is there too' 'added c home id n1 n2 n3 note s tags v' "$(columns t)"
is 'and no file of an editor is left' 'other schema.cql t' "$(ls -A "$M/k" | paste -sd ' ')"
# Columns go.
ok 'columns that are taken out' sed -i '/^    n[123] /d; /^    added /d' "$f"
is 'are dropped' 'c home id note s tags v' "$(columns t)"
is 'the values of the others stay' '[[5,"st",["x","y"],"hello"]]' "$(cql "SELECT v, s, tags, note FROM k.t WHERE id = 1" | jq -c .rows)"
is 'and what CREATE TABLE cannot have' '[["hidden"]]' "$(cql 'SELECT secret FROM k.other WHERE id = 1' | jq -c .rows)"
# A mistake of that kind can be undone.
put "$M/k/t/1/a/note" 'not to be lost'
ok 'a column with values is taken out' sed -i '/^    note /d' "$f"
is 'is gone' 'c home id s tags v' "$(columns t)"
kept=$(ls "$M/.snapshots" | grep '^altered-.*-t$' | tail -1)
is 'its table is kept' 'not to be lost' "$(cat "$M/.snapshots/$kept/k/t/1/a/note")"
ok 'and restored' "$CTL" snapshot restore --force "$M" "$kept" k.t
is 'with the column' 'c home id note s tags v|not to be lost' "$(columns t)|$(cat "$M/k/t/1/a/note")"
put "$M/k/t/1/a/note" hello
# Names of the key, options.
ok 'the name of a key column' sed -i 's/\bc text/chapter text/; s/(id, c)/(id, chapter)/; s/(c DESC)/(chapter DESC)/' "$f"
is 'is renamed' 'chapter home id note s tags v' "$(columns t)"
is 'with all rows' '[["a",5]]' "$(cql 'SELECT chapter, v FROM k.t WHERE id = 1' | jq -c .rows)"
ok 'options' sed -i "s/comment = 'one'/comment = 'two'/; s/gc_grace_seconds = 864000/gc_grace_seconds = 7/" "$f"
is 'are set, in each table' "1 2" "$(grep -c "comment = 'two'" "$f") $(grep -c 'gc_grace_seconds = 7$' "$f")"
ok 'blanks inside of a string' sed -i "s/comment = 'two'/comment = 'tw o;'/" "$f"
is 'are a difference' 1 "$(grep -c "comment = 'tw o;'" "$f")"
# Changes that no ALTER can make.
before=$(cat "$f")
refused 'another type' 'File exists' sed -i 's/^    v int/    v bigint/' "$f"
is 'is refused by name' 'Table "k.t" exists, and is not this one: v would need ALTER TABLE k.t ALTER v TYPE bigint, and types of columns cannot change' "$(reason)"
refused 'a new name for a column that is not of the key' 'File exists' sed -i 's/^    note text/    remark text/' "$f"
is 'would lose its values' 'Table "k.t" exists, and is not this one: a column that is not of the key has no new name without a loss of its values (ALTER TABLE k.t ADD (remark text), then DROP (note), in two steps)' "$(reason)"
cql 'CREATE TABLE k."Mixed" (id int PRIMARY KEY, "Vv" int)' >/dev/null
refused 'another type under names in quotes' 'File exists' sed -i 's/^    "Vv" int/    "Vv" text/' "$f"
is 'is told in words to copy' 'Vv would need ALTER TABLE k."Mixed" ALTER "Vv" TYPE text, and types of columns cannot change' "$(reason | cut -d' ' -f9-)"
cql 'DROP TABLE k."Mixed"' >/dev/null
refused 'another order' 'File exists' sed -i 's/(chapter DESC)/(chapter ASC)/' "$f"
refused 'another key' 'File exists' sed -i '/^CREATE TABLE k.other/,/;$/ { s/id int PRIMARY KEY/id int/; s/^    v text/    v text, PRIMARY KEY (id, v)/ }' "$f"
refused 'a key of another name, and its old name in a column that is not of the key' 'File exists' sed -i 's/^    chapter text,/    part text,\n    chapter text,/; s/(id, chapter)/(id, part)/; s/(chapter DESC)/(part DESC)/' "$f"
refused 'static no more' 'File exists' sed -i 's/ s text static/ s text/' "$f"
refused 'a column of an index' 'Invalid argument' sed -i '/^    v int/d' "$f"
is 'is told as ALTER TABLE tells it' 'Cannot drop column v because it has dependent secondary indexes (by_v)' "$(reason)"
cql 'ALTER TABLE k.t ADD was int' >/dev/null; cql 'ALTER TABLE k.t DROP was' >/dev/null
refused 'a column that was of another type, beside a new name in the key' 'Invalid argument' sed -i 's/\bchapter text/part text/; s/(id, chapter)/(id, part)/; s/(chapter DESC)/(part DESC)/; s/^    v int/    v int,\n    was text/' "$f"
cql 'CREATE INDEX by_chapter ON k.t (chapter)' >/dev/null
refused 'a new name in the key for a column with an index, beside another column' 'File exists' sed -i 's/\bchapter text/part text/; s/(id, chapter)/(id, part)/; s/(chapter DESC)/(part DESC)/; s/^    v int/    v int,\n    more text/' "$f"
cql 'DROP INDEX k.by_chapter' >/dev/null
refused 'no statement at all' 'Invalid argument' sed -i 's/CREATE TABLE k.other/CREAT TABLE k.other/' "$f"
is 'all that is refused changes nothing' "$before" "$(cat "$f")"
# A change of several parts is one: of a refused one no part is done, whichever is
# refused.
cql 'CREATE TABLE k.parts (a int, b int, v int, PRIMARY KEY (a, b)) WITH max_index_interval = 200' >/dev/null
cql 'INSERT INTO k.parts (a, b, v) VALUES (1, 2, 3)' >/dev/null
parts='/^CREATE TABLE k.parts/,/;$/'
before=$(cat "$f")
refused 'a column, and names of the key that change their places' 'Invalid argument' sed -i "$parts { s/^    a int/    x int/; s/^    b int/    a int/; s/^    x int/    b int/; s/(a, b)/(b, a)/; s/(b ASC)/(a ASC)/; s/^    v int/    v int,\n    w int/ }" "$f"
is 'is refused for the names' "Cannot rename column" "$(reason | cut -d' ' -f1-3)"
is 'and has no column' "$before" "$(cat "$f")"
refused 'names of the key, a column, and an option that does not fit another' 'Invalid argument' sed -i "$parts { s/\bb int/c int/; s/(a, b)/(a, c)/; s/(b ASC)/(c ASC)/; s/^    v int/    v int,\n    w int/; /max_index_interval/d; s/min_index_interval = 128/min_index_interval = 300/ }" "$f"
is 'is refused for the option' 'max_index_interval' "$(reason | grep -o 'max_index_interval' | head -1)"
is 'and has neither names nor columns' "$before" "$(cat "$f")"
ok 'all three' sed -i "$parts { s/\bb int/c int/; s/(a, b)/(a, c)/; s/(b ASC)/(c ASC)/; s/^    v int/    v int,\n    w int/; s/min_index_interval = 128/min_index_interval = 150/ }" "$f"
is 'are done' 'a c v w|1|[[1,2,3,null]]' "$(columns parts)|$(grep -c 'min_index_interval = 150' "$f")|$(cql 'SELECT a, c, v, w FROM k.parts' | jq -c .rows)"
cql 'DROP TABLE k.parts' >/dev/null
# A table that the text leaves out stays; >> and a text without its keyspace only add.
ok 'a table is taken out' sed -i '/^CREATE TABLE k.other/,/;$/d' "$f"
is 'and stays' 'id secret v' "$(columns other)"
refused 'an added definition that contradicts' 'File exists' add "$f" 'CREATE TABLE k.other (id int PRIMARY KEY);'
refused 'also after the whole text' 'File exists' sh -c "{ cat '$f'; echo 'CREATE TABLE k.other (id int PRIMARY KEY);'; } >'$W/all'; cat '$W/all' >>'$f'"
refused 'a text without the keyspace is no whole file' 'File exists' put "$f" 'CREATE TABLE k.other (id int PRIMARY KEY);'
is 'nothing was dropped' '[["w","hidden"]]' "$(cql 'SELECT v, secret FROM k.other WHERE id = 1' | jq -c .rows)"
# In place, and in pieces.
cp "$f" "$W/text"; sed -i 's/^    v text/    v text,\n    w double/; s/^    v int/    v int,\n    w double/' "$W/text"
ok 'cp over it' cp "$W/text" "$f"
ok 'in small pieces' dd if="$W/text" of="$f" bs=7 conv=notrunc status=none
is 'both tables have it' 'chapter home id note s tags v w|id secret v w' "$(columns t)|$(columns other)"
again
is 'after a restart too' 'chapter home id note s tags v w|id secret v w' "$(columns t)|$(columns other)"
# Written in place, then cut to its length (rsync --inplace): what drops a column waits, and
# the present text is not cut in its stead, here within a number.
mkdir "$M/k4" && run_cql <<'C'
CREATE TABLE k4.a (p int PRIMARY KEY, v text);
CREATE TABLE k4.z (p int PRIMARY KEY, v text);
C
python3 - "$M/k4/schema.cql" "$M/.cql" >"$W/said" 2>&1 <<'P'
import os, sys
path, cql = sys.argv[1:]
whole = open(path).read()
name = 'c' * (len(whole.split('gc_grace_seconds = 86')[-1]) - len('     text,\n'))
with open(cql, 'w') as statement:
	statement.write('ALTER TABLE k4.a ADD %s text;' % name)
fd = os.open(path, os.O_WRONLY)
os.write(fd, whole.encode())
os.ftruncate(fd, len(whole))
os.close(fd)
print(open(path).read() == whole)
P
is 'written in place' True "$(cat "$W/said")"
refused 'a size of it' 'not permitted' python3 -c 'import os, sys; os.truncate(sys.argv[1], 100)' "$M/k4/schema.cql"
# The text of another keyspace is read as one of this: the other is left alone.
cp "$f" "$W/text"
cql 'ALTER TABLE k.t ADD later text' >/dev/null; cql "UPDATE k.t SET later = 'kept' WHERE id = 1 AND chapter = 'a'" >/dev/null
mkdir "$M/k2"
for how in 'another keyspace' 'it again'; do
	ok "the text of $how" cp "$W/text" "$M/k2/schema.cql"
	is 'makes its tables here' "$(sed 's/\bk\./k2./; s/KEYSPACE k /KEYSPACE k2 /' "$W/text")" "$(cat "$M/k2/schema.cql")"
done
ok 'in small pieces too' dd if="$W/text" of="$M/k2/schema.cql" bs=7 conv=notrunc status=none
is 'the other keyspace has what it had' '[["kept"]]' "$(cql "SELECT later FROM k.t WHERE id = 1" | jq -c .rows)"
refused 'a later definition of this keyspace' 'File exists' sh -c "sed 's/^    w double/    w int/' '$W/text' >'$M/k2/schema.cql'"
is 'by its name' 'Table "k2.other" exists' "$(reason | cut -d' ' -f1-3 | tr -d ,)"
# A text by hand that makes a table and then alters it, written twice.
mkdir "$M/hand"
cat >"$W/hand" <<'C'
CREATE KEYSPACE hand WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE t (id int PRIMARY KEY);
ALTER TABLE hand.t ADD c text;
CREATE TABLE other (id int PRIMARY KEY);
C
ok 'a text with an ALTER TABLE' cp "$W/hand" "$M/hand/schema.cql"
mkdir "$M/hand/t/1"; put "$M/hand/t/1/c" kept
refused 'it is not what there is now' 'File exists' cp "$W/hand" "$M/hand/schema.cql"
is 'as is told' 'a later statement alters the table' "$(reason | grep -o 'a later statement alters the table')"
is 'and no value goes' kept "$(cat "$M/hand/t/1/c")"
# In pieces, of any size: what drops columns waits for what follows.
for size in 1 7 100 150 4096; do
	refused "in pieces of $size" 'File exists' dd if="$W/hand" of="$M/hand/schema.cql" bs=$size status=none
	is "in pieces of $size: no value goes" kept "$(cat "$M/hand/t/1/c")"
done
while read -r later; do
	refused "a later write: $later" 'File exists' bash -c '{ head -2 "$1"; echo "$2"; } >"$3/hand/schema.cql"' bash "$W/hand" "$later" "$M"
	is "is told: $later" 'a later statement alters the table' "$(reason | grep -o 'a later statement alters the table')"
	is "no value goes: $later" kept "$(cat "$M/hand/t/1/c")"
done <<'E'
ALTER TABLE t ADD c text;
CREATE TABLE hand.t (id int PRIMARY KEY, c text);
DROP TABLE IF EXISTS t;
E
exec 5>"$M/hand/schema.cql"
head -2 "$W/hand" >&5
is 'nothing goes before the close' kept "$(cat "$M/hand/t/1/c")"
echo 'CREATE TABLE later (id int PRIMARY KEY);' >&5
is 'other statements do not wait' later "$(ls "$M/hand" | grep later)"
refused 'nor do their errors' 'Invalid argument' bash -c 'echo "CREATE TABLE bad (id nope PRIMARY KEY);" >&5'
exec 5>&-
is 'and after one nothing goes' kept "$(cat "$M/hand/t/1/c")"
ok 'without it columns come and go' sh -c "grep -v ALTER '$W/hand' >'$M/hand/schema.cql'"
is 'as the text says' '' "$(ls "$M/hand/t/1" | paste -sd " ")"
# What others change while a text is written stays: the text's changes are those to what
# stood when it was begun, and where both changed the same it is refused.
mkdir "$M/both"; f=$M/both/schema.cql
cat >"$W/both" <<'C'
CREATE KEYSPACE both WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE t (id int, c int, gone text, v text, PRIMARY KEY (id, c)) WITH comment = 'one';
C
cat >"$W/beside.py" <<'P'
import os, sys
path, how, others, text = sys.argv[1:]
fd = os.open(path + ('.tmp' if how == 'renamed' else ''),
	os.O_WRONLY | os.O_CREAT | (0 if how == 'truncated' else os.O_TRUNC))
head, rest = text.split(';', 1)
os.write(fd, (head + ';').encode())
with open(os.path.dirname(path) + '/.cql', 'w') as cql:
	cql.write(others)
if how == 'truncated':
	os.ftruncate(fd, 0)
	rest = text
os.write(fd, rest.encode())
os.close(fd)
if how == 'renamed':
	os.rename(path + '.tmp', path)
P
# beside OTHERS SED [HOW]: the text, edited, is written to a new table, with the others'
# statements after the first of it.
beside() {
	cql 'DROP TABLE IF EXISTS both.t' >/dev/null
	cp "$W/both" "$f"
	python3 "$W/beside.py" "$f" "${3:-}" "$1" "$(sed "$2" "$W/both")" 2>&1
}
names() { cql "SELECT column_name FROM system_schema.columns WHERE keyspace_name = 'both' AND table_name = 't'" | jq -r '.rows[][0]' | sort | paste -sd ' '; }
ok 'a column goes while another comes' beside "ALTER TABLE t ADD other text; INSERT INTO t (id, c, other) VALUES (1, 2, 'kept')" 's/ gone text,//'
is 'it stays, with its values' 'c id other v|kept' "$(names)|$(cat "$M/both/t/1/2/other")"
ok 'columns come from both' beside 'ALTER TABLE t ADD other text;' 's/ v text,/ v text, mine int,/'
is 'are all there' 'c gone id mine other v' "$(names)"
ok 'the same column comes from both' beside 'ALTER TABLE t ADD other text;' 's/ v text,/ v text, other text,/'
is 'is one' 'c gone id other v' "$(names)"
ok 'the same column is dropped by both' beside 'ALTER TABLE t DROP gone;' 's/ gone text,//'
is 'is gone' 'c id v' "$(names)"
ok 'another column goes meanwhile' beside 'ALTER TABLE t DROP v;' 's/ gone text,//'
is 'does not come again' 'c id' "$(names)"
ok 'a column is dropped and made anew meanwhile' beside "ALTER TABLE t DROP gone; ALTER TABLE t ADD gone text; INSERT INTO t (id, c, gone) VALUES (1, 2, 'new')" 's/ gone text,//'
is 'stays, with what is new in it' new "$(cat "$M/both/t/1/2/gone")"
ok 'a name of the key' beside 'ALTER TABLE t RENAME c TO chapter;' 's/ gone text,//'
is 'stays what it became' 'chapter id v' "$(names)"
refused 'another name of the same column' 'Invalid argument' beside 'ALTER TABLE t RENAME c TO chapter;' 's/ c int,/ part int,/; s/(id, c)/(id, part)/'
is 'is told' 'Undefined column name c in table both.t' "$(reason)"
ok 'an option' beside "ALTER TABLE t WITH comment = 'two';" 's/ gone text,//'
is 'stays what it became too' "c id v|comment = 'two'" "$(names)|$(grep -o "comment = '.*'" "$f")"
refused 'another value of an option' 'File exists' beside "ALTER TABLE t WITH comment = 'two';" "s/ gone text,//; s/'one'/'three'/"
is 'is refused, and nothing is changed' "c gone id v|Table \"both.t\" exists, and is not this one: its options were changed since this text was begun" "$(names)|$(reason)"
refused 'a table that was made meanwhile' 'File exists' beside 'DROP TABLE t; CREATE TABLE t (id int, c int, v text, made text, PRIMARY KEY (id, c));' 's/ gone text,//'
is 'loses no column' 'c id made v|DROP (made) would lose their values, and the table was made after this text was begun' "$(names)|$(reason | sed 's/.*: //')"
ok 'a text that is begun again' beside 'ALTER TABLE t ADD other text;' 's/ gone text,//' truncated
is 'is written from what stands then' 'c id v' "$(names)"
# An index on a column that the text takes out.
index='s/ gone text,//; $ a CREATE INDEX by_gone ON both.t (gone);'
for how in '' renamed; do
	refused "an index on a column that goes${how:+, }$how" 'Invalid argument' beside 'DROP TABLE IF EXISTS none;' "$index" "$how"
	is "is told${how:+, }$how" 'c id v|Undefined column name gone in table both.t|0' "$(names)|$(reason)|$(grep -c INDEX "$f")"
done
ok 'an index on one that stays' beside 'DROP TABLE IF EXISTS none;' 's/ gone text,//; $ a CREATE INDEX by_v ON t (v);'
is 'is made after the other is gone' 'c id v|1' "$(names)|$(grep -c 'INDEX by_v' "$f")"
# Who compares times and sizes sees each change of the text, and none but those.
f=$M/k/schema.cql
ok 'a copy' rsync -a "$f" "$W/copy.cql"
ok 'another option of the same length' cql "ALTER TABLE k.t WITH gc_grace_seconds = 8"
ok 'is copied' rsync -a "$f" "$W/copy.cql"
is 'too' "$(cat "$f")" "$(cat "$W/copy.cql")"
time=$(stat -c %y "$f")
cql 'CREATE TABLE k.timed (id int PRIMARY KEY)' >/dev/null; cql 'DROP TABLE k.timed' >/dev/null
is 'a table that comes and goes' later "$([[ $(stat -c %y "$f") > $time ]] && echo later)"
time=$(stat -c %y "$f")
mkdir "$M/k/t/77"; chmod 750 "$M/k/t"; cql "INSERT INTO k.other (id, v) VALUES (9, 'x')" >/dev/null
is 'other changes do not date it' "$time" "$(stat -c %y "$f")"
again
is 'nor does a restart' "$time" "$(stat -c %y "$f")"
# Compact tables.
mkdir "$M/k/plain" "$M/k/plain/p"; put "$M/k/plain/p/file" x
ok 'options of a table of files' sed -i "/^CREATE TABLE k.plain/,/;$/ s/comment = ''/comment = 'files'/" "$f"
is 'are set' 1 "$(grep -c "comment = 'files'" "$f")"
refused 'its columns are fixed' 'File exists' sed -i '/^CREATE TABLE k.plain/,/;$/ s/value blob/value text/' "$f"
is 'its files stay' x "$(cat "$M/k/plain/p/file")"
stop
done_testing
