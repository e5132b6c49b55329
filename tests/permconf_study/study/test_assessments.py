import sys
from dataclasses import replace

import numpy as np
import pytest

from permconf.data.sample import Sample
from permconf.inference.association_test import association_test
from permconf.inference.prediction_test import prediction_test
from permconf.metrics import Metric, make_metric
from permconf.permute.random_streams import Streams
from permconf.reweight.metric import reweighted_metric
from permconf_study.study.assessments import Observed, assess_datasets, dataset_sample, evaluate_sample, split_rows
from permconf_study.study.datasets import Dataset

ANALYSIS = {
    "split": {"name": "half"},
    "learner": "logistic",
    "metrics": ["auc", "accuracy"],
    "nulls": ["restricted"],
    "permutations": 20,
    "draws": "all",
}
INTERFACE = [
    *("dataset", "metric", "n_train", "n_test", "observed", "restricted_mean", "restricted_sd", "baseline_mean"),
    *("baseline_sd", "n_permutations", "response_p", "confounding_z", "confounding_p", "corrected", "status", "error"),
]


def assessed(datasets, analysis=ANALYSIS, **changes):
    """The tables of tests and of draws."""
    return assess_datasets(datasets, analysis | changes, stream="s", seed=1)


CONFOUNDER_TESTS = {"algorithm2": {"shuffles": 9, "inner": 3}, "conditional": {"shuffles": 5, "inner": "test_size"}}


@pytest.fixture
def datasets(rng):
    made = []
    for number in range(4):
        X, c = rng.standard_normal((60, 2)), rng.integers(0, 2, 60)
        made.append(Dataset(number, X, (X[:, 0] + rng.standard_normal(60) > 0).astype(np.uint8), c))
    return made


def test_the_table_of_tests_keeps_its_columns_and_a_row_is_the_same_in_any_chunk(datasets):
    tests, _ = assessed(datasets)
    assert [name for name in tests if name in INTERFACE] == INTERFACE
    assert tests["dataset"] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert tests["metric"] == ["auc", "accuracy"] * 4
    assert set(tests["status"]) == {"ok"}
    alone, _ = assessed(datasets[2:3])
    assert all(alone[name] == tests[name][4:6] for name in INTERFACE)


def test_a_failed_data_set_is_a_row_with_its_error(datasets):
    datasets[1] = Dataset(1, datasets[1].X, np.zeros(60, np.uint8), datasets[1].c)
    datasets[3] = Dataset(3, np.empty((0, 2)), np.empty(0), np.empty(0), error="Traceback\nthe generator said no")
    tests, draws = assessed(datasets, confounder_tests=CONFOUNDER_TESTS)
    assert tests["status"] == ["ok", "ok", "failed", "failed"] * 2
    assert "one class only" in tests["error"][2]
    assert tests["error"][2].startswith("ValueError: ")
    assert tests["traceback"][2].startswith("Traceback")
    assert tests["error"][6] == "ValueError: not simulated: the generator said no"
    assert tests["traceback"][6] == "Traceback\nthe generator said no"
    assert np.isnan([tests["observed"][2], tests["algorithm2_p"][2]]).all()
    assert tests["conditional_inner"][2] == 0
    assert set(draws["dataset"]) == {0, 2}


@pytest.mark.parametrize("trouble", [MemoryError(), OSError(24, "Too many open files"), ImportError("no segment")])
def test_trouble_with_the_machine_fails_the_step_and_no_data_set(datasets, monkeypatch, trouble):
    """A chunk with such rows would count as finished, and the same command would not recover."""

    def split_rows(*_):
        raise trouble

    monkeypatch.setattr("permconf_study.study.assessments.split_rows", split_rows)
    with pytest.raises(type(trouble)):
        assessed(datasets)


def test_code_that_ends_the_process_fails_its_data_set(datasets, monkeypatch):
    monkeypatch.setattr("permconf_study.study.assessments.split_rows", lambda *_: sys.exit(0))
    tests, _ = assessed(datasets)
    assert set(tests["error"]) == {"SystemExit: 0"}


def test_draws_are_those_the_tests_rest_on(datasets):
    tests, draws = assessed(datasets)
    rows = (draws["dataset"] == 2) & (draws["metric"] == "accuracy") & (draws["null"] == "restricted")
    assert rows.sum() == 20
    assert np.mean(draws["value"][rows]) == tests["restricted_mean"][5]
    none, empty = assessed(datasets, draws="none")
    assert none["restricted_mean"] == tests["restricted_mean"]
    assert {name: len(column) for name, column in empty.items()} == dict.fromkeys(draws, 0)


