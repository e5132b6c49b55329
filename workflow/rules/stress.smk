"""The stress study: where the tests for confounding hold their level, their power, and the error of the correction."""

STRESS = STEPS.in_group("stress")
STRESS_CELLS = expand(
    "stress_{links}",
    links=("none", "cy", "cx", "yx", "cy_cx", "cy_yx", "cx_yx", "cy_cx_yx"),
)


rule unconfounded:
    """The metric that the learner reaches without association of confounder and response, by simulation."""
    input:
        design="results/{scenario}/design.csv",
    output:
        unconfounded="results/{scenario}/unconfounded.parquet",
    log:
        "results/logs/unconfounded/{scenario}.log",
    benchmark:
        "results/benchmarks/unconfounded/{scenario}.tsv"
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        data=STEPS.data,
        analysis=analysis_settings,
        datasets=2000,
        seed=SETTINGS["seed"],
        code=lambda wildcards: (code_digest("paper.tables.unconfounded"), STEPS.data_digest(wildcards)),
    script:
        "../../scripts/unconfounded.py"


rule stress_tables:
    """Levels, power and errors of the corrected metric over the cells of the stress grid."""
    input:
        tests=expand("results/{scenario}/tests.parquet", scenario=STRESS),
        designs=expand("results/{scenario}/design.csv", scenario=STRESS_CELLS),
        unconfounded=expand("results/{scenario}/unconfounded.parquet", scenario=STRESS_CELLS),
    output:
        levels="results/stress/levels.csv",
        power="results/stress/power.csv",
        inner="results/stress/inner.csv",
        corrections="results/stress/corrections.parquet",
        correction_summary="results/stress/correction_summary.csv",
    log:
        "results/logs/stress_tables.log",
    benchmark:
        "results/benchmarks/stress_tables.tsv"
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code_digest("paper.tables.stress"),
    script:
        "../../scripts/stress_tables.py"
