#!/usr/bin/env python3
# permissions.py MNT rw|ro|closed: who may do what (fs/README.md). Root sets
# the modes of a keyspace and of its table; a process for each user then does
# everything that can be done, and what came of it is compared with what may()
# says. closed: the mount has no allow_other. Prints the number of cases.
import errno, os, sys
import console

M, how = sys.argv[1:3]
OWNER, MEMBER, OTHER, GROUP = 65001, 65002, 65003, 65100
USERS = {'root': None, 'owner': (OWNER, [OWNER]), 'member': (MEMBER, [MEMBER, GROUP]),
         'other': (OTHER, [OTHER])}
MODES = [(0o777, 0o777), (0o755, 0o755), (0o750, 0o777), (0o700, 0o777), (0o711, 0o755),
         (0o777, 0o700), (0o777, 0o750), (0o777, 0o711), (0o777, 0o744), (0o777, 0o722),
         (0o744, 0o777), (0o733, 0o770), (0o755, 0o640), (0o077, 0o077), (0o707, 0o707),
         (0o070, 0o770)]


# ------------------------------------------------------------ the operations
# Each has what it needs: rights on the keyspace (R W X) and on the table (r w x),
# after a '+' who else alone may, after a '/' the right without which the call
# succeeds but leaves out what is hidden; whether it changes or opens for writing;
# how root undoes it; and what it fails with otherwise.
OPS = []
def op(needs, changes=True, undo=None, otherwise='EACCES'):
    def add(f):
        OPS.append((f.__name__, needs, changes, undo, otherwise, f))
        return f
    return add

def read(path):
    with open(M + path, 'rb', 0) as f:
        return f.read().decode()
def write(path, text, flags=os.O_TRUNC):
    fd = os.open(M + path, os.O_WRONLY | os.O_CREAT | flags, 0o644)
    try: os.write(fd, text.encode())
    finally: os.close(fd)
def cql(text, ending='.ndjson'): return console.run(M, text + ';', ending)
def shown(text, word):      # an answer that leaves it out is 'hidden'
    return None if word in text else 'hidden'
def remake_rows():
    for i in range(1, 4): cql("INSERT INTO k.t (id, v) VALUES (%d, 'x')" % i)
T = 'CREATE TABLE %s (id int PRIMARY KEY, v text)'
CHANGES = []                # what root has to set anew

