# Counters in documents: a total that is not there is taken, one that stands changes nothing, another one is refused.
# And in their own files: the lines of a write count together.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p int, c int, s counter static, n counter, "N" counter, m counter, PRIMARY KEY (p, c));
CREATE TABLE k.u (p text PRIMARY KEY, n counter);
UPDATE k.t SET n = n + 3, "N" = "N" - 4 WHERE p = 1 AND c = 1;
UPDATE k.t SET n = n + 9223372036854775807 WHERE p = 1 AND c = 2;
UPDATE k.t SET s = s + 7 WHERE p = 1;
UPDATE k.t SET s = s + 8 WHERE p = 2;
UPDATE k.t SET n = n - 1 WHERE p = 3 AND c = 1;
UPDATE k.u SET n = n + 5 WHERE p = 'a';
UPDATE k.u SET n = n + 6 WHERE p = 'b';
C
rows() { cql 'SELECT p, c, s, n, "N" FROM k.t' | jq -c .rows; cql 'SELECT * FROM k.u' | jq -c .rows; }
reason() { tail -1 "$M/.widefs/errors" | cut -d' ' -f7-; }
another="exists with another total: a document is taken where there is none (write +N or -N to the counter's own file)"
was=$(rows)
for form in ndjson csv; do
	cat "$M/k/t.$form" >"$W/t.$form"
	cat "$M/k/u.$form" >"$W/u.$form"
done
cp -r "$M/.json/k" "$W/json"
empty() { run_cql <<<'TRUNCATE k.t; TRUNCATE k.u;'; }
for form in ndjson csv; do
	empty
	ok "$form: into empty tables" cp "$W/t.$form" "$M/k/t.$form"
	ok "$form: the other" bash -c "cat '$W/u.$form' >>'$M/k/u.$form'"
	is "$form: all is there" "$was" "$(rows)"
	ok "$form: once more" bash -c "cat '$W/t.$form' >>'$M/k/t.$form'"
	is "$form: adds nothing" "$was" "$(rows)"
	empty
	ok "$form: import" "$CTL" import "$M/k/t" "$W/t.$form"
	ok "$form: of the other" "$CTL" import "$M/k/u" "$W/u.$form"
	is "$form: has imported all" "$was" "$(rows)"
