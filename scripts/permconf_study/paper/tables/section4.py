"""Tables of Section 4: corrections and tests relative to two baselines, and the cell counts of all sets."""

from dataclasses import asdict

from permconf.engine.contracts import make_metric
from permconf.engine.population import cell_counts, share_table
from permconf.inference.population_correction import relative_to_population, relative_to_standard


def relative_columns(development, baseline):
    """Columns of a table with two rows per assessment: relative to the standard null, and to the population.

    `development` and `baseline` are tables of tests (data frames) of the development data and of the population sets,
    with the same data sets and metrics in the same order; rows that failed in either are omitted.
    """
    rows = []
    for dev, base in zip(development.itertuples(), baseline.itertuples(), strict=True):
        if dev.dataset != base.dataset:
            raise ValueError(f"the tables of tests have different data sets: {dev.dataset} and {base.dataset}")
        if "failed" not in (dev.status, base.status):
            direction = make_metric(dev.metric).direction
            rows.append(_row(dev, dev, "standard", relative_to_standard(dev, direction=direction)))
            rows.append(_row(dev, base, "population", relative_to_population(dev, base, direction=direction)))
    if not rows:
        raise ValueError("no data set was assessed in both tables")
    return {name: [row[name] for row in rows] for name in rows[0]}


def _row(development, baseline, relative_to, relative):
    copied = ("dataset", "metric", "n_train", "n_test", "n_permutations", "observed", "response_p")
    row = {name: getattr(development, name) for name in (*copied, "restricted_mean", "restricted_sd")}
    row |= {"relative_to": relative_to, "baseline_n_train": baseline.n_train, "baseline_n_test": baseline.n_test}
    return row | asdict(relative)


def cell_columns(shares, sets):
    """Columns of a table of the shares of the population (set "population", no counts) and the cell counts of `sets`.

    `sets` maps names to pairs (y, c).
    """
    rows = [("population", *cell, None, share) for cell, share in share_table(shares).items()]
    for name, (y, c) in sets.items():
        rows += [(name, *cell, count, count / len(y)) for cell, count in cell_counts(y, c).items()]
    return dict(zip(("set", "y", "c", "count", "share"), map(list, zip(*rows, strict=True)), strict=True))
