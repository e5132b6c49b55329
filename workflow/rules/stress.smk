"""The stress study: type I error and power of the tests for confounding, and errors of corrected and reweighted metric."""

from permconf_study.paper.tables.stress import TWELVE_INNER_DRAWS
from permconf_study.paper.tables.stress_cells import CELLS, GRID

MLCONFOUND_CELLS = ("cy_yx", "cx_yx", "cy_cx", "cy_cx_yx", "cy_cx_yx_negative")

STRESS_GRID = [CELLS[name].scenario for name in GRID]


wildcard_constraints:
    cell="|".join(CELLS),


rule stress_tables:
    """Power of the tests by theta, and tests on the same data sets."""
    input:
        tests=expand("results/{scenario}/tests.parquet", scenario=STRESS_GRID),
        designs=expand("results/{scenario}/design.csv", scenario=STRESS_GRID),
        twelve=expand("results/{scenario}/tests.parquet", scenario=TWELVE_INNER_DRAWS.values()),
    output:
        power="results/stress/power.csv",
        paired="results/stress/paired.csv",
    params:
        grid=STRESS_GRID,
    script:
        "../../scripts/stress_tables.py"


rule test_costs:
    """Processor time per data set of every test for confounding, by test size."""
    output:
        table="results/stress/cost.csv",
    script:
        "../../scripts/test_costs.py"


rule seed_spread:
    """How far p-values move with the seed, on a few data sets."""
    output:
        table="results/stress/seed_spread.csv",
    script:
        "../../scripts/seed_spread.py"


rule predictions:
    """Response, confounder and prediction of test sets of a cell, with the p-values of this package's tests."""
    input:
        tests=lambda wildcards: f"results/{CELLS[wildcards.cell].scenario}/tests.parquet",
        datasets=lambda wildcards: STEPS.files_of(CELLS[wildcards.cell].scenario, "datasets"),
    output:
        predictions="results/stress/predictions/{cell}.npz",
    params:
        analysis=lambda wildcards: {
            key: SCENARIOS[CELLS[wildcards.cell].scenario][key] for key in ("stream", "split", "learner")
        },
        datasets=500,
        seed=SETTINGS["seed"],
    script:
        "../../scripts/predictions.py"


rule mlconfound_environment:
    """A virtual environment for mlconfound, whose requirements conflict with those of permconf."""
    input:
        requirements=ancient(HOME / "envs/mlconfound.txt"),
    output:
        versions="results/stress/mlconfound_environment/versions.txt",
    log:
        "results/logs/mlconfound_environment.log",
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
        script=ancient(HOME / "scripts/compare_mlconfound.py"),
        predictions="results/stress/predictions/{cell}.npz",
    output:
        table="results/stress/mlconfound/{cell}.csv",
    log:
        "results/logs/compare_mlconfound/{cell}.log",
    resources:
        mem_mb=1000,
        runtime=60,
    shell:
        "$(dirname {input.environment:q})/bin/python {input.script:q} {input.predictions:q} {output.table:q}"
        " > {log:q} 2>&1"


rule mlconfound_table:
    """The p-values of all tests in all cells."""
    input:
        cells=expand("results/stress/mlconfound/{cell}.csv", cell=MLCONFOUND_CELLS),
    output:
        table="results/stress/mlconfound.csv",
    params:
        cells=MLCONFOUND_CELLS,
    script:
        "../../scripts/mlconfound_table.py"
