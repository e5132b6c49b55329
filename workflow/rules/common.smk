"""Configuration, scenarios, and what the steps of the workflow ask of them."""

import os
import sys
import time
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import yaml
from snakemake.exceptions import WorkflowError

HOME = Path(workflow.basedir)
sys.path.insert(0, str(HOME / "scripts"))

from permconf import plugins
from permconf.claims.catalogue import claim_tables, load_claims, read_ledger, summary
from permconf.command_line import prepared_scenarios
from permconf.config import check_engine
from permconf.digests import code_digest
from permconf.layout import block_of, blocks, chunks
from permconf.schemas import ConfigError

STARTED = time.time()
EXPERIMENTS = ("exp1", "exp2", "exp3", "exp4")
CLAIMS = str(HOME / "workflow/claims.yaml")
FIGURES = yaml.safe_load((HOME / "workflow/figures.yaml").read_text())

try:
    SCENARIOS = prepared_scenarios(config, HOME, engines=False)
except ConfigError as error:
    sys.exit(f"permconf: {error}")

PLAN = yaml.safe_load(Path("results/plan.yaml").read_text()) if Path("results/plan.yaml").exists() else {}
if not config.get("chunk"):
    for name in PLAN.keys() & SCENARIOS.keys():
        SCENARIOS[name]["chunk"] = PLAN[name]["chunk"]


wildcard_constraints:
    scenario="|".join(SCENARIOS),
    figure="|".join(FIGURES),
    block=r"\d+",
    study=r"section4\w*",
    chunk=r"\d+-\d+",


def data_settings(wildcards):
    """What the design and the data sets of a scenario depend on."""
    scenario = SCENARIOS[wildcards.scenario]
    return {"stream": scenario["stream"], **scenario["data"]}


def analysis_settings(wildcards):
    """What the nulls and tests of a scenario depend on, besides its data sets."""
    scenario = SCENARIOS[wildcards.scenario]
    check_engine_once(wildcards.scenario)
    keys = (
        "stream",
        "split",
        "confounder",
        "adjustment",
        "learner",
        "metrics",
        "nulls",
        "permutations",
        "confounder_tests",
        "draws",
    )
    return {key: scenario[key] for key in keys}


@cache
def check_engine_once(name):
    """Stop before anything runs if a scenario that is to be run names a learner that cannot be made."""
    try:
        check_engine(SCENARIOS[name])
    except ConfigError as error:
        sys.exit(f"permconf: {error}")


def generator_digest(wildcards):
    """Fingerprint of the code that simulates a scenario."""
    generator = plugins.path_of("generators", SCENARIOS[wildcards.scenario]["data"]["generator"])
    return code_digest("datasets", generator)


def analysis_digest(wildcards):
    """Fingerprint of the code that assesses a scenario's data sets."""
    scenario = SCENARIOS[wildcards.scenario]
    learner, adjustment = (
        s if isinstance(s := scenario[kind], str) else s["name"] for kind in ("learner", "adjustment")
    )
    return code_digest(
        "study",
        plugins.path_of("learners", "estimator" if "." in learner else learner),
        plugins.path_of("adjustments", adjustment),
        *(plugins.path_of("metrics", metric) for metric in scenario["metrics"]),
    )


def planned(key, default):
    """Resource function: what the plan asks for a scenario's jobs (else `default`), more at every new attempt."""
    return lambda wildcards, attempt: attempt * PLAN.get(wildcards.scenario, {}).get(key, default)


def check_executor():
    """Stop a run that was meant for a cluster but is about to run here."""
    if os.environ.get("PERMCONF_EXECUTOR") == "cluster" and workflow.executor_plugin.common_settings.local_exec:
        raise WorkflowError("permconf: this run is meant for a cluster, but its profile was not used.")


def scenario_files(pattern):
    """Input function: one file per chunk (or block) of the scenario."""

    def files(wildcards):
        scenario = SCENARIOS[wildcards.scenario]
        return expand(
            pattern,
            scenario=wildcards.scenario,
            chunk=chunks(scenario["datasets"], scenario["chunk"]),
            block=blocks(scenario["datasets"]),
        )

    return files


