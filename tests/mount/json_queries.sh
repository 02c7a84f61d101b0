# Queries in .json: an entry is a link to the document of the row that the tree's entry leads to
# (queries.py compares random ones). Tools that follow links copy documents; ranges are removed,
# which the tree shows; rights, read-only mounts, snapshots.
. tests/mount/lib.sh
chmod 755 "$W"
user=65534
as() { setpriv --reuid=$user --regid=$user --clear-groups -- "$@"; }
start -o allow_other
near=$(printf 'n%.0s' {1..253}) long=$(printf 'k%.0s' {1..300})
run_cql <<C
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.users (name text PRIMARY KEY, country text, age int);
CREATE INDEX ON k.users (country);
CREATE TABLE k.log (p int, a int, b text, v text, s text STATIC, PRIMARY KEY (p, a, b)) WITH CLUSTERING ORDER BY (a DESC, b ASC);
INSERT INTO k.users (name, country, age) VALUES ('ada', 'uk', 36);
INSERT INTO k.users (name, country, age) VALUES ('a/b.json', 'nz', 30);
INSERT INTO k.users (name, country, age) VALUES ('$near', 'nz', 1);
INSERT INTO k.users (name, country, age) VALUES ('$long', 'nz', 2);
INSERT INTO k.log (p, s) VALUES (2, 'statics alone');
UPDATE k.log SET s = 'st' WHERE p = 1;
C
for a in 1 2 3 4; do for b in x 'x,y' z; do echo "INSERT INTO k.log (p, a, b, v) VALUES (1, $a, '$b', 'v$a');"; done; done | run_cql
mkdir -p "$M/k/notes/al"; echo plain >"$M/k/notes/al/todo"
J=$M/.json/k T=$M/k
all=@token=-9223372036854775808..

is 'in the order of the query' '4,x.json 4,x%2Cy.json 4,z.json 3,x.json' "$(names "$J/log/1/@limit=4")"
is 'in a prefix, from the largest' 'z.json x%2Cy.json' "$(names "$J/log/1/2/@desc,@limit=2")"
is 'in a table' 'ada.json' "$(names "$J/users/@country=uk")"
is 'after an entry, which has its name of the tree' '4,z.json' "$(names "$J/log/1/@a=4,@after=4%2Cx%252Cy")"
is 'where it leads' '../4/x,y.json' "$(readlink "$J/log/1/@limit=4/4,x%2Cy.json")"
is 'its size' 13 "$(stat -c %s "$J/log/1/@limit=4/4,x%2Cy.json")"
is 'the row' "$(cat "$T/log/1/4/x,y.json")" "$(cat "$J/log/1/@limit=4/4,x%2Cy.json")"
is 'by an index' '{"name": "a/b.json", "age": 30, "country": "nz"}' "$(cat "$J/users/@country=nz/a%2Fb%2Ejson.json")"
is 'each entry is a link to a file' 4 "$(find "$J/users/$all" -type l | while IFS= read -r l; do [ ! -f "$l" ] || echo; done | wc -l)"
is 'of at most 255 bytes' '' "$(find "$J/users/$all" -name "$(printf '?%.0s' {1..256})*")"
is 'the same rows' "$(cat "$T/users/$all.ndjson")" "$(ls -U "$J/users/$all" | while IFS= read -r e; do cat "$J/users/$all/$e"; done)"
is 'files of a schemaless table' 'al,todo plain' "$(names "$J/notes/$all") $(cat "$J/notes/$all/al,todo")"
is 'statics alone have no entry' 0 "$(find "$J/log/2/@limit=4" "$J/log/$all" -name '2,*' | wc -l)"
is 'no row' '' "$(names "$J/users/@country=xx")"
is 'rows of the system' 'k,log.json' "$(names "$M/.json/system_schema/tables/@keyspace_name=k,@table_name=log")"
ok 'and the document' cmp "$M/.json/system_schema/tables/@keyspace_name=k,@table_name=log/k,log.json" "$M/system_schema/tables/k/log.json"
for q in "users/$all" users/@country=nz log/1/@desc log/1/@a=2..4,@cols=v log/1/3/@b=x.. "log/$all" "notes/$all" users/@country=xx; do
	for s in ndjson csv; do ok "the document of $q" cmp "$T/$q.$s" "$J/$q.$s"; done
