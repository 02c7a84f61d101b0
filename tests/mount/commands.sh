# stats, status, .widefs/stats, metrics and clients: the same figures everywhere.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p int, c int, v text, PRIMARY KEY (p, c));
CREATE TABLE k.u (p int PRIMARY KEY, v text);
C
for ((i = 0; i < 50; i++)); do echo "INSERT INTO k.t (p, c, v) VALUES ($((i % 5)), $i, 'value $i');"; done | run_cql
echo 'flush k.t' >"$M/.widefs/ctl"
cat "$M/k/t/1/1/v" "$M/k/t/2/2/v" >/dev/null
refused 'a refusal to count' 'Invalid argument' put "$M/k/t/1/1/nope" x
metric() { sed -n "s/^widefs_$1 //p" "$M/.widefs/metrics"; }
# Their numbers change while they are read; what they are does not.
shape() { sed 's/[0-9.]*[0-9][um]*s*\( \|$\)/N\1/g; s/  */ /g' "$@" | grep -v '^user ' | sort -u; }
# Requests of kinds that were not seen before, or times of them, may come between.
is 'stats of a mount is its file' "$(shape "$M/.widefs/stats")" "$("$CTL" stats "$M/k" | shape)"
ok 'stats has the rows of the table' grep -qE '^k\.t +[0-9]+ +[0-9]+ +50 ' "$M/.widefs/stats"
is 'metrics: what each line looks like' '' "$(grep -vE '^(# (HELP|TYPE) widefs_[a-z_0-9]+ .+|widefs_[a-z0-9_]+(\{([a-z]+="([^"\\]|\\.)*",?)+\})? [-+.e0-9]+)$' "$M/.widefs/metrics")"
is 'each name is described once, before its samples' '' "$(awk '$2 == "TYPE" { if (seen[$3]++) print $3; now = $3; next } /^widefs/ { name = $1; sub(/\{.*/, "", name); if (index(name, now) != 1) print name }' "$M/.widefs/metrics")"
for name in batches gets scans bytes_written bytes_flushed bytes_compacted write_amplification sources_per_get filter_skips filter_misses cache_hits tombstones_read debt paused_ns batches_per_sync syncs log_segments purgeable_bytes; do
	ok "metrics have $name" grep -q "^widefs_$name [0-9]" "$M/.widefs/metrics"
done
for name in 'level_files{level="0"}' 'level_density_bytes{level="0"}' 'table_rows{keyspace="k",table="t"} 50' 'table_sstables{keyspace="k",table="t"} 1' 'engine_seconds_count{work="sync"}' 'request_seconds_bucket{kind="lookup",le="+Inf"}' 'request_seconds_count{kind="write"}'; do
	ok "metrics have $name" grep -qF "widefs_$name" "$M/.widefs/metrics"
