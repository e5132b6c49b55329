"""Errors that a user can fix, each a single sentence, and the hints in them."""

import difflib
import errno

MANY, LISTED = 15, 10  # of more than so many names, so many are listed


class ConfigError(ValueError):
    """Invalid input of a user; the message is one sentence."""


SYSTEM_ERRORS = (OSError, MemoryError, ImportError)  # worth retrying: no fault of a data set


def one_line(error):
    """The message of an error on one line."""
    return " ".join(str(error).split())


def describe_system_error(error):
    """What the operating system refused (one of SYSTEM_ERRORS), where, and what to do about a full disk."""
    if not getattr(error, "strerror", None):
        return one_line(error) or "there is not enough memory"
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    reason = "the disk is full; free some space and repeat the command, which resumes" if full else error.strerror
    return f"{error.filename}: {reason}" if error.filename else reason


def nearest(name, known):
    """A hint such as `, did you mean 'auc'?`, or the list of known names (the first of many) if none is similar."""
    names = sorted({str(k) for k in known})
    if matches := difflib.get_close_matches(str(name), names, n=1, cutoff=0.5):
        return f", did you mean '{matches[0]}'?"
    shown = names if len(names) <= MANY else [*names[:LISTED], f"and {len(names) - LISTED} more"]
    return f"; choose from {', '.join(shown)}" if shown else ""
