"""Association given a confounder: R's numbers, enumeration of every restricted permutation, invariances, bad input."""

import itertools
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from permconf.method.distances import ESTIMATORS
from permconf.method.partial_association import (
    distance_correlation,
    distance_covariance,
    expected_correlation,
    expected_covariance,
    expected_distance_correlation,
    expected_distance_covariance,
    partial_correlation,
    partial_correlation_formula,
    partial_covariance,
    partial_distance_correlation,
    partial_distance_covariance,
    restricted_correlation_sd,
)
from permconf.method.theorems import simulated, theorem1, theorem2

DATA = Path(__file__).parents[1] / "data" / "association"
REFERENCE = json.loads((DATA / "theorems.json").read_text())
NAMES = sorted(REFERENCE)
TOLERANCE = 1e-10


def reference(name):
    table = pd.read_csv(DATA / f"{name}.csv")
    return (*(table[v].to_numpy() for v in "xyc"), REFERENCE[name])


def agrees(value, expected):
    assert value == pytest.approx(expected, abs=TOLERANCE, rel=0)


def restricted_permutations(y, c):
    """Every distinct rearrangement of row indices within the levels of c, applied to y."""
    rows = [np.flatnonzero(c == level) for level in np.unique(c)]
    for images in itertools.product(*(itertools.permutations(r) for r in rows)):
        shuffled = np.empty_like(y)
        for source, image in zip(rows, images, strict=True):
            shuffled[source] = y[list(image)]
        yield shuffled


def tiny():
    """Levels of 3, 2 and 1 rows: 12 restricted permutations, one level that cannot move."""
    x = np.array([0.3, -1.2, 2.0, 0.7, 1.9, -0.4])
    y = np.array([1.1, 0.2, -0.8, 2.5, 1.4, 0.6])
    return x, y, np.array([0, 1, 0, 2, 0, 1])


@pytest.fixture
def sample():
    return simulated(60, n_levels=3, effect="nonlinear", rng=np.random.default_rng(5))


# --- Agreement with R ---


@pytest.mark.parametrize("name", NAMES)
def test_partial_covariance_and_correlation_are_those_of_r(name):
    x, y, c, r = reference(name)
    for coding, suffix in (("numeric", "numeric"), ("dummy", "dummy")):
        agrees(partial_covariance(x, y, c, coding=coding), r["thm1"][f"pcov_{suffix}_C"])
        agrees(partial_correlation(x, y, c, coding=coding), r["thm1"][f"pcor_{suffix}"])
    agrees(partial_correlation_formula(x, y, c), r["thm1"]["pcor_numeric"])


@pytest.mark.parametrize("name", NAMES)
def test_exact_spread_and_corrected_correlation_are_those_of_r(name):
    x, y, c, r = reference(name)
    sd = restricted_correlation_sd(x, y, c)
    corrected = (np.corrcoef(x, y)[0, 1] - expected_correlation(x, y, c)) / (sd * np.sqrt(x.size - 1))
    agrees(sd, r["thm1"]["sd_restricted_cor_exact"])
    agrees(corrected, r["thm1"]["m_c_exact"])


@pytest.mark.parametrize("name", NAMES)
def test_distance_statistics_of_dcor_are_those_of_r(name):
    x, y, c, r = reference(name)
    energy = r["energy"]
    agrees(distance_covariance(x, y, estimator="U"), energy["dcovU"])
    agrees(distance_covariance(x, y, estimator="V"), energy["dcov2d_V"])
    agrees(distance_correlation(x, y, estimator="U"), energy["bcdcor_xy"])
    agrees(distance_correlation(x, y, estimator="V"), energy["dcor2d_V"])
    agrees(distance_covariance(x, c, estimator="U"), energy["dcovU_xc"])
    for coding, suffix in (("numeric", ""), ("dummy", "_onehot")):
        agrees(partial_distance_covariance(x, y, c, coding=coding), energy[f"pdcov{suffix}"])
        agrees(partial_distance_correlation(x, y, c, coding=coding), energy[f"pdcor{suffix}"])
        agrees(
            partial_distance_covariance(x, y, c, coding=coding, estimator="V"),
            r["V"][f"pdcov_formula{suffix}"],
        )
        agrees(
            partial_distance_correlation(x, y, c, coding=coding, estimator="V"),
            r["V"][f"pdcor_formula{suffix}"],
        )


# --- The closed form against every permutation ---


def test_expected_covariance_and_correlation_are_means_over_every_restricted_permutation():
    x, y, c = tiny()
    shuffles = list(restricted_permutations(y, c))
    assert len(shuffles) == 12
    correlations = [np.corrcoef(x, z)[0, 1] for z in shuffles]
    assert expected_covariance(x, y, c) == pytest.approx(np.mean([np.cov(x, z)[0, 1] for z in shuffles]), abs=1e-14)
    assert expected_correlation(x, y, c) == pytest.approx(np.mean(correlations), abs=1e-14)
    assert restricted_correlation_sd(x, y, c) == pytest.approx(np.std(correlations), abs=1e-14)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_expected_distance_statistics_are_means_over_every_restricted_permutation(estimator):
    x, y, c = tiny()
    shuffles = list(restricted_permutations(y, c))
    covariances = [distance_covariance(x, z, estimator=estimator) for z in shuffles]
    correlations = [distance_correlation(x, z, estimator=estimator) for z in shuffles]
    assert np.ptp(covariances) > 0.01
    mean_covariance = expected_distance_covariance(x, y, c, estimator=estimator)
    mean_correlation = expected_distance_correlation(x, y, c, estimator=estimator)
    assert mean_covariance == pytest.approx(np.mean(covariances), abs=1e-14)
    assert mean_correlation == pytest.approx(np.mean(correlations), abs=1e-14)


