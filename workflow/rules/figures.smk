"""Figures and tables for readers."""

import yaml

EXPERIMENTS = ("exp1", "exp2", "exp3", "exp4")
FIGURES = yaml.safe_load((HOME / "workflow/figures.yaml").read_text())
STYLE = HOME / "scripts/permconf/plotting/permconf.mplstyle"


wildcard_constraints:
    figure="|".join(FIGURES),


def figures_of(group):
    """Every figure of a group, as PDF and PNG."""
    names = [name for name, figure in FIGURES.items() if figure["group"] == group]
    return expand("figures/{figure}.{kind}", figure=names, kind=("pdf", "png"))


def standard_figures(wildcards):
    """The standard figure of every extension, as PDF and PNG."""
    return expand("figures/scenarios/{scenario}.{kind}", scenario=in_group("extension"), kind=("pdf", "png"))


def figure_tables(name):
    """The tables that a figure is drawn from, by the name that its module knows them by."""
    figure = FIGURES[name]
    tables = {
        f"{role}/{Path(table).stem}": f"results/{scenario}/{table}"
        for role, scenario in figure.get("scenarios", {}).items()
        for table in figure["tables"]
    }
    return tables | {Path(path).stem: path for path in figure.get("files", [])}


def caption(name):
    """The text below a figure, with the numbers of the run that made it."""
    text = (HOME / f"workflow/report/{name}.rst").read_text()
    return text.format(**SCENARIOS | {"seed": SETTINGS["seed"]})


localrules:
    figure,
    parameter_table,
    scenario_figure,


rule figure:
    """One figure of the paper, drawn from tables."""
    input:
        lambda wildcards: figure_tables(wildcards.figure).values(),
    output:
        pdf=report(
            "figures/{figure}.pdf",
            category="Figures",
            caption="../report/figure.rst",
            labels={"figure": "{figure}"},
        ),
        png="figures/{figure}.png",
    log:
        "results/logs/figure/{figure}.log",
    benchmark:
        "results/benchmarks/figure/{figure}.tsv"
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    params:
        module=lambda wildcards: FIGURES[wildcards.figure]["module"],
        tables=lambda wildcards: figure_tables(wildcards.figure),
        caption=lambda wildcards: caption(wildcards.figure),
        code=lambda wildcards: code_digest(f"paper.figures.{FIGURES[wildcards.figure]['module']}", STYLE),
    script:
        "../../scripts/figure.py"


rule parameter_table:
    """Table 1, from the scenarios and designs that ran."""
    input:
        expand("results/{scenario}/design.csv", scenario=EXPERIMENTS),
    output:
        csv="figures/table1_parameters.csv",
        pdf=report(
            "figures/table1_parameters.pdf",
            category="Tables",
            caption="../report/table1.rst",
            labels={"figure": "Table 1"},
        ),
        png="figures/table1_parameters.png",
    log:
        "results/logs/parameter_table.log",
    benchmark:
        "results/benchmarks/parameter_table.tsv"
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    params:
        scenarios=[SCENARIOS[name] for name in EXPERIMENTS if name in SCENARIOS],
        code=code_digest("paper.figures.table1", STYLE),
    script:
        "../../scripts/parameter_table.py"


rule scenario_figure:
    """The standard figure of a scenario: rates of its tests, observed and corrected metrics."""
    input:
        tests="results/{scenario}/tests.parquet",
        curves="results/{scenario}/curves.csv",
        draws="results/{scenario}/draws.parquet",
    output:
        pdf=report(
            "figures/scenarios/{scenario}.pdf",
            category="Scenarios",
            caption="../report/figure.rst",
            labels={"scenario": "{scenario}"},
        ),
        png="figures/scenarios/{scenario}.png",
    log:
        "results/logs/scenario_figure/{scenario}.log",
    benchmark:
        "results/benchmarks/scenario_figure/{scenario}.tsv"
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    params:
        title=lambda wildcards: SCENARIOS[wildcards.scenario]["title"],
        truth=lambda wildcards: SCENARIOS[wildcards.scenario].get("truth"),
        caption=lambda wildcards: SCENARIOS[wildcards.scenario].get("description", ""),
        code=code_digest("paper.figures.scenario", STYLE),
    script:
        "../../scripts/scenario_figure.py"
