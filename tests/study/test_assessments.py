from dataclasses import replace

import numpy as np
import pytest

from permconf.method.random_streams import Streams
from permconf.study.assessments import assess_datasets, dataset_split, split_rows
from permconf.study.datasets import Dataset

ANALYSIS = {
    "split": {"name": "half"},
    "learner": "logistic",
    "metrics": ["auc", "accuracy"],
    "nulls": ["restricted"],
    "permutations": 20,
    "draws": "all",
}
INTERFACE = [
    "dataset",
    "metric",
    "n_train",
    "n_test",
    "observed",
    "restricted_mean",
    "restricted_sd",
    "baseline_mean",
    "baseline_sd",
    "n_permutations",
    "response_p",
    "confounding_z",
    "confounding_p",
    "corrected",
    "status",
    "error",
]


@pytest.fixture
def datasets(rng):
    made = []
    for number in range(4):
        X, c = rng.standard_normal((60, 2)), rng.integers(0, 2, 60)
        made.append(Dataset(number, X, (X[:, 0] + rng.standard_normal(60) > 0).astype(np.uint8), c))
    return made


def test_the_table_of_tests_keeps_its_columns(datasets):
    tests, _ = assess_datasets(datasets, ANALYSIS, stream="s", seed=1)
    assert [name for name in tests if name in INTERFACE] == INTERFACE
    assert tests["dataset"] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert tests["metric"] == ["auc", "accuracy"] * 4
    assert set(tests["status"]) == {"ok"}


def test_a_data_set_is_the_same_in_any_chunk(datasets):
    together, _ = assess_datasets(datasets, ANALYSIS, stream="s", seed=1)
    alone, _ = assess_datasets(datasets[2:3], ANALYSIS, stream="s", seed=1)
    assert alone["restricted_mean"] == together["restricted_mean"][4:6]
    assert alone["response_p"] == together["response_p"][4:6]


def test_a_failed_data_set_is_a_row_with_its_error(datasets):
    datasets[1] = Dataset(1, datasets[1].X, np.zeros(60, np.uint8), datasets[1].c)
    datasets[3] = Dataset(3, np.empty((0, 2)), np.empty(0), np.empty(0), error="the generator said no")
    tests, draws = assess_datasets(datasets, ANALYSIS, stream="s", seed=1)
    assert tests["status"] == ["ok", "ok", "failed", "failed"] * 2
    assert "one class only" in tests["error"][2]
    assert tests["error"][2].startswith("ValueError: ")
    assert tests["traceback"][2].startswith("Traceback")
    assert tests["error"][6] == "ValueError: not simulated: the generator said no"
    assert tests["traceback"][6] == "the generator said no"
    assert np.isnan(tests["observed"][2])
    assert set(draws["dataset"]) == {0, 2}


def test_draws_are_those_the_tests_rest_on(datasets):
    tests, draws = assess_datasets(datasets, ANALYSIS, stream="s", seed=1)
    rows = (draws["dataset"] == 2) & (draws["metric"] == "accuracy") & (draws["null"] == "restricted")
    assert rows.sum() == 20
    assert np.mean(draws["value"][rows]) == tests["restricted_mean"][5]
    none, empty = assess_datasets(datasets, ANALYSIS | {"draws": "none"}, stream="s", seed=1)
    assert none["restricted_mean"] == tests["restricted_mean"]
    assert {name: len(column) for name, column in empty.items()} == dict.fromkeys(draws, 0)


CONFOUNDER_TESTS = {"algorithm2": {"shuffles": 9, "inner": 3}, "conditional": {"shuffles": 5, "inner": "test_size"}}


def test_confounder_tests_add_columns_and_draws(datasets):
    tests, draws = assess_datasets(datasets, ANALYSIS | {"confounder_tests": CONFOUNDER_TESTS}, stream="s", seed=1)
    assert [name for name in tests if name in INTERFACE] == INTERFACE
    assert set(tests["algorithm2_inner"]) == {3}
    assert set(tests["conditional_inner"]) == {30}
    for kind, shuffles in (("algorithm2", 9), ("conditional", 5)):
        rows = (draws["dataset"] == 2) & (draws["metric"] == "accuracy") & (draws["null"] == kind)
        values = draws["value"][rows]
        assert len(values) == shuffles
        assert np.mean(values) == tests[f"{kind}_mean"][5]
        assert np.std(values, ddof=1) == tests[f"{kind}_sd"][5]
        assert tests[f"{kind}_p"][5] == (1 + np.sum(values >= tests[f"{kind}_statistic"][5])) / (1 + shuffles)


def test_confounder_tests_change_nothing_else_and_need_no_company(datasets):
    analysis = ANALYSIS | {"confounder_tests": CONFOUNDER_TESTS}
    plain, _ = assess_datasets(datasets, ANALYSIS, stream="s", seed=1)
    together, _ = assess_datasets(datasets, analysis, stream="s", seed=1)
    alone, _ = assess_datasets(datasets[2:3], analysis, stream="s", seed=1)
    assert {name: together[name] for name in plain} == plain
    assert alone["algorithm2_p"] == together["algorithm2_p"][4:6]
    assert alone["conditional_statistic"] == together["conditional_statistic"][4:6]


