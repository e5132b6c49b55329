"""How often the response test of an audit rejects, and how often it is withheld, by how Y depends on C.

`python -m permconf_study.benchmarks.answers_response TABLE.csv [DATASETS [SETTING ...]]` writes a row for each setting.
C acts on the three features as it acts on Y; Y acts on them with `beta`, so that rejections with beta = 0 are false.
Logistic regression, AUC, 199 permutations.
"""

import sys
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit

from permconf.data.table import read_table
from permconf.engine.contracts import make_metric
from permconf.engine.evaluate import evaluate, nulls
from permconf.engine.folds import planned
from permconf.inference.p_values import permutation_p
from permconf.permute.misfit import misfit
from permconf.permute.random_streams import Streams

PERMUTATIONS = 199
FEATURES = ["x1", "x2", "x3"]
SHAPES = {  # number of confounders, effect on the features, and log-odds of Y as intercept and slope of that effect
    "no effect": (1, lambda c: 0 * c[:, 0], (0, 0)),
    "linear": (1, lambda c: c[:, 0], (0, 1.5)),
    "square": (1, lambda c: c[:, 0] ** 2 - 1, (0, 1.2)),
    "two": (2, lambda c: c.sum(axis=1), (0, 1)),
    "five": (5, lambda c: c.sum(axis=1) / 2, (0, 1.2)),
    "step": (1, lambda c: np.sign(c[:, 0]), (0, 1.2)),
    "tail step": (1, lambda c: 2.0 * (c[:, 0] > 1.28), (-0.5, 1.5)),
    "season": (1, lambda c: 1.4 * np.sin(8 * np.pi * c[:, 0]), (0, 1.1)),
    "product": (2, lambda c: c[:, 0] * c[:, 1], (0, 1.5)),
    "XOR": (2, lambda c: np.sign(c[:, 0] * c[:, 1]), (0, 1.5)),
    "AND, level": (2, lambda c: 1.0 * ((c[:, 0] > 0) & (c[:, 1] > 0)), (-0.9, 2.5)),
    "AND": (2, lambda c: 1.0 * ((c[:, 0] > 0) & (c[:, 1] > 0)), (-0.9, 2.5)),
}


@dataclass(frozen=True)
class Setting:
    """The shape of the effect of C, rows, the effect of Y, how many rows a subject has, and the split of an audit."""

    shape: str
    n: int = 300
    beta: float = 0.0
    rows_each: int = 1
    cv: int | None = None
    repeats: int = 1

    def table(self, rng):
        """A table of features, confounders, response and subjects, and the names of the confounders."""
        count, effect, (intercept, slope) = SHAPES[self.shape]
        units = self.n // self.rows_each
        draw = rng.random if self.shape == "season" else rng.standard_normal
        c, own = draw((units, count)), 0.7 * rng.standard_normal((units, len(FEATURES)))
        y = (rng.random(units) < expit(intercept + slope * effect(c))).astype(int)
        subject = np.repeat(np.arange(units), self.rows_each)
        X = 0.8 * effect(c)[:, None] + self.beta * y[:, None] + (own if self.rows_each > 1 else 0)
        names = [f"c{j + 1}" for j in range(count)]
        if self.shape == "AND, level":
            c[:, 1] = c[:, 1] > 0
        X = X[subject] + rng.standard_normal((subject.size, len(FEATURES)))
        table = pd.DataFrame(np.column_stack([X, c[subject]]), columns=[*FEATURES, *names])
        return table.assign(y=y[subject], subject=subject), names

    def answer(self, seed):
        """The p-value of the response test, and whether the audit withholds it."""
        table, names = self.table(np.random.default_rng((28, seed)))
        groups, metric = "subject" if self.rows_each > 1 else None, {"auc": make_metric("auc", y=table["y"])}
        columns = {"response": "y", "confounders": names, "features": FEATURES, "groups": groups, "split": None}
        sample, streams = read_table(table, **columns, task="classification"), Streams(seed, "audit")
        folds = planned(sample, cv=self.cv, repeats=self.repeats, streams=streams)
        evaluation = evaluate(sample, folds, learner="logistic", metrics=metric, streams=streams)
        draws = nulls(evaluation, "restricted", PERMUTATIONS).values["auc"]
        signs = Streams(seed, "misfit").rng("signs")
        check = misfit(sample.response, sample.confounders, sample.subjects, signs, quadrants=True)
        return permutation_p(evaluation.observed("auc"), draws), check.problem != ""


def row(setting, datasets):
    """Rates at 0.05 with Monte Carlo errors: of all tests, of those that are not withheld, and of withholding."""
    p, withheld = np.array([setting.answer(seed) for seed in range(datasets)]).T
    given = p[withheld == 0] <= 0.05
    rates = {"withheld": withheld.mean(), "rejected": given.mean() if given.size else np.nan}
    counts = {"withheld": datasets, "rejected": max(given.size, 1)}
    errors = {f"{name}_error": np.sqrt(rate * (1 - rate) / counts[name]) for name, rate in rates.items()}
    return {**vars(setting), **rates, **errors, "rejected_unchecked": np.mean(p <= 0.05), "datasets": datasets}


SETTINGS = {
    **{shape: Setting(shape) for shape in SHAPES},
    "5 folds": Setting("linear", 200, cv=5),
    "5 folds, five confounders": Setting("five", 200, cv=5),
    "5 folds, 2 repeats": Setting("linear", 200, cv=5, repeats=2),
    "5 folds, groups": Setting("linear", 300, rows_each=2, cv=5),
    "5 folds, power": Setting("linear", 200, beta=0.3, cv=5),
    "power": Setting("linear", 300, beta=0.4),
    "two, power": Setting("two", 300, beta=0.4),
}


def main(path, datasets=400, *names):
    """Write the table."""
    rows = [{"setting": name, **row(SETTINGS[name], datasets)} for name in names or SETTINGS]
    pd.DataFrame(rows).to_csv(path, index=False, float_format="%.4f")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]), *sys.argv[3:])
