"""Parameter designs."""


rule design:
    """One block of a scenario's parameter design: a row of parameters per data set."""
    output:
        design="results/{scenario}/design/{fingerprint}/{block}.csv",
    priority: 1
    params:
        data=STEPS.data,
        seed=SETTINGS["seed"],
        recipe=STEPS.recipe_of("design"),
    script:
        "../../scripts/design.py"
