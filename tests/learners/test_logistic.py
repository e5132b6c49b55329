"""Logistic regression against R's `glm`, against Newton's method in plain numpy, and against scikit-learn."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from permconf.learners import logistic
from permconf.learners.logistic import Logistic, with_intercept
from permconf.learners.logistic_kernel import BLOCK
from permconf.learners.ridge_logistic import RidgeLogistic, in_row_space

NO_KEYS = np.empty(0, np.uint64)


def plain_fit(X, y, penalty=0.0, weights=1.0):
    """Coefficients by Newton's method: what the kernels compute for many responses at once."""
    Z = with_intercept(X)
    P, beta = penalty * np.diag([0.0] + [1.0] * X.shape[1]), np.zeros(Z.shape[1])
    for _ in range(40):
        mu = 1 / (1 + np.exp(-Z @ beta))
        information = Z.T @ (Z * (weights * mu * (1 - mu))[:, None]) + P
        beta = beta + np.linalg.solve(information, Z.T @ (weights * (y - mu)) - P @ beta)
    return beta


def plain_fits(X, Y, penalty=0.0):
    return np.stack([plain_fit(X, y, penalty) for y in Y.T], axis=1)


@pytest.fixture
def problem(rng):
    X = rng.standard_normal((250, 30))
    return X, (X[:, :1] + rng.standard_normal((250, 100)) > 0).astype(np.uint8)


@pytest.mark.parametrize("name", ["D01", "D03", "D05", "D07", "D11"])
def test_coefficients_of_glm(reference, name):
    d = reference(name)
    coefficients, _, separated = Logistic().coefficients(d.X[d.train], d.y[d.train, None].astype(np.uint8))
    np.testing.assert_allclose(coefficients[:, 0], list(d.glm["glm"]["coef"].values()), rtol=1e-8, atol=1e-8)
    assert not separated[0]


def test_separation_is_detected_as_in_r(reference):
    """Every fit that R does not finish is flagged, and every unflagged fit is one that R finished."""
    for name in ("D09", "D10"):
        d = reference(name)
        separated = Logistic().coefficients(d.X[d.train], d.labels[d.train].astype(np.uint8))[2]
        finished = d.label_results["converged"].to_numpy()
        assert separated[~finished].all()
        assert finished[~separated].all()
        assert separated.any() == (name == "D09")


@pytest.mark.parametrize(("rows", "features"), [(90, 1), (90, 4), (150, 10), (250, 30)])
@pytest.mark.parametrize("penalty", [0.0, 0.5, 20.0])
def test_fits_are_those_of_plain_newton(problem, rows, features, penalty):
    X, Y = problem[0][:rows, :features], problem[1][:rows]
    coefficients, _, separated = Logistic(penalty).coefficients(X, Y)
    assert not separated.any()
    np.testing.assert_allclose(coefficients, plain_fits(X, Y, penalty), atol=1e-8)


@pytest.mark.parametrize(("rows", "features"), [(50, 8), (61, 16), (300, 30), (500, 99)])
@pytest.mark.parametrize("signal", [0.0, 0.8, 3.0])
def test_correlated_features_of_different_scales_near_separation(rng, rows, features, signal):
    scales = 10.0 ** rng.uniform(-6, 6, features)
    unscaled = rng.standard_normal((rows, features)) + rng.standard_normal((rows, 1))
    Y = (signal * unscaled[:, :1] + rng.logistic(size=(rows, 21)) > 0.5).astype(np.uint8)
    coefficients, _, separated = Logistic().coefficients((unscaled + 100) * scales, Y)
    coefficients[1:] *= scales[:, None]
    coefficients[0] += 100 * coefficients[1:].sum(axis=0)
    assert not separated.all()
    expected = plain_fits(unscaled, Y[:, ~separated])
    error = np.abs(coefficients[:, ~separated] - expected) / np.maximum(1.0, np.abs(expected).max(axis=0))
    assert error.max() < 1e-7


