"""Confounders in any form become columns with a name and a kind; what is wrong with them is one sentence."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from permconf.data.confounders import check_row_order, confounder_columns, joined, varying

DATES = pd.date_range("2020-01-01", periods=30)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a", "b", "c", "a"], "categorical"),
        (["f", "m", "f", "f"], "binary"),
        ([True, False, True], "binary"),
        ([1, 2, 3, 1], "categorical"),
        (range(11), "numeric"),
        (range(10), "categorical"),
        ([0, 1, 1], "binary"),
        ([0.5, 1.5, 0.5], "binary"),
        ([0.5, 1.5, 2.5], "numeric"),
        ([7, 1e9, 7], "binary"),
        (np.arange(20.0), "numeric"),
        (np.arange(20, dtype=np.uint8), "numeric"),
        (np.array(["x", "y", "z"]), "categorical"),
        ([str(site) for site in range(20)] * 5, "categorical"),
        (np.array([1, "a", 2.5], object), "categorical"),
        (np.array([1, 2.5, 4], object), "numeric"),
        (np.array([True, False], object), "binary"),
        (pd.Series(["x", "y", "z"], dtype="category"), "categorical"),
        (pd.Series(np.arange(20), dtype="category"), "categorical"),
        (pd.Series(["x", "y", "z"], dtype="string"), "categorical"),
        (pd.Series(np.arange(20), dtype="Int64"), "numeric"),
        (pd.Series([0.5, 1.5, 2.5], dtype="Float64"), "numeric"),
        (pd.Series([True, False], dtype="boolean"), "binary"),
        (pd.Series(DATES), "numeric"),
        (pd.Series(DATES.tz_localize("UTC")), "numeric"),
        (pd.Series(DATES[:5]), "categorical"),
        (pd.Series(DATES - DATES[0]), "numeric"),
        (pd.Series(pd.period_range("2020-01", periods=4, freq="M")), "categorical"),
        (pd.Series(pd.period_range("2020-01", periods=30, freq="M")), "numeric"),
        (pd.Series(DATES.date), "numeric"),
        (pd.Series(DATES.date[:5]), "categorical"),
        ([Decimal("0.1"), Decimal("0.2"), Decimal("0.3")], "numeric"),
        ([Decimal(7), Decimal(20), Decimal(7)], "binary"),
        ([Fraction(1, 3), Fraction(1, 2), Fraction(1)], "numeric"),
        (pd.Series([0, 1, 3], dtype=pd.ArrowDtype(pa.decimal128(5, 2))), "numeric"),
        (pd.Series(DATES.date, dtype=pd.ArrowDtype(pa.date32())), "numeric"),
        (pd.arrays.SparseArray([0.0, 0.0, 0.5, 1.5]), "numeric"),
        (pd.Series(pd.arrays.SparseArray([0, 0, 1])), "binary"),
        (pd.Index([1.5, 2.5, 3.5]), "numeric"),
        (pd.Categorical(["u", "v", "w"]), "categorical"),
        (np.arange(20.0)[:, None], "numeric"),
    ],
)
def test_kinds(values, kind):
    (column,) = confounder_columns(values)
    assert (column.name, column.kind) == ("confounder", kind)
    assert (column.levels is None) == (kind == "numeric")


def test_columns_keep_their_names_values_and_levels():
    table = pd.DataFrame({"sex": list("fmf"), "age": [40.5, 50.5, 60.5], 3: [1, 2, 3]}, index=[9, 8, 7])
    sex, age, site = confounder_columns(table, rows=3)
    assert [sex.name, age.name, site.name] == ["sex", "age", "3"]
    assert (sex.values.tolist(), sex.levels) == ([0, 1, 0], ("f", "m"))
    assert age.values.tolist() == [40.5, 50.5, 60.5]
    assert (site.values.tolist(), site.levels) == ([0, 1, 2], (1, 2, 3))
    (named,) = confounder_columns(table["age"])
    assert named.name == "age"


def test_columns_of_arrays_have_positions_and_their_own_kinds():
    columns = confounder_columns([["f", 1.5], ["m", 2.5], ["f", 3.5]])
    assert [(c.name, c.kind) for c in columns] == [("confounder 1", "binary"), ("confounder 2", "numeric")]


def test_unused_categories_do_not_count():
    (column,) = confounder_columns(pd.Categorical(["a", "b"], categories=["a", "b", "c"]))
    assert (column.kind, column.levels) == ("binary", ("a", "b"))


@pytest.mark.parametrize("dates", [DATES, DATES.date, DATES.to_period("D"), np.array(DATES.date, object)], ids=type)
def test_dates_keep_their_order(dates):
    (column,) = confounder_columns(pd.Series(dates)[::-1])
    assert np.all(np.diff(column.values) < 0)
    (column,) = confounder_columns(pd.Series(dates), "levels")
    assert (column.kind, column.values.tolist()) == ("categorical", list(range(30)))


@pytest.mark.parametrize("kind", [np.int64, np.uint64, "datetime64[ns]"])
@pytest.mark.parametrize("first", [0, 2**60, 2**63 - 200])
def test_large_whole_numbers_are_told_apart(first, kind):
    """As floats, numbers beyond 2**53 were one value."""
    values = (first + np.arange(50, dtype=np.int64)).astype(kind)
    (column,) = confounder_columns(values)
    assert np.all(np.diff(column.values) == 1)


def test_whole_numbers_far_apart_do_not_overflow():
    values = np.r_[-(2**63), -(2**63) + np.arange(1, 20), 2**63 - 1 - np.arange(20)].astype(np.int64)
    (column,) = confounder_columns(values)
    assert (column.values.min(), column.values.max()) == (0, 2.0**64)


class OfAnotherLibrary:
    """A table that can become one of pandas, as those of polars and Arrow."""

    columns = ("site", "age")

    def to_pandas(self):
        return pd.DataFrame({"site": list("abc"), "age": [1.5, 2.5, 3.5]})


@pytest.mark.parametrize("table", [OfAnotherLibrary(), pa.table({"site": list("abc"), "age": [1.5, 2.5, 3.5]})])
def test_tables_of_other_libraries_are_taken(table):
    assert [(c.name, c.kind) for c in confounder_columns(table)] == [("site", "categorical"), ("age", "numeric")]
    assert joined(table, table).shape == (6, 2)


MISSING = [
    [1.0, np.nan, 2.0],
    ["a", None, "b"],
    ["a", np.nan, "b"],
    np.array([1, None, 2], object),
    pd.Series([1, pd.NA, 2], dtype="Int64"),
    pd.Series([True, pd.NA, False], dtype="boolean"),
    pd.Series(["a", pd.NA, "b"], dtype="string"),
    pd.Series(pd.Categorical(["a", None, "b"])),
    pd.Series([DATES[0], pd.NaT, DATES[1]]),
    pd.Series([pd.Timedelta(1), pd.NaT, pd.Timedelta(2)]),
    np.array(["2020-01-01", "NaT", "2020-01-02"], "M8[D]"),
    [1.0, np.inf, 2.0],
    np.array([1, -np.inf, 2], object),
    np.array(["a", np.inf, "b"], object),
    pd.Series([1.0, np.inf, 2.0], dtype="Float64"),
    pd.Categorical([1.0, np.inf, 2.0]),
    pd.arrays.SparseArray([1.0, np.nan, 2.0]),
    np.array([Decimal(1), Decimal("Infinity"), Decimal(2)], object),
    np.array([Decimal(1), Decimal("NaN"), Decimal(2)], object),
]


@pytest.mark.parametrize("binning", ["smooth", "levels", {"quantiles": 2}, {"width": 2}, {"breaks": [2]}], ids=str)
@pytest.mark.parametrize("values", MISSING, ids=lambda v: str(getattr(v, "dtype", "list")))
def test_missing_and_infinite_values_are_named_however_they_are_analysed(values, binning):
    message = "confounder has missing or infinite values in 1 of 3 rows, the first is row 1; drop"
    with pytest.raises(ValueError, match=message):
        confounder_columns(values, binning)
    table = pd.DataFrame({"age": [1.5, 2.5, 3.5], "site": pd.Series(values).reset_index(drop=True)})
    with pytest.raises(ValueError, match="confounder 'site' has missing or infinite values"):
        confounder_columns(table)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, np.inf, 2.0], "confounder has missing or infinite values in 1 of 3 rows, the first is row 1"),
        ([1.0, 2.0, -np.inf], "confounder has missing or infinite values in 1 of 3 rows, the first is row 2"),
        (np.c_[[1, 2, 3.5], [1, np.inf, 2]], "confounder 2 has missing or infinite values"),
        ([5, 5, 5], "confounder is constant: every value is 5; leave it out"),
        (["a", "a"], "confounder is constant: every value is a"),
        (pd.DataFrame({"a": [1, 2], "b": [3, 3]}), "confounder 'b' is constant"),
        ([], "confounders are empty"),
        (pd.DataFrame(), "confounders are empty"),
        (np.empty((5, 0)), "confounders are empty"),
        (None, "confounders must be a vector, an .* not NoneType"),
        ({"age": [1, 2]}, "confounders must be a vector, an .* not dict; put named columns into a DataFrame"),
        ("sex", "confounders must be a vector, an .* not str"),
        (3, r"confounders must be a vector or an \(m, k\) array, not an array of shape \(\)"),
        (np.zeros((2, 2, 2)), "confounders must be a vector or an .* not an array of shape"),
        ([[1, 2], [1]], "confounders must have rows of one length"),
        (
            np.arange(20) * 1e151,
            "confounder has values beyond 1e.150, whose squares are no numbers any more; rescale it",
        ),
        (np.arange(20) * 1e-200, "confounder varies by less than 1e-150, whose square is zero; rescale it"),
        (np.array([1j, 2, 3]), "confounder holds complex numbers"),
        ([f"{i / 7}" for i in range(30)], "confounder holds numbers written as text, such as '0.0'; convert it with"),
        (pd.DataFrame([[1, 2], [2, 3]], columns=["a", "a"]), "confounders have several columns named 'a'"),
    ],
)
def test_what_is_wrong_is_one_sentence(values, message):
    with pytest.raises(ValueError, match=message) as error:
        varying(confounder_columns(values))
    assert "\n" not in str(error.value)


def test_the_number_of_rows_is_checked():
    with pytest.raises(ValueError, match="confounders have 3 rows where 4 are needed"):
        confounder_columns([1, 2, 3], rows=4)


def test_rows_in_another_order_are_refused_and_other_labels_ignored():
    y = pd.Series([0, 1, 0], index=[1, 2, 3])
    c = pd.DataFrame({"c": [0, 1, 0]}, index=[3, 2, 1])
    with pytest.raises(ValueError, match=r"y and confounders have the same row labels in a different order; align"):
        check_row_order(y=y, confounders=c)
    check_row_order(y=y, confounders=c.loc[y.index])
    check_row_order(y=y, confounders=c.reset_index(drop=True))
    check_row_order(y=y, confounders=c.to_numpy(), groups=None)
    check_row_order(y=pd.Series([0, 1], index=["a", 1]), confounders=pd.Series([0, 1], index=["b", 1]))


TABLE = pd.DataFrame({"age": [40.5, 50.5, 60.5, 70.5], "site": list("abca"), "width": [1, 2, 3, 4]})


def test_each_confounder_is_analysed_as_asked():
    asked = {"site": "levels", "width": "smooth", "age": {"quantiles": 2}}
    age, site, width = confounder_columns(TABLE, asked)
    assert (age.kind, age.levels, age.values.tolist(), age.binning) == ("binary", (0, 1), [0, 0, 1, 1], asked["age"])
    assert age.unbinned.tolist() == TABLE["age"].tolist()
    assert [(c.kind, c.unbinned) for c in (site, width)] == [("categorical", None)] * 2
    in_order = confounder_columns(TABLE, [{"quantiles": 2}, "levels", "smooth"])
    assert [c.values.tolist() for c in in_order] == [c.values.tolist() for c in (age, site, width)]
    (levels,) = confounder_columns(TABLE["age"], "levels")
    assert (levels.kind, levels.levels) == ("categorical", tuple(TABLE["age"]))


def test_a_column_may_have_the_name_of_a_binning():
    (width,) = confounder_columns(TABLE[["width"]], {"width": "levels"})
    assert width.binning == "levels"
    (width,) = confounder_columns(TABLE[["width"]], {"width": 2})
    assert (width.binning, width.levels) == ({"width": 2}, (0, 1))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"agee": "smooth"}, "unknown confounder 'agee', did you mean 'age'"),
        ({"age": "smooth"}, "confounder has no entry for 'site'; give 'levels', 'smooth' or a binning"),
        ({"age": {"quantile": 3}, "site": "levels", "width": "levels"}, "unknown binning 'quantile', did you mean"),
        (["levels"], "confounder gives 1 binnings, the data have 3 confounders"),
        ({"age": "levels", "site": {"width": 2}, "width": "levels"}, "confounder 'site' cannot be binned because"),
    ],
)
def test_what_is_asked_must_fit_the_columns(asked, message):
    with pytest.raises(ValueError, match=message):
        confounder_columns(TABLE, asked)
