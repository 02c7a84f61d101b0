# The tools of every shell, with their defaults: what they print, what is stored, how they end.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
USE k;
CREATE TABLE t (id int, c text, s text STATIC, a int, b text, bl blob, tags set<text>, m map<text, int>, PRIMARY KEY (id, c));
CREATE TABLE one (id text PRIMARY KEY, a int, b text);
INSERT INTO t (id, c, s, a, b, bl, tags, m) VALUES (1, 'x', 'st', 5, 'text', 0x00ff0a, {'p', 'q'}, {'one': 1});
INSERT INTO t (id, c, a) VALUES (1, 'y', 6);
INSERT INTO t (id, c, a, b) VALUES (2, 'x', 7, 'seven');
INSERT INTO one (id, a, b) VALUES ('ann', 1, 'first');
C
mkdir "$M/k/notes" "$M/k/notes/alice"
# same WHAT FILE: its bytes are those on standard input.
same() { if cmp -s - "$2"; then pass; else fail "$1: $(head -c 200 "$2" | od -c | head -5)"; fi; }
x=$M/k/t/1/x

# ls in each of its ways.
is 'ls' $'k' "$(ls "$M")"
is 'ls of a keyspace' $'notes\none\nschema.cql\nt' "$(ls "$M/k")"
is 'ls -U: the schema first' schema.cql "$(names "$M/k" | cut -d' ' -f1)"
is 'ls of a row' $'a\nb\nbl\nm\ntags' "$(ls "$x")"
is 'ls -a' $'.\n..\na\nb\nbl\nm\ntags' "$(ls -a "$x")"
is 'ls -l' 0 "$(exits ls -l "$x")"
is 'ls -l: sizes' $'a 2\nb 5\nbl 3' "$(awk '$1 ~ /^-/ { print $9, $5 }' "$W/out")"
is 'ls -l: kinds and modes' $'-rw-r--r-- 1 a\n-rw-r--r-- 1 b\n-rw-r--r-- 1 bl\ndrwxr-xr-x 1 m\ndrwxr-xr-x 1 tags' "$(awk 'NR > 1 { print $1, $2, $9 }' "$W/out")"
is 'ls -lai says nothing wrong' 0 "$(exits ls -lai "$x")"
is 'ls -R' 0 "$(exits ls -R "$M")"
is 'ls -R: each datum once' "$(find "$M" | wc -l)" "$(grep -cvE '^$|:$' "$W/out" | awk '{ print $1 + 1 }')"
is 'ls --color' 0 "$(exits ls --color=always "$x")"
is 'ls --color: directories alone have one' 2 "$(grep -c $'\e\\[[0-9;]*m[a-z]' "$W/out")"
is 'ls -Z' 0 "$(exits ls -Z "$x")"
is 'ls -t begins with what changed last' c-last "$(echo 1 >"$M/k/t/2/x/a"; sleep 0.01; mkdir "$M/k/t/2/c-last"; ls -t "$M/k/t/2" | head -1)"
rmdir "$M/k/t/2/c-last"
refused 'ls of nothing' 'No such file or directory' ls "$M/k/none"
is 'and its status' 2 "$(exits ls "$M/k/t/9")"

