"""Partial correlations of a scenario's data sets, by the usual formula and by Theorem 1."""

from permconf_study.paper.tables.partial_correlations import partial_correlations
from permconf_study.study.datasets import read_datasets
from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table, write_table


@step("partial correlations of {w.scenario}")
def main(smk):
    tests = read_table(smk.input.tests)
    null_means = tests[tests["metric"] == "correlation"].set_index("dataset")["restricted_mean"]
    datasets = read_datasets(*smk.input.datasets)
    write_table(partial_correlations(datasets, null_means), smk.output.association)
