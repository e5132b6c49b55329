"""Data sets."""


rule simulate:
    """The data sets of one chunk, drawn with the parameters of the design."""
    input:
        design=STEPS.part("design", "simulate"),
    output:
        datasets="results/{scenario}/datasets/{fingerprint}/{chunk}.npz",
    priority: 1
    group:
        "chunk"
    resources:
        mem_mb=STEPS.planned("memory_mb", 1000),
        runtime=10,
    params:
        data=STEPS.data,
        seed=SETTINGS["seed"],
        recipe=STEPS.recipe_of("simulate"),
    script:
        "../../scripts/simulate.py"
