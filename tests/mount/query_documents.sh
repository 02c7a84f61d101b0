# Documents of queries: a query's rows as lines of JSON and CSV, and ranges of
# clustering that are removed by them.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE shop.tweets (user text, tweet_id int, body text, tags set<text>, followers int static, PRIMARY KEY (user, tweet_id));
CREATE TABLE shop.users (user_name text PRIMARY KEY, country text, age int);
CREATE INDEX ON shop.users (country);
CREATE TABLE shop.log (p int, a int, b int, v text, PRIMARY KEY (p, a, b)) WITH CLUSTERING ORDER BY (a DESC, b ASC);
INSERT INTO shop.users (user_name, country, age) VALUES ('chris', 'nz', 30);
INSERT INTO shop.users (user_name, country, age) VALUES ('ada', 'uk', 36);
UPDATE shop.tweets SET followers = 7 WHERE user = 'nobody';
UPDATE shop.tweets SET followers = 9 WHERE user = 'gmason';
C
{
	for i in 1 2 3 4 5 6 7 8 9; do echo "INSERT INTO shop.tweets (user, tweet_id, body) VALUES ('gmason', $((i * 100)), 'tweet, $i');"; done
	echo "UPDATE shop.tweets SET tags = {'a', 'b'} WHERE user = 'gmason' AND tweet_id = 900;"
	for a in 1 2 3 4; do for b in 1 2 3; do echo "INSERT INTO shop.log (p, a, b, v) VALUES (1, $a, $b, 'v');"; done; done
} | run_cql
g=$M/shop/tweets/gmason l=$M/shop/log/1

is 'lines of JSON' '{"user": "gmason", "tweet_id": 900, "followers": 9, "body": "tweet, 9", "tags": ["a", "b"]}
{"user": "gmason", "tweet_id": 800, "followers": 9, "body": "tweet, 8"}' "$(cat "$g/@desc,@limit=2.ndjson")"
is 'a range' "$(sed -n 3,4p "$g.ndjson")" "$(cat "$g/@tweet_id=300..500.ndjson")"
is 'CSV' 'user,tweet_id,followers,body,tags
gmason,300,9,"tweet, 3",' "$(cat "$g/@tweet_id=300.csv")"
is 'some columns: those of the key stay' 'user,tweet_id,body
gmason,100,"tweet, 1"' "$(cat "$g/@limit=1,@cols=body.csv")"
is 'of JSON too' '{"user": "gmason", "tweet_id": 900, "tags": ["a", "b"]}' "$(cat "$g/@desc,@limit=1,@cols=tags,tweet_id.ndjson")"
is 'after a row' "$(sed -n 4,5p "$g.ndjson")" "$(cat "$g/@after=300,@limit=2.ndjson")"
is 'an index' '{"user_name": "ada", "age": 36, "country": "uk"}' "$(cat "$M/shop/users/@country=uk.ndjson")"
is 'a term that filters' '{"user_name": "chris", "age": 30, "country": "nz"}' "$(cat "$M/shop/users/@age=30,@scan.ndjson")"
is 'all tokens are the table' "$(cat "$M/shop/tweets.ndjson")" "$(cat "$M/shop/tweets/@token=-9223372036854775808...ndjson")"
is 'a partition of statics is a line' '{"user": "nobody", "followers": 7}' "$(cat "$M/shop/tweets/@user=nobody.ndjson")"
is 'no row: the header alone' 'user,tweet_id,followers,body,tags' "$(cat "$g/@tweet_id=1.csv")"
is 'no line' '' "$(cat "$g/@tweet_id=1.ndjson")"
is 'its size is 0' 0 "$(stat -c %s "$g/@limit=2.ndjson")"
ok 'cp copies it' cp "$g/@desc,@limit=2.ndjson" "$W/copy.ndjson"
is 'all of it' 2 "$(wc -l <"$W/copy.ndjson")"
is 'the document is not listed' '' "$(ls "$g" | grep @ | grep -v '^@static$')"
is 'reading on gives the next bytes, anew the present' 'gmason,100 gmason,101' "$(
	exec 5<"$g/@tweet_id=100..102,@cols=tweet_id.csv"
	first=$(sed -n 2p <&5)
	exec 5<&-
	cql "INSERT INTO shop.tweets (user, tweet_id) VALUES ('gmason', 101)" >/dev/null
	echo "$first $(sed -n 3p "$g/@tweet_id=100..102,@cols=tweet_id.csv")"
)"

