# Query directories: each form of term, names and links at every depth, what is
# refused and how, rights, caches, and ordinary tools. queries.py compares random
# queries with the same SELECT.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE shop.users (user_name text PRIMARY KEY, country text, age int, bio text);
CREATE INDEX ON shop.users (country);
CREATE CUSTOM INDEX ON shop.users (bio) USING 'org.apache.cassandra.index.sasi.SASIIndex' WITH OPTIONS = {'mode': 'CONTAINS'};
CREATE TABLE shop.tweets (user text, tweet_id int, body text, followers int static, PRIMARY KEY (user, tweet_id));
CREATE TABLE shop.by_city (city text, last text, first text, email text, address text, PRIMARY KEY (city, last, first, email));
CREATE TABLE shop.history (bucket date, user text, at timestamp, what text, PRIMARY KEY ((bucket, user), at)) WITH CLUSTERING ORDER BY (at DESC);
CREATE TABLE shop.odd (p text, "a=b" text, "limit" text, v text, PRIMARY KEY (p, "a=b", "limit"));
CREATE TABLE shop.sai (p int, c int, n int, PRIMARY KEY (p, c));
CREATE INDEX ON shop.sai (n) USING 'sai';
CREATE TABLE shop.exact (p text, d decimal, v int, PRIMARY KEY (p, d));
INSERT INTO shop.users (user_name, country, age, bio) VALUES ('chris', 'nz', 30, 'likes rain');
INSERT INTO shop.users (user_name, country, age, bio) VALUES ('ada', 'uk', 36, 'wrote programs');
INSERT INTO shop.users (user_name, country, age, bio) VALUES ('kim', 'nz', 41, 'grows rice, eats 100%');
C
{
	for i in 1 2 3 4 5 6 7 8 9 10; do echo "INSERT INTO shop.tweets (user, tweet_id, body) VALUES ('gmason', $((i * 100)), 'tweet $i');"; done
	echo "UPDATE shop.tweets SET followers = 7 WHERE user = 'nobody';"
	for first in Anna Zoe; do for last in Adams Koshkina; do echo "INSERT INTO shop.by_city (city, last, first, email, address) VALUES ('Otterberg', '$last', '$first', '$first@x.org', 'Main St');"; done; done
	echo "INSERT INTO shop.by_city (city, last, first, email, address) VALUES ('Ulm', 'O,Hara', '', '.a', 'x');"
	for i in 1 2 3; do echo "INSERT INTO shop.history (bucket, user, at, what) VALUES ('2016-10-04', 'chris', '2016-10-04 12:3$i:00+0000', 'w$i');"; done
	for v in 'x,y' 'x=y' 'x..y' 'x/y' '@x' 'x.csv' 'x%y' ''; do echo "INSERT INTO shop.odd (p, \"a=b\", \"limit\", v) VALUES ('p', '$v', 'l', 'v');"; done
	for i in 1 2 3 4 5 6; do echo "INSERT INTO shop.sai (p, c, n) VALUES ($((i % 2)), $i, $((i * 10)));"; done
	echo "INSERT INTO shop.exact (p, d, v) VALUES ('p', 1.00, 1);"
} | run_cql
g=$M/shop/tweets/gmason