@pytest.mark.parametrize("columns", [slice(0, 1), slice(10, 27), slice(0, BLOCK), slice(3, BLOCK + 4), slice(37, 100)])
@pytest.mark.parametrize(("rows", "features"), [(60, 10), (90, 30), (250, 30), (250, 4)])
@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_a_fit_is_bit_identical_whatever_else_is_in_the_batch(problem, rows, features, columns, penalty, rng):
    """Also in another order, and where fits are separated, take long or are repeated."""
    X, Y, learner = problem[0][:rows, :features], problem[1][:rows], Logistic(penalty)
    order = rng.permutation(100)
    together, shuffled = learner.coefficients(X, Y), learner.coefficients(X, Y[:, order])
    for all_fits, some, others in zip(together, learner.coefficients(X, Y[:, columns]), shuffled, strict=True):
        np.testing.assert_array_equal(some, all_fits[..., columns])
        np.testing.assert_array_equal(others, all_fits[..., order])
    scores = learner.scores(X, Y, X[:37], NO_KEYS).values
    np.testing.assert_array_equal(learner.scores(X, Y[:, columns], X[:37], NO_KEYS).values, scores[:, columns])


def test_fits_that_take_long_are_those_of_one_run(problem, monkeypatch):
    X, Y = problem[0][:120], problem[1][:120]
    found = Logistic().coefficients(X, Y)
    assert (found[1] > logistic.LIMITS[0]).any()
    monkeypatch.setattr(logistic, "LIMITS", logistic.LIMITS[1:])
    for one, other in zip(found, Logistic().coefficients(X, Y), strict=True):
        np.testing.assert_array_equal(one, other)


