# Columns and fields of user types whose names exceed 255 bytes: fs/README.md, "Names".
. tests/mount/lib.sh
start
read -r a b e s u m l key half f g < <(python3 -c 'print("a" * 300, "a" * 301, "é/" * 70, "s" * 300, "u" * 400, "m" * 256, "l" * 252, "k" * 300, "h" * 254, "f" * 300, "f" * 301)')
tables() {
	cat <<C
CREATE TYPE $1.place ("$f" text, "$g" int, city text);
CREATE TABLE $1.t (p int, "$key" int, c int, "$a" text, "$b" int, "$e" text, "$half" text, "$s" set<text>, "$u" place, "$m" map<text, int>, "$l" list<int>, st text static, "$a$a" text static, plain text, PRIMARY KEY (p, "$key", c));
C
}
{
	for k in k other; do
		echo "CREATE KEYSPACE $k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
		tables $k
	done
	# The name of a column that is not listed in t is known from here.
	echo "CREATE TABLE k.names (id int PRIMARY KEY, \"$key\" int);"
	echo "INSERT INTO k.names (id, \"$key\") VALUES (1, 1);"
	echo "INSERT INTO k.t (p, \"$key\", c, \"$a\", \"$b\", \"$e\", \"$half\", \"$s\", \"$u\", \"$m\", \"$l\", \"$a$a\", plain) VALUES (1, 2, 3, 'A', 4, 'E', 'H', {'x', '$a'}, {\"$f\": 'F', \"$g\": 5, city: 'C'}, {'y': 6, '$b': 7}, [8, 9], 'static', 'P');"
} | run_cql
r=$M/k/t/1/2/3 st=$M/k/t/1/@static
# name DIRECTORY BEGIN: the name there that begins so.
name() { (cd "$1" && printf '%s\n' "$2"*); }
na=$(cd "$r" && for x in aaa*; do [ -f "$x" ] && [ "$(cat "$x")" = A ] && echo "$x"; done)
nb=$(cd "$r" && for x in aaa*; do [ "$(cat "$x")" = 4 ] && echo "$x"; done)
ne=$(name "$r" 'é') ns=$(name "$r" 'sss') nu=$(name "$r" 'uuu') nm=$(name "$r" 'mmm') nl=$(name "$r" 'lll') nst=$(name "$st" 'aaa')
short='%~[0-9a-f]{16}$'
for x in "$na" "$nb" "$ne" "$ns" "$nu" "$nm" "$nst"; do
	ok 'a shortened name' grep -qE "$short" <<<"$x"
	ok 'at most 255 bytes' test "$(printf %s "$x" | LC_ALL=C wc -m)" -le 255
done
is 'one of 252 bytes is whole' "$l" "$nl"
is 'each once' 9 "$(names "$r" | wc -w)"
is 'two names with one beginning' 'A 4' "$(cat "$r/$na") $(cat "$r/$nb")"
is 'a short name with many escapes' E "$(cat "$r/$ne")"
is 'a static column' static "$(cat "$st/$nst")"
ok 'all that is listed is found' find "$M/k" -size -1000
is 'the whole name' "$a $b $e" "$(for x in "$na" "$nb" "$ne"; do getfattr --absolute-names --only-values -n user.name "$r/$x"; echo; done | tr '\n' ' ' | sed 's/ $//')"
is 'of a static, and of a collection' "$a$a $s" "$(getfattr --absolute-names --only-values -n user.name "$st/$nst") $(getfattr --absolute-names --only-values -n user.name "$r/$ns")"
refused 'a name is not set:' 'Operation not permitted' setfattr -n user.name -v x "$r/$na"
# A key column is found as the column of that name in another table is listed.
nk=$(name "$M/k/names/1" 'kkk')
is 'a column of the key' 2 "$(cat "$r/$nk")"
is 'the name of a column of the key' "$key" "$(getfattr --absolute-names --only-values -n user.name "$r/$nk")"
refused 'another hash is no column' 'No such file' cat "$r/${na%?????}00000"
refused 'nor made' 'Invalid argument' put "$r/${na%?????}00000" x
refused 'the whole name is too long' 'File name too long' put "$r/$a" x
# Two columns whose names are shortened to one (their hashes are the same): neither is taken
# for the other.
read -r one two < <(python3 -c "print('x' * 408 + 'pvapb' + 'x' * 379 + '09z2c' + 'x' * 103, 'x' * 408 + 'pvapc' + 'x' * 379 + '09z2b' + 'x' * 103)")
run_cql <<<"CREATE TABLE k.same (p int PRIMARY KEY, \"$one\" text, \"$two\" text, v int); INSERT INTO k.same (p, \"$one\", \"$two\", v) VALUES (1, 'one', 'two', 3); INSERT INTO k.same (p, \"$one\", v) VALUES (2, 'one', 3);"
for row in 1 2; do
	refused "a name of two columns, row $row" 'Input/output error' ls "$M/k/same/$row"
	is "is told, row $row" 'is the shortened name of two columns: they are in statements and documents alone' "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f8-)"
	refused "a copy, row $row" 'Input/output error' cp -r "$M/k/same/$row" "$W/copy"
	rm -rf "$W/copy"