# cat, head, tail, wc, cmp, diff.
printf '5\n' | same 'cat' <(cat "$x/a")
printf '\0\377\n' | same 'cat of bytes' <(cat "$x/bl")
is 'cat of several' $'5\ntext' "$(cat "$x/a" "$x/b")"
is 'cat -n' $'     1\ttext' "$(cat -n "$x/b")"
refused 'cat of a row' 'Is a directory' cat "$x"
refused 'cat of a null' 'No such file or directory' cat "$M/k/t/1/y/b"
seq 1000 >"$x/b"
seq 10 | same 'head' <(head "$x/b")
seq 991 1000 | same 'tail' <(tail "$x/b")
seq 999 1000 | same 'tail -n 2' <(tail -n 2 "$x/b")
seq 500 1000 | same 'tail -n +500' <(tail -n +500 "$x/b")
seq 3 | same 'head -c' <(head -c 6 "$x/b")
printf '1000\n' | same 'tail -c' <(tail -c 5 "$x/b")
is 'wc' "1000 1000 3893 $x/b" "$(wc "$x/b" | tr -s ' ' | sed 's/^ //')"
is 'wc of lines of a pipe' 2 "$(wc -l <"$M/k/t/1.ndjson")"
seq 1000 >"$W/thousand"
ok 'cmp' cmp "$W/thousand" "$x/b"
is 'cmp of others' 1 "$(exits cmp "$W/thousand" "$x/a")"
seq 999 -1 0 >"$W/down"
is 'sort -o onto itself' 0 "$(exits sort -rn -o "$x/b" "$x/b")"
seq 1000 -1 1 | same 'is sorted' "$x/b"
is 'comm' 0 "$(exits comm -12 <(sort "$x/b") <(sort "$W/thousand"))"
is 'comm: all in both' 1000 "$(wc -l <"$W/out")"
ok 'split' split -l 100 "$x/b" "$W/part-"
cat "$W"/part-* | same 'its parts' "$x/b"
ok 'split into a partition' split -l 400 "$x/b" "$M/k/notes/alice/part-"
cat "$M"/k/notes/alice/part-* | same 'its parts' "$x/b"
is 'md5sum -c' 0 "$(md5sum "$x/b" >"$W/sum"; exits md5sum -c "$W/sum")"
is 'od' ' 00 ff 0a' "$(od -An -tx1 "$x/bl")"
is 'paste, cut, tr, uniq' $'7:first' "$(echo 7 >"$M/k/t/2/x/a"; paste -d: "$M/k/t/2/x/a" "$M/k/one/ann/b" | tr -s : | cut -d: -f1,2 | uniq)"

# cp in each of its ways.
echo text >"$x/b"
ok 'cp of a cell out' cp "$x/bl" "$W/bl"
printf '\0\377\n' | same 'its bytes' "$W/bl"
ok 'cp of a cell in' cp "$W/bl" "$M/k/t/1/y/bl"
printf '\0\377\n' | same 'its bytes' "$M/k/t/1/y/bl"
ok 'cp of a cell into a row' cp "$x/b" "$M/k/t/1/y"
printf 'text\n' | same 'has its name' "$M/k/t/1/y/b"
ok 'cp -p' cp -p "$x/b" "$W/kept"
is 'cp -p: the time' "$(stat -c %y "$x/b")" "$(stat -c %y "$W/kept")"
ok 'cp -p back' cp -p "$W/kept" "$M/k/t/1/y/b"
is 'cp -p back: the time' "$(stat -c %y "$x/b")" "$(stat -c %y "$M/k/t/1/y/b")"
ok 'cp -u of what is older' cp -u "$W/kept" "$x/b"
is 'cp -n' text "$(echo other >"$W/other"; cp -n "$W/other" "$x/b"; cat "$x/b")"
ok 'cp --remove-destination' cp --remove-destination "$W/other" "$x/b"
printf 'other\n' | same 'did it' "$x/b"
ok 'cp --sparse' cp --sparse=always "$W/other" "$x/b"
ok 'cp --reflink=auto' cp --reflink=auto "$x/b" "$W/other"
ok 'cp -r of a row in its table' cp -r "$x" "$M/k/t/1/copy"
is 'cp -r: every cell' "$(cd "$x" && find . -type f | LC_ALL=C sort | xargs md5sum)" "$(cd "$M/k/t/1/copy" && find . -type f | LC_ALL=C sort | xargs md5sum)"
ok 'diff -r' diff -r "$x" "$M/k/t/1/copy"
ok 'cp -a of a partition' cp -a "$M/k/t/1" "$M/k/t/3"
ok 'diff -r of partitions' diff -r "$M/k/t/1" "$M/k/t/3"
is 'cp -a: the times' "$(cd "$M/k/t/1" && find . -type f -printf '%p %T@\n' | LC_ALL=C sort)" "$(cd "$M/k/t/3" && find . -type f -printf '%p %T@\n' | LC_ALL=C sort)"
is 'in the store too' "$(cql 'SELECT c, s, a, b, bl, tags, m FROM k.t WHERE id = 1' | jq -c .rows)" "$(cql 'SELECT c, s, a, b, bl, tags, m FROM k.t WHERE id = 3' | jq -c .rows)"
ok 'cp -a out' cp -a "$M/k/t" "$W/t"
ok 'diff -r of both' diff -r "$M/k/t" "$W/t"
is 'diff tells' 1 "$(echo 99 >"$W/t/2/x/a"; exits diff -r "$M/k/t" "$W/t")"
echo before >"$x/b"
ok 'cp -b' cp -b "$W/other" "$x/b"
printf 'before\n' | same 'its backup' "$x/b~"
ok 'cp --backup=numbered' cp --backup=numbered "$W/other" "$x/b"
refused 'a backup is no column' 'Invalid argument' put "$x/bb" x
rm "$x"/b~ "$x"/b.~1~
is 'nothing is left' 'a b bl m tags' "$(names "$x")"
refused 'cp of a row without -r' '-r not specified' cp "$x" "$W/row"

