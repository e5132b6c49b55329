"""The tests of confounding of an audit: association, predictions, and both links together.

With groups, confounders that vary within groups and those that do not are permuted differently, so they are tested
separately; the two p-values of a test are then combined by the method of Bonferroni.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from permconf.auditing.nulls import p_error
from permconf.data.levels import Levels
from permconf.inference.association_test import association_test
from permconf.inference.combined import combined
from permconf.inference.prediction_test import prediction_test
from permconf.permute.units import varies_within

PERMUTATIONS = 9999


@dataclass(frozen=True)
class Links:
    """p-values of the two links and of both together, with their Monte Carlo errors, and a table of confounders."""

    association_p: float
    association_error: float
    prediction_p: float
    prediction_error: float
    confounding_p: float
    confounding_error: float
    sign: str
    by_confounder: pd.DataFrame


class Rows(NamedTuple):
    """Response, confounders, groups and parts (or None) of the rows of a test."""

    y: np.ndarray
    confounders: pd.DataFrame
    groups: np.ndarray | None
    parts: np.ndarray | None


def links(everything: Rows, tested: Rows, scores: np.ndarray, *, seed: int) -> Links:
    """Both tests: of association on all rows, of predictions on the tested rows."""
    _check_varying(tested.confounders)
    options: Any = {"permutations": PERMUTATIONS, "seed": seed}

    def associated(c):
        return association_test(everything.y, c, groups=everything.groups, parts=everything.parts, **options)

    def predicted(c):
        return prediction_test(scores, tested.y, c, groups=tested.groups, parts=tested.parts, **options)

    names = list(everything.confounders.columns)
    kinds = _kinds(everything)
    association = _together(associated, everything.confounders, kinds, names)
    prediction = _together(predicted, tested.confounders, kinds, names)
    both = combined(prediction, association)
    leading = prediction.by_confounder["single_p"].to_numpy().argmin()
    return Links(
        association.p,
        p_error(association.p, PERMUTATIONS),
        prediction.p,
        p_error(prediction.p, PERMUTATIONS),
        both.p,
        p_error(both.p, PERMUTATIONS),
        prediction.sign if len(kinds) == 1 else prediction.by_confounder["sign"].iloc[leading],
        both.by_confounder.assign(kind=prediction.by_confounder["kind"].to_numpy()),
    )


@dataclass(frozen=True)
class _Together:
    p: float
    by_confounder: pd.DataFrame
    sign: str = "unclear"


def _kinds(rows: Rows) -> list[list[str]]:
    """Names of the confounders that vary within groups and of those that do not, where there are both."""
    names = list(rows.confounders.columns)
    if rows.groups is None:
        return [names]
    groups = Levels.of(rows.groups)
    varying = [n for n in names if varies_within(pd.factorize(rows.confounders[n])[0], groups)]
    return [part for part in (varying, [n for n in names if n not in varying]) if part]


def _together(test: Callable[[Any], Any], confounders, kinds, names):
    """One test of all confounders, or one of each kind, combined."""
    results = [test(confounders[kind]) for kind in kinds]
    if len(results) == 1:
        return results[0]
    table = pd.concat([one.by_confounder for one in results]).set_index("confounder").loc[names].reset_index()
    return _Together(min(1.0, len(results) * min(one.p for one in results)), table)


def _check_varying(confounders):
    for name in confounders.columns:
        if confounders[name].nunique() < 2:
            raise ValueError(
                f"confounder {name!r} has one value only in the test rows, {confounders[name].iloc[0]!r}, so that the"
                " predictions cannot be tested for it; leave it out or change the split"
            )
