# Small disks and small limits: a disk that is filled, emptied and filled again
# keeps nothing back and loses nothing, without a mount between; no inodes; few
# descriptors, few processes and threads. CYCLES (3) of the first disk, one less of
# the others.
. tests/mount/lib.sh
[ "$(id -u)" = 0 ] || { fail 'a loop device needs root'; done_testing; }
D=$W/disk S=$W/disk/store
mkdir "$D"
trap 'umount -l "$D" 2>/dev/null; finish' EXIT
# cycle SEED FIRST: fills k.t, deletes nine tenths, waits until a write is taken,
# and prints how many rows it took; all others must be there. FIRST (of the first
# cycle; 0: this is it) is what as many as two thirds of must fit.
cycle() {
	python3 - "$M" "$1" "$2" <<'P'
import os, random, sys, time
m, seed, first = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
r = random.Random(seed)
def cql(text):
	fd = os.open(m + '/.cql', os.O_RDWR)
	try:
		os.write(fd, text.encode())
	finally:
		os.close(fd)
def value(p):
	return open('%s/k/t/%d/v' % (m, p)).read().rstrip('\n')
rows = {}
last = time.time()
while time.time() - last < 10:	# what was deleted before may still come back
	text = r.randbytes(8192).hex()
	try:
		cql("INSERT INTO k.t (p, v) VALUES (%d, '%s');" % (len(rows), text))
		rows[len(rows)] = text
		last = time.time()
	except OSError as e:
		assert e.strerror == 'No space left on device', e
		time.sleep(0.1)
count = len(rows)
assert count > 300 and count >= first * 2 / 3, (count, first)
for p in range(count):
	if p % 10:
		cql('DELETE FROM k.t WHERE p = %d;' % p)
begin = time.time()
while True:
	try:
		cql("INSERT INTO k.t (p, v) VALUES (-1, '%s');" % ('x' * 70000))
		break
	except OSError as e:
		assert time.time() - begin < 60, 'no room comes back'
		time.sleep(0.1)
for p in range(0, count, 10):
	assert value(p) == rows[p], p
assert sorted(os.listdir(m + '/k/t'), key=lambda n: (not n.lstrip('-').isdigit(), n))
left = [n for n in os.listdir(m + '/k/t') if n.lstrip('-').isdigit()]
assert len(left) == (count + 9) // 10 + 1, len(left)
for n in left:
	cql('DELETE FROM k.t WHERE p = %s;' % n)
print(count)
P
}
cycles() {
	local i first=0 got
	start
	run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p int PRIMARY KEY, v text) WITH gc_grace_seconds = 0;
C
	for ((i = 1; i <= ${CYCLES:-3}; i++)); do
		got=$(cycle $((${SEED:-1} + i)) "$first" 2>&1)
		if [ "$got" -ge 0 ] 2>/dev/null; then pass; else fail "$1, cycle $i, seed $((${SEED:-1} + i)): $got"; fi
		[ "$first" -gt 0 ] || first=${got//[!0-9]/}
	done
	stop
	ok "$1: sound afterwards" "$CTL" check "$S"
}
truncate -s 64M "$W/image"
mkfs.ext4 -qF "$W/image" || fail 'mkfs.ext4'
mount -o loop "$W/image" "$D" || fail 'a loop device'
cycles 'ext4 of 64 MB'
umount "$D"
mount -t tmpfs -o size=40m tmpfs "$D" || fail 'a tmpfs'
CYCLES=$((${CYCLES:-3} - 1)) cycles 'a tmpfs'
umount "$D"
# No inodes: what needs a new file is refused, and goes on when there are some.
mount -t tmpfs -o size=40m,nr_inodes=14 tmpfs "$D" || fail 'a tmpfs of few inodes'
start
ok 'a keyspace' cql "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
ok 'a table' cql 'CREATE TABLE k.t (p int PRIMARY KEY, v text)'
ok 'a row' cql "INSERT INTO k.t (p, v) VALUES (1, 'one')"
for i in {1..20}; do : >"$D/theirs$i"; done 2>/dev/null
refused 'a flush without an inode' '' dd of="$M/.widefs/ctl" status=none <<<'flush'
is 'the row' one "$(cat "$M/k/t/1/v")"
ok 'a deletion' cql 'DELETE FROM k.t WHERE p = 2'
rm "$D"/theirs*
ok 'a flush' dd of="$M/.widefs/ctl" status=none <<<'flush'
again
is 'the row after a mount' one "$(cat "$M/k/t/1/v")"
stop
umount "$D"
S=$W/store
# Few descriptors: made with many tables, each with a file of its own.
start
run_cql < <(echo "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
	for i in {1..140}; do echo "CREATE TABLE k.t$i (p int PRIMARY KEY, v text); INSERT INTO k.t$i (p, v) VALUES (1, 'v$i');"; done)
