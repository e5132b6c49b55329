"""Features of built-in learners: indicators and scales from the training rows."""

from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from permconf.data.encoding import Encoding
from permconf.engine.folds import Folds
from permconf.learners import make_learner

FOREST, LOGISTIC, RIDGE = (Encoding.of(make_learner(name)) for name in ("random_forest", "logistic", "ridge_logistic"))


def test_indicators(rng):
    train = pd.DataFrame({"x": rng.normal(size=8), "s": list("uvwuvwuv"), "t": [True, False] * 4})
    test = pd.DataFrame({"x": rng.normal(size=3), "s": list("vzu"), "t": [True, True, False]})
    X_train, X_test = FOREST.matrices(train, test)
    assert X_test[:, 1:].tolist() == [[0, 1, 0, 1], [0, 0, 0, 1], [1, 0, 0, 0]]  # z is in the test rows only
    assert X_train.shape == (8, 5)
    X_train, X_test = LOGISTIC.matrices(train, test)
    assert X_test[:, 1:].tolist() == [[1, 0, 1], [0, 0, 1], [0, 0, 0]]  # u is the reference
    assert FOREST.matrices(train[["t"]].astype(str), test[["t"]].astype(str))[1].tolist() == [[1], [1], [0]]


def test_what_does_not_vary_in_the_training_rows_has_no_column():
    train, test = pd.DataFrame({"x": [0.0, 1, 2, 3], "z": 1.0}), pd.DataFrame({"x": [0.0], "z": [2.0]})
    assert LOGISTIC.matrices(train, test)[1].shape == (1, 1)


def test_scales_are_those_of_the_training_rows(rng):
    train, test = (pd.DataFrame(rng.normal(3, 2, size=(n, 2)), columns=["a", "b"]) for n in (50, 9))
    X_train, X_test = RIDGE.matrices(train, test)
    np.testing.assert_allclose((X_train.mean(axis=0), X_train.std(axis=0)), ([0, 0], [1, 1]), atol=1e-12)
    scaled = RIDGE.matrices(train.assign(a=1000 * train["a"] - 7), test.assign(a=1000 * test["a"] - 7))
    np.testing.assert_allclose(scaled[1], X_test, atol=1e-12)


@pytest.mark.parametrize("kind", [Decimal, Fraction, "object", pd.ArrowDtype(pa.decimal128(12, 6))])
@pytest.mark.parametrize("encoding", [LOGISTIC, RIDGE, FOREST], ids=["reference", "standardised", "plain"])
def test_numbers_of_any_type_are_numbers(encoding, kind):
    numbers = pd.Series([0.25, 1.5, -2.0, 0.125, 3.0])
    column = numbers.map(kind) if isinstance(kind, type) else numbers.map(lambda v: Decimal(f"{v:.6f}")).astype(kind)
    given, expected = (encoding.matrices(*[pd.DataFrame({"a": v})] * 2) for v in (column, numbers))
    np.testing.assert_array_equal(given, expected)


def test_notes_say_what_was_done():
    X = pd.DataFrame({"b": 1e14 + np.arange(12) % 5, "site": ["u", "v"] * 5 + ["new"] * 2})
    X["age"] = [*map(str, range(11)), "3,5"]
    folds = Folds.split(np.arange(10), np.arange(10, 12))
    notes = LOGISTIC.notes(X, folds)
    assert "Labels became indicators of their levels: 'site', 'age'." in notes
    assert "Feature 'age' holds text such as '3,5' among numbers, so each of its values is a level of its own." in notes
    assert "Feature 'b' is not used: its values differ by less than 1e-12 of their size." in notes
    assert "Level 'new' of feature 'site' has no training rows; all indicators of its rows are zero." in notes
    several = SimpleNamespace(folds=folds.folds * 3, is_single=False)
    assert any("'b' is not used in 3 of 3 training sets" in note for note in LOGISTIC.notes(X, several))
    assert any(
        "standardised with the means and standard deviations of the training" in n for n in RIDGE.notes(X, folds)
    )


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([1.0, None, 2.0], "feature 'x' has missing values in 20 of 60 rows, the first is row 1, which learner"),
        (list(pd.date_range("2020", periods=3)), "feature 'x' holds dates or durations; convert it to numbers"),
        ([4, 4, 4], "feature 'x' is constant: every value is 4; leave it out"),
        ([1j, 2, 3], "feature 'x' holds complex numbers"),
        ([1.0, np.inf, 2.0], "feature 'x' has infinite values, the first in row 1; replace them"),
        ([1.0, 1e200, 2.0], r"feature 'x' has values beyond 1e\+150, the first in row 1"),
        ([*map(str, range(59)), "3,5"], "feature 'x' holds text such as '3,5' among numbers; correct it"),
        ([f"r{k}" for k in range(60)], "feature 'x' has 60 different labels in 60 rows; leave it out if it is an id"),
    ],
)
def test_columns_that_a_learner_cannot_use_are_named(column, message):
    with pytest.raises(ValueError, match=message):
        LOGISTIC.check(pd.DataFrame({"x": column * (60 // len(column))}))


def test_columns_that_determine_no_coefficients_are_named(rng):
    X = pd.DataFrame({"a": rng.normal(size=9), "b": rng.normal(size=9)})
    with pytest.raises(
        ValueError, match=r"feature '\w' is collinear with '\w', '\w' in the training rows; leave one out"
    ):
        LOGISTIC.matrices(*[X.assign(c=X["a"] - 2 * X["b"])] * 2)
    with pytest.raises(ValueError, match=r"learner 'logistic' needs more training rows \(3\) than columns of features"):
        LOGISTIC.matrices(X[:3], X[3:])
