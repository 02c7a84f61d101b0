# widefsctl cql: the shell, on a store in its own process and on a mount.
. tests/mount/lib.sh
export HOME=$W XDG_STATE_HOME=$W/state XDG_CONFIG_HOME=$W/config
status() { "$@" >"$W/out" 2>"$W/err" </dev/null; echo $?; }
terminal() { timeout 120 python3 tests/mount/terminal.py "$CTL" cql "$@"; }
start
stop
cat >"$W/schema" <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
USE k;
CREATE TYPE address (street text, "Zip" int);
CREATE TYPE person (name text, home frozen<address>);
CREATE TABLE t (id int, c text, s text STATIC, a double, ok boolean, bl blob, tags set<text>, m map<text, frozen<list<int>>>, l list<text>, home address,
	who frozen<person>, at timestamp, tu tuple<int, text>, v vector<float, 2>, n varint, PRIMARY KEY (id, c));
CREATE TABLE hits (page text PRIMARY KEY, n counter);
CREATE INDEX by_a ON t (a);
C
cat >"$W/data" <<'C'
INSERT INTO k.t (id, c, s, a, ok, bl, tags, m, l, home, who, at, tu, v, n) VALUES (1, 'x', 'st', 5.5, true, 0x00ff, {'p', 'q''s'}, {'one': [1, 2]}, ['f', 'g'],
	{street: 'S', "Zip": 7}, {name: 'Ann', home: {street: 'T', "Zip": null}}, '2020-01-01 12:00:00.5Z', (1, 'a;b'), [1.5, -2], 123456789012345678901234567890);
