"""A data set assessed again gives the same numbers, to the last bit, whatever it was assessed with the first time."""

import numpy as np
import pytest

from permconf_study.study.assessments import assess_datasets, replay
from permconf_study.study.datasets import simulate

ANALYSIS = {
    "split": {"name": "none"},
    "learner": "feature",
    "metrics": ["correlation"],
    "nulls": ["restricted", "standard"],
    "permutations": 203,
    "draws": "none",
}
WHERE = {"stream": "replayed", "seed": 11}


@pytest.fixture(scope="module")
def datasets():
    design = {"dataset": np.arange(6), "n": np.full(6, 80), "p": np.full(6, 0.5)}
    design |= {name: np.linspace(-1, 1, 6) for name in ("beta_xc", "beta_yc", "beta_xy")}
    return simulate({"generator": "linear_confounding"}, design, **WHERE)


def test_replayed_draws_have_exactly_the_moments_of_the_table_of_tests(datasets):
    tests, draws = assess_datasets(datasets, ANALYSIS, **WHERE)
    assert len(draws["value"]) == 0
    again, draws = replay(datasets, [4, 1], ANALYSIS, **WHERE)
    assert again["dataset"] == [1, 4]
    for number in (1, 4):
        for null, mean in (("restricted", "restricted_mean"), ("standard", "baseline_mean")):
            values = draws["value"][(draws["dataset"] == number) & (draws["null"] == null)]
            assert len(values) == 203
            assert values.mean() == tests[mean][number]
    for name in again:
        assert again[name] == [tests[name][1], tests[name][4]]


def test_another_seed_gives_other_draws(datasets):
    _, draws = replay(datasets, [2], ANALYSIS, **WHERE)
    _, others = replay(datasets, [2], ANALYSIS, stream="replayed", seed=12)
    assert not np.array_equal(draws["value"], others["value"])


def test_a_data_set_that_does_not_exist_is_named(datasets):
    with pytest.raises(ValueError, match="there is no data set 17, 20"):
        replay(datasets, [20, 3, 17], ANALYSIS, **WHERE)
    with pytest.raises(ValueError, match="there is no data set to replay"):
        replay(datasets, [], ANALYSIS, **WHERE)
