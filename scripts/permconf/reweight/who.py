"""Whom weights are about, and the metric level by level."""

from typing import TYPE_CHECKING

import numpy as np

from permconf.data.confounders import Confounders
from permconf.data.sample import Sample
from permconf.engine.contracts import Metric
from permconf.permute.random_streams import Streams
from permconf.reweight.bootstrap import BootstrapRows, metric_interval
from permconf.reweight.pooling import Sets, pooled_metric
from permconf.reweight.thinning import taken, thinned

if TYPE_CHECKING:
    import pandas as pd

CARRIED = 0.9  # share of the weight that `support` describes
MOST_LEVELS = 20  # of a confounder
LEVEL_SAMPLES = 200  # bootstrap samples of each level


def support(c: Confounders, weights: np.ndarray) -> "pd.DataFrame":
    """For each confounder the range, or the levels with the most weight, that carry 90 % of the weight (m,)."""
    import pandas as pd  # takes a third of a second

    rows, share = [], weights / weights.sum()
    for column in c.columns:
        low = high = np.nan
        levels: tuple = ()
        if column.levels is None:
            order = np.argsort(column.values, kind="stable")
            outside = (1 - CARRIED) / 2
            places = np.searchsorted(np.cumsum(share[order]), [outside, 1 - outside]).clip(max=len(order) - 1)
            low, high = column.values[order[places]]
        else:
            each = np.bincount(column.values, weights=share, minlength=column.levels.size)
            order = np.argsort(-each, kind="stable")
            needed = int(np.searchsorted(np.cumsum(each[order]), CARRIED - 1e-9)) + 1
            levels = tuple(column.levels.tolist()[k] for k in np.sort(order[:needed]))
        rows.append((column.name, low, high, levels))
    return pd.DataFrame(rows, columns=["confounder", "low", "high", "levels"])


def by_level(metric: Metric, name: str, sample: Sample, sets: Sets, seed: int, interval: float) -> "pd.DataFrame":
    """The metric in each level of each categorical confounder with at most 20, with intervals; NaN where undefined."""
    import pandas as pd

    found = []
    for column in sample.confounders.present().categorical:
        assert column.levels is not None
        if column.levels.size <= MOST_LEVELS:
            for code, level in enumerate(column.levels.tolist()):
                rows = np.flatnonzero(column.values == code)
                values = _in_rows(metric, name, sample, sets, rows, seed, interval)
                found.append((column.name, level, rows.size, *values))
    return pd.DataFrame(found, columns=["confounder", "level", "rows", "value", "low", "high"])


def _in_rows(metric, name, sample, sets, rows, seed, interval):
    """The metric of some rows, and its interval."""
    part, parts = taken(sample, sets, rows)
    y, labels = part.response.values, part.response.labels
    if not parts or np.ptp(y) == 0:
        return np.nan, np.nan, np.nan
    once = np.ones((rows.size, 1))
    value = float(pooled_metric(metric, name, y, parts)(once)[0])
    limits = BootstrapRows.of(rows.size, part.subjects).limits(once[:, 0], None if labels is None else y)
    few, few_parts, factor = thinned(part, parts, seed)
    weighted = pooled_metric(metric, name, few.response.values, few_parts)
    keys = Streams(seed, "reweighting").keys("levels", LEVEL_SAMPLES)
    draws = BootstrapRows.of(len(few), few.subjects).draws(weighted, keys)
    options = {"freedom": limits.freedom, "wider": limits.wider * factor, "rows": rows.size}
    return value, *metric_interval(metric, value, draws, interval, **options)
