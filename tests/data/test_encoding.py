"""Features of built-in learners: indicators and scales from the training rows."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from permconf import audit
from permconf.data.encoding import Encoding


def test_indicators(rng):
    train = pd.DataFrame({"x": rng.normal(size=8), "s": list("uvwuvwuv"), "t": [True, False] * 4})
    test = pd.DataFrame({"x": rng.normal(size=3), "s": list("vzu"), "t": [True, True, False]})
    X_train, X_test = Encoding.of("random_forest").matrices(train, test)
    assert X_test[:, 1:].tolist() == [[0, 1, 0, 1], [0, 0, 0, 1], [1, 0, 0, 0]]  # z is in the test rows only
    assert X_train.shape == (8, 5)
    X_train, X_test = Encoding.of("logistic").matrices(train, test)
    assert X_test[:, 1:].tolist() == [[1, 0, 1], [0, 0, 1], [0, 0, 0]]  # u is the reference


def test_two_labels_are_one_column():
    train, test = pd.DataFrame({"s": list("abab")}), pd.DataFrame({"s": list("ba")})
    assert Encoding.of("random_forest").matrices(train, test)[1].tolist() == [[1], [0]]


def test_a_level_that_does_not_vary_in_the_training_rows_has_no_column():
    train = pd.DataFrame({"x": [0.0, 1, 2, 3], "z": [1.0, 1, 1, 1]})
    test = pd.DataFrame({"x": [0.0], "z": [2.0]})
    assert Encoding.of("logistic").matrices(train, test)[1].shape == (1, 1)


def test_scale_does_not_matter_where_learners_depend_on_it(data, options):
    for learner in ("nearest_neighbours", "ridge_logistic"):
        plain = audit(data, **options | {"learner": learner})
        scaled = audit(data.assign(a=1000 * data["a"] - 7), **options | {"learner": learner})
        assert plain.observed == pytest.approx(scaled.observed, abs=1e-12)


def test_ridge_is_that_of_a_pipeline_with_a_scaler(data, options):
    model = make_pipeline(StandardScaler(), LogisticRegression(C=1.0, tol=1e-10))
    ours = audit(data, **options | {"learner": "ridge_logistic"})
    theirs = audit(data, **options | {"learner": model, "permutations": 2})
    assert np.allclose(ours.predictions["score"], theirs.predictions["score"], atol=1e-5)
    assert any("standardised" in note for note in ours.notes)


@pytest.mark.parametrize("kind", [Decimal, Fraction, "object", pd.ArrowDtype(pa.decimal128(12, 6))])
def test_numbers_of_any_type_are_numbers(data, options, kind):
    data["a"] = data["a"].round(6)
    exact = data["a"].map(lambda value: Decimal(f"{value:.6f}"))
    column = data["a"].map(kind) if isinstance(kind, type) else (data["a"] if kind == "object" else exact).astype(kind)
    for changed in ({}, {"learner": "ridge_logistic"}, {"adjustment": "residuals"}):
        a, b = (audit(table, **options | changed) for table in (data, data.assign(a=column)))
        assert a.observed == b.observed
        assert a.notes == b.notes


def test_features_that_do_not_vary_are_noted(data, options):
    a = audit(data.assign(b=1e14 + data["b"]), **options | {"cv": 3})
    assert any("'b' is not used in 3 of 3 training sets: its values differ by less than 1e-12" in n for n in a.notes)
    data["site"] = np.where(np.arange(120) < 100, "u", data["site"])
    a = audit(data, **options | {"features": ["a", "site"], "split": (np.arange(100), np.arange(100, 120))})
    assert any("'site' is not used: its values" in note for note in a.notes)
    assert not any("not used" in note for note in audit(data, **options).notes)


def test_levels_in_the_test_rows_only_are_noted(data, options):
    data["site"] = np.where(np.arange(120) >= 110, "new", data["site"])
    split = (np.arange(100), np.arange(100, 120))
    a = audit(data, **options | {"features": ["a", "site"], "split": split})
    assert any("Level 'new' of feature 'site' is in a test set only" in note for note in a.notes)
