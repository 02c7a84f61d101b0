# tail -f of a value that grows shows what is added, and of one that is replaced no
# part (fs/README.md, "Cells" and "Caching": what is open shows a later value only if
# that begins with its own). First the tool itself, then readers that do as it does beside
# writers of all kinds (SECONDS_EACH, SEED).
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (id int PRIMARY KEY, a text, b blob, m map<text, text>);
INSERT INTO k.t (id, a, m) VALUES (1, 'one', {'1': 'one'});
INSERT INTO k.t (id, a) VALUES (2, '');
C
mkdir "$M/k/free" "$M/k/free/p"
r=$M/k/t/1
echo one >"$M/k/free/p/x"
seq 2000 >"$r/b"
tails=()
# follow NAME FILE [OPTION...]: its last line, and what is added, into $W/NAME.
follow() {
	timeout 60 tail -n 1 -f "${@:3}" "$2" >"$W/$1" 2>"$W/$1.err" &
	tails+=($!)
	within 20 test -s "$W/$1" || [ ! -s "$2" ] || fail "$1: tail began"
}
# shows NAME TEXT: soon that tail has shown this, and no more.
shows() { printf '%s' "$2" >"$W/$1.want"; within 20 cmp -s "$W/$1" "$W/$1.want"; }
# grown NAME FILE BEFORE: what is added comes, more than once.
grown() {
	echo two >>"$2"
	ok "$1: an addition" shows "$1" "$3"$'two\n'
	printf 'three\nfour\n' >>"$2"; echo five >>"$2"
	ok "$1: more of them" shows "$1" "$3"$'two\nthree\nfour\nfive\n'
}
follow text "$r/a"
follow same "$r/a" -s 0.2
grown text "$r/a" $'one\n'
ok 'another tail of the same' within 20 cmp -s "$W/text" "$W/same"
follow blob "$r/b" -s 0.2; grown blob "$r/b" $'2000\n'
follow element "$r/m/1" -s 0.2; grown element "$r/m/1" $'one\n'
follow row "$M/k/free/p/x" -s 0.2; grown row "$M/k/free/p/x" $'one\n'
follow empty "$M/k/t/2/a" -s 0.2; grown empty "$M/k/t/2/a" ''
follow statement "$r/a" -s 0.2
cql "UPDATE k.t SET a = 'one
two
three
four
five
by a statement' WHERE id = 1" >/dev/null
ok 'a statement adds' shows statement $'five\nby a statement\n'
follow other "$r/a" -s 0.2
for f in "$r/a" "$r/b"; do echo 'a value of its own' >"$f"; seq 3000 >>"$f"; done
seq 20 >"$M/k/free/p/x"
rm "$r/m/1"
sleep 2.5
is 'of another value: nothing' 'by a statement' "$(cat "$W/other")"
is 'of another large value: nothing' $'2000\ntwo\nthree\nfour\nfive' "$(cat "$W/blob")"
is 'of another row: nothing' $'one\ntwo\nthree\nfour\nfive' "$(cat "$W/row")"
is 'of a value that is gone: nothing' $'one\ntwo\nthree\nfour\nfive' "$(cat "$W/element")"
kill "${tails[@]}"
wait "${tails[@]}" 2>/dev/null
is 'no tail complained' '' "$(cat "$W"/*.err)"
rm -r "$M/k/free/p/x"
run_cql <<<'TRUNCATE k.t; INSERT INTO k.t (id, m) VALUES (1, {}); UPDATE k.t SET a = '"''"' WHERE id = 1;'
mkdir -p "$r/m"
if out=$(timeout 300 python3 tests/mount/follow.py "$M" "${SECONDS_EACH:-10}" "${SEED:-1}" 2>&1); then pass; else fail 'readers of values that grow'; fi
echo "$out"
is 'nothing is charged to readers any more' 0 "$(sed -n 's/^widefs_read_bytes //p' "$M/.widefs/metrics")"
stop
done_testing
