# Owners, modes and who may do what (filesystem.md section 8), with two users
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
is 'that inherit without x' "$user 640" "$(stat -c '%u %a' "$M/k/notes/p/x")"
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
again -o allow_other
is 'kept' "$user 755" "$(stat -c '%u %a' "$M/k/notes")"
stop
done_testing
