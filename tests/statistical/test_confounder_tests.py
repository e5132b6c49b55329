"""Type I error and power of the tests that shuffle the confounder, and of the combined test with refits."""

import numpy as np
import pytest

from permconf.data.sample import Sample
from permconf.engine.evaluate import evaluate
from permconf.engine.folds import Folds
from permconf.generators.bernoulli_gaussian import sample
from permconf.inference.confounder_tests import association_p, confounder_tests
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams

pytestmark = pytest.mark.statistical
DATASETS, N = 500, 100
OPTIONS = {"shuffles": 19, "inner": 10}
ASSOCIATED = {"p11": 0.4, "p10": 0.1, "p01": 0.1, "p00": 0.4}
INDEPENDENT = {"p11": 0.25, "p10": 0.25, "p01": 0.25, "p00": 0.25}
ALPHAS = (0.05, 0.1, 0.25)  # multiples of 1/20 and 1/200, which the p-values can attain


def p_values(probabilities, *, beta, theta, kind="conditional", datasets=DATASETS):
    """p-values by test in independent data sets."""
    engine, folds = {"metrics": {"auc": make_metric("auc")}}, Folds.split(np.arange(N // 2), np.arange(N // 2, N))
    p: dict = {kind: [], "association": [], "combined": []}
    for number in range(datasets):
        streams = Streams(20180518, f"{kind}/{beta}/{theta}/{probabilities['p11']}", number)
        data = sample(streams.rng("data"), n=N, **probabilities, beta=beta, theta=theta, rho=0.5, features=3)
        evaluation = evaluate(Sample.of(*data), folds, learner="logistic", streams=streams, **engine)
        shuffled = confounder_tests(evaluation, {kind: OPTIONS})["auc"][kind].p
        association = association_p(evaluation, permutations=199)
        for values, value in zip(p.values(), (shuffled, association, max(shuffled, association)), strict=True):
            values.append(value)
    return {test: np.array(values) for test, values in p.items()}


def errors_above(p, alpha):
    """How many Monte Carlo errors the rejection rate lies above nominal."""
    return (np.mean(p <= alpha + 1e-12) - alpha) / np.sqrt(alpha * (1 - alpha) / p.size)


@pytest.mark.slow
@pytest.mark.parametrize("theta", [0, 2])
@pytest.mark.parametrize("beta", [0, 1])
def test_independent_of_the_response(beta, theta):
    p = p_values(INDEPENDENT, beta=beta, theta=theta)
    for alpha in ALPHAS:
        assert errors_above(p["association"], alpha) < 4
        assert errors_above(p["combined"], alpha) < 4
        if theta == 0:
            assert abs(errors_above(p["conditional"], alpha)) < 4


@pytest.mark.parametrize("beta", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_associated_with_the_response_but_not_with_the_features(beta):
    p = p_values(ASSOCIATED, beta=beta, theta=0)
    for alpha in ALPHAS:
        assert abs(errors_above(p["conditional"], alpha)) < 4
        assert abs(errors_above(p["combined"], alpha)) < 4  # the association is always found


@pytest.mark.slow
def test_chance_association_disturbs_the_conditional_test_only():
    p = p_values(INDEPENDENT, beta=1, theta=3)
    assert errors_above(p["conditional"], 0.05) > 4
    assert errors_above(p["combined"], 0.05) < 4


def test_a_confounder_is_found():
    p = p_values(ASSOCIATED, beta=1, theta=1.5, datasets=200)
    assert np.mean(p["combined"] <= 0.05 + 1e-12) > 0.8


def test_algorithm_2_holds_its_level_without_confounding_but_not_if_confounder_and_response_are_associated():
    p = p_values(INDEPENDENT, beta=1, theta=0, kind="algorithm2")["algorithm2"]
    assert all(abs(errors_above(p, alpha)) < 4 for alpha in ALPHAS)
    assert errors_above(p_values(ASSOCIATED, beta=1, theta=0, kind="algorithm2", datasets=200)["algorithm2"], 0.05) > 4
