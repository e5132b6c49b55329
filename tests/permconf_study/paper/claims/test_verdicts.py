"""From a finding to a verdict."""

import math

import pytest

from permconf_study.paper.claims.verdicts import (
    BY_CONSTRUCTION,
    DEPENDS,
    NOT_REPRODUCED,
    REPRODUCED,
    UNRESOLVED,
    Finding,
    combined,
    equality_outcome,
    region_outcome,
    verdict,
)


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [(0.2, 0.3, REPRODUCED), (0.05, 0.3, UNRESOLVED), (0.3, 0.6, UNRESOLVED), (0.51, 0.6, NOT_REPRODUCED)],
)
def test_an_interval_against_a_region(low, high, outcome):
    assert region_outcome(low, high, (0.1, 0.5)) == outcome


@pytest.mark.parametrize(("p", "outcome"), [(0.5, REPRODUCED), (0.005, UNRESOLVED), (0.00005, NOT_REPRODUCED)])
def test_a_p_value_of_equality(p, outcome):
    assert equality_outcome(p) == outcome


def finding(outcome, datasets=1000, estimate=1.0):
    return Finding(estimate, 0.9, 1.1, "", outcome, datasets=datasets)


def test_a_small_run_confirms_nothing_but_can_refute():
    needs = {"datasets": 1000}
    assert verdict(finding(REPRODUCED), needs) == (REPRODUCED, "")
    assert verdict(finding(REPRODUCED, 20), needs) == (UNRESOLVED, "needs 1,000 data sets, this run has 20")
    assert verdict(finding(NOT_REPRODUCED, 20), needs)[0] == NOT_REPRODUCED
    assert verdict(finding(UNRESOLVED, 20), needs) == (UNRESOLVED, "needs 1,000 data sets, this run has 20")
    assert verdict(finding(UNRESOLVED), needs) == (UNRESOLVED, "the Monte Carlo error is too large")


def test_nothing_usable_is_unresolved():
    assert verdict(finding(REPRODUCED, estimate=math.nan), {})[0] == UNRESOLVED


def test_what_was_built_so_is_not_reproduced_but_can_fail():
    assert verdict(finding(REPRODUCED), {}, construction=True)[0] == BY_CONSTRUCTION
    assert verdict(finding(NOT_REPRODUCED), {}, construction=True)[0] == NOT_REPRODUCED


@pytest.mark.parametrize(
    ("verdicts", "found"),
    [
        ([REPRODUCED], REPRODUCED),
        ([REPRODUCED, NOT_REPRODUCED], DEPENDS),
        ([NOT_REPRODUCED, UNRESOLVED, REPRODUCED], DEPENDS),
        ([NOT_REPRODUCED, NOT_REPRODUCED], NOT_REPRODUCED),
        ([UNRESOLVED, REPRODUCED], UNRESOLVED),
    ],
)
def test_a_verdict_depends_on_a_choice_if_its_readings_disagree(verdicts, found):
    assert combined(verdicts) == found
