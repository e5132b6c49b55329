"""The engine and its competitors: per permutation, and for one complete answer."""

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

import numpy as np

from permconf.engine.evaluate import metric_values, nulls
from permconf.inference.assess import assess
from permconf.inference.prediction_test import prediction_test
from permconf.metrics import make_metric
from permconf_study.benchmarks import workers
from permconf_study.benchmarks.competitors import LOOPED, sklearn_contenders
from permconf_study.benchmarks.measuring import alternately, in_this_process
from permconf_study.benchmarks.problems import problem

SIZES = ((200, 10), (400, 10), (600, 10), (1_000, 30), (2_000, 100))  # rows, half of them for training, and features
LEARNERS = ("logistic", "random_forest", "ridge_regression", "lda", "naive_bayes", "nearest_neighbours")


@dataclass(frozen=True)
class Line:
    """One line of a table: seconds of the engine and of a competitor, and median and quartiles of their ratio.

    `task` is the learner or answer. `difference` is the largest difference of their AUCs for the same responses.
    """

    task: str
    competitor: str
    size: str
    engine: float
    seconds: float
    ratio: np.ndarray
    difference: float | None = None

    @property
    def kind(self):
        """The competitor without its solver, which may depend on the size."""
        return self.competitor.split(" (")[0]

    @property
    def ratio_text(self):
        """Median and quartiles, to three digits."""
        return "{} ({} to {})".format(*(f"{float(f'{value:.3g}'):,g}" for value in self.ratio))

    @classmethod
    def of_rounds(cls, task, competitor, size, engine, seconds, difference=None):
        """A line from the seconds of the engine and of a competitor in every round."""
        ratio = np.quantile(seconds / engine, [0.5, 0.25, 0.75])
        return cls(task, competitor, size, float(np.median(engine)), float(np.median(seconds)), ratio, difference)

    def __str__(self):
        times = f"{duration(self.engine)} | {duration(self.seconds)} | {self.ratio_text}"
        return f"{self.task} | {self.competitor} | {self.size} | {times}"


def duration(seconds):
    """Seconds as text."""
    unit, scale = next((u, s) for u, s in (("us", 1e-6), ("ms", 1e-3), ("s", 1)) if seconds < 1e3 * s or u == "s")
    return f"{seconds / scale:.3g} {unit}"


def null_aucs(evaluation, b):
    """b AUCs of the engine under restricted permutation: what is timed."""
    return nulls(evaluation, "restricted", b).values["auc"]


def per_permutation(learners, sizes, *, with_r, rounds):
    """Lines of the tables of learners, as they are measured."""
    for n, features in sizes:
        task = problem(n, LOOPED, features=features)
        with ExitStack() as stack:
            in_r = stack.enter_context(workers.r_worker(task)) if with_r else lambda _: []
            for learner in learners:
                yield from _lines(learner, task, in_r(learner), rounds)


def _lines(learner, task, in_r, rounds):
    b, rounds = (10, min(rounds, 5)) if learner == "random_forest" else (1_000, rounds)
    evaluation = task.evaluated(learner, {"auc": make_metric("auc")})
    engine = in_this_process("engine", lambda b: null_aucs(evaluation, b), b)
    contenders = [engine, *sklearn_contenders(learner, task), *in_r]
    seconds, values = alternately(contenders, rounds)
    seconds = seconds / [one.b for one in contenders]
    X_train, _, _, X_test, _, _ = task.sets
    most = max(len(theirs) for theirs in values[1:] if theirs is not None)
    ours = metric_values(X_train, task.Y_train[:, :most], X_test, task.Y_test[:, :most], learner=learner)
    for k, one in enumerate(contenders[1:], start=1):
        theirs = values[k]
        difference = None if theirs is None else float(np.abs(ours[: len(theirs)] - theirs).max())
        yield Line.of_rounds(learner, one.name, task.size, seconds[:, 0], seconds[:, k], difference)


def whole_calls(sizes, *, rounds):
    """Lines of calls with as many permutations as test rows, for each of which a logistic regression is fitted.

    A round has as many calls as fits of scikit-learn: the first few of either take up to twice as long as the others.
    """
    for n, features in sizes:
        task, b = problem(n, n // 2, features=features), LOOPED * (n // 2)
        X_train, _, _, X_test, _, _ = sets = task.sets
        ours = {
            "assess": partial(assess, *sets, permutations=n // 2, seed=1),
            "metric_values": partial(metric_values, X_train, task.Y_train, X_test, task.Y_test),
        }
        engines = [in_this_process(name, lambda _, f=f: [f() for _ in range(LOOPED)], b) for name, f in ours.items()]
        theirs, _ = sklearn_contenders("logistic", task)
        seconds, _ = alternately([*engines, theirs], rounds)
        for k, name in enumerate(ours):
            yield Line.of_rounds(name, theirs.name, task.size, seconds[:, k] / b, seconds[:, 2] / theirs.b)


def complete_answers(sizes, python, *, rounds):
    """Lines of the comparison with mlconfound: from predictions to a p-value, and the paper's tests with all fits."""
    for n, features in sizes:
        task = problem(n, 1, features=features)
        scores = task.evaluated("logistic", {}).scores[0].values[:, 0]
        *_, y_test, c_test = data = task.sets
        ours = {
            "prediction_test": lambda b, d=(scores, y_test, c_test): prediction_test(*d, permutations=b),
            "assess": lambda b, d=data: assess(*d, permutations=b, seed=1),
        }
        engines = [in_this_process(name, run, workers.MLCONFOUND_PERMUTATIONS) for name, run in ours.items()]
        with workers.mlconfound_worker(python, y_test, scores, c_test) as theirs:
            seconds, _ = alternately([*engines, theirs], rounds)
        for k, name in enumerate(ours):
            yield Line.of_rounds(name, theirs.name, task.size, seconds[:, k], seconds[:, 2])
