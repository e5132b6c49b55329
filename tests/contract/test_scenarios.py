"""Every file of scenarios runs from its design to its standard figure, with a few data sets and permutations."""

import pandas as pd
import pyarrow as pa
import pytest

from permconf.permute.random_streams import Streams
from permconf_study.paper.figures.scenario import figure
from permconf_study.study.assessments import assess_datasets
from permconf_study.study.data_source import drawn, with_values
from permconf_study.study.design import design_block
from permconf_study.study.rejection_rates import alpha_grid, scenario_curves

SEED, DATASETS = 7, 3
FEWER = {"trees": 5, "n_estimators": 5, "shuffles": 3, "inner": 2, "tables": 9}  # options that make a learner slow


def small(scenario):
    """The scenario with few permutations, shuffles and trees."""
    learner = scenario["learner"]
    if isinstance(learner, dict):
        learner = learner | {key: few for key, few in FEWER.items() if key in learner}
    tests = {
        kind: options | {key: few for key, few in FEWER.items() if key in options}
        for kind, options in scenario["confounder_tests"].items()
    }
    return scenario | {
        "permutations": scenario["permutations"] and 30,
        "learner": learner,
        "confounder_tests": tests,
        "draws": "all",
    }


@pytest.fixture
def scenario(scenario_name, scenarios, monkeypatch):
    monkeypatch.setattr("permconf_study.study.design.BLOCK", 20)  # a hypercube of 1,000 rows takes seconds
    return small(scenarios[scenario_name])


@pytest.fixture
def datasets(scenario):
    count = min(DATASETS, scenario["datasets"])
    design = design_block(scenario["data"], 0, Streams(SEED, scenario["stream"], 0))
    design = {name: column[:count] for name, column in design.items()}
    return drawn(scenario["data"], design, stream=scenario["stream"], seed=SEED)


def test_it_runs_from_design_to_figure(scenario, datasets, monkeypatch):
    where = {"stream": scenario["stream"], "seed": SEED}
    tests, draws = assess_datasets(with_values(datasets, scenario), scenario, **where)
    assert tests["dataset"] == [d.number for d in datasets for _ in scenario["metrics"]]
    assert "ok" in tests["status"], tests["traceback"][0]
    for status, error in zip(tests["status"], tests["error"], strict=True):
        assert (status == "ok") == (error == "")
        assert "\n" not in error
    alone, _ = assess_datasets(with_values(datasets[-1:], scenario), scenario, **where)
    last = {name: column[-len(scenario["metrics"]) :] for name, column in tests.items()}
    pd.testing.assert_frame_equal(pd.DataFrame(alone), pd.DataFrame(last))
    curves = pd.DataFrame(scenario_curves(pa.table(tests), alpha_grid(20)))
    tables = {"tests": pd.DataFrame(tests), "draws": pd.DataFrame(draws), "curves": curves}
    for few in (10, 0):  # data sets one by one; rates over them
        monkeypatch.setattr("permconf_study.paper.figures.scenario.FEW", few)
        options = {"truth": scenario.get("truth"), "of_table": scenario["table"] is not None}
        drawing = figure(tables, title=scenario["title"], **options)
        assert len(drawing.axes) >= len(scenario["metrics"])
