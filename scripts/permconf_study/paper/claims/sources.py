"""The rows of tables that a claim is about, with summaries of their draws."""

import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd


@dataclass(frozen=True)
class Source:
    """The data that a claim is checked on: rows of a table, and their draws (or None)."""

    frame: pd.DataFrame
    draws: pd.DataFrame | None
    attempted: int

    def values(self, expression):
        """An expression in the columns of the table, one value per row."""
        if not isinstance(expression, str):
            return pd.Series(float(expression), index=self.frame.index)
        return evaluated(self.frame, expression)

    def value(self, expression):
        """The value of an expression for a claim about a single row; NaN if that row failed."""
        if self.frame.empty:
            return float("nan")
        if len(self.frame) != 1:
            raise ValueError(f"the claim is about one row, but {len(self.frame)} were selected")
        return float(self.values(expression).iloc[0])

    @property
    def permutations(self):
        """Smallest number of permutations per null among the rows, 0 if there were none."""
        column = self.frame.get("n_permutations")
        return 0 if column is None or column.empty else int(column.min())


def source(claim, read):
    """The rows that a claim selects; `read` returns the table at a path.

    `tables` lists one table, and optionally a table of draws. `join` adds columns of further tables by data set, with a
    prefix; `where` selects rows; `sum_by` sums rows that agree in these columns.
    """
    *_, draws = [None, *(read(path) for path in claim["tables"] if _has_draws(path))]
    frame = next(read(path) for path in claim["tables"] if not _has_draws(path))
    for prefix, path in claim.get("join", {}).items():
        other = read(path).add_prefix(f"{prefix}_").rename(columns={f"{prefix}_dataset": "dataset"})
        frame = frame.merge(other, on="dataset")
    if "where" in claim:
        frame = frame[evaluated(frame, claim["where"])]
    if "sum_by" in claim:
        frame = frame.groupby(claim["sum_by"], sort=False).sum(numeric_only=True).reset_index()
    attempted = frame["dataset"].nunique() if "dataset" in frame else len(frame)
    if "status" in frame:
        frame = frame[frame["status"] == "ok"]
    if draws is not None:
        chosen = draws[draws["dataset"].isin(frame["dataset"]) & draws["metric"].isin(frame["metric"])]
        if claim["check"]["kind"] != "normality":  # which uses the draws themselves
            frame = with_summaries(frame, chosen)
        return Source(frame, chosen, attempted)
    return Source(frame, None, attempted)


def _has_draws(path):
    return Path(path).stem in ("draws", "selected_draws")


def evaluated(frame, expression):
    """An expression in the columns of a frame; passing only those that it names is much faster."""
    names = dict.fromkeys(re.findall(r"[A-Za-z_]\w*", expression))
    return frame[[name for name in names if name in frame]].eval(expression, engine="python")


def with_summaries(frame, draws):
    """`frame` with columns <null>_draws_mean, _std, _min, _max and _count, and shares and means for some claims.

    `restricted_tail` is the share of restricted draws at or above the observed value, `standard_tail` that of standard
    draws at or above the corrected one; `test_size_mean` is the mean of the first n_test restricted draws, which are
    those of a run with as many permutations as test samples.
    """
    keys = ["dataset", "metric"]
    by_null = {group: part.to_numpy() for group, part in draws.groupby([*keys, "null"], sort=False)["value"]}
    rows = {tuple(row[key] for key in keys): row for row in frame.to_dict("records")}
    for (dataset, metric, null), values in by_null.items():
        row = rows[dataset, metric]
        row |= {f"{null}_draws_{name}": getattr(values, name)() for name in ("mean", "min", "max")}
        row |= {f"{null}_draws_std": values.std(ddof=1), f"{null}_draws_count": values.size}
        row[f"{null}_tail"] = (values >= row["observed" if null == "restricted" else "corrected"]).mean()
        if null == "restricted":
            row["test_size_mean"] = values[: row["n_test"]].mean()
    return pd.DataFrame(rows.values())
