# What README.md shows at its begin, and its steps for backups, restores, undoing and looking after a store, are run as
# they are written.
. tests/mount/lib.sh
HOME=$W
export HOME
PATH=$(dirname "$WIDEFS"):$PATH
S=$W/db
# The session at the begin: what is typed, and what is printed then.
session() { awk '/^## / { exit } /^    / { print substr($0, 5) }' README.md; }
# The mount is busy while another suite's `widefsctl status` looks at each.
session | sed -n "s/^[$>] //p" | sed 's/^umount .*/until & 2>\/dev\/null; do sleep 0.1; done/' >"$W/typed"
ok 'it has commands' test "$(wc -l <"$W/typed")" -gt 15
rmdir "$M"
mkdir "$W/session"
bash "$W/typed" >"$W/said" 2>&1
plain() { sed -E 's/^[^ ]*Z [0-9]+ [0-9]+ /TIME PID UID /; s/^.*: line [0-9]+: echo:/bash: echo:/; s|/home/ada/|HOME/|; s|'"$W"'/|HOME/|' "$@"; }
is 'README.md prints what comes' "$(session | sed '/^[$>] /d' | plain)" "$(plain "$W/said")"
is 'and its backup has all' 'orders schema.cql' "$(ls "$W/backup/sales" | paste -sd ' ')"
wait_closed
rm -r "$S" "$W/backup"
start
run_cql <<'C'
CREATE KEYSPACE sales WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE sales.orders (customer text, id int, total decimal, tags set<text>, at text static, PRIMARY KEY (customer, id));
CREATE TABLE sales.hits (id int PRIMARY KEY, n counter);
INSERT INTO sales.orders (customer, id, total, tags, at) VALUES ('ada', 42, 19.90, {'new'}, 'home');
INSERT INTO sales.orders (customer, id, total) VALUES ('bob', 1, 5) USING TTL 100000;
UPDATE sales.hits SET n = n + 7 WHERE id = 1;
C
# block N: the Nth block of commands of that chapter.
block() { awk -v n="$1" '/^## / { on = /^## Backing up/ } on && /^    / { if (!inside) b++; inside = 1; if (b == n) print substr($0, 5) } !/^    / { inside = 0 }' README.md; }
follow() { block "$1" >"$W/block"; ok "it has commands" test -s "$W/block"; ok "block $1" bash -e "$W/block"; }
all() { cql "SELECT customer, id, total, tags, at FROM sales.orders" | jq -c .rows; cql 'SELECT * FROM sales.hits' | jq -c .rows; }
before=$(all)
# Of one second, and as long: the next backup has it too.
twice() { run_cql <<<"UPDATE sales.orders USING TIMESTAMP 1700000000${1}00000 SET total = $2 WHERE customer = 'eve' AND id = 1"; }
twice 1 10.00
mkdir "$W/backup"
follow 1
is 'the backup has all' 'hits orders schema.cql' "$(ls "$W/backup/sales" | paste -sd ' ')"
is 'nothing stays' 0 "$(find "$M/.snapshots" -mindepth 1 -maxdepth 1 -name now | wc -l)"
twice 5 20.00
follow 1
is 'a change within a second' 20.00 "$(cat "$W/backup/sales/orders/eve/1/total")"
run_cql <<<"DELETE FROM sales.orders WHERE customer = 'eve'"
follow 1
rm -r "$M/sales"
follow 2
is 'all is back' "$before" "$(all)"
is 'nothing differs' '' "$(rsync -aXn --delete --itemize-changes "$W/backup/sales/" "$M/sales/")"
follow 2
is 'restored over what is there' "$before" "$(all)"
mkdir "$M/.snapshots/monday"
rm -r "$M/sales/orders/ada"
echo 6 >"$M/sales/orders/bob/1/total"
follow 3
is 'undone' "$before" "$(all)"
follow 4
is 'a removed keyspace, too' "$before" "$(all)"
# What a line of crontab prints is mailed.
crontab() { block 5 | sed 's/^\([^ ]* \)\{5\}//; s/\\%/%/g' | sh 2>&1; }
is 'a snapshot of each hour: the first time' '' "$(crontab)"
is 'and again' '' "$(crontab)"
ok 'it is there' ls -d "$M"/.snapshots/hour-[0-2][0-9]
# Looking after it: on the mount, then on the store alone.
cd "$W" || exit 1
"$CTL" export "$M/sales/orders" orders.csv
"$CTL" snapshot drop --force "$M" monday 2>/dev/null >&2
while read -r line; do
	[[ $line != *'~/db'* ]] || stop
	# Status tells of all mounts, others' too.
	case $line in 'widefsctl status '*) line="widefsctl status ~/mnt" ;; esac
	ok "looking after it: $line" bash -c "$line"
	run=$((${run:-0} + 1))
done < <(awk '/^## / { on = /^## Looking/ } on && /^    / { print }' "$OLDPWD/README.md")
ok 'all of it' test "${run:-0}" -ge 10
cd - >/dev/null || exit 1
done_testing
