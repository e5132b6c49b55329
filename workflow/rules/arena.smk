"""The arena: adjustments for confounding, judged side by side."""

import yaml

METHODS = yaml.safe_load((HOME / "workflow/arena.yaml").read_text())
RESIDUALS = ("adjust_exp1_residuals", "unneeded_none", "unneeded_residuals")
ARENA = {name: STEPS.files_of(name, "results/{scenario}/arena/{chunk}.parquet") for name in STEPS.in_group("arena")}


localrules:
    arena_summary,
    residual_tests,


rule arena_chunk:
    """All methods of the arena on one chunk of data sets."""
    input:
        design=STEPS.design_block,
        datasets="results/{scenario}/datasets/{chunk}.npz",
    output:
        results="results/{scenario}/arena/{chunk}.parquet",
    log:
        "results/logs/arena_chunk/{scenario}/{chunk}.log",
    resources:
        mem_mb=STEPS.planned("memory_mb", 1000),
        runtime=STEPS.planned("runtime", 30),
    params:
        data=STEPS.data,
        analysis=STEPS.analysis,
        methods=METHODS,
        seed=SETTINGS["seed"],
        code=lambda wildcards: step_code("arena_chunk"),
    script:
        "../../scripts/arena_chunk.py"


rule arena_summary:
    """The results of all methods in all settings, and their means with Monte Carlo errors."""
    input:
        [path for paths in ARENA.values() for path in paths],
    output:
        results="results/arena/results.parquet",
        summary="results/arena/summary.csv",
    log:
        "results/logs/arena_summary.log",
    params:
        chunks=ARENA,
        code=lambda wildcards: step_code("arena_summary"),
    script:
        "../../scripts/arena_summary.py"


rule residual_tests:
    """Rejection rates of the tests for confounding after residualising, and where nothing acts on the features."""
    input:
        expand("results/{scenario}/tests.parquet", scenario=RESIDUALS),
    output:
        table="results/arena/residuals.csv",
    log:
        "results/logs/residual_tests.log",
    params:
        scenarios=RESIDUALS,
        code=lambda wildcards: step_code("residual_tests"),
    script:
        "../../scripts/residual_tests.py"
