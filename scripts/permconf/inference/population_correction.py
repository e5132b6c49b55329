"""Confounding relative to a population of interest (paper, Section 4).

Only association beyond that of the population counts as confounding: the restricted null of the population sets
replaces the standard null as baseline.
"""

from dataclasses import dataclass
from typing import Any

from permconf.engine.contracts import Moments, make_metric
from permconf.inference.assess import confounding_test, corrected_metric
from permconf.options import whole_number
from permconf.registry import UnknownName
from permconf.results import Result


@dataclass(frozen=True)
class Relative(Result):
    """Corrected metric and confounding test against one baseline; `b` is the number of draws in the standard error."""

    baseline_mean: float
    baseline_sd: float
    corrected: float
    b: int
    confounding_z: float
    confounding_p: float


def relative_to_standard(development, *, direction=None):
    """Correction and test against the standard null, the baseline of the assessment itself."""
    standard = Moments(development.baseline_mean, development.baseline_sd)
    return _relative(development, standard, "test_size", direction)


def relative_to_population(
    development: Any, baseline: Any, *, b: int | str = "test_size", direction: int | None = None
) -> Relative:
    """Correction and test of the development data with the restricted null of the population sets as baseline.

    Both arguments are `Assessment`s, or rows of tables of tests; `baseline` is that of the population sets. `b` gives
    the standard error of the confounding test, p = 1 - Phi((a* - a) / (s / sqrt(b))): the paper uses the test-set size,
    whatever the number of permutations behind the moments. `direction`, 1 if larger values of the metric are better and
    -1 if smaller ones are, is that of the metric by default; it is needed for a metric that has no name.

    >>> from permconf import assess, example, population_split, relative_to_population
    >>> table, columns = example(400), (["marker", "volume"], "ill", "site")
    >>> development = [part[name] for part in (table[:340], table[340:]) for name in columns]
    >>> shares = {(0, 0): 0.25, (0, 1): 0.25, (1, 0): 0.25, (1, 1): 0.25}
    >>> sets = population_split(table["ill"], table["site"], shares=shares, size=60, rng=0)
    >>> population = [table[name].iloc[rows] for rows in sets for name in columns]
    >>> tests = (assess(*data, permutations=99, seed=1) for data in (development, population))
    >>> found = relative_to_population(*tests)
    >>> 0 <= found.confounding_p <= 1
    True
    """
    for name, given in (("development", development), ("baseline", baseline)):
        if not hasattr(given, "restricted_mean"):
            raise TypeError(f"{name} must be an Assessment or a row of a table of tests, not {type(given).__name__}")
    if development.metric != baseline.metric:
        raise ValueError(f"the metrics differ: {development.metric} and {baseline.metric}")
    if development.n_test != baseline.n_test:
        raise ValueError(
            "nulls of test sets of different size cannot be compared: the development test set has"
            f" {development.n_test} rows, the population test set {baseline.n_test}"
        )
    return _relative(development, Moments(baseline.restricted_mean, baseline.restricted_sd), b, direction)


def _relative(development, baseline, b, direction):
    b = int(whole_number(development.n_test if b == "test_size" else b, "b", least=1))
    if direction is None:
        try:
            direction = make_metric(development.metric).direction
        except UnknownName as error:
            name = development.metric
            raise ValueError(f"direction is needed, 1 or -1, because {name!r} is not the name of a metric") from error
    if direction not in (1, -1):
        raise ValueError(f"direction must be 1 or -1, not {direction!r}")
    restricted = Moments(development.restricted_mean, development.restricted_sd)
    z, p = confounding_test(restricted.mean, baseline, b, direction=direction)
    corrected = float(corrected_metric(development.observed, restricted, baseline))
    return Relative(float(baseline.mean), float(baseline.sd), corrected, b, z, p)
