"""The cells of the stress study: which links exist, and which tests are made.

A link is C-Y (confounder and response are associated), C-X (the confounder acts on the features) or Y-X (the response
acts on the features). C is a confounder if C-Y and C-X both exist. Eight combinations, with both signs of the effect
theta of C on X, are the grid; other cells have other confounders, learners or responses.
"""

import itertools
from dataclasses import dataclass

LINKS = {"cy": "C-Y", "cx": "C-X", "yx": "Y-X"}
TESTS = ("confounding", "algorithm2", "conditional", "prediction", "combined")
_OF_PREDICTIONS = ("prediction", "combined")
_WITHOUT_ALGORITHM2 = ("confounding", "conditional", "prediction", "combined")
_WITHOUT_PAPER = ("conditional", "prediction", "combined")


@dataclass(frozen=True)
class Cell:
    """Data sets of a scenario, all of them or those with given `values` of parameters.

    `acts` says whether a confounder acts on X, `confounds` whether one of them is also associated with Y. `grid` marks
    the eight combinations of links.
    """

    scenario: str
    label: str
    acts: bool
    confounds: bool
    values: tuple[tuple[str, float], ...] = ()
    tests: tuple[str, ...] = TESTS
    grid: bool = False

    def rows(self, table, design):
        """The rows of a table of the scenario that belong to the cell."""
        chosen = design
        for name, value in self.values:
            chosen = chosen[chosen[name] == value]
        return table[table["dataset"].isin(chosen["dataset"])] if self.values else table


def _grid():
    """The eight combinations of links, by name; those in which C acts on X also with theta negative."""
    for links in (links for count in range(4) for links in itertools.combinations(LINKS, count)):
        name, text = "_".join(links) or "none", ", ".join(LINKS[link] for link in links) or "no link"
        acts, confounds = "cx" in links, {"cy", "cx"} <= set(links)
        yield name, Cell(f"stress_{name}", text, acts, confounds, grid=True)
        if acts:
            yield f"{name}_negative", Cell(f"stress_{name}_negative", f"{text} (-)", acts, confounds, grid=True)


def _others():
    """Other confounders, learners and responses; C and Y are associated and Y acts on X unless the label differs."""
    kinds = (
        ("three_levels", "three levels", "theta1", 0.4, _WITHOUT_ALGORITHM2),
        ("continuous", "continuous", "theta", 0.4, _WITHOUT_ALGORITHM2),
        ("forest", "forest", "theta", 0.7, _OF_PREDICTIONS),
    )
    for name, text, theta, size, tests in kinds:
        for suffix, value, shown in (("", 0.0, ""), ("_inflates", size, ", C-X"), ("_masks", -size, ", C-X (-)")):
            cell = Cell(f"stress_{name}", f"{text}{shown}", bool(value), bool(value), ((theta, value),), tests)
            yield name + suffix, cell
    two = (
        ("two", "two, both C-Y", False, False, (("gamma2", 1.0),)),
        ("two_apart", "two, one C-Y, one C-X", True, False, (("gamma1", 1.0), ("theta2", 0.7))),
        ("two_act", "two, both C-X", True, False, (("gamma1", 0.0),)),
        ("two_inflates", "two, one C-Y and C-X", True, True, (("theta1", 0.7), ("gamma1", 1.0))),
        ("two_masks", "two, one C-Y and C-X (-)", True, True, (("theta1", -0.7),)),
    )
    for name, text, acts, confounds, values in two:
        yield name, Cell("stress_two_confounders", text, acts, confounds, values, _WITHOUT_ALGORITHM2)
    for groups in (10, 20):
        for suffix, value, shown in (("", 0.0, ""), ("_acts", 0.5, ", C-X")):
            text = f"regression, {groups} groups{shown}"
            values = (("beta_xc", value),)
            cell = Cell(f"stress_regression_{groups}", text, bool(value), bool(value), values, _WITHOUT_PAPER)
            yield f"regression_{groups}{suffix}", cell
    yield "chance", Cell("stress_chance", "C-X, Y-X, theta 2", True, False)


CELLS: dict[str, Cell] = dict(_grid()) | dict(_others())
GRID = tuple(name for name, cell in CELLS.items() if cell.grid)
NULL_CELLS = tuple(name for name, cell in CELLS.items() if not cell.confounds)
CONFOUNDED_CELLS = tuple(name for name, cell in CELLS.items() if cell.confounds)
REWEIGHTED_CELLS = {  # with the metric without confounding; by name: scenario and label
    **{name: (CELLS[name].scenario, CELLS[name].label) for name in GRID},
    "weak_response": ("stress_weak_response", "C-Y, C-X, Y-X, beta .1-.3, theta .7-1"),
    "three_levels": ("stress_three_levels", "three levels"),
    "two_confounders": ("stress_two_confounders", "two confounders"),
    "continuous": ("stress_continuous_reweighted", "continuous"),
    "forest": ("stress_forest", "forest"),
}


def label(name):
    """A cell in words."""
    return CELLS[name].label


def null_holds(test, name):
    """Whether the null hypothesis of a test is true in a cell.

    That of the conditional and the prediction test is "C does not act on X"; that of the others "C is no confounder".
    """
    cell = CELLS[name]
    return not (cell.acts if test in ("conditional", "prediction") else cell.confounds)
