"""What would have been found otherwise: with records split in place of subjects, bins of numbers, or other splits."""

from collections.abc import Iterator
from dataclasses import replace

from permconf.auditing.answer import RecordWise
from permconf.auditing.engine import Engine
from permconf.auditing.nulls import p_error
from permconf.auditing.predictions import links_of, scored_rows
from permconf.data.mixed_confounders import MixedConfounders
from permconf.data.table import Table
from permconf.inference.assess import permutation_p
from permconf.permute.random_streams import Streams

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
    return RecordWise(observed, interval, permutation_p(observed, draws, direction=metric.direction))


def other_treatments(engine: Engine, permutations: int) -> Iterator[dict]:
    """The response test with bins of equal size in place of smooth confounders, if there are any."""
    name, b = next(iter(engine.setup.metrics)), min(permutations, MOST_PERMUTATIONS)
    if engine.table.has_levels:
        return
    observed = engine.observed(name)
    for bins in BINS:
        permuted = engine.permuted(_binned(engine.table, bins), "restricted")
        draws = engine.draws(permuted, "restricted", b).values[name]
        p = permutation_p(observed, draws, direction=engine.setup.metrics[name].direction)
        found = {"response_p": p, "response_error": p_error(p, b), "fixed_rows": permuted.fixed[1]}
        yield {"treatment": f"{bins} bins of equal size", **found}


def other_splits(table: Table, engine: Engine, splits: int, seed: int) -> Iterator[dict]:
    """The metric and the tests of confounding with further random splits of a table: a fit each, no permuted fits."""
    if splits and not engine.plan.is_random:
        raise ValueError("sensitivity draws other random splits; leave it out where the split is given")
    for k in range(1, splits + 1):
        other = Engine.of(table, replace(engine.setup, streams=Streams(seed + k, "audit")))
        found, name = links_of(other, seed), next(iter(engine.setup.metrics))
        p_values = {"prediction_p": found.prediction_p, "confounding_p": found.confounding_p}
        yield {"treatment": f"split of seed {seed + k}", "observed": other.observed(name), **p_values}


def _binned(table: Table, bins: int) -> MixedConfounders:
    """Numeric confounders in bins, others as they are."""
    binning = [{"quantiles": bins} if name in table.mixed.names else "levels" for name in table.confounders.columns]
    return MixedConfounders.of(table.confounders, binning)