def test_confounder_tests_add_columns_and_draws_and_change_nothing_else(datasets):
    tests, draws = assessed(datasets, confounder_tests=CONFOUNDER_TESTS)
    plain, _ = assessed(datasets)
    alone, _ = assessed(datasets[2:3], confounder_tests=CONFOUNDER_TESTS)
    assert {name: tests[name] for name in plain} == plain
    assert (set(tests["algorithm2_inner"]), set(tests["conditional_inner"])) == ({3}, {30})
    for kind, shuffles in (("algorithm2", 9), ("conditional", 5)):
        rows = (draws["dataset"] == 2) & (draws["metric"] == "accuracy") & (draws["null"] == kind)
        values = draws["value"][rows]
        assert len(values) == shuffles
        assert np.mean(values) == tests[f"{kind}_mean"][5]
        assert np.std(values, ddof=1) == tests[f"{kind}_sd"][5]
        assert tests[f"{kind}_p"][5] == (1 + np.sum(values >= tests[f"{kind}_statistic"][5])) / (1 + shuffles)
        assert alone[f"{kind}_p"] == tests[f"{kind}_p"][4:6]


def test_each_kind_of_split_has_a_random_stream_of_its_own(datasets):
    purposes = []

    class Spy(Streams):
        def rng(self, purpose):
            purposes.append(purpose)
            return super().rng(purpose)

    population = [{"y": y, "c": c, "share": 0.25} for y in (0, 1) for c in (0, 1)]
    splits = {"name": "stratified"}, {"name": "population", "shares": population}
    sample = Sample.of(datasets[0].X, datasets[0].y, datasets[0].c)
    rows = [split_rows(sample, split, Spy(1, "s", 0)) for split in splits]
    again = [split_rows(sample, split, Streams(1, "s", 0)) for split in splits]
    assert purposes == ["split/stratified", "split/population"]
    np.testing.assert_equal(rows, again)


def test_a_data_set_becomes_a_sample_with_its_confounder_as_the_analysis_treats_it(datasets):
    labelled = replace(datasets[0], y=np.array(["control", "case"])[datasets[0].y], c=np.linspace(0, 1, 60))
    analysis = ANALYSIS | {"split": {"name": "first", "train_size": 40}, "confounder": {"breaks": [0.5]}}
    sample = dataset_sample(labelled, analysis, task="classification")
    assert sample.response.labels.tolist() == ["control", "case"]
    evaluation = evaluate_sample(sample, analysis, Streams(1, "s", 0))
    assert evaluation.part("train").confounders.codes.tolist() == [0] * 30 + [1] * 10
    np.testing.assert_array_equal(evaluation.part("test").features.X, labelled.X[40:])


def test_rows_that_cannot_be_permuted_are_counted_and_warned_of(datasets, caplog):
    lonely = [replace(datasets[0], c=np.where(np.arange(datasets[0].c.size) == 0, 9, datasets[0].c)), *datasets[1:]]
    tests, _ = assessed(lonely, metrics=["auc"])
    assert tests["fixed"] == [1] + [0] * (len(datasets) - 1)
    assert f"1 of {len(datasets)} data sets have rows in levels" in caplog.text
    assert set(assessed(lonely, confounder={"quantiles": 2})[0]["fixed"]) == {0}


def test_a_smooth_confounder_is_preserved_without_bins(datasets, rng):
    made = [replace(d, X=d.X + d.c[:, None], c=d.c + rng.standard_normal(60)) for d in datasets]
    smooth = {"metrics": ["auc"], "confounder": "smooth"}
    together, _ = assessed(made, **smooth)
    alone, _ = assessed(made[2:3], **smooth)
    assert set(together["status"]) == {"ok"}
    assert set(together["fixed"]) == {0}
    assert alone["restricted_mean"] == together["restricted_mean"][2:3]
    assert assessed(datasets, **smooth)[0] == assessed(datasets, **smooth | {"confounder": "levels"})[0]
    for kind, options in CONFOUNDER_TESTS.items():
        tests, _ = assessed(made[:1], **smooth, confounder_tests={kind: options})
        assert f"the {kind} test needs levels of the confounder, which is smooth" in tests["error"][0]


def test_one_failing_metric_does_not_drop_the_others(datasets, monkeypatch):
    def failing(Y, scores):
        if Y[0].any():
            raise ZeroDivisionError("no luck")
        return make_metric("accuracy").values(Y, scores)

    broken = Metric(failing, task="classification")
    monkeypatch.setattr(
        "permconf_study.study.assessments.make_metric", lambda name: broken if name == "broken" else make_metric(name)
    )
    tests, draws = assessed(datasets, metrics=["auc", "broken", "accuracy"])
    assert tests["status"] == ["ok", "failed", "ok"] * 4
    assert tests["error"][1] == "ZeroDivisionError: no luck"
    together, all_draws = assessed(datasets)
    for name in ("observed", "corrected_quantile", "confounding_p", "flagged"):
        assert [v for k, v in enumerate(tests[name]) if k % 3 != 1] == together[name]
    np.testing.assert_array_equal(draws["value"], all_draws["value"])


# ---- what predictions show -------------------------------------------------------------------------------------------

PREDICTIONS = ANALYSIS | {"predictions": {"permutations": 99, "bootstrap": 20}}
SHOWN = ["prediction_p", "prediction_sign", "association_p", "combined_p"]
SHOWN += ["reweighted", "reweighted_low", "reweighted_high", "prediction_undefined", "reweighted_undefined"]