# By path.
@op('X', False)
def stat_table(): os.stat(M + '/k/t')
@op('R', False)
def list_keyspace(): os.listdir(M + '/k')
@op('Xr', False)
def list_table(): os.listdir(M + '/k/t')
@op('Xx', False)
def stat_cell(): os.stat(M + '/k/t/1/v')
@op('Xrx', False)
def read_cell(): assert read('/k/t/1/v') == 'x\n'
@op('Xwx')
def write_cell(): write('/k/t/1/v', 'x')
@op('Xwx', undo=lambda: write('/k/t/1/v', 'x'))
def append_cell(): write('/k/t/1/v', 'y', os.O_APPEND)
@op('Xwx', undo=lambda: write('/k/t/1/v', 'x'))
def truncate_cell(): os.truncate(M + '/k/t/1/v', 0)
@op('Xwx', undo=lambda: write('/k/t/2/v', 'x'))
def rm_cell(): os.unlink(M + '/k/t/2/v')
@op('Xwx', undo=lambda: os.rmdir(M + '/k/t/7'))
def mkdir_row(): os.mkdir(M + '/k/t/7')
@op('Xwx', undo=lambda: os.rename(M + '/k/t/8', M + '/k/t/3'))
def rename_row(): os.rename(M + '/k/t/3', M + '/k/t/8')
@op('Xwx', undo=remake_rows)
def rm_document(): os.unlink(M + '/k/t/3.json')
@op('Xrx', False)
def read_document(): assert '"id": 1' in read('/k/t/1.json')
@op('Xwx')
def merge_document(): write('/k/t/1.json', '{"v": "x"}\n', os.O_APPEND)
@op('Xrx', False)
def get_attribute(): os.getxattr(M + '/k/t/1/v', 'user.writetime')
@op('Xwx', undo=lambda: os.removexattr(M + '/k/t/1/v', 'user.expires'))
def set_attribute(): os.setxattr(M + '/k/t/1/v', 'user.ttl', b'1000')
@op('Xwx', undo=lambda: os.unlink(M + '/k/t/1/.v.swp'))
def make_scratch(): write('/k/t/1/.v.swp', 'x')
@op('+owner', undo=lambda: os.chmod(M + '/k', MODE[0]), otherwise='EPERM')
def chmod_keyspace(): os.chmod(M + '/k', 0o700)
@op('X+owner', undo=lambda: os.chmod(M + '/k/t', MODE[1]), otherwise='EPERM')
def chmod_table(): os.chmod(M + '/k/t', 0o700)
@op('X+root', undo=lambda: os.chown(M + '/k/t', OWNER, GROUP), otherwise='EPERM')
def chown_table(): os.chown(M + '/k/t', OTHER, OTHER)
@op('Xx+never', otherwise='EPERM')
def chmod_cell(): os.chmod(M + '/k/t/1/v', (0o666 & MODE[1]) ^ 0o200)
@op('XW', undo=lambda: os.rmdir(M + '/k/n'))
def mkdir_table(): os.mkdir(M + '/k/n')
@op('XW', undo=lambda: cql(T % 'k.d'))
def rmdir_table(): os.rmdir(M + '/k/d')
@op('+root', undo=lambda: os.rmdir(M + '/n'))
def mkdir_keyspace(): os.mkdir(M + '/n')
@op('XR', False)
def read_schema(): assert 'CREATE KEYSPACE k' in read('/k/schema.cql')
@op('XR/x', False)
def schema_tells_of_table(): return shown(read('/k/schema.cql'), 'TABLE k.t ')
@op('X/x', False)
def size_of_schema(): return shown('as' if os.stat(M + '/k/schema.cql').st_size == FULL else '', 'as')
@op('XW', undo=lambda: cql('DROP TABLE k.n'))
def write_schema(): write('/k/schema.cql', T % 'k.n' + ';\n', os.O_APPEND)
@op('Xx', False)
def read_table_cql(): assert 'TABLE k.t ' in read('/k/t.cql')
@op('X', False)
def read_keyspace_cql(): assert 'CREATE KEYSPACE k' in read('/k.cql')
@op('X/x', False)
def keyspace_cql_tells_of_table(): return shown(read('/k.cql'), 'TABLE k.t ')
@op('X', False)
def list_description(): assert 't' in os.listdir(M + '/system_schema/tables/k')
@op('Xx', False)
def read_description(): assert read('/system_schema/columns/k/t/v/type') == 'text\n'
@op('Xx', False)
def read_description_document(): assert 'k' in read('/system_schema/tables/k/t.json')
# By statements.
@op('Xrx')
def select(): assert '"x"' in cql('SELECT * FROM k.t')
@op('Xrx')
def select_below(): assert '"x"' in console.run(M + '/k', 'SELECT * FROM t;', '.ndjson')
@op('Xwx')
def insert(): cql("INSERT INTO k.t (id, v) VALUES (1, 'x')")
@op('Xwx')
def update(): cql("UPDATE k.t SET v = 'x' WHERE id = 1")
@op('Xwx', undo=remake_rows)
def delete(): cql('DELETE FROM k.t WHERE id = 2')
@op('Xwx', undo=lambda: cql('TRUNCATE open.t'))
def batch():
    try:
        cql("BEGIN BATCH INSERT INTO open.t (id, v) VALUES (9, 'y'); "
            "INSERT INTO k.t (id, v) VALUES (1, 'x'); APPLY BATCH")
    except OSError:
        assert cql('SELECT * FROM open.t') == ''    # none of it
        raise
@op('Xrwx')
def insert_if(): assert 'applied' in cql("INSERT INTO k.t (id, v) VALUES (1, 'z') IF NOT EXISTS")
@op('Xrwx')
def batch_if():
    cql("BEGIN BATCH UPDATE k.t SET v = 'x' WHERE id = 1 IF v = 'x'; APPLY BATCH")
@op('Xwx', undo=remake_rows)
def truncate(): cql('TRUNCATE k.t')
@op('X')
def use(): cql('USE k')
@op('X')
def describe_keyspace(): cql('DESCRIBE KEYSPACE k')
@op('Xx')
def describe_table(): assert 'k.t ' in cql('DESCRIBE TABLE k.t')
@op('Xrx')
def unknown_column():       # is not told apart
    try: cql('SELECT nothing FROM k.t')
    except OSError as e:
        if e.errno != errno.EINVAL: raise
@op('X')
def unknown_table():
    try: cql('SELECT * FROM k.nothing')
    except OSError as e:
        if e.errno != errno.EINVAL: raise
@op('X/x')
def describe_tables(): return shown(cql('USE k; DESCRIBE TABLES'), '"t"')
@op('X', otherwise='hidden')
def describe_keyspaces(): return shown(cql('DESCRIBE KEYSPACES'), '"k"')
@op('X', otherwise='hidden')
def row_of_keyspace():
    return shown(cql("SELECT * FROM system_schema.keyspaces WHERE keyspace_name = 'k'"), 'durable')
@op('Xx', otherwise='hidden')
def row_of_table():
    return shown(cql("SELECT * FROM system_schema.tables WHERE keyspace_name = 'k' AND table_name = 't'"), 'comment')
