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
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    params:
        script=script_digest("design"),
        data=STEPS.data,
        seed=SETTINGS["seed"],
        code=code_digest("permconf_study.study.design", "permconf.permute.random_streams"),
    script:
        "../../scripts/design.py"
