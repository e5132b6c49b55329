"""The stage between folds and learner: which adjustments fit, and learners that weigh their training rows."""

import numpy as np
import pandas as pd
import pytest

from permconf.adjustments import Adjustment
from permconf.data.confounders import Confounders
from permconf.engine.adjustment import (
    WeightedLearner,
    adjustment_name,
    check_adjustment,
    make_adjustment,
    transformed,
)
from permconf.engine.contracts import fitted_scores, make_learner
from permconf.learners.logistic import Logistic

KEYS = np.array([5, 982, 1959], np.uint64)


@pytest.fixture
def data(rng):
    """X, y and a binary confounder associated with both, of 75 training and 75 test rows."""
    c = rng.integers(0, 2, 150)
    y = (rng.random(150) < 0.2 + 0.6 * c).astype(np.uint8)
    return rng.standard_normal((150, 3)) + c[:, None], y, Confounders.of(c, "levels")


class Unweighted:
    """Logistic regression that cannot weigh its rows."""

    def scores(self, *arrays):
        return Logistic().scores(*arrays)


def test_whole_weights_equal_repeated_rows(data):
    X, y, c = data
    Y = np.repeat(y[:75, None], 3, axis=1)
    weighted, repeated = (
        WeightedLearner(learner, make_adjustment("resampling"), c.take(slice(0, 75))).scores(X[:75], Y, X[75:], KEYS)
        for learner in (Logistic(), Unweighted())
    )
    assert np.allclose(weighted.values, repeated.values, atol=1e-6)
    assert not np.allclose(weighted.values[:, 0], weighted.values[:, 1])


@pytest.mark.parametrize("learner", ["logistic", "sklearn.tree.DecisionTreeClassifier", "lda"])
def test_adjusted_scores_do_not_depend_on_the_batch(learner, data):
    X, y, c = data
    adjusted = WeightedLearner(make_learner(learner), make_adjustment("resampling"), c.take(slice(0, 75)))
    Y = np.c_[y[:75], y[74::-1], 1 - y[:75]]
    together = fitted_scores(adjusted, X[:75], Y, X[75:], KEYS).values
    for k in range(3):
        alone = fitted_scores(adjusted, X[:75], Y[:, [k]], X[75:], KEYS[[k]]).values
        assert np.allclose(alone[:, 0], together[:, k], atol=1e-9)


@pytest.mark.parametrize(
    ("name", "learner", "task", "levels", "message"),
    [
        ("weighting", "lda", "classification", True, "'weighting' gives weights, which the learner does not take; try"),
        (
            "weighting",
            "sklearn.neighbors.KNeighborsClassifier",
            "classification",
            True,
            "which the learner does not take",
        ),
        ("matching", "logistic", "regression", True, "'matching' is for classification, not for regression"),
        ("resampling", "logistic", "classification", False, "'resampling' needs levels of the confounder, which is"),
        ("confounder_penalty", "lda", "classification", True, "'confounder_penalty' needs learner 'logistic' or"),
        ("resampling", "lda", "classification", True, None),
        ("propensity_matching", "lda", "classification", False, None),
        ("spline_residuals", "linear_regression", "regression", False, None),
    ],
)
def test_adjustments_must_fit_learner_task_and_confounder(name, learner, task, levels, message):
    given = make_adjustment(name), make_learner(learner), task
    if message is None:
        check_adjustment(*given, levels=levels)
    else:
        with pytest.raises(ValueError, match=f"adjustment .*{message}"):
            check_adjustment(*given, levels=levels)


def test_unknown_adjustments_and_options_are_named():
    with pytest.raises(ValueError, match="unknown adjustment 'residual', did you mean 'residuals'"):
        make_adjustment("residual")
    with pytest.raises(ValueError, match="adjustment 'matching'"):
        make_adjustment({"name": "matching", "ratio": 2})
    with pytest.raises(ValueError, match="unknown sets of matching"):
        make_adjustment({"name": "matching", "sets": "test"})
    assert adjustment_name(make_adjustment("propensity_matching")) == "propensity_matching"


class Doubled(Adjustment):
    """Twice the features."""

    def transform(self, X_train, c_train, X_test, c_test):  # noqa: ARG002
        return 2 * X_train, 2 * X_test


def test_features_of_a_frame_are_changed_as_numbers_and_keep_their_names(data):
    X, _, c = data
    sets = tuple(pd.DataFrame(part, columns=list("abc")) for part in (X[:75], X[75:]))
    made = transformed(Doubled(), sets, c, c)
    assert list(made[1].columns) == list("abc")
    np.testing.assert_array_equal(made[1], transformed(Doubled(), (X[:75], X[75:]), c, c)[1])
    assert transformed(Adjustment(), sets, c, c) is sets
    labelled = tuple(part.assign(b="u") for part in sets)
    with pytest.raises(
        ValueError, match="adjustment 'doubled' changes features and needs numbers, but 'b' holds labels"
    ):
        transformed(Doubled(), labelled, c, c)
