"""Errors that a user can fix, each a single sentence, and the hints in them."""

import difflib


class ConfigError(ValueError):
    """Invalid input of a user; the message is one sentence."""


def one_line(error):
    """The message of an error on one line."""
    return " ".join(str(error).split())


def nearest(name, known):
    """A hint such as `, did you mean 'auc'?`, or the list of known names if none is similar."""
    matches = difflib.get_close_matches(str(name), [str(k) for k in known], n=1, cutoff=0.5)
    return f", did you mean '{matches[0]}'?" if matches else f"; choose from {', '.join(sorted(map(str, known)))}"
