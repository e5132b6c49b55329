"""What is wrong with the roles of columns, or cannot be audited, gets one sentence that says how to put it right."""

import numpy as np
import pandas as pd
import pytest

from permconf import audit, audit_predictions, compare_adjustments, plot_adjustments


def alternating(data):
    return np.where(np.arange(len(data)) % 2, "yes", "no")


BAD = [  # columns of the table, options, what the message has
    ({}, {"response": "il"}, "no column 'il', did you mean 'ill'"),
    ({}, {"confounders": ["sexx"]}, "no column 'sexx', did you mean 'sex'"),
    ({}, {"features": ["a", "bb"]}, "no column 'bb', did you mean 'b'"),
    ({}, {"groups": "subjct"}, "did you mean 'subject'"),
    ({}, {"split": "sett"}, "split: the data have no column 'sett', did you mean"),
    ({}, {"features": []}, "features is an empty list"),
    ({}, {"features": 3}, "features: the data have no column 3"),
    ({}, {"confounders": []}, "confounders are empty"),
    ({}, {"features": ["a", "ill"]}, "response 'ill' is among the features"),
    ({}, {"confounders": ["sex", "ill"]}, "'ill' is the response"),
    ({}, {"response": [0, 1, 0]}, "response has 3 rows, the data have 120"),
    ({}, {"response": np.zeros((120, 2))}, "response must be the name of a column"),
    (
        {"twin": alternating},
        {"response": alternating(range(120)), "features": ["twin", "a"]},
        "feature 'twin' has the values of the response; leave it out",
    ),
    ({"ill": lambda d: d["ill"].where(d.index != 5, "perhaps")}, {}, "perhaps.* of response 'ill' has a single row"),
    ({"b": lambda d: [[1, 2]] * len(d)}, {}, "features: column 'b' holds values of type list"),
    ({}, {"metric": []}, "metric is an empty list"),
    ({}, {"metric": ["auc", "mse"]}, "'auc' is for classification, 'mse' for regression"),
    ({}, {"metric": ["auc", "auc"]}, "same name"),
    ({}, {"metric": lambda *_: np.inf}, "<lambda> is not defined for the test rows"),
    ({}, {"groups": "subject", "confounders": "age"}, "can be permuted neither within nor between groups"),
    ({"sex": lambda d: d["ill"]}, {}, "response cannot be permuted"),
    ({"sex": [f"n{i}" for i in range(120)]}, {}, "response cannot be permuted"),
    ({}, {"n_jobs": 0}, "n_jobs must be a whole number from 1, not 0"),
]


@pytest.mark.parametrize(("columns", "changed", "message"), BAD, ids=[message for *_, message in BAD])
def test_one_sentence(data, options, columns, changed, message):
    with pytest.raises(ValueError, match=message) as caught:
        audit(data.assign(**columns), **options | changed)
    assert "\n" not in str(caught.value)
    assert 20 < len(str(caught.value)) < 320


def test_data_of_wrong_shape(data, options):
    with pytest.raises(ValueError, match="DataFrame or a matrix"):
        audit(np.zeros(5), **options)
    with pytest.raises(ValueError, match="no rows"):
        audit(data.iloc[:0], **options)
    with pytest.raises(ValueError, match="several columns named 'a'"):
        audit(data.rename(columns={"b": "a"}), **options)


def test_misaligned_rows(data, options):
    X, y, c = data[["a", "b", "c"]], data["ill"], data["sex"]
    arrays = options | {"features": None, "confounders": c}
    with pytest.raises(ValueError, match=r"response has the row labels of the data in a different order.*loc"):
        audit(X, **arrays | {"response": y[::-1]})
    with pytest.raises(ValueError, match="different row labels, such as 1000 and 0"):
        audit(X, **arrays | {"response": y.set_axis(y.index + 1000)})
    with pytest.raises(ValueError, match="confounders has the row labels of the data in a different order"):
        audit(X, **arrays | {"response": y, "confounders": c[::-1]})
    split = pd.Series(["train", "test"] * 60)
    with pytest.raises(ValueError, match="split has the row labels of the data in a different order"):
        audit(data, **options, split=split[::-1])
    scores = pd.DataFrame({"no": data["a"] < 0, "yes": data["a"] > 0}).astype(float)
    with pytest.raises(ValueError, match="scores has the row labels of the data in a different order"):
        audit_predictions(data, scores=scores[::-1], response="ill", confounders="sex")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"scores": "scor"}, "did you mean 'score'"),
        ({"scores": "site"}, r"'.' in row 0; give numbers .*, or predicted classes of y \('no', 'yes'\)"),
        ({"scores": [None, *["95.4%"] * 119]}, "scores have missing values in 1 of 120 rows, the first is row 0; drop"),
        ({"scores": [np.inf, *range(119)]}, "scores have infinite values in 1 of 120 rows"),
        ({"scores": np.zeros((7, 2))}, "one row for each of 120"),
        ({"metric": "log_loss"}, "probabilities"),
        ({"metric": lambda *_: np.inf}, "<lambda> is not defined for the test rows"),
    ],
)
def test_predictions(data, changed, message):
    data["score"] = data["a"]
    options = {"scores": "score", "response": "ill", "confounders": "sex"}
    with pytest.raises(ValueError, match=message):
        audit_predictions(data, **options | changed)


def test_comparisons(data, options):
    for adjustments in ("matching", 5, [], {"name": "matching"}):
        with pytest.raises(ValueError, match="adjustments must be a list"):
            compare_adjustments(data, adjustments=adjustments, **options)
    with pytest.raises(ValueError, match="instead of adjustment"):
        compare_adjustments(data, adjustment="matching", **options)
    with pytest.raises(ValueError, match="did you mean 'ill'"):
        compare_adjustments(data, adjustments=["none"], **options | {"response": "il"})
    for table in (None, pd.DataFrame({"error": [""]})):
        with pytest.raises(ValueError, match="table must be that of compare_adjustments"):
            plot_adjustments(table)
