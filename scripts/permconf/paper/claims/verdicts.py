"""The finding of a check, and its verdict.

There are two kinds of criteria. A claim that a quantity lies in a region is reproduced if its whole 99 % Monte Carlo
interval lies in the region, and not reproduced if the interval lies outside. A claim that a quantity equals a value is
reproduced if p >= 0.01 for the equality, and not reproduced if p < 0.0001. Cases in between are unresolved, and so are
claims that a run is too small to confirm.
"""

import math
from dataclasses import dataclass

REPRODUCED, NOT_REPRODUCED, UNRESOLVED, NOT_TESTABLE = "reproduced", "not reproduced", "unresolved", "not testable"
VERDICTS = (REPRODUCED, NOT_REPRODUCED, UNRESOLVED, NOT_TESTABLE)

CONFIDENCE = 0.99
HALF_WIDTH = 2.5758  # half-width of a 99 % interval, in standard errors
CONSISTENT, CONTRADICTED = 0.01, 0.0001  # p-values between which a claim of equality is unresolved


@dataclass(frozen=True)
class Finding:
    """A quantity with its Monte Carlo interval, the criterion of the claim, and the outcome.

    `datasets` and `permutations` are the numbers behind the quantity; `detail` is a further remark.
    """

    estimate: float
    low: float
    high: float
    criterion: str
    outcome: str
    datasets: int = 0
    permutations: int = 0
    detail: str = ""


def region_outcome(low, high, within):
    """Outcome for an interval in a region, outside it, or across its border."""
    least, most = within
    if least <= low and high <= most:
        return REPRODUCED
    return NOT_REPRODUCED if high < least or low > most else UNRESOLVED


def equality_outcome(p):
    """Outcome for a p-value of the claimed equality."""
    if p >= CONSISTENT:
        return REPRODUCED
    return NOT_REPRODUCED if p < CONTRADICTED else UNRESOLVED


def region_text(within):
    """A region in words."""
    least, most = within
    if math.isinf(most):
        return f"at least {least:g}"
    return f"at most {most:g}" if math.isinf(least) else f"between {least:g} and {most:g}"


def verdict(finding, needs):
    """The verdict on a finding, and why it is unresolved; `needs` are the sizes required for confirmation."""
    if math.isnan(finding.estimate):
        return UNRESOLVED, "no usable data set"
    if finding.outcome == REPRODUCED:
        for unit, least in needs.items():
            size = getattr(finding, unit)
            if size < least:
                return UNRESOLVED, f"needs {least:,} {unit.replace('datasets', 'data sets')}, this run has {size:,}"
    if finding.outcome == UNRESOLVED:
        return UNRESOLVED, "the Monte Carlo error is too large"
    return finding.outcome, ""
