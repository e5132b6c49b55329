"""Results of a study cell by cell: rejection rates of its tests, and performance of the estimators of its metrics.

A study is a file of scenarios, or a group of files. A cell is a combination of values of its variables: those of its
grids, and parameters that a scenario varies by `values` or `rows`. Cells may be compared with a reference, on the same
data sets.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from permconf.errors import ConfigError, nearest
from permconf.expressions import condition
from permconf_study.study.estimators import ESTIMATORS, WORLDS
from permconf_study.study.performance import Measured, accuracy, average, intervals, kept, rejection_rates, share
from permconf_study.study.rejection_rates import TESTS

ALPHAS = (0.01, 0.05, 0.10)
HYPOTHESES = {  # key of `truth` that says whether the null hypothesis of a test is false
    "response": "response",
    "confounding": "confounding",
    "algorithm2": "confounding",
    "combined": "confounding",
    "conditional": "acts",
    "prediction": "acts",
    "grouped": "acts",
    "association": "associated",
}
CHANCE = {"auc": 0.5}  # of a metric
RESULTS = (  # columns of the table after those of the cell
    *("metric", "measure", "of", "alpha", "against", "alternative"),
    *(*Measured._fields, "failed", "undefined"),
)


@dataclass(frozen=True)
class Part:
    """The tables of one scenario of a study: tests, design, and the truth of its metrics (None if it is not known).

    `cell` has the values of the grid's variables, `varied` the names of parameters by which data sets are divided,
    `truth` the conditions under which alternatives are true, and `reference` the variables, with their values, in which
    the cell differs from that with which it is compared.
    """

    scenario: str
    tests: pd.DataFrame
    design: pd.DataFrame
    truths: pd.DataFrame | None = None
    cell: dict = field(default_factory=dict)
    varied: tuple = ()
    truth: dict = field(default_factory=dict)
    reference: dict = field(default_factory=dict)

    def rows(self, names=()):
        """A row for each data set and metric, with the variables of the study, truths and alternatives.

        Of the variables `names`, those count that the scenario varies, and those that are the same in all data sets.
        """
        same = [name for name in names if name in self.design and self.design[name].nunique() == 1]
        varied = [name for name in dict.fromkeys((*self.varied, *same)) if name not in self.cell]
        rows = self.tests.merge(self.design[["dataset", *varied]], on="dataset", suffixes=("", "_given"))
        places = {number: place for place, number in enumerate(self.design["dataset"])}
        for key, true in alternatives(self.design, self.cell, self.truth).items():
            rows[f"alternative_{key}"] = true[rows["dataset"].map(places)]
        if self.truths is not None:
            rows = rows.merge(self.truths, on=["dataset", "metric"], how="left")
        return rows.assign(scenario=self.scenario, **self.cell)


def alternatives(design, cell, truth):
    """For every data set of a design whether each alternative is true, by the keys of `truth`."""
    known = cell | {name: design[name].to_numpy() for name in design}
    found = {}
    for key, given in ((key, given) for key, given in truth.items() if key in HYPOTHESES.values()):
        true = condition(given, known)(known) if isinstance(given, str) else given
        found[key] = np.broadcast_to(true, len(design))
    return found


def common_alternatives(design, cell, truth):
    """Whether each alternative is true, as far as that is so of all data sets or of none."""
    found = alternatives(design, cell, truth)
    return {key: bool(true[0]) for key, true in found.items() if true.all() or not true.any()}


def variables(parts):
    """The variables of a study, in order."""
    return list(dict.fromkeys(name for part in parts for name in (*part.cell, *part.varied)))


def with_labels(cells, labels):
    """A table of cells with the labels of a grid in place of values."""
    named = {name: [of.get(value, value) for value in cells[name]] for name, of in labels.items() if name in cells}
    return cells.assign(**named)


def cell_table(parts, by=None):
    """The table of results: rows of RESULTS for each cell, or for each combination of the variables `by`."""
    known = ["scenario", *variables(parts)]
    rows = pd.concat([part.rows(known[1:]) for part in parts], ignore_index=True)
    rows = _compared(rows, known[1:], parts[0].reference)
    columns = {part.scenario: set(part.tests) for part in parts}
    for name in by or ():
        if name not in known:
            others = [*known, *(column for part in parts for column in part.design if column != "dataset")]
            raise ConfigError(f"there is no variable {name!r}{nearest(name, dict.fromkeys(others))}")
    names = known if by is None else list(by)
    found = []
    for key, group in rows.groupby([*names, "metric"], sort=False, dropna=False):
        about = dict(zip([*names, "metric"], key, strict=True))
        made = set().union(*(columns[scenario] for scenario in group["scenario"].unique()))
        found += [about | row for row in _measured(group, [test for test in TESTS if f"{test}_p" in made])]
    return pd.DataFrame(found, columns=[*names, *RESULTS])


def _compared(rows, names, reference):
    """The rows with columns `<name>_before`: what the reference has on the same data sets."""
    if not reference:
        return rows
    place = [*(name for name in names if name not in reference), "dataset", "metric"]
    columns = [name for name in (*ESTIMATORS, *WORLDS, "n_train") if name in rows]
    same = [rows[name] == value for name, value in reference.items()]
    chosen = rows[np.logical_and.reduce([*same, rows["status"] == "ok"])]
    if chosen.duplicated(place).any():
        raise ConfigError("reference: several cells have its values; they need a variable in which they differ")
    before = chosen[place].join(chosen[columns].add_suffix("_before"))
    return rows.merge(before, on=place, how="left")


def _measured(rows, tests):
    """All measures of the rows of one cell and metric; `tests` are those that were made."""
    usable = rows[rows["status"] == "ok"]
    counts = {"failed": len(rows) - len(usable)}
    for test in tests:
        alternative = _common(rows.get(f"alternative_{HYPOTHESES[test]}"))
        for alpha, found in zip(ALPHAS, rejection_rates(usable[f"{test}_p"], ALPHAS), strict=True):
            about = {"measure": "rejection_rate", "of": test, "alpha": alpha, "alternative": alternative}
            yield about | found._asdict() | counts | {"undefined": len(usable) - found.n_datasets}
    if "prediction" in tests and "prediction_sign" in usable:
        masks = share(usable["prediction_sign"] == "masks")
        yield {"measure": "masks", "of": "prediction"} | masks._asdict() | counts | {"undefined": 0}
    if "n_train_before" in usable:
        lost = 1 - usable["n_train"] / usable["n_train_before"]
        missing = {"undefined": int(lost.isna().sum())}
        yield {"measure": "lost", "of": "n_train"} | average(lost.dropna())._asdict() | counts | missing
    for name, targets in (ESTIMATORS | dict.fromkeys(WORLDS, ())).items():
        if name in usable and usable[name].notna().any():
            for target, measure, found in (*_of_estimator(usable, name, targets), *_of_the_ideal(usable, name)):
                about = {"measure": measure, "of": name, "against": target}
                yield about | found._asdict() | counts | {"undefined": int(usable[name].isna().sum())}


def _of_estimator(usable, name, targets):
    """Target, name and value of each measure of an estimator."""
    defined = usable[usable[name].notna()]
    yield "", "mean", average(defined[name])
    ends = [f"{name}_low", f"{name}_high"]
    targets = [target for target in targets if target in defined]
    for target in targets:
        judged = defined[defined[target].notna()]
        yield target, "mean_truth", average(judged[target])
        for measure, found in accuracy(judged[name], judged[target]).items():
            yield target, measure, found
        if target == targets[0] and all(end in judged for end in ends):
            judged = judged.dropna(subset=ends)
            for measure, found in intervals(judged[ends[0]], judged[ends[1]], judged[target]).items():
                yield target, measure, found


def _of_the_ideal(usable, name):
    """What an estimator or world keeps of the ideal metric above chance, and how much more than the reference."""
    chance = CHANCE.get(usable["metric"].iloc[0])
    if chance is None or "ideal" not in usable or name == "ideal":
        return
    defined = usable.dropna(subset=[name, "ideal"])
    yield "ideal", "kept", kept(defined[name], defined["ideal"], chance)
    if f"{name}_before" in usable:
        defined = defined.dropna(subset=f"{name}_before")
        more = defined[name] - defined[f"{name}_before"] + chance
        yield "ideal", "gain", kept(more, defined["ideal"], chance)


def _common(values):
    """The value that all rows have; None if there is none."""
    return values.iloc[0] if values is not None and values.nunique(dropna=False) == 1 else None