def test_a_failed_data_set_has_the_columns_of_the_confounder_tests_too(datasets):
    datasets[1] = Dataset(1, datasets[1].X, np.zeros(60, np.uint8), datasets[1].c)
    tests, _ = assess_datasets(datasets, ANALYSIS | {"confounder_tests": CONFOUNDER_TESTS}, stream="s", seed=1)
    assert tests["status"][2] == "failed"
    assert np.isnan(tests["algorithm2_p"][2])
    assert tests["conditional_inner"][2] == 0


def test_each_kind_of_split_has_a_random_stream_of_its_own(datasets):
    purposes = []

    class Spy(Streams):
        def rng(self, purpose):
            purposes.append(purpose)
            return super().rng(purpose)

    population = [{"y": y, "c": c, "share": 0.25} for y in (0, 1) for c in (0, 1)]
    splits = {"name": "stratified"}, {"name": "population", "shares": population}
    rows = [split_rows(datasets[0], split, Spy(1, "s", 0)) for split in splits]
    again = [split_rows(datasets[0], split, Streams(1, "s", 0)) for split in splits]
    assert purposes == ["split/stratified", "split/population"]
    np.testing.assert_equal(rows, again)


def test_a_data_set_becomes_a_checked_and_encoded_split(datasets):
    labelled = replace(datasets[0], y=np.array(["control", "case"])[datasets[0].y], c=np.linspace(0, 1, 60))
    analysis = {"split": {"name": "first", "train_size": 40}, "confounder": {"breaks": [0.5]}}
    split = dataset_split(labelled, analysis, Streams(1, "s", 0), task="classification")
    np.testing.assert_array_equal(split.X_train, labelled.X[:40])
    np.testing.assert_array_equal(split.y_test, labelled.y[40:] == "control")  # the last of the sorted labels
    assert (split.c_train.tolist(), split.c_test.tolist()) == ([0] * 30 + [1] * 10, [1] * 20)
    with pytest.raises(ValueError, match="X_train has missing or infinite values"):
        dataset_split(replace(labelled, X=labelled.X * np.nan), analysis, Streams(1), task="classification")
    with pytest.raises(ValueError, match="not simulated: no luck"):
        dataset_split(replace(labelled, error="Traceback\nno luck"), analysis, Streams(1), task="classification")


def test_rows_that_cannot_be_permuted_are_counted_and_warned_of(datasets, caplog):
    analysis = ANALYSIS | {"metrics": ["auc"]}
    binned = analysis | {"confounder": {"quantiles": 2}}
    lonely = [replace(datasets[0], c=np.where(np.arange(datasets[0].c.size) == 0, 9, datasets[0].c)), *datasets[1:]]
    tests, _ = assess_datasets(lonely, analysis, stream="s", seed=1)
    assert tests["fixed"] == [1] + [0] * (len(datasets) - 1)
    assert f"1 of {len(datasets)} data sets have rows in levels" in caplog.text
    assert assess_datasets(lonely, binned, stream="s", seed=1)[0]["fixed"] == [0] * len(datasets)


def test_adjustments_are_made_before_the_learner(datasets):
    analysis = ANALYSIS | {"metrics": ["auc"]}
    plain, _ = assess_datasets(datasets, analysis, stream="s", seed=1)
    matched, _ = assess_datasets(datasets, analysis | {"adjustment": "matching"}, stream="s", seed=1)
    assert all(few < many for few, many in zip(matched["n_train"], plain["n_train"], strict=True))
    for name in ("residuals", "weighting", "resampling"):
        adjusted, _ = assess_datasets(datasets, analysis | {"adjustment": name}, stream="s", seed=1)
        alone, _ = assess_datasets(datasets[2:3], analysis | {"adjustment": name}, stream="s", seed=1)
        assert adjusted["observed"] != plain["observed"]
        assert adjusted["restricted_mean"][2] == alone["restricted_mean"][0]


def test_a_smooth_confounder_is_preserved_without_bins(datasets, rng):
    made = [replace(d, X=d.X + d.c[:, None], c=d.c + rng.standard_normal(60)) for d in datasets]
    analysis = ANALYSIS | {"metrics": ["auc"], "confounder": "smooth"}
    together, _ = assess_datasets(made, analysis, stream="s", seed=1)
    alone, _ = assess_datasets(made[2:3], analysis, stream="s", seed=1)
    assert set(together["status"]) == {"ok"}
    assert set(together["fixed"]) == {0}
    assert alone["restricted_mean"] == together["restricted_mean"][2:3]
    categorical, _ = assess_datasets(datasets, analysis, stream="s", seed=1)
    levels, _ = assess_datasets(datasets, analysis | {"confounder": "levels"}, stream="s", seed=1)
    assert categorical == levels


def test_tests_that_shuffle_levels_refuse_a_smooth_confounder(datasets, rng):
    made = [replace(datasets[0], c=rng.standard_normal(60))]
    for kind, options in CONFOUNDER_TESTS.items():
        analysis = ANALYSIS | {"confounder": "smooth", "confounder_tests": {kind: options}}
        tests, _ = assess_datasets(made, analysis, stream="s", seed=1)
        assert f"the {kind} test needs levels of the confounder, which is smooth" in tests["error"][0]