# install, dd, tee, truncate.
ok 'install' install "$W/other" "$x/b"
ok 'install -D -m' install -D -m 644 "$W/other" "$M/k/one/bob/b"
printf 'other\n' | same 'made the row' "$M/k/one/bob/b"
ok 'install -b' install -b -m 644 "$W/thousand" "$x/b"
printf 'other\n' | same 'its backup' "$x/b~"
rm "$x/b~"
ok 'install -d' install -d "$M/k/one/carl"
is 'is a row' '[["carl"]]' "$(cql "SELECT id FROM k.one WHERE id = 'carl'" | jq -c .rows)"
ok 'dd' dd if="$x/b" of="$W/dd" status=none
same 'its bytes' "$W/dd" <"$W/thousand"
ok 'dd in' dd if="$W/down" of="$x/b" bs=100 status=none
same 'its bytes' "$x/b" <"$W/down"
ok 'dd conv=notrunc seek' dd if=<(printf 'HERE') of="$x/b" conv=notrunc bs=1 seek=4 status=none
{ head -c 4 "$W/down"; printf HERE; tail -c +9 "$W/down"; } | same 'in its place' "$x/b"
ok 'dd skip count' dd if="$x/b" of="$W/dd" bs=2 skip=2 count=2 status=none
printf HERE | same 'that alone' "$W/dd"
ok 'dd conv=fsync' dd if="$W/down" of="$x/b" conv=fsync,notrunc status=none
ok 'dd oflag=append' dd if="$W/other" of="$x/b" oflag=append conv=notrunc status=none
{ cat "$W/down"; echo other; } | same 'at the end' "$x/b"
refused 'dd of no value' 'Invalid argument' dd if="$W/other" of="$x/a" status=none
printf '5\n' | same 'the old value' "$x/a"
is 'tee' one "$(echo one | tee "$x/b")"
is 'tee -a' two "$(echo two | tee -a "$x/b")"
printf 'one\ntwo\n' | same 'both lines' "$x/b"
is 'tee of two' 0 "$(echo 8 | tee "$x/a" "$M/k/t/1/y/a" >/dev/null; echo $?)"
is 'tee of two: both' $'8\n8' "$(cat "$x/a" "$M/k/t/1/y/a")"
is 'tee of no number fails' 1 "$(echo no | tee "$x/a" >/dev/null 2>&1; echo $?)"
ok 'truncate -s' truncate -s 3 "$x/b"
printf 'one' | same 'what is left' <(head -c 3 "$x/b")
is 'fallocate' 1 "$(exits fallocate -l 100 "$x/b")"
refused 'fallocate says why' 'not supported' fallocate -l 100 "$x/b"

