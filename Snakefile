"""Reproduces the simulation study of E. Chaibub Neto, "Using permutations to detect, quantify and correct for confounding
in machine learning predictions". `snakemake` makes every figure and table; `permconf --help` lists shorter commands.
"""

import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.0")

SCRIPTS = Path(str(workflow.current_basedir), "scripts")
if SCRIPTS.is_dir():  # otherwise Snakemake got this file from git, as a module: the rest is where the library is
    sys.path.insert(0, str(SCRIPTS))

from permconf_study.study.paths import HOME


configfile: HOME / "config.yaml"


report: f"{HOME}/workflow/report/workflow.rst"


include: f"{HOME}/workflow/rules/common.smk"
include: f"{HOME}/workflow/rules/design.smk"
include: f"{HOME}/workflow/rules/simulate.smk"
include: f"{HOME}/workflow/rules/nulls.smk"
include: f"{HOME}/workflow/rules/curves.smk"
include: f"{HOME}/workflow/rules/population.smk"
include: f"{HOME}/workflow/rules/examples.smk"
include: f"{HOME}/workflow/rules/redraws.smk"
include: f"{HOME}/workflow/rules/stress.smk"
include: f"{HOME}/workflow/rules/figures.smk"
include: f"{HOME}/workflow/rules/deviations.smk"
include: f"{HOME}/workflow/rules/claims.smk"


localrules:
    aggregate,
    all,
    arena,
    cells,
    claims,
    design,
    deviation_tables,
    deviations,
    figure,
    forest_comparison,
    forests,
    html_report,
    mlconfound,
    mlconfound_environment,
    mlconfound_table,
    parameter_table,
    population,
    residual_tests,
    scenario_figure,
    scenarios,
    stratified_example,
    stress,
    study_claims,
    study_figure,
    unconfounded,


rule all:
    """Every figure and table of the paper, the ledger of its claims, and the report."""
    default_target: True
    input:
        FIGURES.files("paper"),
        "figures/table1_parameters.csv",
        "results/claims.csv",
        "results/report.html",


rule forests:
    """The simulation study and Section 4 with random forests."""
    input:
        FIGURES.files("forests"),
        "results/deviations/forests.csv",


rule scenarios:
    """The standard figure of every extension, and the figures that compare them."""
    input:
        expand("figures/scenarios/{scenario}.{kind}", scenario=EXTENSIONS, kind=("pdf", "png")),
        FIGURES.files("extension", possible=True),


rule stress:
    """Type I error, power and cost of the tests for confounding, and the error of the corrected metric."""
    input:
        FIGURES.files("stress"),
        "results/stress/cells.csv",
        "results/stress/paired.csv",
        "results/stress/cost.csv",
        "results/stress/seed_spread.csv",


rule arena:
    """Adjustments for confounding, judged side by side."""
    input:
        FIGURES.files("arena"),
        "results/arena/cells.csv",
        "results/arena/residuals.csv",


rule mlconfound:
    """The partial confounder test of mlconfound on the test sets of the stress study."""
    input:
        "results/stress/mlconfound.csv",


rule deviations:
    """Results of alternative choices."""
    input:
        "results/deviations/experiments.csv",
        "results/other_redraws.parquet",
        "results/deviations/figures.csv",


complete_rules(list(workflow.rules)[RULES_BEFORE:], HOME / "envs/permconf.yaml", is_head=workflow.is_main_process)
