"""Numbers, metrics and lists in words: how an audit writes them everywhere."""

import math

from permconf.plotting.nulls import METRICS

ALPHA = 0.05
LONGEST = 30  # characters of a name in a sentence
NAMES = METRICS | {"f1": "F1", "r2": "R2", "brier": "Brier score"}


def metric_name(name):
    """A metric as prose calls it: "AUC", "balanced accuracy"."""
    return NAMES.get(name, name.replace("_", " "))


def p_value(p):
    """A p-value with two digits: ".038", ".0016", "< .001", never 0; more digits next to the threshold of .05."""
    if math.isnan(p):
        return "-"
    if p < 0.001:
        return "< .001"
    if p > 0.995:
        return "1" if p == 1 else "> .99"
    digits = 2
    while (float(f"{p:.{digits}g}") <= ALPHA) != (p <= ALPHA):
        digits += 1
    rounded = f"{p:.{max(2, digits - 1 - math.floor(math.log10(p)))}f}".lstrip("0")
    return rounded.rstrip("0") if len(rounded) > 4 else rounded


def p_equals(p):
    """A p-value for a sentence: "p = .038", "p < .001"."""
    text = p_value(p)
    return f"p {text}" if text[0] in "<>" else f"p = {text}"


def error(value):
    """A Monte Carlo error with one digit."""
    if math.isnan(value):
        return "-"
    text = f"{value:.1g}"
    if value >= 1:
        return f"{float(text):,.0f}"
    return text.removeprefix("0") if value >= 0.0001 else text


def decimals(low, high, *, least=2):
    """Decimals that suit the width of an interval: 2 for .61 to .71, none for 2,510 to 3,200."""
    width = high - low
    if not (math.isfinite(width) and width > 1e-9 * max(abs(low), abs(high))):  # none, or by rounding only
        return least
    return max(0 if width > 10 else least, 1 - math.floor(math.log10(2 * width) + 1e-9))


def value(number, places):
    """A value of a metric: ".66", "-.12", "2,860"."""
    if not math.isfinite(number):
        return "-"
    text = f"{number:z,.{places}f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def between(interval, places):
    """An interval: ".61 to .71"."""
    if not all(map(math.isfinite, interval)):
        return "-"
    return " to ".join(value(bound, places) for bound in interval)


def listed(names, *, most=4):
    """Names in a sentence: "sex", "sex and age", "sex, age, site and 2 more"; long names are cut."""
    names = shortened(names, LONGEST)
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} more"]
    return joined(names)


def shortened(names, width):
    """Names of at most `width` characters: the middle of long ones is left out, and those alike then get numbers."""
    alike: dict[str, list[str]] = {}
    for name in dict.fromkeys(map(str, names)):
        alike.setdefault(_cut(name, width), []).append(name)
    marks = {name: f" ({k + 1})" for cut in alike.values() if len(cut) > 1 for k, name in enumerate(cut)}
    return [_cut(name, width - len(mark)) + mark for name in map(str, names) for mark in (marks.get(name, ""),)]


def _cut(name, width):
    text = " ".join(name.split())
    tail = (width - 3) // 2
    return text if len(text) <= width else f"{text[: width - 3 - tail].rstrip()}...{text[-tail:].lstrip()}"


def joined(names):
    """All names in full: "sex, age and site"."""
    *others, last = map(str, names)
    return f"{', '.join(others)} and {last}" if others else last
