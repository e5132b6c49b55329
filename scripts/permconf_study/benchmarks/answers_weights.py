"""How often intervals of reweighted, overlap and within values hold the truth, in simulated settings.

`python -m permconf_study.benchmarks.answers_weights TABLE.csv [DATASETS [STUDY ...]]` writes a row for each value of a
setting. Scores are beta y + theta c + noise; y given c is logistic, with the slope that gives c alone its AUC, or a
number whose correlation with c stands in its place. Truths come from a million rows with the known probabilities.
"""

import sys
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit, ndtr

from permconf.data.confounders import Confounders
from permconf.data.features import Features
from permconf.data.response import Response
from permconf.data.sample import Sample
from permconf.engine.scores import Scores
from permconf.metrics import make_metric
from permconf.reweight.estimates import estimates

TRUTH_ROWS = 1_000_000
MARGIN = 0.03


@dataclass(frozen=True)
class Setting:
    """Rows of y, c and scores: kind of confounder, AUC of c alone, prevalence, rows, and what the scores read."""

    kind: str
    auc: float
    prevalence: float
    n: int
    beta: float = 0.7
    theta: float = 0.7
    folds: int = 1

    @property
    def metric(self):
        """The name of the metric."""
        return "r2" if self.kind in NUMBERS else "auc"

    def confounders(self, rng, n):
        """Columns (n, k) of confounders, and their sum, standardised, that y and the scores depend on."""
        c = rng.standard_normal((n, 2 if self.kind in ("two", "mixed") else 1))
        if self.kind == "mixed":
            c[:, 1] = np.where(c[:, 1] > 0, 1.0, -1.0)
        return c, c.sum(axis=1) / np.sqrt(c.shape[1])

    @cached_property
    def slope(self):
        """Intercept and slope of the log-odds of y given c."""
        rng = np.random.default_rng(1)
        index, u = self.confounders(rng, 200_000)[1], rng.random(200_000)

        def intercept(slope):
            return brentq(lambda a: expit(a + slope * index).mean() - self.prevalence, -500, 500)

        def excess(slope):
            return value_of("auc", (u < expit(intercept(slope) + slope * index)).astype(np.uint8), index) - self.auc

        found = brentq(excess, 0.01, 100, xtol=1e-3)
        return intercept(found), found

    def rows(self, rng, n, *, independent=False):
        """Confounders, response, scores and p(y = 1 | c)."""
        if self.kind in NUMBERS:
            c, other, noise = (NUMBERS[self.kind](rng, n) for _ in range(3))
            y = self.auc * (other if independent else c) + np.sqrt(1 - self.auc**2) * noise
            return c[:, None], y, self.beta * y + self.theta * c + 0.5 * rng.standard_normal(n), None
        if self.kind == "binary":  # one half plus or minus half of what the AUC is above one half
            cases, more = self.prevalence, self.auc - 0.5
            share = np.array([(1 - cases) * (0.5 + more) + cases * (0.5 - more), 0.0])
            share[1] = 1 - share[0]
            level = (rng.random(n) < share[1]).astype(int)
            p, index, c = (cases * np.array([0.5 - more, 0.5 + more]) / share)[level], 2.0 * level - 1, level[:, None]
        else:
            c, index = self.confounders(rng, n)
            p = expit(self.slope[0] + self.slope[1] * index)
        y = rng.random(n) < (self.prevalence if independent else p)
        scores = (
            self.beta * y + self.theta * index + (rng.standard_normal(n) if self.beta else 0.3 * rng.standard_normal(n))
        )
        return c, y.astype(np.uint8), scores, p

    @cached_property
    def truths(self):
        """True values; those of overlap by the set of levels with rows of both classes."""
        rng = np.random.default_rng(2)
        _, y, scores, p = self.rows(rng, TRUTH_ROWS)
        found, weighted = {"observed": value_of(self.metric, y, scores)}, make_metric("auc").weighted
        assert weighted is not None
        if p is not None:
            found["overlap"] = weighted(y, scores, np.where(y == 1, 1 - p, p)[:, None])[0]
            found["within"] = ndtr(self.beta / np.sqrt(2)) if self.beta else 0.5
        _, y, scores, _ = self.rows(rng, TRUTH_ROWS, independent=True)
        found["reweighted"] = value_of(self.metric, y, scores)
        return found | {"difference": found["observed"] - found["reweighted"]}

    def at_margin(self):
        """This setting with the theta that makes the difference MARGIN."""
        off = {"xtol": 1e-3, "a": 0.05, "b": 0.5}
        return replace(self, theta=brentq(lambda t: replace(self, theta=t).truths["difference"] - MARGIN, **off))


