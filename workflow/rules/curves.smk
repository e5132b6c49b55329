"""From chunks to the tables of a scenario."""


localrules:
    aggregate,


rule aggregate:
    """The combined chunks of a scenario, and its rejection rates over nominal levels."""
    input:
        design=STEPS.files("results/{scenario}/design/{block}.csv"),
        chunks=STEPS.files("results/{scenario}/chunks/{chunk}.parquet"),
    output:
        design="results/{scenario}/design.csv",
        tests="results/{scenario}/tests.parquet",
        draws="results/{scenario}/draws.parquet",
        curves="results/{scenario}/curves.csv",
    log:
        "results/logs/aggregate/{scenario}.log",
    benchmark:
        "results/benchmarks/aggregate/{scenario}.tsv"
    priority: 1
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    params:
        script=script_digest("aggregate"),
        datasets=lambda wildcards: SCENARIOS[wildcards.scenario]["datasets"],
        alpha_steps=SETTINGS["alpha_steps"],
        max_failed=SETTINGS["max_failed"],
        code=code_digest("permconf_study.study.aggregation"),
    script:
        "../../scripts/aggregate.py"
