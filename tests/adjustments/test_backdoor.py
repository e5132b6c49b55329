import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from permconf.adjustments import make_adjustment
from permconf.adjustments.backdoor import representatives
from permconf.data.confounders import Confounders
from permconf.learners import fitted_scores, make_learner


def adapted(c_train, learner="logistic", **options):
    return make_adjustment({"name": "backdoor", **options}).adapted(make_learner(learner), c_train)


@pytest.fixture
def arrays(mixed):
    """Features and response of the training rows, features of the test rows."""
    train, test = mixed
    return train.features.X, train.response.values[:, None], test.features.X


def test_predictions_are_averaged_over_the_levels_as_by_hand(mixed, arrays, keys):
    """Against scikit-learn: C as indicators, and p(y | x, c) weighted by the shares of the levels."""
    X, y, X_test = arrays
    c = mixed[0].confounders.chosen(["site"])
    found = fitted_scores(adapted(c), *arrays, keys[:1])
    indicators = np.eye(3)
    plain = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    plain.fit(np.hstack([X, indicators[c.codes][:, 1:]]), y[:, 0])
    expected = np.zeros(len(X_test))
    for level in range(3):
        rows = np.hstack([X_test, np.tile(indicators[level, 1:], (len(X_test), 1))])
        expected += np.mean(c.codes == level) * plain.predict_proba(rows)[:, 1]
    np.testing.assert_allclose(found.needed("probabilities")[:, 0], expected, atol=1e-5)
    assert found.kind == "probability"


def test_an_estimator_of_scikit_learn_is_averaged_as_by_hand(mixed, arrays, keys):
    X, y, X_test = arrays
    bayes, c = GaussianNB(var_smoothing=0), (mixed[0].confounders.codes == 2).astype(int)
    found = fitted_scores(adapted(Confounders.of(c), bayes), *arrays, keys[:1])
    bayes.fit(np.column_stack([X, c]), y[:, 0])
    p = [bayes.predict_proba(np.column_stack([X_test, np.full(150, level)]))[:, 1] for level in (0, 1)]
    np.testing.assert_allclose(found.values[:, 0], (1 - c.mean()) * p[0] + c.mean() * p[1], atol=1e-9)
    assert np.abs(p[0] - p[1]).max() > 0.05


def test_frames_classes_and_numbers(mixed, arrays, keys):
    (X, y, X_test), c = arrays, mixed[0].confounders
    frame = pd.DataFrame(X, columns=list("abc"))
    assert fitted_scores(adapted(c, LogisticRegression()), frame, y, frame.iloc[:9], keys[:1]).values.shape == (9, 1)
    three = (X[:, 0] > 0).astype(np.uint8) + (X[:, 1] > 1).astype(np.uint8)
    noisy = np.random.default_rng(0).permutation(three)[:, None]
    np.testing.assert_allclose(fitted_scores(adapted(c), X, noisy, X_test, keys[:1]).values.sum(axis=2), 1)
    found = fitted_scores(adapted(c, "linear_regression"), X, X[:, :1] + c.numeric, X_test, keys[:1])
    # numbers are linear in C, so only its mean counts, here that of the chosen values
    np.testing.assert_allclose(found.values.var(), X_test[:, 0].var(), rtol=1e-6)


def test_mean_votes_of_a_forest_depend_on_no_other_row_and_are_ranked_by_no_rounding_error(mixed, arrays, keys, rng):
    X_test = rng.normal(size=(501, 3)) + 1
    learner = adapted(mixed[0].confounders, {"name": "random_forest", "trees": 100})

    def votes(rows):
        return fitted_scores(learner, *arrays[:2], rows, keys[:1]).values[:, 0]

    together = votes(X_test)
    for m in (1, 7, 333):
        np.testing.assert_array_equal(votes(X_test[:m]), together[:m])
    steps = np.diff(np.unique(together))  # of multiples of 1 / (20 values * 100 trees)
    np.testing.assert_allclose(steps * 2000, np.round(steps * 2000), atol=1e-6)
    assert steps.min() > 1e-4


def test_few_values_are_taken_with_their_shares_and_many_by_representatives():
    values, shares = representatives(np.array([[0.0], [1.0], [1.0], [1.0]]), 5)
    assert values.tolist() == [[0.0], [1.0]]
    assert shares.tolist() == [0.25, 0.75]
    values, shares = representatives(np.arange(100.0)[::-1, None], 4)
    assert values[:, 0].tolist() == [12, 37, 62, 87]
    assert shares.tolist() == [0.25] * 4
