"""The result of a test of several confounders: a joint p-value, and a line for each confounder."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from permconf.data.confounders import Confounder
from permconf.inference.ranks import JointTest


@dataclass(frozen=True, repr=False, eq=False)
class JointResult:
    """Joint p-value of all confounders, and `by_confounder`, a table with the p-value of each, adjusted for the others.

    `statistic` is the largest standardised statistic (-log of its chi-squared tail probability; z if one-sided),
    `p_error` the Monte Carlo standard error of `p`, `permutations` their number, and `method` "permutation" or, for
    very many rows, "normal approximation".
    """

    p: float
    statistic: float
    by_confounder: pd.DataFrame
    p_error: float
    permutations: int
    method: str

    def __repr__(self) -> str:
        facts = [f"p={self.p:.4g}", f"p_error={self.p_error:.1g}", f"statistic={self.statistic:.4g}"]
        facts += [f"{name}={getattr(self, name)!r}" for name in self._described]
        names = [repr(str(name)) for name in self.by_confounder["confounder"][:3]]
        names += [f"{len(self.by_confounder) - 3} more"] * (len(self.by_confounder) > 3)
        facts += [f"confounders=[{', '.join(names)}]", f"permutations={self.permutations}", f"method={self.method!r}"]
        return f"{type(self).__name__}({', '.join(facts)})"

    @property
    def _described(self) -> tuple[str, ...]:
        """Further fields to show."""
        return ()


def joint_fields(test: JointTest, columns: Sequence[Confounder], permutations: int, **further: Any) -> dict:
    """The fields of a `JointResult`; `further` columns of the table come after confounder, statistic and p."""
    p = float(test.p.min())
    table = {"confounder": [column.name for column in columns], "statistic": test.statistic, "p": test.p}
    table |= further | {"kind": [column.kind for column in columns], "single_p": test.single_p}
    return {
        "p": p,
        "statistic": float(test.statistic[test.leading]),
        "by_confounder": pd.DataFrame(table | {"z": test.z, "df": test.df}),
        "p_error": float(np.sqrt(p * (1 - p) / permutations)),
        "permutations": permutations,
        "method": test.method,
    }
