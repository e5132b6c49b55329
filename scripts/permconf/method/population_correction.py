"""Confounding relative to a population of interest (paper, Section 4).

What counts as confounding is then only the association beyond that of the population: the restricted null of baseline
sets that have the population's structure takes the place of the standard permutation null.
"""

from dataclasses import dataclass

from permconf.method.assess import confounding_test, corrected_metric
from permconf.method.contracts import Moments


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
