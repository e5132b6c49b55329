"""Type I error and power of the prediction and of the combined test in data sets of a study, as scenarios make them."""

import numpy as np
import pytest

from permconf.generators import make_generator
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams
from permconf_study.study.assessments import dataset_sample, evaluate_sample
from permconf_study.study.datasets import Dataset
from permconf_study.study.predictions import prediction_results

pytestmark = pytest.mark.statistical
DATASETS, ROWS = 300, 200
ALPHAS = (0.05, 0.10, 0.25)
ASSOCIATED = {"p11": 0.42, "p10": 0.07, "p01": 0.07, "p00": 0.44}
INDEPENDENT = {"p11": 0.25, "p10": 0.25, "p01": 0.25, "p00": 0.25}
ANALYSIS = {"split": {"name": "half"}, "learner": "logistic"}


def p_values(generator, **parameters):
    """p-values by test in independent data sets of logistic regression on three features."""
    metrics = {"auc": make_metric("auc")}
    p: dict = {"prediction": [], "association": [], "combined": []}
    for number in range(DATASETS):
        streams = Streams(20180518, f"predictions/{generator}/{sorted(parameters.items())}", number)
        settings = {"n": ROWS, "rho": 0.5, "features": 3} | parameters
        dataset = Dataset(number, *make_generator(generator).sample(streams.rng("data"), **settings))
        sample = dataset_sample(dataset, ANALYSIS)
        evaluation = evaluate_sample(sample, ANALYSIS, streams, metrics=metrics)
        shown = prediction_results(evaluation, sample, permutations=99)["auc"]
        for test, values in p.items():
            values.append(shown[f"{test}_p"])
    return {test: np.array(values) for test, values in p.items()}


def errors_above(p):
    """How many Monte Carlo errors the rejection rates at ALPHAS lie above nominal, at most."""
    alphas = np.array(ALPHAS)
    rates = np.mean(p[:, None] <= alphas + 1e-12, axis=0)
    return np.max((rates - alphas) / np.sqrt(alphas * (1 - alphas) / p.size))


def test_a_response_that_acts_is_not_taken_for_a_confounder():
    p = p_values("bernoulli_gaussian", **ASSOCIATED, beta=1, theta=0)
    assert errors_above(p["prediction"]) < 4
    assert errors_above(p["combined"]) < 4


@pytest.mark.parametrize("theta", [1.5, pytest.param(-1.5, marks=pytest.mark.slow)])
def test_without_association_neither_sign_of_theta_confounds(theta):
    p = p_values("bernoulli_gaussian", **INDEPENDENT, beta=0.7, theta=theta)
    assert np.mean(p["prediction"] <= 0.05) > 0.5  # predictions do carry C, so the association has to hold the level
    assert errors_above(p["combined"]) < 4


@pytest.mark.slow
@pytest.mark.parametrize(("gammas", "thetas"), [((1, 1), (0, 0)), ((1, 0), (0, 1.5)), ((0, 0), (1.5, -1.5))])
def test_two_confounders_with_a_link_missing_each(gammas, thetas):
    settings = dict(zip(("gamma1", "gamma2", "theta1", "theta2"), (*gammas, *thetas), strict=True))
    p = p_values("two_confounders_gaussian", **settings, beta=0.7)
    assert errors_above(p["combined"]) < 4
    if thetas == (0, 0):
        assert errors_above(p["prediction"]) < 4


@pytest.mark.parametrize("theta", [1, pytest.param(-1, marks=pytest.mark.slow)])
def test_confounders_that_inflate_and_that_mask_are_found(theta):
    p = p_values("bernoulli_gaussian", **ASSOCIATED, beta=0.7, theta=theta)
    assert errors_above(p["combined"]) > 5  # a one-sided test, or none of masking, would not be above nominal at all
