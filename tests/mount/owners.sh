# The automatic snapshots of several users: the bound is fair to each (fs/README.md, "Snapshots").
. tests/mount/lib.sh
[ "$(id -u)" = 0 ] || { echo 'only root can be two users'; pass; done_testing; }
small_disk 40m
chmod 755 "$W" "$M"
ada=65534 bob=65533 P=$M/.snapshots
as() { local uid=$1; shift; setpriv --reuid="$uid" --regid="$uid" --clear-groups -- "$@"; }
# says UID STATEMENT...: through .cql.
says() { as "$1" bash -c "cat > '$M/.cql'" <<<"${*:2}" || fail "$*"; }
# loops TIMES: bob fills his table and empties it.
loops() { local i; for ((i = 0; i < $1; i++)); do echo 'INSERT INTO bobs.t (p) VALUES (1); TRUNCATE bobs.t;'; done | as $bob bash -c "cat > '$M/.cql'"; }
owner() { getfattr --absolute-names --only-values -n user.owner "$1" 2>&1; }
# owned UID: how many snapshots are his.
owned() { "$CTL" snapshot list --json "$M" | jq -s "map(select(.owner == $1)) | length"; }

start -o allow_other
mkdir -m 755 "$M/adas" "$M/bobs"
chown $ada:$ada "$M/adas"
chown $bob:$bob "$M/bobs"
says $bob 'CREATE TABLE bobs.t (p int PRIMARY KEY);'
says $ada 'CREATE TABLE adas.dear (p int PRIMARY KEY, v text); INSERT INTO adas.dear (p, v) VALUES (1, '"'not twice'"');'
says $ada 'CREATE TABLE adas.t (p int PRIMARY KEY); INSERT INTO adas.t (p) VALUES (1); TRUNCATE adas.t;'
rsync -aX "$M/adas/" "$W/adas/"
says $ada 'DROP TABLE adas.dear;'
ok 'one loops' loops 100
is 'snapshots of the other stay' 1 "$(ls "$P" | grep -c '^dropped-[0-9]*-dear$')"
is 'all of it' 2 "$(owned $ada)"
is 'the rest is his' 62 "$(owned $bob)"
is 'each says whose it is' "$ada" "$(owner "$P"/dropped-*-dear)"
is 'and has the owner of the root' "$(stat -c '%u %a' "$M")" "$(stat -c '%u %a' "$(echo "$P"/dropped-*-dear)")"
ok 'the dropped table is copied back' as $ada bash -c "cp '$P'/dropped-*-dear/adas/schema.cql '$M/adas/' && rsync -aX '$P'/dropped-*-dear/adas/dear '$M/adas/'"
is 'whole' '' "$(rsync -aXn --delete --itemize-changes "$W/adas/dear/" "$M/adas/dear/")"
# rm -r of a keyspace is its user's change.
says $ada 'DROP TABLE adas.t;'
ok 'rm -r of what is in a keyspace' as $ada rm -r "$M/adas/schema.cql" "$M/adas/dear"
is 'keeps it for her' "$ada" "$(owner "$P"/removed-*-dear)"
# The mounter, by ctl; and by the command on a store that nobody has mounted.
ok 'a restore' "$CTL" snapshot restore --force "$M" "$(ls "$P" | grep -- '-dear$' | tail -1)"
is 'is of who asked for it' 0 "$(owner "$P"/restored-*)"
ok 'one that is asked for' mkdir "$P/mine"
is 'has an owner, too' 0 "$(owner "$P/mine")"

# Killed while one loops.
before=$(owned $ada)
loops 1000 2>/dev/null &
sleep 1
kill -9 "$(daemon_pid)"
wait
fusermount3 -u "$M" 2>/dev/null || umount -l "$M"
wait_closed
start -o allow_other
is 'the objects of the other are there' "$before" "$(owned $ada)"
ok 'and stays' loops 70
is 'after more' "$before" "$(owned $ada)"
is 'there are as many as may be' 64 "$(ls "$P" | grep -vcx mine)"
stop
ok 'on the store itself' "$CTL" snapshot restore --force "$S" mine
is 'the owner is who calls' 0 "$("$CTL" snapshot list --json "$S" | jq -s 'map(select(.name | startswith("restored"))) | last | .owner')"
ok 'and nothing of the other goes' test "$("$CTL" snapshot list --json "$S" | jq -s "map(select(.owner == $ada)) | length")" = "$before"

# A full disk gives up the automatic ones of all.
start -o allow_other
says $bob 'CREATE TABLE bobs.many (p int PRIMARY KEY, v text);'
full=$(python3 - "$M" <<'P'
import os, random, sys
r = random.Random(1)
done = 0
for i in range(20000):
	fd = os.open(sys.argv[1] + '/.cql', os.O_RDWR)
	try: os.write(fd, b"INSERT INTO bobs.many (p, v) VALUES (%d, '%s');" % (i, r.randbytes(8192).hex().encode()))
	except OSError as e: print(e.strerror); break
	finally: os.close(fd)
P
)
is 'a disk that fills' 'No space left on device' "$full"
is 'has none but those that were asked for' mine "$(ls "$P")"
ok 'TRUNCATE' says $bob 'TRUNCATE bobs.many;'
ok 'a change afterwards' loops 1
is 'keeps one again' 1 "$(owned $bob)"
stop

# A store of before: its snapshots have no owner, and stay as long as others have more.
rm -r "${S:?}"
cp -a tests/golden/store/6 "$S"
chown -R 0:0 "$S"
chmod -R go= "$S"
start -o allow_other
is 'an older store' 3 "$(owned null)"
is 'snapshots of an older store have no owner' 3 "$(for one in "$P"/*; do owner "$one"; done | grep -c 'No such attribute')"
mkdir -m 755 "$M/bobs"
chown $bob:$bob "$M/bobs"
says $bob 'CREATE TABLE bobs.t (p int PRIMARY KEY);'
ok 'one loops' loops 100
is 'snapshots without an owner stay' 3 "$(owned null)"
is 'beside the others' 61 "$(owned $bob)"
ok 'one is restored' "$CTL" snapshot restore --force "$M" "$(basename "$P"/dropped-*-dropped)"
is 'with its rows' 1 "$(ls "$M/k/dropped")"
again -o allow_other
is 'after a mount, too' 3 "$(owned null)"
stop
done_testing
