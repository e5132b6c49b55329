"""Type I error of the conditional test, and of the combined test with refits, where the confounder lacks a link."""

import numpy as np
import pytest

from permconf.data.sample import Sample
from permconf.engine.evaluate import evaluate
from permconf.engine.folds import Folds
from permconf.generators.bernoulli_gaussian import sample
from permconf.inference.combined_test import association_p, combined_p, confounder_tests
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams

pytestmark = pytest.mark.statistical
DATASETS, N = 500, 100
TESTS = {"conditional": {"shuffles": 19, "inner": 10}}
ASSOCIATED = {"p11": 0.4, "p10": 0.1, "p01": 0.1, "p00": 0.4}
INDEPENDENT = {"p11": 0.25, "p10": 0.25, "p01": 0.25, "p00": 0.25}
LEVELS = (0.05, 0.1, 0.25)  # multiples of 1/20 and 1/200, which the p-values can attain


def p_values(probabilities, *, beta, theta, datasets=DATASETS):
    """p-values by test in independent data sets."""
    engine = {"learner": "logistic", "metrics": {"auc": make_metric("auc")}}
    folds = Folds.split(np.arange(N // 2), np.arange(N // 2, N))
    p: dict = {"conditional": [], "association": [], "combined": []}
    for number in range(datasets):
        streams = Streams(20180518, f"combined/{beta}/{theta}/{probabilities['p11']}", number)
        data = sample(streams.rng("data"), n=N, **probabilities, beta=beta, theta=theta, rho=0.5, features=3)
        evaluation = evaluate(Sample.of(*data), folds, streams=streams, **engine)
        conditional = confounder_tests(evaluation, TESTS)["auc"]["conditional"].p
        association = association_p(evaluation, permutations=199)
        found = (conditional, association, combined_p(conditional, association))
        for values, value in zip(p.values(), found, strict=True):
            values.append(value)
    return {test: np.array(values) for test, values in p.items()}


def errors_above(p, level):
    """How many Monte Carlo errors the rejection rate lies above the level."""
    return (np.mean(p <= level + 1e-12) - level) / np.sqrt(level * (1 - level) / p.size)


@pytest.mark.slow
@pytest.mark.parametrize("theta", [0, 2])
@pytest.mark.parametrize("beta", [0, 1])
def test_independent_of_the_response(beta, theta):
    p = p_values(INDEPENDENT, beta=beta, theta=theta)
    for level in LEVELS:
        assert errors_above(p["association"], level) < 4
        assert errors_above(p["combined"], level) < 4
        if theta == 0:
            assert abs(errors_above(p["conditional"], level)) < 4


@pytest.mark.parametrize("beta", [0, 1])
def test_associated_with_the_response_but_not_with_the_features(beta):
    p = p_values(ASSOCIATED, beta=beta, theta=0)
    for level in LEVELS:
        assert abs(errors_above(p["conditional"], level)) < 4
        assert abs(errors_above(p["combined"], level)) < 4  # the association is always found


@pytest.mark.slow
def test_chance_association_disturbs_the_conditional_test_only():
    p = p_values(INDEPENDENT, beta=1, theta=3)
    assert errors_above(p["conditional"], 0.05) > 4
    assert errors_above(p["combined"], 0.05) < 4


def test_a_confounder_is_found():
    p = p_values(ASSOCIATED, beta=1, theta=1.5, datasets=200)
    assert np.mean(p["combined"] <= 0.05 + 1e-12) > 0.8
