"""Sums of products with permuted values: the permutations of `shuffles`, exact moments, no influence of company."""

import numpy as np
import pytest

from permconf.data.levels import Levels
from permconf.data.sample import Sample
from permconf.engine.evaluate import evaluate, nulls
from permconf.engine.folds import Folds
from permconf.learners.feature import Feature
from permconf.metrics import make_metric
from permconf.metrics.correlation import correlation_factors
from permconf.permute.random_streams import Streams, permutation_keys
from permconf.permute.shuffled_sums import shuffled_forms, shuffled_level_sums, shuffled_products
from permconf.permute.shuffles import shuffled
from permconf.theory.partial_association import expected_correlation

CORRELATION = {"correlation": make_metric("correlation")}


def sample(n, *, n_levels=2, seed=0):
    rng = np.random.default_rng(seed)
    c = rng.integers(n_levels, size=n)
    y = c + rng.standard_normal(n)
    return 0.7 * c + 0.4 * y + rng.standard_normal(n), y, c


def keys(b, seed=1):
    return permutation_keys(np.random.default_rng(seed), b)


class Unfused:
    """The feature as a learner that does not declare fixed scores."""

    def scores(self, X_train, Y_train, X_test, keys):
        return Feature().scores(X_train, Y_train, X_test, keys)


# Levels longer and shorter than the rows drawn ahead, levels of one row, b that does not fill a tile.
SHAPES = [(1, 1, 1), (7, 3, 5), (130, 1, 4), (400, 2, 9), (900, 5, 3), (20, 20, 8)]


@pytest.mark.parametrize(("n", "n_levels", "b"), SHAPES)
def test_products_are_those_of_the_shuffled_matrix(n, n_levels, b):
    u, v, c = sample(n, n_levels=n_levels)
    levels = Levels.of(c)
    expected = u @ shuffled(v, levels, keys(b))
    np.testing.assert_allclose(shuffled_products(u, v, levels, keys(b)), expected, rtol=0, atol=1e-12 * n)


@pytest.mark.parametrize(("n", "strata", "b"), [(1, 1, 1), (9, 3, 5), (300, 2, 17)])
def test_forms_are_those_of_the_shuffled_rows(n, strata, b, rng):
    A, C, widths = rng.standard_normal((n, 3)), rng.standard_normal((n, 2)), [3, 1]
    within = Levels.of(rng.integers(strata, size=n))
    rows = shuffled(np.arange(n), within, keys(b)).T
    expected = [np.concatenate([A[:, :w].T @ C[row, c] for c, w in enumerate(widths)]) for row in rows]
    found = shuffled_forms(A, C, widths, within, keys(b))
    np.testing.assert_allclose(found, expected, atol=1e-12 * n)
    alone = [shuffled_forms(A, C, widths, within, keys(b)[k : k + 1])[0] for k in range(b)]
    np.testing.assert_array_equal(found, alone)


@pytest.mark.parametrize(("n", "strata", "levels", "b"), [(1, 1, 1, 1), (9, 3, 3, 5), (400, 2, 7, 9), (700, 3, 300, 4)])
def test_sums_are_those_of_the_shuffled_codes(n, strata, levels, b, rng):
    u, codes = rng.standard_normal((n, 2)), rng.integers(levels, size=n)
    within = Levels.of(rng.integers(strata, size=n))
    codes[0] = levels - 1
    expected = [[np.bincount(column, v, levels) for v in u.T] for column in shuffled(codes, within, keys(b)).T]
    np.testing.assert_allclose(shuffled_level_sums(u, codes, within, keys(b)), expected, atol=1e-12)


@pytest.mark.parametrize("null", ["restricted", "standard"])
@pytest.mark.parametrize("smooth", [False, True])
def test_the_fused_null_equals_the_general_one(null, smooth):
    """All rows are test rows; given numbers, permutations are not within levels, and nothing is fused."""
    x, y, c = sample(150)
    data = Sample.of(x[:, None], y, c + 0.1 * x if smooth else c, treatment="smooth")
    options = {"metrics": CORRELATION, "streams": Streams(3, "test")}
    folds = Folds.split(np.arange(0), np.arange(150))
    fused, general = (nulls(evaluate(data, folds, learner=f, **options), null, 300) for f in (Feature(), Unfused()))
    np.testing.assert_allclose(fused.values["correlation"], general.values["correlation"], rtol=0, atol=1e-13)


def test_a_column_does_not_depend_on_its_company():
    x, y, c = sample(333)
    levels, all_keys = Levels.of(c), keys(23)
    together = shuffled_products(x, y, levels, all_keys)
    alone = [shuffled_products(x, y, levels, all_keys[k : k + 1])[0] for k in range(23)]
    backwards = shuffled_products(x, y, levels, all_keys[::-1])[::-1]
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(together, backwards)


def exact_sd(x, y, c):
    """Standard deviation of Cor(X, Y*) over all permutations of y within the levels of c."""
    levels = Levels.of(c)
    ss_x, ss_y = (levels.sums((v - levels.fitted(v)) ** 2) for v in (x, y))
    return np.sqrt(np.sum(ss_x * ss_y / (levels.counts - 1)) / (x.var() * y.var())) / x.size


@pytest.mark.statistical
def test_the_restricted_null_has_its_exact_mean_and_spread():
    x, y, c = sample(1000, n_levels=3, seed=5)
    b = 40_000
    draws = shuffled_products(*correlation_factors(y, x), Levels.of(c), keys(b))
    mean, sd = expected_correlation(x, y, c), exact_sd(x, y, c)
    assert abs(draws.mean() - mean) < 4 * sd / np.sqrt(b)
    assert abs(draws.std() / sd - 1) < 4 / np.sqrt(2 * b)
    standard = shuffled_products(*correlation_factors(y, x), Levels.single(1000), keys(b, seed=2))
    assert abs(standard.mean()) < 4 / np.sqrt(999 * b)
    assert abs(standard.std() * np.sqrt(999) - 1) < 4 / np.sqrt(2 * b)
