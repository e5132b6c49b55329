from dataclasses import replace

import numpy as np
import pytest
import yaml

from permconf.__main__ import main
from permconf.errors import ConfigError
from permconf_study.commands import plan as planning
from permconf_study.commands.plan import Plan, cost_text, make_plan, plans_text, wall_seconds, write_chunk, write_plans
from permconf_study.study.scenario import load_scenarios
from permconf_study.study.tables import read_plan


def test_monte_carlo_error_and_its_inverse():
    assert planning.mcse(1000) == pytest.approx(0.0069, abs=1e-4)
    assert planning.datasets_for(0.003) == 5278
    assert planning.mcse(planning.datasets_for(0.003)) <= 0.003


def test_costs_follow_from_the_pilot():
    plan = Plan(datasets=1000, seconds_per_dataset=3.0, memory_mb=600, disk_mb=30, chunk=100)
    assert plan.cost.jobs == 10
    assert plan.cost.core_hours == pytest.approx((3000 + 10 * planning.JOB_OVERHEAD_SECONDS) / 3600)
    assert plan.runtime == 15
    text = cost_text("x", plan)
    assert "1,000 data sets" in text
    assert "0.0069" in plans_text([plan], 2)
    assert "5 min per job" in text
    assert "10 jobs" in text
    assert "failed" not in text
    assert wall_seconds([plan], 2, 7) == 5 * (300 + 7)
    assert wall_seconds([plan], 100, 7) == wall_seconds([plan, replace(plan, datasets=50)], 100, 7) == 300 + 7
    assert plan.cost.local_seconds == 3000 + 10 * 2 * planning.STEP_OVERHEAD_SECONDS
    larger = planning.mcse_text([plan], 0.003)
    assert "5,278 data sets" in larger
    assert f"{(5278 * 3 + 54 * planning.JOB_OVERHEAD_SECONDS) / 3600:.3g} core-hours" in larger


@pytest.mark.parametrize("count", [1, 5, 9])
def test_pilot_rows_are_spread_over_the_sizes(count):
    design = {"n": np.random.default_rng(0).permutation(1000)}
    chosen = design["n"][planning.spread_rows(design, count)]
    np.testing.assert_allclose(np.sort(chosen), (np.arange(count) + 0.5) * 1000 / count, atol=1)
    assert abs(chosen[:3].mean() - 500) < 200 or count < 3


def test_a_pilot_of_experiment_4(request, monkeypatch):
    scenario = load_scenarios(request.config.rootpath / "workflow/scenarios", {"datasets": 50})["exp4"]
    plan = make_plan(scenario, seed=1)
    assert plan.datasets == 50
    assert 0 < plan.seconds_per_dataset < 5
    assert plan.chunk == scenario["chunk"]
    assert plan.recommended_chunk == 1000, "so that it still holds for more data sets"
    assert "in chunks of 50 " in cost_text("exp4", plan)
    assert plan.disk_mb == pytest.approx(50 * 400 * 10 * 8 / 1e6, rel=0.3)
    monkeypatch.setattr(planning, "true_metrics", lambda *_, **__: 1 / 0)
    make_plan(scenario | {"truth": {"datasets": 0}}, seed=1)
    with pytest.raises(ZeroDivisionError):  # the truth of its metrics is part of the pilot
        make_plan(scenario, seed=1)


def test_plans_are_added_to_the_file(tmp_path):
    one = Plan(datasets=10, seconds_per_dataset=1.0, memory_mb=600, disk_mb=1, chunk=5)
    write_plans({"a": one}, tmp_path / "plan.yaml")
    write_plans({"b": one}, tmp_path / "plan.yaml")
    kept = yaml.safe_load((tmp_path / "plan.yaml").read_text())
    assert set(kept) == {"a", "b"}
    assert kept["a"]["runtime"] == 10
    assert "chunk" not in kept["a"], "a plan sets resources, never the names of files"


@pytest.mark.parametrize("text", ["title: x\nchunk: 100  # data sets\nsplit: half\n", "title: x\nsplit: half\n"])
def test_a_chunk_size_is_written_into_the_scenario(tmp_path, text):
    path = tmp_path / "x.yaml"
    path.write_text(text)
    assert write_chunk(path, 25, finished=False) == f"chunk: 25 written to {path}"
    assert yaml.safe_load(path.read_text()) == {"title": "x", "chunk": 25, "split": "half"}
    assert "not changed" in write_chunk(path, 50, finished=True)
    assert yaml.safe_load(path.read_text())["chunk"] == 25


@pytest.mark.parametrize("text", ["just a word", "[1, 2]", "exp1: 3", "exp1: {memory_mb: [1]}", "a: {b: 1", "\x00"])
def test_a_file_that_is_no_plan_is_named_in_one_sentence(tmp_path, text):
    path = tmp_path / "plan.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"plan.yaml is not a plan; delete it and run: permconf plan SCENARIO$"):
        read_plan(path)


def test_a_plan_whose_pilots_all_failed_is_not_saved_and_fails(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def refuse(*_):
        raise RuntimeError("the learner refused")

    monkeypatch.setattr("permconf.learners.logistic.Logistic.scores", refuse)
    assert main(["plan", "exp4", "--config", "datasets=2"]) == 1
    assert "pilot data sets: 2 of 2 failed, the first with RuntimeError" in capsys.readouterr().out
    assert not (tmp_path / "results/plan.yaml").exists()
