# import and export: CSV and lines of JSON, on a mount and on a store.
. tests/mount/lib.sh
DDL="CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p int, c text, s text STATIC, v text, n int, tags set<text>, PRIMARY KEY (p, c));
CREATE TABLE k.u (p int, c text, s text STATIC, v text, n int, tags set<text>, PRIMARY KEY (p, c));
CREATE INDEX ui ON k.u (n);"
start
run_cql <<<"$DDL"
run_cql <<'C'
INSERT INTO k.t (p, c, s, v, n, tags) VALUES (1, 'a', 'st', 'x,"y"', 5, {'p', 'q'});
INSERT INTO k.t (p, c, v) VALUES (1, 'b', '');
INSERT INTO k.t (p, c, v, n) VALUES (2, 'N', 'N', -1);
INSERT INTO k.t (p, s) VALUES (3, 'alone');
INSERT INTO k.t (p, c, v) VALUES (4, 'two
lines', 'é');
C
for form in csv ndjson; do
	is "export to a file ending in $form" 0 "$(exits "$CTL" export "$M/k/t" "$W/t.$form")"
	is 'is quiet' '' "$(cat "$W/out" "$W/err")"
	ok 'the file is the same as the document' cmp "$W/t.$form" "$M/k/t.$form"
	is "export --format=$form" 0 "$(exits "$CTL" export --format=$form "$M/k/t")"
	ok 'to standard output' cmp "$W/t.$form" "$W/out"
	is "import of $form" 0 "$(exits "$CTL" import "$M/k/u" "$W/t.$form")"
	is 'is quiet, too' '' "$(cat "$W/out" "$W/err")"
	ok 'all rows are there' cmp "$W/t.$form" "$M/k/u.$form"
	cql 'TRUNCATE k.u' >/dev/null
	is 'from a pipe' 0 "$("$CTL" import "$M/k/u" - <"$W/t.$form" >"$W/out" 2>&1; echo $?)"
	ok 'all rows again' cmp "$W/t.$form" "$M/k/u.$form"
	cql 'TRUNCATE k.u' >/dev/null
done
# A text for null: what is that text is in quotes then.
is 'export --null' 0 "$(exits "$CTL" export --null=N "$M/k/t")"
is 'has it in each empty field, and no other' $'p,c,s,n,tags,v\n1,a,st,5,"{""p"", ""q""}","x,""y"""' "$(head -2 "$W/out" | sed "s/{'p', 'q'}/{\"\"p\"\", \"\"q\"\"}/; s/\[\"\"p\"\", \"\"q\"\"\]/{\"\"p\"\", \"\"q\"\"}/")"
is 'null, and the text N' '2,"N",N,-1,N,"N"' "$(grep ^2 "$W/out")"
is 'the empty text' '1,b,st,N,N,""' "$(grep ^1,b "$W/out")"
cp "$W/out" "$W/null.csv"
is 'import --null' 0 "$(exits "$CTL" import -n N "$M/k/u" "$W/null.csv")"
ok 'gives the same rows' cmp "$W/t.csv" "$M/k/u.csv"
# Lines that are refused.
cql 'TRUNCATE k.u' >/dev/null
printf 'p,c,n\r\n1,a,1\r\n2,b,two\r\n3,c,3\r\n4,"d\n",x\r\n5,e,5' >"$W/bad.csv"
printf '{"p": 1, "c": "a", "n": 1}\n{"p": 2, "c": "b", "n": "two"}\n\n{"p": 3, "c": "c", "n": 3}\n{"p": 4,\n{"p": 5, "c": "e", "n": 5}' >"$W/bad.ndjson"
rows() { cql 'SELECT p FROM k.u' | jq -c '[.rows[][0]] | sort'; }
both() {	# both WHERE: the same on a mount and on a store
	is "$1: it ends at the first" 1 "$(exits "$CTL" import "$2" "$W/bad.csv")"
	is "$1: which is named" "widefsctl: $W/bad.csv: line 3: " "$(grep -oE '^.*line 3: ' "$W/err")"
	is "$1: of JSON" 1 "$(exits "$CTL" import "$2" "$W/bad.ndjson")"
	is "$1: is named" "widefsctl: $W/bad.ndjson: line 2: " "$(grep -oE '^.*line 2: ' "$W/err")"
	is "$1: --errors goes on" 1 "$(exits "$CTL" import --errors="$W/refused" "$2" "$W/bad.csv")"
	is "$1: names both" 'line 3: line 5: ' "$(grep -oE 'line [0-9]+: ' "$W/err" | tr -d '\n')"
	is "$1: counts them" "widefsctl: $W/bad.csv: 3 rows written, 2 lines refused (in $W/refused)" "$(tail -1 "$W/err")"
	is "$1: keeps them, with the header" $'p,c,n\r\n2,b,two\r\n4,"d\n",x\r' "$(cat "$W/refused")"
	is "$1: --errors of JSON" 1 "$(exits "$CTL" import -e "$W/refused" "$2" "$W/bad.ndjson")"
	is "$1: keeps them" '{"p": 2, "c": "b", "n": "two"}|{"p": 4,|' "$(tr '\n' '|' <"$W/refused")"
	printf 'p,c,nope\n1,a,1\n' >"$W/head.csv"
	is "$1: a header that is refused ends it" 1 "$(exits "$CTL" import -e "$W/refused" "$2" "$W/head.csv")"
	is "$1: and is line 1" "widefsctl: $W/head.csv: line 1: " "$(grep -oE '^.*line 1: ' "$W/err")"
	# Rows that are refused under --null can be imported under it.
	printf 'p,c,v\n1,a,NULL\nx,b,NULL\nx,c,\nx,d,"NULL"\n' >"$W/nulls.csv"
	is "$1: --errors and --null" 1 "$(exits "$CTL" import -n NULL -e "$W/refused" "$2" "$W/nulls.csv")"
	is "$1: nulls stay nulls" $'p,c,v\nx,b,NULL\nx,c,""\nx,d,"NULL"' "$(cat "$W/refused")"
	printf '\r\np,c,n\n1,a,1\nx,b,2\n\n' >"$W/blank.csv"
	is "$1: a blank line before the header" 1 "$(exits "$CTL" import -n p -e "$W/refused" "$2" "$W/blank.csv")"
	is "$1: the header is kept" $'p,c,n\nx,b,2' "$(cat "$W/refused")"
	is "$1: blank lines are no rows" 1 "$(grep -c ': 1 row written, 1 line refused' "$W/err")"
	# Quotes that are not closed take the rest of the file.
	printf 'p,c,v\n1,a,\n1,a,"open\n2,b,x' >"$W/open.csv"
	for more in '' '-n NULL' "-e $W/refused"; do
		is "$1: quotes that are not closed $more" 1 "$(exits "$CTL" import $more "$2" "$W/open.csv")"
		is "$1: their line" "widefsctl: $W/open.csv: line 3: the quotes of a field are not closed" "$(head -1 "$W/err")"
	done
	is "$1: they are kept" $'p,c,v\n1,a,"open\n2,b,x' "$(cat "$W/refused")"
	cp "$W/open.csv" "$W/same.csv"
	is "$1: --errors is not the file itself" 2 "$(exits "$CTL" import -e "$W/same.csv" "$2" "$W/same.csv")"
	ok "$1: which stays" cmp "$W/open.csv" "$W/same.csv"
}
both 'a mount' "$M/k/u"
is 'the good rows are there' '[1,3,5]' "$(rows)"
# Many rows, with progress, both ways.
seq 1 30000 | awk 'BEGIN { print "p,c,n,v" } { printf "%d,c%d,%d,value %d\n", $1 % 50, $1, $1, $1 }' >"$W/many.csv"
is 'many rows' 0 "$(exits "$CTL" import --progress=json "$M/k/u" "$W/many.csv")"
is 'its progress is JSON' 'import true true' "$(tail -1 "$W/err" | jq -r '"\(.work) \(.done == .total) \(.finished)"')"
is 'all imported rows are there' 30003 "$("$CTL" export "$M/k/u" | wc -l | awk '{ print $1 - 1 }')"
is 'an index has them' 1 "$(cql 'SELECT p FROM k.u WHERE n = 29999' | jq '.rows | length')"
is 'a line that is longer than a request' 0 "$( (echo 'p,c,v'; printf '9,long,'; head -c 3000000 /dev/zero | tr '\0' x; echo) | "$CTL" import "$M/k/u" -; echo $?)"
is 'is whole' 3000000 "$(stat -c %s "$M/k/u/9/long/v" | awk '{ print $1 - 1 }')"
is 'one that is refused' 1 "$( (printf '{"p": 8, "c": "x", "v": "'; head -c 300000 /dev/zero | tr '\0' x; printf '", "n": "no"}\n{"p": 8, "c": "y"}\n') | "$CTL" import -e "$W/refused" "$M/k/u" - 2>"$W/err"; echo $?)"
ok 'the row after it is there' test -d "$M/k/u/8/y"
is 'and it alone is kept' 1 "$(wc -l <"$W/refused")"
# A line that is too long, and a row that nothing can be later than: the others are taken.
cql "INSERT INTO k.u (p, c, v) VALUES (8, 'last', 'x') USING TIMESTAMP 9223372036854775807" >/dev/null
{
	printf 'p,c,v\n8,first,1\n8,last,2\n8,long,'
	head -c 4500000 /dev/zero | tr '\0' x
	printf '\n8,fourth,4\n8,fifth\n8,sixth,6\n'
} >"$W/mixed.csv"
{
	printf '{"p": 8, "c": "one"}\n{"p": 8, "c": "long", "v": "'
	head -c 4500000 /dev/zero | tr '\0' x
	printf '"}\n{"p": 8, "c": "three"}\n'
} >"$W/mixed.ndjson"
again -o max_value=4M
is 'errors of lines' 1 "$(exits "$CTL" import -e "$W/refused" "$M/k/u" "$W/mixed.csv")"
is 'each is told' $'line 3: what is or was here has the largest timestamp there is: nothing can be later\nline 4: v: a value may have 4194304 bytes, and this one has 4500000\nline 6: a line has fewer fields than the first, which has 3' "$(grep -oE 'line [0-9]+: .*' "$W/err")"
is 'and kept' $'p,c,v\n8,last,2\n8,long,x\n8,fifth' "$(tr -s x <"$W/refused")"
is 'of JSON' 1 "$(exits "$CTL" import -e "$W/refused" "$M/k/u" "$W/mixed.ndjson")"
is 'the others are there' 'fifth: first fourth last long: one sixth three' "$(for c in fifth first fourth last long one sixth three; do [ -d "$M/k/u/8/$c" ] && printf '%s ' "$c" || printf '%s: ' "$c"; done | sed 's/ $//')"
again
is 'no such table' 6 "$(exits "$CTL" export "$M/k/none")"
is 'a keyspace' 2 "$(exits "$CTL" export "$M/k")"
is 'no such file' 1 "$(exits "$CTL" import "$M/k/u" "$W/none.csv")"
is 'no such format' 2 "$(exits "$CTL" import -F xml "$M/k/u" "$W/t.csv")"
"$CTL" export "$M/k/u" "$W/u.csv"
stop
# The same on a store that is not mounted.
is 'export of a store' 0 "$(exits "$CTL" export "$S/k/u" "$W/u2.csv")"
is 'a slash behind the table' 0 "$(exits "$CTL" export "$S/k/u//")"
ok 'is that of its mount' cmp "$W/u.csv" "$W/u2.csv"
"$CTL" export "$S/k/t" "$W/t2.ndjson"
ok 'JSON, too' cmp "$W/t.ndjson" "$W/t2.ndjson"
"$CTL" load "$W/other" <<<"$DDL" 2>/dev/null
is 'import into a store' 0 "$(exits "$CTL" import "$W/other/k/t" "$W/u.csv")"
ok 'all rows are there' cmp "$W/u.csv" <("$CTL" export "$W/other/k/t")
both 'a store' "$W/other/k/u"
is 'its good rows are there' 3 "$("$CTL" export -F ndjson "$W/other/k/u" | wc -l)"
is 'a table of a store that is not there' 6 "$(exits "$CTL" import "$W/other/k/none" "$W/u.csv")"
done_testing
