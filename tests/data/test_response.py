"""Classes or numbers: one rule, and the order of classes."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from permconf.data.response import Response, quantile_groups, response_matrices


@pytest.mark.parametrize(
    ("y", "labels"),
    [
        ([0, 1, 1], [0, 1]),
        ([0.0, 1.0, 1.0], [0, 1]),
        ([1.5, 2.5, 3.5, 1.5], [1.5, 2.5, 3.5]),
        ([0, 1], [0, 1]),
        ([True, False], [False, True]),
        (["control", "case", "case"], ["control", "case"]),
        (np.array(["a", "b", "c"], object), ["a", "b", "c"]),
        (pd.Series(["lo", "hi"], dtype=pd.CategoricalDtype(["lo", "hi"], ordered=True)), ["lo", "hi"]),
        (pd.Series(pd.Categorical([10, 2, 2], categories=[10, 2])), [2, 10]),
        (pd.Series(np.arange(20), dtype="category"), list(range(20))),
        (pd.Series([0, 1, 2, 2], dtype="Int64"), [0, 1, 2]),
        (np.repeat(np.arange(20), 10), list(range(20))),
        (pd.DataFrame({"y": [0, 1]}), [0, 1]),
    ],
)
def test_classes_are_sorted_by_their_labels(y, labels):
    response = Response.of(y)
    assert response.labels.tolist() == labels
    assert response.values.dtype == np.uint8
    assert (response.task, response.classes) == ("classification", len(labels))
    assert response.is_ordered == (len(labels) == 2)
    np.testing.assert_array_equal(response.given, np.asarray(y).ravel())


@pytest.mark.parametrize(
    "y", [np.arange(11.0), np.arange(50), np.arange(7.0), np.arange(80) // 2, pd.Series(range(30)) / 7]
)
def test_numbers(y):
    response = Response.of(y)
    assert (response.labels, response.task, response.classes, response.is_ordered) == (None, "regression", 0, True)
    np.testing.assert_array_equal(response.values, np.asarray(y, float))


OBJECTS = {
    "intervals": pd.Series(pd.IntervalIndex.from_tuples([(5, 10), (10, 100)])),
    "categories": pd.cut(pd.Series([7, 20]), [5, 10, 100]),
    "decimals": [Decimal(7), Decimal(20)],
    "fractions": [Fraction(7), Fraction(20)],
    "large numbers": [7 * 10**20, 20 * 10**20],
    "tuples": [(7,), (20,)],
    "periods": pd.Series([pd.Period("0999", "Y"), pd.Period("2000", "Y")]),
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_objects_are_sorted_as_what_they_are(kind):
    """As text, 20 comes before 7: the direction of a metric would be turned round."""
    labels = pd.Series(OBJECTS[kind])
    response = Response.of(labels.take([1, 0, 0, 1]))
    assert (response.labels.tolist(), response.values.tolist()) == (labels.tolist(), [1, 0, 0, 1])


def test_objects_without_an_order_are_sorted_as_text():
    one, other = frozenset("a"), frozenset("b")
    assert Response.of([other, one, one]).labels.tolist() == [str(one), str(other)]


@pytest.mark.parametrize(
    ("y", "task", "message"),
    [
        ([0, 1, None], None, "y has missing or infinite values in 1 of 3 rows, the first is row 2"),
        (pd.date_range("2020", periods=3), None, "y holds dates or durations; give classes or numbers"),
        (["a", "b"], "regression", "y holds labels; choose a metric for classes, such as 'auc'"),
        (np.arange(50.0), "classification", "y is numeric, with 50 distinct values; choose a learner and a metric for"),
        ([f"r{k}" for k in range(256)], None, "y has 256 classes; at most 255 are possible"),
        (np.arange(20) * 1e151, "regression", "y has values beyond"),
    ],
)
def test_what_is_wrong_is_one_sentence(y, task, message):
    with pytest.raises(ValueError, match=message) as error:
        Response.of(y, task)
    assert "\n" not in str(error.value)


def test_a_response_must_vary_where_it_is_asked_to():
    assert Response.of([1, 1, 1]).given.tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match="y has one value only, 1; there is nothing to predict"):
        Response.of([1, 1, 1]).varying()


def test_rows_keep_their_codes_until_classes_without_rows_are_left_out():
    part = Response.of(list("abcab")).take([2, 0])
    assert (part.values.tolist(), part.classes) == ([2, 0], 3)
    assert (part.present().values.tolist(), part.present().labels.tolist()) == ([1, 0], ["a", "c"])


def test_groups_of_numbers_have_five_rows_or_more(rng):
    """One rule for all tests within levels of y; classes are left alone, and what has no rows has no groups."""
    y = rng.standard_normal(1000)
    for n, bins, groups in ((1000, 20, 20), (60, 20, 12), (10, 20, 2), (1000, 7, 7), (10, 1, 1)):
        counts = np.bincount(quantile_groups(y[:n], bins))
        assert (counts.size, counts.min() >= 5) == (groups, True)
    levels = Response.of(y).levels(20)
    assert levels.counts.tolist() == [50] * 20
    assert all(y[levels.codes == k].max() < y[levels.codes == k + 1].min() for k in range(19))
    assert Response.of(np.repeat([1.0, 2.0], 50), "regression").levels(5).counts.tolist() == [50, 50]
    assert Response.of(["a", "c", "b", "c"]).levels(5).codes.tolist() == [0, 2, 1, 2]
    assert Response.of(y).take([]).levels(5).counts.size == 0
    with pytest.raises(ValueError, match="y is numeric and has 9 rows; at least 10 are needed"):
        quantile_groups(y[:9], 20)
    with pytest.raises(ValueError, match="y is numeric and has 80 rows in 80 parts; at least 800 are needed"):
        quantile_groups(y[:80], 20, parts=80)


# ---- many responses at once ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, float, str, object])
@pytest.mark.parametrize("order", ["C", "F"])
def test_matrices_of_labels_are_coded_as_by_sorting(dtype, order):
    """Also labels that are not in the first column."""
    for train, test in (
        ([[0, 1], [1, 0], [1, 1]], [[1, 0], [1, 1]]),
        ([[1, 1], [1, 1]], [[1, 0], [1, 1]]),
        ([[1], [1]], [[1], [1]]),
        ([[0, 2], [1, 1], [2, 0]], [[1, 2], [0, 0]]),
        ([[0, 2], [1, 1], [0, 0]], [[1, 2], [0, 0]]),
    ):
        given = [np.array(part, dtype, order=order) for part in (train, test)]
        labels, *found = response_matrices(*given, "classification")
        np.testing.assert_array_equal(labels, np.unique(np.concatenate([part.ravel() for part in given])))
        for codes, part in zip(found, given, strict=True):
            np.testing.assert_array_equal(labels[codes], part)
            assert (codes.dtype, codes.flags["C_CONTIGUOUS"]) == (np.uint8, True)


@pytest.mark.parametrize("labels", [["case", "remission"], ["ab", "ba", "aa"], ["xa", "xb"], ["", "z"]])
@pytest.mark.parametrize("dtype", [str, object])
def test_texts_are_coded_as_by_sorting(rng, labels, dtype):
    """Permuted ones, one that differs from a label in one character, and equal texts that are different objects."""
    Y = np.array(labels, dtype)[rng.integers(0, len(labels), (30, 20))]
    other, copied = Y.copy(), np.array(["".join([*y]) for y in Y.ravel()], Y.dtype)
    other[3, 7] = other[3, 7][:-1] + "!"
    for given in (Y, other, copied.reshape(Y.shape)):
        found, train, test = response_matrices(given, given[:, ::-1], "classification")
        np.testing.assert_array_equal(found[train], given)
        np.testing.assert_array_equal(test, train[:, ::-1])
        np.testing.assert_array_equal(found, np.unique(given.astype(str)))


@pytest.mark.parametrize(
    ("Y_test", "task", "message"),
    [
        (np.zeros((4, 1, 1)), "classification", "Y_test must be a matrix with a column for each response"),
        (np.ones((4, 3)), "classification", "Y_train has 1 columns, Y_test has 3"),
        (np.full((4, 1), np.nan), "classification", "the response has missing or infinite values"),
        (np.array([None, 1, 0, 1], object), "classification", "the response has missing or infinite values in 1 of"),
        (np.full((4, 1), np.nan), "regression", "Y_test has missing or infinite values"),
        (np.array(list("abab")), "regression", "Y_test must be made of real numbers for this metric"),
        (np.ones(4) * 1j, "regression", "Y_test must be made of real numbers for this metric"),
        (np.ones(4) * 1e200, "regression", "Y_test has values beyond"),
    ],
)
def test_matrices_are_checked(Y_test, task, message):
    with pytest.raises(ValueError, match=message):
        response_matrices(np.array([0, 1, 0, 1]), Y_test, task)
