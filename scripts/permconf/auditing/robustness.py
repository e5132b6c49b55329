"""What would have been found otherwise: with records split in place of subjects, or with bins of numbers."""

from dataclasses import replace

import pandas as pd

from permconf.auditing.answer import RecordWise
from permconf.auditing.engine import Engine
from permconf.auditing.nulls import p_error, response_p
from permconf.auditing.predictions import scored_rows
from permconf.method.mixed_confounders import MixedConfounders
from permconf.own_data.table import Table

MOST_PERMUTATIONS = 199
BINS = (5, 10)


def record_wise(engine: Engine, permutations: int, seed: int) -> RecordWise | None:
    """What a split that ignores groups would have claimed; None without groups, or where the split is given."""
    table, setup = engine.table, engine.setup
    if table.groups is None or not engine.plan.is_random:
        return None
    naive, name = Engine.of(replace(table, groups=None), setup), next(iter(setup.metrics))
    observed, metric = naive.observed(name), setup.metrics[name]
    b = min(permutations, MOST_PERMUTATIONS)
    draws = naive.draws(naive.permuted(naive.table.mixed, "restricted"), "restricted", b).values[name]
    scored = scored_rows(naive)
    interval = scored.observed_interval(metric, scored.samples(name), seed)
    return RecordWise(observed, interval, response_p(observed, draws, metric.direction))


def sensitivity(engine: Engine, permutations: int) -> pd.DataFrame | None:
    """The response test with bins of equal size in place of smooth confounders; None if there are no such."""
    name, b = next(iter(engine.setup.metrics)), min(permutations, MOST_PERMUTATIONS)
    if engine.table.has_levels:
        return None
    observed, rows = engine.observed(name), []
    for bins in BINS:
        permuted = engine.permuted(_binned(engine.table, bins), "restricted")
        draws = engine.draws(permuted, "restricted", b).values[name]
        p = response_p(observed, draws, engine.setup.metrics[name].direction)
        rows.append((f"{bins} bins of equal size", p, p_error(p, b), permuted.fixed[1]))
    return pd.DataFrame(rows, columns=["treatment", "response_p", "response_error", "fixed_rows"])


def _binned(table: Table, bins: int) -> MixedConfounders:
    """Numeric confounders in bins, others as they are."""
    binning = [{"quantiles": bins} if name in table.mixed.names else "levels" for name in table.confounders.columns]
    return MixedConfounders.of(table.confounders, binning)
