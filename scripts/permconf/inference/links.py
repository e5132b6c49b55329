"""The tests of confounding, wired once: association of confounders and response, predictions given it, both together.

With subjects, confounders that vary within subjects and those that do not are permuted differently, so they are tested
separately; the two p-values of a test are then combined by the method of Bonferroni.

Which confounder is read is another question than which one is associated with the scores: it is tested given the
response and the other confounders (`permconf.inference.read_test`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from permconf.inference.assess import p_error
from permconf.inference.association_test import Rows, association_test_of
from permconf.inference.combined import combined, holm
from permconf.inference.prediction_test import prediction_test_of
from permconf.inference.read_test import read_test
from permconf.inference.tested_rows import TestedRows
from permconf.permute.units import split_by_variation

ALPHA = 0.05  # attainable p-values above this have a reason


@dataclass(frozen=True, eq=False)
class Links:
    """p-values of the two links and of both together, with their Monte Carlo errors, and a table of confounders.

    Columns added to those of `CombinedResult`: kind; read_p, read_sign (given the response and the other
    confounders, adjusted by the method of Holm; with one confounder those of the prediction test); shape of what is
    read; attainable_p, the smallest p-value that the tests of the confounder could have given; and a reason where that
    is above .05. `attainable_p` is the smallest `confounding_p` that these data could have given.
    """

    association_p: float
    association_error: float
    prediction_p: float
    prediction_error: float
    confounding_p: float
    confounding_error: float
    sign: str
    by_confounder: pd.DataFrame
    attainable_p: float


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
    for column in tested.confounders.columns:
        if (column.values == column.values[0]).all():
            value = column.values.tolist()[0] if column.levels is None else column.levels.tolist()[column.values[0]]
            raise ValueError(
                f"confounder {column.name!r} has one value only in the test rows, {value!r}, so that the"
                " predictions cannot be tested for it; leave it out or change the split"
            )
    scores = scores.reshape(len(scores), -1)
    options: Any = {"permutations": permutations, "shape": shape, "seed": seed}
    kinds = _kinds(tested)
    if association is None:
        association = _together(lambda rows: association_test_of(rows, **options), everything, _kinds(everything))
    prediction = _together(lambda rows: prediction_test_of(scores, rows, bins=bins, **options), tested, kinds)
    both = combined(prediction, association)
    columns = {"kind": prediction.by_confounder["kind"].to_numpy()}
    if shape == "any":
        columns |= _read(tested, scores, prediction.by_confounder, bins, options)
    attainable = [one.by_confounder["attainable_p"].to_numpy() for one in (association, prediction)]
    columns |= {"attainable_p": np.maximum(*attainable), "reason": _reasons(both.by_confounder, attainable, tested)}
    table = both.by_confounder.assign(**columns)
    leading = prediction.by_confounder["single_p"].to_numpy().argmin()
    return Links(
        association.p,
        p_error(association.p, permutations),
        prediction.p,
        p_error(prediction.p, permutations),
        both.p,
        p_error(both.p, permutations),
        prediction.sign if len(kinds) == 1 else prediction.by_confounder["sign"].iloc[leading],
        table,
        float(min(1, len(table) * columns["attainable_p"].min())),
    )


def _read(tested, scores, by_confounder, bins, options):
    """Columns of the table: which confounders are read, given the others."""
    if len(by_confounder) == 1:
        columns = {"read_p": "single_p", "read_sign": "sign", "shape": "shape"}
        return {name: by_confounder[column].to_numpy() for name, column in columns.items()}
    rows = TestedRows.of(scores, tested, bins)
    confounders, options = tested.confounders.present(), {name: options[name] for name in ("permutations", "seed")}
    reads = [
        read_test(rows, one, confounders.chosen([name for name in confounders.names if name != one.name]), **options)
        for one in confounders.columns
    ]
    return {
        "read_p": holm(np.array([read.p for read in reads])),
        "read_sign": [read.sign for read in reads],
        "shape": [read.shape for read in reads],
    }


def _reasons(table, attainable, tested):
    """Why a confounder cannot be assessed, "" for one that can."""
    reasons = []
    where = "class" if tested.response.labels is not None else "group of similar response"
    where = f"{where} and fold" if tested.parts.counts.size > 1 else where
    for name, association, prediction in zip(table["confounder"], *attainable, strict=True):
        p, reason = max(association, prediction), ""
        if prediction >= 1:
            reason = f"{name} or the scores do not vary among rows of the same {where}, so that no test is possible"
        elif association >= 1:
            reason = f"{name} does not vary where the response does, so that no test is possible"
        elif p > ALPHA:
            reason = f"so few rows differ in {name} within a {where} that no p-value below {p:.2g} is possible"
        reasons.append(reason)
    return reasons


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
