# Owners, modes and rights (fs/README.md, "Times, attributes, rights"), with two users
# that are not root.
. tests/mount/lib.sh
chmod 755 "$W"
user=65534 other=65533
as() { local uid=$1; shift; setpriv --reuid="$uid" --regid="$uid" --clear-groups -- "$@"; }
start -o allow_other
is 'the root' "$(id -u) 755" "$(stat -c '%u %a' "$M")"
refused 'no keyspace for others' 'Permission denied' as $user mkdir "$M/mine"
mkdir "$M/k" && chown $user "$M/k"
is 'a keyspace can be given' $user "$(stat -c %u "$M/k")"
ok 'its owner makes tables' as $user bash -c "umask 027; mkdir '$M/k/notes'"
is 'with owner and umask' "$user 750" "$(stat -c '%u %a' "$M/k/notes")"
ok 'and partitions' as $user mkdir "$M/k/notes/p"
ok 'and files' as $user bash -c "echo 1 > '$M/k/notes/p/x'"
is 'cells inherit the mode without x' "$user 640" "$(stat -c '%u %a' "$M/k/notes/p/x")"
refused 'others may not read' 'Permission denied' as $other cat "$M/k/notes/p/x"
refused 'nor list' 'Permission denied' as $other ls "$M/k/notes"
ok 'chmod of the table' as $user chmod 755 "$M/k/notes"
ok 'now they may read' as $other cat "$M/k/notes/p/x"
refused 'but not write' 'Permission denied' as $other bash -c "echo 2 > '$M/k/notes/p/x'"
refused 'chmod of a cell' 'Operation not permitted' as $user chmod 600 "$M/k/notes/p/x"
ok 'chmod to what it is' as $user chmod 644 "$M/k/notes/p/x"
# The same through CQL.
ask() { as "$1" bash -c "exec 3<>'$M/.cql.json' && { printf '%s;' \"$2\" >&3; s=\$?; cat <&3; exit \$s; }"; }
ok 'SELECT needs r' ask $other 'SELECT * FROM k.notes'
refused 'INSERT needs w' 'Permission denied' ask $other "INSERT INTO k.notes (key, column1, value) VALUES ('a', 'b', 0x00)"
ok 'the owner may' ask $user "INSERT INTO k.notes (key, column1, value) VALUES ('a', 'b', 0x00)"
refused 'DDL needs w on the keyspace' 'Permission denied' ask $other 'CREATE TABLE k.u (x int PRIMARY KEY)'
ok 'its owner has it' ask $user 'CREATE TABLE k.u (x int PRIMARY KEY)'
is 'and owns the table' $user "$(stat -c %u "$M/k/u")"
refused 'new keyspaces need w on the root' 'Permission denied' ask $user "CREATE KEYSPACE z WITH replication = {'class': 'SimpleStrategy'}"
as $user bash -c "echo nonsense > '$M/k/notes/p'" 2>/dev/null
as $other bash -c "echo x > '$M/k/u/1.jsn'" 2>/dev/null
is 'errors are private' 0 "$(as $other cat "$M/.widefs/errors" | grep -c " $user ")"
refused 'ctl is the mounter'"'"'s' 'Permission denied' as $user bash -c "echo sync > '$M/.widefs/ctl'"
# CREATE TABLE over a table of mkdir's takes over the caller's rows, not those of others.
mkdir -m 777 "$M/shared"
as $user bash -c "umask 077; mkdir -p '$M/shared/hers/p'; echo secret > '$M/shared/hers/p/v'"
refused 'rows of others are not taken over' 'Permission denied' as $other bash -c "echo 'CREATE TABLE hers (key text PRIMARY KEY, v text);' > '$M/shared/schema.cql'"
refused 'nor by a statement' 'Permission denied' ask $other 'CREATE TABLE shared.hers (key text PRIMARY KEY, v text)'
ok 'by their owner they are' as $user bash -c "echo 'CREATE TABLE hers (key text PRIMARY KEY, v text);' > '$M/shared/schema.cql'"
is 'with what is in them' secret "$(as $user cat "$M/shared/hers/p/v")"
# A descriptor that is handed on: the rights of its opener and of its writer both count.
mkdir -m 700 "$M/priv" && cql 'CREATE TABLE priv.t (k int PRIMARY KEY)' >"$W/out"
python3 - "$M" $user <<'P' || fail 'descriptors that are handed on'
import os, sys
m, user = sys.argv[1], int(sys.argv[2])
def child(f):
    pid = os.fork()
    if not pid:
        try: f()
        except BaseException as e: print(repr(e)); os._exit(1)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
def drop():
    os.setgroups([]); os.setgid(user); os.setuid(user)
def refused(f, *a):
    try: f(*a)
    except PermissionError: return
    assert False, 'it succeeded'
# opened by root, written after root was given up
fd = os.open(m + '/.cql', os.O_RDWR)
def dropped():
    drop()
    refused(os.write, fd, b'SELECT * FROM priv.t;')
    assert b'permission' in os.read(fd, 1000)
    os.write(fd, b'DROP KEYSPACE priv')     # and left to root to end
child(dropped)
refused(os.close, fd)
assert os.path.isdir(m + '/priv')
fd = os.open(m + '/.cql', os.O_RDWR)
child(lambda: (drop(), os.write(fd, b'TRUNCATE priv')))
refused(os.write, fd, b'.t;')               # no part is another's
os.close(fd)
fd = os.open(m + '/.cql', os.O_RDWR)
child(lambda: (drop(), os.write(fd, b'DROP KEYSPACE priv')))
refused_once = 0
try: os.read(fd, 100)
except PermissionError: refused_once = 1
os.close(fd)
assert os.path.isdir(m + '/priv')
# a user's, written by root as a program would that has more rights than he
seteuid = os.seteuid
os.setegid(user); os.setgroups([]); seteuid(user)
fd = os.open(m + '/.cql', os.O_RDWR)
seteuid(0); os.setegid(0)
refused(os.write, fd, b'DROP KEYSPACE priv;')
os.write(fd, b'TRUNCATE shared.hers;')      # his own
os.close(fd)
P
again -o allow_other
is 'kept' "$user 755" "$(stat -c '%u %a' "$M/k/notes")"
stop
done_testing
