"""Tables of docs/VALIDITY.md: the tests for confounding and the metrics without confounding in the stress study.

workflow/published/validity.md has those of the stress study in full, of which the page has excerpts; of audits of
simulated and real data it has a part of the published tables workflow/published/answers_*.csv.
"""

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from permconf_study.markdown import estimate, excerpt, table
from permconf_study.pages.cell_tables import cells_of
from permconf_study.paper.tables.stress_cells import (
    CELLS,
    GRID,
    JUDGED,
    LIMIT,
    NAMES,
    TESTS,
    cell_rates,
    estimates,
    label,
    null_cells,
)
from permconf_study.study.cells import HYPOTHESES
from permconf_study.study.configuration import configured
from permconf_study.study.estimates import rejection_rate
from permconf_study.study.tables import read_table

TREATMENTS = {"smooth": "smooth", "5bins": "5 bins", "10bins": "10 bins"}
NOT_CORRECTED = ("continuous", "forest")  # cells with too few restricted draws for the corrected metric
CURVATURES = {0.0: "linear", 0.5: "half and half", 1.0: "square"}
BY = ("scenario", "n")
ALSO = ("workflow/published/validity.md",)


def parts(results: Path, page: Path) -> dict[str, str | None]:
    """The tables by name; None without the file of `permconf run stress` or `permconf run mlconfound`.

    Those of `permconf_study.benchmarks.answers_shapes`, `_weights`, `_response` and `_real`, and of the
    bench of sentences, are published.
    """
    published = page.resolve().parent.parent / "workflow/published"
    made: dict[str, str | None] = {}
    for name, (write_out, file) in TABLES.items():
        path = (published if file.startswith("answers") else results / "stress") / file
        made[name] = write_out(read_table(path)) if path.exists() else None
    judged = judged_estimators(results)
    made |= {name: None if judged is None else of(judged) for name, of in ESTIMATES.items()}
    return made | {name: (text := made[full]) and excerpt(text, choose) for name, (full, choose) in EXCERPTS.items()}


def judged_estimators(results):
    """Performance of the estimators in the scenarios of JUDGED, by scenario and n; None before they have run."""
    if not all((results / name / "unconfounded.parquet").exists() for name in JUDGED.values()):
        return None
    scenarios = configured(engines=False)[1]
    return cells_of([scenarios[name] for name in JUDGED.values()], list(BY), results.parent)


def rejections(cells, alpha=0.05):
    """Rejection rates at one alpha by cell and test size: null cells of the grid, and the cells beyond it.

    Where the null of a test is false its rate is in italics: power. A star marks rates above alpha by more than three
    standard errors where the null is true.
    """
    rates = cell_rates(cells)
    shown = [name for name in CELLS if name not in GRID or name in null_cells(rates)]
    rates = rates[(rates["alpha"] == alpha) & rates["cell"].isin(shown)]
    tests = [test for test in TESTS if test in set(rates["test"])]
    rows = []
    for cell in shown:
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


def exactness(cells):
    """Largest deviations from nominal over cells in which the null is true, test sizes and alphas."""
    rates, rows = cell_rates(cells), []
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
    """Power of the prediction test and of the conditional test, on the same data sets."""
    rows = []
    for r in powers.to_dict("records"):
        rates = [f"{r[test]:.3f}" for test in ("conditional_2", "conditional_12", "prediction")]
        difference = estimate(r["difference"], r["difference_mcse"], "+.3f")
        rows.append([label(r["cell"]), r["n_test"], f"{r['n_datasets']:,}", *rates, difference])
    headings = ["links", "test size", "data sets", "conditional, 2 inner draws", "conditional, 12", "prediction"]
    return table([*headings, "prediction less conditional, 12"], rows)


def effects(cells):
    """Rejection rates of the response test at 0.05 by treatment of a continuous confounder."""
    rates, rows = cells[(cells["of"] == "response") & (cells["alpha"] == 0.05)], []
    shapes = [(text, "stress_effects", rates["curvature"] == value) for value, text in CURVATURES.items()]
    for text, study, chosen in [*shapes, ("age + sex", "stress_age_sex", True)]:
        by = {
            (treatment, row["beta"] != 0): estimate(row["value"], row["mcse"])
            for treatment in TREATMENTS
            for row in rates[(rates["scenario"] == f"{study}_{treatment}") & chosen].to_dict("records")
        }
        rows.append([text, *(by[treatment, acts] for acts in (False, True) for treatment in TREATMENTS)])
    headings = [f"{kind}, {text}" for kind in ("type I error", "power") for text in TREATMENTS.values()]
    return table(["effect of C", *headings], rows)


def _by_label(judged, of, against="as_trained", n_test=1000):
    """Measures of an estimator by the labels of JUDGED, in those with this test size."""
    rows = estimates(judged, of, against)
    known = rows[rows["n_test"] == n_test].set_index("scenario").to_dict("index")
    return {text: known[name] for text, name in JUDGED.items() if name in known}