done
# ---- what is refused, as in the tree
refused 'an entry has the suffix' 'No such file' readlink -v "$J/users/@country=uk/ada"
refused 'in the tree none' 'No such file' readlink -v "$T/users/@country=uk/ada.json"
refused 'another row' 'No such file' readlink -v "$J/users/@country=nz/ada.json"
refused 'another spelling' 'No such file' readlink -v "$J/log/1/@limit=4/04,x.json"
refused 'no query in a query' 'No such file' ls "$J/log/1/@limit=5/@limit=5"
refused 'columns of a directory' 'Invalid argument' ls "$J/log/1/@cols=v"
refused 'no limit' 'Invalid argument' ls "$J/log/1/@limit=0"
refused 'without an index' 'Operation not supported' ls "$J/users/@age=36"
refused 'an unknown column' 'No such file' ls "$J/users/@aeg=36"
is 'is told of' "users has no column 'aeg'; it has name, age, country" "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f7-)"
refused 'an entry that is not in the tree' 'No such file' ls "$J/log/1/@after=4%2Cx.json"
is 'is told of, too' 1 "$(tail -1 "$M/.widefs/errors" | grep -c '@after takes no .json')"
refused 'no query of a keyspace' 'No such file' ls "$J/@limit=1"
is 'has its reason' 'queries are in tables, partitions and prefixes' "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f7-)"
q=$J/log/1/@limit=5
refused 'rm of an entry' 'Read-only file system' rm "$q/4,x.json"
refused 'a new one' 'Read-only file system' put "$q/9,x.json" '{}'
refused 'mkdir' 'Read-only file system' mkdir "$q/9"
refused 'mv out of it' 'Read-only file system' mv "$q/4,x.json" "$J/log/1/4/y.json"
refused 'touch of an entry' 'Read-only file system' touch -h -d 2001-01-01 "$q/4,x.json"
refused 'writing a document' 'Operation not permitted' put "$J/log/1/@limit=1.ndjson" '{"a": 1}'
is 'find meets no query' '' "$(find "$M/.json" -name '@*=*')"
# ---- tools
is 'ls -l' 'l l l l l' "$(ls -lU "$q" | tail -n +2 | cut -c1 | tr '\n' ' ' | sed 's/ $//')"
ok 'cp -rL' cp -rL "$q" "$W/copy"
is 'copies documents' "$(ls -U "$q" | while IFS= read -r e; do cat "$q/$e"; done | sort)" "$(sort "$W/copy"/*)"
ok 'rsync -aL' rsync -aL "$q/" "$W/rs/"
is 'the same' '' "$(diff -r "$W/copy" "$W/rs")"
is 'and again nothing' '' "$(rsync -aLn --delete --itemize-changes "$q/" "$W/rs/")"
ok 'tar -h' tar -C "$q" -chf "$W/x.tar" .
is 'of the same' 5 "$(tar -tf "$W/x.tar" | grep -c json)"
is 'grep -R' 3 "$(grep -R '"v4"' "$q" | wc -l)"
is 'grep -r passes links that it meets, and follows those that it is given' '0 3' "$(grep -r '"v4"' "$q" | wc -l) $(grep -r '"v4"' "$q"/* | wc -l)"
is 'jq' 4 "$(jq -s '[.[].a] | max' "$q"/*)"
ok 'a write by an entry' add "$q/4,x.json" '{"v": "merged"}'
is 'is one of the row' merged "$(cat "$T/log/1/4/x/v")"
ok 'sed -i --follow-symlinks' sed -i --follow-symlinks 's/merged/edited/' "$q/4,x.json"
is 'too' edited "$(cat "$T/log/1/4/x/v")"
# ---- nothing of it goes stale
is 'before' 'ada.json' "$(names "$J/users/@country=uk")"
ls -l "$J/users/@country=uk" "$J/users/@country=uk/ada.json" >/dev/null
put "$T/users/ada/country" nz
is 'a row that changed' '' "$(names "$J/users/@country=uk")"
refused 'has no entry' 'No such file' readlink -v "$J/users/@country=uk/ada.json"
put "$J/users/ada.json" '{"country": "uk", "age": 37}'
is 'one that is written here' 37 "$(jq .age "$J/users/@country=uk/ada.json")"
ls -R "$T/log" >/dev/null; stat "$T/log/1/2" >/dev/null; cat "$T/log/1/2/x/v" >/dev/null
is 'a row that goes between two looks' 'lost' "$(python3 - "$J/log/1/@a=1" "$T/log/1/1/z" <<'P'
import os, shutil, sys
entries = list(os.scandir(sys.argv[1]))
last = [e for e in entries if e.name == 'z.json' or e.name == '1,z.json'][0]
assert os.readlink(last.path) == '../1/z.json'
shutil.rmtree(sys.argv[2])
for look in os.readlink, os.stat, open:
    try:
        look(last.path)
    except FileNotFoundError:
        continue
    sys.exit(f'{look} finds it')
