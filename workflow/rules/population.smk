"""The population of interest of Section 4."""


localrules:
    section4,


rule section4:
    """Corrections and tests relative to the standard null and to the population, and the cell counts of all sets."""
    input:
        datasets=lambda wildcards: first_datasets("section4_development"),
        development="results/section4_development/tests.parquet",
        baseline="results/section4_baseline/tests.parquet",
    output:
        relative="results/section4.csv",
        cells="results/section4_cells.csv",
    log:
        "results/logs/section4.log",
    benchmark:
        "results/benchmarks/section4.tsv"
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    params:
        stream=lambda wildcards: SCENARIOS["section4_development"]["stream"],
        splits=lambda wildcards: {part: SCENARIOS[f"section4_{part}"]["split"] for part in ("baseline", "development")},
        seed=config["seed"],
        code=code_digest("population", "relative", "study"),
    script:
        "../../scripts/section4.py"
