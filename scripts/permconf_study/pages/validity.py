"""Tables of docs/VALIDITY.md: the tests for confounding and the metrics without confounding in the stress study."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from permconf_study.markdown import estimate, table
from permconf_study.paper.tables.stress_cells import CELLS, GRID, NULL_CELLS, REWEIGHTED_CELLS, TESTS, label, null_holds
from permconf_study.study.estimates import rejection_rate
from permconf_study.study.tables import read_table

NAMES = {
    "confounding": "paper's test",
    "algorithm2": "Algorithm 2",
    "conditional": "conditional",
    "prediction": "prediction",
    "combined": "combined",
    "mlconfound": "mlconfound",
}
TREATMENTS = {"smooth": "smooth", "5bins": "5 bins", "10bins": "10 bins"}
NOT_CORRECTED = ("continuous", "forest")  # cells with too few restricted draws for the corrected metric
LIMIT = 3  # deviations from nominal, in Monte Carlo standard errors, beyond which a rate is marked


def parts(results: Path, page: Path) -> dict[str, str | None]:
    """The tables by name; None without the file of `permconf run stress` or `permconf run mlconfound`.

    Those of `permconf_study.benchmarks.answers_shapes` and `answers_weights` are published.
    """
    published = page.resolve().parent.parent / "workflow/published"
    files = {name: results / "stress" / file for name, (_, file) in TABLES.items()}
    files |= {name: published / "answers_shapes.csv" for name in ("shapes", "named")}
    files |= {"weights": published / "answers_weights.csv"}
    return {name: TABLES[name][0](read_table(path)) if path.exists() else None for name, path in files.items()}


def rejections(rates, cells, alpha=0.05):
    """Rejection rates at one alpha by cell and test size.

    Where the null of a test is false its rate is in italics: power. A star marks rates above alpha by more than three
    standard errors where the null is true.
    """
    rates = rates[(rates["alpha"] == alpha) & rates["cell"].isin(cells)]
    tests = [test for test in TESTS if test in set(rates["test"])]
    rows = []
    for cell in cells:
        for n_test, group in rates[rates["cell"] == cell].groupby("n_test"):
            by_test = group.set_index("test")
            found = [_rate(by_test.loc[test]) if test in by_test.index else "-" for test in tests]
            rows.append([label(cell), n_test, f"{group['n_datasets'].max():,}", *found])
    return table(["links", "test size", "data sets", *(NAMES[test] for test in tests)], rows)


def _rate(row):
    rate = f"{row['rate']:.3f}"
    if not row["null"]:
        return f"*{rate}*"
    return rate + ("\\*" if row["deviation"] > LIMIT else "")


def exactness(rates):
    """Largest deviations from nominal over cells in which the null is true, test sizes and alphas."""
    rows = []
    for test in TESTS:
        here = rates[(rates["test"] == test) & rates["null"]]
        above = here[here["deviation"] > LIMIT]
        low, high = here.loc[here["deviation"].idxmin()], here.loc[here["deviation"].idxmax()]
        beyond = f"{len(above)} in {', '.join(map(label, dict.fromkeys(above['cell'])))}" if len(above) else "none"
        rows.append([NAMES[test], len(here), f"{low['deviation']:+.1f}", f"{high['deviation']:+.1f}", beyond])
    return table(["test", "rates", "lowest", "highest", f"more than {LIMIT} errors above nominal"], rows)


def power(rates):
    """Power of every test at 0.05 by theta, in the cells of the grid where C is a confounder."""
    rows = []
    for (cell, n_test, test), group in rates.groupby(["cell", "n_test", "test"], sort=False):
        adjusted = " (size-adjusted)" if group["adjusted"].any() else ""
        by_theta = group.assign(size=group["theta"].abs()).sort_values("size")
        rows.append([label(cell), n_test, NAMES[test] + adjusted, *(f"{rate:.2f}" for rate in by_theta["rate"])])
    thetas = sorted(rates["theta"].abs().round(3).unique())
    return table(["links", "test size", "test", *(f"theta {theta:.2g}" for theta in thetas)], rows)


def paired(powers):
    """Power of the prediction test beside that of the conditional test, on the same data sets."""
    rows = []
    for r in powers.to_dict("records"):
        rates = [f"{r[test]:.3f}" for test in ("conditional_2", "conditional_12", "prediction")]
        difference = estimate(r["difference"], r["difference_mcse"], "+.3f")
        rows.append([label(r["cell"]), r["n_test"], f"{r['n_datasets']:,}", *rates, difference])
    headings = ["links", "test size", "data sets", "conditional, 2 inner draws", "conditional, 12", "prediction"]
    return table([*headings, "prediction less conditional, 12"], rows)


def effects(rates):
    """Rejection rates of the response test at 0.05 by treatment of a continuous confounder."""
    rows = []
    for effect in dict.fromkeys(rates["effect"]):
        here = rates[rates["effect"] == effect]
        by = {(r["treatment"], r["beta"] != 0): r for r in here.to_dict("records")}
        cells = [by[treatment, acts] for acts in (False, True) for treatment in TREATMENTS]
        rows.append([effect.replace("_", " + "), *(estimate(r["rate"], r["mcse"]) for r in cells)])
    headings = [f"{kind}, {text}" for kind in ("type I error", "power") for text in TREATMENTS.values()]
    return table(["effect of C", *headings], rows)


def _estimates(summary, cell, truth, n_test):
    """Rows of the summary about a cell, by estimate."""
    chosen = (summary["cell"] == cell) & (summary["truth"] == truth) & (summary["n_test"] == n_test)
    return summary[chosen].set_index("estimate").to_dict("index")


def _bias(row):
    return estimate(row["bias"], row["mcse"], "+.4f")


def errors(summary, n_test=1000):
    """Bias and root mean squared error of the observed, corrected and reweighted AUC, and coverage, by cell."""
    rows = []
    for cell, (_, text) in REWEIGHTED_CELLS.items():
        by = _estimates(summary, cell, "as_trained", n_test)
        if not by:
            continue
        last, corrected = by["reweighted"], by["corrected"]
        bias, rms = ("-", "-") if cell in NOT_CORRECTED else (_bias(corrected), f"{corrected['rms']:.3f}")
        found = [_bias(by["observed"]), bias, _bias(last), rms, f"{last['rms']:.3f}"]
        coverage = estimate(last["coverage"], last["coverage_mcse"])
        rows.append([text, f"{last['n_datasets']:,}", f"{last['mean_truth']:.3f}", *found, coverage])
    headings = [f"bias of {name}" for name in ("observed", "corrected", "reweighted")]
    return table(["links", "data sets", "truth", *headings, "RMSE corrected", "RMSE reweighted", "coverage"], rows)


def sizes(summary):
    """Coverage and RMSE at the test sizes of the grid: the range over its cells."""
    rows = []
    for n_test, here in summary[summary["cell"].isin(GRID) & (summary["truth"] == "as_trained")].groupby("n_test"):
        reweighted, corrected = (here[here["estimate"] == name] for name in ("reweighted", "corrected"))
        spans = [_span(reweighted["bias"], "+.3f"), _span(reweighted["rms"]), _span(corrected["rms"])]
        rows.append([n_test, *spans, _span(reweighted["coverage"]), _span(reweighted["undefined"])])
    headings = ["test size", "bias of reweighted", "RMSE reweighted", "RMSE corrected", "coverage", "not defined"]
    return table(headings, rows)


def _span(values, form=".3f"):
    return f"{values.min():{form}} to {values.max():{form}}"


def above(summary, n_test=1000):
    """How often the corrected AUC lies above the AUC without confounding, for both meanings of that."""
    rows = []
    for cell in ("cy_yx", "cy_cx_yx", "cy_cx_yx_negative", "weak_response"):
        truths = ("unconfounded", "as_trained")
        retrained, as_trained = (_estimates(summary, cell, truth, n_test)["corrected"] for truth in truths)
        bias = estimate(retrained["bias"], retrained["mcse"], "+.3f")
        rows.append([REWEIGHTED_CELLS[cell][1], _above(retrained), _above(as_trained), bias])
    return table(["links", "above the AUC of retraining", "above the AUC as trained", "bias against retraining"], rows)


def _above(row):
    return estimate(row["above"], (row["above"] * (1 - row["above"]) / row["n_datasets"]) ** 0.5)


def retrained(summary, n_test=1000):
    """Weighted training and reweighted test against retraining without confounding, beside the corrected metric."""
    rows = []
    for cell in GRID:
        by = _estimates(summary, cell, "unconfounded", n_test)
        compared = by["corrected"], by["retrained"]
        rows.append([label(cell), *map(_bias, compared), *(f"{row['rms']:.3f}" for row in compared)])
    return table(["links", "bias of corrected", "bias of retrained", "RMSE corrected", "RMSE retrained"], rows)


def mlconfound(tests):
    """Rejection rates at 0.05 compared with mlconfound's partial confounder test, on the same data sets."""
    compared = [*TESTS, "mlconfound"]
    rows = []
    for cell, here in tests.groupby("cell", sort=False):
        found = []
        for test in compared:
            rate = estimate(*rejection_rate(here[f"{test}_p"], 0.05 + 1e-12))
            found.append(rate if null_holds("prediction" if test == "mlconfound" else test, cell) else f"*{rate}*")
        rows.append([label(cell), len(here), *found, f"{here['seconds'].mean():.2f}"])
    headings = ["links", "data sets", *(NAMES[test] for test in compared), "s per data set (mlconfound)"]
    return table(headings, rows)


