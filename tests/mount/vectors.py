#!/usr/bin/env python3
"""vectors.py WIDEFS FOLDER STEP [NAME...]: the recorded answers through a mount.

Plays tests/vectors/NAME.jsonl (without a NAME each STEPth of all files), each in a store of its
own below FOLDER, through one descriptor of .cql.json: every other statement with
its semicolon, where a refusal fails the write, the others without, where it is
read. Columns, rows, codes and messages have to be the recorded ones, by the rules
of tests/vectors/README.md. A text of several statements, or of none, is legal
there and no single request as in Cassandra: those few lines are run, not compared.
Prints what does not match and the counts.
"""
import glob, json, os, re, struct, subprocess, sys, time

VECTORS = "tests/vectors/"


class Number(str):
    """A number as it is written."""


def load(text):
    return json.loads(text, parse_int=Number, parse_float=Number,
                      object_pairs_hook=lambda pairs: ("object", sorted(pairs, key=repr)))


def digits(number):
    """Sign, digits and scale of a decimal: 1.0 is not 1.00, 1e1 is 10E0's other form."""
    whole, _, exponent = number.lower().partition("e")
    sign, whole = whole.startswith("-"), whole.lstrip("-")
    whole, _, fraction = whole.partition(".")
    return sign, (whole + fraction).lstrip("0"), len(fraction) - int(exponent or 0)


def same_number(a, b, decimal):
    floating = [bool(re.search("[.eE]", n)) for n in (a, b)]
    if decimal:
        return digits(a) == digits(b)
    if floating[0] != floating[1] or not floating[0]:
        return False
    return struct.pack("d", float(a)) == struct.pack("d", float(b))


def same(a, b, decimal):
    if type(a) is not type(b):
        return False
    if isinstance(a, Number):
        return a == b or same_number(a, b, decimal)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y, decimal) for x, y in zip(a, b))
    return a == b


def bare(name):
    """A type as clients are told it: nothing is frozen, no name is quoted."""
    out, frozen = "", []
    for token in re.findall(r"frozen<|<|>|[^<>]+?(?=frozen<|<|>|$)", name.replace('"', "")):
        if token in ("frozen<", "<"):
            frozen.append(token == "frozen<")
        if token == ">" and frozen.pop():
            continue
        if token != "frozen<":
            out += token
    return out


class Store:
    def __init__(self, widefs, folder, name):
        self.path, self.mount = folder + "/store-" + name, folder + "/mnt"
        self.widefs = widefs
        self.begin()

    def begin(self):
        subprocess.run([self.widefs, "--log-file=" + os.path.dirname(self.mount) + "/log", self.path, self.mount],
                       check=True, stderr=subprocess.DEVNULL)
        self.fd = os.open(self.mount + "/.cql.json", os.O_RDWR)

    def end(self):
        os.close(self.fd)
        subprocess.run(["umount", self.mount], check=True)
        for _ in range(1200):
            if subprocess.run(["pgrep", "-f", "--", self.path + " " + self.mount + "$"],
                              stdout=subprocess.DEVNULL).returncode:
                return
            time.sleep(0.05)
        sys.exit("FAIL: the daemon of %s did not end" % self.path)

    def read(self):
        parts = []
        while True:
            part = os.read(self.fd, 1 << 20)
            if not part:
                return b"".join(parts).decode("utf-8", "surrogateescape")
            parts.append(part)

    def ask(self, cql, semicolon):
        """The answer as a pair of what .cql.json gives and an error of the end of the stream."""
        data = (cql + ";" if semicolon else cql).encode("utf-8", "surrogateescape")
        try:
            while data:
                data = data[os.write(self.fd, data):]
        except OSError:
            pass		# told in what can be read
        try:
            return self.read(), None
        except OSError:
            return None, os.getxattr(self.mount + "/.cql.json", "user.error").decode()

    def control(self, line):
        with open(self.mount + "/.widefs/ctl", "w") as f:
            f.write(line + "\n")


