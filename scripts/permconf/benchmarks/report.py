"""The tables of the benchmark: measured, printed as they come, and written as Markdown."""

from functools import partial
from operator import itemgetter

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
_CASE = itemgetter("size", "seconds", "permutations", "memory")


def comparison(learners):
    """One row per learner and sample size: seconds per permutation of the engine and of its competitors."""
    with_r = competitors.r_available()
    if not with_r:
        print("R with pROC, randomForest and ranger is not installed; its columns are omitted.")
    rows = []
    for learner in learners:
        for n in SAMPLE_SIZES:
            rows.append(_row(learner, n, with_r))
            times = [_cell(*item) for item in rows[-1].items() if item[0] not in ("learner", "n")]
            print(" | ".join([f"{learner} n = {n}", *times]))
    return rows


def _row(learner, n, with_r):
    task = problem(n, 200)
    slow = learner == "random_forest"
    row = {"learner": learner, "n": n, "engine": _engine_seconds(learner, task.split, 20 if slow else 2_000)}
    if learner == "logistic":
        row["engine, b = test size"] = _engine_seconds(learner, task.split, n // 2)
        _check_agreement(task)
    models = competitors.models()[learner]
    times = {name: _loop_seconds(model, task.split, 2 if slow else 20) for name, model in models.items()}
    fastest = min(times, key=lambda name: times[name])
    row |= {"scikit-learn": times[fastest]} | ({"fastest solver": fastest} if len(times) > 1 else {})
    if with_r and learner in competitors.R_METHODS:
        in_r = competitors.r_seconds(task, competitors.R_METHODS[learner])
        row |= {f"R {method} + pROC": in_r[method]["seconds"] for method in competitors.R_METHODS[learner]}
    return row


def _engine_seconds(name, split, b):
    learner, metrics = make_learner(name), {"auc": make_metric("auc")}
    run = partial(permutation_null, split, "restricted", learner, metrics, Streams(1), b)
    return median_seconds(run, repeats=9) / b


def _loop_seconds(model, split, permutations):
    run = partial(competitors.sklearn_loop, model, split, permutations, np.random.default_rng(1))
    return median_seconds(run, repeats=5) / permutations


def _check_agreement(task):
    ours = metric_values(task.split.X_train, task.Y_train[:, :20], task.split.X_test, task.Y_test[:, :20])
    theirs = competitors.sklearn_values(competitors.models()["logistic"]["newton-cholesky"], task, 20)
    if not np.allclose(ours, theirs, atol=0.02):
        raise RuntimeError("the AUCs of the engine and of scikit-learn differ")


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
            [f"{size:,}", f"{seconds:.2f} s", _time(seconds / permutations), f"{memory:.0f} MB"]
            for size, seconds, permutations, memory in map(_CASE, cases)
        ]
        parts += [f"## Scaling: {titles[kind]}", table([kind, "time", "per permutation", "peak memory"], body)]
    return "\n\n".join(parts) + "\n"


def _comparison_table(rows):
    names = [name for name in rows[0] if name not in ("learner", "n", "engine", *_REMARKS)]
    lines = [[row["n"], _time(row["engine"]), *(_compared(row, name) for name in names)] for row in rows]
    return table(["n", "engine", *names], lines)


def _compared(row, name):
    return f"{_time(row[name])} ({row[name] / row['engine']:.1f} times)"
