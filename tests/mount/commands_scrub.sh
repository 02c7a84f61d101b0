# check --json, scrub, and progress: what is damaged is told, and how far they are.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p int, c int, v text, PRIMARY KEY (p, c));
CREATE TABLE k.u (p int PRIMARY KEY, v text);
INSERT INTO k.u (p, v) VALUES (1, 'u');
C
for ((i = 0; i < 2000; i++)); do echo "INSERT INTO k.t (p, c, v) VALUES ($((i % 7)), $i, '$RANDOM$RANDOM$RANDOM$RANDOM$RANDOM');"; done | run_cql
echo flush >"$M/.widefs/ctl"
is 'no scrub yet' 'none: 0 of 0 bytes, 0 problems' "$(cat "$M/.widefs/scrub")"
is 'scrub is started' 0 "$(exits "$CTL" scrub "$M")"
is 'quietly' '' "$(cat "$W/out" "$W/err")"
for ((i = 0; i < 200; i++)); do grep -q '^finished' "$M/.widefs/scrub" && break; sleep 0.05; done
bytes=$(cat "$S"/engine/*.sst | wc -c)
is 'and finds nothing' "finished: $bytes of $bytes bytes, 0 problems" "$(cat "$M/.widefs/scrub")"
is 'scrub --wait' 0 "$(exits "$CTL" scrub --wait "$M/k/t")"
is 'says so' '0 problems' "$(cat "$W/out" "$W/err")"
ok 'of the table alone' test "$(sed 's/.* of \([0-9]*\) .*/\1/' "$M/.widefs/scrub")" -lt "$bytes"
ok 'the line of ctl' put "$M/.widefs/ctl" 'scrub k.t'
is 'no such table' 6 "$(exits "$CTL" scrub "$M/k/none")"
refused 'of ctl' 'Invalid argument' put "$M/.widefs/ctl" 'scrub k.none'
is 'a reason' "there is no table 'k.none'" "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f7-)"
# A byte of a block is changed below the daemon. The file of the table is the largest.
file=$(ls -S "$S"/engine/*.sst | head -1)
byte=$(od -An -tu1 -j 3000 -N 1 "$file")
again
printf '%b' "\\x$(printf %x $((byte ^ 4)))" | dd of="$file" bs=1 seek=3000 conv=notrunc status=none
is 'the other table is sound' 0 "$(exits "$CTL" scrub --wait "$M/k/u")"
is 'damage: status 4' 4 "$(exits "$CTL" scrub --wait "$M")"
is 'the damage is counted' '1 problem' "$(cat "$W/out")"
ok 'and named, with its offset' grep -qE "^${file##*/} is damaged at offset [0-9]+: " "$W/err"
ok 'in errors, too' grep -q " EUCLEAN ${file##*/} is " "$M/.widefs/errors"
ok 'and in .widefs/scrub' grep -q "^${file##*/} is " "$M/.widefs/scrub"
is 'status is not healthy' 4 "$(exits "$CTL" status "$M")"
ok 'and says why' grep -qF 'NOT healthy: 1 damaged sstables' "$W/out"
refused 'the line of ctl fails' 'Structure needs cleaning' put "$M/.widefs/ctl" scrub
is 'reads of others go on' u "$(cat "$M/k/u/1/v")"
if [ "$(id -u)" = 0 ]; then
	again -o allow_other
	chmod 755 "$W"
	refused 'another user may not' 'Permission denied' setpriv --reuid 65534 --clear-groups sh -c "echo scrub-start >'$M/.widefs/ctl'"
fi
stop
is 'scrub of a store' 4 "$(exits "$CTL" scrub "$S")"
is 'check --json' 4 "$(exits "$CTL" check --json "$S")"
is 'the output is one object' "$S false true 1" "$(jq -r '"\(.store) \(.quick) \(.finished) \(.problems | length)"' "$W/out")"
ok 'with the text' grep -q "^${file##*/} is " <(jq -r '.problems[0]' "$W/out")
is 'and nothing beside it' '' "$(cat "$W/err")"
is 'check --json --quick reads no data' 0 "$(exits "$CTL" check --json --quick "$S")"
is 'and says so' '{"quick":true,"finished":true,"problems":[]}' "$(jq -c 'del(.store)' "$W/out")"
printf '%b' "\\x$(printf %x "$byte")" | dd of="$file" bs=1 seek=3000 conv=notrunc status=none
is 'mended' '[]' "$("$CTL" check -j "$S" | jq -c .problems)"
cp -p "$file" "$W/kept"
truncate -s -1 "$file"
is 'a store that cannot be opened' 4 "$(exits "$CTL" check --json "$S")"
is 'is not finished' 'false 1' "$(jq -r '"\(.finished) \(.problems | length)"' "$W/out")"
cp "$W/kept" "$file"
# One file.
is 'sstable' 0 "$(exits "$CTL" sstable "$file")"
is 'has its statistics' "$file 2000 7 $(stat -c %s "$file")" "$(awk '/^file/ { f = $2 } /^rows/ { r = $2 } /^partitions/ { p = $2 } /^bytes  / { b = $2 } END { print f, r, p, b }' "$W/out")"
while IFS=: read -r version compressors; do
	is "compressors of $version" "$compressors" "$("$CTL" sstable "tests/golden/$version/000000000001.sst" | sed -n 's/^blocks by compressor  *//p')"
done <<'E'
2:LZ4 6, none 1
3-zstd:Zstd 6, none 1
3-deflate:Deflate 7
E
is 'its partitions' 7 "$("$CTL" sstable --keys "$file" | jq -s 'map(.partition) | unique | length')"
is 'in the order of tokens' true "$("$CTL" sstable -k "$file" | jq -s 'map(.token) | . == sort')"
is 'its rows' 2000 "$("$CTL" sstable --dump "$file" | jq -s 'map(select(.kind == "row" and (.cells | length) == 1 and .marker.timestamp == .cells[0].timestamp)) | length')"
is 'the file is sound' "$file: sound" "$("$CTL" sstable --verify "$file")"
is 'several' "$(find "$S/engine" -name '*.sst' | wc -l)" "$("$CTL" sstable "$S"/engine/*.sst | grep -c '^file  .*sst$')"
cp "$file" "$W/000000000001.sst"
is 'under the name of another: damage' 4 "$(exits "$CTL" sstable "$W/000000000001.sst")"
cp "$file" "$W/${file##*/}"
printf '%b' "\\x$(printf %x $((byte ^ 4)))" | dd of="$W/${file##*/}" bs=1 seek=3000 conv=notrunc status=none
is 'a damaged block' 4 "$(exits "$CTL" sstable -v "$W/${file##*/}")"
ok 'is named' grep -qE "^widefsctl: $W/${file##*/}: ${file##*/} is damaged at offset [0-9]+: " "$W/err"
is 'and ends a dump' 4 "$(exits "$CTL" sstable -d "$W/${file##*/}")"
is 'no such file' 6 "$(exits "$CTL" sstable "$W/000000999999.sst")"
is 'no sstable' 1 "$(exits "$CTL" sstable "$W/kept")"
# Progress: none in a pipe, a line a step if it is wanted, objects that parse.
is 'none in a pipe' '' "$("$CTL" check "$S" 2>&1 >/dev/null | grep -v '\.sst')"
is 'always' 1 "$("$CTL" check --progress=always "$S" 2>&1 >/dev/null | grep -cE '^check: 100 %, [0-9.]+ (B|KiB|MiB) of [0-9.]+ (B|KiB|MiB), [0-9.]+ (B|KiB|MiB|GiB)/s$')"
is 'json' 'check bytes true' "$("$CTL" scrub --progress=json "$S" 2>&1 >/dev/null | grep '^{' | tail -1 | jq -r '"check \(.unit) \(.finished)"')"
is 'never' '' "$("$CTL" scrub --progress=never "$S" 2>&1 >/dev/null | grep -v '\.sst')"
is 'no such kind' 2 "$(exits "$CTL" check --progress=much "$S")"
is 'is named' 'widefsctl: much: not a kind of progress (auto, always, never or json)' "$(cat "$W/err")"
done_testing
