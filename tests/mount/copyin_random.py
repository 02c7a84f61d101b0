"""Print a random keyspace r, a statement a line: copyin_random.py SEED ROWS. A line "-- half" stands before those that
make a later state of the same rows."""
import random
import sys

seed, row_count = int(sys.argv[1]), int(sys.argv[2])
rng = random.Random(seed)
TEXTS = ['', '.', '..', 'a/b', '%', '%41', 'a,b', ',', '.hid', '@static', '@key', '@0', 'x.json', 'y.csv', 'schema.cql', 'x~', '#x#',
         '4913', 'sedAbCdEf', '.x.AbCdEf', 'tmp12345678', 'x.rej', 'x.bak', ' ', ' a ', 'a\nb', '\n', '\x01', '\x7f', "it's", 'é', 'é' * 130,
         'K' * 255, 'K' * 256, 'L,%/' * 80, '.' + 'M' * 300, 'N' * 260 + '.json', '-', '--x', '*', '$x', '\\', '"', 'null', '0x', '\U0001f600']
NAMES = ['a', 'b', 'value', 'v', 'a.json', 'A b', 'x/y', '@key', '.h', '%41', 'a~', 'sedABCDEF', 'tags', 'm', 'a,b', '4913', 'é', 'x.rej']
KEY_TYPES = ['ascii', 'bigint', 'blob', 'boolean', 'date', 'decimal', 'double', 'float', 'inet', 'int', 'smallint', 'text', 'time',
             'timestamp', 'timeuuid', 'tinyint', 'uuid', 'varint', 'frozen<list<int>>', 'frozen<ad>', 'tuple<int, text>', 'text', 'text', 'int']
TYPES = KEY_TYPES + ['duration', 'vector<float, 3>', 'frozen<map<text, frozen<set<int>>>>', 'list<text>', 'list<int>', 'set<text>', 'set<blob>',
                     'map<text, int>', 'map<int, text>', 'map<timestamp, blob>', 'ad', 'map<text, frozen<ad>>']


def quote(text):
    return "'" + text.replace("'", "''") + "'"


def name(text):
    return '"' + text.replace('"', '""') + '"'


def few(make):
    return [make() for _ in range(rng.randrange(4))]


def digits(count):
    return str(rng.randrange(10 ** rng.randrange(1, count)) * rng.choice([1, -1]))


def literal(kind):
    if kind in ('text', 'varchar'):
        return quote(rng.choice(TEXTS))
    if kind == 'ascii':
        return quote(rng.choice([t for t in TEXTS if t.isascii()]))
    if kind == 'blob':
        return '0x' + bytes(rng.randrange(256) for _ in range(rng.choice([0, 1, 2, 30, 200]))).hex()
    if kind in ('bigint', 'varint', 'int', 'smallint', 'tinyint'):
        return digits({'bigint': 18, 'varint': 40, 'int': 9, 'smallint': 4, 'tinyint': 2}[kind])
    if kind in ('double', 'float'):
        return rng.choice(['NaN', 'Infinity', '-Infinity', '0', '-0.0', '1.5', '1e10', '-2.25e-7'])
    if kind == 'decimal':
        return rng.choice(['0', '1.0', '1.00', '-3.14', '1E+20', '0.000001']) if rng.random() < .5 else digits(20) + '.' + str(rng.randrange(99))
    if kind == 'boolean':
        return rng.choice(['true', 'false'])
    if kind == 'date':
        return quote(f'{rng.randrange(1000, 3000)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}')
    if kind == 'time':
        return quote(f'{rng.randrange(24):02}:{rng.randrange(60):02}:00.{rng.randrange(10 ** 9):09}')
    if kind == 'timestamp':
        return str(rng.randrange(-10 ** 13, 10 ** 13))
    if kind == 'uuid':
        return '%08x-1111-4222-8333-%012x' % (rng.getrandbits(32), rng.getrandbits(48))
    if kind == 'timeuuid':
        return '%08x-1111-1222-8333-%012x' % (rng.getrandbits(32), rng.getrandbits(48))
    if kind == 'inet':
        return quote(rng.choice(['1.2.3.4', '::1', 'fe80::1:2', '2001:db8::ff', '0.0.0.0']))
    if kind == 'duration':
        return rng.choice(['1mo2d3h', '-5m', '12h30m', '1ns', '0s'])
    if kind == 'vector<float, 3>':
        return '[1, -2.5, 3]'
    if kind == 'tuple<int, text>':
        return f"({literal('int')}, {literal('text')})"
    if kind in ('ad', 'frozen<ad>'):
        parts = [f'street: {literal("text")}', f'n: {literal("int")}', f'"x.y": {literal("blob")}']
        return '{' + ', '.join(rng.sample(parts, rng.randrange(1, 4))) + '}'
    if kind.startswith('frozen<list') or kind.startswith('list'):
        inner = 'text' if 'text' in kind else 'int'
        return '[' + ', '.join(few(lambda: literal(inner))) + ']'
    if kind.startswith('set'):
        return '{' + ', '.join(sorted(set(few(lambda: literal(kind[4:-1]))))) + '}'
    if kind == 'frozen<map<text, frozen<set<int>>>>':
        return '{' + ', '.join({quote(t): f'{quote(t)}: {{1, {rng.randrange(2, 9)}}}' for t in rng.sample(TEXTS, 2)}.values()) + '}'
    key, value = kind[4:-1].split(', ')
    return '{' + ', '.join({k: f'{k}: {literal(value)}' for k in few(lambda: literal(key))}.values()) + '}'


