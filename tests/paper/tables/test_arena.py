import numpy as np
import pandas as pd

from permconf.paper.figures import figE1, figE2
from permconf.paper.tables.arena import SETTINGS, arena_results, arena_summary
from permconf.study.arena import load_methods


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
    assert weak["masks"] == 1
    assert np.isclose(weak["lost"], 0.2)
    assert np.isclose(weak["kept"], (table["independent"].mean() - 0.5) / (table["oracle"].mean() - 0.5))
    assert weak["kept_reversed"] == 0
    covered = table["independent"].between(0.5, 0.68)
    assert np.isclose(weak["coverage"], covered.mean())


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
            if method.get("numeric") and setting not in figE2.NUMERIC:
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
    chart = figE1.figure({"summary": summary})
    methods = [m for m in load_methods()["methods"].values() if not m.get("numeric")]
    cells = sum(len(m.get("learners", ["logistic", "forest"])) for m in methods) * len(SETTINGS)
    assert sum(len(ax.texts) for ax in chart.axes) == cells * len(figE1.PANELS)
    assert any("(20)" in text.get_text() for text in chart.axes[0].texts)
    assert len(figE2.figure({"summary": summary}).axes) == 6
