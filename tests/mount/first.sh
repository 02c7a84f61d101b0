# The first ten minutes of a new user, from an empty home: what he types, and that
# it prints just what tests/mount/first.txt says. Times, sizes of the disk and the
# numbers of processes and limits are replaced by words. ROWS (10000; 100000 in make check-long)
# are imported, a tenth of them by the programs with sanitizers.
. tests/mount/lib.sh
rmdir "$M"
HOME=$W
export HOME
cd "$W" || exit 1
PATH=$(dirname "$WIDEFS"):$PATH
here=$OLDPWD
mkdir mnt backup
S=$W/db
rows=${ROWS:-10000}
case $B in */*) rows=$((rows / 10)) ;; esac
# Readings of a sensor, as CSV.
awk -v rows=$rows 'BEGIN { print "room,at,temp"; for (i = 0; i < rows; i++)
	printf "cellar,2024-05-%02dT%02d:%02d:%02d.000Z,%.1f\n", 1 + i / 3600 / 24, i / 3600 % 24, i / 60 % 60, i % 60, 10 + i % 90 / 10 }' >readings.csv
typed=(
	'widefs ~/db ~/mnt'
	'ls -a ~/mnt; cat ~/mnt/.widefs/help'
	"widefsctl cql ~/mnt -e \"CREATE KEYSPACE home WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; CREATE TABLE home.sensors (room text, at timestamp, temp double, PRIMARY KEY (room, at))\""
	'ls ~/mnt/home; cat ~/mnt/home/schema.cql'
	'mkdir -p ~/mnt/home/sensors/kitchen'
	"echo '{\"temp\": 21.5}' > ~/mnt/home/sensors/kitchen/2024-05-06T07:00:00.000Z.json"
	'cat ~/mnt/home/sensors/kitchen/2024-05-06T07:00:00.000Z/temp'
	'jq .temp < ~/mnt/home/sensors/kitchen.ndjson'
	"echo '{\"temp\": \"warm\"}' > ~/mnt/home/sensors/kitchen/2024-05-06T08:00:00.000Z.json; echo \$?"
	'widefsctl errors ~/mnt -n 1'
	'widefsctl import ~/mnt/home/sensors readings.csv'
	'ls -U ~/mnt/home/sensors/cellar | head -3'
	"widefsctl cql ~/mnt -e 'SELECT count(*) FROM home.sensors'"
	'stat -c "%s bytes of %F" ~/mnt/home/sensors/kitchen/2024-05-06T07:00:00.000Z/temp'
	'rsync -aX ~/mnt/ ~/backup/ && rsync -aXn --stats ~/mnt/ ~/backup/ | grep transferred'
	'df -h ~/mnt | tail -1'
	'widefsctl stats ~/mnt | sed "/^\$/,\$d; s,  .*,,"'
	'kill -9 $(pgrep -f "widefs $HOME/db"); widefs ~/db ~/mnt; ls ~/mnt/home'
	'ls ~/mnt/home/sensors/cellar | wc -l'
	'widefsctl umount ~/mnt && widefsctl check ~/db; echo $?'
)
for line in "${typed[@]}"; do
	printf '$ %s\n' "$line"
	bash -c "$line" 2>&1
done | sed -E "s|$W|/home/ada|g; s/^bash: line [0-9]+: /bash: /; s/[0-9]{4}-[0-9-]+T[0-9:.]+Z [0-9]+ [0-9]+ /TIME PID UID /; s|^(/home/ada/db) +.*%|\1 SIZES|; s/ +[0-9]+ +[0-9]+$/ LIMITS/; s/^-+$/---/; s/^ +/ /; s/\b$rows\b/ROWS/; s/\b$((rows + 1))\b/ROWS+1/" >said
cd "$here" || exit 1
if diff -u tests/mount/first.txt "$W/said"; then pass; else fail 'what is said is as it was written down'; fi
ok 'nothing is left mounted' sh -c "! mountpoint -q '$W/mnt'"
done_testing