done
both=${one:0:237}%~ab360a85605a3199
refused 'neither is read by it' 'No such file' cat "$M/k/same/1/$both"
refused 'nor written' 'Invalid argument' put "$M/k/same/1/$both" x
is 'both are in the document' '3 one two' "$(jq -r '[.[]] | .[1:] | join(" ")' "$M/k/same/1.json")"
is 'the others are there' 3 "$(cat "$M/k/same/1/v")"
cql 'DROP TABLE k.same' >/dev/null
# Values
value() { cql "SELECT \"$1\" FROM k.t WHERE p = 1 AND \"$key\" = 2 AND c = 3" | jq -c '.rows[0][0]'; }
ok 'written' put "$r/$na" new
is 'in CQL' '"new"' "$(value "$a")"
refused 'by its type' 'Invalid argument' put "$r/$nb" x
ok 'removed' rm "$r/$na"
is 'null' null "$(value "$a")"
refused 'no file' 'No such file' cat "$r/$na"
ok 'made again' put "$r/$na" again
is 'in CQL' '"again"' "$(value "$a")"
ok 'renamed to another column' mv "$r/$na" "$r/$ne"
is 'in CQL' 'null "again"' "$(value "$a") $(value "$e")"
ok 'edited in place' sed -i s/again/sed/ "$r/$ne"
is 'in CQL' '"sed"' "$(value "$e")"
update() { cql "UPDATE k.t SET $1 WHERE p = 1 AND \"$key\" = 2 AND c = 3" >/dev/null; }
update "\"$e\" = 'by CQL', \"$a\" = 'too'"
is 'a change by CQL is seen' 'by CQL too' "$(cat "$r/$ne") $(cat "$r/$na")"
update "\"$e\" = null"
refused 'a deletion too' 'No such file' stat "$r/$ne"
# Collections and fields
is 'a set' "@key x" "$(names "$r/$ns/$(name "$r/$ns" 'aaa')") $(name "$r/$ns" x)"
ok 'an element' touch "$r/$ns/z"
is 'of its document' "[\"$a\", \"x\", \"z\"]" "$(cat "$r/$ns.json")"
js=$(python3 -c 'import sys; n = sys.argv[1]; print(n[:232] + n[-18:] + ".json")' "$ns")
is 'a document by a name of 255 bytes' "[\"$a\", \"x\", \"z\"]" "$(cat "$r/$js")"
ok 'and is written' add "$r/$js" '["q"]'
is 'the document of a list' '[8, 9]' "$(cat "$r/$nl.json")"
jl=$(python3 -c 'import sys; n = sys.argv[1]; print("l" * 232 + n[-18:] + ".json")' "$(python3 - "$M" "$l" <<'P'
import ctypes.util, sys, ctypes
x = ctypes.CDLL(ctypes.util.find_library('xxhash') or 'libxxhash.so.0')
x.XXH3_64bits.restype = ctypes.c_uint64
n = sys.argv[2].encode()
print('%%~%016x' % x.XXH3_64bits(n, ctypes.c_size_t(len(n))))
P
)")
is 'by its shorter name' '[8, 9]' "$(cat "$r/$jl")"
is 'the fields' 3 "$(names "$r/$nu" | wc -w)"
is 'are read' '5 C F' "$(cd "$r/$nu" && cat ./* | sort | tr '\n' ' ' | sed 's/ $//')"
nf=$(cd "$r/$nu" && grep -l F fff*) ng=$(cd "$r/$nu" && grep -l 5 fff*)
is 'the name of a field' "$f $g" "$(getfattr --absolute-names --only-values -n user.name "$r/$nu/$nf") $(getfattr --absolute-names --only-values -n user.name "$r/$nu/$ng")"
ok 'a field is written' put "$r/$nu/$ng" 55
ok 'and removed' rm "$r/$nu/$nf"
is 'in CQL' "{\"$f\":null,\"$g\":55,\"city\":\"C\"}" "$(value "$u")"
ok 'and made' put "$r/$nu/$nf" made
is 'in CQL' "\"made\"" "$(value "$u" | jq -c ".\"$f\"")"
refused 'no directory for it' 'Operation not permitted' mkdir "$r/$nu/${nf%?????}00000"
ok 'a collection is removed' rm -r "$r/$nm"
is 'null' null "$(value "$m")"
ok 'and made' mkdir "$r/$nm"
ok 'with an element' put "$r/$nm/one" 1
is 'in CQL' '{"one":1}' "$(value "$m")"
update "\"$e\" = 'E', \"$m\" = \"$m\" + {'$b': 7}"
cql "INSERT INTO k.t (p, \"$key\", c, \"$b\") VALUES (1, 2, 4, 4) USING TTL 9000" >/dev/null
tree=$(cd "$M/k" && find t | sort)
again
is 'after a remount' "$tree" "$(cd "$M/k" && find t | sort)"
# Copies, and back into an empty table of the same definition.
data() { cql "SELECT JSON * FROM $1.t" | jq -c .rows | sed -E 's#(.)\1{99,}#\1...#g'; }
was=$(data k)
for how in 'cp -a' 'rsync -aX' tar; do
	rm -rf "${W:?}/copy"
	mkdir "$W/copy"
	case $how in
	tar) tar -C "$M/k" --xattrs -cf - t | tar -C "$W/copy" --xattrs --xattrs-include='user.*' -xf - ;;
	*) $how "$M/k/t" "$W/copy/" ;;
	esac || fail "$how to a disk"
	case $how in
	tar) tar -C "$W/copy" --xattrs -cf - t | tar -C "$M/other" --xattrs --xattrs-include='user.*' -xf - ;;
	*) $how "$W/copy/t" "$M/other/" ;;
	esac || fail "$how back"
	is "$how gives the same data" "$was" "$(data other)"
	is "$how leaves no difference" '' "$(rsync -anX --delete --itemize-changes "$W/copy/t/" "$M/other/t/" | grep -v '^.d..t')"
	cql 'TRUNCATE other.t' >/dev/null
