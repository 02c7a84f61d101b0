# A greedy plain user: bounds hold for him, the others go on, and all that he
# held is free when he is gone.
# SECONDS_EACH (6): how long; P99_MS: a bound for the mounter's point reads. Without
# it they may take 50 ms more than five times what they take beside processes that
# only use the processor.
. tests/mount/lib.sh
chmod 755 "$W"
user=65534 other=65533 processes=64 handles=1000
start -o allow_other,max_value=4M,scratch_max=8M,cache=16M,memtable=16M
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.mine (id int PRIMARY KEY, v text);
CREATE TABLE k.ours (id int PRIMARY KEY, v text);
C
mkdir "$M/k/his" "$M/k/big" "$M/k/ours/0" "$M/k/ours/$other" "$M/k/mine/0"
chown $user "$M/k/his"
chmod 777 "$M/k/ours"
for i in $(seq 100); do echo "INSERT INTO k.mine (id, v) VALUES ($i, 'row $i');"; done >"$M/.cql"
for i in 0 $other; do echo "INSERT INTO k.ours (id, v) VALUES ($i, 'none');"; done >"$M/.cql"
for i in $(seq 10000); do echo "INSERT INTO k.big (key, column1, value) VALUES ('p$((i % 50))', 'c$i', 0x78);"; done >"$M/.cql"
head -c 4000000 /dev/zero | tr '\0' z >"$M/k/mine/0/v"
pid=$(daemon_pid)
rss() { awk '/^RssAnon/ { print $2 }' "/proc/$pid/status"; }
of_user() { grep "^user $1:" "$M/.widefs/stats"; }
before=$(rss)
is 'nobody holds anything' '' "$(of_user $user)$(of_user $other)"
python3 tests/mount/long/users.py "$M" "${SECONDS_EACH:-6}" $processes $handles "$pid" "${SEED:-1}" >"$W/figures" 2>"$W/stderr.users" ||
	fail "the others: $(tail -5 "$W/stderr.users")"
cat "$W/figures"
figure() { awk -v f="$1" '$1 == f { print $2 }' "$W/figures"; }
most() { ok "$1: $(figure "$1") of $2" test "$(figure "$1")" -le "$2" -a "$(figure "$1")" -gt 0; }
most open_files 32768
ok 'the user was stopped there' test "$(figure stopped)" -ge 1
most open_streams 2048
most scratch_bytes $((4 << 20))
most pending_bytes $((128 << 20))
most read_bytes $((128 << 20))
most statement_bytes $((128 << 20))
most result_bytes $((128 << 20))
most memory_names 262144
ok 'the mounter has read' test "$(figure reads)" -ge 20
P99_MS=${P99_MS:-$((50 + 5 * $(figure ordinary_p99_us) / 1000))}
ok "99 of 100 point reads within $P99_MS ms: $(figure p99_us) us" test "$(figure p99_us)" -lt $((P99_MS * 1000))
# Twice the bounds, for what buffers have to grow, and what the engine holds.
ok "memory has a bound ($before kB before, $(figure memory_kb) kB)" test "$(figure memory_kb)" -lt $((before + 1100000))
# His names are removed as any others are; all else went with his processes.
for _ in $(seq 300); do
	[[ $(of_user $user) =~ (open|pending|read|statement|result)_ ]] || break
	sleep 0.1
done
is 'the user holds names alone' '' "$(of_user $user | grep -oE '(open|pending|read|statement|result)_.*')"
find "$M/k/his" -mindepth 1 -delete
# An open that did not come back is waited for 10 s.
for _ in $(seq 300); do
	[ "$(of_user $user)$(of_user $other)" ] || break
	sleep 0.1
done
is 'and then nothing' '' "$(of_user $user)$(of_user $other)"
put "$M/.widefs/ctl" flush
for _ in $(seq 300); do
	[ "$(rss)" -lt $((before + 100000)) ] && break
	sleep 0.1
done
ok "nor memory ($before kB before, $(rss) kB now)" test "$(rss)" -lt $((before + 100000))
# A statement of his that takes long delays nobody's on the same file: the writes
# of one inode follow each other, so each open has one of its own.
python3 - "$M" $user <<'P' || fail 'statements beside a long one'
import os, select, signal, sys, time
m, user = sys.argv[1], int(sys.argv[2])
def run(path, text):
    fd = os.open(path, os.O_RDWR)
    os.write(fd, text)
    answer = os.read(fd, 1000)
    os.close(fd)
    return answer
scans = b'SELECT count(*) FROM k.big WHERE value = 0x79 ALLOW FILTERING;' * 10000
told, tell = os.pipe()
pid = os.fork()
if not pid:
    os.setgroups([]); os.setgid(user); os.setuid(user)
    fd = os.open(m + '/.cql', os.O_RDWR)
    os.write(tell, b'.')
    try: os.write(fd, scans)
    finally:
        os.write(tell, b'!')
        os._exit(0)
os.read(told, 1)
time.sleep(0.3)
for i in range(20):
    answer = run(m + '/.cql', b'SELECT v FROM k.mine WHERE id = %d;' % (i + 1))
    assert b'row %d' % (i + 1) in answer, answer
    answer = run(m + '/.cql', b"INSERT INTO k.ours (id, v) VALUES (0, '%d');" % i)
    with open(m + '/.cql', 'a') as f: f.write("INSERT INTO k.ours (id, v) VALUES (1, '%d');" % i)
    assert open(m + '/k/ours/0/v').read() == '%d\n' % i
assert not select.select([told], [], [], 0)[0], 'the long statement ended too soon'
os.kill(pid, signal.SIGKILL)
os.waitpid(pid, 0)
P
pass
for _ in $(seq 300); do
	[ "$(of_user $user)" ] || break
	sleep 0.1
done
is 'a statement that was given up holds nothing' '' "$(of_user $user)"
ok 'help says the bounds' grep -q 'open files  *32768  *49152' "$M/.widefs/help"
stop
is 'the store is sound' '0 problems' "$("$CTL" check "$S")"
done_testing
