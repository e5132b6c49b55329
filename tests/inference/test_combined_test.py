"""Both links by refits: the association of confounder and response, and the larger of two p-values."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import fisher_exact

from permconf import combined_test, conditional_test
from permconf.data.sample import Sample
from permconf.engine.evaluate import evaluate
from permconf.engine.folds import Folds, paper_split
from permconf.inference.confounder_tests import RESULTS, association_p, confounder_tests
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams


def associated(y, c, n_train, **options):
    """p-value of the association in a training and a test set."""
    sample, rows = Sample.of(np.zeros((len(y), 1)), y, c), np.arange(len(y))
    folds = Folds.split(rows[:n_train], rows[n_train:])
    return association_p(SimpleNamespace(sample=sample, folds=folds, streams=Streams(1)), **options)


def pairs(n11, n10, n01, n00):
    """Vectors y and c with these counts, in random order."""
    y = np.repeat([1, 1, 0, 0], [n11, n10, n01, n00])
    c = np.repeat([1, 0, 1, 0], [n11, n10, n01, n00])
    order = np.random.default_rng(1).permutation(y.size)
    return y[order], c[order]


def test_one_set_with_two_levels_each_gives_fishers_exact_p():
    exact = fisher_exact([[9, 4], [3, 8]]).pvalue  # margins 13/11 and 12/12: both tails have the same tables
    p = associated(*pairs(9, 4, 3, 8), 0, permutations=20_000)
    assert p == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))


def test_sets_of_different_composition_are_no_association():
    """All of one kind in training, all of the other in the test set."""
    assert associated(np.repeat([0, 1], 40), np.repeat([0, 1], 40), 40) == 1


def test_association_is_found_in_either_set_in_values_and_in_several_levels():
    for n_train in (0, 25, 40):
        assert associated(*pairs(20, 5, 5, 20), n_train) < 0.005
    c = np.random.default_rng(2).integers(0, 2, 200)
    assert associated(c + 0.5 * np.random.default_rng(3).standard_normal(200), c, 100, bins=5) < 0.005
    y, sites = np.arange(60) % 3, np.array(["a", "b", "c"])[np.arange(60) % 3]
    assert associated(y, sites, 30, permutations=99) == 0.01
    assert associated(y, np.sort(sites), 30, permutations=99) > 0.5


@pytest.fixture
def parts(rng):
    y, c = pairs(20, 10, 10, 20)
    X = rng.standard_normal((60, 2)) + c[:, None]
    return X[:30], y[:30], c[:30], X[30:], y[30:], c[30:]


def test_the_larger_p_of_both_tests_counts(parts):
    options = {"shuffles": 19, "inner": 2, "seed": 3}
    combined = combined_test(*parts, **options)
    assert combined.conditional.p == conditional_test(*parts, **options).p
    assert combined.p == max(combined.conditional.p, combined.association_p)
    assert 0 < combined.association_p < 0.2


@pytest.mark.parametrize("kinds", [["conditional"], ["algorithm2", "conditional"]])
def test_a_scenario_gets_the_tests_it_asks_for(kinds, parts):
    sample, folds = paper_split(parts[:3], parts[3:], task="classification", treatment="levels")
    metrics = {"auc": make_metric("auc")}
    evaluation = evaluate(sample, folds, learner="logistic", metrics=metrics, streams=Streams(1))
    made = confounder_tests(evaluation, {kind: {"shuffles": 3, "inner": 2} for kind in kinds})["auc"]
    assert list(made) == kinds
    assert all(np.isfinite(getattr(made[kind], name)) for kind in kinds for name in RESULTS)
