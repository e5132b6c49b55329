"""From chunks to the tables of a scenario, and of a study."""


wildcard_constraints:
    family="|".join(STUDIES),


rule aggregate:
    """The combined chunks of a scenario, and its rejection rates over nominal levels."""
    input:
        design=STEPS.files("design"),
        chunks=chunks_of,
    output:
        design="results/{scenario}/design.csv",
        tests="results/{scenario}/tests.parquet",
        draws="results/{scenario}/draws.parquet",
        curves="results/{scenario}/curves.csv",
    priority: 1
    params:
        datasets=lambda wildcards: SCENARIOS[wildcards.scenario]["datasets"],
        alpha_steps=SETTINGS["alpha_steps"],
        max_failed=SETTINGS["max_failed"],
        recipe=STEPS.recipe_of("aggregate"),
    script:
        "../../scripts/aggregate.py"


rule unconfounded:
    """The truth of each metric: what it is without confounding, by simulation."""
    input:
        design="results/{scenario}/design.csv",
        datasets=lambda wildcards: STEPS.files_of(
            wildcards.scenario, "datasets", datasets=truth_datasets(SCENARIOS[wildcards.scenario])
        ),
    output:
        unconfounded="results/{scenario}/unconfounded.parquet",
    resources:
        mem_mb=1000,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        data=STEPS.data,
        analysis=STEPS.analysis,
        datasets=lambda wildcards: truth_datasets(SCENARIOS[wildcards.scenario]),
        seed=SETTINGS["seed"],
        plugins=lambda wildcards: STEPS.plugins(SCENARIOS[wildcards.scenario]),
    script:
        "../../scripts/unconfounded.py"


rule cells:
    """Rejection rates and performance of estimators in every cell of a study."""
    input:
        tests=tables_of_study("tests.parquet"),
        designs=tables_of_study("design.csv"),
        truths=tables_of_study("unconfounded.parquet", has_truth),
    output:
        cells="results/{family}/cells.csv",
    params:
        parts=study_parts,
    script:
        "../../scripts/cells.py"
