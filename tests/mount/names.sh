# Names of key values: fs/README.md, "Names".
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
USE k;
CREATE TABLE t (p text, c text, v int, PRIMARY KEY (p, c));
CREATE TABLE two (p text, q int, c text, v int, PRIMARY KEY ((p, q), c));
CREATE TABLE d (p int, c int, e text, v int, PRIMARY KEY (p, c, e)) WITH CLUSTERING ORDER BY (c DESC, e ASC);
CREATE TABLE b (p blob PRIMARY KEY, v int);
CREATE TABLE num (p decimal PRIMARY KEY, v int);
CREATE TABLE dec (p int, c decimal, e int, v int, PRIMARY KEY (p, c, e));
CREATE TABLE typed (p int, a boolean, b inet, c timestamp, d uuid, v int, PRIMARY KEY (p, a, b, c, d));
CREATE TABLE "Case" ("Pk" int PRIMARY KEY, "V v" int, "a.json" int);
C
t=$M/k/t
# Values and their names, as clustering keys and as partitions.
python3 - "$M" <<'P' || fail 'escapes'
import os, sys, json
m = sys.argv[1]
names = {
	'plain': 'plain', 'a b': 'a b', 'a/b': 'a%2Fb', '100%': '100%25', '%41': '%2541', '.': '%2E', '..': '%2E.',
	'.git': '%2Egit', '@x': '%40x', 'a@x': 'a@x', 'x.y': 'x.y', 'a.json': 'a%2Ejson', 'a.ndjson': 'a%2Endjson',
	'a.csv': 'a%2Ecsv', 'a.cql': 'a%2Ecql', 'a.b.json': 'a.b%2Ejson', '.json': '%2Ejson', 'a.JSON': 'a.JSON',
	'a.json.': 'a.json.', 'tab\there': 'tab%09here', 'nl\n': 'nl%0A', '\x7f': '%7F', 'a,b': 'a,b', 'a=b': 'a=b',
	'\u00e4\u6f22\U0001f600': '\u00e4\u6f22\U0001f600', '~': '~', '#x#': '#x#', "it's": "it's", '"': '"', '\\': '\\',
	'schema.cql': 'schema%2Ecql', 'x.swp': 'x.swp',
}
def cql(text):
	fd = os.open(m + '/.cql.json', os.O_RDWR)
	os.write(fd, text.encode() + b';')
	out = b''
	while True:
		more = os.read(fd, 1 << 16)
		if not more: break
		out += more
	os.close(fd)
	return json.loads(out)
for value in names:
	v = value.replace("'", "''")
	cql(f"INSERT INTO k.t (p, c, v) VALUES ('{v}', '{v}', 1)")
cql("INSERT INTO k.t (p, c, v) VALUES ('x', '', 1)")
assert sorted(os.listdir(m + '/k/t')) == sorted(list(names.values()) + ['x']), set(os.listdir(m + '/k/t')) ^ set(names.values())
for value, name in names.items():
	assert os.listdir(f'{m}/k/t/{name}') == [name], (value, name)
	path = f'{m}/k/t/{name}/{name}'
	assert open(path + '/v').read() == '1\n'
	assert open(path + '/c', newline='').read() == value + '\n', value
	assert json.load(open(path + '.json')) == {'p': value, 'c': value, 'v': 1}, value
assert os.listdir(m + '/k/t/x') == ['%']
assert open(m + '/k/t/x/%/v').read() == '1\n'
# And made by their names.
cql('TRUNCATE k.t')
for value, name in names.items():
	os.makedirs(f'{m}/k/t/{name}/{name}')
os.makedirs(m + '/k/t/x/%')
got = {tuple(r) for r in cql('SELECT p, c FROM k.t')['rows']}
want = {(v, v) for v in names} | {('x', '')}
assert got == want, got ^ want
# In the order of the keys.
for value in names:
	cql("INSERT INTO k.t (p, c) VALUES ('all', '%s')" % value.replace("'", "''"))
assert os.listdir(m + '/k/t/all') == [names[v] for v in sorted(names, key=lambda v: v.encode())]
P
for name in '%41' 'a%2fb' '%2525x%' 'a%20b' '%4' 'x%'; do
	refused "another spelling: $name" 'No such file' ls "$t/all/$name"
	refused "is not made: $name" 'Invalid argument' mkdir "$t/all/$name"
done
mkdir "$t/all/a%20b" 2>/dev/null
is 'the right spelling is told' 1 "$(tail -1 "$M/.widefs/errors" | grep -c "'a b'")"
refused 'an empty partition key' 'Invalid argument' mkdir "$t/%"
ok 'all types' mkdir -p "$M/k/typed/1/true/2001:db8::1/2016-10-04T00:00:00.000Z/1a6300ca-0572-4736-a393-c0b7229e193e"
is 'in CQL' '[[1,true,"2001:db8::1","2016-10-04 00:00:00.000Z","1a6300ca-0572-4736-a393-c0b7229e193e",null]]' "$(cql 'SELECT * FROM k.typed' | jq -c .rows)"
while IFS='|' read -r path; do
	refused "not canonical: $path" 'No such file' ls "$M/k/$path"
	refused "is not made: $path" 'Invalid argument' mkdir "$M/k/$path"
