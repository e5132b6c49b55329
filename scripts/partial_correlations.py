"""Partial correlations of a scenario's data sets, by the usual formula and by Theorem 1."""

from permconf.paper.tables.partial_correlations import partial_correlations
from permconf.study.datasets import scenario_datasets
from permconf.study.paths import use_plugins
from permconf.study.tables import logged, read_table, write_table


def main(smk):
    with logged(smk.log[0], f"partial correlations of {smk.wildcards.scenario}"):
        use_plugins(smk.config)
        tests = read_table(smk.input.tests)
        null_means = tests[tests["metric"] == "correlation"].set_index("dataset")["restricted_mean"]
        numbers = sorted({int(number) for number in tests["dataset"]})
        _, datasets = scenario_datasets(smk.params.data, numbers, seed=smk.params.seed)
        write_table(partial_correlations(datasets, null_means), smk.output.association)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
