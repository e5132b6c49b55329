"""Fewer rows for the bootstrap where there are very many: a standard error falls with the root of their number."""

import numpy as np

from permconf.data.sample import Sample
from permconf.permute.random_streams import Streams
from permconf.reweight.pooling import Sets

MOST_ROWS = 20_000
FEWEST_OF_A_CLASS = 200  # else all rows stay


def taken(sample: Sample, sets: Sets, rows: np.ndarray) -> tuple[Sample, Sets]:
    """Some rows of a sample, and the parts of the sets that they make."""
    place = np.full(len(sample), -1)
    place[rows] = np.arange(rows.size)
    inside = [(place[places] >= 0, places, scores) for places, scores in sets]
    return sample.take(rows), [
        (place[places[here]], scores.take(here)) for here, places, scores in inside if here.any()
    ]


def resampled_rows(sample: Sample) -> int:
    """About how many rows the bootstrap draws from: all, or MOST_ROWS where those have enough of every class."""
    y, share = sample.response, MOST_ROWS / len(sample)
    rare = len(sample) if y.labels is None else np.bincount(y.present().values).min()
    return len(sample) if share >= 1 or rare * share < FEWEST_OF_A_CLASS else MOST_ROWS


def thinned(sample: Sample, sets: Sets, seed: int) -> tuple[Sample, Sets, float]:
    """A random part of very many rows (of whole subjects), and the factor of its standard errors for all rows."""
    share = resampled_rows(sample) / len(sample)
    if share == 1:
        return sample, sets, 1.0
    rng = Streams(seed, "reweighting").rng("thinning")
    if sample.subjects is None:
        rows = np.sort(rng.choice(len(sample), MOST_ROWS, replace=False))
    else:
        levels = sample.subjects.levels
        rows = np.flatnonzero(rng.random(levels.counts.size)[levels.codes] < share)
    return *taken(sample, sets, rows), float(np.sqrt(rows.size / len(sample)))
