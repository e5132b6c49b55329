"""The cells of the stress study in words: which links exist, and which confounder, learner or response.

A link is C-Y (confounder and response are associated), C-X (the confounder acts on the features) or Y-X (the response
acts on the features). C is a confounder if C-Y and C-X both exist. Eight combinations, with both signs of the effect
theta of C on X, are the grid. Numbers are those of `study.cells`; scenario files state which alternatives are true.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

NAMES = {
    "confounding": "paper's test",
    "algorithm2": "Algorithm 2",
    "conditional": "conditional",
    "prediction": "prediction",
    "combined": "combined",
}
TESTS = tuple(NAMES)
TRAINING_ROWS = 100
LIMIT = 3  # deviations from nominal, in Monte Carlo standard errors, beyond which a rate is marked
LINKS = {"cy": "C-Y", "cx": "C-X", "yx": "Y-X", "negative": "(-)"}
GRID = tuple(
    f"{links}{sign}"
    for links in ("none", "cy", "cx", "yx", "cy_cx", "cy_yx", "cx_yx", "cy_cx_yx")
    for sign in (("", "_negative") if "cx" in links else ("",))
)
OMITTED = {  # rates that the tables of the stress study leave out
    "stress_forest": ("confounding",),
    "stress_regression_10": ("confounding", "algorithm2"),
    "stress_regression_20": ("confounding",),
}


@dataclass(frozen=True)
class Cell:
    """Data sets of a scenario, all of them or those with given `values` of parameters, with a label."""

    scenario: str
    label: str
    values: tuple[tuple[str, float], ...] = ()

    def rows(self, table):
        """The rows of a table with the columns `scenario` and parameters that belong to the cell."""
        chosen = table["scenario"] == self.scenario
        for name, value in self.values:
            chosen &= table[name] == value
        return table[chosen]


def _grid_label(name):
    return ", ".join(LINKS[link] for link in name.split("_") if link in LINKS).replace(", (-)", " (-)") or "no link"


def _others():
    """Other confounders, learners and responses; C and Y are associated and Y acts on X unless the label differs."""
    kinds = (("three_levels", "theta1", 0.4), ("continuous", "theta", 0.4), ("forest", "theta", 0.7))
    for name, theta, size in kinds:
        for suffix, value, shown in (("", 0.0, ""), ("_inflates", size, ", C-X"), ("_masks", -size, ", C-X (-)")):
            yield name + suffix, Cell(f"stress_{name}", f"{name.replace('_', ' ')}{shown}", ((theta, value),))
    two: tuple[tuple[str, str, dict[str, float]], ...] = (
        ("two", "both C-Y", {"gamma2": 1.0}),
        ("two_apart", "one C-Y, one C-X", {"gamma1": 1.0, "theta2": 0.7}),
        ("two_act", "both C-X", {"gamma1": 0.0}),
        ("two_inflates", "one C-Y and C-X", {"theta1": 0.7, "gamma1": 1.0}),
        ("two_masks", "one C-Y and C-X (-)", {"theta1": -0.7}),
    )
    for name, text, values in two:
        yield name, Cell("stress_two_confounders", f"two, {text}", tuple(values.items()))
    for groups in (10, 20):
        for suffix, value, shown in (("", 0.0, ""), ("_acts", 0.5, ", C-X")):
            text = f"regression, {groups} groups{shown}"
            yield f"regression_{groups}{suffix}", Cell(f"stress_regression_{groups}", text, (("beta_xc", value),))
    yield "chance", Cell("stress_chance", "C-X, Y-X, theta 2")


CELLS: dict[str, Cell] = {name: Cell(f"stress_{name}", _grid_label(name)) for name in GRID} | dict(_others())
JUDGED = {  # scenarios whose estimators are judged, by label
    **{CELLS[name].label: CELLS[name].scenario for name in GRID},
    "C-Y, C-X, Y-X, beta .1-.3, theta .7-1": "stress_weak_response",
    "three levels": "stress_three_levels",
    "two confounders": "stress_two_confounders",
    "continuous": "stress_continuous_reweighted",
    "forest": "stress_forest",
}


def label(name):
    """A cell in words."""
    return CELLS[name].label


def cell_rates(cells):
    """Rejection rates of TESTS in CELLS, from the study's table of cells.

    `null` is whether the null hypothesis of the test is true; `deviation` is the difference from alpha in standard
    errors of a rate equal to alpha.
    """
    run = {name: cell for name, cell in CELLS.items() if cell.scenario in set(cells["scenario"])}
    found = pd.concat([cell.rows(cells).assign(cell=name) for name, cell in run.items()], ignore_index=True)
    omitted = [of in OMITTED.get(scenario, ()) for scenario, of in zip(found["scenario"], found["of"], strict=True)]
    rates = found[(found["measure"] == "rejection_rate") & found["of"].isin(TESTS) & ~np.array(omitted)]
    nominal_error = np.sqrt(rates["alpha"] * (1 - rates["alpha"]) / rates["n_datasets"])
    return rates.rename(columns={"of": "test", "value": "rate"}).assign(
        n_test=(rates["n"] - TRAINING_ROWS).astype(int),
        null=~rates["alternative"].astype(bool),
        deviation=(rates["value"] - rates["alpha"]) / nominal_error,
    )


def null_cells(rates):
    """The cells in which C is no confounder, in order: where the null of the combined test is true."""
    true = set(rates.loc[(rates["test"] == "combined") & rates["null"], "cell"])
    return [name for name in CELLS if name in true]


def estimates(cells, of, against="as_trained"):
    """Measures of an estimator by scenario and test size, each a column, with `<name>_mcse`; from a table of cells."""
    rows = cells[(cells["of"] == of) & (cells["against"] == against)]
    wide = rows.pivot(index=["scenario", "n"], columns="measure", values=["value", "mcse", "n_datasets"])
    table = wide["value"].join(wide["mcse"].add_suffix("_mcse")).assign(n_datasets=wide["n_datasets"]["bias"])
    means = cells[(cells["of"] == of) & (cells["measure"] == "mean")].set_index(["scenario", "n"])
    table["undefined"] = means["undefined"] / (means["undefined"] + means["n_datasets"])
    table = table.reset_index()
    return table.assign(n_test=(table["n"] - TRAINING_ROWS).astype(int))
