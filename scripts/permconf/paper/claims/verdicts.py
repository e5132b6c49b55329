"""What a check finds, and the verdict it leads to.

Two kinds of criterion cover the ledger. A claim that a quantity lies in a stated region is reproduced if the whole of
its 99 % Monte Carlo interval lies in the region, and not reproduced if none of it does. A claim that a quantity equals
a value is reproduced if the run does not contradict it at the 1 % level, and not reproduced if the run contradicts it
at the 0.01 % level. What lies between is unresolved, and so is what a run is too small to confirm.
"""

import math
from dataclasses import dataclass

REPRODUCED, NOT_REPRODUCED, UNRESOLVED, NOT_TESTABLE = "reproduced", "not reproduced", "unresolved", "not testable"
VERDICTS = (REPRODUCED, NOT_REPRODUCED, UNRESOLVED, NOT_TESTABLE)

CONFIDENCE = 0.99
HALF_WIDTH = 2.5758  # standard errors in half of a 99 % interval
CONSISTENT, CONTRADICTED = 0.01, 0.0001  # p-values between which a claim of equality stays open


@dataclass(frozen=True)
class Finding:
    """A quantity with its Monte Carlo interval, what the claim asks of it, and how it compares.

    `datasets` and `permutations` are what the quantity rests on; `detail` is a further sentence for the reader.
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
    """Whether an interval lies in a region, outside it, or across its border."""
    least, most = within
    if least <= low and high <= most:
        return REPRODUCED
    return NOT_REPRODUCED if high < least or low > most else UNRESOLVED


def equality_outcome(p):
    """Whether a p-value of the claimed equality speaks for it, against it, or for neither."""
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
    """The verdict of a finding, and why it is open; `needs` are the sizes below which nothing is confirmed."""
    if math.isnan(finding.estimate):
        return UNRESOLVED, "no usable data set"
    if finding.outcome == REPRODUCED:
        for unit, least in needs.items():
            size = getattr(finding, unit)
            if size < least:
                return UNRESOLVED, f"needs {least:,} {unit.replace('datasets', 'data sets')}, this run has {size:,}"
    if finding.outcome == UNRESOLVED:
        return UNRESOLVED, "the Monte Carlo error leaves it open"
    return finding.outcome, ""
