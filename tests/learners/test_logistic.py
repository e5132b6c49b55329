import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from permconf.learners import logistic
from permconf.learners.logistic import Logistic, with_intercept
from permconf.learners.logistic_kernel import TILE
from permconf.learners.ridge_logistic import RidgeLogistic, in_row_space

NO_KEYS = np.empty(0, np.uint64)


@pytest.fixture
def problem(rng):
    X = rng.standard_normal((90, 4))
    Y = (X[:, :1] + rng.standard_normal((90, 150)) > 0).astype(np.uint8)
    return X, Y


@pytest.mark.parametrize("name", ["D01", "D03", "D05", "D07", "D11"])
def test_coefficients_and_steps_of_glm(reference, name):
    d = reference(name)
    coefficients, steps, separated = Logistic().coefficients(d.X[d.train], d.y[d.train, None].astype(np.uint8))
    np.testing.assert_allclose(coefficients[:, 0], list(d.glm["glm"]["coef"].values()), rtol=1e-8, atol=1e-8)
    assert steps[0] == d.glm["glm"]["iter"]
    assert not separated[0]
    labels = d.labels[d.train].astype(np.uint8)
    np.testing.assert_array_equal(Logistic().coefficients(d.X[d.train], labels)[1], d.label_results["iter"])


def test_separation_is_detected_as_in_r(reference):
    """Every fit that R does not finish is flagged, and every unflagged fit is one that R finished."""
    for name in ("D09", "D10"):
        d = reference(name)
        separated = Logistic().coefficients(d.X[d.train], d.labels[d.train].astype(np.uint8))[2]
        finished = d.label_results["converged"].to_numpy()
        assert separated[~finished].all()
        assert finished[~separated].all()
        assert separated.any() == (name == "D09")


def test_perfect_separation_raises_no_warning():
    X = np.arange(20.0)[:, None]
    y = (X > 9.5).astype(np.uint8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = Logistic().scores(X, y, X, NO_KEYS)
    assert scores.flagged.all()
    assert np.isfinite(scores.values).all()
    np.testing.assert_array_equal(scores.values[:, 0] > 0, y[:, 0] == 1)


@pytest.mark.parametrize("width", [1, 3, TILE, TILE + 1, 150])
def test_a_fit_is_the_same_in_any_company(problem, width):
    X, Y = problem
    together = Logistic().coefficients(X, Y)[0]
    np.testing.assert_array_equal(Logistic().coefficients(X, Y[:, :width])[0], together[:, :width])


@pytest.mark.parametrize("penalty", [0.01, 1.0, 30.0])
def test_penalised_fit_minimises_its_criterion(problem, penalty):
    X, Y = problem
    coefficients = RidgeLogistic(penalty).coefficients(X, Y[:, :1])[0][:, 0]
    Z = with_intercept(X)

    def criterion(beta):
        eta = Z @ beta
        return np.sum(np.logaddexp(0, eta) - Y[:, 0] * eta) + penalty / 2 * np.sum(beta[1:] ** 2)

    best = minimize(criterion, np.zeros(5), tol=1e-12)
    assert criterion(coefficients) <= best.fun + 1e-7
    np.testing.assert_allclose(coefficients, best.x, atol=1e-4)


def test_penalised_fit_equals_scikit_learn(problem):
    from sklearn.linear_model import LogisticRegression

    X, Y = problem
    model = LogisticRegression(C=0.5, tol=1e-12, max_iter=10_000, solver="newton-cholesky").fit(X, Y[:, 0])
    coefficients = RidgeLogistic(2.0).coefficients(X, Y[:, :1])[0][:, 0]
    np.testing.assert_allclose(coefficients, [*model.intercept_, *model.coef_[0]], atol=1e-6)


def test_rank_deficient_designs_are_refused(rng):
    X = rng.standard_normal((30, 3))
    y = rng.integers(0, 2, (30, 1)).astype(np.uint8)
    for singular in (np.c_[X, X[:, 0] - X[:, 1]], np.c_[X, np.ones(30)], rng.standard_normal((5, 8))):
        with pytest.raises(ValueError, match="singular design"):
            Logistic().coefficients(singular, y[: len(singular)])
        assert np.isfinite(RidgeLogistic().coefficients(singular, y[: len(singular)])[0]).all()


def test_badly_scaled_features_are_not_singular(problem):
    X, Y = problem
    scaled = X * [1e-7, 1, 1e7, 1]
    np.testing.assert_allclose(
        Logistic().scores(X, Y, X, NO_KEYS).values, Logistic().scores(scaled, Y, scaled, NO_KEYS).values, rtol=1e-6
    )


def test_more_than_two_classes_are_refused(problem):
    X, _ = problem
    with pytest.raises(ValueError, match="needs two classes, the response has 3"):
        Logistic().coefficients(X, (np.arange(90) % 3).astype(np.uint8)[:, None])


def test_ridge_needs_a_penalty():
    with pytest.raises(ValueError, match="penalty of ridge_logistic must be a number above 0, not 0"):
        RidgeLogistic(0)


@pytest.mark.parametrize("p", [1, 2, 40])
def test_any_number_of_features(p, rng):
    X = rng.standard_normal((200, p))
    y = (X[:, 0] + rng.standard_normal(200) > 0).astype(np.uint8)
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=np.inf, tol=1e-10, solver="newton-cholesky").fit(X, y)
    np.testing.assert_allclose(Logistic().coefficients(X, y[:, None])[0][1:, 0], model.coef_[0], rtol=1e-4, atol=1e-5)


