# Programs that copy whole trees, out and in, with their defaults: rsync, cp -a, tar, zip; backups after one another.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
USE k;
CREATE TYPE address (street text, city text);
CREATE TABLE t (id int, c text, s text STATIC, a int, b text, bl blob, tags set<text>, m map<text, int>, l list<text>, home address, PRIMARY KEY (id, c));
CREATE TABLE n (k text PRIMARY KEY, hits counter);
CREATE TABLE e (p text, q int, PRIMARY KEY (p, q));
INSERT INTO t (id, c, s, a, b, bl, tags, m, l, home) VALUES (1, 'x', 'st', 5, 'text', 0x00ff, {'p', 'q'}, {'one': 1}, ['f', 'g'], {street: 'S', city: 'C'});
INSERT INTO t (id, c, a) VALUES (1, 'y', 6);
INSERT INTO t (id, c, a, b) VALUES (2, 'x', 7, 'gone soon') USING TTL 100000;
UPDATE n SET hits = hits + 42 WHERE k = 'page';
INSERT INTO e (p, q) VALUES ('only keys', 1);
INSERT INTO e (p, q) VALUES ('..', 2);
C
mkdir "$M/k/notes" "$M/k/notes/alice"
printf 'buy milk' >"$M/k/notes/alice/.todo"
dump() { for t in t e n notes; do cql "SELECT JSON * FROM k.$t"; done; cql 'SELECT ttl(b) FROM k.t' | jq -c '[.rows[][0] != null]'; }
before=$(dump)
ok 'rsync out' rsync -aX "$M/" "$W/backup/"
is 'again nothing' '' "$(rsync -aXn --itemize-changes "$M/" "$W/backup/")"
ok 'cp -a' cp -a "$M/k" "$W/copy"
ok 'tar' tar -C "$M" -cf "$W/k.tar" k
ok 'rm -r' rm -r "$M/k"
ok 'the keyspace again' mkdir "$M/k"
ok 'its schema' cp "$W/backup/k/schema.cql" "$M/k/"
ok 'rsync back' rsync -aX "$W/backup/k/" "$M/k/"
is 'every datum is back' "$before" "$(dump)"
is 'and rsync agrees' '' "$(rsync -aXn --delete --itemize-changes "$W/backup/k/" "$M/k/")"
is 'in the other direction' '' "$(rsync -aXn --delete --itemize-changes "$M/k/" "$W/backup/k/")"
rm -r "$M/k" && mkdir "$M/k" && cp "$W/copy/schema.cql" "$M/k/"
ok 'cp -a back' cp -a "$W/copy/." "$M/k/"
is 'the same data' "$(sed '$d' <<<"$before")" "$(dump | sed '$d')"
rm -r "$M/k"
ok 'tar back' tar -C "$M" -xf "$W/k.tar"
is 'the same data' "$(sed '$d' <<<"$before")" "$(dump | sed '$d')"
cql "DELETE FROM k.t WHERE id = 1" >/dev/null
ok 'rsync over deleted rows' rsync -aX --delete "$W/backup/k/" "$M/k/"
is 'restores them' "$before" "$(dump)"


# rsync in its ways, over what is there already, with one cell that differs.
x=$M/k/t/1/x
shown() { rsync -aXn --delete --itemize-changes "$@"; }
same_as_backup() { is "$1: nothing differs" '' "$(shown "$W/backup/k/" "$M/k/")$(shown "$M/k/" "$W/backup/k/")"; is "$1: every datum" "$before" "$(dump)"; }
for way in '' --inplace --whole-file --no-whole-file '--no-whole-file --inplace' --checksum --delete-after --partial --partial-dir=.rsync-partial --delay-updates --fsync -z --sparse --backup --temp-dir="$W" '-H -A'; do
	echo changed >"$x/b"; rm "$M/k/t/1/y/a"; mkdir "$M/k/t/1/extra"; echo 9 >"$M/k/t/1/extra/a"
	# shellcheck disable=SC2086 # several options
	ok "rsync $way" rsync -aX --delete $way "$W/backup/k/" "$M/k/"
	case $way in
	--backup)
		is 'its backups are beside' 'a~ b~' "$(find "$M/k" -name '*~' -printf '%f\n' | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
		find "$M/k" -name '*~' -delete
		rmdir "$M/k/t/1/extra"
		rsync -aX "$W/backup/k/" "$M/k/"	# the times of the directories
		;;
	esac
	same_as_backup "rsync $way"
