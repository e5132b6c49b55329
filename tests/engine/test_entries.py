"""`assess`, `audit` and a scenario do the same with the same rows: one engine behind three entries."""

import warnings

import numpy as np
import pandas as pd
import pytest

from permconf import assess, audit, registry
from permconf.adjustments import Adjustment, make_adjustment
from permconf.data.response import Response
from permconf.inference.assess import RESULTS
from permconf_study.study.assessments import assess_datasets
from permconf_study.study.datasets import Dataset

ROWS, TRAIN, SEED = 160, 100, 5
ANALYSIS = {"split": {"name": "first", "train_size": TRAIN}, "nulls": ["restricted"], "draws": "none"}


class Resampled(Adjustment):
    """As many rows as there are, drawn with replacement: neither set changes its length."""

    selects = ("train", "test")
    needs_levels = False

    def select(self, part, train, rng):  # noqa: ARG002
        return rng.integers(0, len(part), len(part))


def by_assess(X, y, c, **options):
    halves = (v[rows] for rows in (slice(0, TRAIN), slice(TRAIN, ROWS)) for v in (X, y, c))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of rows that cannot be permuted
        return assess(*halves, confounder="smooth", permutations=19, seed=SEED, **options)


def by_scenario(X, y, c, *, stream, metric="auc", **options):
    """The row of a data set; number 0 of a stream has the random streams of that entry."""
    analysis = ANALYSIS | {"learner": "logistic", "metrics": [metric], "permutations": 19, "confounder": "smooth"}
    tests, _ = assess_datasets([Dataset(0, X, y, c)], analysis | options, stream=stream, seed=SEED)
    row = {name: column[0] for name, column in tests.items()}
    if row["status"] != "ok":
        raise ValueError(row["error"])
    return row


def by_audit(X, y, c, **options):
    split = np.arange(TRAIN), np.arange(TRAIN, ROWS)
    return audit(X, response=y, confounders=c, split=split, permutations=19, seed=SEED, **options)


# ---- adjustments -----------------------------------------------------------------------------------------------------

ADJUSTMENTS = {name: name for name in registry.names("adjustments")} | {"n of n rows": Resampled()}


@pytest.fixture
def data(rng):
    c = rng.integers(0, 2, ROWS)
    y = (rng.random(ROWS) < 0.25 + 0.5 * c).astype(int)
    X = rng.standard_normal((ROWS, 3)) + c[:, None] + 0.7 * y[:, None]
    return X, y, c


@pytest.mark.parametrize("numeric", [False, True], ids=["levels", "numeric"])
@pytest.mark.parametrize("name", ADJUSTMENTS)
def test_an_adjustment_has_one_result(name, numeric, data, rng):
    """The nulls of an audit permute both sets at once, so only what is observed is the same there."""
    X, y, c = data
    c = c + rng.random(ROWS) if numeric else c
    given = {"adjustment": ADJUSTMENTS[name]}
    if numeric and make_adjustment(ADJUSTMENTS[name]).needs_levels:
        for call in (by_assess, by_audit, lambda *d, **o: by_scenario(*d, stream="assess", **o)):
            with pytest.raises(ValueError, match=f"adjustment '{name}' needs levels of the confounder"):
                call(X, y, c, **given)
        return
    assessed, row = by_assess(X, y, c, **given), by_scenario(X, y, c, stream="assess", **given)
    assert {column: row[column] for column in RESULTS} == pytest.approx(
        {column: getattr(assessed, column) for column in RESULTS}, nan_ok=True, rel=0, abs=0
    )
    audited, row = by_audit(X, y, c, **given), by_scenario(X, y, c, stream="audit", **given)
    assert audited.observed == pytest.approx(row["observed"], abs=1e-12)  # rows are in another order
    assert (audited.counts["train"], audited.counts["test"]) == (row["n_train"], row["n_test"])
    assert audited.counts["rows"] == row["n_train"] + row["n_test"]
    if name != "none":  # it is applied
        assert audited.predictions["score"].tolist() != by_audit(X, y, c).predictions["score"].tolist()


# ---- responses -------------------------------------------------------------------------------------------------------

