"""Data sets."""


rule simulate:
    """The data sets of one chunk, drawn with the parameters of the design."""
    input:
        design=STEPS.design_block,
    output:
        datasets="results/{scenario}/datasets/{chunk}.npz",
    log:
        "results/logs/simulate/{scenario}/{chunk}.log",
    priority: 1
    group:
        "chunk"
    resources:
        mem_mb=STEPS.planned("memory_mb", 1000),
        runtime=10,
    params:
        data=STEPS.data,
        seed=SETTINGS["seed"],
        code=lambda wildcards: STEPS.code("simulate", wildcards),
    script:
        "../../scripts/simulate.py"
