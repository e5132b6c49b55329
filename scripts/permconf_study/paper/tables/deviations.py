"""Results of alternative choices, in experiments 1 to 4 and in single figures.

The tables are in long form: each number is a row with its Monte Carlo standard error (`mcse`) and number of data sets.
"""

import itertools

import pandas as pd
from scipy.special import ndtr

from permconf_study.paper.tables.normality import normal_distances
from permconf_study.paper.tables.redraws import redrawn_section4
from permconf_study.study import estimates

ALPHA = 0.05
AS_RUN = "as run"
PANELS = {0.45: "3b", 0.4: "3c", 0.25: "3d"}  # of Fig. 3, by the share of samples with y = c = 1
EFFECTS = ["beta_xc", "beta_yc", "beta_xy"]
LIMIT = 0.05  # distance from normal up to which an approximation is called reasonable
SIZES = (15, 30, 100)
PANELS_OF_NULLS = {"5": ("mae", "mse", "ccc"), "6": ("auc", "accuracy")}
LEARNERS = {  # scenarios of redraws, the default first
    "5": {
        "fig05_redraws": "nearest neighbours",
        "fig05_redraws_tree": "a single tree",
        "fig05_redraws_linear": "linear regression",
        "fig05_redraws_forest": "random forests",
    },
    "6": {
        "fig06_redraws": "penalised logistic regression",
        "fig06_redraws_neighbours": "nearest neighbours",
        "fig06_redraws_forest": "random forests",
    },
}


def experiment_table(tests):
    """Rejection rates at ALPHA and median corrected AUCs; `tests` maps choices to tables of tests by experiment."""
    text, two_sided = {}, {}
    for name, table in tests[AS_RUN].items():
        b = table["n_permutations"]  # the text counts draws at least as good, and not the observed value itself
        text[name] = table.assign(response_p=((1 + b) * table["response_p"] - 1) / b)
        two_sided[name] = table.assign(confounding_p=2 * ndtr(-table["confounding_z"].abs()))
    others = {"p-value of the text, count / b": text, "confounding test two-sided": two_sided}
    return _experiments({AS_RUN: tests[AS_RUN]} | others | tests)


def forest_table(forests, logistic):
    """The same for forests, and for logistic regression on the same data sets."""
    same = {name: table[table["dataset"].isin(_ok(forests[name])["dataset"])] for name, table in logistic.items()}
    return _experiments({"random forests": forests, "logistic regression, the same data sets": same})


def _experiments(choices):
    rows = []
    for choice, tests in choices.items():
        for experiment, table in tests.items():
            usable = _ok(table)
            tested = ("response", "confounding")
            found = {f"{test} test": estimates.rejection_rate(usable[f"{test}_p"], ALPHA) for test in tested}
            found["median corrected AUC"] = estimates.median(usable["corrected"])
            rows += [(choice, experiment, name, *estimate, len(usable)) for name, estimate in found.items()]
    return pd.DataFrame(rows, columns=["choice", "experiment", "quantity", "value", "mcse", "n_datasets"])


def _ok(tests):
    return tests[tests["status"] == "ok"]


def figure_table(*, sizes, permutations, effects, unpenalised, redraws):
    """Numbers of single figures; the arguments are those of the functions below."""
    parts = [*_sizes(*sizes), *_truncation(permutations), *_effects(*effects)]
    parts += [*_unpenalised(unpenalised), *_section4(redraws)]
    rows = [(figure, choice, quantity, *estimate, n) for figure, choice, quantity, estimate, n in parts]
    return pd.DataFrame(rows, columns=["figure", "choice", "quantity", "value", "mcse", "n_datasets"])


def _sizes(tests, design):
    """Fig. 3 with other numbers of samples and correlations of the features."""
    table = _ok(tests).merge(design, on="dataset")
    n = table[["n11", "n10", "n01", "n00"]].sum(axis=1)
    for (size, rho, panel), rows in table.groupby([n, "rho", (table["n11"] / n).map(PANELS)]):
        for quantity, column in (("mean of the null", "restricted_mean"), ("observed AUC", "observed")):
            yield panel, f"n = {size:,}, rho = {rho:g}", quantity, estimates.mean(rows[column]), len(rows)


def _truncation(tables):
    """Fig. 4a: where the quantile correction is truncated, by number of permutations."""
    for tests in map(_ok, tables):
        b = tests["n_permutations"]
        outside = tests[(tests["response_p"] == 1) | (tests["response_p"] * (1 + b) < 1.5)]
        truncated = estimates.mean(outside["corrected_quantile"].abs())
        yield "4a", f"{b.max():,} permutations", "mean truncated correlation", truncated, len(outside)


def _effects(draws, design):
    """Fig. 5f with other effects: distance from normality of the nulls of the mean squared error."""
    distances = draws.groupby(["null", "dataset"])["value"].apply(lambda values: normal_distances(values.to_numpy())[0])
    table = distances.rename("distance").reset_index().merge(design, on="dataset")
    for (*values, null), rows in table.groupby([*EFFECTS, "null"]):
        choice = "effects " + ", ".join(f"{value:g}" for value in values)
        yield "5f", choice, f"distance from normal, {null} null", estimates.mean(rows["distance"]), len(rows)


def _unpenalised(tests):
    """Fig. 6 with 15 training samples: how often unpenalised logistic regression has no solution."""
    share = _ok(tests)["flagged"] / (1 + _ok(tests)["n_permutations"])
    yield "6a, d", "no penalty", "share of fits that separate the classes or diverge", estimates.mean(share), len(share)


def learner_table(redraws):
    """How normal the nulls of Figs. 5 and 6 are by learner, from the tables of redraws: one row per panel and learner.

    Columns: figure (with panel), learner, metric, n_test, n_datasets, share (of data sets with both nulls within LIMIT
    of normal, by Kolmogorov's distance), mcse, median distance, midpoint (median distance at the midpoints of steps).
    """
    redraws = _ok(redraws)
    distance = redraws[["restricted_distance", "standard_distance"]].max(axis=1)
    middle = redraws[["restricted_midpoint_distance", "standard_midpoint_distance"]].max(axis=1)
    redraws = redraws.assign(distance=distance, middle=middle)
    rows = []
    for figure, metrics in PANELS_OF_NULLS.items():
        for panel, (metric, n_test) in zip("abcdefghi", itertools.product(metrics, SIZES), strict=False):
            here = redraws[(redraws["n_test"] == n_test) & (redraws["metric"] == metric)]
            for scenario, learner in LEARNERS[figure].items():
                found = here[here["scenario"] == scenario]
                share = estimates.mean(found["distance"] <= LIMIT)
                medians = found["distance"].median(), found["middle"].median()
                rows.append((figure + panel, learner, metric, n_test, len(found), *share, *medians))
    columns = ["figure", "learner", "metric", "n_test", "n_datasets", "share", "mcse", "median", "midpoint"]
    return pd.DataFrame(rows, columns=columns)


def _section4(redraws):
    """Mean and spread of the numbers of Section 4 over other data with the same cell counts."""
    table = pd.DataFrame(redrawn_section4(redraws))
    found = {f"corrected AUC, {name}": rows["corrected"] for name, rows in table.groupby("relative_to")}
    for quantity, values in ({"observed AUC": table.groupby("dataset")["observed"].first()} | found).items():
        yield "11", "other data sets", f"mean {quantity}", estimates.mean(values), len(values)
        yield "11", "other data sets", f"sd of {quantity}", estimates.sd(values), len(values)