# mkdir, touch, mv, rm, ln, stat, du, df.
ok 'mkdir -p' mkdir -p "$M/k/t/4/deep/"
ok 'mkdir -p again' mkdir -p "$M/k/t/4/deep"
is 'mkdir -p: a row' '[["deep"]]' "$(cql 'SELECT c FROM k.t WHERE id = 4' | jq -c .rows)"
ok 'mkdir -p from the root' mkdir -p "$M/new/table/part"
ok 'mkdir -m' mkdir -m 755 "$M/k/t/4/other"
ok 'mkdir -pv' mkdir -pv "$M/k/t/4/more"
refused 'mkdir of what is' 'File exists' mkdir "$M/k/t/4/deep"
refused 'mkdir deeper than a row' 'cannot create directory' mkdir -p "$M/k/t/4/deep/er"
ok 'rmdir -p' rmdir -p --ignore-fail-on-non-empty "$M/new/table/part"
is 'rmdir -p went to the root' 1 "$(exits test -e "$M/new")"
ok 'touch' touch "$x/a"
ok 'touch -d' touch -d '2020-02-03 04:05:06.5' "$x/a"
is 'touch -d: the time' 2020-02-03T04:05:06.5 "$(date -d "@$(stat -c %.1Y "$x/a")" +%FT%T.%1N)"
ok 'touch -r' touch -r "$x/a" "$x/b"
is 'touch -r: the same' "$(stat -c %y "$x/a")" "$(stat -c %y "$x/b")"
ok 'touch of an absent text' touch "$M/k/t/4/deep/b"
is 'touch: empty' 0 "$(stat -c %s "$M/k/t/4/deep/b")"
ok 'touch -c' touch -c "$M/k/t/4/deep/bl"
is 'touch -c makes none' 1 "$(exits test -e "$M/k/t/4/deep/bl")"
refused 'touch of an absent number' 'Invalid argument' touch "$M/k/t/4/deep/a"
ok 'mv of a cell out' mv "$M/k/t/2/x/b" "$W/moved"
printf 'seven\n' | same 'its bytes' "$W/moved"
is 'mv out: a null' '[[null]]' "$(cql "SELECT b FROM k.t WHERE id = 2 AND c = 'x'" | jq -c .rows)"
ok 'mv of a cell in' mv "$W/moved" "$M/k/t/2/x/b"
printf 'seven\n' | same 'its bytes' "$M/k/t/2/x/b"
ok 'mv of a row' mv "$M/k/t/2/x" "$M/k/t/2/renamed"
ok 'another partition' mkdir "$M/k/t/5"
ok 'mv of a row to another partition' mv "$M/k/t/2/renamed" "$M/k/t/5"
is 'mv: it is there' '[[5,"renamed",7,"seven"]]' "$(cql 'SELECT id, c, a, b FROM k.t WHERE id = 5' | jq -c .rows)"
ok 'mv of a partition' mv "$M/k/t/5" "$M/k/t/6"
is 'mv: all of it' '[[6,"renamed",7,"seven"]]' "$(cql 'SELECT id, c, a, b FROM k.t WHERE id = 6' | jq -c .rows)"
ok 'mv of a row out' mv "$M/k/t/6/renamed" "$W/row"
is 'mv of a row out: its cells' $'7\nseven' "$(cat "$W/row/a" "$W/row/b")"
ok 'mv of a row in' mv "$W/row" "$M/k/t/2/x"
is 'mv of a row in: its cells' '[[2,"x",7,"seven"]]' "$(cql 'SELECT id, c, a, b FROM k.t WHERE id = 2' | jq -c .rows)"
ok 'mv -n' mv -n "$W/other" "$x/b"
ok 'mv -b' mv -b "$W/other" "$x/b"
ok 'mv -b: the old one' test -f "$x/b~"
ok 'mv back' mv "$x/b~" "$x/b"
# mv itself says of EINVAL that a directory would come below itself.
refused 'mv of what is no number' 'cannot move' mv "$x/b" "$x/a"
is 'and why' "EINVAL Unable to make int from" "$(tail -1 "$M/.widefs/errors" | grep -o 'EINVAL Unable to make int from')"
printf '8\n' | same 'the old value' "$x/a"
refused 'ln' 'Operation not permitted' ln "$x/b" "$x/b~"
refused 'ln -s' 'Operation not permitted' ln -s "$x/b" "$M/k/t/1/link"
refused 'ln -sf' 'Operation not permitted' ln -sf "$x/b" "$x/bl"
printf '\0\377\n' | same 'what it stood for' "$x/bl"
refused 'cp -l' 'Operation not permitted' cp -l "$x/b" "$x/b~"
refused 'cp -s' 'Operation not permitted' cp -s "$x/b" "$x/b~"
is 'none of them left anything' 'a b bl m tags' "$(names "$x")"
is 'stat' "regular file 2 1 644" "$(stat -c '%F %s %h %a' "$x/a")"
is 'stat -f' 0 "$(exits stat -f "$M")"
is 'du -b counts the bytes' "$(find "$x" -type f -printf '%s\n' | awk '{ s += $1 } END { print s }')" "$(find "$x" -type f -print0 | du -cb --files0-from=- | tail -1 | cut -f1)"
is 'du -s' 0 "$(exits du -s "$M")"
is 'du --inodes' "$(find "$M/k/t" | wc -l)" "$(du -s --inodes "$M/k/t" | cut -f1)"
is 'df' "$M" "$(df --output=target "$M/k/t" | tail -1)"
for flag in -h -i -T; do is "df $flag" 0 "$(exits df $flag "$M")"; done
is 'df -T names it' fuse.widefs "$(df --output=fstype "$M" | tail -1)"
is 'realpath' "$x/b" "$(realpath "$M/k/t/../t/1/x/b")"
is 'pwd' "$x" "$(cd "$x" && pwd -P)"
is 'test -w -r -f -d -s' 0 "$([ -w "$x/b" ] && [ -r "$x/b" ] && [ -f "$x/b" ] && [ -d "$x" ] && [ -s "$x/b" ] && [ ! -x "$x/b" ]; echo $?)"
is 'globs' "$M/k/t/1/copy/a $M/k/t/1/x/a $M/k/t/1/y/a" "$(echo "$M"/k/t/1/*/a)"

