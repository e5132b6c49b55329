"""Confounders in any form become columns with a name and a kind, decided once and from all rows."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from permconf.data.confounders import Confounders, joined

DATES = pd.date_range("2020-01-01", periods=30)
AGE = np.array([31.5, 40.0, 28.0, 55.5, 61.0, 47.5])
SEX = np.array(["f", "m", "f", "m", "m", "f"])
BOTH = pd.DataFrame({"age": AGE, "sex": SEX})


def column_of(values, treatment="smooth"):
    (column,) = Confounders.of(values, treatment).columns
    return column


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a", "b", "c", "a"], "categorical"),
        (["f", "m", "f", "f"], "binary"),
        ([True, False, True], "binary"),
        (range(11), "numeric"),
        (range(10), "categorical"),
        ([0, 1, 1], "binary"),
        ([0.5, 1.5, 0.5], "binary"),
        ([0.5, 1.5, 2.5], "numeric"),
        (np.arange(20, dtype=np.uint8), "numeric"),
        ([str(site) for site in range(20)] * 5, "categorical"),
        (np.array([1, 2.5, 4], object), "numeric"),
        (np.array([True, False], object), "binary"),
        (pd.Series(np.arange(20), dtype="category"), "categorical"),
        (pd.Categorical(["a", "b"], categories=["a", "b", "c"]), "binary"),
        (pd.Series(["x", "y", "z"], dtype="string"), "categorical"),
        (pd.Series(np.arange(20), dtype="Int64"), "numeric"),
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
        ([Fraction(1, 3), Fraction(1, 2), Fraction(1)], "numeric"),
        (pd.Series([0, 1, 3], dtype=pd.ArrowDtype(pa.decimal128(5, 2))), "numeric"),
        (pd.Series(DATES.date, dtype=pd.ArrowDtype(pa.date32())), "numeric"),
        (pd.arrays.SparseArray([0.0, 0.0, 0.5, 1.5]), "numeric"),
        (pd.Index([1.5, 2.5, 3.5]), "numeric"),
        (np.arange(20.0)[:, None], "numeric"),
        (pd.cut(pd.Series([7, 20, 30]), [5, 10, 25, 100]), "categorical"),
    ],
)
def test_kinds(values, kind):
    column = column_of(values)
    assert (column.name, column.kind) == ("confounder", kind)
    assert (column.levels is None) == (kind == "numeric")


def test_text_among_numbers_is_noted():
    ages = [str(age) for age in range(20, 60)] * 10
    assert column_of(ages).note == column_of([f"s{age}" for age in ages]).note == ""
    assert column_of(["55,5", *ages]).note.endswith(
        "holds text such as '55,5' among numbers, so each of its 41 values is a level of its own."
    )


def test_the_kind_is_that_of_all_rows():
    """Twelve codes are numbers; those of a test set with fewer are not levels all of a sudden, and bins stay."""
    codes = np.arange(60) % 12
    for confounders in (Confounders.of(codes), Confounders.of(np.c_[codes, codes > 5])):
        part = confounders.take(np.flatnonzero(codes < 5))
        assert (part.columns[0].kind, part.has_levels) == ("numeric", False)
        assert part.numeric[:, 0].tolist() == codes[codes < 5].tolist()
    halves = Confounders.of(codes, {"quantiles": 2})
    assert halves.take(np.flatnonzero(codes > 5)).codes.tolist() == [1] * 30


def test_codes_mean_the_same_in_any_rows_and_strata_are_those_of_the_rows():
    confounders = Confounders.of(pd.DataFrame({"site": list("abcabc"), "sex": SEX}), "levels")
    part = confounders.take([1, 5, 2])
    assert part.codes.tolist() == confounders.codes[[1, 5, 2]].tolist()
    assert part.strata.codes.tolist() == [0, 1, 1]
    assert part.stratum_names == [("b", "m"), ("c", "f")]
    assert [column.levels.tolist() for column in part.present().columns] == [["b", "c"], ["f", "m"]]
    assert part.present().columns[0].kind == "binary"
    categories = Confounders.of(pd.Series(["lo", "hi"], dtype=pd.CategoricalDtype(["lo", "hi"])))
    assert categories.stratum_names == ["lo", "hi"]


def test_many_combinations_without_rows_do_not_overflow():
    site = np.arange(3000)
    many = Confounders.of(np.stack([site, site, site, site, site, site], axis=1), "levels")
    assert many.strata.counts.tolist() == [1] * 3000


def test_columns_keep_their_names_values_and_levels():
    table = BOTH.assign(site=[1, 2, 3, 1, 2, 3]).rename(columns={"site": 3}).set_index(np.arange(6)[::-1])
    age, sex, site = Confounders.of(table, rows=6).columns
    assert [age.name, sex.name, site.name] == ["age", "sex", "3"]
    assert (sex.values.tolist(), sex.levels.tolist()) == ([0, 1, 0, 1, 1, 0], ["f", "m"])
    np.testing.assert_array_equal(age.values, AGE)
    assert (site.values.tolist(), site.levels.tolist()) == ([0, 1, 2, 0, 1, 2], [1, 2, 3])
    matrix = Confounders.of(table[["sex", "age"]].to_numpy())
    assert [(c.name, c.kind) for c in matrix.columns] == [("confounder 1", "binary"), ("confounder 2", "numeric")]
    assert (matrix.numeric_names, matrix.categorical[0].levels.tolist()) == (("confounder 2",), ["f", "m"])
    assert Confounders.of(table).chosen(["sex"]).names == ("sex",)


@pytest.mark.parametrize("dates", [DATES, DATES.date, DATES.to_period("D"), np.array(DATES.date, object)], ids=type)
def test_dates_keep_their_order(dates):
    assert np.all(np.diff(column_of(pd.Series(dates)[::-1]).values) < 0)
    column = column_of(pd.Series(dates), "levels")
    assert (column.kind, column.values.tolist()) == ("categorical", list(range(30)))


@pytest.mark.parametrize("kind", [np.int64, np.uint64, "datetime64[ns]"])
@pytest.mark.parametrize("first", [0, 2**60, 2**63 - 200])
def test_large_whole_numbers_are_told_apart(first, kind):
    """As floats, numbers beyond 2**53 were one value."""
    assert np.all(np.diff(column_of((first + np.arange(50, dtype=np.int64)).astype(kind)).values) == 1)


def test_whole_numbers_far_apart_do_not_overflow():
    column = column_of(np.r_[-(2**63), -(2**63) + np.arange(1, 20), 2**63 - 1 - np.arange(20)].astype(np.int64))
    assert (column.values.min(), column.values.max()) == (0, 2.0**64)


class OfAnotherLibrary:
    """A table that can become one of pandas, as those of polars and Arrow."""

    def to_pandas(self):
        return BOTH


@pytest.mark.parametrize("table", [OfAnotherLibrary(), pa.table({"age": AGE, "sex": SEX})])
def test_tables_of_other_libraries_are_taken(table):
    assert [(c.name, c.kind) for c in Confounders.of(table).columns] == [("age", "numeric"), ("sex", "binary")]
    assert joined(table, table).shape == (12, 2)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.c_[[1, 2, 3.5], [1, np.inf, 2]], "confounder 2 has missing or infinite values in 1 of 3 rows, the first"),
        (BOTH.assign(sex=["f", None, *SEX[2:]]), "confounder 'sex' has missing or infinite values in 1 of 6 rows"),
        ([5, 5, 5], "confounder is constant: every value is 5; leave it out"),
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
        ([f"{i / 7}" for i in range(30)], "confounder holds numbers written as text, such as '0.0'; convert it with"),
        (["55,5", *map(str, range(30))], "confounder holds text such as '55,5' among numbers; convert it with"),
        (pd.DataFrame([[1, 2], [2, 3]], columns=["a", "a"]), "confounders have several columns named 'a'"),
    ],
)
def test_what_is_wrong_is_one_sentence(values, message):
    with pytest.raises(ValueError, match=message) as error:
        Confounders.of(values).varying()
    assert "\n" not in str(error.value)


def test_the_number_of_rows_is_checked():
    with pytest.raises(ValueError, match="confounders have 6 rows where 4 are needed"):
        Confounders.of(AGE, rows=4)


# ---- how they are analysed -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bins", [1, 2, 3, 10])
def test_quantiles_give_groups_of_equal_size(bins, rng):
    counts = Confounders.of(rng.standard_normal(600), {"quantiles": bins}).strata.counts
    assert (counts.size, np.ptp(counts) <= 1) == (bins, True)


def test_bins_of_equal_width_and_between_breaks():
    assert Confounders.of([0.0, 0.9, 1.0, 1.9, 2.0, 4.0], {"width": 4}).codes.tolist() == [0, 0, 1, 1, 2, 3]
    at_a_break = Confounders.of([-5, 18, 17.9, 65, 99], {"breaks": [18, 65]})
    assert at_a_break.codes.tolist() == [0, 1, 0, 2, 2]


def test_each_confounder_is_analysed_as_asked():
    table = BOTH.assign(width=[1, 2, 3, 4, 1, 2])
    asked = {"sex": "levels", "width": "smooth", "age": {"breaks": [45]}}
    by_name, in_order = Confounders.of(table, asked), Confounders.of(table, [{"breaks": [45]}, "levels", "smooth"])
    age, sex, width = by_name.columns
    assert (age.kind, age.levels.tolist(), age.values.tolist()) == ("binary", [0, 1], [0, 0, 0, 1, 1, 1])
    assert (age.unbinned.tolist(), sex.unbinned, width.unbinned) == (AGE.tolist(), None, None)
    assert in_order.codes.tolist() == by_name.codes.tolist() == Confounders.of(table).treated(asked).codes.tolist()
    assert by_name.treated(asked) is by_name
    smooth = Confounders.of(table, ["smooth", "levels", "levels"])
    assert (smooth.has_levels, smooth.numeric[:, 0].tolist()) == (False, AGE.tolist())
    assert (column_of(AGE, "levels").kind, column_of(AGE, "levels").levels.tolist()) == ("categorical", sorted(AGE))


def test_a_column_may_have_the_name_of_a_binning():
    table = pd.DataFrame({"width": [1, 2, 3, 4]})
    assert column_of(table, {"width": "levels"}).levels.tolist() == [1, 2, 3, 4]
    assert column_of(table, {"width": 2}).levels.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"quantile": 3}, r"unknown binning 'quantile', did you mean 'quantiles'\?"),
        ({"intervals": 3}, "unknown binning 'intervals'"),
        ("level", r"unknown binning 'level', did you mean 'levels'\?"),
        ("quantiles", "a binning by quantiles is a mapping, such as {'quantiles': 5}"),
        (5, "unknown binning 5"),
        ({"quantiles": 3, "width": 2}, "a binning is a mapping with one of quantiles, width, breaks"),
        ({}, "a binning is a mapping with one of quantiles, width, breaks"),
        ({"quantiles": 0}, "quantiles must be a whole number from 1, not 0"),
        ({"width": "4"}, "width must be a whole number from 1, not '4'"),
        ({"breaks": [3, 2]}, "breaks must be increasing numbers"),
        ({"breaks": []}, "breaks must be increasing numbers"),
        ({"breaks": [0, np.nan]}, "breaks must be increasing numbers"),
        ({"breaks": 5}, "breaks must be increasing numbers"),
        ({"agee": "smooth"}, "unknown confounder 'agee', did you mean 'age'"),
        ({"age": "smooth"}, "confounder has no entry for 'sex'; give 'auto', 'levels', 'smooth' or a binning"),
        ({"age": {"quantile": 3}, "sex": "levels"}, "unknown binning 'quantile', did you mean"),
        (["levels"], "confounder gives 1 binnings, the data have 2 confounders"),
        ({"quantiles": 2}, "confounder 'sex' must be made of real numbers here"),
    ],
)
def test_what_is_asked_must_make_sense_and_fit_the_columns(asked, message):
    with pytest.raises(ValueError, match=message) as error:
        Confounders.of(BOTH, asked)
    assert "\n" not in str(error.value)
