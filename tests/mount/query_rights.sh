# The rights to queries: r and x on the table, as those of SELECT; an entry by its key is
# looked up as its row is.
. tests/mount/lib.sh
chmod 755 "$W"
user=65534
as() { local uid=$1; shift; setpriv --reuid="$uid" --regid="$uid" --clear-groups -- "$@"; }
start -o allow_other
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p text, c int, v int, s int static, PRIMARY KEY (p, c));
CREATE INDEX ON k.t (v);
INSERT INTO k.t (p, c, v) VALUES ('a', 1, 5);
C
chmod 711 "$M/k/t"; chmod 755 "$M/k"
refused 'listing needs r' 'Permission denied' as $user ls "$M/k/t/a/@c=1"
refused 'a document needs r' 'Permission denied' as $user cat "$M/k/t/a/@c=1.csv"
ok 'an entry by its key needs x alone, as the row does' as $user readlink "$M/k/t/a/@c=1/1"
refused 'a term on a cell needs r' 'Permission denied' as $user readlink -v "$M/k/t/@v=5/a,1"
refused 'also where it is not so' 'Permission denied' as $user readlink -v "$M/k/t/@v=6/a,1"
refused 'rm of a range needs w' 'Permission denied' as $user rm -f "$M/k/t/a/@c=1.csv"
chmod 755 "$M/k/t"
is 'with r' 1 "$(as $user ls "$M/k/t/a/@c=1")"
ok 'a term on a cell' as $user readlink "$M/k/t/@v=5/a,1"
refused 'rm still needs w' 'Permission denied' as $user rm -f "$M/k/t/a/@c=1.csv"
chmod 700 "$M/k"
refused 'nothing without x above' 'Permission denied' as $user ls "$M/k/t/a/@c=1"
is 'rows of system_schema' k "$(ls "$M/system_schema/tables/@keyspace_name=k" | cut -d, -f1)"
is 'are not shown to who may not enter' '' "$(as $user ls "$M/system_schema/tables/@keyspace_name=k")"
refused 'nor found' 'No such file' as $user readlink -v "$M/system_schema/tables/@keyspace_name=k/k,t"
stop
done_testing
