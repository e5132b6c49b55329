"""Replay needs no files, agrees with a run, and shows why a data set fails."""

import pytest

from permconf.__main__ import parser
from permconf.errors import ConfigError
from permconf.permute.random_streams import Streams
from permconf_study.commands import replay as replaying
from permconf_study.study.assessments import assess_datasets
from permconf_study.study.datasets import simulate
from permconf_study.study.design import design_block
from permconf_study.study.scenario import load_scenarios
from permconf_study.study.tables import write_table

SEED = 5


@pytest.fixture(scope="module")
def scenarios(request):
    return load_scenarios(request.config.rootpath / "workflow/scenarios", {"datasets": 4})


@pytest.fixture
def kept(scenarios, tmp_path):
    """Tests of the first four data sets of fig05, written as a run writes them."""
    scenario = scenarios["fig05"] | {"permutations": 50}
    design = {k: v[:4] for k, v in design_block(scenario["data"], 0, Streams(SEED, "fig05", 0)).items()}
    datasets = simulate(scenario["data"], design, stream="fig05", seed=SEED)
    tests, _ = assess_datasets(datasets, scenario, stream="fig05", seed=SEED)
    write_table(tests, tmp_path / "tests.parquet")
    return scenario, tmp_path / "tests.parquet"


def test_a_replay_agrees_with_the_run(kept):
    scenario, path = kept
    parameters, dataset, rows, draws = replaying.replayed(scenario, 2, SEED)
    assert parameters["n"] == 200
    assert len(dataset.y) == 200
    assert [row["metric"] for row in rows] == ["mae", "mse", "ccc"]
    assert len(draws["value"]) == 3 * 2 * 50
    assert replaying.agreement(rows, path) == f"It agrees with {path}."
    assert "no row for this data set" in replaying.agreement([rows[0] | {"dataset": 99}], path)
    other = replaying.agreement([rows[0] | {"observed": 0.0}], path)
    assert f"It differs from {path}: mae observed is 0.0, was " in other
    assert "Not compared" in replaying.agreement(rows, path.with_name("none.parquet"))
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(ConfigError, match=r"tests.parquet is damaged; delete it and run: permconf run"):
        replaying.agreement(rows, path)


def test_what_is_printed(kept):
    scenario, _ = kept
    _, dataset, rows, draws = replaying.replayed(scenario, 1, SEED)
    features, training, test = replaying.set_lines(dataset, scenario, SEED)
    assert features == "1 feature"
    assert training.startswith("training set: 30 rows; y from ")
    assert test.count(" with c = ") == 2
    lines = "\n".join(replaying.result_lines(rows[0], draws))
    for shown in ("observed: ", "restricted_mean: ", "confounding_p: ", "restricted null: 50 draws", "standard null: "):
        assert shown in lines


def run_main(monkeypatch, tmp_path, *arguments):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("logging.root.manager.disable", 0)  # the command silences logs; here only while it runs
    return replaying.main(parser().parse_args(["replay", *arguments]))


def test_exit_codes_and_tracebacks(monkeypatch, tmp_path, capsys):
    assert run_main(monkeypatch, tmp_path, "exp4", "3", "--config", "datasets=5") == 0
    assert "Not compared with a run: results/exp4/tests.parquet does not exist." in capsys.readouterr().out

    def refuse(*_):
        raise RuntimeError("the learner refused")

    monkeypatch.setattr("permconf.learners.logistic.Logistic.scores", refuse)
    assert run_main(monkeypatch, tmp_path, "exp4", "3", "--config", "datasets=5") == 1
    out = capsys.readouterr().out
    assert "Traceback (most recent call last)" in out
    assert "RuntimeError: the learner refused" in out
    assert out.count("Traceback") == 1