# ---- terms in a partition
is 'one value' '300' "$(names "$g/@tweet_id=300")"
is 'no row' '' "$(names "$g/@tweet_id=301")"
is 'a range: the begin is in, the end is not' '300 400' "$(names "$g/@tweet_id=300..500")"
is 'without a begin' '100 200' "$(names "$g/@tweet_id=..300")"
is 'without an end' '900 1000' "$(names "$g/@tweet_id=900..")"
is 'an empty range' '' "$(names "$g/@tweet_id=500..300")"
is 'a limit' '100 200 300' "$(names "$g/@limit=3")"
is 'descending' '1000 900 800' "$(names "$g/@desc,@limit=3")"
is 'the example of the contract' '500 400 300' "$(names "$g/@tweet_id=..600,@desc,@limit=3")"
is 'after a row' '400 500' "$(names "$g/@after=300,@limit=2")"
is 'after a row that is not there' '400' "$(names "$g/@after=301,@limit=1")"
is 'after it, descending' '200 100' "$(names "$g/@desc,@after=300")"
is 'after it, within a range' '400' "$(names "$g/@tweet_id=100..500,@after=300")"
is 'after what lies before the range' '700 800 900 1000' "$(names "$g/@tweet_id=700..,@after=300")"
is 'nothing after the last' '' "$(names "$g/@after=1000")"
is 'two halves of a range' '300 400' "$(names "$g/@tweet_id=300..,@tweet_id=..500")"
is 'pages meet' "$(names "$g")" "$(
	after='' all=''
	while page=$(names "$g/@limit=3${after:+,@after=$after}") && [ -n "$page" ]; do all="$all $page" after=${page##* }; done
	echo "${all# }"
)"
is 'a partition of statics alone has no rows' '' "$(names "$M/shop/tweets/nobody/@limit=5")"
h="$M/shop/history/2016-10-04,chris"
is '@desc is ORDER BY ... DESC, whatever the order of the table' '2016-10-04T12:33:00.000Z' "$(names "$h/@desc,@limit=1")"
is 'in a table of that order too' '2016-10-04T12:32:00.000Z 2016-10-04T12:31:00.000Z' "$(names "$h/@after=2016-10-04T12:33:00.000Z")"
is 'a range there' '2016-10-04T12:32:00.000Z' "$(names "$h/@at=2016-10-04T12:32:00.000Z..2016-10-04T12:33:00.000Z")"

# ---- several clustering columns, prefixes
c=$M/shop/by_city/Otterberg
is 'the rest of the key is the name' 'Adams,Anna,Anna@x.org Adams,Zoe,Zoe@x.org' "$(names "$c/@last=Adams")"
is 'a term on two columns' 'Adams,Zoe,Zoe@x.org' "$(names "$c/@last=Adams,@first=Zoe")"
is 'in a prefix' 'Zoe,Zoe@x.org' "$(names "$c/Koshkina/@first=M..")"
is 'in the last prefix' 'Zoe@x.org' "$(names "$c/Koshkina/Zoe/@limit=5")"
is 'in a table' 'Otterberg,Koshkina,Anna,Anna@x.org Otterberg,Koshkina,Zoe,Zoe@x.org' "$(names "$M/shop/by_city/@last=Koshkina,@scan")"
is 'a comma inside of a part, empty and dotted parts' 'Ulm,O%2CHara,,.a' "$(names "$M/shop/by_city/@city=Ulm")"
is 'after a name of several parts' 'Koshkina,Anna,Anna@x.org Koshkina,Zoe,Zoe@x.org' "$(names "$c/@after=Adams%2CZoe%2CZoe@x.org")"
is 'after it, descending' 'Adams,Anna,Anna@x.org' "$(names "$c/@desc,@after=Adams%2CZoe%2CZoe@x.org")"
ok 'links lead from a table to the row' test -f "$M/shop/by_city/@city=Ulm/Ulm,O%2CHara,,.a/address"
is 'a link leads to its row' '../Ulm/O,Hara/%/%2Ea' "$(readlink "$M/shop/by_city/@city=Ulm/Ulm,O%2CHara,,.a")"
is 'from a partition' '../Adams/Zoe/Zoe@x.org' "$(readlink "$c/@last=Adams/Adams,Zoe,Zoe@x.org")"
is 'from a prefix' '../Zoe/Zoe@x.org' "$(readlink "$c/Koshkina/@first=M../Zoe,Zoe@x.org")"
is 'cells through them' 'Main St' "$(cat "$c/Koshkina/@first=M../Zoe,Zoe@x.org/address")"
is 'a composite partition key' '2016-10-04,chris,2016-10-04T12:33:00.000Z' "$(names "$M/shop/history/@limit=1")"
is 'leads there' w3 "$(cat "$M/shop/history/@limit=1/2016-10-04,chris,2016-10-04T12:33:00.000Z/what")"
is 'in the table, after a row in the middle of a partition' '2016-10-04,chris,2016-10-04T12:31:00.000Z' "$(names "$M/shop/history/@after=2016-10-04%2Cchris%2C2016-10-04T12:32:00.000Z")"
is 'pages of a table meet' "$(names "$M/shop/by_city/@limit=99")" "$(
	after='' all=''
	while page=$(names "$M/shop/by_city/@limit=2${after:+,@after=$after}") && [ -n "$page" ]; do all="$all $page" after=${page##* } after=${after//%/%25} after=${after//,/%2C}; done
	echo "${all# }"
)"