CODES = np.arange(ROWS) % 7 % 2
THREE = np.arange(ROWS) % 7 % 3
RANDOM = np.random.default_rng(2).standard_normal(ROWS)
CLASSES = {
    "two codes": CODES,
    "codes as floats": CODES.astype(float),
    "two other numbers": np.where(CODES, 7.5, -2.0),
    "truth values": CODES.astype(bool),
    "text": np.array(["control", "case"])[CODES],
    "objects of text": np.array(["control", "case"], object)[CODES],
    "codes as objects": CODES.astype(object),
    "bytes": CODES.astype("S1"),
    "digits": np.array(["10", "9"])[CODES],
    "three codes": THREE,
    "three texts": np.array(list("cab"))[THREE],
    "floats with few values": THREE / 4,
    "eleven whole numbers": np.arange(ROWS) * 3 % 11,
    "categories": pd.Categorical.from_codes(CODES, ["lo", "hi"]),
    "categories of numbers": pd.Categorical.from_codes(CODES, [10, 9]),
    "categories that are numbers many times": pd.Categorical(np.arange(ROWS) * 3 % 11),
    "string": pd.array(np.array(["n", "y"])[CODES], dtype="string"),
    "Int64": pd.array(CODES, dtype="Int64"),
    "boolean": pd.array(CODES.astype(bool), dtype="boolean"),
    "a class without rows": pd.Categorical.from_codes(CODES, ["a", "b", "none"]),
    "signs": 2 * CODES - 1,
    "small bytes": CODES.astype(np.int8),
}
NUMBERS = {
    "floats": RANDOM,
    "large numbers": RANDOM * 1e10,
    "whole numbers": np.round(RANDOM * 1000).astype(int),
    "Float64": pd.array(RANDOM, dtype="Float64"),
    "float32": RANDOM.astype(np.float32),
}
REFUSED = {
    "NaN": np.where(np.arange(ROWS) == 3, np.nan, CODES),
    "None": np.array([None, *CODES[1:]], object),
    "NA": pd.array([pd.NA, *CODES[1:]], dtype="Int64"),
    "infinite": np.where(np.arange(ROWS) == 3, np.inf, RANDOM),
    "constant": np.ones(ROWS, int),
    "constant text": np.full(ROWS, "a"),
    "dates": np.arange(ROWS).astype("M8[D]"),
    "durations": np.arange(ROWS).astype("m8[D]"),
    "complex": CODES + 1j,
    "text among numbers": np.array(["x", *CODES[1:]], object),
    "a label for each row": np.array([f"r{k}" for k in range(ROWS)]),
    "two columns": np.c_[CODES, CODES],
    "too large": RANDOM * 1e200,
}


ENGINES = {
    "classification": {"metric": "accuracy", "learner": "logistic"},
    "regression": {"metric": "mse", "learner": "linear_regression"},
}


def outcome(call, *data, **options):
    """What was observed, or None for an error."""
    try:
        found = call(*data, **options)
    except ValueError:
        return None
    return found["observed"] if isinstance(found, dict) else found.observed


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("kind", [*CLASSES, *NUMBERS, *REFUSED])
def test_a_response_is_the_same_everywhere(kind, task):
    """Classes by one rule and in one order, numbers, or refused: in each entry what `Response` says."""
    y = (CLASSES | NUMBERS | REFUSED)[kind]
    codes = np.asarray(pd.factorize(np.asarray(y).ravel())[0][:ROWS], float)
    data = np.c_[codes % 3 + RANDOM, RANDOM[::-1]], y, np.arange(ROWS) // 2 % 2
    options = ENGINES[task]
    assessed, audited = outcome(by_assess, *data, **options), outcome(by_audit, *data, **options)
    assert outcome(by_scenario, *data, stream="assess", **options) == assessed
    assert audited == (None if assessed is None else pytest.approx(assessed, rel=1e-9))
    if kind in REFUSED:
        assert assessed is None
    else:
        assert (assessed is None) == (not suits(y, task))
        assert assessed is not None or kind not in (CLASSES if task == "classification" else NUMBERS)


def suits(y, task):
    try:
        return Response.of(y, task).task == task
    except ValueError:
        return False
