"""Samples, subjects and features: checked when they are made, and taken row by row."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from permconf.data.features import Features
from permconf.data.sample import Sample, Subjects
from permconf.learners import make_learner

X = np.arange(12.0).reshape(6, 2)
Y, C = np.array([0, 1, 1, 0, 1, 0]), np.array(list("aabbcc"))


def test_a_row_that_is_taken_twice_becomes_two_rows():
    sample = Sample.of(X, Y, C)
    sample = Sample(sample.features, sample.response, sample.confounders, Subjects.of([7, 7, 8, 8, 9, 9]))
    part = sample.take([3, 3, 0])
    assert part.features.X.tolist() == X[[3, 3, 0]].tolist()
    assert part.response.values.tolist() == [0, 0, 0]
    assert part.confounders.labels.tolist() == ["b", "b", "a"]
    assert (part.subjects.codes.tolist(), part.subjects.levels.values.tolist()) == ([1, 1, 0], [7, 8])
    assert sample.treated("smooth").confounders.columns[0].kind == "categorical"


def test_the_rows_of_a_test_set_follow_those_of_the_training_set_and_are_analysed_with_them():
    age = np.array([1.0, 2, 3, 4, 5, 6])
    sample = Sample.of_sets((X[:2], Y[:2], age[:2]), (X[2:], Y[2:], age[2:]), treatment={"quantiles": 2})
    assert sample.confounders.codes.tolist() == [0, 0, 0, 1, 1, 1]
    frames = [pd.DataFrame(part, columns=list(names)) for part, names in ((X[:2], "ab"), (X[2:, ::-1], "ba"))]
    by_name = Sample.of_sets((frames[0], Y[:2], C[:2]), (frames[1], Y[2:], C[2:]))
    np.testing.assert_array_equal(by_name.features.X.to_numpy(), X)


TRAIN, TEST = (X[:3], Y[:3], C[:3]), (X[3:], Y[3:], C[3:])
NAMED = pd.DataFrame(X[:3], columns=["a", "b"])


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [
        ((X[:2], Y[:3], C[:3]), TEST, "X_train, y_train and c_train have 2, 3 and 3 rows"),
        (TRAIN, (X[3:], Y[3:], C[4:]), "X_test, y_test and c_test have 3, 3 and 2 rows"),
        (TRAIN, (X[3:, :1], Y[3:], C[3:]), "X_train has 2 features, X_test has 1"),
        (TRAIN, (X[3:], [0, None, 1], C[3:]), "y_test has missing .* in 1 of 3 rows, the first is row 1"),
        (TRAIN, (X[3:], Y[3:], ["a", None, "b"]), "missing .* in 1 of 6 rows, the first is row 1 of c_test"),
        (TRAIN, (X[3:], Y[3:], np.c_[C[3:], C[3:]]), r"c_train and c_test have different columns: shapes \(3,\) and"),
        ((X[:3], Y[:3], NAMED), (X[3:], Y[3:], NAMED[["b", "a"]]), "c_train and c_test have different columns"),
        ((NAMED, *TRAIN[1:]), (NAMED[["a"]], *TEST[1:]), "X_test has no column 'b', which X_train has$"),
        ((NAMED[["a"]], *TRAIN[1:]), (NAMED, *TEST[1:]), "X_train has no column 'b', which X_test has$"),
        ((NAMED, pd.Series(Y[:3])[::-1], C[:3]), TEST, "X_train and y_train have the same row labels in a different"),
    ],
)
def test_sets_must_fit_together(train, test, message):
    with pytest.raises(ValueError, match=message):
        Sample.of_sets(train, test)


def test_the_parts_of_a_sample_have_the_same_rows():
    with pytest.raises(ValueError, match="X, y and c have 5, 6 and 6 rows"):
        Sample.of(X[1:], Y, C)


def test_subjects_are_several():
    assert Subjects.of(None) is None
    with pytest.raises(ValueError, match="patient has one group only, 'p'; leave groups out"):
        Subjects.of(["p"] * 6, name="patient")
    with pytest.raises(ValueError, match="groups has 6 rows where 5 are needed"):
        Subjects.of(C, rows=5)


# ---- features --------------------------------------------------------------------------------------------------------


def with_value(value):
    return np.where(X == 7, value, X)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (csr_matrix(X), r"X is sparse; give a dense matrix, for example X.toarray\(\)"),
        (X + 1j, "X holds complex numbers; give real ones"),
        (np.full(X.shape, "a"), "X must be a matrix of numbers: could not convert string"),
        (X[:, 0], r"X must be a matrix, not an array of shape \(6,\)"),
        (with_value(-np.inf), "X has infinite values, the first in column 1, row 3"),
        (with_value(1e151), r"X has values beyond 1e\+150: their squares overflow"),
        (pd.DataFrame(X, columns=["a", "a"]), "column 'a' occurs twice in X"),
    ],
)
def test_features_are_a_matrix_of_numbers_or_named_columns(given, message):
    with pytest.raises(ValueError, match=message) as error:
        Features.of(given)
    assert "\n" not in str(error.value)
    np.testing.assert_array_equal(Features.of(X.astype(str)).X, X)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (Features.of(with_value(np.nan)), "X has missing values in column 1, which RandomForest does not take; impute"),
        (Features.of(pd.DataFrame(with_value(np.nan), columns=["a", "b"])), "X has missing values in column 'b', whi"),
        (
            Features(pd.DataFrame(with_value(np.nan), columns=["a", "b"]), is_table=True),
            "feature 'b' has missing values in 1 of 6 rows, the first is row 3, which learner 'random",
        ),
    ],
)
def test_missing_features_are_for_learners_that_take_them(features, message):
    with pytest.raises(ValueError, match=message):
        features.check(make_learner("random_forest"))
    features.check(make_learner("sklearn.ensemble.HistGradientBoostingClassifier"))
