"""Bad input gets one sentence that names what is wrong and how to put it right."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import DBSCAN
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, RepeatedStratifiedKFold

from permconf import audit, audit_predictions, compare_adjustments, plot_adjustments


def with_value(name, value, row=5):
    """A change of the table: one value of a column."""

    def change(data):
        data[name] = data[name].astype(object)
        data.loc[row, name] = value
        if isinstance(value, float):
            data[name] = data[name].astype(float)

    return change


def with_column(name, make):
    """A change of the table: a new column, one value or made from the table."""

    def change(data):
        data[name] = make(data) if callable(make) else make

    return change


def alternating(data):
    return np.where(np.arange(len(data)) % 2, "yes", "no")


class Broken(KFold):
    """A splitter that needs what the data do not have."""

    def split(self, *_):
        raise RuntimeError("no week\nof rows")


BAD = {  # name: (change of the table or None, changed options, what the message has)
    "unknown response": (None, {"response": "il"}, "no column 'il', did you mean 'ill'"),
    "unknown confounder": (None, {"confounders": ["sexx"]}, "no column 'sexx', did you mean 'sex'"),
    "unknown confounder in mapping": (None, {"confounders": {"agee": "smooth"}}, "did you mean 'age'"),
    "unknown feature": (None, {"features": ["a", "bb"]}, "no column 'bb', did you mean 'b'"),
    "unknown group": (None, {"groups": "subjct"}, "did you mean 'subject'"),
    "no features": (None, {"features": []}, "features is an empty list"),
    "empty tuple of features": (None, {"features": ()}, "features is an empty list"),
    "number as a feature": (None, {"features": 3}, "features: the data have no column 3"),
    "no confounders": (None, {"confounders": []}, "confounders are empty"),
    "confounders None": (None, {"confounders": None}, "confounders must be"),
    "response among the features": (None, {"features": ["a", "ill"]}, "response 'ill' is among the features"),
    "response as a vector and a feature": (
        with_column("twin", alternating),
        {"response": alternating(range(120)), "features": ["twin", "a"]},
        "feature 'twin' has the values of the response; leave it out",
    ),
    "response among the confounders": (None, {"confounders": ["sex", "ill"]}, "'ill' is the response"),
    "response of wrong length": (None, {"response": [0, 1, 0]}, "response has 3 rows, the data have 120"),
    "response is a matrix": (None, {"response": np.zeros((120, 2))}, "response must be the name of a column"),
    "one class": (with_column("ill", "yes"), {}, "'ill' has one value only, 'yes'"),
    "class with one row": (with_value("ill", "perhaps"), {}, "class 'perhaps' of response 'ill' has a single row"),
    "numeric response": (None, {"response": "age"}, "'age' is numeric, with .* choose a regression learner"),
    "labels for regression": (None, {"metric": "mse"}, "'ill' holds labels; choose a metric for classes"),
    "classifier for numbers": (None, {"response": "age", "metric": "mse"}, "is for classification"),
    "regressor for classes": (None, {"learner": LinearRegression()}, "LinearRegression is for regression"),
    "classifying estimator for numbers": (
        None,
        {"response": "age", "metric": "mse", "learner": LogisticRegression()},
        "LogisticRegression is for classification",
    ),
    "missing response": (with_value("ill", None), {}, "'ill' has missing values in 1 of 120 rows, the first is row 5"),
    "None in the confounder": (with_value("sex", None), {}, "'sex' has missing .* row 5; drop those rows"),
    "NaN in the confounder": (with_value("age", np.nan), {"confounders": "age"}, "'age' has missing .* row 5"),
    "infinite confounder": (with_value("age", np.inf), {"confounders": "age"}, "'age' has missing or infinite"),
    "constant confounder": (with_column("sex", "f"), {}, "'sex' is constant: every value is f; leave it out"),
    "confounder as identifier": (
        with_column("name", lambda d: [f"n{i}" for i in range(len(d))]),
        {"confounders": "name"},
        "cannot be permuted|different label",
    ),
    "numbers as text": (
        with_column("age", lambda d: d["age"].astype(str)),
        {"confounders": "age"},
        "'age' holds numbers written as text",
    ),
    "bins of labels": (None, {"confounders": {"sex": {"quantiles": 3}}}, "'sex' cannot be binned"),
    "unknown binning": (None, {"confounders": {"age": {"quantile": 3}}}, "did you mean 'quantiles'"),
    "missing feature": (with_value("b", np.nan), {}, "feature 'b' has missing values in 1 of 120 rows"),
    "missing feature of an estimator": (with_value("b", np.nan), {"learner": LogisticRegression()}, "column 'b'"),
    "infinite feature": (with_value("b", np.inf), {}, "feature 'b' has infinite values, the first in row 5"),
    "huge feature": (with_value("b", 1e300), {}, "feature 'b' has values beyond 1e.150, the first in row 5"),
    "constant feature": (with_column("b", 1.0), {}, "feature 'b' is constant: every value is"),
    "collinear feature": (with_column("b", lambda d: 2 * d["a"] - d["c"]), {}, "is collinear with"),
    "more columns than rows": (
        lambda data: data.__setitem__([f"z{k}" for k in range(60)], np.random.default_rng(0).normal(size=(120, 60))),
        {"features": [f"z{k}" for k in range(60)]},
        "needs more training rows",
    ),
    "feature is an identifier": (
        with_column("name", lambda d: [f"n{i}" for i in range(len(d))]),
        {"features": ["a", "name"]},
        "'name' has 120 different labels .* identifier",
    ),
    "feature holds dates": (
        with_column("day", lambda d: pd.date_range("2020-01-01", periods=len(d))),
        {"features": ["a", "day"]},
        "'day' holds dates",
    ),
    "feature holds days": (
        with_column("day", lambda d: pd.date_range("2020-01-01", periods=len(d)).date),
        {"features": ["a", "day"]},
        "'day' holds dates",
    ),
    "feature holds months": (
        with_column("month", lambda d: pd.period_range("2020-01", periods=len(d), freq="M")),
        {"features": ["a", "month"]},
        "'month' holds dates",
    ),
    "unknown learner": (None, {"learner": "logistc"}, "unknown learner 'logistc', did you mean 'logistic'"),
    "unknown option of a learner": (None, {"learner": {"name": "logistic", "c": 1}}, "learner 'logistic'"),
    "unknown metric": (None, {"metric": "aucc"}, "unknown metric 'aucc', did you mean 'auc'"),
    "empty list of metrics": (None, {"metric": []}, "metric is an empty list"),
    "metrics of different kinds": (
        None,
        {"metric": ["auc", "mse"]},
        "'auc' is for classification, 'mse' for regression",
    ),
    "metric twice": (None, {"metric": ["auc", "auc"]}, "same name"),
    "unknown adjustment": (None, {"adjustment": "match"}, "unknown adjustment 'match', did you mean 'matching'"),
    "adjustment without levels": (
        None,
        {"adjustment": "matching", "confounders": "age"},
        "'matching' needs levels of the confounder",
    ),
    "test_size of one": (None, {"test_size": 1.0}, "test_size = 1.0 leaves no training"),
    "test_size as text": (None, {"test_size": "half"}, "test_size must be a share"),
    "one fold": (None, {"cv": 1}, "cv must be a whole number from 2, not 1"),
    "more folds than groups": (None, {"cv": 50, "groups": "subject"}, "cv = 50 folds are more than the 40 groups"),
    "cv as text": (None, {"cv": "five"}, "cv must"),
    "no folds at all": (None, {"cv": []}, "cv must give at least one split"),
    "folds of three parts": (None, {"cv": [([0], [1], [2])]}, "each as a pair of training and test rows"),
    "class in place of a splitter": (None, {"cv": KFold}, r"cv is the class KFold; give a splitter, such as KFold\("),
    "splitter that raises": (None, {"cv": Broken(3)}, "cv could not split the rows: RuntimeError: no week of rows"),
    "no repeats": (None, {"repeats": 0}, "repeats must be a whole number from 1, not 0"),
    "repeats of a splitter": (None, {"cv": KFold(3), "repeats": 2}, "repeats needs cv as a number"),
    "split and folds": (None, {"cv": 5, "split": alternating}, "split gives the training and test set"),
    "unknown split": (None, {"split": "sett"}, "split: the data have no column 'sett', did you mean"),
    "split of wrong shape": (None, {"split": [["train"]] * 120}, r"found an array of shape \(120, 1\)"),
    "split as a number": (None, {"split": 5}, r"found an array of shape \(\)"),
    "split with other labels": (None, {"split": "site"}, "split must have 'train' or 'test'"),
    "split that overlaps": (None, {"split": (np.arange(80), np.arange(60, 120))}, "row 60 is in the training and in"),
    "split without a class": (
        None,
        {"split": lambda data: np.where(data["ill"] == "yes", "test", "train")},
        "training set has no row of class 'yes' of 'ill'",
    ),
    "repeated stratified folds": (
        None,
        {"cv": RepeatedStratifiedKFold(n_splits=3, n_repeats=2)},
        "overlapping test sets",
    ),
    "group on both sides": (
        None,
        {"cv": KFold(4, shuffle=True, random_state=1), "groups": "subject"},
        "has rows in the training and in the test set",
    ),
    "missing group": (with_value("subject", None), {"groups": "subject"}, "'subject' has missing values in 1 of 120"),
    "one group": (
        with_column("subject", "s"),
        {"groups": "subject"},
        "one group only, 's'; leave groups out",
    ),
    "neither within nor between groups": (
        None,
        {"groups": "subject", "confounders": "age"},
        "'age' is not, so the response can be permuted neither within nor between groups",
    ),
    "confounder determines the response": (
        with_column("sex", lambda d: d["ill"]),
        {"confounders": "sex"},
        "response cannot be permuted",
    ),
    "lists in a feature": (
        with_column("b", lambda d: [[1, 2]] * len(d)),
        {},
        "features: column 'b' holds values of type list",
    ),
    "lists as a response": (with_column("ill", lambda d: [[1]] * len(d)), {}, "response: .* holds values of type list"),
    "one number": (with_column("ill", 1), {}, "'ill' has one value only, 1; there is nothing to predict"),
    "huge response": (
        with_value("age", 1e300),
        {"response": "age", "metric": "mse", "learner": "ridge_regression"},
        "'age' has values beyond 1e.*; rescale it",
    ),
    "unknown population": (None, {"population": "adults"}, "population must be 'independent' or a mapping"),
    "shares do not sum to one": (
        None,
        {"population": {("no", "f"): 0.5, ("no", "m"): 0.5, ("yes", "f"): 0.5, ("yes", "m"): 0.5}},
        "sum to 2, not to 1",
    ),
    "infinite metric": (None, {"metric": lambda *_: np.inf}, "<lambda> is not defined for the test rows"),
    "complex metric": (None, {"metric": lambda *_: 1j}, "<lambda> must return a number, not .* type complex"),
    "no predictions": (None, {"learner": DBSCAN()}, "DBSCAN fails: .* no attribute 'predict'"),
    "no permutations": (None, {"permutations": 0}, "permutations must be a whole number from 2, not 0"),
    "permutations as text": (None, {"permutations": "many"}, "permutations must be a whole number"),
    "negative seed": (None, {"seed": -1}, "seed must be a whole number from 0, not -1"),
    "no jobs": (None, {"n_jobs": 0}, "n_jobs must be a whole number from 1, not 0"),
}


@pytest.mark.parametrize("name", BAD)
def test_one_sentence(data, options, name):
    change, changed, message = BAD[name]
    if change is not None:
        change(data)
    changed = {key: value(data) if callable(value) and key == "split" else value for key, value in changed.items()}
    with pytest.raises(ValueError, match=message) as caught:
        audit(data, **options | changed)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert 20 < len(sentence) < 320


def test_there_are_at_least_fifty_kinds():
    assert len(BAD) >= 50


def test_data_of_wrong_shape(data, options):
    with pytest.raises(ValueError, match="DataFrame or a matrix"):
        audit(np.zeros(5), **options)
    with pytest.raises(ValueError, match="no rows"):
        audit(data.iloc[:0], **options)
    with pytest.raises(ValueError, match="several columns named 'a'"):
        audit(data.rename(columns={"b": "a"}), **options)


def test_a_feature_named_twice_is_one_feature(data, options):
    options = options | {"permutations": 9}
    assert audit(data, **options | {"features": ["a", "a"]}).features == ("a",)


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


def test_masked_values_are_missing_and_the_order_of_bytes_does_not_matter(data):
    y, mask = (data["ill"] == data["ill"][0]).to_numpy(int), np.arange(len(data)) == 7
    table = data[["a", "b"]].to_numpy()
    given = {"response": y, "confounders": y[::-1].copy()}
    for changed in ({"response": np.ma.array(y, mask=mask)}, {"data": np.ma.array(table, mask=np.c_[mask, mask])}):
        with pytest.raises(ValueError, match="has missing values in 1 of"):
            audit(**{"data": table} | given | changed, permutations=9)
    with pytest.raises(ValueError, match="scores must be made of finite numbers"):
        audit_predictions(table, scores=np.ma.array(table[:, 0], mask=mask), **given)
    turned = {name: values.astype(values.dtype.newbyteorder(">")) for name, values in given.items()}
    scores = table[:, 0].astype(">f8")
    assert (
        audit_predictions(table, scores=scores, **turned).observed
        == audit_predictions(table, scores=table[:, 0], **given).observed
    )


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"scores": "scor"}, "did you mean 'score'"),
        ({"scores": "site"}, "predicted classes of y, but one is"),
        ({"scores": np.zeros((7, 2))}, "one row for each of 120"),
        ({"response": "age"}, "choose a regression"),
        ({"metric": "log_loss"}, "probabilities"),
        ({"metric": lambda *_: np.inf}, "metric '<lambda>' is not defined"),
        ({"scores": [None, *range(119)]}, "scores must be made of finite numbers"),
        ({"scores": np.zeros((120, 0))}, "scores must have one column"),
    ],
)
def test_predictions(data, changed, message):
    data["score"] = data["a"]
    options = {"scores": "score", "response": "ill", "confounders": "sex"}
    with pytest.raises(ValueError, match=message):
        audit_predictions(data, **options | changed)


@pytest.mark.parametrize("adjustments", ["matching", 5, [], {"name": "matching"}])
def test_adjustments_are_a_list(data, options, adjustments):
    with pytest.raises(ValueError, match="adjustments must be a list"):
        compare_adjustments(data, adjustments=adjustments, **options)


@pytest.mark.parametrize("table", [None, pd.DataFrame({"error": [""]})])
def test_the_chart_is_that_of_a_comparison(table):
    with pytest.raises(ValueError, match="table must be that of compare_adjustments"):
        plot_adjustments(table)


def test_comparisons(data, options):
    with pytest.raises(ValueError, match="instead of adjustment"):
        compare_adjustments(data, adjustment="matching", **options)
    with pytest.raises(ValueError, match="did you mean 'ill'"):
        compare_adjustments(data, adjustments=["none"], **options | {"response": "il"})
