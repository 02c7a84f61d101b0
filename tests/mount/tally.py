"""Count the checks of posix.py and posixrules.py."""
passed = failed = 0


def is_same(what, expected, got):
    global passed, failed
    if expected == got:
        passed += 1
    else:
        failed += 1
        print(f'FAIL: {what}: {got!r}, expected {expected!r}')


def is_one_of(what, expected, got):
    """expected: a text, or several with '|' between them."""
    is_same(what, got if got in expected.split('|') else expected, got)


def done():
    print(f'{passed} passed, {failed} failed')
