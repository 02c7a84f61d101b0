"""Abuse by a plain user, and what the others notice of it.

users.py MOUNT SECONDS PROCESSES HANDLES STORE_PID [SEED]

PROCESSES processes of one user open HANDLES files each, and go on in one of ten
ways: they write documents that they never close, a byte a second, read as
slowly, walk over everything, hold directories open, flood with temporary files
and with names, begin statements and leave results, scan, and start children
that they kill. Meanwhile the mounter and a second user read rows, write, and
run statements; all of that has to succeed, with the right bytes. Prints what the
mounter's point reads took, what they took before beside as many processes of his
that only use the processor, and what the daemon held.
"""
import errno, os, random, resource, signal, sys, time

mount, seconds, processes, handles, daemon = sys.argv[1], *map(int, sys.argv[2:6])
seed = int(sys.argv[6]) if len(sys.argv) > 6 else 1
ABUSER, OTHER = 65534, 65533
REFUSALS = (errno.EMFILE, errno.ENOSPC, errno.ENOMEM)
his = mount + '/k/his'


def become(uid):
	os.setgroups([])
	os.setgid(uid)
	os.setuid(uid)


def attempt(f, *args):
	"""What f answers, or the number of its error."""
	try:
		return f(*args)
	except OSError as e:
		return -e.errno


def refused(answer):
	return isinstance(answer, int) and -answer in REFUSALS


def opened(path, flags=os.O_RDONLY):
	fd = attempt(os.open, path, flags, 0o644)
	return fd if fd >= 0 else None


# ------------------------------------------------------------------- the user
def documents(me, rng, held):
	text = b'{"v": "' + b'd' * (1 << 20)
	for n in range(40):
		fd = opened('%s/p%d/d%d.json' % (his, me, n), os.O_WRONLY | os.O_CREAT) or \
			opened('%s/p%d/d%d' % (his, me, n), os.O_WRONLY | os.O_CREAT)
		if fd is None:
			continue
		held.append(fd)
		for _ in range(16):
			if attempt(os.write, fd, text) < 0:
				break
		yield


def slow_writer(me, rng, held):
	fd = opened('%s/p%d/slow' % (his, me), os.O_WRONLY | os.O_CREAT)
	while fd is not None:
		attempt(os.write, fd, b'x')
		time.sleep(1)
		yield


def slow_reader(me, rng, held):
	fd = opened(mount + '/k/mine/0/v')
	console = opened(mount + '/.cql.csv', os.O_RDWR)
	if console is not None:
		attempt(os.write, console, b'SELECT * FROM k.big;')
	at = 0
	while True:
		for f in (fd, console):
			if f is not None:
				attempt(os.pread if f == fd else os.read, f, 1, *([at] if f == fd else []))
		at += 1
		time.sleep(1)
		yield


def walker(me, rng, held):
	while True:
		for at, dirs, files in os.walk(mount):
			for f in files:
				attempt(os.stat, os.path.join(at, f))
			yield


def streams(me, rng, held):
	while True:
		try:
			stream = os.scandir(mount + '/k/big')
			next(stream)
			held.append(stream)
		except OSError:
			time.sleep(0.2)
		yield


def temporary(me, rng, held):
	n = 0
	while True:
		n += 1
		fd = opened('%s/.f%d.%06d' % (his, me, n % 1000000), os.O_WRONLY | os.O_CREAT)
		if fd is None:
			time.sleep(0.05)
		else:
			attempt(os.write, fd, b'x' * rng.randrange(20000))
			attempt(os.close, fd)
		yield


def names(me, rng, held):
	n = 0
	while True:
		n += 1
		if attempt(os.mkdir, '%s/n%d.%d' % (his, me, n)):
			time.sleep(0.05)
		yield


def statements(me, rng, held):
	while True:
		fd = opened(mount + '/.cql', os.O_RDWR)
		if fd is None or len(held) > 20000:
			time.sleep(0.2)
			yield
			continue
		held.append(fd)
		if rng.random() < 0.5:
			attempt(os.write, fd, b'SELECT * FROM k.big; SELECT * FROM k.mine;')
		attempt(os.write, fd, b"SELECT '" + b'x' * rng.randrange(1 << 20))
		yield


def scans(me, rng, held):
	fd = opened(mount + '/.cql', os.O_RDWR)
	while True:
		if fd is None:
			fd = opened(mount + '/.cql', os.O_RDWR)
			time.sleep(0.2)
		else:
			attempt(os.write, fd, b'SELECT count(*) FROM k.big WHERE value = 0x79 ALLOW FILTERING;')
			attempt(os.read, fd, 1 << 16)
		yield


def children(me, rng, held):
	while True:
		pid = os.fork()
		if not pid:
			for fd in held[:100]:
				attempt(os.close, fd)
			mine = [opened(rng.choice(['%s/k/mine/%d/v' % (mount, rng.randrange(100)), mount + '/.cql',
				'%s/p%d/k%d' % (his, me, rng.randrange(10))]), os.O_RDWR | os.O_CREAT) for _ in range(50)]
			for fd in mine:
				if fd is not None:
					attempt(os.write, fd, b'y' * 5000)
			time.sleep(60)
			os._exit(0)
		time.sleep(rng.random() / 5)
		os.kill(pid, signal.SIGKILL)
		os.waitpid(pid, 0)
		yield


