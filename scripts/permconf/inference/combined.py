"""Which confounders have both links? The prediction test and the association test of the same confounders, combined.

The refit-based test of both links is `permconf.inference.confounder_tests.combined_test`.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from permconf.inference.shapes import PAIRED
from permconf.results import Result, also


@dataclass(frozen=True, eq=False)
class CombinedResult(Result):
    """p-value for "no confounder has both links", and a table `by_confounder`.

    Its columns are confounder, p (adjusted for the number of confounders by the method of Holm), association_p and
    prediction_p (of the confounder alone) and sign.
    """

    p: float
    by_confounder: Any = field(repr=False)

    pvalue = also("p")


def combined(prediction: Any, association: Any) -> CombinedResult:
    """Which confounders have both links? From a prediction test and an association test of the same confounders.

    For each confounder the larger of its two p-values counts (an intersection-union test), which is valid if either
    link is missing; over confounders these are adjusted by the method of Holm, and the smallest is the overall p-value.
    Confounders that are tested in pairs have both links together if the pair has: a confounder's p-value is then the
    smaller of its own / 0.9 and that of its pairs, times their number, / 0.1 (weighted Bonferroni). The p-values that
    each test adjusts for the other confounders will not do: where one confounder has only the first link and another
    only the second, each is tested at the full nominal level in the test that it should pass, and either may fail.

    >>> from permconf import association_test, combined, example, prediction_test
    >>> table = example()
    >>> y, c = table["ill"], table[["site", "age"]]
    >>> combined(prediction_test(table["marker"], y, c), association_test(y, c)).p < 0.05
    True
    """
    for name, test in (("prediction", prediction), ("association", association)):
        columns = getattr(test, "by_confounder", ())
        if "confounder" not in columns or ("sign" in columns) != (name == "prediction"):
            raise TypeError(f"{name} must be the result of {name}_test, not {type(test).__name__}")
    tables = prediction.by_confounder, association.by_confounder
    names = [list(table["confounder"]) for table in tables]
    if sorted(names[0]) != sorted(names[1]):
        raise ValueError(f"the two tests are of different confounders, {names[0]} and {names[1]}")
    prediction_p, association_p = (table["single_p"].to_numpy() for table in tables)
    association_p = association_p[[names[1].index(name) for name in names[0]]]
    p = holm(_with_pairs(np.maximum(prediction_p, association_p), names[0], prediction, association))
    result = {"confounder": names[0], "p": p, "association_p": association_p, "prediction_p": prediction_p}
    return CombinedResult(float(p.min()), pd.DataFrame(result | {"sign": tables[0]["sign"].to_numpy()}))


def _with_pairs(p, names, *tests):
    """p-values of confounders with both links, alone or together with another one."""
    one, other = ({frozenset(pair): p for pair, p in getattr(test, "pairs", {}).items()} for test in tests)
    shared = {pair: max(one[pair], other[pair]) for pair in one if pair in other}
    if not shared:
        return p
    p = p / (1 - PAIRED)
    for place, name in enumerate(names):
        its = [value for pair, value in shared.items() if name in pair]
        p[place] = min([p[place], *(value * len(its) / PAIRED for value in its)])
    return np.minimum(p, 1)


def holm(p):
    """p-values adjusted for their number, in steps from the smallest (Holm 1979)."""
    order = np.argsort(p, kind="stable")
    steps = np.minimum(p[order] * np.arange(len(p), 0, -1), 1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(steps)
    return adjusted
