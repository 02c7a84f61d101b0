# Keyspaces copied in with files before their schema.cql (fs/README.md, "Statements"): archives in any order; what waits,
# what it may take, and what becomes of that which fits nowhere. SEEDS: of the orders.
. tests/mount/lib.sh
start -o scratch_max=1000000
run_cql <tests/mount/sales.cql
python3 - "$M/.cql" <<'P'
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY)
for text in ("CREATE TABLE sales.long (p text, c text, v text, PRIMARY KEY (p, c))",
             "INSERT INTO sales.long (p, c, v) VALUES ('%s', '%s', 'w')" % ('P' * 300, '%' + 'C' * 300),
             "INSERT INTO sales.orders (customer, year, day, id, total) VALUES ('%s', 3, '2026-01-01', 1, 9)" % ('L,' * 150),
             'CREATE TABLE sales.wide (k text PRIMARY KEY, "a.json" int, m map<text, int>, v text)',
             """INSERT INTO sales.wide (k, "a.json", m, v) VALUES ('%s', 4, {'%s': 7, 'a.bak': 8}, 'z')""" % ('K' * 300, 'M' * 290),
             "CREATE TABLE sales.hits (k text PRIMARY KEY, n counter)",
             "UPDATE sales.hits SET n = n + 3 WHERE k = 'a'",
             "CREATE TABLE sales.old (k text PRIMARY KEY, a int, b blob) WITH COMPACT STORAGE",
             "INSERT INTO sales.old (k, a, b) VALUES ('x', 1, 0x0a)",
             "INSERT INTO sales.old (k, b) VALUES ('y', 0x00) USING TTL 90000"):
    os.write(fd, text.encode() + b";")
os.close(fd)
P
mkdir "$M/sales/notes" "$M/sales/notes/alice"; put "$M/sales/notes/alice/todo" rest
# Times of directories: tar itself loses them where directories come after their files.
differences() { rsync -aXcnO --delete --itemize-changes "$1/" "$2/"; }
same() {
	is "$1: nothing is missing" '' "$(differences "$2" "$3" | head -3)"
	is "$1: nothing is too much" '' "$(differences "$3" "$2" | head -3)"
}
last_error() { tail -1 "$M/.widefs/errors" | cut -d' ' -f5-; }
in_use() { awk '/^widefs_scratch_bytes/ { print $2 }' "$M/.widefs/metrics"; }
ok away rsync -aX "$M/sales" "$W/away/"
same away "$M/sales" "$W/away/sales"
rm -r "$M/sales"
find "$W/away/sales" -printf 'sales/%P\n' | sed 's,/$,,' | sort -r >"$W/list"
before=$(in_use)
# 70980: a shortened directory and its @key are there when schema.cql makes their table, and no row of it.
for seed in backwards ${SEEDS:-1 2 3 4 8 70980}; do
	if [ "$seed" = backwards ]; then cat "$W/list"; else shuf --random-source=<(yes "$seed") "$W/list"; fi >"$W/order"
	tar -C "$W/away" --format=posix --xattrs --no-recursion -cf "$W/a.tar" -T "$W/order"
	ok "order $seed" tar -C "$M" --xattrs -xf "$W/a.tar"
	same "order $seed" "$W/away/sales" "$M/sales"
	rm -r "$M/sales"
