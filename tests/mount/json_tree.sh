# .json/: the tree with each row as one listed document (fs/README.md, "The tree of documents").
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.flat (id text PRIMARY KEY, a int, b text, m map<text, int>);
CREATE TABLE k.deep (p int, d text, e int, s text STATIC, v text, l list<int>, PRIMARY KEY (p, d, e));
CREATE TABLE k.two (x text, y int, v blob, PRIMARY KEY ((x, y)));
INSERT INTO k.flat (id, a, b, m) VALUES ('one', 1, 'b1', {'k': 7});
INSERT INTO k.flat (id, a) VALUES ('a/b%.json', 2);
INSERT INTO k.flat (id, a) VALUES ('.@,x', 3);
INSERT INTO k.two (x, y, v) VALUES ('a,b', 5, 0x00ff);
C
long=$(printf 'x%.0s' {1..300}) near=$(printf 'y%.0s' {1..253})
run_cql <<C
INSERT INTO k.flat (id, b) VALUES ('$long', 'long');
INSERT INTO k.flat (id, b) VALUES ('$near', 'near');
C
{ RANDOM=11	# in this shell: each has numbers of its own
  echo "INSERT INTO k.deep (p, s) VALUES (1, 'static one');"
  for i in {1..40}; do echo "INSERT INTO k.deep (p, d, e, v, l) VALUES ($((RANDOM % 3)), 'd$((RANDOM % 4))', $i, 'v$RANDOM', [$RANDOM, $i]);"; done; } | run_cql
mkdir "$M/k/notes" "$M/k/notes/al"; echo plain > "$M/k/notes/al/todo"
J=$M/.json
is 'not listed in the root' k "$(names "$M")"
is 'the keyspace alone' k "$(names "$J")"
is 'rows of the system are documents' flat.json "$(ls "$J/system_schema/tables/k" | grep flat)"
ok 'those of the tree' cmp "$J/system_schema/tables/k/flat.json" "$M/system_schema/tables/k/flat.json"
refused 'none is changed' 'Read-only' put "$J/system/local/local.json" '{}'
refused 'made' 'Read-only' put "$J/system/local/new.json" '{}'
refused 'removed' 'Read-only' rm "$J/system/local/local.json"
refused 'or dated' 'Read-only' touch -d 2001-01-01 "$J/system/local/local.json"
is 'schema.cql is' "$(cat "$M/k/schema.cql")" "$(cat "$J/k/schema.cql")"
# Each row once, under its name; the documents of the tree, to the byte.
is 'as many files as rows' 46 "$(find "$J/k/flat" "$J/k/deep" "$J/k/two" -name '*.json' -type f | wc -l)"
is 'no directory of a row' '' "$(find "$J/k/flat" "$J/k/two" -mindepth 1 -type d)"
is 'prefixes are directories' "$(cd "$M/k/deep" && find . -mindepth 2 -maxdepth 2 -type d | sort)" "$(cd "$J/k/deep" && find . -mindepth 2 -maxdepth 2 -type d | sort)"
same=0 sizes=0 times=0
while IFS= read -r f; do
	cmp -s "$J/$f" "$M/$f" || { same=$((same + 1)); echo "# differs: $f"; }
	[ "$(stat -c %s "$J/$f")" = "$(wc -c <"$J/$f")" ] || sizes=$((sizes + 1))
	[ "$(stat -c %y "$J/$f")" = "$(stat -c %y "$M/$f")" ] || times=$((times + 1))
