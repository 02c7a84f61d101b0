"""The answer of a call, for comparisons: its result, or the name of its error."""
import errno


def said(call, *args):
    try:
        return call(*args)
    except OSError as e:
        return errno.errorcode[e.errno]
