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


rule true_metrics:
    """The truth of each metric of a chunk of data sets: what it is without confounding, by simulation."""
    input:
        design=ancient(STEPS.part("design", "true_metrics")),
        datasets=ancient(STEPS.part("datasets", "true_metrics")),
    output:
        truths="results/{scenario}/truths/{fingerprint}/{chunk}.parquet",
    priority: 2
    resources:
        mem_mb=1000,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        data=STEPS.data,
        analysis=STEPS.analysis,
        columns=lambda wildcards: truth_columns(SCENARIOS[wildcards.scenario]),
        seed=SETTINGS["seed"],
        recipe=STEPS.recipe_of("true_metrics"),
    script:
        "../../scripts/true_metrics.py"


rule unconfounded:
    """The truths of the first data sets of a scenario, or of all."""
    input:
        truths=lambda wildcards: STEPS.files_of(
            wildcards.scenario, "truths", datasets=truth_datasets(SCENARIOS[wildcards.scenario])
        ),
    output:
        unconfounded="results/{scenario}/unconfounded.parquet",
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
