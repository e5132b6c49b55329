"""The finding of a check, and its verdict.

There are two kinds of criteria. A claim that a quantity lies in a region holds if its whole 99 % Monte Carlo interval
lies in the region, and fails if the interval lies outside. A claim that a quantity equals a value holds if p >= 0.01
for the equality, and fails if p < 0.0001. Cases in between are unresolved, and so are claims that a run is too small
to confirm. A claim that holds because the study was built so is not counted as reproduced.
"""

import math
from dataclasses import dataclass

REPRODUCED, ASYMPTOTIC, DEPENDS = "reproduced", "holds asymptotically", "depends on an open choice"
NOT_REPRODUCED, ERRATUM, UNRESOLVED = "not reproduced", "erratum", "unresolved"
BY_CONSTRUCTION, NOT_EXAMINED = "by construction", "not examined"
MEANINGS = {
    REPRODUCED: "the whole 99 % Monte Carlo interval meets the criterion; an equality is not rejected at the 1 % level",
    ASYMPTOTIC: "not an identity; the error falls as a power of n, and the exponent is reported",
    DEPENDS: "holds for some readings of what the paper leaves open, and not for others",
    NOT_REPRODUCED: "the whole interval fails the criterion; an equality is rejected at the 0.01 % level",
    ERRATUM: "a misprint; the text around it shows what is meant",
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
    """A quantity with its Monte Carlo interval, the criterion of the claim, and the outcome; `detail` is a remark."""

    estimate: float
    low: float
    high: float
    criterion: str
    outcome: str
    detail: str = ""


def region_finding(estimate, low, high, within, detail=""):
    """Whether an interval lies in a region, outside it, or across its border; None is no limit."""
    least = -math.inf if within[0] is None else float(within[0])
    most = math.inf if within[1] is None else float(within[1])
    if math.isinf(most):
        criterion = f"at least {least:g}"
    else:
        criterion = f"at most {most:g}" if math.isinf(least) else f"between {least:g} and {most:g}"
    outcome = NOT_REPRODUCED if high < least or low > most else UNRESOLVED
    return Finding(estimate, low, high, criterion, REPRODUCED if least <= low and high <= most else outcome, detail)


def equality_outcome(p):
    """Outcome for a p-value of the claimed equality."""
    if p >= CONSISTENT:
        return REPRODUCED
    return NOT_REPRODUCED if p < CONTRADICTED else UNRESOLVED


def verdict(finding, lacking, *, construction=False, erratum=False):
    """The verdict on a finding, and why it is unresolved; `lacking` is what the run lacks for confirmation, if any.

    A claim that holds by `construction` is no evidence; what an `erratum` says does not count against the paper.
    """
    if math.isnan(finding.estimate):
        return UNRESOLVED, "no usable data set"
    if finding.outcome in (REPRODUCED, UNRESOLVED) and lacking:
        return UNRESOLVED, lacking
    if finding.outcome == UNRESOLVED:
        return UNRESOLVED, "the Monte Carlo error is too large"
    special = {REPRODUCED: construction and BY_CONSTRUCTION, NOT_REPRODUCED: erratum and ERRATUM}
    return special.get(finding.outcome) or finding.outcome, ""


def shortage(sizes, needs):
    """What a run of these sizes lacks of those that a claim needs, in words; "" for a run of full size."""
    for unit, least in needs.items():
        if sizes[unit] < least:
            return f"needs {least:,} {unit.replace('datasets', 'data sets')}, this run has {sizes[unit]:,}"
    return ""