# ---- tables
u=$M/shop/users
is 'an index' "$(cql "SELECT user_name FROM shop.users WHERE country = 'nz'" | grep -o '\["[a-z]*"\]' | tr -d '[]"' | tr '\n' ' ' | sed 's/ $//')" "$(names "$u/@country=nz")"
is 'a cell of each' '30 41' "$(cat "$u/@country=nz/"*/age | sort | tr '\n' ' ' | sed 's/ $//')"
is 'LIKE by SASI' 'kim' "$(names "$u/@bio~%25ri%25")"
is 'LIKE by SASI, another' 'chris' "$(names "$u/@bio~%25rain")"
is 'LIKE of a suffix with a percent sign and a comma' 'kim' "$(names "$u/@bio~%25rice%2C eats 100%25%25")"
is 'a term that filters' 'ada' "$(names "$u/@age=36,@scan")"
is 'a range by SAI' '1,3 1,5 0,4' "$(names "$M/shop/sai/@n=30..60" | tr ' ' '\n' | sort -t, -k1,1r -k2,2 | tr '\n' ' ' | sed 's/ $//')"
is 'by an index in a partition' '4' "$(names "$M/shop/sai/0/@n=40")"
is 'all tokens' "$(names "$u")" "$(names "$u/@token=-9223372036854775808..")"
is 'two halves of the ring' "$(names "$u")" "$(names "$u/@token=..0") $(names "$u/@token=0..")"
is 'one token' 'kim' "$(names "$u/@token=$(getfattr --only-values -n user.token "$u/kim" 2>/dev/null || cql "SELECT token(user_name) FROM shop.users WHERE user_name = 'kim'" | grep -o '\[\[[-0-9]*' | tr -d '[')")"
is 'a table of plain files' 'alice,a/todo' "$(mkdir -p "$M/shop/notes/alice" && echo x >"$M/shop/notes/alice/a%2Ftodo" && names "$M/shop/notes/@limit=9" | sed 's/%2F/\//')"
is 'leads to the file' x "$(cat "$M/shop/notes/@limit=9/alice,a%2Ftodo")"
is 'there every name in a partition is data' x "$(echo x >"$M/shop/notes/alice/@limit=1" && cat "$M/shop/notes/alice/@limit=1")"

# ---- spelling
o=$M/shop/odd/p
is 'columns with odd names, values with odd bytes' 'x%2Cy,l' "$(names "$o/@a%3Db=x%2Cy")"
is 'an equals sign' 'x=y,l' "$(names "$o/@a%3Db=x%3Dy")"
is 'two dots' 'x..y,l' "$(names "$o/@a%3Db=x%2E%2Ey")"
is 'a slash' 'x%2Fy,l' "$(names "$o/@a%3Db=x%2Fy")"
is 'an at sign' '%40x,l' "$(names "$o/@a%3Db=%40x")"
is 'a suffix' 'x.csv,l' "$(names "$o/@a%3Db=x%2Ecsv")"
is 'a percent sign' 'x%25y,l' "$(names "$o/@a%3Db=x%25y")"
is 'the empty text' ',l' "$(names "$o/@a%3Db=%")"
is 'a column that is named like a word of queries' 'x%2Cy,l' "$(names "$o/@a%3Db=x%2Cy,@%6Cimit=l")"
for other in '@a%3Db=%78' '@a%3Db=x%2Ey' '@a%3Db=x..y..' '@%61%3Db=x' '@%6C=l' '@%6Cimit=%6C' '@after=%78,l' '@a%3Db~%78' \
	'@limit=1,@cols=%61%3Db.csv'; do
	refused "another spelling: $other" 'No such file' ls "$o/$other"
