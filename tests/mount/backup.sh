# Backup and restore of hard cases (fs/README.md): names
# and values of all types, by rsync, tar and cp, into a store that is new.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
USE k;
CREATE TYPE address (street text, "Zip code" int, tags frozen<set<text>>);
CREATE TABLE wide (id int PRIMARY KEY, a ascii, bi bigint, bl blob, bo boolean, da date, de decimal, d double, du duration, f float, ip inet, i int, si smallint, t text, ti time, ts timestamp, tu timeuuid, ty tinyint, u uuid, v varint);
CREATE TABLE keys (p text, de decimal, v varint, ip inet, bl blob, ts timestamp, ti time, t text, fl frozen<list<text>>, tu tuple<int, text>, b boolean, x int, PRIMARY KEY ((p, de), v, ip, bl, ts, ti, t, fl, tu, b));
CREATE TABLE by_decimal (d decimal PRIMARY KEY, x int);
CREATE TABLE by_frozen (f frozen<map<text, int>> PRIMARY KEY, x int);
CREATE TABLE by_blob (b blob PRIMARY KEY, x blob);
CREATE TABLE texts (p text, c text, s text STATIC, v text, PRIMARY KEY (p, c));
CREATE TABLE statics (p int, c int, s text STATIC, n set<int> STATIC, v int, PRIMARY KEY (p, c));
CREATE TABLE many (id int PRIMARY KEY, tags set<text>, m map<timestamp, text>, names map<text, int>, l list<int>, home address, z frozen<address>, tu tuple<int, text, blob>, ve vector<float, 3>);
CREATE TABLE counts (p text, c int, n counter, m counter, PRIMARY KEY (p, c));
CREATE TABLE "OddCase" ("The Key" text PRIMARY KEY, "a.json" text, "@at" int, "%25" text) ;
CREATE TABLE empties (p int, c int, q uuid, i int, u uuid, ts timestamp, bo boolean, f float, d duration, du duration, v varint, l list<int>, m map<int, int>, ld list<duration>, fl frozen<list<int>>, tu tuple<boolean, varint, int, text>, fm frozen<map<varint, boolean>>, lb list<boolean>, PRIMARY KEY (p, c, q));
CREATE INDEX ON texts (v);
CREATE TABLE masked (k int PRIMARY KEY, f address);
ALTER TABLE masked ADD (t text MASKED WITH mask_inner(1, null, '#'), u address MASKED WITH mask_replace({street: 'a''b', "Zip code": 1}), l list<text> MASKED WITH mask_replace(['x']), n int MASKED WITH mask_null());
ALTER TABLE counts ADD o counter MASKED WITH mask_replace(5);
C
mkdir "$M/k/plain"
python3 - "$M" <<'P' || fail 'the data'
import os, sys
m = sys.argv[1]
f = open(m + '/.cql', 'w', encoding='utf-8')
q = lambda s: "'" + s.replace("'", "''") + "'"
f.write("""USE k;
INSERT INTO wide (id, a, bi, bl, bo, da, de, d, du, f, ip, i, si, t, ti, ts, tu, ty, u, v) VALUES (1, 'a''b', -9223372036854775808, 0x00ff0a, true, '-5877641-06-23', -0.000000000000000000012345678901234567890, 5e-324, -1y2mo3d4h5m6s7ms8us9ns, 1.17549435e-38, '::ffff:1.2.3.4', -1, 3, 'x
', '23:59:59.999999999', '1969-12-31 23:59:59.999Z', 12345678-1234-1234-1234-123456789012, -128, 00000000-0000-0000-0000-000000000000, -170141183460469231731687303715884105728);
INSERT INTO wide (id, a, bl, t, d, f, de) VALUES (2, '', 0x, '', NaN, -Infinity, 1.10);
INSERT INTO wide (id) VALUES (3);
INSERT INTO masked (k, t, u, l, n) VALUES (1, 'open', {street: 's'}, ['y'], 9);
INSERT INTO wide (id, t, i) VALUES (4, 'ends', 4) USING TTL 90000;
UPDATE wide USING TTL 80000 SET t = 'only this ends' WHERE id = 5;
""")
for de in ('0', '1.0', '-1.50', '1E+10', '1E-7'):
    f.write(f"INSERT INTO keys (p, de, v, ip, bl, ts, ti, t, fl, tu, b, x) VALUES ('', {de}, -12345678901234567890, 'fe80::1', 0x, '2001-02-03 04:05:06.789Z', '00:00:00.000000001', '', [], (null, ''), false, 1);\n")
    f.write(f"INSERT INTO keys (p, de, v, ip, bl, ts, ti, t, fl, tu, b, x) VALUES ('a,b/c', {de}, 0, '127.0.0.1', 0x2f00, '1969-12-31 23:59:59.999Z', '12:00:00', '.', ['/', ','], (1, '@'), true, 2);\n")
