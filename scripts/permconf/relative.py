"""Confounding relative to a population of interest (paper, Section 4).

What counts as confounding is then only the association beyond that of the population: the restricted null of baseline
sets that have the population's structure takes the place of the standard permutation null.
"""

from dataclasses import asdict, dataclass

from permconf.inference import confounding_test, corrected_metric
from permconf.metrics import Moments, make_metric


@dataclass(frozen=True)
class Relative:
    """Correction of a metric and confounding test against one baseline; `b` is the number of draws the test allows."""

    baseline_mean: float
    baseline_sd: float
    corrected: float
    b: int
    confounding_z: float
    confounding_p: float


def relative_to_standard(development, *, b="test_size", direction=1):
    """An assessment against the null without any association, which is the baseline it was made with."""
    standard = Moments(development.baseline_mean, development.baseline_sd)
    return _relative(development, standard, b, direction)


def relative_to_population(development, baseline, *, b="test_size", direction=1):
    """An assessment of development data against one of baseline sets with the structure of the population of interest.

    Both are `Assessment`s, or rows of tables of tests. `b` is what the standard error of the confounding test rests
    on, p = 1 - Phi((a* - a) / (s / sqrt(b))): the test-set size is the paper's choice, however many permutations gave
    the moments. `direction` is -1 for metrics of which small values are good.
    """
    if development.metric != baseline.metric:
        raise ValueError(f"the metrics differ: {development.metric} and {baseline.metric}")
    if development.n_test != baseline.n_test:
        raise ValueError(
            "the nulls of test sets of different size cannot be compared: the development test set has"
            f" {development.n_test} rows, the baseline test set {baseline.n_test}"
        )
    return _relative(development, Moments(baseline.restricted_mean, baseline.restricted_sd), b, direction)


def _relative(development, baseline, b, direction):
    b = int(development.n_test if b == "test_size" else b)
    if b < 1:
        raise ValueError(f"b must be at least 1, not {b}")
    restricted = Moments(development.restricted_mean, development.restricted_sd)
    z, p = confounding_test(restricted.mean, baseline, b, direction=direction)
    corrected = float(corrected_metric(development.observed, restricted, baseline))
    return Relative(float(baseline.mean), float(baseline.sd), corrected, b, z, p)


def relative_columns(development, baseline):
    """Columns of a table with two rows per assessment: relative to the standard null, and to the population.

    `development` and `baseline` are tables of tests (data frames) with the same data sets and metrics in the same
    order; what failed in either is left out.
    """
    rows = []
    for dev, base in zip(development.itertuples(), baseline.itertuples(), strict=True):
        if dev.dataset != base.dataset:
            raise ValueError(f"the tables of tests differ in their data sets: {dev.dataset} and {base.dataset}")
        if "failed" not in (dev.status, base.status):
            direction = make_metric(dev.metric).direction
            rows.append(_row(dev, dev, "standard", relative_to_standard(dev, direction=direction)))
            rows.append(_row(dev, base, "population", relative_to_population(dev, base, direction=direction)))
    if not rows:
        raise ValueError("no data set was assessed in both tables")
    return {name: [row[name] for row in rows] for name in rows[0]}


def _row(development, baseline, relative_to, relative):
    copied = ("dataset", "metric", "n_train", "n_test", "n_permutations", "observed", "response_p")
    return {
        **{name: getattr(development, name) for name in copied},
        "restricted_mean": development.restricted_mean,
        "restricted_sd": development.restricted_sd,
        "relative_to": relative_to,
        "baseline_n_train": baseline.n_train,
        "baseline_n_test": baseline.n_test,
        **asdict(relative),
    }
