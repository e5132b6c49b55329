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
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    resources:
        mem_mb=STEPS.planned("memory_mb", 1000),
        runtime=10,
    params:
        script=script_digest("simulate"),
        data=STEPS.data,
        seed=SETTINGS["seed"],
        code=STEPS.data_digest,
    script:
        "../../scripts/simulate.py"