ok 'flush' dd of="$M/.widefs/ctl" status=none <<<'flush'
stop
for limit in 128 64 32; do
	pid=
	(ulimit -n $limit && "$WIDEFS" --log-file="$W/log" -o threads=2 "$S" "$M") 2>>"$W/stderr" || { fail "a mount with $limit descriptors: $(tail -1 "$W/stderr")"; continue; }
	pid=$(daemon_pid)
	for i in {1..140}; do [ "$(cat "$M/k/t$i/1/v")" = "v$i" ] || fail "$limit descriptors: table $i"; done
	ok "$limit descriptors: a write" cql "INSERT INTO k.t1 (p, v) VALUES ($limit, 'w')"
	is "$limit descriptors: the daemon lives" "$pid" "$(daemon_pid)"
	stop && pass
done
start
is 'all is there afterwards' 'w w w' "$(cat "$M"/k/t1/{128,64,32}/v | tr '\n' ' ' | sed 's/ $//')"
stop
ok 'and is sound' "$CTL" check "$S"
# Few processes and threads, by a group of their own: a mount is refused, says why
# and leaves nothing, or it works with those that it has. The runtimes of the
# sanitizers start threads of their own and cannot go on without: it is asked of
# the plain build alone.
if [ "$B" = build ]; then
pids=$(awk '$3 == "cgroup" && $4 ~ /(^|,)pids(,|$)/ { print $2 } $3 == "cgroup2" { two = $2 } END { print two }' /proc/mounts | head -1)
[ -n "$pids" ] || fail 'there is no control group of processes'
refusals=0 mounts=0
for limit in {1..16}; do
	[ "$mounts" -lt 4 ] || break
	group=$pids/widefs-test-$$-$limit
	{ mkdir "$group" && echo "$limit" >"$group/pids.max"; } 2>>"$W/stderr" || { fail "a group of processes: $(tail -1 "$W/stderr")"; break; }
	# shellcheck disable=SC2016	# it is for that shell
	if said=$(timeout 60 bash -c 'echo $$ >"$1" && exec "${@:2}"' sh "$group/cgroup.procs" "$WIDEFS" --log-file="$W/log" "$S" "$M" 2>&1); then
		mounts=$((mounts + 1)) pid=$(daemon_pid)
		for i in {1..8}; do cql "INSERT INTO k.t$i (p, v) VALUES (7, 'of $limit')" >/dev/null & done
		wait
		for i in {1..8}; do is "$limit processes: table $i" "of $limit" "$(cat "$M/k/t$i/7/v")"; done
		ok "$limit processes: a flush" timeout 60 dd of="$M/.widefs/ctl" status=none <<<'flush'
		is "$limit processes: the daemon lives" "$pid" "$(daemon_pid)"
		stop && pass
	else
		refusals=$((refusals + 1))
		[[ $said == *'no more processes or threads'* ]] && pass || fail "$limit processes, refused: $said"
		wait_closed
		mountpoint -q "$M" && fail "$limit processes: refused, and mounted"
	fi
	for ((i = 0; i < 100; i++)); do rmdir "$group" 2>>"$W/stderr" && break; sleep 0.05; done
	[ ! -e "$group" ] || fail "$limit processes: some are left: $(cat "$group/cgroup.procs")"
done
[ $refusals -gt 3 ] && [ $mounts = 4 ] && pass || fail "$refusals mounts were refused, $mounts not"
start
is 'all is there afterwards' "$(yes "of $((limit - 1))" | head -8)" "$(cat "$M"/k/t{1..8}/7/v)"
stop
fi
ok 'and is sound' "$CTL" check "$S"
done_testing