done
ok 'rsync -c of one cell' sh -c "echo 77 >'$x/a' && rsync -aXc '$x/a' '$W/backup/k/t/1/x/a' && cmp '$x/a' '$W/backup/k/t/1/x/a'"
is 'rsync shows what changes' '>f' "$(sleep 1.1; echo 78 >"$x/a"; shown "$M/k/" "$W/backup/k/" | grep '/a$' | cut -c1-2)"
ok 'rsync of the changes' rsync -aX --delete "$M/k/" "$W/backup/k/"
before=$(dump)
is 'rsync deletes what is gone' '*deleting   t/2/x/b' "$(rm "$M/k/t/2/x/b"; rsync -aX --delete --itemize-changes "$M/k/" "$W/backup/k/" | grep deleting)"
before=$(dump)
ok 'rsync --files-from' sh -c "cd '$M' && find k -name a | rsync -aX --files-from=- . '$W/some/'"
is 'rsync --files-from: those alone' "$(cd "$M" && find k -name a | wc -l)" "$(find "$W/some" -type f | wc -l)"
is 'rsync --list-only' 0 "$(rsync -r --list-only "$M/" >"$W/out"; echo $?)"

# A backup a day, each holding what did not change as a link to the one before.
ok 'the first day' rsync -aX "$M/" "$W/day1/"
sleep 1.1
echo second >"$x/b"
ok 'the second day' rsync -aX --link-dest="$W/day1" "$M/" "$W/day2/"
is 'an unchanged file is one file' 2 "$(stat -c %h "$W/day2/k/t/1/x/bl")"
is 'a changed file is two' 1 "$(stat -c %h "$W/day2/k/t/1/x/b")"
is 'only the changed file has no other name' t/1/x/b "$(cd "$W/day2/k" && find . -type f -links 1 -printf '%P\n')"
ok 'a snapshot' mkdir "$M/.snapshots/three"
echo third >"$x/b"; rm "$M/k/t/1/y/a"
ok 'the third day, from a snapshot' rsync -aX --link-dest="$W/day2" "$M/.snapshots/three/" "$W/day3/"
is 'nothing changed in between' '' "$(cd "$W/day3" && find . -type f -links 1 -printf '%P\n')"
ok 'the next snapshot' mkdir "$M/.snapshots/four"
is 'the difference of two snapshots' $'*deleting   k/t/1/y/a\n>f' "$(rsync -aXn --delete --itemize-changes "$M/.snapshots/four/" "$W/day3/" | grep -E 'deleting|^>f' | sed 's/^>f.*/>f/' | LC_ALL=C sort)"
ok 'a day is restored' rsync -aX --delete "$W/day1/k/" "$M/k/"
is 'every datum of that day' "$before" "$(dump)"
rmdir "$M/.snapshots/three" "$M/.snapshots/four"

# tar: compared, renewed, incremental, through a pipe.
ok 'tar c' tar -C "$M" -cf "$W/k.tar" k
is 'tar says nothing' '' "$(tar -C "$M" -cf "$W/k.tar" k 2>&1)"
is 'tar --diff' '' "$(tar -C "$M" -df "$W/k.tar" 2>&1)"
echo later >"$x/b"
refused 'tar --diff finds what changed' 'k/t/1/x/b: Size differs' tar -C "$M" -df "$W/k.tar"
ok 'tar x over it' tar -C "$M" -xf "$W/k.tar"
is 'every datum' "$(sed '$d' <<<"$before")" "$(dump | sed '$d')"
ok 'tar x of one cell' sh -c "echo x >'$x/b' && tar -C '$M' -xf '$W/k.tar' k/t/1/x/b && cmp '$x/b' '$W/day1/k/t/1/x/b'"
for flag in --keep-newer-files --skip-old-files --no-overwrite-dir '--overwrite --exclude=hits'; do 
	# shellcheck disable=SC2086 # several options
	ok "tar x $flag" tar -C "$M" -xf "$W/k.tar" $flag
