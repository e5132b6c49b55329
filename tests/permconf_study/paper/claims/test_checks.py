"""Each kind of check on tables small enough to work out by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, kstest

from permconf_study.paper.claims import checks
from permconf_study.paper.claims.sources import Source
from permconf_study.paper.claims.verdicts import (
    ASYMPTOTIC,
    BY_CONSTRUCTION,
    NOT_REPRODUCED,
    REPRODUCED,
    UNRESOLVED,
    Finding,
    equality_outcome,
    region_finding,
    shortage,
    verdict,
)


def table(**columns):
    frame = pd.DataFrame(dict(zip(columns, np.broadcast_arrays(*map(np.atleast_1d, columns.values())), strict=True)))
    return Source(frame, None, len(frame))


def draws(**nulls):
    parts = [pd.DataFrame({"null": null, "value": values}) for null, values in nulls.items()]
    return Source(pd.DataFrame({"n_permutations": [10_000]}), pd.concat(parts), 1)


def redrawn(restricted, standard):
    """Distances from normality of 50 data sets each with 15 and with 30 test samples."""
    spread = np.tile(np.linspace(-0.005, 0.005, 50), 2)
    nulls = {"restricted": restricted + spread, "standard": standard + spread}
    distances = {f"{null}{kind}_distance": d for null, d in nulls.items() for kind in ("", "_midpoint")}
    return table(dataset=np.arange(100), n_test=np.repeat([15, 30], 50), **distances)


RNG = np.random.default_rng(4)
NORMAL, PRODUCT = RNG.standard_normal(10_000), RNG.standard_normal((2, 10_000)).prod(axis=0)
FALLS, RISES, SAME = (np.repeat(values, 50) for values in ((0.08, 0.04), (0.04, 0.08), (0.05, 0.05)))
SIDE = np.arange(10) / 9
ONE, TWO, STEPS = (
    table(a=0.5, sd=1.0, b=10_000),
    table(a=[1.0, 2.0], b=[1.0, 2.5]),
    np.repeat(np.arange(1, 11) / 10, 100),
)
RANDOM = table(x=RNG.permutation(100) / 99, y=RNG.permutation(100) / 99)


@pytest.mark.parametrize(
    ("kind", "source", "options", "outcome"),
    [
        ("value", ONE, {"of": "a", "error": "sd / sqrt(b)", "within": [0.4, 0.6]}, REPRODUCED),
        ("value", ONE, {"of": "a", "error": "sd / sqrt(b)", "within": [0.4, 0.51]}, UNRESOLVED),
        ("value", ONE, {"of": "a", "error": "sd / sqrt(b)", "within": [None, 0.47]}, NOT_REPRODUCED),
        ("identity", TWO, {"left": "a", "right": "b", "tolerance": 0.1}, NOT_REPRODUCED),
        ("identity", TWO, {"left": "a", "right": "b", "tolerance": 0.5}, REPRODUCED),
        ("equal", table(a=1.02, sd=0.01), {"of": "a", "error": "sd", "to": 1}, REPRODUCED),
        ("equal", table(a=1.03, sd=0.01), {"of": "a", "error": "sd", "to": 1}, UNRESOLVED),
        ("equal", table(a=1.05, sd=0.01), {"of": "a", "error": "sd", "to": 1}, NOT_REPRODUCED),
        ("uniform", table(p=STEPS, b=9), {"p": "p", "steps": "b"}, REPRODUCED),
        ("uniform", table(p=STEPS, b=9), {"p": "p"}, NOT_REPRODUCED),
        ("normality", draws(restricted=NORMAL, standard=NORMAL), {"limit": 0.05}, REPRODUCED),
        ("normality", draws(restricted=NORMAL, standard=PRODUCT), {"limit": 0.05}, NOT_REPRODUCED),  # the worse null
        ("improvement", redrawn(FALLS, 0.01), {"smaller": 15, "larger": 30}, REPRODUCED),
        ("improvement", redrawn(0.01, FALLS), {"smaller": 15, "larger": 30}, REPRODUCED),
        ("improvement", redrawn(0.01, RISES), {"smaller": 15, "larger": 30}, NOT_REPRODUCED),
        ("improvement", redrawn(SAME, 0.01), {"smaller": 15, "larger": 30}, UNRESOLVED),
        ("maximin", table(x=np.repeat(SIDE, 10), y=np.tile(SIDE, 10)), {"columns": ["x", "y"]}, REPRODUCED),
        ("maximin", RANDOM, {"columns": ["x", "y"]}, NOT_REPRODUCED),
    ],
)
def test_outcomes(kind, source, options, outcome):
    assert checks.CHECKS[kind](source, **options).outcome == outcome


def test_estimates_and_intervals():
    found = checks.value(ONE, of="a", error="sd / sqrt(b)", within=[0.4, 0.6])
    assert (found.low, found.high) == pytest.approx((0.474242, 0.525758))
    with pytest.raises(ValueError, match="2 were selected"):
        checks.value(TWO, of="a", within=[0, 3])
    assert checks.value(table(some_p=0.0), of="some_p", within=[None, 0.001]).estimate == 1e-300
    assert checks.identity(TWO, left="a", right="b", tolerance=0.1).estimate == 0.5  # the largest difference
    assert checks.uniform(table(p=STEPS, b=9), p="p", steps="b").estimate == pytest.approx(0, abs=1e-9)
    source = table(a=[1.0, 2.0, 3.0, 4.0])
    found = checks.mean(source, of="a", within=[0, None])
    assert found.estimate == 2.5
    assert found.high - found.estimate == pytest.approx(2.5758 * np.std([1, 2, 3, 4], ddof=1) / 2)
    found = checks.share(source, of="a > 1", within=[0.9, None])
    assert found.estimate == 0.75
    assert (found.low, found.high) == pytest.approx(tuple(binomtest(3, 4).proportion_ci(0.99)))
    assert checks.improvement(redrawn(FALLS, 0.01), smaller=15, larger=30).estimate == pytest.approx(-0.04)
    assert checks.improvement(redrawn(FALLS, RISES), smaller=15, larger=30).estimate == pytest.approx(0)


@pytest.mark.parametrize("rejections", [2, 50, 63, 80, 100])
def test_type1_error_is_the_exact_binomial_test(rejections):
    p = np.where(np.arange(1000) < rejections, 0.01, 0.5)
    found = checks.type1_error(table(p=p), p="p", alpha=0.05)
    assert found.estimate == rejections / 1000
    tails = [binomtest(rejections, 1000, 0.05, alternative=side).pvalue for side in ("less", "greater")]
    assert found.outcome == equality_outcome(min(1, 2 * min(tails)))


@pytest.mark.parametrize(
    ("alpha", "steps", "error"), [(0.05, [99], 0.05), (0.05, [100], 5 / 101), (0.01, [50, 99], 0.005)]
)
def test_attainable_type1_error(alpha, steps, error):
    assert checks.attainable_error(alpha, steps) == pytest.approx(error)


def test_uniform_is_the_kolmogorov_test():
    rng = np.random.default_rng(4)
    for p, outcome in ((rng.uniform(size=1000), REPRODUCED), (rng.uniform(size=1000) ** 1.5, NOT_REPRODUCED)):
        found = checks.uniform(table(p=p), p="p")
        assert found.estimate == pytest.approx(kstest(p, "uniform").statistic, abs=1 / 2000)
        assert found.outcome == outcome


@pytest.mark.parametrize(
    ("largest", "slope", "outcome"),
    [(1e-14, 0.0, REPRODUCED), (0.1, -1.0, ASYMPTOTIC), (0.1, -0.55, NOT_REPRODUCED), (0.1, 0.0, NOT_REPRODUCED)],
)
def test_an_equation_holds_exactly_or_as_n_grows_or_not(largest, slope, outcome):
    source = table(largest=[1e-15, largest], slope=[slope - 1, slope], slope_se=0.03)
    assert checks.decay(source, tolerance=1e-10).outcome == outcome


def test_a_failed_data_set_leaves_nothing_to_judge():
    nothing = Source(pd.DataFrame({"a": []}), pd.DataFrame({"null": [], "value": []}), 1)
    assert np.isnan(checks.normality(nothing, limit=0.05).estimate)
    assert np.isnan(checks.value(nothing, of="a", within=[0, 1]).estimate)
    assert np.isnan(checks.equal(nothing, of="a", error="a", to=0).estimate)
    assert np.isnan(checks.maximin(table(x=1.0, y=2.0), columns=["x", "y"]).estimate)


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [(0.2, 0.3, REPRODUCED), (0.05, 0.3, UNRESOLVED), (0.3, 0.6, UNRESOLVED), (0.51, 0.6, NOT_REPRODUCED)],
)
def test_an_interval_against_a_region(low, high, outcome):
    assert region_finding(0.3, low, high, (0.1, 0.5)).outcome == outcome


def test_a_small_run_confirms_nothing_but_can_refute():
    lacking = shortage({"datasets": 20, "permutations": 9}, {"datasets": 1000})
    assert lacking == "needs 1,000 data sets, this run has 20"
    assert shortage({"datasets": 1000}, {"datasets": 1000}) == ""
    holds, fails, unclear = (Finding(1.0, 0.9, 1.1, "", o) for o in (REPRODUCED, NOT_REPRODUCED, UNRESOLVED))
    found = [verdict(finding, lacking)[0] for finding in (holds, fails, unclear)]
    assert found == [UNRESOLVED, NOT_REPRODUCED, UNRESOLVED]
    assert verdict(holds, "") == (REPRODUCED, "")
    assert verdict(unclear, "") == (UNRESOLVED, "the Monte Carlo error is too large")
    built = [verdict(finding, "", construction=True)[0] for finding in (holds, fails)]
    assert built == [BY_CONSTRUCTION, NOT_REPRODUCED]
    assert verdict(Finding(np.nan, 0, 1, "", REPRODUCED), "")[0] == UNRESOLVED