done
is 'buckets of a histogram only grow' '' "$(awk -F'[ ]' '/_bucket/ { key = $1; sub(/le=.*/, "", key); if (key == last && $2 < n) print $0; last = key; n = $2 }' "$M/.widefs/metrics")"
ok 'requests are counted' test "$(metric 'request_seconds_count{kind="lookup"}')" -gt 2
ok 'refusals are counted' test "$(metric errors)" -ge 1
ok 'clients have this shell' grep -qE "^[0-9]+ $$ $(id -u) bash$" <(for _ in 1 2 3; do :; done; test -e "$M/k/none"; cat "$M/.widefs/clients")
# Threads are those of their process.
process=$(python3 - "$M" <<'P'
import os, sys, threading
root = sys.argv[1]
def look():
    for i in range(50): os.path.exists(f'{root}/k/none-{threading.get_native_id()}-{i}')
    try: open(root + '/k/t/1/1/p', 'w')
    except OSError: pass
for i in range(3):
    t = threading.Thread(target=look)
    t.start()
    t.join()
mine = [l.split() for l in open(root + '/.widefs/clients') if l.split()[1] == str(os.getpid())]
print(os.getpid(), len(mine), mine[0][0] if mine else 0)
P
)
is 'clients: one line for the threads of a process' 1 "$(cut -d' ' -f2 <<<"$process")"
ok 'with all requests of them' test "${process##* }" -ge 150
is 'errors: its number, not those of its threads' 3 "$(grep -c " ${process%% *} $(id -u) python3 /k/t/1/1/p EPERM " "$M/.widefs/errors")"
is 'clients: what each line looks like' '' "$(grep -vE '^[0-9]+ [0-9]+ [0-9]+ .+$' "$M/.widefs/clients")"
# JSON, against what it must have.
schema='(.batches, .gets, .cache_room_bytes, .uptime_seconds, .write_amplification | numbers) as $n
| (.level[] | .level | strings), (.level[] | .files, .bytes, .density_bytes | numbers),
(.table[] | .keyspace, .table | strings), (.table[] | .reads, .writes, .rows, .bytes | numbers),
(.request[] | .kind | strings), (.request[] | .count, .sum_seconds, .p50_seconds, .p90_seconds, .p99_seconds, .p999_seconds | numbers)'
json() { jq -e "$1" >/dev/null; }
ok 'stats --json' json "[$schema] | length > 20" < <("$CTL" stats --json "$M")
ok 'with the rows of a table' json '.table[] | select(.table == "t" and .rows == 50 and .sstables == 1)' < <("$CTL" stats -j "$M")
is 'without buckets' null "$("$CTL" stats -j "$M" | jq '.request[0].buckets')"
ok 'stats --json --histograms' json '.request[] | select(.kind == "lookup") | .count == .buckets[-1].count and .buckets[-1].below_seconds == null' < <("$CTL" stats -jH "$M")
ok 'stats --histograms' grep -qE '^  (< [0-9.]+(us|ms|s)|more) +[0-9]+ +[0-9.]+% #*' <("$CTL" stats --histograms "$M")
is 'stats of a table' 50 "$("$CTL" stats "$M/k/t" | sed -n 's/^rows of the table, estimated *//p')"
is 'the same by a place in it' "$("$CTL" stats "$M/k/t" | sed -n '3,$p')" "$("$CTL" stats "$M/k/t/1/1" | sed -n '3,$p')"
is 'as JSON' 50 "$("$CTL" stats --json "$M/k/t" | jq .rows)"
ok 'any path in the mount means it' grep -q '^k\.t ' <("$CTL" stats "$M/.widefs/stats")
is 'a table that is not there' 6 "$(exits "$CTL" stats "$M/k/none")"
# Another user is told nothing of a table that he may not enter.
if [ "$(id -u)" = 0 ]; then
	again -o allow_other
	chmod 700 "$M/k/u"
	chmod 755 "$W"
	is 'of another user' 'k.t' "$(setpriv --reuid 65534 --clear-groups cat "$M/.widefs/stats" | grep -oE '^k\.[a-z]+')"
	is 'clients of another user are his' '65534' "$(setpriv --reuid 65534 --clear-groups cat "$M/.widefs/clients" | awk '{ print $3 }' | sort -u)"