def test_what_predictions_show_comes_last_and_changes_nothing_else(datasets):
    plain, _ = assessed(datasets)
    tests, _ = assessed(datasets, PREDICTIONS)
    alone, _ = assessed(datasets[2:3], PREDICTIONS)
    assert [name for name in tests if name not in plain] == SHOWN == list(tests)[-len(SHOWN) :]
    assert {name: tests[name] for name in plain} == plain
    for name in SHOWN:
        assert alone[name] == tests[name][4:6]
    assert tests["prediction_p"][0::2] == tests["prediction_p"][1::2]  # the same for both metrics
    assert tests["reweighted"][0::2] != tests["reweighted"][1::2]


def test_what_predictions_show_is_what_the_library_says(datasets):
    dataset, streams = datasets[1], Streams(1, "s", 1)
    tests, _ = assessed([dataset], PREDICTIONS)
    X, y, c, half = dataset.X, dataset.y, dataset.c, slice(30, None)
    evaluation = evaluate_sample(Sample.of(X, y, c), PREDICTIONS, streams)
    scores = evaluation.scores[0].values[:, 0]
    seed = int(streams.keys("predictions", 1)[0])
    prediction = prediction_test(scores, y[half], c[half], permutations=99, shape="linear", seed=seed)
    association = association_test(y, c, parts=np.arange(60) // 30, permutations=99, shape="linear", seed=seed)
    metric = reweighted_metric(y[half], scores, c[half], metric="auc", bootstrap=20, seed=seed)
    assert [tests[name][0] for name in SHOWN[:3]] == [prediction.p, prediction.sign, association.p]
    assert tests["combined_p"][0] == max(prediction.p, association.p)
    value, low, high = (tests[name][0] for name in SHOWN[4:7])
    assert value == metric.value
    assert metric.low < low < value < high < metric.high  # published intervals have the freedom of all rows


def test_several_confounders_and_numbers_are_tested_as_they_come(rng):
    y = rng.integers(0, 2, 400).astype(np.uint8)
    c = np.column_stack([y + rng.standard_normal(400), rng.integers(0, 2, 400)])  # one associated, the other read
    X = (y + 2 * c[:, 1] + 0.3 * rng.standard_normal(400))[:, None]
    options = {"metrics": ["auc"], "confounder": [{"quantiles": 2}, "levels"]}
    tests, _ = assessed([Dataset(0, X, y, c)], PREDICTIONS, **options)
    assert tests["prediction_p"] == [0.01]
    assert tests["association_p"] == [0.01]
    assert tests["combined_p"][0] > 0.05  # neither has both links


def test_what_is_not_defined_is_missing_and_fails_nothing(datasets):
    empty = [replace(datasets[0], c=datasets[0].y.astype(int)), replace(datasets[1], y=np.zeros(60, np.uint8))]
    tests, _ = assessed(empty, PREDICTIONS, metrics=["auc"], permutations=5)
    assert set(SHOWN) <= set(tests)
    assert np.isnan(tests["reweighted"]).all()
    assert tests["prediction_sign"][1] == ""
    without, _ = assessed(datasets, predictions={"permutations": 9})
    assert np.isnan(without["reweighted"]).all()
    assert np.isfinite(without["prediction_p"]).all()


def test_without_permutations_predictions_are_judged_and_nothing_else_changes(datasets):
    broken = [*datasets, replace(datasets[0], number=4, error="Traceback\nno")]
    tests, _ = assessed(broken, PREDICTIONS)
    without, draws = assessed(broken, PREDICTIONS, permutations=0)
    assert not draws["value"].size
    kept = {*Observed._fields, "dataset", "status", "error", "traceback", *SHOWN}
    assert list(without) == [name for name in tests if name in kept]
    for name in {*without} - {"flagged"}:  # fewer fits
        np.testing.assert_array_equal(without[name], tests[name])


def test_numeric_confounders_are_tested_in_groups_as_well(rng):
    """An effect by the square of C is seen in groups only; levels are their own groups."""
    c, y = rng.standard_normal(600), rng.integers(0, 2, 600).astype(np.uint8)
    X, options = (c**2 + 0.5 * y)[:, None], PREDICTIONS | {"predictions": {"permutations": 99, "groups": 5}}
    given = [c, np.sign(c), np.where(np.arange(600) < 300, c, 0.5)]  # the last is constant in the test rows
    data = [Dataset(number, X, y, one) for number, one in enumerate(given)]
    tests, _ = assessed(data, options, metrics=["auc"], permutations=0)
    assert tests["grouped_p"][0] == 0.01 < tests["prediction_p"][0]
    assert tests["grouped_p"][1] == tests["prediction_p"][1]
    assert (tests["status"][2], np.isnan(tests["grouped_p"][2])) == ("ok", True)
    assert tests["prediction_undefined"][2]


def test_the_association_is_that_of_all_rows_whichever_an_adjustment_selects(datasets):
    every, matched = (assessed(datasets, PREDICTIONS, adjustment=name)[0] for name in ("none", "matching"))
    assert matched["association_p"] == every["association_p"]
    assert matched["n_train"] != every["n_train"]