done
empty
cp -r "$W/json/t" "$W/json/u" "$M/.json/k/"
is '.json: comes back by cp' "$was" "$(rows)"
ok '.json: by rsync' rsync -a --exclude schema.cql "$W/json/" "$M/.json/k/"
is '.json: over what is there' "$was" "$(rows)"
rm "$M/.json/k/u/a.json"
is '.json: removed' null "$(cql "SELECT n FROM k.u WHERE p = 'a'" | jq -c '.rows[0]')"
ok '.json: and again' cp "$W/json/u/a.json" "$M/.json/k/u/"
is '.json: is back' "$was" "$(rows)"
# Another total is refused, and what is there stays.
printf '{"p": "c", "n": 1}\n{"p": "a", "n": 6}\n{"p": "d", "n": 1}\n' >"$W/lines"
refused 'another' 'Invalid argument' bash -c "cat '$W/lines' >>'$M/k/u.ndjson'"
is 'says which line' "line 2: counter n $another" "$(reason)"
is 'the line before is there' '1 5' "$(cat "$M/k/u/c/n") $(cat "$M/k/u/a/n")"
is 'no line after it' 'a b c' "$(ls "$M/k/u" | paste -sd ' ')"
printf '{"p": "e", "n": 1}\n{"p": "e", "n": 1}\n{"p": "e", "n": 2}\n' >"$W/lines"
refused 'one row twice' 'Invalid argument' bash -c "cat '$W/lines' >>'$M/k/u.ndjson'"
is 'is counted once' 1 "$(cat "$M/k/u/e/n")"
refused 'in a row' 'Invalid argument' put "$M/k/u/a.json" '{"n": 6}'
is 'says so' "counter n $another" "$(reason)"
refused 'by sed' 'Invalid argument' sed -i 's/5/6/' "$M/.json/k/u/a.json"
is 'the counter keeps its total' 5 "$(cat "$M/k/u/a/n")"
refused 'no number' 'Invalid argument' put "$M/k/u/a.json" '{"n": "x"}'
# A document has one total of a counter: the last, as lines do; and it is a number.
mkdir -p "$M/k/t/8/1" "$M/k/t/8/2"
ok 'twice in a document' put "$M/k/t/8/1.json" '{"n": 4, "n": 5, "s": 2, "s": 2}'
is 'the last member counts' '{"p": 8, "c": 1, "s": 2, "n": 5}' "$(cat "$M/k/t/8/1.json")"
refused 'an empty total' 'Invalid argument' put "$M/k/t/8/2.json" '{"n": ""}'
is 'says so, too' 'counter n has an empty total' "$(reason)"
refused 'in a line' 'Invalid argument' bash -c "echo '{\"p\": 8, \"c\": 2, \"n\": \"\"}' >>'$M/k/t.ndjson'"
is 'says which line it is' 'line 1: counter n has an empty total' "$(reason)"
# > replaces, >> merges, null deletes.
mkdir "$M/k/t/9"
ok 'a new row' put "$M/k/t/9/9.json" '{"n": 1, "m": 2}'
is 'has both' '1 2' "$(cat "$M/k/t/9/9/n" "$M/k/t/9/9/m" | paste -sd ' ')"
ok '>' put "$M/k/t/9/9.json" '{"m": 2}'
is 'a counter that is not given goes' '{"p": 9, "c": 9, "m": 2}' "$(cat "$M/k/t/9/9.json")"
ok '>>' bash -c "echo '{\"n\": -3}' >>'$M/k/t/9/9.json'"
is 'adds one' '{"p": 9, "c": 9, "m": 2, "n": -3}' "$(cat "$M/k/t/9/9.json")"
ok 'a line' put "$M/k/t/9/9/n" +4
is 'goes on from there' 1 "$(cat "$M/k/t/9/9/n")"
ok 'null' bash -c "echo '{\"c\": 9, \"n\": null}' >>'$M/k/t/9.ndjson'"
is 'deletes' '{"p": 9, "c": 9, "m": 2}' "$(cat "$M/k/t/9/9.json")"
again
is 'all of it stays' '2 5' "$(cat "$M/k/t/9/9/m") $(cat "$M/k/u/a/n")"
stop
is 'the store is sound' '0 problems' "$("$CTL" check "$S")"
ok 'import into a store' "$CTL" import "$S/k/u" "$W/u.csv"
start
is 'adds nothing, too' 5 "$(cat "$M/k/u/a/n")"
# A file of totals that was refused, or cut short, in the middle counts nothing twice
# when it is written again, whole.
empty
{ seq -f '{"p": "%05.0f", "n": 7}' 1 3000; echo '{"p": "bad", "n": "x"}'; seq -f '{"p": "%05.0f", "n": -7}' 3001 6000; } >"$W/refused"
refused 'a bad line in the middle' 'Invalid argument' bash -c "cat '$W/refused' >>'$M/k/u.ndjson'"
is 'says which' 'line 3001: ' "$(reason | grep -o '^line 3001: ')"
is 'lines before it are applied' '[[3000,21000]]' "$(cql 'SELECT count(*), sum(n) FROM k.u' | jq -c .rows)"
sed -i '/bad/d' "$W/refused"
ok 'mended, and all of it again' bash -c "cat '$W/refused' >>'$M/k/u.ndjson'"
is 'each once' '[[6000,0]]' "$(cql 'SELECT count(*), sum(n) FROM k.u' | jq -c .rows)"
# killed COMMAND: runs it, kills the daemon when it has written a line to $W/said, and
# mounts again.
killed() {
	local pid
	: >"$W/said"
	"$@" >"$W/said" 2>/dev/null &
	pid=$!
	within 60 test -s "$W/said"
	kill -9 "$(daemon_pid)"
	wait $pid
	fusermount3 -u "$M"; wait_closed; start
}
cat >"$W/slowly.py" <<'P'
# Write the file to another one, n lines a call; after each tell how many there were.
import os, sys
lines, n = open(sys.argv[1], 'rb').readlines(), int(sys.argv[3])
fd = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND)
for i in range(0, len(lines), n):
    part = b''.join(lines[i:i + n])
    assert os.write(fd, part) == len(part)
    print(i + n, flush=True)
