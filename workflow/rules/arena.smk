"""The arena: adjustments for confounding, judged side by side."""

import yaml
from permconf import registry

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
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    resources:
        mem_mb=STEPS.planned("memory_mb", 1000),
        runtime=STEPS.planned("runtime", 30),
    params:
        script=script_digest("arena_chunk"),
        data=STEPS.data,
        analysis=STEPS.analysis,
        methods=METHODS,
        seed=SETTINGS["seed"],
        code=lambda wildcards: (
            code_digest(
                "permconf_study.study.arena",
                *(registry.path_of("adjustments", name) for name in registry.names("adjustments")),
                *(f"learners.{name}" for name in ("logistic", "random_forest")),
                "permconf.metrics.auc",
            ),
            STEPS.data_digest(wildcards),
        ),
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
    benchmark:
        "results/benchmarks/arena_summary.tsv"
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    params:
        script=script_digest("arena_summary"),
        chunks=ARENA,
        code=code_digest("permconf_study.paper.tables.arena"),
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
    benchmark:
        "results/benchmarks/residual_tests.tsv"
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    params:
        script=script_digest("residual_tests"),
        scenarios=RESIDUALS,
        code=code_digest("permconf_study.paper.tables.residual_tests"),
    script:
        "../../scripts/residual_tests.py"
