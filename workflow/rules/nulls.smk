"""Permutation nulls and the tests made of them."""


rule permutation_nulls:
    """Observed metrics, permutation nulls and tests for one chunk of data sets."""
    input:
        datasets="results/{scenario}/datasets/{chunk}.npz",
    output:
        chunk="results/{scenario}/chunks/{chunk}.parquet",
    log:
        "results/logs/permutation_nulls/{scenario}/{chunk}.log",
    priority: 1
    group:
        "chunk"
    resources:
        mem_mb=STEPS.planned("memory_mb", 1000),
        runtime=STEPS.planned("runtime", 30),
    params:
        analysis=analysis_settings,
        seed=SETTINGS["seed"],
        code=lambda wildcards: STEPS.code("permutation_nulls", wildcards),
    script:
        "../../scripts/permutation_nulls.py"