done < <(cd "$J" && find . -type f -name '*.json' -printf '%P\n')
is 'the same bytes as the document of the tree' 0 $same
is 'exact sizes' 0 $sizes
is 'the same times' 0 $times
is 'sizes in a listing' '' "$(cd "$J" && find . -type f -name '*.json' -printf '%s %p\n' | while IFS= read -r l; do [ "$(wc -c <"${l#* }")" = "${l%% *}" ] || echo "$l"; done)"
is 'SELECT JSON gives as many' "$("$CTL" cql "$M" -e 'SELECT JSON id, a, b, m FROM k.flat' --json 2>/dev/null | wc -l | grep -c .)" 1
is 'inode numbers of its own' '' "$(stat -c %i "$J/k/flat" "$M/k/flat" "$J/k/flat/one.json" "$M/k/flat/one.json" | sort | uniq -d)"
is 'the static row' 'static one' "$(cat "$J/k/deep/1/@static/s")"
is 'files of a schemaless table' plain "$(cat "$J/k/notes/al/todo")"
refused 'a row is no directory' 'No such file' ls "$J/k/flat/one"
refused 'nor made as one' 'Invalid argument' mkdir "$J/k/flat/new"
refused 'no statements' 'No such file' cat "$J/k/.cql"
for d in k.cql k/flat.cql k/flat.ndjson k/two.csv k/deep.ndjson k/deep/1.csv k/deep/1/d0.ndjson "k/flat/one.csv" 'k/flat/a%2Fb%25%2Ejson.ndjson' 'k/two/a%2Cb,5.csv' k/notes.csv k/notes/al.ndjson system_schema/tables/k.csv system/local.ndjson; do
	ok "the document $d" cmp "$M/$d" "$J/$d"
done
refused 'of a row there is none' 'No such file' cat "$J/k/deep/1/d0/1.ndjson"
is 'they are not listed' '' "$(find "$J" -name '*.ndjson' -o -name '*.csv' -o -name '?*.cql' ! -name schema.cql)"
is 'grep finds it once' 1 "$(grep -r '"b1"' "$J" | wc -l)"
# Out by tools.
mkdir "$W/tar" "$W/rs"
ok 'tar' tar -C "$J" -cf "$W/x.tar" .
ok 'of the same sizes' tar -C "$J" -df "$W/x.tar"
ok 'rsync out' rsync -aX "$J/" "$W/rs/"
is 'and again nothing' '' "$(rsync -aXn --delete --itemize-changes "$J/" "$W/rs/")"
ok 'cp -r' cp -r "$J/k" "$W/cp"
is 'the same' '' "$(diff -r "$W/cp" "$W/rs/k")"
# Writing.
ok 'replace' put "$J/k/flat/one.json" '{"a": 5}'
is 'seen in the tree' 5 "$(cat "$M/k/flat/one/a")"
is 'the rest is gone' a "$(names "$M/k/flat/one")"
ok 'merge' add "$J/k/flat/one.json" '{"b": "two"}'
is 'seen in the tree' 'a b' "$(names "$M/k/flat/one")"
ls -l "$M/k/flat/one" "$M/k/flat" >/dev/null
ok 'sed -i' sed -i 's/two/three/' "$J/k/flat/one.json"
is 'seen in the cell' three "$(cat "$M/k/flat/one/b")"
is 'nothing is left' '' "$(ls -a "$J/k/flat" | grep sed)"
# Editors keep the file (yes), or rename it away and write another (no); its old text stays where a backup is asked for.
for copy in yes no; do
	ok "vim, backupcopy=$copy" vim.tiny -u NONE -N -es -c "set backup backupskip= backupcopy=$copy" -c 's/three/four/' -c wq "$J/k/flat/one.json"
	is 'seen in the cell' four "$(cat "$M/k/flat/one/b")"
	is 'the backup' 1 "$(grep -c three "$J/k/flat/one.json~")"
	rm "$J/k/flat/one.json~"
	ok "vim back, backupcopy=$copy" vim.tiny -u NONE -N -es -c "set backupcopy=$copy" -c 's/four/three/' -c wq "$J/k/flat/one.json"
	is 'seen in the cell, too' three "$(cat "$M/k/flat/one/b")"
	is 'nothing is left of vim' '' "$(ls -A "$J/k/flat" | grep -E '(~|sw.|4913)$')"
