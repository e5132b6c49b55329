"""The result of a test of several confounders: a joint p-value, and a line for each confounder."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from permconf.data.confounders import Confounder
from permconf.inference.joint_test import JointTest
from permconf.results import Result, also


@dataclass(frozen=True, repr=False, eq=False)
class JointResult(Result):
    """Joint p-value of all confounders, and `by_confounder`, a table with the p-value of each, adjusted for the others.

    `statistic` is the largest standardised statistic (-log of its chi-squared tail probability; z if one-sided),
    `p_error` the Monte Carlo standard error of `p`, `permutations` their number, and `method` "permutation" or, for
    very many rows, "normal approximation". `attainable_p` is the smallest p-value that these data could have given,
    whatever the association: where few rows can be exchanged it is large, and a large `p` then says nothing.

    In the table, `shape` is that of the strongest evidence ("linear", "curved", "spread", "differs between classes" or
    "together with" another confounder; "" if nothing can be permuted; see `permconf.inference.shapes`). `single_p` and
    `attainable_p` are of the confounder alone, z and df of its linear statistic. `pairs` has the p-values of pairs of
    confounders by their names.
    """

    p: float
    statistic: float
    by_confounder: pd.DataFrame
    p_error: float
    permutations: int
    method: str
    attainable_p: float
    pairs: dict[tuple[str, str], float]

    pvalue = also("p")
    _described: ClassVar[tuple[str, ...]] = ()  # further fields to show
    HINTS = {
        **dict.fromkeys(("z", "df", "z_score"), "by_confounder has z and df of each confounder"),
        **dict.fromkeys(
            ("p_value", "pval", "p_values"), "the joint p-value is p, those of confounders in by_confounder"
        ),
        **dict.fromkeys(("confidence_interval", "ci", "interval"), "a test has no interval; p_error is the error of p"),
        **dict.fromkeys(("null_distribution", "null", "plot"), "draws are not kept; by_confounder has the evidence"),
    }

    def to_frame(self) -> pd.DataFrame:
        """`by_confounder`."""
        return self.by_confounder

    def __repr__(self) -> str:
        facts = [f"p={self.p:.4g}", f"p_error={self.p_error:.1g}", f"statistic={self.statistic:.4g}"]
        facts += [f"{name}={getattr(self, name)!r}" for name in self._described]
        names = [repr(str(name)) for name in self.by_confounder["confounder"][:3]]
        names += [f"{len(self.by_confounder) - 3} more"] * (len(self.by_confounder) > 3)
        facts += [f"confounders=[{', '.join(names)}]", f"permutations={self.permutations}", f"method={self.method!r}"]
        return f"{type(self).__name__}({', '.join(facts)})"


def joint_fields(test: JointTest, columns: Sequence[Confounder], permutations: int, **further: Any) -> dict:
    """The fields of a `JointResult`; `further` columns of the table come after confounder, statistic and p."""
    p = float(test.p.min())
    names = [column.name for column in columns]
    table: dict[str, Any] = {"confounder": names, "statistic": test.statistic, "p": test.p}
    table |= further | {"kind": [column.kind for column in columns], "single_p": test.single_p}
    shapes = [one if isinstance(one, str) else f"together with {names[one]}" for one in test.shape]
    table |= {"z": test.z, "df": test.df, "shape": shapes, "attainable_p": test.attainable}
    return {
        "p": p,
        "statistic": float(test.statistic[test.leading]),
        "by_confounder": pd.DataFrame(table),
        "p_error": float(np.sqrt(p * (1 - p) / permutations)),
        "permutations": permutations,
        "method": test.method,
        "attainable_p": test.attainable_p,
        "pairs": {(names[i], names[j]): p for (i, j), p in test.pair_p.items()},
    }
