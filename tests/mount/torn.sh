# One write that is longer than a request of the kernel, with a line or a statement that
# is refused: the writer is told how much was taken, and comes again in the middle of
# what was refused. That is no line and no statement of its own.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p text PRIMARY KEY, v text);
CREATE TABLE k.u (p int PRIMARY KEY, v text);
CREATE TABLE k.n (p int PRIMARY KEY, c counter);
UPDATE k.n SET c = c + 1 WHERE p = 1;
C
# writes FILE PYTHON: writes these bytes in one call, and what is left in others. Prints
# the error that ends it.
cat >"$W/writes.py" <<'P'
import os, re, sys
data, done, said = eval(sys.argv[2]), 0, 'all'
fd = os.open(sys.argv[1], (os.O_RDWR if '.cql' in sys.argv[1] else os.O_WRONLY) | os.O_APPEND)
try:
    while done < len(data):
        done += os.write(fd, data[done:])
except OSError as e:
    said = e.strerror
if sys.argv[3:]:
    said += ' ' + ' '.join(re.findall('table none does not exist', os.read(fd, 1 << 20).decode()))
    os.write(fd, sys.argv[3].encode())
    said += ' ' + os.read(fd, 1 << 20).decode()
try:
    os.close(fd)
except OSError as e:
    said += ' ' + e.strerror
