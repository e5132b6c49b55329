import numpy as np
import pytest
from scipy.stats import fisher_exact

from permconf.data.split import Split
from permconf.inference.algorithm2 import conditional_test
from permconf.inference.combined_test import (
    RESULTS,
    association_p,
    combined_p,
    combined_test,
    confounder_tests,
)
from permconf.learners import make_learner
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams


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


@pytest.mark.parametrize("kinds", [["conditional"], ["algorithm2"], ["algorithm2", "conditional"]])
def test_a_scenario_gets_the_tests_it_asks_for(kinds, parts):
    engine = {"learner": make_learner("logistic"), "metrics": {"auc": make_metric("auc")}, "streams": Streams(1)}
    tests = {kind: {"shuffles": 3, "inner": 2} for kind in kinds}
    made = confounder_tests(Split(*parts), tests, **engine)["auc"]
    assert list(made) == kinds
    assert all(np.isfinite(getattr(made[kind], name)) for kind in kinds for name in RESULTS)