print('lost')
P
)"
# ---- rm of a range: one range tombstone, which the tree shows
refused 'of a limit' 'Operation not permitted' rm -f "$J/log/1/@limit=2.csv"
refused 'in a table' 'Operation not permitted' rm -f "$J/users/@country=nz.csv"
time=$(stat -c %y "$T/log/1")
ok 'of a range' rm "$J/log/1/@a=2..4.ndjson"
is 'moves the time of the partition' 1 "$([[ $(stat -c %y "$T/log/1") > $time ]] && echo 1)"
is 'in both' "$(stat -c %y "$T/log/1")" "$(stat -c %y "$J/log/1")"
is 'the rest of both' '@static 4 1 @static 4 1' "$(names "$T/log/1") $(names "$J/log/1")"
refused 'nothing of it stays in the tree' 'No such file' stat "$T/log/1/2"
ok 'in a prefix' rm "$J/log/1/4/@b=x..z.csv"
is 'the rest of the prefix stays' 'z z.json' "$(names "$T/log/1/4") $(names "$J/log/1/4")"
is 'and the statics' st "$(cat "$J/log/1/@static/s")"
# ---- rights
chmod 711 "$J/users"
refused 'listing needs r' 'Permission denied' as ls "$J/users/$all"
refused 'a document needs r' 'Permission denied' as cat "$J/users/$all.csv"
ok 'an entry by its key needs x alone' as readlink "$J/users/$all/ada.json"
refused 'and the row r' 'Permission denied' as cat "$J/users/$all/ada.json"
refused 'a term on a cell needs r' 'Permission denied' as readlink -v "$J/users/@country=uk/ada.json"
chmod 755 "$J/users" "$J"
is 'with r' 37 "$(as cat "$J/users/@country=uk/ada.json" | jq .age)"
refused 'writing needs w' 'Permission denied' as sh -c "echo '{}' >> '$J/users/@country=uk/ada.json'"
refused 'rm of a range needs w' 'Permission denied' as rm -f "$J/log/1/@a=1.csv"
chmod 700 "$J"
refused 'nothing without x above' 'Permission denied' as ls "$J/users/@country=uk"
# ---- snapshots have queries, and no .json; a read-only mount
mkdir "$M/.snapshots/s"
is 'a query of a snapshot' '1,x 1,x%2Cy' "$(names "$M/.snapshots/s/k/log/1/@a=1")"
refused 'has none of documents' 'No such file' ls "$M/.snapshots/s/.json/k/log/1/@a=1"
rmdir "$M/.snapshots/s"
again -o ro
is 'a read-only mount lists' 'ada.json' "$(names "$J/users/@country=uk")"
is 'and reads' 37 "$(jq .age "$J/users/@country=uk/ada.json")"
refused 'removes no range' 'Read-only file system' rm -f "$J/log/1/@a=1.csv"
refused 'and writes no row' 'Read-only file system' add "$J/users/@country=uk/ada.json" '{}'
again
is 'nothing was changed' '1 4' "$(ls "$J/log/1" | grep -v @ | xargs)"
stop
done_testing
