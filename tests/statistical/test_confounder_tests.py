"""Levels of the tests that shuffle the confounder: the conditional one holds its level where Algorithm 2 does not."""

import numpy as np
import pytest

from permconf.data.sample import Sample
from permconf.engine.evaluate import evaluate
from permconf.engine.folds import Folds
from permconf.generators.bernoulli_gaussian import sample
from permconf.inference.algorithm2 import shuffle_confounder
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams

pytestmark = pytest.mark.statistical
DATASETS, SHUFFLES, INNER, N = 600, 39, 10, 100
ASSOCIATED = {"p11": 0.4, "p10": 0.1, "p01": 0.1, "p00": 0.4}
INDEPENDENT = {"p11": 0.25, "p10": 0.25, "p01": 0.25, "p00": 0.25}
LEVELS = (0.05, 0.1, 0.25, 0.5)  # multiples of 1 / (1 + SHUFFLES), which a p-value can attain


def p_values(kind, probabilities, *, beta, theta, datasets=DATASETS):
    """p-values of one kind of test in independent data sets."""
    engine, p = {"learner": "logistic", "metrics": {"auc": make_metric("auc")}}, []
    folds = Folds.split(np.arange(N // 2), np.arange(N // 2, N))
    for number in range(datasets):
        streams = Streams(20180518, f"{kind}/{beta}/{theta}/{probabilities['p11']}", number)
        data = sample(streams.rng("data"), n=N, **probabilities, beta=beta, theta=theta, rho=0.5, features=3)
        evaluation = evaluate(Sample.of(*data), folds, streams=streams, **engine)
        p.append(shuffle_confounder(evaluation, kind, shuffles=SHUFFLES, inner=INNER)["auc"].p)
    return np.array(p)


def assert_uniform(p):
    for level in LEVELS:
        rate, error = np.mean(p <= level + 1e-12), np.sqrt(level * (1 - level) / p.size)
        assert abs(rate - level) < 4 * error, f"rate {rate:.3f} at level {level}, s.e. {error:.3f}"


@pytest.mark.parametrize("beta", [pytest.param(0, marks=pytest.mark.slow), 1], ids=["noise features", "response"])
def test_the_conditional_test_holds_its_level_when_confounder_and_response_are_associated(beta):
    assert_uniform(p_values("conditional", ASSOCIATED, beta=beta, theta=0))


def test_the_conditional_test_finds_a_direct_association():
    p = p_values("conditional", ASSOCIATED, beta=1, theta=1, datasets=200)
    assert np.mean(p <= 0.05) > 0.8


def test_algorithm_2_holds_its_level_without_any_confounding():
    assert_uniform(p_values("algorithm2", INDEPENDENT, beta=1, theta=0))


def test_algorithm_2_does_not_when_confounder_and_response_are_associated():
    p = p_values("algorithm2", ASSOCIATED, beta=1, theta=0, datasets=200)
    assert np.mean(p <= 0.05) > 0.05 + 4 * np.sqrt(0.05 * 0.95 / 200)