done
ok 'a keyspace is cloned' cp -a "$M/k" "$M/clone"
is 'with all data' "$was" "$(data clone)"
# Files whose table comes after them: of a table without clustering columns.
cql "CREATE KEYSPACE late WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}" >/dev/null
cql "CREATE TYPE late.place (\"$f\" text, city text)" >/dev/null
cql "CREATE TABLE late.t (id int PRIMARY KEY, \"$a\" text, \"$b\" int, \"$e\" text, \"$u\" place, \"$s\" set<text>)" >/dev/null
cql "INSERT INTO late.t (id, \"$a\", \"$b\", \"$e\", \"$u\", \"$s\") VALUES (1, 'A', 4, 'E', {\"$f\": 'F'}, {'x', '$a'})" >/dev/null
was=$(data late)
rm -rf "${W:?}/copy"
rsync -aX "$M/late/" "$W/copy/"
mkdir "$M/later"
ok 'files before their table' rsync -aX --exclude=schema.cql "$W/copy/" "$M/later/"
ok 'then schema.cql' cp -a "$W/copy/schema.cql" "$M/later/"
is 'all is there' "$was" "$(data later)"
again
is 'also after a remount' "$was" "$(data later)"
# A column that was dropped, and one that is added.
na=$(cd "$M/late/t/1" && for x in aaa*; do [ "$(cat "$x")" = A ] && echo "$x"; done)
cql "ALTER TABLE late.t DROP \"$a\"" >/dev/null
refused 'a dropped column' 'No such file' cat "$M/late/t/1/$na"
refused 'is not made' 'Invalid argument' put "$M/late/t/1/$na" x
cql "ALTER TABLE late.t ADD \"$a\" text" >/dev/null
ok 'and an added one is' put "$M/late/t/1/$na" x
is 'in CQL' '"x"' "$(cql "SELECT \"$a\" FROM late.t" | jq -c '.rows[0][0]')"
stop
done_testing