INSERT INTO k.t (id, c, a) VALUES (1, 'y', 1e100); -- a comment; with a semicolon
INSERT INTO k.t (id, c) VALUES (2, 'é
"quoted", \ and ''more''');
UPDATE k.hits SET n = n + 42 WHERE page = 'home';
C

# Everything that follows is done on both sides, and has to look the same.
both() {	# both WHERE (a store's path, or a mount's)
	local at=$1
	is 'a script' 0 "$(status "$CTL" cql "$at" -f "$W/schema" -f "$W/data")"
	is 'says nothing' '' "$(cat "$W/out" "$W/err")"
	is 'a table' $'\n id | c | s  | a   | home                   | tags\n----+---+----+-----+------------------------+---------------\n  1 | x | st | 5.5 | {street: \'S\', Zip: 7} | {\'p\', \'q\'\'s\'}\n\n(1 rows)' \
		"$("$CTL" cql "$at" -k k -e "SELECT id, c, s, a, home, tags FROM t WHERE id = 1 AND c = 'x'" | sed 's/Zip: 7} *|/Zip: 7} |/; s/home   *|/home                   |/; s/--*+-------*$/------------------------+---------------/; s/tags *$/tags/' | sed 's/+-*-*+---------------$/&/')"
	is 'csv' $'id,c,m,tu,v\n1,x,"{""one"": [1, 2]}","[1, ""a;b""]","[1.5, -2]"\n1,y,,,' "$("$CTL" cql --mode=csv -k k -e 'SELECT id, c, m, tu, v FROM t WHERE id = 1' "$at" | sed 's/-2\.0/-2/')"
	is 'json' '{"id": 1, "n": 123456789012345678901234567890, "who": {"name": "Ann", "home": {"street": "T", "\"Zip\"": null}}}' "$("$CTL" cql -m json "$at" -e "SELECT id, n, who FROM k.t WHERE id = 1 AND c = 'x'")"
	is 'SELECT JSON as it is' '{"id": 1, "c": "y"}' "$("$CTL" cql -m json "$at" -e "SELECT JSON id, c FROM k.t WHERE id = 1 AND c = 'y'")"
	is 'a row a line' $'\n@ Row 1\n------+-----------------------------------\n id   | 1\n at   | 2020-01-01 12:00:00.500000+0000\n\n\n(1 rows)' \
		"$("$CTL" cql -m line "$at" -e "SELECT id, at FROM k.t WHERE id = 1 AND c = 'x'" | sed 's/^-*+-*$/------+-----------------------------------/; s/^ \(id\|at\) *|/ \1   |/')"
	is 'standard input' $'a\n3' "$("$CTL" cql -m csv "$at" <<<'SELECT count(*) AS a FROM k.t')"
	is 'commands end at their line' $'Output mode is csv.\nid\n2' "$("$CTL" cql "$at" <<<$'MODE csv\nMODE\n  -- nothing\nSELECT id FROM k.t\n WHERE id = 2;')"
	is 'comments of all kinds' $'Output mode is csv.\nid\n2' "$(printf '/* MODE json\nb *\n/ c ; **/ -- MODE json\n// y ; z\n  /**/MODE csv\n/*/\n*/MODE\n/* * /\n*/SELECT id -- z ;\n FROM /* ; */ k.t WHERE id = 2;\n-- end' | "$CTL" cql "$at")"
	is 'many of them' $'a\n3' "$( (seq -f '-- %.0f' 200000; echo '/*'; seq 200000; echo '*/'; yes '' | head -200000; echo 'SELECT count(*) AS a FROM k.t;') | "$CTL" cql -m csv "$at")"
	is 'EXPAND' 1 "$("$CTL" cql "$at" <<<$'EXPAND ON;\nSELECT id FROM k.t WHERE id = 2;\n' | grep -c '^ id | 2$')"
	is 'a static row, a counter' $'page,n\nhome,42' "$("$CTL" cql -m csv "$at" -e 'SELECT page, n FROM k.hits')"

	is 'an error' 1 "$(status "$CTL" cql "$at" -k k -e 'SELECT id, nope FROM t')"
	is 'in cqlsh'\''s form, with a caret' $'InvalidRequest: Error from server: code=2200 [Invalid query] message="Undefined column name nope in table k.t"\nSELECT id, nope FROM t\n           ^~~~' "$(cat "$W/err")"
	refused 'behind wide characters, a tab and a mark' $'\n  VALUES (\'日本語 e\u0301\', \'é\')\n                      ^~~' "$CTL" cql "$at" -e $'INSERT INTO k.t (c, id)\n  VALUES (\'日本語 e\u0301\',\t\'é\')'
	long=$(printf '日%.0s' {1..100})
	refused 'of a long line what is around it' "
$(printf '日%.0s' {1..18})', nope FROM k.t WHERE c = '$(printf '日%.0s' {1..8})
$(printf ' %.0s' {1..39})^~~~" "$CTL" cql "$at" -e "SELECT '$long', nope FROM k.t WHERE c = '$long'"
	refused 'the nearest column' $'SELECT hoem FROM k.t\n       ^~~~ (did you mean home?)' "$CTL" cql "$at" -e 'SELECT hoem FROM k.t'
	refused 'the nearest table' $'UPDATE hist SET n = n + 1 WHERE page = \'x\'\n       ^~~~ (did you mean hits?)' "$CTL" cql "$at" -k k -e "UPDATE hist SET n = n + 1 WHERE page = 'x'"
	refused 'a string that is not closed' $'a string is not closed\nSELECT id FROM k.t WHERE c = \'x;\n                                ^' "$CTL" cql "$at" -e "SELECT id FROM k.t WHERE c = 'x;"
	refused 'nor is a name' 'a quoted name is not closed' "$CTL" cql "$at" -e 'SELECT id FROM "k'
	refused 'nor a comment' 'a comment is not closed' "$CTL" cql "$at" -e 'SELECT id FROM k.t /* ;'
	refused 'nor a batch' 'expected APPLY BATCH, found the end' "$CTL" cql "$at" -e "BEGIN BATCH INSERT INTO k.t (id, c) VALUES (1, 'x');"
	refused 'a statement that ends early' $'found the end\nSELECT id FROM k.t WHERE id =\n                             ^' "$CTL" cql "$at" -e 'SELECT id FROM k.t WHERE id ='
	is 'a semicolon in its comment' 1 "$("$CTL" cql "$at" -e "SELECT id FROM k.t WHERE id = 1 AND c = 'x' -- one;" | grep -c '(1 rows)')"
	is 'nothing of it among the data' '' "$(cat "$W/out")"
	is 'a table that is not there' 1 "$(status "$CTL" cql "$at" -e 'SELECT * FROM k.none')"
	is 'is shown' $'InvalidRequest: Error from server: code=2200 [Invalid query] message="table none does not exist"' "$(head -1 "$W/err")"
	printf 'SELECT id FROM k.t WHERE id = 2;\n\nSELECT "é" FROM\n  k.t WHER id = 1;\nSELECT id FROM k.t WHERE id = 2;\n' >"$W/bad"
	is 'a script with an error' 1 "$(status "$CTL" cql -m csv "$at" -f "$W/bad")"
	is 'goes on after it' $'id\n2\nid\n2' "$(cat "$W/out")"
	is 'and names file, line and place' "$W/bad:3:SyntaxException: line 2:" "$(head -1 "$W/err" | grep -o '^.*line [0-9]*:')"
	is 'with the caret in its line' $'  k.t WHER id = 1;' "$(sed -n 2p "$W/err")"
	is '--bail' 1 "$(status "$CTL" cql --bail -m csv "$at" -f "$W/bad")"
	is 'does not' $'id\n2' "$(cat "$W/out")"
	is 'AlreadyExists' 1 "$(status "$CTL" cql "$at" -e 'CREATE TABLE k.t (a int PRIMARY KEY)')"
	is 'has its code' 1 "$(grep -c '^AlreadyExists: Error from server: code=2400 ' "$W/err")"
	is 'a keyspace that is not there' 6 "$(status "$CTL" cql "$at" -k nope -e 'SELECT * FROM t')"
	is 'a mode that is not there' 2 "$(status "$CTL" cql "$at" --mode=xml)"
	is 'an unknown option' 2 "$(status "$CTL" cql "$at" --nonsense)"
	is 'a script that is not there' 1 "$(status "$CTL" cql "$at" -f "$W/nowhere")"
	is 'LOGIN' 1 "$(status "$CTL" cql "$at" -e 'LOGIN root')"
	is 'unknown statements' 1 "$(status "$CTL" cql "$at" -e 'FROBNICATE x')"
	is 'EXIT' '' "$("$CTL" cql "$at" <<<$'EXIT\nSELECT id FROM k.t;')"

	is 'consistency' $'Current consistency level is ONE.\nConsistency level set to QUORUM.\nSerial consistency level set to LOCAL_SERIAL.\nCurrent serial consistency level is LOCAL_SERIAL.' \
		"$("$CTL" cql "$at" <<<$'CONSISTENCY\nCONSISTENCY quorum\nSERIAL CONSISTENCY LOCAL_SERIAL;\nSERIAL CONSISTENCY')"
	refused 'a read at ANY' 'ANY ConsistencyLevel is only supported for writes' "$CTL" cql "$at" -e $'CONSISTENCY ANY\nSELECT id FROM k.t'
	refused 'a write at SERIAL' 'You must use conditional updates for serializable writes' "$CTL" cql "$at" -e $'CONSISTENCY SERIAL\nINSERT INTO k.t (id, c) VALUES (1, '\''x'\'')'
	refused 'a conditional write at SERIAL' 'SERIAL is not supported as conditional update commit consistency' "$CTL" cql "$at" -e $'CONSISTENCY SERIAL\nINSERT INTO k.t (id, c) VALUES (1, '\''x'\'') IF NOT EXISTS'
	refused 'a counter at ANY' 'Consistency level ANY is not yet supported for counter table hits' "$CTL" cql "$at" -e $'CONSISTENCY ANY\nUPDATE k.hits SET n = n + 1 WHERE page = '\''a'\'''
	refused 'a level that is none' 'Improper CONSISTENCY command' "$CTL" cql "$at" -e 'CONSISTENCY MANY'
	refused 'SERIAL CONSISTENCY of another' 'Must be one of SERIAL or LOCAL_SERIAL' "$CTL" cql "$at" -e 'SERIAL CONSISTENCY QUORUM'

	rm -f "$W/captured"
	is 'CAPTURE' "Now capturing query output to '$W/captured'."$'\nid\n1' "$("$CTL" cql -m csv "$at" <<<"CAPTURE '$W/captured'
SELECT id FROM k.t WHERE id = 2;
CAPTURE OFF
SELECT id FROM k.t WHERE id = 1 LIMIT 1;")"
	is 'has it' $'id\n2' "$(cat "$W/captured")"
	echo "SOURCE '$W/loop'" >"$W/loop"
	is 'SOURCE' $'id\n2\nid\n2' "$("$CTL" cql -m csv "$at" -e "SOURCE '$W/bad'" 2>/dev/null)"
	refused 'SOURCE of itself' 'SOURCE inside SOURCE' "$CTL" cql "$at" -e "SOURCE '$W/loop'"
	is 'HELP of each thing it lists' '' "$("$CTL" cql "$at" -e 'HELP' | grep '^  [A-Z]' | sed 's/   */\n/g' | sed '/^$/d; s/^ *//; s/^/HELP /' | "$CTL" cql "$at" 2>&1 | grep '^No help')"
	is 'HELP with underscores' 1 "$("$CTL" cql "$at" -e 'HELP create_table' | grep -c '^CREATE TABLE ')"
	"$CTL" cql "$at" -e 'HELP types' | sed -n 's/^[a-z].*  \([^ ].*\)$/\1/p' >"$W/types"
	ok 'HELP has a literal of each type' grep -qxF "{street: 'S', zip: 7}" "$W/types"
	is 'and those are literals' '' "$("$CTL" cql "$at" -e "CREATE TYPE k.h (street text, zip int); CREATE TABLE k.help (id int PRIMARY KEY, a text, b varint, c double, d boolean, e uuid, f timestamp, g date, h duration, i inet, j list<int>, k map<text, int>, l tuple<int, text>, m vector<float, 2>, n h);
		INSERT INTO k.help (id, $(echo a b c d e f g h i j k l m n | sed 's/ /, /g')) VALUES (1, $(sed "s/, 1E3.*//; s/, \\$\\$.*//; s/, 0xcafe//; s/, uuid.*//; s/, or .*//; s/, '12:.*//; s/, '::1'//; s/, {1, 2}$//; s/, or.*//" "$W/types" | head -14 | paste -sd,)); DROP TABLE k.help; DROP TYPE k.h" 2>&1)"
	refused 'HISTORY of a script' 'A script has no history' "$CTL" cql "$at" -e 'HISTORY'
	refused 'HELP of nothing' 'No help for' "$CTL" cql "$at" -e 'HELP frobnicate'
	is 'SHOW' 2 "$("$CTL" cql "$at" <<<$'SHOW VERSION\nSHOW HOST' | grep -c '^\[widefsctl \|^Connected to ')"
	is 'DESCRIBE' 1 "$("$CTL" cql "$at" -k k -e 'DESCRIBE TABLE hits' | grep -c '^CREATE TABLE k.hits ($')"
	is 'DESCRIBE TABLES' 1 "$("$CTL" cql "$at" -k k -e 'DESC TABLES' | grep -c '^hits  t$')"

	copy "$at"
	"$CTL" cql "$at" -e 'DROP KEYSPACE k' || fail 'DROP KEYSPACE'
}

# The trace of a statement: a row and a tombstone of the one file, a deleted row,
# and one that no file can hold.
traces() {
	local at=$1 files
	"$CTL" cql "$at" >"$W/out" <<<$'TRACING ON\nSELECT c FROM k.t WHERE id = 1;\nSELECT a FROM k.t WHERE id = 1 AND c = \'y\';\nSELECT c FROM k.t WHERE id = 3 AND c = \'z\';\n'
	is "TRACING ($at)" $'Tracing: 1 row given, 1 read; 1 tombstone, 1 sstable\nTracing: 0 rows given, 0 read; 1 tombstone, 1 sstable\nTracing: 1 row given, 1 read; 0 tombstones, 0 sstables' "$(sed -n 's/^\(Tracing: .*\); [0-9]* us$/\1/p' "$W/out")"
	files=$(sed -n 's/^  \([0-9]*\.sst\)$/\1/p' "$W/out" | sort -u)
	is 'among data for programs it is not' $'{"c": "z"}' "$("$CTL" cql -m json "$at" 2>"$W/err" <<<$'TRACING ON\nSELECT c FROM k.t WHERE id = 3;' | grep -v '^TRACING')"
	is 'but beside them' 1 "$(grep -c '^Tracing: 1 row given' "$W/err")"
	ok 'files by their names' test -f "$S/engine/$files"
}

# Compare with what cqlsh 6.2 printed for the same statements against Cassandra 5.0,
# with double_precision = 12. (Warnings go to standard error here.)
as_cqlsh() {
	local at=$1 from=tests/mount/cqlsh
	ok 'a schema' "$CTL" cql "$at" -f $from/schema.cql -f $from/data.cql
	is 'tables are those of cqlsh' '' "$("$CTL" cql "$at" -f $from/queries.cql 2>"$W/err" | diff $from/expected.txt -)"
	is 'so is what DESCRIBE says' '' "$("$CTL" cql "$at" -f $from/describe.cql 2>&1 | diff $from/describe.txt -)"
	is 'and warnings its' 2 "$(grep -cxF 'Aggregation query used without partition key' "$W/err")"
	"$CTL" cql "$at" -e 'DROP KEYSPACE k' || fail 'DROP KEYSPACE'
}

copy() {
	local at=$1 before
	"$CTL" cql "$at" -e "INSERT INTO k.t (id, s) VALUES (99, 'alone')"
	before=$("$CTL" cql -m json "$at" -e 'SELECT * FROM k.t; SELECT * FROM k.hits')
	is 'COPY TO' 0 "$(status "$CTL" cql "$at" -e "COPY k.t TO '$W/t.csv' WITH HEADER = true; COPY k.hits TO '$W/hits.csv';")"
	is 'counts its rows' '4 rows exported' "$(head -1 "$W/err" | grep -o '^[0-9]* rows exported')"
	is 'the counter' 'home,42' "$(cat "$W/hits.csv")"
	is 'the header' id,c,s "$(head -1 "$W/t.csv" | cut -d, -f1-3)"
	is 'a literal' 1 "$(grep -c "{'one': \[1, 2\]}" "$W/t.csv")"
	is 'COPY FROM' 0 "$(status "$CTL" cql "$at" -e "TRUNCATE k.t; TRUNCATE k.hits; COPY k.t FROM '$W/t.csv' WITH HEADER = true; COPY k.hits FROM '$W/hits.csv';")"
	is 'brings it all back' "$before" "$("$CTL" cql -m json "$at" -e 'SELECT * FROM k.t; SELECT * FROM k.hits')"
	"$CTL" cql "$at" -e 'DELETE FROM k.t WHERE id = 99'
	is 'options' $'id|c|ok\n1|x|yes\n1|y|nix' "$("$CTL" cql "$at" -e "COPY k.t (id, c, ok) TO STDOUT WITH HEADER=TRUE AND DELIMITER='|' AND NULL='nix' AND BOOLSTYLE='yes,no' AND MAXROWS=2 AND PAGESIZE=10;" 2>/dev/null)"
	is 'quotes as RFC 4180' '"é
""quoted"", \ and '\'more\''"' "$("$CTL" cql "$at" -e "COPY k.t (c) TO STDOUT WITH ESCAPE='\"';" 2>/dev/null | tail -2)"
	is 'a range of tokens' 3 "$("$CTL" cql "$at" -e "COPY k.t (id) TO STDOUT WITH BEGINTOKEN=-9223372036854775807 AND ENDTOKEN=9223372036854775807;" 2>/dev/null | wc -l)"
	rm -f "$W/rejects"
	"$CTL" cql "$at" >"$W/out" 2>"$W/err" <<C
COPY k.t (id, c, a, ok, l) FROM STDIN WITH TTL = 1000 AND ERRFILE = '$W/rejects' AND SKIPROWS = 1;
this,is,a,head,line
70,"a ""q"", b",3.5,True,"['x', 'y']"
70,"two
lines",,false,
71,y
72,z,what,,
73,,1,,
\\.
SELECT id, c, a, ok, l, ttl(ok) AS life FROM k.t WHERE id = 70;
C
	is 'COPY FROM STDIN fails for the bad ones' 1 $?
	is 'and says which' $'STDIN:5: expected 5 fields but found 2\nSTDIN:6: a: Unable to make double from \'what\'' "$(grep '^STDIN:[56]' "$W/err")"
	is 'keeps them' $'71,y\n72,z,what,,' "$(head -2 "$W/rejects")"
	is 'a key that is null' 1 "$(grep -c '^STDIN:7: Invalid null value' "$W/err")"
	is 'the others are there' 2 "$(grep -c '| *1000 *$\|| *999 *$' "$W/out")"
	is 'counts' '2 rows imported from 1 files' "$(tail -1 "$W/err" | grep -o '^2 rows imported from 1 files')"
	for with in 'k.t FROM STDIN WITH HEADER = true' 'k.none FROM STDIN' 'k.t (id, none) FROM STDIN' "k.t FROM STDIN WITH ERRFILE = '$W/no/where'" 'k.t FROM STDIN WITH HEADER = maybe'; do
		is "no record is run as CQL, $with" $'b\n2' "$(printf '%s\n' "COPY $with;" id,nothing 'SELECT id AS a FROM k.t;' '\.' 'SELECT count(*) AS b FROM k.t WHERE id = 1;' | "$CTL" cql -m csv "$at" 2>"$W/err")"
	done
	is 'the end of STDIN in lines of another system' $'b\n1' "$(printf '%s\r\n' 'COPY k.t (id, c) FROM STDIN;' 95,z '\.' 'SELECT count(*) AS b FROM k.t WHERE id = 95;' | "$CTL" cql -m csv "$at" 2>"$W/err")"
	printf 'c,a,id,nothing\nv,8.5,80,x\n' >"$W/named.csv"
	is 'the header may name columns' 0 "$(status "$CTL" cql "$at" -e "COPY k.t FROM '$W/named.csv' WITH HEADER = true AND SKIPCOLS = 'nothing';")"
	is 'in any order' $'id,c,a\n80,v,8.5' "$("$CTL" cql -m csv "$at" -e 'SELECT id, c, a FROM k.t WHERE id = 80')"
	cat >"$W/cqlsh.csv" <<'C'
90,a,"{street: 'S''t', Zip: 7}","{name: 'Ann', home: {street: , Zip: }}","{'k,: ': [1, 2]}","['x: y', '{']","(1, 'two')","[1.5, -2]"
91,b,"{street: , Zip: 8}","{name: , home: {street: 'a, b'}}",{},[],"(, 'x')","[NaN, 1e+10]"
92,c,"{strasse: 'S'}",,,,,
93,d,"{street: 'S', Zip: 'x'}",,,,,
C
	is 'a file that cqlsh wrote' 1 "$(status "$CTL" cql "$at" -e "COPY k.t (id, c, home, who, m, l, tu, v) FROM '$W/cqlsh.csv';")"
	is 'names, and nulls, and what is wrong' $'/cqlsh.csv:3\n/cqlsh.csv:4\n2 records' "$(grep -oE '/cqlsh.csv:[0-9]|[0-9] records' "$W/err" | sort)"
	is 'is read' " {street: 'S''t', Zip: 7} | {name: 'Ann', home: {street: null, Zip: null}} | {'k,: ': [1, 2]} | ['x: y', '{'] | (1, 'two') | [1.5, -2]
 {street: null, Zip: 8} | {name: null, home: {street: 'a, b', Zip: null}} | null | null | (null, 'x') | [NaN, 1e+10]" \
		"$("$CTL" cql "$at" -e 'SELECT home, who, m, l, tu, v FROM k.t WHERE id = 90; SELECT home, who, m, l, tu, v FROM k.t WHERE id = 91' | grep street | sed 's/  */ /g')"
	refused 'a column that is not there' 'The header names "nothing"' "$CTL" cql "$at" -e "COPY k.t FROM '$W/named.csv' WITH HEADER = true;"
	refused 'an unknown option' $'unknown option (see HELP COPY)\nCOPY k.t TO STDOUT WITH HEDAR = 1;\n                        ^~~~~' "$CTL" cql "$at" -e 'COPY k.t TO STDOUT WITH HEDAR = 1;'
	refused 'a table that is not there' 'table none does not exist' "$CTL" cql "$at" -e 'COPY k.none TO STDOUT;'
	refused 'a file that cannot be written' 'Could not open' "$CTL" cql "$at" -e "COPY k.t TO '$W/no/where';"
	copy_options "$at"
	python3 -c 'for i in range(3000): print(f"{i},row {i},{i}.25")' >"$W/many.csv"
	# The form of the file, with texts that are hard on it (seed 7).
	python3 - 7 >"$W/random.cql" <<'P'
import random, sys
rng = random.Random(int(sys.argv[1]))
print("TRUNCATE k.t;")
for i in range(300):
    text = "".join(rng.choice(["a", " ", ",", "|", '"', "'", "\\", "\n", "\r", "\t", "é", ";", "\\.", "null", "--"])
                   for _ in range(rng.randrange(8))).replace("'", "''")
    print(f"INSERT INTO k.t (id, c, s, tags) VALUES ({i}, '{text}', '{text}', {{'{text}', 'x'}});")
P
	ok 'odd texts' "$CTL" cql "$at" -f "$W/random.cql"
	before=$("$CTL" cql -m json "$at" -e 'SELECT id, c, s, tags FROM k.t' | sort)
	for with in "NULL = ''" "ESCAPE = '\"'" "DELIMITER = '|' AND QUOTE = '''' AND HEADER = true" "NULL = 'null' AND DELIMITER = '\\t'"; do
		ok "COPY both ways, $with" "$CTL" cql "$at" -e "COPY k.t (id, c, s, tags) TO '$W/odd.csv' WITH $with; TRUNCATE k.t; COPY k.t (id, c, s, tags) FROM '$W/odd.csv' WITH $with;"
		is "changes nothing, $with" "$(md5sum <<<"$before")" "$("$CTL" cql -m json "$at" -e 'SELECT id, c, s, tags FROM k.t' | sort | md5sum)"
	done
	ok 'many rows' "$CTL" cql "$at" -e "TRUNCATE k.t; COPY k.t (id, c, a) FROM '$W/many.csv'; COPY k.t (id, c, a) TO '$W/again.csv';"
	is 'come back' "$(sort "$W/many.csv")" "$(sort "$W/again.csv")"
}

