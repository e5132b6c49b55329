"""Parameter designs."""


localrules:
    design,


rule design:
    """One block of a scenario's parameter design: a row of parameters per data set."""
    output:
        design="results/{scenario}/design/{block}.csv",
    log:
        "results/logs/design/{scenario}/{block}.log",
    priority: 1
    params:
        data=STEPS.data,
        seed=SETTINGS["seed"],
        code=lambda wildcards: step_code("design"),
    script:
        "../../scripts/design.py"
