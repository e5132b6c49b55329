import numpy as np
import pytest

from permconf.benchmarks import competitors, report, scaling
from permconf.benchmarks.problems import median_seconds, problem
from permconf.method.nulls import metric_values


def test_competitors_get_restricted_permutations_of_the_same_data():
    task, again = problem(60, 5), problem(60, 5)
    np.testing.assert_array_equal(task.Y_train, again.Y_train)
    for level in (0, 1):
        rows = task.split.c_train == level
        assert set(task.Y_train[rows].sum(axis=0)) == {task.split.y_train[rows].sum()}


def test_competitors_compute_what_the_engine_computes():
    task = problem(200, 4)
    ours = metric_values(task.split.X_train, task.Y_train, task.split.X_test, task.Y_test)
    model = competitors.models()["logistic"]["newton-cholesky"]
    np.testing.assert_allclose(competitors.sklearn_values(model, task, 4), ours, atol=2e-3)
    loop = competitors.sklearn_loop(model, task.split, 3, np.random.default_rng(1))
    assert loop.shape == (3,)
    assert ((loop > 0) & (loop < 1)).all()


def test_every_learner_with_a_counterpart_is_one_of_ours():
    from permconf import registry

    assert set(competitors.models()) <= set(registry.names("learners"))


def test_median_of_repeats():
    calls = []
    assert median_seconds(lambda: calls.append(1), repeats=4) >= 0
    assert len(calls) == 5


@pytest.mark.parametrize("kind", scaling.SIZES)
def test_a_scaling_case_says_how_much_it_did(kind):
    assert scaling.run(kind, 10 if kind != "rows" else 200) > 0
    assert scaling.peak_memory() > 10


def test_the_page_shows_ratios_to_the_engine():
    rows = [{"learner": "logistic", "n": 200, "engine": 1e-5, "scikit-learn": 5e-3, "fastest solver": "lbfgs"}]
    cases = {"rows": [{"size": 1000, "seconds": 2.0, "permutations": 64, "memory": 123.4}]}
    page = report.markdown(rows, cases, {"date": "today"})
    assert "5.00 ms (500.0 times)" in page
    assert "| 1,000 | 2.00 s | 31.25 ms | 123 MB |" in page
