"""Write the cost of the tests for confounding: processor time per data set, by test size."""

from permconf_study.paper.tables.test_costs import cost_table
from permconf_study.study.tables import logged, write_table


def main(smk):
    with logged(smk.log[0], "costs of the tests"):
        write_table(cost_table(), smk.output.table)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
