# A dump of random rows, loaded into a new store, gives the same values, timestamps and TTLs of all cells and of
# the markers of rows. SEEDS and COUNT (statements) choose what is tried.
. tests/mount/lib.sh
# times STORE: its rows with all times; of the TTLs, which are seconds that are left, which of the three they were.
times() {
	local columns='p, c, s, sm, a, t, m, st, l, u, f, writetime(*), ttl(*)' column table
	for column in s sm a t m st l u f; do columns+=", writetime($column), ttl($column)"; done
	for table in plain lives; do "$CTL" cql -r -m json "$1" -e "SELECT $columns FROM d.$table"; done | sed -E 's/\b(500000|49[0-9]{4})\b/five/g; s/\b(600000|59[0-9]{4})\b/six/g; s/\b(700000|69[0-9]{4})\b/seven/g'
	"$CTL" cql -r -m json "$1" -e 'SELECT p, c, e, v, writetime(v) FROM d.compact; SELECT * FROM d.cn'
}
for seed in ${SEEDS:-1 2 3}; do
	python3 tests/mount/dump_random.py "$seed" "${COUNT:-400}" >"$W/random.cql"
	is "seed $seed: the rows are made" 0 "$("$CTL" load "$W/one$seed" <"$W/random.cql" >"$W/out" 2>&1; echo $?)"
	is "seed $seed: the dump is loaded" 0 "$("$CTL" dump "$W/one$seed" | "$CTL" load "$W/two$seed" >"$W/out" 2>&1; echo $?)"
	ok "seed $seed: there are rows" test "$(times "$W/one$seed" | wc -l)" -gt 40
	is "seed $seed: it is the same" '' "$(diff <(times "$W/one$seed") <(times "$W/two$seed"))"
done
# Why markers are dumped: the row is there when its cells have expired, and goes with its marker.
run_store() { "$CTL" load "$W/marker" >"$W/out" 2>&1; }
ok 'rows of short life' run_store <<'C'
CREATE KEYSPACE d WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE d.t (p int PRIMARY KEY, a int, b int);
INSERT INTO d.t (p) VALUES (1) USING TIMESTAMP 100;
UPDATE d.t USING TIMESTAMP 100 AND TTL 500000 SET a = 1, b = 2 WHERE p = 1;
INSERT INTO d.t (p, a) VALUES (2, 1) USING TIMESTAMP 100 AND TTL 500000;
UPDATE d.t USING TIMESTAMP 100 SET b = 2 WHERE p = 2;
UPDATE d.t USING TIMESTAMP 100 AND TTL 500000 SET a = 1 WHERE p = 3;
C
"$CTL" dump "$W/marker" | grep -E '^(INSERT|UPDATE)' | sed -E 's/TTL [0-9]+/TTL n/' >"$W/lines"
is 'a permanent row has a permanent marker' 'INSERT INTO d.t (p) VALUES (1) USING TIMESTAMP 100;' "$(grep 'INTO.*(1)' "$W/lines")"
is 'one with a TTL keeps it, beside permanent cells' 'INSERT INTO d.t (p, a) VALUES (2, 1) USING TIMESTAMP 100 AND TTL n;' "$(grep 'INTO.*(2,' "$W/lines")"
is 'a row without a marker gets none' 'UPDATE d.t USING TIMESTAMP 100 AND TTL n SET a = 1 WHERE p = 3;' "$(grep -w 3 "$W/lines")"
is 'DISTINCT has no times of rows' 1 "$("$CTL" cql -r "$W/marker" -e 'SELECT DISTINCT p, ttl(*) FROM d.t' >"$W/out" 2>"$W/err"; echo $?)"
is 'maxwritetime has no *' 1 "$("$CTL" cql -r "$W/marker" -e 'SELECT maxwritetime(*) FROM d.t' >"$W/out" 2>"$W/err"; echo $?)"
done_testing
