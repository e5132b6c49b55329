import numpy as np
import pytest

from permconf.permute.crosses import _RIDGE, BINS, _gains, _unexplained, cross_columns, orthonormal

ROWS = 400


@pytest.fixture
def residuals(rng):
    """Two columns, a design that they enter, and residuals of a joint effect of their signs with variances."""
    c = rng.standard_normal((ROWS, 2))
    joint = (c > [0.3, -0.4]).all(axis=1) - 0.25
    X, variance = np.column_stack([np.ones(ROWS), c]), rng.uniform(0.1, 0.25, ROWS)
    return c, X, joint + 0.1 * rng.standard_normal(ROWS), variance


def test_score_statistics_of_all_crosses_are_those_of_single_ones(residuals):
    c, X, residual, variance = residuals
    bins = (c.argsort(axis=0).argsort(axis=0) * BINS) // ROWS
    r, v, basis = _unexplained(X, residual, np.sqrt(variance))
    gains = _gains(bins[:, 0] * BINS + bins[:, 1], r, v, basis)
    for a, b in [(10, 30), (45, 7)]:
        sides = np.where(bins >= [a, b], 1.0, -1.0)
        sides = np.column_stack([sides, sides.prod(axis=1)])
        followed = basis.T @ sides
        information = (sides.T * v) @ sides - followed.T @ followed + _RIDGE * v.mean() * np.eye(3)
        assert gains[a - 1, b - 1] == pytest.approx(r @ sides @ np.linalg.solve(information, sides.T @ r))


def test_columns_follow_a_joint_effect_wherever_its_borders_lie(residuals):
    c, X, residual, variance = residuals
    columns = np.column_stack([X, cross_columns(c, c[:, :0], X, residual[:, None], variance[:, None])])
    unexplained = residual - columns @ np.linalg.lstsq(columns, residual, rcond=None)[0]
    assert np.var(unexplained) < 0.02  # 0.01 is noise; without the columns it is 0.1


def test_a_level_is_one_side_of_a_cross(residuals):
    c, X, _, variance = residuals
    level = (c[:, 1:] > 0.5).astype(float)
    joint = (c[:, 0] > 0.2) * level[:, 0]
    columns = cross_columns(c[:, :1], level, X, (joint - joint.mean())[:, None], variance[:, None])
    columns = np.column_stack([np.ones(ROWS), columns])
    assert np.var(joint - columns @ np.linalg.lstsq(columns, joint, rcond=None)[0]) < 0.01 * np.var(joint) + 0.005


def test_one_column_has_no_crosses(residuals):
    c, X, residual, variance = residuals
    assert cross_columns(c[:, :1], c[:, :0], X, residual[:, None], variance[:, None]) is None


def test_columns_that_are_combinations_of_others_add_nothing(rng):
    X = rng.standard_normal((50, 3))
    basis = orthonormal(np.column_stack([X, X @ [1.0, 2.0, 3.0], X[:, 0]]))
    assert basis.shape == (50, 3)
    np.testing.assert_allclose(basis @ (basis.T @ X), X, atol=1e-12)
