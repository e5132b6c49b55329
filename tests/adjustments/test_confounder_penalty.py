from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from permconf.adjustments import make_adjustment
from permconf.adjustments._confounder_basis import ConfounderBasis
from permconf.learners import fitted_scores, make_learner


def found(sets, Y, keys, learner="logistic", **options):
    adjustment = make_adjustment({"name": "confounder_penalty", **options})
    learner = adjustment.adapted(make_learner(learner), sets[0].confounders)
    return fitted_scores(learner, sets[0].features.X, Y, sets[1].features.X, keys)


def columns(sample):
    return ConfounderBasis.of(sample.confounders).columns(sample.confounders)


def explained_by(Z, X, groups):
    """What a regression on Z explains of the columns of X, both centred within groups."""
    Z, X = np.array(Z, float), np.array(X, float)
    for M in (Z, X):
        for k in np.unique(groups):
            M[groups == k] -= M[groups == k].mean(axis=0)
    return Z @ np.linalg.lstsq(Z, X, rcond=None)[0]


def minimised(X, y, Z, strength, ridge=0.0, classes=None):
    """Intercept and coefficients that minimise the penalised loss, by a general method."""
    explained = explained_by(Z, X, np.zeros(len(y)) if classes is None else classes)

    def loss(b):
        eta = b[0] + X @ b[1:]
        fitted = explained @ b[1:]
        value = np.logaddexp(0, eta).sum() - y @ eta + strength / 2 * fitted @ fitted + ridge / 2 * b[1:] @ b[1:]
        residual = 1 / (1 + np.exp(-eta)) - y
        slope = X.T @ residual + strength * explained.T @ fitted + ridge * b[1:]
        return value, np.concatenate([[residual.sum()], slope])

    return minimize(loss, np.zeros(X.shape[1] + 1), jac=True, method="BFGS", options={"gtol": 1e-7}).x


@pytest.mark.parametrize(("learner", "ridge"), [("logistic", 0.0), ({"name": "ridge_logistic", "penalty": 3.0}, 3.0)])
@pytest.mark.parametrize("given", ["nothing", "response"])
def test_it_minimises_the_penalised_loss(mixed, keys, learner, ridge, given):
    (train, test), y = mixed, mixed[0].response.values
    scores = found(mixed, y[:, None], keys[:1], learner, strength=0.2, given=given)
    b = minimised(train.features.X, y, columns(train), 0.2, ridge, y if given == "response" else None)
    np.testing.assert_allclose(scores.values[:, 0], b[0] + test.features.X @ b[1:], atol=2e-4)
    assert scores.kind == "log_odds"


def test_without_strength_it_is_logistic_regression_and_with_much_scores_are_uncorrelated(mixed, keys):
    train, test = mixed
    y, site = train.response.values, train.confounders.codes
    plain = fitted_scores(make_learner("logistic"), train.features.X, y[:, None], test.features.X, keys[:1])
    np.testing.assert_allclose(found(mixed, y[:, None], keys[:1], strength=0).values, plain.values, rtol=1e-7)
    by_site = replace(train, confounders=train.confounders.chosen(["site"]))
    hard, given = (
        found((by_site, by_site), y[:, None], keys[:1], strength=1e7, given=what).values[:, 0]
        for what in ("nothing", "response")
    )
    assert np.ptp([hard[site == level].mean() for level in range(3)]) < 1e-3
    residual = given - np.where(y == 1, given[y == 1].mean(), given[y == 0].mean())
    centred = np.eye(3)[site].astype(float)
    for k in (0, 1):
        centred[y == k] -= centred[y == k].mean(axis=0)
    assert np.abs(centred.T @ residual).max() / len(site) < 1e-3


@pytest.mark.parametrize("given", ["nothing", "response"])
def test_of_several_classes_it_minimises_the_penalised_loss_too(mixed, keys, given):
    """The penalty is the sum of those of the linear predictors of all classes."""
    X, y = mixed[0].features.X, np.random.default_rng(0).integers(0, 3, 250).astype(np.uint8)
    p = found(mixed, y[:, None], keys[:1], strength=0.2, given=given).needed("probabilities")[:, 0]
    explained = explained_by(columns(mixed[0]), X, y if given == "response" else np.zeros(250))

    def loss(b):
        B = b.reshape(4, 3)
        eta = B[0] + X @ B[1:]
        return logsumexp(eta, axis=1).sum() - eta[np.arange(250), y].sum() + 0.1 * np.sum((explained @ B[1:]) ** 2)

    B = minimize(loss, np.zeros(12), method="BFGS", options={"gtol": 1e-5}).x.reshape(4, 3)
    np.testing.assert_allclose(p, softmax(B[0] + mixed[1].features.X @ B[1:], axis=1), atol=1e-4)