# find, xargs, grep.
is 'find -name' "$M/k/t/1/x/bl" "$(find "$M/k/t/1/x" -name 'bl')"
is 'find -type f -size' $'b' "$(seq 2000 >"$x/b"; find "$x" -type f -size +1k -printf '%f\n')"
is 'find -empty' "$M/k/t/4/deep/b" "$(find "$M/k/t/4/deep" -empty)"
touch -d '2020-01-01' "$W/stamp"; touch -d '2019-01-01' "$x/a"
is 'find -newer' '' "$(find "$x/a" -newer "$W/stamp")"
is 'find ! -newer' "$x/a" "$(find "$x" -type f ! -newer "$W/stamp")"
is 'find -mmin' "$x/b" "$(find "$x" -name b -mmin -5)"
is 'find -mtime' "$x/a" "$(find "$x" -type f -mtime +30)"
is 'find -perm, -user, -links' "$x/b" "$(find "$x/b" -perm 644 -user "$(id -un)" -links 1)"
is 'find -inum' "$x/b" "$(find "$x" -inum "$(stat -c %i "$x/b")")"
is 'find -exec +' 1 "$(find "$x" -name b -exec grep -lx 2000 {} + | wc -l)"
is 'find -depth ends with its start' "$M/k/t" "$(find "$M/k/t" -depth | tail -1)"
ok 'find -delete' find "$M/k/t/3" -name b -delete
is 'find -delete: nulls' '[[null],[null],[null]]' "$(cql 'SELECT b FROM k.t WHERE id = 3' | jq -c .rows)"
ok 'find -delete of all' find "$M/k/t/3" -delete
is 'find -delete of all: no row' '[]' "$(cql 'SELECT c FROM k.t WHERE id = 3' | jq -c .rows)"
for i in {1..200}; do echo "mkdir $M/k/t/7/r$i"; done >"$W/jobs"
mkdir -p "$M/k/t/7"
ok 'xargs -P' xargs -P 4 -d '\n' -n 1 sh -c '$0' <"$W/jobs"
is 'xargs -P: rows' '[[200]]' "$(cql 'SELECT count(*) FROM k.t WHERE id = 7' | jq -c .rows)"
ok 'xargs -P of writes' sh -c "seq 200 | xargs -P 4 -I{} sh -c 'echo {} >$M/k/t/7/r{}/a'"
is 'xargs -P of writes: the sum' '[[20100]]' "$(cql 'SELECT sum(a) FROM k.t WHERE id = 7' | jq -c .rows)"
ok 'xargs -0 -P rm' sh -c "find $M/k/t/7 -name a -print0 | xargs -0 -P 4 -n 5 rm"
ok 'rm -r' rm -r "$M/k/t/7"
is 'rm -r: all of it' '[[0]]' "$(cql 'SELECT count(*) FROM k.t WHERE id = 7' | jq -c .rows)"
is 'grep -r' "$M/k/one/ann/b:first" "$(grep -r first "$M")"
is 'grep -rl' "$M/k/one/ann/b" "$(grep -rl first "$M/k")"
is 'grep -rc finds none' 1 "$(exits grep -r 'nowhere at all' "$M")"
is 'grep of bytes' "grep: $x/bl: binary file matches" "$(LC_ALL=C grep -P '\xff' "$x/bl" 2>&1)"
is "rm -i" b "$(rm -i "$x/b" <<<n 2>/dev/null; ls "$x" | grep -x b)"
ok 'rm -f of nothing' rm -f "$M/k/t/1/x/tags/none"
refused 'rm of a row' 'Is a directory' rm "$x"
ok 'rm -rf of a table' rm -rf "$M/k/one"
is 'its table is dropped' 1 "$(exits test -e "$M/k/one")"
ok 'rm -r of a keyspace' rm -r "$M/k"
is 'nothing is left' '' "$(ls -A "$M")"
done_testing
