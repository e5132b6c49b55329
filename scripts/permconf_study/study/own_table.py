"""A table of one's own as data sets: the table itself, with its rows in random order.

If rows belong to groups, whole groups are in random order. So the splits of a scenario are random splits of the table.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from permconf.data.columns import column_of, frame_of
from permconf.data.encoding import Encoding
from permconf.data.mixed_confounders import MixedConfounders, analysed_confounder
from permconf.data.table import read_table
from permconf.data.table_files import read_data
from permconf.errors import ConfigError
from permconf.learners import make_learner
from permconf.metrics import make_metric
from permconf.permute.permuted_response import permuted_response
from permconf.permute.random_streams import Streams
from permconf.permute.units import varies_within
from permconf.registry import name_and_options
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
    table, encoding = own_table(analysis), Encoding.of(_learner_name(analysis))
    for order in orders:
        part = table.take(order.y)
        yield Dataset(order.number, part.X, part.labels, part.confounders, "", part.group_codes, encoding)


def own_table(analysis):
    """The table of an analysis, checked; its response as the metrics take it."""
    spec = analysis["table"]
    frame, names = _frame(spec["table"]), ("response", "confounders", "features", "groups")
    tasks = {make_metric(name, y=frame.get(spec["response"])).task for name in analysis["metrics"]}
    if len(tasks) > 1:
        raise ValueError("metrics: some are for classification, others for regression; give those of one kind")
    return read_table(frame, **{name: spec.get(name) for name in names}, task=tasks.pop())


def _frame(path):
    found = located(path)
    if not found.is_file():
        found = Path(path)  # an error names the file as the user does
    return _read(found, found.stat().st_mtime_ns if found.is_file() else None)


@cache
def _read(path, _):
    return frame_of(read_data(path))


def _learner_name(analysis):
    return name_and_options("learners", analysis["learner"])[0]


# ---- checks ----------------------------------------------------------------------------------------------------------


def check_table(scenario):
    """The task of a scenario with a table, and whether its confounders have levels; ValueError if it cannot run."""
    try:
        table = own_table(scenario)
        _check_features(table, scenario)
        c = analysed_confounder(table.confounders, scenario["confounder"])
        if table.groups is not None:
            _check_groups(table, c, scenario)
    except (ValueError, ConfigError) as error:
        raise ValueError(f"data.table {scenario['table']['table']!r}: {error}") from error
    return ("regression" if table.classes is None else "classification"), not isinstance(c, MixedConfounders)


def _check_features(table, scenario):
    """Whether the learner can take the features: in all rows, and so perhaps in the training rows of every split."""
    name, X = _learner_name(scenario), table.X
    encoding = Encoding.of(name)
    if getattr(make_learner(scenario["learner"]), "takes_missing", False):
        X = X[[column for column in X.columns if not X[column].isna().any()]]
    encoding.check(X)
    encoding.matrices(X, X)


def _check_groups(table, c, scenario):
    """Whether groups can be split and permuted, and what needs independent rows is left out."""
    split = scenario["split"]["name"]
    if split not in SPLITS_OF_GROUPS:
        raise ValueError(f"groups cannot be split by {split!r}; choose {' or '.join(map(repr, SPLITS_OF_GROUPS))}")
    for kind in scenario["confounder_tests"]:
        raise ValueError(f"confounder_tests.{kind} needs independent rows; leave it out, or leave out groups")
    columns = table.confounders
    varying = [n for n in columns if varies_within(pd.factorize(columns[n])[0], table.groups)]
    if varying and len(varying) < columns.shape[1]:
        constant = next(name for name in columns if name not in varying)
        raise ValueError(
            f"confounder {varying[0]!r} varies within groups and {constant!r} does not; give one scenario for each kind"
        )
    levels = MixedConfounders.of(getattr(c, "codes", c), "levels")
    permuted_response(table.y, levels, table.groups, None, None)