def spread(table_of_seeds):
    """Spread of p-values over seeds."""
    columns = {
        "median_sd": "median sd of p",
        "largest_sd": "largest sd of p",
        "mean_range": "mean range of p",
        "monte_carlo": "largest Monte Carlo error",
    }
    rows = [[r["test"], *(f"{r[name]:.4f}" for name in columns)] for r in table_of_seeds.to_dict("records")]
    return table(["test", *columns.values()], rows)


def cost(times):
    """Milliseconds per data set of each test, by test size."""
    sizes = sorted(times["n_test"].unique())
    rows = [
        [test, fits, *(f"{ms:.1f}" for ms in group.sort_values("n_test")["milliseconds"])]
        for (test, fits), group in times.groupby(["test", "fits"], sort=False)
    ]
    return table(["test", "fits", *(f"test size {size}" for size in sizes)], rows)


_NULL_GRID = [cell for cell in NULL_CELLS if cell in GRID]
_OTHERS = [cell for cell in CELLS if cell not in GRID]


def shapes(rates):
    """Rejection rates at 0.05 of tests for effects of any shape, and of linear ones."""
    return _pivoted(rates[~rates["setting"].str.startswith("which one")], "test and effect", ["any", "linear"])


def named(rates):
    """How often each of two confounders is named, one that is read and one that is not."""
    here = rates[rates["setting"].str.startswith("which one")]
    here = here.assign(setting=here["setting"].str.removeprefix("which one: "))
    columns = ["read, named", "wrong direction", "never read, named", "never read, associated"]
    return _pivoted(here, "two confounders", columns)