NUMBERS = {  # how a standardised confounder and noise are drawn
    "number, normal": lambda rng, n: rng.standard_normal(n),
    "number, skewed": lambda rng, n: rng.exponential(size=n) - 1,
}


def value_of(metric, y, scores):
    """The plain metric."""
    return make_metric(metric).values(np.asarray(y)[:, None], np.asarray(scores)[:, None])[0]


def results(setting, datasets, *, bootstrap=200):
    """A row for each value: bias, sd, coverage of what is given, share withheld, mean width."""
    truths, found, metric = setting.truths, [], make_metric(setting.metric)
    for k in range(datasets):
        rng = np.random.default_rng((7, k))
        c, y, scores, _ = setting.rows(rng, setting.n)
        if setting.metric == "auc" and min(y.sum(), (1 - y).sum()) < 5:
            continue
        sample = Sample(Features.of(np.empty((len(y), 0))), Response.of(y), Confounders.of(pd.DataFrame(c)))
        fold = np.arange(len(y)) % setting.folds
        places = [np.flatnonzero(fold == f) for f in range(setting.folds)]
        sets = [(rows, Scores(scores[rows, None], np.zeros(1, bool))) for rows in places]
        made = estimates(metric, setting.metric, sample, sets, seed=k, bootstrap=bootstrap, levels=False)
        for value in truths:
            one, truth = getattr(made, value), truths[value]
            if value == "overlap" and made.left_out:
                truth = truths["within"]
            if value == "difference" and made.against == "overlap":
                truth = truths["observed"] - (truths["within"] if made.left_out else truths["overlap"])
            equivalent = value == "difference" and one.low90 > -MARGIN and one.high90 < MARGIN
            covered, width = one.low <= truth <= one.high, one.high - one.low
            found.append((value, one.value - truth, covered, one.reason == "", width, equivalent, made.balance))
    frame = pd.DataFrame(found, columns=["value", "off", "covered", "given", "width", "equivalent", "balance"])
    return pd.DataFrame([_row(setting, truths, value, part) for value, part in frame.groupby("value", sort=False)])


def _row(setting, truths, value, part):
    given = part[part["given"]]
    coverage = given["covered"].mean()
    names = ("kind", "auc", "prevalence", "n", "beta", "theta", "folds")
    return {name: getattr(setting, name) for name in names} | {
        "value": value,
        "truth": truths[value],
        "bias": given["off"].mean(),
        "sd": given["off"].std(),
        "coverage": coverage,
        "error": np.sqrt(max(coverage * (1 - coverage), 0.01) / max(len(given), 1)),
        "withheld": 1 - part["given"].mean(),
        "width": given["width"].mean(),
        "equivalent": part["equivalent"].mean(),
        "balance": part["balance"].mean(),
        "datasets": len(part),
    }


SIZES = ((150, 0.5), (300, 0.1), (1000, 0.1))
AREAS = (0.7, 0.75, 0.86, 0.95, 0.99)
KINDS = {"numeric": 0.7, "confounder only": 0.0, "binary": 0.7, "two": 0.7, "mixed": 0.7}  # with beta


def settings(study):
    """The settings of a study; those of "confounder only" have a numeric one that is all the scores read."""
    if study == "folds":
        return [Setting("numeric", 0.75, 0.5, 198, folds=folds) for folds in (1, 2, 5, 10, 20, 66)]
    if study == "margin":
        found = [Setting(kind, 0.7, 0.5, 300).at_margin() for kind in ("binary", "numeric", "two")]
        return [replace(setting, n=n) for setting in found for n in (300, 1000)]
    if study == "numbers":
        return [Setting(kind, r, 0.5, 300, 0.5, 0.4) for kind in NUMBERS for r in (0.3, 0.4, 0.5, 0.6)]
    kind, beta = "numeric" if study == "confounder only" else study, KINDS[study]
    return [Setting(kind, area, p, n, beta, beta or 1.0) for area in AREAS for n, p in SIZES]


def main(path, datasets=400, *studies):
    """Write the table, setting by setting."""
    tables = []
    for study in studies or (*KINDS, "folds", "margin", "numbers"):
        for setting in settings(study):
            tables.append(results(setting, datasets).assign(study=study))
            pd.concat(tables).to_csv(path, index=False, float_format="%.4f")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]), *sys.argv[3:])
