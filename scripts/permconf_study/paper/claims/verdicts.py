"""The finding of a check, and its verdict.

There are two kinds of criteria. A claim that a quantity lies in a region holds if its whole 99 % Monte Carlo interval
lies in the region, and fails if the interval lies outside. A claim that a quantity equals a value holds if p >= 0.01
for the equality, and fails if p < 0.0001. Cases in between are unresolved, and so are claims that a run is too small
to confirm. A claim that holds because the study was built so is not counted as reproduced.
"""

import math
from dataclasses import dataclass

REPRODUCED, ASYMPTOTIC, DEPENDS = "reproduced", "holds asymptotically", "depends on an open choice"
NOT_REPRODUCED, UNRESOLVED = "not reproduced", "unresolved"
BY_CONSTRUCTION, NOT_EXAMINED = "by construction", "not examined"
MEANINGS = {
    REPRODUCED: "the whole 99 % Monte Carlo interval meets the criterion; an equality is not rejected at the 1 % level",
    ASYMPTOTIC: "not an identity, but the error falls as a power of n, which is given",
    DEPENDS: "holds for some readings of what the paper leaves open, and not for others",
    NOT_REPRODUCED: "the whole interval fails the criterion; an equality is rejected at the 0.01 % level",
    UNRESOLVED: "the run is too small, or the Monte Carlo error too large, to tell",
    BY_CONSTRUCTION: "true because we built it so: a check of the code, no evidence for the paper",
    NOT_EXAMINED: "this study has no results on it",
}
VERDICTS = tuple(MEANINGS)
HOLDS = (REPRODUCED, BY_CONSTRUCTION)

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


def verdict(finding, needs, *, construction=False):
    """The verdict on a finding, and why it is unresolved; `needs` are the sizes required for confirmation."""
    if math.isnan(finding.estimate):
        return UNRESOLVED, "no usable data set"
    if finding.outcome in (REPRODUCED, UNRESOLVED) and (lacking := shortage(finding, needs)):
        return UNRESOLVED, lacking
    if finding.outcome == UNRESOLVED:
        return UNRESOLVED, "the Monte Carlo error is too large"
    return (BY_CONSTRUCTION if construction and finding.outcome == REPRODUCED else finding.outcome), ""


def shortage(finding, needs):
    """What a run lacks of the sizes that it needs, in words; "" for a run of full size."""
    for unit, least in needs.items():
        size = getattr(finding, unit)
        if size < least:
            return f"needs {least:,} {unit.replace('datasets', 'data sets')}, this run has {size:,}"
    return ""


def combined(verdicts):
    """The verdict over the readings of an open choice, the first of which is ours: it depends if they disagree."""
    first, *_ = verdicts
    return DEPENDS if {REPRODUCED, NOT_REPRODUCED} <= set(verdicts) else first