@op('Xx', otherwise='hidden')
def rows_of_columns(): return shown(cql('SELECT * FROM system_schema.columns'), '"k", "table_name": "t"')
@op('Xx', otherwise='hidden')
def row_of_index(): return shown(cql('SELECT * FROM system."IndexInfo"'), '"i_v"')
@op('XW', undo=lambda: cql('DROP TABLE k.n'))
def create_table(): cql(T % 'k.n')
@op('XWx', undo=lambda: cql(T % 'k.d'))
def drop_table(): cql('DROP TABLE k.d')
@op('XWx')
def alter_table(): cql("ALTER TABLE k.t WITH gc_grace_seconds = 864000")
@op('XWx', undo=lambda: cql('DROP INDEX k.n_v'))
def create_index(): cql('CREATE INDEX n_v ON k.d (v)')
@op('XW', undo=lambda: cql('DROP TYPE k.n'))
def create_type(): cql('CREATE TYPE k.n (a int)')
@op('XW')
def alter_keyspace(): cql("ALTER KEYSPACE k WITH durable_writes = true")
@op('+root', undo=lambda: cql('DROP KEYSPACE n'))
def create_keyspace(): cql("CREATE KEYSPACE n WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
def remake_keyspace():
    os.mkdir(M + '/j')
    cql(T % 'j.t')
    CHANGES.append(1)
@op('XWx', undo=remake_keyspace)
def drop_keyspace(): cql('DROP KEYSPACE j')


# ------------------------------------------------------------- what is right
def bits(user, mode):
    if user == 'root': return 7
    return mode >> {'owner': 6, 'member': 3, 'other': 0}[user] & 7
def rights(user, modes):
    have = ''
    for mode, letters in zip(modes, ('RWX', 'rwx')):
        have += ''.join(l for l, bit in zip(letters, (4, 2, 1)) if bits(user, mode) & bit)
    return have
def expected(user, modes, needs, changes, otherwise):
    have = rights(user, modes)
    way, _, shown_to = needs.partition('/')
    way, _, who = way.partition('+')
    if how == 'closed' and user != 'root': return {'EACCES'}
    if how == 'ro' and changes: return {'EROFS', 'EACCES', 'EPERM'}
    if not set(way) <= set(have): return {'EACCES' if who else otherwise}
    if not set(shown_to) <= set(have): return {'hidden'}
    allowed = {'': True, 'root': user == 'root', 'owner': user in ('root', 'owner'), 'never': False}
    return {'ok' if allowed[who] else otherwise}


# ----------------------------------------------------------------- the users
def attempt(f):
    try: return f()
    except OSError as e: return errno.errorcode[e.errno]
    except AssertionError as e: return 'wrong: %s' % e

def serve(user, commands, answers):
    global MODE, FULL
    if USERS[user]:
        uid, groups = USERS[user]
        os.setgroups(groups[1:])
        os.setresgid(groups[0], groups[0], groups[0])
        os.setresuid(uid, uid, uid)
    os.umask(0)
    while True:
        command = commands.readline().split()
        if not command: os._exit(0)
        MODE, FULL = (int(command[1]), int(command[2])), int(command[3])
        result = attempt(OPS[int(command[0])][5])
        answers.write((result or 'ok') + '\n')
        answers.flush()

def begin_user(user):
    down, up = os.pipe(), os.pipe()
    if not os.fork():
        os.close(down[1]); os.close(up[0])
        try: serve(user, os.fdopen(down[0], 'r'), os.fdopen(up[1], 'w'))
        finally: os._exit(1)
    os.close(down[0]); os.close(up[1])
    return os.fdopen(down[1], 'w'), os.fdopen(up[0], 'r')

def set_modes():
    for k in ('k', 'j'):
        for path, mode in ((k, MODE[0]), (k + '/t', MODE[1]), (k + '/d', MODE[1])):
            if k == 'j' and path.endswith('d'): continue
            os.chown(M + '/' + path, OWNER, GROUP)
            os.chmod(M + '/' + path, mode)

os.umask(0)
if how == 'rw':
    for k in ('k', 'j', 'open'):
        os.mkdir(M + '/' + k)
        cql(T % (k + '.t'))
        os.chmod(M + '/' + k, 0o777)
        os.chmod(M + '/' + k + '/t', 0o777)
    cql(T % 'k.d')
    cql('CREATE INDEX i_v ON k.t (v)')
    remake_rows()
else:
    MODES = MODES[-1:]      # as they were left
cases, wrong = 0, 0
children = {user: begin_user(user) for user in USERS}
for MODE in MODES:
    if how == 'rw': set_modes()
    for user, (to, back) in children.items():
        for i, (name, needs, changes, undo, otherwise, f) in enumerate(OPS):
            FULL = os.stat(M + '/k/schema.cql').st_size
            to.write('%d %d %d %d\n' % (i, *MODE, FULL))
            to.flush()
            got = back.readline().strip()
            want = expected(user, MODE, needs, changes, otherwise)
            cases += 1
            if got not in want:
                wrong += 1
                print('keyspace %03o, table %03o, %s: %s: %s, expected %s' %
                      (*MODE, user, name, got or 'died', want))
                if not got: sys.exit(1)
            if got == 'ok' and changes and undo:
                undo()
                set_modes()
print(cases, 'cases,', wrong, 'wrong')
sys.exit(wrong > 0)
