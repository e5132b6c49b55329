"""From chunks to the tables of a scenario."""


localrules:
    aggregate,


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