def first_datasets(scenario):
    """The file with the first data set of a scenario."""
    settings = SCENARIOS[scenario]
    return f"results/{scenario}/datasets/{chunks(settings['datasets'], settings['chunk'])[0]}.npz"


def figures_of(group):
    """Every figure of a group, as PDF and PNG."""
    names = [name for name, figure in FIGURES.items() if figure["group"] == group]
    return expand("figures/{figure}.{kind}", figure=names, kind=("pdf", "png"))


def extensions(wildcards):
    """Standard figures of the scenarios that nothing else reads, and the figures that compare some of them.

    Something else is a figure of another group, a claim or the stress study.
    """
    others = [figure.get("scenarios", {}).values() for figure in FIGURES.values() if figure["group"] != "extensions"]
    claimed = {Path(path).parts[1] for path in claim_tables(load_claims(CLAIMS))}
    taken = claimed.union(STRESS, *others)
    standard = [f"scenarios/{name}" for name in SCENARIOS if name not in taken]
    comparing = [name for name, figure in FIGURES.items() if figure["group"] == "extensions"]
    possible = [name for name in comparing if SCENARIOS.keys() >= set(FIGURES[name]["scenarios"].values())]
    return expand("figures/{name}.{kind}", name=standard + possible, kind=("pdf", "png"))


def paper_figures():
    """Names of the paper's figures."""
    return [name for name, figure in FIGURES.items() if figure["group"] == "paper"]


def figure_tables(wildcards):
    """The tables that a figure reads: those of its scenarios, then further files."""
    figure = FIGURES[wildcards.figure]
    scenarios, tables = figure.get("scenarios", {}).values(), figure.get("tables", [])
    return [*expand("results/{scenario}/{table}", scenario=scenarios, table=tables), *figure.get("files", [])]


def figure_caption(wildcards):
    """The text below a figure, with the numbers of the run that made it."""
    text = (HOME / f"workflow/report/{wildcards.figure}.rst").read_text()
    return text.format(**SCENARIOS | {"seed": config["seed"]})


def report_figure_tables():
    """The tables of every figure of the paper, by figure, for the report."""
    tables = {name: figure_tables(SimpleNamespace(figure=name)) for name in paper_figures()}
    return tables | {"table1_parameters": ["figures/table1_parameters.csv"]}


def report_tables():
    """The same in one list."""
    return sorted({path for paths in report_figure_tables().values() for path in paths})


def report_captions():
    """The captions of all figures of the paper and of Table 1, by name."""
    table1 = (HOME / "workflow/report/table1.rst").read_text()
    return {name: figure_caption(SimpleNamespace(figure=name)) for name in paper_figures()} | {
        "table1_parameters": table1
    }


def report_scenarios():
    """Title, learner and metrics of the scenarios that claims and figures rest on."""
    used = {Path(path).parts[1] for path in (*report_tables(), *claim_tables(load_claims(CLAIMS)))}
    keys = ("title", "learner", "metrics")
    return {name: {key: SCENARIOS[name][key] for key in keys} for name in SCENARIOS if name in used}


def print_summary():
    """What a finished run made, where, and how long it took."""
    from pyarrow.parquet import read_table

    tables = [path for name in SCENARIOS if (path := Path("results", name, "tests.parquet")).exists()]
    statuses = [status for path in tables for status in read_table(path, columns=["status"])["status"].to_pylist()]
    drawn = len(list(Path("figures").rglob("*.pdf")))
    print(
        f"\nDone in {time.time() - STARTED:.0f} s: {drawn} figures and tables in {Path('figures').resolve()},"
        f" from {len(tables)} scenarios and {len(statuses):,} assessments ({statuses.count('failed')} failed);"
        f" numbers in {Path('results').resolve()}."
    )
    if Path("results/claims.json").exists():
        print(f"{summary(read_ledger('results/claims.json'))}; all of it in {Path('results/report.html').resolve()}.")