done <<'L'
d/007
d/+7
d/ 7
d/x
b/0xFF
b/ff
typed/1/TRUE
typed/1/yes
typed/1/true/2001:DB8::1
typed/1/true/127.0.0.01
typed/1/true/2001:db8::1/2016-10-04
typed/1/true/2001:db8::1/2016-10-04T00:00:00.000Z/1A6300CA-0572-4736-A393-C0B7229E193E
two/a
two/a,b
two/a,1,2
two/a,01
two/a%2C1
L
mkdir "$M/k/b/0x00ff" && put "$M/k/b/0x00ff/v" 1
is 'a blob' 0x00ff "$(names "$M/k/b")"
# Composite keys.
cql "INSERT INTO k.two (p, q, c, v) VALUES ('a,b', 1, ',', 1)" >/dev/null
cql "INSERT INTO k.two (p, q, c, v) VALUES ('', 2, 'x', 2)" >/dev/null
cql "INSERT INTO k.two (p, q, c, v) VALUES ('.x', 3, 'x', 3)" >/dev/null
is 'composite names' '%2Ex,3 ,2 a%2Cb,1' "$(ls "$M/k/two" | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
# A key of as many columns as one likes.
columns=$(seq -f 'p%g' -s, 70) values=$(seq -s, 70)
cql "CREATE TABLE k.seventy (${columns//,/ int,} int, v int, PRIMARY KEY (($columns)))" >/dev/null
ok 'a row of 70 key columns' mkdir "$M/k/seventy/$values"
ok 'its cell' put "$M/k/seventy/$values/v" 1
is 'its name' "$values" "$(ls "$M/k/seventy")"
cql "INSERT INTO k.seventy ($columns, v) VALUES ($values, 2)" >/dev/null
is 'a value that CQL writes there is seen' 2 "$(cat "$M/k/seventy/$values/v")"
cql "TRUNCATE k.seventy" >/dev/null
cql "INSERT INTO k.seventy ($columns, v) VALUES ($values, 3)" >/dev/null
is 'and listed' "$values 3" "$(ls "$M/k/seventy") $(cat "$M/k/seventy/$values/v")"
is 'a comma below is none' , "$(names "$M/k/two/a%2Cb,1")"
is 'the keys with commas are found' '1 2 3' "$(cat "$M/k/two/a%2Cb,1/,/v" "$M/k/two/,2/x/v" "$M/k/two/%2Ex,3/x/v" | tr '\n' ' ' | sed 's/ $//')"
ok 'and made' mkdir -p "$M/k/two/a%2Fb%25,-4/r"
is 'so' '[["a/b%",-4]]' "$(cql "SELECT p, q FROM k.two WHERE p = 'a/b%' AND q = -4" | jq -c .rows)"
# Equal values that are written differently.
put_num() { cql "INSERT INTO k.num (p, v) VALUES ($1, $2)" >/dev/null; }
put_num 1.0 1; put_num 1.50 2
is 'the stored one is the name' '1.0 1.50' "$(ls "$M/k/num" | sort | tr '\n' ' ' | sed 's/ $//')"
D=$M/k/dec/1
cql 'INSERT INTO k.dec (p, c, e, v) VALUES (1, 1.0, 1, 1)' >/dev/null
cql 'INSERT INTO k.dec (p, c, e, v) VALUES (1, 1.00, 1, 2)' >/dev/null
is 'of clustering values too' 1.0 "$(names "$D")"
is 'and it stays' 2 "$(cat "$D/1.0/1/v")"
for name in 1 1.00 1.00/1; do refused "which no other is: $name" 'No such file' ls "$D/$name"; done
refused 'nor is made' 'Invalid argument' mkdir "$D/1.00"
is 'the name is told' 1 "$(tail -1 "$M/.widefs/errors" | grep -c "'1.0'")"
put "$D/1.0/1/v" 3
is 'a write keeps it' 1 "$(cql 'SELECT c, v FROM k.dec WHERE p = 1' | grep -c '\[1.0, *3\]')"
rm -r "$D/1.0"
ok 'the name of a removed row is free' mkdir -p "$D/1.00/1"
is 'for another' 1.00 "$(names "$D")"
# The same of a row's own directory.
cql 'CREATE TABLE k.dec1 (p int, c decimal, v int, PRIMARY KEY (p, c))' >/dev/null
D=$M/k/dec1/1
mkdir -p "$D/2.50" && put "$D/2.50/v" 1
refused 'a row by another name' 'No such file' cat "$D/2.5/v"
refused 'its document' 'No such file' cat "$D/2.5.json"
refused 'is not made by it' 'Invalid argument' bash -c "echo '{\"v\": 2}' > '$D/2.5.json'"
refused 'nor renamed to it' 'Invalid argument' python3 -c 'import os, sys; os.rename(*sys.argv[1:])' "$D/2.50" "$D/2.5"
is 'and is as it was' '{"p": 1, "c": 2.50, "v": 1}' "$(cat "$D/2.50.json")"
# DESC
for c in 1 3 2 -1; do for e in b a; do mkdir -p "$M/k/d/1/$c/$e"; done; done
is 'descending' '3 2 1 -1' "$(names "$M/k/d/1")"
is 'then ascending' 'a b' "$(names "$M/k/d/1/3")"
is 'find -type d goes in order' '3/a 3/b 2/a 2/b 1/a 1/b -1/a -1/b' "$(cd "$M/k/d/1" && find . -mindepth 2 | sed 's/^..//' | tr '\n' ' ' | sed 's/ $//')"
# Names of the schema.
ok 'quoted names' mkdir "$M/k/Case/1"
refused 'keep their case' 'No such file' ls "$M/k/case"
ok 'a column too' put "$M/k/Case/1/V v" 5
ok 'with a suffix' put "$M/k/Case/1/a%2Ejson" 6
is 'listed' 'V v a%2Ejson' "$(ls "$M/k/Case/1" | sort | tr '\n' ' ' | sed 's/ $//')"
is 'the key' 1 "$(cat "$M/k/Case/1/Pk")"

