"""The population of interest of Section 4, with logistic regression (section4) and with forests (section4_forest)."""

POPULATION_STUDIES = ("section4", "section4_forest")


wildcard_constraints:
    study="|".join(POPULATION_STUDIES),


rule population:
    """Corrections and tests relative to the standard null and to the population, and the cell counts of all sets."""
    input:
        datasets=lambda wildcards: STEPS.files_of(f"{wildcards.study}_development", "datasets")[0],
        development="results/{study}_development/tests.parquet",
        baseline="results/{study}_baseline/tests.parquet",
    output:
        relative="results/{study}/relative.csv",
        cells="results/{study}/cells.csv",
    priority: 1
    params:
        stream=lambda wildcards: SCENARIOS[f"{wildcards.study}_development"]["stream"],
        splits=lambda wildcards: {
            part: SCENARIOS[f"{wildcards.study}_{part}"]["split"] for part in ("baseline", "development")
        },
        seed=SETTINGS["seed"],
    script:
        "../../scripts/population.py"
