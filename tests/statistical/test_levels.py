"""Levels and power of the tests in small versions of the paper's experiments."""

import numpy as np
import pytest

from permconf.permute.random_streams import Streams
from permconf_study.study.assessments import assess_datasets
from permconf_study.study.datasets import simulate
from permconf_study.study.design import design_block

pytestmark = pytest.mark.statistical
DATASETS = 300


@pytest.fixture(scope="module")
def tests_of(scenarios):
    def run(name):
        scenario = scenarios[name]
        design = design_block(scenario["data"], 0, Streams(7, name, 0))
        datasets = simulate(scenario["data"], {k: v[:DATASETS] for k, v in design.items()}, stream=name, seed=7)
        tests, _ = assess_datasets(datasets, scenario, stream=name, seed=7)
        assert set(tests["status"]) == {"ok"}
        return {k: np.array(v) for k, v in tests.items()}

    return run


def _rate(p, alpha=0.1):
    return np.mean(p <= alpha)


def _four_errors(alpha=0.1):
    return 4 * np.sqrt(alpha * (1 - alpha) / DATASETS)


@pytest.mark.slow
def test_no_signal(tests_of):
    tests = tests_of("exp4")
    assert abs(_rate(tests["response_p"]) - 0.1) < _four_errors()
    assert abs(_rate(tests["confounding_p"]) - 0.1) < _four_errors()
    difference = tests["corrected"] - tests["observed"]
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(DATASETS)


def test_confounding_only(tests_of):
    tests = tests_of("exp3")
    assert abs(_rate(tests["response_p"]) - 0.1) < _four_errors()
    assert _rate(tests["confounding_p"]) > 0.9
    assert abs(tests["corrected"].mean() - 0.5) < 4 * tests["corrected"].std() / np.sqrt(DATASETS)
    assert tests["observed"].mean() > 0.6


@pytest.mark.slow
def test_response_and_confounding(tests_of):
    tests = tests_of("exp1")
    assert _rate(tests["response_p"]) > 0.8
    assert _rate(tests["confounding_p"]) > 0.95
    assert np.mean(tests["corrected"] < tests["observed"]) > 0.95