done
ls "$o/@%6Cimit=%6C" 2>/dev/null
is 'the right one is told' "the name of this value is 'l'" "$(tail -n 1 "$M/.widefs/errors" | grep -o 'the name of.*')"
for e in $(names "$o/@limit=99"); do ok "the link $e" test -f "$o/@limit=99/$e/v"; done
ok 'equal but otherwise written is found' test -d "$M/shop/exact/p/@d=1.0/1.00"
refused 'the stored spelling is the name of the link' 'No such file' ls "$M/shop/exact/p/@d=1.0/1.0/"

# ---- long names
long=$(printf 'k%.0s' {1..300})
cql "INSERT INTO shop.by_city (city, last, first, email, address) VALUES ('$long', '$long', 'f', 'e', 'far')" >/dev/null
cql "INSERT INTO shop.by_city (city, last, first, email, address) VALUES ('Ulm', '$long', '$long', 'e', 'near')" >/dev/null
is 'a shortened link from the table' 'far' "$(cat "$M/shop/by_city/@last=$(printf 'k%.0s' {1..9})..,@scan/"k*%~*/address)"
is 'from a partition' 'near' "$(cat "$M/shop/by_city/Ulm/@last=kkk../"k*%~*/address)"
ok 'and from its prefix' test -f "$(echo "$M/shop/by_city/Ulm/k"*%~*/@limit=1/k*%~*)/address"
ls -l "$M/shop/by_city/Ulm/@last=kkk../" >/dev/null
refused 'of another query it is no entry' 'No such file' ls "$M/shop/by_city/Ulm/@last=..k/$(names "$M/shop/by_city/Ulm/@last=kkk..")/"

# ---- the entries alone
ok 'an entry is there by its key and the terms' test -L "$g/@tweet_id=300..500/400"
ok '... whatever the limit shows' test -L "$g/@limit=1/400"
refused 'not where a term says no' 'No such file' readlink -v "$g/@tweet_id=300..500/500"
refused 'nor by another spelling' 'No such file' readlink -v "$g/@tweet_id=300..500/0400"
refused 'nor without a row' 'No such file' readlink -v "$g/@tweet_id=300..500/401"
ok 'a term on a value' test -L "$u/@country=nz/kim"
refused 'an entry that the row does not satisfy' 'No such file' readlink -v "$u/@country=nz/ada"
refused 'no query in a query' 'No such file' ls "$g/@limit=5/@limit=5"

cql "CREATE TABLE shop.tagged (k int PRIMARY KEY, tags set<text>)" >/dev/null
for term in '@tags=x' '@tags=["x"]' '@tags=x,@scan' '@tags=a..b'; do
	refused "a term on a set: $term" 'Invalid argument' ls "$M/shop/tagged/$term"
	ok 'in the words of CQL' grep -q " EINVAL Collection column 'tags' (set<text>) cannot be restricted by a '>*=' relation" <<<"$(tail -n 1 "$M/.widefs/errors")"
done
cql "CREATE TABLE shop.fold (k int PRIMARY KEY, name text)" >/dev/null
cql "CREATE INDEX ON shop.fold (name) USING 'sai' WITH OPTIONS = {'case_sensitive': 'false'}" >/dev/null
cql "INSERT INTO shop.fold (k, name) VALUES (1, 'Ada')" >/dev/null
is 'an index that folds letters' 1 "$(names "$M/shop/fold/@name=ADA")"
ok 'and its entry' test -L "$M/shop/fold/@name=ADA/1"
refused 'not that of another' 'No such file' readlink -v "$M/shop/fold/@name=BOB/1"

