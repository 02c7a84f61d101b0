# Programs read what --json prints: its members and their types are those that are kept
# in commands_json.txt. WRITE=1 writes that file anew, for a change that is meant.
. tests/mount/lib.sh
kept=tests/mount/commands_json.txt
start -o log_level=error
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p text, c int, n int, v text, PRIMARY KEY (p, c));
INSERT INTO k.t (p, c, n, v) VALUES ('a', 1, 10, 'one');
DELETE FROM k.t WHERE p = 'b';
C
mkdir "$M/.snapshots/monday"
put "$M/k/t/a/1/n" none 2>/dev/null
"$CTL" flush "$M" || fail 'flush'
# shape NAME COMMAND...: a line for each member of what the command prints: its name, path and type.
shape() {
	local name=$1
	shift
	"$@" 2>>"$W/stderr" | jq -r --arg name "$name" 'paths as $p | select(getpath($p) | type != "object" and type != "array") |
		$name + " " + ($p | map(if type == "number" then "[]" else . end) | join(".")) + " " + (getpath($p) | type)' | LC_ALL=C sort -u
}
shapes() {
	shape 'status' "$CTL" status --json "$M"
	shape 'stats' "$CTL" stats --json "$M"
	shape 'stats --histograms' "$CTL" stats --json --histograms "$M"
	shape 'stats TABLE' "$CTL" stats --json "$M/k/t"
	shape 'snapshot list' "$CTL" snapshot list --json "$M"
	shape 'cql --mode=json' "$CTL" cql --mode=json "$M" -e 'SELECT * FROM k.t'
	shape 'sstable --dump' "$CTL" sstable --dump "$(grep -l one "$S"/engine/*.sst | head -1)"
	for command in import export flush compact scrub; do
		case $command in
		import) set -- "$M/k/t" "$W/rows.csv" ;;
		export) set -- "$M/k/t" "$W/rows.csv" ;;
		scrub) set -- --wait "$M" ;;
		*) set -- "$M" ;;
		esac
		shape "$command --progress=json" sh -c '"$@" 2>&1 >/dev/null | tail -1' sh "$CTL" "$command" --progress=json "$@"
	done
	shape 'bench' "$CTL" bench --json -n 100 fillseq
	stop
	shape 'check' "$CTL" check --json "$S"
}
"$CTL" export "$M/k/t" "$W/rows.csv" || fail 'export'
shapes >"$W/shapes"
[ ! "${WRITE:-}" ] || cp "$W/shapes" $kept
ok 'there are as many as there were' test "$(wc -l <"$W/shapes")" -gt 100
is 'the members of --json' '' "$(diff $kept "$W/shapes")"
done_testing
