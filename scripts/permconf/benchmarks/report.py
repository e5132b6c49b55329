"""The tables of the benchmark: measured, printed as they come, and written as Markdown."""

from functools import partial

import numpy as np

from permconf.benchmarks import competitors, scaling
from permconf.benchmarks.problems import median_seconds, problem
from permconf.learners import make_learner
from permconf.markdown import table
from permconf.method.nulls import metric_values, permutation_null
from permconf.method.random_streams import Streams
from permconf.metrics import make_metric

SAMPLE_SIZES = (200, 400, 600)
_REMARKS = ("fastest solver",)


def comparison(learners):
    """One row per learner and sample size: seconds per permutation of the engine and of its competitors."""
    with_r = competitors.r_available()
    if not with_r:
        print("R with pROC, randomForest and ranger is not installed; its columns are omitted.")
    measure = {"logistic": _logistic_row, "random_forest": _forest_row}
    measure |= {name: partial(_shared_work_row, name) for name in competitors.shared_work_models()}
    rows = []
    for learner in learners:
        for n in SAMPLE_SIZES:
            row = measure[learner](n, with_r)
            print(
                " | ".join([f"{learner} n = {n}", *(_cell(k, v) for k, v in row.items() if k not in ("learner", "n"))])
            )
            rows.append(row)
    return rows


def _engine_seconds(learner, split, b, repeats):
    learner, metrics = make_learner(learner), {"auc": make_metric("auc")}
    return (
        median_seconds(lambda: permutation_null(split, "restricted", learner, metrics, Streams(1), b), repeats=repeats)
        / b
    )


def _logistic_row(n, with_r):
    task = problem(n, 2_000)
    row = {"learner": "logistic", "n": n}
    row["engine"] = _engine_seconds("logistic", task.split, task.b, 15)
    row["engine, b = test size"] = _engine_seconds("logistic", task.split, n // 2, 15)
    rng = np.random.default_rng(1)
    times = {
        solver: median_seconds(lambda m=model: competitors.sklearn_loop(m, task.split, 20, rng), repeats=5) / 20
        for solver, model in competitors.logistic_models().items()
    }
    solver = min(times, key=lambda s: times[s])
    row["scikit-learn"], row["fastest solver"] = times[solver], solver
    ours = metric_values(task.split.X_train, task.Y_train[:, :20], task.split.X_test, task.Y_test[:, :20])
    theirs = competitors.sklearn_values(competitors.logistic_models()["newton-cholesky"], task, 20)
    if not np.allclose(ours, theirs, atol=0.02):
        raise RuntimeError("the AUCs of the engine and of scikit-learn differ")
    if with_r:
        row["R glm + pROC"] = competitors.r_seconds(task, {"glm": 200, "randomForest": 1, "ranger": 1})["glm"][
            "seconds"
        ]
    return row


def _forest_row(n, with_r):
    from sklearn.ensemble import RandomForestClassifier

    task = problem(n, 50)
    row = {"learner": "random_forest", "n": n}
    row["engine"] = _engine_seconds("random_forest", task.split, 20, 7)
    forest = RandomForestClassifier(500, n_jobs=1)
    rng = np.random.default_rng(1)
    row["scikit-learn"] = median_seconds(lambda: competitors.sklearn_loop(forest, task.split, 2, rng), repeats=3) / 2
    if with_r:
        in_r = competitors.r_seconds(task, {"glm": 1, "randomForest": 20, "ranger": 20})
        row |= {f"R {method} + pROC": in_r[method]["seconds"] for method in ("randomForest", "ranger")}
    return row


def _shared_work_row(learner, n, _with_r):
    task = problem(n, 20)
    model = competitors.shared_work_models()[learner]
    rng = np.random.default_rng(1)
    return {
        "learner": learner,
        "n": n,
        "engine": _engine_seconds(learner, task.split, 2_000, 9),
        "scikit-learn": median_seconds(lambda: competitors.sklearn_loop(model, task.split, 20, rng), repeats=5) / 20,
    }


def scaling_tables():
    """Time and memory against the number of permutations, data sets, rows and features."""
    tables = {}
    for kind, sizes in scaling.SIZES.items():
        tables[kind] = [{"size": size, **scaling.measured(kind, size)} for size in sizes]
        for row in tables[kind]:
            print(f"{kind} {row['size']:,}: {row['seconds']:.1f} s, {row['memory']:.0f} MB")
    return tables


def _cell(name, value):
    return f"{name} {value}" if name in _REMARKS else f"{name} {_time(value)}"


def _time(seconds):
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


def markdown(rows, scaling_rows, about):
    """The page as Markdown."""
    parts = [
        "# Benchmarks",
        "Written by `permconf bench`. Each row was measured in one run, on the same data and one core; times are"
        " medians over repeats, per permutation, and include shuffle, fit, scores and AUC. Ratios are to the engine.",
        "\n".join(f"- {name}: {text}" for name, text in about.items()),
    ]
    for learner in dict.fromkeys(row["learner"] for row in rows):
        parts += [f"## {learner}", _comparison_table([row for row in rows if row["learner"] == learner])]
    titles = {
        "permutations": "permutations of one data set (n = 400)",
        "datasets": "data sets (n = 200, 100 permutations each)",
        "rows": "rows of one data set (64 permutations)",
        "features": "features (n = 2,000, 128 permutations)",
    }
    for kind, cases in scaling_rows.items():
        body = [
            [
                f"{c['size']:,}",
                f"{c['seconds']:.2f} s",
                _time(c["seconds"] / c["permutations"]),
                f"{c['memory']:.0f} MB",
            ]
            for c in cases
        ]
        parts += [f"## Scaling: {titles[kind]}", table([kind, "time", "per permutation", "peak memory"], body)]
    return "\n\n".join(parts) + "\n"


def _comparison_table(rows):
    names = [name for name in rows[0] if name not in ("learner", "n", "engine", *_REMARKS)]
    lines = [[row["n"], _time(row["engine"]), *(_compared(row, name) for name in names)] for row in rows]
    return table(["n", "engine", *names], lines)


def _compared(row, name):
    return f"{_time(row[name])} ({row[name] / row['engine']:.1f} times)"
