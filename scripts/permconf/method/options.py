"""Checks of options; an error names the option and what it was."""

import operator
from collections.abc import Sequence
from typing import Any

from permconf.errors import nearest


def whole_number(value: Any, name: str, *, least: int) -> int:
    """`value` as an int, or a ValueError if it is no whole number from `least`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or number < least:
        raise ValueError(f"{name} must be a whole number from {least}, not {value!r}")
    return number


def choice(value: Any, name: str, choices: Sequence[str]) -> str:
    """`value`, or a ValueError with the nearest choice if it is none of them."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"unknown {name} {value!r}{nearest(value, choices)}")
    return value