for d in ('0', '0.0', '1.0', '100', '1E+2', '-0.5', '123456789012345678901234567890.123'):
    f.write(f"INSERT INTO by_decimal (d, x) VALUES ({d}, {len(d)});\n")
f.write("INSERT INTO by_frozen (f, x) VALUES ({}, 0); INSERT INTO by_frozen (f, x) VALUES ({'a': 1, '/': 2, '%%': 3, '%s': 4}, 1);\n" % ('k' * 300))
f.write("INSERT INTO by_blob (b, x) VALUES (0x00, 0x); INSERT INTO by_blob (b, x) VALUES (0x%s, 0x0a);\n" % ('ab' * 2000))
texts = ['', '.', '..', '%', '%25', 'a.json', '@key', '@static', '@x', '\x01\n\x7f', 'é' * 140, 'e\u0301', '\U0001f600' * 70, '/' * 100,
    'x' * 255, 'x' * 256, 'x' * 237, '%' * 80, 'x' * 60000, 'schema.cql', 'a~', '#a#', 'a.tmp1', '.a.swp', '4913', ' ', '-rf', '*', 'a\\b', 'a\tb']
for i, t in enumerate(texts):
    f.write(f"INSERT INTO texts (p, c, v) VALUES ('p', {q(t)}, {q('v' + t[:50])});\n")
    if t:
        f.write(f"INSERT INTO texts (p, c, s, v) VALUES ({q(t)}, {q(t)}, {q(t)}, {q('v' + str(i))});\n")
f.write("""INSERT INTO statics (p, s, n) VALUES (1, 'alone', {1, 2});
INSERT INTO statics (p, c, s, v) VALUES (2, 1, 'with', 7);
INSERT INTO statics (p, c) VALUES (3, 1);
INSERT INTO many (id, tags, m, names, l, home, z, tu, ve) VALUES (1, {'', '/', '.', 'a.json', '@0', '%s'}, {'2001-01-01 00:00:00.001Z': '', '1969-01-01': 'x'}, {'': 0, '%s': 1}, [3, 1, 3], {street: 'S', "Zip code": 7, tags: {'b', 'a'}}, {street: null, "Zip code": 1, tags: {}}, (1, null, 0x00), [1, -0.5, 3]);
UPDATE many USING TTL 70000 SET tags = tags + {'ends', '%s'}, names['%s'] = 2, l = l + [9] WHERE id = 1;
INSERT INTO empties (p, c, q, i, u, ts, bo, f, d, v, l, m, ld, fl, tu, fm, lb) VALUES (1, blob_as_int(0x), blob_as_uuid(0x), blob_as_int(0x), blob_as_uuid(0x), blob_as_timestamp(0x), blob_as_boolean(0x), blob_as_float(0x), 0s, blob_as_varint(0x), [blob_as_int(0x), 1], {blob_as_int(0x): blob_as_int(0x)}, [0s, 1s], [blob_as_int(0x)], (blob_as_boolean(0x), blob_as_varint(0x), blob_as_int(0x), ''), {blob_as_varint(0x): blob_as_boolean(0x)}, [blob_as_boolean(0x), false]);
INSERT INTO empties (p, c, q, i) VALUES (1, blob_as_int(0x), 00000000-0000-0000-0000-000000000000, 7);
UPDATE counts SET n = n + 9223372036854775807 WHERE p = 'a' AND c = 1;
UPDATE counts SET n = n - 5, m = m + 1 WHERE p = 'a' AND c = -1;
INSERT INTO "OddCase" ("The Key", "a.json", "@at", "%%25") VALUES ('k', 'j', 1, 'p');
""" % ('s' * 300, 'n' * 300, 'S' * 256, '/' * 200))
f.close()
import itertools
d = m + '/k/plain/'
os.mkdir(d + 'p')
for i, name in enumerate(['a.json', '@key', '.x', '#y#', 'z~', '%zz', '%', '%25', '%2E', '%2E.', '%2541', 'a%2Fb', 'x' * 255, '\u00e9' * 127, '4913', 'a,b']):
    with open(d + 'p/' + name, 'wb') as out:
        out.write(bytes([i]) * i * 1000)