done
is 'nothing of it is held' "$before" "$(in_use)"
ok 'rsync --delay-updates' rsync -aX --delay-updates "$W/away/sales" "$M/"
same 'rsync --delay-updates' "$W/away/sales" "$M/sales"
is 'its folders are gone' '' "$(find "$M/sales" -name '.~tmp~')"
rm -r "$M/sales"
# Each by a program of its own.
mkdir "$M/sales"
ok 'a subdirectory first' cp -a "$W/away/sales/orders" "$M/sales/"
is 'its files are read' 6 "$(cat "$M/sales/orders/bob,1/2026-11-24/1/total")"
is 'and counted' yes "$([ "$(in_use)" -gt "$before" ] && echo yes)"
ok 'schema.cql' cp "$W/away/sales/schema.cql" "$M/sales/"
ok 'the rest' rsync -aX "$W/away/sales" "$M/"
same 'a subdirectory first' "$W/away/sales" "$M/sales"
rm -r "$M/sales"
# Files that the table does not take.
d=$M/sales/orders/bob,1/2026-11-24/1
mkdir -p "$d/tags" "$d/nothing/below"
put "$d/total" five; put "$d/other" x; put "$d/nothing/below/file" deep; put "$d/tags/x" y; : >"$d/tags/x~"
is 'the waiting names are listed' 'nothing other tags total' "$(ls -1 "$d" | tr '\n' ' ' | sed 's/ $//')"
mv "$d/other" "$d/s"; put "$d/l" 0
ok 'a waiting file is synced' dd if=/dev/null of="$d/l" conv=notrunc,fsync
rm "$d/l"
refused 'a waiting file has a bound' 'No space left on device' dd if=/dev/zero of="$d/m" bs=1000000 count=1
is 'the bound in words' yes "$(last_error | grep -q 'too many bytes of temporary files' && echo yes)"
rm -f "$d/m"
exec 5>"$M/sales/orders/bob,1/2026-11-24/2"
ok 'schema.cql' cp "$W/away/sales/schema.cql" "$M/sales/"
exec 5>&-
is 'files that fit nowhere' 'nothing.rej s.rej tags total.rej' "$(ls -1 "$d" | tr '\n' ' ' | sed 's/ $//')"
is 'the text is still there' five "$(cat "$d/total.rej")"
is 'below a directory too' deep "$(cat "$d/nothing.rej/below/file")"
is 'an element with text' 'x.rej x~' "$(ls -1A "$d/tags" | tr '\n' ' ' | sed 's/ $//')"
is 'the reason is told' 'total was made before schema.cql and has no place in the table (5 bytes in memory until unmount, as NAME.rej): Unable to make int from '\''five'\''' "$(grep -o 'total was .*' "$M/.widefs/errors" | tail -1)"
ok 'the right value' put "$d/total" 5
is 'the value is stored' 5 "$(cat "$d/total")"
ok 'the rejected names can be removed' rm -r "$d/nothing.rej" "$d/total.rej"
is 'and is gone' 's.rej tags total' "$(ls -1 "$d" | tr '\n' ' ' | sed 's/ $//')"
rm -r "$M/sales"
# The folder is listed, also where the key is still to come, and in a keyspace; it is whose the table is.
mkdir "$M/sales"; cp "$W/away/sales/schema.cql" "$M/sales/"
p=$(cd "$W/away/sales/orders" && echo L*)
touch -d 2001-02-03 "$M/sales/orders"; chown 4001 "$M/sales" "$M/sales/orders"
mkdir -p "$M/sales/orders/$p/2026-01-01/1/.~tmp~" "$M/sales/.~tmp~"; put "$M/sales/orders/$p/2026-01-01/1/.~tmp~/any name" x
is 'all is listed' '.~tmp~ any name' "$(ls -lAR "$M/sales/orders/$p" | grep -oE '(.~tmp~|any name)$' | paste -sd ' ')"
is 'its owner' '4001 4001' "$(stat -c %u "$M/sales/.~tmp~" "$M/sales/orders/$p/2026-01-01/1/.~tmp~" | paste -sd ' ')"
refused 'no folder in it' 'Operation not permitted' mkdir "$M/sales/.~tmp~/below"
ok 'the keyspace can be removed' rm -r "$M/sales"
# Elements before the @key that says of which row they are.
mkdir "$M/sales"; cp "$W/away/sales/schema.cql" "$M/sales/"
p=$(cd "$W/away/sales/orders" && echo L*)
mkdir -p "$M/sales/orders/$p/2026-01-01/1/m" "$M/sales/orders/$p/2026-01-01/1/l" "$M/sales/orders/$p/2026-01-01/1/at"
put "$M/sales/orders/$p/2026-01-01/1/m/one" 1
put "$M/sales/orders/$p/2026-01-01/1/l/$(ls "$W/away/sales/orders/a%2Cda,2026/2026-11-23/7/l" | head -1)" 7
put "$M/sales/orders/$p/2026-01-01/1/at/city" c
ok 'the key' cp "$W/away/sales/orders/$p/@key" "$M/sales/orders/$p/"
is 'elements that came before' '[{"one":1},[7],{"city":"c","street":null}]' "$(cql 'SELECT year, m, l, at FROM sales.orders' | jq -cS '.rows[] | select(.[0] == 3) | .[1:]')"
p=$(cd "$W/away/sales/wide" && echo K*)
mkdir "$M/sales/hits/$p"; ok 'a counter' put "$M/sales/hits/$p/n" -3
refused 'once' 'Invalid argument' put "$M/sales/hits/$p/n" -3
ok 'its key' cp "$W/away/sales/wide/$p/@key" "$M/sales/hits/$p/"
is 'the counter counts' '[[-3]]' "$(cql 'SELECT n FROM sales.hits' | jq -c .rows)"
rm -r "$M/sales"
# A column is called as the file that has the key of a shortened name.
long=$(printf 'K%.0s' {1..300})
run_cql <<C
CREATE KEYSPACE odd WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE odd.t (k text PRIMARY KEY, "@key" int, v text);
INSERT INTO odd.t (k, "@key", v) VALUES ('$long', 7, 'x');
C
tar -C "$M" --xattrs -cf "$W/odd.tar" odd/t odd/schema.cql
rm -r "$M/odd"
ok 'a column @key before schema.cql' tar -C "$M" --xattrs -xf "$W/odd.tar"
is 'it is a column' "[[\"$long\",7,\"x\"]]" "$(cql 'SELECT k, "@key", v FROM odd.t' | jq -c .rows)"
rm -r "$M/odd"
# The files of rsync come from another process than the directories.
run_cql <<C
CREATE KEYSPACE odd WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE odd.t (k text PRIMARY KEY, "@key" int, v text);
INSERT INTO odd.t (k, "@key", v) VALUES ('a', 1, 'x');
INSERT INTO odd.t (k, "@key", v) VALUES ('b', 2, 'y');
C
rsync -a "$M/odd" "$W/"
rm -r "$M/odd"
mkdir "$M/odd"
ok 'rsync of such rows before schema.cql' rsync -a "$W/odd/t" "$M/odd/"
ok 'then schema.cql' cp "$W/odd/schema.cql" "$M/odd/"
is 'they are there' '' "$(diff -r "$W/odd" "$M/odd")"
rm -r "$M/odd" "$W/odd"
# The end of a row is an attribute of its directory, which waits for schema.cql when the @key of that is there.
run_cql <<C
CREATE KEYSPACE odd WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE odd.t (p int, c text, v text, PRIMARY KEY (p, c));
INSERT INTO odd.t (p, c, v) VALUES (1, '$long', 'x') USING TTL 100000;
C
ends() { (cd "$M" && find odd/t/1 -exec getfattr -d {} +); }
ends >"$W/ends"
is 'a row that ends' 3 "$(grep -c '^user.expires' "$W/ends")"
tar -C "$M" --xattrs -cf "$W/odd.tar" odd/t odd/schema.cql
rm -r "$M/odd"
ok 'a row that ends before schema.cql' tar -C "$M" --xattrs -xf "$W/odd.tar"
is 'it ends as before' '' "$(ends | diff "$W/ends" -)"
rm -r "$M/odd"
# rsync makes directories by one process and files by another. A plain name comes before one that no row of a file has.
run_cql <<'C'
CREATE KEYSPACE odd WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE odd.t (k text PRIMARY KEY, v text, "zz.json" text);
INSERT INTO odd.t (k, v, "zz.json") VALUES ('a', 'v', 'j');
INSERT INTO odd.t (k, v, "zz.json") VALUES ('b', 'v', 'j');
C
mkdir "$W/odd"
ok 'a table away' rsync -aX "$M/odd/" "$W/odd/"
rm -r "$M/odd"
mkdir "$M/odd"
ok 'a table without schema.cql' rsync -aX "$W/odd/t" "$M/odd/"
ok 'then that' cp "$W/odd/schema.cql" "$M/odd/"
is 'all of it is there' '' "$(rsync -aXcn --itemize-changes --delete "$W/odd/t/" "$M/odd/t/")"
rm -r "$M/odd"
# A CREATE TABLE that comes another way takes them, too.
mkdir "$M/sales"
cp -a "$W/away/sales/orders" "$W/away/sales/long" "$M/sales/"
sed 1d "$W/away/sales/schema.cql" >"$M/sales/.cql" || fail 'the definitions'
rm -r "$M/sales/flat" "$M/sales/hits" "$M/sales/wide" "$M/sales/old" "$M/sales/counts"
is 'by .cql' '' "$(differences "$W/away/sales" "$M/sales" | grep -E ' (orders|long)/')"
mkdir "$M/sales/two" "$M/sales/two/1"; put "$M/sales/two/1/v" x
refused 'not where there are rows' 'File exists' put "$M/.cql" 'CREATE TABLE sales.two (k text PRIMARY KEY, v text);'
is 'the waiting files stay' x "$(cat "$M/sales/two/1/v")"
rm -r "$M/sales"
# Deeper directories are not for tables that others made and that have rows.
mkdir -p "$M/sales/notes/alice"; put "$M/sales/notes/alice/todo" x
refused 'no directory beside rows' 'Operation not permitted' mkdir "$M/sales/notes/alice/deep"
rm -r "$M/sales"
# Files that wait are in the store: an unmount, a crash or a rename loses none.
mkdir "$M/sales"
tar -C "$W/away" --xattrs -cf "$W/a.tar" sales/orders sales/hits sales/long sales/wide
ok 'without schema.cql' tar -C "$M" --xattrs -xf "$W/a.tar"
waits() { (cd "$1" && find orders/[ab]* -type f | LC_ALL=C sort | xargs stat -c '%n %s %Y %a' && find orders/[ab]* -type f | LC_ALL=C sort | xargs cat); }
chmod 640 "$M/sales/orders/bob,1/2026-11-24/1/total"
waits "$M/sales" >"$W/waits"
is 'files wait' yes "$([ "$(wc -l <"$W/waits")" -gt 10 ] && echo yes)"
again
is 'after an unmount' '' "$(waits "$M/sales" | diff "$W/waits" - | head -5)"
is 'the waiting files count' yes "$([ "$(in_use)" -gt "$before" ] && echo yes)"
put "$M/sales/orders/bob,1/2026-11-24/1/new" x
put "$M/sales/orders/bob,1/2026-11-24/1/total.tmp" 7; mv "$M/sales/orders/bob,1/2026-11-24/1/total.tmp" "$M/sales/orders/bob,1/2026-11-24/1/other"
mv "$M/sales/orders/bob,1/2026-11-24/1/new" "$M/sales/orders/bob,1/2026-11-24/1/renamed"
put "$M/sales/orders/bob,1/2026-11-24/1/gone" x; rm "$M/sales/orders/bob,1/2026-11-24/1/gone"
waits "$M/sales" >"$W/waits"
kill -9 "$(daemon_pid)"; wait_closed; fusermount3 -u "$M"
start -o scratch_max=1000000
is 'after a crash' '' "$(waits "$M/sales" | diff "$W/waits" - | head -5)"
is 'as they are then' '7 x' "$(cat "$M/sales/orders/bob,1/2026-11-24/1/other" "$M/sales/orders/bob,1/2026-11-24/1/renamed" | paste -sd ' ')"
rm "$M/sales/orders/bob,1/2026-11-24/1/other" "$M/sales/orders/bob,1/2026-11-24/1/renamed"
stop
start -o ro
is 'a mount to read' yes "$([ "$(waits "$M/sales" | wc -l)" -gt 10 ] && echo yes)"
again
ok 'schema.cql' cp "$W/away/sales/schema.cql" "$M/sales/"
ok 'the rest' rsync -aX "$W/away/sales" "$M/"
same 'after them' "$W/away/sales" "$M/sales"
again
same 'and another mount' "$W/away/sales" "$M/sales"
is 'nothing of it is held' "$before" "$(in_use)"
rm -r "$M/sales"
# Of a table that is dropped nothing comes again.
mkdir "$M/sales"; cp -a "$W/away/sales/orders" "$M/sales/"
cql 'DROP TABLE sales.orders' >/dev/null
again
mkdir "$M/sales/orders"
is 'nothing of a dropped table' '' "$(names "$M/sales/orders")"
again
is 'nor later' '' "$(find "$M/sales" -type f ! -name schema.cql)"
rm -r "$M/sales"
# A file without a place in the table is reported once more when it is dropped.
mkdir -p "$M/sales/orders/bob,1/2026-11-24/5"; printf x >"$M/sales/orders/bob,1/2026-11-24/5/total"
mkdir -p "$M/sales/orders/bob,1/2026-11-24/5/nothing/below"; put "$M/sales/orders/bob,1/2026-11-24/5/nothing/below/file" 'deep, too'
mkdir "$M/sales/orders/bob,1/2026-11-24/6"; put "$M/sales/orders/bob,1/2026-11-24/6/total" six
ok 'schema.cql of one that has no place' cp "$W/away/sales/schema.cql" "$M/sales/"
rm "$M/sales/orders/bob,1/2026-11-24/6/total.rej"
stop
is 'the log tells of it' 1 "$(grep -c '2 files NAME.rej gone: in memory alone, without a place in a table$' "$W/log")"
is 'by name, with its size' '1 byte of /sales/orders/bob,1/2026-11-24/5/total.rej|10 bytes of /sales/orders/bob,1/2026-11-24/5/nothing.rej/below/file' "$(sed -n 's/.*gone with the unmount: //p' "$W/log" | sort -n | paste -sd '|')"
is 'the store is sound' '0 problems' "$("$CTL" check "$S")"
done_testing
