"""The kinds of checks used by claims: each function of `CHECKS` takes a `Source` and options, and gives a `Finding`."""

import math

import numpy as np
from scipy.spatial.distance import pdist
from scipy.special import bdtr, bdtrc, kolmogorov, ndtr

from permconf_study.paper.claims.verdicts import (
    ASYMPTOTIC,
    CONFIDENCE,
    CONSISTENT,
    HALF_WIDTH,
    NOT_REPRODUCED,
    REPRODUCED,
    Finding,
    equality_outcome,
    region_finding,
)
from permconf_study.paper.tables.normality import normal_distances
from permconf_study.study.estimates import median
from permconf_study.study.rejection_rates import binomial_band

GRID = np.linspace(0, 1, 2001)
SMALLEST_P = 1e-300  # p-values that a normal tail rounds to zero are not zero


def value(source, *, of, within, error=0):
    """A number of one data set lies in a region; `error` is its Monte Carlo standard error."""
    estimate, half = source.value(of), HALF_WIDTH * source.value(error)
    if of.endswith("_p"):
        estimate = max(estimate, SMALLEST_P)
    return region_finding(estimate, estimate - half, estimate + half, within)


def mean(source, *, of, within):
    """The mean over data sets lies in a region."""
    values = source.values(of).to_numpy(float)
    estimate = float(values.mean()) if values.size else math.nan
    half = HALF_WIDTH * float(values.std(ddof=1)) / math.sqrt(values.size) if values.size > 1 else math.inf
    return region_finding(estimate, estimate - half, estimate + half, within)


def share(source, *, of, within):
    """The share of data sets with a property lies in a region."""
    having = (source.values(of) if isinstance(of, str) else of).to_numpy(bool)
    low, high = binomial_band(having.sum(), having.size, confidence=CONFIDENCE)
    estimate = float(having.mean()) if having.size else math.nan
    return region_finding(estimate, float(low), float(high), within)


def attainable_error(alpha, steps):
    """Mean type I error of permutation tests with `steps` permutations at `alpha`: p is a multiple of 1/(1 + b)."""
    sizes = 1 + np.asarray(steps, float)
    return np.mean(np.floor(np.multiply.outer(alpha, sizes) + 1e-9) / sizes, axis=-1)


def type1_error(source, *, p, alpha, steps=None):
    """The rejection rate at `alpha` equals `alpha`, or the type I error attainable with `steps` permutations."""
    p_values = source.values(p).to_numpy(float)
    n, rejected = p_values.size, int((p_values <= alpha).sum())
    target = float(alpha if steps is None else attainable_error(alpha, source.values(steps))) if n else alpha
    low, high = (float(end) for end in binomial_band(rejected, n, confidence=CONFIDENCE))
    tail = min(bdtr(rejected, n, target), bdtrc(rejected - 1, n, target) if rejected else 1.0) if n else 1.0
    criterion = f"equal to {target:.3g} within Monte Carlo error"
    rate = rejected / n if n else math.nan
    return Finding(rate, low, high, criterion, equality_outcome(min(1.0, 2 * tail)))


def uniform(source, *, p, steps=None):
    """The rejection rate equals alpha (or the attainable type I error) for all alpha at once (Kolmogorov's test)."""
    p_values = np.sort(source.values(p).to_numpy(float))
    n = p_values.size
    rates = np.searchsorted(p_values, GRID + 1e-12, side="right") / max(n, 1)
    errors = attainable_error(GRID, source.values(steps)) if steps is not None and n else GRID
    distance = float(np.abs(rates - errors).max()) if n else math.nan
    limit = math.sqrt(math.log(2 / CONSISTENT) / (2 * max(n, 1)))
    outcome = equality_outcome(float(kolmogorov(math.sqrt(n) * distance))) if n else REPRODUCED
    criterion = f"at most {limit:.3f}, Kolmogorov's 1 % bound"
    return Finding(distance, max(0.0, distance - limit), distance + limit, criterion, outcome)


def identity(source, *, left, right, tolerance):
    """Two quantities agree in every row, up to `tolerance`."""
    gaps = (source.values(left) - source.values(right)).abs().to_numpy(float)
    largest = float(gaps.max()) if gaps.size else math.nan
    outcome = REPRODUCED if largest <= tolerance else NOT_REPRODUCED
    return Finding(largest, largest, largest, f"at most {tolerance:g} in every row", outcome)