# ---- what is refused
refused 'an unknown column' 'No such file' ls "$g/@nothing=1"
refused 'an unknown operator' 'No such file' ls "$g/@tweet_id>5"
refused 'an unknown word' 'No such file' ls "$g/@newest"
refused 'another spelling of a value' 'No such file' ls "$g/@tweet_id=0300"
is 'the right one is told, once' "/shop/tweets/gmason/@tweet_id=0300 ENOENT the name of this value is '300'" "$(grep 0300 "$M/.widefs/errors" | cut -d' ' -f5-)"
# told TEXT NAME: a look at the name tells so.
told() {
	ls "$2" >/dev/null 2>&1
	is "$2 is told of" "${2#"$M"} ENOENT $1" "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f5-)"
}
grammar="this is no query: its terms are @COLUMN=V, @COLUMN=LO..HI, @COLUMN~PATTERN, @token=N..M, @after=NAME, @limit=N, @desc and @scan, joined by ','"
elsewhere='queries are in tables, partitions and prefixes'
told "users has no column 'aeg'; it has user_name, age, bio, country" "$u/@aeg=36"
told "users has no column 'coutnry'; it has user_name, age, bio, country" "$u/@coutnry=nz.ndjson"
told "tweets has no column 'bodi'; it has user, tweet_id, followers, body" "$g/@cols=bodi.csv"
told "$grammar" "$u/@country=nz,age=36"
told "$grammar" "$g/@newest"
told 'the document of a query ends in .ndjson or .csv; a value that ends so has %2E for its dot; @after takes no .json' "$g/@limit=5.json"
told "$elsewhere" "$M/shop/@country=nz"
told "$elsewhere" "$u/chris/@limit=5"
told "$elsewhere" "$g/@limit=5/@limit=4"
lines=$(wc -l <"$M/.widefs/errors")
for n in "$u/@key" "$g/@static" "$g/nobody" "$u/chris/agee" "$u/.chris.swp" "$M/shop/notes/alice/@x=1" "$M/shop/userss"; do refused "$n is not there" 'No such file' ls "$n"; done
is 'a name that is only missing is not told of' "$lines" "$(wc -l <"$M/.widefs/errors")"
refused 'a value that the type refuses' 'Invalid argument' ls "$g/@tweet_id=abc"
refused 'a range without bounds' 'No such file' ls "$g/@tweet_id=.."
refused 'no limit' 'Invalid argument' ls "$g/@limit=0"
is "CQL's words" 1 "$(tail -1 "$M/.widefs/errors" | grep -c 'LIMIT must be strictly positive')"
refused 'a limit that is no number' 'Invalid argument' ls "$g/@limit=x"
refused 'two limits' 'Invalid argument' ls "$g/@limit=1,@limit=2"
refused 'columns of a directory' 'Invalid argument' ls "$g/@cols=body"
refused 'a column of those that are unknown' 'No such file' ls "$g/@cols=bodi"
refused 'a skipped clustering column' 'Invalid argument' ls "$c/@first=Anna"
is "CQL's words for it" 1 "$(tail -1 "$M/.widefs/errors" | grep -c 'PRIMARY KEY column "first" cannot be restricted as preceding column "last" is not restricted')"
refused 'a value and a range of one column' 'Invalid argument' ls "$g/@tweet_id=300,@tweet_id=100.."
is "in CQL's words" 1 "$(tail -1 "$M/.widefs/errors" | grep -c 'cannot be restricted by more than one relation if it includes an Equal')"
refused 'an order of partitions' 'Invalid argument' ls "$u/@desc"
is 'with its words' 1 "$(tail -1 "$M/.widefs/errors" | grep -c 'ORDER BY')"
refused 'without an index' 'Operation not supported' ls "$u/@age=36"
is 'is explained' 1 "$(tail -1 "$M/.widefs/errors" | grep -c 'EOPNOTSUPP Cannot execute this query as it might involve data filtering.*@scan')"
refused 'LIKE without an index' 'Operation not supported' ls "$u/@country~n%25"
refused 'a pattern that cannot scan' 'Invalid argument' ls "$u/@country~n%25,@scan"
refused 'a regular column in a partition' 'Operation not supported' ls "$g/@body=x"
is 'with @scan' 300 "$(names "$g/@body=tweet 3,@scan")"
refused 'a row has no queries' 'No such file' ls "$u/chris/@limit=5"
q=$g/@limit=5
refused 'rm of an entry' 'Read-only file system' rm "$q/100"
refused 'rm -r of a query' 'Read-only file system' rm -r "$q"
refused 'rmdir' 'Read-only file system' rmdir "$q"
refused 'mkdir in it' 'Read-only file system' mkdir "$q/101"
refused 'a file in it' 'Read-only file system' put "$q/101" x
refused 'a link in it' 'Read-only file system' ln -s x "$q/y"
refused 'mv out of it' 'Read-only file system' mv -n "$q/100" "$g/101"
refused 'mv into it' 'Read-only file system' mv "$g/100" "$q/101"
refused 'mv of it' 'Read-only file system' mv "$q" "$g/777"
refused 'chmod of it' 'Read-only file system' chmod 700 "$q"
refused 'chown of it' 'Read-only file system' chown 7 "$q"
refused 'chown of an entry' 'Read-only file system' chown -h 7 "$q/100"
ok 'its mode as it is' chmod "$(stat -c %a "$q")" "$q"
refused 'touch of it' 'Read-only file system' touch -d 2001-01-01 "$q"
refused 'an attribute of it' 'Read-only file system' setfattr -n user.ttl -v 5 "$q"
refused 'its removal' 'Read-only file system' setfattr -x user.expires "$q"
refused 'touch of an entry' 'Read-only file system' touch -h -d 2001-01-01 "$q/100"
refused 'mkdir of a query' 'File exists' mkdir "$q"
is 'nothing was changed' 10 "$(ls "$g" | wc -l)"

