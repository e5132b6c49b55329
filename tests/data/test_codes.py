"""Whole numbers that are codes are levels, scales are not, and what was decided is noted."""

import numpy as np
import pandas as pd
import pytest

from permconf.data.codes import says_codes
from permconf.data.confounders import Confounders

RNG = np.random.default_rng(3)


def analysed(name, values, treatment="auto"):
    return Confounders.of(pd.DataFrame({name: values}), treatment).columns[0]


@pytest.mark.parametrize(
    ("name", "values", "kind", "note"),
    [
        ("where", RNG.integers(1, 13, 300), "categorical", "12 whole numbers that look like codes"),
        ("where", RNG.integers(1, 13, 300).astype(float), "categorical", "look like codes"),
        ("where", RNG.integers(1, 6, 300).astype(float), "categorical", "5 whole numbers that look like codes"),
        (
            "where",
            RNG.choice([101, 102, 117, 130, 245, 246, 310, 311, 312, 440, 441, 502], 300),
            "categorical",
            "codes",
        ),
        ("siteID", RNG.integers(101, 131, 200), "categorical", "30 whole numbers that look like codes"),
        ("site", np.arange(200), "numeric", ""),
        ("age", RNG.integers(18, 90, 2000), "numeric", ""),
        ("age", RNG.integers(4, 18, 300), "numeric", "14 whole numbers, taken as a scale"),
        ("pressure", RNG.integers(9, 21, 400) * 10, "numeric", "taken as a scale"),
        ("count", RNG.poisson(6, 300), "numeric", ""),
        ("score", RNG.binomial(30, 0.5, 400), "numeric", ""),
        ("month", RNG.integers(1, 13, 60), "numeric", ""),
        ("grade", RNG.integers(1, 6, 300), "categorical", ""),
    ],
)
def test_the_rule(name, values, kind, note):
    column = analysed(name, values)
    assert (column.kind, bool(column.note)) == (kind, bool(note))
    assert note in column.note
    assert analysed(name, values, "smooth").note == analysed(name, values, "levels").note == ""


def test_names_of_codes():
    assert all(map(says_codes, ("site", "SITE", "site_id", "siteID", "Scanner.Code", "hospitalCode2")))
    assert not any(map(says_codes, ("opposite", "age", "idea", "groups_of_drugs_taken", "codeine")))
