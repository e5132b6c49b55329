"""Is what an audit says true? Sentences of audits of simulated data are read, and compared with the truth.

Every kind of claim is false in at most 5 % of data sets: intervals of 95 %, tests at .05, and an equivalence test at
.05. Of intervals, only those that are given count. `PERMCONF_SENTENCES=TABLE.csv` examines many data sets and adds a
row for each situation to the table, that of docs/VALIDITY.md being workflow/published/answers_sentences.csv.
"""

import csv
import os
import re
from collections import Counter

import numpy as np
import pytest
from scipy.stats import binom
from situations import SITUATIONS, TOLERANCE

from permconf.auditing.conclusion import CHANGES, SAME, UNKNOWN, conclusion, margin

pytestmark = pytest.mark.statistical
FEW, MANY = 2, 60
RATE = 0.05
_NUMBER = r"(-?[\d,]*\.?\d+)"
_EXPECTED = re.compile(rf"near {_NUMBER} \({_NUMBER} to {_NUMBER}\)")
_NAMED = {  # sentences that name confounders, by the direction that they claim
    "": r"scores still vary with (.+?) \(",
    "inflates": r"comes from ([^.]+?)\.|reads ([^.]+?), and its [^.]+ looks better",
    "masks": r"^([^.]+?) hides? part|reads ([^.]+?), and its [^.]+ looks worse",
}


def named(text, direction):
    """Names of the confounders in sentences of one direction."""
    found = re.search(_NAMED[direction], text)
    words = next(filter(None, found.groups())) if found else ""
    return {name.lower() for name in re.split(r", | and ", words) if name}


def false_claims(situation, audit):
    """Claims of the conclusion, by kind, and whether they are false."""
    truth, said = situation.truth(), conclusion(audit)
    text = str(said)
    other = getattr(truth, audit.headline.estimates.against)
    difference = truth.observed - other
    claims = {}
    if said.verdict == SAME:
        claims["no difference"] = abs(difference) > margin(audit) + TOLERANCE
    if said.verdict == CHANGES:
        claims["change"] = audit.difference.value * difference < 0 or abs(difference) < TOLERANCE
    if moved := re.search(r"would be \S+ (lower|higher)", text):
        claims["moved"] = (moved[1] == "lower") != (difference > 0)
    if names := named(text, ""):
        claims["read"] = not names <= set(situation.signs)
    for direction in ("inflates", "masks"):
        if names := named(text, direction):
            claims[direction] = any(situation.signs.get(name, "none") not in ("", direction) for name in names)
    if found := _EXPECTED.search(text):
        low, high = (float(number.replace(",", "")) for number in found.groups()[1:])
        claims["expected"] = not low - TOLERANCE <= other <= high + TOLERANCE
    if "has learned something" in text:
        claims["beyond"] = not situation.beyond
    return claims


def contradictions(situation, audit):
    """What no chance excuses: a verdict that cannot be true, forbidden words, a value that is withheld."""
    said = conclusion(audit)
    text = str(said)
    if said.verdict not in situation.only:
        yield f"verdict {said.verdict!r}"
    if situation.never and re.search(situation.never, text):
        yield f"says {situation.never!r}"
    if situation.says and situation.says not in text and said.verdict == CHANGES:
        yield f"does not say {situation.says!r}"
    if not np.isfinite(audit.reweighted) and "had the same mix" in text:
        yield "speaks of a value that is withheld"
    if said.verdict == UNKNOWN and "expect" in text:
        yield "gives a value that cannot be assessed"
    if change := re.search(rf"would change by {_NUMBER} \(90 % interval {_NUMBER} to {_NUMBER}\)", text):
        moved, low, high = (float(number) for number in change.groups())
        expected = float(_EXPECTED.search(text)[1]) - audit.observed
        if abs(expected - moved) > 0.01 or max(-low, high) > margin(audit) + 0.001:
            yield "a change that is not that of the values, or beyond the margin"


def allowed(trials):
    """The most false claims among so many, 999 times out of 1000."""
    return int(binom.ppf(0.999, trials, RATE))


def check(false, made, audits, where):
    """Fail if more claims of a kind are false than chance excuses."""
    for kind, count in false.items():
        trials = made[kind] if kind == "expected" else audits
        assert count <= allowed(trials), f"{where}: {kind}, {count} of {trials} false"


def counted(situation, seeds):
    """The counts of claims, of false ones, and of verdicts."""
    made, false, verdicts = Counter(), Counter(), Counter()
    for seed in range(seeds):
        audit = situation.audit(seed)
        assert not list(contradictions(situation, audit)), str(conclusion(audit))
        claims = false_claims(situation, audit)
        made.update(list(claims))
        false.update(kind for kind, is_false in claims.items() if is_false)
        verdicts[audit.verdict] += 1
    return made, false, verdicts


def check_situation(situation, seeds, made, false, verdicts):
    """Fail if too many claims are false, or if the verdict is not the one that most audits must reach."""
    check(false, made, seeds, situation.name)
    assert not situation.verdict or verdicts[situation.verdict] >= seeds / 2, (situation.name, verdicts)


def test_sentences_are_true():
    made, false = Counter(), Counter()
    for situation in SITUATIONS:
        counts = counted(situation, FEW)
        check_situation(situation, FEW, *counts)
        made.update(counts[0])
        false.update(counts[1])
    check(false, made, FEW * len(SITUATIONS), "all situations")
    assert set(made) == {"no difference", "change", "moved", "read", "inflates", "masks", "expected", "beyond"}


@pytest.mark.skipif("PERMCONF_SENTENCES" not in os.environ, reason="takes minutes: set PERMCONF_SENTENCES")
@pytest.mark.parametrize("situation", SITUATIONS, ids=str)
def test_sentences_are_true_in_many_data_sets(situation):
    made, false, verdicts = counted(situation, MANY)
    (worst, times), (verdict, most) = [*false.most_common(1), ("", 0)][0], verdicts.most_common(1)[0]
    with open(os.environ["PERMCONF_SENTENCES"], "a", newline="") as table:
        csv.writer(table).writerow([situation, MANY, made.total(), false.total(), worst, times, verdict, most])
    check_situation(situation, MANY, made, false, verdicts)