# ---- tools
is 'the query is not listed' '100 200 300 400 500 600 700 800 900 1000' "$(names "$g")"
is 'ls -l shows links' 'l l l l l' "$(ls -lU "$q" | tail -n +2 | cut -c1 | tr '\n' ' ' | sed 's/ $//')"
is 'find' '100 200 300 400 500' "$(find "$q" -type l -printf '%f\n' | sort -n | tr '\n' ' ' | sed 's/ $//')"
is 'find -L' '5' "$(find -L "$q" -name body -type f | wc -l)"
is 'cat of a glob' '5' "$(cat "$q"/*/body | wc -l)"
ok 'cp -rL' cp -rL "$q" "$W/copy"
is 'copies rows' 'tweet 3' "$(cat "$W/copy/300/body")"
ok 'cp -a copies links' cp -a "$q" "$W/links"
is 'as they are' ../300 "$(readlink "$W/links/300")"
is 'readlink -f' "$(readlink -f "$g")/300" "$(readlink -f "$q/300")"
is 'the size of a link' 6 "$(stat -c %s "$q/300")"
is 'cd' '300' "$(cd "$g/@tweet_id=300..400" && ls)"
is 'completion' "$q/1000 $q/100" "$(bash -c 'compgen -f "$1/10"' _ "$q" | sort -r | tr '\n' ' ' | sed 's/ $//' | sed "s|^$q/1000 ||; s|^|$q/1000 |")"
is 'find meets no query' '' "$(find "$M/shop/tweets" "$M/shop/by_city" "$M/shop/users" -name '@*=*' -o -name '@desc*')"
is 'inode numbers stay' "$(stat -c %i "$q/300")" "$(sleep 0.1; stat -c %i "$q/300")"

# ---- nothing of it goes stale
is 'before' 3 "$(names "$g/@tweet_id=..400" | wc -w)"
cql "INSERT INTO shop.tweets (user, tweet_id, body) VALUES ('gmason', 350, 'new')" >/dev/null
is 'an insert is seen at once' '100 200 300 350' "$(names "$g/@tweet_id=..400")"
cql "DELETE FROM shop.tweets WHERE user = 'gmason' AND tweet_id = 200" >/dev/null
is 'a deletion too' '100 300 350' "$(names "$g/@tweet_id=..400")"
refused 'the entry is gone' 'No such file' readlink -v "$g/@tweet_id=..400/200"
ok 'an indexed value' test -L "$u/@country=uk/ada"
put "$u/ada/country" nz
refused 'an entry whose row changed' 'No such file' readlink -v "$u/@country=uk/ada"
is 'in the listing as well' '' "$(names "$u/@country=uk")"
ok 'is found by the other' test -L "$u/@country=nz/ada"
exec 7<"$g/@limit=3"
ok 'an open query of a table that is dropped' cql 'DROP TABLE shop.tweets'
refused 'is gone' 'No such file' ls "$g/@limit=3"
exec 7<&-
ok 'a schema may change beside' cql 'ALTER TABLE shop.by_city ADD more int'
is 'and is known then' 'Adams,Anna,Anna@x.org' "$(cql "UPDATE shop.by_city SET more = 5 WHERE city = 'Otterberg' AND last = 'Adams' AND first = 'Anna' AND email = 'Anna@x.org'" >/dev/null; names "$c/@more=5,@scan")"

