# Keyspaces copied whole at the first try (fs/README.md, "Statements"): O_EXCL makes
# the schema.cql of a keyspace that has had no DDL, and it comes first.
. tests/mount/lib.sh
start
run_cql <tests/mount/sales.cql
python3 - "$M/.cql" <<'P'
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY)
os.write(fd, ("INSERT INTO sales.orders (customer, year, day, id, total) VALUES ('%s', 3, '2026-01-01', 1, 9);" % ('L' * 300)).encode())
os.close(fd)
P
mkdir "$M/sales/notes" "$M/sales/notes/alice"; put "$M/sales/notes/alice/todo" rest
same_bytes() { is "$1: the same bytes" '' "$(diff -r -x schema.cql "$2" "$3" 2>&1 | head -3)"; }
lowest() { ls -i1 "$1" | sort -n | head -1 | sed 's/.* //'; }
is 'schema.cql has the lowest number' schema.cql "$(lowest "$M/sales")"
ok 'a clone' cp -a "$M/sales" "$M/sales2"
same_bytes 'a clone' "$M/sales" "$M/sales2"
is 'its own definitions' "$(sed 's/\bsales\b/sales2/g' "$M/sales/schema.cql")" "$(cat "$M/sales2/schema.cql")"
ok 'cp -r' cp -r "$M/sales" "$M/sales3"
same_bytes 'cp -r' "$M/sales" "$M/sales3"
mkdir "$M/.snapshots/one"
is 'in a snapshot too' schema.cql "$(lowest "$M/.snapshots/one/sales")"
ok 'from a snapshot' cp -a "$M/.snapshots/one/sales" "$M/sales4"
same_bytes 'from a snapshot' "$M/.snapshots/one/sales" "$M/sales4"
ok 'and again, over it' cp -a "$M/.snapshots/one/sales/orders/." "$M/sales4/orders/"
rm -r "$M/sales2" "$M/sales3" "$M/sales4"
# A file opened with O_EXCL, and what other processes see of it.
mkdir "$M/empty"
is 'the open schema.cql is listed' schema.cql "$(names "$M/empty")"
is 'and read' 'CREATE KEYSPACE empty' "$(head -c 21 "$M/empty/schema.cql")"
ok 'also by who made the keyspace' python3 -c "
import os, sys
os.mkdir(sys.argv[1])
assert open(sys.argv[1] + '/schema.cql').read().startswith('CREATE KEYSPACE mine')" "$M/mine"
exclusive() { python3 -c "
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_EXCL)
os.write(fd, sys.argv[2].encode())
os.close(fd)" "$1" "$2"; }
# The kernel forgets directories that its maker has made, and works in.
ok 'into directories that the kernel forgot' python3 -c "
import os, sys
os.mkdir(sys.argv[1])
fd = os.open(sys.argv[1] + '/schema.cql', os.O_WRONLY | os.O_CREAT | os.O_EXCL)
os.write(fd, ''.join(f'CREATE TABLE t{i} (p int, c int, v int, PRIMARY KEY (p, c));' for i in range(20)).encode())
os.close(fd)
for i in range(20):
    os.mkdir(f'{sys.argv[1]}/t{i}')
    os.system('echo 2 | %s tee /proc/sys/vm/drop_caches >/dev/null' % ('sudo' if os.getuid() else ''))
    os.mkdir(f'{sys.argv[1]}/t{i}/1')" "$M/forgotten"
rm -r "$M/forgotten"
mkdir "$M/empty/notes"
ok 'O_EXCL makes it' exclusive "$M/empty/schema.cql" 'CREATE TABLE t (id int PRIMARY KEY)'
is 'with what is written' 'schema.cql notes t' "$(names "$M/empty")"
refused 'once there are definitions, no more' 'File exists' exclusive "$M/empty/schema.cql" 'CREATE TABLE u (id int PRIMARY KEY)'
rm -r "$M/empty" "$M/mine"
# From another filesystem, into an empty mount.
ok 'away' rsync -aX "$M/sales" "$W/away/"
ok 'away by cp' cp -a "$M/sales" "$W/cp"
ok 'away by tar' tar -C "$M" --format=posix -cf "$W/k.tar" sales
rm -r "$M/sales"
ok 'tar' tar -C "$M" -xf "$W/k.tar"
same_bytes tar "$W/cp" "$M/sales"
rm -r "$M/sales"
ok 'from a disk' cp -a "$W/cp" "$M/sales"
same_bytes 'from a disk' "$W/cp" "$M/sales"
S2=$S M2=$M
S=$W/store2 M=$W/mnt2
mkdir "$M"
start
ok 'from mount to mount' cp -a "$M2/sales" "$M/sales"
same_bytes 'from mount to mount' "$M2/sales" "$M/sales"
stop
is 'the store is sound' '0 problems' "$("$CTL" check "$S")"
S=$S2 M=$M2
stop
is 'this one too' '0 problems' "$("$CTL" check "$S")"
done_testing
