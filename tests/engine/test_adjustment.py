"""The stage between split and learner: which adjustments fit, and learners that weigh their training rows."""

import numpy as np
import pytest

from permconf.data.split import Split
from permconf.engine.adjustment import WeightedLearner, check_adjustment, make_adjustment
from permconf.engine.contracts import fitted_scores, make_learner
from permconf.learners.logistic import Logistic

KEYS = np.array([5, 982, 1959], np.uint64)


@pytest.fixture
def split(rng):
    """A binary confounder associated with response and features."""
    c = rng.integers(0, 2, 150)
    y = (rng.random(150) < 0.2 + 0.6 * c).astype(np.uint8)
    return Split.of(rng.standard_normal((150, 3)) + c[:, None], y, c, slice(0, 75), slice(75, 150))


class Unweighted:
    """Logistic regression that cannot weigh its rows."""

    def scores(self, *arrays):
        return Logistic().scores(*arrays)


def test_whole_weights_equal_repeated_rows(split):
    Y = np.repeat(split.y_train[:, None], 3, axis=1)
    weighted, repeated = (
        WeightedLearner(learner, make_adjustment("resampling"), split.c_train)
        .scores(split.X_train, Y, split.X_test, KEYS)
        .values
        for learner in (Logistic(), Unweighted())
    )
    assert np.allclose(weighted, repeated, atol=1e-6)
    assert not np.allclose(weighted[:, 0], weighted[:, 1])


@pytest.mark.parametrize("learner", ["lda", "nearest_neighbours", "sklearn.neighbors.KNeighborsClassifier"])
def test_learners_without_weights_can_be_resampled_but_not_weighted(learner):
    learner = make_learner(learner)
    check_adjustment(make_adjustment("resampling"), learner, "classification")
    with pytest.raises(ValueError, match="which the learner does not take"):
        check_adjustment(make_adjustment("weighting"), learner, "classification")


@pytest.mark.parametrize("name", ["matching", "weighting", "resampling"])
def test_adjustments_by_classes_are_not_for_regression(name):
    with pytest.raises(ValueError, match="not for regression"):
        check_adjustment(make_adjustment(name), make_learner("logistic"), "regression")


@pytest.mark.parametrize("learner", ["logistic", "sklearn.tree.DecisionTreeClassifier", "lda"])
def test_adjusted_scores_do_not_depend_on_the_batch(learner, split):
    adjusted = WeightedLearner(make_learner(learner), make_adjustment("resampling"), split.c_train)
    Y = np.c_[split.y_train, split.y_train[::-1], 1 - split.y_train]
    together = fitted_scores(adjusted, split.X_train, Y, split.X_test, KEYS).values
    for k in range(3):
        alone = fitted_scores(adjusted, split.X_train, Y[:, [k]], split.X_test, KEYS[[k]]).values
        assert np.allclose(alone[:, 0], together[:, k], atol=1e-9)


def test_unknown_adjustments_and_options_are_named():
    with pytest.raises(ValueError, match="unknown adjustment 'residual', did you mean 'residuals'"):
        make_adjustment("residual")
    with pytest.raises(ValueError, match="adjustment 'matching'"):
        make_adjustment({"name": "matching", "ratio": 2})
    with pytest.raises(ValueError, match="sets must be both or training"):
        make_adjustment({"name": "matching", "sets": "test"})
