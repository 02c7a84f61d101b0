# Keyspaces copied in, all directories before the first file (fs/README.md,
# "Statements"): they wait for schema.cql.
. tests/mount/lib.sh
start
run_cql <tests/mount/sales.cql
python3 - "$M/.cql" <<'P'
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY)
os.write(fd, ("CREATE TABLE sales.long (p text, c text, v text, PRIMARY KEY (p, c));"
              "INSERT INTO sales.long (p, c, v) VALUES ('%s', '%s', 'w');" % ('P' * 300, 'C' * 300)).encode())
os.write(fd, ("INSERT INTO sales.orders (customer, year, day, id, total) VALUES ('%s', 3, '2026-01-01', 1, 9);" % ('L' * 300)).encode())
os.write(fd, b"".join(b"INSERT INTO sales.orders (customer, year, day, id, total) VALUES ('many', %d, '2026-01-01', %d, 9);" % (i % 40, i) for i in range(400)))
os.close(fd)
P
mkdir "$M/sales/notes" "$M/sales/notes/alice"; put "$M/sales/notes/alice/todo" rest
differences() { rsync -aXn --delete --itemize-changes "$1/" "$2/"; }
same() {
	is "$1: nothing is missing" '' "$(differences "$2" "$3" | head -3)"
	is "$1: nothing is too much" '' "$(differences "$3" "$2" | head -3)"
}
ok away rsync -aX "$M/sales" "$W/away/"
same away "$M/sales" "$W/away/sales"
last_error() { tail -1 "$M/.widefs/errors" | cut -d' ' -f5-; }
S2=$S M2=$M
S=$W/store2 M=$W/mnt2
mkdir "$M"
start
ok 'calls beside the writing of a schema.cql' python3 tests/mount/copyin_order.py "$M" 1 100
rm -r "$M"/order*
ok 'rsync into an empty mount' rsync -aX "$W/away/" "$M/"
same 'rsync into an empty mount' "$W/away/sales" "$M/sales"
rm -r "$M/sales"
ok 'rsync from a mount' rsync -aX "$M2/sales" "$M/"
same 'rsync from a mount' "$M2/sales" "$M/sales"
rm -r "$M/sales"
# GNU tar's incremental archives begin with all directories.
tar -C "$W/away" --format=posix --xattrs -g "$W/list" -cf "$W/g.tar" sales
ok 'tar -g' tar -C "$M" --xattrs -xf "$W/g.tar"
same 'tar -g' "$W/away/sales" "$M/sales"
rm -r "$M/sales"
# All directories alone, then all of it.
ok 'the directories' rsync -aX -f '+ */' -f '- *' "$W/away/" "$M/"
is 'the directories exist' 7 "$(names "$M/sales/orders/a%2Cda,2026/2026-11-23")"
is 'with their attributes' "$(getfattr --absolute-names --only-values -n user.expires "$W/away/sales/orders/ends,1/2026-11-24/1")" "$(getfattr --absolute-names --only-values -n user.expires "$M/sales/orders/ends,1/2026-11-24/1")"
ok 'a file' put "$M/sales/orders/bob,1/2026-11-24/1/total" 5
ok 'of another table' put "$M/sales/counts/x/1/n" 4
is 'the errors tell that the file waits' '/sales/counts OK files below wait for schema.cql, which makes the table and stores them as its cells; until then no statement finds them' "$(last_error)"
mkdir "$M/sales/orders/bob,1/2026-11-24/1/nothing" "$M/sales/flat/1/v"
rm "$M/sales/counts/x/1/n"; rmdir "$M/sales/counts/x/1"
is 'one removed' '' "$(names "$M/sales/counts/x")"
ok 'schema.cql' cp "$W/away/sales/schema.cql" "$M/sales/"
is 'the file is a cell' 5 "$(cql "SELECT total FROM sales.orders WHERE customer = 'bob' AND year = 1 AND day = '2026-11-24' AND id = 1" | jq '.rows[0][0]')"
is 'a file that fits nowhere is told' 'nothing was made before schema.cql and has no place in the table' "$(grep -o 'nothing was .* table' "$M/.widefs/errors")"
is 'rows are rows' '[[2]]' "$(cql "SELECT id FROM sales.orders WHERE customer = 'bob' AND year = 1 AND day = '2026-11-24' AND id = 2" | jq -c .rows)"
ok 'the rest' rsync -aX "$W/away/" "$M/"
same 'the rest' "$W/away/sales" "$M/sales"
rm -r "$M/sales"
# Killed in the middle of a copy, and copied again.
rsync -aX -f '+ */' -f '- *' "$W/away/" "$M/"
(sleep 0.1; kill -9 "$(daemon_pid)") &
rsync -aX "$W/away/" "$M/" >/dev/null 2>&1
wait $!
fusermount3 -u "$M"; wait_closed; start
ok 'again after a kill' rsync -aX --delete "$W/away/" "$M/"
same 'again after a kill' "$W/away/sales" "$M/sales"
stop
is 'the store is sound' '0 problems' "$("$CTL" check "$S")"
S=$S2 M=$M2
stop
is 'this one too' '0 problems' "$("$CTL" check "$S")"
done_testing
