"""Figures that show single data sets, on many data sets: all scenarios of a group in one job, since each is small."""

REDRAWS = STEPS.in_group("redraws")
OTHER_REDRAWS = [name for name in STEPS.in_group("deviations") if "_redraws_" in name]


rule redraws:
    """Figs. 3, 5, 6 and 11 on 100 to 300 data sets each: tests, and distances of nulls from normality."""
    output:
        table="results/redraws.parquet",
        section4="results/section4/redraws.csv",
    priority: 2
    params:
        scenarios=lambda wildcards: redraw_settings(REDRAWS),
        seed=SETTINGS["seed"],
    script:
        "../../scripts/redraws.py"


use rule redraws as other_redraws with:
    output:
        table="results/other_redraws.parquet",
    log:
        "results/logs/other_redraws.log",
    resources:
        mem_mb=1000,
        runtime=60,
    params:
        scenarios=lambda wildcards: redraw_settings(OTHER_REDRAWS),
        seed=SETTINGS["seed"],
