"""One column of any origin becomes a clean vector, or an error that names the column and the row."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from permconf.data.values import check_row_order, clean, coded, numbers

DATES = pd.date_range("2020-01-01", periods=30)
MISSING = {
    "floats": [1.0, np.nan, 2.0],
    "text": ["a", None, "b"],
    "text beside NaN": ["a", np.nan, "b"],
    "objects": np.array([1, None, 2], object),
    "Int64": pd.Series([1, pd.NA, 2], dtype="Int64"),
    "boolean": pd.Series([True, pd.NA, False], dtype="boolean"),
    "string": pd.Series(["a", pd.NA, "b"], dtype="string"),
    "categories": pd.Series(pd.Categorical(["a", None, "b"])),
    "dates": pd.Series([DATES[0], pd.NaT, DATES[1]]),
    "NumPy dates": np.array(["2020-01-01", "NaT", "2020-01-02"], "M8[D]"),
    "infinite": [1.0, np.inf, 2.0],
    "infinite object": np.array([1, -np.inf, 2], object),
    "infinite Float64": pd.Series([1.0, np.inf, 2.0], dtype="Float64"),
    "infinite category": pd.Categorical([1.0, np.inf, 2.0]),
    "sparse": pd.arrays.SparseArray([1.0, np.nan, 2.0]),
    "infinite decimal": np.array([Decimal(1), Decimal("Infinity"), Decimal(2)], object),
    "decimal": np.array([Decimal(1), Decimal("NaN"), Decimal(2)], object),
    "masked": np.ma.array([1, 5, 2], mask=[False, True, False]),
    "masked text": np.ma.array(["a", "b", "c"], mask=[False, True, False]),
}


@pytest.mark.parametrize("labels", [True, False])
@pytest.mark.parametrize("kind", MISSING)
def test_missing_and_infinite_values_are_counted_and_the_first_is_named(kind, labels):
    with pytest.raises(ValueError, match="v has missing or infinite values in 1 of 3 rows, the first is row 1; drop"):
        clean(MISSING[kind], "v", labels=labels)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (None, "v must be a vector with a value for each row, not NoneType"),
        ("cases", "v must be a vector with a value for each row, not str"),
        ({"v": [1, 2]}, "v must be a vector with a value for each row, not dict"),
        (3, r"v must be one-dimensional, got shape \(\)"),
        (np.zeros((3, 2)), r"v must be one-dimensional, got shape \(3, 2\)"),
        ([[1, 2], [1]], "v must be one-dimensional, but its rows have different lengths"),
        ([[1], [2]] * 2, "v has 4 rows where 3 are needed"),  # a matrix of one column is that column
        (np.array([1j, 2, 3]), "v holds complex numbers; give real numbers or labels"),
        (np.array([1, "a", 2], object), "the values of v are of different types; give numbers or text"),
        (pd.Series([[1], [2], [3]]), "v holds values of type list; give numbers or labels"),
    ],
)
def test_what_is_wrong_is_one_sentence(values, message):
    with pytest.raises(ValueError, match=message) as error:
        clean(values, "v", rows=3)
    assert "\n" not in str(error.value)
    with pytest.raises(ValueError, match="v is empty; at least one row is needed"):
        clean([], "v")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.array(["a", "1"]), "v must be made of real numbers here, but some of its values are not"),
        (np.array(["nan", "1"]), "v has missing or infinite values, written as text"),
        (np.arange(20) * 1e151, r"v has values beyond 1e\+150: their squares overflow; rescale it"),
        (np.arange(20) * 1e-200, "v varies by less than 1e-150, whose square is zero; rescale it"),
    ],
)
def test_numbers_must_have_squares(values, message):
    with pytest.raises(ValueError, match=message):
        numbers(clean(values, "v"), "v")


def test_the_order_of_bytes_and_a_mask_without_entries_do_not_matter():
    values = np.array([3, 1, 2])
    for given in (
        values.astype(">i8"),
        pd.Series(values.astype(">i8")),
        np.ma.array(values, mask=False),
        [[3], [1], [2]],
    ):
        assert clean(given, "v").tolist() == [3, 1, 2]
        assert clean(given, "v").dtype == np.int64


def test_categories_keep_their_order_and_lose_those_without_rows():
    labels, codes = coded(clean(pd.Categorical(["lo", "hi", "lo"], categories=["lo", "mid", "hi"]), "v"))
    assert (labels.tolist(), codes.tolist()) == (["lo", "hi"], [0, 1, 0])


def test_rows_in_another_order_are_refused_and_other_labels_ignored():
    y = pd.Series([0, 1, 0], index=[1, 2, 3])
    c = pd.DataFrame({"c": [0, 1, 0]}, index=[3, 2, 1])
    with pytest.raises(ValueError, match=r"y and c have the same row labels in a different order; align .* c\.loc\[y"):
        check_row_order(y=y, c=c)
    check_row_order(y=y, c=c.loc[y.index])
    check_row_order(y=y, c=c.reset_index(drop=True))
    check_row_order(y=y, c=c.to_numpy(), groups=None)
    check_row_order(y=pd.Series([0, 1], index=["a", 1]), c=pd.Series([0, 1], index=["b", 1]))
