"""Random queries as directories, each compared with the same SELECT.

queries.py MOUNT; SEEDS: numbers, ROUNDS: queries of each. Tables of random
keys and orders get random rows; a random query is listed, and its entries and
where they lead compared with the rows that the SELECT gives through .cql.json;
in .json with those of the tree.
"""
import csv
import json
import os
import random
import re
import sys

import console

MOUNT = sys.argv[1]
SEEDS = [int(s) for s in os.environ.get('SEEDS', '1 2 3').split()]
ROUNDS = int(os.environ.get('ROUNDS', '60'))
TEXTS = ['a', 'b', 'b,c', 'b..c', 'd=e', '~', '%', '@x', '.y', 'z.csv', '\u00fc', 'ab', 'b' * 200, 'b' * 260]


def cql(text):
    return json.loads(console.run(MOUNT, text + ';'))


def literal(kind, value):
    return str(value) if kind == 'int' else "'" + value.replace("'", "''") + "'"


def escape(text, extra=''):
    """A value as it is in names, but for the leading byte and the suffix; extra: more bytes that are escaped."""
    if text == '':
        return '%'
    out = ''.join('%%%02X' % ord(c) if ord(c) < 32 or c in '/%' + extra else c for c in text)
    return out


def spell(text, before_dots=False):
    """The one spelling of a value in a term; before_dots: it begins a range."""
    text = escape(str(text), ',=')
    for suffix in ('.json', '.ndjson', '.csv', '.cql'):
        if text.endswith(suffix):
            text = text[:-len(suffix)] + '%2E' + suffix[1:]
    if text[0] in '.@':
        text = '%%%02X' % ord(text[0]) + text[1:]
    if before_dots and text[-1] == '.':
        text = text[:-1] + '%2E'
    return re.sub(r'(\.|%2E){2,}', lambda run: run.group().replace('.', '%2E'), text)


class Table:
    def __init__(self, rng, name):
        self.rng = rng
        self.name = name
        self.kinds = {}
        self.keys = ['p%d' % i for i in range(rng.choice([1, 1, 2]))]
        self.clustering = ['c%d' % i for i in range(rng.choice([0, 1, 2, 3]))]
        for c in self.keys + self.clustering + ['v', 'w']:
            self.kinds[c] = rng.choice(['int', 'text'])
        self.orders = [rng.choice(['ASC', 'DESC']) for _ in self.clustering]
        key = '((%s)%s)' % (', '.join(self.keys), ''.join(', ' + c for c in self.clustering))
        order = ' WITH CLUSTERING ORDER BY (%s)' % ', '.join(
            '%s %s' % pair for pair in zip(self.clustering, self.orders)) if self.clustering else ''
        cql('CREATE TABLE %s (%s, PRIMARY KEY %s)%s' % (
            name, ', '.join('%s %s' % pair for pair in self.kinds.items()), key, order))
        cql("CREATE INDEX ON %s (w)%s" % (name, rng.choice(['', " USING 'sai'"])))
        self.directory = '%s/%s' % (MOUNT, name.replace('.', '/'))
        for _ in range(60):
            self.insert()
        for _ in range(6):
            self.delete()

    def value(self, column):
        if self.kinds[column] == 'int':
            return self.rng.randrange(-3, 6)
        return self.rng.choice(TEXTS[:5] if column in self.keys else TEXTS)

    def insert(self):
        columns = list(self.kinds)
        values = [literal(self.kinds[c], self.value(c)) for c in columns]
        cql('INSERT INTO %s (%s) VALUES (%s)' % (self.name, ', '.join(columns), ', '.join(values)))

    def delete(self):
        columns = self.keys + self.clustering[:self.rng.randrange(len(self.clustering) + 1)]
        cql('DELETE FROM %s WHERE %s' % (self.name, ' AND '.join(
            '%s = %s' % (c, literal(self.kinds[c], self.value(c))) for c in columns)))


def component(table, columns, row):
    """The name of one directory: of a partition or of a clustering value."""
    if len(columns) == 1:
        name = escape(str(row[columns[0]]))
    else:
        name = ','.join(escape(str(row[c]), ',') if row[c] != '' else '' for c in columns)
    if name.endswith('.csv'):
        name = name[:-4] + '%2Ecsv'
    if name[0] in '.@':
        name = '%%%02X' % ord(name[0]) + name[1:]
    return name


