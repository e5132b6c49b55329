from dataclasses import replace

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from sklearn.linear_model import LinearRegression

from permconf.adjustments import make_adjustment
from permconf.adjustments._confounder_basis import ConfounderBasis, natural_spline
from permconf.data.mixed_confounders import MixedConfounders
from permconf.data.split import Split


def test_splines_are_the_natural_ones_of_scipy(rng):
    """A natural cubic spline through any values at the knots is a combination of the columns, and a line beyond."""
    knots = np.array([-1.5, -0.4, 0.3, 0.9, 2.0])
    x = np.linspace(knots[0], knots[-1], 60)
    drawn = CubicSpline(knots, rng.normal(size=5), bc_type="natural")
    columns = np.column_stack([np.ones(60), natural_spline(x, knots)])
    coefficients, *_ = np.linalg.lstsq(columns, drawn(x), rcond=None)
    np.testing.assert_allclose(columns @ coefficients, drawn(x), atol=1e-9)
    for beyond, edge in (([-9.0, -5.0], knots[0]), ([4.0, 9.0], knots[-1])):
        values = np.column_stack([np.ones(2), natural_spline(np.array(beyond), knots)]) @ coefficients
        np.testing.assert_allclose(values, drawn(edge) + drawn(edge, 1) * (beyond - edge), atol=1e-8)


def test_columns_are_uncorrelated_with_mean_0_and_variance_1_on_training_rows(mixed_split):
    basis = ConfounderBasis.of(mixed_split.c_train)
    Z = basis.columns(mixed_split.c_train)
    assert Z.shape[1] == 5 + 2  # six knots, three levels
    np.testing.assert_allclose(Z.T @ Z / len(Z), np.eye(7), atol=1e-9)
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-9)
    age = mixed_split.c_train.numeric[:, 0]
    np.testing.assert_allclose(Z[:, 0], (age - age.mean()) / age.std())


def test_a_level_that_training_lacks_is_average_and_a_constant_confounder_has_no_columns():
    basis = ConfounderBasis.of(np.array(["a", "a", "b", "c"]))
    np.testing.assert_allclose(basis.columns(np.array(["d"])), 0, atol=1e-12)
    assert ConfounderBasis.of(np.zeros(6)).columns(np.zeros(2)).shape == (2, 0)


def test_equal_confounders_have_equal_columns_whatever_the_other_rows(rng):
    """A matrix product rounds rows differently, by where they are."""
    for n in (21, 40, 101, 203):
        c = rng.integers(0, 13, n)
        basis = ConfounderBasis.of(c)
        columns = basis.columns(c)
        assert len(np.unique(columns, axis=0)) == len(np.unique(c))
        np.testing.assert_array_equal(basis.columns(c[:7]), columns[:7])


def test_residuals_are_those_of_an_ordinary_regression(mixed_split):
    made = make_adjustment("spline_residuals").adjusted(mixed_split, np.random.default_rng(0))
    age = mixed_split.c_train.numeric[:, 0]
    knots = np.quantile(age, np.linspace(0.05, 0.95, 6))

    def design(c):
        return np.column_stack([natural_spline(c.numeric[:, 0], knots), c.codes == 1, c.codes == 2])

    fitted = LinearRegression().fit(design(mixed_split.c_train), mixed_split.X_train)
    for part in ("train", "test"):
        X, c = (getattr(mixed_split, f"{name}_{part}") for name in "Xc")
        np.testing.assert_allclose(getattr(made, f"X_{part}"), X - fitted.predict(design(c)), atol=1e-8)


def test_with_levels_only_they_are_those_of_level_means(mixed_split):
    split = replace(mixed_split, c_train=mixed_split.c_train.codes, c_test=mixed_split.c_test.codes)
    by_means, by_splines = (
        make_adjustment(name).adjusted(split, np.random.default_rng(0)) for name in ("residuals", "spline_residuals")
    )
    np.testing.assert_allclose(by_splines.X_train, by_means.X_train, atol=1e-9)
    np.testing.assert_allclose(by_splines.X_test, by_means.X_test, atol=1e-9)


def test_a_straight_line_leaves_a_parabola_and_splines_do_not():
    """X is exactly C squared; a line explains nothing of it, six knots nearly all."""
    rng = np.random.default_rng(1)
    age = np.concatenate([rng.normal(size=500), rng.normal(size=500)])
    X, y = (age**2)[:, None], rng.integers(0, 2, 1000).astype(np.uint8)
    split = Split.of(X, y, MixedConfounders.of(age), slice(0, 500), slice(500, None))
    left = {
        knots: make_adjustment({"name": "spline_residuals", "knots": knots}).adjusted(split, rng).X_test.var() / X.var()
        for knots in (2, 6)
    }
    assert left[2] > 0.9
    assert left[6] < 0.05
    with pytest.raises(ValueError, match="knots of spline_residuals must be a whole number from 2"):
        make_adjustment({"name": "spline_residuals", "knots": 1})