TEXTS_MAX = 7	# lines that are several statements or none


def is_text(cql, answer):
    """Is it refused by Cassandra because it is not one statement?"""
    return ("expecting EOF (" in answer and ";" in cql.rstrip("; \n")) or \
        not re.sub(r"/\*.*?\*/|--[^\n]*|[\s;]", "", cql)


def same_error(got, cql, code, message):
    if got[0] != code:
        return False
    place = re.match(r"line (-?\d+):(-?\d+) ", message)
    if code == "SyntaxException" and place:
        # A statement begins with its first word.
        before = len(re.match(r"(?:[^\S\n]|/\*.*?\*/)*", cql).group())
        line, column = int(place[1]), int(place[2])
        return got[1].startswith("line %d:%d " % (line, column - before if line == 1 else column))
    return got[1] == message or ("signatures" in message and sorted(got[1]) == sorted(message))


def matches(cql, answer, failure, text):
    """Is this answer the recorded one? text: that one's JSON."""
    expected = dict(load(text)[1])
    error = dict(expected["error"][1]) if "error" in expected else None
    if failure is not None:
        return error is not None and same_error(failure.split(": ", 1), cql, error["code"], error["message"])
    if answer.count("\n") != 1:
        return False
    got = dict(load(answer)[1])
    if "error" in got:
        e = dict(got["error"][1])
        return error is not None and same_error((e["code"], e["message"]), cql, error["code"], error["message"])
    if error is not None:
        return False
    columns = [dict(c[1]) for c in got["columns"]]
    decimal = any(re.search(r"\bdecimal\b", c["type"]) for c in columns)
    return ([(c["name"], bare(c["type"])) for c in columns] ==
            [(dict(c[1])["name"], dict(c[1])["type"]) for c in expected["columns"]] and
            same(got["rows"], expected["rows"], decimal))


def play(widefs, folder, path):
    store = Store(widefs, folder, os.path.basename(path))
    compared = bad = texts = 0
    keyspace = None
    for number, line in enumerate(open(path, encoding="utf-8", errors="surrogateescape"), 1):
        vector = json.loads(line)
        if "cql" not in vector:
            event = vector["event"]
            if event == "use":
                keyspace = vector["keyspace"]
                store.ask('USE "%s"' % keyspace, True)
            elif event in ("flush", "compact"):
                store.control(event)
            else:
                store.end()
                store.begin()
                if keyspace:
                    store.ask('USE "%s"' % keyspace, True)
            continue
        # Errors of syntax name the end of the text, which is without one.
        syntax = '"SyntaxException"' in line
        answer, failure = store.ask(vector["cql"], number % 2 == 1 and not syntax)
        text = line[line.index('"answer": ') + 10:].rstrip()[:-1]
        if is_text(vector["cql"], text):
            texts += 1
        if "differs" in vector or is_text(vector["cql"], text):
            continue
        compared += 1
        if not matches(vector["cql"], answer, failure, text):
            bad += 1
            print("FAIL: %s:%d: %s\n  expected %.600s\n  got      %.600s" %
                  (os.path.basename(path), number, vector["cql"], text, failure or answer))
    store.end()
    return compared, bad, texts


def main():
    widefs, folder, step, names = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
    paths = [VECTORS + n + ".jsonl" for n in names] or sorted(glob.glob(VECTORS + "*.jsonl") +
                                                              glob.glob(VECTORS + "random/*.jsonl"))[::step]
    passed = failed = texts = 0
    for path in paths:
        compared, bad, more = play(widefs, folder, path)
        texts += more
        if not compared:
            print("FAIL: %s: nothing was compared" % path)
            bad = 1
        passed += compared - bad
        failed += bad
    if texts > TEXTS_MAX:
        failed += 1
        print("FAIL: %d lines count as texts" % texts)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed or not passed else 0)


main()
