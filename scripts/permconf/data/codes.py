"""Whole numbers that are codes (sites, scanners, batches) rather than a scale: the rule, and notes on what it decided.

Codes that are taken for a scale leave most of a confounder in the response test and in the weights; a scale that is
taken for levels costs power only. So, with more than ten distinct values (up to ten are levels in any case), whole
numbers are codes

- if a word of the column's name is in `NAMES` and there are two rows per value or more, on average; or
- if there are at most 50 distinct values with at least five rows each and ten on average, and these run from 0 or 1
  without a gap, or leave out more than half of the numbers between the smallest and the largest one, unevenly.

Few distinct values with many rows each are not enough: ages of children are a scale. Whole numbers stored as floats
follow the second rule whatever the number of values.
"""

import re

import numpy as np

from permconf.data.values import MOST_LEVELS, ROWS_PER_LEVEL

NAMES = (
    *("site", "sites", "centre", "center", "hospital", "clinic", "ward", "lab", "laboratory", "school", "cohort"),
    *("scanner", "device", "machine", "vendor", "manufacturer", "batch", "plate", "chip", "operator", "rater"),
    *(
        "reader",
        "region",
        "country",
        "county",
        "district",
        "zip",
        "postcode",
        "race",
        "ethnicity",
        "id",
        "code",
        "group",
    ),
)
MOST_CODES, FEW_VALUES = 50, 30
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def are_codes(name: str, values: np.ndarray) -> bool:
    """Whether numbers with more than two distinct values are codes by the rule above."""
    levels, counts = np.unique(values, return_counts=True)
    if (levels % 1).any():
        return False
    if levels.size > MOST_LEVELS and says_codes(name):
        return 2 * levels.size <= len(values)
    if not _are_many_rows_of_few(levels, counts):
        return False
    gaps = np.diff(levels)
    follow = levels[0] in (0, 1) and (gaps == 1).all()
    return bool(follow or (np.ptp(gaps) > 0 and levels[-1] - levels[0] + 1 > 2 * levels.size))


def says_codes(name: str) -> bool:
    """Whether a word of a name is one for codes: "site", "siteID", "scanner_code"."""
    return any(word.lower() in NAMES for word in _WORDS.findall(name))


def _are_many_rows_of_few(levels, counts, most=MOST_CODES):
    return levels.size <= most and counts.min() >= ROWS_PER_LEVEL and counts.mean() >= 2 * ROWS_PER_LEVEL


def note_on_codes(name: str, values: np.ndarray, *, as_levels: bool) -> str:
    """A note if the rule decided, or if whole numbers with few values were taken for a scale; else ""."""
    levels, counts = np.unique(values, return_counts=True)
    found = f"Confounder {name!r} has {levels.size} whole numbers"
    if as_levels:
        return (
            f"{found} that look like codes, so each is a level of its own; if they are a scale, treat it as 'smooth'."
        )
    if not (levels % 1).any() and _are_many_rows_of_few(levels, counts, FEW_VALUES):
        return f"{found}, taken as a scale; if they are codes, treat it as 'levels'."
    return ""
