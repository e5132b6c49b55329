"""The stress study: type I error and power of the tests for confounding, and the error of the corrected metric."""

STRESS_CELLS = {links: f"stress_{links}" for links in ("none", "cy", "cx", "yx", "cy_cx", "cy_yx", "cx_yx", "cy_cx_yx")}
STRESS_TESTS = STRESS_CELLS | {name: name for name in STEPS.in_group("stress") if name not in STRESS_CELLS.values()}
STRESS_TABLES = {  # tables of scenarios, by cell
    "tests": {cell: f"results/{scenario}/tests.parquet" for cell, scenario in STRESS_TESTS.items()},
    "designs": {cell: f"results/{scenario}/design.csv" for cell, scenario in STRESS_CELLS.items()},
    "unconfounded": {cell: f"results/{scenario}/unconfounded.parquet" for cell, scenario in STRESS_CELLS.items()},
}
INNER_DRAWS = [name for name in STEPS.in_group("stress") if SCENARIOS[name]["stream"] == "stress_cy_cx_yx"]


wildcard_constraints:
    cell="|".join(STRESS_CELLS),


localrules:
    mlconfound_environment,
    mlconfound_table,


rule unconfounded:
    """The metric without association of confounder and response, by simulation."""
    input:
        design="results/{scenario}/design.csv",
    output:
        unconfounded="results/{scenario}/unconfounded.parquet",
    log:
        "results/logs/unconfounded/{scenario}.log",
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
    """Type I error, power and errors of the corrected metric over the cells of the stress grid."""
    input:
        [path for paths in STRESS_TABLES.values() for path in paths.values()],
        inner=expand("results/{scenario}/tests.parquet", scenario=INNER_DRAWS),
    output:
        type1_error="results/stress/type1_error.csv",
        power="results/stress/power.csv",
        inner="results/stress/inner.csv",
        corrections="results/stress/corrections.parquet",
        correction_summary="results/stress/correction_summary.csv",
    log:
        "results/logs/stress_tables.log",
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        tables=STRESS_TABLES,
        code=code_digest("paper.tables.stress"),
    script:
        "../../scripts/stress_tables.py"


rule test_costs:
    """Processor time per data set of every test for confounding, by test size."""
    output:
        table="results/stress/cost.csv",
    log:
        "results/logs/test_costs.log",
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code_digest("paper.tables.test_costs"),
    script:
        "../../scripts/test_costs.py"


rule predictions:
    """Response, confounder and prediction of test sets of a cell, with the p-values of this package's tests."""
    input:
        tests=lambda wildcards: f"results/{STRESS_CELLS[wildcards.cell]}/tests.parquet",
    output:
        predictions="results/stress/predictions/{cell}.npz",
    log:
        "results/logs/predictions/{cell}.log",
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        data=lambda wildcards: STEPS.data_of(STRESS_CELLS[wildcards.cell]),
        analysis=lambda wildcards: {
            key: SCENARIOS[STRESS_CELLS[wildcards.cell]][key] for key in ("stream", "split", "learner")
        },
        datasets=500,
        seed=SETTINGS["seed"],
        code=code_digest("paper.tables.predictions", "learners.logistic", "study.datasets"),
    script:
        "../../scripts/predictions.py"


rule mlconfound_environment:
    """A virtual environment for mlconfound, whose requirements conflict with those of permconf."""
    input:
        requirements=HOME / "envs/mlconfound.txt",
    output:
        versions="results/stress/mlconfound_environment/versions.txt",
    log:
        "results/logs/mlconfound_environment.log",
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    params:
        python=sys.executable,
        folder=lambda wildcards, output: str(Path(output.versions).parent),
    shell:
        "({params.python} -m venv --clear {params.folder:q}"
        " && {params.folder:q}/bin/python -m pip install --disable-pip-version-check -r {input.requirements:q}"
        " && {params.folder:q}/bin/python -m pip freeze > {output.versions:q}) > {log:q} 2>&1"


rule compare_mlconfound:
    """p-values of mlconfound's partial confounder test for the test sets of a cell."""
    input:
        environment="results/stress/mlconfound_environment/versions.txt",
        script=HOME / "scripts/compare_mlconfound.py",
        predictions="results/stress/predictions/{cell}.npz",
    output:
        table="results/stress/mlconfound/{cell}.csv",
    log:
        "results/logs/compare_mlconfound/{cell}.log",
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=60,
    shell:
        "$(dirname {input.environment:q})/bin/python {input.script:q} {input.predictions:q} {output.table:q}"
        " > {log:q} 2>&1"


rule mlconfound_table:
    """The p-values of all tests in all cells."""
    input:
        expand("results/stress/mlconfound/{cell}.csv", cell=STRESS_CELLS),
    output:
        table="results/stress/mlconfound.csv",
    log:
        "results/logs/mlconfound_table.log",
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    params:
        cells=list(STRESS_CELLS),
    script:
        "../../scripts/mlconfound_table.py"
