import numpy as np
from scipy.interpolate import CubicSpline
from sklearn.linear_model import LinearRegression

from permconf.adjustments import make_adjustment
from permconf.adjustments._confounder_basis import ConfounderBasis, natural_spline
from permconf.data.confounders import Confounders
from permconf.data.sample import Sample


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


def test_columns_are_uncorrelated_with_mean_0_and_variance_1_on_training_rows(mixed):
    c = mixed[0].confounders
    Z = ConfounderBasis.of(c).columns(c)
    assert Z.shape[1] == 5 + 2  # six knots, three levels
    np.testing.assert_allclose(Z.T @ Z / len(Z), np.eye(7), atol=1e-9)
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-9)
    age = c.numeric[:, 0]
    np.testing.assert_allclose(Z[:, 0], (age - age.mean()) / age.std())


def test_a_level_that_training_lacks_is_average_and_a_constant_confounder_has_no_columns():
    c = Confounders.of(np.array(["a", "a", "b", "c", "d"]))
    np.testing.assert_allclose(ConfounderBasis.of(c.take(slice(4))).columns(c.take([4])), 0, atol=1e-12)
    constant = Confounders.of(np.zeros(6))
    assert ConfounderBasis.of(constant).columns(constant.take([0, 1])).shape == (2, 0)


def test_equal_confounders_have_equal_columns_whatever_the_other_rows(rng):
    """A matrix product rounds rows differently, by where they are."""
    for n in (21, 40, 101, 203):
        c = Confounders.of(rng.integers(0, 13, n), "levels")
        basis = ConfounderBasis.of(c)
        columns = basis.columns(c)
        assert len(np.unique(columns, axis=0)) == c.strata.counts.size
        np.testing.assert_array_equal(basis.columns(c.take(slice(7))), columns[:7])


def residuals(name, train, test, **options):
    X = train.features.X, train.confounders, test.features.X, test.confounders
    return make_adjustment({"name": name, **options}).transform(*X)


def test_residuals_are_those_of_an_ordinary_regression(mixed):
    age = mixed[0].confounders.numeric[:, 0]
    knots = np.quantile(age, np.linspace(0.05, 0.95, 6))

    def design(c):
        return np.column_stack([natural_spline(c.numeric[:, 0], knots), c.codes == 1, c.codes == 2])

    fitted = LinearRegression().fit(design(mixed[0].confounders), mixed[0].features.X)
    for sample, made in zip(mixed, residuals("spline_residuals", *mixed), strict=True):
        expected = sample.features.X - fitted.predict(design(sample.confounders))
        np.testing.assert_allclose(made, expected, atol=1e-8)


def test_a_straight_line_leaves_a_parabola_and_splines_do_not(rng):
    """X is exactly C squared; a line explains nothing of it, six knots nearly all."""
    age = rng.normal(size=1000)
    sample = Sample.of((age**2)[:, None], np.arange(1000) % 2, age, treatment="smooth")
    sets = sample.take(slice(500)), sample.take(slice(500, 1000))
    left = {k: residuals("spline_residuals", *sets, knots=k)[1].var() / np.var(age**2) for k in (2, 6)}
    assert left[2] > 0.9
    assert left[6] < 0.05