# Documents that are refused.
refused 'another suffix' 'No such file' cat "$g/@limit=1.json"
refused 'an unknown column' 'No such file' cat "$g/@limit=1,@cols=bodi.csv"
refused 'a term that needs @scan' 'Operation not supported' cat "$M/shop/users/@age=30.csv"
is 'is explained' 1 "$(tail -1 "$M/.widefs/errors" | grep -c 'EOPNOTSUPP Cannot execute this query.*@scan')"
refused 'a relation that CQL refuses' 'Invalid argument' cat "$M/shop/log/1/@b=1.csv"
is "in CQL's words" 1 "$(tail -1 "$M/.widefs/errors" | grep -c 'PRIMARY KEY column "b" cannot be restricted as preceding column "a" is not restricted')"
refused 'writing' 'Operation not permitted' put "$g/@limit=1.ndjson" '{"tweet_id": 1}'
refused 'adding' 'Operation not permitted' add "$g/@limit=1.ndjson" '{"tweet_id": 1}'
refused 'truncating' 'Operation not permitted' truncate -s 0 "$g/@limit=1.ndjson"
for q in '@limit=1' '@desc' '@after=300' '@tweet_id=100,@scan' '@tweet_id=100..,@limit=5' '@body=x,@scan' '@tweet_id=100..,@cols=body' '@tweet_id=100,@tweet_id=200' '@tweet_id=100,@tweet_id=50..'; do
	refused "rm of $q" 'Operation not permitted' rm -f "$g/$q.ndjson"
done
refused 'rm in a table' 'Operation not permitted' rm -f "$M/shop/users/@country=nz.csv"
refused 'rm of a gap' 'Operation not permitted' rm -f "$l/@b=1.csv"
is 'nothing was removed' 10 "$(ls "$g" | grep -vc @)"

# A snapshot has queries of its moment.
ok 'a snapshot' mkdir "$M/.snapshots/s"
G=$M/.snapshots/s/shop/tweets/gmason
before=$(cat "$G/@desc.csv") names=$(ls -U "$G/@tweet_id=..500")
exec 6<"$G/@desc.csv"

# rm of a range of clustering: one range tombstone.
ok 'rm of a range' rm "$g/@tweet_id=200..500.ndjson"
is 'has removed it' '100 101 500 600 700 800 900' "$(ls -U "$g" | grep -v @ | tr '\n' ' ' | sed 's/ $//')"
is 'CQL agrees' '{"columns":[{"name":"tweet_id","type":"int"}],"rows":[[100],[101],[500],[600],[700],[800],[900]]}' "$(cql "SELECT tweet_id FROM shop.tweets WHERE user = 'gmason'")"
ok 'rm of two halves' rm "$g/@tweet_id=500..,@tweet_id=..700.csv"
is 'has removed what is between them' '100 101 700 800 900' "$(ls -U "$g" | grep -v @ | tr '\n' ' ' | sed 's/ $//')"
ok 'rm of one row' rm "$g/@tweet_id=100.ndjson"
ok 'rm of an empty range' rm "$g/@tweet_id=900..100.ndjson"
is 'the rows that remain' '101 700 800 900' "$(ls -U "$g" | grep -v @ | tr '\n' ' ' | sed 's/ $//')"
is 'the statics remain' 9 "$(cat "$g/@static/followers")"
rest() { cql "SELECT a, b FROM shop.log WHERE p = 1" | grep -o '\[[0-9],[0-9]\]' | tr -d '[],' | tr '\n' ' ' | sed 's/ $//'; }
ok 'a value in a descending order' rm "$l/@a=4.csv"
is 'is gone' '31 32 33 21 22 23 11 12 13' "$(rest)"
ok 'a range in it' rm "$l/@a=2..3.csv"
is 'from its begin, before its end' '31 32 33 11 12 13' "$(rest)"
ok 'a value and a range' rm "$l/@a=3,@b=2...csv"
is 'of the next column' '31 11 12 13' "$(rest)"
ok 'in a prefix' rm "$l/1/@b=..3.csv"
is 'the columns that follow' '31 13' "$(rest)"
is 'the snapshot stays: its documents' "$before" "$(cat "$G/@desc.csv")"
is 'a document that is open keeps its rows' "$before" "$(cat <&6)"
exec 6<&-
is 'its listings' "$names" "$(ls -U "$G/@tweet_id=..500")"
is 'its links' 'tweet, 3' "$(cat "$G/@tweet_id=..500/300/body")"
refused 'nothing is removed in it' 'Read-only file system' rm -f "$G/@tweet_id=..500.csv"
ok 'the snapshot is released' rmdir "$M/.snapshots/s"
refused 'with its queries' 'No such file' ls "$G/@tweet_id=..500"
cql "INSERT INTO shop.log (p, a, b, v) VALUES (1, 5, 1, 'late') USING TIMESTAMP 9000000000000000" >/dev/null
ok 'a row with a later timestamp' rm "$l/@a=5.csv"
is 'is removed too' '31 13' "$(rest)"
again
is 'after a restart' '31 13' "$(rest)"
stop
done_testing
