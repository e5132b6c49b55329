from dataclasses import replace

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from permconf.adjustments import make_adjustment
from permconf.adjustments._confounder_basis import natural_spline
from permconf.adjustments.backdoor import representatives
from permconf.data.mixed_confounders import MixedConfounders
from permconf.learners import fitted_scores, make_learner


def adapted(split, learner="logistic", **options):
    return make_adjustment({"name": "backdoor", **options}).adapted(make_learner(learner), split.c_train)


def test_predictions_are_averaged_over_the_levels_as_by_hand(mixed_split, keys):
    """Against scikit-learn: C as indicators, and p(y | x, c) weighted by the shares of the levels."""
    split = replace(mixed_split, c_train=mixed_split.c_train.codes, c_test=mixed_split.c_test.codes)
    found = fitted_scores(adapted(split), split.X_train, split.y_train[:, None], split.X_test, keys[:1])
    indicators = np.eye(3)
    plain = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    plain.fit(np.hstack([split.X_train, indicators[split.c_train][:, 1:]]), split.y_train)
    expected = np.zeros(len(split.X_test))
    for level in range(3):
        rows = np.hstack([split.X_test, np.tile(indicators[level, 1:], (len(split.X_test), 1))])
        expected += np.mean(split.c_train == level) * plain.predict_proba(rows)[:, 1]
    np.testing.assert_allclose(found.needed("probabilities")[:, 0], expected, atol=1e-5)
    assert found.kind == "probability"


def test_a_numeric_confounder_is_averaged_over_evenly_spaced_rows_as_by_hand(mixed_split, keys):
    """Against scikit-learn with the splines themselves as features: five values of C, each for a fifth of the rows."""
    age = mixed_split.c_train.numeric[:, 0]
    split = replace(mixed_split, c_train=MixedConfounders.of(age))
    found = fitted_scores(adapted(split, values=5), split.X_train, split.y_train[:, None], split.X_test, keys[:1])
    splines = natural_spline(age, np.quantile(age, np.linspace(0.05, 0.95, 6)))
    plain = make_pipeline(StandardScaler(), LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000))
    plain.fit(np.hstack([split.X_train, splines]), split.y_train)
    expected = 0.0
    for row in np.argsort(age)[[25, 75, 125, 175, 225]]:
        rows = np.hstack([split.X_test, np.tile(splines[row], (len(split.X_test), 1))])
        expected += plain.predict_proba(rows)[:, 1] / 5
    np.testing.assert_allclose(found.values[:, 0], expected, atol=1e-5)


def test_an_estimator_of_scikit_learn_is_averaged_as_by_hand(mixed_split, keys):
    bayes, c = GaussianNB(var_smoothing=0), (mixed_split.c_train.codes == 2).astype(int)
    split = replace(mixed_split, c_train=c)
    found = fitted_scores(adapted(split, bayes), split.X_train, split.y_train[:, None], split.X_test, keys[:1])
    bayes.fit(np.column_stack([split.X_train, c]), split.y_train)
    p = [bayes.predict_proba(np.column_stack([split.X_test, np.full(150, level)]))[:, 1] for level in (0, 1)]
    np.testing.assert_allclose(found.values[:, 0], (1 - c.mean()) * p[0] + c.mean() * p[1], atol=1e-9)
    assert np.abs(p[0] - p[1]).max() > 0.05


def test_all_responses_at_once_and_one_by_one(mixed_split, keys, rng):
    Y = np.stack([rng.permutation(mixed_split.y_train) for _ in keys], axis=1)
    learner = adapted(mixed_split, values=7)
    batch = learner.scores(mixed_split.X_train, Y, mixed_split.X_test, keys).values
    for k in range(len(keys)):
        one = slice(k, k + 1)
        alone = learner.scores(mixed_split.X_train, Y[:, one], mixed_split.X_test, keys[one]).values
        np.testing.assert_allclose(alone, batch[:, one], rtol=1e-9)


def test_frames_classes_and_numbers(mixed_split, keys):
    frame = pd.DataFrame(mixed_split.X_train, columns=list("abc"))
    learner = adapted(mixed_split, LogisticRegression())
    found = fitted_scores(learner, frame, mixed_split.y_train[:, None], frame.iloc[:9], keys[:1])
    assert found.values.shape == (9, 1)
    three = (mixed_split.X_train[:, 0] > 0).astype(np.uint8) + (mixed_split.X_train[:, 1] > 1).astype(np.uint8)
    noisy = np.random.default_rng(0).permutation(three)[:, None]
    found = fitted_scores(adapted(mixed_split), mixed_split.X_train, noisy, mixed_split.X_test, keys[:1])
    np.testing.assert_allclose(found.values.sum(axis=2), 1)
    values = mixed_split.X_train[:, :1] + mixed_split.c_train.numeric
    found = fitted_scores(
        adapted(mixed_split, "linear_regression"), mixed_split.X_train, values, mixed_split.X_test, keys[:1]
    )
    np.testing.assert_allclose(  # numbers are linear in C, so only its mean counts, here that of the chosen values
        found.values.var(), mixed_split.X_test[:, 0].var(), rtol=1e-6
    )


def test_mean_votes_of_a_forest_depend_on_no_other_row_and_are_ranked_by_no_rounding_error(mixed_split, keys, rng):
    X_test = rng.normal(size=(501, 3)) + 1
    learner = adapted(mixed_split, {"name": "random_forest", "trees": 100})

    def votes(rows):
        return fitted_scores(learner, mixed_split.X_train, mixed_split.y_train[:, None], rows, keys[:1]).values[:, 0]

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
