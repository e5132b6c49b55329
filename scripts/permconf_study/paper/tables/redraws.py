"""Figures that show single data sets, on many data sets from the same model: one row per data set and metric."""

import math

import numpy as np
import pandas as pd

from permconf.engine.evaluate import NULLS
from permconf.permute.random_streams import Streams
from permconf_study.paper.tables.normality import normal_distances
from permconf_study.paper.tables.section4 import relative_columns
from permconf_study.study.assessments import assess_datasets
from permconf_study.study.chunks import BLOCK
from permconf_study.study.datasets import simulate
from permconf_study.study.design import design_block

COPIED = (
    *("dataset", "metric", "n_train", "n_test", "n_permutations", "observed", "restricted_mean", "restricted_sd"),
    *("baseline_mean", "baseline_sd", "response_p", "corrected", "status"),
)


def redraw_table(scenarios, *, seed):
    """The tests of scenarios (settings by name) and the distances of their nulls from normality.

    Columns: scenario; COPIED, as in tests.parquet; and for each null its largest distance from the normal distribution
    function, with the steps of a discrete metric (<null>_distance) and at their midpoints (<null>_midpoint_distance).
    """
    datasets: dict[str, list] = {}  # analyses of the same data share them
    tables = []
    for name, scenario in scenarios.items():
        stream = scenario["stream"]
        if stream not in datasets:
            datasets[stream] = _datasets(scenario, stream, seed)
        tests, draws = assess_datasets(datasets[stream], scenario | {"draws": "all"}, stream=stream, seed=seed)
        tables.append(_with_distances(pd.DataFrame(tests)[list(COPIED)], draws).assign(scenario=name))
    table = pd.concat(tables, ignore_index=True)
    return table[["scenario", *table.columns.drop("scenario")]]


def redrawn_section4(table):
    """The corrections and tests of Section 4 for redrawn data, as in results/section4/relative.csv."""
    parts = (table[table["scenario"] == f"section4_redraws_{part}"] for part in ("development", "baseline"))
    return relative_columns(*parts)


def _datasets(scenario, stream, seed):
    data, found = scenario["data"], []
    for block in range(math.ceil(scenario["datasets"] / BLOCK)):
        design = design_block(data, block, Streams(seed, stream, block))
        rows = {name: column[: scenario["datasets"] - block * BLOCK] for name, column in design.items()}
        found += simulate(data, rows, stream=stream, seed=seed)
    return found


def _with_distances(tests, draws):
    """`tests` with the distances of the nulls; those that were not drawn have none."""
    found = {f"{null}{kind}_distance": np.full(len(tests), np.nan) for null in NULLS for kind in ("", "_midpoint")}
    rows = {key: row for row, key in enumerate(zip(tests["dataset"], tests["metric"], strict=True))}
    start = 0
    while start < draws["value"].size:  # the draws of a null follow each other; sorting millions of rows takes seconds
        row, null = rows[draws["dataset"][start], draws["metric"][start]], draws["null"][start]
        stop = start + tests["n_permutations"][row]
        for kind, distance in zip(("", "_midpoint"), normal_distances(draws["value"][start:stop]), strict=True):
            found[f"{null}{kind}_distance"][row] = distance
        start = stop
    return tests.assign(**found)