done
refused 'vim of a value that is refused' '' vim.tiny -u NONE -N -es -c 's/5/five/' -c wq -c cq "$J/k/flat/one.json"
is 'leaves what was there' '5 three' "$(cat "$M/k/flat/one/a" "$M/k/flat/one/b" | paste -sd ' ')"
ok 'a new one' put "$J/k/flat/new.json" '{"a": 9}'
is 'listed in the tree' 1 "$(ls "$M/k/flat" | grep -cx new)"
ok 'removed' rm "$J/k/flat/new.json"
refused 'in the tree too' 'No such file' ls "$M/k/flat/new"
is 'and not listed' '' "$(ls "$M/k/flat" "$J/k/flat" | grep new)"
refused 'a wrong value' 'Invalid argument' put "$J/k/flat/one.json" '{"a": "x"}'
refused 'a key that disagrees' 'Invalid argument' put "$J/k/flat/one.json" '{"id": "other"}'
ok 'mkdir of a partition and a prefix' mkdir -p "$J/k/deep/9/dd"
ok 'and a row in it' put "$J/k/deep/9/dd/1.json" '{"v": "made", "s": "st"}'
is 'in the tree' made "$(cat "$M/k/deep/9/dd/1/v")"
is 'with the static' st "$(cat "$M/k/deep/9/@static/s")"
echo st2 > "$J/k/deep/9/@static/s"
is 'a static by its file' st2 "$(cat "$M/k/deep/9/@static/s")"
echo more >> "$J/k/notes/al/todo"
is 'a schemaless file' 'plain more' "$(cat "$M/k/notes/al/todo" | xargs)"
# Changes on one way are seen at once on the other, in both directions.
stat "$J/k/flat/one.json" >/dev/null; cat "$J/k/flat/one.json" >/dev/null; ls -l "$J/k/flat" >/dev/null
echo four-four > "$M/k/flat/one/b"
is 'by a cell' four-four "$(jq -r .b "$J/k/flat/one.json")"
is 'its size' "$(wc -c <"$J/k/flat/one.json")" "$(stat -c %s "$J/k/flat/one.json")"
cql "UPDATE k.flat SET b = 'by a statement' WHERE id = 'one'" >/dev/null
is 'by a statement' 'by a statement' "$(jq -r .b "$J/k/flat/one.json")"
is 'its size' "$(wc -c <"$J/k/flat/one.json")" "$(stat -c %s "$J/k/flat/one.json")"
cql "INSERT INTO k.flat (id, a) VALUES ('later', 1)" >/dev/null
is 'a new row' 1 "$(ls "$J/k/flat" | grep -cx later.json)"
cql "DELETE FROM k.flat WHERE id = 'later'" >/dev/null
is 'a deleted one' '' "$(ls "$J/k/flat" | grep later)"
cat "$J/k/deep/9/@static/s" "$M/k/deep/9/@static/s" >/dev/null
cql "UPDATE k.deep SET s = 'st3' WHERE p = 9" >/dev/null
is 'a static' 'st3 st3' "$(cat "$J/k/deep/9/@static/s" "$M/k/deep/9/@static/s" | xargs)"
echo w > "$M/k/deep/9/@static/s"
is 'and by its file in the tree' w "$(cat "$J/k/deep/9/@static/s")"
stat "$M/k/flat" "$M/k/deep/1" "$M/k/flat/one" >/dev/null
ok 'times of directories' touch -d 2020-01-02T03:04:05Z "$J/k/flat" "$J/k/deep/1" "$J/k"
is 'are those of the tree' '1577934245 1577934245 1577934245' "$(stat -c %Y "$M/k/flat" "$M/k/deep/1" "$M/k" | xargs)"
touch -d 2021-01-02T03:04:05Z "$M/k/flat"
is 'and the other way' 1609556645 "$(stat -c %Y "$J/k/flat")"
ok 'modes' chmod 750 "$J/k/flat"
is 'too' '750 640' "$(stat -c %a "$M/k/flat" "$J/k/flat/one.json" | xargs)"
chmod 755 "$J/k/flat"
ok 'a table by mkdir' mkdir "$J/k/made"
is 'is one of the tree' 1 "$(ls "$M/k" | grep -cx made)"
ok 'goes with rmdir' rmdir "$J/k/made"
is 'in both' '' "$(ls "$M/k" "$J/k" | grep made)"
rows=$(cat "$M/k/two.csv" "$M/k/two.csv")
exec 5<"$M/k/two.csv" 6<"$J/k/two.csv"
mv "$M/k/two" "$M/k/three"
is 'documents that are open go with it' "$rows" "$(cat <&5; cat <&6)"
exec 5<&- 6<&-
is 'a table renamed in the tree' 'schema.cql deep flat notes three' "$(names "$J/k")"
refused 'has no other name' 'No such file' ls "$J/k/two"
# Back in: rows that were deleted, from a copy.
rm -rf "$W/rs"; ok 'a copy' rsync -aX "$J/" "$W/rs/"
for t in deep flat three; do cql "TRUNCATE k.$t" >/dev/null; done
is 'nothing is left' '' "$(find "$J/k/deep" "$J/k/flat" -type f)"
# Names that are shortened say no key: such rows are made in the tree.
rm -f "$W/rs/k/flat/"*%~*
ok 'rsync in' rsync -aX "$W/rs/" "$J/"
is 'and again nothing' '' "$(rsync -aXn --delete --itemize-changes "$W/rs/" "$J/")"
is 'nor the other way' '' "$(rsync -aXn --delete --itemize-changes "$J/" "$W/rs/")"
is 'the tree has the cells' 'by a statement' "$(cat "$M/k/flat/one/b")"
rm "$W/rs/k/flat/one.json"
ok 'rsync --delete' rsync -aX --delete "$W/rs/" "$J/"
refused 'deletes the row' 'No such file' ls "$M/k/flat/one"
ok 'rm -r of a partition' rm -r "$J/k/deep/1"
refused 'deletes its rows' 'No such file' ls "$M/k/deep/1/d1"
# Rights are those of the tables; a file that is open goes with its value.
exec 7<"$J/k/deep/0/@static/s" 2>/dev/null || { cql "UPDATE k.deep SET s = 'open' WHERE p = 0" >/dev/null; exec 7<"$J/k/deep/0/@static/s"; }
cql "UPDATE k.deep SET s = 'after' WHERE p = 0" >/dev/null
is 'a new open of a static shows the change' after "$(cat "$J/k/deep/0/@static/s")"
exec 7<&-
again -o allow_other
user=65534
as() { setpriv --reuid=$user --regid=$user --clear-groups -- "$@"; }
chmod 755 "$W"
put "$J/k/flat/mine.json" '{"a": 1}'
ok 'another reads' as cat "$J/k/flat/mine.json"
refused 'and does not write' 'Permission denied' as sh -c "echo '{}' > '$J/k/flat/mine.json'"
refused 'nor make' 'Permission denied' as sh -c "echo '{}' > '$J/k/flat/more.json'"
refused 'nor remove' 'Permission denied' as rm -f "$J/k/flat/mine.json"
refused 'nor make a keyspace' 'Permission denied' as mkdir "$J/own"
ok 'documents of rows are read' as cat "$J/k/flat.ndjson" "$J/k/flat/mine.csv" "$J/k/flat.cql"
refused 'and not written' 'Permission denied' as sh -c "echo '{}' >> '$J/k/flat.ndjson'"
refused 'nor those of a partition' 'Permission denied' as sh -c "echo '{}' >> '$J/k/flat/mine.ndjson'"
refused 'nor removed' 'Permission denied' as rm -f "$J/k/flat/mine.ndjson"
chmod 700 "$M/k/flat"
refused 'a table that is closed' 'Permission denied' as cat "$J/k/flat/mine.json"
for d in flat.ndjson flat.cql flat/mine.csv; do refused "its document $d" 'Permission denied' as cat "$J/k/$d"; done
chmod 744 "$M/k/flat"
refused 'one that may be read, and not entered' 'Permission denied' as cat "$J/k/flat.ndjson"
chmod 700 "$M/k/flat"
refused 'nor listed' 'Permission denied' as ls "$J/k/flat"
chmod 755 "$M/k/flat"; chmod 700 "$J/k"
refused 'a keyspace too, in the tree' 'Permission denied' as ls "$M/k/flat"
refused 'its definition' 'Permission denied' as cat "$J/k.cql"
refused 'and the rows of its tables' 'Permission denied' as cat "$J/k/flat.ndjson"
chmod 755 "$M/k"
ino=$(stat -c %i "$J/k/flat/mine.json")
again
is 'inode numbers stay' "$ino" "$(stat -c %i "$J/k/flat/mine.json")"
again -o ro
ok 'a read-only mount has documents of rows' cmp "$J/k/flat.ndjson" "$M/k/flat.ndjson"
refused 'and writes none' 'Read-only file system' add "$J/k/flat.ndjson" '{"id": "x"}'
again
# A snapshot has none; a change of the schema is seen at once; a keyspace comes and goes.
mkdir "$M/.snapshots/s"
refused 'none in a snapshot' 'No such file' ls "$M/.snapshots/s/.json"
cql "CREATE TABLE k.late (id int PRIMARY KEY, v text)" >/dev/null
is 'a new table' 1 "$(ls "$J/k" | grep -cx late)"
ls -la "$J/k/late" >/dev/null
cql "DROP TABLE k.late" >/dev/null
is 'a dropped one' '' "$(ls "$J/k" | grep late)"
ok 'a keyspace' mkdir "$J/other"
is 'is one of the tree' 1 "$(ls "$M" | grep -cx other)"
ok 'with a schema' cp <(sed 's/\bk\b/other/g' "$W/rs/k/schema.cql") "$J/other/schema.cql"
ok 'and its rows' rsync -a "$W/rs/k/deep" "$J/other/"
is 'both are the same' '' "$(rsync -an --delete --itemize-changes "$W/rs/k/deep/" "$J/other/deep/")"
is 'in both' '' "$(diff -r "$J/other/deep" <(:) >/dev/null 2>&1; cd "$J/other/deep" && find . -name '*.json' | while IFS= read -r f; do cmp "$f" "$M/other/deep/$f"; done)"
refused 'a row is not renamed' 'Invalid argument' mv "$J/k/flat/mine.json" "$J/k/flat/yours.json"
is 'and stays' 1 "$(jq .a "$J/k/flat/mine.json")"
# Two writers by two ways, and a listing beside them: nothing is lost, nothing is torn.
for i in {1..100}; do echo "{\"a\": $i}" >> "$J/k/flat/mine.json"; done & one=$!
for i in {1..100}; do echo "text $i" > "$M/k/flat/mine/b"; done & two=$!
bad=0
while kill -0 $one 2>/dev/null; do ls -l "$J/k/flat" >/dev/null || bad=1; jq -e . "$J/k/flat/mine.json" >/dev/null || bad=1; done
wait $one $two
is 'each look finds a whole document' 0 $bad
is 'the last of both' '100 text 100' "$(jq -r '"\(.a) \(.b)"' "$J/k/flat/mine.json")"
is 'in the tree too' '100 text 100' "$(cat "$M/k/flat/mine/a" "$M/k/flat/mine/b" | xargs)"
# A table that was dropped and made again, while its name in the tree was that of the old one.
remade='CREATE TABLE k.again (p int PRIMARY KEY, a int);'
echo "$remade" >"$M/.cql"
put "$M/k/again/1.json" '{"a": 1}'
cp "$J/k/again/1.json" "$W/again.json"
exec 5<"$M/k/again.csv" 6<"$J/k/again.csv"
for ((i = 0; i < 3; i++)); do
	echo "DROP TABLE k.again; $remade" >"$M/.cql"
	ls "$M/k/again" >/dev/null
	echo "DROP TABLE k.again; $remade" >"$M/.cql"
	ok 'a row of a table that was made again' cp "$W/again.json" "$J/k/again/1.json"
	is 'is in the tree' 1 "$(cat "$M/k/again/1/a")"
done
for fd in 5 6; do refused 'the document of the old one is stale' 'Stale file handle' cat <&$fd; done
exec 5<&- 6<&-
stop
done_testing