# ---- many features ---------------------------------------------------------------------------------------------------


@pytest.fixture
def wide(rng):
    X = rng.standard_normal((250, 30))
    return X, (X[:, :1] + rng.standard_normal((250, 100)) > 0).astype(np.uint8)


def _newton_step(X, beta, y, penalty=0.0):
    """Newton step from beta: how far it is from the maximum, if that is near."""
    Z = with_intercept(X)
    P = penalty * np.diag([0.0] + [1.0] * X.shape[1])
    mu = 1 / (1 + np.exp(-Z @ beta))
    return np.linalg.solve(Z.T @ (Z * (mu * (1 - mu))[:, None]) + P, Z.T @ (y - mu) - P @ beta)


@pytest.mark.parametrize("penalty", [0.0, 0.5, 20.0])
def test_wide_fits_are_at_the_maximum(wide, penalty):
    X, Y = wide
    coefficients, _, separated = Logistic(penalty).coefficients(X, Y)
    assert not separated.any()
    for beta, y in zip(coefficients.T, Y.T, strict=True):
        assert np.abs(_newton_step(X, beta, y, penalty)).max() < 1e-8


@pytest.mark.parametrize(("rows", "features"), [(61, 16), (300, 30), (500, 99)])
@pytest.mark.parametrize("signal", [0.0, 0.8])
def test_wide_fits_of_correlated_features(rng, rows, features, signal):
    """No side is a multiple of a tile or block; scales and means of the features differ."""
    scales = 10.0 ** rng.uniform(-6, 6, features)
    unscaled = rng.standard_normal((rows, features)) + rng.standard_normal((rows, 1))
    Y = (signal * unscaled[:, :1] + rng.logistic(size=(rows, 21)) > 0.5).astype(np.uint8)
    coefficients, _, separated = Logistic().coefficients((unscaled + 100) * scales, Y)
    coefficients[1:] *= scales[:, None]
    coefficients[0] += 100 * coefficients[1:].sum(axis=0)
    assert not separated.all()
    for beta, y in zip(coefficients.T[~separated], Y.T[~separated], strict=True):
        assert np.abs(_newton_step(unscaled, beta, y)).max() < 1e-8 * max(1.0, np.abs(beta).max())


@pytest.mark.parametrize("columns", [slice(0, 1), slice(10, 27), slice(37, 100)])
@pytest.mark.parametrize("rows", [90, 250])
@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_a_wide_fit_is_the_same_in_any_company(wide, rows, columns, penalty):
    """Bit for bit, also where fits are separated, take long or are repeated."""
    X, Y = wide[0][:rows], wide[1][:rows]
    learner = Logistic(penalty)
    for together, alone in zip(learner.coefficients(X, Y), learner.coefficients(X, Y[:, columns]), strict=True):
        np.testing.assert_array_equal(alone, together[..., columns])
    scores = learner.scores(X, Y, X[:37], NO_KEYS).values
    np.testing.assert_array_equal(learner.scores(X, Y[:, columns], X[:37], NO_KEYS).values, scores[:, columns])