fd = os.open(m + '/.cql', os.O_WRONLY)
os.write(fd, ("INSERT INTO k.plain (key, column1, value) VALUES ('%s', '%s', 0x01);" % ('K' * 1000, 'C' * 1000)).encode())
os.close(fd)
P
tables='masked wide keys empties by_decimal by_frozen by_blob texts statics many counts "OddCase" plain'
dump() {
	local t
	for t in $tables; do cql "SELECT JSON * FROM k.$t"; cql "SELECT * FROM k.$t"; done
	cql "SELECT * FROM system_schema.column_masks WHERE keyspace_name = 'k'"
	cql 'SELECT ttl(t), ttl(i) FROM k.wide' | jq -c '[.rows[][] | . != null]'
}
# Print each object as find shows it: name, kind, size and time. rsync carries
# no times that differ by less than a second.
tree() { (cd "$1" && find . -mindepth 1 -printf '%P %y %s %T@\n' | sed -E 's/^(.*) d [0-9]+ /\1 d /' | LC_ALL=C sort); }
seconds() { sed -E 's/\.[0-9]+$//'; }
before=$(dump)
is 'every row is there' '[[7]]' "$(cql 'SELECT count(*) FROM k.by_decimal' | jq -c .rows)"
tree "$M/k" >"$W/tree"
ok 'rsync' rsync -aX "$M/" "$W/rsync/"
is 'again nothing' '' "$(rsync -aXn --delete --itemize-changes "$M/" "$W/rsync/")"
is 'rsync has the seconds of the tree' '' "$(diff <(seconds <"$W/tree") <(tree "$W/rsync/k" | seconds) | head -5)"
ok 'tar' tar -C "$M" --format=posix -cf "$W/k.tar" k
ok 'cp -a' cp -a "$M/k" "$W/cp"
is 'cp has the tree' '' "$(tree "$W/cp" | diff "$W/tree" - | head -5)"
stop
same_tree() {
	if [ $way = rsync ]; then
		is 'rsync: the same tree' '' "$(diff <(seconds <"$W/tree") <(tree "$M/k" | seconds) | head -5)"
	else
		is "$way: the same tree" '' "$(tree "$M/k" | diff "$W/tree" - | head -5)"
	fi
}
without_ttl() { sed '$d'; }
# Each into a new store, and in a later second than the rows were made: rsync sets no
# time that is the same by the second.
sleep 1
for way in rsync tar cp; do
	S=$W/store-$way
	start
	case $way in
	rsync) mkdir "$M/k" && cp "$W/rsync/k/schema.cql" "$M/k/" && ok "back by $way" rsync -aX "$W/rsync/k/" "$M/k/" ;;
	tar)
		ok "back by $way" timeout 60 tar -C "$M" -xf "$W/k.tar"
		ok 'again, over what is there' timeout 60 tar -C "$M" -xf "$W/k.tar"
		ok 'all of it goes' rm -r "$M/k"
		ok 'and comes back' timeout 60 tar -C "$M" -xf "$W/k.tar"
		;;
	cp) mkdir "$M/k" && cp "$W/cp/schema.cql" "$M/k/" && ok "back by $way" cp -a "$W/cp/." "$M/k/" ;;
	esac
	after=$(dump)
	if [ $way = rsync ]; then
		is "$way: every SELECT" "$(md5sum <<<"$before")" "$(md5sum <<<"$after")"
		is "$way: nothing differs" '' "$(rsync -aXn --delete --itemize-changes "$W/rsync/k/" "$M/k/")"
		is "$way: in either direction" '' "$(rsync -aXn --delete --itemize-changes "$M/k/" "$W/rsync/k/")"
	else
		is "$way: every SELECT" "$(without_ttl <<<"$before" | md5sum)" "$(without_ttl <<<"$after" | md5sum)"
	fi
	same_tree
	again
	is "$way: after a restart" "$(md5sum <<<"$after")" "$(dump | md5sum)"
	same_tree
	stop
	is "$way: the store is sound" '0 problems' "$("$CTL" check "$S")"
done
done_testing