def check(table, rng):
    """Make one query, list it and compare. Returns what is wrong, or None."""
    rows = cql('SELECT * FROM ' + table.name)
    names = [c['name'] for c in rows['columns']]
    rows = [dict(zip(names, r)) for r in rows['rows']]
    if not rows:
        return None
    at = rng.choice(rows)
    depth = rng.choice([None] + list(range(len(table.clustering)))) if table.clustering else None
    path, where = table.directory, []
    fixed = []
    if depth is not None:
        fixed = table.keys + table.clustering[:depth]
        path += '/' + component(table, table.keys, at)
        for c in table.clustering[:depth]:
            path += '/' + component(table, [c], at)
        if '\x00' in path or any(len(p.encode()) > 255 for p in path.split('/')):
            return None
        where = ['%s = %s' % (c, literal(table.kinds[c], at[c])) for c in fixed]
    rest = [c for c in table.keys + table.clustering if c not in fixed]
    terms = []
    scan = False
    candidates = rest + ['w', 'v'] if rng.random() < 0.7 else []
    for column in candidates:
        if rng.random() < 0.55:
            continue
        kind, a, b = table.kinds[column], table.value(column), table.value(column)
        if rng.random() < 0.5:
            terms.append('@%s=%s' % (column, spell(a)))
            where.append('%s = %s' % (column, literal(kind, a)))
        else:
            low, high = rng.choice([(True, True), (True, False), (False, True)])
            terms.append('@%s=%s..%s' % (column, spell(a, True) if low else '', spell(b) if high else ''))
            where += ['%s >= %s' % (column, literal(kind, a))] if low else []
            where += ['%s < %s' % (column, literal(kind, b))] if high else []
    if not terms and depth is None:
        terms.append('@token=-9223372036854775808..')
    elif not terms:
        column, end = rest[0], 'z' if table.kinds[rest[0]] == 'text' else 9
        terms.append('@%s=..%s' % (column, end))
        where.append('%s < %s' % (column, literal(table.kinds[column], end)))
    if rng.random() < 0.75:
        terms.append('@scan')
        scan = True
    statement = 'SELECT %s FROM %s' % (', '.join(table.keys + table.clustering), table.name)
    if where:
        statement += ' WHERE ' + ' AND '.join(where)
    if depth is not None and rng.random() < 0.4:
        terms.append('@desc')
        statement += ' ORDER BY %s DESC' % table.clustering[depth]
    if scan:
        statement += ' ALLOW FILTERING'
    rng.shuffle(terms)
    name = ','.join(terms)
    if len(name.encode()) > 255:
        return None
    try:
        want = cql(statement)['rows']
    except OSError:
        want = None
    query = path + '/' + name
    try:
        with os.scandir(query) as entries:
            got = [e.name for e in entries]
    except OSError as e:
        got = None
        error = e
    if (want is None) != (got is None):
        return '%s: %s\n  %s\n  %s' % (query, got if got is not None else error, statement, want)
    wrong = compare_documents(query, got)
    if wrong or want is None:
        return wrong
    # Where links lead tells the row, the name only has to lead there.
    width = len(table.keys) + len(table.clustering)
    keys = []
    for entry in got:
        row = {}
        target = query + '/' + entry
        for c in table.keys + table.clustering:
            with open(target + '/' + c, encoding='utf-8') as f:
                text = f.read()
            text = text[:-1] if text.endswith('\n') else text
            row[c] = int(text) if table.kinds[c] == 'int' else text
        keys.append([row[c] for c in table.keys + table.clustering])
    if keys != [r[:width] for r in want]:
        return '%s\n  %s\n  lists %s\n  not   %s' % (query, statement, keys, want)
    # The same as a document.
    if len(name.encode()) <= 250:
        with open(query + '.csv', encoding='utf-8', newline='') as f:
            lines = list(csv.DictReader(f))
        got_keys = [[int(r[c]) if table.kinds[c] == 'int' else r[c] for c in table.keys + table.clustering]
                    for r in lines]
        if got_keys != keys:
            return '%s.csv\n  has %s\n  not %s' % (query, got_keys, keys)
    # A page that begins after an entry is the rest of the listing.
    usable = [i for i, e in enumerate(got) if '%~' not in e]
    if usable:
        i = rng.choice(usable)
        after = spell(got[i])
        page = query + ',@limit=5,@after=' + after
        if after.endswith(('.csv', '.json', '.cql')) or len(page.split('/')[-1].encode()) > 255:
            return None
        if os.listdir(page) != got[i + 1:i + 6]:
            return '%s\n  lists %s\n  not   %s' % (page, os.listdir(page), got[i + 1:i + 6])
    return None


def contents(path):
    with open(path, 'rb') as f:
        return f.read()


def compare_documents(query, got):
    """The same query in .json: its entries lead to the documents of the rows that those of the tree lead to. Returns what is wrong,
    or None; got: the entries in the tree, None: it is refused."""
    other = MOUNT + '/.json' + query[len(MOUNT):]
    try:
        listed = os.listdir(other)
    except OSError:
        listed = None
    if (listed is None) != (got is None) or len(listed or []) != len(got or []):
        return '%s\n  lists %s\n  in the tree %s' % (other, listed, got)
    for entry, document in zip(got or [], listed or []):
        short = len(entry.encode()) + len('.json') <= 255
        if document != entry + '.json' if short else not re.fullmatch('.*%~[0-9a-f]{16}[.]json', document, re.S):
            return '%s: of %s, lists %s' % (other, entry, document)
        path = os.path.normpath('%s/%s' % (other, os.readlink('%s/%s' % (other, document))))
        row = os.path.normpath('%s/%s' % (query, os.readlink('%s/%s' % (query, entry))))
        if os.path.dirname(path)[len(MOUNT + '/.json'):] != os.path.dirname(row)[len(MOUNT):] or \
                os.path.basename(path) not in os.listdir(os.path.dirname(path)):
            return '%s/%s leads to %s, in the tree to %s' % (other, document, path, row)
        if contents('%s/%s' % (other, document)) != contents(row + '.json'):
            return '%s/%s is another row than %s' % (other, document, row)
    for suffix in ('.ndjson', '.csv'):
        if got is not None and len(os.path.basename(query + suffix).encode()) <= 255 and contents(query + suffix) != contents(other + suffix):
            return '%s%s has other bytes than in the tree' % (other, suffix)
    return None


def main():
    checked = 0
    cql("CREATE KEYSPACE random WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
    for seed in SEEDS:
        rng = random.Random(seed)
        for number in range(3):
            table = Table(rng, 'random.t%d_%d' % (seed, number))
            for _ in range(ROUNDS // 3):
                wrong = check(table, rng)
                if wrong:
                    print('FAIL: seed %d: %s' % (seed, wrong))
                    return 1
                checked += 1
    print('%d random queries, seeds %s' % (checked, SEEDS))
    return 0


sys.exit(main())
