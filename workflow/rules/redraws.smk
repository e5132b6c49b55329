"""Figures that show single data sets, on many data sets: all scenarios of a group in one job, since each is small."""

REDRAWS = STEPS.in_group("redraws")
OTHER_REDRAWS = [name for name in STEPS.in_group("deviations") if "_redraws_" in name]


rule redraws:
    """Figs. 3, 5, 6 and 11 on 100 to 300 data sets each: tests, and distances of nulls from normality."""
    output:
        table="results/redraws.parquet",
        section4="results/section4/redraws.csv",
    log:
        "results/logs/redraws.log",
    benchmark:
        "results/benchmarks/redraws.tsv"
    priority: 2
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        script=script_digest("redraws"),
        scenarios=redraw_settings(REDRAWS),
        seed=SETTINGS["seed"],
        code=redraw_digest(REDRAWS),
    script:
        "../../scripts/redraws.py"


use rule redraws as other_redraws with:
    output:
        table="results/other_redraws.parquet",
    log:
        "results/logs/other_redraws.log",
    benchmark:
        "results/benchmarks/other_redraws.tsv"
    resources:
        mem_mb=1000,
        runtime=60,
    params:
        script=script_digest("redraws"),
        scenarios=redraw_settings(OTHER_REDRAWS),
        seed=SETTINGS["seed"],
        code=redraw_digest(OTHER_REDRAWS),
