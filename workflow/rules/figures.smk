"""Figures and tables for readers."""

from permconf_study.paper.figure_list import STYLE, FigureList

EXPERIMENTS = ("exp1", "exp2", "exp3", "exp4")
FIGURES = FigureList.of(SCENARIOS)


wildcard_constraints:
    figure="|".join(FIGURES.entries),


rule figure:
    """One figure of the paper, drawn from tables."""
    input:
        lambda wildcards: FIGURES.tables(wildcards.figure).values(),
    output:
        pdf=shown("figures/{figure}.pdf", "Figures", "figure", figure="{figure}"),
        png="figures/{figure}.png",
    params:
        module=lambda wildcards: FIGURES.entries[wildcards.figure]["module"],
        tables=lambda wildcards: FIGURES.tables(wildcards.figure),
        options=lambda wildcards: FIGURES.entries[wildcards.figure].get("options", {}),
        caption=lambda wildcards: FIGURES.caption(wildcards.figure),
        code=lambda wildcards: FIGURES.code(wildcards.figure),
    script:
        "../../scripts/figure.py"


rule parameter_table:
    """Table 1, from the scenarios and designs that ran."""
    input:
        designs=expand("results/{scenario}/design.csv", scenario=EXPERIMENTS),
    output:
        csv="figures/table1_parameters.csv",
        pdf=shown("figures/table1_parameters.pdf", "Tables", "table1", figure="Table 1"),
        png="figures/table1_parameters.png",
    params:
        scenarios=[SCENARIOS[name] for name in EXPERIMENTS if name in SCENARIOS],
        code=[STYLE],
    script:
        "../../scripts/parameter_table.py"


rule scenario_figure:
    """The standard figure of a scenario: rates of its tests, observed and corrected metrics."""
    input:
        tests="results/{scenario}/tests.parquet",
        curves="results/{scenario}/curves.csv",
        draws="results/{scenario}/draws.parquet",
        design="results/{scenario}/design.csv",
    output:
        pdf=shown("figures/scenarios/{scenario}.pdf", "Scenarios", "figure", scenario="{scenario}"),
        png="figures/scenarios/{scenario}.png",
    params:
        title=lambda wildcards: SCENARIOS[wildcards.scenario]["title"],
        truth=lambda wildcards: SCENARIOS[wildcards.scenario].get("truth", {}),
        cell=lambda wildcards: SCENARIOS[wildcards.scenario]["cell"],
        of_table=lambda wildcards: SCENARIOS[wildcards.scenario]["table"] is not None,
        caption=lambda wildcards: SCENARIOS[wildcards.scenario].get("description", ""),
        code=[STYLE],
    script:
        "../../scripts/scenario_figure.py"


rule study_figure:
    """A measure of the cells of a study as small multiples, or a figure of the user's own."""
    input:
        cells="results/{family}/cells.csv",
    output:
        pdf="figures/studies/{family}.pdf",
        png="figures/studies/{family}.png",
    params:
        figure=study_setting("figure", {}),
        title=lambda wildcards: study_title(wildcards.family, SCENARIOS),
        labels=study_setting("labels", {}),
        plugins=lambda wildcards: [
            ("figures", name) for name in [study_setting("figure", {})(wildcards)] if isinstance(name, str)
        ],
        code=[STYLE],
    script:
        "../../scripts/study_figure.py"
