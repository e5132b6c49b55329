import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact

from permconf.learners import make_learner
from permconf.method.association_test import association_test
from permconf.method.combined_test import (
    RESULTS,
    association_p,
    combined,
    combined_p,
    combined_test,
    confounder_tests,
    holm,
)
from permconf.method.confounder_tests import conditional_test
from permconf.method.prediction_test import prediction_test
from permconf.method.random_streams import Streams
from permconf.method.split import Split
from permconf.metrics import make_metric


def split_of(y, c, n_train):
    X = np.zeros((len(y), 1))
    return Split.of(X, y, c, slice(0, n_train), slice(n_train, None))


def pairs(n11, n10, n01, n00):
    """Vectors y and c with these counts, in random order."""
    y = np.repeat(np.array([1, 1, 0, 0], np.uint8), [n11, n10, n01, n00])
    c = np.repeat([1, 0, 1, 0], [n11, n10, n01, n00])
    order = np.random.default_rng(1).permutation(y.size)
    return y[order], c[order]


def test_one_set_with_two_levels_each_gives_fishers_exact_p():
    y, c = pairs(9, 4, 3, 8)
    exact = fisher_exact([[9, 4], [3, 8]]).pvalue  # margins 13/11 and 12/12: both tails have the same tables
    p = association_p(split_of(y, c, 0), Streams(1), permutations=20_000)
    assert p == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))


def test_sets_of_different_composition_are_no_association():
    y = np.array([0] * 40 + [1] * 40, np.uint8)
    c = np.array([0] * 40 + [1] * 40)  # all of one kind in training, all of the other in the test set
    assert association_p(split_of(y, c, 40), Streams(1)) == 1


def test_association_is_found_in_either_set_and_in_values():
    y, c = pairs(20, 5, 5, 20)
    for n_train in (0, 25, 40):
        assert association_p(split_of(y, c, n_train), Streams(1)) < 0.005
    rng = np.random.default_rng(2)
    c = rng.integers(0, 2, 200)
    y = c + 0.5 * rng.standard_normal(200)
    assert association_p(split_of(y, c, 100), Streams(1), bins=5) < 0.005


def test_three_levels_and_labels_will_do():
    y, c = np.arange(60) % 3, np.array(["a", "b", "c"])[np.arange(60) % 3]
    assert association_p(split_of(y.astype(np.uint8), c, 30), Streams(1), permutations=99) == 0.01
    assert association_p(split_of(y.astype(np.uint8), np.sort(c), 30), Streams(1), permutations=99) > 0.5


def test_the_larger_p_counts():
    assert combined_p(0.01, 0.2) == 0.2
    assert combined_p(0.3, 0.2) == 0.3


@pytest.fixture
def parts(rng):
    y, c = pairs(20, 10, 10, 20)
    X = rng.standard_normal((60, 2)) + c[:, None]
    return X[:30], y[:30], c[:30], X[30:], y[30:], c[30:]


def test_the_combined_test_holds_the_conditional_one(parts):
    options = {"shuffles": 19, "inner": 2, "seed": 3}
    combined = combined_test(*parts, **options)
    assert combined.conditional.p == conditional_test(*parts, **options).p
    assert combined.p == max(combined.conditional.p, combined.association_p)
    assert 0 < combined.association_p < 0.2


@pytest.mark.parametrize("kinds", [[], ["conditional"], ["conditional", "algorithm2"]])
def test_a_scenario_gets_the_tests_it_asks_for(kinds, parts):
    engine = {"learner": make_learner("logistic"), "metrics": {"auc": make_metric("auc")}, "streams": Streams(1)}
    made = confounder_tests(Split(*parts), {kind: {"shuffles": 3, "inner": 2} for kind in kinds}, **engine)["auc"]
    assert list(made) == kinds
    assert all(np.isfinite(getattr(test, name)) for test in made.values() for name in RESULTS)


# ---- on predictions --------------------------------------------------------------------------------------------------


def two_links(rng, n=300):
    """Scores, response, a confounder only associated with the response, one only read, and one with both links."""
    y = rng.integers(0, 2, n)
    associated = (rng.random(n) < 0.2 + 0.6 * y).astype(int)
    read = rng.integers(0, 2, n)
    both = (rng.random(n) < 0.2 + 0.6 * y).astype(int)
    return (
        y + read + both + rng.standard_normal(n),
        y,
        pd.DataFrame({"associated": associated, "read": read, "both": both}),
    )


def test_one_confounder_has_the_larger_p_value(rng):
    scores, y, data = two_links(rng)
    for name in data:
        prediction, association = prediction_test(scores, y, data[name]), association_test(y, data[name])
        test = combined(prediction, association)
        assert test.p == max(prediction.p, association.p)
        assert test.by_confounder["sign"].tolist() == [prediction.sign]


def test_each_confounder_needs_both_links(rng):
    scores, y, data = two_links(rng)
    prediction, association = prediction_test(scores, y, data), association_test(y, data)
    assert max(prediction.p, association.p) == 1e-4
    test = combined(prediction, association)
    assert list(test.by_confounder.columns) == ["confounder", "p", "association_p", "prediction_p", "sign"]
    assert test.p == test.by_confounder["p"][2] == pytest.approx(3e-4)
    assert (test.by_confounder["p"][:2] > 0.05).all()
    without = data[["associated", "read"]]
    assert combined(prediction_test(scores, y, without), association_test(y, without)).p > 0.05
    assert repr(test) == f"CombinedResult(p={test.p})"


@pytest.mark.slow
@pytest.mark.statistical
def test_one_link_each_is_not_rejected_too_often(rng):
    """Adjusted p-values of the two tests, instead of Holm's method, would reject in twice as many data sets."""
    rejections = loose = 0
    for seed in range(400):
        scores, y, data = two_links(rng, n=150)
        data = data[["associated", "read"]]
        tests = [
            prediction_test(scores, y, data, permutations=199, seed=seed),
            association_test(y, data, permutations=199, seed=seed),
        ]
        rejections += combined(*tests).p <= 0.05
        loose += np.min(np.maximum(*(test.by_confounder["p"] for test in tests))) <= 0.05
    assert rejections / 400 < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
    assert loose > rejections


def test_holm_is_the_plain_loop(rng):
    for k in (1, 2, 5):
        p, last = rng.random(k) ** 3, 0.0
        adjusted = holm(p)
        for step, j in enumerate(np.argsort(p)):
            last = max(last, min(1, (k - step) * p[j]))
            assert adjusted[j] == pytest.approx(last)


def test_the_tests_must_be_of_the_same_confounders(rng):
    scores, y, data = two_links(rng)
    with pytest.raises(ValueError, match=r"the two tests are of different confounders, \['read'\] and \['both'\]"):
        combined(prediction_test(scores, y, data["read"]), association_test(y, data["both"]))