ROLES = [documents, slow_writer, slow_reader, walker, streams, temporary, names, statements, scans, children]


def abuse(me, told):
	"""One of his processes: says by a byte that its handles are open."""
	os.setpgid(0, 0)
	become(ABUSER)
	rng, held = random.Random(seed * 1000 + me), []
	attempt(os.mkdir, '%s/p%d' % (his, me))
	for n in range(handles):
		fd = opened(mount + '/.cql' if n % 16 == 0 else '%s/k/mine/%d/v' % (mount, (n % 8 != 1) * (n % 100 + 1)))
		if fd is None:
			break
		held.append(fd)
	os.write(told, b'.' if len(held) == handles else b'!')
	os.read(begin, 1)	# all have taken what there is
	while me % 4 and len(held) > 100:
		os.close(held.pop())
	ends = time.monotonic() + seconds + 600
	while time.monotonic() < ends:
		for _ in ROLES[me % len(ROLES)](me, rng, held):
			pass
		time.sleep(0.5)


# ----------------------------------------------------------------- the others
def read_value(path):
	fd = os.open(path, os.O_RDONLY)
	got = os.read(fd, 100)
	os.close(fd)
	return got


def others(rng, uid, until, took):
	n = 0
	while time.monotonic() < until:
		n += 1
		row = rng.randrange(1, 101)
		begun = time.monotonic()
		got = read_value('%s/k/mine/%d/v' % (mount, row))
		took.append(time.monotonic() - begun)
		assert got == b'row %d\n' % row, got
		if n % 50 == 0:
			path = '%s/k/ours/%d/v' % (mount, uid)
			with open(path, 'w') as f:
				f.write('%d\n' % n)
			assert read_value(path) == b'%d\n' % n
			os.listdir(mount + '/k/mine')
			fd = os.open(mount + '/.cql.ndjson', os.O_RDWR)
			os.write(fd, b'SELECT v FROM k.mine WHERE id = %d;' % row)
			assert os.read(fd, 100) == b'{"v": "row %d"}\n' % row
			os.close(fd)
		time.sleep(0.002)


def other_user(until):
	pid = os.fork()
	if not pid:
		status = 1
		try:
			become(OTHER)
			took = []
			others(random.Random(seed), OTHER, until, took)
			assert len(took) >= 10, took
			status = 0
		finally:
			os._exit(status)
	return pid


def memory_kb():
	for line in open('/proc/%d/status' % daemon):
		if line.startswith('RssAnon'):
			return int(line.split()[1])


def figures():
	"""What the daemon says of users: {uid: {resource: number}}."""
	users = {}
	for line in open(mount + '/.widefs/stats'):
		if line.startswith('user '):
			uid, rest = line[5:].split(':', 1)
			users[int(uid)] = {w.split()[0]: int(w.split()[1]) for w in rest.split(',')}
	return users


def peak(most, now):
	for key, value in now.items():
		most[key] = max(value, most.get(key, 0))


def p99(took):
	took.sort()
	return took[len(took) * 99 // 100]


def beside_work():
	"""What the point reads take beside as many processes of his that only work."""
	workers, took = [], []
	for _ in range(processes):
		pid = os.fork()
		if not pid:
			become(ABUSER)
			while True:
				pass
		workers.append(pid)
	try:
		others(random.Random(seed), 0, time.monotonic() + max(3, seconds / 4), took)
	finally:
		for pid in workers:
			os.kill(pid, signal.SIGKILL)
			os.waitpid(pid, 0)
	return p99(took)


ordinary = beside_work()
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
told, tell = os.pipe()
begin, start = os.pipe()
abusers = []
for me in range(processes):
	pid = os.fork()
	if not pid:
		try:
			os.close(told)
			os.close(start)
			abuse(me, tell)
		finally:
			os._exit(1)
	abusers.append(pid)
os.close(tell)
try:
	said = b''
	while len(said) < processes:
		more = os.read(told, processes)
		assert more, 'only %d of them opened their files' % len(said)
		said += more
	most = figures()[ABUSER]
	os.close(start)
	until = time.monotonic() + seconds
	other = other_user(until)
	most_kb, took = 0, []
	while time.monotonic() < until:
		others(random.Random(seed + len(took)), 0, min(until, time.monotonic() + 1), took)
		peak(most, figures().get(ABUSER, {}))
		most_kb = max(most_kb, memory_kb())
	assert os.waitpid(other, 0)[1] == 0, 'the second user failed'
	gone = [pid for pid in abusers if os.waitpid(pid, os.WNOHANG)[0]]
	assert not gone, '%d of his processes ended' % len(gone)
finally:
	for pid in abusers:
		attempt(os.killpg, pid, signal.SIGKILL)
		attempt(os.waitpid, pid, 0)
print('p99_us %d' % (p99(took) * 1e6))
print('ordinary_p99_us %d' % (ordinary * 1e6))
print('reads %d' % len(took))
print('p50_us %d' % (took[len(took) // 2] * 1e6))
print('most_us %d' % (took[-1] * 1e6))
print('memory_kb %d' % most_kb)
print('stopped %d' % said.count(b'!'))
for key in sorted(most):
	print(key, most[key])
