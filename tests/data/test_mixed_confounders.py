import numpy as np
import pandas as pd
import pytest

from permconf.data.confounders import categorical
from permconf.data.mixed_confounders import MixedConfounders, analysed_confounder, analysed_confounders

AGE = np.array([31.5, 40.0, 28.0, 55.5, 61.0, 47.5])
SEX = np.array(["f", "m", "f", "m", "m", "f"])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (SEX, True),
        (np.array([True, False, True]), True),
        (np.arange(10), True),
        (np.arange(11), False),
        (np.array([0.5, 1.5, 0.5]), True),
        (AGE, False),
        (np.ones(4), True),
    ],
    ids=["strings", "truth values", "ten whole numbers", "eleven", "two numbers", "numbers", "one number"],
)
def test_what_is_categorical(values, expected):
    assert categorical(values, np.unique(values).size) is expected


def test_a_table_is_split_into_levels_and_numbers():
    table = pd.DataFrame({"age": AGE, "sex": SEX, "smokes": [0, 1, 1, 0, 1, 0]})
    mixed = MixedConfounders.of(table)
    assert mixed.names == ("age",)
    np.testing.assert_array_equal(mixed.numeric[:, 0], AGE)
    assert [mixed.labels[code] for code in mixed.codes] == list(zip(SEX, table["smokes"], strict=True))
    part = mixed[np.array([1, 3])]
    assert len(part) == 2
    np.testing.assert_array_equal(part.numeric[:, 0], AGE[[1, 3]])
    assert {part.labels[code] for code in part.codes} == {("m", 0), ("m", 1)}


def test_vectors_series_and_matrices_of_objects_are_taken():
    for given in (AGE, AGE.tolist(), pd.Series(AGE, name="age")):
        np.testing.assert_array_equal(MixedConfounders.of(given).numeric[:, 0], AGE)
    assert MixedConfounders.of(pd.Series(AGE, name="age")).names == ("age",)
    mixed = MixedConfounders.of(np.array(list(zip(AGE, SEX, strict=True)), object))
    assert mixed.names == ("confounder 1",)
    assert mixed.labels == ("f", "m")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (pd.DataFrame({"age": [1.0, np.nan, 2.0]}), "confounder 'age' has missing or infinite values in 1 of 3 rows"),
        (np.array([[1.0, 2.0], [3.0, np.inf], [0.0, 1.0]]), "confounder 2 has missing or infinite values"),
    ],
)
def test_bad_confounders_are_named(given, message):
    with pytest.raises(ValueError, match=message):
        MixedConfounders.of(given)


def test_a_smooth_confounder_that_is_categorical_gives_levels():
    np.testing.assert_array_equal(analysed_confounder(SEX, "smooth"), SEX)
    table = np.column_stack([AGE, SEX == "m"])
    assert isinstance(analysed_confounder(table, "smooth"), MixedConfounders)
    binned = analysed_confounder(table, [{"breaks": [45]}, "smooth"])
    np.testing.assert_array_equal(binned, analysed_confounder(table, [{"breaks": [45]}, "levels"]))


def test_binned_confounders_count_as_levels_beside_smooth_ones():
    table = np.column_stack([AGE, AGE[::-1]])
    mixed = analysed_confounder(table, ["smooth", {"breaks": [45]}])
    np.testing.assert_array_equal(mixed.codes, AGE[::-1] >= 45)
    np.testing.assert_array_equal(mixed.numeric[:, 0], AGE)
    with pytest.raises(ValueError, match="confounder gives 1 binnings, the data have 2 confounders"):
        analysed_confounder(table, ["smooth"])


def test_training_and_test_rows_are_binned_together_and_named_in_errors():
    train, test = analysed_confounders(AGE[:3], AGE[3:], {"quantiles": 2})
    np.testing.assert_array_equal(np.r_[train, test], analysed_confounder(AGE, {"quantiles": 2}))
    table = pd.DataFrame({"age": AGE, "sex": SEX})
    train, test = analysed_confounders(table[:4], table[4:], {"sex": "levels", "age": "smooth"})
    assert (len(train), len(test), train.names) == (4, 2, ("age",))
    with pytest.raises(ValueError, match=r"confounder has missing .* in 1 of 6 rows, the first is row 1 of c_test"):
        analysed_confounders(AGE[:3], [1.0, np.nan, 2.0], "levels")
    with pytest.raises(ValueError, match="c_train and c_test have different columns"):
        analysed_confounders(table[:3], table[["sex", "age"]][3:], "levels")
    with pytest.raises(ValueError, match="c_train and c_test have different columns: shapes"):
        analysed_confounders(AGE[:3], np.c_[AGE, AGE][3:], "levels")
