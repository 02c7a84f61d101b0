# A daemon in a pid namespace does not know who calls it from outside: the numbers of
# all their threads are 0. Even so no call by path is ESTALE, whatever others call
# meanwhile, and readers see whole values. $SEED; SECONDS_EACH (4).
. tests/mount/lib.sh
[ "$(id -u)" = 0 ] || { echo 'FAIL: only root can make a namespace'; exit 1; }
unshare -p -f --kill-child "$WIDEFS" --log-file="$W/log" -f "$S" "$M" 2>>"$W/stderr" &
for ((i = 0; i < 200; i++)); do mountpoint -q "$M" && break; sleep 0.1; done
mountpoint -q "$M" || { fail "the mount: $(cat "$W/stderr")"; done_testing; }
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p int, c text, a text, b text, n int, PRIMARY KEY (p, c));
INSERT INTO k.t (p, c, n) VALUES (1, 'r', 1);
C
refused 'a refusal' 'Invalid argument' put "$M/k/t/1/r/n" x
is 'its process is unknown' 0 "$(tail -1 "$M/.widefs/errors" | awk '{ print $2 }')"
if out=$(timeout 300 python3 tests/mount/unknown.py "$M" "${SEED:-1}" "${SECONDS_EACH:-4}" 2>&1); then pass; else fail 'calls of unknown threads'; fi
echo "$out"
stop
done_testing
