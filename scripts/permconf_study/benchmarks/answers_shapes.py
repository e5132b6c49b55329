"""How often effects of any shape are found, and confounders are named that are never read, in simulated settings.

`python -m permconf_study.benchmarks.answers_shapes TABLE.csv [DATASETS [SETTING ...]]` writes a row for every setting
and rate. Classes and scores of 200 rows; all tests at 0.05, with 199 permutations.
"""

import sys
from functools import partial

import numpy as np
import pandas as pd

from permconf import association_test, prediction_test
from permconf.data.confounders import Confounders
from permconf.data.levels import Levels
from permconf.data.response import Response
from permconf.data.sample import Subjects
from permconf.inference.links import Rows, links

ROWS, ALPHA, PERMUTATIONS = 200, 0.05, 199


def _classes(rng, log_odds):
    return (rng.random(len(log_odds)) < 1 / (1 + np.exp(-log_odds))).astype(int)


# ---- any shape -------------------------------------------------------------------------------------------------------

PREDICTION = ("null", "monotone", "U", "spread", "opposite slopes", "product")
ASSOCIATION = ("null", "monotone", "U", "product")


def _effect(name, c, d, y, e):
    """An effect of confounders on scores with noise e."""
    return {
        "null": 0 * c,
        "monotone": 0.23 * c,
        "U": 0.5 * c**2,
        "spread": e * (np.exp(0.5 * c) - 1),
        "opposite slopes": 0.5 * c * (2 * y - 1),
        "product": 0.5 * c * d,
    }[name]


def _log_odds(name, c, d):
    """The log-odds of the class, for the test of association."""
    return {"null": 0 * c, "monotone": 0.43 * c, "U": c**2 - 1, "product": 1.2 * c * d}[name]


def _shapes(seed, *, test, effect, count):
    """Whether a test rejects, for effects of any shape and for linear ones, with one or two confounders."""
    rng = np.random.default_rng((1, seed))
    c, d, e = rng.standard_normal((3, ROWS))
    X, options = np.column_stack([c, d])[:, :count], {"permutations": PERMUTATIONS, "seed": seed}
    if test == "association":
        y = _classes(rng, _log_odds(effect, c, d))
        return {shape: association_test(y, X, shape=shape, **options).p <= ALPHA for shape in ("any", "linear")}
    y = _classes(rng, c)
    scores = 2 * y + e + _effect(effect, c, d, y, e)
    return {shape: prediction_test(scores, y, X, shape=shape, **options).p <= ALPHA for shape in ("any", "linear")}


# ---- which one -------------------------------------------------------------------------------------------------------

READ: dict[str, dict] = {f"correlation {r}": {"r": r} for r in (0.0, 0.3, 0.5, 0.7, 0.9)} | {
    "both associated with y": {"r": 0.7, "both": True},
    "the other is binary": {"r": 0.7, "other": "binary"},
    "the other has four levels": {"r": 0.7, "other": "levels"},
    "both are binary": {"r": 0.7, "other": "binary", "read": "binary"},
    "the one that is read is skewed": {"r": 0.7, "read": "skewed"},
    "the other's spread depends on it": {"spread": True},
    "five folds": {"r": 0.7, "folds": 5},
    "three rows of each subject": {"r": 0.7, "visits": 3},
    "numeric response": {"r": 0.7, "numeric": True},
    "weak, independent": {"r": 0.0, "effect": 0.3},
    "weak, correlation 0.5": {"r": 0.5, "effect": 0.3},
}


def _read(seed, *, r=0.0, effect=1.0, read="", other="", both=False, spread=False, folds=1, visits=1, numeric=False):
    """Whether the confounder that is read and the other one are named, and with the wrong direction."""
    rng = np.random.default_rng((2, seed))
    c, x, e = rng.standard_normal((3, ROWS))
    x = x * np.exp(0.6 * c) if spread else r * c + np.sqrt(1 - r**2) * x
    c, x = _as(c, read), _as(x, other)
    number = c.astype(float) - c.mean()
    y = number + rng.standard_normal(ROWS) if numeric else _classes(rng, number + (x if both else 0))
    fold, ids = np.arange(ROWS) % folds, np.repeat(np.arange(ROWS), visits)
    scores = (y + effect * number + e) * (1 + fold)
    scores = scores[ids] + (visits > 1) * 0.5 * rng.standard_normal(ids.size)
    data = pd.DataFrame({"read": c[ids], "other": x[ids]})
    subjects = Subjects.of(ids, rows=ids.size) if visits > 1 else None
    rows = Rows(Response.of(y[ids]), Confounders.of(data, rows=ids.size), subjects, Levels.of(fold[ids]))
    table = links(rows, rows, scores, permutations=PERMUTATIONS, seed=seed).by_confounder
    named = table["read_p"] <= ALPHA
    return {
        "read, named": named[0],
        "wrong direction": named[0] and table["read_sign"][0] == "masks",
        "never read, named": named[1],
        "never read, associated": table["prediction_p"][1] <= ALPHA,
    }


def _as(c, kind):
    """A numeric confounder in another form."""
    forms = {"": c, "skewed": np.exp(c) / 2, "binary": (c > 0).astype(int)}
    return np.array(list("abcd"))[np.digitize(c, [-0.7, 0, 0.7])] if kind == "levels" else forms[kind]


SETTINGS = {
    f"{test}: {effect}, {count} confounder{'s' * (count > 1)}": partial(_shapes, test=test, effect=effect, count=count)
    for test, effects in (("prediction", PREDICTION), ("association", ASSOCIATION))
    for effect in effects
    for count in ((2,) if effect == "product" else (1, 2))
} | {f"which one: {name}": partial(_read, **options) for name, options in READ.items()}


def main(path: str, datasets: str = "400", *chosen: str) -> None:
    """Write the table, setting by setting; `chosen` are parts of their names."""
    table: list[dict] = []
    for setting, answer in SETTINGS.items():
        if not chosen or any(part in setting for part in chosen):
            shares = pd.DataFrame([answer(seed) for seed in range(int(datasets))]).mean()
            errors = np.sqrt(shares * (1 - shares) / int(datasets))
            about = {"setting": setting, "datasets": int(datasets)}
            table += [about | {"rate": rate, "value": shares[rate], "error": errors[rate]} for rate in shares.index]
            columns = ["setting", "rate", "value", "error", "datasets"]
            pd.DataFrame(table)[columns].round(4).to_csv(path, index=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