fi
# status
is 'status of a mount' 0 "$(exits "$CTL" status "$M/k")"
is 'says so' "$M: healthy" "$(head -1 "$W/out")"
# One that goes meanwhile is none; of other suites, one may stand without its daemon.
mkdir "$W"/going{1..20}
(for i in {1..20}; do "$WIDEFS" "$W/store2" "$W/going$i"; sleep 0.0$((i % 10)); umount -l "$W/going$i"; flock "$W/store2" true; done) 2>"$W/err" &
while jobs -r | grep -q .; do "$CTL" status; done >"$W/all" 2>"$W/err2"
while grep -F " $W/going" /proc/self/mounts >"$W/left"; do umount "$(cut -d' ' -f2 "$W/left" | head -1)" || sleep 0.1; done 2>"$W/err"
within 20 flock -n "$W/store2" true
is 'a mount that goes while it is looked at' '' "$(grep "^$W/going.*: " "$W/all" | grep -v ': healthy$')"
is 'nothing is said of it' '' "$(grep -F "$W/going" "$W/err2")"
"$CTL" status >"$W/out"
worst=$?
is 'of all mounts' "$(grep '^/.*: ' "$W/out" | grep -qv ': healthy$'; echo $((!$?)))" $((worst != 0))
ok 'names this one' grep -qxF "$M: healthy" "$W/out"
# Colours: on a terminal alone, where nobody has said no.
on_terminal() { script -qec "env $*" /dev/null </dev/null | head -1 | tr -d '\r'; }
green=$'\033[32mhealthy\033[0m'
is 'no colour in a pipe' "$M: healthy" "$(TERM=xterm "$CTL" status "$M" | head -1)"
is 'nor of JSON' '' "$("$CTL" status --color=always --json "$M" | grep $'\033')"
is 'always one' "$M: $green" "$(NO_COLOR=1 TERM=dumb "$CTL" status --color=always "$M" | head -1)"
is 'one on a terminal' "$M: $green" "$(on_terminal -u NO_COLOR TERM=xterm "$CTL" status "$M")"
is 'none with NO_COLOR' "$M: healthy" "$(on_terminal NO_COLOR=1 TERM=xterm "$CTL" status "$M")"
is 'one with an empty NO_COLOR' "$M: $green" "$(on_terminal NO_COLOR= TERM=xterm "$CTL" status "$M")"
is 'none on a dumb terminal' "$M: healthy" "$(on_terminal -u NO_COLOR TERM=dumb "$CTL" status "$M")"
is 'none without a terminal named' "$M: healthy" "$(on_terminal -u NO_COLOR -u TERM "$CTL" status "$M")"
is 'never one' "$M: healthy" "$(on_terminal -u NO_COLOR TERM=xterm "$CTL" status --color=never "$M")"
is 'another word' 2 "$(exits "$CTL" status --color=blue "$M")"
is 'as JSON' "[\"$M\",\"$S\",true,null]" "$("$CTL" status -j "$M" | jq -c '[.mount, .store, .healthy, .problem]')"
echo x >"$M/k/OK  it" 2>"$W/err"
rm "$M/k/schema.cql"
ok 'the last error is one' grep -q ' bash /k/OK  it EINVAL ' <("$CTL" status "$M")
is 'as JSON, too' 1 "$("$CTL" status -j "$M" | jq -r .last_error | grep -c '/k/OK  it EINVAL ')"
ok 'all as JSON' json "map(select(.mount == \"$M\" and .healthy)) | length == 1" < <("$CTL" status --json)
is 'by the store' "$M: healthy" "$("$CTL" status "$S" | head -1)"
pid=$(daemon_pid)
kill -STOP "$pid"
is 'a daemon that does not answer' 1 "$(exits timeout 60 "$CTL" status "$M")"
is 'is named' "$M: NOT healthy: the daemon has not answered for 10 seconds" "$(head -1 "$W/out")"
kill -CONT "$pid"
is 'the daemon answers again' 0 "$(exits "$CTL" status "$M")"
kill -9 "$pid"
while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
is 'a daemon that has ended' 1 "$(exits "$CTL" status "$M")"
is 'is named, too' "$M: NOT healthy: the daemon of this mount has ended (mount the store again)" "$(head -1 "$W/out")"
is 'as JSON, too' 'false null' "$("$CTL" status -j "$M" | jq -r '[.healthy, .figures] | map(tostring) | join(" ")')"
umount "$M" 2>/dev/null || fusermount3 -u "$M"
wait_closed
is 'status of a store' 0 "$(exits "$CTL" status "$S")"
is 'stats of a store' 0 "$(exits "$CTL" stats "$S")"
ok 'the statistics have the table' grep -qE '^k\.t ' "$W/out"
is 'stats of a table of a store' 50 "$("$CTL" stats "$S/k/t" | sed -n 's/^rows of the table, estimated *//p')"
is 'no store' 6 "$(exits "$CTL" stats "$W/nowhere")"
is 'no store to look at' 6 "$(exits "$CTL" status "$W/nowhere")"
done_testing