# Numbers and times as the options want them, and back.
copy_options() {
	local at=$1 before with
	"$CTL" cql "$at" -e "CREATE TABLE k.o (id int PRIMARY KEY, b boolean, d double, f float, dec decimal, v varint, ts timestamp, l list<double>, u tuple<float, timestamp>);
		INSERT INTO k.o (id, b, d, f, dec, v, ts, l, u) VALUES (1, true, 1234567.123456789, 3.14159265, 1234567.890, -123456, '2020-01-02 03:04:05.067Z', [1.23456789], (1.5, '2020-01-01Z'));
		INSERT INTO k.o (id, d, f, dec, v, ts, l) VALUES (2, -0.000012345678901, NaN, 12E+10, 999, '1969-12-31 23:59:59.001Z', [1e20]);
		INSERT INTO k.o (id, d, ts) VALUES (3, 1e300, 300000000000000);"
	before=$("$CTL" cql -m json "$at" -e 'SELECT * FROM k.o')
	is 'precision' $'1,1235000.0,3.142,[1.2346]\n2,-1.0E-5,NaN,[1.0E20]\n3,1.0E300,,' "$("$CTL" cql "$at" -e "COPY k.o (id, d, f, l) TO STDOUT WITH FLOATPRECISION = 3 AND DOUBLEPRECISION = 4;" 2>/dev/null | sort)"
	is 'separators' $'1;1.234.567,123456789;1.234.567,890;-123.456;[1.23456789]\n2;-1,2345678901E-5;1,2E+11;999;[1.0E20]\n3;1,0E300;;;' "$("$CTL" cql "$at" -e "COPY k.o (id, d, dec, v, l) TO STDOUT WITH DELIMITER = ';' AND DECIMALSEP = ',' AND THOUSANDSSEP = '.';" 2>/dev/null | sort)"
	is 'times' $'1,02.01.2020 at 3.04.067 %f\n2,31.12.1969 at 23.59.001 %f\n3,300000000000000' "$("$CTL" cql "$at" -e "COPY k.o (id, ts) TO STDOUT WITH DATETIMEFORMAT = '%d.%m.%Y at %-H.%M.%f %%f';" 2>/dev/null | sort)"
	printf '[copy]\ndelimiter = ;\nheader = true\n; not this\n[copy-from]\nskiprows = 1\n[copy:k.o]\nnull: nix\n[copy-to:k.o]\nDELIMITER = |\n[copy:k.t]\ndelimiter = ,\n' >"$W/copyrc"
	is 'CONFIGFILE' $'id|dec|b\n3|nix|nix' "$("$CTL" cql "$at" -e "COPY k.o (id, dec, b) TO STDOUT WITH CONFIGFILE = '$W/copyrc';" 2>/dev/null | sed -n '1p; /^3/p')"
	is 'and what the command says against it' $'3/nix' "$("$CTL" cql "$at" -e "COPY k.o (id, dec) TO STDOUT WITH CONFIGFILE = '$W/copyrc' AND HEADER = false AND DELIMITER = '/';" 2>/dev/null | grep ^3)"
	printf '[copy]\nhedar = true\n' >"$W/copyrc"
	refused 'a line of it that is wrong' "$W/copyrc:2: unknown option" "$CTL" cql "$at" -e "COPY k.o TO STDOUT WITH CONFIGFILE = '$W/copyrc';"
	for with in "HEADER = true AND RATEFILE = '$W/rate'" "DECIMALSEP = ',' AND THOUSANDSSEP = '.'" "DATETIMEFORMAT = '%f s, %Y-%j %T %z' AND BOOLSTYLE = ' JA, nein '" "DELIMITER = '|' AND THOUSANDSSEP = ' ' AND DATETIMEFORMAT = '%d.%m.%Y %H:%M:%S.%f'"; do
		rm -f "$W"/out.csv*
		is "COPY in several files, $with" "3 rows exported to 2 files" "$("$CTL" cql "$at" -e "COPY k.o TO '$W/out.csv' WITH $with AND MAXOUTPUTSIZE = 2; TRUNCATE k.o;" 2>&1 | grep -o '^3 rows .* files')"
		is 'and back' "3 rows imported from 2 files" "$("$CTL" cql "$at" -e "COPY k.o FROM '$W/out.csv, $W/out.csv.*' WITH $with;" 2>&1 | grep -o '^3 rows .* files')"
		is 'changes nothing' "$before" "$("$CTL" cql -m json "$at" -e 'SELECT * FROM k.o')"
	done
	is 'RATEFILE' 1 "$(grep -c '^Processed: 3 rows; Rate: [0-9]* rows/s; Avg. rate: [0-9]* rows/s$' "$W/rate")"
	printf '1,5\n2,6\n3,7\n4,8\n' >"$W/some.csv"
	is 'MAXROWS counts what is read' $'v\n6\n7' "$("$CTL" cql -m csv "$at" -e "TRUNCATE k.o; COPY k.o (id, v) FROM '$W/some.csv' WITH MAXROWS = 3 AND SKIPROWS = 1; SELECT v FROM k.o" 2>/dev/null)"
	is 'MAXROWS of none' '' "$("$CTL" cql "$at" -e "COPY k.o (id, v) TO STDOUT WITH MAXROWS = 0" 2>/dev/null)"
	echo kept >"$W/kept"
	wide=$(seq -s ', ' -f 'p%03.0f' 70)
	is 'a range of tokens of many columns' "$(seq -s , 70)" "$("$CTL" cql "$at" -e "CREATE TABLE k.wide (${wide//,/ int,} int, PRIMARY KEY (($wide))); INSERT INTO k.wide ($wide) VALUES ($(seq -s ', ' 70)); COPY k.wide TO STDOUT WITH BEGINTOKEN=-9223372036854775807 AND ENDTOKEN=9223372036854775807; DROP TABLE k.wide;" 2>/dev/null)"
	refused 'a range of no token' $'a token is a number\nCOPY k.o TO \'~/kept\' WITH BEGINTOKEN=abc;\n                                     ^~~' env HOME="$W" "$CTL" cql "$at" -e "COPY k.o TO '~/kept' WITH BEGINTOKEN=abc;"
	refused 'a column that there is not' 'Undefined column name' env HOME="$W" "$CTL" cql "$at" -e "COPY k.o (none) TO '~/kept';"
	is 'the file is as it was' kept "$(cat "$W/kept")"
	ok 'a path in the home' env HOME="$W" "$CTL" cql "$at" -e "COPY k.o (id) TO '~/kept' WITH MAXROWS = 1;"
	is 'is written' 1 "$(wc -l <"$W/kept")"
	for with in "FLOATPRECISION = 0|from 1 to 99" "DECIMALSEP = '1'|no digits" "THOUSANDSSEP = '.'|are the same" "MAXOUTPUTSIZE = 5|needs a file" "ENCODING = latin1|UTF-8" "PAGESIZE = abc|takes a number" "HEADER = maybe|true or false" "BOOLSTYLE = 'a'|two words" "RATEFILE = '/no/where'|Could not open" "CONFIGFILE = '/no/where'|Could not open"; do
		refused "$with" "${with#*|}" "$CTL" cql "$at" -e "COPY k.o TO STDOUT WITH ${with%|*};"
	done
	"$CTL" cql "$at" -e "CREATE TABLE k.c (p text, c int, s counter STATIC, n counter, m counter, PRIMARY KEY (p, c)); UPDATE k.c SET n = n + 1, s = s + 7 WHERE p = 'a' AND c = 1; UPDATE k.c SET m = m + 2 WHERE p = 'a' AND c = 2;
		UPDATE k.c SET n = n - 3 WHERE p = 'a' AND c = 3; UPDATE k.c SET s = s - 5 WHERE p = 'b'; UPDATE k.c SET n = n + 4 WHERE p = 'c' AND c = 1"
	before=$("$CTL" cql "$at" -e 'SELECT * FROM k.c')
	is 'COPY of static counters' '' "$("$CTL" cql "$at" -e "COPY k.c TO '$W/c.csv'; TRUNCATE k.c; COPY k.c FROM '$W/c.csv';" 2>&1 | grep -v '^5 rows')"
	is 'brings each back once' "$before" "$("$CTL" cql "$at" -e 'SELECT * FROM k.c')"
	is 'also alone, with their rows' $'5\n-5\n7' "$("$CTL" cql "$at" -e "COPY k.c (p, c, s) TO '$W/c.csv'; TRUNCATE k.c; COPY k.c (p, c, s) FROM '$W/c.csv'" 2>&1 | sed -n 's/^\([0-9]*\) rows imported.*/\1/p'; "$CTL" cql -m csv "$at" -e "SELECT s FROM k.c WHERE p IN ('a', 'b')" | tail -2 | sort -n)"
	is 'increments of a partition are all added' 14 "$("$CTL" cql "$at" -e $'TRUNCATE k.c; COPY k.c (p, s) FROM STDIN;\na,7\na,7\n\\.\n' 2>"$W/err"; "$CTL" cql -m csv "$at" -e "SELECT s FROM k.c WHERE p = 'a'" | tail -1)"
	"$CTL" cql "$at" -e 'DROP TABLE k.c'
	"$CTL" cql "$at" -e "CREATE TABLE k.e (id int PRIMARY KEY, i int, b boolean, ts timestamp, dec decimal, c text, l list<text>, u tuple<int, timestamp>, o tuple<boolean, varint, text>, ol list<int>);
		INSERT INTO k.e (id, i, b, ts, dec, c, u, o, ol) VALUES (1, blobAsInt(0x), blobAsBoolean(0x), blobAsTimestamp(0x), blobAsDecimal(0x), '', (7, -62135596800001), (blobAsBoolean(0x), blobAsVarint(0x), ''), [1, blobAsInt(0x)]);
		INSERT INTO k.e (id, ts, dec, c, l) VALUES (2, -62135596800001, 1E-400, '\\N', ['', '\\N', '\\']);
		INSERT INTO k.e (id, ts, c, l) VALUES (3, -9223372036854775808, 'N', ['N']);
		INSERT INTO k.e (id, ts) VALUES (4, '1985-03-04 05:06:07.089Z')"
	before=$("$CTL" cql "$at" -e 'SELECT * FROM k.e'; "$CTL" cql -m json "$at" -e 'SELECT * FROM k.e')
	for with in "NULL = ''" "NULL = '\\N'" "NULL = 'N' AND ESCAPE = '\"'" "DATETIMEFORMAT = '%s.%f'" "DATETIMEFORMAT = '%c %f'" "DATETIMEFORMAT = '%f%z%D %T'"; do
		is "COPY of empty values, $with" '' "$(TZ=Asia/Kathmandu "$CTL" cql "$at" -e "COPY k.e TO '$W/e.csv' WITH $with; TRUNCATE k.e;" 2>&1 | grep -v '^4 rows'; TZ=America/Lima "$CTL" cql "$at" -e "COPY k.e FROM '$W/e.csv' WITH $with;" 2>&1 | grep -v '^4 rows')"
		is 'changes nothing' "$before" "$("$CTL" cql "$at" -e 'SELECT * FROM k.e'; "$CTL" cql -m json "$at" -e 'SELECT * FROM k.e')"
	done
	printf '\xef\xbb\xbf' >"$W/some.csv"
	ok 'a file of a mark alone' "$CTL" cql "$at" -e "COPY k.e FROM '$W/some.csv';"
	printf '8,h\r\n\r\n9,i\r\n\n' >"$W/some.csv"
	is 'blank lines are no records' '2 rows (0 skipped)' "$("$CTL" cql "$at" -e "COPY k.e (id, c) FROM '$W/some.csv'; DELETE FROM k.e WHERE id IN (8, 9);" 2>&1 | sed 's/imported.*seconds //; s/\.$//')"
	printf '\xef\xbb\xbf"c",id\r\n"a ""b""",5\r\n\r\nc,6' >"$W/some.csv"
	is 'a file that a spreadsheet wrote' $'5,"a \\"b\\""\n6,c' "$("$CTL" cql "$at" -e "COPY k.e FROM '$W/some.csv' WITH HEADER = true; COPY k.e (id, c) TO STDOUT" 2>/dev/null | grep '^[56]')"
	printf '"4","","",""\n' >"$W/some.csv"
	is 'all in quotes' $'4,,,""' "$("$CTL" cql "$at" -e "COPY k.e (id, i, ts, c) FROM '$W/some.csv'; COPY k.e (id, i, ts, c) TO STDOUT" 2>/dev/null | grep ^4)"
	printf '1,31.02.2020\n' >"$W/some.csv"
	refused 'a day that there is not' "Unable to parse" "$CTL" cql "$at" -e "COPY k.o (id, ts) FROM '$W/some.csv' WITH DATETIMEFORMAT = '%d.%m.%Y';"
	refused 'a pattern of no file' "Could not open $W/nix*: No such file" "$CTL" cql "$at" -e "COPY k.o (id, ts) FROM '$W/nix*';"
}

talk() {	# talk PATH: a person at a terminal
	local at=$1
	rm -rf "$W/state"
	"$CTL" cql "$at" -f "$W/schema" -f "$W/data"
	is 'a terminal' 'status 0' "$(terminal "$at" <<'T'
< cql>
> us\tk\t;\r
< cql:k>
> SELECT id FROM\tt WHE\t
< WHERE
> ho\t
< home
> \x03
< ^C
< cql:k>
> SELECT id FROM t WHERE id = 1\r
< ...
> AND c = 'x';\r
< (1 rows)
< cql:k>
> SELECT 'broken\r
< '>
> \x03
< ^C
< cql:k>
> sel\t
< select
> \x03
< cql:k>
> \x1b[A
< SELECT id FROM t WHERE id = 1 AND c = 'x';
> \r
< (1 rows)
< cql:k>
> INSERT INTO t (id, c) VALUES (3, 'é');\r
< cql:k>
> SELECT c FROM t WHERE id = 3;\r
< é
< cql:k>
> select id fro\t
< select id from
> \x03
< ^C
< cql:k>
> CREATE TABLE x (a int PRI\t
< PRIMARY KEY
> \x03
< ^C
< cql:k>
> CONSISTENCY NOD\t
< NODE_LOCAL
> \x03
< ^C
< cql:k>
> ALTER TABLE t ADD z dur\t
< duration
> \x03
< ^C
< cql:k>
> DROP INDEX \t
< by_a
> \x03
< ^C
< cql:k>
> COPY t TO 'x' WITH HEADER = true AND flo\t
< floatprecision
> \x03
< ^C
< cql:k>
> CREATE TABLE "OddCase" ("Größe" int PRIMARY KEY, "Großer Name" text);\r
< cql:k>
> SELECT * FROM "Od\t
< "OddCase" 
> \x03
< ^C
< cql:k>
> SELECT * FROM od\t
< "OddCase" 
> \x03
< ^C
< cql:k>
> UPDATE "OddCase" SET gr\t\t
< "Großer Name"  "Größe"
> oßer \t
< "Großer Name" 
> \x03
< ^C
< cql:k>
> DROP TABLE "OddCase";\r
< cql:k>
> CREATE TABLE x (a int PRIMARY KEY, b frozen<pers\t
< person
> \x03
< ^C
< cql:k>
> show \t\t
< HOST
< VERSION
> \x03
< cql:k>
> SELECT page FROM k.\t\t
< hits
> \x03
< cql:k>
> PAGING 1\r
< Page size: 1
> SELECT c FROM t;\r
< ---MORE---
> q\r
< Interrupted
< cql:k>
> HISTORY 2\r
< SELECT c FROM t;
< HISTORY 2
< cql:k>
> HISTORY 99\r
< use k ;
< HISTORY 99
< cql:k>
> SELECT nope FROM t;\r
< InvalidRequest
< ^~~~
< cql:k>
> \x04
.
T
)"
	python3 -c 'for i in range(20000): print(f"{i},a row of many {i}")' >"$W/rows.csv"
	is 'Ctrl-C ends the output, not the shell' 'status 0' "$(terminal "$at" -k k <<T
< cql:k>
> COPY t (id, c) FROM '$W/rows.csv';\r
< 20000 rows imported
< cql:k>
> PAGING OFF\r
< PAGING set to OFF
< cql:k>
> SELECT id, c FROM t;\r
< a row of many
> \x03
< Interrupted.
< cql:k>
> SELECT c FROM t WHERE id = 77;\r
< a row of many 77
< (1 rows)
< cql:k>
> COPY t (id, c) FROM STDIN;\r
< alone ends them
< >
> 30000,thirty\x03
< COPY of k.t was interrupted.
< 0 rows imported
< cql:k>
> COPY t (id, c) FROM STDIN;\r
< alone ends them
< >
> 30000,thirty\r\\\\.\r
< 1 rows imported
< cql:k>
> SELECT c FROM t WHERE id = 30000;\r
< thirty
< (1 rows)
< cql:k>
> \x04
.
T
)"
	is 'the history is private' 600 "$(stat -c %a "$W/state/widefs/history")"
	is 'and remembered' 'status 0' "$(terminal "$at" <<'T'
< cql>
> \x1b[A
< SELECT c FROM t WHERE id = 30000;
> \x03
< cql>
> exit\r
.
T
)"
	mkdir -p "$W/config/widefs"
	printf 'USE k;\nMODE csv\n' >"$W/config/widefs/shellrc"
	is 'shellrc' 'status 0' "$(printf '%s\n' '< cql:k>' '> SELECT page FROM hits;\r' '< home' '< cql:k>' '> \x04' . | terminal "$at")"
	is '--no-rc' 'status 0' "$(printf '%s\n' '< cql>' '> \x04' . | terminal "$at" --no-rc)"
	rm -rf "$W/config"
	is 'a locale of no more than ASCII takes all that CQL does' 'status 0' "$(printf '%s\n' '< cql:k>' "> SELECT c FROM t WHERE id = 3 AND c = 'é';\\r" '< (1 rows)' '< cql:k>' '> \x04' . | LC_ALL=C terminal "$at" -k k)"
	"$CTL" cql "$at" -e 'DROP KEYSPACE k'
}

both "$S"
as_cqlsh "$S"
talk "$S"
start
"$CTL" cql "$M" -f "$W/schema" -f "$W/data" -e "DELETE FROM k.t WHERE id = 1 AND c = 'y'; DELETE FROM k.t WHERE id = 2;"
echo flush >"$M/.widefs/ctl"
"$CTL" cql "$M" -e "INSERT INTO k.t (id, c) VALUES (3, 'z')"
traces "$M"
stop
traces "$S"
"$CTL" cql "$S" -e 'DROP KEYSPACE k'
ok 'a store to write' "$CTL" cql "$S" -f "$W/schema"
refused 'read-only' 'Error from server' "$CTL" cql --read-only "$S" -e 'DROP KEYSPACE k'
ok 'and gone' "$CTL" cql "$S" -e 'DROP KEYSPACE k'
is 'COPY to a device that is full' '1 0' "$("$CTL" cql "$S" -e "COPY system_schema.tables TO '/dev/full'" 2>"$W/err"; echo $? "$(grep -c 'rows* exported' "$W/err")")"
is 'standard output that is full' 1 "$("$CTL" cql "$S" -e 'SELECT keyspace_name FROM system_schema.keyspaces' >/dev/full 2>"$W/err"; echo $?)"
is 'no such store' 6 "$(status "$CTL" cql "$W/none" -e 'SELECT 1')"
is 'no store' 6 "$(status "$CTL" cql "$W" -e 'SELECT 1')"
start
# Writes to the mount that fail, wherever: a file of that length is full. The
# shell goes on, and no part of a statement is run.
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (id int PRIMARY KEY, v text);
C
cat >"$W/full.py" <<'P'
import resource, signal, subprocess, sys
ctl, at, to = sys.argv[1:]
text = f"COPY k.t (id) TO '{to}' WITH BEGINTOKEN=1 AND ENDTOKEN=2;\nCONSISTENCY\n"
statuses = set()
for limit in range(20, 3000, 40):
    def full():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    done = subprocess.run([ctl, 'cql', at], input=text, preexec_fn=full, restore_signals=False, capture_output=True, text=True)
    statuses.add(done.returncode)
    assert 'Current consistency level is ONE' in done.stdout, (limit, done)
    assert 'SyntaxException' not in done.stderr, (limit, done)
assert statuses == {0, 1}, statuses
P
ok 'a file that is full' python3 "$W/full.py" "$CTL" "$M" "$W/full.csv"
exec 7<>"$M/.cql.raw"
printf 'DROP TABLE k.t' >&7
is 'without its semicolon nothing is said' '' "$(cat <&7)"
printf 'DROP TABLE k.t' >&7
exec 7>&-
ok 'and nothing done' test -d "$M/k/t"
"$CTL" cql "$M" -e 'DROP KEYSPACE k'
is 'a store that is mounted' 3 "$(status "$CTL" cql "$S" -e 'SELECT 1')"
both "$M"
talk "$M"
"$CTL" cql "$M" -f "$W/schema" -f "$W/data"
is 'a folder is the keyspace in force' $'page\nhome' "$("$CTL" cql -m csv "$M/k/t" -e 'SELECT page FROM hits')"
is 'and so is the working directory' $'page\nhome' "$(cd "$M/k" && "$CTL" cql -m csv -e 'SELECT page FROM hits')"
is 'NaN, infinities, the empty value' $'a\nNaN\n-Infinity\n""' "$("$CTL" cql -m csv "$M/k" -e "INSERT INTO t (id, c, a) VALUES (6, 'a', NaN); INSERT INTO t (id, c, a) VALUES (6, 'b', -Infinity); INSERT INTO t (id, c, a) VALUES (6, 'c', blobAsDouble(0x)); SELECT a FROM t WHERE id = 6")"
ok 'rows to count' "$CTL" cql "$M/k" -e "COPY t (id, c) FROM '$W/rows.csv'"
# A thousand aggregates keep it busy for longer than the signal needs.
is 'a signal ends a query that gives no rows' EINTR "$(timeout 60 python3 tests/mount/interrupt.py "$M/.cql" "$(daemon_pid)" "SELECT $(printf 'max(c), %.0s' {1..1000}) count(*) FROM k.t;")"
again -s
is 'also where one thread reads all' EINTR "$(timeout 60 python3 tests/mount/interrupt.py "$M/.cql" "$(daemon_pid)" "SELECT $(printf 'max(c), %.0s' {1..1000}) count(*) FROM k.t;")"
is 'and the next one runs' 20006 "$("$CTL" cql -m csv "$M/k" -e 'SELECT count(*) FROM t WHERE id < 100000 ALLOW FILTERING' 2>/dev/null | tail -1)"
is 'NaN by COPY' '5,c,NaN' "$("$CTL" cql "$M/k" -e "INSERT INTO t (id, c, a) VALUES (5, 'c', NaN); COPY t (id, c, a) TO STDOUT;" 2>/dev/null | grep ^5,c)"
python3 -c "print('INSERT INTO t (id, c, s) VALUES (9, \'c\', \'' + 'x' * 3000000 + '\');')" >"$W/large"
ok 'a large value' "$CTL" cql "$M/k" -f "$W/large"
is 'comes back' 3000001 "$("$CTL" cql -m csv "$M/k" -e 'SELECT s FROM t WHERE id = 9' | tail -1 | wc -c)"
stop
done_testing
