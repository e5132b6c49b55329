"""Other choices, applied to tables small enough to follow."""

import numpy as np
import pandas as pd
import pytest

from permconf_study.paper.tables import deviations


def assessed(**columns):
    """A table of tests of two usable data sets and a failed one."""
    base = {"dataset": [0, 1, 2], "status": ["ok", "ok", "failed"], "n_permutations": [100, 99, 0]}
    base |= {"response_p": [1 / 101, 0.5, np.nan], "confounding_z": [1.9, -1.0, np.nan]}
    base |= {"confounding_p": [0.03, 0.99, np.nan], "corrected": [0.6, 0.8, np.nan]}
    return pd.DataFrame(base | columns)


def test_every_choice_of_every_experiment_has_its_numbers():
    other = assessed(response_p=[0.01, 0.02, np.nan])
    table = deviations.experiment_table({"as run": {"exp1": assessed()}, "stratified split": {"exp1": other}})
    found = table.set_index(["choice", "quantity"])["value"].unstack()
    choices = ["as run", "p-value of the text, count / b", "confounding test two-sided", "stratified split"]
    assert found["response test"].loc[choices].tolist() == [0.5, 0.5, 0.5, 1.0]
    assert found["confounding test"].loc[choices].tolist() == [0.5, 0.5, 0.0, 0.5]  # 0.03, and twice 0.029
    assert found["median corrected AUC"].tolist() == pytest.approx([0.7] * 4)
    assert set(table["n_datasets"]) == {2}
    assert table["mcse"].iloc[0] == pytest.approx(np.sqrt(0.5 * 0.5 / 2))


def test_forests_are_compared_on_their_data_sets():
    forests = assessed(dataset=[5, 6, 7], corrected=[0.5, 0.5, np.nan])
    logistic = pd.concat([assessed(), assessed(dataset=[5, 8, 7], corrected=[0.9, 0.1, np.nan])])
    table = deviations.forest_table({"exp1": forests}, {"exp1": logistic})
    medians = table[table["quantity"] == "median corrected AUC"].set_index("choice")
    assert medians["value"].tolist() == [0.5, 0.9]
    assert medians["n_datasets"].tolist() == [2, 1]


def test_single_figures(rng):
    counts = {"n11": [225, 125] * 2, "n10": [25, 125] * 2, "n01": [25, 125] * 2, "n00": [225, 125] * 2}
    sizes = pd.DataFrame({"dataset": range(4), "rho": 0.5, **counts})
    nulls = pd.DataFrame({"dataset": range(4), "status": "ok", "restricted_mean": [0.8, 0.5] * 2, "observed": 0.9})
    quantiles = assessed(response_p=[1.0, 1 / 100, np.nan], corrected_quantile=[-0.1, 0.2, np.nan])
    effects = pd.DataFrame({"dataset": [0, 1], "beta_xc": 1.5, "beta_yc": 1.5, "beta_xy": 0.5})
    draws = pd.DataFrame({"dataset": np.repeat([0, 1], 500), "null": "restricted", "value": rng.standard_normal(1000)})
    moments = {"metric": "auc", "n_train": 9, "n_test": 9, "observed": [0.7, 0.9, np.nan]}
    moments |= {"restricted_mean": 0.6, "restricted_sd": 0.1, "baseline_mean": 0.5, "baseline_sd": 0.1}
    names = [f"section4_redraws_{part}" for part in ("development", "baseline")]
    redraws = pd.concat([assessed(**moments).assign(scenario=name) for name in names])
    table = deviations.figure_table(
        sizes=[nulls, sizes],
        permutations=[quantiles],
        effects=[draws, effects],
        unpenalised=assessed(flagged=[101, 50, 0]),
        redraws=redraws,
    )
    found = table.set_index(["figure", "quantity"])
    assert found.loc[("3b", "mean of the null"), "value"] == pytest.approx(0.8)
    assert found.loc[("3d", "observed AUC"), ["choice", "n_datasets"]].tolist() == ["n = 500, rho = 0.5", 2]
    assert found.loc[("4a", "mean truncated correlation"), ["value", "mcse"]].tolist() == pytest.approx([0.15, 0.05])
    assert found.loc[("5f", "distance from normal, restricted null"), "value"] < 0.08  # 1 % bound of 500 draws
    assert found.loc[("6a, d", "share of fits that separate the classes or diverge"), "value"] == pytest.approx(0.75)
    assert found.loc[("11", "mean observed AUC"), ["value", "mcse"]].tolist() == pytest.approx([0.8, 0.1])
    assert found.loc[("11", "sd of observed AUC"), "value"] == pytest.approx(np.sqrt(0.02))
    assert found.loc[("11", "mean corrected AUC, standard"), "value"] == pytest.approx(0.7)


def test_learners_are_compared_by_the_worse_null():
    distances = {"restricted_distance": [0.01, 0.2], "standard_distance": [0.04, 0.01]}
    distances |= {f"{null}_midpoint_distance": 0.01 for null in ("restricted", "standard")}
    base = {"scenario": "fig05_redraws", "metric": "mse", "n_test": 30, "status": "ok"}
    table = deviations.learner_table(pd.DataFrame(base | distances)).set_index(["figure", "learner"])
    found = table.loc[("5e", "nearest neighbours")]
    assert (found["share"], found["n_datasets"], found["median"]) == (0.5, 2, pytest.approx(0.12))
    assert table.loc[("5e", "random forests"), "n_datasets"] == 0
    assert len(table) == 54
