import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression, Ridge

from permconf.data.confounders import Confounders
from permconf.data.response import Response
from permconf.permute.response_model import (
    Design,
    bspline_basis,
    fit_classes,
    fit_numbers,
    fitted_response,
    quantile_knots,
)


@pytest.fixture
def age(rng):
    return rng.standard_normal(400)


def test_splines_sum_to_one_up_to_both_ends(age):
    np.testing.assert_allclose(bspline_basis(age, quantile_knots(age, 6)).sum(axis=1), 1)


def test_classes_are_fitted_by_penalised_maximum_likelihood(age, rng):
    """The fit equals scikit-learn's, which takes one penalty for all: columns are scaled by the prior sds."""
    y = (rng.random(400) < expit(age**2 - 1)).astype(int)
    design = Design.of(Confounders.of(age))
    model = fit_classes(y, design, classes=2)
    reference = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-10, max_iter=10_000)
    reference.fit(design.X / np.sqrt(model.precision), y)
    expected = reference.decision_function(design.X / np.sqrt(model.precision))
    np.testing.assert_allclose(model.linear[:, 0], expected, atol=1e-3)
    np.testing.assert_allclose(model.probabilities[:, 1], expit(model.linear[:, 0]), atol=1e-12)
    np.testing.assert_allclose(model.theta[:, 0], 0)


def test_several_classes_have_a_penalty_symmetric_in_the_classes(age, rng):
    codes = (np.column_stack([0 * age, age, 1 - age]) + rng.gumbel(size=(400, 3))).argmax(axis=1)
    design = Design.of(Confounders.of(age), classes=3)
    model = fit_classes(codes, design, classes=3)
    np.testing.assert_allclose(model.probabilities, softmax(model.theta, axis=1), atol=1e-12)
    renamed = fit_classes(2 - codes, design, classes=3)
    np.testing.assert_allclose(renamed.probabilities[:, ::-1], model.probabilities, atol=1e-4)
    truth = softmax(np.column_stack([0 * age, age, 1 - age]), axis=1)
    assert np.abs(model.probabilities - truth).mean() < 0.05


def test_numbers_are_fitted_by_penalised_least_squares(age, rng):
    y = 10 + 3 * np.sin(2 * age) + rng.standard_normal(400)
    design = Design.of(Confounders.of(age))
    model = fit_numbers(y, design)
    reference = Ridge(alpha=1.0, fit_intercept=False).fit(design.X / np.sqrt(model.precision), y - y.mean())
    expected = y.mean() + reference.predict(design.X / np.sqrt(model.precision))
    np.testing.assert_allclose(model.mean, expected, atol=1e-8)
    hat = design.X @ np.linalg.solve(design.X.T @ design.X + np.diag(model.precision), design.X.T)
    assert model.edf == pytest.approx(np.trace(hat))
    assert model.scale == pytest.approx(np.sum((y - model.mean) ** 2) / (400 - model.edf))
    assert 0.7 < model.scale < 1.3


def test_positive_numbers_may_be_modelled_on_the_log_scale(age, rng):
    y = np.exp(age + 0.3 * rng.standard_normal(400))
    mixed = Confounders.of(age)
    np.testing.assert_array_equal(fitted_response(Response.of(y, "regression"), mixed).values, np.log(y))
    y = 10 + age + rng.standard_normal(400)
    np.testing.assert_array_equal(fitted_response(Response.of(y, "regression"), mixed).values, y)


@pytest.mark.parametrize("curve", [lambda c: c, lambda c: c**2 - 1, np.sin], ids=["line", "parabola", "sine"])
def test_it_finds_the_curve(curve, rng):
    c = rng.standard_normal(3000)
    y = (rng.random(3000) < expit(1.5 * curve(c))).astype(int)
    model = fitted_response(Response.of(y), Confounders.of(c))
    assert np.abs(model.probabilities[:, 1] - expit(1.5 * curve(c))).mean() < 0.03


def test_confounders_add_up_and_may_differ_between_the_sexes(rng):
    age, weight, sex = rng.standard_normal(2000), rng.standard_normal(2000), rng.integers(0, 2, 2000)
    truth = expit(np.where(sex == 1, 1.5 * age, -1.5 * age) + weight**2 - 1)
    y = Response.of(rng.random(2000) < truth)
    mixed = Confounders.of(np.column_stack([age, weight, sex]))
    model = fitted_response(y, mixed)
    assert np.abs(model.probabilities[:, 1] - truth).mean() < 0.05


@pytest.mark.parametrize("n", [3, 5, 12, 40])
@pytest.mark.parametrize("classes", [True, False])
def test_separated_and_tiny_samples_have_finite_estimates(n, classes):
    c = np.arange(n) + 0.5
    y = Response.of(c > n / 2) if classes else Response.of(c, "regression")
    model = fitted_response(y, Confounders.of(c))
    assert np.isfinite(model.theta).all()
    assert np.abs(model.linear).max() < 100


def test_weights_count_rows(age, rng):
    y, counts = age + rng.standard_normal(400), rng.integers(0, 3, 400)
    design, rows = Design.of(Confounders.of(age)), np.repeat(np.arange(400), counts)
    repeated = fit_numbers(y[rows], Design(design.X[rows], design.terms))
    weighted = fit_numbers(y, design, weights=counts.astype(float))
    np.testing.assert_allclose(weighted.coefficients, repeated.coefficients, atol=1e-6)
