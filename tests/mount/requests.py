# requests.py MOUNTPOINT: prints the requests that each command of requests.txt makes, as that file has them, and after
# `more:` each that is not in it. The least of seven runs, of which run N changes names of its own: other suites look at
# the mounts, too. What the kernel sends without waiting is left out: FORGET, which is `other`, and RELEASE.
import os, re, subprocess, sys

mount = sys.argv[1]
RUNS = range(1, 8)


def counts():
    text = open(mount + '/.widefs/metrics').read()
    return {kind: int(n) for kind, n in re.findall(r'request_seconds_count\{kind="([a-z_]+)"\} (\d+)', text)}


def requests(command):
    before = counts()
    subprocess.run(['bash', '-c', command], cwd=mount + '/k', check=True, stdout=subprocess.DEVNULL)
    after = counts()
    return {kind: after[kind] - before.get(kind, 0) for kind in after}


def least(runs):
    return {kind: min(run.get(kind, 0) for run in runs) for kind in runs[-1] if kind not in ('other', 'release')}


for line in open(os.path.dirname(__file__) + '/requests.txt').read().splitlines():
    if not line or line.startswith('#'):
        print(line)
        continue
    command, listed = line.split('\t')
    shell = least([requests('true') for _ in RUNS])     # and the reading of the figures
    found = least([requests(command.replace('@', str(n))) for n in RUNS])
    found = {kind: max(0, found[kind] - shell.get(kind, 0)) for kind in sorted(found)}
    print(command + '\t' + ', '.join('%s %d' % x for x in found.items() if x[1]))
    expected = {kind: int(n) for kind, n in re.findall(r'([a-z]+) (\d+)', listed)}
    for kind, n in found.items():
        most = expected.get(kind, 0)
        if n > most + 2 + most // 4:
            print('more: %s: %d %s, not %d' % (command, n, kind, most))