def _of(row, measure, form=".3f"):
    return estimate(row[measure], row[f"{measure}_mcse"], form)


def errors(judged):
    """Bias and root mean squared error of the observed, corrected and reweighted AUC, and coverage, by scenario."""
    observed, corrected, reweighted = (_by_label(judged, name) for name in ("observed", "corrected", "reweighted"))
    rows = []
    for text, last in reweighted.items():
        row, hidden = corrected[text], text in NOT_CORRECTED
        bias, rms = ("-", "-") if hidden else (_of(row, "bias", "+.4f"), f"{row['rmse']:.3f}")
        found = [_of(observed[text], "bias", "+.4f"), bias, _of(last, "bias", "+.4f"), rms, f"{last['rmse']:.3f}"]
        rows.append([text, f"{last['n_datasets']:,.0f}", f"{last['mean_truth']:.3f}", *found, _of(last, "coverage")])
    headings = [f"bias of {name}" for name in ("observed", "corrected", "reweighted")]
    return table(["links", "data sets", "truth", *headings, "RMSE corrected", "RMSE reweighted", "coverage"], rows)


def sizes(judged):
    """Coverage and RMSE at the test sizes of the grid: the range over its cells."""
    grid = judged[judged["scenario"].isin([CELLS[name].scenario for name in GRID])]
    corrected, rows = estimates(grid, "corrected").set_index("n_test"), []
    for n_test, here in estimates(grid, "reweighted").groupby("n_test"):
        spans = [_span(here["bias"], "+.3f"), _span(here["rmse"]), _span(corrected.loc[[n_test], "rmse"])]
        rows.append([n_test, *spans, _span(here["coverage"]), _span(here["undefined"])])
    headings = ["test size", "bias of reweighted", "RMSE reweighted", "RMSE corrected", "coverage", "not defined"]
    return table(headings, rows)


def _span(values, form=".3f"):
    return f"{values.min():{form}} to {values.max():{form}}"


def above(judged):
    """How often the corrected AUC lies above the AUC without confounding, for both meanings of that."""
    retrained, as_trained = (_by_label(judged, "corrected", truth) for truth in ("unconfounded", "as_trained"))
    rows = [
        [text, _of(retrained[text], "above"), _of(as_trained[text], "above"), _of(retrained[text], "bias", "+.3f")]
        for text in (*map(label, ("cy_yx", "cy_cx_yx", "cy_cx_yx_negative")), "C-Y, C-X, Y-X, beta .1-.3, theta .7-1")
    ]
    return table(["links", "above the AUC of retraining", "above the AUC as trained", "bias against retraining"], rows)


def retrained(judged):
    """Weighted training and reweighted test against retraining without confounding, and the corrected metric."""
    compared, rows = [_by_label(judged, name, "unconfounded") for name in ("corrected", "retrained")], []
    for text in map(label, GRID):
        found = [by[text] for by in compared]
        rows.append([text, *(_of(row, "bias", "+.4f") for row in found), *(f"{row['rmse']:.3f}" for row in found)])
    return table(["links", "bias of corrected", "bias of retrained", "RMSE corrected", "RMSE retrained"], rows)


def mlconfound(tests):
    """Rejection rates at 0.05 compared with mlconfound's partial confounder test, on the same data sets."""
    compared = [*TESTS, "mlconfound"]
    rows = []
    for cell, here in tests.groupby("cell", sort=False):
        found, links = [], {"acts": "cx" in cell, "confounding": {"cy", "cx"} <= set(cell.split("_"))}
        for test in compared:
            rate = estimate(*rejection_rate(here[f"{test}_p"], 0.05 + 1e-12))
            found.append(f"*{rate}*" if links[HYPOTHESES.get(test, "acts")] else rate)
        rows.append([label(cell), len(here), *found, f"{here['seconds'].mean():.2f}"])
    headings = ["links", "data sets", *NAMES.values(), "mlconfound", "s per data set (mlconfound)"]
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


def shapes(rates):
    """Rejection rates at 0.05 of the prediction test for effects of any shape, and of linear ones."""
    here, rows = rates[rates["setting"].str.match(r"prediction: .*(1 confounder|product)")], []
    for setting, group in here.groupby("setting", sort=False):
        effect = setting.removeprefix("prediction: ").removesuffix(", 1 confounder")
        rows.append([effect, *map(estimate, group["value"], group["error"])])
    return table(["effect", "any shape", "linear"], rows)


def named(rates):
    """The settings in which each of two confounders, one that is read and one that is not, is named least and most."""
    here = rates[rates["setting"].str.startswith("which one")]
    here = here.assign(setting=here["setting"].str.removeprefix("which one: "))
    here, rows = here.assign(text=list(map(estimate, here["value"], here["error"]))), []
    for rate, group in here.groupby("rate", sort=False):
        ends = group.sort_values("text", kind="stable").iloc[[0, -1]].to_dict("records")
        rows.append([rate, *(f"{r['text']}, {r['setting']}" for r in ends)])
    return table(["share of data sets", "lowest", "highest"], rows)


