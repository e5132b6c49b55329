"""Checks of options; an error names the option and what it was."""

import math
import operator
from collections.abc import Sequence
from typing import Any

from permconf.errors import nearest

_OF_SCIPY = ("greater", "less", "one-sided", "one_sided")  # similar to names here that mean something else


def whole_number(value: Any, name: str, *, least: int) -> int:
    """`value` as an int, or a ValueError if it is no whole number from `least`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or number < least:
        raise ValueError(f"{name} must be a whole number from {least}, not {value!r}{_in_digits(value)}")
    return number


def _in_digits(value):
    """A hint such as `; write 100` for '1e2' (a string in YAML) or 100.0."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return ""
    is_whole = not isinstance(value, int) and number.is_integer()
    return f"; write {int(number)}" if is_whole else ""


def number(value: Any, name: str, *, least: float, exclusive: bool = False) -> float:
    """`value` as a float, or a ValueError if it is no finite number from `least` (or above it, if `exclusive`)."""
    try:
        result = float(value)
    except (TypeError, ValueError):
        result = math.nan
    allowed = result > least if exclusive else result >= least
    if isinstance(value, str | bool) or not (allowed and math.isfinite(result)):
        raise ValueError(f"{name} must be a number {'above' if exclusive else 'from'} {least:g}, not {value!r}")
    return result


def choice(value: Any, name: str, choices: Sequence[str]) -> str:
    """`value`, or a ValueError with the nearest choice if it is none of them."""
    if not isinstance(value, str) or value not in choices:
        hint = f"; choose from {', '.join(choices)}" if value in _OF_SCIPY else nearest(value, choices)
        raise ValueError(f"unknown {name} {value!r}{hint}")
    return value