def test_wide_fits_that_take_long_are_those_of_one_run(wide, monkeypatch):
    X, Y = wide[0][:120], wide[1][:120]
    coefficients, gradients, separated = Logistic().coefficients(X, Y)
    assert (gradients > logistic.LIMITS[0]).any()
    monkeypatch.setattr(logistic, "LIMITS", logistic.LIMITS[1:])
    for found, expected in zip(Logistic().coefficients(X, Y), (coefficients, gradients, separated), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_separated_wide_fits_are_those_of_newton(wide, monkeypatch):
    """Flagged as by R's steps; a fit that is not flagged leaves some row on the side of the other class."""
    X, Y = wide
    X, Y = X[:90], Y[:90].copy()
    Y[:, 5] = X[:, 0] > 0
    coefficients, _, separated = Logistic().coefficients(X, Y)
    monkeypatch.setattr(logistic, "WIDE", 99)
    newton = Logistic().coefficients(X, Y)
    assert 1 < newton[2].sum() < 100
    np.testing.assert_array_equal(separated, newton[2])
    sides = (with_intercept(X) @ coefficients > 0) == (Y == 1)
    assert not sides[:, ~separated].all(axis=0).any()
    np.testing.assert_allclose(coefficients[:, ~separated], newton[0][:, ~separated], rtol=1e-3, atol=1e-3)


def test_separated_wide_fits_take_no_longer_than_others(rng):
    """Counted in gradients, where a third of the columns is separated by one feature.

    On average, since fits that take about as long are worked on together: a single longer one makes no other wait.
    """
    X = rng.standard_normal((300, 30))
    Y = (rng.standard_normal((300, 48)) > 0).astype(np.uint8)
    Y[:, ::3] = X[:, :16] > 0
    _, gradients, separated = Logistic().coefficients(X, Y)
    np.testing.assert_array_equal(np.flatnonzero(separated), np.arange(0, 48, 3))
    assert gradients[separated].mean() <= gradients[~separated].mean()


# ---- weighted fits ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("penalty", [0.0, 2.0])
def test_weighted_logistic_regression_agrees_with_scikit_learn(penalty):
    rng = np.random.default_rng(2)
    X, Y = rng.standard_normal((120, 3)), rng.integers(0, 2, (120, 5)).astype(np.uint8)
    weights = rng.exponential(size=(120, 5))
    learner = Logistic(penalty)
    coefficients, separated = learner.weighted_coefficients(X, Y, weights)
    assert not separated.any()
    for k in range(5):
        options = {"C": np.inf} if penalty == 0 else {"C": 1 / penalty}
        model = LogisticRegression(**options, tol=1e-12, max_iter=1000, solver="newton-cholesky")
        model.fit(X, Y[:, k], sample_weight=weights[:, k])
        assert np.allclose(coefficients[:, k], np.r_[model.intercept_, model.coef_[0]], atol=1e-6)


def test_weights_of_one_change_nothing():
    rng = np.random.default_rng(2)
    X, Y = rng.standard_normal((150, 3)), rng.integers(0, 2, (150, 2)).astype(np.uint8)
    learner = Logistic()
    plain = learner.scores(X, Y, X, NO_KEYS).values
    assert np.allclose(plain, learner.weighted_scores(X, Y, np.ones(Y.shape), X, NO_KEYS).values, atol=1e-6)


def test_separated_weighted_fits_are_flagged():
    X = np.arange(10.0)[:, None]
    Y = np.c_[X[:, 0] > 4, np.arange(10) % 2].astype(np.uint8)
    _, separated = Logistic().weighted_coefficients(X, Y, np.ones(Y.shape))
    assert separated.tolist() == [True, False]


def test_a_singular_weighted_design_is_an_error():
    X = np.ones((10, 1))
    with pytest.raises(ValueError, match="singular design"):
        Logistic().weighted_coefficients(X, np.eye(10, 2, dtype=np.uint8), np.ones((10, 2)))


@pytest.mark.parametrize(("rows", "features"), [(20, 21), (20, 60), (12, 200)])
def test_ridge_with_more_features_than_rows_is_solved_in_the_row_space(rng, rows, features):
    """The same scores as those of the fit to all features, and as scikit-learn's."""
    X, X_test = rng.standard_normal((rows, features)) + 3.0, rng.standard_normal((15, features)) + 3.0
    Y = np.stack([rng.permutation(np.arange(rows) % 2) for _ in range(4)], axis=1).astype(np.uint8)
    ridge = RidgeLogistic(penalty=2.0)
    scores, flagged = ridge.scores(X, Y, X_test, NO_KEYS)[:2]
    np.testing.assert_allclose(scores, Logistic(penalty=2.0).scores(X, Y, X_test, NO_KEYS).values, atol=1e-6)
    assert not flagged.any()
    for k in range(4):
        model = LogisticRegression(C=0.5, tol=1e-10, max_iter=10_000).fit(X, Y[:, k])
        np.testing.assert_allclose(scores[:, k], model.decision_function(X_test), atol=1e-4)
    weights = rng.integers(1, 4, Y.shape).astype(float)
    weighted = ridge.weighted_scores(X, Y, weights, X_test, NO_KEYS).values
    expected = Logistic(penalty=2.0).weighted_scores(X, Y, weights, X_test, NO_KEYS).values
    np.testing.assert_allclose(weighted, expected, atol=1e-6)


def test_ridge_with_a_thousand_features_is_quick(rng):
    """No array of the fit has a side of a thousand: 47 s for one fit before."""
    X = rng.standard_normal((60, 1000))
    Y = np.stack([rng.permutation(np.arange(60) % 2) for _ in range(50)], axis=1).astype(np.uint8)
    in_rows, test_in_rows = in_row_space(X, X[:7])
    assert in_rows.shape == (60, 59)
    assert test_in_rows.shape == (7, 59)
    np.testing.assert_allclose(in_rows @ in_rows.T, (X - X.mean(axis=0)) @ (X - X.mean(axis=0)).T, atol=1e-8)
    assert RidgeLogistic().scores(X, Y, X[:7], NO_KEYS).values.shape == (7, 50)


def test_features_that_are_all_constant_leave_the_intercept():
    Y = (np.arange(12) % 3 == 0).astype(np.uint8)[:, None]
    scores = RidgeLogistic().scores(np.ones((12, 20)), Y, np.ones((2, 20)), NO_KEYS).values
    np.testing.assert_allclose(scores, np.log(4 / 8), atol=1e-6)


@pytest.mark.parametrize("penalty", [-1, np.nan, np.inf, "1e2", None, True])
def test_a_penalty_is_a_number(penalty):
    with pytest.raises(ValueError, match="penalty of logistic must be a number from 0"):
        Logistic(penalty=penalty)
