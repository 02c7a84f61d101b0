# The examples of the manual pages are run as they are written, each on a store and a mount as its page supposes
# them: each succeeds, and prints what its page says.
. tests/mount/lib.sh
HOME=$W
export HOME
PATH=$(dirname "$WIDEFS"):$PATH
S=$W/db M=$W/mnt
pages=$PWD
mkdir "$W/work" "$W/backup" "$W/saved"
start
run_cql <<'C'
CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE shop.users (name text PRIMARY KEY, country text);
CREATE TABLE shop.orders (customer text, id int, total decimal, PRIMARY KEY (customer, id));
INSERT INTO shop.users (name, country) VALUES ('chris', 'nz');
INSERT INTO shop.orders (customer, id, total) VALUES ('ada', 1, 19.90);
INSERT INTO shop.orders (customer, id, total) VALUES ('ada', 2, 5);
CREATE KEYSPACE home WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE home.sensors (room text, id int, temp double, PRIMARY KEY (room, id));
INSERT INTO home.sensors (room, id, temp) VALUES ('kitchen', 1, 21.5);
C
mkdir "$M/.snapshots/monday"
ok 'a file of the engine' "$CTL" flush "$M"
stop
cp -a "$S" "$W/saved/db"
cd "$W/work" || exit 1
# Files that examples of other pages make.
"$CTL" dump "$S" >all.cql
"$CTL" dump -k shop "$S" | zstd -q >shop.cql.zst
"$CTL" export "$S/shop/orders" orders.csv
"$CTL" export "$S/shop/orders" orders.ndjson
zstd -q orders.ndjson
"$CTL" schema "$S" shop >schema.cql
mounted() { mountpoint -q "$M"; }
# fresh: the store as it was and copies of it, nothing mounted. empty [STORE]: an empty one.
fresh() {
	! mounted || stop
	rm -rf "$S" "$W"/{other,copy,old,new,db.new,db.new2}
	cp -a "$W/saved/db" "$S"
	cp -a "$S" "$W/copy"
	cp -a "$S" "$W/old"
}
empty() {
	! mounted || stop
	rm -rf "${1:-$S}"
	"$CTL" load "${1:-$S}" </dev/null 2>/dev/null
}
# lines PAGE: its commands, one a line, each with what it prints after a tab, lines joined by \n.
lines() {
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh [^E]/p' "$1" | sed 's/^\.Dl \(widefs[a-z]* \)/$ \1/; s/\\\\/\\/g' |
		awk '/^\$ / { if (n++) print command "\t" said; command = substr($0, 3); said = ""; on = 1; next }
			/^\.|^[A-Z].*:$/ { on = 0 } on { said = said $0 "\\n" } END { if (n) print command "\t" said }'
}
# What needs a terminal, a damage or another machine, looks at all mounts of the machine or does not
# end, has its own suites.
others='systemctl|-d /mnt/disk|errors -f|top --delay|status --json|^widefsctl status (>|--color)|repair --table'
run=0
for page in "$pages"/mount/*.[158] "$pages"/tools/*.1; do
	name=${page##*/}
	fresh
	case $name in
	widefs.1) rm -r "$S" ;;
	widefsctl-snapshot.1) start; rmdir "$M/.snapshots/monday" ;;
	esac
	while IFS=$'\t' read -r command said; do
		! grep -qE "$others" <<<"$command" || continue
		# The state that the line begins with: the mount, or the store alone.
		case $command in
		*'load ~/db'*) rm -r "$S" ;;
		*'load ~/mnt' | *'-f schema.cql'*) empty; start ;;
		*'-k shop ~/mnt'*) fresh; start ;;
		*'DESCRIBE KEYSPACE'*) fresh; empty "$W/other" ;;
		*'widefs ~/'*) ! mounted || stop ;;
		*'~/mnt'*) mounted || start ;;
		*) ! mounted || stop ;;
		esac
		# shellcheck disable=SC2016 # for the shell that runs it
		command=${command//removed-1795774504649/'$(tail -1 ~/mnt/.widefs/errors | grep -o "removed-[0-9]*")'}
		# shellcheck disable=SC2016
		command=${command//000000000007.sst/'$(ls ~/db/engine | grep -m1 sst$)'}
		# The mount is busy while another suite's `widefsctl status` looks at each.
		for _ in {1..50}; do
			bash -o pipefail -c "$command" </dev/null >../out 2>&1
			status=$?
			[ $status != 0 ] && [[ $command == *umount* ]] || break
			sleep 0.1
		done
		case $command in
		'echo warm'*) is "$name: $command: is refused" 1 $status ;;
		*) is "$name: $command: $(tail -1 ../out)" 0 $status ;;
		esac
		case $said in
		'' | running* | /home*) ;;
		*) is "$name: $command: what it prints" "$said" "$(sed 's/line [0-9]*: //' ../out | tail -1)\\n" ;;
		esac
		run=$((run + 1))
	done < <(lines "$page")
done
ok 'there are as many as there were' test $run -ge 50
! mounted || stop
cd "$pages" || exit 1
done_testing
