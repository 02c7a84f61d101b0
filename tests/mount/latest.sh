# A value with the largest timestamp that there is: nothing can be later. A write
# that cannot take effect is refused by the call that a program looks at, never by its
# last close alone, and says why; the value stays. A deletion wins a tie.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TYPE k.pair (x int, y text);
CREATE TABLE k.t (p int, c text, s text STATIC, a int, b text, x blob, tags set<text>, mp map<text, int>, l list<int>, u pair, PRIMARY KEY (p, c));
CREATE TABLE k.hits (id int PRIMARY KEY, n counter);
INSERT INTO k.t (p, c, s, a, b, x, tags, mp, l, u) VALUES (1, 'r', 's', 7, 'old', 0x00, {'one'}, {'k': 1}, [1, 2], {x: 1, y: 'z'}) USING TIMESTAMP 9223372036854775807;
INSERT INTO k.t (p, c, a, b) VALUES (1, 'q', 7, 'old');
C
mkdir "$M/k/notes" "$M/k/notes/one"
echo old >"$M/k/notes/one/a"
max=9223372036854775807
ok 'the attribute of a file' setfattr -n user.writetime -v $max "$M/k/notes/one/a"
R=$M/k/t/1/r Q=$M/k/t/1/q
why() {	# why WHAT FILE: it is explained where people look.
	is "$1: in errors" yes "$(tail -1 "$M/.widefs/errors" | grep -q 'largest timestamp' && echo yes)"
	is "$1: in user.error" yes "$(getfattr --only-values -n user.error "$2" 2>/dev/null | grep -q 'largest timestamp' && echo yes)"
}
# unchanged FILE TEXT CALL...: refused, by these calls of a program too, before its close.
unchanged() {
	local f=$1 text=$2
	refused "> $f" 'not permitted' put "$f" "$text"
	why "> $f" "$f"
	refused ">> $f" 'not permitted' add "$f" "$text"
	why ">> $f" "$f"
	is "$f: each way" '1 open, 1 write, 1 truncate, 1 ftruncate, 1 pwrite, 1 sync' "$(python3 - "$f" "$text" <<'P'
import os, sys
f, text = sys.argv[1], sys.argv[2].encode() + b'\n'
def by(way):
    at = 'open'
    try:
        if way == 'truncate':
            at = way
            os.truncate(f, 0)
        fd = os.open(f, os.O_WRONLY | {'open': os.O_TRUNC, 'sync': os.O_SYNC}.get(way, 0))
        at = way
        if way == 'ftruncate':
            os.ftruncate(fd, 0)
        elif way == 'pwrite':
            os.pwrite(fd, text, 0)
        else:
            os.write(fd, text)
        at = 'close'
        os.close(fd)
        return '0'
    except OSError as e:
        return '%d %s' % (e.errno, at)
print(', '.join(by(way) for way in ('open', 'write', 'truncate', 'ftruncate', 'pwrite', 'sync')))
P
)"
}
before=$(cql 'SELECT * FROM k.t') plain=$(cql 'SELECT * FROM k.notes')
unchanged "$R/a" 5
unchanged "$R/b" new
unchanged "$R/x" new
unchanged "$M/k/t/1/@static/s" new
unchanged "$R/mp/k" 2
unchanged "$R/u/x" 2
unchanged "$R/u/y" new
unchanged "$R/l/@0" 5
unchanged "$R/l/$(names "$R/l" | cut -d' ' -f1)" 5
unchanged "$M/k/notes/one/a" new
for file in "$R.json" "$R/tags.json" "$R/mp.json" "$R/l.json"; do
	text='{}'
	case $file in *tags.json | *l.json) text='[]' ;; esac
	refused "> $file" 'not permitted' put "$file" "$text"
	why "> $file" "$file"
	refused ">> $file" 'not permitted' add "$file" "$text"
done
ok 'touch sets a time' touch "$R/a"
refused 'a copy' 'not permitted' cp "$Q/b" "$R/b"
refused 'an editor' 'not permitted' sed -i s/old/new/ "$R/b"
refused 'a lifetime' 'not permitted' setfattr -n user.ttl -v 1000 "$R/a"
refused 'a rename' 'not permitted' mv "$R/x" "$R/b"
is 'nothing has changed' "$before" "$(cql 'SELECT * FROM k.t')"
is 'no file either' "$plain" "$(cql 'SELECT * FROM k.notes')"
ok 'other elements come' bash -c 'touch "$1/tags/two" && echo 2 >"$1/mp/other" && echo 3 >"$1/l/@append" && echo 0 >"$1/l/@prepend"' - "$R"
is 'and are there' '[[["one","two"],{"k":1,"other":2},[0,1,2,3]]]' "$(cql "SELECT tags, mp, l FROM k.t WHERE p = 1 AND c = 'r'" | jq -c .rows)"
ok 'other cells are written' put "$Q/b" new

# An object deleted with it does not come back: making it is refused, not hidden.
ok 'rm takes effect' rm "$R/a" "$R/b" "$R/x" "$R/tags/one" "$R/mp/k" "$M/k/notes/one/a"
is 'the removed names are gone' 'mp tags' "$(names "$R" | tr ' ' '\n' | grep -vx 'u\|l' | sort | tr '\n' ' ' | sed 's/ $//')"
for file in a b x tags/one mp/k; do
	refused "> $file" 'not permitted' put "$R/$file" 1
	is "$file: in errors" yes "$(tail -1 "$M/.widefs/errors" | grep -q 'largest timestamp' && echo yes)"
	refused "touch $file" 'not permitted' touch "$R/$file"
	is "$file is not there" '' "$(ls "$R/$file" 2>/dev/null)"
done
refused 'a file of a schemaless table' 'not permitted' put "$M/k/notes/one/a" x
ok 'rm of the row' rm "$R.json"
refused 'mkdir of the row' 'not permitted' mkdir "$R"
is 'mkdir of the row: in errors' yes "$(tail -1 "$M/.widefs/errors" | grep -q 'largest timestamp' && echo yes)"
refused 'its document' 'not permitted' put "$R.json" '{"a": 1}'
is 'the row is gone' '[["q"]]' "$(cql 'SELECT c FROM k.t' | jq -c .rows)"
ok 'a row goes where another was' mv "$Q" "$M/k/t/1/x"
refused 'not onto the deleted one' 'not permitted' python3 -c 'import os, sys; os.rename(*sys.argv[1:])' "$M/k/t/1/x" "$R"
again
is 'after a remount' '[["x"]]' "$(cql 'SELECT c FROM k.t' | jq -c .rows)"
refused 'still' 'not permitted' mkdir "$R"
# A counter has no timestamp of its own.
mkdir -p "$M/k/hits/1"
put "$M/k/hits/1/n" +5
refused 'a counter' 'Invalid argument' setfattr -n user.writetime -v $max "$M/k/hits/1/n"
refused 'by a statement too' 'Invalid argument' cql "UPDATE k.hits USING TIMESTAMP $max SET n = n + 1 WHERE id = 1"
ok 'is removed' rm "$M/k/hits/1/n"
put "$M/k/hits/1/n" +2
is 'and begins anew' 2 "$(cat "$M/k/hits/1/n")"
stop
done_testing
