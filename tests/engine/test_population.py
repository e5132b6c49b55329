"""The population of interest: population sets of the right composition, and errors that name the cell."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permconf.engine.population import (
    apportioned,
    cell_counts,
    check_levels,
    population_counts,
    population_split,
    share_table,
)

SECTION4 = {(0, 0): 4082, (0, 1): 986, (1, 0): 978, (1, 1): 3954}
SHARES = {(0, 0): "1/3", (0, 1): "1/3", (1, 0): "1/9", (1, 1): "2/9"}
BASELINE = {(0, 0): 489, (0, 1): 489, (1, 0): 163, (1, 1): 326}


def data(counts, seed=0):
    """Response and confounder with these cell counts, in random order."""
    rows = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), list(counts.values())))
    y, c = zip(*counts, strict=True)
    return np.array(y)[rows], np.array(c)[rows]


def split(counts=SECTION4, shares=SHARES, seed=1, **options):
    y, c = data(counts)
    train, test = population_split(y, c, rng=np.random.default_rng(seed), shares=shares, **options)
    return train, test, cell_counts(y[train], c[train]), cell_counts(y[test], c[test])


# ---- the split -------------------------------------------------------------------------------------------------------


def test_section_4_gives_the_sizes_of_the_caption():
    train, test, in_train, in_test = split()
    assert in_train == in_test == BASELINE
    assert train.size == test.size == 1467


def test_sets_are_disjoint_in_order_random_and_repeatable():
    train, test, *_ = split(seed=1)
    assert not np.intersect1d(train, test).size
    assert (np.diff(train) > 0).all()
    assert (np.diff(test) > 0).all()
    assert np.array_equal(train, split(seed=1)[0])
    assert not np.array_equal(train, split(seed=2)[0])


def test_every_row_of_a_cell_is_as_likely_as_any_other():
    y, c = data({(0, 0): 6, (0, 1): 6, (1, 0): 6, (1, 1): 6})
    rng = np.random.default_rng(5)
    shares = dict.fromkeys(SHARES, 0.25)
    drawn = [population_split(y, c, rng=rng, shares=shares, size=8) for _ in range(2000)]
    for part in (0, 1):
        frequency = np.bincount(np.concatenate([rows[part] for rows in drawn]), minlength=24) / 2000
        assert np.abs(frequency - 1 / 3).max() < 4.5 * np.sqrt(2 / 9 / 2000)


def test_records_of_a_scenario_file_say_the_same_as_a_mapping():
    records = [{"y": y, "c": c, "share": share} for (y, c), share in SHARES.items()]
    assert np.array_equal(split(shares=records)[0], split()[0])


def test_a_cell_of_share_zero_is_left_out_and_does_not_limit_the_size():
    *_, in_train, _ = split(SECTION4 | {(1, 0): 1}, {(0, 0): 0.5, (0, 1): 0.25, (1, 0): 0, (1, 1): 0.25})
    assert in_train == {(0, 0): 493, (0, 1): 247, (1, 0): 0, (1, 1): 246}


# ---- the table -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({(0, 0): 0.5}, "sum to 1.16667, not to 1"),
        ({(0, 0): -0.1}, r"cell \(y = 0, c = 0\) is negative: -0.1"),
        ({(0, 0): float("nan")}, r"cell \(y = 0, c = 0\) must be a number or fraction, not nan"),
        ({(0, 0): "one third"}, "must be a number or fraction, not 'one third'"),
        ({(2, 0): 0}, r"no share for cell \(y = 2, c = 1\)"),
    ],
)
def test_a_table_that_makes_no_sense_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        share_table(SHARES | change)


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ({}, "no cells"),
        ([{"y": 0, "c": 1, "share": 0.5}, {"y": 0, "c": 1, "share": 0.5}], r"cell \(y = 0, c = 1\) twice"),
        (pd.Series(SHARES), r"must be .*a mapping of cells \(y, c\) to shares"),
        ([{"y": 0, "c": 0}], "must be a mapping of cells .* or a list with entries {'y': ..., 'c': ..., 'share': ...}"),
        (["y", "c"], "must be a mapping of cells"),
        ({0: 0.5, 1: 0.5}, r"the keys of the population table must be cells \(y, c\), not 0"),
        ({"00": 0.5, "11": 0.5}, "must be cells .* not '00'"),
        ({(0, 0, 0): 1}, r"must be cells .* not \(0, 0, 0\)"),
    ],
)
def test_a_table_in_another_form_is_refused_in_one_sentence(shares, message):
    with pytest.raises(ValueError, match=message) as error:
        share_table(shares)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("table", "available", "message"),
    [
        ({(0, "mael"): 1}, {(0, "male"): 5}, "unknown level of c in .*: the text 'mael', did you mean"),
        ({(0, 1): 1}, {(0, 1): 5, (0, 2): 5}, "no cell with c = 2, which is a level in the data"),
        ({("0", 1): 1}, {(0, 1): 5}, "unknown level of y .*: the text '0'; in the data it is the int 0"),
        ({(0, 1): 1}, {("0", 1): 5}, "unknown level of y .*: the int 0; in the data it is the text '0'"),
    ],
)
def test_levels_of_table_and_data_must_agree(table, available, message):
    with pytest.raises(ValueError, match=message):
        check_levels(table, available)


# ---- sizes -----------------------------------------------------------------------------------------------------------


def test_a_cell_that_runs_out_is_named_with_what_is_needed_and_there():
    message = r"cell \(y = 0, c = 1\) is too small: training and test sets of 1500 rows need 1000 rows, .* have 986"
    with pytest.raises(ValueError, match=message):
        population_counts(share_table(SHARES), SECTION4, 1500)
    with pytest.raises(ValueError, match=r"cell \(y = 1, c = 0\) is too small: .* at least 2 rows, .* have 1"):
        population_counts(share_table(SHARES), SECTION4 | {(1, 0): 1})


@given(
    st.lists(st.integers(0, 20), min_size=4, max_size=4).filter(any),
    st.lists(st.integers(2, 400), min_size=4, max_size=4),
)
def test_the_default_size_always_fits(weights, available):
    table = {cell: weight / sum(weights) for cell, weight in zip(SECTION4, weights, strict=True)}
    counts = population_counts(table, dict(zip(SECTION4, available, strict=True)))
    for (cell, count), rows in zip(counts.items(), available, strict=True):
        assert 2 * count <= rows
        assert abs(count - table[cell] * sum(counts.values())) < 1


@given(st.lists(st.integers(0, 50), min_size=1, max_size=9).filter(any), st.integers(0, 1000))
def test_apportioned_numbers_have_the_right_sum_and_are_never_off_by_one(weights, total):
    counts = apportioned(weights, total)
    assert counts.sum() == total
    assert np.all(np.abs(counts - np.array(weights) * total / sum(weights)) < 1)
