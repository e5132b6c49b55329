import subprocess
import sys

import numpy as np
import pytest

from permconf.engine.evaluate import metric_values
from permconf_study.benchmarks import command, revisions, workers
from permconf_study.benchmarks.comparisons import Line, complete_answers
from permconf_study.benchmarks.competitors import aucs, sklearn_models
from permconf_study.benchmarks.measuring import Contender, alternately
from permconf_study.benchmarks.problems import problem
from permconf_study.markdown import filled


def test_scikit_learn_computes_what_the_engine_computes():
    task = problem(200, 4)
    X_train, _, _, X_test, _, _ = task.sets
    ours = metric_values(X_train, task.Y_train, X_test, task.Y_test)
    model = sklearn_models("logistic")["scikit-learn (newton-cholesky)"]
    np.testing.assert_allclose(aucs(model, task, 4), ours, atol=1 / 50**2)  # one pair of scores that are nearly equal


def test_contenders_take_turns_and_ratios_are_within_rounds():
    calls = []
    seconds = {"engine": iter([9, 1, 2, 4]), "other": iter([9, 10, 40, 120])}

    def run(name, b):
        calls.append((name, b))
        return next(seconds[name]), None

    contenders = [Contender(name, lambda b, name=name: run(name, b), 5) for name in seconds]
    seconds, _ = alternately(contenders, 3)
    assert calls == [("engine", 2), ("other", 2), *[("engine", 5), ("other", 5)] * 3]
    line = Line.of_rounds("task", "other", "size", *seconds.T)
    assert (line.engine, line.seconds, line.ratio.tolist()) == (2, 40, [20, 15, 25])


@pytest.mark.slow
def test_r_computes_what_the_engine_computes():
    if workers.r_versions() is None:
        pytest.skip(command.NO_R)
    task = problem(100, 1, features=4)
    X_train, _, _, X_test, _, _ = task.sets
    ours = metric_values(X_train, task.Y_train, X_test, task.Y_test)
    again = np.repeat(task.Y_train, 30, axis=1), np.repeat(task.Y_test, 30, axis=1)
    forests = metric_values(X_train, again[0], X_test, again[1], learner="random_forest")
    with workers.r_worker(task) as in_r:
        (glm,) = in_r("logistic")
        seconds, values = glm.run(1)
        assert seconds > 0
        np.testing.assert_allclose(values, ours, atol=1e-9)
        for forest in in_r("random_forest"):
            _, values = forest.run(1)
            assert abs(values[0] - forests.mean()) < 5 * forests.std(ddof=1)


def test_mlconfound_is_asked_for_complete_answers(monkeypatch, tmp_path):
    """A stand-in for its module, which notes what it was asked."""
    (tmp_path / "mlconfound").mkdir()
    (tmp_path / "mlconfound" / "stats.py").write_text(
        "def partial_confound_test(y, yhat, c, *, num_perms, **options):\n"
        f"    print(len(y), len(yhat), len(c), num_perms, file=open({str(tmp_path / 'asked')!r}, 'a'))\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    lines = list(complete_answers([(200, 3)], sys.executable, rounds=1))
    assert [(line.task, line.competitor, line.size) for line in lines] == [
        ("prediction_test", "mlconfound", "100 x 3"),
        ("assess", "mlconfound", "100 x 3"),
    ]
    assert (tmp_path / "asked").read_text() == "100 100 100 2\n100 100 100 1000\n"


@pytest.mark.slow
def test_two_commits_side_by_side(tmp_path, monkeypatch):
    """The other commit has a package of its own, whose test takes a tenth of a second."""
    package = tmp_path / "scripts" / "permconf"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(
        "import time\nassess = audit = None\n"
        "def prediction_test(scores, y, c, *, permutations):\n"
        "    end = time.process_time() + 0.1 * permutations\n"
        "    while time.process_time() < end: pass\n"
    )
    for arguments in (
        ["init", "-q"],
        ["add", "."],
        [*["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "one"]],
    ):
        subprocess.run(["git", "-C", str(tmp_path), *arguments], check=True)
    monkeypatch.setattr(revisions, "SCRIPTS", tmp_path / "scripts")
    monkeypatch.setattr(revisions, "KEPT", tmp_path / "kept")
    (line,) = revisions.compared("HEAD", cases=[("prediction_test", 60, 3, 2)], rounds=1)
    assert (line.task, line.competitor, line.size) == ("prediction_test", "HEAD", "30 x 3")
    assert line.engine >= 0.1
    assert line.seconds >= 0.1
    with pytest.raises(ValueError, match="nothing cannot be checked out"):
        next(revisions.compared("nothing"))


def test_the_page_shows_ratios_to_the_engine(request):
    ratio = np.array([512.3, 499.6, 1230.4])
    lines = [
        Line("logistic", "scikit-learn (lbfgs)", "100 x 10", 1e-5, 5e-3, ratio, 2e-4),
        Line("logistic", "R glm", "100 x 10", 1e-5, 5e-3, ratio),
        Line("logistic", "scikit-learn (newton-cg)", "200 x 10", 2e-5, 1e-2, ratio, 3e-4),
    ]
    answers = [Line("assess", "mlconfound", "100 x 10", 1e-2, 8.0, np.array([800.0, 790.0, 810.0]))]
    made = command.parts({"date": "today"}, lines, answers, [(400, 1000, 0.02, 123.4)])
    page = (request.config.rootpath / "docs/BENCHMARKS.md").read_text()
    text = filled(page, made)
    assert [text.count(part) for part in made.values()] == [1] * page.count("<!-- table: ")
    assert "| call or learner | competitor | 100 x 10 | 200 x 10 | AUCs differ by |" in text
    assert "| logistic | engine | 10 us | 20 us |  |\n|  | scikit-learn | 512 (500 to 1,230) | 512 (500" in text
    assert "| 3.0e-04 |\n|  | R glm | 512 (500 to 1,230) |  |  |" in text
    assert "| assess | mlconfound | 100 x 10 | 10 ms | 8 s | 800 (790 to 810) |" in text
    assert "| 400 | 1,000 | 20 ms | 20 us | 123 MB |" in text
    assert "- date: today\n" in text