def weights(found):
    """Lowest coverage of 95 % intervals, largest bias and share withheld over confounders, sizes and prevalences."""
    found, rows = found[~found["study"].isin(("folds", "margin", "numbers"))], []
    named = found["study"].replace({"two": "two numeric", "mixed": "numeric and binary"})
    for auc, target in itertools.product((0.75, 0.95), ("overlap", "within", "reweighted", "difference")):
        group = found.assign(study=named)[(found["auc"] == auc) & (found["value"] == target)]
        here = group[group["withheld"] < 0.9]  # coverage of 40 values and more
        low, far = here.loc[here["coverage"].idxmin()], here.loc[here["bias"].abs().idxmax()]
        lowest = f"{estimate(low['coverage'], low['error'])}, {low['study']}"
        rows.append([f"{auc}", target, lowest, f"{far['bias']:+.3f}, {far['study']}", f"{group['withheld'].max():.0%}"])
    return table(["AUC of confounder", "value", "lowest coverage", "largest bias", "most withheld"], rows)


def response(rates):
    """How often the response test rejects and is withheld."""
    rows = [
        [r["setting"], r["n"], *(estimate(r[name], r[f"{name}_error"]) for name in ("rejected", "withheld"))]
        for r in rates.to_dict("records")
    ]
    return table(["Y given C", "rows", "rejected, of those given", "withheld"], rows)


def sentences(found):
    """Situations by the verdict that most of their audits reach, with the claims that were made and those not true."""
    rows = []
    for verdict, group in found.groupby("verdict", sort=False):
        worst, totals = group.sort_values("false", kind="stable").iloc[-1], group[["datasets", "claims", "false"]].sum()
        rows.append([verdict, len(group), *totals, f"{worst['false']} of {worst['claims']} ({worst['situation']})"])
    return table(["verdict of most audits", "situations", "audits", "claims", "false", "most false"], rows)


def real(found):
    """Audits of real data sets: values, with the spread over seeds and printed standard error of one, and verdict."""
    rows = []
    for r in found.to_dict("records"):
        spread = f"{r['reweighted_spread']:.3f} / {r['reweighted_error']:.3f}"
        value = [f"{r['reweighted']:.3f}", spread] if np.isfinite(r["reweighted"]) else ["withheld", "-"]
        rows.append([r["data"], f"{r['observed']:.3f}", *value, f"{r['verdict']} ({r['verdicts']})"])
    return table(["data", "observed", "reweighted", "spread / s.e.", "verdict (of 10)"], rows)


def _null_at_largest_size(rates):
    null = ~rates["combined"].str.startswith("*") & ~_negative(rates)
    return rates[null].groupby("links", sort=False).tail(1).drop(columns=["test size", "data sets"])


def _negative(table):
    """Rows with a negative theta."""
    return table["links"].str.endswith("(-)")


def _some_power(rates):
    here = rates[(rates["test size"] == "100") & (rates["test"] != "combined") & rates["links"].str.contains("Y-X")]
    return here.drop(columns=["test size", *here.columns[3::2]])


def _associated(table):
    """The rows in which C and Y are associated, or that are not of the grid; negative theta only with all links."""
    shown = table["links"].str.contains("C-Y") | ~table["links"].isin(list(map(label, GRID)))
    return table[shown & (table["links"].str.contains("Y-X") | ~_negative(table))]


TABLES: dict[str, tuple[Callable[..., str], str]] = {
    "rates": (rejections, "cells.csv"),
    "deviations": (exactness, "cells.csv"),
    "power_by_size": (power, "power.csv"),
    "paired": (paired, "paired.csv"),
    "all_effects": (effects, "cells.csv"),
    "spread": (spread, "seed_spread.csv"),
    "cost": (cost, "cost.csv"),
    "all_tests": (mlconfound, "mlconfound.csv"),
    "shapes": (shapes, "answers_shapes.csv"),
    "named": (named, "answers_shapes.csv"),
    "weights": (weights, "answers_weights.csv"),
    "response": (response, "answers_response.csv"),
    "sentences": (sentences, "answers_sentences.csv"),
    "real": (real, "answers_real.csv"),
}
ESTIMATES = {"all_errors": errors, "sizes": sizes, "above": above, "all_retrained": retrained}
EXCERPTS: dict[str, tuple[str, Callable[[pd.DataFrame], pd.DataFrame]]] = {
    "type1_error": ("rates", _null_at_largest_size),
    "power": ("power_by_size", _some_power),
    "effects": ("all_effects", lambda t: t.iloc[:, :4]),
    "mlconfound": ("all_tests", lambda t: t[["links", *(NAMES[test] for test in TESTS[3:]), "mlconfound"]]),
    "errors": ("all_errors", lambda t: _associated(t).drop(columns="data sets")),
}
