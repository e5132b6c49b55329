"""Results of alternative choices (docs/DEVIATIONS.md)."""

EXPERIMENT_CHOICES = {
    choice: {name: f"results/{name}{suffix}/tests.parquet" for name in EXPERIMENTS}
    for choice, suffix in {
        "as run": "",
        "stratified split": "_stratified",
        "random Latin hypercube": "_random_design",
        "Latin hypercube, best of five random ones": "_best_of_5_design",
    }.items()
}
FIGURE_CHOICES = {
    "sizes": ["results/fig03_sizes/tests.parquet", "results/fig03_sizes/design.csv"],
    "permutations": ["results/fig04/tests.parquet", "results/fig04_1000_permutations/tests.parquet"],
    "effects": ["results/fig05_effects/draws.parquet", "results/fig05_effects/design.csv"],
    "unpenalised": "results/fig06_unpenalised/tests.parquet",
    "redraws": "results/redraws.parquet",
}


rule deviation_tables:
    """Experiments 1 to 4 and single figures under alternative choices, with Monte Carlo errors."""
    input:
        [path for paths in EXPERIMENT_CHOICES.values() for path in paths.values()],
        **FIGURE_CHOICES,
    output:
        experiments="results/deviations/experiments.csv",
        figures="results/deviations/figures.csv",
    params:
        experiments=EXPERIMENT_CHOICES,
        figures=FIGURE_CHOICES,
    script:
        "../../scripts/deviation_tables.py"


rule forest_comparison:
    """Experiments 1 to 4 with forests, and with logistic regression on the same data sets."""
    input:
        forests=expand("results/{experiment}_forest/tests.parquet", experiment=EXPERIMENTS),
        logistic=expand("results/{experiment}/tests.parquet", experiment=EXPERIMENTS),
    output:
        table="results/deviations/forests.csv",
    params:
        experiments=EXPERIMENTS,
    script:
        "../../scripts/forest_comparison.py"
