"""Simulated situations whose truth is known: confounders, P(y given c), and scores given both.

A population in which response and confounders are independent is drawn from the same three parts, so that the metric
there is computed without weights. Scores are made directly, or by a learner with one feature, whose ranks are known.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import accuracy_score, mean_squared_error, roc_auc_score

from permconf import audit, audit_predictions
from permconf.auditing.conclusion import CHANGES, SAME, TOO_FEW, UNKNOWN

LARGE = 40_000  # rows behind a truth
TOLERANCE = 0.006  # of a truth: about two standard errors of the AUC of so many rows


@dataclass(frozen=True)
class Truth:
    """The metric of the population as it is, if y and c were independent, and with overlap weights."""

    observed: float
    reweighted: float
    overlap: float


@dataclass(frozen=True, eq=False)
class Situation:
    """`signs` has the confounders that are read and associated with y, and their direction ("" if it has none).

    `verdict` is the one that most audits must reach, `only` the verdicts that are true at all; `says` and `never` are
    words of the conclusion. `beyond` is whether scores carry y beyond the confounders.
    """

    name: str
    confounders: Callable[[np.random.Generator, int], dict[str, np.ndarray]]
    chance: Callable[..., np.ndarray]
    score: Callable[..., np.ndarray]
    signs: dict[str, str] = field(default_factory=dict)
    n: int = 300
    verdict: str = CHANGES
    only: tuple[str, ...] = (CHANGES, SAME, TOO_FEW, UNKNOWN)
    says: str = ""
    never: str = ""
    beyond: bool = True
    metric: str = "auc"
    options: dict[str, Any] = field(default_factory=dict)
    change: Callable[[np.random.Generator, pd.DataFrame], pd.DataFrame] | None = None
    fits: bool = False
    known: Truth | None = None

    def __str__(self):
        return self.name

    def audit(self, seed: int) -> Any:
        """The audit of one data set."""
        rng = np.random.default_rng([seed, *self.name.encode()])
        c = self.confounders(rng, self.n)
        y = self._response(rng, c)
        score = np.atleast_2d(self.score(rng, y, **c).T).T
        names = ["score"] if score.shape[1] == 1 else [f"score {k}" for k in range(score.shape[1])]
        table = pd.DataFrame({"y": y, **c}).assign(**dict(zip(names, score.T, strict=True)))
        if self.change is not None:
            table = self.change(rng, table)
        given = {"response": "y", "confounders": list(c), "metric": self.metric} | self.options
        if self.fits:
            return audit(table, **{"permutations": 99} | given)
        return audit_predictions(table, scores=names[0] if len(names) == 1 else names, **given)

    def _response(self, rng, c):
        p = self.chance(**c)
        if self.metric == "mse":  # p is the mean of a normal response of variance 1
            return rng.normal(p, np.sqrt(1 - p.var()))
        return _drawn(rng, p)

    @cache  # noqa: B019 (situations live as long as the tests)
    def truth(self) -> Truth:
        """The truth, from large populations."""
        if self.known is not None:
            return self.known
        rng = np.random.default_rng(1)
        c = self.confounders(rng, LARGE)
        y, p = self._response(rng, c), self.chance(**c)
        free = rng.permutation(y)
        observed, reweighted = (self._metric(v, self.score(rng, v, **c)) for v in (y, free))
        if self.metric != "auc":
            return Truth(observed, reweighted, np.nan)
        fair = rng.integers(0, 2, LARGE)
        return Truth(observed, reweighted, self._metric(fair, self.score(rng, fair, **c), p * (1 - p)))

    def _metric(self, y, score, weights=None):
        if self.metric == "mse":
            return mean_squared_error(y, score)
        if self.metric == "accuracy":
            return accuracy_score(y, score.argmax(axis=1))
        return roc_auc_score(y, score, sample_weight=weights)


def _drawn(rng, p):
    """Classes with chances p: of the second class (m,), or of each (m, k)."""
    u = rng.random(len(p))
    return (u < p).astype(int) if p.ndim == 1 else (u[:, None] > p.cumsum(axis=1)).sum(axis=1)


# ---- parts -----------------------------------------------------------------------------------------------------------


def binary(*names):
    """Independent confounders with two values."""
    return lambda rng, n: {name: rng.integers(0, 2, n) for name in names}


def normal(*names, r=0.0):
    """Normal confounders with correlation r of the first with each other one."""

    def draw(rng, n):
        first, *others = names
        z = rng.normal(size=n)
        return {first: z} | {name: r * z + np.sqrt(1 - r**2) * rng.normal(size=n) for name in others}

    return draw


def noise(rng, y):
    """Standard normal noise for every row."""
    return rng.normal(size=len(y))


def codes(rng, n):
    """Twelve sites with codes in no order."""
    return {"site": rng.integers(1, 13, n)}


SHARES = np.array([0.2, 0.7, 0.4, 0.8, 0.3, 0.6, 0.8, 0.2, 0.5, 0.7, 0.3, 0.6])  # of cases, by code


def cross_one(rng, table):
    """The site is the diagnosis, but for one row."""
    crossing = rng.integers(len(table))
    site = np.where(np.arange(len(table)) == crossing, 1 - table["y"], table["y"])
    return table.assign(site=site, score=site + rng.normal(size=len(table)))


def labelled(_, table):
    """Classes with names whose order is not that of the scores."""
    return table.assign(y=np.where(table["y"] == 1, "case", "control"))


def fold_column(rng, table):
    """Twenty folds whose scores differ by a constant."""
    fold = rng.permutation(np.arange(len(table)) % 20)
    return table.assign(fold=fold, score=table["score"] + rng.normal(size=20)[fold] * 3)


def repeated(rng, table):
    """Three rows of every subject, with noise of its own."""
    rows = table.loc[table.index.repeat(3)].assign(subject=np.repeat(np.arange(len(table)), 3))
    return rows.assign(score=rows["score"] + 0.5 * rng.normal(size=len(rows))).reset_index(drop=True)


def whole_sites(rng, table):
    """Scores of a model that has not seen the site of the row."""
    return table.assign(score=table["score"] + rng.normal(size=6)[table["site"]])


def coin_features(rng, table):
    """Noise features with two values, which residuals turn into a code of the confounder."""
    coins = rng.integers(0, 2, (len(table), 3)).astype(float)
    return table.drop(columns="score").assign(a=coins[:, 0], b=coins[:, 1], d=coins[:, 2])


def by_site(site):
    """The chance of a case at two sites."""
    return np.where(site == 1, 0.75, 0.25)


def reads(y=0.0, **effects):
    """Scores that are a linear function of the response and of confounders, with noise."""

    def score(rng, response, **c):
        return y * response + sum(effect * c[name] for name, effect in effects.items()) + noise(rng, response)

    return score


def of_site(name, y, effect, *, called="site", **options):
    """Scores that read the response and a binary confounder, which is associated with it."""
    signs = {called: "inflates" if effect > 0 else "masks"} if effect else {}
    parts = binary(called), lambda **c: by_site(c[called]), reads(y, **{called: effect})
    return Situation(name, *parts, **{"signs": signs} | options)


def of_age(name, slope, y, effect, **options):
    """The same for a numeric one, with this slope of the log-odds."""
    parts = normal("age"), lambda age: expit(slope(age)), reads(y, age=effect)
    return Situation(name, *parts, {"age": "inflates"}, **options)


FOREST = RandomForestClassifier(n_estimators=20, min_samples_leaf=5, random_state=0)
SMOOTH = {"confounders": {"age": "smooth"}}


def roles(name, role):
    """The option that states a role."""
    return {"confounders": {name: {"role": role}}}


# ---- situations ------------------------------------------------------------------------------------------------------

SITUATIONS = [
    of_site("pure confounding by site", 0, 1.5, never="hides"),
    of_age("pure confounding by age", lambda age: 1.2 * age, 0, 1),
    of_site("cause, stated", 0.7, 1.2, says="comes from site", options=roles("site", "cause")),
    of_site("associated, not read", 1, 0, verdict=SAME, n=800),
    Situation(
        *("read, not associated", binary("site"), lambda site: np.full(len(site), 0.5), reads(1, site=1)),
        verdict=SAME,
        n=800,
    ),
    Situation(
        "independent innocent",
        binary("site", "sex"),
        lambda site, sex: expit(1.5 * (2 * site - 1) + 1.2 * (2 * sex - 1)),
        reads(1, site=2),
        {"site": "inflates"},
    ),
    *[
        Situation(
            f"innocent correlated {r}",
            normal("age", "weight", r=r),
            lambda age, weight: expit(1.2 * age + 0.3 * weight),
            reads(0.5, age=1.2),
            {"age": "inflates"},
        )
        for r in (0.5, 0.7)
    ],
    Situation(
        "U-shape",
        normal("age"),
        lambda age: expit(1.2 * (age**2 - 1)),
        lambda rng, y, age: 0.4 * y + 0.8 * age**2 + noise(rng, y),
        {"age": ""},
        n=400,
    ),
    Situation(
        "product",
        normal("age", "weight"),
        lambda age, weight: expit(1.5 * age * weight),
        lambda rng, y, age, weight: 0.4 * y + age * weight + noise(rng, y),
        {"age": "", "weight": ""},
        n=400,
    ),
    of_age("no overlap", lambda age: 9 * age, 0, 2, verdict=""),
    of_site(
        *("one crossing row", 0, 0),
        signs={"site": "inflates"},
        n=100,
        verdict=UNKNOWN,
        only=(UNKNOWN,),
        never="expect",
        change=cross_one,
        known=Truth(0.76, 0.5, 0.5),
    ),
    Situation(
        "leave one site out",
        lambda rng, n: {"site": rng.integers(0, 6, n)},
        lambda site: np.array([0.2, 0.3, 0.4, 0.6, 0.7, 0.8])[site],
        reads(1),
        verdict=UNKNOWN,
        only=(UNKNOWN,),
        options={"folds": "site"},
        change=whole_sites,
    ),
    of_site("40 rows", 0.7, 0.7, n=40, verdict=""),
    Situation(
        *("20,000 rows, trivial effect", binary("site"), lambda site: 0.4 + 0.2 * site, reads(1, site=0.1)),
        {"site": "inflates"},
        n=20_000,
        verdict=SAME,
        only=(SAME,),
    ),
    Situation(
        "opposed confounders",
        binary("site", "sex"),
        lambda site, sex: expit(1.2 * (2 * site - 1) + 1.2 * (2 * sex - 1)),
        reads(1, site=2.5, sex=-1.2),
        {"site": "inflates", "sex": "masks"},
        n=400,
        verdict="",
        never="comes from site and sex|reads site and sex, and its AUC looks",
    ),
    of_site("masking confounder", 1.5, -1.5, never="comes from"),
    of_site("masking cause, stated", 1.5, -1.5, says="hides part of this model's AUC", options=roles("site", "cause")),
    of_site(
        *("mediator, stated", 0.5, 1.5),
        called="plaque",
        says="stated to be a mediator",
        never="comes from|confounds",
        options=roles("plaque", "mediator"),
    ),
    of_site(
        *("consequence, stated", 0.5, 1.5),
        called="drug",
        says="stated to be a consequence of y",
        never="comes from|confounds",
        options=roles("drug", "consequence"),
    ),
    Situation(
        "unmeasured confounder",
        binary("sex"),
        lambda sex: 0.35 + 0.3 * sex,
        lambda rng, y, sex: 1.2 * (rng.random(len(y)) < 0.2 + 0.6 * y) + noise(rng, y),  # noqa: ARG005
        n=800,
        verdict="",
        says="an unmeasured variable could be the reason",
        fits=True,
    ),
    of_site("confounding, fitted", 0, 2, n=500, beyond=False, fits=True),
    of_age(
        *("leakage after spline residuals", lambda age: 1.5 * age, 0, 1),
        n=400,
        beyond=False,
        options=SMOOTH | {"learner": FOREST, "adjustment": "spline_residuals", "permutations": 9},
        change=coin_features,
        fits=True,
        known=Truth(0.65, 0.5, 0.5),
    ),
    of_site("case and control", 1, 1.5, never="worse|hides", change=labelled),
    Situation(
        *("coded sites", codes, lambda site: SHARES[site - 1]),
        lambda rng, y, site: 4 * SHARES[site - 1] + noise(rng, y),
        {"site": ""},
        n=500,
    ),
    of_age("prevalence 10 %", lambda age: 1.1 * age - 2.7, 1, 1, n=500, verdict=""),
    of_site(
        *("repeated measures", 0, 1.5),
        n=200,
        options={"groups": "subject"},
        change=repeated,
        known=Truth(0.681, 0.5, 0.5),
    ),
    of_site("20 folds", 0.5, 1.5, n=400, options={"folds": "fold"}, change=fold_column),
    Situation(
        "numeric response",
        normal("age"),
        lambda age: 0.45 * age,
        lambda rng, y, age: 0.4 * y + 0.5 * age + 0.5 * noise(rng, y),
        {"age": "inflates"},
        n=400,
        verdict="",
        metric="mse",
    ),
    Situation(
        "three classes",
        binary("site"),
        lambda site: np.where(site[:, None] == 1, [0.2, 0.2, 0.6], [0.6, 0.2, 0.2]),
        lambda rng, y, site: expit(np.eye(3)[y] + 2 * np.outer(site, [-1, 0, 1]) + rng.normal(size=(len(y), 3))),
        {"site": ""},
        n=400,
        metric="accuracy",
    ),
    Situation(
        "step",
        normal("age"),
        lambda age: np.where(age > 1, 0.9, 0.3),
        lambda rng, y, age: 0.5 * y + 2 * (age > 1) + noise(rng, y),
        {"age": "inflates"},
        n=400,
        verdict="",
    ),
    Situation(
        "season",
        lambda rng, n: {"day": rng.uniform(0, 365, n)},
        lambda day: 0.5 + 0.4 * np.sin(4 * np.pi * day / 365),
        lambda rng, y, day: 0.5 * y + 1.5 * np.sin(4 * np.pi * day / 365) + noise(rng, y),
        {"day": ""},
        n=400,
        verdict="",
    ),
]
