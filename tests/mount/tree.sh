# The tree of fs/README.md: directories
# from the shell, statements beside them, and what a restart leaves.
. tests/mount/lib.sh
start
is 'an empty store' '' "$(names "$M")"
ok 'mkdir makes a keyspace' mkdir "$M/shop"
is 'the keyspace is listed' 'shop' "$(names "$M")"
is 'with its schema' 'schema.cql' "$(names "$M/shop")"
is 'the schema begins with its CREATE' "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': '1'}  AND durable_writes = true;" "$(head -1 "$M/shop/schema.cql")"
run_cql <<'C'
CREATE TABLE shop.users (user_name text PRIMARY KEY, password text, country text, age int);
CREATE TABLE shop.users_by_city (city text, last_name text, first_name text, email text, address text, PRIMARY KEY ((city), last_name, first_name, email));
CREATE TABLE shop.history (bucket date, user_name text, timestamp timestamp, description text, PRIMARY KEY ((bucket, user_name), timestamp)) WITH CLUSTERING ORDER BY (timestamp DESC);
C
is 'tables are listed after the schema' 'schema.cql history users users_by_city' "$(names "$M/shop")"
ok 'a row by mkdir' mkdir -p "$M/shop/users/chris"
ok 'a cell by echo' put "$M/shop/users/chris/country" nz
is 'cat reads it' nz "$(cat "$M/shop/users/chris/country")"
is 'exactly' "$(printf 'nz\n' | od -c)" "$(od -c <"$M/shop/users/chris/country")"
is 'null is no file' country "$(names "$M/shop/users/chris")"
refused 'a null is ENOENT' 'No such file' cat "$M/shop/users/chris/age"
is 'key columns by name' chris "$(cat "$M/shop/users/chris/user_name")"
refused 'and read-only' 'Operation not permitted' put "$M/shop/users/chris/user_name" x
refused 'an unknown column' 'Invalid argument' put "$M/shop/users/chris/agee" 5
is 'is explained with the nearest' 1 "$(tail -1 "$M/.widefs/errors" | grep -c '"\?age"\?')"
is 'CQL sees the row' '{"columns":[{"name":"user_name","type":"text"},{"name":"age","type":"int"},{"name":"country","type":"text"},{"name":"password","type":"text"}],"rows":[["chris",null,"nz",null]]}' "$(cql 'SELECT * FROM shop.users')"

p="$M/shop/users_by_city/Otterberg"
ok 'prefix levels by mkdir -p' mkdir -p "$p/Koshkina/Anna/anna@x.org"
ok 'a cell below them' put "$p/Koshkina/Anna/anna@x.org/address" 'Main St 1'
cql "INSERT INTO shop.users_by_city (city, last_name, first_name, email, address) VALUES ('Otterberg', 'Adams', 'Zoe', 'z@x.org', 'Side St 2')" >/dev/null
is 'clustering order' 'Adams Koshkina' "$(names "$p")"
is 'the whole tree' '. ./Adams ./Adams/Zoe ./Adams/Zoe/z@x.org ./Adams/Zoe/z@x.org/address ./Koshkina ./Koshkina/Anna ./Koshkina/Anna/anna@x.org ./Koshkina/Anna/anna@x.org/address' "$(cd "$p" && find . | sort | tr '\n' ' ' | sed 's/ $//')"

cql "INSERT INTO shop.history (bucket, user_name, timestamp, description) VALUES ('2016-10-04', 'chris', '2016-10-04 12:34:00', 'first')" >/dev/null
cql "INSERT INTO shop.history (bucket, user_name, timestamp, description) VALUES ('2016-10-04', 'chris', '2016-10-04 12:35:00.25', 'second')" >/dev/null
is 'a composite partition is one name' '2016-10-04,chris' "$(names "$M/shop/history")"
is 'descending order' '2016-10-04T12:35:00.250Z 2016-10-04T12:34:00.000Z' "$(names "$M/shop/history/2016-10-04,chris")"
is 'its cell' first "$(cat "$M/shop/history/2016-10-04,chris/2016-10-04T12:34:00.000Z/description")"
refused 'another spelling' 'No such file' ls "$M/shop/history/2016-10-4,chris"
refused 'another spelling is not made' 'Invalid argument' mkdir "$M/shop/history/2016-10-04,chris/2016-10-04 12:34"

ok 'rmdir wants an empty row' test ! "$(rmdir "$M/shop/users/chris" 2>&1 >/dev/null)" = ''
refused 'ENOTEMPTY' 'Directory not empty' rmdir "$M/shop/users/chris"
ok 'rm deletes the cell' rm "$M/shop/users/chris/country"
ok 'the row stays' test -d "$M/shop/users/chris"
ok 'rmdir deletes the row' rmdir "$M/shop/users/chris"
is 'and its partition' '' "$(names "$M/shop/users")"
ok 'rm -r of a partition' rm -r "$p"
is 'nothing is left' '{"columns":[{"name":"count","type":"bigint"}],"rows":[[0]]}' "$(cql 'SELECT count(*) FROM shop.users_by_city')"
ok 'an emptied directory can be made' mkdir "$p"
ok 'and stays' test -d "$p"
is 'listed' Otterberg "$(names "$M/shop/users_by_city")"
ok 'until rmdir' rmdir "$p"
is 'gone' '' "$(names "$M/shop/users_by_city")"

# Schemaless tables.
ok 'a schemaless table' mkdir "$M/shop/notes"
ok 'a partition of it' mkdir "$M/shop/notes/alice"
ok 'a file in it' put "$M/shop/notes/alice/todo" 'buy milk'
head -c 100000 /dev/urandom >"$W/random"
ok 'any bytes' cp "$W/random" "$M/shop/notes/alice/.x@y.json"
ok 'come back' cmp "$W/random" "$M/shop/notes/alice/.x@y.json"
is 'its columns' '{"columns":[{"name":"key","type":"text"},{"name":"column1","type":"text"},{"name":"value","type":"blob"}],"rows":[["alice","todo","0x627579206d696c6b0a"]]}' "$(cql "SELECT * FROM shop.notes WHERE key = 'alice' AND column1 = 'todo'")"
refused 'no directories in it' 'Operation not permitted' mkdir "$M/shop/notes/alice/sub"

again
is 'after a restart' 'history notes schema.cql users users_by_city' "$(ls "$M/shop" | tr '\n' ' ' | sed 's/ $//')"
is 'the rows are there' 'second' "$(cat "$M/shop/history/2016-10-04,chris/2016-10-04T12:35:00.250Z/description")"
ok 'the bytes too' cmp "$W/random" "$M/shop/notes/alice/.x@y.json"
refused 'rmdir of a table with rows' 'Directory not empty' rmdir "$M/shop/notes"
ok 'rm -r of a keyspace' rm -r "$M/shop"
is 'is gone' '' "$(names "$M")"
stop
done_testing
