# Random keyspaces of all types and odd names, copied in by random tools from random places into random states; compared by
# rsync in both directions and by CQL. SEEDS: of the keyspaces; ROUNDS: copies of each.
. tests/mount/lib.sh
S1=$S M1=$M S2=$W/store2 M2=$W/mnt2
mkdir "$M2"
one() { S=$S1 M=$M1; }
two() { S=$S2 M=$M2; }
load() {	# the lines of standard input, a write each: statements that a schema refuses do not count
	python3 -c '
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY)
bad = 0
for line in sys.stdin.buffer:
    try:
        os.write(fd, line[:-1].replace(b"\x02", b"\n"))
    except OSError:
        bad += 1
        if line.startswith(b"CREATE") or bad > 20:
            sys.exit(f"refused: {line[:300]}")' "$M/.cql"
}
rows() {	# of both halves the same order: by their keys
	local t
	for t in 0 1 2 3 4; do "$CTL" cql -r -m json "$M" -e "SELECT * FROM r.t$t" 2>&1 | tr -d '\n' | jq -cS . 2>/dev/null | sort; done
}
# Times of directories: where tar brings files before their directories it loses them. A folder of delayed files stays where
# rsync was killed.
differences() { rsync -aXcn $3 --delete --exclude=.~tmp~ --itemize-changes "$1/" "$2/" 2>&1 | cut -c1-200 | head -3; }
copy() {	# TOOL FROM: the keyspace there into the second mount
	case $1 in
	cp) cp -a "$2/r" "$M2/" ;;
	tar) tar -C "$2" --format=posix --xattrs -cf - r | tar -C "$M2" --xattrs -xf - ;;
	shuffled)
		find "$2/r" -printf 'r/%P\0' | sed -z 's,/$,,' | shuf -z --random-source=<(yes "$seed$round") >"$W/order"
		tar -C "$2" --format=posix --xattrs --no-recursion --null --verbatim-files-from -T "$W/order" -cf - | tar -C "$M2" --xattrs -xf - ;;
	rsync) rsync -aX --delete "$2/r" "$M2/" ;;
	delayed) rsync -aX --delete --delay-updates "$2/r" "$M2/" ;;
	esac
}
gone() { while kill -0 -- "-$1"; do sleep 0.02; done; }
readers() { while [ -e "$W/beside" ]; do tar -C "$M2" -cf /dev/null r 2>/dev/null; ls -lR "$M2" >/dev/null 2>&1; done; }
round() {	# TOOL FROM STATE
	# cp writes into counters that exist, where a line changes them: it is for those that do not.
	if [ "$1" = cp ] && [[ $3 != empty && $3 != beside ]] && grep -q ' counter[,)]' "$W/lines"; then set -- rsync "$2" "$3"; fi
	local how="seed $seed, round $round: $1 from $2, $3" from skip='' reader
	case $2 in disk) from=$W/away$seed ;; mount) from=$M1 ;; snapshot) from=$M1/.snapshots/s$seed ;; esac
	[ "$1" = shuffled ] && skip=-O
	two
	case $3 in
	older)	# rsync takes a file of the same size and second for the same
		sleep 1
		load <"$W/half$seed" || fail "$how: the older state" ;;
	killed)
		copy "$1" "$from" >/dev/null 2>&1 &
		reader=$!
		sleep "0.$((RANDOM % 5))"
		kill -9 "$(daemon_pid)"
		wait $reader
		umount "$M2"; wait_closed; start
		[ -d "$M2/r" ] && [ "$1" = shuffled ] && rm -r "$M2/r" ;;
	stopped)	# all of its processes are gone: one that ends late makes a file that the next copy has not seen
		(set -m; copy "$1" "$from" & sleep "0.$((RANDOM % 5))"; kill -9 -- -$!; wait; gone $!) >/dev/null 2>&1 ;;
	beside) : >"$W/beside"; readers & reader=$! ;;
	esac
	# tar and cp make tables with mode 0700 and give them theirs at last: one that was broken off leaves that, and the next
	# one cannot set the modes of what is below.
	[[ $3 = killed || $3 = stopped ]] && [[ $1 = tar || $1 = shuffled || $1 = cp ]] && copy "$1" "$from" >/dev/null 2>&1
	ok "$how" copy "$1" "$from"
	[ "$3" = beside ] && { rm "$W/beside"; wait $reader; }
	is "$how: nothing is missing" '' "$(differences "$W/away$seed/r" "$M2/r" "$skip" | if [ "$3" = older ] && [[ $1 != rsync && $1 != delayed ]]; then grep -v '^\*deleting\|^\.d'; else cat; fi)"
	if [ "$3" != older ] || [[ $1 = rsync || $1 = delayed ]]; then
		is "$how: nothing is too much" '' "$(differences "$M2/r" "$W/away$seed/r" "$skip")"
		is "$how: SELECT" '' "$(diff <(rows) "$W/rows$seed" | head -c 600)"
	fi
	[ $failed = 0 ] || tail -3 "$M2/.widefs/errors"
	rm -r "$M2/r" || fail "$how: rm -r"
}
one; start
two; start
tools=(cp tar shuffled rsync delayed) places=(disk mount snapshot) states=(empty older beside killed stopped)
for seed in ${SEEDS:-1}; do
	RANDOM=$seed
	one
	python3 tests/mount/copyin_random.py "$seed" "${COUNT:-60}" >"$W/lines"
	sed '/^-- half$/,$d' "$W/lines" >"$W/half$seed"
	grep -v '^-- half$' "$W/lines" >"$W/whole"
	ok "seed $seed: it is made" load <"$W/whole"
	mkdir "$M1/.snapshots/s$seed"
	ok "seed $seed: away" rsync -aX "$M1/r" "$W/away$seed/"
	rows >"$W/rows$seed"
	ok "seed $seed: there are rows" test -s "$W/rows$seed"
	for ((round = 0; round < ${ROUNDS:-5}; round++)); do
		round "${tools[RANDOM % 5]}" "${places[RANDOM % 3]}" "${states[RANDOM % 5]}"
		[ $failed = 0 ] || break 2
	done
	rm -r "$M1/r" "$W/away$seed"; rmdir "$M1/.snapshots/s$seed"
done
for which in one two; do
	$which
	stop
	is "$which is sound" '0 problems' "$("$CTL" check "$S")"
done
done_testing