# ---- a long listing: it goes on in a newer moment, and costs one read an entry
run_cql <<'C'
CREATE TABLE shop.long (p int, c int, k int, PRIMARY KEY (p, c));
CREATE INDEX ON shop.long (k);
CREATE TABLE shop.moves (p int, c int, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC);
CREATE TABLE shop.comes (p int, c int, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC);
CREATE TABLE shop.goes (p int, c int, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC);
INSERT INTO shop.comes (p, c) VALUES (1, 5);
C
python3 - "$M" >"$W/out" <<'P' || fail "a long listing: $(cat "$W/out")"
import os, sys, time
mount = sys.argv[1]
def cql(text):
    with open(mount + '/.cql', 'w') as f:
        f.write(text)
COUNT = 4000
for at in range(0, COUNT, 1000):
    cql('BEGIN UNLOGGED BATCH ' + ' '.join('INSERT INTO shop.long (p, c, k) VALUES (1, %d, 1);' % c for c in range(at, at + 1000)) + ' APPLY BATCH;')
down = ['%d' % c for c in range(COUNT - 1, -1, -1)]
partition = mount + '/shop/long/1/'
queries = {partition + '@desc': down, partition + '@limit=3999': down[:0:-1],
           partition + '@c=0..,@limit=3990,@desc,@after=3995': down[5:3995],
           mount + '/shop/long/@k=1': ['1,' + c for c in reversed(down)]}
# Two whose tables lose their names: to another table, and for good.
for table in 'moves', 'goes':
    for at in range(0, COUNT, 1000):
        cql('BEGIN UNLOGGED BATCH ' + ' '.join('INSERT INTO shop.%s (p, c) VALUES (1, %d);' % (table, c) for c in range(at, at + 1000)) + ' APPLY BATCH;')
    queries[mount + '/shop/%s/1/@limit=3999' % table] = down[:3999]
open_ones = {}
for query, want in queries.items():
    entries = os.scandir(query)
    open_ones[query] = entries, [next(entries).name for _ in range(5)]
cql('UPDATE shop.long SET k = 2 WHERE p = 1 AND c = 10000;')
with open(mount + '/.widefs/ctl', 'w') as f:
    f.write('flush shop.long\n')
cql('UPDATE shop.long SET k = 2 WHERE p = 1 AND c = 10001;')
for table in 'moves', 'goes':
    cql('INSERT INTO shop.%s (p, c) VALUES (1, 10000);' % table)
with open(mount + '/.widefs/ctl', 'w') as f:
    f.write('flush shop.moves\nflush shop.goes\n')
cql('INSERT INTO shop.moves (p, c) VALUES (1, 10001); INSERT INTO shop.goes (p, c) VALUES (1, 10001);')
os.rename(mount + '/shop/moves', mount + '/shop/moved')
os.rename(mount + '/shop/comes', mount + '/shop/moves')
os.rename(mount + '/shop/goes', mount + '/shop/gone')
time.sleep(2.2)   # the timer's second
for query, want in queries.items():
    entries, got = open_ones[query]
    got += [e.name for e in entries]
    extra = [c for c in got if c.endswith(('10000', '10001'))]
    if [c for c in got if c not in extra] != want:
        sys.exit('%s: %d entries, %d wanted' % (query, len(got), len(want)))
# A look at each entry of a large limit: as many reads as entries, not its square.
begin = time.monotonic()
for e in os.scandir(partition + '@limit=4000,@desc'):
    os.lstat(e.path)
print(time.monotonic() - begin)
P
python3 tests/mount/queries.py "$M" || fail 'queries.py'
stop
done_testing
