"""Write how far the p-values of the tests move with the seed."""

from permconf_study.paper.tables.seed_spread import spread_table
from permconf_study.study.part_logs import step
from permconf_study.study.tables import write_table


def main(smk):
    with step(smk, "spread of p-values over seeds"):
        write_table(spread_table(), smk.output.table)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
