"""Classes or numbers: how a response is taken."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from permconf import prediction_test, reweighted_metric
from permconf.data.response import quantile_groups, response_of


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([0, 1, 1], 2),
        ([0.0, 1.0, 1.0], 2),
        ([1.5, 2.5, 3.5, 1.5], 3),
        ([0, 1], 2),
        ([True, False], 2),
        (["case", "control", "case"], 2),
        (np.array(["a", "b", "c"], object), 3),
        (pd.Series(["a", "b"], dtype="category"), 2),
        (pd.Series(np.arange(20), dtype="category"), 20),
        (pd.Series([0, 1, 2, 2], dtype="Int64"), 3),
        (np.repeat(np.arange(20), 10), 20),
        (np.array([[0], [1]])[:, 0], 2),
        (pd.DataFrame({"y": [0, 1]}), 2),
    ],
)
def test_classes(y, classes):
    assert len(response_of(y).labels) == classes


@pytest.mark.parametrize(
    "y", [np.arange(11.0), np.arange(50), np.arange(7.0), np.arange(80) // 2, pd.Series(np.arange(30) / 7)]
)
def test_numbers(y):
    response = response_of(y)
    assert response.labels is None
    assert response.is_ordered
    np.testing.assert_array_equal(response.values, np.asarray(y, float))


def test_labels_are_sorted_and_two_of_them_are_ordered():
    response = response_of(pd.Categorical([10, 2, 2, 10]))
    assert response.labels == (2, 10)
    assert response.values.tolist() == [1, 0, 0, 1]
    assert response.is_ordered
    assert not response_of([0, 1, 2, 2]).is_ordered


OBJECTS = {
    "intervals": pd.Series(pd.IntervalIndex.from_tuples([(5, 10), (10, 100)])),
    "categories": pd.cut(pd.Series([7, 20]), [5, 10, 100]),
    "decimals": [Decimal(7), Decimal(20)],
    "fractions": [Fraction(7), Fraction(20)],
    "large numbers": [7 * 10**20, 20 * 10**20],
    "tuples": [(7,), (20,)],
    "periods": pd.Series([pd.Period("0999", "Y"), pd.Period("2000", "Y")]),
}


@pytest.mark.parametrize("labels", OBJECTS.values(), ids=OBJECTS)
def test_objects_are_sorted_as_what_they_are(labels, rng):
    """As text, 20 comes before 7: the direction was turned round, and an AUC of .9 was .1 elsewhere."""
    y = rng.permutation(np.arange(60) % 2)
    scores, c = y + 0.1 * rng.standard_normal(60), np.where(rng.random(60) < 0.2, 1 - y, y)
    objects = pd.Series(labels).take(y).reset_index(drop=True)
    response = response_of(objects)
    assert (response.labels, response.values.tolist()) == (tuple(labels), y.tolist())
    given = {"permutations": 99}
    assert prediction_test(scores + c, objects, c, **given).sign == prediction_test(scores + c, y, c, **given).sign
    assert reweighted_metric(objects, scores, c, bootstrap=9).observed == 1


@pytest.mark.parametrize("y", [[1, "a", "a"], [frozenset("a"), frozenset("b"), frozenset("b")]], ids=str)
def test_objects_without_an_order_are_sorted_as_text(y):
    response = response_of(y)
    assert (response.labels, response.values.tolist()) == (tuple(map(str, y[:2])), [0, 1, 1])


def test_groups_have_five_rows_or_more(rng):
    y = rng.standard_normal(1000)
    for n, bins, groups in ((1000, 20, 20), (60, 20, 12), (10, 20, 2), (1000, 7, 7)):
        counts = np.bincount(quantile_groups(y[:n], bins))
        assert (counts.size, counts.min() >= 5) == (groups, True)
    assert response_of(y).levels(20).counts.tolist() == [50] * 20


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([], "y is empty"),
        ([1, 1, 1], "y has one value only, 1; at least two are needed"),
        ([0, 1, None], "y has missing values in 1 of 3 rows, the first is row 2"),
        (["a", np.nan, "b"], "y has missing values in 1 of 3 rows, the first is row 1"),
        (pd.Series([0, pd.NA, 1], dtype="Int64"), "y has missing values"),
        ([0.0, np.nan, 1.0], "y has missing values"),
        ([0.5, np.inf, 1.5], "y has infinite values in 1 of 3 rows, the first is row 1"),
        (np.zeros((3, 2)), r"y must be one-dimensional, got shape \(3, 2\)"),
        (None, "y must be one-dimensional"),
        ("cases", "y must be one-dimensional"),
        (np.array([1j, 2, 3]), "y holds complex numbers"),
        (pd.date_range("2020", periods=3), "y holds dates or durations"),
    ],
)
def test_what_is_wrong_is_one_sentence(y, message):
    with pytest.raises(ValueError, match=message) as error:
        response_of(y)
    assert "\n" not in str(error.value)


def test_numbers_without_enough_rows_for_groups_are_refused():
    with pytest.raises(ValueError, match="y is numeric and has 9 rows; at least 10 are needed"):
        quantile_groups(np.arange(9.0), 20)
