"""A chromium for the tests of the report, and a report to look at."""

import contextlib
import os
import shutil
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
import yaml

from permconf_study.paper.claims.catalogue import load_claims
from permconf_study.paper.claims.ledger import COLUMNS, write_ledger
from permconf_study.paper.report.page import report_html
from permconf_study.study.rejection_rates import alpha_grid, rejection_curve
from permconf_study.study.tables import write_table

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def browser():
    """Debian's chromium, driven by Playwright, whose event loop ends with the module: others have their own."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed (pip install playwright)"
    )
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("there is no chromium on this machine (Debian: apt install chromium)")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def opened(browser):
    """A function that opens a file from disk; what the console said and what was requested are kept."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.said, page.requested = [], []
    page.on("console", lambda message: page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.on("request", lambda request: page.requested.append(request.url))

    def open_file(path):
        page.goto(path.as_uri())
        return page

    yield open_file
    page.close()


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    """The report that PERMCONF_REPORT names, else one with the real claims and figures' names on invented numbers."""
    if "PERMCONF_REPORT" in os.environ:
        return Path(os.environ["PERMCONF_REPORT"]).resolve()
    folder = tmp_path_factory.mktemp("run")
    with contextlib.chdir(folder):
        (folder / "report.html").write_text(invented_page())
    return folder / "report.html"


def invented_page():
    """The page of a run whose every claim came out as expected."""
    figures = [f"figures/{name}.png" for name in yaml.safe_load((ROOT / "workflow/figures.yaml").read_text())]
    for path in map(Path, figures):
        path.parent.mkdir(exist_ok=True)
        matplotlib.image.imsave(path, np.tile(np.linspace(0, 1, 700), (300, 1)))  # of the usual width
    experiments = [f"exp{k}" for k in range(1, 5)]
    for seed, name in enumerate(experiments):
        write_experiment(name, np.random.default_rng(seed))
    rows = list(map(as_expected, load_claims(ROOT / "workflow/claims.yaml")))
    write_ledger(rows, csv="results/claims.csv", json_path="results/claims.json", md="results/claims.md")
    return report_html(
        templates=ROOT / "workflow/report",
        home=ROOT,
        figures=figures,
        captions={Path(path).stem: "A caption of some length, with a *word* in italics." for path in figures},
        tables={"fig08_simstudy": [f"results/{name}/tests.parquet" for name in experiments]},
        claims="results/claims.json",
        curves=[f"results/{name}/curves.csv" for name in experiments],
        deviations=ROOT / "docs/DEVIATIONS.md",
        scenarios={
            name: {"title": f"Experiment {name}", "learner": "logistic", "metrics": ["auc"]} for name in experiments
        },
        seed=1,
    )


def as_expected(claim):
    """A row of the ledger with the expected verdict; of other readings the first was not run, the others hold."""
    found = {"estimate": 0.5, "low": 0.4, "high": 0.6, "criterion": "at most 1", "datasets": 9, "permutations": 9}
    found |= {"detail": "", "tables": "", "full_size": True}
    verdicts = ["not examined", *["reproduced"] * 9]
    readings = zip(claim.get("choices", {}), verdicts, strict=False)
    row = dict.fromkeys(COLUMNS, "") | {"ours": False, "rank": None, "own_expected": claim["expected"]} | claim | found
    row |= {"verdict": row["expected"], "own_verdict": row["own_expected"]}
    row["others"] = [found | {"choice": name, "verdict": verdict} for name, verdict in readings]
    return {name: row[name] for name in COLUMNS}


def write_experiment(name, rng):
    """Design, tests and rates of an experiment with 200 data sets; the response test rejects if beta > 0.5."""
    p, beta = rng.uniform(0.1, 1, size=(2, 200)), np.arange(200) / 200
    p[0] = np.where(beta > 0.5, 0.01, p[0])
    tests = {"dataset": range(200), "response_p": p[0], "confounding_p": p[1], "observed": 0.5 + beta / 2}
    write_table(tests | {"n_permutations": [9] * 200, "status": ["ok"] * 200}, f"results/{name}/tests.parquet")
    write_table({"dataset": range(200), "beta": beta, "rho": rng.uniform(size=200)}, f"results/{name}/design.csv")
    curves = [rejection_curve(values, alpha_grid(200)) for values in p]
    columns = {key: np.concatenate([curve[key] for curve in curves]) for key in curves[0]}
    write_table({"test": np.repeat(["response", "confounding"], 201), **columns}, f"results/{name}/curves.csv")
