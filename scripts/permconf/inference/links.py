"""The tests of confounding, wired once: association of confounders and response, predictions given it, both together.

With subjects, confounders that vary within subjects and those that do not are permuted differently, so they are tested
separately; the two p-values of a test are then combined by the method of Bonferroni.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from permconf.data.confounders import Confounders
from permconf.data.levels import Levels
from permconf.data.response import Response
from permconf.data.sample import Sample, Subjects
from permconf.inference.assess import p_error
from permconf.inference.association_test import association_test_of
from permconf.inference.combined import combined
from permconf.inference.prediction_test import prediction_test_of
from permconf.permute.units import split_by_variation


class Rows(NamedTuple):
    """Response, confounders, subjects and parts of the rows of a test."""

    response: Response
    confounders: Confounders
    subjects: Subjects | None
    parts: Levels

    @classmethod
    def of(cls, sample: Sample, parts: np.ndarray | None = None) -> "Rows":
        """The rows of a sample; None for one part."""
        levels = Levels.single(len(sample)) if parts is None else Levels.of(parts)
        return cls(sample.response, sample.confounders, sample.subjects, levels)


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


def links(
    everything: Rows,
    tested: Rows,
    scores: np.ndarray,
    *,
    permutations: int,
    seed: int,
    bins: int | None = None,
    association: Any = None,
    shape: str = "any",
) -> Links:
    """Both tests: of association on all rows, of predictions (scores, a column or one for each class) on tested rows.

    `bins` are the groups of a numeric response in the test of predictions; `association` is the result of the first
    test, where it is known. Studies ask for the "linear" `shape` only: their tables are older than the others.
    """
    _check_varying(tested.confounders)
    scores = scores.reshape(len(scores), -1)
    options: Any = {"permutations": permutations, "shape": shape, "seed": seed}
    kinds = _kinds(tested)
    association = association or _together(
        lambda rows: association_test_of(*rows, **options), everything, _kinds(everything)
    )
    prediction = _together(lambda rows: prediction_test_of(scores, *rows, bins=bins, **options), tested, kinds)
    both = combined(prediction, association)
    leading = prediction.by_confounder["single_p"].to_numpy().argmin()
    return Links(
        association.p,
        p_error(association.p, permutations),
        prediction.p,
        p_error(prediction.p, permutations),
        both.p,
        p_error(both.p, permutations),
        prediction.sign if len(kinds) == 1 else prediction.by_confounder["sign"].iloc[leading],
        both.by_confounder.assign(kind=prediction.by_confounder["kind"].to_numpy()),
    )


@dataclass(frozen=True)
class _Together:
    p: float
    by_confounder: pd.DataFrame
    sign: str = "unclear"


def _kinds(rows: Rows) -> list[list[str]]:
    """Names of the confounders that vary within subjects and of those that do not, where there are both."""
    if rows.subjects is None:
        return [list(rows.confounders.names)]
    return [part for part in split_by_variation(rows.confounders.columns, rows.subjects.levels) if part]


def _together(test: Callable[[Rows], Any], rows: Rows, kinds: list[list[str]]) -> Any:
    """One test of all confounders, or one of each kind, combined."""
    if len(kinds) == 1:
        return test(rows)
    results = [test(rows._replace(confounders=rows.confounders.chosen(kind))) for kind in kinds]
    names = list(rows.confounders.names)
    table = pd.concat([one.by_confounder for one in results]).set_index("confounder").loc[names].reset_index()
    return _Together(min(1.0, len(results) * min(one.p for one in results)), table)


def _check_varying(confounders):
    for column in confounders.columns:
        if (column.values == column.values[0]).all():
            values = column.values if column.levels is None else column.levels[column.values]
            raise ValueError(
                f"confounder {column.name!r} has one value only in the test rows, {values.tolist()[0]!r}, so that the"
                " predictions cannot be tested for it; leave it out or change the split"
            )
