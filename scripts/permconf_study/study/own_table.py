"""A table of one's own as data sets: the table itself, with its rows in random order.

If rows belong to groups, whole groups are in random order. So the splits of a scenario are random splits of the table.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from permconf.data.columns import column_of, frame_of
from permconf.data.confounders import Confounders
from permconf.data.table import read_table
from permconf.data.table_files import read_data
from permconf.errors import ConfigError
from permconf.learners import make_learner
from permconf.metrics import make_metric
from permconf.permute.permuted_response import PermutedResponse
from permconf.permute.random_streams import Streams
from permconf.permute.units import split_by_variation
from permconf_study.study.datasets import Dataset
from permconf_study.study.paths import located

SPLITS_OF_GROUPS = ("half", "first")


def row_orders(spec, numbers, *, stream, seed):
    """Data sets that hold the numbers of the rows of a table in place of their values."""
    frame = _frame(spec["table"])
    named = spec.get("groups")
    groups = pd.factorize(column_of(frame, named, "groups"))[0] if named else np.arange(len(frame))
    datasets = []
    for number in map(int, numbers):
        place = Streams(seed, stream, number).rng("rows").permutation(groups.max() + 1)
        rows = np.argsort(place[groups], kind="stable")
        datasets.append(Dataset(number, np.empty((len(rows), 0)), rows, rows))
    return datasets


def looked_up(orders, analysis):
    """The data sets with the values of their rows, one after the other."""
    table = own_table(analysis)
    return (replace(order, sample=table.take(order.y)) for order in orders)


def own_table(analysis):
    """The table of an analysis as a sample; its response as the metrics take it, its confounders as it treats them."""
    spec = analysis["table"]
    frame, names = _frame(spec["table"]), ("response", "confounders", "features", "groups")
    tasks = {make_metric(name, y=frame.get(spec["response"])).task for name in analysis["metrics"]}
    if len(tasks) > 1:
        raise ValueError("metrics: some are for classification, others for regression; give those of one kind")
    table = read_table(frame, **{name: spec.get(name) for name in names}, task=tasks.pop())
    analysed = pd.DataFrame({column.name: column.analysed for column in table.confounders.columns})
    return replace(table, confounders=Confounders.of(analysed, analysis["confounder"]))


def _frame(path):
    found = located(path)
    if not found.is_file():
        found = Path(path)  # an error names the file as the user does
    return _read(found, found.stat().st_mtime_ns if found.is_file() else None)


@cache
def _read(path, _):
    return frame_of(read_data(path))


# ---- checks ----------------------------------------------------------------------------------------------------------


def check_table(scenario):
    """The task of a scenario with a table, and whether its confounders have levels; ValueError if it cannot run."""
    try:
        table, learner = own_table(scenario), make_learner(scenario["learner"])
        table.features.check(learner)
        rows = slice(0, len(table))
        table.features.encoded(learner, rows, rows)  # in all rows, and so perhaps in those of every training set
        if table.subjects is not None:
            _check_groups(table, scenario)
    except (ValueError, ConfigError) as error:
        raise ValueError(f"data.table {scenario['table']['table']!r}: {error}") from error
    return table.response.task, table.confounders.has_levels


def _check_groups(table, scenario):
    """Whether groups can be split and permuted, and what needs independent rows is left out."""
    split = scenario["split"]["name"]
    if split not in SPLITS_OF_GROUPS:
        raise ValueError(f"groups cannot be split by {split!r}; choose {' or '.join(map(repr, SPLITS_OF_GROUPS))}")
    for kind in scenario["confounder_tests"]:
        raise ValueError(f"confounder_tests.{kind} needs independent rows; leave it out, or leave out groups")
    varying, constant = split_by_variation(table.confounders.columns, table.subjects.levels)
    if varying and constant:
        raise ValueError(
            f"confounder {varying[0]!r} varies within groups and {constant[0]!r} does not; give one scenario for each"
            " kind"
        )
    categorical = table.confounders.categorical
    levels = Confounders.of_columns(categorical) if categorical else Confounders.none(len(table))
    PermutedResponse.of(table.response, levels, table.subjects, None, None).checked(within_subjects=True)
