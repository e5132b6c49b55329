"""Rejection rates of the shipped extensions, in workflow/published/extensions.md."""

from permconf_study.pages.cell_tables import cells_of, rates_text, widest_interval, without_intervals
from permconf_study.study.configuration import configured

TESTS = ("response", "confounding")
ELSEWHERE = ("sister", "unneeded")  # families with a page or section of their own
ALSO = ("workflow/published/extensions.md",)


def parts(results, _page):
    """The table of all extensions with generated data, once they have been run."""
    shipped = configured(engines=False)[1].values()
    chosen = [s for s in shipped if s["group"] == "extension" and not s["table"] and s["family"] not in ELSEWHERE]
    chosen.sort(key=lambda s: (s["family"] or s["name"], s["place"]))
    if not all((results / s["name"] / "tests.parquet").exists() for s in chosen):
        return {"extensions": None}
    cells = cells_of(chosen, ["scenario"], results.parent)
    shown = cells[cells["of"].isin(TESTS)]
    widest = f"Exact 95 % Monte Carlo intervals are at most {widest_interval(shown)} percentage points wide."
    return {"extensions": f"{without_intervals(rates_text(shown, ['scenario']))}\n\n{widest}"}
