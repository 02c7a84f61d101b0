"""Print random statements on two tables with the same columns: dump_random.py SEED COUNT."""
import random
import sys

seed, count = int(sys.argv[1]), int(sys.argv[2])
rng = random.Random(seed)
COLUMNS = ('(p int, c int, s int STATIC, sm map<int, text> STATIC, a int, t text, m map<int, int>, st set<int>, '
           'l list<int>, u ad, f frozen<list<int>>, PRIMARY KEY (p, c))')
# Few timestamps and TTLs, so that cells often have those of another, or of the marker.
TTLS = [0, 0, 0, 500000, 700000]


def value(column):
    n = rng.randrange(5)
    return {'s': str(n), 'a': str(n), 't': rng.choice(["''", "'it''s'", "'x'"]), 'f': f'[{n}]',
            'm': f'{{{n}: 1, {n + 1}: 2}}', 'sm': f"{{{n}: 'v'}}", 'st': f'{{{n}, {n + 3}}}', 'l': f'[{n}, 7]',
            'u': rng.choice(['{n: 1}', "{street: 's', n: 2}", "{street: ''}"])}[column]


def using(with_ttl):
    ttl = rng.choice(TTLS)
    text = f' USING TIMESTAMP {rng.randrange(-2, 40)}'
    if with_ttl and (ttl or rng.random() < 0.3):
        text += f' AND TTL {ttl}'
    return text


def assignment(column):
    n = rng.randrange(5)
    part = {'m': f'm[{n}] = 9', 'sm': f"sm[{n}] = 'w'", 'st': f'st = st + {{{n}}}', 'l': f'l = l + [{n}]',
            'u': f'u.n = {n}'}
    if column in part and rng.random() < 0.6:
        return part[column]
    return f'{column} = {"null" if rng.random() < 0.15 else value(column)}'


def statement(table):
    p, c = rng.randrange(12), rng.randrange(4)
    where = f'WHERE p = {p} AND c = {c}'
    regular = rng.sample(['a', 't', 'm', 'st', 'l', 'u', 'f'], rng.randrange(4))
    statics = rng.sample(['s', 'sm'], rng.randrange(1, 3))
    kind = rng.random()
    if kind < 0.4:
        values = ''.join(', ' + value(column) for column in regular)
        names = ''.join(', ' + column for column in regular)
        return f'INSERT INTO {table} (p, c{names}) VALUES ({p}, {c}{values}){using(True)};'
    if kind < 0.75 and regular:
        return f'UPDATE {table}{using(True)} SET {", ".join(assignment(c) for c in regular)} {where};'
    if kind < 0.87:
        return f'UPDATE {table}{using(True)} SET {", ".join(assignment(c) for c in statics)} WHERE p = {p};'
    if kind < 0.95:
        return f'DELETE {rng.choice(["a", "m", "t, u", ""])} FROM {table}{using(False)} {where};'
    return f'DELETE FROM {table}{using(False)} WHERE p = {p};'


print("CREATE KEYSPACE d WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};")
print('CREATE TYPE d.ad (street text, n int);')
print(f'CREATE TABLE d.plain {COLUMNS};')
print(f'CREATE TABLE d.lives {COLUMNS} WITH default_time_to_live = 600000;')
print('CREATE TABLE d.compact (p int, c int, e int, v int, PRIMARY KEY (p, c, e)) WITH COMPACT STORAGE;')
print('CREATE TABLE d.cn (p int, c int, s counter STATIC, n counter, PRIMARY KEY (p, c));')
for _ in range(count):
    print(statement('d.' + rng.choice(['plain', 'lives'])))
    if rng.random() < 0.2:
        e, end = (', e', f', {rng.randrange(3)}') if rng.random() < 0.5 else ('', '')
        print(f'INSERT INTO d.compact (p, c{e}, v) VALUES ({rng.randrange(9)}, 1{end}, 5){using(True)};')
        print(f'UPDATE d.cn SET n = n + {rng.randrange(-9, 9)} WHERE p = {rng.randrange(9)} AND c = 2;')
        print(f'UPDATE d.cn SET s = s + {rng.randrange(-9, 9)} WHERE p = {rng.randrange(9)};')
