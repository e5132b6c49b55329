"""Permutation nulls and the tests made of them."""


rule permutation_nulls:
    """Observed metrics, permutation nulls and tests for one chunk of data sets."""
    input:
        datasets=STEPS.part("datasets", "permutation_nulls"),
    output:
        chunk="results/{scenario}/chunks/{fingerprint}/{chunk}.parquet",
    priority: 1
    group:
        "chunk"
    resources:
        mem_mb=STEPS.planned("memory_mb", 1000),
        runtime=STEPS.planned("runtime", 30),
    params:
        analysis=STEPS.analysis,
        seed=SETTINGS["seed"],
        recipe=STEPS.recipe_of("permutation_nulls"),
    script:
        "../../scripts/permutation_nulls.py"
