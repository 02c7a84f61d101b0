# A terminal of 40 columns: no progress is wider; the rest is what a pipe gets. In a pipe
# there is neither progress nor colour.
. tests/mount/lib.sh
unset NO_COLOR
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (a int PRIMARY KEY, b text, c text);
INSERT INTO k.t (a, b, c) VALUES (1, 'a value that is wider than the terminal', 'x');
C
put "$M/k/t/1/a" x 2>/dev/null
echo flush >"$M/.widefs/ctl"
narrow() { python3 tests/mount/narrow.py "$@" 2>&1; }
has_none() { ! grep -qaE $'\r|\033' "$@"; }
# same WHAT STATUS COMMAND...: a pipe and the terminal get the same lines, which of the figures alone may differ.
figures() { sed -E 's/\x1b\[[0-9;]*m//g; s/[0-9]+(\.[0-9]+)?/N/g; s/\t/  /g; s/#+|  +//g; s/N ?([BKMG]i?B?|[um]?s)\b/N/g'; }
same() {
	local what=$1 status=$2
	shift 2
	is "$what in a pipe" "$status" "$("$@" >"$W/out" 2>"$W/err" </dev/null; echo $?)"
	ok "$what in a pipe: neither colour nor progress" has_none "$W/out" "$W/err"
	narrow terminal "$@" >"$W/narrow"
	is "$what on a terminal" "status $status over False" "$(head -1 "$W/narrow")"
	is "$what: the same lines" "$(cat "$W/err" "$W/out" | figures | LC_ALL=C sort)" "$(tail -n +2 "$W/narrow" | figures | LC_ALL=C sort)"
}
same status 0 "$CTL" status "$M"
same stats 0 "$CTL" stats "$M"
same 'stats of a table' 0 "$CTL" stats --histograms "$M/k/t"
same errors 0 "$CTL" errors "$M"
ok 'a snapshot' "$CTL" snapshot create "$M" one
same 'a list' 0 "$CTL" snapshot list "$M"
same flush 0 "$CTL" flush --progress=never --wait "$M"
same compact 0 "$CTL" compact --progress=never --wait "$M"
same scrub 0 "$CTL" scrub --progress=never --wait "$M"
same dump 0 "$CTL" dump "$M"
same 'a refusal' 2 "$CTL" export --format=none "$M/k/t"
same help 0 "$CTL" --help
same 'help of widefs' 0 "$WIDEFS" --help
# A table of cql is on a terminal alone; each of its lines is one, and the error shows its place.
narrow terminal "$CTL" cql "$M" -e 'SELECT * FROM k.t' >"$W/narrow"
is 'a table of cql' 'status 0 over False' "$(head -1 "$W/narrow")"
is 'a value of it is whole' 1 "$(grep -c 'a value that is wider than the terminal' "$W/narrow")"
ok 'in a pipe' "$CTL" cql "$M" -e 'SELECT * FROM k.t' >"$W/out"
narrow terminal "$CTL" cql "$M" -e 'SELECT aaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbb FROM k.t' >"$W/narrow"
is 'an error of cql' 'status 1 over False' "$(head -1 "$W/narrow")"
is 'the place of an error fits' 0 "$(tail -n +3 "$W/narrow" | awk 'length > 40' | wc -l)"
# Progress: import of a pipe and of a file, whose size is known; export; COPY.
text=$(printf '%0900d' 0)
seq 2 6000 | sed "s/.*/&,a text of some length,$text/" >"$W/rows"
{ echo a,b,c; cat "$W/rows"; } >"$W/rows.csv"
{ echo 'COPY k.t (a, b, c) FROM STDIN;'; cat "$W/rows"; echo '\.'; } >"$W/copy"
narrow slow "$CTL" import "$M/k/t" - <"$W/rows.csv" >"$W/narrow"
is 'import of a pipe' 'status 0 over True' "$(head -1 "$W/narrow")"
ok 'its line' grep -qE '^import: [0-9.]+ [KM]iB, [0-9.]+ ([KM]i)?B/s$' "$W/narrow"
FILE=$W/rows.csv narrow held "$CTL" import "$M/k/t" "$W/rows.csv" >"$W/narrow"
is 'import of a file' 'status 0 over True' "$(head -1 "$W/narrow")"
ok 'its line has what has room' grep -qE '^import: [0-9]+ %, [0-9.]+ [KM]iB of [0-9.]+ MiB$' "$W/narrow"
narrow slow "$CTL" export "$M/k/t" >"$W/narrow" </dev/null
is 'export' 'status 0 over True' "$(head -1 "$W/narrow")"
narrow slow "$CTL" cql "$M" <"$W/copy" >"$W/narrow"
is 'COPY' 'status 0 over True' "$(head -1 "$W/narrow")"
ok 'its line has no room for the rate' grep -qE '^Processed: [0-9]+ rows' "$W/narrow"
# A message removes the line of the progress, and begins its own.
sed '4000s/.*/x,y,z/' "$W/copy" >"$W/torn"
narrow slow "$CTL" cql "$M" <"$W/torn" >"$W/narrow"
is 'a refused record' 'status 1 over True' "$(head -1 "$W/narrow")"
ok 'its message is a line' grep -qE '^STDIN:3999: a: ' "$W/narrow"
TERM=dumb narrow slow "$CTL" import "$M/k/t" - <"$W/rows.csv" >"$W/narrow"
is 'no progress on a terminal that is none' 'status 0 over False' "$(head -1 "$W/narrow")"
TERM=dumb narrow slow "$CTL" cql "$M" <"$W/copy" >"$W/narrow"
is 'nor of COPY' 'status 0 over False' "$(head -1 "$W/narrow")"
NO_COLOR=1 narrow terminal "$CTL" status "$M" >"$W/narrow"
ok 'no colour with NO_COLOR' has_none "$W/narrow"
(head -1 "$W/rows.csv"; sleep 1.2; tail -n +2 "$W/rows.csv") | "$CTL" import "$M/k/t" - >"$W/out" 2>"$W/err"
ok 'no progress in a pipe' has_none "$W/out" "$W/err"
stop
same "check of a store" 0 "$CTL" check --progress=never "$S"
same "stats of a store" 0 "$CTL" stats "$S"
done_testing
