"""Rows drawn with replacement, the intervals that come from it, and when weights do not carry a value."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.special import expit, logit, stdtrit

from permconf.data.levels import Levels
from permconf.data.sample import Subjects
from permconf.engine.contracts import Metric
from permconf.permute.random_bits import below, random_bits
from permconf.wording import count

BALANCE_LIMIT = 0.05  # how far the AUC of the confounders' index may be from 1/2 in weighted rows
OVERLAP_LIMIT = 0.1  # the same with overlap weights, which are exact unless confounders separate the classes
MOST_SPREAD = 3.0  # standard deviation of bootstrap samples over what their quartiles suggest
FEWEST_UNITS, MOST_NEEDED = 3, 100  # effective number of rows (or subjects) of a class: always, and at most
LEAST_SHARE, BEYOND = 0.3, 25  # share of rows beyond this many: where weights are worth less, classes do not overlap
MOST_EXPLAINED = 0.3  # share of the variance of a numeric response
ROUNDING = 1e-9  # differences up to which values are alike
UNSTABLE = "it hangs on a few rows: bootstrap samples differ too much for an interval"
STUCK = "bootstrap samples do not differ, as where one class is predicted throughout, so there is no interval"
_BLOCK_VALUES = 2**22


@dataclass(frozen=True)
class BootstrapRows:
    """The units that the bootstrap draws: rows, or subjects."""

    units: Levels

    @classmethod
    def of(cls, rows: int, subjects: Subjects | None) -> "BootstrapRows":
        """Single rows where there are no subjects."""
        ones = np.arange(rows)
        return cls(Levels(ones, ones, np.ones(rows, np.int64)) if subjects is None else subjects.levels)

    def draws(self, metric_of: Callable[[np.ndarray], np.ndarray], keys: np.ndarray) -> np.ndarray:
        """A metric, as a function of how often each row was drawn (m, b), for every key; in blocks of keys."""
        columns = max(1, _BLOCK_VALUES // len(self.units.codes))
        blocks = [keys[first : first + columns] for first in range(0, keys.size, columns)]
        return np.concatenate([metric_of(drawn_units(self.units.counts.size, k)[self.units.codes]) for k in blocks])

    def limits(self, weights: np.ndarray, codes: np.ndarray | None, cells: np.ndarray | None = None) -> "Limits":
        """What limits an interval from weighted rows (m,): that of the class with the least freedom.

        Where weights are those of `cells`, each is a sample of its own (Satterthwaite 1946).
        """
        modelled = codes is not None and cells is None
        cells = np.zeros(len(weights), np.int64) if cells is None else cells
        classes = [weights > 0] if codes is None else [(codes == k) & (weights > 0) for k in np.unique(codes)]
        found = []
        for rows in classes:
            by_cell = [self._size(weights, rows & (cells == k)) for k in np.unique(cells[rows])]
            units = int(np.count_nonzero(self.units.sums(rows.astype(float)))) if modelled else 0
            found.append(Limits.of(by_cell, units))
        return min(found, key=lambda one: one.freedom)

    def _size(self, weights, rows):
        """Sum of the squares of weights, and the effective number of units."""
        by_unit = self.units.sums(np.where(rows, weights, 0.0))
        return float(np.sum(by_unit**2)), effective_size(by_unit)


@dataclass(frozen=True)
class Limits:
    """Freedom of t, how much wider than its bootstrap an interval from few units is, and the units of the class.

    Units are not counted (0) without classes, and where weights are those of cells, which need no model. The variance
    of a bootstrap has the number of units as divisor, not one less.
    """

    freedom: float
    wider: float
    units: int = 0

    @property
    def of_interval(self) -> dict[str, float]:
        """What `bootstrap_interval` takes."""
        return {"freedom": self.freedom, "wider": self.wider}

    @classmethod
    def of(cls, cells: list[tuple[float, float]], units: int = 0) -> "Limits":
        """From the variance (in any unit) and the effective number of units of each cell."""
        if not cells:
            return cls(0.0, 1.0, units)
        variance, size = np.array(cells).T
        counted = np.maximum(size - 1, 1e-9)
        freedom = variance.sum() ** 2 / np.sum(variance**2 / counted)
        kept = np.sum(variance * counted / size) / variance.sum()
        return cls(float(freedom), float(1 / np.sqrt(max(kept, 0.25))), units)


@njit(cache=True, nogil=True)
def drawn_units(units, keys):
    """Counts (units, b) of as many draws with replacement as there are units, one column per key."""
    counts = np.zeros((units, keys.size))
    for k in range(keys.size):
        for i in range(units):
            counts[below(random_bits(keys[k], i), units), k] += 1.0
    return counts


def effective_size(weights: np.ndarray) -> float:
    """(sum w)^2 / sum w^2: the number of rows of equal weight that give a mean the same variance (Kish 1965)."""
    squares = np.sum(weights**2)
    return float(weights.sum() ** 2 / squares) if squares > 0 else 0.0


def metric_interval(metric: Metric, value: float, draws: np.ndarray, coverage: float, **limits) -> tuple[float, float]:
    """`bootstrap_interval` of a metric; none (NaN) if it `is_stuck`."""
    if is_stuck(metric, value, draws):
        return np.nan, np.nan
    return bootstrap_interval(value, draws, coverage, metric.link, **limits)


def bootstrap_interval(value, draws, coverage, link, *, freedom, rows, wider=1.0):
    """Value plus and minus t times the bootstrap standard error, on the scale of `link`, which keeps it in its range.

    Links are "logit" for shares, "log" for what is positive, "fisher" for correlations, else "identity". t has
    `freedom` degrees of freedom: small samples need more than the normal quantile. `wider` multiplies the standard
    error.
    """
    forwards, backwards = _LINKS[link]
    draws = draws[np.isfinite(draws)]
    if draws.size < 2 or not np.isfinite(value):
        return np.nan, np.nan
    spread = np.std(forwards(draws, rows), ddof=1)
    reach = stdtrit(max(freedom, 1.0), (1 + coverage) / 2) * spread * wider
    centre = forwards(np.array(value), rows)
    low, high = backwards(centre - reach), backwards(centre + reach)
    return float(min(low, value)), float(max(high, value))


_LINKS = {
    "identity": (lambda v, _: v, lambda v: v),
    "logit": (lambda v, rows: logit(np.clip(v, 0.5 / rows, 1 - 0.5 / rows)), expit),
    "log": (lambda v, _: np.log(np.maximum(v, 1e-300)), np.exp),
    "fisher": (lambda v, rows: np.arctanh(np.clip(v, -1 + 0.5 / rows, 1 - 0.5 / rows)), np.tanh),
}


def reason_against(
    limits: Limits,
    balance: float = 0.5,
    explained: float = 0.0,
    limit: float = BALANCE_LIMIT,
    share: float = LEAST_SHARE,
) -> str:
    """Why weights with this balance and these limits carry no value; "" if they do."""
    if explained > MOST_EXPLAINED:
        return f"the confounders explain {explained:.0%} of the variance of the response, too much to weight rows by"
    if not abs(balance - 0.5) <= limit:
        return (
            "cases and controls differ too much in the confounders: with weights, confounders alone still have an AUC"
            f" of {max(balance, 1 - balance):.2f} instead of 0.50"
        )
    if limits.freedom == 0:
        return "no row of a class has weight"
    size = limits.freedom + 1
    if size < np.clip(share * (limits.units - BEYOND), FEWEST_UNITS, MOST_NEEDED):
        return f"the weight of a class lies on too few rows: it is worth {count(round(size), 'row')}"
    return ""


def is_unstable(draws: np.ndarray) -> bool:
    """Whether bootstrap samples have no standard deviation to speak of: some are far beyond all others."""
    draws = draws[np.isfinite(draws)]
    if draws.size < 2:
        return False
    low, high = np.quantile(draws, [0.25, 0.75])
    return bool(high > low and np.std(draws) > MOST_SPREAD * (high - low) / 1.349)


def is_stuck(metric: Metric, value: float, draws: np.ndarray) -> bool:
    """Whether bootstrap samples of predicted classes are all alike, though the predictions are not perfect.

    Where one class is predicted throughout, Cohen's kappa is 0 in all samples, but not among further rows.
    """
    draws = draws[np.isfinite(draws)]
    of_classes = metric.task == "classification" and metric.needs == "scores"
    return of_classes and draws.size > 1 and value < 1 - ROUNDING and bool(np.ptp(draws) <= ROUNDING)
