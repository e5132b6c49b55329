"""What plug-ins return is checked at run time: a wrong result is an error that names the plug-in, never a p-value."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from permconf import algorithm2, assess, combined_test, conditional_test, metric_values, reweighted_metric
from permconf.adjustments import Adjustment
from permconf.generators import checked_sample
from permconf.learners import Scores, make_learner
from permconf.metrics import make_metric

RNG = np.random.default_rng(3)
Y = RNG.permutation(np.arange(60) % 2)
X = RNG.standard_normal((60, 2)) + Y[:, None]
C = np.where(RNG.random(60) < 0.3, 1 - Y, Y)
DATA = X[:30], Y[:30], C[:30], X[30:], Y[30:], C[30:]


@dataclass(frozen=True)
class Wrong:
    """A learner whose scores are spoilt."""

    spoilt: Any

    def scores(self, X_train, Y_train, X_test, keys):
        return self.spoilt(make_learner("logistic").scores(X_train, Y_train, X_test, keys).values)


def with_one(value):
    def spoilt(scores):
        scores[3, -1] = value
        return scores

    return spoilt


LEARNERS = {
    "a row too few": (lambda s: s[1:], r"learner Wrong gave scores of shape \(29, .* where \(30, .* is needed"),
    "a vector": (lambda s: s[:, 0], r"learner Wrong gave scores of shape \(30,\)"),
    "NaN": (with_one(np.nan), "learner Wrong gave scores of which 1 of .* are missing or infinite"),
    "text": (lambda s: s.astype(str), "learner Wrong gave scores of type <U.* where real numbers are needed"),
    "ragged": (lambda _: [[1.0], [1.0, 2.0]], "learner Wrong gave scores whose rows have different lengths"),
    "nothing": (lambda _: None, r"learner Wrong gave scores of shape \(\)"),
    "flags": (lambda s: Scores(s, np.zeros(2, bool)[:1].repeat(99)), r"learner Wrong gave flags of shape \(99,\)"),
}


def calls(learner, metric):
    """The functions that use a learner and a metric, as functions without arguments."""
    options = {"learner": learner, "metric": metric}
    return {
        "assess": lambda: assess(*DATA, permutations=20, seed=1, **options),
        "algorithm2": lambda: algorithm2(*DATA, shuffles=5, inner=2, seed=1, **options),
        "conditional_test": lambda: conditional_test(*DATA, shuffles=5, inner=2, seed=1, **options),
        "combined_test": lambda: combined_test(*DATA, shuffles=5, inner=2, seed=1, **options),
        "metric_values": lambda: metric_values(X[:30], Y[:30], X[30:], Y[30:], **options),
    }


@pytest.mark.parametrize(
    ("case", "function"), [*((case, "assess") for case in LEARNERS), *(("NaN", name) for name in calls(None, None))]
)
def test_scores_of_a_learner(case, function):
    spoilt, message = LEARNERS[case]
    with pytest.raises(ValueError, match=message) as error:
        calls(Wrong(spoilt), "auc")[function]()
    assert "\n" not in str(error.value)


def test_whole_numbers_and_truth_values_are_scores():
    results = [
        assess(*DATA, learner=Wrong(spoilt), permutations=20, seed=1).restricted
        for spoilt in (np.sign, lambda s: np.sign(s).astype(np.int8))
    ]
    np.testing.assert_array_equal(*results)


def of_auc(change):
    return replace(make_metric("auc"), values=lambda Y, S: change(make_metric("auc").values(Y, S)))


METRICS = {
    "NaN": (of_auc(lambda v: v * np.nan), "metric 'auc' is not defined for .* responses"),
    "one NaN": (of_auc(lambda v: np.where(np.arange(v.size) == v.size - 1, np.nan, v)), "is not defined for [12] of"),
    "one for all": (of_auc(np.mean), r"metric 'auc' gave values of shape \(\)"),
    "a column": (of_auc(lambda v: v[:, None]), "metric 'auc' gave values of shape"),
    "text": (of_auc(lambda v: v.astype(str)), "metric 'auc' gave values of type"),
}


@pytest.mark.parametrize(
    ("case", "function"), [*((case, "assess") for case in METRICS), *(("NaN", name) for name in calls(None, None))]
)
def test_values_of_a_metric(case, function):
    """NaN compared with draws used to count as the smallest p-value."""
    metric, message = METRICS[case]
    with pytest.raises(ValueError, match=message) as error:
        calls("logistic", metric)[function]()
    assert "\n" not in str(error.value)


def test_weighted_values_of_a_metric():
    for change, message in ((lambda v: v * np.nan, "is not defined"), (lambda v: v[:, None], "gave values of shape")):
        metric = replace(
            make_metric("auc"), weighted=lambda y, s, w, change=change: change(make_metric("auc").weighted(y, s, w))
        )
        with pytest.raises(ValueError, match=message):
            reweighted_metric(Y, X[:, 0], C, metric=metric, bootstrap=10)


class Spoilt(Adjustment):
    """Gives what `change` makes of the right result."""

    def __init__(self, change):
        self.change = change


class Weights(Spoilt):
    weighs = "fractions"

    def weights(self, Y, c, keys):  # noqa: ARG002
        return self.change(np.ones(Y.shape))


class Features(Spoilt):
    def transform(self, X_train, c_train, X_test, c_test):  # noqa: ARG002
        return self.change(X_train, X_test)


class Rows(Spoilt):
    selects = ("train",)

    def select(self, part, train, rng):  # noqa: ARG002
        return self.change(np.arange(len(part)))


ADJUSTMENTS = {
    "weights of a row too few": (Weights(lambda w: w[1:]), "adjustment Weights gave weights of shape"),
    "NaN weights": (Weights(lambda w: w * np.nan), "adjustment Weights gave weights of which"),
    "negative weights": (Weights(lambda w: -w), "adjustment Weights gave weights of which some are negative"),
    "weights as text": (Weights(lambda w: w.astype(str)), "adjustment Weights gave weights of type"),
    "X without a row": (Features(lambda X, Z: (X[1:], Z)), r"'features' gave features of shape \(29, 2\) where \(30"),
    "another number of features": (Features(lambda X, Z: (X, Z[:, :1])), r"'features' gave features of shape \(30, 1"),
    "complex features": (Features(lambda X, Z: (X + 1j, Z)), "'features' gave features of type complex128"),
    "NaN features": (Features(lambda X, Z: (X, Z * np.nan)), "'features' gave features of which 60 of 60 are missing"),
    "one matrix": (Features(lambda X, _: X), "'features' gave features that are not a pair of matrices, but ndarray"),
    "no rows": (Rows(lambda rows: rows[:0]), "'rows' must select at least one of the rows 0 to 29, by their numbers"),
    "a mask": (Rows(lambda rows: rows > 3), "'rows' must select at least one of the rows 0 to 29"),
    "a row of another set": (Rows(lambda rows: rows + 1), "'rows' must select at least one of the rows 0 to 29"),
    "no result": (Rows(lambda _: None), "'rows' must select at least one of the rows 0 to 29"),
}


@pytest.mark.parametrize("case", ADJUSTMENTS)
def test_results_of_an_adjustment(case):
    adjustment, message = ADJUSTMENTS[case]
    with pytest.raises(ValueError, match=message) as error:
        assess(*DATA, adjustment=adjustment, permutations=10, seed=1)
    assert "\n" not in str(error.value)


SAMPLES = {
    "X without a row": ((X[1:], Y, C), r"generator 'g' gave X, y and c with 59, 60 and 60 rows where 60 are needed"),
    "X a vector": ((X[:, 0], Y, C), r"generator 'g' gave X, y and c of shapes \(60,\), \(60,\) and \(60,\)"),
    "two results": ((X, Y), r"generator 'g' gave tuple where a tuple \(X, y, c\) is needed"),
    "NaN in X": ((X * np.nan, Y, C), "generator 'g' gave X with numbers of which 120 of 120 are missing or infinite"),
    "NaN in c": ((X, Y, C * np.nan), "generator 'g' gave c with numbers of which 60 of 60 are missing or infinite"),
    "text in X": ((X.astype(str), Y, C), "generator 'g' gave X of type <U.*; give numbers"),
    "objects in y": ((X, Y.astype(object), C), "generator 'g' gave y of type object; give numbers or text"),
}


@pytest.mark.parametrize("case", SAMPLES)
def test_data_sets_of_a_generator(case):
    sample, message = SAMPLES[case]
    with pytest.raises(ValueError, match=message):
        checked_sample(sample, "g", 60)
