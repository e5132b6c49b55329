"""Permutation nulls and the tests made of them."""


rule permutation_nulls:
    """The data sets of one chunk: simulation, observed metrics, permutation nulls and tests."""
    output:
        chunk="results/{scenario}/chunks/{chunk}.parquet",
    log:
        "results/logs/permutation_nulls/{scenario}/{chunk}.log",
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    resources:
        mem_mb=STEPS.planned("memory_mb", 1000),
        runtime=STEPS.planned("runtime", 30),
    params:
        data=STEPS.data,
        analysis=analysis_settings,
        seed=SETTINGS["seed"],
        code=STEPS.chunk_digest,
    script:
        "../../scripts/permutation_nulls.py"
