"""Scores of learners, and predictions made elsewhere, in the forms that metrics need."""

import numpy as np
import pytest
from scipy.special import expit

from permconf import reweighted_metric
from permconf.engine.scores import Scores, given_scores
from permconf.learners import fitted_scores
from permconf.metrics import make_metric

TWO, THREE = np.array(["a", "b"]), np.array(["a", "b", "c"])


def scores(values, kind="value", probabilities=None):
    values = np.array(values, float)
    return Scores(values, np.zeros(values.shape[1], bool), kind, probabilities)


@pytest.mark.parametrize(
    ("kind", "values", "probabilities", "centred"),
    [
        ("log_odds", [[0.0], [2.0]], [[0.5], [expit(2.0)]], [[0.0], [2.0]]),
        ("probability", [[0.2], [0.9]], [[0.2], [0.9]], [[-0.3], [0.4]]),
        ("probability_minus_half", [[-0.3], [0.4]], [[0.2], [0.9]], [[-0.3], [0.4]]),
    ],
)
def test_forms_of_two_classes(kind, values, probabilities, centred):
    made = scores(values, kind)
    np.testing.assert_allclose(made.needed("probabilities"), probabilities)
    np.testing.assert_allclose(made.needed("scores"), centred)
    np.testing.assert_array_equal(made.needed("order"), values)


def test_values_have_no_probabilities_unless_given():
    with pytest.raises(ValueError, match="it needs probabilities, but there are scores only"):
        scores([[3.0]]).needed("probabilities")
    assert scores([[3.0]], probabilities=np.array([[0.9]])).needed("probabilities") == 0.9


def test_codes_of_several_classes_become_scores():
    class Codes:
        def scores(self, *arrays):
            keys = arrays[-1]
            return np.repeat([[0.0], [2.0], [1.0]], keys.size, axis=1)

    made = fitted_scores(Codes(), np.zeros((3, 1)), np.array([[0], [1], [2]], np.uint8), np.zeros((3, 1)), np.zeros(1))
    np.testing.assert_array_equal(made.values[:, 0], np.eye(3)[[0, 2, 1]])


@pytest.mark.parametrize(
    ("given", "labels", "kind", "predicted"),
    [
        ([-2.0, 0.5, 3.0], TWO, "value", [0, 1, 1]),
        ([0.1, 0.5, 0.9], TWO, "probability", [0, 0, 1]),
        ([0, 1, 1], np.array([0, 1]), "probability", [0, 1, 1]),
        ([False, True, True], np.array([0, 1]), "probability", [0, 1, 1]),
        ([1, 2, 2], np.array([1, 2]), "value", [0, 1, 1]),  # predicted classes, although all are positive
        ([-1, 1, 1], np.array([-1, 1]), "value", [0, 1, 1]),
        ([1, 2, 2], np.array(["1", "2"]), "value", [0, 1, 1]),  # the same classes, as text in the response
        ([2.0, 10.0, 2.0], np.array(["10", "2"]), "value", [1, 0, 1]),
        ([1, 3, 2], np.array(["1", "2", "3"], object), "value", [0, 2, 1]),
        (["a", "b", "a"], TWO, "value", [0, 1, 0]),
        ([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]], TWO, "probability", [0, 0, 1]),
        ([[3.0, 1.0], [0.0, 2.0], [0.0, 0.1]], TWO, "value", [0, 1, 1]),
        ([["0.2"], ["0.6 "], [0.7]], TWO, "probability", [0, 1, 1]),
        (["c", "b", "a"], THREE, "value", [2, 1, 0]),
        ([[0.8, 0.1, 0.1], [0.2, 0.2, 0.6], [0.0, 1.0, 0.0]], THREE, "probability", [0, 2, 1]),
        ([[5.0, 1.0, 1.0], [0.0, 0.0, 2.0], [0.0, 1.0, 0.0]], THREE, "value", [0, 2, 1]),
    ],
)
def test_predictions_made_elsewhere(given, labels, kind, predicted):
    made = given_scores(given, labels, 3)
    assert made.kind == kind
    y = np.array(predicted, np.uint8)[:, None]
    assert make_metric("accuracy").values(y, made.needed("scores"))[0] == 1.0
    assert given_scores(made, labels, 3) is made


@pytest.fixture
def sample(rng):
    y, c = np.arange(80) % 2, rng.integers(0, 2, 80)
    return y, rng.uniform(0.05, 0.95, 80) * 0.5 + 0.3 * y, c


def test_probabilities_are_cut_at_one_half_and_a_note_tells(sample):
    y, p, c = sample
    result = reweighted_metric(y, p, c, metric="accuracy", bootstrap=20)
    assert result.observed == np.mean((p > 0.5) == y)
    assert (
        result.notes[0] == "scores are between 0 and 1, so they were taken for probabilities: 1 is predicted above 1/2"
    )
    assert not reweighted_metric(y, p, c, metric="auc", bootstrap=20).notes
    assert not reweighted_metric(y, (p > 0.5).astype(int), c, metric="accuracy", bootstrap=20).notes
    decision = reweighted_metric(y, np.log(p / (1 - p)), c, metric="accuracy", bootstrap=20)
    assert decision.value == pytest.approx(result.value)
    assert not decision.notes


def test_losses_of_probabilities(sample):
    y, p, c = sample
    for name, expected in (("brier", np.mean((y - p) ** 2)), ("log_loss", -np.mean(np.log(np.where(y, p, 1 - p))))):
        for given in (p, np.c_[1 - p, p]):
            result = reweighted_metric(y, given, c, metric=name, bootstrap=20)
            assert result.observed == pytest.approx(expected)
            assert 0 < result.low < result.value < result.high
    with pytest.raises(ValueError, match=r"log_loss needs probabilities, but scores are between -1 and 2"):
        reweighted_metric(y, np.linspace(-1, 2, 80), c, metric="log_loss")


def test_a_learner_says_what_its_scores_are(sample):
    """Scores of a forest are shares minus 1/2, even if all of them lie between 0 and 1."""
    y, p, c = sample
    made = Scores(p[:, None] * 0.5, np.zeros(1, bool), "probability_minus_half")
    assert reweighted_metric(y, made, c, metric="accuracy", bootstrap=20).observed == np.mean(y == 1)