def equal(source, *, of, error, to):
    """A number of one data set equals a value, up to its Monte Carlo standard error."""
    estimate, sd, target = source.value(of), source.value(error), source.value(to)
    p = 2 * float(ndtr(-abs(estimate - target) / sd)) if sd > 0 else float(estimate == target)
    half = HALF_WIDTH * sd
    criterion = f"equal to {target:.4g} within Monte Carlo error"
    return Finding(estimate, estimate - half, estimate + half, criterion, equality_outcome(p))


def normality(source, *, limit, nulls=("restricted", "standard"), moments=None):
    """Nulls of one data set are within `limit` of a normal distribution, by Kolmogorov's distance of the worse one.

    The normal distribution has the moments of the draws, or `moments`: two expressions, for mean and sd.
    """
    given = None if moments is None else [source.value(expression) for expression in moments]
    if source.frame.empty:
        return region_finding(math.nan, math.nan, math.nan, (None, limit))
    draws = {null: source.draws.loc[source.draws["null"] == null, "value"].to_numpy() for null in nulls}
    distances = {null: normal_distances(values, given)[0] for null, values in draws.items()}
    worst = max(distances.values())
    half = math.sqrt(math.log(2 / CONSISTENT) / (2 * min(map(len, draws.values()))))
    detail = ", ".join(f"{null} {distance:.3f}" for null, distance in distances.items())
    return region_finding(worst, max(0.0, worst - half), worst + half, (None, limit), detail)


def improvement(source, *, smaller, larger):
    """The nulls are closer to normal with `larger` test sets than with `smaller` ones, in the median over data sets.

    The rows are those of the table of redraws, with Kolmogorov's distances of both nulls; the worse of both counts.
    """
    worse, middle = (
        source.values(f"restricted{kind}_distance").combine(source.values(f"standard{kind}_distance"), max)
        for kind in ("", "_midpoint")
    )
    sizes = source.values("n_test")
    (before, before_error), (after, after_error) = (median(worse[sizes == size]) for size in (smaller, larger))
    half = HALF_WIDTH * math.hypot(before_error, after_error)
    steps = " and ".join(f"{middle[sizes == size].median():.3f}" for size in (smaller, larger))
    detail = f"medians {before:.3f} and {after:.3f}; at the midpoints of steps {steps}"
    return region_finding(after - before, after - before - half, after - before + half, (None, 0), detail)


def decay(source, *, tolerance, slope=-0.5):
    """Both sides of an equation agree up to `tolerance`, or their difference falls faster than n ** `slope`."""
    largest, slowest = float(source.values("largest").max()), float(source.values("slope").max())
    half = HALF_WIDTH * float(source.values("slope_se").max())
    criterion = f"at most {tolerance:g} in every row; else falling faster than n^{slope:g}"
    if largest <= tolerance:
        return Finding(largest, largest, largest, criterion, REPRODUCED)
    outcome = ASYMPTOTIC if slowest + half < slope else NOT_REPRODUCED
    detail = f"the difference falls like n^{slowest:.2f} (99 % interval {slowest - half:.2f} to {slowest + half:.2f})"
    return Finding(largest, largest, largest, criterion, outcome, detail)


def maximin(source, *, columns, designs=20):
    """The smallest distance between points of a design exceeds that of every one of `designs` random hypercubes."""
    points = source.frame[columns].to_numpy(float)
    if len(points) < 2:
        return region_finding(math.nan, math.nan, math.nan, (1, None))
    span = np.ptp(points, axis=0)
    unit = (points - points.min(axis=0)) / np.where(span > 0, span, 1)
    rng = np.random.default_rng(0)
    strata = np.argsort(rng.random((designs, *unit.shape)), axis=1)
    random = max(pdist((rows + rng.random(unit.shape)) / len(unit)).min() for rows in strata)
    smallest = pdist(unit).min()
    ratio = float(smallest / random)
    detail = f"smallest distance {smallest:.3f}; best of {designs} random Latin hypercubes {random:.3f}"
    return region_finding(ratio, ratio, ratio, (1, None), detail)


CHECKS = {
    check.__name__: check
    for check in (
        *(value, mean, share, type1_error, uniform, identity, equal),
        *(normality, improvement, decay, maximin),
    )
}
