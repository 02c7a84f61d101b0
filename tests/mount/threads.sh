# Many at once: readers see the old value or the new one, and nobody waits for
# ever (fs/README.md, "Caching").
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.t (p int, c int, a text, b text, n int, PRIMARY KEY (p, c));
CREATE TABLE k.hits (id int PRIMARY KEY, n counter);
C
mkdir "$M/k/t/1" "$M/k/t/1/1" "$M/k/hits/1"
cat >"$W/old_or_new.py" <<'P'
import json, os, sys, threading, time
row = sys.argv[1]
ends = time.time() + 3
size = 32 << 10
bad = []
rounds = [0, 0]
def text(i): return (('%08d' % i) * (size // 8))
def put(path, data):
	fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
	at = 0
	while at < len(data):	# several writes: no reader may see one alone
		at += os.write(fd, data[at:at + 10000])
	os.close(fd)
def write():
	i = 0
	while time.time() < ends and not bad:
		i += 1
		put(row + '.json', json.dumps({'a': text(i), 'b': text(i), 'n': i}).encode())
		put(row + '/a', (text(i + 1) + '\n').encode())
		put(row + '/n', b'%d\n' % (i % 7))
		put(row + '.json', json.dumps({'a': text(i + 2), 'b': text(i + 2)}).encode())
		rounds[0] += 1
def whole(value):
	return len(value) == size and value == value[:8] * (size // 8)
def read(pread):
	fd = None
	while time.time() < ends and not bad:
		with open(row + '.json') as f:
			document = json.loads(f.read())
		if not whole(document['a']) or not whole(document['b']):
			bad.append('a mixture in the document')
		if document['a'] != document['b'] and int(document['a'][:8]) != int(document['b'][:8]) + 1:
			bad.append('columns of two writes: %s %s' % (document['a'][:8], document['b'][:8]))
		if pread:	# one descriptor for all
			if fd is None: fd = os.open(row + '/a', os.O_RDONLY)
			got, at = b'', 0
			while True:
				more = os.pread(fd, 7000, at)
				if not more: break
				got += more
				at += len(more)
			got = got.decode()
		else:
			with open(row + '/a') as f: got = f.read()
		if not got.endswith('\n') or not whole(got[:-1]):
			bad.append('a mixture in the cell: %d bytes' % len(got))
		rounds[1] += 1
def guarded(f, *args):
	try: f(*args)
	except Exception as e: bad.append('%s: %r' % (f.__name__, e))
put(row + '.json', json.dumps({'a': text(0), 'b': text(0), 'n': 0}).encode())
threads = [threading.Thread(target=guarded, args=(write,))]
threads += [threading.Thread(target=guarded, args=(read, i % 2)) for i in range(4)]
for t in threads: t.start()
for t in threads: t.join()
assert not bad, bad[:3]
assert rounds[0] and rounds[1], rounds
P
ok 'old or new' timeout 60 python3 "$W/old_or_new.py" "$M/k/t/1/1"

# Writers by CQL, by path and by document, counters, listers, all at once.
cat >"$W/all.py" <<'P'
import os, sys, threading, time
m = sys.argv[1]
ends = time.time() + 4
bad, counts = [], {}
def cql(i):
	fd = os.open(m + '/.cql', os.O_RDWR)
	n = 0
	while time.time() < ends:
		n += 1
		os.write(fd, b"INSERT INTO k.t (p, c, a, n) VALUES (%d, %d, 'x', %d);" % (i, n % 50, n))
		os.write(fd, b'DELETE FROM k.t WHERE p = %d AND c = %d;' % (i, (n + 25) % 50))
		os.write(fd, b'SELECT count(*) FROM k.t WHERE p = %d;' % i)
		while os.read(fd, 4096): pass
	os.close(fd)
	return n
def lister(i):
	n = 0
	while time.time() < ends:
		n += 1
		for path, directories, files in os.walk(m + '/k/t'):
			for f in files:
				try:
					os.stat(path + '/' + f)
					with open(path + '/' + f) as x: x.read()
				except FileNotFoundError: pass
	return n
def cells(i):
	n = 0
	while time.time() < ends:
		n += 1
		with open(m + '/k/t/1/1/n', 'w') as f: f.write('%d\n' % n)
		with open(m + '/k/t/1/%d.json' % (n % 20 + 100), 'w') as f: f.write('{"n": %d}\n' % n)
		try: os.unlink(m + '/k/t/1/%d.json' % (n % 17 + 100))
		except FileNotFoundError: pass
		with open(m + '/k/t/1/1/n') as f: f.read()
	return n
def count(i):
	n = 0
	while time.time() < ends:
		n += 1
		with open(m + '/k/hits/1/n', 'w') as f: f.write('+1\n')
	return n
def ddl(i):
	n = 0
	while time.time() < ends:
		n += 1
		os.mkdir(m + '/k/s%d' % i)
		os.mkdir(m + '/k/s%d/p' % i)
		with open(m + '/k/s%d/p/f' % i, 'w') as f: f.write('x')
		os.unlink(m + '/k/s%d/p/f' % i)
		os.rmdir(m + '/k/s%d/p' % i)
		os.rmdir(m + '/k/s%d' % i)
	return n
def guarded(f, i):
	try:
		n = f(i)
		counts[f.__name__] = counts.get(f.__name__, 0) + n
	except Exception as e: bad.append('%s: %r' % (f.__name__, e))
jobs = [(cql, 2), (cql, 3), (lister, 0), (lister, 1), (cells, 0), (count, 0), (count, 1), (ddl, 0)]
threads = [threading.Thread(target=guarded, args=job) for job in jobs]
for t in threads: t.start()
for t in threads: t.join()
assert not bad, bad[:3]
total = int(open(m + '/k/hits/1/n').read())
assert total == counts['count'], (total, counts)
P
ok 'all at once' timeout 60 python3 "$W/all.py" "$M"
ok 'and it answers' timeout 10 ls -R "$M/k"
again
ok 'after a restart' timeout 10 ls -R "$M/k"
stop
done_testing
