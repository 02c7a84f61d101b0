# Files that wait for schema.cql: none is lost when the daemon is killed while that
# is written (waiting.py; SEED, ROUNDS), and a @key that a full disk refused is not there.
. tests/mount/lib.sh
start
seed=${SEED:-1}
for ((i = seed; i < seed + ${ROUNDS:-6}; i++)); do
	python3 tests/mount/waiting.py "$M" "$(daemon_pid)" "$i"
	wait_closed
	umount -l "$M" 2>/dev/null || fusermount3 -uz "$M"
	start
	is "killed while schema.cql is written, seed $i" '' "$(python3 tests/mount/waiting.py "$M" look "$i" 2>&1)"
done
# Directories with shortened names, and their keys, for a table that waits.
run_cql <<<"CREATE TABLE w$seed.names (p text PRIMARY KEY, a text);"
for i in {1..40}; do
	key=$i$(head -c 60000 /dev/zero | tr '\0' x)
	run_cql <<<"INSERT INTO w$seed.names (p, a) VALUES ('$key', 'a');"
done
mkdir "$W/away"
cp -r "$M/w$seed/names" "$W/away/"
stop
is 'the store is sound' '0 problems' "$("$CTL" check "$S")"

small_disk 24m
start
mkdir "$M/k" "$M/k/names"
for dir in "$W/away/names"/*; do mkdir "$M/k/names/${dir##*/}"; done
mkdir -p "$M/fill/t/p"
dd if=/dev/zero of="$D/filler" bs=64k 2>/dev/null
for ((i = 0; i < 1000; i++)); do	# the store takes what it has reserved
	head -c 50000 /dev/urandom 2>/dev/null | dd of="$M/fill/t/p/$i" bs=64k 2>/dev/null || break
done
refused=0 there=0
for dir in "$W/away/names"/*; do
	to=$M/k/names/${dir##*/}
	cp "$dir/@key" "$to/" 2>/dev/null && continue
	refused=$((refused + 1))
	[ ! -e "$to/@key" ] || there=$((there + 1))
done
ok 'keys are refused by a full disk' [ $refused != 0 ]
is 'keys that were refused and are there' 0 $there
rm "$D/filler"
again_later() { rm -rf "$M/k/names" && cp -r "$W/away/names" "$M/k/"; }
ok 'they are copied when there is room again' within 20 again_later
stop
is 'the store is sound' '0 problems' "$("$CTL" check "$S")"
done_testing