# --- Invariances ---


def test_one_row_order_is_as_good_as_another(sample):
    x, y, c = sample
    order = np.random.default_rng(0).permutation(x.size)
    for statistic in (partial_correlation, expected_correlation, expected_distance_correlation):
        assert statistic(x[order], y[order], c[order]) == pytest.approx(statistic(x, y, c), abs=1e-13)


def test_relabelling_the_levels_does_not_matter_with_dummy_coding(sample):
    x, y, c = sample
    labels = np.array(["young", "senior", "middle"])[c]
    assert partial_correlation(x, y, labels) == pytest.approx(partial_correlation(x, y, c), abs=1e-13)
    assert theorem2(x, y, labels).covariance.discrepancy == pytest.approx(theorem2(x, y, c).covariance.discrepancy)


def test_permuting_y_within_levels_leaves_the_expectations_alone(sample):
    x, y, c = sample
    shuffled, rng = y.copy(), np.random.default_rng(1)
    for level in np.unique(c):
        shuffled[c == level] = rng.permutation(y[c == level])
    assert expected_covariance(x, shuffled, c) == pytest.approx(expected_covariance(x, y, c), abs=1e-13)
    for estimator in ESTIMATORS:
        before = expected_distance_covariance(x, y, c, estimator=estimator)
        assert expected_distance_covariance(x, shuffled, c, estimator=estimator) == pytest.approx(before, abs=1e-13)


def test_location_and_scale_do_not_move_correlations(sample):
    x, y, c = sample
    linear = (partial_correlation, expected_correlation, restricted_correlation_sd)
    for statistic in (*linear, expected_distance_correlation):
        assert statistic(3 * x - 7, 0.1 * y + 100, c) == pytest.approx(statistic(x, y, c), abs=1e-12)


def test_x_and_y_are_interchangeable(sample):
    x, y, c = sample
    for statistic in (partial_correlation, expected_correlation, expected_distance_correlation):
        assert statistic(x, y, c) == pytest.approx(statistic(y, x, c), abs=1e-14)


def test_arguments_are_not_edited(sample):
    before = [v.copy() for v in sample]
    theorem1(*sample, coding="numeric")
    theorem2(*sample)
    for v, original in zip(sample, before, strict=True):
        np.testing.assert_array_equal(v, original)


# --- Bad input ---

GOOD = (np.array([0.1, 0.5, -0.3, 1.2, 0.0]), np.array([1.0, 0.2, 0.4, -0.6, 2.0]), np.array([0, 1, 0, 1, 1]))


@pytest.mark.parametrize("statistic", [partial_correlation, expected_covariance, theorem1, theorem2])
@pytest.mark.parametrize(
    ("position", "value", "message"),
    [
        (0, [0.1, np.nan, 0, 1, 2], "x has 1 values that are not finite, the first is nan at row 1"),
        (1, [0.1, 1, 0, np.inf, 2], "y has 1 values that are not finite, the first is inf at row 3"),
        (1, [1, 2, 3], "lengths differ: x has 5, y has 3, c has 5"),
        (2, [0, 1], "lengths differ: x has 5, y has 5, c has 2"),
        (0, [2, 2, 2, 2, 2], "x is constant: every value is 2.0"),
        (1, list("abcde"), "y must be numeric"),
        (1, np.ones((5, 2)), r"y must be one-dimensional, got shape \(5, 2\)"),
        (2, [3, 3, 3, 3, 3], r"c needs at least two levels, got \[3\]"),
        (2, [0, 1, np.nan, 1, 0], "c has 1 missing values, the first at row 2"),
        (2, ["a", None, "b", "a", "b"], "c has 1 missing values, the first at row 1"),
        (2, pd.array([0, 1, pd.NA, 1, 0]), "c has 1 missing values, the first at row 2"),
        (2, np.ones((5, 2)), r"c must be one-dimensional, got shape \(5, 2\)"),
    ],
)
def test_bad_data_are_named(statistic, position, value, message):
    arguments = list(GOOD)
    arguments[position] = value
    with pytest.raises(ValueError, match=message):
        statistic(*arguments)


def test_bad_options_are_named():
    with pytest.raises(ValueError, match="coding must be one of 'dummy', 'numeric', got 'helmert'"):
        partial_covariance(*GOOD, coding="helmert")
    with pytest.raises(ValueError, match="estimator must be one of 'U', 'V', got 'W'"):
        theorem2(*GOOD, estimator="W")
    with pytest.raises(ValueError, match="effect must be one of"):
        simulated(10, n_levels=2, effect="cubic", rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="numeric coding needs finite numbers in c"):
        partial_covariance(GOOD[0], GOOD[1], list("abaab"), coding="numeric")


def test_too_few_rows_are_named():
    with pytest.raises(ValueError, match="at least 4 rows are needed, got 3"):
        distance_covariance([1, 2, 3], [1, 2, 4])
    with pytest.raises(ValueError, match="at least 3 rows are needed, got 0"):
        partial_covariance([], [], [])


def test_a_variable_determined_by_the_confounder_has_no_partial_correlation():
    x, y, c = GOOD
    with pytest.raises(ValueError, match="x is determined by c"):
        partial_correlation(0.1 + 0.7 * c, y, c)
    with pytest.raises(ValueError, match="linear function of c"):
        partial_correlation_formula(x, 3.0 * c, c)
    with pytest.raises(ValueError, match="determined by c"):
        theorem2(x, 3.0 * c, c)
