"""Association given a confounder: R's numbers, enumeration of every restricted permutation, invariances."""

import itertools

import numpy as np
import pytest

from permconf.data.levels import Levels
from permconf.theory.distances import centred, expected_product, pairwise_distances, product
from permconf.theory.partial_association import expected_correlation, partial_correlation_formula
from permconf.theory.theorems import ESTIMATORS, theorem1, theorem2


def partial_correlation(x, y, c):
    return theorem1(x, y, c).correlation.conventional


def partial_distance_correlation(x, y, c):
    return theorem2(x, y, c).correlation.permutation


def expected_distance_covariance(x, y, c, estimator):
    A, B = (centred(pairwise_distances(v), estimator) for v in (x, y))
    return expected_product(A, B, Levels.of(c), estimator)


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


def test_the_formula_gives_the_partial_correlation_of_r(r_association, agrees):
    x, y, c, r = r_association
    agrees(partial_correlation_formula(x, y, c), r["thm1"]["pcor_numeric"])


# --- The closed form against every permutation ---


def test_expected_covariance_and_correlation_are_means_over_every_restricted_permutation():
    x, y, c = tiny()
    shuffles = list(restricted_permutations(y, c))
    assert len(shuffles) == 12
    expected_covariance = np.cov(x, y)[0, 1] - theorem1(x, y, c).covariance.permutation
    assert expected_covariance == pytest.approx(np.mean([np.cov(x, z)[0, 1] for z in shuffles]), abs=1e-14)
    correlations = [np.corrcoef(x, z)[0, 1] for z in shuffles]
    assert expected_correlation(x, y, c) == pytest.approx(np.mean(correlations), abs=1e-14)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_expected_distance_covariance_is_the_mean_over_every_restricted_permutation(estimator):
    x, y, c = tiny()
    A = centred(pairwise_distances(x), estimator)
    shuffles = restricted_permutations(y, c)
    covariances = [product(A, centred(pairwise_distances(z), estimator), estimator) for z in shuffles]
    assert np.ptp(covariances) > 0.01
    assert expected_distance_covariance(x, y, c, estimator) == pytest.approx(np.mean(covariances), abs=1e-14)


# --- Invariances ---

STATISTICS = (partial_correlation, expected_correlation, partial_distance_correlation)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_row_order_and_the_roles_of_x_and_y_do_not_matter(sample, statistic):
    x, y, c = sample
    order = np.random.default_rng(0).permutation(x.size)
    assert statistic(x[order], y[order], c[order]) == pytest.approx(statistic(x, y, c), abs=1e-13)
    assert statistic(y, x, c) == pytest.approx(statistic(x, y, c), abs=1e-14)


def test_permuting_y_within_levels_leaves_the_expectations_alone(sample):
    x, y, c = sample
    shuffled, rng = y.copy(), np.random.default_rng(1)
    for level in np.unique(c):
        shuffled[c == level] = rng.permutation(y[c == level])
    assert expected_correlation(x, shuffled, c) == pytest.approx(expected_correlation(x, y, c), abs=1e-13)
    for estimator in ESTIMATORS:
        before = expected_distance_covariance(x, y, c, estimator)
        assert expected_distance_covariance(x, shuffled, c, estimator) == pytest.approx(before, abs=1e-13)


GOOD = (np.array([0.1, 0.5, -0.3, 1.2, 0.0]), np.array([1.0, 0.2, 0.4, -0.6, 2.0]), np.array([0, 1, 0, 1, 1]))


def test_a_variable_determined_by_the_confounder_has_no_partial_correlation():
    x, y, c = GOOD
    with pytest.raises(ValueError, match="x is determined by c"):
        theorem1(0.1 + 0.7 * c, y, c)
    with pytest.raises(ValueError, match="linear function of c"):
        partial_correlation_formula(x, 3.0 * c, c)
    with pytest.raises(ValueError, match="determined by c"):
        theorem2(x, 3.0 * c, c)
