"""The arena: adjustments for confounding, judged side by side."""

RESIDUALS = ("adjust_exp1_residuals", "unneeded_none", "unneeded_residuals")
ARENA = STEPS.in_group("arena")


rule arena_chunk:
    """All methods of the arena on one chunk of data sets."""
    input:
        design=STEPS.part("design", "arena_chunk"),
        datasets=STEPS.part("datasets", "arena_chunk"),
    output:
        results="results/{scenario}/arena/{fingerprint}/{chunk}.parquet",
    resources:
        mem_mb=STEPS.planned("memory_mb", 1000),
        runtime=STEPS.planned("runtime", 30),
    params:
        data=STEPS.data,
        analysis=STEPS.analysis,
        methods=read_yaml(HOME / "workflow/arena.yaml"),
        seed=SETTINGS["seed"],
        recipe=STEPS.recipe_of("arena_chunk"),
    script:
        "../../scripts/arena_chunk.py"


rule arena_summary:
    """The results of all methods in all settings, and their means with Monte Carlo errors."""
    input:
        chunks=lambda wildcards: [path for name in ARENA for path in STEPS.files_of(name, "arena")],
    output:
        results="results/arena/results.parquet",
        summary="results/arena/summary.csv",
    params:
        chunks=lambda wildcards: {name: STEPS.files_of(name, "arena") for name in ARENA},
    script:
        "../../scripts/arena_summary.py"


rule residual_tests:
    """Rejection rates of the tests for confounding after residualising, and where nothing acts on the features."""
    input:
        tests=expand("results/{scenario}/tests.parquet", scenario=RESIDUALS),
    output:
        table="results/arena/residuals.csv",
    params:
        scenarios=RESIDUALS,
    script:
        "../../scripts/residual_tests.py"
