import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from permconf_study.paper.figures import scenario
from permconf_study.study.rejection_rates import alpha_grid, scenario_curves

pytestmark = pytest.mark.usefixtures("readable_in_print")


def tables(rng, datasets, metrics=("auc",), failed=0, tests=("response", "confounding"), draws=0):
    rows = [
        {
            "dataset": number,
            "metric": metric,
            "observed": rng.normal(0.7, 0.05),
            "corrected": rng.normal(0.6, 0.05),
            "restricted_mean": 0.6,
            "restricted_sd": 0.05,
            "baseline_mean": 0.5,
            "baseline_sd": 0.05,
            **{f"{test}_p": np.nan if number < failed else rng.random() for test in tests},
            "status": "failed" if number < failed else "ok",
        }
        for number in range(datasets)
        for metric in metrics
    ]
    kept = [
        {"dataset": row["dataset"], "metric": row["metric"], "null": null, "value": rng.normal(0.6, 0.05)}
        for row in rows
        for null in ("restricted", "standard")
        for _ in range(draws)
    ]
    made = pd.DataFrame(rows)
    curves = pd.DataFrame(scenario_curves(pa.Table.from_pandas(made), alpha_grid(20)))
    columns = ["dataset", "metric", "null", "value"]
    return {"tests": made, "curves": curves, "draws": pd.DataFrame(kept, columns=columns)}


def titles(figure):
    return [ax.get_title() for ax in figure.axes]


@pytest.mark.parametrize(
    ("truth", "names"),
    [
        ({"response": True, "confounding": False}, ("power", "type I error")),
        ({"response": False, "confounding": True}, ("type I error", "power")),
        (None, ("rejection rate", "rejection rate")),
    ],
)
def test_rates_are_named_by_the_truth(rng, truth, names):
    drawn = scenario.figure(tables(rng, 30), title="a title", truth=truth)
    for ax, name in zip(drawn.axes[:2], names, strict=True):
        assert ax.get_ylabel() == f"{name} (30 data sets)"
        assert ax.get_title().endswith(f": {name}") == (truth is not None)


def test_curves_and_read_outs_are_those_of_the_table(rng):
    made = tables(rng, 30, failed=4, tests=("response", "confounding", "algorithm2", "conditional"))
    drawn = scenario.figure(made, title="a title")
    curves = made["curves"]
    for ax, tests in zip(drawn.axes[:2], (["response"], ["confounding", "algorithm2", "conditional"]), strict=True):
        lines = ax.get_lines()[1:]
        assert len(lines) == len(tests)
        for line, test in zip(lines, tests, strict=True):
            rows = curves[curves["test"] == test]
            np.testing.assert_array_equal(line.get_ydata(), rows["rate"])
            at = rows[np.isclose(rows["alpha"], 0.05)].iloc[0]
            assert line.get_label().endswith(f"{at['rate']:.3f} ({at['low']:.3f} to {at['high']:.3f})")
        assert ax.get_legend().get_title().get_text() == "at 0.05"
        assert "(26 data sets)" in ax.get_ylabel()
    assert drawn.axes[2].get_ylabel() == "data sets (of 26)"
    assert drawn.get_suptitle() == "a title\n30 data sets, 4 failed and omitted"


@pytest.mark.parametrize("draws", [0, 40])
def test_few_data_sets_are_drawn_one_by_one(rng, draws):
    drawn = scenario.figure(tables(rng, 5, metrics=("auc", "accuracy"), draws=draws), title="t")
    used = [ax for ax in drawn.axes if ax.axison]
    assert len(used) == 10
    assert titles(drawn)[0].startswith("data set 0\nresponse $p$ = ")
    assert [ax.get_xlabel() for ax in used] == ["AUC"] * 5 + ["accuracy"] * 5


def test_a_scenario_whose_data_sets_all_failed_says_so(rng):
    drawn = scenario.figure(tables(rng, 12, failed=12), title="t")
    assert drawn.get_suptitle().endswith("12 data sets, 12 failed and omitted")
    assert drawn.axes[0].get_legend().get_texts()[0].get_text() == "no data sets"


def test_without_permutations_predictions_alone_are_shown(rng):
    made = tables(rng, 12, tests=("prediction",))
    made["tests"] = made["tests"].drop(columns=["corrected", "baseline_mean"])
    empty, rates, values = scenario.figure(made, title="t").axes
    assert not empty.axison
    assert not empty.get_lines()
    assert (rates.get_title(), values.get_title()) == ("prediction test, $H_0^c$", "observed metric")


def test_far_values_do_not_squeeze_the_histogram():
    values = np.r_[np.linspace(0, 1, 200), 1e6]
    bins, outside = scenario.metric_bins(values)
    assert bins[-1] == 1
    assert outside == 1
    bins, outside = scenario.metric_bins(np.full(9, 0.5))
    assert bins[0] < 0.5 < bins[-1]
    assert outside == 0
