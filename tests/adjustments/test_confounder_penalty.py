from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from permconf import assess
from permconf.adjustments import make_adjustment
from permconf.adjustments._confounder_basis import ConfounderBasis
from permconf.learners import fitted_scores, make_learner


def found(split, Y, keys, learner="logistic", **options):
    adjustment = make_adjustment({"name": "confounder_penalty", **options})
    learner = adjustment.adapted(make_learner(learner), split.c_train)
    return fitted_scores(learner, split.X_train, Y, split.X_test, keys)


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
def test_it_minimises_the_penalised_loss(mixed_split, keys, learner, ridge, given):
    y = mixed_split.y_train
    scores = found(mixed_split, y[:, None], keys[:1], learner, strength=0.2, given=given)
    Z = ConfounderBasis.of(mixed_split.c_train).columns(mixed_split.c_train)
    b = minimised(mixed_split.X_train, y, Z, 0.2, ridge, y if given == "response" else None)
    np.testing.assert_allclose(scores.values[:, 0], b[0] + mixed_split.X_test @ b[1:], atol=2e-4)
    assert scores.kind == "log_odds"


def test_without_strength_it_is_logistic_regression_and_with_much_scores_are_uncorrelated(mixed_split, keys):
    y = mixed_split.y_train[:, None]
    plain = fitted_scores(make_learner("logistic"), mixed_split.X_train, y, mixed_split.X_test, keys[:1])
    np.testing.assert_allclose(found(mixed_split, y, keys[:1], strength=0).values, plain.values, rtol=1e-7)
    site = mixed_split.c_train.codes
    split = replace(mixed_split, c_train=site, X_test=mixed_split.X_train, c_test=site, y_test=mixed_split.y_train)
    hard = found(split, y, keys[:1], strength=1e7).values[:, 0]
    means = [hard[site == level].mean() for level in range(3)]
    assert np.ptp(means) < 1e-3
    given = found(split, y, keys[:1], strength=1e7, given="response").values[:, 0]
    residual = given - np.where(y[:, 0] == 1, given[y[:, 0] == 1].mean(), given[y[:, 0] == 0].mean())
    centred = np.eye(3)[site].astype(float)
    for k in (0, 1):
        centred[y[:, 0] == k] -= centred[y[:, 0] == k].mean(axis=0)
    assert np.abs(centred.T @ residual).max() / len(site) < 1e-3


@pytest.mark.parametrize("given", ["nothing", "response"])
def test_all_responses_at_once_and_one_by_one(mixed_split, keys, rng, given):
    Y = np.stack([rng.permutation(mixed_split.y_train) for _ in keys], axis=1)
    batch = found(mixed_split, Y, keys, given=given).values
    for k in range(len(keys)):
        alone = found(mixed_split, Y[:, [k]], keys[[k]], given=given).values
        np.testing.assert_allclose(alone[:, 0], batch[:, k], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("given", ["nothing", "response"])
def test_of_several_classes_it_minimises_the_penalised_loss_too(mixed_split, keys, given):
    """The penalty is the sum of those of the linear predictors of all classes."""
    X, y = mixed_split.X_train, np.random.default_rng(0).integers(0, 3, 250).astype(np.uint8)
    p = found(mixed_split, y[:, None], keys[:1], strength=0.2, given=given).needed("probabilities")[:, 0]
    Z = ConfounderBasis.of(mixed_split.c_train).columns(mixed_split.c_train)
    explained = explained_by(Z, X, y if given == "response" else np.zeros(250))

    def loss(b):
        B = b.reshape(4, 3)
        eta = B[0] + X @ B[1:]
        return logsumexp(eta, axis=1).sum() - eta[np.arange(250), y].sum() + 0.1 * np.sum((explained @ B[1:]) ** 2)

    B = minimize(loss, np.zeros(12), method="BFGS", options={"gtol": 1e-5}).x.reshape(4, 3)
    np.testing.assert_allclose(p, softmax(B[0] + mixed_split.X_test @ B[1:], axis=1), atol=1e-4)


def test_other_learners_and_options_are_named(mixed_split):
    parts = tuple(mixed_split.__dict__.values())[:6]
    parts = [part.codes if i in (2, 5) else part for i, part in enumerate(parts)]
    with pytest.raises(ValueError, match="'confounder_penalty' needs learner 'logistic' or 'ridge_logistic'"):
        assess(*parts, adjustment="confounder_penalty", learner="lda", seed=0)
    with pytest.raises(ValueError, match="unknown given of confounder_penalty 'respons', did you mean 'response'"):
        make_adjustment({"name": "confounder_penalty", "given": "respons"})
