# widefsctl snapshot: on a mount and on a store.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (id int PRIMARY KEY, a int);
CREATE TABLE k.u (id int PRIMARY KEY, a int);
INSERT INTO k.t (id, a) VALUES (1, 1);
INSERT INTO k.u (id, a) VALUES (1, 1);
C
status() { "$@" >"$W/out" 2>"$W/err" </dev/null; echo $?; }
snap() { "$CTL" snapshot "$@"; }
for place in "$M" "$S"; do
	what=${place##*/}
	is "$what: there is none" '' "$(snap list "$place")"
	ok "$what: one is taken" snap create "$place" one
	is "$what: it is there" 1 "$(status snap create "$place" one)"
	is "$what: and says so" "widefsctl: $place: there is a snapshot 'one' already" "$(cat "$W/err")"
	is "$what: no name" 1 "$(status snap create "$place" a/b)"
	is "$what: listed" one "$(snap list "$place" | awk '{ print $3 }')"
	is "$what: with tabs in a pipe" $'T\tN\tone' "$(snap list "$place" | sed -E 's/^[-0-9]+T[:0-9.]+Z\t[0-9]+\t/T\tN\t/')"
	is "$what: as JSON" one "$(snap list --json "$place" | jq -r .name)"
	ok "$what: with its time" test "$(date -d "$(snap list --json "$place" | jq -r .created)" +%s)" -gt 1700000000
	is "$what: a drop asks" 1 "$(status snap drop "$place" one)"
	is "$what: and does nothing" one "$(snap list "$place" | awk '{ print $3 }')"
	is "$what: it would" 0 "$(status snap drop --dry-run "$place" one)"
	ok "$what: it says what" grep -q '^drop snapshot one, which alone holds [0-9]* bytes*$' "$W/out"
	is "$what: there is still one" one "$(snap list "$place" | awk '{ print $3 }')"
	is "$what: none of that name" 6 "$(status snap drop --force "$place" two)"
	is "$what: to restore neither" 6 "$(status snap restore --force "$place" two)"
	is "$what: no such keyspace" 6 "$(status snap restore --force "$place" one none)"
	for part in none k.none none.t system; do
		is "$what: nor would it: $part" 6 "$(status snap restore --dry-run "$place" one "$part")"
		is "$what: without a plan" '' "$(cat "$W/out")"
		ok "$what: and says so" grep -q "snapshot one: it has no .* $part\$" "$W/err"
	done
	for part in k k.t; do
		is "$what: would restore $part" 0 "$(status snap restore --dry-run "$place" one "$part")"
	done
	[ "$place" = "$M" ] || start
	echo 5 >"$M/k/t/1/a"
	echo 'DROP TABLE k.u;' >"$M/.cql"
	[ "$place" = "$M" ] || stop
	ok "$what: a table comes back" snap restore --force "$place" one k.u
	[ "$place" = "$M" ] || start
	is "$what: with its rows" 1 "$(cat "$M/k/u/1/a")"
	is "$what: alone" 5 "$(cat "$M/k/t/1/a")"
	[ "$place" = "$M" ] || stop
	ok "$what: everything comes back" snap restore --force "$place" one
	[ "$place" = "$M" ] || start
	is "$what: as it was" 1 "$(cat "$M/k/t/1/a")"
	[ "$place" = "$M" ] || stop
	# Only automatic ones have a common name.
	ok "$what: one of a day" snap create "$place" daily-2026-11-26
	ok "$what: one of the next" snap create "$place" daily-2026-11-27
	is "$what: a part of a name is none" 6 "$(status snap drop --force "$place" daily-2026)"
	is "$what: both days are there" 2 "$(snap list "$place" | grep -cP '\tdaily-2026-11-2[67]$')"
	# A name with spaces is one name: never another and a keyspace.
	ok "$what: a name with a space" snap create "$place" 'one k'
	[ "$place" = "$M" ] || start
	echo 'DROP TABLE k.u;' >"$M/.cql"
	[ "$place" = "$M" ] || stop
	ok "$what: is restored" snap restore --force "$place" 'one k' k.u
	ok "$what: a second" snap create "$place" 'one k  x '
	[ "$place" = "$M" ] || start
	echo 6 >"$M/k/t/1/a"
	[ "$place" = "$M" ] || stop
	ok "$what: which begins as the first, and its keyspace" snap restore --force "$place" 'one k  x '
	[ "$place" = "$M" ] || start
	is "$what: everything of it" '1 1' "$(cat "$M/k/t/1/a") $(cat "$M/k/u/1/a")"
	[ "$place" = "$M" ] || stop
	snap list "$place" >"$W/list"
	while read -r -u 9; do
		ok "$what: $REPLY is dropped" snap drop --force "$place" "${REPLY##*$'\t'}"
	done 9<"$W/list"
	[ "$place" != "$M" ] || stop
done
is 'wrong usage' 2 "$(status snap)"
is 'no such action' 2 "$(status snap make "$S" a)"
is 'an option that is not its' 2 "$(status snap create --json "$S" a)"
is 'no store' 6 "$(status snap list "$W/none")"
done_testing
