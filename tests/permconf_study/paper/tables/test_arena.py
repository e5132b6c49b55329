import numpy as np
import pandas as pd
import pytest

from permconf_study.paper.figures import figE1, figE2
from permconf_study.paper.tables.arena import NUMERIC, SETTINGS, arena_results, arena_summary
from permconf_study.study.arena import load_methods

pytestmark = pytest.mark.usefixtures("readable_in_print")


def rows(n, *, seed=0, **changed):
    rng = np.random.default_rng(seed)
    oracle = 0.7 + 0.02 * rng.normal(size=n)
    columns = {
        "dataset": np.arange(n),
        "learner": "logistic",
        "method": "none",
        "oracle": oracle,
        "n_train": 100,
        "kept": 80,
        "prediction_p": rng.choice([0.05, 0.2], n),
        "prediction_sign": "masks",
        "association_p": 0.01,
        "combined_p": 0.5,
        "grouped_p": np.where(np.arange(n) < n // 4, 0.05, 0.06),
        "reweighted": oracle - 0.05,
        "reweighted_low": 0.5,
        "reweighted_high": 0.68,
        "observed": 0.8,
        "independent": 0.5 + 0.8 * (oracle - 0.5) + 0.01 * rng.normal(size=n),
        "reversed": 0.5,
        "error": "",
    }
    return pd.DataFrame(columns | changed)


def test_summary_by_hand():
    results = arena_results({"arena_weak": rows(40), "arena_strong": rows(8, error=["no"] * 2 + [""] * 6)})
    assert list(dict.fromkeys(results["setting"])) == ["weak", "strong"]
    weak, strong = arena_summary(results).to_dict("records")
    table = rows(40)
    assert (weak["n_datasets"], weak["failed"], strong["n_datasets"], strong["failed"]) == (40, 0, 6, 2)
    assert weak["rate"] == 0.25
    assert np.isclose(weak["rate_mcse"], np.sqrt(0.25 * 0.75 / 40))
    assert weak["plain"] == (table["prediction_p"] == 0.05).mean()
    assert weak["combined"] == 0
    assert (weak["masks"], weak["gain"], weak["gain_mcse"]) == (1, 0, 0)
    assert np.isclose(weak["lost"], 0.2)
    assert np.isclose(weak["kept"], (table["independent"].mean() - 0.5) / (table["oracle"].mean() - 0.5))
    assert weak["kept_reversed"] == 0
    covered = table["independent"].between(0.5, 0.68)
    assert np.isclose(weak["coverage"], covered.mean())
    assert weak["n_reweighted"] == 40
    assert np.isclose(weak["error"], (table["reweighted"] - table["independent"]).mean())


def test_gain_is_that_over_no_adjustment_on_the_same_data_sets():
    none, other = rows(40), rows(40, method="matching")
    other["independent"] += 0.02
    failed = other.assign(error=[""] * 30 + ["no"] * 10, independent=other["independent"].where(other["dataset"] < 30))
    for table in (other, failed.sample(frac=1, random_state=0)):
        gain = arena_summary(arena_results({"arena_weak": pd.concat([none, table])})).iloc[1]
        ok = table[table["error"] == ""]
        assert np.isclose(gain["gain"], 0.02 / (ok["oracle"].mean() - 0.5))


def test_intervals_of_rates_do_not_vanish_at_the_ends():
    table = pd.DataFrame({"rate": [0.0, 0.5, 1.0], "n_datasets": [100, 100, 100], "kept": 0.9, "kept_mcse": 0.01})
    low, high = figE2.interval(table, "rate")
    assert np.allclose(low, [0, 39.83, 100 * 0.025 ** (1 / 100)], atol=0.01)
    assert np.allclose(high, [100 * (1 - 0.025 ** (1 / 100)), 60.17, 100], atol=0.01)
    assert np.allclose(figE2.interval(table, "kept"), [[88.04] * 3, [91.96] * 3])


def test_the_error_of_the_ratio_is_that_of_repetitions():
    found = [arena_summary(arena_results({"arena_weak": rows(50, seed=seed)})).iloc[0] for seed in range(200)]
    kept, errors = np.array([r["kept"] for r in found]), np.array([r["kept_mcse"] for r in found])
    assert abs(kept.mean() - 0.8) < 4 * kept.std() / np.sqrt(200)
    assert abs(errors.mean() / kept.std() - 1) < 4 / np.sqrt(2 * 200)


def everything():
    tables, methods = {}, load_methods()["methods"]
    for k, setting in enumerate(SETTINGS):
        parts = []
        for name, method in methods.items():
            if method.get("numeric") and setting not in NUMERIC:
                continue
            for learner in method.get("learners", ["logistic", "forest"]):
                parts.append(rows(6, seed=k, method=name, learner=learner))
        tables[f"arena_{setting}"] = pd.concat(parts)
    return arena_summary(arena_results(tables))


def test_settings_are_the_scenarios_of_the_group(scenarios):
    names = [name for name, scenario in scenarios.items() if scenario["group"] == "arena"]
    assert sorted(names) == sorted(f"arena_{setting}" for setting in SETTINGS)


def test_the_charts_have_a_cell_for_every_method_and_setting():
    summary = everything()
    charts = [figE1.figure({"summary": summary}, quantity=name) for name in ("rate", "kept", "kept_reversed")]
    methods = [m for m in load_methods()["methods"].values() if not m.get("numeric")]
    cells = sum(len(m.get("learners", ["logistic", "forest"])) for m in methods) * len(SETTINGS)
    last = charts[-1].axes[-1]  # for matching alone
    assert [sum(len(ax.texts) for ax in c.axes if ax is not last) for c in charts] == [cells] * 3
    assert [text.get_text() for text in last.texts] == ["20"] * len(SETTINGS)
    assert len(figE2.figure({"summary": summary}).axes) == 6


def test_the_best_methods_of_a_setting_are_framed():
    """Two columns of three methods: differences of 0.3 and 0.1 with standard errors of 0.1, then of 0.01."""
    values, errors = np.array([[0.9, 0.5], [0.6, 0.6], [0.8, 0.6]]), np.tile([0.1, 0.01], (3, 1))
    assert figE1.best(values, errors).tolist() == [[True, False], [False, True], [True, True]]
