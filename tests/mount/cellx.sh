# Random calls on a file and its model: a blob cell, an element of a map, a file
# of a schemaless table; by each of the ways to mount that change what the
# kernel keeps. OPS, SEED.
. tests/mount/lib.sh
ops=${OPS:-1000} seed=${SEED:-1}
for mode in '' '-s' '-o noxattr'; do
	# shellcheck disable=SC2086	# none, or words
	start $mode
	[ -d "$M/k" ] || run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (id int PRIMARY KEY, a blob, m map<int, blob>);
INSERT INTO k.t (id, a, m) VALUES (1, 0x00, {1: 0x00});
C
	mkdir -p "$M/k/free/p"
	for file in t/1/a t/1/m/1 free/p/x; do
		if out=$(timeout 600 python3 tests/mount/cellx.py "$M/k/$file" "$seed" "$ops" 2>&1); then pass; else fail "$mode $file: $out"; fi
		seed=$((seed + 1))
	done
	stop
done
done_testing