def test_separated_fits_are_those_of_newton(problem, monkeypatch):
    """Flagged as by R's steps; a fit that is not flagged leaves some row on the side of the other class."""
    X, Y = problem[0][:90], problem[1][:90].copy()
    Y[:, 5] = X[:, 0] > 0
    coefficients, _, separated = Logistic().coefficients(X, Y)
    monkeypatch.setattr(logistic, "LIMITS", ())
    newton = Logistic().coefficients(X, Y)
    assert 1 < newton[2].sum() < 100
    np.testing.assert_array_equal(separated, newton[2])
    sides = (with_intercept(X) @ coefficients > 0) == (Y == 1)
    assert not sides[:, ~separated].all(axis=0).any()
    np.testing.assert_allclose(coefficients[:, ~separated], newton[0][:, ~separated], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("features", [4, 30])
def test_perfect_separation_raises_no_warning(rng, features):
    X = rng.standard_normal((120, features))
    Y = np.c_[X[:, 0] > 0, np.ones(120)].astype(np.uint8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = Logistic().scores(X, Y, X, NO_KEYS)
    assert scores.flagged[0]
    np.testing.assert_array_equal(scores.values > 0, Y == 1)


def test_an_intercept_alone_is_fitted_to_balanced_classes():
    """The start is the maximum, and no step is left."""
    y = np.arange(20, dtype=np.uint8)[:, None] % 2
    coefficients = Logistic().coefficients(np.repeat([[1.0], [-1.0]], 10, axis=0), y)[0]
    np.testing.assert_allclose(coefficients, 0.0, atol=1e-12)


def test_rank_deficient_designs_are_refused(rng):
    X = rng.standard_normal((30, 3))
    y = rng.integers(0, 2, (30, 1)).astype(np.uint8)
    for singular in (np.c_[X, X[:, 0] - X[:, 1]], np.c_[X, np.ones(30)], rng.standard_normal((5, 8))):
        with pytest.raises(ValueError, match="singular design"):
            Logistic().coefficients(singular, y[: len(singular)])
        assert np.isfinite(RidgeLogistic().coefficients(singular, y[: len(singular)])[0]).all()


def test_more_than_two_classes_have_no_coefficients(problem):
    with pytest.raises(ValueError, match="needs two classes, the response has 3"):
        Logistic().coefficients(problem[0], (np.arange(250) % 3).astype(np.uint8)[:, None])


# ---- weighted fits ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("penalty", [0.0, 2.0])
def test_weighted_fits_are_those_of_plain_newton(problem, penalty, rng):
    X, Y, weights = problem[0][:, :3], problem[1][:, :5], rng.exponential(size=(250, 5))
    weights[:20] = 0.0
    coefficients, separated = Logistic(penalty).weighted_coefficients(X, Y, weights)
    assert not separated.any()
    expected = [plain_fit(X, y, penalty, w) for y, w in zip(Y.T, weights.T, strict=True)]
    np.testing.assert_allclose(coefficients.T, expected, atol=1e-7)
    scores = Logistic(penalty).weighted_scores(X, Y, np.ones(Y.shape), X, NO_KEYS).values
    np.testing.assert_allclose(scores, Logistic(penalty).scores(X, Y, X, NO_KEYS).values, atol=1e-6)


def test_separated_weighted_fits_are_flagged():
    X = np.arange(10.0)[:, None]
    Y = np.c_[X[:, 0] > 4, np.arange(10) % 2].astype(np.uint8)
    _, separated = Logistic().weighted_coefficients(X, Y, np.ones(Y.shape))
    assert separated.tolist() == [True, False]
    with pytest.raises(ValueError, match="singular design: the weighted training rows"):
        Logistic().weighted_coefficients(np.ones((10, 1)), Y, np.ones(Y.shape))


# ---- penalties -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "features"), [(20, 21), (20, 60), (12, 200)])
def test_ridge_with_more_features_than_rows_is_solved_in_the_row_space(rng, rows, features):
    """The same scores as those of the fit to all features, and as scikit-learn's."""
    X, X_test = rng.standard_normal((rows, features)) + 3.0, rng.standard_normal((15, features)) + 3.0
    Y = np.stack([rng.permutation(np.arange(rows) % 2) for _ in range(4)], axis=1).astype(np.uint8)
    ridge = RidgeLogistic(penalty=2.0)
    scores, flagged = ridge.scores(X, Y, X_test, NO_KEYS)[:2]
    np.testing.assert_allclose(scores, Logistic(penalty=2.0).scores(X, Y, X_test, NO_KEYS).values, atol=1e-6)
    assert not flagged.any()
    by_default = RidgeLogistic().scores(X, Y, X_test, NO_KEYS).values
    for k in range(4):
        for found, options in ((scores, {"C": 0.5}), (by_default, {})):  # the default is scikit-learn's
            model = LogisticRegression(**options, tol=1e-10, max_iter=10_000).fit(X, Y[:, k])
            np.testing.assert_allclose(found[:, k], model.decision_function(X_test), atol=1e-4)
    weights = rng.integers(1, 4, Y.shape).astype(float)
    weighted = ridge.weighted_scores(X, Y, weights, X_test, NO_KEYS).values
    expected = Logistic(penalty=2.0).weighted_scores(X, Y, weights, X_test, NO_KEYS).values
    np.testing.assert_allclose(weighted, expected, atol=1e-6)


def test_the_row_space_keeps_distances(rng):
    """No array of the fit has a side of a thousand."""
    X = rng.standard_normal((60, 1000))
    in_rows, test_in_rows = in_row_space(X, X[:7])
    assert in_rows.shape == (60, 59)
    assert test_in_rows.shape == (7, 59)
    np.testing.assert_allclose(in_rows @ in_rows.T, (X - X.mean(axis=0)) @ (X - X.mean(axis=0)).T, atol=1e-8)


def test_features_that_are_all_constant_leave_the_intercept():
    Y = (np.arange(12) % 3 == 0).astype(np.uint8)[:, None]
    scores = RidgeLogistic().scores(np.ones((12, 20)), Y, np.ones((2, 20)), NO_KEYS).values
    np.testing.assert_allclose(scores, np.log(4 / 8), atol=1e-6)
