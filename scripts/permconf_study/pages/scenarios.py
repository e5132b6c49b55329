"""docs/SCENARIOS.md: rejection rates and mean metrics of the shipped extensions."""

from permconf_study.markdown import table
from permconf_study.pages.cell_tables import ALPHA, cells_of, estimate_text, rate_text
from permconf_study.study.configuration import configured

TESTS, ESTIMATORS = ("response", "confounding"), ("observed", "corrected")
ELSEWHERE = ("sister", "unneeded")  # families with a page or section of their own


def parts(results, _page):
    """The table of all extensions with generated data, once they have been run."""
    shipped = configured(engines=False)[1].values()
    chosen = [s for s in shipped if s["group"] == "extension" and not s["table"] and s["family"] not in ELSEWHERE]
    chosen.sort(key=lambda s: (s["family"] or s["name"], s["place"]))
    if not all((results / s["name"] / "tests.parquet").exists() for s in chosen):
        return {"extensions": None}
    cells, rows = cells_of(chosen, ["scenario"], results.parent), []
    for key, group in cells.groupby(["scenario", "metric"], sort=False):
        rates = group[group["alpha"] == ALPHA].set_index("of")
        means = group[group["measure"] == "mean"].set_index("of")
        texts = [rate_text(rates.loc[test]) for test in TESTS]
        texts += [estimate_text(*means.loc[name, ["value", "mcse"]]) for name in ESTIMATORS]
        rows.append([*key, f"{rates.iloc[0]['n_datasets']:,}", *texts])
    headings = [*(f"{test} test" for test in TESTS), *(f"mean {name}" for name in ESTIMATORS)]
    return {"extensions": table(["scenario", "metric", "data sets", *headings], rows)}