# Long keys.
long=$(python3 -c 'print("\u00e4%" * 150, end="")')
cql "INSERT INTO k.t (p, c, v) VALUES ('long', '$long', 1)" >/dev/null
cql "INSERT INTO k.t (p, c, v) VALUES ('$long', 'x', 2)" >/dev/null
cql "INSERT INTO k.two (p, q, c, v) VALUES ('$long', 5, 'x', 3)" >/dev/null
name=$(names "$t/long")
ok 'at most 255 bytes' test "$(printf %s "$name" | wc -c)" -le 255
ok 'and its hash' grep -qE '^(ä%25)+ä?%~[0-9a-f]{16}$' <<<"$name"
is 'with the key' '@key v' "$(names "$t/long/$name")"
is 'the key is whole' "$long" "$(cat "$t/long/$name/@key")"
is 'its size' "$(($(printf %s "$long" | wc -c) + 1))" "$(stat -c %s "$t/long/$name/@key")"
is 'of a partition' "$long" "$(cat "$t"/ä*%~*/@key)"
is 'listed first' "@key" "$(names "$(echo "$M"/k/two/ä*%~*)" | cut -d' ' -f1)"
is 'of a composite key the name' "${long//%/%25},5" "$(cat "$M"/k/two/ä*%~*/@key)"
refused 'a name that is too long' 'File name too long' mkdir "$t/long/$(printf 'x%.0s' $(seq 256))"
rsync -a "$M/k/" "$W/k/"
rm -r "$t/long" "$t"/ä*%~* "$M"/k/two/ä*%~*
is 'deleted' '[]' "$(cql "SELECT p FROM k.t WHERE p = 'long'" | jq -c .rows)"
# A directory under a cut name waits for its key.
mkdir -p "$t/long/$name"
ok 'a value waits for the key' put "$t/long/$name/v" 7
is 'nothing is stored' '[]' "$(cql "SELECT p FROM k.t WHERE p = 'long'" | jq -c .rows)"
refused 'another key is refused' 'Invalid argument' put "$t/long/$name/@key" other
printf '%s\n' "$long" >"$t/long/$name/@key" || fail 'the key'
is 'then all is there' "[[\"$long\",7]]" "$(cql "SELECT c, v FROM k.t WHERE p = 'long'" | jq -c .rows)"
rm -r "$t/long"
ok 'restored' rsync -a "$W/k/" "$M/k/"
is 'as it was' '' "$(rsync -an --delete --itemize-changes "$W/k/" "$M/k/")"
is 'all of it' 1 "$(cql "SELECT v FROM k.t WHERE p = 'long'" | jq -c '.rows[0][0]')"
# With its time to live.
cql "INSERT INTO k.t (p, c, v) VALUES ('$long', '$long', 9) USING TTL 9000" >/dev/null
cut=$(echo "$t"/ä*%~*)
rsync -aX "$cut" "$W/ttl/"
rm -r "$cut"
ok 'rows that expire are restored' rsync -aX "$W/ttl/" "$t/"
is 'as it was' '' "$(rsync -aXn --itemize-changes "$W/ttl/" "$t/")"
ok 'the row' test -n "$(getfattr --absolute-names --only-values -n user.expires "$cut"/ä*%~*)"
ok 'its cell' test "$(cql "SELECT ttl(v) FROM k.t WHERE p = '$long' AND c = '$long'" | jq -c '.rows[0][0]')" -gt 8000
again
is 'after a restart' "$long" "$(cat "$t/long/$name/@key")"
is 'the same numbers' "$(stat -c %i "$t/long/$name")" "$(ls -i "$t/long" | awk '{print $1}')"
stop
done_testing
