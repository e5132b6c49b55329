"""The arena judges every method on the same rows, and its truths are those of the model."""

import numpy as np
import pandas as pd
import pytest

from permconf.adjustments import Adjustment, make_adjustment
from permconf.engine.adjustment import check_adjustment
from permconf.generators import make_generator
from permconf.learners import make_learner
from permconf.permute.random_streams import Streams
from permconf_study.study.arena import JUDGED, Trial, contest, load_methods
from permconf_study.study.datasets import simulate

ANALYSIS = {
    "split": {"name": "half"},
    "metrics": ["auc"],
    "predictions": {"permutations": 19, "bootstrap": 5},
}
CONTESTANTS = load_methods()
FEW_TREES = CONTESTANTS | {"learners": {"logistic": "logistic", "forest": {"name": "random_forest", "trees": 5}}}


def problem(datasets=1, **changed):
    parameters = {
        "n": 200,
        "gamma": 1.1,
        "beta": 0.5,
        "theta": 0.5,
        "rho": 0.3,
        "continuous": 1,
        "second": 1,
        **changed,
    }
    design = {"dataset": np.arange(datasets)} | {k: np.full(datasets, v) for k, v in parameters.items()}
    data = {"generator": "overlapping_effects", "stream": "test"}
    return data, design, simulate(data, design, stream="test", seed=3)


def trial(**changed):
    data, design, (dataset,) = problem(**changed)
    parameters = {k: v[0] for k, v in design.items() if k != "dataset"}
    return dataset, Trial.of(dataset, parameters, data, ANALYSIS, Streams(3, "test", 0))


def test_every_method_can_be_made_for_its_learners():
    for method in CONTESTANTS["methods"].values():
        adjustment = make_adjustment(method["adjustment"])
        for name in method.get("learners", CONTESTANTS["learners"]):
            learner = make_learner(CONTESTANTS["learners"][name])
            check_adjustment(adjustment, learner, "classification", levels="bins" in method)


@pytest.mark.slow
def test_all_methods_have_a_row_and_none_fails_with_a_numeric_and_a_binary_confounder():
    data, design, datasets = problem(gamma2=0.8, theta2=0.4)
    table = pd.DataFrame(contest(datasets, design, data, ANALYSIS, FEW_TREES, seed=3))
    assert (table["error"] == "").all(), table["error"].max()
    assert set(table["method"]) == set(CONTESTANTS["methods"])
    assert table[[*JUDGED]].drop(columns="prediction_sign").notna().all(axis=None)
    assert (table["kept"] <= table["n_train"]).all()
    assert table.groupby("learner")["oracle"].nunique().eq(1).all()
    again = pd.DataFrame(contest(datasets, design, data, ANALYSIS, FEW_TREES, seed=3))
    pd.testing.assert_frame_equal(table, again)


def test_methods_for_numbers_are_left_out_for_levels_and_failures_are_rows():
    data, design, datasets = problem(continuous=0, second=0, gamma=30)  # no two rows of both classes are alike
    table = pd.DataFrame(contest(datasets, design, data, ANALYSIS, FEW_TREES, seed=3)).set_index(["learner", "method"])
    assert not any(CONTESTANTS["methods"][method].get("numeric") for _, method in table.index)
    assert "leaves no rows" in table.loc[("logistic", "matching"), "error"]
    assert np.isnan(table.loc[("logistic", "matching"), "independent"])
    assert table.loc[("logistic", "none"), "error"] == ""


def test_rows_of_a_trial_are_those_of_the_data_set_and_of_both_populations():
    dataset, found = trial()
    X, y, c = found.sample.features.X, found.sample.response.values, found.sample.confounders.given
    np.testing.assert_array_equal(X[:200], dataset.X)
    np.testing.assert_array_equal(c[:200], dataset.c)
    assert list(found.parts) == ["test", "independent", "reversed"]
    assert [len(rows) for rows in found.parts.values()] == [100, 1000, 1000]
    association = {name: np.corrcoef(y[rows], c[rows, 0])[0, 1] for name, rows in found.parts.items()}
    assert association["test"] > 0.2
    assert abs(association["independent"]) < 4 / np.sqrt(1000)
    assert association["reversed"] < -0.3
    acted = (X - found.clean.features.X)[:1200]  # the oracle is not tested where the association is reversed
    assert np.all(acted[:, :2] == 0)
    np.testing.assert_allclose(acted[:, 2:], 0.5 * c[:1200, [0]] * np.ones(4), atol=1e-12)


def test_bins_are_those_of_the_data_set():
    dataset, found = trial()
    treatment = found.treatment(4)
    np.testing.assert_allclose(treatment[0]["breaks"], np.quantile(dataset.c[:, 0], [0.25, 0.5, 0.75]))
    assert treatment[1] == "levels"
    assert found.sample.treated(treatment).confounders.strata.counts.size == 8
    assert found.treatment(None) == "smooth"


class EveryOther(Adjustment):
    """Keeps every other row of both sets."""

    selects = ("train", "test")

    def select(self, part, train, rng):  # noqa: ARG002
        return np.arange(0, len(part), 2)


def test_scores_are_matched_with_their_rows_by_number():
    """Selection leaves rows out, so that a place in the scores is not one in a part."""
    _, found = trial(continuous=0, second=0)
    sample = found.sample.treated("levels")
    all_rows, some = (
        found.by_part(found.evaluated(sample, "feature", adjustment, Streams(3, "test", 0)))
        for adjustment in ("none", EveryOther())
    )
    for part, rows in found.parts.items():
        np.testing.assert_array_equal(all_rows[part][0], rows)
        kept, scores = some[part]
        assert set(kept) < set(rows)
        np.testing.assert_array_equal(scores.values[:, 0], sample.features.X[kept, 0])


@pytest.mark.slow
def test_the_oracle_is_not_beaten_where_the_confounder_is_independent():
    """Means over 40 data sets, by three Monte Carlo errors of the paired difference."""
    data, design, datasets = problem(40, continuous=0, second=0)
    logistic = {"learners": {"logistic": "logistic"}, "methods": {"none": CONTESTANTS["methods"]["none"]}}
    table = pd.DataFrame(contest(datasets, design, data, ANALYSIS, logistic, seed=3))
    gap = table["oracle"] - table["independent"]
    assert gap.mean() > 3 * gap.sem()


def test_effects_overlap_where_the_generator_says(rng):
    options = {"n": 40_000, "gamma": 1.0, "beta": 0.6, "theta": 0.4, "rho": 0.2, "interaction": 0.5}
    X, y, c = make_generator("overlapping_effects").sample(rng, **options)
    error = 5 / np.sqrt(40_000 / 8)
    for level in (-1, 1):
        rows = c == level
        assert abs(y[rows].mean() - 1 / (1 + np.exp(-level))) < error
        for k in (0, 1):
            mean = X[rows & (y == k)].mean(axis=0)
            acted = 0.4 * level * (1.5 if k else 0.5)
            expected = 0.6 * k * np.array([1, 1, 1, 1, 0, 0]) + acted * np.array([0, 0, 1, 1, 1, 1])
            assert np.abs(mean - expected).max() < error