done
is 'nothing has changed' "$(sed '$d' <<<"$before")" "$(dump | sed '$d')"
ok 'tar --sparse -z through a pipe' sh -c "tar -C '$M' -czSf - k | tar -C '$W' --one-top-level=piped -xzf -"
ok 'the same files' diff -r "$M/k" "$W/piped/k"
ok 'tar --xattrs' tar -C "$M" --xattrs -cf "$W/x.tar" k
ok 'tar -g, the whole' tar -C "$M" -g "$W/since" -cf "$W/0.tar" k
sleep 1.1
echo increment >"$x/b"; mkdir "$M/k/t/1/late"; echo 3 >"$M/k/t/1/late/a"; rm -r "$M/k/t/2/x"
ok 'tar -g, what changed' tar -C "$M" -g "$W/since" -cf "$W/1.tar" k
is 'tar -g: these files' $'k/t/1/late/a\nk/t/1/x/b' "$(tar -tf "$W/1.tar" | grep -v '/$' | LC_ALL=C sort)"
after=$(dump)
rm -r "$M/k"
# Such an archive has all directories first.
mkdir "$M/k"
tar -C "$M" -xf "$W/0.tar" k/schema.cql
ok 'the whole comes back' tar -C "$M" -g /dev/null -xf "$W/0.tar"
ok 'and what changed' tar -C "$M" -g /dev/null -xf "$W/1.tar"
is 'tar -g: every datum, what was removed too' "$(sed '$d' <<<"$after")" "$(dump | sed '$d')"

# cpio's kind of stream, zip, and compressors in place.
ok 'zip -r' sh -c "cd '$M' && zip -qr '$W/k.zip' k"
ok 'unzip -t' unzip -tq "$W/k.zip"
ok 'unzip elsewhere' unzip -q "$W/k.zip" -d "$W/unzipped"
ok 'the same files' diff -r "$M/k" "$W/unzipped/k"
echo other >"$x/b"
ok 'unzip -o over it' unzip -qo "$W/k.zip" -d "$M"
is 'unzip: every datum' "$(sed '$d' <<<"$after")" "$(dump | sed '$d')"
printf 'to be packed\n' >"$M/k/notes/alice/file"
ok 'gzip in place' gzip "$M/k/notes/alice/file"
is 'gzip: its name' 'file.gz' "$(names "$M/k/notes/alice")"
is 'zcat' 'to be packed' "$(zcat "$M/k/notes/alice/file.gz")"
ok 'gunzip in place' gunzip "$M/k/notes/alice/file.gz"
is 'gunzip' 'to be packed' "$(cat "$M/k/notes/alice/file")"
refused 'gzip of a cell: there is no such column' 'Invalid argument' gzip -k "$x/b"
is 'nothing is left of it' '' "$(find "$M/k" -name '*.gz')"

refused 'no fifos' 'Operation not permitted' mkfifo "$x/b~"
is 'and why' '/k/t/1/x/b~ EPERM there are no links, devices, pipes and sockets' "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f5-)"
refused 'no other type' 'Operation not permitted' setfattr -n user.type -v int "$x/b"
is 'and why' '/k/t/1/x/b EPERM this attribute is read-only' "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f5-)"
refused 'no table of the system' 'Read-only file system' mkdir "$M/system/t"
is 'and why' '/system/t EROFS nothing can be changed here' "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f5-)"
done_testing
