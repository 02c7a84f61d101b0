# The steps of README.md for backups, restores and undoing are run as they are written.
. tests/mount/lib.sh
HOME=$W
export HOME
PATH=$(dirname "$WIDEFS"):$PATH
S=$W/db
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
stop
done_testing