def weights(found):
    """Lowest coverage of 95 % intervals, largest bias and share withheld over sizes and prevalences, by overlap."""
    rows = []
    for (kind, auc), group in found.groupby(["kind", "auc"], sort=False):
        cells = [{"binary": "binary", "numeric": "numeric", "two": "two numeric"}[kind], f"{auc:.2f}"]
        for target in ("overlap", "within", "reweighted"):
            here = group[(group["value"] == target) & (group["withheld"] < 0.9)]  # coverage of 40 values and more
            cells.append("-" if here.empty else f"{here['coverage'].min():.3f}")
            cells.append("-" if here.empty else f"{here['bias'].abs().max():.3f}")
        cells.append(f"{group.loc[group['value'] == 'reweighted', 'withheld'].max():.0%}")
        rows.append(cells)
    heads = [one for name in ("overlap", "within", "reweighted") for one in (f"{name}: coverage", "bias")]
    return table(["confounder", "its AUC", *heads, "reweighted: withheld"], rows)


def _pivoted(rates, heading, columns):
    rows = []
    for setting, group in rates.groupby("setting", sort=False):
        found = group.set_index("rate").loc[columns]
        rows.append([setting, *(estimate(r["value"], r["error"], ".3f") for r in found.to_dict("records"))])
    return table([heading, *columns], rows)


TABLES: dict[str, tuple[Callable[..., str], str]] = {
    "type1_error": (partial(rejections, cells=_NULL_GRID), "rates.csv"),
    "others": (partial(rejections, cells=_OTHERS), "rates.csv"),
    "exactness": (exactness, "rates.csv"),
    "power": (power, "power.csv"),
    "paired": (paired, "paired.csv"),
    "effects": (effects, "effects.csv"),
    "errors": (errors, "correction_summary.csv"),
    "sizes": (sizes, "correction_summary.csv"),
    "above": (above, "correction_summary.csv"),
    "retrained": (retrained, "correction_summary.csv"),
    "spread": (spread, "seed_spread.csv"),
    "cost": (cost, "cost.csv"),
    "mlconfound": (mlconfound, "mlconfound.csv"),
    "shapes": (shapes, ""),
    "named": (named, ""),
    "weights": (weights, ""),
}
