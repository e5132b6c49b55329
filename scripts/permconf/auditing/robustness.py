"""What would have been found otherwise: with records split in place of subjects, or other random splits."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from permconf.auditing.answer import RecordWise
from permconf.auditing.scored_rows import ScoredRows
from permconf.data.sample import Sample
from permconf.engine.evaluate import Evaluation, nulls
from permconf.inference.links import Rows
from permconf.inference.p_values import permutation_p
from permconf.permute.random_streams import Streams

MOST_PERMUTATIONS = 199


def record_wise(setup: Any, sample: Sample, evaluation: Evaluation, permutations: int, seed: int) -> RecordWise | None:
    """What a split that ignores subjects would have claimed; None without subjects, or where the split is given."""
    if sample.subjects is None or not evaluation.folds.is_random:
        return None
    naive = setup.evaluated(replace(sample, subjects=None), evaluation.streams)
    name, metric = next(iter(naive.metrics.items()))
    draws = nulls(naive, "restricted", min(permutations, MOST_PERMUTATIONS)).values[name]
    interval = ScoredRows.of(naive).observed_interval(metric, name, seed)
    observed = naive.observed(name)
    return RecordWise(observed, interval, permutation_p(observed, draws, direction=metric.direction))


def other_splits(setup: Any, sample: Sample, evaluation: Evaluation, splits: int, seed: int) -> Iterator[dict]:
    """The metric and the tests of confounding with further random splits of a table: a fit each, no permuted fits."""
    if splits and not evaluation.folds.is_random:
        raise ValueError("sensitivity draws other random splits; leave it out where the split is given")
    for k in range(1, splits + 1):
        other = setup.evaluated(sample, Streams(seed + k, "audit"))
        found, name = ScoredRows.of(other).links(Rows.of(other.sample), seed), next(iter(other.metrics))
        p_values = {"prediction_p": found.prediction_p, "confounding_p": found.confounding_p}
        yield {"treatment": f"split of seed {seed + k}", "observed": other.observed(name), **p_values}