P
for form in ndjson csv; do
	empty
	if [ $form = csv ]; then head=1 line=%05.0f,7; else head=0 line='{"p": "%05.0f", "n": 7}'; fi
	{ [ $head = 0 ] || echo p,n; seq -f "$line" 1 100000; } >"$W/rows"
	killed python3 "$W/slowly.py" "$W/rows" "$M/k/u.$form" 1000
	is "$form: killed in the middle" true "$(cql 'SELECT count(*), sum(n) FROM k.u' | jq -c '.rows[0] | .[0] < 100000 and .[1] == .[0] * 7')"
	head -$((10000 + head)) "$W/rows" >"$W/some"
	ok "$form: again" bash -c "cat '$W/some' >>'$M/k/u.$form'"
	is "$form: each once" 10000 "$(cql 'SELECT p, n FROM k.u' | jq -c '[.rows[] | select(.[0] <= "10000" and .[1] == 7)] | length')"
done
# Lines of a counter's own file do count again: of a write all are counted, or none, and
# the reason says up to where to go on from.
mkdir "$M/k/u/lines"; n=$M/k/u/lines/n
put "$n" 10
refused 'a bad line' 'Invalid argument' bash -c "printf '+1\n+2\nx\n+4\n' >'$W/l'; cat '$W/l' >>'$n'"
is 'says which, and what is counted' 'line 3: a counter takes lines of +N or -N (none of this write is counted)' "$(reason)"
is 'none is counted' 10 "$(cat "$n")"
refused 'the first' 'Invalid argument' put "$n" x
is 'has no number' 'a counter takes lines of +N or -N' "$(reason)"
exec 8>>"$n"
printf '+1\n+2\n' >&8
refused 'in a later write' 'Invalid argument' bash -c "printf '+0\n-1\n7\n' >'$W/l'; cat '$W/l' >&8"
exec 8>&-
is 'says so' 'line 5: this counter exists: write +N or -N (the first 2 are counted)' "$(reason)"
is 'the first lines are counted' 13 "$(cat "$n")"
ok 'on from there' bash -c "printf '+30\n-1\n+7\n' >>'$n'"
is 'is all' 49 "$(cat "$n")"
refused 'a line without a newline, at the close' 'Invalid argument' bash -c "printf '+1\n+' >'$W/l'; cat '$W/l' >>'$n'"
is 'says what is counted' 'line 2: a counter takes lines of +N or -N (the first 1 are counted)' "$(reason)"
refused 'in a file that is renamed' 'cannot move' bash -c "printf '+1\n+1\n5\n' >'$n.tmp1'; mv '$n.tmp1' '$n'"
is 'counts none' 50 "$(cat "$n")"
rm -f "$n.tmp1"
yes +1 | head -1000000 >"$W/ones"
put "$n" -50
killed python3 "$W/slowly.py" "$W/ones" "$n" 5000
is 'killed in the middle: whole writes are counted' 0 $(($(cat "$n") % 5000))
is 'all that were answered, and one more at most' true "$(jq -n "$(cat "$n") - $(tail -1 "$W/said") | . == 0 or . == 5000")"
stop
done_testing