print(said)
P
writes() { python3 "$W/writes.py" "$@"; }
# 100 bytes more than what a request holds: the tail would be a line of its own.
is 'CSV: a key that is too long' 'Invalid argument' "$(writes "$M/k/t.csv" "b'p,v\n' + b'a' * ((1 << 20) + 100) + b',x\n'")"
is 'in quotes' 'Invalid argument' "$(writes "$M/k/t.csv" "b'p,v\n\"' + b'a' * ((1 << 20) + 100) + b'\",x\n'")"
is 'nothing of it is a row' '' "$(names "$M/k/t")"
is 'the reason' 'line 2: p has more than 65535 bytes, and is of the key' "$(tail -1 "$M/.widefs/errors" | cut -d' ' -f7-)"
is 'JSON' 'Invalid argument' "$(writes "$M/k/t.ndjson" "b'{\"p\": \"' + b'\n'.join([b'a' * 1000] * 1200) + b'\n{\"p\": \"tail\"}\n'")"
is 'nothing of it, either' '' "$(names "$M/k/t")"
is 'a statement' 'Invalid argument' "$(writes "$M/.cql" "b\"INSERT INTO k.none (p, v) VALUES (1, '\" + b'\n' * ((1 << 20) + 100) + b\"INSERT INTO k.u (p) VALUES (2);');\"")"
is 'statements in its text are not run' '' "$(names "$M/k/u")"
is 'with its message read, others are' 'Invalid argument table none does not exist {"columns":[],"rows":[]}' "$(writes "$M/.cql.json" "b\"INSERT INTO k.none (p, v) VALUES (1, '\" + b'\n' * ((1 << 20) + 100) + b\"INSERT INTO k.u (p) VALUES (2);');\"" 'INSERT INTO k.u (p) VALUES (3);')"
is 'and only they' 3 "$(names "$M/k/u")"
is 'definitions' 'File exists' "$(writes "$M/k/schema.cql" "b\"CREATE TABLE k.u (p int PRIMARY KEY) WITH comment = '\" + b'\n' * ((1 << 20) + 100) + b\"CREATE TABLE k.tail (p int PRIMARY KEY);';\"")"
is 'definitions in its text are not made' 'schema.cql n t u' "$(names "$M/k")"
is 'lines of a counter' 'Invalid argument' "$(writes "$M/k/n/1/c" "b'+1\n' * 10 + b'+' * (1 << 20) + b'+7\n'")"
is 'count none of that write' 1 "$(cat "$M/k/n/1/c")"
# Nor is more refused after a long write of whole lines.
cat >"$W/whole.py" <<'P'
import os, sys
fd, bad = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND), 'taken'
lines = b''.join(b'{"p": "l%06d", "v": "x"}\n' % i for i in range(6000))
os.write(fd, lines)
try: os.write(fd, b'{"p": 5}\n')
except OSError as e: bad = e.strerror
os.write(fd, b'{"p": "after"}\n')
print(len(lines) > 1 << 17, bad)
P
is 'a line that is refused behind a long write' 'True Invalid argument' "$(python3 "$W/whole.py" "$M/k/t.ndjson")"
is 'the next one is there' after "$(ls "$M/k/t" | grep -x after)"
# 128 KiB of lines are a request of import: the bad one is the first of the next.
{ seq -f '{"p": "i%07.0f", "v": "0123456789012345678901234567890123456"}' 1 2048; echo '{"p": 5}'; echo '{"p": "last"}'; } >"$W/rows.ndjson"
is 'import --errors' 1 "$("$CTL" import -e "$W/refused" "$M/k/t" "$W/rows.ndjson" 2>/dev/null; echo $?)"
is 'a bad line behind a whole request' '131072 {"p": 5} last' "$(head -2048 "$W/rows.ndjson" | wc -c) $(cat "$W/refused") $(ls "$M/k/t" | grep -x last)"
echo 'TRUNCATE k.t;' >"$M/.cql"
# Short lines and statements go on after one that was refused.
exec 8>>"$M/k/t.ndjson"
refused 'a short line' 'Invalid argument' bash -c 'echo "{\"p\": 5}" >&8'
ok 'the next one' bash -c 'echo "{\"p\": \"b\"}" >&8'
exec 8>&-
exec 8<>"$M/.cql"
echo 'INSERT INTO' >&8
refused 'a statement in two writes' 'Invalid argument' bash -c 'echo "k.none (p) VALUES (1);" >&8'
ok 'the next one' bash -c 'echo "INSERT INTO k.t (p) VALUES ('\''c'\'');" >&8'
exec 8>&-
is 'the whole statements made rows' 'b c' "$(ls "$M/k/t" | paste -sd' ')"
# A writer that is killed has not ended its text, which its last close would do: half a
# statement may be another one. Whole ones are done.
cat >"$W/dies.py" <<'P'
import os, signal, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND if sys.argv[1].endswith(('csv', 'c')) else os.O_WRONLY | os.O_TRUNC)
os.write(fd, sys.argv[3].encode())
os.kill(os.getpid(), getattr(signal, sys.argv[2]))
P
dies() { python3 "$W/dies.py" "$@" 2>/dev/null; tail -1 "$M/.widefs/errors" | cut -d' ' -f6-; }
told='EINTR its writer was killed: what waits for the end of the text is not done'
run_cql <<'C'
CREATE KEYSPACE dead WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE dead.orders (p int PRIMARY KEY, v text, gone text);
CREATE TABLE dead.hits (p int PRIMARY KEY, c counter);
UPDATE dead.hits SET c = c + 1 WHERE p = 1;
INSERT INTO dead.orders (p, v, gone) VALUES (1, 'one', 'kept');
C
whole="CREATE KEYSPACE dead WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; CREATE TABLE orders (p int PRIMARY KEY, v text);"
for signal in SIGKILL SIGTERM SIGINT; do
	is "$signal: columns are not dropped" "$told|kept" "$(dies "$M/dead/schema.cql" $signal "$whole")|$(cat "$M/dead/orders/1/gone")"
	is "$signal: nor is a table" "$told|1" "$(dies "$M/dead/schema.cql" $signal 'DROP TABLE orders')|$(names "$M/dead/orders")"
	is "$signal: a statement of .cql" "$told|1" "$(dies "$M/dead/.cql" $signal 'DELETE FROM dead.orders WHERE p = 1')|$(names "$M/dead/orders")"
	is "$signal: a line of CSV" "$told|one" "$(dies "$M/dead/orders.csv" $signal $'p,v\n1,tw')|$(cat "$M/dead/orders/1/v")"
	is "$signal: a line of a counter" "$told|1" "$(dies "$M/dead/hits/1/c" $signal '+1')|$(cat "$M/dead/hits/1/c")"
done
is 'a whole statement is done' "$told|hits more orders schema.cql" "$(dies "$M/dead/schema.cql" SIGKILL 'CREATE TABLE more (p int PRIMARY KEY); DROP TABLE more')|$(names "$M/dead" | xargs -n 1 | sort | xargs)"
cql 'DROP TABLE dead.more' >/dev/null
is 'a whole line' two "$(dies "$M/dead/orders.csv" SIGKILL $'p,v\n1,two\n' >/dev/null; cat "$M/dead/orders/1/v")"
# Another process that has the file, too, ends no text of it, nor spoils it.
printf '%s' "$whole" >"$W/whole"
ok 'a child is killed that wrote nothing' sh -c "{ sleep 60 & cat '$W/whole'; kill -9 \$!; wait \$! || true; } >'$M/dead/schema.cql'"
is 'the text has its end' 'v' "$(names "$M/dead/orders/1")"
ok 'one is ended by its exit' python3 -c 'import os, sys; fd = os.open(sys.argv[1], os.O_WRONLY); os.write(fd, b"DROP TABLE orders"); os._exit(0)' "$M/dead/schema.cql"
is 'and its text with it' 'schema.cql hits' "$(names "$M/dead")"
stop
done_testing
