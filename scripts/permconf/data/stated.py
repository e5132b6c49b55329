"""What a user states about a confounder in the mapping form of `confounders`: its treatment, its role, missing values.

`{"site": "levels", "age": {"quantiles": 5}, "bmi": {"role": "mediator"}, "ward": {"treatment": "levels", "missing":
"level"}}`. With `missing="level"`, rows without a value are a level of their own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from permconf.data.binning import BINNINGS, binned, check_binning
from permconf.data.values import numbers
from permconf.errors import nearest
from permconf.options import choice

ROLES = ("cause", "mediator", "consequence")
KEYS = ("treatment", "role", "missing")


@dataclass(frozen=True)
class Stated:
    """Treatment, role ("" if none was stated), and whether missing values are a level."""

    treatment: Any = "auto"
    role: str = ""
    missing: bool = False

    @classmethod
    def of(cls, spec: Any) -> "Stated":
        """From a treatment, a role, or a mapping with treatment (or a binning), role and missing."""
        if isinstance(spec, str) and spec in ROLES:
            return cls(role=spec)
        if not isinstance(spec, Mapping) or not set(spec) & set(KEYS):
            return cls(check_binning(spec))
        binning = {key: value for key, value in spec.items() if key in BINNINGS}
        unknown = [key for key in spec if key not in (*KEYS, *BINNINGS)]
        if unknown:
            raise ValueError(f"unknown option {unknown[0]!r} of a confounder{nearest(unknown[0], (*KEYS, *BINNINGS))}")
        role = choice(spec["role"], "role", ROLES) if spec.get("role") else ""
        if spec.get("missing") not in (None, "level"):
            raise ValueError(f"missing must be 'level', not {spec['missing']!r}")
        treatment = check_binning(binning or spec.get("treatment", "auto"))
        return cls(treatment, role, spec.get("missing") == "level")

    def filled(self, column: pd.Series) -> tuple[Any, Any]:
        """The column, where missing values are a level if that was asked for, and its treatment."""
        absent = column.isna()
        if not self.missing or not absent.any():
            return column, self.treatment
        present = column[~absent].infer_objects()
        if isinstance(self.treatment, Mapping):
            codes = binned(numbers(present.to_numpy(), f"confounder {column.name!r}"), self.treatment)
            present = pd.Series(codes, index=present.index)
        elif self.treatment == "smooth" or (present.dtype.kind == "f" and (present % 1).any()):
            raise ValueError(
                f"missing values of confounder {column.name!r}, which is numeric, can be a level only beside levels or"
                " bins; give it {'quantiles': 5, 'missing': 'level'} or the like"
            )
        elif present.dtype.kind == "f":
            present = present.astype("int64")
        levels = sorted(present.unique())
        if "missing" in levels:
            raise ValueError(f"confounder {column.name!r} has a level 'missing' and missing values; rename that level")
        labels = present.astype(object).reindex(column.index).where(~absent, "missing")
        return pd.Series(pd.Categorical(labels, [*levels, "missing"]), column.index, name=column.name), "levels"