class Table:
    def __init__(self, number):
        self.name = f't{number}'
        kind = rng.random()
        self.counter, self.plain = kind < .15, kind > .9
        names = NAMES[:]
        rng.shuffle(names)
        self.partition = [(names.pop(), rng.choice(KEY_TYPES)) for _ in range(rng.choice([1, 1, 2, 3]))]
        self.clustering = [(names.pop(), rng.choice(KEY_TYPES)) for _ in range(rng.choice([0, 0, 1, 1, 2]))]
        self.columns = [(names.pop(), rng.choice(['int', 'text', 'blob', 'float']) if self.plain else rng.choice(TYPES))
                        for _ in range(rng.randrange(1, 5))]
        self.statics = [(names.pop(), rng.choice(TYPES)) for _ in range(rng.randrange(3))] if self.clustering and not self.plain else []
        if self.counter:
            self.columns, self.statics = [(n, 'counter') for n, _ in self.columns], []
        if self.plain and self.clustering:
            self.columns = self.columns[:1]

    def ddl(self):
        parts = [f'{name(n)} {t}' for n, t in self.partition + self.clustering + self.columns]
        parts += [f'{name(n)} {t} STATIC' for n, t in self.statics]
        key = ', '.join(['(' + ', '.join(name(n) for n, _ in self.partition) + ')'] + [name(n) for n, _ in self.clustering])
        options = ['COMPACT STORAGE'] if self.plain else []
        if self.clustering and rng.random() < .5:
            options.append('CLUSTERING ORDER BY (' + ', '.join(f'{name(n)} {rng.choice(["ASC", "DESC"])}' for n, _ in self.clustering) + ')')
        return f"CREATE TABLE r.{self.name} ({', '.join(parts)}, PRIMARY KEY ({key}))" + (' WITH ' + ' AND '.join(options) if options else '') + ';'

    def row(self):
        keys = [(n, literal(t)) for n, t in self.partition + self.clustering]
        where = ' AND '.join(f'{name(n)} = {v}' for n, v in keys)
        if self.counter:
            return keys, f"UPDATE r.{self.name} SET " + ', '.join(f'{name(n)} = {name(n)} + {rng.randrange(-9, 9)}' for n, _ in self.columns) + f' WHERE {where};'
        return keys, self.insert(keys)

    def insert(self, keys):
        if self.statics and rng.random() < .2:
            keys = keys[:len(self.partition)]
            cells = rng.sample(self.statics, 1)
        else:
            cells = [c for c in self.columns + self.statics if rng.random() < .7]
            if self.plain and not cells:
                cells = self.columns[:1]
        given = keys + [(n, literal(t)) for n, t in cells]
        ttl = ' USING TTL 900000' if rng.random() < .1 else ''
        return f"INSERT INTO r.{self.name} ({', '.join(name(n) for n, _ in given)}) VALUES ({', '.join(v for _, v in given)}){ttl};"


def line(statement):
    sys.stdout.write(statement.replace('\n', '\x02') + '\n')


line("CREATE KEYSPACE r WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};")
line('CREATE TYPE r.ad (street text, n int, "x.y" blob);')
tables = [Table(i) for i in range(5)]
for table in tables:
    line(table.ddl().replace('ad>', 'ad>'))
later = []
for _ in range(row_count):
    table = rng.choice(tables)
    keys, statement = table.row()
    line(statement)
    if not table.counter and rng.random() < .3:
        later.append(table.insert(keys))
line('-- half')
for statement in later:
    line(statement)
